"""Draws the figures of a study: writes the numbers of each as a table, and runs the gnuplot script of plots/ that draws them."""
import dataclasses
import math
import os
import pathlib
import re
import shutil
import subprocess
from typing import Any
from xml.sax.saxutils import escape

from .errors import RunError, StudyError, shown
from .expressions import ExpressionError, Template, as_text
from .figure_axes import FRONT, PLOTS, Panels, axes_of, colours_of, ends_of, has_bands, name_of, panel_of, rows_of, series_of
from .figure_marks import Marks, hidden_levels, marks_of, published_heights
from .gnuplot_text import array, one_line, quoted, text
from .page_tables import words_of
from .published import Published
from .study import Figure, Study
from .tables import Row, Table
from .tornado import tornado_drawing

FORMATS = ("svg", "png")
MAX_TICS = 12
MOST_STEPS = 8  # between the tics of an x axis that the width of a page has for itself
MARGIN = 0.04  # beside the points, of the width


def draw_figures(study: Study, table: Table, papers: list[Published], root: pathlib.Path) -> list[Figure]:
    """Writes figures/NAME.{csv,gp,svg,png} for each figure that has data, with published values marked; returns these figures."""
    folder = table.out / "figures"
    folder.mkdir(exist_ok=True)
    if study.figures and shutil.which("gnuplot") is None:
        raise RunError("gnuplot is not installed (Debian: gnuplot-nox)")
    drawn = []
    for plain in study.figures:
        figure = captioned(study, plain, table)
        for form in FORMATS:
            (folder / f"{figure.name}.{form}").unlink(missing_ok=True)
        script = folder / f"{figure.name}.gp"
        drawing = tornado_drawing if figure.kind == "tornado" else plain_drawing
        lines = drawing(study, figure, table, papers, script_of(study, figure, root), folder / f"{figure.name}.csv")
        if lines is None:
            continue
        script.write_text(lines, encoding="utf-8")
        done = subprocess.run(["gnuplot", script.name], cwd=folder, capture_output=True, text=True, check=False,
                              env=os.environ | {"GNUPLOT_LIB": str(root / "plots")})
        if done.returncode != 0 or not all((folder / f"{figure.name}.{form}").exists() for form in FORMATS):
            raise RunError(f"gnuplot {shown(script)}: {done.stderr.strip() or 'drew nothing'}")
        finish_drawing(folder / f"{figure.name}.svg", figure)
        drawn.append(figure)
    return drawn


def captioned(study: Study, figure: Figure, table: Table) -> Figure:
    """The figure with the expressions of its caption filled from the rows that it shows: "4", "1 to 8" or "a, b"."""
    rows = rows_of(study, figure, table)
    try:
        return dataclasses.replace(figure, caption="".join(
            part if isinstance(part, str) else _range_of([part.value(row.values) for row in rows]) for part in Template(figure.caption).parts))
    except ExpressionError as error:
        raise StudyError(f"{shown(study.file)}: figure {figure.name}: caption: {error}") from None


def _range_of(values: list[Any]) -> str:
    known = list(dict.fromkeys(value for value in values if value is not None))
    if not known:
        return "–"
    if len(known) == 1 or any(isinstance(value, (str, bool)) for value in known):
        return ", ".join(as_text(value) for value in known)
    return f"{as_text(min(known))} to {as_text(max(known))}"


def plain_drawing(study: Study, figure: Figure, table: Table, papers: list[Published], script: pathlib.Path, path: pathlib.Path) -> str | None:
    """Writes the numbers to `path` and returns the script for gnuplot; None if there is nothing to show."""
    panels = data_of(study, figure, table)
    if not panels:
        return None
    marks = marks_of(study, figure, panels, papers)
    write_data(path, study, figure, panels, table, marks)
    return settings(study, figure, panels, script, marks)


