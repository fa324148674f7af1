"""Peers' test suites as the judge of Flashloom's attachments.

A suite is a file test_NAME.py whose cases have names; expected/NAME.toml says which of them do not pass:

    suite = "..."       # what it is
    cases = 62          # all of them
    [failed]            # name = "whose fault: why"
    [not_runnable]      # name = "why"; a case that the suite itself skips

A case that is not listed must pass, and one that is listed must not. Sources come from the source packages of this
machine's own package sources; nothing of them is kept."""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from program import PROGRAM, ProgramCase, takes_long  # noqa: E402,F401 pylint: disable=wrong-import-position
from table import FAILED, NOT_RUNNABLE, PASSED, expected  # noqa: E402,F401 pylint: disable=wrong-import-position
from test_linux import KERNEL, WHY_NOT, needs  # noqa: E402,F401 pylint: disable=wrong-import-position

TIMEOUT_S = 3500
# fio 3.33 calibrates the processor's counter at each start by 250,000 readings of the clock, 4 s of wall time in a guest, even
# if the clock is its source. Loaded before it, this lets its first 100 readings be as far apart as it waits for.
QUICK_CLOCK = """
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec* time) {
  static int calls;
  if (calls++ < 100) {
    const struct timespec pause = {0, 1300000};
    syscall(SYS_nanosleep, &pause, 0);
  }
  return syscall(SYS_clock_gettime, clock, time);
}
"""


def said(command, **more):
    """What a command prints; the test skips if it fails, as without a network."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise unittest.SkipTest(f"{' '.join(map(str, command))}: {done.stderr.strip()[-300:]}")
    return done.stdout


class SuiteCase(ProgramCase):
    def judge(self, name, found):
        """Compares {case: PASSED, FAILED or NOT_RUNNABLE} with the table of a suite."""
        table = expected(name)
        wanted = {case: kind for kind in (FAILED, NOT_RUNNABLE) for case in table[kind]}
        differ = [f"{case}: {found.get(case, 'not run')}, expected {wanted.get(case, PASSED)}"
                  for case in sorted({*found, *wanted}) if found.get(case) != wanted.get(case, PASSED)]
        self.assertFalse(differ, "\n".join(differ))
        self.assertEqual(len(found), table["cases"])

    def apt(self, kind):
        """apt-get with fresh lists of this machine's package sources, of kind deb or deb-src, in a folder of its own."""
        folder = self.scratch / kind
        for name in ("parts", "lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True)
        for path in (pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("*")):
            if path.exists() and path.suffix in (".list", ".sources"):
                text = re.sub(r"^(Types: *)?deb\b(?!-)", rf"\1{kind}", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
                (folder / "parts" / path.name).write_text(text, encoding="utf-8")
        apt = ["apt-get", "-qq", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={folder}/parts",
               "-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache", "-o", "APT::Sandbox::User=root"]
        said([*apt, "update"])
        return apt

    def source(self, package):
        """Folder with the source of a package in the installed version."""
        version = said(["dpkg-query", "--show", "--showformat=${source:Version}", package])
        folder = self.scratch / "sources"
        folder.mkdir()
        said([*self.apt("deb-src"), "source", f"{package}={version}"], cwd=folder)
        return next(path for path in folder.glob(f"{package}-*") if path.is_dir())

    def unpacked(self, *packages):
        """Folder with the files of packages that need not be installed."""
        folder = self.scratch / "unpacked"
        folder.mkdir()
        said([*self.apt("deb"), "download", *packages], cwd=folder)
        for path in folder.glob("*.deb"):
            said(["dpkg", "--extract", path, folder])
        return folder

    def fio(self, path):
        """Makes a program that runs the machine's fio in a guest."""
        code, library = self.file("quick_clock.c", QUICK_CLOCK), self.scratch / "quick_clock.so"
        said(["cc", "-O2", "-shared", "-fPIC", "-o", library, code])
        path.write_text(f'#!/bin/sh\nLD_PRELOAD={library} exec {shutil.which("fio")} --clocksource=clock_gettime "$@"\n')
        path.chmod(0o755)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class GuestCase(SuiteCase):
    def boot(self, script, *arguments, device="tiny", sets=()):
        """Runs a script in a guest; returns the results folder and the output, also of a script that fails."""
        self.runs += 1
        out = self.scratch / f"out{self.runs}"
        overrides = [word for override in sets for word in ("--set", override)]
        done = subprocess.run([PROGRAM, "linux", device, "--kernel", KERNEL, "--run", self.file("script.sh", script), "--out",
                               out, "--quiet", *overrides, *arguments], cwd=self.scratch, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)
        self.assertTrue((out / "result.json").exists(), done.stderr)
        return out, done.stdout

    def run_cases(self, name, cases, prepare, *arguments, sets=()):
        """Runs {case: command} in their order in one guest, after a script; a case passes if its command ends with 0."""
        out, _ = self.boot(prepare + "".join(f"{{ {command}\n}} > /out/{case} 2>&1; echo $? > /out/{case}.code\n"
                                             for case, command in cases.items()), *arguments, sets=sets)
        found = {case: PASSED if (out / f"guest/{case}.code").read_text() == "0\n" else FAILED for case in cases}
        for case in expected(name)[FAILED].keys() ^ {case for case in cases if found[case] == FAILED}:
            print(f"{case}: {cases[case]}: {(out / 'guest' / case).read_text()[-500:]}")
        self.judge(name, found)
