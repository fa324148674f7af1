"""Writes the report of a study as one self-contained page, and the index of all studies."""
import json
import pathlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import jinja2
from flashloom.whole_file import write_whole

from .figure_axes import PLOTS
from .indices import Index
from .page_figures import chart_of
from .page_links import markup
from .page_tables import Cell, Shown, cell_of, points_of, table_of, unit_of, words_of
from .points import Program, file_hash
from .published import Published
from .runner import Failure
from .study import Figure, Study
from .tables import Table

TEMPLATES = pathlib.Path(__file__).resolve().parent / "templates"


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader([TEMPLATES, PLOTS / "page"]), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters["published_cells"] = _published_cells
    environment.filters["words"] = lambda name: words_of(name)[:1].upper() + words_of(name)[1:]
    return environment


def _published_cells(line: Published) -> list[Cell]:
    metric = f"{line.metric} ({line.unit})" if line.unit not in ("1", "text") else line.metric
    return [cell_of(line.figure), cell_of(line.where), cell_of(metric), cell_of(line.paper), cell_of(line.ours, band=line.band),
            cell_of(line.deviation_percent), cell_of(line.note)]


@dataclass
class Extra:
    """The template of a page, and the further values and charts that a page other than a study's report gives it."""
    template: str = "report.html.j2"
    charts: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)


def write_report(study: Study, table: Table, program: Program, figures: list[Figure], papers: list[Published],
                 failures: list[Failure], left_out: dict[str, str], quick: bool, indices: Sequence[Index] = (), extra: Extra = Extra()) -> pathlib.Path:
    """Writes report.html and report.json of a study; returns the path of the page."""
    out = table.out
    summaries = []
    for summary in study.summaries:
        names, picked = [*summary.group, *summary.columns], table.picked(summary)
        header, cells = table_of([(name, unit_of(study, name)) for name in names],
                                 [[Shown(line.values[name], name in line.unasked, line.bands.get(name)) for name in names] for line in picked],
                                 keep=len(summary.group))
        is_empty = all(line.values[name] is None for line in picked for name in summary.columns)
        summaries.append({"name": summary.name, "caption": summary.caption, "header": header, "lines": [] if is_empty else cells})
    header, cells = points_of(study, table)
    points = [{"cells": line, "runs": [f"points/{point.key}/result.json" if table.results[point.key] is not None else None
                                       for point in row.points]} for line, row in zip(cells, table.rows)]
    drawn = [(figure, svg_of(out / "figures" / f"{figure.name}.svg", figure.name), chart_of(study, figure, table, papers)) for figure in figures]
    axes = study.axis_names
    indices_header, indices_lines = table_of(
        [(name, unit_of(study, name)) for name in axes] + [("metric", "text"), ("key", "text"), ("first-order index", "1"), ("±95 %", "1")],
        [[Shown(value) for value in (*(line.row.values[name] for name in axes), line.metric, line.key, line.first, line.interval)]
         for line in indices], keep=len(axes))
    readme = study.folder / "README.md"
    page = _environment().get_template(extra.template).render(
        study=study, quick=quick, figures=drawn, charts={figure.name: chart for figure, _, chart in drawn if chart} | extra.charts,
        summaries=summaries, published=papers, indices_header=indices_header, indices=indices_lines, failures=failures, left_out=left_out,
        header=header, lines=points,
        readme=markup(readme.read_text(encoding="utf-8"), study.folder, out) if readme.exists() else "", toml=study.file.read_text(encoding="utf-8"), program=program,
        devices=_devices(study, program, table), runs=len({point.key for row in table.rows for point in row.points}), **extra.values)
    path = out / "report.html"
    write_whole(path, page)
    write_whole(out / "report.json", json.dumps(
        {"name": out.name, "title": study.title, "question": study.question, "rows": len(table.rows),
         "failed": len(failures), "figures": [figure.name for figure in figures], "version": program.version}, indent=1))
    return path


def _devices(study: Study, program: Program, table: Table) -> list[dict[str, str]]:
    """Name and text of each device file that the points name."""
    names = dict.fromkeys(point.device for row in table.rows for point in row.points if not point.untimed)
    paths = [pathlib.Path(program.presets.get(name, name)) for name in names]
    return [{"name": path.name, "hash": file_hash(path)[:16], "text": path.read_text(encoding="utf-8")} for path in paths]


def svg_of(path: pathlib.Path, name: str) -> str:
    """The <svg> element of a drawing, without XML head; its ids are prefixed so that two drawings on one page do not clash."""
    text = re.sub(r"^.*?(?=<svg)", "", path.read_text(encoding="utf-8"), count=1, flags=re.DOTALL)
    text = re.sub(r'(\bid=["\'])', rf"\g<1>{name}-", text)
    text = re.sub(r"(url\(#|href=['\"]#)", rf"\g<1>{name}-", text)
    return re.sub(r'<svg\b', '<svg class="figure" role="img"', text, count=1)


def write_index(folder: pathlib.Path) -> pathlib.Path:
    """Writes index.html, which lists the studies with a report in this folder."""
    studies = []
    for path in sorted(folder.glob("*/report.json")):
        studies.append(json.loads(path.read_text(encoding="utf-8")))
    write_whole(folder / "index.html", _environment().get_template("index.html.j2").render(studies=studies))
    return folder / "index.html"
