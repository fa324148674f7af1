"""Runs the points of a search through the engine of the studies, and reuses its results."""
import dataclasses
import json
import math
import os
import pathlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..expressions import Template
from ..points import Plan, Point, Program, StudyRow, make_plan
from ..runner import CPU, Failure, Runner, cpu_seconds, is_whole
from ..study import Study
from ..tables import Table
from .problem import Problem, combined
from .space import Candidate

RESULT = ("result.json", "run.json", "result.sha256")  # copied in this order: a result counts once its checksum exists
FULL = "full"
OPTIONS = {"untimed": "--untimed", "sampled": "--sample"}


@dataclass
class Measured:
    """The results of a candidate's runs: each metric by workload, and their CPU time."""
    values: dict[str, dict[str, float]]
    cpu_s: float = 0.0
    failed: str = ""
    points: list[str] = field(default_factory=list)  # folders of results

    def combined(self, problem: Problem, metric: str, over: str, best: str) -> float | None:
        """A metric combined over the workloads; None if a workload has no value."""
        found = [(value, problem.weights[workload]) for workload, value in self.values.get(metric, {}).items()]
        if not found or any(not math.isfinite(value) for value, _ in found):
            return None
        return combined(over, best, [value for value, _ in found], [weight for _, weight in found])


class Evaluator:
    """Evaluates candidates through Snakemake. Results are in `out`; results of the studies beside it are copied from there."""

    def __init__(self, problem: Problem, program: Program, out: pathlib.Path, cores: int | None, profile: str | None, batch: int | None) -> None:
        self.problem = problem
        self.program = program
        self.out = out
        self.options = (cores, profile, batch)
        self.borrowed = 0
        self.ran = 0
        self.left_out: dict[str, str] = {}
        self.failures: list[Failure] = []

    def study_at(self, rung: str) -> Study:
        """The study for the runs of a rung."""
        study = self.problem.study
        if rung == FULL:
            return study
        return dataclasses.replace(study, workloads=[
            dataclasses.replace(workload, options=[*workload.options, Template(OPTIONS[rung])]) for workload in study.workloads])

    def rows_at(self, rung: str, rows: Sequence[StudyRow]) -> list[StudyRow]:
        workloads = {workload.name: workload for workload in self.study_at(rung).workloads}
        return [(workloads[workload.name], chosen) for workload, chosen in rows]

    def plan(self, rows: Sequence[StudyRow], rung: str = FULL) -> Plan:
        """The plan that a study makes for these rows."""
        return make_plan(self.study_at(rung), self.program, self.rows_at(rung, rows))

    def evaluate(self, wanted: Sequence[Candidate], rung: str) -> list[Measured]:
        """Runs the candidates, and returns the results in the same order."""
        rows = [row for candidate in wanted for row in candidate.rows]
        plan = self.plan(rows, rung)
        self.left_out |= plan.left_out
        study = self.study_at(rung)
        self._borrow(plan)
        runner = Runner(study, plan, self.program, self.out)
        if runner.missing:
            self.ran += len(runner.missing)
            runner.run(*self.options)
            self.failures += runner.failures()
        table = Table(study, plan, self.out)
        found, lines = [], iter(table.rows)
        for candidate in wanted:
            measured = Measured({})
            for workload, _ in candidate.rows:
                if workload.name in plan.left_out:
                    continue
                row = next(lines)
                measured.points += [point.key for point in row.points]
                if row.repetitions < len(row.points):
                    measured.failed = next((failure.said for failure in self.failures if failure.what == row.points[0].title), "a run failed")
                for name, value in row.values.items():
                    if isinstance(value, (int, float)) and not isinstance(value, bool):
                        measured.values.setdefault(name, {})[workload.name] = float(value)
            measured.cpu_s = math.fsum(self._cpu_s(key) for key in measured.points)
            found.append(measured)
        return found

    def _cpu_s(self, key: str) -> float:
        try:
            cost: dict[str, Any] = json.loads((self.out / "points" / key / "run.json").read_text(encoding="utf-8"))
            return float(cost.get("cpu_s", 0.0)) + float(cost.get("precondition_cpu_s", 0.0))
        except (OSError, ValueError):
            return cpu_seconds(self.out / "points" / key / CPU)  # a data sheet is many runs

    def _borrow(self, plan: Plan) -> None:
        """Copies results that a study beside this one has computed. Equal names mean equal results: a name is a hash of all that a result
        depends on."""
        others = [path for path in sorted(self.out.parent.glob("*/points")) if path.parent != self.out]
        for point in {point.key: point for point in plan.points}.values():
            here = self.out / "points" / point.key
            if is_whole(here):
                continue
            there = next((path / point.key for path in others if is_whole(path / point.key)), None)
            if there is not None:
                self.borrowed += 1
                here.mkdir(parents=True, exist_ok=True)
                for name in RESULT:
                    if (there / name).exists():
                        shutil.copy2(there / name, here / name)
            elif point.state:
                self._borrow_state(point, [path.parent for path in others])

    def _borrow_state(self, point: Point, others: list[pathlib.Path]) -> None:
        here = self.out / "states" / f"{point.state}.state"
        there = next((folder / "states" / here.name for folder in others if (folder / "states" / here.name).exists()), None)
        if there is not None and not here.exists():
            here.parent.mkdir(parents=True, exist_ok=True)
            _link(there, here)


def _link(source: pathlib.Path, target: pathlib.Path) -> None:
    """Makes a hard link, or a copy if the file system has no links. A link is safe since writers replace files instead of changing them."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
