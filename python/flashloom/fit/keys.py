"""Keys that may move: between what, on which scale, and how a value is written."""
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..device import toml
from ..units import in_base, in_unit, quantity, quantity_text
from .places import WrongEntry

_RELATIVE = re.compile(r"\s*([-+][\d.eE+-]+)\s*%\s+to\s+([-+][\d.eE+-]+)\s*%\s*\Z")
FEW = 16  # whole numbers with so many values or fewer in their range are tried one by one
DIGITS = 9  # of a value that is tried
SHOWN = 4


@dataclass
class Key:
    """A key that may move. Inside, a value is a coordinate: 0 at the low end of its range, 1 at the high one, linear or in the
    logarithm; of a key with `values` their index is no coordinate, and apart."""
    name: str
    path: str
    low: float = 0.0  # in `unit`; of a list that moves as one, the factor on all of it
    high: float = 1.0
    unit: str = ""
    start: float | None = None  # coordinate of the device that the fit starts from; None: outside of the range
    log: bool = False
    whole: bool = False
    index: int | None = None  # of one element of a list
    whole_list: list[Any] = field(default_factory=list)  # the list that a factor or an element is of
    values: list[Any] = field(default_factory=list)

    def value(self, at: float) -> float:
        """At a coordinate, in `unit`."""
        at = min(max(at, 0.0), 1.0)
        found = self.low * (self.high / self.low) ** at if self.log else self.low + at * (self.high - self.low)
        return float(round(found)) if self.whole else found

    def coordinate(self, value: float) -> float:
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def step(self, wanted: float) -> float:
        """Of a finite difference: as wanted, but at least two whole numbers."""
        if not self.whole:
            return wanted
        slope = self.high - self.low if not self.log else self.low * math.log(self.high / self.low)
        return min(0.5, max(wanted, 2.0 / slope))

    def text(self, value: float, digits: int = SHOWN) -> str:
        """A value with its unit, as a person reads it."""
        if self.moves_as_one:
            return f"{(value - 1) * 100:+.{digits}g} %"
        number = f"{value:.0f}" if self.whole else f"{value:.{digits}g}"
        return f"{number} {self.unit}".rstrip()

    @property
    def moves_as_one(self) -> bool:
        """A list of several values, all by one factor."""
        return bool(self.whole_list) and self.index is None

    def put(self, config: Any, value: float) -> Any:
        """The key's value in a device file. `config`: what it is so far (other elements of a list may have moved)."""
        if self.moves_as_one:
            return [scaled(item, value) for item in self.whole_list]
        text: Any = int(value) if self.whole else quantity_text(value, self.unit) if self.unit else float(f"{value:.{DIGITS}g}")
        if self.index is None:
            return text
        return [text if number == self.index else item for number, item in enumerate(config)]


def number_of(item: Any) -> tuple[float, str] | None:
    """A quantity of any kind, with its unit."""
    return (quantity(item) or in_base(item)) if isinstance(item, str) else None


def scaled(item: Any, factor: float) -> Any:
    """A number or a quantity, times a factor."""
    found = number_of(item)
    if found is not None:
        return quantity_text(found[0] * factor, found[1])
    return float(f"{item * factor:.{DIGITS}g}")


def look_up(config: Mapping[str, Any], path: str) -> Any:
    """The value of a dotted key in an effective configuration. Throws WrongEntry."""
    found: Any = config
    for part in path.split("."):
        if not isinstance(found, Mapping) or part not in found:
            raise WrongEntry("is no key of this device; `flashloom config` prints all there are")
        found = found[part]
    return found


