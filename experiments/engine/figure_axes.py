"""Computes the axes and colours of a figure, for gnuplot's drawing and for the chart of the page."""
import math
import pathlib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .errors import StudyError, shown
from .expressions import ExpressionError, as_text
from .study import Figure, Study
from .tables import Row, Table
from .units import SAME, fitting

PLOTS = pathlib.Path(__file__).resolve().parents[2] / "plots"
FRONT = "Pareto front"
FRONT_COLOUR = 7
PALETTE = 20  # colours of plots/style.gp and of plots/page/style.css
ROOM = 1.05  # a linear axis ends at this multiple of the highest value
OWN_FROM = 8  # if the panels' highest values differ by a larger factor, each panel has its own linear axis

Panels = dict[str, dict[str, list[Row]]]


@dataclass
class AxisShown:
    """An axis: its label, the unit that fits, and the factor that converts values to this unit. A logarithmic axis also has tics in
    gnuplot's syntax."""
    label: str
    unit: str
    factor: float
    text: str
    tics: str = ""
    low: float = 0.0  # lowest and highest value of all panels, in the unit shown
    high: float = 0.0
    top: float = 0.0  # end of a linear axis that all panels share


@dataclass
class Axes:
    x: AxisShown
    y: AxisShown
    shared: bool  # all panels have the same range of y
    nones: list[bool]  # panels in which all of y is 0


def series_of(panels: Panels) -> list[str]:
    """All series in the order in which they first occur, a Pareto front last."""
    names = dict.fromkeys(series for found in panels.values() for series in found)
    return [name for name in names if name != FRONT] + [name for name in names if name == FRONT]


def name_of(study: Study, name: str, value: Any) -> str:
    """A value of an axis as written in a legend: "8 channels", "depth 4", "4 KiB", a workload's label."""
    if name == "workload":
        return next(workload.label for workload in study.workloads if workload.name == value)
    if isinstance(value, str):
        return value
    axis = next((axis for axis in study.axes if axis.name == name), None)
    unit = axis.unit if axis and axis.unit else ""
    if unit:
        return f"{as_text(value)} {SAME.get(unit, unit)}"
    label = axis.label if axis else name
    if not label.endswith("s"):
        return f"{label} {as_text(value)}"
    return f"{as_text(value)} {label[:-1] if value == 1 else label}"


def rows_of(study: Study, figure: Figure, table: Table) -> list[Row]:
    """The rows of the table that fulfil the figure's condition `rows`."""
    try:
        return [row for row in table.rows if figure.rows is None or figure.rows.value(row.values)]
    except ExpressionError as error:
        raise StudyError(f"{shown(study.file)}: figure {figure.name}: rows: {error}") from None


def panel_of(study: Study, figure: Figure, row: Row) -> str:
    """The title of the panel that a row belongs to."""
    return ", ".join(name_of(study, name, row.values[name]) for name in figure.panels)


def axes_of(study: Study, figure: Figure, panels: Panels, published: dict[str, list[float]] | None = None) -> Axes:
    """Computes both axes. `published`: further values of y by panel. The axis of a share ends at 1."""
    x = _axis(study, figure, figure.x, [_numbers([row.values[figure.x] for rows in found.values() for row in rows]) for found in panels.values()])
    heights = [_heights(study, figure, found) + (published or {}).get(panel, []) for panel, found in panels.items()]
    y = _axis(study, figure, figure.y, heights)
    if figure.label or figure.parts:
        y.label = figure.label or (study.metric(figure.total).label if figure.total else "sum")
    for axis, key in ((x, "x"), (y, "y")):
        axis.text = f"{axis.label} ({axis.unit})" if axis.unit not in ("", "1", "text") else axis.label
        if key in figure.log and axis.high > 0:
            axis.tics = log_tics(axis.low, axis.high)
    if "y" not in figure.log:
        y.low = min(0.0, y.low)
    y.top = min(1.0, ROOM * y.high) if y.unit == "1" and y.high <= 1 else ROOM * y.high
    return Axes(x, y, _shared(figure, heights), [bool(values) and not any(values) for values in heights])


