"""Reads a table of a TOML file key by key, and checks types. A key that the caller never asked for is an error."""
import pathlib
import re
import tomllib
from typing import Any

from .errors import StudyError, one_of, shown, wrong
from .expressions import Expression, ExpressionError, Template

NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
TYPE_NAMES = {str: "text", int: "an integer", float: "a number", bool: "true or false", list: "a list", dict: "a table"}


def read_toml(path: pathlib.Path) -> dict[str, Any]:
    """Parses a TOML file. Throws StudyError with the line of an error."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise StudyError(f"{shown(path)}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise StudyError(f"{shown(path)}: is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        where = f":{found[1]}:{found[2]}" if found else ""
        raise StudyError(f"{shown(path)}{where}: {str(error).split(' (at ')[0]}") from None


def of_form(path: pathlib.Path, values: dict[str, Any], quick: bool) -> dict[str, Any]:
    """The contents of a study.toml, without its table quick.instead: in the quick form that table's keys stand in place of the others'."""
    subset = values.get("quick")
    if not isinstance(subset, dict) or "instead" not in subset:
        return values
    instead, subset = subset["instead"], {key: value for key, value in subset.items() if key != "instead"}
    if not isinstance(instead, dict) or "quick" in instead:
        raise wrong(path, "quick.instead", "is a table of keys that a study has outside of quick")
    return laid_over(values, instead if quick else {}) | {"quick": subset}


def laid_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    return below | {key: laid_over(below[key], value) if isinstance(value, dict) and isinstance(below.get(key), dict) else value
                    for key, value in above.items()}


class TableReader:
    """One table; `key` is its dotted path in the file."""

    def __init__(self, path: pathlib.Path, key: str, values: dict[str, Any]) -> None:
        self.path = path
        self.key = key
        self.values = values
        self.asked: list[str] = []

    def at(self, name: str) -> str:
        part = name if re.fullmatch(r"[\w-]+", name) else f'"{name}"'
        return f"{self.key}.{part}" if self.key else part

    def error(self, name: str, text: str) -> StudyError:
        """An error at the key `name` of this table; in the top-level table `name` may be a dotted path."""
        return wrong(self.path, self.at(name) if self.key else name, text)

    def has(self, name: str) -> bool:
        return name in self.values

    def get(self, name: str, kind: type, default: Any = None, required: bool = False) -> Any:
        """The value of a key, checked to be of type `kind`; an integer counts as a number."""
        self.asked.append(name)
        if name not in self.values:
            if required:
                raise wrong(self.path, self.key, f"{name} is missing ({TYPE_NAMES[kind]})")
            return default
        value = self.values[name]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(name, f"is {value!r}, and must be {TYPE_NAMES[kind]}")
        return value

    def scalar(self, name: str, value: Any) -> Any:
        """Checks that a value is text, a number or a truth value."""
        if not isinstance(value, (str, int, float, bool)):
            raise self.error(name, f"{value!r}: must be text, a number, true or false")
        return value

    def choice(self, name: str, valid: tuple[str, ...], default: str) -> str:
        value: str = self.get(name, str, default)
        if value not in valid:
            raise self.error(name, f"is \"{value}\"; {one_of(valid, value)}")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of texts; a single text counts as a list of one."""
        self.asked.append(name)
        value = self.values.get(name, [])
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(name, f"is {value!r}, and must be a text or a list of texts")
        return value

    def expression(self, name: str, text: str) -> Expression:
        try:
            return Expression(text)
        except ExpressionError as error:
            raise self.error(name, str(error)) from None

    def template(self, name: str, text: str) -> Template:
        try:
            return Template(text)
        except ExpressionError as error:
            raise self.error(name, str(error)) from None

    def table(self, name: str) -> "TableReader":
        return TableReader(self.path, self.at(name), self.get(name, dict, {}))

    def named_tables(self, name: str) -> list[tuple[str, "TableReader"]]:
        """The tables [name.X], as (X, table), in the order of the file."""
        outer = self.table(name)
        tables = []
        for key in outer.values:
            if not NAME.match(key):
                raise outer.error(key, "a name is made of a-z, 0-9 and _ and begins with a letter")
            tables.append((key, TableReader(self.path, outer.at(key), outer.get(key, dict))))
        return tables

    def listed_tables(self, name: str) -> list["TableReader"]:
        """The tables [[name]] in the order of the file."""
        items = self.get(name, list, [])
        for item in items:
            if not isinstance(item, dict):
                raise self.error(name, f"must be [[{self.at(name)}]] tables")
        return [TableReader(self.path, f"{self.at(name)}[{number}]", item) for number, item in enumerate(items, 1)]

    def finish(self) -> None:
        """Throws StudyError for a key that the caller never asked for."""
        for name in self.values:
            if name not in self.asked:
                raise self.error(name, f"unknown key; {one_of(sorted(set(self.asked)), name)}")
