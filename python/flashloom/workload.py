"""What a device is asked to do: words of the command line, the files that they need, and what they add to a point's id."""
import os
import pathlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import BadInput
from .point_id import file_hash

KINDS = ("job", "trace", "generate", "workload")
_TRACE_KEYS = re.compile(r"((?:,[a-z_]+=[^,]*)*)\Z")


@dataclass
class Workload:
    """`words` of a command line, in which the names of `written` files stand for files of that text; `options`: what of the words
    counts beside the content of files."""
    words: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    files: list[pathlib.Path] = field(default_factory=list)
    options: list[str] = field(default_factory=list)

    def inputs(self) -> dict[str, Any]:
        """For point_id."""
        found: dict[str, Any] = {"written": self.written}
        return found | {"files": [[path.name, file_hash(path)] for path in self.files]} if self.files else found

    def arguments(self, folder: pathlib.Path) -> list[str]:
        """Words of the command line; written files go into the folder."""
        for name, text in self.written.items():
            (folder / name).write_text(text, encoding="utf-8")
        return [str(folder / word) if word in self.written else word for word in self.words]


def workload_of(given: Mapping[str, Any], options: Sequence[Any] = ()) -> Workload:
    """From keyword arguments `job`, `trace`, `generate`, `workload`, of which one is there. Throws BadInput."""
    named = [kind for kind in KINDS if given.get(kind) is not None]
    if len(named) != 1:
        raise BadInput(f"a run takes one workload: {', '.join(f'{kind}=' for kind in KINDS)}; given: "
                         f"{', '.join(named) or 'none'}")
    kind, value = named[0], given[named[0]]
    found = Workload()
    if kind == "job":
        _add_job(found, value)
    elif kind == "generate":
        found.words = ["--generate", generator(value)]
        found.options = list(found.words)
    elif kind == "workload":
        _add_file(found, "--workload", existing(value, "workload"))
    else:
        _add_traces(found, value)
    words = [str(option) for option in options]
    found.words += words
    found.options += words
    return found


def existing(path: "str | os.PathLike[str]", what: str) -> pathlib.Path:
    """An input file, absolute. Throws BadInput."""
    found = pathlib.Path(path).expanduser()
    if not found.is_file():
        raise BadInput(f"{what}: there is no file {found}")
    return found.resolve()


def generator(value: Any) -> str:
    """A generator's text, of text or of a dict: {"mix": {"read": "70 %"}} is mix:read=70 %."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and len(value) == 1:
        name, parameters = next((str(name), parameters) for name, parameters in value.items())
        if not isinstance(parameters, Mapping):
            raise BadInput(f"generate: the parameters of {name} are {parameters!r}, and must be a dict")
        return name + "".join(f"{',' if number else ':'}{key}={_word(part)}" for number, (key, part) in enumerate(parameters.items()))
    raise BadInput(f'generate is {value!r}; valid: text as "mix:read=70 %", or {{"mix": {{"read": "70 %"}}}}')


def fio_text(value: Mapping[str, Any]) -> str:
    """A fio job file, of options {"rw": "randread", ...}, or of sections {"global": {...}, "reads": {...}}."""
    sections = value if value and all(isinstance(part, Mapping) for part in value.values()) else {"job": value}
    return "".join(f"[{name}]\n" + "".join(f"{key}={_word(part)}\n" for key, part in options.items())
                   for name, options in sections.items())


def _word(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _add_file(found: Workload, option: str, path: pathlib.Path) -> None:
    found.words += [option, str(path)]
    found.files.append(path)
    if option == "--workload":  # its traces and job files lie beside it
        text = path.read_text(encoding="utf-8", errors="replace")
        names = re.findall(r'^\s*(?:trace|fio)\s*=\s*"([^"\n]+)"', text, re.MULTILINE)
        found.files += [path.parent / name for name in names if (path.parent / name).is_file()]


def _add_job(found: Workload, value: Any) -> None:
    if isinstance(value, Mapping):
        found.written["job.fio"] = fio_text(value)
    elif isinstance(value, str) and "\n" in value:
        found.written["job.fio"] = value
    else:
        _add_file(found, "--job", existing(value, "job"))
        return
    found.words += ["--job", "job.fio"]


def _add_traces(found: Workload, value: Any) -> None:
    traces = value if isinstance(value, (list, tuple)) else [value]
    for number, trace in enumerate(traces):
        if hasattr(trace, "columns"):  # a DataFrame
            from .traces import trace_text  # pylint: disable=import-outside-toplevel
            name = "trace.iolog" if len(traces) == 1 else f"trace{number}.iolog"
            found.written[name] = trace_text(trace)
            found.words += ["--trace", name]
            continue
        text = os.fspath(trace)
        keys = "" if pathlib.Path(text).is_file() else _TRACE_KEYS.search(text)[1]  # type: ignore[index]
        path = existing(text.removesuffix(keys) if keys else text, "trace")
        _add_file(found, "--trace", path)
        found.words[-1] += keys
        if keys or len(traces) > 1:
            found.options += ["--trace", path.name + keys]
