"""The same study on this computer and through a real Slurm (slurm.sh): byte-identical tables. Runs with ./check --cluster and
with CI=true, for it needs root and Debian's slurm-wlm and munge."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "studies"))

from case import ROOT, SMALL, StudyCase  # noqa: E402  pylint: disable=wrong-import-position

SLURM = ROOT / "tests/cluster/slurm.sh"


class Cluster(StudyCase):
    def profile(self):
        """The shipped profile, in small, and for a cluster without accounting."""
        folder = self.scratch / "profile"
        folder.mkdir()
        text = (ROOT / "experiments/profiles/slurm/config.yaml").read_text()
        (folder / "config.yaml").write_text(
            text + "slurm-status-command: squeue\nslurm-init-seconds-before-status-checks: 2\nseconds-between-status-checks: 2\n")
        return folder

    def test_slurm_gives_the_same_tables(self):
        text = SMALL.replace('device = "tiny"', 'device = "tiny"\nrepetitions = 2\nstates = true\ncluster = { memory_mb = 200 }')
        folder = self.study(text)
        here = self.run_study(folder, out="here")
        command = self.command(folder, "--profile", str(self.profile()), "--batch", "3", out="there")
        done = subprocess.run([SLURM, self.scratch / "slurm", *command], capture_output=True, text=True, timeout=400,
                              check=False, env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")})
        there = self.scratch / "there/small"
        log = there / "snakemake.log"
        said = done.stdout + done.stderr + (log.read_text() if log.exists() else "")
        self.assertEqual(done.returncode, 0, said)
        for name in ("table.csv", "runs.csv", "figures/throughput.csv"):
            self.assertEqual((there / name).read_bytes(), (here / name).read_bytes(), name)
        jobs = log.read_text().count("has been submitted with SLURM jobid")
        # Three states, and of each four runs, in batches of three.
        self.assertEqual(jobs, 3 + 6, said)
