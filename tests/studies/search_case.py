"""Shared by the tests of the design search: small searches, searches without a program, runs of experiments/search."""
import os
import subprocess
import sys

from case import PROGRAM, ROOT, StudyCase
# pylint: disable=wrong-import-position
from engine.search.engine import Round, Search, quality, reference_of
from engine.search.evaluate import Measured
from engine.search.intervals import Intervals
from engine.search.problem import load_search
from engine.search.space import spaces_of

# Random reads over several numbers of channels and ways.
READS = """\
device = "tiny"
set = { "precondition.fill" = 1.0 }
axis.channels = { values = [1, 2, 4, 8], set = "nand.channels" }
axis.ways = { values = [1, 2, 4, 8], set = "nand.ways" }
workload.reads.fio = { rw = "randread", bs = "4k", ioengine = "libaio", iodepth = 32, size = "100%", io_size = "16m", norandommap = 1 }
metric.throughput = { path = "host.read.bandwidth_bytes_per_s", scale = 1e-6, unit = "MB/s" }
"""
# The fewest dies that reach a given read throughput.
FEWEST = f"""
question = "What are the fewest dies for 200 MB/s of random reads?"
{READS}""" + """\
metric.dies = { expression = "channels * ways", unit = "1" }
objective = [{ metric = "dies", best = "smallest" }]
limit = [{ metric = "throughput", least = 200 }]
bound.throughput = { of = "throughput", scale = 1e-6 }
budget.runs = 16
"""


class SearchCase(StudyCase):
    def search(self, text=FEWEST, name="small", **files):
        """Writes a search's folder."""
        return self.folder_with("search.toml", text, name, **files)

    def search_command(self, folder, *arguments, out="out"):
        return [sys.executable, "-B", "-m", "engine.search.main", str(folder), "--program", PROGRAM, "--out", str(self.scratch / out), *arguments]

    def start_search(self, folder, *arguments, out="out"):
        return subprocess.run(self.search_command(folder, *arguments, out=out), capture_output=True, text=True, timeout=600, check=False,
                              env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")})

    def run_search(self, folder, *arguments, out="out"):
        """Runs a search that must succeed; returns the folder of its results."""
        done = self.start_search(folder, *arguments, out=out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.scratch / out / (folder.name + ("-quick" if "--quick" in arguments else ""))

    def without_program(self, text, truth, **problem):
        """(round, search) of a search whose runs return `truth(values, rung)` for each metric; only the bounds in
        search.toml apply."""
        loaded = load_search(self.search(text))
        for name, value in problem.items():
            setattr(loaded, name, value)
        intervals = Intervals(loaded, None)
        searches = []
        for space in spaces_of(loaded):
            known = {one.number: intervals.of(space.all_values(one), [(workload.name, None) for workload, _ in one.rows]) for one in space.candidates}
            searches.append(Search(loaded, space, known, {}, loaded.seed))
        done = Round(loaded, searches, Told(truth))
        done.go()
        return done, searches[0]


class Told:
    """Replaces the evaluator: a full run costs a second of CPU time, an untimed one a hundredth of that, a sampled one
    a tenth."""

    def __init__(self, truth):
        self.truth = truth
        self.asked = []

    def evaluate(self, wanted, rung):
        self.asked += [(rung, candidate.number) for candidate in wanted]
        cpu_s = {"full": 1.0, "sampled": 0.1, "untimed": 0.01}[rung]
        return [Measured({name: {workload.name: value for workload, _ in one.rows} for name, value in self.truth(one.values, rung).items()}, cpu_s)
                for one in wanted]


def share_of(search, points):
    """Hypervolume of a search's front as a share of that of all points; all coordinates are to be minimised."""
    scale, worst = reference_of(search, points)
    return quality([search.objectives_of(number) for number in search.front()], scale, worst) / quality(points, scale, worst)
