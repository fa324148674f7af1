"""flashloom fit: keys of a device from measurements. The measurements come from the model itself, on hidden devices."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tomllib

from case import PROGRAM, ROOT, PackageCase, takes_long

import hidden_devices
import flashloom
from flashloom.fit import fit
from flashloom.units import in_unit

# Sequential reads of a full device, one in flight, so that the seed has no effect: their time is that of command,
# array, wires and firmware.
START = """device = "tiny"
out = "out"
requests = 60
seeds = [1]
error = "1 %"
set = { "precondition.fill" = 1.0 }

[keys]
"nand.read_time" = "30 us to 90 us"

[workloads.one]
rw = "read"
bs = "4k"

[[measurements]]
workload = "one"
mean = "72 us"
"""


class FitCase(PackageCase):
    def file(self, text, name="fit.toml"):
        path = self.scratch / name
        path.write_text(text, encoding="utf-8")
        return path

    def fitted(self, text):
        return fit(self.file(text), progress=False)

    def written(self):
        return tomllib.loads((self.scratch / "out/device.toml").read_text(encoding="utf-8"))

    def truth(self, job, requests=60, **keys):
        """Measurements of a full tiny device with other values of its keys."""
        device = flashloom.Device("tiny").set({"precondition.fill": 1.0} | keys)
        return flashloom.run(device, job={"ioengine": "libaio", "size": "100%"} | job, max_requests=requests, seed=5).data

    def command(self, *words, **environment):
        return subprocess.run([PROGRAM, "fit", *words], cwd=self.scratch, capture_output=True, text=True, check=False,
                              env=os.environ | {"FLASHLOOM_PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "python")} | environment)


class HiddenDevices(FitCase):
    @takes_long(1300)
    def test_intervals_cover_the_truth(self):
        """90 % intervals: over all devices within six points of 90 %."""
        found = hidden_devices.rows(range(1, 51))
        covered, told = hidden_devices.coverage(found)
        self.assertTrue(0.84 * told <= covered <= 0.96 * told, f"{covered} of {told}")
        for row in found:
            self.assertEqual(row["told"], int(row["key"] != hidden_devices.SILENT), row)

    def test_the_committed_table_is_of_these_devices(self):
        rows = hidden_devices.read(ROOT / "tests/python/hidden_devices.csv")
        self.assertEqual(len(rows), len({row["device"] for row in rows}) * len(hidden_devices.KEYS))
        for row in rows:
            truth = hidden_devices.draw(int(row["device"]))[0][row["key"]]
            self.assertAlmostEqual(float(row["truth"]) / truth, 1, places=4)
            self.assertEqual(row["covered"] == "1", float(row["low"]) <= float(row["truth"]) <= float(row["high"]))
        told = [int(row["covered"]) for row in rows if row["told"] == "1"]
        self.assertTrue(0.84 <= sum(told) / len(told) <= 0.96, f"{sum(told)} of {len(told)}")
        self.assertIn(f"{sum(told)} of {len(told)}", " ".join((ROOT / "docs/how-to/fit.md").read_text(encoding="utf-8").split()))


class Told(FitCase):
    def test_one_key_comes_back_with_its_interval(self):
        """A read takes the array time plus a constant: an error of 1 % of its mean gives the key 1 % of that mean,
        1.645 times for 90 %."""
        mean = self.truth({"rw": "read", "bs": "4k"}, **{"nand.read_time": "57 us"})["host"]["read"]["latency_ns"]["mean"]
        found = self.fitted(START.replace("72 us", f"{mean:.3f} ns")).keys["nand.read_time"]
        self.assertAlmostEqual(found.value, 57, delta=0.05)
        for end, side in ((found.low, -1), (found.high, 1)):
            self.assertAlmostEqual(end - found.value, side * 1.645 * 0.01 * mean / 1000, delta=0.05)
        self.assertEqual(found.bounded, "both")

    def test_what_the_data_cannot_tell_is_said(self):
        text = START.replace("[workloads", '"nand.erase_time" = "1 ms to 6 ms"\n\n[workloads')
        found = self.fitted(text)
        self.assertFalse(found.keys["nand.erase_time"].told)
        self.assertTrue(found.keys["nand.read_time"].told)
        self.assertIn("nand.erase_time: the interval fills 100% of the range", found.report)
        self.assertIn("not told by them", (self.scratch / "out/device.toml").read_text(encoding="utf-8"))

    def test_array_and_firmware_trade_at_one_request(self):
        """Only their sum is determined: a parser cycle at 500 MHz is 2 ns, so the weight is 0.002 us per cycle."""
        text = START.replace("[workloads", '"cpu.cycles.command_parse" = "100 to 20000"\n\n[workloads')
        found = self.fitted(text)
        trade, = found.trades
        self.assertEqual(trade["keys"], ["nand.read_time", "cpu.cycles.command_parse"])
        self.assertLess(trade["correlation"], -0.95)
        self.assertRegex(trade["told"], r"nand.read_time \+ 0\.00(2|19\d*|2[01]\d*) us/1 x cpu.cycles.command_parse = ")
        self.assertIn("trade against each other", found.report)

    def test_a_misfit_is_said(self):
        text = START + '[[measurements]]\nworkload = "one"\niops = 20000\n'
        found = self.fitted(text)
        self.assertGreater(found.scale, 2)
        self.assertIn("does not meet these measurements", found.report)

    def test_a_misfit_is_said_with_as_many_keys_as_figures(self):
        """No array of 30 us or more can read in 20 us: the range's bound prevents a fit."""
        found = self.fitted(START.replace('"72 us"', '"20 us"'))
        self.assertGreater(found.scale, 20)
        self.assertIn("does not meet these measurements", found.report)

    def test_errors_that_nobody_stated(self):
        text = START.replace('error = "1 %"\n', "") + '[[measurements]]\nworkload = "one"\niops = 13500\np50 = "73 us"\n'
        found = self.fitted(text)
        self.assertIn("errors are not stated", found.report)
        self.assertTrue(0.1 < found.scale < 5, found.scale)

    def test_values_to_try(self):
        host = self.truth({"rw": "read", "bs": "16k"}, **{"nand.channels": 4})["host"]["read"]
        text = START.replace('"nand.read_time" = "30 us to 90 us"', '"nand.channels" = [1, 2, 4]\nnand.ways = "1 to 2"').replace("4k", "16k")
        found = self.fitted(text.replace("72 us", f"{host['latency_ns']['mean']:.3f} ns"))
        self.assertEqual(found.keys["nand.channels"].value, 4)
        self.assertEqual(found.keys["nand.channels"].possible, [4])

    def test_a_list_moves_as_one(self):
        text = START.replace('"nand.read_time" = "30 us to 90 us"', '"nand.read_time" = "-40 % to +40 %"')
        text = text.replace('"precondition.fill" = 1.0', '"precondition.fill" = 1.0, "nand.read_time" = ["40 us", "60 us"], "nand.pages" = 32')
        found = self.fitted(text.replace("72 us", "80 us"))
        self.assertTrue(1.1 < found.keys["nand.read_time"].value < 1.4, found.keys)
        nand = flashloom.Device(self.scratch / "out/device.toml").config()["nand"]
        first, second = (in_unit(item, "us") for item in nand["read_time"])
        self.assertAlmostEqual(second / first, 1.5, places=4)
        self.assertRegex(self.written()["nand"]["uncertainty"]["read_time"], r"-\d.* % to \+\d.* %")


