"""The laws on the tables of a run, and the relations between runs: each holds on the program, and can be broken."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import devices  # noqa: E402
import documents  # noqa: E402
import outputs  # noqa: E402
import relations  # noqa: E402
import schema  # noqa: E402
import trial  # noqa: E402

PROGRAM = os.environ.get("FLASHLOOM", str(HERE.parents[1] / "build/release/flashloom"))
TRACE = documents.Document("--trace", "w.csv", ("time_us,operation,offset_sectors,length_sectors", "0,write,0,8", "9,read,0,8", "900,write,64,3",
                                                "900,trim,0,8", "1000,read,64,8"))


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        subprocess.run([PROGRAM, "run", "tiny", "--set", "precondition.fill=1", "--set", "host.iodepth=4", "--generate", "mix:requests=3000,read=0.5",
                        "--io-log", "csv", "--out", self.folder, "--quiet"], check=True)
        self.result = json.loads((self.folder / "result.json").read_text())

    def broken(self, law, name, column, value):
        """Whether the law finds the value in the column of the last row of a table."""
        rows = outputs.rows(self.folder / name)
        rows[-1][column] = value
        text = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
        (self.folder / name).write_text("\n".join(text) + "\n")
        with self.assertRaises(AssertionError):
            law(self.folder, self.result)

    def test_all_hold(self):
        for _, law in outputs.LAWS:
            law(self.folder, self.result)

    def test_a_request_too_many(self):
        self.broken(outputs.series_adds_up, "series.csv", "read_ios", "999")

    def test_energy_in_the_wrong_bin(self):
        self.broken(outputs.series_adds_up, "series.csv", "power_w", "50")
        self.broken(outputs.power_adds_up, "power.csv", "power_w", "50")
        self.broken(outputs.no_bin_exceeds_the_peak, "power.csv", "power_w", "5000")

    def test_more_in_flight_than_entries(self):
        outputs.in_flight(self.folder, self.result)
        self.result["config"]["host_interface"]["queue_depth"] = 1
        with self.assertRaises(AssertionError):
            outputs.in_flight(self.folder, self.result)


class Pairs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trial = trial.Trial(PROGRAM, schema.Schema(PROGRAM))

    def law_broken(self, relation, case, change=None):
        """The name of the law that two runs of the device break, where `change` falsifies the result of the second; None if it holds. The
        second result is that of the relation's last run."""
        with tempfile.TemporaryDirectory() as folder:
            self.trial.here.folder = out = pathlib.Path(folder)
            self.addCleanup(setattr, self.trial.here, "folder", None)
            if case.document:
                case.document.write(out)
            self.trial.call("run", "run", *case.arguments(), "--set", "verify=true", *case.source(), "--out", "a")
            one = relations.Relations(self.trial, case, json.loads((out / "a" / "result.json").read_text()), out)
            runs, real = [], one.run

            def run(*words, **named):
                runs.append(real(*words, **named))
                if change and len(runs) == (1 if relation in SECOND_IS_FIRST else 2):
                    change(runs[-1])
                return runs[-1]

            one.run = run
            try:
                relation(one)
            except trial.Broken as broken:
                return broken.failure.law
            finally:
                self.assertTrue(relation is relations.larger_lru or runs and all(runs), "the relation was not applied")
            return None

    def check(self, relation, case, change):
        self.assertIsNone(self.law_broken(relation, case))
        self.assertIsNotNone(self.law_broken(relation, case, change))

    def test_twice_the_dies(self):
        def slower(run):
            run["host"]["read"]["bandwidth_bytes_per_s"] *= 0.4
        self.check(relations.twice_the_dies, devices.Case(1, {}), slower)

    def test_times_doubled(self):
        def later(run):
            run["host"]["end_s"] *= 1.00001
        self.check(relations.times_doubled, devices.Case(1, {"host.iodepth": "1"}, "mix:requests=300"), later)

    def test_a_trace_in_parts(self):
        def more(run):
            run["ftl"]["units_written"] += 1
        self.check(relations.trace_in_parts, devices.Case(1, {}, document=TRACE), more)

    def test_untimed_in_parts(self):
        def erases(run):
            run["flash"]["erases"]["gc"] += 1
        self.check(relations.untimed_in_parts, devices.Case(1, {}), erases)

    def test_more_room(self):
        def copies(run):
            run["flash"]["programs"]["total"]["pages"] *= 3
        self.check(relations.more_room, devices.Case(1, {"precondition.fill": "1.0"}, "mix:requests=3000,read=0"), copies)

    def test_bytes_cost_as_they_flow(self):
        def less(run):
            run["energy"]["peak_w"] -= 99
        case = devices.Case(1, {"controller.byte_energy": '"100 pJ/B"'}, "mix:requests=500,read=0.5")
        self.check(relations.bytes_cost_as_they_flow, case, less)

    def test_reads_either_way(self):
        def later(run):
            run["host"]["end_s"] += 1e-9
        self.check(relations.reads_either_way, devices.Case(1, {"precondition.fill": "1.0", "host.iodepth": "64"}), later)

    def test_a_larger_lru(self):
        self.assertIsNone(self.law_broken(relations.larger_lru, devices.Case(1, {}, "mix:requests=500,distribution=zipf")))
        self.assertIsNone(self.law_broken(relations.larger_lru, devices.Case(1, {}, document=TRACE)))


# Relations whose first related run is compared with the run of the device.
SECOND_IS_FIRST = (relations.trace_in_parts, relations.bytes_cost_as_they_flow)

if __name__ == "__main__":
    unittest.main()
