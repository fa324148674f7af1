"""Computes the metrics of a study sample by sample, and their bands. Only metrics that depend on energies have samples; all other
values of a run are constants in them. Baselines are compared sample by sample."""
import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import wrong
from .expressions import ExpressionError
from .points import Point
from .samples import ALIKE, Band, Samples, band_of_path, check_paired, known, mean_of, of_path, one_neutral, quantiles, read_samples, value_of_samples
from .study import Metric, Study

if TYPE_CHECKING:
    from .samples import Array


@dataclass
class Run:
    """One run: the values of its metrics, the number of each baseline's run (None if there is none), and the functions for its
    device."""
    point: Point
    result: dict[str, Any] | None
    values: Mapping[str, Any]
    others: Mapping[str, int | None]
    functions: Mapping[str, Callable[..., Any]]


@dataclass
class SampledRun:
    """The samples of a run by metric, in three forms: `values` as they are; `alone` as if every baseline were the run itself;
    `rounded` as `alone`, with the baselines off by rounding. The forms differ only for comparisons. `neutral`: the value of a
    comparison of the run with itself, if that is one number, and how far rounding can move it."""
    samples: Samples | None
    values: "dict[str, Array]" = field(default_factory=dict)
    alone: "dict[str, Array]" = field(default_factory=dict)
    rounded: "dict[str, Array]" = field(default_factory=dict)
    neutral: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, name: str, found: "Array") -> None:
        self.values[name] = self.alone[name] = self.rounded[name] = found


class SampledMetrics:
    """The samples of all runs and metrics. Throws RunError for runs whose samples cannot be compared."""

    def __init__(self, study: Study, runs: Sequence[Run], folder: pathlib.Path) -> None:
        self.study = study
        self.runs = runs
        read: dict[str, Samples | None] = {}
        for run in runs:
            if run.point.key not in read:
                read[run.point.key] = read_samples(folder / run.point.key, run.result, study.uncertainty.samples)
        self.sampled = [SampledRun(read[run.point.key]) for run in runs]
        self._paired: set[tuple[int, int]] = set()
        compared: set[str] = set()
        for metric in study.metrics:
            if metric.expression and (metric.expression.fields or metric.expression.names & compared):
                compared.add(metric.name)
            for number in range(len(runs)):
                self._work_out(metric, number, metric.name in compared)

    def _work_out(self, metric: Metric, number: int, is_compared: bool) -> None:
        run, sampled = self.runs[number], self.sampled[number]
        if run.result is None or metric.unit == "text":
            return
        if metric.expression is None:
            if metric.path is not None and sampled.samples is not None and run.values[metric.name] is not None:
                found = of_path(sampled.samples, run.result, metric.path.filled(run.point.values))
                if found is not None:
                    sampled.add(metric.name, found * metric.scale)
            return
        others = {name: other for name, other in run.others.items() if name in {row for row, _ in metric.expression.fields}}
        rows = {name: None if other is None else self._row(other, self.sampled[other].values) for name, other in others.items()}
        found = self._value(metric, run, self._row(number, sampled.values) | rows, [number, *(other for other in others.values() if other is not None)])
        if found is None:
            return
        sampled.add(metric.name, found)
        if is_compared:
            self._compare_alone(metric, number, list(others))

    def _compare_alone(self, metric: Metric, number: int, baselines: Sequence[str]) -> None:
        """Computes the metric as if every baseline were the run itself, exactly and off by rounding."""
        run, sampled = self.runs[number], self.sampled[number]
        own = self._row(number, sampled.alone)
        near = self._row(number, {name: values * (1 + ALIKE) for name, values in sampled.alone.items()})
        alone = self._value(metric, run, own | dict.fromkeys(baselines, own), [number])
        rounded = self._value(metric, run, self._row(number, sampled.rounded) | dict.fromkeys(baselines, near), [number])
        if alone is None or rounded is None or not len(known(alone)) or not len(known(rounded - alone)):
            return
        sampled.alone[metric.name], sampled.rounded[metric.name] = alone, rounded
        low, high, room = float(known(alone).min()), float(known(alone).max()), float(known(abs(rounded - alone)).max())
        if high - low <= room:
            sampled.neutral[metric.name] = ((low + high) / 2, room)

    def _row(self, number: int, samples: "Mapping[str, Array]") -> dict[str, Any]:
        return {**self.runs[number].values, **samples}

    def _value(self, metric: Metric, run: Run, values: Mapping[str, Any], used: Sequence[int]) -> "Array | None":
        """The samples of an expression, which may use samples of the runs `used`; None if it uses none."""
        assert metric.expression is not None
        names = metric.expression.names | {name for _, name in metric.expression.fields}
        there = [number for number in used if self.sampled[number].samples is not None and names & self.sampled[number].values.keys()]
        if not there:
            return None
        for number in there[1:]:
            self._check(there[0], number)
        first = self.sampled[there[0]].samples
        assert first is not None
        try:
            return value_of_samples(metric.expression, values, run.functions, first.count)
        except (ExpressionError, ValueError, KeyError) as error:
            raise wrong(self.study.file, f"metric.{metric.name}.expression", f"{error} (a sample of {run.point.title})") from None

    def _check(self, one: int, other: int) -> None:
        ones, others = self.sampled[one].samples, self.sampled[other].samples
        if (one, other) not in self._paired and ones is not None and others is not None:
            check_paired(ones, others)
            self._paired.add((one, other))

    def of_row(self, numbers: Sequence[int]) -> "tuple[dict[str, Array], dict[str, Band]]":
        """The mean of each metric over a row's repetitions, sample by sample, and its band. `numbers`: the repetitions' runs."""
        numbers = [number for number in numbers if self.runs[number].result is not None]
        values: "dict[str, Array]" = {}
        bands: dict[str, Band] = {}
        for metric in self.study.metrics:
            mean = mean_of([self.sampled[number].values.get(metric.name) for number in numbers])
            if mean is not None:
                band = quantiles(mean, *one_neutral(self.sampled[number].neutral.get(metric.name, (None, 0.0)) for number in numbers))
                values[metric.name] = mean
            else:
                result = self.runs[numbers[0]].result if len(numbers) == 1 else None
                path = metric.path.filled(self.runs[numbers[0]].point.values) if result and metric.path else ""
                band = band_of_path(result, path, metric.scale) if result and path else None
            if band is not None:
                bands[metric.name] = band
        return values, bands