SECOND = START.replace("[[measurements]]", """[workloads.two]
rw = "read"
bs = "16k"

[[measurements]]""")


class Foreseen(FitCase):
    def test_what_the_measurements_will_tell_and_what_others_would(self):
        """As test_one_key_comes_back_with_its_interval, before the fit; only writes tell the time of a program."""
        self.file(START.replace("[workloads", '"nand.program_time" = "300 us to 900 us"\n\n[workloads'))
        done = self.command("fit.toml", "--plan", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told, silent = done.stdout.splitlines()
        half = float(told.removeprefix("nand.read_time: will be told to about +-").removesuffix(" us"))
        # The start has 75 us, and what a read of this drive takes beside it.
        mean = self.truth({"rw": "read", "bs": "4k"})["host"]["read"]["latency_ns"]["mean"] / 1000
        self.assertAlmostEqual(half, 1.645 * 0.01 * mean, delta=0.05 * half + 0.05)
        self.assertRegex(silent, r"nand.program_time: these measurements will not tell it; a (rand)?write of \d+k at depth \d+ would, to about")
        self.assertFalse((self.scratch / "out/device.toml").exists())


class Unseen(FitCase):
    def measured(self, blind=""):
        figures = []
        for name, factor in (("4k", 1.0), ("16k", 1.02)):
            host = self.truth({"rw": "read", "bs": name}, **{"nand.read_time": "57 us"})["host"]["read"]
            figures.append(f"{host['latency_ns']['mean'] * factor:.3f} ns")
        return SECOND.replace("72 us", figures[0]) + f'[[measurements]]\nworkload = "two"\nmean = "{figures[1]}"\n{blind}'

    def test_a_row_left_out_is_predicted_and_not_fitted_to(self):
        found = self.fitted(self.measured("blind = true\n"))
        self.assertAlmostEqual(found.keys["nand.read_time"].value, 57, delta=0.05)
        one, = found.unseen.predictions
        self.assertAlmostEqual(one.deviation, 1 / 1.02 - 1, delta=1e-3)
        self.assertTrue(one.low < one.value < one.high < 1.03 * one.value)
        with open(self.scratch / "out/blind.csv", encoding="utf-8") as file:
            row, = csv.DictReader(file)
        self.assertEqual((row["workload"], row["predicted"]), ("two", f"{one.value:.6g}"))
        self.assertIn("-1.9", found.report)
        done = self.command("fit.toml", "--blind")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("two read mean", done.stdout)
        self.assertNotIn("-1.9", done.stdout)

    def test_left_out_by_the_linear_model_is_left_out_by_a_fit(self):
        """The error of a workload that the others predict, against a fit without it."""
        by_rule = self.fitted(self.measured()).unseen.left_out["two"]
        without, = self.fitted(self.measured("blind = true\n").replace('"out"', '"other"')).unseen.predictions
        self.assertAlmostEqual(by_rule, abs(without.deviation), delta=0.1 * by_rule)

    def test_everything_left_out_is_no_fit(self):
        with self.assertRaisesRegex(flashloom.BadInput, "measurements: all are blind"):
            self.fitted(START + "blind = true\n")
        with self.assertRaisesRegex(flashloom.BadInput, r"fit.toml:18: measurements.blind: valid: true, false"):
            self.fitted(START + "blind = 1\n")


class Written(FitCase):
    def test_the_device_file(self):
        found = self.fitted(START)
        config = flashloom.Device(self.scratch / "out/device.toml").config()
        value = in_unit(config["nand"]["read_time"][0], "us")
        self.assertAlmostEqual(value, found.keys["nand.read_time"].value, places=4)
        self.assertRegex(self.written()["nand"]["source"]["read_time"], r"^fitted to 1 measurements \(fit.toml\): .* us \(90 %: .* us to .* us\)$")
        self.assertRegex(self.written()["nand"]["uncertainty"]["read_time"], r"^\d.* us to \d.* us$")
        self.assertEqual(found.notes, [])
        with open(self.scratch / "out/residuals.csv", encoding="utf-8") as file:
            row, = csv.DictReader(file)
        self.assertEqual((row["workload"], row["statistic"], row["measured"]), ("one", "mean", "72000"))
        self.assertLess(abs(float(row["deviation"])), 1e-3)
        self.assertEqual(json.loads((self.scratch / "out/fit.json").read_text(encoding="utf-8"))["keys"]["nand.read_time"]["unit"], "us")

    def test_what_others_keep_in_the_folder_stays(self):
        mine = self.scratch / "out/points/mine.csv"
        mine.parent.mkdir(parents=True)
        mine.write_text("mine", encoding="utf-8")
        self.fitted(START)
        self.assertEqual([path.name for path in mine.parent.iterdir()], ["mine.csv"])

    def test_runs_that_are_there_are_not_run_again(self):
        first = self.fitted(START)
        before = (self.scratch / "out/device.toml").read_bytes()
        with open(self.scratch / "out/runs.jsonl", "a", encoding="utf-8") as file:
            file.write('{"point": "torn')  # as if the process had been killed
        again = self.fitted(START)
        self.assertGreater(first.runs, 0)
        self.assertEqual(again.runs, 0)
        self.assertEqual((self.scratch / "out/device.toml").read_bytes(), before)


class Inputs(FitCase):
    def fio(self, host, **changes):
        """The parts of fio 3.33's output that are read: times in ns, percentiles of the completion latency."""
        read = host["read"]
        part = {"io_bytes": read["bytes"], "bw_bytes": int(read["bandwidth_bytes_per_s"]), "bw": int(read["bandwidth_bytes_per_s"] / 1024),
                "iops": read["iops"], "runtime": 1000, "total_ios": read["ios"], "short_ios": 0,
                "slat_ns": {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0},
                "clat_ns": {"min": int(read["clat_ns"]["min"]), "max": int(read["clat_ns"]["max"]), "mean": read["clat_ns"]["mean"],
                            "stddev": 100.0, "N": read["ios"],
                            "percentile": {f"{percent:.6f}": int(read["clat_ns"][name]) for percent, name in
                                           ((50, "p50"), (90, "p90"), (95, "p95"), (99, "p99"), (99.9, "p99_9"), (99.99, "p99_99"))}},
                "lat_ns": {"min": 0, "max": 0, "mean": read["clat_ns"]["mean"], "stddev": 100.0, "N": read["ios"]}}
        job = {"jobname": "reads", "groupid": 0, "error": 0, "job options": {"name": "reads", "rw": "read", "iodepth": "1"},
               "read": part, "write": {"io_bytes": 0, "total_ios": 0, "iops": 0.0, "bw_bytes": 0}}
        return json.dumps({"fio version": "fio-3.33", "timestamp": 1, "time": "Wed Nov 25 02:00:00 2026",
                           "global options": {"filename": "/dev/nvme0n1", "direct": "1", "ioengine": "io_uring", "bs": "4k",
                                              "runtime": "30", "time_based": "1"}, "jobs": [job | changes]})

    def test_a_completion_latency_that_cannot_be_right(self):
        """fio has no time of submission if a kernel thread polls (sqthread_poll): clat is then a wall clock."""
        host = self.truth({"rw": "read", "bs": "4k"}, **{"nand.read_time": "47 us"})["host"]
        text = json.loads(self.fio(host))
        part = text["jobs"][0]["read"]
        part["lat_ns"] = dict(part["clat_ns"])
        part["clat_ns"] |= {"mean": 3.5e10}
        self.file(json.dumps(text), "fio.json")
        head = START.split("[workloads")[0]
        found = self.fitted(head + '[[measurements]]\nfile = "fio.json"\nstatistics = ["mean", "p99"]\n')
        self.assertAlmostEqual(found.keys["nand.read_time"].value, 47, delta=0.2)
        self.assertIn("(lat, since clat is longer)", found.report)

    def test_what_fio_writes(self):
        host = self.truth({"rw": "read", "bs": "4k"}, **{"nand.read_time": "47 us"})["host"]
        self.file("fio: a line that it says first\n" + self.fio(host), "fio.json")
        head = START.split("[workloads")[0]
        found = self.fitted(head + '[[measurements]]\nfile = "fio.json"\nstatistics = ["mean", "p99", "iops", "mb_s"]\n')
        self.assertAlmostEqual(found.keys["nand.read_time"].value, 47, delta=0.2)
        with open(self.scratch / "out/residuals.csv", encoding="utf-8") as file:
            self.assertEqual([row["statistic"] for row in csv.DictReader(file)], ["mean", "p99", "iops", "mb_s"])

    def test_a_table(self):
        host = self.truth({"rw": "read", "bs": "4k"}, **{"nand.read_time": "47 us"})["host"]["read"]
        mean, iops = host["latency_ns"]["mean"], host["iops"]
        self.file("workload,bs,depth,mean_us,kiops,mean_us_error\n"
                  f"one,,,{mean / 1000:.4f},{iops / 1000:.4f},2 %\n,4k,1,{mean / 1000:.4f},,\n".replace(",4k,1,", "one,4k,1,"), "t.csv")
        head = START.split("[[measurements")[0]
        found = self.fitted(head + '[[measurements]]\nfile = "t.csv"\n')
        self.assertAlmostEqual(found.keys["nand.read_time"].value, 47, delta=0.1)
        with open(self.scratch / "out/residuals.csv", encoding="utf-8") as file:
            self.assertEqual([(row["origin"], row["error"]) for row in csv.DictReader(file)],
                             [("t.csv:2", "0.020000"), ("t.csv:2", "0.010000"), ("t.csv:3", "0.010000")])

    def test_bad_input_names_file_line_and_key(self):
        self.file('workload,mean_us\none,12\none,x\n', "bad.csv")
        self.file('{"jobs": [{"jobname": "a", "read": {"total_ios": 0}, "write": {"total_ios": 0}}]}', "idle.json")
        self.file("nothing", "none.json")
        self.file('{"jobs": [{"jobname": "a"}, {"jobname": "b", "job options": {"rw": "read"}}]}', "both.json")
        figures = '[[measurements]]\nworkload = "one"\nmean = "72 us"\n'
        cases = [
            ('device = "tiny"', 'device = "tinny"', "fit.toml:1: device: ", 'did you mean "tiny"?'),
            ('device = "tiny"', 'devise = "tiny"', "fit.toml:1: devise: no such entry; did you mean device?"),
            ("[keys]", "[keys]\nnand.read_tme = \"1 us to 2 us\"", 'keys."nand.read_tme": is no key of this device'),
            ('"30 us to 90 us"', '"30 us to 90"', 'fit.toml:9: keys."nand.read_time": ', "is no quantity with a unit"),
            ('"30 us to 90 us"', '"30 MHz to 90 MHz"', "is not in a unit of the key"),
            ('"30 us to 90 us"', '"90 us to 30 us"', "its low end must be below its high end"),
            ('"30 us to 90 us"', '"0 us to 30 us"', 'keys."nand.read_time": 0 us: '),
            ('"nand.read_time" = "30 us to 90 us"', '"nand.channels" = [1, 0]', 'keys."nand.channels": 0: '),
            ('"30 us to 90 us"', '{ range = "30 us to 90 us", scale = "lin" }', 'scale is "lin"; valid: "linear", "log"'),
            ("seeds = [1]", "seeds = [1, 1]", "fit.toml:4: seeds: must be a list of different whole numbers"),
            ("requests = 60", "requests = 0", "fit.toml:3: requests: is 0; valid"),
            ('error = "1 %"', "error = 2", "error: is 2; valid: a relative error"),
            ('"72 us"', "72", 'fit.toml:17: measurements.mean: is 72; valid: a time with its unit, as "72.6 us"'),
            ('mean = "72 us"', 'meen = "72 us"', "fit.toml:17: measurements.meen: no such entry; did you mean mean?"),
            ('workload = "one"', 'workload = "two"', 'fit.toml:16: measurements.workload: there is no workload "two"; '),
            (figures, '[[measurements]]\nfile = "bad.csv"\n', 'bad.csv:3: mean_us: is "x"; valid: a number above 0'),
            (figures, '[[measurements]]\nfile = "gone.csv"\n', "fit.toml:16: measurements.file: there is no file gone.csv"),
            (figures, '[[measurements]]\nfile = "none.json"\n', "none.json: is no JSON of fio's"),
            (figures, '[[measurements]]\nfile = "idle.json"\n', "idle.json", "neither reads nor writes"),
            (figures, '[[measurements]]\nfile = "both.json"\n', "both.json", "b ran beside the job before it"),
            ('rw = "read"', 'rw = "randrw"', 'measurements.direction: direction is null; valid for this workload: read, write'),
            (figures, "", "measurements: is missing"),
            ("out =", "out", "fit.toml: "),
        ]
        for before, after, *expected in cases:
            self.assertIn(before, START)
            done = START.replace(before, after, 1)
            self.file(done)
            with self.assertRaises(flashloom.BadInput, msg=after) as caught:
                fit(self.scratch / "fit.toml", progress=False)
            for text in expected:
                self.assertIn(text, str(caught.exception), after)
            self.assertFalse((self.scratch / "out").exists(), after)


class Command(FitCase):
    def test_the_command(self):
        self.file(START)
        done = self.command("fit.toml", "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 keys, 1 measurements of 1 workloads: can be fitted", done.stdout)
        done = self.command("fit.toml", "--out", "elsewhere", "--jobs", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nand.read_time", done.stdout)
        self.assertTrue((self.scratch / "elsewhere/device.toml").is_file())
        self.file(START.replace("tiny", "tinny"))
        done = self.command("fit.toml")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("flashloom: error: fit.toml:1: device: ", done.stderr)
        self.assertEqual(self.command("no.toml").returncode, 2)

    def test_no_python_is_a_clear_error(self):
        self.file(START)
        done = self.command("fit.toml", FLASHLOOM_PYTHON="/no/python")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("flashloom: error: fit: /no/python cannot be run", done.stderr)
        without = self.scratch / "without"  # a Python without SciPy
        without.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n', encoding="utf-8")
        without.chmod(0o755)
        done = self.command("fit.toml", FLASHLOOM_PYTHON=str(without))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("FLASHLOOM_PYTHON names a Python with NumPy, SciPy", done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse(pathlib.Path(self.scratch / "out").exists())
