"""Sweeps: a device over values of its keys, many runs side by side, one tidy table."""
import itertools
import json
import math
import os
import pathlib
import shlex
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import program
from .device import Device, device_of
from .errors import BadInput, FlashloomError, FlashloomWarning
from .metrics import COMMON, ENDS, Metric, bands_of, metrics_of
from .point_id import bases_of, device_files, file_hash, point_id
from .pool import Pool, Task
from .progress import Progress
from .result import Result, Scratch, load
from .runs import Path, common, run_options
from .units import column_of, in_bytes, unit_of
from .workload import KINDS, Workload, existing, workload_of

if TYPE_CHECKING:
    import pandas

SPECIAL = ("device", "seed", *KINDS)  # parameters that are no keys of a device


@dataclass
class Point:
    """One run of a sweep: the values of its parameters, and what they come to."""
    values: dict[str, Any]
    device: Device
    workload: Workload
    seed: int | None
    id: str = ""


class Sweep:
    """What a sweep found. `frame`: a row a point; `point`, its id; the parameters; the results. `units`: of its columns.
    `sweep["ID"]`, or `sweep[3]` by row: the Result of a point. Iterating gives (row of frame, Result) of each that succeeded."""

    def __init__(self, folder: pathlib.Path, frame: "pandas.DataFrame", parameters: Sequence[str],
                 errors: Mapping[str, FlashloomError], scratch: Scratch | None) -> None:
        self.folder = folder
        self.frame = frame
        self.parameters = list(parameters)
        self.errors = dict(errors)  # of the points that failed, by id
        self._scratch = scratch

    @property
    def units(self) -> dict[str, str]:
        """Unit by column; what is not there has none."""
        found: dict[str, str] = self.frame.attrs["units"]
        return found

    def __getitem__(self, point: str | int) -> Result:
        name = str(self.frame["point"].iloc[point]) if isinstance(point, int) else point
        if name in self.errors:
            raise self.errors[name]
        if name not in set(self.frame["point"]):
            raise KeyError(f"there is no point {name}")
        return load(self.folder / "points" / name)

    def __len__(self) -> int:
        return len(self.frame)

    def __iter__(self) -> "Iterator[tuple[pandas.Series[Any], Result]]":
        return ((row, self[str(row["point"])]) for _, row in self.frame.iterrows() if row["point"] not in self.errors)

    @property
    def costs(self) -> "pandas.DataFrame":
        """What the runs took on this computer: point, cpu_s, wall_s, peak_rss_bytes. Differs from run to run."""
        import pandas  # pylint: disable=import-outside-toplevel
        rows = [{"point": row["point"], **{name: result.cost.get(name) for name in ("cpu_s", "wall_s", "peak_rss_bytes")}}
                for row, result in self]
        frame = pandas.DataFrame(rows)
        frame.attrs["units"] = {"cpu_s": "s", "wall_s": "s", "peak_rss_bytes": "B"}
        return frame

    def __repr__(self) -> str:
        return f"<Sweep of {len(self)} points over {', '.join(self.parameters)}; {len(self.errors)} failed>"

    def _repr_html_(self) -> str:
        return str(self.frame._repr_html_())  # type: ignore[operator]


