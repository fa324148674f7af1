"""Least squares in coordinates between 0 and 1, with finite differences that suit a simulator."""
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from scipy import optimize, stats

from .keys import Key
from .measurements import Measurement
from .model import Chosen, Model

Array = "numpy.ndarray[Any, Any]"
FIRST_PLACES = 2  # a key, of the design that the search begins with
MOST_PLACES = 24
MOST_STEPS = 20  # of one search
SMALL = 0.02  # of a gain in the sum of squares: no interval sees it
POOR = 0.01  # probability of residuals as large, below which the model does not meet the measurements
STARTS = 5  # of the search, as long as what it finds is poor: it may have been a minimum that is not the least
LEAST_REACH = 1e-3  # of a step, in ranges


@dataclass
class Optimum:
    """The best place that was found: coordinates, residuals there (in standard deviations), their derivatives."""
    chosen: Chosen
    at: Any
    residuals: Any
    jacobian: Any

    @property
    def chi2(self) -> float:
        return float(self.residuals @ self.residuals)


class Residuals:
    """(model - measured) / measured / error, of each measurement."""

    def __init__(self, model: Model) -> None:
        problem = model.problem
        self.model = model
        self.keys: Sequence[Key] = problem.keys
        self.measured = numpy.array([measurement.value for measurement in problem.measurements])
        self.stated = numpy.array([0.01 if measurement.error is None else measurement.error for measurement in problem.measurements])
        self.sampling = numpy.zeros_like(self.stated)  # relative error of the model's own figures, from its seeds
        self.chosen: Chosen = {}
        self.seen: Callable[[Any, Any], None] = lambda deviations, errors: None  # is told of each better place
        self._least = numpy.inf

    @property
    def errors(self) -> Any:
        return numpy.hypot(self.stated, self.sampling)

    def learn_sampling(self, values: Any) -> None:
        """The scatter of seeds, from figures at many places: [place, seed, measurement]."""
        seeds = values.shape[1]
        if seeds > 1:
            relative = values / values.mean(axis=1, keepdims=True)
            self.sampling = numpy.sqrt(relative.var(axis=1, ddof=1).mean(axis=0) / seeds)

    def figures(self, places: Sequence[Any], measurements: Sequence[Measurement] | None = None) -> Any:
        """The model's, [place, seed, measurement]."""
        return self.model.values([(self.chosen, tuple(float(x) for x in place)) for place in places], measurements)

    def at(self, places: Sequence[Any]) -> Any:
        """[place, measurement]"""
        return (self.figures(places).mean(axis=1) / self.measured - 1) / self.errors

    def one(self, place: Any) -> Any:
        return self.at([place])[0]

    def see(self, there: Any) -> None:
        """The search has come to a place with these residuals."""
        if there @ there < self._least:
            self._least = float(there @ there)
            self.seen(there * self.errors, self.errors)

    @property
    def freedom(self) -> int:
        """Figures that are left beside the keys; one with values to try counts as one that moves."""
        return len(self.measured) - len(self.keys) - len(self.model.problem.choices)

    def slope(self, place: Any, there: Any) -> Any:
        """Derivatives by differences to one side, the roomier one; `there`: the residuals at the place. Half the runs of jacobian()."""
        ends, spans = stepped(self.keys, place, self.model.problem.step)
        return ((self.at(ends) - there) / numpy.array(spans)[:, None]).T

    def jacobian(self, place: Any) -> Any:
        """By central differences; at the ends of a range one-sided ones."""
        ends, spans = [], []
        for number, key in enumerate(self.keys):
            step = key.step(self.model.problem.step)
            low, high = numpy.array(place, dtype=float), numpy.array(place, dtype=float)
            low[number] = max(0.0, place[number] - step)
            high[number] = min(1.0, place[number] + step)
            ends += [low, high]
            spans.append(moved(key, low[number], high[number]))
        found = self.at(ends)
        return numpy.array([(found[2 * number + 1] - found[2 * number]) / span for number, span in enumerate(spans)]).T


def stepped(keys: Sequence[Key], place: Any, step: float) -> tuple[list[Any], list[float]]:
    """The place with one key after the other moved a step to its roomier side, and how far each key went."""
    ends, spans = [], []
    for number, key in enumerate(keys):
        end = numpy.array(place, dtype=float)
        end[number] += key.step(step) * (1 if place[number] < 0.5 else -1)
        ends.append(end)
        spans.append(moved(key, place[number], end[number]))
    return ends, spans


