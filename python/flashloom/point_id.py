"""The name of a run: a hash of everything that its result depends on. Studies (experiments/engine) and sweeps file results
under it, points/ID/, and it is the column `point` of their tables, so that parameters and results can be joined."""
import hashlib
import json
import pathlib
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

LETTERS = 20


def key_of(*parts: Any) -> str:
    """20 hexadecimal letters of the SHA-256 of JSON values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:LETTERS]


def file_hash(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def bases_of(text: str, folder: pathlib.Path, presets: Callable[[], Mapping[str, Any]]) -> list[pathlib.Path]:
    """The files that a device file in that folder is laid over, by their key `base`, the next one first. What is wrong with them
    the program says."""
    found: list[pathlib.Path] = []
    while True:
        try:
            base = tomllib.loads(text).get("base")
        except tomllib.TOMLDecodeError:
            return found
        if not isinstance(base, str) or not base:
            return found
        beside = [path for path in (folder / base, folder / f"{base}.toml") if path.is_file()]
        path = beside[0] if beside else pathlib.Path(presets().get(base.removesuffix(".toml"), base))
        if path in found or not path.is_file():
            return found
        found.append(path)
        folder, text = path.parent, path.read_text(encoding="utf-8", errors="replace")


def device_files(path: pathlib.Path, presets: Callable[[], Mapping[str, Any]]) -> list[pathlib.Path]:
    """A device file, and those that it is laid over."""
    return [path, *bases_of(path.read_text(encoding="utf-8", errors="replace"), path.parent, presets)]


def point_id(program_hash: str, inputs: dict[str, Any], sets: dict[str, str], options: list[str], *, seed: int | None,
             state: str = "", untimed: str = "") -> str:
    """The id of a run. `inputs`: {"written": {name: text of a job file}, "device": [name, hash], "files": [[name, hash], ...]},
    those that there are; `sets`: overrides as --set takes them; `options`: further words of the command line, without the
    names of files that `inputs` has; `state`: hash of the saved state that it begins from; `untimed`: a command without time."""
    return key_of("point", program_hash, untimed, inputs, sets, options, seed, state)
