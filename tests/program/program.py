"""Runs the flashloom program for the tests of this folder; the environment variable FLASHLOOM names it."""
import copy
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from long_tests import effort, takes_long  # noqa: E402,F401  for the tests of this folder
PROGRAM = os.environ.get("FLASHLOOM", str(ROOT / "build/release/flashloom"))
CAPTURED = ROOT / "workloads/captured"
PUBLIC = pathlib.Path(os.environ.get("FLASHLOOM_TRACES", ROOT / "../shared/traces"))
PAGE = 4096
TIMEOUT_S = 300

# The expected effect of an option on a figure.
RISES, FALLS, DIFFERS = "rises", "falls", "differs"


def job(name="work", /, **options):
    """Text of a fio job file with one job, whose engine keeps iodepth requests in flight."""
    options = {"ioengine": "libaio"} | options
    return f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in options.items())


def msr(requests):
    """MSR-Cambridge CSV of (time in us, "Read" or "Write", offset, size)."""
    start = 128166372000000000
    return "".join(f"{start + int(t * 10)},hm,0,{op},{offset},{size},0\n" for t, op, offset, size in requests)


def pages(text):
    """Such a trace from words of one page each: r7 reads page 7, w7 writes it."""
    operation = {"r": "Read", "w": "Write"}
    return msr([(n, operation[word[0]], int(word[1:]) * PAGE, PAGE) for n, word in enumerate(text.split())])


def rows(path):
    """Lines of a CSV file as dictionaries."""
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def at(value, path):
    """Value at a dotted path of a result; a dot inside a key is written as slash."""
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key.replace("/", ".")]
    return value


def without(result, *paths):
    """Copy of a result with the values at the given paths left out."""
    result = copy.deepcopy(result)
    for path in paths:
        parent, _, key = path.rpartition(".")
        del (at(result, parent) if parent else result)[key]
    return result


class ProgramCase(unittest.TestCase):
    """A test with a scratch folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="flashloom-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.runs = 0

    def file(self, name, content):
        """Writes a file into the scratch folder; returns its path."""
        path = self.scratch / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def start(self, *arguments, program=PROGRAM):
        """Runs the program in the scratch folder."""
        return subprocess.run([program, *map(str, arguments)], cwd=self.scratch, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=TIMEOUT_S, check=False)

    def simulate(self, device, *arguments, sets=(), quiet=True):
        """Runs a simulation that must succeed; returns the folder of its results."""
        self.runs += 1
        out = self.scratch / f"out{self.runs}"
        overrides = [word for override in sets for word in ("--set", override)]
        done = self.start("run", device, *arguments, *overrides, "--out", out, *(["--quiet"] if quiet else []))
        self.assertEqual(done.returncode, 0, f"{arguments} {sets}: {done.stderr}")
        return out

    def result(self, device, *arguments, sets=(), quiet=True):
        """result.json of a simulation that must succeed."""
        return json.loads((self.simulate(device, *arguments, sets=sets, quiet=quiet) / "result.json").read_text())

    def assert_moves(self, before, after, effect):
        if effect == RISES:
            self.assertGreater(after, before)
        elif effect == FALLS:
            self.assertLess(after, before)
        else:
            self.assertNotEqual(after, before)