def script_of(study: Study, figure: Figure, root: pathlib.Path) -> pathlib.Path:
    """The path of the figure's script, in the study's folder or in plots/."""
    for folder in (study.folder, root / "plots"):
        if (folder / figure.script).is_file():
            return folder / figure.script
    raise StudyError(f"{shown(study.file)}: figure {figure.name}: script: there is no {figure.script} beside it nor in plots/")


def data_of(study: Study, figure: Figure, table: Table) -> Panels:
    """Rows with a value, by panel and series, in the order of the table. In stacked bars each part is a series, except parts that are
    0 everywhere. A Pareto figure has one more series: the rows on the front, by rising x."""
    panels: Panels = {}
    for row in rows_of(study, figure, table):
        panel = panel_of(study, figure, row)
        for y in figure.drawn:
            if any(row.values[name] is None or name in row.unasked for name in (figure.x, y)):
                continue
            series = study.metric(y).label if figure.parts else \
                name_of(study, figure.series, row.values[figure.series]) if figure.series else study.label(y)
            panels.setdefault(panel, {}).setdefault(series, []).append(row)
    if figure.parts:
        _check_bars(study, figure, panels)
        there = {study.metric(y).label for y in figure.parts for found in panels.values()
                 for row in found.get(study.metric(y).label, []) if row.values[y] != 0}
        panels = {panel: {name: rows for name, rows in found.items() if name in there} for panel, found in panels.items()}
    for found in panels.values() if figure.best else ():
        if any(isinstance(row.values[name], str) for rows in found.values() for row in rows for name in (figure.x, figure.y)):
            raise StudyError(f"{shown(study.file)}: figure {figure.name}: a Pareto front is of numbers, and {figure.x} or {figure.y} is text")
        found[FRONT] = front_of(figure, [row for rows in found.values() for row in rows])
    return {panel: found for panel, found in panels.items() if found}


def _check_bars(study: Study, figure: Figure, panels: Panels) -> None:
    for panel, found in panels.items():
        for rows in found.values():
            xs = [row.values[figure.x] for row in rows]
            twice = next((x for x in xs if xs.count(x) > 1), None)
            if twice is not None:
                raise StudyError(f"{shown(study.file)}: figure {figure.name}: two rows have {figure.x} = {as_text(twice)}"
                                 f"{' in panel ' + panel if panel else ''}: a bar is one row; name panels or rows")


def front_of(figure: Figure, rows: list[Row]) -> list[Row]:
    """The Pareto front: rows that no other row dominates in x and y, by rising x; only the first of equal rows."""
    signs = [1 if best == "largest" else -1 for best in figure.best]
    rated = sorted(((signs[0] * row.values[figure.x], signs[1] * row.values[figure.y], -number, row) for number, row in enumerate(rows)),
                   key=lambda rating: rating[:3], reverse=True)
    front: list[Row] = []
    most = None
    for _, y, _, row in rated:
        if most is None or y > most:
            front.append(row)
            most = y
    return sorted(front, key=lambda row: float(row.values[figure.x]))


def metric_of(study: Study, figure: Figure, series: str) -> str:
    """The metric that a series of a figure shows."""
    return next((part for part in figure.parts if study.metric(part).label == series), figure.y)


