"""The lines of the summaries that a study keeps, and how far each value may move without meaning anything."""
from collections.abc import Set
from typing import Any

from .kept import OURS, Line
from .published import Published
from .samples import Band
from .study import Study
from .tables import Row, Table, place_of, said

TABLE = "table"  # in a summary the name of rows of the table: no summary of a study may be called so


def lines_of(study: Study, table: Table, with_table: bool) -> list[Line]:
    """All named summaries and, `with_table` or if there are none, the rows of the table. The cost of a run differs from run to run, so
    it is left out, and what is computed from it."""
    dear = columns_of(table, costs_of(study))
    lines = list(table.summaries())
    if with_table or not study.summaries:
        names = [(name, key) for name, key in table.columns() if key not in study.axis_names]
        lines += [[TABLE, _place(table, row), name, value] for row in table.rows for name, key in names
                  if (value := table.cell(row, key)) is not None]
    return [tuple(str(said(cell)) for cell in line) for line in lines if line[2] not in dear]


def columns_of(table: Table, metrics: Set[str]) -> set[str]:
    """The names of these metrics' columns."""
    return {name for name, key in table.columns() if key in metrics or key.rpartition("_")[0] in metrics}


def costs_of(study: Study) -> set[str]:
    """The metrics that are costs of a run on this computer, or computed from some."""
    return derived(study, {metric.name for metric in study.metrics if metric.cost}, set())


def derived(study: Study, metrics: Set[str], baselines: Set[str]) -> set[str]:
    """These metrics, and all that are computed from them or from the rows of these baselines."""
    found = set(metrics)
    for metric in study.metrics:
        fields = metric.expression.fields if metric.expression else ()
        used = metric.expression.names | {name for _, name in fields} if metric.expression else set()
        if used & found or baselines & {row for row, _ in fields}:
            found.add(metric.name)
    return found


def bars_of(study: Study, table: Table, papers: list[Published]) -> dict[Line, float]:
    """Half the width of the band, or of the 95 % interval, of the values that have one, by their place in a summary or published.csv."""
    names = {key: name for name, key in table.columns()}
    found: dict[Line, float | None] = {(OURS, paper.where, paper.name): bar(paper.band, None) for paper in papers}
    for summary in study.summaries:
        header, lines = table.summary(summary)
        for line, picked in zip(lines, table.picked(summary)):
            place = place_of(header[:len(summary.group)], line)
            found |= {(summary.name, place, names[name]): bar(picked.bands.get(name), picked.ci95.get(name))
                      for name in summary.columns if name in names}
    for row in table.rows:
        found |= {(TABLE, _place(table, row), names[name]): bar(row.bands.get(name), half) for name, half in row.ci95.items()}
    return {key: half for key, half in found.items() if half is not None}


def bar(band: Band | None, ci95: float | None) -> float | None:
    return ci95 if band is None else abs(band.p95 - band.p5) / 2


def _place(table: Table, row: Row) -> str:
    names = [(name, key) for name, key in table.columns() if key in table.study.axis_names]
    values: list[Any] = [row.values[key] for _, key in names]
    return place_of([name for name, _ in names], values)
