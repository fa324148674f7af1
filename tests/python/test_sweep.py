"""flashloom.sweep, flashloom.load_study: points and their ids, memory limits, Ctrl-C."""
import contextlib
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest
import warnings

from case import FULL, JOB, PROGRAM, ROOT, PackageCase

import flashloom
from flashloom.pool import FIRST_NEED, Pool, Task
from flashloom.units import column_of, label, unit_of

STUDY = """
question = "Do ways help?"
device = "tiny"
set = { "precondition.fill" = "1.0" }
axis.ways = { values = [1, 2], set = "nand.ways" }
workload.job.fio = { rw = "randread", bs = "4k", size = "100%", io_size = "64k", norandommap = 1 }
metric.throughput = { path = "host.read.bandwidth_bytes_per_s", scale = 1e-6, unit = "MB/s" }
"""


def alive(number):
    try:
        return "Z" not in pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


class Sweeps(PackageCase):
    def test_points_join_parameters_and_results(self):
        drive = flashloom.Device("tiny", **FULL)
        sweep = flashloom.sweep(drive, {"nand.ways": [1, 2], "nand.read_time": ["25 us", "0.1 ms"]}, job=JOB, seed=2, jobs=2,
                                progress=False, out=self.scratch / "out")
        frame = sweep.frame
        self.assertEqual(list(frame["nand.ways"]), [1, 1, 2, 2])
        self.assertEqual(list(frame["nand.read_time"]), [25, 100, 25, 100])
        self.assertEqual(frame.attrs["units"]["nand.read_time"], "us")
        self.assertEqual((frame.attrs["units"]["throughput_mb_s"], frame.attrs["units"]["j_per_gb"]), ("MB/s", "J/GB"))
        self.assertEqual(frame["point"].nunique(), 4)
        for row, result in sweep:
            self.assertEqual(result.config.nand.ways, row["nand.ways"])
            self.assertEqual(result.throughput_mb_s, row["throughput_mb_s"])
            self.assertEqual(row["read_p99_us"] * 1e3, result.latency.loc["read", "p99"])
        alone = flashloom.run(drive.set({"nand.ways": 2, "nand.read_time": "25 us"}), job=JOB, seed=2)
        self.assertEqual(alone.data, sweep[2].data)
        self.assertEqual(sweep[frame["point"][2]].data, sweep[2].data)

        self.assertEqual(sorted(path.name for path in (self.scratch / "out/points").iterdir()), sorted(frame["point"]))
        again = flashloom.load_study(self.scratch / "out")
        self.assertEqual(again["point"].tolist(), frame["point"].tolist())
        self.assertEqual(again.attrs["units"], frame.attrs["units"])

        # Existing points are not run again.
        before = {path: path.stat().st_mtime_ns for path in (self.scratch / "out/points").glob("*/result.json")}
        flashloom.sweep(drive, {"nand.ways": [1, 2], "nand.read_time": ["25 us", "0.1 ms"]}, job=JOB, seed=2, progress=False,
                        out=self.scratch / "out")
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in before})

    def test_workloads_that_are_functions(self):
        sweep = flashloom.sweep("tiny", {"depth": [1, 4], ("seed", "nand.ways"): [(1, 1), (2, 4)]}, progress=False,
                                job=lambda p: JOB | {"iodepth": p["depth"], "rw": "randwrite"},
                                metrics={"written_bytes": "host.write.bytes", "seed_used": lambda r: r.seed})
        self.assertEqual(list(sweep.frame.columns), ["point", "depth", "seed", "nand.ways", "written_bytes", "seed_used"])
        self.assertEqual(list(sweep.frame["seed_used"]), [1, 2, 1, 2])
        self.assertEqual(sweep.units, {"written_bytes": "B"})

    def test_devices_as_a_parameter(self):
        frame = flashloom.sweep(None, {"device": ["tiny", flashloom.Device("tiny", nand={"ways": 4})]}, generate="mix:read=0 %",
                                max_requests=10, progress=False).frame
        self.assertEqual(list(frame["device"]), ["tiny", "tiny nand.ways=4"])
        self.assertEqual(frame["point"].nunique(), 2)

    def test_bad_input(self):
        for parameters, words in (({"channels": [1]}, "channels: no key of a device"), ({"nand.ways": []}, "no values"),
                                  ({("nand.ways", "nand.channels"): [(1,)]}, "2 parts"), ({"nand.ways": [1, -1]}, "nand.ways -1: .*nand.ways")):
            with self.subTest(parameters), self.assertRaisesRegex(flashloom.BadInput, words):
                flashloom.sweep("tiny", parameters, generate="mix", max_requests=10, progress=False)
        with self.assertRaisesRegex(flashloom.BadInput, 'memory: .*"8 GiB"'):
            flashloom.sweep("tiny", {"nand.ways": [1]}, generate="mix", memory="much", progress=False)
        with self.assertRaisesRegex(flashloom.BadInput, r"^nand\.ways 1: job\.fio:\d+: .*bad"):
            flashloom.sweep("tiny", {"nand.ways": [1]}, job={"rw": "bad"}, progress=False)
        with self.assertRaisesRegex(flashloom.BadInput, "metrics: .*nowhere"):
            flashloom.sweep("tiny", {"nand.ways": [1]}, generate="mix", max_requests=10, metrics={"n": "nowhere"}, progress=False)

    def test_what_fails_keeps_its_row(self):
        sweep = flashloom.sweep("tiny", {"nand.ways": [1, -1]}, generate="mix:read=0 %", max_requests=10, errors="keep", progress=False)
        self.assertTrue(sweep.frame["error"].isna().tolist()[0])
        self.assertIn("nand.ways", sweep.frame["error"][1])
        self.assertTrue(sweep.frame["iops"].isna()[1])
        with self.assertRaises(flashloom.BadInput):
            sweep[1]  # pylint: disable=pointless-statement
        self.assertEqual(len(list(sweep)), 1)

    def test_one_warning_for_all_points(self):
        with self.assertWarnsRegex(flashloom.FlashloomWarning, "2 of 2 points.*hold nothing") as caught:
            flashloom.sweep("tiny", {"nand.ways": [1, 2]}, job=JOB | {"rw": "randread"}, progress=False)
        self.assertEqual(len(caught.warnings), 1)
        self.assertTrue(caught.filename.endswith("test_sweep.py"), caught.filename)

    def test_progress_is_said(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            flashloom.sweep("tiny", {"nand.ways": [1, 2]}, generate="mix:read=0 %", max_requests=10, progress=True)
        self.assertRegex(said.getvalue(), "flashloom: .*2")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            flashloom.sweep("tiny", {"nand.ways": [1, 2]}, generate="mix:read=0 %", max_requests=10)
        self.assertEqual(said.getvalue(), "")  # no terminal

    def test_a_saved_state_for_all(self):
        drive = flashloom.Device("tiny", **FULL)
        state = flashloom.precondition(drive, self.scratch / "full.state")
        points = {"nand.read_time": ["25 us", "50 us"]}
        plain, loaded = (flashloom.sweep(drive, points, job=JOB, state=given, progress=False).frame for given in (None, state))
        self.assertEqual(list(plain["read_mean_us"]), list(loaded["read_mean_us"]))
        self.assertFalse(set(plain["point"]) & set(loaded["point"]))

    def test_a_front_by_hand(self):
        import pandas
        frame = pandas.DataFrame({"fast": [1, 2, 3, 3, 2], "dear": [1, 2, 3, 4, float("nan")]})
        self.assertEqual(list(flashloom.pareto_front(frame, maximize=["fast"], minimize=["dear"])), [True, True, True, False, False])

    def test_the_table_of_a_study_has_the_same_ids(self):
        folder = self.scratch / "small"
        folder.mkdir()
        (folder / "study.toml").write_text(STUDY, encoding="utf-8")
        try:
            import snakemake  # noqa: F401
        except ImportError:
            self.skipTest("no snakemake: ./check installs it in .venv")
        out = self.scratch / "out"
        subprocess.run([sys.executable, "-B", "-m", "engine.main", str(folder), "--program", PROGRAM, "--out", str(out)], check=True,
                       capture_output=True, env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")}, timeout=500)
        out = out / "small"
        table = flashloom.load_study(out)
        self.assertEqual(table.attrs["units"], {"throughput_mb_per_s": "MB/s"})
        for _, row in table.iterrows():
            result = flashloom.load(out / "points" / row["point"])
            self.assertEqual(result.config.nand.ways, row["ways"])
            self.assertAlmostEqual(result.host.read.bandwidth_bytes_per_s / 1e6, row["throughput_mb_per_s"], places=5)
        with self.assertRaisesRegex(flashloom.FlashloomError, "there is no nothing.csv; tables there: summary, table"):
            flashloom.load_study(out, "nothing")
        job = {"rw": "randread", "bs": "4k", "size": "100%", "io_size": "64k", "norandommap": 1}
        with warnings.catch_warnings():  # the job has no ioengine, like the study's
            warnings.simplefilter("ignore")
            sweep = flashloom.sweep(flashloom.Device("tiny", **FULL), {"nand.ways": [1, 2]}, job=job, progress=False)
        self.assertEqual(list(sweep.frame["point"]), list(table["point"]))
        self.assertEqual([row["points"] for row in json.loads((out / "plan.json").read_text())["rows"]], [[point] for point in table["point"]])


class Pools(PackageCase):
    def tasks(self, count, text):
        return [Task(["/bin/sh", "-c", text], self.scratch / f"{number}.log") for number in range(count)]

    def test_no_more_than_memory_allows(self):
        """Two unmeasured tasks fit into memory: never do more run at once."""
        running = self.scratch / "running"
        running.mkdir()
        text = f"touch {running}/$$; ls {running} | wc -l; sleep 0.1; rm {running}/$$"
        pool = Pool(8, 2 * FIRST_NEED)
        self.assertEqual([failure for _, failure in pool.run(self.tasks(6, text))], [None] * 6)
        counts = [int((self.scratch / f"{number}.log").read_text()) for number in range(6)]
        self.assertLessEqual(max(counts[:2]), 2)

    def test_a_run_that_is_too_large_alone_fails(self):
        text = f"exec {sys.executable} -c 'x = bytearray(200 << 20); import time; time.sleep(100)'"
        (_, failure), = Pool(1, 100 << 20).run(self.tasks(1, text))
        self.assertRegex(str(failure), "memory= allows")

    def test_what_is_known_counts(self):
        pool = Pool(8, 2 * FIRST_NEED)
        pool.heard(FIRST_NEED * 2)
        self.assertGreater(pool._need(Task([], self.scratch / "x")), 2 * FIRST_NEED)  # pylint: disable=protected-access

    def test_the_youngest_makes_room(self):
        """Two tasks need more memory than expected: one is stopped, and restarted when the other has ended."""
        marks = [f"{self.scratch}/mark{number}" for number in range(2)]
        text = ("import os, time\nopen({!r}, 'w').close()\nwhile not os.path.exists({!r}): time.sleep(0.01)\n"
                "x = bytearray(80 << 20)\ntime.sleep(2)")
        tasks = [Task([sys.executable, "-S", "-c", text.format(marks[number], marks[1 - number])], self.scratch / f"{number}.log")
                 for number in range(2)]
        pool = Pool(2, 140 << 20)
        pool.heard(1 << 20)
        self.assertEqual(list(pool.run(tasks)), [(0, None), (1, None)])
        self.assertEqual(pool.restarts, 1)
        self.assertGreater(pool.largest, 80 << 20)

    def test_the_death_of_python_ends_all(self):
        if shutil.which("setpriv") is None:
            self.skipTest("no setpriv (Debian: util-linux)")
        child, numbers = self.three_runs()
        child.kill()
        child.communicate(timeout=100)
        for _ in range(6000):
            if not any(map(alive, numbers)):
                break
            time.sleep(0.01)
        self.assertEqual([alive(number) for number in numbers], [False] * 3)

    def test_ctrl_c_ends_all(self):
        child, numbers = self.three_runs()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=100)[0], "Interrupted\n")
        self.assertEqual([alive(number) for number in numbers], [False] * 3)

    def three_runs(self):
        """A sweeping process, and the ids of its three long-running children."""
        self.pretend(f'case $1 in list) echo "[]";; *) echo $$ > {self.scratch}/n$$; exec sleep 300;; esac\n')
        (self.scratch / "d.toml").write_text("", encoding="utf-8")
        code = (f"import flashloom\ntry: flashloom.sweep('{self.scratch}/d.toml', {{'nand.ways': [1, 2, 3]}}, generate='mix', jobs=3)\n"
                "except KeyboardInterrupt as error: print(type(error).__name__)")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                                 env=os.environ | {"PYTHONPATH": str(ROOT / "python"), "TMPDIR": str(self.scratch)})
        for _ in range(6000):
            numbers = [path.read_text().strip() for path in self.scratch.glob("n*")]
            if len(numbers) == 3 and all(numbers):
                break
            time.sleep(0.01)
        return child, numbers


