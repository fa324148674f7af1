"""What a Linux guest offers its user and its programs: a terminal, time while it waits, sockets, registers. Skips as test_linux."""
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import termios
import time
import unittest

from program import PROGRAM, ROOT, TIMEOUT_S
from test_linux import KERNEL, LinuxCase, needs

SPINS = """import mmap, os, sys, time
flag = mmap.mmap(-1, 1)
if os.fork() == 0:
    time.sleep(0.001)
    flag[0] = 1
    os._exit(0)
calls = 0
while not flag[0]:
    getattr(os, sys.argv[1])()
    calls += 1
print(sys.argv[1], calls > 10000, time.clock_gettime(time.CLOCK_MONOTONIC))
"""


class LinuxTerminal(LinuxCase):
    """A shell on a terminal that controls its session, as a person's."""

    def setUp(self):
        super().setUp()
        self.said = b""
        # The program is a child of the terminal's shell, which reads from the terminal when it has ended.
        line = f"{PROGRAM} linux tiny --kernel {KERNEL} --shell --quiet; echo code=$?; read word; echo then=$word"
        self.shell, self.terminal = pty.fork()
        if self.shell == 0:
            os.execv("/bin/sh", ["sh", "-c", line])
        self.addCleanup(self.end)
        self.before = termios.tcgetattr(self.terminal)

    def end(self):
        os.kill(self.shell, signal.SIGKILL)
        os.waitpid(self.shell, 0)
        os.close(self.terminal)

    def expect(self, pattern):
        deadline = time.monotonic() + TIMEOUT_S
        while not re.search(pattern, self.said) and time.monotonic() < deadline:
            if select.select([self.terminal], [], [], 1)[0]:
                try:
                    self.said += os.read(self.terminal, 4096)
                except OSError:
                    break
        found = re.search(pattern, self.said)
        self.assertIsNotNone(found, self.said[-1000:])
        self.said = self.said[found.end():]
        return found

    def say(self, line):
        os.write(self.terminal, line)

    def expect_the_terminal_back(self, code):
        self.expect(b"code=%d\r\n" % code)
        self.assertEqual(termios.tcgetattr(self.terminal), self.before)
        self.say(b"word\n")
        self.expect(b"then=word\r\n")

    def test_a_person_who_thinks_finds_drive_and_clock_as_they_were(self):
        began = time.monotonic()
        self.expect(b"# ")
        self.say(b"python3 -c 'import time\nwhile True: time.sleep(0.001)' &\n")  # time would leap to each timer
        self.expect(b"# ")
        self.say(b"sleep 1000\n")
        time.sleep(2)
        self.say(b"\x03")  # to the guest
        self.expect(b"# ")
        self.say(b"kill $!; dd if=/dev/zero of=/dev/nvme0n1 bs=64k count=16 oflag=direct 2>&1 | grep -c copied\n")
        self.expect(b"\n1\r\n")
        self.say(b"echo up $(cut -d. -f1 /proc/uptime)\n")
        up = int(self.expect(rb"\nup ([0-9]+)\r\n").group(1))
        self.assertGreaterEqual(up, 1)
        self.assertLessEqual(up, time.monotonic() - began)
        self.say(b"exit\n")
        self.expect_the_terminal_back(0)

    def test_a_guest_that_is_killed_gives_the_terminal_back(self):
        self.expect(b"# ")
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if pathlib.Path(process / "stat").read_text().split(") ")[1].split()[1] != "1" and \
                        (process / "cmdline").read_bytes().startswith(b"linux\0") and self.is_ours(int(process.name)):
                    os.kill(int(process.name), signal.SIGKILL)
            except (OSError, IndexError):
                pass
        self.expect_the_terminal_back(1)

    def is_ours(self, process):
        """Whether the process is in the session of this test's shell."""
        return os.getsid(process) == self.shell


