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
_PREFIXES = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
             "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_EXACT = ("T/s", "B/s", "b/s")  # whole in device files
_BASES = (*_EXACT, "A", "V", "W", "F", "K/W", "J/K", "J/B", "J/bit", "J", "eV", "K", "C")  # other units of device files
# Ends of the names of result.json and of its tables: docs/reference/results.md.
_ENDINGS = {"_ns": "ns", "_us": "us", "_ps": "ps", "_s": "s", "_bytes": "B", "bytes": "B", "_j": "J", ".j": "J", "_w": "W",
            "_gb": "GB", "_j_per_gb": "J/GB", "j_per_gb": "J/GB", "j_per_io": "J", "_bytes_per_s": "B/s", "_per_s": "1/s", "_mb_s": "MB/s", "_mb_per_s": "MB/s",
            "iops": "1/s", "_pages": "pages", "_share": "1", "_ratio": "1"}


def quantity(text: str) -> tuple[float, str] | None:
    """("25 us") -> (25.0, "us"); None for what is no number with a unit."""
    found = _QUANTITY.match(text)
    return (float(found[1]), found[2]) if found and any(found[2] in scale for scale in _SCALES) else None


def quantity_text(value: float, unit: str) -> str:
    """A quantity as a device file takes it, nine digits of it: times in whole picoseconds, sizes in whole bytes, clocks in whole Hz,
    rates in whole transfers, bytes or bits a second."""
    scale = next((float(scale[unit]) for scale in _SCALES if unit in scale and unit != "%"), None)
    rate = _factor(unit)
    if scale is None and rate is not None and rate[1] in _EXACT:
        scale = rate[0]
    if scale is None:
        return f"{value:.9g} {unit}"
    whole = round(float(f"{value:.9g}") * scale)
    if "i" in unit and unit != "min":  # of two: it may have no short decimal fraction
        return f"{whole // int(scale)} {unit}" if whole % int(scale) == 0 else f"{whole} {'B/s' if unit.endswith('/s') else 'B'}"
    digits = len(f"{scale:.0f}") - 1
    text = f"{whole / scale:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if digits else text} {unit}"


def in_base(text: str) -> tuple[float, str] | None:
    """A quantity of the units that tables of results do not have ("400 MT/s", "25 mA"): (400.0, "MT/s"); None for what is none."""
    found = _QUANTITY.match(text)
    return (float(found[1]), found[2]) if found and _factor(found[2]) else None


def _factor(unit: str) -> tuple[float, str] | None:
    """("MT/s") -> (1e6, "T/s")."""
    for base in _BASES:
        if unit.endswith(base) and unit.removesuffix(base) in _PREFIXES:
            return _PREFIXES[unit.removesuffix(base)], base
    return None


def in_unit(text: str, unit: str) -> float | None:
    """A quantity in another unit of its kind: ("1 ms", "us") -> 1000.0; None if it does not fit."""
    found = quantity(text)
    if found is None:
        found, wanted = in_base(text), _factor(unit)
        given = _factor(found[1]) if found else None
        if found is None or given is None or wanted is None or given[1] != wanted[1]:
            return None
        return found[0] if found[1] == unit else found[0] * given[0] / wanted[0]
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
