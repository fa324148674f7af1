"""Plans one study of the tree in full, then runs it in its quick form.

    shipped.py NAME          exit code 77: it needs Linux guests, and there is no kernel (tools/linux-kernel/build)"""
import sys
import unittest

from case import ROOT, StudyCase

SKIPPED = 77


class Shipped(StudyCase):
    folder = ROOT / "experiments"

    def setUp(self):
        super().setUp()
        self.planned = self.start(self.folder, "-n")
        if self.planned.returncode == 2 and "there is no Linux kernel" in self.planned.stderr:
            self.skipTest("there is no Linux kernel")

    def test_a_dry_run_and_a_readme(self):
        self.assertEqual(self.planned.returncode, 0, self.planned.stderr)
        self.assertRegex(self.planned.stdout, r"\d+ runs, 0 there, \d+ to do")
        self.assertTrue((self.folder / "README.md").exists(), "it says nothing of itself")

    def test_the_quick_form(self):
        if "[quick]" in (self.folder / "study.toml").read_text():
            out = self.run_study(self.folder, "--quick")
            kept = self.folder / "summary-quick.csv"
            if kept.exists():
                self.assertEqual((out / "summary.csv").read_text(), kept.read_text(), "summary-quick.csv is an old one")


if __name__ == "__main__":
    Shipped.folder = ROOT / "experiments" / sys.argv[1]
    done = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(Shipped))
    sys.exit(1 if not done.wasSuccessful() else SKIPPED if done.skipped else 0)