def sweep(device: Device | Path | None, parameters: Mapping[Any, Iterable[Any]], *, job: Any = None, trace: Any = None,
          generate: Any = None, workload: Any = None, seed: int | None = None, state: Path | None = None,
          untimed: bool = False, max_requests: int | None = None, address_fit: str | None = None, uncertainty: int | None = None,
          options: Sequence[Any] = (), metrics: Mapping[str, Metric] | None = None, units: Mapping[str, str] | None = None, jobs: int | None = None,
          memory: str | int = "8 GiB", out: Path | None = None, progress: bool | None = None, errors: str = "raise") -> Sweep:
    """Runs a device with every combination of values, the last parameter moving fastest.

    parameters   {key: [values]}: a key of the device ("nand.channels"; quantities as text, "25 us"), or "device", "seed", "job",
                 "trace", "generate", "workload". A tuple of keys with tuples of values goes together. Any other name without
                 a point is for functions, below
    job, trace, generate, workload, seed, state, untimed, max_requests, address_fit, uncertainty, options
                 as for run(). A function in place of a workload is called with the values of the point:
                 job=lambda p: {"rw": "randread", "iodepth": p["depth"], ...}
    metrics      {column: path in result.json, or function of the Result}; default: flashloom.metrics.COMMON. With `uncertainty` a
                 path of an energy gets the columns _p5, _p50, _p95, too
    units        of these metrics, where neither name nor path says it
    jobs         so many processes at a time; default: one a core
    memory       of all processes together: "8 GiB", or bytes (flashloom.pool.Pool says how)
    out          folder that keeps the results: a point that is there already is not run again. Default: one that goes with the Sweep
    progress     True, False, or None: on a terminal and in a notebook
    errors       "raise": the first run that fails ends the sweep; "keep": its row stays, with the column `error`

    Throws BadInput before anything runs for what cannot be right; RunFailed, Interrupted. No process remains.
    """
    if errors not in ("raise", "keep"):
        raise BadInput(f'errors is {errors!r}; valid: "raise", "keep"')
    given = {"job": job, "trace": trace, "generate": generate, "workload": workload}
    words = run_options(untimed, max_requests, address_fit, None, options, uncertainty)
    points = points_of(device, parameters, given, words, seed, "" if state is None else file_hash(existing(state, "state")))
    try:
        limit = in_bytes(memory)
    except ValueError as error:
        raise BadInput(f"memory: {error}") from None
    scratch = Scratch() if out is None else None
    folder = scratch.path if scratch else pathlib.Path(out or "").resolve()
    names = names_of(parameters)
    tasks = {point.id: task_of(folder, point, state) for point in points}
    write_plan(folder, points, tasks, {})
    missing = [name for name in tasks if not is_whole(folder / "points" / name)]
    failed: dict[str, FlashloomError] = {}
    bar = Progress(len(missing), "flashloom", progress)
    pool = Pool(jobs or len(os.sched_getaffinity(0)), limit)
    runs = run_points(folder, {name: tasks[name] for name in missing}, pool)
    try:
        for name, failure in runs:
            bar.step()
            if failure is None:
                continue
            failed[name] = failure
            if errors == "raise":
                raise at_point(failure, next(point for point in points if point.id == name))
    finally:
        runs.close()  # type: ignore[attr-defined]
        bar.close()
    frame = frame_of(folder, points, names, metrics, units or {}, failed, errors == "keep")
    write_plan(folder, points, tasks, frame.attrs["units"])
    frame.to_csv(folder / "table.csv", index=False, lineterminator="\n")
    return Sweep(folder, frame, names, failed, scratch)


def run_points(folder: pathlib.Path, tasks: Mapping[str, Task], pool: Pool) -> Iterator[tuple[str, FlashloomError | None]]:
    """Runs points into folder/points/ID: the id of each that has ended, and how; None is success, and the result is sealed. When this
    is left no process remains."""
    names = list(tasks)
    runs = pool.run([tasks[name] for name in names])
    try:
        for number, failure in runs:
            place = folder / "points" / names[number]
            if failure is None:
                seal(place)
                pool.heard(load_cost(place))
            else:
                message = str(failure).replace(f"{place}/", "")
                failure = type(failure)(message, failure.exit_code, failure.command, failure.stderr)
            yield names[number], failure
    finally:
        runs.close()  # type: ignore[attr-defined]


def at_point(failure: FlashloomError, point: Point) -> FlashloomError:
    """A failure that says of which point it is."""
    return type(failure)(f"{describe(point)}: {failure}", failure.exit_code, failure.command, failure.stderr)


def names_of(parameters: Mapping[Any, Iterable[Any]]) -> list[str]:
    """Parameters by name, those that go together one by one."""
    return [name for key in parameters for name in (key if isinstance(key, tuple) else (key,))]


