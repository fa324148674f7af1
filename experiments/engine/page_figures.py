"""The data of a figure for drawChart of plots/page/charts.js, which explains each field."""
from typing import Any

from .expressions import as_text
from .figure_axes import FRONT, Axes, Panels, axes_of, colours_of, has_bands, name_of, series_of
from .figure_marks import hidden_levels, marks_of, published_heights
from .figures import bars_note, bars_of, data_of, is_bars, metric_of
from .published import Published
from .study import Figure, Study
from .tables import Row, Table

DRAWN_BY_PAGE = "study.gp"  # the page redraws only figures of this script, and shows others as gnuplot drew them
PRECISION = 6


def chart_of(study: Study, figure: Figure, table: Table, papers: list[Published] | None = None) -> dict[str, Any] | None:
    """The data of a figure's chart; None if the page shows gnuplot's drawing instead."""
    if figure.script != DRAWN_BY_PAGE or figure.kind == "tornado":
        return None
    panels = data_of(study, figure, table)
    if not panels:
        return None
    marks = marks_of(study, figure, panels, papers or [])
    axes = axes_of(study, figure, panels, published_heights(marks))
    x_values = _x_values(figure, panels, table)
    names = series_of(panels)
    colours = dict(zip(names, colours_of(study, figure, names)))
    levels = dict(zip(names, hidden_levels(figure, panels, names)))
    places = {value: number for number, value in enumerate(x_values)}
    x: dict[str, Any] = {"label": axes.x.label, "unit": axes.x.unit, "log": "x" in figure.log}
    if is_bars(figure) or isinstance(x_values[0], str):
        x |= {"log": False, "categories": [name_of(study, figure.x, value) if isinstance(value, str) else as_text(value) for value in x_values]}
    elif len(x_values) <= 16 and any(axis.name == figure.x for axis in study.axes):
        x["ticks"] = [[value, as_text(value)] for value in sorted(x_values)]
    drawn = []
    for panel, found in panels.items():
        series = []
        for name in names:
            rows = found.get(name, [])
            if not rows:
                continue
            y = metric_of(study, figure, name)
            points = [_point(study, row, y, places[row.values[figure.x]] if "categories" in x else row.values[figure.x] * axes.x.factor, axes)
                      for row in rows]
            line: dict[str, Any] = {"name": name, "colour": colours[name], "points": points}
            if figure.parts:
                line["whole"] = [_whole(study, figure, found, value, axes.y.factor) for value in x_values]
            if levels[name]:
                line["level"] = levels[name]
            if name == FRONT:
                line["front"] = figure.best[0]
            if figure.dashed:
                line["dashed"] = [[point[0], _short(row.values[figure.dashed], axes.y.factor)] for point, row in zip(points, rows)]
            series.append(line)
        shown: dict[str, Any] = {"title": panel, "series": series}
        if figure.parts and has_bands(figure, panels):
            shown["totals"] = [[number, _short(row.values[figure.total], axes.y.factor), _band(row, figure.total, axes.y.factor)]
                               for number, row in enumerate(bars_of(figure, found, x_values))]
        if panel in marks:
            shown["published"] = [[places.get(mark.x) if "categories" in x else mark.x * axes.x.factor, _short(mark.y, axes.y.factor),
                                   names[mark.series - 1] if mark.series else "", mark.about] for mark in marks[panel]]
        drawn.append(shown)
    note = {"bars": bars_note(study, figure, panels)} if has_bands(figure, panels) else {}
    return {"kind": "points" if figure.kind == "pareto" else figure.kind, "title": figure.caption, "x": x,
            "y": {"label": axes.y.label, "unit": axes.y.unit, "log": "y" in figure.log} | ({"top": axes.y.top} if axes.y.top == 1 else {}), "shared": axes.shared,
            "dashed": study.metric(figure.dashed).label if figure.dashed else "", "panels": drawn} | note


def _whole(study: Study, figure: Figure, found: dict[str, list[Row]], x: Any, factor: float) -> float | None:
    """Total height of the stacked bar at x."""
    return _short(sum(row.values[part] for part in figure.parts for row in found.get(study.metric(part).label, []) if row.values[figure.x] == x), factor)


def _x_values(figure: Figure, panels: Panels, table: Table) -> list[Any]:
    there = {row.values[figure.x] for found in panels.values() for rows in found.values() for row in rows}
    return [value for value in dict.fromkeys(row.values[figure.x] for row in table.rows) if value in there]


def _point(study: Study, row: Row, y: str, x: Any, axes: Axes) -> list[Any]:
    about = "\n".join(name_of(study, name, row.values[name]) for name in study.axis_names)
    if y in row.bands and row.bands[y].is_none:
        about = f"no difference\n{about}"
    return [_short(x, 1.0) if isinstance(x, float) else x, _short(row.values[y], axes.y.factor),
            _band(row, y, axes.y.factor) or _short(row.ci95.get(y), axes.y.factor), about]


def _band(row: Row, name: str, factor: float) -> list[float | None] | None:
    """Both ends of a metric's band; None if it has none."""
    return [_short(end, factor) for end in (row.bands[name].p5, row.bands[name].p95)] if name in row.bands else None


def _short(value: Any, factor: float) -> float | None:
    return None if value is None else float(f"{value * factor:.{PRECISION}g}")
