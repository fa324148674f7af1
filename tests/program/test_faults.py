"""Lying drives: the result reports their lies, and torture catches them."""
import unittest

import schemas
from program import ProgramCase

WORK = "mix:read=0.2,requests=2000,flush_every=5,fua=0.2,size=2 KiB"
CUTS = ["power.cuts=10", "power.cut_spacing=10 ms"]
COUNTS = {"flush_ignored": "flushes_ignored", "fua_ignored": "fua_ignored", "lost_writes": "writes_lost",
          "misdirected_writes": "writes_misdirected"}


class Faults(ProgramCase):
    def test_counts(self):
        self.assertNotIn("faults", self.result("tiny", "--generate", WORK))
        for key, count in COUNTS.items():
            with self.subTest(fault=key):
                some, all_of_them = (self.result("tiny", "--generate", WORK, sets=[f"faults.{key}={share}"])
                                     for share in ("0.1", "1"))
                schemas.check(some, "result")
                self.assertEqual([k for k, n in some["faults"].items() if n != 0], [count])
                self.assertGreater(all_of_them["faults"][count], 4 * some["faults"][count])

    def test_torn_writes_are_counted(self):
        result = self.result("tiny", "--generate", WORK, sets=["faults.torn_writes=1", "verify=true", *CUTS])
        self.assertGreater(result["faults"]["units_torn"], 0)
        self.assertEqual(result["verify"]["mismatches"], 0)  # commands overlap, so no read can tell (docs/reference/faults.md)

    def test_a_run_with_verify_finds_what_is_lost(self):
        done = self.start("run", "tiny", "--generate", WORK, "--set", "faults.flush_ignored=1", "--set", "verify=true",
                          *(word for each in CUTS for word in ("--set", each)))
        self.assertEqual(done.returncode, 1)
        self.assertIn("data did not verify: sector", done.stderr)

    def test_torture_fails_and_says_what_was_lost(self):
        done = self.start("torture", "tiny", "--set", "faults.flush_ignored=1", "--cuts", "100")
        self.assertEqual(done.returncode, 1)
        for part in ("FAILED after cut", "holds write", "to see it again", "a drive that lies was caught: ", "flushes ignored"):
            self.assertIn(part, done.stdout)

    def test_expected_faults_must_be_caught(self):
        expect = ("torture", "tiny", "--cuts", "60", "--expect-faults")
        for timed in ((), ("--timed",)):
            done = self.start(*expect, *timed, "--set", "faults.flush_ignored=1")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"^caught: [1-9]\d* of \d+ cuts\n")
            self.assertIn("first after cut ", done.stdout)
            safe = self.start(*expect, *timed, "--set", "faults.flush_ignored=1", "--set", "power.plp=true")
            self.assertEqual(safe.returncode, 1)
            self.assertIn("caught: 0 of 60 cuts", safe.stdout)
        honest = self.start(*expect)
        self.assertEqual(honest.returncode, 2)
        self.assertIn("--expect-faults", honest.stderr)


if __name__ == "__main__":
    unittest.main()
