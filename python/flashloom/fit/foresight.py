"""Before a fit: which keys the measurements can tell, and which measurements would tell the others. By derivatives at the place that
the fit starts from, so as good as the model is linear."""
import dataclasses
import itertools
from typing import Any

import numpy

from .intervals import FILLS, covariance_of, quantile_of
from .keys import Key
from .measurements import Measurement, complete, directions
from .model import Model
from .problem import Problem
from .solve import Residuals, start_of, stepped

# What may be proposed.
KINDS = ("randread", "read", "randwrite", "write")
SIZES = ("4k", "16k", "128k")
DEPTHS = (1, 16, 64)
ERROR = 0.01  # of a proposed measurement, where none is stated


@dataclasses.dataclass
class Foreseen:
    """Of a key: half its expected interval as a share of its range, and what it would be with a further measurement."""
    key: Key
    half: float
    proposed: str = ""
    then: float = 1.0

    @property
    def told(self) -> bool:
        return 2 * self.half < FILLS

    @property
    def text(self) -> str:
        if not self.told:
            said = f"{self.key.name}: these measurements will not tell it"
            return said + (f"; a {self.proposed} would, to about {_width(self.key, self.then)}" if self.proposed else "")
        return f"{self.key.name}: will be told to about {_width(self.key, self.half)}"


def _width(key: Key, half: float) -> str:
    at = 0.5 if key.start is None else key.coordinate(key.start)
    low, high = key.value(at - half), key.value(at + half)
    return f"+-{(high - low) / 2:.2g} {'' if key.moves_as_one else key.unit}".rstrip()


def foresee(model: Model, count: int | None = None) -> list[Foreseen]:
    """What the first `count` measurements of the model's problem will tell of each key (None: all), and of those that they will not,
    which of the others would tell it best."""
    problem = model.problem
    residuals = Residuals(model)
    residuals.chosen = {key.path: key.values[0] for key in problem.choices}
    place = start_of(residuals.keys)
    ends, spans = stepped(residuals.keys, place, problem.step)
    values = residuals.figures([place, *ends])
    residuals.learn_sampling(values)
    figures = values.mean(axis=1)
    slopes = ((figures[1:] / figures[0] - 1) / numpy.array(spans)[:, None] / residuals.errors).T

    def halves(rows: Any) -> Any:
        return quantile_of(problem.confidence) * numpy.sqrt(numpy.diag(covariance_of(rows)))

    own = slopes[:count]
    found = [Foreseen(key, float(half)) for key, half in zip(residuals.keys, halves(own))]
    for other in range(len(own), len(slopes)):
        with_it = halves(numpy.vstack([own, slopes[other]]))
        for number, one in enumerate(found):
            if not one.told and 2 * with_it[number] < FILLS and with_it[number] < one.then:
                one.proposed, one.then = problem.measurements[other].workload, float(with_it[number])
    return found


def plan(problem: Problem, jobs: int | None, progress: bool | None) -> list[Foreseen]:
    """foresee(), with workloads of the usual kinds as proposals: some hundreds of runs."""
    model = Model(with_proposals(problem), jobs, progress)
    try:
        return foresee(model, len(problem.measurements))
    finally:
        model.close()


def with_proposals(problem: Problem) -> Problem:
    errors = [one.error for one in problem.measurements if one.error is not None]
    error = float(numpy.median(errors)) if errors else ERROR
    wider = dataclasses.replace(problem, workloads=dict(problem.workloads), requests=dict(problem.requests),
                                measurements=list(problem.measurements))
    for kind, size, depth in itertools.product(KINDS, SIZES, DEPTHS):
        name = f"{kind} of {size} at depth {depth}"
        wider.workloads[name] = complete({"rw": kind, "bs": size, "iodepth": depth})
        wider.requests[name] = max(problem.requests.values())
        wider.measurements.append(Measurement(name, directions({"rw": kind})[0], "mean", 1.0, error, "proposed"))
    return wider
