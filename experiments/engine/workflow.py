"""One run of Snakemake in a folder, of whatever workflow: on this computer, or by a profile on a cluster."""
import ctypes
import fcntl
import os
import pathlib
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import IO

from .errors import RunError, StudyError, shown

PROFILES = pathlib.Path(__file__).resolve().parent.parent / "profiles"
LOG = "snakemake.log"
PR_SET_PDEATHSIG = 1


def lock(folder: pathlib.Path, other: str) -> IO[str]:
    """Held until the file is closed, or this process and Snakemake have ended, however. `other`: who may have it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = open(folder / ".lock", "w", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunError(f"{shown(folder)}: {other} is under way") from None
    os.set_inheritable(file.fileno(), True)
    return file


def run_snakemake(snakefile: pathlib.Path, folder: pathlib.Path, cores: int | None, profile: str | None, held: IO[str],
                  hear: Callable[[str], None]) -> int:
    """Its exit code. It works in `folder`, and leaves there what it said; `hear` gets each line. `cores`: None with a profile that
    says it. `held`: the lock of the folder, which Snakemake keeps."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile), "--directory", str(folder),
               "--nolock", "--rerun-incomplete", "--rerun-triggers", "mtime", "--keep-going", "--scheduler", "greedy",
               "--nocolor", "--quiet", "rules"]
    if profile is not None:
        command += ["--profile", str(find_profile(profile))]
    if cores is not None:
        command += ["--cores", str(cores)]
    front = os.getpid()
    with open(folder / LOG, "w", encoding="utf-8") as file:
        file.write(shlex.join(command) + "\n")
        file.flush()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              text=True, errors="replace", preexec_fn=lambda: die_with(front), pass_fds=[held.fileno()],
                              env=os.environ | {"PYTHONNOUSERSITE": "1"}) as process:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    file.write(line)
                    file.flush()
                    hear(line)
            except KeyboardInterrupt:
                process.send_signal(signal.SIGINT)
                process.wait()
                raise
    return process.returncode


def failure_of_snakemake(code: int, folder: pathlib.Path) -> RunError:
    log = folder / LOG
    return RunError(f"snakemake failed with exit code {code}; all it said is in {shown(log)}:\n" + tail(log, 15))


def find_profile(name: str) -> pathlib.Path:
    """A folder of experiments/profiles, or a path."""
    for folder in (PROFILES / name, pathlib.Path(name)):
        if (folder / "config.yaml").is_file():
            return folder.resolve()
    valid = ", ".join(sorted(path.parent.name for path in PROFILES.glob("*/config.yaml")))
    raise StudyError(f"no profile {name}; valid: {valid}, or a folder with Snakemake's config.yaml")


def die_with(parent: int) -> None:
    """Of a child process: when the front is killed Snakemake goes with it, and leaves no job unwatched."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def tail(path: pathlib.Path, lines: int) -> str:
    try:
        return "\n".join(path.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-lines:])
    except OSError:
        return ""
