"""Reads a search.toml: device, axes, workloads and metrics as in a study, plus objectives, limits and budget. docs/how-to/search.md describes
every key."""
import math
import pathlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import bounds
from ..errors import StudyError, one_of, shown
from ..expressions import FUNCTIONS, Expression, ExpressionError
from ..forms import FORMS
from ..study import Study, study_of
from ..table_reader import TableReader, read_toml

ALGORITHMS = ("guided", "tpe", "nsga2", "random", "exhaustive")
SENSES = ("largest", "smallest")
WAYS = ("mean", "geometric", "sum", "worst")
RUNGS = ("untimed", "sampled")  # cheaper forms of a run, tried between bounds and full runs
OWN = ("search", "budget", "objective", "limit", "bound", "constraint", "rung")
STUDY_ONLY = ("baseline", "figure", "summary", "drop", "untimed", "uncertainty", "indices")
MAX_SEED = 2**31


@dataclass
class Objective:
    """An objective: `best` is the wanted sense of a metric, `over` how the workloads' values combine into one."""
    metric: str
    best: str
    over: str

    @property
    def key(self) -> str:
        """The name of its value, combined over the workloads."""
        return self.metric

    @property
    def sign(self) -> float:
        """The factor that makes smaller values better."""
        return -1.0 if self.best == "largest" else 1.0


@dataclass
class Limit:
    """A limit of a metric; its end `least` or `most` is an expression over the axes."""
    metric: str
    least: Expression | None
    most: Expression | None
    over: str
    best: str  # the better sense, which defines "worst": "largest" for `least`, "smallest" for `most`

    @property
    def key(self) -> str:
        return f"{self.metric} {'at least' if self.least else 'at most'}"

    @property
    def text(self) -> str:
        end = self.least or self.most
        return f"{self.metric} {'>=' if self.least else '<='} {end.text if end else ''}"

    def end(self, values: dict[str, Any]) -> float:
        end = self.least or self.most
        assert end is not None
        return float(end.value(values))

    def misses(self, value: float, end: float) -> float:
        """By what share of the limit a value misses it; 0 if it keeps to it."""
        gap = end - value if self.least else value - end
        return 0.0 if gap <= 0 else gap / max(abs(end), 1e-12)


@dataclass
class Bounded:
    """Bounds of a metric without a run: a bound of engine.bounds (`of`) with a scale, expressions over axes and closed forms, or both."""
    metric: str
    of: str = ""
    scale: float = 1.0
    at_least: Expression | None = None
    at_most: Expression | None = None


@dataclass
class Rung:
    """A cheaper form of a run: which metrics it measures, and their possible error (`slack`, a share of the value)."""
    name: str
    metrics: list[str]
    slack: float
    when: Expression | None = None  # selects the points that use this rung; None: all


@dataclass
class Problem:
    study: Study
    each: list[str]  # each combination of values of these axes has a separate search
    weights: dict[str, float]
    objectives: list[Objective]
    limits: list[Limit]
    bounds: dict[str, Bounded]
    constraints: dict[str, Expression]
    when: dict[str, Expression]  # by axis: the axis counts only where this holds
    rungs: list[Rung]
    runs: int
    cpu_hours: float
    algorithm: str
    batch: int
    seed: int
    use_bounds: bool

    @property
    def file(self) -> pathlib.Path:
        return self.study.file

    @property
    def joint(self) -> bool:
        """Whether one search judges each point by all workloads together."""
        return "workload" not in self.each

    @property
    def design_axes(self) -> list[str]:
        return [axis.name for axis in self.study.axes if axis.name not in self.each]

    @property
    def wanted(self) -> list[str]:
        """The metrics of objectives and limits."""
        return list(dict.fromkeys([*(objective.metric for objective in self.objectives), *(limit.metric for limit in self.limits)]))

    def sense(self, metric: str) -> str:
        return next(one.best for one in [*self.objectives, *self.limits] if one.metric == metric)

    def unit(self, metric: str) -> str:
        unit = self.study.metric(metric).unit
        return "" if unit in ("1", "text") else f" {unit}"


def combined(way: str, best: str, values: Sequence[float], weights: Sequence[float]) -> float:
    """Combines the workloads' values into one number, which never falls when a value grows; so bounds may be combined the same way."""
    total = math.fsum(weights)
    if way == "worst":
        return min(values) if best == "largest" else max(values)
    if way == "geometric":
        return math.exp(math.fsum(weight * math.log(value) for value, weight in zip(values, weights)) / total) if min(values) > 0 else 0.0
    added = math.fsum(value * weight for value, weight in zip(values, weights))
    return added if way == "sum" else added / total


