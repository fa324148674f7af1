"""A device: a preset, a device file or its text, with keys of its own."""
import functools
import json
import os
import pathlib
import re
import tempfile
from collections.abc import Mapping
from typing import Any

from . import program
from .errors import BadInput

_PLAIN = re.compile(r"[A-Za-z0-9_.%/ +-]*\Z")


def toml(value: Any) -> str:
    """A Python value as TOML has it: text in quotation marks, a dict as an inline table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml(part)}" for key, part in value.items()) + " }"
    if hasattr(value, "item"):  # a number of NumPy's
        return toml(value.item())
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(part) for part in value) + "]"
    raise BadInput(f"{value!r} is no value of a device file; valid: text, numbers, True, False, lists, dicts")


def as_set(value: Any) -> str:
    """A value as --set takes it: plain text goes without quotation marks."""
    return value if isinstance(value, str) and _PLAIN.match(value) else toml(value)


def flat(keys: Mapping[str, Any], path: str = "") -> dict[str, str]:
    """Nested tables as dotted keys. A table with a `name` is a part and its parameters, {"name": "cflru", "window": "20 %"}."""
    found: dict[str, str] = {}
    for key, value in keys.items():
        dotted = f"{path}.{key}" if path else key
        if isinstance(value, Mapping) and "name" not in value:
            found |= flat(value, dotted)
        else:
            found[dotted] = as_set(value)
    return found


class Device:
    """A device that can be run. It never changes: `set` gives another one.

        Device("tiny")                                             # a preset
        Device("drive.toml", nand={"channels": 8})                 # a device file, keys of its tables
        Device("tiny", **{"nand.read_time": "25 us"})              # a dotted key; quantities as text with their unit
        Device("tiny", buffer={"replacement": {"name": "cflru", "window": "20 %"}})   # a part with parameters
        Device(text="[nand]\\nchannels = 2\\n")                      # the text of a device file

    Nothing is checked until the program reads it: `config()`, or a run, which throw BadInput.
    """

    def __init__(self, base: "str | os.PathLike[str] | Device | None" = None, /, *, text: str | None = None,
                 **keys: Any) -> None:
        if (base is None) == (text is None):
            raise BadInput("a device is a preset, a device file, or text=...: exactly one of them")
        self._text = text
        self._keys: dict[str, str] = {}
        self._base = ""
        if isinstance(base, Device):
            self._text, self._keys, self._base = base._text, dict(base._keys), base._base
        elif base is not None:
            self._base = os.fspath(base)
        self._keys |= flat(keys)

    def set(self, keys: Mapping[str, Any] | None = None, /, **more: Any) -> "Device":
        """Another device that differs in these keys: set({"nand.channels": 8}), set(nand={"channels": 8})."""
        changed = Device(self)
        changed._keys |= flat(keys or {}) | flat(more)
        return changed

    @property
    def name(self) -> str:
        """The preset's name, the file's without its ending, or "device" (of a text)."""
        return "device" if self._text is not None else pathlib.Path(self._base).name.removesuffix(".toml")

    @property
    def keys(self) -> dict[str, str]:
        """What is set beyond preset, file or text: dotted keys, and values as --set takes them."""
        return dict(self._keys)

    @property
    def text(self) -> str | None:
        """The text of a device file that it was made of, if it was."""
        return self._text

    def file(self) -> pathlib.Path:
        """The device file. Throws BadInput where there is none (and of a text, which has none)."""
        if self._text is not None:
            raise BadInput("this device has no file, but a text")
        known = program.presets()
        if self._base in known:
            return known[self._base]
        path = pathlib.Path(self._base)
        if path.is_file():
            return path.resolve()
        self.config()  # the program says it better
        raise BadInput(f"{self._base}: there is no such device file and no such preset")

    def argument(self, folder: pathlib.Path) -> str:
        """What stands for it on a command line; a text is written into the folder."""
        if self._text is None:
            return self._base if self._base in program.presets() else str(self.file())
        path = folder / "device.toml"
        path.write_text(self._text, encoding="utf-8")
        return str(path)

    def set_arguments(self) -> list[str]:
        """--set KEY=VALUE ..."""
        return [word for key, value in self._keys.items() for word in ("--set", f"{key}={value}")]

    def config(self) -> dict[str, Any]:
        """The whole effective configuration, defaults included, as nested dicts; quantities are text with their unit. Throws
        BadInput for what the program does not accept."""
        copy: dict[str, Any] = json.loads(self._config)
        return copy

    @functools.cached_property
    def _config(self) -> str:
        with tempfile.TemporaryDirectory(prefix="flashloom-") as scratch:
            argument = self._base if self._text is None else self.argument(pathlib.Path(scratch))
            try:
                return program.said("config", argument, *self.set_arguments(), "--json")
            except BadInput as error:
                message = str(error).replace(f"{scratch}/", "")
                raise BadInput(message, error.exit_code, error.command, error.stderr) from None

    def __repr__(self) -> str:
        made_of = f"text={self._text!r}" if self._text is not None else repr(self._base)
        return f"Device({made_of}{', **' + repr(self._keys) if self._keys else ''})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self._base, self._text, self._keys) == (other._base, other._text, other._keys)

    def __hash__(self) -> int:
        return hash((self._base, self._text, tuple(sorted(self._keys.items()))))


def device_of(device: "Device | str | os.PathLike[str]") -> Device:
    """A device, or the preset or file that it names."""
    return device if isinstance(device, Device) else Device(device)
