"""Computes what is known of a point before it runs: for each objective and limit, an interval that contains the measured value, with
the reason for each end."""
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import bound_workloads, bounds
from ..errors import StudyError, shown
from ..expressions import Expression, ExpressionError
from ..forms import of_device
from ..points import Point
from ..study import Study
from ..units import digits
from .devices import Devices
from .problem import Bounded, Problem, combined

Forms = Mapping[str, Callable[..., Any]]


@dataclass
class Interval:
    low: float
    high: float
    why_low: str = ""
    why_high: str = ""

    @property
    def is_exact(self) -> bool:
        return self.low == self.high

    def best(self, sense: str) -> float:
        """The best end."""
        return self.high if sense == "largest" else self.low

    def why(self, sense: str) -> str:
        return self.why_high if sense == "largest" else self.why_low

    def within(self, other: "Interval") -> "Interval":
        """The intersection of both intervals; each end keeps its reason."""
        low = self if self.low >= other.low else other
        high = self if self.high <= other.high else other
        return Interval(low.low, high.high, low.why_low, high.why_high)


UNKNOWN = Interval(-math.inf, math.inf)


def known_metrics(study: Study) -> set[str]:
    """Metrics that need no run: expressions of axes, closed forms and other such metrics."""
    known = {"workload", *(axis.name for axis in study.axes)}
    found = set()
    for metric in study.metrics:
        if metric.expression is not None and not metric.expression.fields and metric.expression.names <= known:
            known.add(metric.name)
            found.add(metric.name)
    return found


class Intervals:
    """The intervals of all metrics of objectives and limits. Without `devices` there are no closed forms, only the bounds that
    search.toml states."""

    def __init__(self, problem: Problem, devices: Devices | None) -> None:
        self.problem = problem
        self.devices = devices
        self.known = known_metrics(problem.study)
        self.needed = self._needed()

    def _needed(self) -> list[str]:
        """Known metrics in the order of the study, in which a metric comes before those that use it."""
        return [metric.name for metric in self.problem.study.metrics if metric.name in self.known]

    def of(self, values: dict[str, Any], points: Sequence[tuple[str, Point]]) -> dict[str, Interval]:
        """The intervals of a candidate, by key of objective or limit. `points` are its runs with their workloads; their intervals are
        combined as the objective or the limit says."""
        each = [self._of_workload(values, workload, point) for workload, point in points]
        weights = [self.problem.weights[workload] for workload, _ in points]
        found = {}
        for wanted in [*self.problem.objectives, *self.problem.limits]:
            mine = [one[wanted.metric] for one in each]
            found[wanted.key] = Interval(_joined(wanted.over, wanted.best, [one.low for one in mine], weights),
                                  _joined(wanted.over, wanted.best, [one.high for one in mine], weights),
                                  _said([one.why_low for one in mine]), _said([one.why_high for one in mine]))
        return found

    def _of_workload(self, values: dict[str, Any], workload: str, point: Point) -> dict[str, Interval]:
        names: dict[str, Any] = values | {"workload": workload}
        forms = of_device(lambda: self.devices.of(point) if self.devices else None)
        for name in self.needed:
            expression = self.problem.study.metric(name).expression
            assert expression is not None
            names[name] = self._value(f"metric.{name}", expression, names, forms)
        found, closed = {}, None
        for metric in self.problem.wanted:
            bounded = self.problem.bounds.get(metric)
            if metric in self.known:
                value = names[metric]
                found[metric] = UNKNOWN if value is None else Interval(float(value), float(value), f"known: {digits(float(value))}", f"known: {digits(float(value))}")
            elif bounded is None or not self.problem.use_bounds:
                found[metric] = UNKNOWN
            else:
                stated = Interval(self._end(bounded, "at_least", names, forms, -math.inf), self._end(bounded, "at_most", names, forms, math.inf),
                                  bounded.at_least.text if bounded.at_least else "", bounded.at_most.text if bounded.at_most else "")
                if bounded.of and closed is None:
                    closed = self._closed(point)
                found[metric] = stated.within(self._scaled(bounded, closed)) if bounded.of and closed else stated
        return found

    def _closed(self, point: Point) -> Mapping[str, Any]:
        """The closed-form bounds of one run; empty if its workload is unknown."""
        if self.devices is None or point.untimed:
            return {}
        configuration = self.devices.of(point)
        workload = bound_workloads.workload_of(point.arguments, point.written, configuration, self.devices.program.path)
        return bounds.of(configuration, workload) if workload else {}

    def _scaled(self, bounded: Bounded, closed: Mapping[str, Any]) -> Interval:
        bound = closed[bounded.of]
        return Interval(bound.low * bounded.scale, bound.high * bounded.scale, bound.reason_low, bound.reason_high)

    def _end(self, bounded: Bounded, word: str, names: dict[str, Any], forms: Forms, default: float) -> float:
        expression: Expression | None = getattr(bounded, word)
        value = None if expression is None else self._value(f"bound.{bounded.metric}.{word}", expression, names, forms)
        return default if value is None else float(value)

    def _value(self, key: str, expression: Expression, names: dict[str, Any], forms: Forms) -> Any:
        try:
            return expression.value(names, forms)
        except (ExpressionError, ValueError, KeyError) as error:
            raise StudyError(f"{shown(self.problem.file)}: {key}: {error}") from None


def _joined(over: str, best: str, values: Sequence[float], weights: Sequence[float]) -> float:
    """combined() for ends that may be infinite."""
    endless = [value for value in values if math.isinf(value)]
    if endless and over != "worst":
        return endless[0]
    return combined(over, best, values, weights)


def _said(reasons: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(reason for reason in reasons if reason))
