"""Reads a study.toml, checks that it is consistent, and holds it as plain data. docs/how-to/studies.md describes every key."""
import math
import pathlib
import re
from dataclasses import dataclass, field
from typing import Any

from .errors import StudyError, one_of
from .expressions import FUNCTIONS, Expression, Template
from .figure_reader import Figure, read_figure
from .forms import FORMS
from .samples import ENDS
from .table_reader import TableReader, of_form, read_toml
from .uncertainty import Indices, Uncertainty, read_indices, read_uncertainty

SOURCES = ("job", "fio", "trace", "workload", "generate", "linux", "datasheet")
MAX_AXIS_VALUES = 10_000
RESERVED = {"point", "workload", "repetitions", "seed", "most", "least", "result_json", "state", "instead"} | set(FUNCTIONS)
OTHER_TABLES = ("table", "runs", "summary", "indices", "published")  # names of CSV files that no summary may have


@dataclass
class AxisValue:
    """One value of an axis, and the device keys or the device that it sets."""
    value: Any
    sets: dict[str, Template] = field(default_factory=dict)
    device: str | None = None


@dataclass
class Axis:
    name: str
    unit: str
    label: str
    values: list[AxisValue]


@dataclass
class Workload:
    """`source` is one of SOURCES; `text` its file, or the text of a generator, or a line for each of several traces, one after
    another; `fio` the options of an inline fio job by name; `options` words of the command line, those of the study first."""
    name: str
    label: str
    source: str
    text: Template
    fio: dict[str, Template]
    options: list[Template]
    sets: dict[str, Template]
    optional: bool  # if its file is missing, the study leaves its points out
    private: bool = False  # its file may not be given away: what the study keeps does not need it


@dataclass
class Metric:
    """A column of the table: a value of result.json (`path`; untimed: `cache`, `cold`), of run.json (`cost`), or an expression."""
    name: str
    unit: str
    label: str
    path: Template | None = None  # may contain expressions over the axes
    cost: str = ""
    cache: str = ""
    cold: str = ""
    reduce: str = ""
    scale: float = 1.0
    cache_scale: float = 1.0
    optional: bool = False  # the metric is empty if a result has no such value
    expression: Expression | None = None

    @property
    def axis_label(self) -> str:
        return f"{self.label} ({self.unit})" if self.unit not in ("", "1", "text") else self.label


@dataclass
class Summary:
    """For each group of rows, of those that fulfil the conditions: the row with the largest or smallest value, or their mean."""
    name: str
    caption: str
    group: list[str]
    rows: Expression | None
    among: Expression | None
    pick: str  # largest, smallest, mean
    value: Expression | None
    columns: list[str]


@dataclass
class Study:
    name: str
    folder: pathlib.Path
    file: pathlib.Path
    title: str
    question: str
    device: str
    states: bool
    seeds: list[int]
    memory_mb: int
    minutes: int
    sets: dict[str, Template]
    axes: list[Axis]
    zips: list[list[str]]
    workloads: list[Workload]
    drop: list[Expression]
    untimed: list[Expression]
    metrics: list[Metric]
    baselines: dict[str, dict[str, Any]]
    figures: list[Figure]
    summaries: list[Summary]
    uncertainty: Uncertainty
    indices: Indices | None
    part: str = ""  # its name, if the study's file has several

    @property
    def axis_names(self) -> list[str]:
        """Columns that identify a row."""
        return [*(["workload"] if len(self.workloads) > 1 else []), *(axis.name for axis in self.axes)]

    def metric(self, name: str) -> Metric:
        return next(metric for metric in self.metrics if metric.name == name)

    def label(self, name: str) -> str:
        """The label of an axis or a metric in a figure, with its unit."""
        for axis in self.axes:
            if axis.name == name:
                return f"{axis.label} ({axis.unit})" if axis.unit else axis.label
        return name if name == "workload" else self.metric(name).axis_label


def load_study(folder: pathlib.Path, quick: bool = False) -> Study:
    """Throws StudyError."""
    return study_of(folder / "study.toml", read_toml(folder / "study.toml"), quick)


def study_of(path: pathlib.Path, values: dict[str, Any], quick: bool = False) -> Study:
    """Makes a study of the contents of a file, already parsed. Throws StudyError."""
    return _Loader(path, of_form(path, values, quick), quick).study


