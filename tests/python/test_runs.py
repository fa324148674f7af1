"""flashloom.run and its results: tables, states, traces, caches."""
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import time
import unittest
import warnings

import pandas
from case import FULL, JOB, PROGRAM, ROOT, PackageCase

import flashloom


class Runs(PackageCase):
    @classmethod
    def setUpClass(cls):
        cls.drive = flashloom.Device("tiny", **FULL)
        cls.result = flashloom.run(cls.drive, job=JOB, seed=3)

    def test_conveniences_are_what_result_json_says(self):
        result, data = self.result, json.loads((self.result.folder / "result.json").read_text())
        host = data["host"]
        self.assertEqual(host["read"]["ios"] + host["write"]["ios"], 256)
        self.assertAlmostEqual(result.throughput_mb_s, 256 * 4096 / 1e6 / data["simulated_s"], places=6)
        self.assertAlmostEqual(result.iops, 256 / data["simulated_s"], places=6)
        self.assertEqual((result.waf, result.energy_j, result.j_per_gb),
                         (data["ftl"]["waf"], data["energy"]["total_j"], data["energy"]["j_per_gb"]))
        self.assertEqual(result.latency.loc["read", "p99"], host["read"]["latency_ns"]["p99"])
        self.assertEqual(result.latency.attrs["units"]["p99"], "ns")
        self.assertEqual(result.host.read.ios, result["host.read.ios"])
        self.assertAlmostEqual(result.energy_parts.sum(), data["energy"]["total_j"], places=9)
        self.assertEqual(data["seed"], 3)
        self.assertEqual(list(result.operations), ["read", "write"])
        self.assertGreater(result.cost.peak_rss_bytes, 0)

    def test_what_is_not_there_is_named(self):
        with self.assertRaisesRegex(KeyError, "valid: .*latency_ns"):
            self.result["host.read.latency"]
        with self.assertRaisesRegex(AttributeError, "host.read has no latency; it has"):
            self.result.host.read.latency
        with self.assertRaisesRegex(KeyError, "powr.*power"):
            self.result.tables["powr"]

    def test_tables_are_frames_with_units(self):
        power = self.result.tables["power"]
        self.assertEqual(list(power.columns), ["time_s", "power_w"])
        self.assertEqual(power.attrs["units"], {"time_s": "s", "power_w": "W"})
        written = [path.stem for path in self.result.folder.glob("*.csv")]
        self.assertEqual(sorted(self.result.tables), sorted(written))
        power["power_w"] = 0.0  # a copy
        self.assertGreater(self.result.tables["power"]["power_w"].sum(), 0)

    def test_a_row_of_everything(self):
        frame = self.result.to_frame()
        self.assertEqual(len(frame), 1)
        self.assertEqual(frame["host.read.latency_ns.p99"][0], self.result["host.read.latency_ns.p99"])
        self.assertEqual(frame.attrs["units"]["energy.total_j"], "J")
        self.assertFalse([name for name in frame.columns if name.startswith("config.")])

    def test_a_notebook_sees_a_table(self):
        page = self.result._repr_html_()  # pylint: disable=protected-access
        self.assertIn("p99 (µs)", page)
        self.assertEqual(page.count("<tr"), 3)

    def test_fields_can_be_copied(self):
        self.assertEqual(dict(pickle.loads(pickle.dumps(self.result.host.read))), dict(self.result.host.read))

    def test_the_same_input_gives_the_same_result(self):
        job = self.scratch / "job.fio"
        job.write_text("[job]\n" + "".join(f"{key}={value}\n" for key, value in JOB.items()))
        for given in (job, job.read_text()):
            again = flashloom.run(self.drive, job=given, seed=3, out=self.scratch / "kept")
            self.assertEqual(again.host.read, self.result.host.read)
        self.assertEqual(flashloom.load(self.scratch / "kept").data, again.data)

    def test_a_saved_state(self):
        state = flashloom.precondition(self.drive, self.scratch / "full.state", seed=3)
        self.assertEqual(flashloom.run(self.drive, job=JOB, seed=3, state=state).host.read, self.result.host.read)

    def test_options(self):
        result = flashloom.run("tiny", generate={"mix": {"read": "0 %"}}, max_requests=50, untimed=True)
        self.assertEqual(result.window.write.ios, 50)
        self.assertIn("0 MB/s", repr(result))
        self.assertIn("WAF", result._repr_html_())  # pylint: disable=protected-access

    def test_one_workload_is_needed(self):
        for given in ({}, {"job": JOB, "generate": "mix"}):
            with self.assertRaisesRegex(flashloom.BadInput, "one workload"):
                flashloom.run("tiny", **given)
        with self.assertRaisesRegex(flashloom.BadInput, "no file.*nothing.fio"):
            flashloom.run("tiny", job="nothing.fio")
        with self.assertRaisesRegex(flashloom.BadInput, r"^job\.fio:\d+: .*rww"):
            flashloom.run("tiny", job=JOB | {"rww": "read"})

    def test_warnings(self):
        with self.assertWarnsRegex(flashloom.FlashloomWarning, "never written"):
            flashloom.run("tiny", job=JOB | {"rw": "randread"})
        with self.assertWarnsRegex(flashloom.FlashloomWarning, "iodepth=8 has no effect"):
            flashloom.run("tiny", job={key: value for key, value in JOB.items() if key != "ioengine"} | {"rw": "randwrite"})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            flashloom.run(self.drive, job=JOB)

    def test_ctrl_c_ends_the_program(self):
        """Interrupts the Python process as a terminal would; its child, which first writes its process id, ends."""
        self.pretend(f"echo $$ > {self.scratch}/number; exec sleep 300\n")
        child = subprocess.Popen([sys.executable, "-c", "import flashloom\ntry: flashloom.version()\n"
                                  "except flashloom.Interrupted: print('interrupted')"], stdout=subprocess.PIPE, text=True,
                                 env=os.environ | {"PYTHONPATH": str(ROOT / "python")})
        number = self.scratch / "number"
        for _ in range(6000):
            if number.exists() and number.read_text().strip():
                break
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=60)[0], "interrupted\n")
        self.assertFalse(pathlib.Path(f"/proc/{number.read_text().strip()}").exists())

    def test_ctrl_c_keeps_what_was_measured(self):
        """Interrupts a run: the program stops in order, and the exception carries what it had measured."""
        code = ("import flashloom\ntry: flashloom.run('tiny', generate='mix:read=0%,requests=1000000000')\n"
                "except flashloom.Interrupted as error: print(error.result.partial, error.result.host.write.ios > 0)")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                                 env=os.environ | {"PYTHONPATH": str(ROOT / "python")})
        for _ in range(6000):
            if self.catches_interrupts(child.pid):
                break
            time.sleep(0.01)
        time.sleep(0.3)  # time for some requests
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=60)[0], "True True\n")

    @staticmethod
    def catches_interrupts(parent):
        """Whether the program, a child of this process, catches SIGINT already."""
        for path in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                status = dict(line.split(":\t", 1) for line in path.read_text().splitlines() if ":\t" in line)
            except OSError:
                continue
            if status["PPid"] == str(parent) and status["Name"] == pathlib.Path(PROGRAM).name[:15] and int(status["SigCgt"], 16) & 2:
                return True
        return False