def load_search(folder: pathlib.Path, quick: bool = False) -> Problem:
    """Throws StudyError."""
    return _Loader(folder / "search.toml", quick).problem


class _Loader:
    """Reads the tables that only searches have, and passes the rest to the reader of studies."""

    def __init__(self, path: pathlib.Path, quick: bool) -> None:
        read = read_toml(path)
        self.top = top = TableReader(path, "", read)
        for key in STUDY_ONLY:
            if key in read:
                raise top.error(key, "is of studies, not of searches")
        rest = {key: value for key, value in read.items() if key not in OWN}
        conditions, weights = self._taken(rest, "axis", "when"), self._taken(rest, "workload", "weight")
        self.study = study = study_of(path, rest, quick)
        self.axes = {axis.name: [value.value for value in axis.values] for axis in study.axes}
        self.axes["workload"] = [workload.name for workload in study.workloads]
        self.metrics = [metric.name for metric in study.metrics]
        search = top.table("search")
        each = search.texts("each")
        for name in each:
            if name not in self.axes:
                raise search.error("each", f"unknown axis {name!r}; {one_of(self.axes, name)}")
        objectives = [self._objective(table) for table in top.listed_tables("objective")]
        if not objectives:
            raise top.error("", "has no [[objective]] table: nothing is wanted")
        self._once(objectives, "objective")
        limits = [self._limit(table) for table in top.listed_tables("limit")]
        budget = top.table("budget")
        self.problem = Problem(
            study, each, self._weights(weights), objectives, limits,
            {name: self._bounded(name, table) for name, table in top.named_tables("bound")},
            self._constraints(top.table("constraint")), self._conditions(conditions), self._rungs(top.table("rung")),
            self._number(budget, "runs", int, 0, 1, 10**7), self._number(budget, "cpu_hours", float, math.inf, 1e-6, math.inf),
            search.choice("algorithm", ALGORITHMS, "guided"), self._number(search, "batch", int, 4, 1, 1000),
            self._number(search, "seed", int, 1, 0, MAX_SEED), search.get("bounds", bool, True))
        if not budget.has("runs") and not budget.has("cpu_hours"):
            raise top.error("budget", "names no limit: give runs, cpu_hours or both")
        if not self.problem.runs:
            self.problem.runs = 10**7
        if not self.problem.design_axes:
            raise search.error("each", "names every axis: nothing is left to search over")
        budget.finish()
        search.finish()
        for metric in self.problem.bounds:
            if metric not in self.problem.wanted:
                raise top.error(f"bound.{metric}", f"{metric} is no objective and has no limit; {one_of(self.problem.wanted, metric)}")

    def _taken(self, rest: dict[str, Any], kind: str, word: str) -> dict[str, Any]:
        """Removes the key `word` from each [kind.NAME] table and returns its values, since the reader of studies does not know it."""
        tables = rest.get(kind)
        if not isinstance(tables, dict):
            return {}
        found = {name: table[word] for name, table in tables.items() if isinstance(table, dict) and word in table}
        rest[kind] = {name: {key: value for key, value in table.items() if key != word} if isinstance(table, dict) else table
                      for name, table in tables.items()}
        return found

    def _number(self, table: TableReader, key: str, kind: type, default: float, least: float, most: float) -> Any:
        value = table.get(key, kind, default)
        if table.has(key) and not least <= value <= most:
            raise table.error(key, f"is {value:g}; valid: {least:g} to {most:g}")
        return value

    def _weights(self, given: dict[str, Any]) -> dict[str, float]:
        for name, weight in given.items():
            if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < math.inf:
                raise self.top.error(f"workload.{name}.weight", f"is {weight!r}, and must be a number above 0")
        return {name: float(given.get(name, 1.0)) for name in self.axes["workload"]}

    def _names(self, expression: Expression, names: Iterable[str], at: Callable[[str], StudyError]) -> Expression:
        known = sorted(names)
        for name in sorted(expression.names):
            if name not in known:
                raise at(f"\"{expression.text}\": unknown name {name}; {one_of(known, name)}")
        if expression.fields:
            raise at(f"\"{expression.text}\": baselines are of studies")
        return expression

    def _conditions(self, given: dict[str, Any]) -> dict[str, Expression]:
        found = {}
        for name, text in given.items():
            key = f"axis.{name}.when"
            if not isinstance(text, str):
                raise self.top.error(key, f"is {text!r}, and must be a text, an expression over the other axes")
            found[name] = self._names(self.top.expression(key, text), set(self.axes) - {name}, lambda why, key=key: self.top.error(key, why))
        return found

    def _constraints(self, table: TableReader) -> dict[str, Expression]:
        return {name: self._names(table.expression(name, table.get(name, str)), self.axes, lambda why, name=name: table.error(name, why))
                for name in list(table.values)}

    def _metric(self, table: TableReader) -> str:
        name: str = table.get("metric", str, required=True)
        if name not in self.metrics:
            raise table.error("metric", f"unknown metric {name!r}; {one_of(self.metrics, name)}")
        if self.study.metric(name).unit == "text":
            raise table.error("metric", f"{name} is a text, and a number is wanted")
        return name

    def _objective(self, table: TableReader) -> Objective:
        metric = self._metric(table)
        objective = Objective(metric, table.choice("best", SENSES, ""), table.choice("over", WAYS, "mean")) if table.has("best") else None
        if objective is None:
            raise table.error("best", "is missing: largest or smallest")
        table.finish()
        return objective

    def _once(self, objectives: list[Objective], key: str) -> None:
        names = [objective.metric for objective in objectives]
        for name in names:
            if names.count(name) > 1:
                raise self.top.error(key, f"two are of the metric {name}")

    def _limit(self, table: TableReader) -> Limit:
        metric = self._metric(table)
        ends = {}
        for word in ("least", "most"):
            if table.has(word):
                value = table.values[word]
                table.asked.append(word)
                if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                    raise table.error(word, f"is {value!r}, and must be a number, or an expression over the axes")
                ends[word] = self._names(table.expression(word, str(value)), self.axes, lambda why, word=word: table.error(word, why))
        if len(ends) != 1:
            raise table.error("most" if ends else "least", "a limit has one of least, most; write two limits for both")
        over = table.choice("over", WAYS, "worst")
        table.finish()
        return Limit(metric, ends.get("least"), ends.get("most"), over, "largest" if "least" in ends else "smallest")

    def _bounded(self, name: str, table: TableReader) -> Bounded:
        if name not in self.metrics:
            raise self.top.error(f"bound.{name}", f"unknown metric; {one_of(self.metrics, name)}")
        found = Bounded(name, table.get("of", str, ""), table.get("scale", float, 1.0))
        for word in ("at_least", "at_most"):
            if table.has(word):
                expression = self._names(table.expression(word, table.get(word, str)), self.axes, lambda why, word=word: table.error(word, why))
                for function in sorted(expression.functions):
                    self._function(table, word, function)
                setattr(found, word, expression)
        if not (found.of or found.at_least or found.at_most):
            raise self.top.error(f"bound.{name}", "has `of`, a name of the bounds that there are, or at_least, at_most, expressions")
        if found.of and found.of not in bounds.PATHS:
            raise table.error("of", f"no bound is called {found.of}; {one_of(list(bounds.PATHS), found.of)}")
        table.finish()
        return found

    def _function(self, table: TableReader, key: str, name: str) -> None:
        if name not in FUNCTIONS and name not in FORMS:
            raise table.error(key, f"unknown function {name}; {one_of(sorted({*FUNCTIONS, *FORMS}), name)}")

    def _rungs(self, table: TableReader) -> list[Rung]:
        found = []
        for name in RUNGS:
            if table.has(name):
                rung = table.table(name)
                metrics = rung.texts("metrics") or list(self.metrics)
                for metric in metrics:
                    if metric not in self.metrics:
                        raise rung.error("metrics", f"unknown metric {metric}; {one_of(self.metrics, metric)}")
                if name == "untimed" and not rung.has("metrics"):
                    raise rung.error("metrics", "is missing: which metrics count where there is no time, as [\"waf\"]")
                when = self._names(rung.expression("when", rung.get("when", str)), self.axes, lambda why, rung=rung: rung.error("when", why)) \
                    if rung.has("when") else None
                found.append(Rung(name, metrics, self._number(rung, "slack", float, 0.05, 0.0, 1.0), when))
                rung.finish()
        table.asked += RUNGS
        table.finish()
        return found


def find_search(root: pathlib.Path, name: str) -> pathlib.Path:
    """The folder of a search; `name` is the name of a folder of experiments/, or a path. Throws StudyError."""
    valid = sorted(path.parent.name for path in (root / "experiments").glob("*/search.toml"))
    for folder in (root / "experiments" / name, pathlib.Path(name)):
        if (folder / "search.toml").is_file():
            return folder.resolve()
    if pathlib.Path(name).is_dir():
        raise StudyError(f"{shown(pathlib.Path(name))}: has no search.toml")
    raise StudyError(f"no search {name}; {one_of(valid, name)}; or the path of a folder with a search.toml")


def evaluated(problem: Problem, key: str, expression: Expression, values: dict[str, Any]) -> Any:
    """Evaluates an expression of search.toml. Throws StudyError, which names the key."""
    try:
        return expression.value(values)
    except ExpressionError as error:
        raise StudyError(f"{shown(problem.file)}: {key}: {error}") from None
