"""What a study or a search keeps beside its study.toml or search.toml: summaries, and in renewed.json of what they were made. Imports
neither numpy nor the engine's tables, so that experiments/run --stale answers at once."""
import csv
import dataclasses
import functools
import glob
import io
import json
import pathlib
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flashloom.point_id import file_hash, key_of
from flashloom.whole_file import write_whole

from .errors import StudyError, shown

SUMMARY, QUICK, PUBLISHED, RENEWED = "summary.csv", "summary-quick.csv", "published.csv", "renewed.json"
OURS = "published"  # in place of a summary's name: values of published.csv
HEADER = ["summary", "row", "metric", "value"]
MADE = (SUMMARY, QUICK, PUBLISHED, RENEWED)
SHOWN = (".md", ".png", ".svg")  # no result depends on these
PROSE = ("title", "question", "topic", "label", "caption", "description", "source")  # nor on these keys of TOML files
Line = tuple[str, ...]


def text_of(lines: Iterable[Sequence[Any]]) -> str:
    """The text of a summary."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([HEADER, *lines])
    return file.getvalue()


def lines_of_file(path: pathlib.Path) -> list[Line]:
    """The lines of a summary; none if the file is not there, or has other columns."""
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        header, *lines = [tuple(line) for line in csv.reader(file)] or [()]
        return lines if list(header) == HEADER else []


def published_lines(path: pathlib.Path) -> list[Line]:
    """Our values in a published.csv as lines of a summary; none if the file is not there."""
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [(OURS, line["row"], line["metric"], line["ours"]) for line in csv.DictReader(file)]


@dataclass
class Full:
    """The full runs that a summary is of."""
    runs: int
    cpu_s: float
    files: str  # fingerprints: of the study's files,
    model: str  # of the model's results in the quick form


@dataclass
class Renewed:
    """renewed.json. CPU seconds are of runs and saved states."""
    runs: int = 0  # of the full form
    run_cpu_s: float = 0.0  # of a run, as the quick form had it when its runs were whole ones; 0: not known
    full: Full | None = None

    def write(self, folder: pathlib.Path) -> None:
        write_whole(folder / RENEWED, json.dumps(dataclasses.asdict(self), indent=1) + "\n")


def renewed_of(folder: pathlib.Path) -> Renewed:
    """Throws StudyError."""
    path = folder / RENEWED
    if not path.is_file():
        return Renewed()
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        return Renewed(**read | {"full": Full(**read["full"]) if read.get("full") else None})
    except (ValueError, TypeError, AttributeError) as error:
        raise StudyError(f"{shown(path)}: {error}; without the file experiments/renew {folder.name} writes it anew") from None


def inputs_of(folder: pathlib.Path, root: pathlib.Path) -> dict[pathlib.Path, str]:
    """The hashes of all files that a study or a search names in the tree: those of its folder, those elsewhere that TOML files name by
    a path or as a preset, and so on. Comments and prose do not count, nor do public traces."""
    found: dict[pathlib.Path, str] = {}
    wanted = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in MADE and path.suffix not in SHOWN
              and not any(part.startswith((".", "__")) for part in path.relative_to(folder).parts)]
    while wanted:
        path = wanted.pop()
        if path not in found:
            found[path], texts = contents_of(path)
            wanted += [named for text in texts for named in _named(path.parent, text, root / "configs")]
    return found


def files_fingerprint(folder: pathlib.Path, root: pathlib.Path) -> str:
    """A hash of the inputs."""
    return key_of(sorted((_place(path, root), text) for path, text in inputs_of(folder, root).items()))


def _place(path: pathlib.Path, root: pathlib.Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name


@functools.cache
def contents_of(path: pathlib.Path) -> tuple[str, list[str]]:
    """The hash of a file, and the texts in it that may name other files."""
    if path.suffix != ".toml":
        return file_hash(path), []
    try:
        values = _without_prose(tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return file_hash(path), []
    return key_of(values), list(_texts(values))


def _without_prose(values: Any) -> Any:
    if isinstance(values, dict):
        return {key: _without_prose(value) for key, value in values.items() if key not in PROSE or not isinstance(value, str)}
    if isinstance(values, list):
        return [_without_prose(value) for value in values]
    return values if isinstance(values, (str, int, float, bool)) else str(values)


def _texts(values: Any) -> Iterable[str]:
    if isinstance(values, str):
        yield values
    elif isinstance(values, (dict, list)):
        for value in values.values() if isinstance(values, dict) else values:
            yield from _texts(value)


def _named(folder: pathlib.Path, text: str, configs: pathlib.Path) -> list[pathlib.Path]:
    """The files that a text of a TOML file in `folder` names; an expression in it may have any value."""
    if re.fullmatch(r"[\w.-]+", text) and (configs / f"{text}.toml").is_file():
        return [configs / f"{text}.toml"]
    if not text.startswith("../") or "\n" in text:
        return []
    pattern = glob.escape(str(folder)) + "/" + re.sub(r"\{[^{}]*\}", "*", text)
    return [path.resolve() for path in map(pathlib.Path, sorted(glob.glob(pattern))) if path.is_file()]


def model_fingerprint(folder: pathlib.Path) -> str:
    """A hash of the model's results in the quick form, which the tests hold to be those of this model; empty without them."""
    path = folder / QUICK
    return file_hash(path)[:20] if path.is_file() else ""


