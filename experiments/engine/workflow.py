"""Runs a Snakemake workflow in a folder: on this computer, or on a cluster by a profile."""
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
    """Locks a folder until the returned file is closed, or until this process and Snakemake have ended in any way. Throws RunError,
    which names `other` as the holder, if the folder is locked."""
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
    """Runs Snakemake in `folder`, writes its output there to LOG, passes each line to `hear`, and returns its exit code. `cores`: None
    if the profile sets it. `held`: the folder's lock, which Snakemake inherits."""
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
    """The folder of a profile; `name` is the name of a folder of experiments/profiles, or a path. Throws StudyError."""
    for folder in (PROFILES / name, pathlib.Path(name)):
        if (folder / "config.yaml").is_file():
            return folder.resolve()
    valid = ", ".join(sorted(path.parent.name for path in PROFILES.glob("*/config.yaml")))
    raise StudyError(f"no profile {name}; valid: {valid}, or a folder with Snakemake's config.yaml")


def die_with(parent: int) -> None:
    """Called in the child process: makes the kernel kill Snakemake when `parent` ends, so that no job runs unwatched."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def tail(path: pathlib.Path, lines: int) -> str:
    try:
        return "\n".join(path.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-lines:])
    except OSError:
        return ""
