"""bench/same: a program gives what it gives, and one that draws other random numbers is found out."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, ROOT


class SameResults(unittest.TestCase):
    def same(self, other, only):
        return subprocess.run([sys.executable, "-B", ROOT / "bench/same", PROGRAM, other, "--only", only],
                              capture_output=True, text=True, check=False)

    def test_a_program_and_itself(self):
        for only in ("tiny small", "log_block, torture"):
            done = self.same(PROGRAM, only)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("nothing ran", done.stdout)
            self.assertIn(", 0 differ", done.stdout)

    def test_another_seed_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder, "other")
            other.write_text(f'#!/bin/sh\ncommand=$1\nshift\nexec "{PROGRAM}" "$command" "$@" --set seed=7\n')
            other.chmod(0o755)
            done = self.same(str(other), "tiny small")
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("result/result.json", done.stdout)

    def test_what_is_no_program(self):
        done = self.same("/dev/null", "tiny")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/dev/null is no program", done.stderr)


if __name__ == "__main__":
    unittest.main()
