"""Reads the [[figure]] tables of a study.toml."""
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .errors import StudyError
from .expressions import Expression, ExpressionError, Template
from .table_reader import TableReader

KINDS = ("lines", "bars", "points", "stacked", "pareto", "tornado")
SENSES = ("largest", "smallest")


@dataclass
class Figure:
    """A figure of a study. `y` is a metric; a tornado has no `x`. For stacked bars `parts` are the metrics that add up, and `y` is the
    first of them."""
    name: str
    caption: str
    x: str
    y: str
    series: str
    panels: list[str]
    rows: Expression | None
    dashed: str
    log: str
    kind: str
    script: str
    label: str = ""  # label of the y axis; empty: the metric's label
    parts: list[str] = field(default_factory=list)
    best: list[str] = field(default_factory=list)  # Pareto front: which of "largest", "smallest" is best for x, and for y
    total: str = ""  # stacked bars: the metric that the parts add up to
    ranges: str = ""  # "shared" or "own" y axes of panels; empty: shared if every panel stays readable

    @property
    def measured(self) -> str:
        """The metric whose error bars and published values the figure shows; for stacked bars `total`, which may be empty."""
        return self.total if self.parts else self.y

    @property
    def drawn(self) -> list[str]:
        """The metrics that the figure draws."""
        return self.parts or [self.y]


def read_figure(table: TableReader, units: dict[str, str], column: Callable[..., str],
                rows: Callable[[TableReader, str], Expression | None], has_samples: bool) -> Figure:
    """Reads one table. `units`: the metrics' units by name; `has_samples`: the study sets `uncertainty`. Throws StudyError."""
    name = table.get("name", str, required=True)
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        raise table.error("name", f"\"{name}\": a name is made of a-z, 0-9, - and _")
    caption = table.get("caption", str, required=True)
    try:
        for expression in Template(caption).expressions:
            for named in expression.names:
                column(table, "caption", named)
    except ExpressionError as error:
        raise table.error("caption", str(error)) from None
    kind = table.choice("kind", KINDS, "lines")
    x = "" if kind == "tornado" else column(table, "x", table.get("x", str, required=True))
    parts = [column(table, "y", part) for part in table.texts("y")] if kind == "stacked" else []
    y = parts[0] if parts else column(table, "y", table.get("y", str, required=True))
    figure = Figure(
        name, caption, x, y, column(table, "series", table.get("series", str, ""), optional=True),
        [column(table, "panels", panel) for panel in table.texts("panels")], rows(table, "rows"),
        column(table, "dashed", table.get("dashed", str, ""), optional=True), table.choice("log", ("", "x", "y", "xy"), ""), kind,
        table.get("script", str, "tornado.gp" if kind == "tornado" else "study.gp"), table.get("label", str, ""), parts, table.texts("best"),
        column(table, "total", table.get("total", str, ""), optional=True), table.choice("ranges", ("", "shared", "own"), ""))
    _check(table, figure, units, has_samples)
    table.finish()
    return figure


def _check(table: TableReader, figure: Figure, units: dict[str, str], has_samples: bool) -> None:
    if figure.kind == "stacked":
        _check_stacked(table, figure, units)
    elif figure.total:
        raise table.error("total", "is of stacked bars: the metric that they add up to")
    if figure.kind == "tornado":
        _check_tornado(table, figure, units, has_samples)
    if (figure.kind == "pareto") != bool(figure.best):
        raise table.error("best", "of kind = \"pareto\": what is best of x and of y, as [\"largest\", \"smallest\"]")
    if figure.best and (len(figure.best) != 2 or not set(figure.best) <= set(SENSES)):
        raise table.error("best", f"is {figure.best}; valid: two of largest, smallest: of x, then of y")


def _check_stacked(table: TableReader, figure: Figure, units: dict[str, str]) -> None:
    valid: StudyError | None = None
    if not set(figure.parts) <= set(units):
        valid = table.error("y", f"of stacked bars is a list of metrics; valid: {', '.join(units)}")
    elif len(figure.parts) < 2 or len(set(figure.parts)) != len(figure.parts):
        valid = table.error("y", "of stacked bars is a list of two or more metrics, none twice")
    elif len({units[part] for part in figure.parts}) > 1:
        valid = table.error("y", "of stacked bars: what adds up has one unit, not " + ", ".join(
            f"{part} ({units[part]})" for part in figure.parts))
    elif figure.total and units.get(figure.total) != units[figure.parts[0]]:
        valid = table.error("total", f"of stacked bars is a metric of their unit, {units[figure.parts[0]]}")
    elif figure.series or figure.dashed or "y" in figure.log:
        key = "series" if figure.series else "dashed" if figure.dashed else "log"
        valid = table.error(key, "does not go with stacked bars, whose series are the metrics that y lists")
    if valid:
        raise valid


def _check_tornado(table: TableReader, figure: Figure, units: dict[str, str], has_samples: bool) -> None:
    if not has_samples:
        raise table.error("kind", "is \"tornado\": its bars are of samples, and the study has no `uncertainty = N`")
    if figure.y not in units:
        raise table.error("y", f"of a tornado is a metric; valid: {', '.join(units)}")
    for key in ("series", "dashed", "log", "ranges"):
        if getattr(figure, key):
            raise table.error(key, "does not go with a tornado: a bar is a key of the device")
