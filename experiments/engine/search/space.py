"""Makes the points of a space: all combinations of the design axes that the constraints allow; reports contradicting constraints."""
import itertools
import math
from dataclasses import dataclass, field
from typing import Any

from ..errors import StudyError, shown, wrong
from ..expressions import as_text
from ..points import StudyRow
from ..study import AxisValue, Workload
from .problem import Problem, evaluated

MAX_POINTS = 100_000


@dataclass
class Candidate:
    """A point of the space; `rows` are its runs, one for each workload."""
    number: int
    values: dict[str, Any]  # by name of each design axis
    place: tuple[float, ...]  # coordinates, each from 0 to 1
    rows: list[StudyRow] = field(repr=False, default_factory=list)
    idle: set[str] = field(default_factory=set)  # axes whose condition does not hold
    choice: tuple[int, ...] = ()  # index of the value of each axis; zipped axes are one

    @property
    def title(self) -> str:
        return ", ".join(f"{name} {as_text(value)}" for name, value in self.values.items() if name not in self.idle)


@dataclass
class Space:
    """The space of one search: the fixed values of the axes of `each`, the candidates, and the points that constraints reject, with the
    reason."""
    context: dict[str, Any]
    candidates: list[Candidate]
    rejected: list[tuple[Candidate, str]]
    sizes: tuple[int, ...] = ()  # number of values of each axis
    numbers: dict[tuple[int, ...], int] = field(default_factory=dict)  # candidates by choice; choices that differ in idle axes share one

    @property
    def title(self) -> str:
        return ", ".join(f"{name} {as_text(value)}" for name, value in self.context.items())

    def all_values(self, candidate: Candidate) -> dict[str, Any]:
        return self.context | candidate.values


def spaces_of(problem: Problem) -> list[Space]:
    """A space for each combination of the axes of `each`. Throws StudyError if a space is empty or too large."""
    study = problem.study
    axes = {axis.name: axis for axis in study.axes}
    given: list[list[tuple[str, Any]]] = [
        [("workload", workload.name) for workload in study.workloads] if name == "workload" else [(name, value.value) for value in axes[name].values]
        for name in problem.each]
    factors = factors_of(problem)
    size = math.prod(len(factor) for factor in factors)
    if size > MAX_POINTS:
        raise StudyError(f"{shown(problem.file)}: axis: the space has {size} points; at most {MAX_POINTS} (fewer values, or zip axes)")
    return [_space(problem, dict(context), factors) for context in itertools.product(*given)]


def factors_of(problem: Problem) -> list[list[list[tuple[str, AxisValue]]]]:
    """The design axes with their values; zipped axes are one."""
    axes = {axis.name: axis for axis in problem.study.axes}
    zipped = {name: group for group in problem.study.zips for name in group}
    factors, done = [], set()
    for name in problem.design_axes:
        if name in done:
            continue
        group = zipped.get(name, [name])
        for member in group:
            if member in problem.each:
                raise StudyError(f"{shown(problem.file)}: zip: {member} is of `each`, and {name} is searched over")
        done |= set(group)
        factors.append([[(member, axes[member].values[i]) for member in group] for i in range(len(axes[name].values))])
    return factors


def _space(problem: Problem, context: dict[str, Any], factors: list[list[list[tuple[str, AxisValue]]]]) -> Space:
    space = Space(context, [], [], tuple(len(factor) for factor in factors))
    seen: dict[tuple[Any, ...], Candidate | None] = {}
    rejects = dict.fromkeys(problem.constraints, 0)
    for choice in itertools.product(*(range(len(factor)) for factor in factors)):
        chosen = {name: value for factor, number in zip(factors, choice) for name, value in factor[number]}
        candidate = _candidate(problem, context, chosen, choice, factors)
        key = tuple((name, as_text(value)) for name, value in candidate.values.items() if name not in candidate.idle)
        if key in seen:
            if (same := seen[key]) is not None:
                space.numbers[choice] = same.number
            continue
        broken = [name for name, constraint in problem.constraints.items()
                  if not evaluated(problem, f"constraint.{name}", constraint, _seen_by(problem, context, candidate.values))]
        for name in broken:
            rejects[name] += 1
        if broken:
            seen[key] = None
            space.rejected.append((candidate, f"{broken[0]}: {problem.constraints[broken[0]].text} does not hold"))
        else:
            seen[key] = candidate
            candidate.number = space.numbers[choice] = len(space.candidates)
            space.candidates.append(candidate)
    if not space.candidates:
        raise _contradiction(problem, space, rejects)
    return space


def _seen_by(problem: Problem, context: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """The values that a constraint may use; in a joint search `workload` is the first one."""
    return {"workload": problem.study.workloads[0].name} | context | values


def _candidate(problem: Problem, context: dict[str, Any], chosen: dict[str, AxisValue], choice: tuple[int, ...],
               factors: list[list[list[tuple[str, AxisValue]]]]) -> Candidate:
    axes = {axis.name: axis for axis in problem.study.axes}
    values = {name: value.value for name, value in chosen.items()}
    idle = {name for name, condition in problem.when.items()
            if name in values and not evaluated(problem, f"axis.{name}.when", condition, _seen_by(problem, context, values))}
    for name in idle:  # an idle axis sets nothing, so all its values are the same point
        values[name] = axes[name].values[0].value
    rows: list[StudyRow] = []
    for workload in problem.study.workloads:
        if context.get("workload", workload.name) != workload.name:
            continue
        row = []
        for axis in problem.study.axes:
            if axis.name in context:
                row.append((axis, next(value for value in axis.values if value.value == context[axis.name])))
            else:
                row.append((axis, AxisValue(values[axis.name]) if axis.name in idle else chosen[axis.name]))
        rows.append((workload, row))
    place = tuple(0.0 if any(name in idle for name, _ in factor[number]) or len(factor) == 1 else number / (len(factor) - 1)
                  for factor, number in zip(factors, choice))
    return Candidate(-1, values, place, rows, idle, choice)


def _contradiction(problem: Problem, space: Space, rejects: dict[str, int]) -> StudyError:
    """The error for an empty space: it names the one constraint that rejects all points, or counts what each rejects."""
    total = len(space.rejected)
    where = f" (of {space.title})" if space.title else ""
    alone = next((name for name, count in rejects.items() if count == total), None)
    if alone is not None:
        return wrong(problem.file, f"constraint.{alone}", f"\"{problem.constraints[alone].text}\" holds at none of the {total} points{where}")
    last = max(rejects, key=lambda name: rejects[name])
    return wrong(problem.file, f"constraint.{last}", f"the constraints contradict each other: no point is left of {total}{where}; rejected: " +
                 ", ".join(f"{name} {count}" for name, count in rejects.items()))


def workloads_of(problem: Problem, space: Space) -> list[Workload]:
    return [workload for workload in problem.study.workloads if space.context.get("workload", workload.name) == workload.name]
