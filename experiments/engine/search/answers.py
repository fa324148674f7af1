"""Explains the result of a search: why the neighbours of the chosen point are not chosen, how much each axis changes each objective,
and which weight of a workload would change the choice."""
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..expressions import as_text
from ..units import digits
from .engine import Search
from .intervals import Interval
from .pareto import front_of
from .problem import Objective

UNKNOWN = "not known"
WEIGHTS = [2.0**power for power in range(1, 9)]


@dataclass
class Neighbour:
    axis: str
    value: Any
    verdict: str
    reason: str


@dataclass
class Sensitivity:
    """The effect of an axis on an objective, from pairs of points that differ in that axis alone: the values of the axis at which the
    objective is least and most, and by how many per cent more it is there. `least`, `most`: the changes of single pairs, from the
    lower to the higher value of the axis, in per cent."""
    axis: str
    metric: str
    low_at: Any
    high_at: Any
    percent: float
    pairs: int
    least: float
    most: float


@dataclass
class Turn:
    """A factor on the weight of a workload that changes the choice. Infinite or 0: no factor tried upwards or downwards does."""
    workload: str
    factor: float
    chosen: str


def status_of(search: Search, number: int) -> str:
    """The status of a candidate: front, beaten, missed or failed if measured; else what discarded it, or left."""
    if number in search.front():
        return "front"
    if number in search.measured:
        return "failed" if search.measured[number].failed else "missed" if search.missed(number) else "beaten"
    return f"discarded: {search.fates[number].stage}" if number in search.fates else "left"


def neighbours_of(search: Search, number: int) -> list[Neighbour]:
    """The candidates one step away on each axis, in both directions."""
    origin = search.space.candidates[number]
    rejected = {candidate.choice: why for candidate, why in search.space.rejected}
    groups = search.factor_names
    found = []
    for place, size in enumerate(search.space.sizes):
        for step in (-1, 1):
            choice = (*origin.choice[:place], origin.choice[place] + step, *origin.choice[place + 1:])
            if not 0 <= choice[place] < size:
                continue
            axis, value = " and ".join(groups[place]), search.value_at(place, choice[place])
            other = search.space.numbers.get(choice)
            if other is None:
                found.append(Neighbour(axis, value, "rejected", rejected.get(choice, "a constraint does not hold")))
            elif other != number:
                found.append(Neighbour(axis, value, status_of(search, other), why(search, other, number)))
    return found


def why(search: Search, number: int, against: int | None = None) -> str:
    """The reason why a candidate is not the choice; `against`: the chosen one."""
    if number in search.fates and not (number in search.measured and against is not None and search.fits(number)):
        return search.fates[number].reason
    if number not in search.measured:
        return "it has not run: the budget was spent; " + ranges(search, number)
    if against is None or number == against:
        return "it is on the front"
    said = []
    for objective, mine, its in zip(search.problem.objectives, search.objectives_of(number), search.objectives_of(against)):
        word = "the same" if mine == its else "better" if mine < its else "worse"
        said.append(f"{objective.metric} {digits(mine * objective.sign)}{search.problem.unit(objective.metric)} against "
                    f"{digits(its * objective.sign)} ({word})")
    return "; ".join(said)


def ranges(search: Search, number: int) -> str:
    known = [(search.keys[key].metric, interval_text(search.interval(key, number))) for key in search.keys]
    return "; ".join(f"{metric} {text}{search.problem.unit(metric) if text != UNKNOWN else ''}" for metric, text in known)


def interval_text(known: Interval) -> str:
    if known.is_exact:
        return digits(known.low)
    low, high = math.isfinite(known.low), math.isfinite(known.high)
    return f"{digits(known.low)} to {digits(known.high)}" if low and high else f"at least {digits(known.low)}" if low else \
        f"at most {digits(known.high)}" if high else UNKNOWN


def sensitivity_of(search: Search) -> list[Sensitivity]:
    """The sensitivity of each objective to each axis, by values that are measured, or known without a run."""
    found = []
    for objective in search.problem.objectives:
        values = {choice: value for choice, number in search.space.numbers.items() if (value := _known(search, objective.key, number)) is not None}
        for place in range(len(search.space.sizes)):
            pairs = _pairs(place, {choice: (search.space.numbers[choice], value) for choice, value in values.items()})
            if not pairs:
                continue
            levels = _levels(pairs)
            low, high = min(levels, key=lambda step: levels[step]), max(levels, key=lambda step: levels[step])
            changes = [100 * math.expm1(change) for _, _, change in pairs]
            found.append(Sensitivity(" and ".join(search.factor_names[place]), objective.metric, search.value_at(place, low), search.value_at(place, high),
                                     100 * math.expm1(levels[high] - levels[low]), len(pairs), min(changes), max(changes)))
    return sorted(found, key=lambda one: (one.metric, -one.percent))


def _known(search: Search, key: str, number: int) -> float | None:
    """The value of a candidate if it is measured, or known without a run, and positive."""
    known = search.interval(key, number)
    value = search.value_of(key, number) if number in search.measured else known.low if known.is_exact else None
    return value if value is not None and 0 < value < math.inf else None


