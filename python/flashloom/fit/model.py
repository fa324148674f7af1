"""What the model says of a device: many runs side by side, each kept by its id, so that none is done twice."""
import contextlib
import fcntl
import json
import os
import pathlib
import shutil
from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy

from .. import program
from ..device import Device
from ..errors import BadInput, FlashloomError
from ..point_id import file_hash, point_id
from ..pool import Pool
from ..progress import Progress
from ..runs import precondition, run_options
from ..states import shapes_state, shaping_keys
from ..sweeps import Point, at_point, device_input, run_points, task_of
from ..workload import workload_of
from .measurements import Measurement
from .problem import Problem

MEMORY = 8 * 2**30  # bytes of all runs together
Chosen = Mapping[str, Any]  # values of the keys that are tried one by one
Place = tuple[Chosen, Sequence[float]]


def used_by(measurements: Sequence[Measurement]) -> list[str]:
    """Their workloads."""
    return list(dict.fromkeys(measurement.workload for measurement in measurements))


class Model:
    """The model as a function of coordinates: a figure for each measurement. With every seed the same at all places, so that
    differences between places are of the keys (common random numbers)."""

    def __init__(self, problem: Problem, jobs: int | None, progress: bool | None) -> None:
        self.problem = problem
        self.folder = problem.out.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.done = 0  # runs, without those that were there
        self._progress = progress
        self._pool = Pool(jobs or len(os.sched_getaffinity(0)), MEMORY)
        self._workloads = {name: workload_of({"job": problem.workloads[name]}, run_options(False, problem.requests[name], None, None, []))
                           for name in used_by([*problem.measurements, *problem.blind])}
        self._device_input = device_input(problem.device)
        self._states: dict[str, tuple[pathlib.Path | None, str]] = {}
        self._shaping = shaping_keys(program.said_json("list", "config", "--json"))
        self._known: dict[str, dict[str, Any]] = {}
        self._log = self._open()

    def close(self) -> None:
        """Keeps runs.jsonl alone."""
        self._log.close()
        for state, _ in self._states.values():
            if state is not None:
                state.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # what others have put there stays
            (self.folder / "points").rmdir()

    def _open(self) -> IO[str]:
        """runs.jsonl: a line a run that is done. A line that was being written when all ended is dropped."""
        path = self.folder / "runs.jsonl"
        file = open(path, "a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise FlashloomError(f"{self.folder}: another fit is under way there") from None
        file.seek(0)
        whole = 0
        for line in file.read().splitlines(keepends=True):
            try:
                row = json.loads(line)
                if not line.endswith("\n"):
                    break
                self._known[row["point"]] = row["host"]
            except (ValueError, KeyError, TypeError):
                break
            whole += len(line.encode())
        file.truncate(whole)
        return file

    def values(self, places: Sequence[Place], measurements: Sequence[Measurement] | None = None) -> "numpy.ndarray[Any, Any]":
        """Figures: [place, seed, measurement], of those that are fitted to. Throws FlashloomError, which says at what values a run
        failed."""
        wanted = self.problem.measurements if measurements is None else measurements
        used = used_by(wanted)
        asked = [(place, seed, name) for place in places for seed in self.problem.seeds for name in used]
        points = [self._point(place, seed, name) for place, seed, name in asked]
        self._run({point.id: point for point in points if point.id not in self._known})
        by_ask = dict(zip(((number // (len(self.problem.seeds) * len(used)), seed, name)
                           for number, (_, seed, name) in enumerate(asked)), points))
        return numpy.array([[[self._figure(measurement, by_ask[number, seed, measurement.workload])
                              for measurement in wanted] for seed in self.problem.seeds]
                            for number in range(len(places))])

    def _point(self, place: Place, seed: int, name: str) -> Point:
        chosen, at = place
        sets = self.problem.with_values(at, chosen)
        device = self.problem.device.set(sets)
        point = Point(sets | {"workload": name}, device, self._workloads[name], seed)
        _, state = self._state(chosen)
        point.id = point_id(program.program_hash(), point.workload.inputs() | {"device": self._device_input}, device.keys,
                            point.workload.options, seed=seed, state=state)
        return point

    def _state(self, chosen: Chosen) -> tuple[pathlib.Path | None, str]:
        """The saved state that runs with these choices begin from, and its hash; none where nothing is preconditioned, or keys that
        move shape it."""
        shaping = {key: value for key, value in chosen.items() if shapes_state(key, self._shaping)}
        name = json.dumps(shaping, sort_keys=True, default=str)
        if name not in self._states:
            fill = self.problem.config["precondition"]["fill"]
            if not fill or fill == "0 %" or any(shapes_state(key.path, self._shaping) for key in self.problem.keys):
                self._states[name] = None, ""
            else:
                path = self.folder / f"start-{len(self._states)}.state"
                precondition(Device(self.problem.device).set(shaping), path, seed=self.problem.seeds[0])
                self._states[name] = path, file_hash(path)
        return self._states[name]

    def _run(self, missing: dict[str, Point]) -> None:
        if not missing:
            return
        tasks = {name: task_of(self.folder, point, self._state_of(point)) for name, point in missing.items()}
        bar = Progress(len(missing), "fit", self._progress)
        runs = run_points(self.folder, tasks, self._pool)
        try:
            for name, failure in runs:
                bar.step()
                if failure is not None:
                    raise at_point(failure, missing[name])
                place = self.folder / "points" / name
                host = json.loads((place / "result.json").read_text(encoding="utf-8"))["host"]
                self._known[name] = {part: {field: host[part][field] for field in
                                            ("ios", "iops", "bandwidth_bytes_per_s", "latency_ns", "clat_ns")} for part in ("read", "write")}
                self._log.write(json.dumps({"point": name, "host": self._known[name]}) + "\n")
                self._log.flush()
                self.done += 1
                shutil.rmtree(place)
        finally:
            runs.close()  # type: ignore[attr-defined]
            for name in missing:
                shutil.rmtree(self.folder / "points" / name, ignore_errors=True)
            bar.close()

    def _state_of(self, point: Point) -> pathlib.Path | None:
        return self._state({key.path: point.values[key.path] for key in self.problem.choices})[0]

    def _figure(self, measurement: Measurement, point: Point) -> float:
        part = self._known[point.id][measurement.direction]
        if not part["ios"]:
            raise BadInput(f"{measurement.origin}: {measurement.title}: the model does no {measurement.direction}s there; more `requests`?", 2)
        if measurement.statistic == "iops":
            return float(part["iops"])
        if measurement.statistic == "mb_s":
            return float(part["bandwidth_bytes_per_s"]) / 1e6
        return float(part[measurement.latency][measurement.statistic])
