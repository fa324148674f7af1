"""bench/guard: its answers to budgets that are met, exceeded, undercut, missing, or from another platform."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

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

        met = self.guard(CASE)
        self.assertEqual(met.returncode, 0, met.stdout + met.stderr)
        self.assertIn(" ok", met.stdout)
        self.set_budget(1 / 1.08)
        exceeded = self.guard(CASE)
        self.assertEqual(exceeded.returncode, 1, exceeded.stdout)
        self.assertIn("TOO MANY", exceeded.stdout)
        self.set_budget(1 / 0.92)
        undercut = self.guard(CASE)
        self.assertEqual(undercut.returncode, 0, undercut.stdout)
        self.assertIn("renew the budget", undercut.stdout)

        unknown = self.guard("peer/mixed")
        self.assertEqual(unknown.returncode, 2)
        self.change(lambda budgets: budgets.update(platform="another"))
        elsewhere = self.guard(CASE)
        self.assertEqual(elsewhere.returncode, 77)
        self.assertIn("skipped", elsewhere.stdout)


if __name__ == "__main__":
    unittest.main()
