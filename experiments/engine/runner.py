"""Runs the missing points of a plan through Snakemake, and reports progress."""
import json
import os
import pathlib
import re
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flashloom.point_id import file_hash, key_of
from flashloom.whole_file import write_whole

from .points import Plan, Point, Program, State, point_command, state_command
from .samples import ENDS
from .study import Study
from .tables import column
from .workflow import failure_of_snakemake, lock, run_snakemake, tail

HERE = pathlib.Path(__file__).resolve().parent
STEPS = re.compile(r"\d+ of \d+ steps ")
CLUSTER_BATCH = 25  # points a job: on a cluster a job costs seconds to schedule
MAX_BATCH = 16
BATCHES_A_CORE = 16  # at least, so that cores do not wait long for the last batch
TIED = shlex.quote(str(HERE / "tied"))
TIMES = "TIMEFORMAT='%3U %3S'"
CPU = "cpu.txt"  # beside a point's result: user and system seconds of its run


def even_parts(points: list[Point], size: int) -> list[list[Point]]:
    """Splits the points into the fewest parts of at most `size` points, about equally long."""
    parts = -(-len(points) // size)
    return [points[len(points) * i // parts:len(points) * (i + 1) // parts] for i in range(parts)]


def timed(command: str, log: str, cpu: str) -> str:
    """Bash that runs a command tied to the shell, and notes its CPU time; TIMES comes before it."""
    return f"{{ time {TIED} $$ {command} > {log} 2>&1; }} 2> {cpu}"


def cpu_seconds(path: pathlib.Path) -> float:
    """What `timed` noted; 0 if nothing is there."""
    try:
        return sum(map(float, path.read_text(encoding="ascii").split()))
    except (OSError, ValueError):
        return 0.0


@dataclass
class Failure:
    """A failed job: what it ran, its command line, and the end of its output."""
    what: str
    command: str
    said: str


def is_whole(folder: pathlib.Path) -> bool:
    """Whether a point's result exists and matches the checksum that its run wrote."""
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
        self._states_to_make = self.missing_states

    def _whole(self, point: Point) -> bool:
        return is_whole(self.out / "points" / point.key)

    @property
    def missing_states(self) -> set[str]:
        wanted = {point.state for point in self.plan.points if point.state and point.key in self.missing}
        return {key for key in wanted if not (self.out / "states" / f"{key}.state").exists()}

    def batches(self, size: int) -> dict[str, list[Point]]:
        """The missing points by name of batch; all points of a batch start from the same saved state."""
        by_state: dict[str, dict[str, Point]] = {}
        for point in self.plan.points:
            if point.key in self.missing:
                by_state.setdefault(point.state, {})[point.key] = point
        groups = [group for points in by_state.values() for group in even_parts(list(points.values()), size)]
        return {key_of([point.key for point in points]): points for points in groups}

    def script_of(self, points: list[Point]) -> str:
        """The bash script of a batch, which runs in the study's folder. It writes a result's checksum after the result is complete."""
        lines = ["failed=0", TIMES]
        for point in points:
            folder = f"points/{point.key}"
            named = "ln -sf datasheet.json result.json && " if point.is_sheet else ""
            lines.append(f"{{ {timed(self.command_of(point), f'{folder}/log.txt', f'{folder}/{CPU}')} &&\n"
                         f"  (cd {folder} && {named}sha256sum result.json > result.sha256.part && mv result.sha256.part result.sha256)\n"
                         "} || failed=1")
        return "\n".join([*lines, "exit $failed", ""])

    def write_plan(self, batches: dict[str, list[Point]]) -> None:
        """Writes plan.json, the scripts of the batches, and the job files of the points."""
        for point in self.plan.points:
            folder = self.out / "points" / point.key
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in point.written.items():
                if not (folder / name).exists():
                    (folder / name).write_text(text, encoding="utf-8")
        (self.out / "states").mkdir(exist_ok=True)
        for key, state in self.plan.states.items():
            (self.out / "states" / f"{key}.sh").write_text(
                f"{TIMES}\n{timed(self.command_of_state(state), f'states/{key}.log', f'states/{key}.cpu')}\n", encoding="utf-8")
        (self.out / "batches").mkdir(exist_ok=True)
        for file in (self.out / "batches").iterdir():
            file.unlink()
        for name, points in batches.items():
            (self.out / "batches" / f"{name}.sh").write_text(self.script_of(points), encoding="utf-8")
        plan = {"memory_mb": self.study.memory_mb, "minutes": self.study.minutes,
                "batches": {name: {"states": [points[0].state] if points[0].state else [],
                                   "minutes": self.study.minutes * len(points)} for name, points in batches.items()},
                "states": {key: self.command_of_state(state) for key, state in self.plan.states.items()},
                "points": {point.key: {"command": self.command_of(point), "states": [point.state] if point.state else []}
                           for point in self.plan.points},
                "rows": self.rows(), "units": self.units()}
        write_whole(self.out / "plan.json", json.dumps(plan, indent=1))

    def note_rows(self) -> None:
        """Updates rows and units in plan.json when nothing has to run: an earlier version of the study may have had other rows."""
        path = self.out / "plan.json"
        plan = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        write_whole(path, json.dumps(plan | {"rows": self.rows(), "units": self.units()}, indent=1))

    def rows(self) -> list[dict[str, Any]]:
        """The axis values of each row of the table, and the ids of its points, one a seed."""
        each = max(1, len(self.study.seeds))
        return [{"values": self.plan.points[first].values, "points": [point.key for point in self.plan.points[first:first + each]]}
                for first in range(0, len(self.plan.points), each)]

    def units(self) -> dict[str, str]:
        """The unit of each column of the table that has one."""
        of_columns = [(axis.name, axis.unit) for axis in self.study.axes] + [(metric.name, metric.unit) for metric in self.study.metrics]
        if self.study.uncertainty:
            of_columns += [(f"{metric.name}_{end}", metric.unit) for metric in self.study.metrics for end in ENDS]
        return {column(name, unit) if unit else name: unit for name, unit in of_columns if unit not in ("", "text")}

    def cpu_s(self) -> float:
        """CPU seconds of all runs and saved states, of those made earlier, too."""
        return sum(cpu_seconds(self.out / "points" / key / CPU) for key in {point.key for point in self.plan.points}) + \
            sum(cpu_seconds(self.out / "states" / f"{key}.cpu") for key in self.plan.states)

    def command_of(self, point: Point) -> str:
        return shlex.join(point_command(self.program, point, self.out))

    def command_of_state(self, state: State) -> str:
        return shlex.join(state_command(self.program, state, self.out))

    def run(self, cores: int | None, profile: str | None, batch: int | None) -> None:
        """Runs all missing points, `batch` of them a job; failures() lists those that failed."""
        cores = cores or (len(os.sched_getaffinity(0)) if profile is None else None)
        if batch is None:
            batch = CLUSTER_BATCH if cores is None else max(1, min(MAX_BATCH, len(self.missing) // (cores * BATCHES_A_CORE)))
        for point in self.plan.points:
            if point.key in self.missing:
                for name in ("result.json", "result.sha256"):
                    (self.out / "points" / point.key / name).unlink(missing_ok=True)
        self._states_to_make = self.missing_states
        progress = Progress(self._done, len(self.missing) + len(self.missing_states))
        with lock(self.out, "another run of this study") as held:
            self.write_plan(self.batches(batch))
            code = run_snakemake(HERE / "Snakefile", self.out, cores, profile, held, progress.hear)
            progress.end()
        if code != 0 and not self.failures():
            raise failure_of_snakemake(code, self.out)

    def _done(self) -> int:
        """How many of the missing points and states exist now."""
        points = sum((self.out / "points" / key / "result.sha256").exists() for key in self.missing)
        return points + len(self._states_to_make) - len(self.missing_states)

    def failures(self) -> list[Failure]:
        """States and points that are missing after the run."""
        found = []
        without = {key: state for key, state in self.plan.states.items() if not (self.out / "states" / f"{key}.state").exists()}
        for key, state in without.items():
            if needed := sum(point.state == key and not self._whole(point) for point in self.plan.points):
                found.append(Failure("state " + ", ".join(f"{k}={v}" for k, v in state.sets.items()) + f", of {needed} points",
                                     self.command_of_state(state), tail(self.out / "states" / f"{key}.log", 5)))
        for point in self.plan.points:
            if not self._whole(point) and point.state not in without:
                found.append(Failure(point.title, self.command_of(point), tail(self.out / "points" / point.key / "log.txt", 5)))
        return found


class Progress:
    """Prints how many runs are done and the estimated time for the rest. `count` returns how many are done."""

    def __init__(self, count: Callable[[], int], total: int) -> None:
        self.count = count
        self.total = total
        self.begin = time.monotonic()
        self.said = 0.0

    def hear(self, line: str) -> None:
        """Takes a line of Snakemake's output. When a job ends it prints progress: always on a terminal, else every ten seconds."""
        now = time.monotonic()
        if STEPS.search(line) and (sys.stderr.isatty() or now - self.said >= 10):
            self.say(now)

    def say(self, now: float) -> None:
        done, elapsed = self.count(), now - self.begin
        text = f"studies: {done} of {self.total} runs, {elapsed:.0f} s"
        if 0 < done < self.total:
            text += f", ETA {elapsed / done * (self.total - done):.0f} s"
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)
        self.said = now

    def end(self) -> None:
        self.say(time.monotonic())
        if sys.stderr.isatty():
            print(file=sys.stderr, flush=True)
