"""bench/guard: its answers to budgets that are met, exceeded, undercut, missing, or from another platform."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("FLASHLOOM", ROOT / "build/release/flashloom")).parent
CASE = "peer/read_128k"


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
@unittest.skipUnless((BUILD / "bench/case_runner").exists(), "the benchmarks are not built")
class SpeedGuard(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.budgets = pathlib.Path(folder.name) / "budgets.json"

    def guard(self, *arguments):
        return subprocess.run([sys.executable, "-B", ROOT / "bench/guard", "--build", BUILD, "--budgets", self.budgets,
                               *arguments], capture_output=True, text=True, check=False)

    def judge(self):
        """(exit code, output) for the instructions that were counted, which are not counted again."""
        loader = importlib.machinery.SourceFileLoader("guard", str(ROOT / "bench/guard"))
        guard = importlib.util.module_from_spec(importlib.util.spec_from_loader("guard", loader))
        loader.exec_module(guard)
        words = ["guard", "--build", str(BUILD), "--budgets", str(self.budgets), CASE]
        said = io.StringIO()
        with mock.patch.object(guard, "instructions", lambda *_: self.used), mock.patch.object(sys, "argv", words), \
                contextlib.redirect_stdout(said):
            return guard.main(), said.getvalue()

    def change(self, change):
        budgets = json.loads(self.budgets.read_text())
        change(budgets)
        self.budgets.write_text(json.dumps(budgets))

    def set_budget(self, factor):
        self.change(lambda budgets: budgets["instructions_per_io"].update({CASE: self.used * factor}))

    def test_budgets(self):
        missing = self.guard(CASE)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("--renew", missing.stderr)

        renewed = self.guard(CASE, "--renew")
        self.assertEqual(renewed.returncode, 0, renewed.stderr)
        self.used = json.loads(self.budgets.read_text())["instructions_per_io"][CASE]
        self.assertGreater(self.used, 1000)

        for factor, expected, word in ((1, 0, " ok"), (1 / 1.08, 1, "TOO MANY"), (1 / 0.92, 0, "renew the budget")):
            self.set_budget(factor)
            code, said = self.judge()
            self.assertEqual(code, expected, said)
            self.assertIn(word, said)

        unknown = self.guard("peer/mixed")
        self.assertEqual(unknown.returncode, 2)
        self.change(lambda budgets: budgets.update(platform="another"))
        elsewhere = self.guard(CASE)
        self.assertEqual(elsewhere.returncode, 77)
        self.assertIn("skipped", elsewhere.stdout)


if __name__ == "__main__":
    unittest.main()
