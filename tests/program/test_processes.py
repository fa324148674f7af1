"""Processes that disturb each other or are killed, and full disks."""
import fcntl
import os
import pathlib
import resource
import signal
import subprocess
import time
import unittest

from program import PROGRAM, TIMEOUT_S, ProgramCase, job

LONG = "mix:requests=100000000"
TWO = "".join(f'[[job]]\nname = "{name}"\ngenerator = "mix"\nparameters = {{ requests = 100000000 }}\n' for name in "ab")
DEADLINE_S = 20


def children(process):
    return [int(word) for word in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def runs(process):
    """Whether the process exists and is no zombie."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


class Processes(ProgramCase):
    def begin(self, *arguments):
        """Starts the program; it does not outlive the test."""
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.scratch, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, condition, what):
        deadline = time.monotonic() + DEADLINE_S
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.01)

    def assert_taken(self, done, name):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"{name}: another process is writing it", done.stderr)

    def test_a_folder_belongs_to_one_run(self):
        out = self.scratch / "out"
        first = self.begin("run", "tiny", "--generate", LONG, "--io-log", "binary", "--out", out, "--quiet")
        self.wait_for((out / "io_log.bin.part").exists, "the first one does not begin")
        for command in (("run", "tiny"), ("endurance", "tiny", "--max-drive-writes", 1)):
            self.assert_taken(self.start(*command, "--generate", "mix:requests=10", "--out", out, "--quiet"), out)
            self.assertEqual([path.name for path in out.iterdir()], ["io_log.bin.part"])
        first.kill()
        first.wait()
        done = self.start("run", "tiny", "--generate", "mix:requests=10", "--io-log", "binary", "--out", out, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((out / "result.json").exists())
        self.assertEqual(list(out.glob("*.part")), [])

    def test_a_file_belongs_to_one_process(self):
        self.file("a.fio", job(rw="read", bs="4k", size="64k"))
        self.assertEqual(self.start("workload", "a.fio", "--out", "a.iolog").returncode, 0)
        for name, command in (("a.state", ("precondition", "tiny", "--state", "a.state")),
                              ("b.iolog", ("workload", "a.fio", "--out", "b.iolog")),
                              ("a.trace", ("trace", "convert", "a.iolog", "a.trace"))):
            with self.subTest(name=name):
                with open(self.scratch / f"{name}.part", "wb") as part:
                    part.write(b"of another")
                    part.flush()
                    fcntl.flock(part, fcntl.LOCK_EX)
                    self.assert_taken(self.start(*command), name)
                    self.assertEqual((self.scratch / f"{name}.part").read_bytes(), b"of another")
                    self.assertFalse((self.scratch / name).exists())
                # Files left by a killed process are in no one's way.
                self.assertEqual(self.start(*command).returncode, 0)
                self.assertTrue((self.scratch / name).exists())
                self.assertEqual(list(self.scratch.glob("*.part")), [])

    def test_jobs_alone_end_with_their_parent(self):
        workload = self.file("two.toml", TWO)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                parent = self.begin("run", "tiny", "--workload", workload, "--alone", "--quiet")
                self.wait_for(lambda: children(parent.pid), "no job begins")
                alone = children(parent.pid)
                os.kill(parent.pid, number)
                self.assertEqual(parent.wait(), -number if number == signal.SIGKILL else 130)
                try:
                    self.wait_for(lambda: not any(map(runs, alone)), "a job goes on")
                finally:
                    for process in filter(runs, alone):
                        os.kill(process, signal.SIGKILL)

    def test_a_full_disk_is_one_exit_code(self):
        self.file("a.fio", job(rw="read", bs="4k", size="64k"))
        self.assertEqual(self.start("workload", "a.fio", "--out", "a.iolog").returncode, 0)
        before = sorted(path.name for path in self.scratch.iterdir())
        for name, command in (("out", ("run", "tiny", "--job", "a.fio", "--out", "out")),
                              ("out", ("run", "tiny", "--job", "a.fio", "--out", "out", "--io-log", "csv")),
                              ("out", ("endurance", "tiny", "--generate", "mix:read=0%", "--max-drive-writes", "1",
                                       "--out", "out")),
                              ("a.vcd", ("run", "tiny", "--job", "a.fio", "--vcd", "a.vcd")),
                              ("a.state", ("precondition", "tiny", "--state", "a.state")),
                              ("b.iolog", ("workload", "a.fio", "--out", "b.iolog")),
                              ("b.iolog.gz", ("workload", "a.fio", "--out", "b.iolog.gz")),
                              ("a.trace", ("trace", "convert", "a.iolog", "a.trace"))):
            with self.subTest(command=command):
                done = subprocess.run([PROGRAM, *command], cwd=self.scratch, capture_output=True, text=True, check=False,
                                      timeout=TIMEOUT_S,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8)))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, f"^flashloom: error: {name}.* could not be written whole: File too large")
                self.assertEqual(sorted(path.name for path in self.scratch.rglob("*") if path.is_file()), before)
        for command in (("config", "tiny"), ("workload", "a.fio"), ("run", "tiny", "--job", "a.fio")):
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, *command], cwd=self.scratch, stdout=full, stderr=subprocess.PIPE, text=True,
                                      check=False, timeout=TIMEOUT_S)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("cannot write the output", done.stderr)

    def test_an_empty_name_is_refused(self):
        self.file("a.fio", job(rw="read", bs="4k", size="64k"))
        for command in (("run", "tiny", "--job", "a.fio", "--out", ""), ("workload", "a.fio", "--out", ""),
                        ("endurance", "tiny", "--job", "a.fio", "--max-drive-writes", "1", "--out", "")):
            with self.subTest(command=command):
                done = self.start(*command)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("--out: is empty", done.stderr)
        for command in (("run", "tiny", "--job", "a.fio", "--state", ""), ("precondition", "tiny", "--state", "")):
            with self.subTest(command=command):
                done = self.start(*command)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("--state: is empty", done.stderr)


if __name__ == "__main__":
    unittest.main()
