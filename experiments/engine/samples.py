"""What is uncertain in a run: the samples of uncertainty.csv, bands of metrics, and comparisons sample by sample.

Every run of a study draws with one seed, and a key with the same range has the same value in a sample of every device (common
random numbers). So a difference between two points is taken sample by sample, and what both do not know cancels.
"""
import csv
import math
import pathlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import RunError, shown
from .expressions import Expression, ExpressionError

if TYPE_CHECKING:
    import numpy
    Array = numpy.ndarray[Any, numpy.dtype[numpy.float64]]

FILE = "uncertainty.csv"
ENDS = ("p5", "p50", "p95")  # of the names of columns
QUANTILES = (0.05, 0.5, 0.95)
ALIKE = 1e-9  # of the larger: rounding, no difference


@dataclass(frozen=True)
class Band:
    """Quantiles of the samples, in the metric's unit. `neutral` of a comparison with a baseline: its value where both are the same
    device; None of what is no comparison."""
    p5: float
    p50: float
    p95: float
    neutral: float | None = None

    @property
    def is_none(self) -> bool:
        """Of a comparison: the band includes that there is no difference."""
        if self.neutral is None:
            return False
        room = ALIKE * max(abs(self.p5), abs(self.p95), abs(self.neutral))
        return self.p5 - room <= self.neutral <= self.p95 + room


@dataclass(frozen=True)
class Key:
    """A key of the device that has a range. `runs_again`: it changes time, so that it was run, not worked out."""
    nominal: Any
    low: float | None
    high: float | None
    unit: str
    runs_again: bool


@dataclass
class Samples:
    """One run's: values of the keys (SI units) and what they lead to, by column; all of one length."""
    path: pathlib.Path
    method: str
    seed: Any
    keys: dict[str, Key]
    inputs: "dict[str, Array]"
    outputs: "dict[str, Array]"
    count: int


def quantiles(values: "Array", neutral: float | None = None) -> Band | None:
    """None where a sample has no value."""
    import numpy  # pylint: disable=import-outside-toplevel
    if not numpy.isfinite(values).all():
        return None
    low, middle, high = (float(value) for value in numpy.quantile(values, QUANTILES))
    return Band(low, middle, high, neutral)