def read_key(name: str, given: Any, config: Mapping[str, Any]) -> Key:
    """A key of [keys]. Throws WrongEntry."""
    table = {"range": given} if isinstance(given, str) else {"values": given} if isinstance(given, list) else given
    if not isinstance(table, Mapping) or ("range" in table) == ("values" in table):
        raise WrongEntry('must be a range, "40 us to 80 us" or "-20 % to +30 %"; a list of values to try; or a table with `range` '
                        "or `values`, and `scale`")
    unknown = sorted(set(table) - {"range", "values", "scale"})
    if unknown:
        raise WrongEntry(f"no such entry: {unknown[0]}; valid: range, values, scale")
    element = re.fullmatch(r"(.*)\[(\d+)\]", name)
    key = Key(name, element[1] if element else name, index=int(element[2]) if element else None)
    now = look_up(config, key.path)
    if "values" in table:
        if key.index is not None or not isinstance(table["values"], list) or len(table["values"]) < 2:
            raise WrongEntry("`values` must be two or more values of a whole key")
        key.values = list(table["values"])
        return key
    if isinstance(now, list):
        if len(now) == 1 and key.index is None:
            key.index = 0
        if key.index is not None and key.index >= len(now):
            raise WrongEntry(f"has {len(now)} values; the last is [{len(now) - 1}]")
        key.whole_list = now
        now = now if key.index is None else now[key.index]
    elif key.index is not None:
        raise WrongEntry("is no list")
    set_range(key, str(table["range"]), now)
    scale = table.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise WrongEntry(f'scale is {json.dumps(scale)}; valid: "linear", "log"')
    key.log = scale == "log"
    if key.log and key.low <= 0:
        raise WrongEntry("a logarithmic scale needs a range above 0")
    if key.whole and key.high - key.low < FEW:
        key.values = list(range(int(key.low), int(key.high) + 1))
    return key


def set_range(key: Key, text: str, now: Any) -> None:
    """Bounds, unit and start of a key, of "A to B" or "-A % to +B %"."""
    here = number_of(now)
    number = now if isinstance(now, (int, float)) and not isinstance(now, bool) else None
    if here is None and number is None and not key.moves_as_one:
        raise WrongEntry(f"is {json.dumps(now)}, no number and no quantity: give `values` to try")
    relative = _RELATIVE.match(text)
    if key.moves_as_one:
        if relative is None:
            raise WrongEntry(f'is a list of several values: "-20 % to +30 %" moves it as one, {key.path}[0] = "..." one of them')
        key.low, key.high, start = 1 + float(relative[1]) / 100, 1 + float(relative[2]) / 100, 1.0
    elif relative is not None:
        start = here[0] if here else float(number or 0)
        key.unit = here[1] if here else ""
        key.low, key.high = start * (1 + float(relative[1]) / 100), start * (1 + float(relative[2]) / 100)
    else:
        parts = re.split(r"\s+to\s+", text.strip())
        if len(parts) != 2:
            raise WrongEntry(f'range is "{text}"; valid: "A to B" with units, "-A % to +B %"')
        if here:
            given = number_of(parts[1])
            if given is None:
                raise WrongEntry(f'"{parts[1]}" is no quantity with a unit, as "{now}" is')
            key.unit = given[1]
            bounds = [in_unit(part, key.unit) for part in (*parts, str(now))]
            if None in bounds:
                raise WrongEntry(f'"{text}" is not in a unit of the key, which is {now}')
            key.low, key.high, start = (float(bound) for bound in bounds if bound is not None)
        else:
            try:
                key.low, key.high, start = float(parts[0]), float(parts[1]), float(number or 0)
            except ValueError:
                raise WrongEntry(f'"{text}" are no two numbers; the key is {json.dumps(now)}') from None
    key.whole = isinstance(number, int)
    if key.whole:
        key.low, key.high = float(math.ceil(key.low)), float(math.floor(key.high))
    if not key.low < key.high:
        raise WrongEntry(f'range is "{text}": its low end must be below its high end')
    key.start = start if key.low <= start <= key.high else None


def overrides(keys: Sequence[Key], at: Sequence[float], values: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """{dotted key: value}: the continuous keys at coordinates, the others as `values` says."""
    found: dict[str, Any] = dict(values)
    for key, coordinate in zip(keys, at):
        found[key.path] = key.put(found.get(key.path, look_up(config, key.path)), key.value(float(coordinate)))
    return found


def shown(value: Any) -> str:
    return value if isinstance(value, str) else toml(value)