class _Loader:
    """Reads one file from top to bottom."""

    def __init__(self, path: pathlib.Path, read: dict[str, Any], quick: bool) -> None:
        folder = path.parent
        top = self.top = TableReader(path, "", read)
        title = top.get("title", str, folder.name)
        top.get("topic", str)  # of experiments/run --list
        question = top.get("question", str, required=True)
        device = top.get("device", str, required=True)
        states = top.get("states", bool, False)
        cluster = top.table("cluster")
        memory_mb, minutes = cluster.get("memory_mb", int, 1000), cluster.get("minutes", int, 30)
        for key, value in (("memory_mb", memory_mb), ("minutes", minutes)):
            if value < 1:
                raise cluster.error(key, f"is {value}, and must be at least 1")
        cluster.finish()
        seeds = self._seeds()
        uncertainty = read_uncertainty(top)
        self.axes = [self._axis(name, table) for name, table in top.named_tables("axis")]
        self.options = [top.template("options", option) for option in top.texts("options")]
        self.workloads = self._workloads()
        self.sets = self._sets(top.table("set"))
        self.values = {axis.name: [value.value for value in axis.values] for axis in self.axes}
        self.values["workload"] = [workload.name for workload in self.workloads]
        self._quick(quick)
        zips = self._zips()
        self.drop = [top.expression("drop", text) for text in top.texts("drop")]
        self.untimed = [top.expression("untimed", text) for text in top.texts("untimed")]
        self._check_names()
        baselines = self._baselines()
        self.metrics = self._metrics(set(baselines))
        self._check_effect()
        if uncertainty:
            self._check_bands()
        units = {metric.name: metric.unit for metric in self.metrics}
        figures = [read_figure(table, units, self._column, self._rows, bool(uncertainty)) for table in top.listed_tables("figure")]
        summaries = [self._summary(table) for table in top.listed_tables("summary")]
        indices = read_indices(top, uncertainty, [metric.name for metric in self.metrics], self._rows)
        for kind, items in (("figure", figures), ("summary", summaries)):
            names = [item.name for item in items]
            for name in names:
                if names.count(name) > 1:
                    raise top.error(kind, f"two are called {name}")
        top.finish()
        self.study = Study(folder.name, folder, path, title, question, device, states, seeds, memory_mb, minutes,
                           self.sets, self.axes, zips, self.workloads, self.drop, self.untimed, self.metrics, baselines, figures,
                           summaries, uncertainty, indices)

    def _seeds(self) -> list[int]:
        top = self.top
        if top.has("seeds") and top.has("repetitions"):
            raise top.error("repetitions", "give seeds or repetitions, not both")
        repetitions = top.get("repetitions", int, 0)
        if top.has("repetitions") and not 1 <= repetitions <= 1000:
            raise top.error("repetitions", f"is {repetitions}; valid: 1 to 1000")
        seeds: list[int] = top.get("seeds", list, list(range(1, repetitions + 1)))
        if not all(isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0 for seed in seeds):
            raise top.error("seeds", f"is {seeds}, and must be a list of integers from 0 on")
        if len(set(seeds)) != len(seeds) or (top.has("seeds") and not seeds):
            raise top.error("seeds", f"is {seeds}, and must name at least one seed, none twice")
        return seeds

    def _sets(self, table: TableReader) -> dict[str, Template]:
        """Reads overrides of the device by path; values are texts with expressions in braces, numbers, true, false or lists."""
        sets = {}
        for key, value in list(table.values.items()):
            table.asked.append(key)
            if not re.fullmatch(r"\w+(\.\w+)*", key):
                raise table.error(key, "is no key of a device file; write it in quotes, as \"nand.channels\"")
            if isinstance(value, str):
                sets[key] = table.template(key, value)
            elif isinstance(value, (bool, int, float, list)):
                sets[key] = Template(toml_text(value).replace("{", "{{").replace("}", "}}"))
            else:
                raise table.error(key, f"{value!r}: must be text, a number, true, false or a list; a key with a dot is "
                                       "written in quotes")
        return sets

    def _axis(self, name: str, table: TableReader) -> Axis:
        if name in RESERVED:
            raise self.top.error(f"axis.{name}", f"{name} is a name of the language of studies: take another")
        unit, label = table.get("unit", str, ""), table.get("label", str, name.replace("_", " "))
        key, is_device = table.get("set", str, ""), table.get("device", bool, False)
        given = [word for word in ("values", "range", "variants") if table.has(word)]
        if len(given) != 1:
            raise table.error(given[1] if given else "values",
                              "an axis has either values = [...], range = { from, to, step | factor } or variants")
        if given[0] == "variants":
            variants = table.table("variants")
            values = [self._variant(variant, variants.table(variant)) for variant in variants.values]
            if key or is_device:
                raise table.error("set" if key else "device", "does not go with variants, which say themselves what they set")
        else:
            plain = [table.scalar("values", value) for value in table.get("values", list, [])] \
                if given[0] == "values" else self._range(table)
            values = [AxisValue(value) for value in plain]
            for value in values:
                if key:
                    text = f"{plain_text(value.value)} {unit}" if unit else plain_text(value.value)
                    value.sets[key] = Template(text.replace("{", "{{").replace("}", "}}"))
                if is_device:
                    value.device = str(value.value)
        table.finish()
        found = [value.value for value in values]
        if not found:
            raise table.error(given[0], "has no value")
        if len({str(value) for value in found}) != len(found):
            raise table.error(given[0], f"has a value twice: {found}")
        if len({isinstance(value, str) for value in found}) > 1:
            raise table.error(given[0], "mixes text and numbers")
        return Axis(name, unit, label, values)

    def _variant(self, name: str, table: TableReader) -> AxisValue:
        device = table.get("device", str)
        sets = self._sets(table)
        sets.pop("device", None)
        return AxisValue(name, sets, device)

    def _range(self, table: TableReader) -> list[Any]:
        limits = table.table("range")
        first = limits.get("from", float, required=True)
        last = limits.get("to", float, required=True)
        if limits.has("step") == limits.has("factor"):
            raise table.error("range", "has either a step or a factor")
        step, factor = limits.get("step", float, 0.0), limits.get("factor", float, 0.0)
        limits.finish()
        if limits.has("step") and step <= 0:
            raise limits.error("step", f"is {step:g}, and must be above 0")
        if limits.has("factor") and (factor <= 1 or first <= 0):
            raise limits.error("factor", "must be above 1, and from above 0")
        if last < first:
            raise limits.error("to", f"{last:g} is below from, {first:g}")
        count = int(math.floor((last - first) / step + 1e-9) if step else
                    math.floor(math.log(last / first) / math.log(factor) + 1e-9)) + 1
        if count > MAX_AXIS_VALUES:
            raise table.error("range", f"has {count} values; at most {MAX_AXIS_VALUES}")
        values = [first + number * step if step else first * factor ** number for number in range(count)]
        return [int(value) if float(value).is_integer() else float(f"{value:.12g}") for value in values]

    def _workloads(self) -> list[Workload]:
        workloads = []
        for name, table in self.top.named_tables("workload"):
            given = [source for source in SOURCES if table.has(source)]
            if len(given) != 1:
                raise self.top.error(f"workload.{name}", f"has exactly one of {', '.join(SOURCES)}")
            fio = {}
            if given[0] == "fio":
                options = table.table("fio")
                for key in options.values:
                    value = options.values[key]
                    fio[key] = options.template(key, plain_text(options.scalar(key, value)))
            several = given[0] == "trace" and isinstance(table.values["trace"], list)
            text = "" if fio else "\n".join(table.texts("trace")) if several else table.get(given[0], str)
            table.asked.append(given[0])
            workloads.append(Workload(
                name, table.get("label", str, name.replace("_", " ")), given[0], table.template(given[0], text or ""),
                fio, self.options + [table.template("options", option) for option in table.texts("options")],
                self._sets(table.table("set")), table.get("optional", bool, False), table.get("private", bool, False)))
            table.finish()
        if not workloads:
            raise self.top.error("", "has no [workload.NAME] table")
        return workloads

    def _zips(self) -> list[list[str]]:
        zips: list[list[str]] = self.top.get("zip", list, [])
        axes = {axis.name: axis for axis in self.axes}
        seen: set[str] = set()
        for group in zips:
            if not isinstance(group, list) or len(group) < 2:
                raise self.top.error("zip", "is a list of lists of axes, as [[\"channels\", \"ways\"]]")
            for name in group:
                if name not in axes:
                    raise self.top.error("zip", f"unknown axis {name!r}; {one_of(axes, str(name))}")
                if name in seen:
                    raise self.top.error("zip", f"{name} is named twice")
                seen.add(name)
            lengths = {name: len(axes[name].values) for name in group}
            if len(set(lengths.values())) != 1:
                raise self.top.error("zip", "axes that go together have the same number of values, not " + ", ".join(
                    f"{name} {length}" for name, length in lengths.items()))
        return zips

    def _check_names(self) -> None:
        """Throws StudyError if an expression over the axes uses another name."""
        names = {"workload", *(axis.name for axis in self.axes)}
        for key, expressions in (("drop", self.drop), ("untimed", self.untimed)):
            for expression in expressions:
                self._check(expression, names, key)
        for template in self.options:
            for expression in template.expressions:
                self._check(expression, names, "options")
        groups = [("set", self.sets)]
        groups += [(f"workload.{workload.name}.{table}", sets) for workload in self.workloads
                   for table, sets in (("set", workload.sets), ("fio", workload.fio))]
        groups += [(f"axis.{axis.name}", value.sets) for axis in self.axes for value in axis.values]
        for where, sets in groups:
            for key, template in sets.items():
                for expression in template.expressions:
                    self._check(expression, names, f"{where}.\"{key}\"")
        for workload in self.workloads:
            for template in (workload.text, *workload.options):
                for expression in template.expressions:
                    self._check(expression, names, f"workload.{workload.name}")
        self.templates = ([template for _, sets in groups for template in sets.values()] +
                          [template for workload in self.workloads for template in (workload.text, *workload.options)])

    def _check_effect(self) -> None:
        """Throws StudyError for an axis without effect: it would run the same points several times."""
        templates = self.templates + [metric.path for metric in self.metrics if metric.path]
        used = {name for template in templates for expression in template.expressions for name in expression.names}
        for axis in self.axes:
            if axis.name not in used and not any(value.sets or value.device for value in axis.values):
                raise self.top.error(f"axis.{axis.name}", "changes nothing: it has no set, no device and no variants that set "
                                                          f"something, and no text has {{{axis.name}}}")

    def _check_bands(self) -> None:
        """Throws StudyError if a metric has the name of a column of another metric's band."""
        names = {metric.name for metric in self.metrics}
        for name in sorted(names):
            metric, _, end = name.rpartition("_")
            if metric in names and end in ENDS:
                raise self.top.error(f"metric.{name}", f"{name} is the name of a column of {metric}'s band: take another")

    def _check(self, expression: Expression, names: set[str], key: str, rows: dict[str, set[str]] | None = None,
               functions: tuple[str, ...] = ()) -> None:
        rows = rows or {}
        for name in sorted(expression.names):
            if name not in names:
                raise self.top.error(key, f"\"{expression.text}\": unknown name {name}; {one_of(sorted(names), name)}")
        for row, name in sorted(expression.fields):
            if row not in rows:
                raise self.top.error(key, f"\"{expression.text}\": unknown name {row}; {one_of(sorted(rows), row)}")
            if name not in rows[row]:
                raise self.top.error(key, f"\"{expression.text}\": {row} has no {name}; {one_of(sorted(rows[row]), name)}")
        for name in sorted(expression.functions):
            if name not in FUNCTIONS and name not in functions:
                raise self.top.error(key, f"\"{expression.text}\": unknown function {name}; "
                                          f"{one_of(sorted({*FUNCTIONS, *functions}), name)}")

    def _baselines(self) -> dict[str, dict[str, Any]]:
        baselines = {}
        for name, table in self.top.named_tables("baseline"):
            baselines[name] = dict(table.values)
            for axis, value in table.values.items():
                if axis not in self.values:
                    raise table.error(axis, f"unknown axis; {one_of(self.values, axis)}")
                if value not in self.values[axis]:
                    raise table.error(axis, f"is {value!r}; {one_of(self.values[axis], str(value))}")
            if not table.values:
                raise self.top.error(f"baseline.{name}", "names no axis")
        return baselines

    def _metrics(self, baselines: set[str]) -> list[Metric]:
        known = {"workload", *(axis.name for axis in self.axes)}
        metrics: list[Metric] = []
        for name, table in self.top.named_tables("metric"):
            if name in known or name in RESERVED or name in baselines:
                raise self.top.error(f"metric.{name}", f"{name} is an axis, a baseline or a word of the language already")
            unit = table.get("unit", str, required=True)
            metric = Metric(name, unit, table.get("label", str, name.replace("_", " ")))
            if any(table.has(key) for key in ("path", "cost", "cache", "cold")) == table.has("expression"):
                raise self.top.error(f"metric.{name}", "has either a path of result.json, or a cost, a field of run.json, or an "
                                     "expression (of untimed points: cache, cold)")
            if table.has("path") and table.has("cost"):
                raise table.error("cost", "is of run.json, and path of result.json: a metric has one of them")
            path, metric.cache = table.get("path", str, ""), table.get("cache", str, "")
            if path:
                metric.path = table.template("path", path)
                for expression in metric.path.expressions:
                    self._check(expression, {"workload", *(axis.name for axis in self.axes)}, f"metric.{name}.path")
            metric.cost, metric.cold = table.get("cost", str, ""), table.get("cold", str, "")
            metric.scale, metric.cache_scale = table.get("scale", float, 1.0), table.get("cache_scale", float, 1.0)
            metric.optional = table.get("optional", bool, False)
            for key in ("cache", "cold"):
                if table.has(key) and not self.untimed:
                    raise table.error(key, "is of untimed points, and untimed names none")
            metric.reduce = table.choice("reduce", ("", "mean", "min", "max", "sum"), "")
            if ("*" in path.split(".")) != bool(metric.reduce):
                raise table.error("reduce" if metric.reduce else "path",
                                  "a path with * is a list, and reduce says what to take: mean, min, max, sum")
            if table.has("expression"):
                if table.has("scale") or table.has("cache_scale") or metric.reduce or metric.optional:
                    raise self.top.error(f"metric.{name}", "scale, cache_scale, reduce and optional go with a path or a cost")
                metric.expression = table.expression("expression", table.get("expression", str))
                self._check(metric.expression, known, f"metric.{name}.expression",
                            {baseline: set(known) - {name} for baseline in baselines}, tuple(FORMS))
            table.finish()
            metrics.append(metric)
            known.add(name)
        if not metrics:
            raise self.top.error("", "has no [metric.NAME] table")
        return metrics

    @property
    def columns(self) -> set[str]:
        return {"workload", *(axis.name for axis in self.axes), *(metric.name for metric in self.metrics)}

    def _column(self, table: TableReader, key: str, name: str, optional: bool = False) -> str:
        if name not in self.columns and not (optional and not name):
            raise table.error(key, f"unknown axis or metric \"{name}\"; {one_of(sorted(self.columns), name)}")
        return name

    def _rows(self, table: TableReader, key: str) -> Expression | None:
        text = table.get(key, str)
        if text is None:
            return None
        expression = table.expression(key, text)
        groups = {"most": self.columns, "least": self.columns} if key in ("among", "largest", "smallest") else {}
        self._check(expression, self.columns, table.at(key), groups)
        return expression

    def _summary(self, table: TableReader) -> Summary:
        name = table.get("name", str, required=True)
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
            raise table.error("name", f"\"{name}\": a name is made of a-z, 0-9, - and _")
        if name in OTHER_TABLES:
            raise table.error("name", f"\"{name}\" is the name of another table: {name}.csv")
        picks = [word for word in ("largest", "smallest", "mean") if table.has(word)]
        if len(picks) != 1:
            raise table.error(picks[-1] if picks else "largest", "a summary has one of largest, smallest (an expression), mean (true)")
        if picks == ["mean"] and not table.get("mean", bool):
            raise table.error("mean", "is false; valid: true, or leave it out")
        value = None if picks == ["mean"] else self._rows(table, picks[0])
        summary = Summary(name, table.get("caption", str, required=True),
                          [self._column(table, "group", column) for column in table.texts("group")],
                          self._rows(table, "rows"), self._rows(table, "among"), picks[0], value,
                          [self._column(table, "columns", column) for column in table.texts("columns")])
        table.finish()
        return summary

    def _quick(self, quick: bool) -> None:
        """Reads [quick], and with `quick` keeps only the values that it names: a small subset for a first look and for tests."""
        table = self.top.table("quick")
        axes = {axis.name: axis for axis in self.axes}
        for name in table.values:
            wanted = table.get(name, list)
            if name not in self.values:
                raise table.error(name, f"unknown axis; {one_of(self.values, name)}")
            for value in wanted:
                if value not in self.values[name]:
                    raise table.error(name, f"{value!r} is none of its values; {one_of(self.values[name], str(value))}")
            if not wanted:
                raise table.error(name, "has no value")
            if quick and name == "workload":
                self.workloads = [workload for workload in self.workloads if workload.name in wanted]
            elif quick:
                axes[name].values = [value for value in axes[name].values if value.value in wanted]


def toml_text(value: Any) -> str:
    """A value in TOML syntax."""
    if isinstance(value, list):
        return "[" + ", ".join(toml_text(item) for item in value) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return plain_text(value)


def plain_text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