class LinuxSystem(LinuxCase):
    def test_waiting_by_system_calls_lets_time_pass(self):
        program = self.file("spins.py", SPINS)
        script = f"python3 {program} sched_yield; python3 {program} getpid\n"
        runs = [self.boot(script) for _ in range(2)]
        self.assertEqual(runs[0][1], runs[1][1])
        self.assertEqual(re.findall("sched_yield True|getpid True", runs[0][1]), ["sched_yield True", "getpid True"])
        self.assertEqual(*((out / "result.json").read_bytes() for out, _ in runs))
        self.assertLess(self.result(runs[0][0])["guest"]["end_s"], 1)

    def test_without_their_time_it_is_told(self):
        done = self.start("linux", "tiny", "--kernel", KERNEL, "--run",
                          self.file("s.sh", f"python3 {self.file('spins.py', SPINS)} getpid\n"), "--busy-call", 0,
                          "--watchdog", 2, "--quiet")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("--busy-call", done.stderr)
        refused = self.start("linux", "tiny", "--shell", "--busy-call", 1_000_001)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("--busy-call: 1000001; valid: 0 .. 1000000", refused.stderr)

    def test_the_end_of_simulated_time_is_told(self):
        done = self.start("linux", "tiny", "--kernel", KERNEL, "--run", self.file("s.sh", "sleep 300d; echo never\n"), "--quiet")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("213 days", done.stderr)

    def test_programs_find_descriptors_terminals_and_sockets(self):
        program = self.file("p.py", "import os, pty, socket\na, b = socket.socketpair()\na.send(b'pair')\nprint(b.recv(4))\n"
                            "s = socket.socket(socket.AF_UNIX)\ns.bind('/tmp/name')\ns.listen()\n"
                            "c = socket.socket(socket.AF_UNIX)\nc.connect('/tmp/name')\n"
                            "print(os.ttyname(pty.openpty()[1]))\n")
        _, printed = self.boot(f"echo out > /dev/stdout; echo in | cat /dev/stdin; echo fd | cat /dev/fd/0; python3 {program}\n")
        self.assertEqual(printed, "out\nin\nfd\nb'pair'\n/dev/pts/0\n")

    @needs("nvme")
    def test_nvme_cli_shows_registers(self):
        _, printed = self.boot("nvme show-regs /dev/nvme0 -H && nvme effects-log /dev/nvme0\n")
        self.assertRegex(printed, r"version +: 1[0-9]{4}|Version +: |version +: ")
        self.assertRegex(printed, "Controller Ready.*: +(1|Yes|Ready)|RDY")

    def test_the_scripts_of_the_pages_say_what_is_missing(self):
        done = subprocess.run(["/bin/sh", ROOT / "docs/how-to/linux-fio.sh"], env={"PATH": str(self.scratch)},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("lacks mkfs.ext4 e2fsck fio nvme: apt-get install", done.stderr)


class LinuxOwnTorture(LinuxCase):
    SCRIPT = ROOT / "docs/how-to/linux-append.sh"

    @needs("mkfs.ext4", "e2fsck")
    def test_a_scenario_of_ones_own(self):
        honest = self.start("torture", "tiny", "--kernel", KERNEL, "--linux", self.SCRIPT, "--cuts", 4)
        self.assertEqual(honest.returncode, 0, honest.stdout + honest.stderr)
        self.assertRegex(honest.stdout, "linux-append.sh: 4 power cuts, [0-9]+ operations acknowledged, 0 cuts lost data")
        self.assertGreater(int(re.search("([0-9]+) operations", honest.stdout).group(1)), 20)
        lying = self.start("torture", "tiny", "--kernel", KERNEL, "--linux", self.SCRIPT, "--cuts", 4, "--set",
                           "faults.flush_ignored=1")
        self.assertEqual(lying.returncode, 1, lying.stdout + lying.stderr)
        self.assertIn(f"--linux {self.SCRIPT} --seed", lying.stdout)

    def test_scripts_that_fail_are_told(self):
        for said, why in (("; echo ack a", "exit code 5"), ("", "acknowledged nothing")):
            script = self.file("bad.sh", f"case $1 in work) (echo begin{said}) > /dev/ttyS0; sync;; check) exit 5;; esac\n")
            done = self.start("torture", "tiny", "--kernel", KERNEL, "--linux", script, "--cuts", 1)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    unittest.main()
