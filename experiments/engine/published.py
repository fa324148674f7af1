"""Reads a study's paper.csv: sets published values beside ours, for the report's table and for marks in figures."""
import csv
import pathlib
from dataclasses import dataclass
from typing import Any

from .errors import wrong
from .samples import Band
from .study import Study
from .tables import Picked, Table, write_csv

OTHERS = ("figure", "summary", "metric", "value", "note")  # all columns of paper.csv that are not axes


@dataclass
class Published:
    """One published value beside our value."""
    figure: str
    where: str
    metric: str
    unit: str
    paper: float
    ours: float | None
    deviation_percent: float | None
    note: str
    name: str  # of the metric; `metric` is its label
    place: dict[str, Any]  # axis values: of our row, or as paper.csv gives them if we have no such row
    band: Band | None = None  # band of our value


def published(study: Study, table: Table) -> list[Published]:
    """Reads paper.csv, of a part paper-PART.csv. Its columns are the axes that pick one row, metric, value, and optionally figure, note and summary (which
    takes the row from that summary). Throws StudyError."""
    path = study.folder / (f"paper-{study.part}.csv" if study.part else "paper.csv")
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        header = reader.fieldnames or []
        axes = [name for name in header if name not in OTHERS]
        for name in axes:
            if name != "workload" and name not in study.axis_names:
                raise wrong(path, "", f"line 1: unknown column {name}; valid: figure, summary, metric, value, note, workload, "
                                      f"{', '.join(study.axis_names)}")
        for name in ("metric", "value"):
            if name not in header:
                raise wrong(path, "", f"line 1: column {name} is missing")
        return [_published(study, table, path, reader.line_num, line, axes) for line in reader]


def write_published(out: pathlib.Path, found: list[Published]) -> None:
    """Writes published.csv: each published value beside ours, or a dash if we have none. Writes nothing without a paper.csv."""
    if found:
        write_csv(out / "published.csv", ["row", "metric", "unit", "published", "ours", "deviation_percent"],
                  ([each.where, each.name, each.unit, each.paper, *("-" if value is None else value for value in (each.ours, each.deviation_percent))]
                   for each in found))


def _published(study: Study, table: Table, path: pathlib.Path, number: int, line: dict[str, str], axes: list[str]) -> Published:
    metrics = {metric.name: metric for metric in study.metrics}
    if line["metric"] not in metrics:
        raise wrong(path, "", f"line {number}: unknown metric {line['metric']}; valid: {', '.join(metrics)}")
    try:
        paper = float(line["value"])
    except (TypeError, ValueError):
        raise wrong(path, "", f"line {number}: value: \"{line['value']}\" is no number") from None
    wanted = {name: line[name] for name in axes if line[name]}
    where = ", ".join(f"{name} {text}" for name, text in wanted.items())
    rows, source = [Picked(row.values, row.bands) for row in table.rows], "the table"
    if line.get("summary"):
        rows, source = _summary_rows(study, table, path, number, line["summary"]), f"summary {line['summary']}"
    rows = [row for row in rows if all(name in row.values and _same(row.values[name], text) for name, text in wanted.items())]
    if len(rows) > 1:
        raise wrong(path, "", f"line {number}: {where or 'nothing'} names {len(rows)} rows of {source}, and must name one")
    metric = metrics[line["metric"]]
    if rows and metric.name not in rows[0].values:
        raise wrong(path, "", f"line {number}: {source} has no {metric.name}")
    ours = rows[0].values[metric.name] if rows else None
    deviation = 100 * (ours - paper) / paper if isinstance(ours, (int, float)) and paper else None
    place = {name: value for name, value in rows[0].values.items() if name in study.axis_names} if rows else \
        {name: _value(text) for name, text in wanted.items()}
    return Published(line.get("figure") or "", where, metric.label, metric.unit, paper, ours, deviation, line.get("note") or "",
                     metric.name, place, rows[0].bands.get(metric.name) if rows else None)


def _summary_rows(study: Study, table: Table, path: pathlib.Path, number: int, name: str) -> list[Picked]:
    summaries = {summary.name: summary for summary in study.summaries}
    if name not in summaries:
        raise wrong(path, "", f"line {number}: unknown summary {name}; valid: {', '.join(summaries)}")
    return table.picked(summaries[name])


def _same(value: Any, text: str) -> bool:
    try:
        return float(value) == float(text)
    except ValueError:
        return str(value) == text


def _value(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
