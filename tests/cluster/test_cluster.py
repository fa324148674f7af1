"""A study, a search and a run in segments give the same bytes on this computer and through a real Slurm (slurm.sh).
Runs with ./check --cluster and with CI=true, since it needs root and Debian's slurm-wlm and munge."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "studies"))

from case import PROGRAM, ROOT, SMALL  # noqa: E402  pylint: disable=wrong-import-position
from search_case import FEWEST, SearchCase  # noqa: E402  pylint: disable=wrong-import-position

RUNS_WITH = "FLASHLOOM_CLUSTER"  # it needs root and Debian's slurm-wlm and munge
SLURM = ROOT / "tests/cluster/slurm.sh"


class Cluster(SearchCase):
    def profile(self):
        """The shipped profile, scaled down, for a cluster without accounting."""
        folder = self.scratch / "profile"
        folder.mkdir()
        text = (ROOT / "experiments/profiles/slurm/config.yaml").read_text()
        (folder / "config.yaml").write_text(
            text + "slurm-status-command: squeue\nslurm-init-seconds-before-status-checks: 2\nseconds-between-status-checks: 2\n")
        return folder

    def through_slurm(self, command):
        """(results folder, stdout, Snakemake's log, all output) of a command on `small` that must succeed."""
        done = subprocess.run([SLURM, self.scratch / "slurm", *command], capture_output=True, text=True, timeout=400, check=False,
                              env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")})
        there = self.scratch / "there/small"
        log = (there / "snakemake.log").read_text() if (there / "snakemake.log").exists() else ""
        said = done.stdout + done.stderr + log
        self.assertEqual(done.returncode, 0, said)
        return there, done.stdout, log, said

    def test_slurm_gives_the_same_tables(self):
        text = SMALL.replace('device = "tiny"', 'device = "tiny"\nrepetitions = 2\nstates = true\ncluster = { memory_mb = 200 }')
        folder = self.study(text)
        here = self.run_study(folder, out="here")
        there, _, log, said = self.through_slurm(self.command(folder, "--profile", str(self.profile()), "--batch", "3", out="there"))
        for name in ("table.csv", "runs.csv", "figures/throughput.csv"):
            self.assertEqual((there / name).read_bytes(), (here / name).read_bytes(), name)
        jobs = log.count("has been submitted with SLURM jobid")
        # Three states of each of two seeds, and two runs of each state, in a batch.
        self.assertEqual(jobs, 6 + 6, said)

    def test_a_search_on_slurm_is_the_same_search(self):
        """Jobs in rounds give the same trials, proof and choice."""
        folder = self.search(FEWEST.replace("limit =", "search = { batch = 6 }\nlimit ="))
        here = self.run_search(folder, out="here")
        there, stdout, log, said = self.through_slurm(self.search_command(folder, "--profile", str(self.profile()), "--batch", "3", out="there"))
        self.assertIn("(proved: nothing left could beat it)", stdout)
        for name in ("trials.csv", "front.csv", "discarded.csv", "summary.csv", "chosen/choice.toml"):
            self.assertEqual((there / name).read_bytes(), (here / name).read_bytes(), name)
        self.assertGreater(log.count("has been submitted with SLURM jobid"), 0, said)

    def test_segments_of_a_run_are_jobs(self):
        words = ["run", str(ROOT / "bench/peer.toml"), "--set", "nand.blocks=160", "--set", "nand.pages=64", "--generate",
                 "mix:read=0%,requests=60000", "--segments", "3"]
        forked = subprocess.run([PROGRAM, *words, "--out", self.scratch / "forked", "--quiet"], capture_output=True, text=True, check=False)
        self.assertEqual(forked.returncode, 0, forked.stderr)
        command = [sys.executable, "-B", "-m", "engine.segments", "--program", PROGRAM, "--memory", "200",
                   "--profile", self.profile(), "--", *words, "--segments-folder", "pieces", "--out", "result"]
        done = subprocess.run([SLURM, self.scratch / "slurm", *command], capture_output=True, text=True, timeout=400, check=False,
                              cwd=self.scratch, env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")})
        log = self.scratch / "pieces/jobs/snakemake.log"
        said = done.stdout + done.stderr + (log.read_text() if log.exists() else "")
        self.assertEqual(done.returncode, 0, said)
        self.assertEqual((self.scratch / "result/result.json").read_bytes(), (self.scratch / "forked/result.json").read_bytes())
        self.assertEqual(log.read_text().count("has been submitted with SLURM jobid"), 1 + 3 + 1, said)