def read_samples(folder: pathlib.Path, result: dict[str, Any] | None) -> Samples | None:
    """Of the point in this folder; None where nothing was sampled. Throws RunError for what does not belong together."""
    import numpy  # pylint: disable=import-outside-toplevel
    about = ((result or {}).get("energy") or {}).get("uncertainty")
    if not about:
        return None
    path = folder / FILE
    try:
        with open(path, newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
    except OSError as error:
        raise RunError(f"{shown(path)}: {error.strerror}; its result.json says {about.get('samples')} samples. Remove the folder, and "
                       "the same command runs it again") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise RunError(f"{shown(path)}: is no table: {error}") from None
    header = lines[0] if lines else []
    if header[:1] != ["sample"] or len(set(header)) != len(header):
        raise RunError(f"{shown(path)}:1: the columns must be `sample`, then keys and energies, none twice")
    try:
        table = numpy.array([[_number(path, number, cell) for cell in line] for number, line in enumerate(lines[1:], 2)], dtype=float)
    except ValueError:
        raise RunError(f"{shown(path)}: its lines have not all {len(header)} cells") from None
    if table.shape != (about.get("samples"), len(header)):
        raise RunError(f"{shown(path)}: has {len(table)} samples of {len(header)} columns, and result.json says {about.get('samples')} samples")
    keys = {name: Key(key.get("nominal"), key.get("low"), key.get("high"), key.get("unit", ""), bool(key.get("runs_again")))
            for name, key in about.get("keys", {}).items()}
    missing = [name for name in keys if name not in header]
    if missing:
        raise RunError(f"{shown(path)}:1: there is no column {missing[0]}, which result.json has in energy.uncertainty.keys")
    columns = {name: table[:, number] for number, name in enumerate(header) if number}
    return Samples(path, str(about.get("method", "")), about.get("seed"), keys, {name: columns[name] for name in keys},
                   {name: values for name, values in columns.items() if name not in keys}, len(table))


def _number(path: pathlib.Path, line: int, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise RunError(f"{shown(path)}:{line}: \"{cell}\" is no number") from None


def check_paired(ones: Samples, others: Samples) -> None:
    """Throws RunError if sample i of one run is not sample i of the other."""
    import numpy  # pylint: disable=import-outside-toplevel
    for name, one, other in (("samples", ones.count, others.count), ("seed", ones.seed, others.seed), ("method", ones.method, others.method)):
        if one != other:
            raise RunError(f"{shown(ones.path)} has {name} {one}, and {shown(others.path)} has {other}: a difference is taken sample by "
                           "sample, and these do not belong together")
    for name in ones.keys:
        one, other = ones.keys[name], others.keys.get(name)
        if other and (one.low, one.high) == (other.low, other.high) and not numpy.array_equal(ones.inputs[name], others.inputs[name]):
            raise RunError(f"{shown(ones.path)} and {shown(others.path)}: {name} has one range, and not the same samples: a difference is "
                           "taken sample by sample, and these do not belong together")


def parts_of(path: str) -> list[str]:
    """The names of a path in result.json; one with a point in it is quoted there."""
    return [word.strip('"') for word in re.findall(r'"[^"]*"|[^.]+', path)]


def of_path(samples: Samples, result: dict[str, Any], path: str) -> "Array | None":
    """The samples of a field of `energy`; None of one that has none."""
    parts = parts_of(path)
    if parts[:1] != ["energy"]:
        return None
    name = parts[1] if len(parts) == 2 else parts[2] if len(parts) > 2 and (
        (parts[1] == "kinds" and len(parts) == 3) or (parts[1] == "operations" and parts[3:] == ["j"])) else ""
    if name == "j_per_io" and "total_j" in samples.outputs and result["energy"].get("total_j"):
        return samples.outputs["total_j"] * (result["energy"]["j_per_io"] / result["energy"]["total_j"])
    return samples.outputs.get(name)


def band_of_path(result: dict[str, Any], path: str, scale: float) -> Band | None:
    """The band that result.json itself has of a field without samples: a row of the ledger."""
    parts = parts_of(path)
    if parts[:2] != ["energy", "operations"] or parts[3:] != ["j"]:
        return None
    row = result["energy"].get("uncertainty", {}).get("operations", {}).get(parts[2])
    if not row or any(not isinstance(row.get(end), (int, float)) for end in ENDS):
        return None
    low, middle, high = sorted(row[end] * scale for end in ENDS)
    return Band(low, middle, high)


def value_of_samples(expression: Expression, values: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]], count: int) -> "Array | None":
    """An expression of values of which some are arrays of samples: arithmetic at once, conditions and functions sample by sample. NaN
    where a sample has no value; None of what is no number."""
    import numpy  # pylint: disable=import-outside-toplevel
    try:
        with numpy.errstate(divide="raise", over="raise", invalid="raise"):
            found = expression.value(values, functions)
        if isinstance(found, numpy.ndarray):
            return found if found.dtype == float else None
    except (ExpressionError, ArithmeticError):
        pass  # what only holds for single numbers; a sample that divides by 0
    used = expression.names | {row for row, _ in expression.fields}
    lists = {name: _listed(value) for name, value in values.items() if name in used}
    results = [expression.value({name: _sample(value, number) for name, value in lists.items()}, functions) for number in range(count)]
    if any(isinstance(value, (bool, str)) for value in results):
        return None
    return numpy.array([math.nan if value is None else value for value in results], dtype=float)


def _listed(value: Any) -> Any:
    """Arrays as lists of Python's own numbers, in the rows of baselines, too."""
    if isinstance(value, dict):
        return {name: _listed(part) for name, part in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


def _sample(value: Any, number: int) -> Any:
    if isinstance(value, dict):
        return {name: _sample(part, number) for name, part in value.items()}
    return value[number] if isinstance(value, list) else value


def mean_of(runs: "Sequence[Array | None]") -> "Array | None":
    """The mean over repetitions, sample by sample; None if one has none."""
    known = [run for run in runs if run is not None]
    if not known or len(known) < len(runs) or len({len(run) for run in known}) > 1:
        return None
    return known[0] if len(known) == 1 else sum(known[1:], known[0].copy()) / len(known)


def one_value(values: Iterable[float | None]) -> float | None:
    """The value that all of these are, but for rounding; None if there is none."""
    found = list(values)
    known = [value for value in found if value is not None and math.isfinite(value)]
    if not known or len(known) < len(found) or max(known) - min(known) > ALIKE * max(abs(value) for value in known):
        return None
    return known[0]
