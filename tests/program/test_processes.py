"""Processes that are killed."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramCase

LONG = "mix:requests=100000000"
TWO = "".join(f'[[job]]\nname = "{name}"\ngenerator = "mix"\nparameters = {{ requests = 100000000 }}\n' for name in "ab")
DEADLINE_S = 20


def children(process):
    return [int(word) for word in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def runs(process):
    """Whether there is such a process, and it is no zombie."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


class Processes(ProgramCase):
    def begin(self, *arguments):
        """The program under way; it does not outlive the test."""
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


    def test_jobs_alone_end_with_their_parent(self):
        workload = self.file("two.toml", TWO)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                parent = self.begin("run", "tiny", "--workload", workload, "--alone", "--quiet")
                self.wait_for(lambda: children(parent.pid), "no job begins")
                alone = children(parent.pid)
                os.kill(parent.pid, number)
                self.assertEqual(parent.wait(), -number)
                try:
                    self.wait_for(lambda: not any(map(runs, alone)), "a job goes on")
                finally:
                    for process in filter(runs, alone):
                        os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