def write_data(path: pathlib.Path, study: Study, figure: Figure, panels: Panels, table: Table, marks: Marks | None = None) -> None:
    """Writes a figure's numbers for gnuplot, as blocks with two empty lines between them. First a block for each panel and series:
    lines of x, y, half width of the interval, dashed value (and with bands their 5 and 95 % ends). In bars a series has a line for
    each x of its panel, with or without a value, since bars are placed by number. In stacked bars the third column is where the part
    begins. Then, with `marks`, a block of published values for each panel: x (number of the bar), y, series. Then, for stacked bars
    whose total has a band, a block for each panel: number of the bar, total, ends of its band."""
    order = list(dict.fromkeys(row.values[figure.x] for row in table.rows))
    banded = has_bands(figure, panels) and not figure.parts
    blocks = []
    for panel, found in panels.items():
        there = {row.values[figure.x] for rows in found.values() for row in rows}
        below = dict.fromkeys(there, 0.0)
        for series in series_of(panels):
            y = metric_of(study, figure, series)
            third = "begin" if figure.parts else f"{y}_ci95"
            lines = [f"# {one_line(f'{panel}; {series}')}: {figure.x},{y},{third},{figure.dashed or '-'}{f',{y}_p5,{y}_p95' if banded else ''}"]
            rows = {row.values[figure.x]: row for row in found.get(series, [])}
            shown_rows = [(x, rows.get(x)) for x in order if x in there] if is_bars(figure) else \
                [(row.values[figure.x], row) for row in found.get(series, [])]
            for x, row in shown_rows:
                if row is None:
                    cells = [x, None, None, None]
                elif figure.parts:
                    cells = [x, row.values[y], below[x], None]
                    below[x] += row.values[y]
                else:
                    cells = [x, row.values[y], row.ci95.get(y), row.values[figure.dashed] if figure.dashed else None]
                if banded:
                    band = row.bands.get(y) if row else None
                    cells += [band.p5, band.p95] if band else [None, None]
                lines.append(",".join(quoted(cell) for cell in cells))
            if len(lines) == 1:
                lines.append(",".join(["NaN"] * (6 if banded else 4)))
            blocks.append("\n".join(lines))
    for panel, found in panels.items() if marks else ():
        there = {row.values[figure.x] for rows in found.values() for row in rows}
        places = {x: number for number, x in enumerate(x for x in order if x in there)}
        chosen = [mark for mark in marks.get(panel, []) if not is_bars(figure) or mark.x in places]
        lines = [",".join(quoted(cell) for cell in (places[mark.x] if is_bars(figure) else mark.x, mark.y, mark.series)) for mark in chosen]
        blocks.append("\n".join([f"# {one_line(panel)}: published", *(lines or ["NaN,NaN,NaN"])]))
    for panel, found in panels.items() if figure.parts and has_bands(figure, panels) else ():
        lines = [",".join(quoted(cell) for cell in (number, row.values[figure.total], row.bands[figure.total].p5, row.bands[figure.total].p95))
                 for number, row in enumerate(bars_of(figure, found, order)) if figure.total in row.bands]
        blocks.append("\n".join([f"# {one_line(panel)}: {figure.total}", *(lines or ["NaN,NaN,NaN,NaN"])]))
    path.write_text("\n\n\n".join(blocks) + "\n", encoding="utf-8")


def bars_of(figure: Figure, found: dict[str, list[Row]], order: list[Any]) -> list[Row]:
    """The rows of a panel's stacked bars, from left to right."""
    rows = {row.values[figure.x]: row for rows in found.values() for row in rows}
    return [rows[x] for x in order if x in rows]


def is_bars(figure: Figure) -> bool:
    return figure.kind in ("bars", "stacked")


