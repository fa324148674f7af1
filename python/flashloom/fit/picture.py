"""The fit so far, as a figure: how far the model is from each measurement. Drawn while the search goes on, if Matplotlib is there."""
import importlib.util
import os
import time
from collections.abc import Sequence
from typing import Any

from ..plot import COLORS, axes
from .blind import Prediction
from .problem import Problem

NAME = "fit.png"
PAUSE = 5.0  # seconds between two drawings


class Picture:
    """fit.png in the folder of the fit, replaced whole."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._possible = importlib.util.find_spec("matplotlib") is not None
        self._drawn = time.monotonic()

    def see(self, deviations: Sequence[float], errors: Sequence[float]) -> None:
        """A better place: draws it unless something was drawn just now."""
        if time.monotonic() - self._drawn >= PAUSE:
            self.draw(deviations, errors)

    def draw(self, deviations: Sequence[float], errors: Sequence[float], blind: Sequence[Prediction] = ()) -> None:
        """Relative deviations of the fitted measurements with their errors; of those left out with the interval of the prediction."""
        if not self._possible:
            return
        import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel
        titles = [one.title for one in self._problem.measurements] + [one.measurement.title for one in blind]
        drawn: Any = axes()
        figure = drawn.figure
        figure.set_size_inches(6.4, 1.2 + 0.22 * len(titles))
        fitted = range(len(deviations))
        drawn.axvline(0, color="#555555", linewidth=0.8)
        drawn.errorbar([100 * one for one in deviations], fitted, xerr=[100 * one for one in errors], fmt="o", color=COLORS[2], label="fitted to")
        if blind:
            sides = [[100 * (one.value - one.low) / one.measurement.value for one in blind],
                     [100 * (one.high - one.value) / one.measurement.value for one in blind]]
            drawn.errorbar([100 * one.deviation for one in blind], range(len(deviations), len(titles)), xerr=sides, fmt="D", color=COLORS[3],
                           label="left out")
            drawn.legend(frameon=False)
        drawn.set_yticks(range(len(titles)), titles)
        drawn.invert_yaxis()
        drawn.set_xlabel("model against measurement (%)")
        part = self._problem.out / (NAME + ".part")
        figure.savefig(part, format="png")
        plt.close(figure)
        os.replace(part, self._problem.out / NAME)
        self._drawn = time.monotonic()
