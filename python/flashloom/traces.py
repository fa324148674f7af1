"""Traces of one's own: a DataFrame as a trace, and what the program finds in one."""
import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any

from . import program
from .errors import BadInput

if TYPE_CHECKING:
    import pandas

_OPERATIONS = {"read": "read", "write": "write", "trim": "trim", "flush": "sync", "r": "read", "w": "write"}
COLUMNS = ("time_us", "operation", "offset_bytes", "length_bytes")


def trace_text(frame: "pandas.DataFrame") -> str:
    """A DataFrame as a trace in fio's format, version 3. Columns: time_us (from the first request; in order), operation (read,
    write, trim, flush), offset_bytes, length_bytes. Throws BadInput."""
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise BadInput(f"a trace has the columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}")
    lines = ["fio version 3 iolog", "0 /dev/flashloom add", "0 /dev/flashloom open"]
    for row, (time, operation, offset, length) in enumerate(zip(*(frame[name] for name in COLUMNS))):
        word = _OPERATIONS.get(str(operation).lower())
        if word is None:
            raise BadInput(f"row {row}: operation {operation!r}; valid: read, write, trim, flush")
        if time < 0 or offset < 0 or (length <= 0 and word != "sync"):
            raise BadInput(f"row {row}: time {time}, offset {offset}, length {length}: no request is like that")
        lines.append(f"{round(time)} /dev/flashloom {word} {int(offset)} {int(length)}")
    return "\n".join([*lines, "0 /dev/flashloom close" if len(frame) == 0 else f"{round(time)} /dev/flashloom close", ""])


def write_trace(frame: "pandas.DataFrame", path: str | os.PathLike[str]) -> pathlib.Path:
    """Writes a DataFrame as a trace file, as trace_text makes it; returns its path. `flashloom trace convert` makes it small."""
    written = pathlib.Path(path)
    written.write_text(trace_text(frame), encoding="utf-8")
    return written


def trace_info(trace: Any) -> dict[str, Any]:
    """What a trace is made of (a file, or a DataFrame as write_trace takes it): `flashloom trace info --json`."""
    with tempfile.TemporaryDirectory(prefix="flashloom-") as scratch:
        path = write_trace(trace, pathlib.Path(scratch) / "trace.iolog") if hasattr(trace, "columns") else pathlib.Path(trace)
        found: dict[str, Any] = program.said_json("trace", "info", str(path), "--json")
    return found
