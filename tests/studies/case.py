"""Shared by the tests of the studies' engine: scratch folders, small studies, runs of experiments/run."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("FLASHLOOM", str(ROOT / "build/release/flashloom"))
sys.path[:0] = [str(ROOT / folder) for folder in ("experiments", "python", "tests")]
# pylint: disable=wrong-import-position
from engine.points import Plan, Point, rows_of, values_of
from engine.study import load_study
from engine.tables import Table
from long_tests import takes_long  # noqa: F401 pylint: disable=unused-import

# Small and quick: reads of a full device.
SMALL = """
question = "What do ways bring to random reads?"
device = "tiny"
set = { "precondition.fill" = 1.0 }
axis.ways = { values = [1, 2, 4], set = "nand.ways" }
axis.depth = { values = [1, 8] }
workload.reads.fio = { rw = "randread", bs = "4k", ioengine = "libaio", iodepth = "{depth}", size = "100%", io_size = "1m", norandommap = 1 }
metric.throughput = { path = "host.read.bandwidth_bytes_per_s", scale = 1e-6, unit = "MB/s" }
metric.speed_up = { expression = "throughput / one.throughput", unit = "1" }
baseline.one = { ways = 1 }
[[figure]]
name = "throughput"
caption = "Random reads of 4 KiB"
x = "ways"
y = "throughput"
series = "depth"
"""


class StudyCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="flashloom-studies-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def study(self, text=SMALL, name="small", **files):
        """Writes a study's folder, with further files by name, in which two underscores stand for a dot."""
        return self.folder_with("study.toml", text, name, **files)

    def folder_with(self, main, text, name, **files):
        folder = self.scratch / name
        folder.mkdir(exist_ok=True)
        (folder / main).write_text(text, encoding="utf-8")
        for file, content in files.items():
            (folder / file.replace("__", ".")).write_text(content, encoding="utf-8")
        return folder

    def command(self, folder, *arguments, out="out"):
        return [sys.executable, "-B", "-m", "engine.main", str(folder), "--program", PROGRAM,
                "--out", str(self.scratch / out), *arguments]

    def start(self, folder, *arguments, out="out"):
        """Runs a study; returns the finished process."""
        return subprocess.run(self.command(folder, *arguments, out=out), capture_output=True, text=True, timeout=300,
                              check=False, env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")})

    def run_study(self, folder, *arguments, out="out"):
        """Runs a study that must succeed; returns the folder of its results."""
        done = self.start(folder, *arguments, out=out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.scratch / out / (folder.name + ("-quick" if "--quick" in arguments else ""))

    def made_by_hand(self, text, name, write, **files):
        """(study, table) of a study whose results `write(study, folder, values, seed)` writes into a folder per point,
        named `name(values, seed)`."""
        study = load_study(self.study(text, **files))
        out = self.scratch / "out"
        plan = Plan([], {}, [])
        for workload, chosen in rows_of(study):
            values = values_of(workload, chosen)
            for seed in study.seeds or [None]:
                plan.points.append(Point(values, seed, "tiny", {}, [], {}, key=name(values, seed)))
                folder = out / "points" / plan.points[-1].key
                folder.mkdir(parents=True, exist_ok=True)
                write(study, folder, values, seed)
        table = Table(study, plan, out)
        table.write()
        return study, table

    def table(self, folder):
        """The lines of table.csv as dictionaries of text."""
        lines = (folder / "table.csv").read_text(encoding="utf-8").splitlines()
        header = lines[0].split(",")
        return [dict(zip(header, line.split(","))) for line in lines[1:]]


def results(folder):
    """The result.json of each point below a results folder, by point."""
    return {path.parent.name: json.loads(path.read_text(encoding="utf-8"))
            for path in sorted(folder.glob("points/*/result.json"))}