def _pairs(place: int, values: dict[tuple[int, ...], tuple[int, float]]) -> list[tuple[int, int, float]]:
    """Pairs of neighbours among the candidates that differ in axis `place` alone: both steps, and the logarithm of the change."""
    rows: dict[tuple[int, ...], dict[int, tuple[int, float]]] = {}
    for choice, known in values.items():
        rows.setdefault((*choice[:place], *choice[place + 1:]), {})[choice[place]] = known
    found = {}
    for row in rows.values():
        steps = sorted(row)
        for low, high in zip(steps, steps[1:]):
            if row[low][0] != row[high][0]:  # an idle axis sets nothing, so its values are one candidate
                found[row[low][0], row[high][0]] = (low, high, math.log(row[high][1] / row[low][1]))
    return list(found.values())


def _levels(pairs: list[tuple[int, int, float]]) -> dict[int, float]:
    """The logarithm of the objective at each step of an axis, up to a constant, that fits the changes of all pairs best; of steps that
    no pairs connect, those with the most pairs."""
    groups: list[set[int]] = []
    for low, high, _ in pairs:
        joined = {low, high}.union(*(group for group in groups if group & {low, high}))
        groups = [group for group in groups if not group & joined] + [joined]
    steps = sorted(max(groups, key=lambda group: (sum(low in group for low, _, _ in pairs), sorted(group))))
    inside = [pair for pair in pairs if pair[0] in steps]
    matrix = np.zeros((len(inside), len(steps)))
    for line, (low, high, _) in enumerate(inside):
        matrix[line, steps.index(low)], matrix[line, steps.index(high)] = -1, 1
    levels = np.linalg.lstsq(matrix, np.asarray([change for _, _, change in inside]), rcond=None)[0]
    return {step: round(float(level), 12) for step, level in zip(steps, levels)}


def turns_of(search: Search) -> list[Turn]:
    """The weights of workloads that would change the choice among measured candidates; only for joint searches of several workloads."""
    workloads = [workload.name for workload in search.problem.study.workloads]
    before = search.chosen()
    if not search.problem.joint or len(workloads) < 2 or before is None:
        return []
    found = []
    weights = dict(search.problem.weights)
    for workload in workloads:
        for sign in (1, -1):
            turn = Turn(workload, math.inf if sign > 0 else 0.0, "")
            for size in WEIGHTS:
                search.problem.weights = weights | {workload: weights[workload] * size**sign}
                chosen = _chosen_again(search)
                if chosen is not None and chosen != before:
                    turn = Turn(workload, size**sign, search.space.candidates[chosen].title)
                    break
            found.append(turn)
    search.problem.weights = weights
    return found


def _chosen_again(search: Search) -> int | None:
    fitting = [number for number in search.history if search.fits(number)]
    front = [fitting[place] for place in front_of([search.objectives_of(number) for number in fitting])]
    return min(front, key=lambda number: (search.objectives_of(number), number), default=None)


def explained(search: Search, number: int) -> str:
    """A text with everything that is known of a candidate."""
    candidate = search.space.candidates[number]
    lines = [candidate.title + (f" (of {search.space.title})" if search.space.title else ""), f"    {status_of(search, number)}: {why(search, number)}"]
    for key, wanted in search.keys.items():
        known, value = search.interval(key, number), search.value_of(key, number)
        text = f"    {key}{'' if isinstance(wanted, Objective) else ' ' + digits(search.limit_end(wanted, number))}: " + (
            f"measured {digits(value)}, " if value is not None else "") + f"without a run {interval_text(known)}"
        reasons = [reason for reason in dict.fromkeys((known.why_low, known.why_high)) if reason]
        lines.append(text + search.problem.unit(wanted.metric) + (f" ({'; '.join(reasons)})" if reasons else ""))
    for rung, measured in search.cheap.items():
        if number in measured:
            lines.append(f"    {rung}: " + ", ".join(f"{metric} {', '.join(f'{workload} {digits(value)}' for workload, value in values.items())}"
                                                   for metric, values in measured[number].values.items() if metric in search.problem.wanted))
    return "\n".join(lines)


def matching(searches: list[Search], text: str) -> list[tuple[Search, int | str]]:
    """The candidates that match a text like "channels=4, ways=2, workload=seqread"; for a rejected one, a text with the reason."""
    wanted = dict(part.split("=", 1) for part in (piece.strip() for piece in text.split(",")) if "=" in part)
    wanted = {name.strip(): value.strip() for name, value in wanted.items()}
    found: list[tuple[Search, int | str]] = []
    for search in searches:
        for candidate in search.space.candidates:
            if _matches(search, candidate.values, wanted):
                found.append((search, candidate.number))
        for candidate, reason in search.space.rejected:
            if _matches(search, candidate.values, wanted):
                found.append((search, f"{candidate.title}\n    rejected: {reason}"))
    return found


def _matches(search: Search, values: dict[str, Any], wanted: dict[str, str]) -> bool:
    known = search.space.context | values
    return all(as_text(known.get(name)) == value for name, value in wanted.items())
