"""Figures of a study: the numbers of each as a table, and the gnuplot script of plots/ that draws it."""
import os
import pathlib
import re
import shutil
import subprocess
from typing import Any

from .errors import RunError, StudyError, shown
from .expressions import ExpressionError, as_text
from .study import Figure, Study
from .tables import Row, Table, said

FORMATS = ("svg", "png")
MAX_TICS = 12
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def draw_figures(study: Study, table: Table, root: pathlib.Path) -> list[Figure]:
    """Writes figures/NAME.{csv,gp,svg,png} for each figure that has something to show; returns those."""
    folder = table.out / "figures"
    folder.mkdir(exist_ok=True)
    if study.figures and shutil.which("gnuplot") is None:
        raise RunError("gnuplot is not installed (Debian: gnuplot-nox)")
    drawn = []
    for figure in study.figures:
        for form in FORMATS:
            (folder / f"{figure.name}.{form}").unlink(missing_ok=True)
        panels = data_of(study, figure, table)
        if not panels:
            continue
        write_data(folder / f"{figure.name}.csv", figure, panels, table)
        script = folder / f"{figure.name}.gp"
        script.write_text(settings(study, figure, panels, script_of(study, figure, root)), encoding="utf-8")
        done = subprocess.run(["gnuplot", script.name], cwd=folder, capture_output=True, text=True, check=False,
                              env=os.environ | {"GNUPLOT_LIB": str(root / "plots")})
        if done.returncode != 0 or not all((folder / f"{figure.name}.{form}").exists() for form in FORMATS):
            raise RunError(f"gnuplot {shown(script)}: {done.stderr.strip() or 'drew nothing'}")
        drawn.append(figure)
    return drawn


def script_of(study: Study, figure: Figure, root: pathlib.Path) -> pathlib.Path:
    """A script of the study's folder, or of plots/."""
    for folder in (study.folder, root / "plots"):
        if (folder / figure.script).is_file():
            return folder / figure.script
    raise StudyError(f"{shown(study.file)}: figure {figure.name}: script: there is no {figure.script} beside it nor in plots/")


Panels = dict[str, dict[str, list[Row]]]


def data_of(study: Study, figure: Figure, table: Table) -> Panels:
    """Rows with a value, by panel and series, in the order of the table."""
    panels: Panels = {}
    for row in table.rows:
        try:
            if figure.rows is not None and not figure.rows.value(row.values):
                continue
        except ExpressionError as error:
            raise StudyError(f"{shown(study.file)}: figure {figure.name}: rows: {error}") from None
        if row.values[figure.x] is None or row.values[figure.y] is None:
            continue
        panel = ", ".join(name_of(study, name, row.values[name]) for name in figure.panels)
        series = name_of(study, figure.series, row.values[figure.series]) if figure.series else study.label(figure.y)
        panels.setdefault(panel, {}).setdefault(series, []).append(row)
    return panels


def name_of(study: Study, name: str, value: Any) -> str:
    """A value as a legend says it: "8 channels", "depth 4", "4 KiB", a workload's label."""
    if name == "workload":
        return next(workload.label for workload in study.workloads if workload.name == value)
    if isinstance(value, str):
        return value
    axis = next((axis for axis in study.axes if axis.name == name), None)
    unit = axis.unit if axis and axis.unit else ""
    if unit:
        return f"{as_text(value)} {unit}"
    label = axis.label if axis else name
    if not label.endswith("s"):
        return f"{label} {as_text(value)}"
    return f"{as_text(value)} {label[:-1] if value == 1 else label}"


def write_data(path: pathlib.Path, figure: Figure, panels: Panels, table: Table) -> None:
    """Blocks of lines x, y, half width of the interval, dashed: for each panel one of each series, two empty lines between.
    Bars stand side by side by their number: there a series has a line for each x of its panel, empty or not."""
    order = list(dict.fromkeys(row.values[figure.x] for row in table.rows))
    blocks = []
    for panel, found in panels.items():
        there = {row.values[figure.x] for rows in found.values() for row in rows}
        for series in series_of(panels):
            lines = [f"# {one_line(f'{panel}; {series}')}: {figure.x},{figure.y},{figure.y}_ci95,{figure.dashed or '-'}"]
            rows = {row.values[figure.x]: row for row in found.get(series, [])}
            shown_rows = [(x, rows.get(x)) for x in order if x in there] if figure.kind == "bars" else \
                [(row.values[figure.x], row) for row in found.get(series, [])]
            for x, row in shown_rows:
                cells = [x, None, None, None] if row is None else \
                    [x, row.values[figure.y], row.ci95.get(figure.y), row.values[figure.dashed] if figure.dashed else None]
                lines.append(",".join(quoted(cell) for cell in cells))
            if len(lines) == 1:
                lines.append("NaN,NaN,NaN,NaN")
            blocks.append("\n".join(lines))
    path.write_text("\n\n\n".join(blocks) + "\n", encoding="utf-8")


def quoted(cell: Any) -> str:
    """A cell of a table: gnuplot ends a text there at the next quotation mark, whatever stands before it."""
    if isinstance(cell, str):
        return '"' + one_line(cell).replace("\\", "\\\\").replace('"', "'") + '"'
    return "NaN" if cell is None else str(said(cell))


def series_of(panels: Panels) -> list[str]:
    """All series in the order in which they first occur."""
    return list(dict.fromkeys(series for found in panels.values() for series in found))


def settings(study: Study, figure: Figure, panels: Panels, script: pathlib.Path) -> str:
    """What a script of plots/ is told; it draws and computes nothing."""
    xs = list(dict.fromkeys(row.values[figure.x] for found in panels.values() for rows in found.values() for row in rows))
    has_errors = any(row.ci95.get(figure.y) for found in panels.values() for rows in found.values() for row in rows)
    is_axis = any(axis.name == figure.x for axis in study.axes) or figure.x == "workload"
    names = series_of(panels)
    lines = [f"# Written by experiments/run {one_line(study.name)}; draws again: GNUPLOT_LIB=plots gnuplot {figure.name}.gp",
             f"name = {text(figure.name)}", f"table = {text(figure.name + '.csv')}",
             f"x_label = {text(study.label(figure.x))}", f"y_label = {text(study.label(figure.y))}",
             f"kind = {text(figure.kind)}", f"log_axes = {text(figure.log)}", f"has_errors = {int(has_errors)}",
             f"dashed_label = {text(study.metric(figure.dashed).label if figure.dashed else '')}",
             f"x_tics = {text(tics(sorted(xs)) if is_axis and not isinstance(xs[0], str) and len(xs) <= MAX_TICS else '')}",
             array("panel_titles", list(panels)), array("series_titles", names),
             f"load {text(str(script))}"]
    return "\n".join(lines) + "\n"


def tics(values: list[Any]) -> str:
    return ", ".join(as_text(value) for value in values)


def one_line(value: str) -> str:
    """Without control characters: in a script and in a table, a new line begins something else."""
    return CONTROL.sub(" ", value)


def text(value: str) -> str:
    """A string constant of gnuplot, which runs what stands in backticks."""
    return '"' + one_line(value).replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\140") + '"'


def array(name: str, values: list[str]) -> str:
    return f"array {name}[{len(values)}] = [{', '.join(text(value) for value in values)}]"
