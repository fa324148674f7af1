"""Presents the measured points of a search as the table of a study, so that the code for studies makes its page and figures."""
import dataclasses
import itertools
import math
import pathlib
from typing import Any

from ..expressions import Expression
from ..figure_reader import Figure
from ..points import Point
from ..study import Axis, AxisValue, Metric, Study
from ..tables import Row, Table, write_csv
from .answers import status_of
from .engine import Round, Search, quality, reference_of
from .pareto import Point as Place
from .problem import Problem

MOST_PANELS = 8
VERDICT = "verdict"


class Designs(Table):  # pylint: disable=super-init-not-called
    """A table with a row for each measured candidate: its axes, its metrics combined over workloads, its verdict."""

    def __init__(self, problem: Problem, searches: list[Search], points: dict[str, Point], out: pathlib.Path) -> None:  # pylint: disable=super-init-not-called
        self.study = study_of_designs(problem)
        self.out = out
        self.sampled = None
        self.results = {}
        self.rows = []
        for search in searches:
            for number in search.history:
                runs = [points[key] for key in search.measured[number].points]
                self.results |= dict.fromkeys([run.key for run in runs], {} if not search.measured[number].failed else None)
                values = search.space.all_values(search.space.candidates[number]) | _metrics(problem, search, number)
                self.rows.append(Row(values | {VERDICT: status_of(search, number)}, dict.fromkeys(values, None), runs, 1))


    def write(self) -> None:
        """Writes table.csv, and no other file."""
        columns = self.columns()
        write_csv(self.out / "table.csv", ["point", *(name for name, _ in columns)],
                  ([" ".join(point.key for point in row.points), *(self.cell(row, name) for _, name in columns)] for row in self.rows))


def _metrics(problem: Problem, search: Search, number: int) -> dict[str, Any]:
    """Every numeric metric, combined over the workloads as its objective or limit says, else by the mean."""
    ways = {one.metric: (one.over, one.best) for one in [*problem.limits, *problem.objectives]}
    found: dict[str, Any] = {}
    for metric in problem.study.metrics:
        over, best = ways.get(metric.name, ("mean", "largest"))
        if metric.unit != "text":
            found[metric.name] = search.measured[number].combined(problem, metric.name, over, best)
    return found


def study_of_designs(problem: Problem) -> Study:
    """The study to which the rows belong; its workloads are an axis only if each has a search of its own."""
    study = problem.study
    metrics = [dataclasses.replace(metric) for metric in study.metrics if metric.unit != "text"]
    metrics.append(Metric(VERDICT, "text", VERDICT))
    joint = dataclasses.replace(study, workloads=study.workloads[:1] if problem.joint else study.workloads, metrics=metrics, seeds=[])
    return dataclasses.replace(joint, figures=_figures(problem, joint))


def _figures(problem: Problem, study: Study) -> list[Figure]:
    """A figure with the front of each pair of objectives; a single objective is drawn against the first limit or the first axis."""
    panels = [name for name in problem.each if name in study.axis_names]
    size = math.prod(len(study.workloads) if name == "workload" else len(next(axis for axis in study.axes if axis.name == name).values)
                     for name in panels)
    panels = panels if size <= MOST_PANELS else panels[:1]
    found = []
    for one, other in itertools.combinations(problem.objectives, 2):
        caption = f"{_verbatim(study.metric(other.metric).label)} against {_verbatim(study.metric(one.metric).label)}: points that ran" + \
            f"{' and keep to the limits' if problem.limits else ''}, and their front."
        found.append(_figure(f"front-{one.metric}-{other.metric}".replace("_", "-"), caption, one.metric, other.metric, panels,
                             "pareto", [one.best, other.best]))
        if problem.limits:
            found[-1].rows = Expression(f"{VERDICT} != 'missed'")
    if not found:
        y = problem.objectives[0].metric
        x = next((limit.metric for limit in problem.limits if limit.metric != y), problem.design_axes[0])
        text = any(isinstance(value.value, str) for axis in study.axes if axis.name == x for value in axis.values)
        found.append(_figure("points", f"{problem.objectives[0].metric} of the points that ran.", x, y, panels, "bars" if text else "points", []))
    return found


def _verbatim(text: str) -> str:
    """A text within a caption, whose braces are no expressions."""
    return text.replace("{", "{{").replace("}", "}}")


def _figure(name: str, caption: str, x: str, y: str, panels: list[str], kind: str, best: list[str]) -> Figure:
    return Figure(name, caption, x, y, "", panels, None, "", "", kind, "study.gp", best=best)


class Convergence(Table):  # pylint: disable=super-init-not-called
    """A table of the front's hypervolume after each number of runs, as a share of the best known one; the mean over all searches."""

    def __init__(self, problem: Problem, rounds: dict[str, Round], out: pathlib.Path) -> None:  # pylint: disable=super-init-not-called
        names = list(rounds)
        axis = Axis("algorithm", "", "algorithm", [AxisValue(name) for name in names])
        runs = Axis("runs", "", "runs", [])
        figure = _figure("convergence", "How good the front is after so many runs: its hypervolume, as a share of that of all that is known here; the mean over all searches.",
                         "runs", "share", [], "lines", [])
        figure.series = "algorithm"
        self.study = dataclasses.replace(problem.study, axes=[axis, runs], workloads=problem.study.workloads[:1], seeds=[], figures=[figure],
                                         metrics=[Metric("share", "%", "hypervolume")])
        self.out = out
        self.sampled = None
        self.results = {}
        self.rows = [Row({"algorithm": name, "runs": count, "share": share}, {}, [], 1)
                     for name in names for count, share in enumerate(converged(list(rounds.values()), rounds[name]))]
        runs.values = [AxisValue(count) for count in sorted({row.values["runs"] for row in self.rows})]


def converged(rounds: list[Round], one: Round) -> list[float]:
    """The hypervolume of the front after each run of `one`, in per cent of that of all points of all `rounds`. A search in which no
    point keeps to the limits counts as 100 %."""
    totals = [0.0] * (one.runs + 1)
    for place, search in enumerate(one.searches):
        known = [other.searches[place].objectives_of(number) for other in rounds for number in other.searches[place].history
                 if other.searches[place].fits(number)]
        scale, worst = reference_of(search, known)
        best = quality(known, scale, worst)
        found: list[Place] = []
        steps = {0: 0.0}
        for mine, number, runs in one.order:
            if mine is search:
                if search.fits(number):
                    found.append(search.objectives_of(number))
                steps[runs] = 100.0 * quality(found, scale, worst) / best if best else 100.0
        last = 0.0 if best else 100.0
        for count in range(len(totals)):
            last = steps.get(count, last) if best else 100.0
            totals[count] += last
    return [total / len(one.searches) for total in totals]

