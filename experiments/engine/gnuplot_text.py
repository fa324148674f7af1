"""Writes texts and numbers in gnuplot's syntax, for scripts and tables."""
import re
from typing import Any

from .tables import said

CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def one_line(value: str) -> str:
    """Replaces control characters by spaces: a new line would end the statement of a script or the row of a table."""
    return CONTROL.sub(" ", value)


def quoted(cell: Any) -> str:
    """A cell of a table. It may contain no quotation mark: in a table gnuplot ends a text at the next one, even after a backslash."""
    if isinstance(cell, str):
        return '"' + one_line(cell).replace("\\", "\\\\").replace('"', "'") + '"'
    return "NaN" if cell is None else str(said(cell))


def text(value: str) -> str:
    """A string constant of a gnuplot script. It escapes backticks, since gnuplot runs the text between them as a shell command."""
    return '"' + one_line(value).replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\140") + '"'


def array(name: str, values: list[str]) -> str:
    return f"array {name}[{len(values)}] = [{', '.join(text(value) for value in values)}]"
