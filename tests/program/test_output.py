"""Destinations of output and sources of input: devices, FIFOs, links, pipes; JSON on stdout; signals; folders."""
import json
import os
import pathlib
import signal
import stat
import subprocess
import threading
import time
import unittest

import schemas
from program import PROGRAM, TIMEOUT_S, ProgramCase, job, pages

READS = job(rw="randread", bs="4k", iodepth=8, size="4m")
ENDLESS = job(rw="randrw", bs="4k", iodepth=8, size="8m", time_based=1, runtime=1000000)
FILLED = ("--set", "precondition.fill=1")
TRACE = pages(" ".join(f"w{n} r{n}" for n in range(300)))


class Output(ProgramCase):
    def setUp(self):
        super().setUp()
        self.job = self.file("reads.fio", READS)
        self.trace = self.file("t.csv", TRACE)

    def parts(self):
        return [path.name for path in self.scratch.rglob("*.part")]

    def feed(self, data, *arguments):
        """Runs the program with the bytes as standard input; returns its output as bytes."""
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.scratch, input=data, capture_output=True,
                              timeout=TIMEOUT_S, check=False)

    def writers(self, to):
        """Command lines that write a file."""
        return (("trace", "convert", self.trace, to), ("workload", self.job, "--out", to),
                ("cache", self.trace, "--policy", "lru", "--size", "64KiB", "--out", to),
                ("precondition", "tiny", *FILLED, "--state", to))

    def test_a_full_device_is_a_failure_and_stays(self):
        for arguments in self.writers("/dev/full"):
            with self.subTest(command=arguments[0]):
                done = self.start(*arguments)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("/dev/full", done.stderr)
                self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        self.assertFalse(pathlib.Path("/dev/full.part").exists())

    def test_a_device_of_ones_own_stays(self):
        link = self.scratch / "null"
        link.symlink_to("/dev/null")
        for arguments in self.writers(link):
            done = self.start(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(link.is_symlink() and stat.S_ISCHR(os.stat("/dev/null").st_mode))
        done = self.start("run", "tiny", "--job", self.job, "--vcd", link)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.parts(), [])

    def test_a_fifo_is_written_through(self):
        fifo = self.scratch / "fifo"
        os.mkfifo(fifo)
        for arguments in self.writers(fifo):
            with self.subTest(command=arguments[0]):
                got = []
                reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()), daemon=True)
                reader.start()
                self.assertEqual(self.start(*arguments).returncode, 0)
                reader.join(TIMEOUT_S)
                plain = self.scratch / "plain"
                self.start(*(plain if word == fifo else word for word in arguments))
                self.assertEqual(got, [plain.read_bytes()])
                self.assertTrue(fifo.is_fifo())

    def test_a_link_is_followed_and_stays(self):
        (self.scratch / "deep").mkdir()
        target = self.file("deep/target", "old")
        link = self.scratch / "link"
        link.symlink_to("deep/target")
        for arguments in self.writers(link):
            target.write_text("old")
            self.assertEqual(self.start(*arguments).returncode, 0)
            self.assertTrue(link.is_symlink())
            self.assertNotEqual(target.read_bytes(), b"old")
        self.assertEqual(self.parts(), [])

    def test_links_to_other_peoples_files_are_not_written_through(self):
        victim = self.file("victim", "precious")
        out = self.scratch / "o"
        out.mkdir()
        (out / "result.json.part").symlink_to("../victim")
        (self.scratch / "a.state.part").symlink_to("victim")
        self.assertEqual(self.start("run", "tiny", "--job", self.job, "--out", out).returncode, 0)
        self.assertEqual(self.start("precondition", "tiny", *FILLED, "--state", "a.state").returncode, 0)
        self.assertEqual(victim.read_text(), "precious")
        self.assertFalse((out / "result.json").is_symlink())

    def test_names_can_be_any_bytes(self):
        """EUC-KR, for one: results are UTF-8, with U+FFFD for what is not."""
        name = b"\xbc\xbc\xb7\xce"
        jobs = os.fsencode(self.scratch) + b"/" + name + b".fio"
        with open(jobs, "wb") as file:
            file.write(b"[" + name + b"]\nrw=read\nbs=4k\nnumber_ios=5\n")
        done = subprocess.run([PROGRAM, "run", "tiny", "--job", jobs, "--out", "o", "--io-log", "both", "--timeline"], cwd=self.scratch,
                              capture_output=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\ufffd", (self.scratch / "o/result.json").read_text(encoding="utf-8"))
        for file in (self.scratch / "o").glob("*.json"):
            json.loads(file.read_text(encoding="utf-8"))

    def test_what_zones_refuse_ends_the_job_and_is_said(self):
        sets = [word for each in ("nand.blocks=256", "buffer.replacement=fifo", "host_interface.sector_size=4 KiB",
                                  'ftl.kind={name = "zoned", max_open = 14, max_active = 14}') for word in ("--set", each)]
        work = self.file("z.fio", job(zonemode="zbd", ignore_zone_limits=1, max_open_zones=32, rw="randwrite", bs="32k", io_size="4m"))
        done = self.start("run", "tiny", *sets, "--job", work, "--out", "first")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("ended at its first request that broke the rules of zones", done.stderr)
        self.assertEqual(json.loads((self.scratch / "first/result.json").read_text())["host"]["zone_errors"], 1)
        work.write_text(work.read_text() + "continue_on_error=write\n")
        done = self.start("run", "tiny", *sets, "--job", work, "--out", "o", "--timeline")
        self.assertEqual(done.returncode, 0, done.stderr)
        refused = json.loads((self.scratch / "o/result.json").read_text())["host"]["zone_errors"]
        self.assertGreater(refused, 1)
        self.assertIn(f"zones  {refused} requests refused by the rules of zones", done.stdout)
        told = json.loads((self.scratch / "o/timeline.json").read_text())["traceEvents"]
        self.assertEqual(sum(event.get("args", {}).get("status", "ok") != "ok" for event in told), refused)

    def test_minus_and_dev_stdout_are_the_output(self):
        plain = self.scratch / "plain"
        self.start("trace", "convert", self.trace, plain)
        for to in ("-", "/dev/stdout", "/dev/fd/1"):
            done = self.feed(b"", "trace", "convert", self.trace, to)
            self.assertEqual((done.returncode, done.stdout), (0, plain.read_bytes()), to)
            self.assertIn(b"600 requests", done.stderr)
        with open(self.scratch / "both", "wb") as both:  # a file as stdout keeps its earlier contents
            both.write(b"before")
            both.flush()
            subprocess.run([PROGRAM, "trace", "convert", self.trace, "/dev/stdout"], stdout=both, stderr=subprocess.DEVNULL,
                           check=True, timeout=TIMEOUT_S)
        self.assertEqual((self.scratch / "both").read_bytes(), b"before" + plain.read_bytes())

    def test_minus_is_the_input(self):
        device = self.start("config", "tiny").stdout.encode()
        tenants = b'[[job]]\ngenerator = "mix"\nrequests = 100\n'
        for data, arguments in ((TRACE.encode(), ("trace", "info", "-")), (READS.encode(), ("workload", "-")),
                                (READS.encode(), ("run", "tiny", "--job", "-")), (tenants, ("run", "tiny", "--workload", "-")),
                                (device, ("run", "-", "--job", self.job)), (device, ("config", "-")),
                                (TRACE.encode(), ("run", "tiny", "--trace", "-", "--address-fit", "scale")),
                                (TRACE.encode(), ("cache", "-", "--policy", "lru", "--size", "64KiB"))):
            with self.subTest(arguments=arguments):
                done = self.feed(data, *arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout)

    def test_descriptors_and_fifos_are_inputs(self):
        got = subprocess.run(["bash", "-c", f'"{PROGRAM}" trace convert <(gzip -c t.csv) -'], cwd=self.scratch,
                             capture_output=True, timeout=TIMEOUT_S, check=True).stdout
        self.start("trace", "convert", self.trace, "plain")
        self.assertEqual(got, (self.scratch / "plain").read_bytes())

    def test_out_is_a_folder(self):
        os.mkfifo(self.scratch / "fifo")
        for out in ("/dev/full", self.scratch / "fifo", self.job):
            for command in ("run", "endurance"):
                limit = ("--max-drive-writes", "1") if command == "endurance" else ()
                done = self.start(command, "tiny", "--job", self.job, *limit, "--out", out)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("no folder", done.stderr)
        self.assertEqual(self.job.read_text(), READS)

    def test_convert_refuses_its_own_input(self):
        self.start("trace", "convert", self.trace, "t.flt")
        before = (self.scratch / "t.flt").read_bytes()
        (self.scratch / "link").symlink_to("t.flt")
        os.link(self.scratch / "t.flt", self.scratch / "hard")
        for to in ("t.flt", "./t.flt", "link", "hard"):
            done = self.start("trace", "convert", "t.flt", to)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(to, done.stderr)
        self.assertEqual((self.scratch / "t.flt").read_bytes(), before)

    def test_byte_order_marks_and_carriage_returns(self):
        def windows(text):
            return b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
        device = self.file("d.toml", windows(self.start("config", "tiny").stdout))
        tenants = self.file("w.toml", windows('[[job]]\ngenerator = "mix"\nrequests = 100\n'))
        fio = self.file("w.fio", windows(READS))
        trace = self.file("w.csv", windows(TRACE))
        for arguments in (("--job", fio), ("--workload", tenants), ("--trace", trace)):
            done = self.start("run", device, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        same = [json.loads(self.start("trace", "info", path, "--json").stdout) for path in (self.trace, trace)]
        self.assertEqual(*({key: value for key, value in each.items() if key != "trace"} for each in same))

    def test_json_is_the_result_file(self):
        run = ("run", "tiny", "--job", self.job, *FILLED)
        printed = self.start(*run, "--json").stdout
        schemas.check(json.loads(printed), "result")
        self.assertEqual(self.start(*run, "--json", "--quiet", "--out", "o").stdout, printed)
        self.assertEqual((self.scratch / "o/result.json").read_text(), printed)
        life = ("endurance", "tiny", "--generate", "mix:read=0 %,random=100 %", "--max-drive-writes", "2")
        printed = self.start(*life, "--json", "--out", "e").stdout
        schemas.check(json.loads(printed), "endurance")
        self.assertEqual((self.scratch / "e/endurance.json").read_text(), printed)
        for study in (("cache", self.trace, "--policy", "lru", "--size", "64KiB"),
                      ("cold", self.trace, "--delta", "4", "--buffer", "64KiB")):
            printed = self.start(*study, "--json", "--out", "c.json").stdout
            schemas.check(json.loads(printed), study[0])
            self.assertEqual((self.scratch / "c.json").read_text(), printed)

    def test_torture_tells_json(self):
        told = json.loads(self.start("torture", "tiny", "--cuts", "5", "--seed", "3", "--json").stdout)
        self.assertEqual((told["schema"], told["seed"], told["cuts"], told["passed"], told["failure"]),
                         ("flashloom.torture/1", 3, 5, True, None))
        self.assertNotIn("partial", told)
        schemas.check(told, "torture")

    def test_reads_of_nothing_are_warned_about(self):
        empty = self.start("run", "tiny", "--job", self.job, "--out", "o")
        self.assertIn("\nwarning: 100 %", empty.stdout)
        self.assertEqual(json.loads((self.scratch / "o/result.json").read_text())["ftl"]["units_zeroed"], 1024)
        filled = self.start("run", "tiny", "--job", self.job, *FILLED, "--out", "o")
        self.assertNotIn("warning", filled.stdout)
        self.assertEqual(json.loads((self.scratch / "o/result.json").read_text())["ftl"]["units_zeroed"], 0)


class Folders(ProgramCase):
    def setUp(self):
        super().setUp()
        self.job = self.file("reads.fio", READS)

    def interrupt(self, *arguments, by=signal.SIGINT, after=1.0, input_=None):
        """Runs the program, and sends it a signal; returns (exit code, output, messages)."""
        with subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.scratch, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.PIPE, stdin=input_) as process:
            time.sleep(after)
            process.send_signal(by)
            said = process.communicate(timeout=TIMEOUT_S)
            return process.returncode, *said

    def test_interrupted_run_tells_what_it_has(self):
        endless = self.file("endless.fio", ENDLESS)
        out = self.scratch / "o"
        for by, more in ((signal.SIGINT, ()), (signal.SIGTERM, ("--untimed", "--max-requests", 10**9, "--save-state", out / "no.state"))):
            code, said, _ = self.interrupt("run", "tiny", "--job", endless, *FILLED, *more, "--out", out, by=by)
            self.assertEqual(code, 130)
            self.assertIn("partial: interrupted", said)
            result = json.loads((out / "result.json").read_text())
            self.assertTrue(result["partial"])
            self.assertIsNone(result["expected_requests"])
            schemas.check(result, "result")
            self.assertEqual([path.name for ending in ("part", "state") for path in out.rglob(f"*.{ending}")], [])
            self.assertEqual("state  not saved: the run was interrupted" in said, bool(more))
        code, said, _ = self.interrupt("endurance", "tiny", "--set", "nand.endurance=100000", "--generate",
                                       "mix:read=0 %,random=100 %", "--json", "--out", out)
        self.assertEqual((code, json.loads(said)["partial"]), (130, True))
        schemas.check(json.loads(said), "endurance")
        self.assertFalse((out / "result.json").exists())
        code, said, _ = self.interrupt("torture", "tiny", "--cuts", "100000000", "--json")
        self.assertEqual((code, json.loads(said)["partial"]), (130, True))

    def test_interrupted_preparations_leave_nothing(self):
        steady = ("nvme-tlc-1tb", "--set", "precondition.fill=1", "--set", "precondition.steady=true")
        out = self.scratch / "o"
        out.mkdir()
        (out / "result.json").write_text("old")
        for arguments in (("run", *steady, "--job", self.job, "--out", out),
                          ("precondition", *steady, "--state", out / "s.state")):
            code, said, message = self.interrupt(*arguments, after=0.7)
            self.assertEqual((code, said), (130, ""))
            self.assertIn("interrupted", message)
            self.assertEqual(list(out.iterdir()), [])
        os.mkfifo(self.scratch / "fifo")
        with open(self.scratch / "fifo", "r+b", buffering=0) as held:
            held.write(b"128166372000000000,hm,0,Read,0,4096,0\n")
            code, _, _ = self.interrupt("trace", "convert", "fifo", out / "t.flt", after=0.4)
        self.assertEqual((code, list(out.iterdir())), (130, []))

    def test_second_run_says_who_holds_the_folder(self):
        endless = self.file("endless.fio", ENDLESS)
        with subprocess.Popen([PROGRAM, "run", "tiny", "--job", endless, "--out", "o"], cwd=self.scratch,
                              stdout=subprocess.DEVNULL) as first:
            try:
                time.sleep(0.7)
                done = self.start("run", "tiny", "--job", self.job, "--out", "o")
            finally:
                first.kill()
        self.assertEqual(done.returncode, 2)
        self.assertIn("another process", done.stderr)
        if os.access("/proc/locks", os.R_OK):
            self.assertIn(f"process {first.pid}: ", done.stderr)
            self.assertIn("--job", done.stderr)

    def test_nothing_of_an_earlier_run_stays(self):
        out = self.scratch / "o"
        self.start("run", "tiny", "--job", self.job, *FILLED, "--out", out, "--vcd", "--timeline", "--io-log", "both")
        before = {path.name for path in out.iterdir()}
        self.assertIn("series.csv", before)
        mine = {"mine.csv", "notes.txt"}
        for name in mine:
            (out / name).write_text("mine")
        (out / "power.csv.part").write_text("of a run that was killed")
        done = self.start("run", "tiny", "--job", self.job, "--out", out, "--state", self.file("no.state", "none"))
        self.assertEqual(done.returncode, 2)  # refused before it touched the folder
        done = self.start("run", "tiny", "--job", self.job, "--set", "verify=true", "--io-log", "csv", "--vcd",
                          "/nowhere/at/all", "--out", out)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual({path.name for path in out.iterdir()}, mine)
        self.start("endurance", "tiny", "--job", self.file("w.fio", job(rw="randwrite", bs="4k", size="4m")),
                   "--max-drive-writes", "1", "--out", out)
        self.assertEqual({path.name for path in out.iterdir()}, mine | {"endurance.json", "wear.csv"})


if __name__ == "__main__":
    unittest.main()
