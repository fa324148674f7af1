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
ALIKE = 1e-9  # of an energy: rounding, no difference


@dataclass(frozen=True)
class Band:
    """Quantiles of the samples, in the metric's unit. `neutral` of a comparison with a baseline: its value where both are the same
    device, and `room` how far from it rounding may lead; None of what is no comparison."""
    p5: float
    p50: float
    p95: float
    neutral: float | None = None
    room: float = 0.0

    @property
    def is_none(self) -> bool:
        """Of a comparison: the band includes that there is no difference."""
        return self.neutral is not None and self.p5 - self.room <= self.neutral <= self.p95 + self.room


@dataclass(frozen=True)
class Key:
    """A key of the device that has a range, in SI units; a list of numbers as the factor of all of them. `group`: the key whose samples
    it goes with, itself if it goes with none. `runs_again`: it acts on time, so that few values of it were drawn and run."""
    nominal: float
    low: float
    high: float
    unit: str
    group: str
    runs_again: bool = False

    @property
    def drawn(self) -> tuple[Any, ...]:
        """Keys that are alike in this have the same samples."""
        return self.low, self.high, self.group, self.runs_again


@dataclass
class Samples:
    """One run's: values of the keys and what they lead to, by column; sample i at i, NaN where a run with other values failed."""
    path: pathlib.Path
    method: str
    seed: Any
    keys: dict[str, Key]
    inputs: "dict[str, Array]"
    outputs: "dict[str, Array]"
    count: int

    def groups(self) -> dict[str, list[str]]:
        """Keys that go together, by the first of them; without those that kept their value."""
        by_group: dict[str, list[str]] = {}
        for name, key in self.keys.items():
            by_group.setdefault(key.group, []).append(name)
        return {names[0]: names for names in by_group.values() if len(set(known(self.inputs[names[0]]))) > 1}


def known(values: "Array") -> "Array":
    import numpy  # pylint: disable=import-outside-toplevel
    return values[numpy.isfinite(values)]


def quantiles(values: "Array", neutral: float | None = None, room: float = 0.0) -> Band | None:
    """Of the samples that have a value; None if that is less than half of them."""
    import numpy  # pylint: disable=import-outside-toplevel
    there = known(values)
    if 2 * len(there) < len(values) or not len(there):
        return None
    low, middle, high = (float(value) for value in numpy.quantile(there, QUANTILES))
    return Band(low, middle, high, neutral, room)


def read_samples(folder: pathlib.Path, result: dict[str, Any] | None, asked: int) -> Samples | None:
    """Of the point in this folder, of which `asked` samples were asked for; None where nothing was sampled. Throws RunError for what
    does not belong together."""
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
    if table.shape != (about.get("samples", 0) - about.get("left_out", 0), len(header)) or about["samples"] != asked:
        raise RunError(f"{shown(path)}: has {len(table)} samples of {len(header)} columns, result.json says {about.get('samples')} with "
                       f"{about.get('left_out', 0)} left out, and the study asks for {asked}")
    places = table[:, 0].astype(int)
    if len(table) == 0 or (places != table[:, 0]).any() or len(set(places)) != len(places) or places.min() < 0 or places.max() >= asked:
        raise RunError(f"{shown(path)}: its samples must be numbered, none twice, below the {asked} that the study asks for")
    whole = numpy.full((asked, len(header)), math.nan)
    whole[places] = table
    columns = {name: whole[:, number] for number, name in enumerate(header) if number}
    keys = {}
    for name, key in about.get("keys", {}).items():
        if name not in columns:
            raise RunError(f"{shown(path)}:1: there is no column {name}, which result.json has in energy.uncertainty.keys")
        keys[name] = Key(key["nominal"], key["low"], key["high"], key.get("unit", ""), key.get("with") or name, bool(key.get("runs_again")))
    return Samples(path, str(about.get("method", "")), about.get("seed"), keys, {name: columns[name] for name in keys},
                   {name: values for name, values in columns.items() if name not in keys}, asked)


def _number(path: pathlib.Path, line: int, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise RunError(f"{shown(path)}:{line}: \"{cell}\" is no number") from None


def check_paired(ones: Samples, others: Samples) -> None:
    """Throws RunError if sample i of one run is not sample i of the other."""
    for name, one, other in (("seed", ones.seed, others.seed), ("method", ones.method, others.method)):
        if one != other:
            raise RunError(f"{shown(ones.path)} has {name} {one}, and {shown(others.path)} has {other}: a difference is taken sample by "
                           "sample, and these do not belong together")
    for name in ones.keys:
        one, other = ones.keys[name], others.keys.get(name)
        if other and one.drawn == other.drawn and not _alike(ones.inputs[name], others.inputs[name]):
            raise RunError(f"{shown(ones.path)} and {shown(others.path)}: {name} has one range, and not the same samples: a difference is "
                           "taken sample by sample, and these do not belong together")


def _alike(ones: "Array", others: "Array") -> bool:
    """The same samples, where both are there; or one of them kept its value."""
    import numpy  # pylint: disable=import-outside-toplevel
    there = numpy.isfinite(ones) & numpy.isfinite(others)
    one, other = ones[there], others[there]
    return bool(numpy.array_equal(one, other)) or numpy.ptp(one) == 0 or numpy.ptp(other) == 0


def parts_of(path: str) -> list[str]:
    """The names of a path in result.json; one with a point in it is quoted there."""
    return [word.strip('"') for word in re.findall(r'"[^"]*"|[^.]+', path)]


def of_path(samples: Samples, result: dict[str, Any], path: str) -> "Array | None":
    """The samples of a field of `energy`; None of one that has none."""
    parts = parts_of(path)
    if len(parts) < 2 or parts[0] != "energy":
        return None
    name = parts[1] if len(parts) == 2 else parts[2] if len(parts) == 3 and parts[1] == "kinds" else ""
    if name == "j_per_io" and "total_j" in samples.outputs and result["energy"].get("total_j"):
        return samples.outputs["total_j"] * (result["energy"]["j_per_io"] / result["energy"]["total_j"])
    outputs = samples.outputs
    if len(parts) == 4 and parts[1] == "operations" and parts[3] == "j":
        return outputs.get(f"operations.{parts[2]}_j")
    return outputs.get(name, outputs.get(f"{name}_j") if parts[1] == "kinds" else None)


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
        with numpy.errstate(divide="raise", over="raise", invalid="ignore"):
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
    return [None if math.isnan(number) else number for number in value.tolist()] if hasattr(value, "tolist") else value


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


def one_neutral(found: Iterable[tuple[float | None, float]]) -> tuple[float | None, float]:
    """What no difference is, and the room for rounding, of several comparisons; None if it is not one number for all."""
    listed = list(found)
    values = [value for value, _ in listed if value is not None]
    room = max((room for _, room in listed), default=0.0)
    if not values or len(values) < len(listed) or max(values) - min(values) > room:
        return None, 0.0
    return values[0], room
