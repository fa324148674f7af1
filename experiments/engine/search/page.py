"""Writes the page of a search: the report of a study over the points that ran, plus the choice, whether it is proved, and which points
were discarded and why."""
import dataclasses
import pathlib
from typing import Any

from ..expressions import as_text
from ..figures import draw_figures
from ..page_figures import chart_of
from ..page_tables import cell_of
from ..points import Point, Program
from ..report import Extra, svg_of, write_report
from ..runner import Failure
from ..units import digits
from .answers import turns_of
from .designs import VERDICT, Convergence, Designs
from .engine import Round, Search
from .files import counts_of, neighbours, sensitivity
from .parallel import parallel_coordinates
from .problem import Problem

MOST_DISCARDED = 2000  # upper limit of lines on the page; discarded.csv has all
# What became of points, by the names of counts_of.
FATES = {"constraint": "excluded by a constraint", "refused": "refused by the program", "bound": "discarded by a bound",
         "untimed": "discarded by the untimed run", "sampled": "discarded by the sampled run", "ran": "ran", "left": "left that may be better"}


def write_page(problem: Problem, program: Program, rounds: dict[str, Round], points: dict[str, Point], devices: dict[str, str],
               out: pathlib.Path, failures: list[Failure], root: pathlib.Path, left_out: dict[str, str], quick: bool) -> pathlib.Path:
    """Writes the page. `rounds`: the search, then the round to compare with, if any; `devices`: by title of each search, the path of its
    choice's device file."""
    done = next(iter(rounds.values()))
    table = Designs(problem, done.searches, points, out)
    table.write()
    drawn = draw_figures(table.study, table, [], root) if table.rows else []
    curve = Convergence(problem, rounds, out)
    draw_figures(curve.study, curve, [], root)
    shown = curve.study.figures[0]
    extra = {"searches": [_search(search, devices.get(search.space.title, "")) for search in done.searches], "told": _told(done),
             "broken": [f"{search.space.candidates[one.number].title}: {one.metric} measured {digits(one.value)}, known before: "
                        f"{digits(one.interval.low)} to {digits(one.interval.high)}" for search in done.searches for one in search.broken],
             "parallel": parallel_coordinates(table.study, table.rows, [*table.study.axis_names, *problem.wanted], VERDICT),
             "convergence": svg_of(out / "figures" / "convergence.svg", "convergence"), "curve": shown, "problem": problem,
             "discarded": _discarded(done), "wanted": [f"{one.metric}: the {one.best}" for one in problem.objectives] + [one.text for one in problem.limits]}
    study = dataclasses.replace(table.study, workloads=problem.study.workloads if not problem.joint else problem.study.workloads[:1])
    return write_report(study, table, program, drawn, [], failures, left_out, quick, extra=Extra("search.html.j2", {shown.name: chart_of(curve.study, shown, curve)}, extra))


def _search(search: Search, device: str) -> dict[str, Any]:
    chosen = search.chosen()
    found: dict[str, Any] = {"title": search.space.title or "The choice", "proved": search.is_proved, "left": len(search.alive), "device": device, "counts": counts_of(search),
                             "chosen": search.space.candidates[chosen].title if chosen is not None else "", "front": len(search.front()),
                             "values": [], "neighbours": neighbours(search), "sensitivity": [
                                 [cell_of(one.metric), cell_of(one.axis), *(cell_of(at if one.percent else "") for at in (one.low_at, one.high_at)),
                                  cell_of(one.percent), cell_of(one.pairs), cell_of(one.least), cell_of(one.most)] for one in sensitivity(search)],
                             "turns": [{"workload": turn.workload, "factor": digits(turn.factor), "more": turn.factor > 1, "chosen": turn.chosen} for turn in turns_of(search)]}
    if chosen is not None:
        for key in search.keys:
            value = search.value_of(key, chosen)
            if value is not None:
                metric = search.keys[key].metric
                found["values"].append(f"{metric} {digits(value)}{search.problem.unit(metric)}")
        found["values"] = list(dict.fromkeys(found["values"]))
    return found


def _told(done: Round) -> str:
    """What became of all points, as a sentence."""
    totals: dict[str, int] = {}
    for search in done.searches:
        for name, value in counts_of(search).items():
            totals[name] = totals.get(name, 0) + value
    return f"Of {totals['points']} points: " + ", ".join(f"{totals[name]} {said}" for name, said in FATES.items() if totals[name]) + "."


def _discarded(done: Round) -> list[list[str]]:
    """(search, point, by, reason)."""
    lines = []
    for search in done.searches:
        lines += [[search.space.title, candidate.title, "constraint", reason] for candidate, reason in search.space.rejected]
        lines += [[search.space.title, search.space.candidates[number].title, fate.stage, fate.reason] for number, fate in sorted(search.fates.items())]
    return [[as_text(cell) for cell in line] for line in lines[:MOST_DISCARDED]]
