"""Chooses units that fit the values shown: 360 ms, not 360274 us."""
import math
from collections.abc import Iterable
from typing import Any

# Units of one quantity by rising size; the numbers are sizes in terms of the first unit.
FAMILIES: tuple[tuple[tuple[str, float], ...], ...] = (
    (("ns", 1), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)),
    (("B/s", 1), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9)),
    (("B", 1), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)),
    (("KiB", 1), ("MiB", 2**10), ("GiB", 2**20), ("TiB", 2**30)),
    (("nJ", 1), ("µJ", 1e3), ("mJ", 1e6), ("J", 1e9), ("kJ", 1e12)),
    (("µW", 1), ("mW", 1e3), ("W", 1e6)),
    (("mJ/GB", 1), ("J/GB", 1e3), ("kJ/GB", 1e6)),
    (("IOPS", 1), ("kIOPS", 1e3), ("MIOPS", 1e6)),
)
SAME = {"us": "µs", "uJ": "µJ", "uW": "µW", "bytes": "B", "byte": "B", "C": "°C"}
LEAST, MOST = 0.1, 1e4  # a column whose largest value lies in this range keeps its unit
DIGITS = 4


def fitting(unit: str, values: Iterable[Any]) -> tuple[str, float]:
    """The unit for a column of values given in `unit`, chosen by the largest value and written as in print, and the factor that
    converts to it."""
    known = [abs(value) for value in values if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)]
    plain = SAME.get(unit, unit)
    family = next((family for family in FAMILIES if any(name == plain for name, _ in family)), None)
    largest = max(known, default=0.0)
    if family is None or largest == 0 or LEAST <= largest < MOST:
        return plain, 1.0
    scale = dict(family)[plain]
    name, size = next(((name, size) for name, size in reversed(family) if largest * scale >= size * 0.9995), family[0])
    return (plain, 1.0) if name == plain else (name, scale / size)


def digits(value: float) -> str:
    """A number with four significant digits; numbers from 10000 to 1e9 as integers."""
    if abs(value) >= 10 ** DIGITS and abs(value) < 1e9:
        return f"{value:.0f}"
    return f"{value:.{DIGITS}g}"