@dataclass
class Due:
    """A study or search whose full summary is to be made anew. `cpu_s` is None if nothing is known of its cost."""
    folder: pathlib.Path
    why: str
    runs: int
    cpu_s: float | None
    is_estimate: bool

    @property
    def cost(self) -> str:
        if self.cpu_s is None:
            return "its cost is not known"
        return f"{self.runs} runs, {'about ' if self.is_estimate else ''}{duration(self.cpu_s)}{' (an estimate)' if self.is_estimate else ''}"


def duration(seconds: float) -> str:
    return f"{seconds / 3600:.1f} CPU hours" if seconds >= 3600 else f"{seconds:.0f} CPU s"


def folders_of(root: pathlib.Path) -> list[pathlib.Path]:
    """The folders of all studies and searches."""
    return sorted({path.parent for main in ("study.toml", "search.toml") for path in (root / "experiments").glob(f"*/{main}")})


def due_of(folder: pathlib.Path, root: pathlib.Path) -> Due | None:
    """None if the full summary is of these files and of this model's results."""
    renewed = renewed_of(folder)
    full = renewed.full
    if not (folder / SUMMARY).is_file() or full is None:
        why = "never run" if not (folder / SUMMARY).is_file() else "its summary has no fingerprint"
    else:
        moved = [text for text, old, new in (("its files changed", full.files, files_fingerprint(folder, root)),
                                             ("the model's results moved", full.model, model_fingerprint(folder))) if old != new]
        if not moved:
            return None
        why = ", ".join(moved)
    return _due(folder, why, renewed)


def cost_of(folder: pathlib.Path) -> str:
    """What a full run costs, of what is kept of earlier ones."""
    return _due(folder, "", renewed_of(folder)).cost


def _due(folder: pathlib.Path, why: str, renewed: Renewed) -> Due:
    full = renewed.full
    if full is not None and full.runs:
        runs = renewed.runs or full.runs
        return Due(folder, why, runs, full.cpu_s * runs / full.runs, runs != full.runs)
    known = renewed.run_cpu_s * renewed.runs if renewed.run_cpu_s and renewed.runs else None
    return Due(folder, why, renewed.runs, known, True)


def all_due(root: pathlib.Path) -> list[Due]:
    return [due for folder in folders_of(root) if (due := due_of(folder, root)) is not None]


def tell_due(found: Sequence[Due]) -> list[str]:
    """The lines of --stale."""
    lines = [f"{due.folder.name}: {due.why}; {due.cost}" for due in found]
    total = sum(due.cpu_s or 0.0 for due in found)
    guessed = sum(due.cpu_s or 0.0 for due in found if due.is_estimate)
    unknown = sum(due.cpu_s is None for due in found)
    return [*lines, f"{len(found)} stale: {duration(total)}" + (f", {duration(guessed)} of them estimated" if guessed else "") +
            (f"; and {unknown} of unknown cost" if unknown else "")]
