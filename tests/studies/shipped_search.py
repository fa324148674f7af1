"""Computes the bounds of one search of the tree, then runs it in its quick form.

    shipped_search.py NAME          exit code 77: its traces are missing"""
import csv
import sys
import unittest

from case import ROOT
from search_case import SearchCase

SKIPPED = 77


class Shipped(SearchCase):
    folder = ROOT / "experiments"

    def test_a_dry_run_and_a_readme(self):
        done = self.start_search(self.folder, "-n")
        if done.returncode == 2 and "there is no file" in done.stderr:
            self.skipTest("its traces are not there")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\d+ points.*: constraints reject \d+, the program \d+, bounds \d+; \d+ left")
        self.assertTrue((self.folder / "README.md").exists(), "it says nothing of itself")

    def test_the_quick_form(self):
        done = self.start_search(self.folder, "--quick")
        if done.returncode == 2 and "there is no file" in done.stderr:
            self.skipTest("its traces are not there")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        out = self.scratch / "out" / f"{self.folder.name}-quick"
        kept = self.folder / "summary-quick.csv"
        if kept.exists():
            self.assertEqual((out / "summary.csv").read_text(), kept.read_text(), "summary-quick.csv is an old one")

    def test_the_choice_is_what_the_grid_knows(self):
        """If known.csv lies beside the search, it holds the right choice from all points of the grid."""
        known = self.folder / "known.csv"
        if not known.exists():
            return
        with open(self.folder / "summary.csv", newline="", encoding="utf-8") as file:
            chosen = {(line["row"], line["metric"]): line["value"] for line in csv.DictReader(file) if line["summary"] == "chosen"}
        with open(known, newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(len({row for row, _ in chosen}), len(lines))
        for line in lines:
            row = f"workload {line['workload']}, cap {line['cap']}"
            for name in ("channels", "ways", "throughput_mb_per_s"):
                self.assertEqual(chosen[row, name], line[name], row)


if __name__ == "__main__":
    Shipped.folder = ROOT / "experiments" / sys.argv[1]
    done_tests = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(Shipped))
    sys.exit(1 if not done_tests.wasSuccessful() else SKIPPED if done_tests.skipped else 0)
