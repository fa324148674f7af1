"""Shared by the tests of the Python package: the package in the tree, the program under test, scratch folders."""
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("FLASHLOOM", str(ROOT / "build/release/flashloom"))
os.environ["FLASHLOOM_PROGRAM"] = PROGRAM
os.environ["MPLBACKEND"] = "Agg"
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]
from long_tests import takes_long  # noqa: E402,F401 pylint: disable=wrong-import-position,unused-import

try:
    import pandas  # noqa: F401  pylint: disable=unused-import
except ImportError:
    raise unittest.SkipTest("no pandas: ./check installs it in .venv") from None

# Quick, and accesses flash.
JOB = {"rw": "randrw", "bs": "4k", "ioengine": "libaio", "iodepth": 8, "size": "100%", "io_size": "1m", "norandommap": 1}
FULL = {"precondition.fill": 1.0}


class PackageCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="flashloom-python-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def pretend(self, text):
        """Replaces flashloom by a shell script for the rest of the test."""
        path = self.scratch / "pretended"
        path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        path.chmod(0o755)
        os.environ["FLASHLOOM_PROGRAM"] = str(path)
        self.addCleanup(os.environ.update, FLASHLOOM_PROGRAM=PROGRAM)
        return path
