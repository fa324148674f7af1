"""experiments/segments: one run whose segments are Snakemake jobs."""
import json
import os
import subprocess
import sys
import unittest

from case import PROGRAM, ROOT, StudyCase
from engine.segments import option_of

PEER = ROOT / "bench/peer.toml"
SETS = ["nand.blocks=160", "nand.pages=64", "precondition.fill=1"]
WORDS = ["run", str(PEER), *(word for override in SETS for word in ("--set", override)), "--generate", "mix:read=50%,requests=60000",
         "--segments", "3"]


class Segments(StudyCase):
    def command(self, *words, options=()):  # type: ignore[override]
        return [sys.executable, "-B", "-m", "engine.segments", "--program", PROGRAM, *options, "--", *words]

    def jobs(self, *words, options=(), before=()):
        return subprocess.run([*before, *self.command(*words, options=options)], capture_output=True, text=True, timeout=400,
                              check=False, cwd=self.scratch, env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")})

    def forked(self):
        done = subprocess.run([PROGRAM, *WORDS, "--out", self.scratch / "forked", "--quiet"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.scratch / "forked/result.json").read_bytes()

    def test_jobs_give_the_bytes_of_a_forked_run(self):
        words = [*WORDS, "--segments-folder", "pieces", "--out", "result"]
        done = self.jobs(*words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("result/result.json", done.stdout)
        self.assertEqual((self.scratch / "result/result.json").read_bytes(), self.forked())
        # A lost piece is the only one made again.
        answers = {path.name: path.stat().st_mtime_ns for path in (self.scratch / "pieces").glob("*.answer")}
        self.assertEqual(len(answers), 3)
        (self.scratch / "pieces/segment-2.answer").unlink()
        self.assertEqual(self.jobs(*words, options=("--cores", "1")).returncode, 0)
        again = {path.name: path.stat().st_mtime_ns for path in (self.scratch / "pieces").glob("*.answer")}
        self.assertEqual([name for name in answers if answers[name] != again[name]], ["segment-2.answer"])
        self.assertEqual((self.scratch / "result/result.json").read_bytes(), (self.scratch / "forked/result.json").read_bytes())

    def test_the_last_of_an_option_counts_in_either_form(self):
        self.assertEqual(option_of(["run", "--out=a", "--out", "b"], "--out"), "b")
        self.assertEqual(option_of(["run", "--out", "b", "--out=a"], "--out"), "a")

    def test_a_job_that_fails_is_told_and_stops_no_other(self):
        words = [*WORDS, "--segments-folder", "pieces", "--out", "result"]
        self.assertEqual(self.jobs(*words).returncode, 0)
        (self.scratch / "pieces/segment-1.answer").unlink()
        (self.scratch / "pieces/segment-2.answer").unlink()
        state = self.scratch / "pieces/segment-2.state"
        whole = state.read_bytes()
        state.write_bytes(whole[:-1000])
        done = self.jobs(*words)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("failed: segment 2 of 3: ", done.stderr)
        self.assertIn("segment-2.state: ", done.stderr)
        self.assertTrue((self.scratch / "pieces/segment-1.answer").exists())
        state.write_bytes(whole)
        self.assertEqual(self.jobs(*words).returncode, 0)
        self.assertEqual((self.scratch / "result/result.json").read_bytes(), self.forked())

    def test_what_is_wrong_is_said(self):
        for words, options, said in ((WORDS, (), "--segments-folder is not given"),
                                     (["precondition", "tiny"], (), "what follows -- is `run ...`"),
                                     ([*WORDS, "--segments-folder", "p", "--out", "o"], ("--profile", "slrum"),
                                      "no profile slrum; valid: slurm")):
            done = self.jobs(*words, options=options)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
        self.assertFalse((self.scratch / "p").exists())
        done = self.jobs(*WORDS, "--segments-folder", "p", "--out", "o", "--max-requests", "2000")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("failed: the pass on the instant clock: flashloom: error: --segments-folder: 2000 requests are too few", done.stderr)

    def test_the_plan_keeps_the_command(self):
        self.jobs(*WORDS, "--segments-folder", "p", "--out", "o", options=("--memory", "77", "--minutes", "5"))
        plan = json.loads((self.scratch / "p/jobs/plan.json").read_text())
        self.assertEqual((plan["segments"], plan["memory_mb"], plan["minutes"]), (3, 77, 5))
        self.assertIn("--generate", plan["command"])


if __name__ == "__main__":
    unittest.main()
