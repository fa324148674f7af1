"""Ranges of device files, and error bars of energy: from the command line to result.json, its table and its summary."""
import csv
import json
import signal
import statistics
import subprocess
import time

import schemas
from program import PROGRAM, TIMEOUT_S, ProgramCase, job

WORK = job(rw="randrw", bs="4k", iodepth=8, size="100%", io_size="2m")
ENDLESS = job(rw="randread", bs="4k", iodepth=8, size="100%", time_based=1, runtime="100000s")
CURRENT = 'nand.uncertainty.program_current="-30 % to +40 %"'
POWER = 'cpu.uncertainty.active_power="-20 % to +20 %"'
TIME = 'nand.uncertainty.program_time="-50 % to +50 %"'
CLOCK = 'nand.uncertainty.transfer_rate="-20 % to +20 %"'

# Turns off all ranges of the preset, so that only those of a test apply.
ALONE = [f"{table}.uncertainty=none" for table in ("nand", "cpu", "link", "dram")]


class Uncertainty(ProgramCase):
    def setUp(self):
        super().setUp()
        self.job = self.file("work.fio", WORK)

    def run_with(self, *arguments, sets=(), samples=200, device="tiny"):
        """Returns (result, rows of uncertainty.csv as floats)."""
        out = self.simulate(device, "--job", self.job, "--uncertainty", samples, *arguments, sets=sets)
        with open(out / "uncertainty.csv", encoding="utf-8", newline="") as table:
            rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(table)]
        result = json.loads((out / "result.json").read_text())
        schemas.check(result, "result")
        return result, rows

    def refused(self, *arguments, says):
        done = self.start("run", "tiny", "--job", self.job, *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in says:
            self.assertIn(word, done.stderr)

    def test_bands_are_of_the_table(self):
        result, rows = self.run_with(sets=[*ALONE, CURRENT, POWER])
        energy = result["energy"]
        bands = energy["uncertainty"]
        self.assertEqual((bands["samples"], bands["runs"], bands["reruns"], bands["seed"]), (200, 1, 0, 1))
        self.assertEqual(list(bands["keys"]), ["cpu.active_power", "nand.program_current"])
        self.assertEqual(len(rows), 200)
        for figure in ("total_j", "background_j", "average_w", "j_per_gb"):
            column = [row[figure] for row in rows]
            self.assertAlmostEqual(statistics.fmean(column) / bands[figure]["mean"], 1, places=12)
            self.assertAlmostEqual(statistics.median(column) / bands[figure]["p50"], 1, places=12)
            self.assertLessEqual(min(column), bands[figure]["p5"])
            self.assertLessEqual(bands[figure]["p95"], max(column))
        self.assertLess(bands["total_j"]["p5"], energy["total_j"])
        self.assertLess(energy["total_j"], bands["total_j"]["p95"])
        kinds = {component["kind"] for component in energy["components"]}
        self.assertEqual(set(bands["kinds"]), kinds)
        for row in rows:
            self.assertAlmostEqual(sum(row[f"{kind}_j"] for kind in kinds) / row["total_j"], 1, places=9)
            rows = sum(joules for name, joules in row.items() if name.startswith("operations."))
            self.assertAlmostEqual((rows + row["background_j"]) / row["total_j"], 1, places=9)

    def test_a_sample_is_what_a_run_with_its_values_takes(self):
        _, rows = self.run_with(sets=[*ALONE, CURRENT, POWER], samples=3)
        for row in rows:
            out = self.simulate("tiny", "--job", self.job, sets=[f'nand.program_current="{row["nand.program_current"] * 1e9:.17g} nA"',
                                                                f'cpu.active_power="{row["cpu.active_power"] * 1e6:.17g} uW"'])
            energy = json.loads((out / "result.json").read_text())["energy"]
            for figure in ("total_j", "background_j", "average_w", "j_per_gb"):
                self.assertAlmostEqual(energy[figure] / row[figure], 1, places=9)

    def test_keys_of_time_run_again(self):
        result, rows = self.run_with("--uncertainty-runs", 3, sets=[*ALONE, CURRENT, TIME], samples=9)
        bands = result["energy"]["uncertainty"]
        self.assertEqual((bands["samples"], bands["runs"], bands["reruns"], bands["failed"]), (9, 3, 5, []))
        self.assertTrue(bands["keys"]["nand.program_time"]["runs_again"])
        self.assertEqual(len({row["nand.program_time"] for row in rows}), 3)
        self.assertEqual([entry["key"] for entry in bands["tornado"]].count("nand.program_time"), 1)
        row = rows[4]
        picoseconds = round(row["nand.program_time"] * 1e12)
        out = self.simulate("tiny", "--job", self.job, sets=[f'nand.program_time="{picoseconds} ps"',
                                                            f'nand.program_current="{row["nand.program_current"] * 1e9:.17g} nA"'])
        self.assertAlmostEqual(json.loads((out / "result.json").read_text())["energy"]["total_j"] / row["total_j"], 1, places=9)

    def test_with_one_run_they_keep_their_values(self):
        result, rows = self.run_with("--uncertainty-runs", 1, sets=[CURRENT, TIME], samples=9)
        self.assertEqual(result["energy"]["uncertainty"]["held"], ["nand.program_time"])
        self.assertEqual(len({row["nand.program_time"] for row in rows}), 1)

    def test_a_run_that_cannot_be_is_reported(self):
        # Nine draws have each width from 8 to 16 once; only 8 and 16 are valid.
        result, rows = self.run_with("--uncertainty-runs", 9, samples=9, sets=['nand.uncertainty.bus_width="8 to 16"'])
        bands = result["energy"]["uncertainty"]
        self.assertEqual((len(rows), bands["left_out"], bands["reruns"], len(bands["failed"])), (2, 7, 11, 7))
        self.assertEqual(sorted(row["nand.bus_width"] for row in rows), [8, 16])
        for failure in bands["failed"]:
            self.assertTrue(failure["run"].startswith("draw "))
            self.assertIn("nand.bus_width", failure["message"])
        done = self.start("run", "tiny", "--job", self.job, "--uncertainty", 9, "--uncertainty-runs", 9, "--set",
                          'nand.uncertainty.bus_width="8 to 16"')
        self.assertIn("7 of 11 runs with other values failed", done.stdout)

    def test_the_same_bytes_again(self):
        first = self.simulate("tiny", "--job", self.job, "--uncertainty", 50, "--uncertainty-runs", 2, sets=[CURRENT, TIME])
        again = self.simulate("tiny", "--job", self.job, "--uncertainty", 50, "--uncertainty-runs", 2, sets=[CURRENT, TIME])
        for name in ("result.json", "uncertainty.csv"):
            self.assertEqual((first / name).read_bytes(), (again / name).read_bytes())
        other = self.simulate("tiny", "--job", self.job, "--uncertainty", 50, "--uncertainty-seed", 2, sets=[CURRENT])
        self.assertNotEqual((first / "uncertainty.csv").read_bytes(), (other / "uncertainty.csv").read_bytes())

    def test_a_device_without_ranges_has_no_trace_of_them(self):
        out = self.simulate("tiny", "--job", self.job)
        result = json.loads((out / "result.json").read_text())
        self.assertNotIn("uncertainty", result["energy"])
        self.assertFalse((out / "uncertainty.csv").exists())
        # Bands are added to the result and change nothing else.
        with_bands, _ = self.run_with(sets=[CURRENT])
        del with_bands["energy"]["uncertainty"]
        del with_bands["config"]["uncertainty"]["nand.program_current"]
        result["config"].setdefault("uncertainty", {})
        result["config"]["uncertainty"].pop("nand.program_current", None)
        self.assertEqual(with_bands, result)

    def test_the_summary_tells(self):
        done = self.start("run", "tiny", "--job", self.job, "--uncertainty", 100, "--set", CURRENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"energy [\d.]+ m?J \([\d.e-]+ to [\d.e-]+\) in all")
        self.assertIn("5 and 95 % of 100 samples", done.stdout)

    def test_an_interrupted_run_has_bands_of_what_it_did(self):
        endless = self.file("endless.fio", ENDLESS)
        out = self.scratch / "o"
        with subprocess.Popen([PROGRAM, "run", "tiny", "--job", endless, "--set", "precondition.fill=1", "--set", CURRENT,
                               "--uncertainty", "20", "--out", out, "--quiet"], cwd=self.scratch) as process:
            time.sleep(2)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=TIMEOUT_S), 130)
        result = json.loads((out / "result.json").read_text())
        schemas.check(result, "result")
        self.assertTrue(result["partial"])
        self.assertEqual(result["energy"]["uncertainty"]["samples"], 20)
        self.assertTrue((out / "uncertainty.csv").exists())

    def test_it_is_refused_where_it_means_nothing(self):
        self.refused("--uncertainty", 10, "--set", "nand.uncertainty=none", "--set", "cpu.uncertainty=none", "--set", "link.uncertainty=none",
                     "--set", "dram.uncertainty=none", "--set", "nvram.uncertainty=none", "--set", "nand.ecc.uncertainty=none",
                     says=["--uncertainty", "[TABLE.uncertainty]"])
        self.refused("--uncertainty", 10, "--set", CURRENT, "--untimed", says=["--untimed", "--uncertainty"])
        self.refused("--uncertainty-runs", 2, says=["--uncertainty-runs", "--uncertainty"])
        self.refused("--uncertainty", 0, says=["--uncertainty"])
        self.refused("--uncertainty", 3, "--uncertainty-runs", 4, "--set", TIME, says=["--uncertainty-runs"])
        self.refused("--set", 'nand.uncertainty.program_current="1 A to 2 A"', says=["nand.uncertainty.program_current", "does not hold"])
