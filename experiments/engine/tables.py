"""Makes tidy tables of results: a row for each combination of axis values, units in the header, means and 95 % confidence intervals
over repetitions."""
import csv
import json
import math
import pathlib
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flashloom.whole_file import whole_file

from .errors import RunError, StudyError, shown, wrong
from .expressions import ExpressionError
from .forms import of_device
from .kept import HEADER as SUMMARY_HEADER
from .kept import SUMMARY
from .points import Plan, Point
from .sampled_metrics import Run, SampledMetrics
from .samples import ENDS, Band, Samples, mean_of, one_neutral, parts_of, quantiles
from .study import Metric, Study, Summary

DIGITS = 9
OF_TIME = ("energy", "utilization", "simulated_s", "iops", "bandwidth_bytes_per_s", "latency_breakdown_ns")
REDUCE: dict[str, Callable[[list[float]], float]] = {"mean": statistics.fmean, "min": min, "max": max, "sum": math.fsum}


@dataclass
class Row:
    """A row of the study's table: axes and metrics by name, and half the width of each metric's 95 % interval. With `uncertainty` also
    the samples of metrics that depend on energies, and their bands."""
    values: dict[str, Any]
    ci95: dict[str, float | None]
    points: list[Point]
    repetitions: int
    unasked: set[str] = field(default_factory=set)  # metrics that are 0 because nothing of that kind was asked of the device
    samples: dict[str, Any] = field(default_factory=dict)
    bands: dict[str, Band] = field(default_factory=dict)


@dataclass
class Picked:
    """A line of a summary: the values of its group and columns by name, their bands and intervals where they exist, and the columns of
    which nothing was asked of the device."""
    values: dict[str, Any]
    bands: dict[str, Band]
    ci95: Mapping[str, float | None] = field(default_factory=dict)
    unasked: set[str] = field(default_factory=set)


def column(name: str, unit: str) -> str:
    """The name of a column with its unit: "throughput" and "MB/s" give "throughput_mb_per_s"."""
    if unit in ("1", "text"):
        return name
    words = unit.replace("%", "percent").replace("/", " per ").replace("·", " ").lower()
    return "_".join([name, *re.findall(r"[a-z0-9µ]+", words)]).replace("µ", "u")


def at(result: Any, metric: Metric, axes: dict[str, Any]) -> Any:
    """The value of a metric in a result; None if the result has null there. Its path may depend on the axes, and quotes names with a
    dot in them. Raises KeyError, or another LookupError or TypeError, for a wrong path. In results of `flashloom cache` and `flashloom
    cold` the metric is a field of the one line."""
    for rows, name in (("caches", metric.cache), ("buffers", metric.cold)):
        if rows in result:
            value = result[rows][0][name] if name else None
            return value if value is None or isinstance(value, str) else value * metric.cache_scale
    if metric.path is None:
        return None
    values = [result]
    for part in parts_of(metric.path.filled(axes)):
        found: list[Any] = []
        for value in values:
            if part == "*":
                found += value if isinstance(value, list) else list(value.values())
            elif isinstance(value, list):
                found.append(value[int(part)])
            elif value is None:
                found.append(None)
            else:
                found.append(value[part])
        values = found
    if metric.reduce:
        known = [value for value in values if value is not None]
        return REDUCE[metric.reduce](known) * metric.scale if known else None
    value = values[0]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value * metric.scale if is_number else value


def was_asked(result: dict[str, Any], metric: Metric, axes: dict[str, Any]) -> bool:
    """False if a result has 0 because nothing of the kind occurred: the latency of reads in a run without reads, or a time on the
    instant clock."""
    if metric.path is None or not isinstance(result.get("host"), dict):
        return True
    names = metric.path.filled(axes).split(".")
    if result.get("simulated_s") == 0 and (names[0] in OF_TIME or names[-1] in OF_TIME or "latency_ns" in names):
        return False
    if names[-1] == "waf" and result["host"].get("write", {}).get("ios") == 0:
        return False
    value: Any = result
    for name in names[:-1]:
        value = value[int(name)] if isinstance(value, list) and name.isdigit() else value.get(name) if isinstance(value, dict) else None
        if isinstance(value, dict) and value.get("ios") == 0 and "latency_ns" in value:
            return False
    return True


