"""The name of a run: a hash of everything that its result depends on. Studies (experiments/engine) and sweeps file results
under it, points/ID/, and it is the column `point` of their tables, so that parameters and results can be joined."""
import hashlib
import json
import pathlib
from typing import Any

LETTERS = 20


def key_of(*parts: Any) -> str:
    """20 hexadecimal letters of the SHA-256 of JSON values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:LETTERS]


def file_hash(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def point_id(program_hash: str, inputs: dict[str, Any], sets: dict[str, str], options: list[str], *, seed: int | None,
             state: str = "", untimed: str = "") -> str:
    """The id of a run. `inputs`: {"written": {name: text of a job file}, "device": [name, hash], "files": [[name, hash], ...]},
    those that there are; `sets`: overrides as --set takes them; `options`: further words of the command line, without the
    names of files that `inputs` has; `state`: hash of the saved state that it begins from; `untimed`: a command without time."""
    return key_of("point", program_hash, untimed, inputs, sets, options, seed, state)
