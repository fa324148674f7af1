"""Campaign of random devices: past failures stay fixed, and the campaign itself draws, judges and shortens."""
import copy
import gzip
import json
import os
import pathlib
import random
import re
import shlex
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import bounds_law  # noqa: E402
import devices  # noqa: E402
import schema  # noqa: E402
import trial  # noqa: E402

PROGRAM = os.environ.get("FLASHLOOM", str(HERE.parents[1] / "build/release/flashloom"))


class PastFailures(unittest.TestCase):
    def test_each_works_or_is_refused(self):
        lines = [line for line in (HERE / "past_failures.txt").read_text().splitlines() if line and line[0] != "#"]
        self.assertGreater(len(lines), 0)
        for line in lines:
            with self.subTest(command=line):
                refused = re.match(r"refused ([\w.]+): ", line)
                command = shlex.split(line[refused.end():] if refused else line)
                done = subprocess.run([PROGRAM, *command], capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(done.returncode, 2 if refused else 0, done.stderr[-1000:])
                if refused:
                    self.assertIn(f"{refused[1]}: ", done.stderr)


class Draws(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = schema.Schema(PROGRAM)

    def test_every_key_is_drawn(self):
        self.assertEqual(self.schema.not_drawn, [], "say by samples() in its declaration what such a key may be")

    def test_the_same_number_is_the_same_device(self):
        first, second = (devices.Generator(self.schema, 7) for _ in range(2))
        for number in range(20):
            self.assertEqual(first.case(number), second.case(number))
        self.assertNotEqual(first.case(1).sets, devices.Generator(self.schema, 8).case(1).sets)

    def test_values_are_of_the_type(self):
        self.assertEqual(schema.scaled('"25 us"', 2), '"50 us"')
        self.assertIsNone(schema.scaled('"0 s"', 2))
        self.assertEqual(schema.integers(1, "1 .. 3"), ["1", "2", "3"])
        quantity = {"type": "size", "default": '"0 B"', "range": "0 B .. 1 GiB", "unit": "B, kB"}
        self.assertIn('"64 KiB"', schema.values_of(quantity, {}))

    def test_pairs_count_once_accepted(self):
        generator = devices.Generator(self.schema, 1)
        generator.covered(devices.Case(0, {"ftl.kind": '"dftl"', "nand.copyback": "true"}))
        self.assertNotIn((("ftl.kind", '"dftl"'), ("nand.copyback", "true")), generator.pairs)
        self.assertIn((("ftl.kind", '"fast"'), ("nand.copyback", "true")), generator.pairs)
        generator.covered(devices.Case(1, {"ftl.kind": '{ name = "fast", log_blocks = 4 }', "nand.copyback": "true"}))
        self.assertNotIn((("ftl.kind", '"fast"'), ("nand.copyback", "true")), generator.pairs)


class Judges(unittest.TestCase):
    """Runs the judge against a shell script in place of flashloom."""

    def failure(self, script, number=1):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text("#!/bin/sh\n" + script)
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            keys = type("Keys", (), {"paths": {"nand.blocks"}})
            one = trial.Trial(str(program), keys)
            case = devices.Case(number, {"nand.blocks": str(random.Random(number).randrange(9))})
            try:
                if one.accepts(case)[0]:
                    one.judge(case)
            except trial.Broken as broken:
                return broken.failure.law
            return None

    def test_a_refusal_names_its_key(self):
        self.assertIsNone(self.failure("echo bad nand.blocks; exit 2"))
        self.assertEqual(self.failure("echo bad; exit 2"), "config: a refusal names the key")

    def test_a_run_that_fails_or_crashes(self):
        self.assertEqual(self.failure('[ "$1" = config ] && exit 0; exit 1'), "run: exit code 1")
        self.assertEqual(self.failure('[ "$1" = config ] && exit 0; kill -11 $$'), "run: exit code -11")

    def test_a_law_that_does_not_hold(self):
        script = '[ "$1" = config ] && exit 0; for out; do :; done; mkdir "$out"; '
        broken = '{"host": {"requests": 2, "completions": 1}, "window": {"begin_s": 0, "end_s": 1}}'
        self.assertEqual(self.failure(script + f"echo '{broken}' > $out/result.json"), "laws of the result")


class Bounds(unittest.TestCase):
    """The law that holds full runs to their bounds."""

    @classmethod
    def setUpClass(cls):
        cls.workload = "mix:read=1,requests=20000"
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "run", "tiny", "--set", "precondition.fill=1.0", "--set", "host.iodepth=64", "--generate", cls.workload,
                            "--out", folder], check=True, capture_output=True)
            cls.result = json.loads((pathlib.Path(folder) / "result.json").read_text())

    def test_a_run_comes_near_and_stays_below(self):
        away = bounds_law.check_bounds(self.result, self.workload)
        self.assertLess(away["read_throughput high"], 1.8)
        self.assertLess(away["latency_mean low"], 1.8)
        self.assertIn("energy_per_gb low", away)

    def test_requests_that_wait_for_one_unit_together(self):
        """Devices smaller than the data in flight: the bounds once counted each requested write as programmed."""
        for workload, *sets in (("mix:requests=2000,size=128KiB", "nand.pages=16", "ftl.over_provisioning=2.0", "host.iodepth=256"),
                                ("mix:requests=500,read=0,size=128KiB,rate=500", "nand.blocks=32", "ftl.over_provisioning=0.6"),
                                # A device without memory, which the bounds once charged with energy.
                                ("mix:requests=2000,read=0.5", "nand.blocks=48", "buffer.size=32 MiB", "dram.size=0 B"),
                                # The host addresses one namespace; the bounds once assumed the whole device.
                                ("mix:requests=50000", "nand.pages=256", 'host_interface.namespaces=["1 MiB", "2 MiB"]')):
            with tempfile.TemporaryDirectory() as folder:
                words = [word for each in sets for word in ("--set", each)]
                subprocess.run([PROGRAM, "run", "tiny", *words, "--generate", workload, "--out", folder], check=True, capture_output=True)
                bounds_law.check_bounds(json.loads((pathlib.Path(folder) / "result.json").read_text()), workload)

    def test_runs_that_were_kept_are_held_again(self):
        """Checks kept runs against the present bounds without running them, including those before a truncated end."""
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "runs.gz"
            words = [sys.executable, "-B", HERE / "bounds", "--program", PROGRAM]
            first = subprocess.run([*words, "--devices", "8", "--seed", "7", "--jobs", "1", "--keep", kept], capture_output=True, text=True, check=True)
            ran = int(re.search(r"8 devices, (\d+) ran, 0 outside", first.stdout)[1])
            again = subprocess.run([*words, "--again", kept], capture_output=True, text=True, check=True)
            self.assertEqual(again.stdout.splitlines()[:-1], first.stdout.splitlines()[:-1])
            self.assertIn(f"{ran} devices, {ran} ran, 0 outside", again.stdout)
            with gzip.open(kept, "rt", encoding="utf-8") as file:
                runs = [json.loads(line) for line in file]
            runs[0]["result"]["energy"]["average_w"] *= 1e9
            with gzip.open(kept, "wt", encoding="utf-8") as file:
                file.writelines(json.dumps(run) + "\n" for run in runs)
                file.write('{"torn": ')
            broken = subprocess.run([*words, "--again", kept], capture_output=True, text=True, check=False)
            self.assertEqual(broken.returncode, 1)
            self.assertIn(f"device {runs[0]['device']}: bounds\n    flashloom run", broken.stdout)
            self.assertIn("average_power: ", broken.stdout)
            self.assertEqual(subprocess.run([*words, "--again", folder], capture_output=True, check=False).returncode, 2)

    def test_each_bound_can_be_broken(self):
        read, energy = ("host", "read"), ("energy",)
        for where, name, factor in ((read, "bandwidth_bytes_per_s", 2), (read, "iops", 2), ((*read, "latency_ns"), "p99", 0.01),
                                    ((*read, "latency_ns"), "mean", 0.01), (energy, "j_per_gb", 0.01), (energy, "average_w", 0.01),
                                    (energy, "average_w", 100), (energy, "peak_w", 100), (("device",), "capacity_bytes", 1.001)):
            with self.subTest(name=name, factor=factor):
                result = copy.deepcopy(self.result)
                table = result
                for key in where:
                    table = table[key]
                table[name] *= factor
                with self.assertRaises(AssertionError):
                    bounds_law.check_bounds(result, self.workload)


if __name__ == "__main__":
    unittest.main()