def points_of(device: Device | Path | None, parameters: Mapping[Any, Iterable[Any]], given: Mapping[str, Any], words: list[str],
              seed: int | None, state: str) -> list[Point]:
    """All combinations. Throws BadInput."""
    names = names_of(parameters)
    loose = [name for name in names if "." not in name and name not in SPECIAL]
    if loose and not any(callable(value) for value in given.values()):
        raise BadInput(f"{', '.join(loose)}: no key of a device, and no workload is a function of it; valid: dotted keys "
                         f'as "nand.channels", {", ".join(SPECIAL)}')
    factors = []
    for key, values in parameters.items():
        listed = list(values)
        if not listed:
            raise BadInput(f"{key}: there are no values")
        if isinstance(key, tuple) and any(len(value) != len(key) for value in listed):
            raise BadInput(f"{', '.join(key)}: each value must have {len(key)} parts")
        factors.append([dict(zip(key, value)) if isinstance(key, tuple) else {key: value} for value in listed])
    hashes: dict[Device, list[str]] = {}
    points = []
    for choice in itertools.product(*factors):
        values = {name: value for part in choice for name, value in part.items()}
        base = values.get("device", device)
        if base is None:
            raise BadInput('no device is given, and "device" is no parameter')
        made = device_of(base)
        keys = {name: value for name, value in values.items() if "." in name}
        asked = {kind: values.get(kind, value(values) if callable(value) else value) for kind, value in given.items()}
        point = Point(values, made.set(keys), workload_of(asked, words), values.get("seed", seed))
        if made not in hashes:
            hashes[made] = device_input(made)
        point.id = point_id(program.program_hash(), point.workload.inputs() | {"device": hashes[made]}, point.device.keys,
                            point.workload.options, seed=point.seed, state=state)
        points.append(point)
    return points


def device_input(device: Device) -> list[str]:
    """[name, hash, hashes of what it is laid over] of a device file, for point_id."""
    if device.text is not None:
        import hashlib  # pylint: disable=import-outside-toplevel
        return ["device.toml", hashlib.sha256(device.text.encode()).hexdigest(),
                *map(file_hash, bases_of(device.text, pathlib.Path(), program.presets))]
    path = device.file()
    return [path.name, *map(file_hash, device_files(path, program.presets))]


def task_of(folder: pathlib.Path, point: Point, state: Path | None) -> Task:
    """The process that runs a point; its folder is made, and has the files that it reads."""
    place = folder / "points" / point.id
    place.mkdir(parents=True, exist_ok=True)
    command = [str(program.find_program()), "run", point.device.argument(place), *point.workload.arguments(place),
               *point.device.set_arguments(), *common(point.seed, state), "--out", str(place), "--quiet"]
    return Task(command, place / "log.txt")


def describe(point: Point) -> str:
    return ", ".join(f"{name} {label_of(value)}" for name, value in point.values.items()) or "the run"


def label_of(value: Any) -> Any:
    """A parameter's value as a cell of a table."""
    if isinstance(value, Device):
        return " ".join([value.name, *(f"{name}={text}" for name, text in value.keys.items())])
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return json.dumps(value) if isinstance(value, (dict, list, tuple)) else value


def write_plan(folder: pathlib.Path, points: Sequence[Point], tasks: Mapping[str, Task], units: Mapping[str, str]) -> None:
    """plan.json, as a study has it: the command of every point, and the points of each row of the table."""
    plan = {"points": {name: {"command": shlex.join(task.command)} for name, task in tasks.items()},
            "rows": [{"values": {name: label_of(value) for name, value in point.values.items()}, "points": [point.id]}
                     for point in points],
            "units": dict(units)}
    (folder / "plan.json").write_text(json.dumps(plan, indent=1, default=str), encoding="utf-8")


def seal(place: pathlib.Path) -> None:
    """Notes the checksum of a result that is whole, as sha256sum does."""
    part = place / "result.sha256.part"
    part.write_text(f"{file_hash(place / 'result.json')}  result.json\n", encoding="ascii")
    part.replace(place / "result.sha256")