class Traces(PackageCase):
    TRACE = pandas.DataFrame({"time_us": [0, 100, 250, 300], "operation": ["write", "read", "write", "write"],
                              "offset_bytes": [0, 0, 8192, 4096], "length_bytes": [4096, 4096, 8192, 4096]})

    def test_a_frame_is_a_trace(self):
        info = flashloom.trace_info(self.TRACE)
        self.assertEqual((info["requests"], info["reads"], info["write_bytes"], info["footprint_bytes"]), (4, 1, 16384, 16384))
        result = flashloom.run("tiny", trace=self.TRACE)
        self.assertEqual((result.host.read.ios, result.host.write.ios), (1, 3))
        path = flashloom.write_trace(self.TRACE, self.scratch / "t.iolog")
        self.assertEqual(flashloom.run("tiny", trace=path).host.write, result.host.write)
        self.assertEqual(flashloom.run("tiny", trace=f"{path},offset=1MiB").host.write.ios, 3)

    def test_frames_that_are_none(self):
        with self.assertRaisesRegex(flashloom.BadInput, "missing: time_us"):
            flashloom.trace_info(self.TRACE.drop(columns="time_us"))
        with self.assertRaisesRegex(flashloom.BadInput, "row 0: operation 'erase'"):
            flashloom.run("tiny", trace=self.TRACE.assign(operation="erase"))

    def test_caches_and_cold(self):
        found = flashloom.cache(self.TRACE, policy=["lru", "belady"], size=["4KiB", "16KiB"])
        self.assertEqual(len(found), 4)
        # 5 page references; with 4 slots pages 0, 2, 3 and 1 miss once each, and page 0 hits once.
        self.assertEqual(list(found[found["size_pages"] == 4]["hits"]), [1, 1])
        self.assertEqual(found.attrs["units"]["metadata_bytes"], "B")
        cold = flashloom.cold(self.TRACE, delta=[2, 4], buffer="16KiB", options={"detector": "spatial"})
        self.assertEqual(list(cold["delta"]), [2, 4])
        with self.assertRaisesRegex(flashloom.BadInput, "lruu"):
            flashloom.cache(self.TRACE, policy="lruu", size="10%")


if __name__ == "__main__":
    unittest.main()
