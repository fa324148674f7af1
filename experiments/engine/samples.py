"""The uncertainty of a run: reads the samples of uncertainty.csv, computes bands, and checks that runs can be compared.

All runs of a study draw with the same seed, and keys with equal ranges have the same value in sample i of every device (common
random numbers). So the engine compares two points sample by sample, and their common uncertainty cancels.
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
ENDS = ("p5", "p50", "p95")  # suffixes of the columns of a band
QUANTILES = (0.05, 0.5, 0.95)
ALIKE = 1e-9  # energies that differ by this share or less differ only by rounding


@dataclass(frozen=True)
class Band:
    """Quantiles of the samples, in the metric's unit. For a comparison with a baseline, `neutral` is its value if both are the same
    device, and `room` how far rounding can move it. Without a comparison `neutral` is None."""
    p5: float
    p50: float
    p95: float
    neutral: float | None = None
    room: float = 0.0

    @property
    def is_none(self) -> bool:
        """Whether this is a comparison whose band includes "no difference"."""
        return self.neutral is not None and self.p5 - self.room <= self.neutral <= self.p95 + self.room


@dataclass(frozen=True)
class Key:
    """A key of the device that has a range, in SI units (for a list, the range of a factor on all its numbers). `group`: the key whose
    samples this key follows, or the key itself. `runs_again`: the key affects time, so the program drew few values and ran each."""
    nominal: float
    low: float
    high: float
    unit: str
    group: str
    runs_again: bool = False

    @property
    def drawn(self) -> tuple[Any, ...]:
        """Keys for which this is equal have the same samples."""
        return self.low, self.high, self.group, self.runs_again


@dataclass
class Samples:
    """The samples of one run: values of the keys (`inputs`) and the energies that result (`outputs`), by column. Sample i is at index
    i; it is NaN if the run for this sample failed."""
    path: pathlib.Path
    method: str
    seed: Any
    keys: dict[str, Key]
    inputs: "dict[str, Array]"
    outputs: "dict[str, Array]"
    count: int

    def groups(self) -> dict[str, list[str]]:
        """The keys of each group that varied, by the first key of the group."""
        by_group: dict[str, list[str]] = {}
        for name, key in self.keys.items():
            by_group.setdefault(key.group, []).append(name)
        return {names[0]: names for names in by_group.values() if len(set(known(self.inputs[names[0]]))) > 1}


def known(values: "Array") -> "Array":
    import numpy  # pylint: disable=import-outside-toplevel
    return values[numpy.isfinite(values)]


def quantiles(values: "Array", neutral: float | None = None, room: float = 0.0) -> Band | None:
    """The band of the samples that have a value; None if fewer than half have one."""
    import numpy  # pylint: disable=import-outside-toplevel
    there = known(values)
    if 2 * len(there) < len(values) or not len(there):
        return None
    low, middle, high = (float(value) for value in numpy.quantile(there, QUANTILES))
    return Band(low, middle, high, neutral, room)


def read_samples(folder: pathlib.Path, result: dict[str, Any] | None, asked: int) -> Samples | None:
    """Reads the samples of the point in this folder; None if its run drew none. `asked`: the number that the study asks for. Throws
    RunError if uncertainty.csv, result.json and the study contradict each other."""
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
    """Throws RunError if the two runs drew different samples for keys with equal ranges."""
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
    """Whether the samples are equal wherever both exist, or one of the keys did not vary."""
    import numpy  # pylint: disable=import-outside-toplevel
    there = numpy.isfinite(ones) & numpy.isfinite(others)
    one, other = ones[there], others[there]
    return bool(numpy.array_equal(one, other)) or numpy.ptp(one) == 0 or numpy.ptp(other) == 0


def parts_of(path: str) -> list[str]:
    """Splits a path in result.json into names; a name with a dot in it is quoted in the path."""
    return [word.strip('"') for word in re.findall(r'"[^"]*"|[^.]+', path)]


def of_path(samples: Samples, result: dict[str, Any], path: str) -> "Array | None":
    """The samples of a field of `energy` in result.json; None if it has none."""
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
    """The band that result.json itself gives for an entry of energy.operations, which has no samples."""
    parts = parts_of(path)
    if parts[:2] != ["energy", "operations"] or parts[3:] != ["j"]:
        return None
    row = result["energy"].get("uncertainty", {}).get("operations", {}).get(parts[2])
    if not row or any(not isinstance(row.get(end), (int, float)) for end in ENDS):
        return None
    low, middle, high = sorted(row[end] * scale for end in ENDS)
    return Band(low, middle, high)


def value_of_samples(expression: Expression, values: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]], count: int) -> "Array | None":
    """Evaluates an expression in which some values are arrays of samples: on whole arrays if it is plain arithmetic, else sample by
    sample. A sample without a value is NaN. Returns None if the result is not a number."""
    import numpy  # pylint: disable=import-outside-toplevel
    try:
        with numpy.errstate(divide="raise", over="raise", invalid="ignore"):
            found = expression.value(values, functions)
        if isinstance(found, numpy.ndarray):
            return found if found.dtype == float else None
    except (ExpressionError, ArithmeticError):
        pass  # the expression works only on single numbers, or divides by 0 in some sample
    used = expression.names | {row for row, _ in expression.fields}
    lists = {name: _listed(value) for name, value in values.items() if name in used}
    results = [expression.value({name: _sample(value, number) for name, value in lists.items()}, functions) for number in range(count)]
    if any(isinstance(value, (bool, str)) for value in results):
        return None
    return numpy.array([math.nan if value is None else value for value in results], dtype=float)


def _listed(value: Any) -> Any:
    """Converts arrays to lists of Python numbers, also within the rows of baselines; NaN becomes None."""
    if isinstance(value, dict):
        return {name: _listed(part) for name, part in value.items()}
    return [None if math.isnan(number) else number for number in value.tolist()] if hasattr(value, "tolist") else value


def _sample(value: Any, number: int) -> Any:
    if isinstance(value, dict):
        return {name: _sample(part, number) for name, part in value.items()}
    return value[number] if isinstance(value, list) else value


def mean_of(runs: "Sequence[Array | None]") -> "Array | None":
    """The mean over repetitions, sample by sample; None if a repetition has no samples."""
    known = [run for run in runs if run is not None]
    if not known or len(known) < len(runs) or len({len(run) for run in known}) > 1:
        return None
    return known[0] if len(known) == 1 else sum(known[1:], known[0].copy()) / len(known)


def one_neutral(found: Iterable[tuple[float | None, float]]) -> tuple[float | None, float]:
    """The common neutral value and the largest room for rounding of several comparisons; (None, 0) if their neutral values differ."""
    listed = list(found)
    values = [value for value, _ in listed if value is not None]
    room = max((room for _, room in listed), default=0.0)
    if not values or len(values) < len(listed) or max(values) - min(values) > room:
        return None, 0.0
    return values[0], room
