"""What a fit says of measurements that it did not see: those that were left out, and, by what is linear around the best place, each
workload if it had been."""
from dataclasses import dataclass
from typing import Any

import numpy

from .intervals import Knowledge, covariance_of, quantile_of
from .measurements import Measurement
from .model import used_by
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


def predict(best: Optimum, residuals: Residuals, known: Knowledge) -> list[Prediction]:
    """Throws FlashloomError."""
    problem = residuals.model.problem
    if not problem.blind:
        return []
    ends, spans = stepped(residuals.keys, best.at, problem.step)
    figures = residuals.figures([best.at, *ends], problem.blind).mean(axis=1)
    slopes = (figures[1:] - figures[0]) / numpy.array(spans)[:, None]
    covariance = covariance_of(best.jacobian, known.scale)
    half = quantile_of(problem.confidence) * numpy.sqrt(numpy.einsum("ki,kl,li->i", slopes, covariance, slopes))
    return [Prediction(one, float(value), float(value - width), float(value + width)) for one, value, width in zip(problem.blind, figures[0], half)]


def left_out(best: Optimum, residuals: Residuals, known: Knowledge) -> dict[str, float]:
    """Of each workload the largest relative error with which the others alone predict its figures; none where these are fewer
    than the keys."""
    measurements = residuals.model.problem.measurements
    hat = best.jacobian @ covariance_of(best.jacobian, known.scale) @ best.jacobian.T / known.scale ** 2
    found = {}
    for name in used_by(measurements):
        own = numpy.array([number for number, one in enumerate(measurements) if one.workload == name])
        if len(measurements) - len(own) < max(1, len(best.at)):
            continue
        without = numpy.linalg.solve(numpy.eye(len(own)) - hat[numpy.ix_(own, own)], best.residuals[own])
        found[name] = float(numpy.abs(without * residuals.errors[own]).max())
    return found
