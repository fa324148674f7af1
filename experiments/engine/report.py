"""The report of a study, one self-contained page, and the index over all studies."""
import csv
import html
import json
import pathlib
import re
from dataclasses import dataclass
from typing import Any

import jinja2
import markdown
import markdown.treeprocessors

from .errors import wrong
from .figure_axes import PLOTS
from .page_figures import chart_of
from .page_tables import cell_of, points_of, table_of, unit_of
from .points import Plan, Program, file_hash
from .runner import Failure
from .study import Figure, Study
from .tables import Table
from .whole_file import write_whole

TEMPLATES = pathlib.Path(__file__).resolve().parent / "templates"
# Where a page may point: to a web page, a mail address, or a relative path, whose first part has no colon.
ADDRESS = re.compile(r"(https?:|mailto:|[\w.,+~%@ -]*([/?#]|$))", re.ASCII | re.IGNORECASE)


@dataclass
class Published:
    """One figure of a paper beside ours."""
    figure: str
    where: str
    metric: str
    unit: str
    paper: float
    ours: float | None
    deviation_percent: float | None
    note: str


def published(study: Study, table: Table) -> list[Published]:
    """paper.csv: columns of axes that pick one row, metric, value, and if wanted summary (the row is one of that), figure and
    note. Throws StudyError."""
    path = study.folder / "paper.csv"
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        header = reader.fieldnames or []
        axes = [name for name in header if name not in ("figure", "summary", "metric", "value", "note")]
        for name in axes:
            if name != "workload" and name not in study.axis_names:
                raise wrong(path, "", f"line 1: unknown column {name}; valid: figure, summary, metric, value, note, workload, "
                                      f"{', '.join(study.axis_names)}")
        for name in ("metric", "value"):
            if name not in header:
                raise wrong(path, "", f"line 1: column {name} is missing")
        return [_published(study, table, path, reader.line_num, line, axes) for line in reader]


def _published(study: Study, table: Table, path: pathlib.Path, number: int, line: dict[str, str],
               axes: list[str]) -> Published:
    metrics = {metric.name: metric for metric in study.metrics}
    if line["metric"] not in metrics:
        raise wrong(path, "", f"line {number}: unknown metric {line['metric']}; valid: {', '.join(metrics)}")
    try:
        paper = float(line["value"])
    except (TypeError, ValueError):
        raise wrong(path, "", f"line {number}: value: \"{line['value']}\" is no number") from None
    wanted = {name: line[name] for name in axes if line[name]}
    where = ", ".join(f"{name} {text}" for name, text in wanted.items())
    rows, source = [row.values for row in table.rows], "the table"
    if line.get("summary"):
        rows, source = _summary_rows(study, table, path, number, line["summary"]), f"summary {line['summary']}"
    rows = [row for row in rows if all(name in row and _same(row[name], text) for name, text in wanted.items())]
    if len(rows) > 1:
        raise wrong(path, "", f"line {number}: {where or 'nothing'} names {len(rows)} rows of {source}, and must name one")
    metric = metrics[line["metric"]]
    if rows and metric.name not in rows[0]:
        raise wrong(path, "", f"line {number}: {source} has no {metric.name}")
    ours = rows[0][metric.name] if rows else None
    deviation = 100 * (ours - paper) / paper if isinstance(ours, (int, float)) and paper else None
    return Published(line.get("figure") or "", where, metric.label, metric.unit, paper, ours, deviation, line.get("note") or "")


def _summary_rows(study: Study, table: Table, path: pathlib.Path, number: int, name: str) -> list[dict[str, Any]]:
    summaries = {summary.name: summary for summary in study.summaries}
    if name not in summaries:
        raise wrong(path, "", f"line {number}: unknown summary {name}; valid: {', '.join(summaries)}")
    _, lines = table.summary(summaries[name])
    return [dict(zip([*summaries[name].group, *summaries[name].columns], line)) for line in lines]


def _same(value: Any, text: str) -> bool:
    try:
        return float(value) == float(text)
    except ValueError:
        return str(value) == text


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader([TEMPLATES, PLOTS / "page"]), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters["cell"] = cell_of
    return environment


