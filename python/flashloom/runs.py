"""Runs of the program: a device under a workload, and what takes no time."""
import os
import pathlib
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import program
from .device import Device, device_of
from .errors import BadInput, FlashloomError, FlashloomWarning, Interrupted
from .result import Result, Scratch
from .workload import existing, generator, workload_of

if TYPE_CHECKING:
    import pandas

Path = str | os.PathLike[str]


def run(device: Device | Path, *, job: Any = None, trace: Any = None, generate: Any = None, workload: Path | None = None,
        seed: int | None = None, state: Path | None = None, out: Path | None = None, untimed: bool = False,
        max_requests: int | None = None, address_fit: str | None = None, io_log: str | None = None,
        uncertainty: int | None = None, options: Sequence[Any] = ()) -> Result:
    """Simulates a device under a workload, in a process of its own, and waits for it.

    device        a Device, a preset's name, or a device file
    job           a fio job file; its text; its options as a dict; or a dict of sections
    trace         a block trace, with keys behind its name if wanted ("t.csv,format=msr"); a DataFrame as write_trace takes it;
                  or a list of these, which play side by side
    generate      a generator: "mix:read=70 %", or {"mix": {"read": "70 %"}}
    workload      a workload file: several jobs at once
    seed          of every random choice; default: the device's
    state         a file of precondition(): the run begins there
    out           folder for the results, which stays; default: one that goes with the Result
    untimed       True: one request after another without time, counts only
    max_requests  stop after so many
    address_fit   of what lies beyond the device: "error" (default), "wrap", "scale"
    io_log        "binary", "csv", "both": every request
    uncertainty   error bars of energy, from so many samples of the ranges in [TABLE.uncertainty]: Result.energy_bands
    options       further words of `flashloom run`, as ["--alone"]

    Throws BadInput, RunFailed, Interrupted.
    """
    given = device_of(device)
    wanted = workload_of({"job": job, "trace": trace, "generate": generate, "workload": workload},
                         run_options(untimed, max_requests, address_fit, io_log, options, uncertainty))
    scratch = Scratch() if out is None else None
    folder = scratch.path if scratch else pathlib.Path(out or "").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    words = ["run", given.argument(folder), *wanted.arguments(folder), *given.set_arguments(), *common(seed, state),
             "--out", str(folder), "--quiet"]
    try:
        program.call(*words)
    except BadInput as error:
        raise BadInput(str(error).replace(f"{folder}/", ""), error.exit_code, error.command, error.stderr) from None
    except Interrupted as error:
        raise Interrupted(str(error), partial_result(folder, scratch)) from None
    result = Result(folder, scratch)
    for text in result.warnings:
        warnings.warn(text, FlashloomWarning, stacklevel=2)
    return result


def partial_result(folder: pathlib.Path, scratch: Scratch | None) -> Result | None:
    """What an interrupted run has written; None if it was not so far, or it is of an earlier run."""
    try:
        result = Result(folder, scratch)
    except FlashloomError:
        return None
    return result if result.data.get("partial") else None


def run_options(untimed: bool, max_requests: int | None, address_fit: str | None, io_log: str | None,
                options: Sequence[Any], uncertainty: int | None = None) -> list[str]:
    """Words of the command line that count in a point's id."""
    return [*(["--untimed"] if untimed else []), *_option("--max-requests", max_requests), *_option("--address-fit", address_fit),
            *_option("--io-log", io_log), *_option("--uncertainty", uncertainty), *(str(option) for option in options)]


def common(seed: int | None, state: Path | None) -> list[str]:
    """Words for seed and state."""
    return [*_option("--seed", seed), *([] if state is None else ["--state", str(existing(state, "state"))])]


def _option(name: str, value: Any) -> list[str]:
    return [] if value is None else [name, str(value)]


def precondition(device: Device | Path, state: Path, *, seed: int | None = None) -> pathlib.Path:
    """Preconditions a device as its `precondition` keys say, and saves its state to a file, which run(..., state=) and
    sweep(..., state=) begin from; returns the file's path. Throws BadInput, RunFailed, Interrupted."""
    given = device_of(device)
    path = pathlib.Path(state).resolve()
    with tempfile.TemporaryDirectory(prefix="flashloom-") as scratch:
        program.call("precondition", given.argument(pathlib.Path(scratch)), *given.set_arguments(), *common(seed, None), "--state",
                     str(path), "--quiet")
    return path


def cache(trace: Any = None, *, policy: str | Sequence[str], size: str | Sequence[str], generate: Any = None,
          options: Mapping[str, Any] | None = None) -> "pandas.DataFrame":
    """What cache replacement policies make of a trace, without time: a row for each policy and size (docs/reference/cache.md has the
    columns; `_pages`, `_bytes` and `_ratio` say the unit).

    trace     a block trace, or a DataFrame as write_trace takes it; or `generate`, as for run
    policy    "lru", or several: ["lru", "cflru:window=10%"]
    size      of the cache: "64 MiB", or a share of the trace's pages, "10%"; or several
    options   of `flashloom cache`: {"page": "8 KiB", "memory": "both"}
    """
    return _untimed("cache", "caches", trace, generate, {"policy": policy, "size": size} | dict(options or {}))


def cold(trace: Any = None, *, delta: int | Sequence[int], buffer: str | Sequence[str], generate: Any = None,
         options: Mapping[str, Any] | None = None) -> "pandas.DataFrame":
    """How much of what a trace updates is correlated (COLD), without time: a row for each detector, delta and buffer
    (docs/reference/cold.md has the columns).

    trace     as for cache; or `generate`
    delta     least pages of a set; one or several
    buffer    size of the write buffer: "16 MiB"; one or several
    options   of `flashloom cold`: {"detector": "spatial", "policy": "lru"}
    """
    return _untimed("cold", "buffers", trace, generate, {"delta": delta, "buffer": buffer} | dict(options or {}))


def _untimed(command: str, rows: str, trace: Any, generate: Any, options: Mapping[str, Any]) -> "pandas.DataFrame":
    import pandas  # pylint: disable=import-outside-toplevel
    from .result import units_of  # pylint: disable=import-outside-toplevel
    wanted = workload_of({"trace": trace, "generate": None if generate is None else generator(generate)})
    words = [word for key, value in options.items() for word in
             (f"--{key.replace('_', '-')}", ",".join(str(part).replace(" ", "") for part in value)
              if isinstance(value, (list, tuple)) else str(value))]
    with tempfile.TemporaryDirectory(prefix="flashloom-") as scratch:
        arguments = [word for word in wanted.arguments(pathlib.Path(scratch)) if word != "--trace"]
        found = program.said_json(command, *arguments, *words, "--format", "json", "--quiet")
    frame = pandas.DataFrame(found.pop(rows))
    frame.attrs = {"units": units_of(frame.columns), **found}
    return frame
