"""What a fit says of measurements that it did not see: those that were left out, and, by what is linear around the best place, each
workload if it had been."""
from dataclasses import dataclass
from typing import Any

import numpy
from scipy import stats

from .intervals import RANGE_WEIGHT, Knowledge
from .measurements import Measurement
from .solve import Optimum, Residuals, stepped


@dataclass
class Prediction:
    """Of a measurement that was left out: `value` and its interval, which is that of the keys alone, in its unit."""
    measurement: Measurement
    value: float
    low: float
    high: float

    @property
    def deviation(self) -> float:
        return self.value / self.measurement.value - 1


def covariance_of(best: Optimum, known: Knowledge) -> Any:
    information = best.jacobian.T @ best.jacobian / known.scale ** 2
    return numpy.linalg.inv(information + RANGE_WEIGHT * numpy.eye(len(best.at)))


def predict(best: Optimum, residuals: Residuals, known: Knowledge) -> list[Prediction]:
    """Throws FlashloomError."""
    model, blind = residuals.model, residuals.model.problem.blind
    if not blind:
        return []
    ends, spans = stepped(residuals.keys, best.at, model.problem.step)
    figures = model.values([(residuals.chosen, tuple(float(x) for x in at)) for at in (best.at, *ends)], blind).mean(axis=1)
    slopes = (figures[1:] - figures[0]) / numpy.array(spans)[:, None]
    quantile = float(stats.norm.ppf(0.5 + model.problem.confidence / 2))
    half = quantile * numpy.sqrt(numpy.einsum("ki,kl,li->i", slopes, covariance_of(best, known), slopes))
    return [Prediction(one, float(value), float(value - width), float(value + width)) for one, value, width in zip(blind, figures[0], half)]


def left_out(best: Optimum, residuals: Residuals, known: Knowledge) -> dict[str, float]:
    """Of each workload the largest relative error with which the others alone predict its figures; none where these are fewer
    than the keys."""
    names = [one.workload for one in residuals.model.problem.measurements]
    hat = best.jacobian @ covariance_of(best, known) @ best.jacobian.T / known.scale ** 2
    found = {}
    for name in dict.fromkeys(names):
        own = numpy.array([number for number, other in enumerate(names) if other == name])
        if len(names) - len(own) < max(1, len(best.at)):
            continue
        without = numpy.linalg.solve(numpy.eye(len(own)) - hat[numpy.ix_(own, own)], best.residuals[own])
        found[name] = float(numpy.abs(without * residuals.errors[own]).max())
    return found
