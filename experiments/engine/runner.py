"""Runs what a plan has not got yet, by Snakemake, and says how far it is."""
import ctypes
import fcntl
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import IO

from .errors import RunError, shown
from .points import Plan, Point, Program, State, file_hash, point_command, state_command
from .study import Study

HERE = pathlib.Path(__file__).resolve().parent
PROFILES = HERE.parent / "profiles"
STEPS = re.compile(r"(\d+) of (\d+) steps ")
PR_SET_PDEATHSIG = 1


@dataclass
class Failure:
    """A job that failed: what it was, its command line, and the end of what it said."""
    what: str
    command: str
    said: str


def is_whole(folder: pathlib.Path) -> bool:
    """Whether a point's result is there and is what its run wrote."""
    try:
        checksum = (folder / "result.sha256").read_text(encoding="ascii", errors="replace").split()
        return bool(checksum) and checksum[0] == file_hash(folder / "result.json")
    except OSError:
        return False


class Runner:
    def __init__(self, study: Study, plan: Plan, program: Program, out: pathlib.Path) -> None:
        self.study = study
        self.plan = plan
        self.program = program
        self.out = out
        self.damaged = [point for point in plan.points
                        if (out / "points" / point.key / "result.json").exists() and not self._whole(point)]
        self.missing = {point.key for point in plan.points if not self._whole(point)}

    def _whole(self, point: Point) -> bool:
        return is_whole(self.out / "points" / point.key)

    @property
    def missing_states(self) -> set[str]:
        wanted = {point.state for point in self.plan.points if point.state and point.key in self.missing}
        return {key for key in wanted if not (self.out / "states" / f"{key}.state").exists()}

    def lock(self) -> IO[str]:
        """Held until the file is closed, or this process and Snakemake have ended, however."""
        self.out.mkdir(parents=True, exist_ok=True)
        file = open(self.out / ".lock", "w", encoding="ascii")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(f"{shown(self.out)}: another run of this study is under way") from None
        os.set_inheritable(file.fileno(), True)
        return file

    def write_plan(self) -> None:
        """plan.json, and the job files of the points."""
        for point in self.plan.points:
            folder = self.out / "points" / point.key
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in point.written.items():
                if not (folder / name).exists():
                    (folder / name).write_text(text, encoding="utf-8")
        (self.out / "states").mkdir(exist_ok=True)
        plan = {"memory_mb": self.study.memory_mb, "minutes": self.study.minutes,
                "states": {key: self.command_of_state(state) for key, state in self.plan.states.items()},
                "points": {point.key: {"command": self.command_of(point), "states": [point.state] if point.state else []}
                           for point in self.plan.points}}
        part = self.out / "plan.json.part"
        part.write_text(json.dumps(plan, indent=1), encoding="utf-8")
        os.replace(part, self.out / "plan.json")

    def command_of(self, point: Point) -> str:
        return shlex.join(point_command(self.program, point, self.out))

    def command_of_state(self, state: State) -> str:
        return shlex.join(state_command(self.program, state, self.out))

    def run(self, cores: int | None, profile: str | None) -> None:
        """Everything that is missing; failures() tells what did not succeed."""
        for point in self.damaged:
            (self.out / "points" / point.key / "result.json").unlink()
        log = self.out / "snakemake.log"
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(HERE / "Snakefile"), "--directory", str(self.out),
                   "--nolock", "--rerun-incomplete", "--rerun-triggers", "mtime", "--keep-going", "--scheduler", "greedy",
                   "--nocolor", "--quiet", "rules"]
        if profile is not None:
            command += ["--profile", str(find_profile(profile))]
        if cores is not None or profile is None:
            command += ["--cores", str(cores or len(os.sched_getaffinity(0)))]
        progress = Progress(len(self.missing), len(self.missing_states))
        with self.lock() as held, open(log, "w", encoding="utf-8") as file:
            self.write_plan()
            file.write(shlex.join(command) + "\n")
            file.flush()
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                  text=True, errors="replace", preexec_fn=die_with_parent, pass_fds=[held.fileno()],
                                  env=os.environ | {"PYTHONNOUSERSITE": "1"}) as process:
                assert process.stdout is not None
                try:
                    for line in process.stdout:
                        file.write(line)
                        file.flush()
                        progress.hear(line)
                except KeyboardInterrupt:
                    process.send_signal(signal.SIGINT)
                    process.wait()
                    raise
            progress.end()
        if process.returncode != 0 and not self.failures():
            raise RunError(f"snakemake failed with exit code {process.returncode}; all it said is in {shown(log)}:\n" +
                           tail(log, 15))

    def failures(self) -> list[Failure]:
        """States and points that should be there and are not."""
        found = []
        for key, state in self.plan.states.items():
            needed = any(point.state == key and not self._whole(point) for point in self.plan.points)
            if needed and not (self.out / "states" / f"{key}.state").exists():
                found.append(Failure("state " + ", ".join(f"{k}={v}" for k, v in state.sets.items()),
                                     self.command_of_state(state), tail(self.out / "states" / f"{key}.log", 5)))
        without = {key for key in self.plan.states if not (self.out / "states" / f"{key}.state").exists()}
        for point in self.plan.points:
            if not self._whole(point):
                said = "its state could not be made" if point.state in without else \
                    tail(self.out / "points" / point.key / "log.txt", 5)
                found.append(Failure(point.title, self.command_of(point), said))
        return found


def find_profile(name: str) -> pathlib.Path:
    """A folder of experiments/profiles, or a path."""
    for folder in (PROFILES / name, pathlib.Path(name)):
        if (folder / "config.yaml").is_file():
            return folder.resolve()
    valid = ", ".join(sorted(path.parent.name for path in PROFILES.glob("*/config.yaml")))
    raise RunError(f"no profile {name}; valid: {valid}, or a folder with Snakemake's config.yaml")


def die_with_parent() -> None:
    """Of a child process: when the front is killed Snakemake goes with it, and leaves no job unwatched."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def tail(path: pathlib.Path, lines: int) -> str:
    try:
        return "\n".join(path.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-lines:])
    except OSError:
        return ""


class Progress:
    """How many of the jobs are done, and how long the rest will take at this pace."""

    def __init__(self, points: int, states: int) -> None:
        self.total = points + states
        self.states = states
        self.begin = time.monotonic()
        self.said = 0.0
        self.done = 0

    def hear(self, line: str) -> None:
        found = STEPS.search(line)
        if not found:
            return
        self.done = min(int(found[1]), self.total)
        now = time.monotonic()
        if sys.stderr.isatty() or now - self.said >= 10 or self.done == self.total:
            self.say(now)

    def say(self, now: float) -> None:
        if self.done == self.total and self.said < 0:
            return
        elapsed = now - self.begin
        text = f"studies: {self.done} of {self.total} runs, {elapsed:.0f} s"
        if 0 < self.done < self.total:
            text += f", ETA {elapsed / self.done * (self.total - self.done):.0f} s"
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)
        self.said = -1 if self.done == self.total else now

    def end(self) -> None:
        if sys.stderr.isatty() and self.total:
            print(file=sys.stderr, flush=True)