class Table:
    """Computes every metric of every run, one metric after the other for all runs, so that an expression may use earlier metrics of
    its run and of baselines."""

    def __init__(self, study: Study, plan: Plan, out: pathlib.Path) -> None:
        self.study = study
        self.out = out
        self.results = {point.key: self._result(point) for point in plan.points}
        self.values: list[dict[str, Any]] = [dict(point.values) for point in plan.points]
        self._where = {self._place(point.values, point.seed): number for number, point in enumerate(plan.points)}
        for metric in study.metrics:
            for number, point in enumerate(plan.points):
                self.values[number][metric.name] = self._value(metric, number, point)
        self.sampled = SampledMetrics(study, [
            Run(point, self.results[point.key], self.values[number], self._others(point), self._functions(point))
            for number, point in enumerate(plan.points)], out / "points") if study.uncertainty else None
        self.rows = self._rows(plan)

    def _result(self, point: Point) -> dict[str, Any] | None:
        path = self.out / "points" / point.key / "result.json"
        try:
            result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return with_kinds(result)
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise RunError(f"{path}: {error}") from None

    def _cost(self, metric: Metric, point: Point) -> float | None:
        """A field of run.json, which records the cost of the run; its numbers differ each time a run repeats."""
        path = self.out / "points" / point.key / "run.json"
        try:
            cost = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None  # untimed points have no run.json
        except ValueError as error:
            raise RunError(f"{path}: {error}") from None
        value = cost.get(metric.cost)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            if metric.optional:
                return None
            numbers = sorted(name for name, field in cost.items() if isinstance(field, (int, float)))
            raise wrong(self.study.file, f"metric.{metric.name}.cost", f"{metric.cost} is no number of run.json; valid: {', '.join(numbers)}")
        return value * metric.scale

    @staticmethod
    def _place(values: dict[str, Any], seed: int | None) -> tuple[Any, ...]:
        return (seed, *sorted(values.items()))

    def _value(self, metric: Metric, number: int, point: Point) -> Any:
        result = self.results[point.key]
        if result is None:
            return None
        if metric.cost:
            return self._cost(metric, point)
        if metric.expression is None:
            try:
                return at(result, metric, point.values)
            except (KeyError, IndexError, ValueError, TypeError, AttributeError):
                if metric.optional:
                    return None
                key = point.untimed or "path"
                name, guide = metric.path.filled(point.values) if key == "path" and metric.path else getattr(metric, key), point.untimed or "results"
                raise wrong(self.study.file, f"metric.{metric.name}.{key}", f"{name} is not in result.json "
                            f"(of {point.title}); docs/reference/{guide}.md has all fields") from None
        values = dict(self.values[number])
        for name, other in self._others(point).items():
            values[name] = None if other is None else self.values[other]
        try:
            return metric.expression.value(values, self._functions(point))
        except (ExpressionError, ValueError, KeyError) as error:
            raise wrong(self.study.file, f"metric.{metric.name}.expression", f"{error} (at {point.title})") from None

    def _others(self, point: Point) -> dict[str, int | None]:
        """By name of each baseline, the number of the run that is this point's baseline; None if there is none."""
        return {name: self._where.get(self._place(point.values | axes, point.seed)) for name, axes in self.study.baselines.items()}

    def _functions(self, point: Point) -> Mapping[str, Callable[..., Any]]:
        return of_device(lambda: (self.results[point.key] or {}).get("config"))  # untimed points have no device

    def _rows(self, plan: Plan) -> list[Row]:
        each = max(1, len(self.study.seeds))
        rows = []
        for first in range(0, len(plan.points), each):
            runs = [values for values, point in zip(self.values[first:first + each], plan.points[first:first + each])
                    if self.results[point.key] is not None]
            row = Row(dict(plan.points[first].values), {}, plan.points[first:first + each], len(runs))
            for metric in self.study.metrics:
                row.values[metric.name], row.ci95[metric.name] = mean_and_ci95([run[metric.name] for run in runs])
                if not self._was_asked(row, metric):
                    row.unasked.add(metric.name)
            if self.sampled:
                row.samples, row.bands = self.sampled.of_row(range(first, first + each))
            rows.append(row)
        return rows

    def _was_asked(self, row: Row, metric: Metric) -> bool:
        if row.values[metric.name] != 0:
            return True
        if metric.expression is not None:
            used = {name for name in metric.expression.names if name in row.ci95}
            return not used or not used <= row.unasked
        results = [self.results[point.key] for point in row.points]
        return any(was_asked(result, metric, row.values) for result in results if result is not None)

    def columns(self) -> list[tuple[str, str]]:
        """(name of the column, name that cell() takes for it)."""
        units = {axis.name: axis.unit for axis in self.study.axes} | {m.name: m.unit for m in self.study.metrics}
        columns = [(column(name, units.get(name, "1")) if units.get(name) else name, name) for name in self.study.axis_names]
        if len(self.study.seeds) > 1:
            columns.append(("repetitions", "repetitions"))
        for metric in self.study.metrics:
            columns.append((column(metric.name, metric.unit), metric.name))
            if len(self.study.seeds) > 1 and any(row.ci95[metric.name] is not None for row in self.rows):
                columns.append((column(f"{metric.name}_ci95", metric.unit), f"{metric.name}_ci95"))
            if self.has_bands(metric.name):
                columns += band_columns(metric)
        return columns

    def samples_of(self, row: Row) -> Samples:
        """The samples of the first run of a row with bands. All repetitions have the same inputs, and differ only in outputs."""
        found = self.sampled.sampled[self._where[self._place(row.points[0].values, row.points[0].seed)]].samples if self.sampled else None
        assert found is not None
        return found

    def has_bands(self, name: str) -> bool:
        return any(name in row.bands for row in self.rows)

    def cell(self, row: Row, name: str) -> Any:
        if name == "repetitions":
            return row.repetitions
        if name in row.values:
            return row.values[name]
        metric, _, end = name.rpartition("_")
        return row.ci95[metric] if end == "ci95" else getattr(row.bands.get(metric), end, None)

    def write(self) -> None:
        """Writes table.csv, runs.csv (with repetitions), a table of each summary, and summary.csv."""
        columns = self.columns()
        write_csv(self.out / "table.csv", ["point", *(name for name, _ in columns)],
                  ([" ".join(point.key for point in row.points), *(self.cell(row, name) for _, name in columns)] for row in self.rows))
        if len(self.study.seeds) > 1:
            plain = [(name, key) for name, key in columns if key in self.rows[0].values]
            write_csv(self.out / "runs.csv", ["point", "seed", *(name for name, _ in plain)],
                      ([point.key, point.seed, *(self.values[self._where[self._place(point.values, point.seed)]][key] for _, key in plain)]
                       for row in self.rows for point in row.points))
        for summary in self.study.summaries:
            header, lines = self.summary(summary)
            write_csv(self.out / f"{summary.name}.csv", header, lines)
        write_csv(self.out / SUMMARY, SUMMARY_HEADER, self.summaries())

    def summaries(self) -> Iterable[list[Any]]:
        """The lines of summary.csv, one for each value of each summary. A study keeps this file beside its study.toml, as the source of
        the numbers in its README."""
        for summary in self.study.summaries:
            header, lines = self.summary(summary)
            axes = len(summary.group)
            for line in lines:
                row = place_of(header[:axes], line)
                yield from ([summary.name, row, name, value] for name, value in zip(header[axes:], line[axes:]) if value is not None)

    def summary(self, summary: Summary) -> tuple[list[str], list[list[Any]]]:
        """Header and lines of a summary's table, with the columns of bands."""
        names = dict((key, name) for name, key in self.columns()) | {"workload": "workload"}
        picked = self.picked(summary)
        banded = {name for line in picked for name in line.bands}
        wanted = [(name, "") for name in summary.group] + [(name, end) for name in summary.columns
                                                           for end in ("", *(ENDS if name in banded else ()))]
        header = [names[f"{name}_{end}" if end else name] for name, end in wanted]
        return header, [[getattr(line.bands.get(name), end, None) if end else line.values[name] for name, end in wanted] for line in picked]

    def picked(self, summary: Summary) -> list[Picked]:
        """The picked row of each group, or the mean of its rows; its columns are empty if no row fulfils the condition."""
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in self._chosen(summary, self.rows, "rows", {}):
            groups.setdefault(tuple(row.values[name] for name in summary.group), []).append(row)
        lines = []
        for group, rows in groups.items():
            place = dict(zip(summary.group, group))
            extremes = {"most": self._extreme(rows, max), "least": self._extreme(rows, min)}
            among = self._chosen(summary, rows, "among", extremes)
            if summary.pick == "mean":
                lines.append(self._mean(summary, place, among))
                continue
            rated = [(self._rate(summary, row, extremes), row) for row in among]
            rated = [pair for pair in rated if pair[0] is not None]
            if not rated:
                lines.append(Picked(place | dict.fromkeys(summary.columns), {}))
                continue
            best = (max if summary.pick == "largest" else min)(rated, key=lambda pair: pair[0])[1]
            wanted = [*summary.group, *summary.columns]
            lines.append(Picked({name: best.values[name] for name in wanted}, {name: best.bands[name] for name in wanted if name in best.bands}, best.ci95, best.unasked))
        return lines

    @staticmethod
    def _mean(summary: Summary, place: dict[str, Any], rows: Sequence[Row]) -> Picked:
        """The mean over rows, and its band from the mean sample by sample."""
        line = Picked(place | {name: mean_and_ci95([row.values[name] for row in rows])[0] for name in summary.columns}, {},
                      unasked={name for name in summary.columns if rows and all(name in row.unasked for row in rows)})
        for name in summary.columns:
            mean = mean_of([row.samples.get(name) for row in rows if row.values[name] is not None])
            band = None if mean is None else quantiles(mean, *one_neutral((row.bands[name].neutral, row.bands[name].room) for row in rows if name in row.bands))
            if band is not None:
                line.bands[name] = band
        return line

    def _extreme(self, rows: Sequence[Row], of: Any) -> dict[str, Any]:
        extremes = {}
        for name in rows[0].values:
            known = [row.values[name] for row in rows if row.values[name] is not None]
            extremes[name] = of(known) if known else None
        return extremes

    def _chosen(self, summary: Summary, rows: Sequence[Row], key: str, extremes: dict[str, Any]) -> list[Row]:
        condition = summary.rows if key == "rows" else summary.among
        try:
            return [row for row in rows if condition is None or condition.value(row.values | extremes)]
        except ExpressionError as error:
            raise StudyError(f"{shown(self.study.file)}: summary {summary.name}: {key}: {error}") from None

    def _rate(self, summary: Summary, row: Row, extremes: dict[str, Any]) -> Any:
        assert summary.value is not None
        try:
            return summary.value.value(row.values | extremes)
        except ExpressionError as error:
            raise StudyError(f"{shown(self.study.file)}: summary {summary.name}: {summary.pick}: {error}") from None


