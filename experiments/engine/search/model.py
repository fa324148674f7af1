"""Predicts the values of points without a run: a Gaussian process over the axes models how far measured values are from the priors that
bounds give. (Rasmussen and Williams, 2006, algorithm 2.1; lengths by the highest marginal likelihood of a grid.)"""
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LENGTHS = (0.25, 0.5, 1.0, 2.0, 8.0)  # candidate lengths of an axis from 0 to 1; at 8 the axis hardly matters
NUGGET = 1e-4  # share of the variance: values have no noise, but are not quite smooth functions of the axes
FIRST_SPREAD = 0.5  # standard deviation before any value is measured


class Model:
    """The model of one metric. `places` are points of the unit cube; `values` scatter about 0."""

    def __init__(self, places: Floats, values: Floats) -> None:
        self.places = places
        self.mean = float(values.mean()) if len(values) else 0.0
        spread = float(values.std()) if len(values) > 1 else 0.0
        self.spread = max(spread, 1e-3) if len(values) > 2 else max(spread, FIRST_SPREAD / 2) if len(values) else FIRST_SPREAD
        self.lengths = np.full(places.shape[1], 0.5)
        if len(values):
            self._fit((values - self.mean) / self.spread)

    def _fit(self, values: Floats) -> None:
        best = self._likelihood(self.lengths, values)
        for _ in range(2 if len(values) > 3 else 0):
            for axis in range(len(self.lengths)):
                for length in LENGTHS:
                    lengths = self.lengths.copy()
                    lengths[axis] = length
                    found = self._likelihood(lengths, values)
                    if found > best + 1e-9:
                        best, self.lengths = found, lengths
        self._factor = np.linalg.cholesky(self._covariance(self.places, self.places, self.lengths) + NUGGET * np.eye(len(values)))
        self._weights = np.linalg.solve(self._factor.T, np.linalg.solve(self._factor, values))

    def _likelihood(self, lengths: Floats, values: Floats) -> float:
        factor = np.linalg.cholesky(self._covariance(self.places, self.places, lengths) + NUGGET * np.eye(len(values)))
        return float(-0.5 * np.sum(np.linalg.solve(factor, values) ** 2) - np.sum(np.log(np.diag(factor))))

    @staticmethod
    def _covariance(one: Floats, other: Floats, lengths: Floats) -> Floats:
        """The Matérn 5/2 kernel between two sets of places."""
        apart = np.sqrt(np.maximum((((one[:, None, :] - other[None, :, :]) / lengths) ** 2).sum(axis=2), 0.0)) * np.sqrt(5.0)
        return np.asarray((1 + apart + apart**2 / 3) * np.exp(-apart))

    def expects(self, places: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation at each of the places."""
        if not len(self.places):
            return np.full(len(places), self.mean), np.full(len(places), self.spread)
        across = self._covariance(places, self.places, self.lengths)
        solved = np.linalg.solve(self._factor, across.T)
        return self.mean + self.spread * (across @ self._weights), self.spread * np.sqrt(np.maximum(1 - (solved**2).sum(axis=0), 1e-9))
