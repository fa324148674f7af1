"""A peer's configuration: keys with their texts and lines, each of which somebody has to account for."""
import pathlib
import re
from collections.abc import Mapping
from typing import NamedTuple, NoReturn, TypeVar

from ..errors import BadInput
from ..places import one_of, shown

T = TypeVar("T")


class Given(NamedTuple):
    """A value as it is written; line 0: of a command line, or the peer's own default."""
    text: str
    line: int


class Source:
    """Throws BadInput that names file, line and key for whatever cannot be read."""

    def __init__(self, name: str, given: Mapping[str, Given], defaults: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.given = given
        self.defaults = defaults or {}

    def __contains__(self, key: str) -> bool:
        return key in self.given

    def fail(self, key: str, problem: str) -> NoReturn:
        line = self.given[key].line if key in self.given else 0
        raise BadInput(f"{self.name}{f':{line}' if line else ''}: {key}: {problem}")

    def text(self, key: str) -> str:
        if key in self.given:
            return self.given[key].text
        if key in self.defaults:
            return self.defaults[key]
        self.fail(key, "is missing")

    def order(self, key: str) -> str:
        """In which pages are given out: of channels, ways, dies and planes."""
        order = self.text(key).upper()
        if sorted(order) != sorted("CWDP"):
            self.fail(key, f'"{order}" is no order of C, W, D, P')
        return order

    def number(self, key: str, least: float = 0.0, most: float = 1e18) -> float:
        try:
            value = float(self.text(key))
        except ValueError:
            self.fail(key, f'"{self.text(key)}" is no number')
        if not least <= value <= most:
            self.fail(key, f"{self.text(key)} is out of range; valid: {least:.17g} to {most:.17g}")
        return value

    def count(self, key: str, least: int = 0, most: int = 2**63) -> int:
        value = self.number(key, least, most)
        if value != int(value):
            self.fail(key, f"{self.text(key)} is no whole number")
        return int(value)

    def choice(self, key: str, values: Mapping[str, T]) -> T:
        word = self.text(key)
        if word.upper() not in values:
            self.fail(key, f'"{word}"; {one_of(values, word)}')
        return values[word.upper()]

    def flag(self, key: str) -> bool:
        return self.choice(key, {"TRUE": True, "FALSE": False, "1": True, "0": False, "ON": True, "OFF": False,
                                 "YES": True, "NO": False, "T": True, "F": False, "Y": True, "N": False})


def read_text(path: str) -> str:
    """The file's text; bytes that are no UTF-8 (comments, mostly) become question marks. Throws BadInput."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise BadInput(f"{shown(pathlib.Path(path))}: {error.strerror}") from None


def sections(name: str, text: str, comments: str = "#;") -> dict[str, Given]:
    """An INI file as {"section.key": ...}; of a key that comes twice the last. Throws BadInput."""
    given: dict[str, Given] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = re.split(rf"(?:^|\s)[{comments}]", line, maxsplit=1)[0].strip()
        if not bare:
            continue
        if bare.startswith("[") and bare.endswith("]"):
            section = bare[1:-1].strip()
            continue
        key, equals, value = bare.partition("=")
        if not equals or not section:
            raise BadInput(f'{name}:{number}: "{bare}" is no KEY = VALUE of a [section]')
        given[f"{section}.{key.strip()}"] = Given(value.strip(), number)
    return given