def band_columns(metric: Metric) -> list[tuple[str, str]]:
    """The columns of a metric's band: (name of the column, name that Table.cell takes)."""
    return [(column(f"{metric.name}_{end}", metric.unit), f"{metric.name}_{end}") for end in ENDS]


def with_kinds(result: dict[str, Any]) -> dict[str, Any]:
    """Adds energy.kinds to a result: the joules of all components of each kind, by its name."""
    energy = result.get("energy")
    if isinstance(energy, dict) and "kinds" not in energy:
        kinds: dict[str, float] = {}
        for component in energy.get("components", []):
            kinds[component["kind"]] = kinds.get(component["kind"], 0.0) + component["j"]
        energy["kinds"] = kinds
    return result


def mean_and_ci95(values: list[Any]) -> tuple[Any, float | None]:
    """Mean of the values that are not None, and half the width of its 95 % confidence interval by Student's t. Texts have no mean:
    distinct ones are joined by " | "."""
    known = [value for value in values if value is not None]
    if not known:
        return None, None
    if any(isinstance(value, (str, bool)) for value in known):
        return known[0] if len(set(known)) == 1 else " | ".join(sorted({str(value) for value in known})), None
    if len(known) == 1:
        return known[0], None
    from scipy.special import stdtrit  # pylint: disable=import-outside-toplevel
    half = float(stdtrit(len(known) - 1, 0.975)) * statistics.stdev(known) / math.sqrt(len(known))
    return statistics.fmean(known), half


def said(value: Any) -> Any:
    """A value as a cell of a CSV file; a float has nine digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else f"{value:.{DIGITS}g}" if isinstance(value, float) else value


def place_of(names: Iterable[str], values: Iterable[Any]) -> str:
    """The name of a row in a summary: its axes with their values."""
    return ", ".join(f"{name} {said(value)}" for name, value in zip(names, values))


def write_csv(path: pathlib.Path, header: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    with whole_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([said(value) for value in line] for line in lines)
