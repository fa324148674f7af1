"""The steady state of SNIA's SSS PTS 2.0.2: five rounds that neither spread nor lead away."""
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

WINDOW = 5  # rounds
MOST_ROUNDS = 25
RANGE = 0.20  # largest minus smallest value, of the mean
SLOPE = 0.10  # rise or fall of the least-squares line over the window, of the mean


@dataclass(frozen=True)
class Window:
    """Five rounds. `first`: number of the first one, from 1; `range` and `drift`: shares of the mean; `at_first`, `at_last`: the
    least-squares line at the first and at the last round."""
    first: int
    mean: float
    range: float
    drift: float
    at_first: float
    at_last: float

    @property
    def reached(self) -> bool:
        return self.range <= RANGE and self.drift <= SLOPE

    def told(self) -> dict[str, Any]:
        """As datasheet.json has it."""
        return asdict(self) | {"reached": self.reached}


def window_of(values: Sequence[float], first: int = 1) -> Window:
    """What a window of rounds is like; `values`: the tracked figure of each, at least two."""
    mean = sum(values) / len(values)
    middle = (len(values) - 1) / 2
    slope = sum((place - middle) * value for place, value in enumerate(values)) / sum((place - middle) ** 2 for place in range(len(values)))
    scale = abs(mean) or 1.0
    return Window(first, mean, (max(values) - min(values)) / scale, abs(slope) * (len(values) - 1) / scale, mean - slope * middle,
                  mean + slope * middle)


def steady(values: Sequence[float]) -> Window | None:
    """The window that ends with the last round; None: there are fewer than five rounds."""
    return window_of(values[-WINDOW:], len(values) - WINDOW + 1) if len(values) >= WINDOW else None