def settings(study: Study, figure: Figure, panels: Panels, script: pathlib.Path, marks: Marks | None = None) -> str:
    """The settings that a script of plots/ loads; the script only draws and computes nothing."""
    xs = list(dict.fromkeys(row.values[figure.x] for found in panels.values() for rows in found.values() for row in rows))
    has_errors = not figure.parts and any(ends_of(row, figure.y) for found in panels.values() for rows in found.values() for row in rows)
    is_axis = any(axis.name == figure.x for axis in study.axes) or figure.x == "workload"
    names = series_of(panels)
    axes = axes_of(study, figure, panels, published_heights(marks or {}))
    ranges = linear_ranges(figure, panels, axes.x.factor, marks or {})
    lines = [f"# Written by experiments/run {one_line(study.name)}; draws again: GNUPLOT_LIB=plots gnuplot {figure.name}.gp",
             f"name = {text(figure.name)}", f"table = {text(figure.name + '.csv')}",
             f"x_label = {text(axes.x.text)}", f"y_label = {text(axes.y.text)}", f"x_factor = {axes.x.factor!r}", f"y_factor = {axes.y.factor!r}",
             f"kind = {text(figure.kind)}", f"log_axes = {text(figure.log)}", f"has_errors = {int(has_errors)}",
             f"has_bands = {int(has_bands(figure, panels))}", f"bars_note = {text(bars_note(study, figure, panels))}",
             f"dashed_label = {text(study.metric(figure.dashed).label if figure.dashed else '')}",
             f"x_tics = {text(tics(sorted(xs)) if is_axis and not isinstance(xs[0], str) and len(xs) <= MAX_TICS else '')}",
             *(f"array {name}[{len(panels)}] = [{', '.join(repr(one[place]) for one in ranges)}]" for place, name in enumerate(("x_from", "x_to", "x_steps"))),
             f"x_log_tics = {text(axes.x.tics)}", f"y_log_tics = {text(axes.y.tics)}", f"is_shared = {int(axes.shared)}",
             f"x_low = {axes.x.low if not isinstance(xs[0], str) else -1.0!r}", f"y_low = {axes.y.low!r}", f"y_high = {axes.y.high!r}", f"y_top = {axes.y.top!r}", f"has_paper = {int(bool(marks))}",
             f"array is_none[{len(panels)}] = [{', '.join(str(int(none)) for none in axes.nones)}]",
             f"array levels[{len(names)}] = [{', '.join(str(level) for level in hidden_levels(figure, panels, names))}]",
             f"front = {text(figure.best[0] if figure.best else '')}",
             f"array colours[{len(names)}] = [{', '.join(str(number) for number in colours_of(study, figure, names))}]",
             array("panel_titles", list(panels)), array("series_titles", names),
             f"load {text(str(script))}"]
    return "\n".join(lines) + "\n"


def linear_ranges(figure: Figure, panels: Panels, factor: float, marks: Marks) -> list[tuple[float, float, float]]:
    """(low, high, distance of the tics) of each panel's linear x axis, such that the tics' labels have room; zeros for other axes."""
    ranges = []
    for panel, found in panels.items():
        values = [row.values[figure.x] for rows in found.values() for row in rows] + [mark.x for mark in marks.get(panel, [])]
        if is_bars(figure) or "x" in figure.log or any(not isinstance(value, (int, float)) for value in values) or min(values) == max(values):
            ranges.append((0.0, 0.0, 0.0))
            continue
        low, high = factor * min(values), factor * max(values)
        rough = (high - low) / (MOST_STEPS if len(panels) == 1 else MOST_STEPS / 2)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(float(f"{size * power:.6g}") for size in (1, 2, 5, 10) if size * power >= rough * 0.999)
        margin = MARGIN * (high - low)
        ranges.append((low if low == 0 else low - margin, high + margin, step))
    return ranges


def bars_note(study: Study, figure: Figure, panels: Panels) -> str:
    """The note that explains error bars which are bands."""
    return f"bars: 5 to 95 % of {study.uncertainty.samples} samples" if has_bands(figure, panels) else ""


def tics(values: list[Any]) -> str:
    return ", ".join(as_text(value) for value in values)


def finish_drawing(path: pathlib.Path, figure: Figure) -> None:
    """Puts the figure's title and description, and colours for dark pages, into the SVG that gnuplot wrote."""
    style = (PLOTS / "page" / "drawing.css").read_text(encoding="utf-8")
    about = f"<title>{escape(one_line(words_of(figure.name)))}</title>\n<desc>{escape(one_line(figure.caption))}</desc>\n<style>\n{style}</style>\n"
    drawing = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"<title>.*?</title>\s*<desc>.*?</desc>\s*", lambda _: about, drawing, count=1, flags=re.DOTALL), encoding="utf-8")