class Units(unittest.TestCase):
    def test_units_of_names(self):
        for name, unit in (("host.read.latency_ns.p99", "ns"), ("throughput_mb_s", "MB/s"), ("energy.total_j", "J"), ("j_per_gb", "J/GB"),
                           ("simulated_s", "s"), ("host.read.iops", "1/s"), ("waf", ""), ("nand.ways", "")):
            self.assertEqual(unit_of(name), unit, name)

    def test_labels(self):
        for name, text in (("read_p99_9_us", "read p99.9 (µs)"), ("throughput_mb_per_s", "throughput (MB/s)"), ("j_per_gb", "energy (J/GB)"),
                           ("power_w", "power (W)"), ("waf", "WAF"), ("iops", "IOPS")):
            self.assertEqual(label(name, {}), text)
        self.assertEqual(label("nand.read_time", {"nand.read_time": "us"}), "nand.read_time (µs)")

    def test_columns_of_quantities(self):
        self.assertEqual(column_of(["1 MiB", "4 KiB"]), ([1, 0.00390625], "MiB"))
        self.assertEqual(column_of(["25 us", "1 ms"]), ([25, 1000], "us"))
        self.assertEqual(column_of(["25 us", "lru"]), (["25 us", "lru"], ""))
        self.assertEqual(column_of([1, 2]), ([1, 2], ""))


if __name__ == "__main__":
    unittest.main()
