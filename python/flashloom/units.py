"""Quantities with units as the program writes them, and the unit of each column of a table."""
import re
from collections.abc import Mapping, Sequence
from typing import Any

_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-zµ%/]+)\s*\Z")
_SCALES: Sequence[Mapping[str, int]] = (
    {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12, "min": 60 * 10**12, "h": 3600 * 10**12},
    {"B": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30, "TB": 10**12, "TiB": 2**40},
    {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9},
    {"%": 1},
)
# Ends of the names of result.json and of its tables: docs/results.md.
_ENDINGS = {"_ns": "ns", "_us": "us", "_ps": "ps", "_s": "s", "_bytes": "B", "bytes": "B", "_j": "J", ".j": "J", "_w": "W",
            "_gb": "GB", "_j_per_gb": "J/GB", "j_per_gb": "J/GB", "j_per_io": "J", "_bytes_per_s": "B/s", "_per_s": "1/s", "_mb_s": "MB/s", "_mb_per_s": "MB/s",
            "iops": "1/s", "_pages": "pages", "_share": "1", "_ratio": "1"}


def quantity(text: str) -> tuple[float, str] | None:
    """("25 us") -> (25.0, "us"); None for what is no number with a unit."""
    found = _QUANTITY.match(text)
    return (float(found[1]), found[2]) if found and any(found[2] in scale for scale in _SCALES) else None


def in_unit(text: str, unit: str) -> float | None:
    """A quantity in another unit of its kind: ("1 ms", "us") -> 1000.0; None if it does not fit."""
    found = quantity(text)
    if found is None:
        return None
    for scale in _SCALES:
        if found[1] in scale and unit in scale:
            return found[0] if found[1] == unit else found[0] * scale[found[1]] / scale[unit]
    return None


def in_bytes(size: str | int | float) -> int:
    """Bytes of "8 GiB". Throws ValueError."""
    if isinstance(size, (int, float)):
        return int(size)
    found = in_unit(size, "B")
    if found is None:
        raise ValueError(f'{size!r} is no size; as "8 GiB" (B, kB, KiB, MB, MiB, GB, GiB, TB, TiB)')
    return int(found)


def column_of(values: Sequence[Any]) -> tuple[list[Any], str]:
    """Values of a parameter as a column, and its unit: texts with units of one kind become numbers in the first one's unit."""
    first = quantity(values[0]) if values and isinstance(values[0], str) else None
    if first is None:
        return list(values), ""
    numbers = [in_unit(value, first[1]) if isinstance(value, str) else None for value in values]
    if None in numbers:
        return list(values), ""
    whole = all(number is not None and number == int(number) for number in numbers)
    return [int(number) if whole else number for number in numbers if number is not None], first[1]


def unit_of(name: str) -> str:
    """The unit that the name of a field of result.json, or of a column of its tables, carries; "" if it carries none."""
    for part in (name, *(name.rsplit(".", depth)[0] for depth in (1, 2) if "." in name)):
        fitting = [ending for ending in _ENDINGS if part.endswith(ending) or part == ending.lstrip("_.")]
        if fitting:
            return _ENDINGS[max(fitting, key=len)]
    return ""


def label(name: str, units: Mapping[str, str]) -> str:
    """What an axis of a plot says: `read p99 (µs)`, `nand.read_time (µs)`."""
    unit = units.get(name) or unit_of(name)
    ending = "_" + unit.lower().replace("/", "_per_")
    words = name
    for end in (ending, ending.replace("_per_", "_")):
        words = words.removesuffix(end)
    words = words if "." in words else {"j_per_gb": "energy", "waf": "WAF", "iops": "IOPS"}.get(words, re.sub(r"(p\d+)_(\d)", r"\1.\2", words).replace("_", " "))
    return f"{words} ({'µs' if unit == 'us' else unit})" if unit not in ("", "1") and not (words == "IOPS") else words