def _axis(study: Study, figure: Figure, name: str, values: list[list[float]]) -> AxisShown:
    metric = next((metric for metric in study.metrics if metric.name == name), None)
    axis = next((axis for axis in study.axes if axis.name == name), None)
    label = metric.label if metric else axis.label if axis else name
    unit = metric.unit if metric else axis.unit if axis else ""
    known = [value for panel in values for value in panel]
    fit, factor = fitting(unit, known) if metric else (SAME.get(unit, unit), 1.0)  # an axis of the study keeps the unit that the study gives
    if ("x" if name == figure.x else "y") in figure.log:
        known = [value for value in known if value > 0]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    return AxisShown(label, fit, factor, label, "", low * factor, high * factor)


def _numbers(values: list[object]) -> list[float]:
    return [float(value) for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]


def _heights(study: Study, figure: Figure, found: dict[str, list[Row]]) -> list[float]:
    """All values of y that a panel shows, including ends of intervals and dashed values; the sums if bars are stacked."""
    if figure.parts:
        sums: dict[object, float] = {}
        for part in figure.parts:
            for row in found.get(study.metric(part).label, []):
                sums[row.values[figure.x]] = sums.get(row.values[figure.x], 0.0) + row.values[part]
        totals = [row for rows in found.values() for row in rows] if figure.total else []
        return [*sums.values(), *(end for row in totals for end in ends_of(row, figure.total) or ())]
    values = []
    for row in (row for rows in found.values() for row in rows):
        values += _numbers([row.values[figure.y]])
        values += ends_of(row, figure.y) or ()
        values += _numbers([row.values[figure.dashed]] if figure.dashed else [])
    return values


def ends_of(row: Row, name: str) -> tuple[float, float] | None:
    """Both ends of a value's error bar: of its band, else of the 95 % interval over repetitions."""
    if name in row.bands:
        return row.bands[name].p5, row.bands[name].p95
    half = row.ci95.get(name)
    return (row.values[name] - half, row.values[name] + half) if half else None


def has_bands(figure: Figure, panels: Panels) -> bool:
    """Whether the figure's error bars are bands; in stacked bars, whether the totals have bands."""
    return any(figure.measured in row.bands for found in panels.values() for rows in found.values() for row in rows)


def _shared(figure: Figure, heights: list[list[float]]) -> bool:
    """Whether all panels share one range of y: as the figure asks, else if every panel stays readable."""
    if figure.ranges:
        return figure.ranges == "shared"
    tops = [max(values) for values in heights if values and max(values) > 0]
    return "y" in figure.log or not tops or max(tops) <= OWN_FROM * min(tops)


def log_tics(low: float, high: float) -> str:
    """Tics of a logarithmic axis for gnuplot: labelled at 1 (and 2, 5 or more if there is room) of each decade, minor ones between."""
    decades = math.log10(high / low)
    named = (1, 2, 3, 5, 7) if decades <= 1 else (1, 2, 5) if decades <= 3.2 else (1,)
    tics = []
    for power in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1):
        for digit in range(1, 10):
            value = float(f"{digit}e{power}")
            name = f"{value:g}" if 1e-4 <= value < 1e6 else f"{digit}e{power}"
            tics.append(f"'{name}' {value!r} 0" if digit in named else f"'' {value!r} 1")
    return ", ".join(tics)


@lru_cache
def latency_parts() -> list[str]:
    """Names of the parts of the latency from plots/style.gp; a part's position is the number of its colour."""
    found = re.search(r'^latency_parts = "([^"]*)"', (PLOTS / "style.gp").read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    return found[1].split()


def colours_of(study: Study, figure: Figure, names: list[str]) -> list[int]:
    """The palette number, from 1 on, of each series. A part of stacked bars has the same colour in all figures: parts of the latency
    have those of `flashloom run --plots`, other parts take the palette's colours in the order in which the figures name them."""
    if not figure.parts:
        return [FRONT_COLOUR if name == FRONT else number % PALETTE + 1 for number, name in enumerate(names)]
    parts = list(dict.fromkeys(part for other in study.figures for part in other.parts))
    chosen = {}
    for number, part in enumerate(parts):
        metric = study.metric(part)
        last = metric.path.filled({}).rsplit(".", 1)[-1] if metric.path and not metric.path.expressions else ""
        is_latency = "latency_breakdown_ns" in (metric.path.filled({}) if last and metric.path else "")
        chosen[metric.label] = latency_parts().index(last) + 1 if is_latency and last in latency_parts() else number % PALETTE + 1
    return [chosen[name] for name in names]