def write_report(study: Study, table: Table, program: Program, figures: list[Figure], failures: list[Failure],
                 plan: Plan, quick: bool) -> pathlib.Path:
    """report.html and report.json of a study; returns the page."""
    out = table.out
    summaries = []
    for summary in study.summaries:
        _, lines = table.summary(summary)
        header, cells = table_of([(name, unit_of(study, name)) for name in [*summary.group, *summary.columns]],
                                 [[(value, False) for value in line] for line in lines], keep=len(summary.group))
        summaries.append({"name": summary.name, "caption": summary.caption, "header": header, "lines": cells})
    header, cells = points_of(study, table)
    points = [{"cells": line, "runs": [f"points/{point.key}/result.json" if table.results[point.key] is not None else None
                                       for point in row.points]} for line, row in zip(cells, table.rows)]
    drawn = [(figure, _svg(out / "figures" / f"{figure.name}.svg", figure.name), chart_of(study, figure, table)) for figure in figures]
    readme = study.folder / "README.md"
    page = _environment().get_template("report.html.j2").render(
        study=study, quick=quick, figures=drawn, charts={figure.name: chart for figure, _, chart in drawn if chart},
        summaries=summaries, published=published(study, table), failures=failures, left_out=plan.left_out,
        header=header, lines=points,
        readme=_markup(readme.read_text(encoding="utf-8")) if readme.exists() else "", toml=study.file.read_text(encoding="utf-8"), program=program,
        devices=_devices(study, program, table), runs=len({point.key for row in table.rows for point in row.points}))
    path = out / "report.html"
    write_whole(path, page)
    write_whole(out / "report.json", json.dumps(
        {"name": out.name, "title": study.title, "question": study.question, "rows": len(table.rows),
         "failed": len(failures), "figures": [figure.name for figure in figures], "version": program.version}, indent=1))
    return path


class _Addresses(markdown.treeprocessors.Treeprocessor):
    """Takes away what a link or an image points to if it is a script (`javascript:` and its like)."""

    def run(self, root: Any) -> None:
        for element in root.iter():
            for key in ("href", "src"):
                if key in element.attrib and not ADDRESS.match(html.unescape(element.attrib[key])):
                    del element.attrib[key]


def _markup(text: str) -> str:
    """HTML of a text in Markdown. HTML in it is shown as it is written: a page runs nothing but what is ours."""
    converter = markdown.Markdown(extensions=["tables", "fenced_code"])
    converter.preprocessors.deregister("html_block")
    converter.inlinePatterns.deregister("html")
    converter.treeprocessors.register(_Addresses(converter), "addresses", -1)  # behind all others
    return converter.convert(text)


def _devices(study: Study, program: Program, table: Table) -> list[dict[str, str]]:
    """Device files that the points name, by content."""
    names = dict.fromkeys(point.device for row in table.rows for point in row.points if not point.untimed)
    paths = [pathlib.Path(program.presets.get(name, name)) for name in names]
    return [{"name": path.name, "hash": file_hash(path)[:16], "text": path.read_text(encoding="utf-8")} for path in paths]


def _svg(path: pathlib.Path, name: str) -> str:
    """The drawing itself: without XML head, its ids made its own, so that two on one page do not mix."""
    text = re.sub(r"^.*?(?=<svg)", "", path.read_text(encoding="utf-8"), count=1, flags=re.DOTALL)
    text = re.sub(r'(\bid=["\'])', rf"\g<1>{name}-", text)
    text = re.sub(r"(url\(#|href=['\"]#)", rf"\g<1>{name}-", text)
    return re.sub(r'<svg\b', '<svg class="figure" role="img"', text, count=1)


def write_index(folder: pathlib.Path) -> pathlib.Path:
    """index.html over the studies that have a report in this folder."""
    studies = []
    for path in sorted(folder.glob("*/report.json")):
        studies.append(json.loads(path.read_text(encoding="utf-8")))
    write_whole(folder / "index.html", _environment().get_template("index.html.j2").render(studies=studies))
    return folder / "index.html"
