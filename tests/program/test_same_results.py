"""bench/same: a program gives its own results, and a program that draws other random numbers is detected."""
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, ROOT


class SameResults(unittest.TestCase):
    def same(self, other, only, *words):
        return subprocess.run([sys.executable, "-B", ROOT / "bench/same", PROGRAM, other, "--only", only, *words],
                              capture_output=True, text=True, check=False)

    def test_a_program_and_itself(self):
        for only in ("tiny small", "log_block, torture"):
            done = self.same(PROGRAM, only)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("nothing ran", done.stdout)
            self.assertIn(", 0 differ", done.stdout)
        drawn = self.same(PROGRAM, "", "--devices", "4")
        self.assertEqual(drawn.returncode, 0, drawn.stdout + drawn.stderr)
        self.assertIn("8 cases, 0 differ", drawn.stdout)

    def test_another_seed_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder, "other")
            other.write_text(f'#!/bin/sh\ncommand=$1\nshift\nexec "{PROGRAM}" "$command" "$@" --set seed=7\n')
            other.chmod(0o755)
            done = self.same(str(other), "tiny small")
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("result/result.json", done.stdout)
            drawn = self.same(str(other), "", "--devices", "4")
            self.assertEqual(drawn.returncode, 1, drawn.stdout + drawn.stderr)
            self.assertIn("device 0: ", drawn.stdout)

    def test_a_key_that_only_one_knows_is_no_difference(self):
        loader = importlib.machinery.SourceFileLoader("bench_same", str(ROOT / "bench/same"))
        same = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_same", loader))
        loader.exec_module(same)
        with tempfile.TemporaryDirectory() as folder:
            sides = [pathlib.Path(folder, side) for side in "ab"]
            for side in sides:
                side.mkdir()

            def differ(one, other, name="result.json", behind=(b"", b"")):
                for side, head, bytes_behind in zip(sides, (one, other), behind):
                    (side / name).write_bytes(json.dumps(head).encode() + bytes_behind)
                return same.differences(*sides)

            self.assertEqual(differ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}), [])
            self.assertEqual(differ({"a": {"b": 1}}, {"a": {"b": 2, "c": 2}}), ["result.json"])
            differ({}, {})
            end = bytes(same.FOOTER)
            self.assertEqual(differ({"key": "1"}, {"key": "2", "c": 3}, "s.state", (b"x" + end, b"x" + end[1:] + b"1")), [])
            self.assertEqual(differ({}, {"c": 3}, "s.state", (b"x" + end, b"y" + end)), ["s.state"])

    def test_what_is_no_program(self):
        done = self.same("/dev/null", "tiny")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/dev/null is no program", done.stderr)


if __name__ == "__main__":
    unittest.main()
