"""Texts and numbers as gnuplot reads them, in scripts and in tables."""
import re
from typing import Any

from .tables import said

CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def one_line(value: str) -> str:
    """Without control characters: in a script and in a table, a new line begins something else."""
    return CONTROL.sub(" ", value)


def quoted(cell: Any) -> str:
    """A cell of a table: gnuplot ends a text there at the next quotation mark, whatever stands before it."""
    if isinstance(cell, str):
        return '"' + one_line(cell).replace("\\", "\\\\").replace('"', "'") + '"'
    return "NaN" if cell is None else str(said(cell))


def text(value: str) -> str:
    """A string constant of gnuplot, which runs what stands in backticks."""
    return '"' + one_line(value).replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\140") + '"'


def array(name: str, values: list[str]) -> str:
    return f"array {name}[{len(values)}] = [{', '.join(text(value) for value in values)}]"