def moved(key: Key, low: float, high: float) -> float:
    """Between two coordinates, as far as the key itself goes: it may be whole numbers."""
    return key.coordinate(key.value(high)) - key.coordinate(key.value(low))


def within(residuals: Any, jacobian: Any, at: Any, low: Any, high: Any) -> Any:
    """The place between `low` and `high` with the least squares of what is linear around `at`; of several the nearest."""
    if not len(at):
        return at
    # A weak pull to `at` keeps what the data do not tell where it is.
    pull = 1e-4 * max(1.0, float(numpy.abs(jacobian).max()))
    matrix = numpy.vstack([jacobian, pull * numpy.eye(len(at))])
    target = numpy.concatenate([-residuals, numpy.zeros(len(at))])
    room = numpy.maximum(high - low, 1e-12)
    step = optimize.lsq_linear(matrix, target, bounds=(low - at - 1e-12, low - at + room), method="bvls" if len(at) < 12 else "trf").x
    return numpy.clip(at + step, low, high)


def search(residuals: Residuals, begin: Any) -> Optimum:
    """Gauss and Newton's steps from a place, each the bounded least squares (SciPy's lsq_linear) of what is linear there, no longer than
    what has proved to gain. An optimum may lie on a bound, which methods that stay inside of them only creep to."""
    at = numpy.array(begin, dtype=float)
    there = residuals.one(at)
    if not len(at):
        return Optimum(residuals.chosen, at, there, numpy.zeros((len(residuals.measured), 0)))
    reach, slope = 1.0, residuals.slope(at, there)
    for _ in range(MOST_STEPS):
        place = within(there, slope, at, numpy.maximum(0, at - reach), numpy.minimum(1, at + reach))
        linear = there + slope @ (place - at)
        hoped = float(there @ there - linear @ linear)
        if hoped < SMALL:
            break
        found = residuals.one(place)
        gain = float(there @ there - found @ found)
        if gain < 0.25 * hoped:
            reach = 0.3 * float(numpy.abs(place - at).max())
        if gain > 0:
            at, there = place, found
            residuals.see(there)
            slope = residuals.slope(at, there)
        elif reach < LEAST_REACH:
            break
    return Optimum(residuals.chosen, at, there, residuals.jacobian(at))


def start_of(keys: Sequence[Key]) -> Any:
    """Where the device is; in the middle of a range that it lies outside of."""
    return numpy.array([0.5 if key.start is None else key.coordinate(key.start) for key in keys])


def first_places(keys: Sequence[Key]) -> list[Any]:
    """The start, and a Latin hypercube."""
    start = start_of(keys)
    count = min(MOST_PLACES, FIRST_PLACES * len(keys))
    if not count:
        return [start]
    return [start, *stats.qmc.LatinHypercube(len(keys), seed=1).random(count)]


def solve(model: Model, tell: Callable[[str], None], seen: Callable[[Any, Any], None]) -> tuple[Optimum, list[Optimum], Residuals]:
    """The best place of all, the best for each choice, and the residuals as they are weighed. `seen` is told of the relative deviations
    at each better place, and of their errors. Throws FlashloomError."""
    residuals = Residuals(model)
    residuals.seen = seen
    optima = []
    for chosen in choices(model.problem.choices):
        residuals.chosen = chosen
        places = first_places(residuals.keys)
        if not optima:
            residuals.learn_sampling(residuals.figures(places))
        order = numpy.argsort((residuals.at(places) ** 2).sum(axis=1))
        found = [search(residuals, places[int(order[0])])]
        for number in order[1:STARTS]:
            if model.problem.stated and probability(min(one.chi2 for one in found), residuals.freedom) >= POOR:
                break
            found.append(search(residuals, places[int(number)]))
        optima.append(min(found, key=lambda one: one.chi2))
        tell(f"{', '.join(f'{key} {value}' for key, value in chosen.items()) or 'search'}: sum of squares {optima[-1].chi2:.4g} "
             f"after {model.done} runs")
    best = min(optima, key=lambda one: one.chi2)
    residuals.chosen = best.chosen
    return best, optima, residuals


def probability(chi2: float, freedom: int) -> float:
    """Of residuals as large as these, if model and errors are right. With as many keys as figures there should be none, unless ranges
    or the model are in the way; then as if one degree of freedom was left."""
    return float(stats.chi2.sf(chi2, max(1, freedom)))


def choices(keys: Sequence[Key]) -> list[Chosen]:
    """All combinations of the values to try."""
    found: list[dict[str, Any]] = [{}]
    for key in keys:
        found = [one | {key.path: value} for one in found for value in key.values]
    return list(found)
