"""Tables of the page: units that fit, the same in a column; a dash where nothing was asked."""
from dataclasses import dataclass
from typing import Any

from .study import Study
from .tables import Table, said
from .units import digits, fitting

DASH = "–"


@dataclass
class Cell:
    """`value` is what sorting and filters go by, in the unit of the column; none: there is nothing."""
    text: str
    value: Any = None
    is_text: bool = False
    is_none: bool = False


def cell_of(value: Any, factor: float = 1.0, unasked: bool = False) -> Cell:
    if unasked:
        return Cell(DASH, is_none=True)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        scaled = value if factor == 1.0 else value * factor
        return Cell(digits(scaled) if isinstance(scaled, float) else str(scaled), float(f"{scaled:.9g}") if isinstance(scaled, float) else scaled)
    return Cell(str(said(value)), is_text=isinstance(value, (str, bool)))


def table_of(names: list[tuple[str, str]], lines: list[list[tuple[Any, bool]]], keep: int = 0) -> tuple[list[str], list[list[Cell]]]:
    """Header and rows of cells out of (name, unit) of each column and (value, was not asked) of each cell. The first `keep`
    columns keep their unit."""
    units = [fitting(unit, (line[number][0] for line in lines)) if number >= keep else (unit, 1.0) for number, (_, unit) in enumerate(names)]
    heads = [head(name, units[number][0]) for number, (name, _) in enumerate(names)]
    return heads, [[cell_of(value, units[number][1], unasked) for number, (value, unasked) in enumerate(line)] for line in lines]


def points_of(study: Study, table: Table) -> tuple[list[str], list[list[Cell]]]:
    """All points."""
    keys = [key for _, key in table.columns()]
    names = [(key, unit_of(study, key.removesuffix("_ci95"))) for key in keys]
    # A mean and its interval have one unit.
    lines = [[(table.cell(row, key), key.removesuffix("_ci95") in row.unasked) for key in keys] for row in table.rows]
    header, rows = table_of(names, lines, keep=len(study.axis_names))
    for number, key in enumerate(keys):
        if key.endswith("_ci95") and key.removesuffix("_ci95") in keys:
            mean = keys.index(key.removesuffix("_ci95"))
            unit, factor = fitting(names[mean][1], (line[mean][0] for line in lines))
            header[number] = head(key, unit)
            for line, row in zip(lines, rows):
                row[number] = cell_of(line[number][0], factor, line[number][1])
    return header, rows


def unit_of(study: Study, name: str) -> str:
    return next((one.unit for one in [*study.axes, *study.metrics] if one.name == name), "")


def head(name: str, unit: str) -> str:
    plain = name.replace("_ci95", " ±95 %").replace("_", " ")
    return f"{plain} ({unit})" if unit not in ("", "1", "text") else plain
