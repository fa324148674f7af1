"""Bad input of a fit, with file, line and key."""
import pathlib

from ..errors import BadInput
from ..places import line_of, shown


class WrongEntry(ValueError):
    """What is wrong with an entry; who knows file and line adds them: at()."""


def at(path: pathlib.Path, key: str, text: object, line: int | None = None) -> BadInput:
    """An error at a dotted key of fit.toml, or at a line of another file."""
    number = line if line is not None else line_of(path, key)
    where = f"{shown(path)}:{number}" if number else shown(path)
    return BadInput(f"{where}: {key}: {text}" if key else f"{where}: {text}", 2)