def is_whole(place: pathlib.Path) -> bool:
    """Whether a point's result is there; what is not whole is removed."""
    try:
        if (place / "result.sha256").read_text(encoding="ascii").split()[0] == file_hash(place / "result.json"):
            return True
    except (OSError, IndexError, ValueError):
        pass
    for name in ("result.json", "result.sha256"):
        (place / name).unlink(missing_ok=True)
    return False


def load_cost(place: pathlib.Path) -> int:
    """Bytes of memory that a run has needed, as run.json says; 0 if it does not."""
    try:
        return int(json.loads((place / "run.json").read_text(encoding="utf-8"))["peak_rss_bytes"])
    except (OSError, ValueError, KeyError):
        return 0


def frame_of(folder: pathlib.Path, points: Sequence[Point], names: Sequence[str], metrics: Mapping[str, Metric] | None,
             units: Mapping[str, str], failed: Mapping[str, FlashloomError], with_errors: bool) -> "pandas.DataFrame":
    """The table, with the units of its columns in attrs["units"]."""
    import pandas  # pylint: disable=import-outside-toplevel
    found: dict[str, dict[str, Any]] = {}
    bands: dict[str, dict[str, dict[str, float]]] = {}
    notes: list[str] = []
    for name in {point.id: None for point in points}:
        found[name] = {}
        if name in failed:
            continue
        result = load(folder / "points" / name)
        notes += result.warnings[:1]
        try:
            found[name] = metrics_of(result, metrics)
            bands[name] = bands_of(result, metrics)
        except KeyError as error:
            raise BadInput(f"metrics: {error.args[0]}") from None
    if notes:
        warnings.warn(f"{len(notes)} of {len(found)} points may not mean what they seem to; the first: {notes[0]}", FlashloomWarning,
                      stacklevel=3)
    columns: dict[str, Any] = {"point": [point.id for point in points]}
    known: dict[str, str] = {}
    for name in names:
        columns[name], known[name] = column_of([label_of(point.values[name]) for point in points])
    for name, metric in (metrics if metrics is not None else COMMON).items():
        cells = [found[point.id].get(name) for point in points]
        columns[name] = [math.nan if cell is None else cell for cell in cells]
        known[name] = units.get(name) or unit_of(name) or (unit_of(metric) if isinstance(metric, str) else "")
        for end in ENDS if any(name in found_bands for found_bands in bands.values()) else ():
            columns[f"{name}_{end}"] = [bands.get(point.id, {}).get(name, {}).get(end, math.nan) for point in points]
            known[f"{name}_{end}"] = known[name]
    if with_errors:
        columns["error"] = [str(failed[point.id]) if point.id in failed else None for point in points]
    frame = pandas.DataFrame(columns)
    frame.attrs["units"] = {name: unit for name, unit in known.items() if unit}
    return frame


def pareto_front(frame: "pandas.DataFrame", *, maximize: Sequence[str] = (), minimize: Sequence[str] = ()) -> "pandas.Series[bool]":
    """Which rows no other row beats: none is at least as good in every column named and better in one. Rows with an empty cell are
    on no front."""
    import pandas  # pylint: disable=import-outside-toplevel
    if not maximize and not minimize:
        raise BadInput("pareto_front: name columns in maximize= or minimize=")
    missing = [name for name in (*maximize, *minimize) if name not in frame.columns]
    if missing:
        raise BadInput(f"pareto_front: no column {', '.join(missing)}; valid: {', '.join(map(str, frame.columns))}")
    goals = [(frame[name] if name in maximize else -frame[name]) for name in (*maximize, *minimize)]
    rows = list(zip(*goals))
    whole = [not any(cell != cell or cell is None for cell in row) for row in rows]
    front = [whole[number] and not any(whole[other] and rows[other] != row and all(a >= b for a, b in zip(rows[other], row))
                                       for other in range(len(rows))) for number, row in enumerate(rows)]
    return pandas.Series(front, index=frame.index, name="on_front")
