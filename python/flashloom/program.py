"""The flashloom program: where it is, and how it is called. A run is a process of its own: SystemC has one kernel a process."""
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, Any

from .errors import BadInput, FlashloomError, Interrupted, RunFailed
from .point_id import file_hash

HERE = pathlib.Path(__file__).resolve().parent
GRACE_S = 5.0  # after Ctrl-C, until a process that has not ended is killed
PREFIX = "flashloom: error: "


def packaged_programs() -> list[pathlib.Path]:
    """Where the program of this package may be: in the wheel, or in the build folder of a checkout."""
    folders = [pathlib.Path(folder) for folder in sys.modules[__package__].__path__]
    checkout = HERE.parents[1]
    found = [folder / "_program/bin/flashloom" for folder in folders]
    return [*found, checkout / "build/release/flashloom"] if (checkout / "CMakePresets.json").is_file() else found


def find_program() -> pathlib.Path:
    """$FLASHLOOM_PROGRAM, else the program of this package, else build/release/flashloom of the checkout that it lies in, else
    `flashloom` on PATH. Throws FlashloomError that says where it looked."""
    given = os.environ.get("FLASHLOOM_PROGRAM")
    if given:
        named = shutil.which(given)
        if named is None:
            raise FlashloomError(f"FLASHLOOM_PROGRAM: {given}: no such program")
        return pathlib.Path(named).resolve()
    looked = packaged_programs()
    for path in looked:
        if os.access(path, os.X_OK):
            return path
    on_path = shutil.which("flashloom")
    if on_path:
        return pathlib.Path(on_path).resolve()
    raise FlashloomError("there is no program flashloom: not " + ", not ".join(str(path) for path in looked) +
                         ", nor on PATH; build it (cmake --preset release && cmake --build --preset release --target flashloom)"
                         " or name it in FLASHLOOM_PROGRAM")


@functools.cache
def _hash_of(path: pathlib.Path, _size: int, _changed_ns: int) -> str:
    return file_hash(path)


def program_hash() -> str:
    """SHA-256 of the program, hexadecimal: results are of it."""
    path = find_program()
    status = path.stat()
    return _hash_of(path, status.st_size, status.st_mtime_ns)


def version() -> str:
    """The program's version."""
    return said("--version").strip().split("\n")[0].removeprefix("flashloom ")


def error_of(code: int, command: Sequence[str], stderr: str) -> FlashloomError:
    """The exception for an exit code that is not 0."""
    message = stderr[stderr.find(PREFIX) + len(PREFIX):] if PREFIX in stderr else stderr
    message = message.replace(PREFIX, "").strip() or f"{' '.join(command)}: exit code {code}"
    if code < 0:
        message = f"flashloom was ended by signal {-code} ({signal.Signals(-code).name}) {stderr.strip()}".strip()
    return (BadInput if code == 2 else RunFailed)(message, code, tuple(command), stderr)


def start(command: Sequence[str], stdout: IO[str] | int, stderr: IO[str] | int) -> "subprocess.Popen[str]":
    """A process that no terminal's Ctrl-C reaches but through us, and that the kernel kills when this process ends."""
    tie = shutil.which("setpriv")
    with _Held() as held:
        process = subprocess.Popen([*([tie, "--pdeathsig", "KILL"] if tie else []), *command], stdin=subprocess.DEVNULL,
                                   stdout=stdout, stderr=stderr, text=True, errors="replace", start_new_session=True)
    if held.interrupted:
        stop([process])
        raise Interrupted()
    return process


class _Held:
    """Keeps a Ctrl-C until the end of a `with`: one in the midst of Popen would leave a process that nobody knows."""

    def __enter__(self) -> "_Held":
        self.interrupted = False
        self._before: Any = None
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, *_: object) -> None:
        self.interrupted = True


def stop(processes: Sequence["subprocess.Popen[str]"]) -> None:
    """Ends processes as Ctrl-C would, and kills those that do not end in time."""
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    for process in processes:
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def call(*arguments: str) -> tuple[str, str]:
    """Runs the program to its end: (what it wrote, what it said on stderr). Throws BadInput, RunFailed, Interrupted."""
    command = [str(find_program()), *arguments]
    with start(command, subprocess.PIPE, subprocess.PIPE) as process:
        try:
            output, errors = process.communicate()
        except KeyboardInterrupt:
            stop([process])
            raise Interrupted() from None
    if process.returncode in (130, -signal.SIGINT):
        raise Interrupted()
    if process.returncode != 0:
        raise error_of(process.returncode, command, errors)
    return output, errors


def said(*arguments: str) -> str:
    """What the program writes to its standard output."""
    return call(*arguments)[0]


def said_json(*arguments: str) -> Any:
    """The same, read as JSON."""
    return json.loads(said(*arguments))


@functools.cache
def _presets(_program: str) -> dict[str, pathlib.Path]:
    return {item["name"]: pathlib.Path(item["source"]) for item in said_json("list", "preset", "--json")}


def presets() -> dict[str, pathlib.Path]:
    """The device files that come with the program, by name."""
    return _presets(program_hash())
