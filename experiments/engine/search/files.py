"""Writes the tables of a search: discarded candidates with reasons, the runs in order, fronts, and the numbers for a README."""
import math
import pathlib
from collections import Counter
from typing import Any

from flashloom.whole_file import write_whole

from ..kept import HEADER, SUMMARY
from ..tables import column, write_csv
from .answers import Neighbour, Sensitivity, interval_text, neighbours_of, sensitivity_of, status_of, turns_of
from .engine import Round, Search
from .problem import Problem

STAGES = ("constraint", "refused", "bound", "untimed", "sampled")


def write_files(problem: Problem, done: Round, out: pathlib.Path) -> None:
    """Writes candidates.csv, discarded.csv, trials.csv, front.csv, neighbours.csv, sensitivity.csv, summary.csv."""
    axes = [axis.name for axis in problem.study.axes]
    places = [*(["workload"] if "workload" in problem.each else []), *axes]
    metrics = [metric for metric in problem.study.metrics if metric.name in problem.wanted]
    columns = [column(metric.name, metric.unit) for metric in metrics]

    def cells(search: Search, values: dict[str, Any]) -> list[Any]:
        known = search.space.context | values
        return [known.get(name) for name in places]

    def measured(search: Search, number: int) -> list[float | None]:
        found = {wanted.metric: search.value_of(key, number) for key, wanted in reversed(search.keys.items())}
        return [found[metric.name] for metric in metrics]

    candidates, discarded, trials, front = [], [], [], []
    for search in done.searches:
        for candidate, reason in search.space.rejected:
            discarded.append([*cells(search, candidate.values), "constraint", "", reason])
        for candidate in search.space.candidates:
            number = candidate.number
            known = [interval_text(search.interval(key, number)) for key in search.keys]
            candidates.append([*cells(search, candidate.values), status_of(search, number), *measured(search, number), *known])
            if number in search.fates:
                fate = search.fates[number]
                discarded.append([*cells(search, candidate.values), fate.stage, fate.metric, fate.reason])
        for number in search.front():
            front.append([*cells(search, search.space.candidates[number].values), *measured(search, number)])
    for search, number, runs in done.order:
        trials.append([runs, *cells(search, search.space.candidates[number].values), status_of(search, number), *measured(search, number),
                       " ".join(search.measured[number].points)])
    write_csv(out / "candidates.csv", [*places, "status", *columns, *(f"{key} known before" for key in done.searches[0].keys)], candidates)
    write_csv(out / "discarded.csv", [*places, "by", "metric", "reason"], discarded)
    write_csv(out / "trials.csv", ["runs", *places, "status", *columns, "points"], trials)
    write_csv(out / "front.csv", [*places, *columns], front)
    write_csv(out / "neighbours.csv", ["search", "axis", "value", "verdict", "reason"],
              ([search.space.title, one.axis, one.value, one.verdict, one.reason] for search in done.searches for one in neighbours(search)))
    write_csv(out / "sensitivity.csv", ["search", "metric", "axis", "least_at", "most_at", "percent", "pairs", "pair_least_percent", "pair_most_percent"],
              ([search.space.title, one.metric, one.axis, one.low_at, one.high_at, one.percent, one.pairs, one.least, one.most]
               for search in done.searches for one in sensitivity(search)))
    write_csv(out / SUMMARY, HEADER, summary(problem, done))


def neighbours(search: Search) -> list[Neighbour]:
    chosen = search.chosen()
    return neighbours_of(search, chosen) if chosen is not None else []


def sensitivity(search: Search) -> list[Sensitivity]:
    return sensitivity_of(search)


def counts_of(search: Search) -> dict[str, int]:
    """The numbers of points, of those that each stage discarded, of those that ran, and of those left."""
    stages = Counter(fate.stage for number, fate in search.fates.items() if number not in search.measured)
    return {"points": len(search.space.candidates) + len(search.space.rejected), "constraint": len(search.space.rejected),
            **{stage: stages[stage] for stage in STAGES[1:]}, "ran": len(search.history), "left": len(search.alive)}


def summary(problem: Problem, done: Round) -> list[list[Any]]:
    """The lines of summary.csv, the source of a README's numbers: the choice of each search, and counts of each and of all."""
    lines: list[list[Any]] = []
    metrics = {metric.name: metric for metric in problem.study.metrics}
    for search in done.searches:
        row = search.space.title or "all"
        chosen = search.chosen()
        if chosen is not None:
            candidate = search.space.candidates[chosen]
            lines += [["chosen", row, name, value] for name, value in candidate.values.items() if name not in candidate.idle]
            for name, metric in metrics.items():
                ways = {one.metric: (one.over, one.best) for one in [*problem.limits, *problem.objectives]}
                over, best = ways.get(name, ("mean", "largest"))
                value = search.measured[chosen].combined(problem, name, over, best) if metric.unit != "text" else None
                if value is not None:
                    lines.append(["chosen", row, column(name, metric.unit), value])
        lines += [["counts", row, name, value] for name, value in counts_of(search).items()]
        lines.append(["counts", row, "proved", int(search.is_proved)])
        lines += [["turns", f"{row}, {turn.workload} {'more' if turn.factor > 1 else 'less'}", "factor", turn.factor]
                  for turn in turns_of(search) if 0 < turn.factor < math.inf]
        for one in sensitivity(search):
            lines += [["sensitivity", f"{row}, {one.axis}", column(one.metric, "%"), one.percent],
                      ["sensitivity", f"{row}, {one.axis}", f"{one.metric}_pairs", one.pairs]]
    total = Counter[str]()
    for search in done.searches:
        total.update(counts_of(search))
    lines += [["total", "all", name, value] for name, value in total.items()]
    lines += [["total", "all", "searches", len(done.searches)], ["total", "all", "proved", sum(search.is_proved for search in done.searches)],
              ["total", "all", "runs", done.runs],
              ["total", "all", "cheap_runs", done.cheap_runs]]
    return lines


def write_devices(search: Search, text: str, out: pathlib.Path, name: str) -> pathlib.Path:
    """Writes the device file of the choice, to which the page links."""
    folder = out / "chosen"
    folder.mkdir(exist_ok=True)
    write_whole(folder / f"{name}.toml", f"# {search.problem.study.title}: {search.space.title or 'the choice'}\n{text}")
    return folder / f"{name}.toml"
