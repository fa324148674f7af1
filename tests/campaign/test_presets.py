"""Devices drawn from shrunk presets, their workloads in files, and how a failing one is shortened."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import devices  # noqa: E402
import documents  # noqa: E402
import presets  # noqa: E402
import schema  # noqa: E402

PROGRAM = os.environ.get("FLASHLOOM", str(HERE.parents[1] / "build/release/flashloom"))


def campaign():
    loader = SourceFileLoader("campaign", str(HERE / "campaign"))
    module = module_from_spec(spec_from_loader("campaign", loader))
    loader.exec_module(module)
    return module


class PresetDraws(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = schema.Schema(PROGRAM)
        generator = presets.PresetGenerator(cls.schema, 3)
        cls.cases = [generator.case(number) for number in range(1, 600, 2)]

    def test_each_preset_and_kind_of_workload_is_drawn_and_the_same_again(self):
        self.assertEqual({case.preset for case in self.cases}, set(self.schema.presets))
        self.assertEqual({case.document.option for case in self.cases if case.document}, {"--job", "--trace"})
        self.assertTrue(any(case.most for case in self.cases))
        again = presets.PresetGenerator(self.schema, 3)
        self.assertEqual([again.case(number) for number in range(1, 60, 2)], self.cases[:30])

    def test_a_drawn_feature_does_something(self):
        generator, rng = presets.PresetGenerator(self.schema, 3), random.Random(1)
        for name, keys in generator.features.items():
            switches = [key for key in keys if key.is_switch and len(key.values) > 1]
            sets = generator.feature(rng, keys)
            self.assertTrue(not switches or any(sets.get(key.path, key.default) != key.default for key in keys), name)

    def test_edges_are_the_ends_of_a_range_and_their_neighbours(self):
        def edges(kind, default, text, unit="", path="x"):
            return schema.edges_of({"type": kind, "default": default, "range": text, "unit": unit}, path)
        self.assertEqual(edges("integer", "8", "1 .. 32"), ["1", "2", "7", "9", "31", "32"])
        self.assertEqual(edges("integer", "8", "1 .. 65536"), ["1", "2", "7", "9"])  # its end makes a device too large
        self.assertEqual(edges("integer", "8", "1 .. 32", path="nand.ways"), ["1", "2", "7", "9"])
        self.assertEqual(edges("ratio", "0.5", "0 .. 1"), ["0.0", "1.0"])
        self.assertEqual(edges("size", '"1 MiB"', "0 B .. 1 GiB", "B"), ['"0 B"', '"1048575 B"', '"1048577 B"'])
        self.assertEqual(edges("time", '"1 us"', "0 s .. 1 s", "s"), ['"0 s"'])

    def test_a_shrunk_preset_keeps_what_makes_it_small(self):
        module = campaign()

        class Refusing:
            """Accepts a device only once every key that may go is gone, and has every device fail alike."""

            def accepts(self, case):
                return len(case.sets) == len(case.kept), ""

        case = devices.Case(1, {"nand.blocks": "24", "ftl.gc_low": "1", "host.iodepth": "2"}, preset="qlc-2tb", kept=("nand.blocks",))
        self.assertEqual(module.until_accepted(Refusing(), case).sets, {"nand.blocks": "24"})


class Documents(unittest.TestCase):
    def test_the_command_writes_the_same_file(self):
        """Whatever bytes the name has, in any shell's locale."""
        rng = random.Random(5)
        for name in set(documents.NAMES):
            document = documents.Document("--job", name + ".fio", documents.job(rng, False).lines)
            with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
                document.write(pathlib.Path(ours))
                subprocess.run(["bash", "-c", document.command()], cwd=theirs, check=True)
                self.assertEqual(os.listdir(os.fsencode(theirs)), os.listdir(os.fsencode(ours)))
                self.assertEqual((pathlib.Path(theirs) / document.name).read_bytes(), (pathlib.Path(ours) / document.name).read_bytes())

    def test_traces_are_in_order_of_time(self):
        for seed in range(20):
            times = [int(line.split(",")[0]) for line in documents.trace(random.Random(seed)).lines[1:]]
            self.assertEqual(times, sorted(times))

    def test_a_failing_document_loses_the_lines_that_the_failure_does_not_need(self):
        lines = ("[j]", *(f"a{n}=1" for n in range(30)), "bad=1", *(f"b{n}=1" for n in range(20)))
        case = devices.Case(1, document=documents.Document("--job", "w.fio", lines))
        short = campaign().shorter(case, lambda one: "bad=1" in one.document.lines)
        self.assertEqual(short.document.lines, ("[j]", "bad=1"))


if __name__ == "__main__":
    unittest.main()
