"""fit.toml, read and checked."""
import json
import math
import pathlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..device import Device
from ..errors import BadInput
from ..places import one_of
from .keys import Key, overrides, read_key
from .measurements import STATISTICS, Measurement, complete, direction_of, figure, read_fio, read_table, share
from .places import WrongEntry, at

_TOP = ("device", "set", "out", "requests", "seeds", "confidence", "error", "step", "keys", "workloads", "measurements")
_ENTRY = ("workload", "direction", "error", "latency", "blind", *STATISTICS)
_FILE = ("file", "job", "statistics", "options", "error", "blind")
MOST_CHOICES = 64
MOST_SEEDS = 1000


@dataclass
class Problem:
    """What is to be fitted to what."""
    path: pathlib.Path
    device: Device
    config: dict[str, Any]  # effective, of the device that the fit starts from
    out: pathlib.Path
    keys: list[Key] = field(default_factory=list)  # continuous ones
    choices: list[Key] = field(default_factory=list)  # those with values to try
    workloads: dict[str, dict[str, Any]] = field(default_factory=dict)  # options of fio, complete; `requests` apart
    requests: dict[str, int] = field(default_factory=dict)
    measurements: list[Measurement] = field(default_factory=list)
    blind: list[Measurement] = field(default_factory=list)  # left out: what the fit says of them is a prediction
    seeds: list[int] = field(default_factory=lambda: [1, 2])
    confidence: float = 0.9
    step: float = 0.03
    stated: bool = True  # whether errors of measurement are stated; else they are estimated from the residuals

    def with_values(self, point: Any, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """{dotted key: value} at coordinates of `keys`, with these values of `choices`."""
        return overrides(self.keys, point, chosen, self.config)


def read_problem(path: pathlib.Path, out: str | None = None) -> Problem:
    """Reads and checks all of it, and runs nothing. Throws BadInput, which names file, line and key."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: {error}") from None
    for name in data:
        if name not in _TOP:
            raise at(path, name, f"no such entry; {one_of(_TOP, name)}")
    for name in ("device", "keys", "measurements"):
        if not data.get(name):
            raise at(path, name, "is missing")
    device = _device(path, data)
    where = out if out is not None else data.get("out")
    if not isinstance(where, str) or not where:
        raise at(path, "out", "is missing: the folder for what comes of it (or --out)")
    problem = Problem(path, device, device.config(), pathlib.Path(where) if out is not None else path.parent / where)
    _numbers(problem, data)
    _keys(problem, data["keys"])
    for name, options in _table(path, "workloads", data.get("workloads", {})).items():
        _add_workload(problem, name, dict(_table(path, f"workloads.{name}", options)), data.get("requests", 2000), f"workloads.{name}")
    _measurements(problem, data)
    _check_devices(problem)
    return problem


def _table(path: pathlib.Path, key: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise at(path, key, "must be a table")
    return given


def _device(path: pathlib.Path, data: Mapping[str, Any]) -> Device:
    name = data["device"]
    if not isinstance(name, str):
        raise at(path, "device", "must be the name of a preset or of a device file")
    beside = path.parent / name
    device = Device(beside if beside.is_file() else name)
    try:
        device.config()
        return device.set(_table(path, "set", data.get("set", {})))
    except BadInput as error:
        raise at(path, "device", error) from None


def _numbers(problem: Problem, data: Mapping[str, Any]) -> None:
    path = problem.path
    try:
        problem.config = problem.device.config()
    except BadInput as error:
        raise at(path, "set", error) from None
    seeds = data.get("seeds", problem.seeds)
    if not isinstance(seeds, list) or not seeds or len(seeds) > MOST_SEEDS or any(type(seed) is not int or seed < 0 for seed in seeds) \
            or len(set(seeds)) != len(seeds):
        raise at(path, "seeds", f"must be a list of different whole numbers, as [1, 2]; at most {MOST_SEEDS}")
    problem.seeds = seeds
    for name, low, high in (("confidence", 0.5, 0.999), ("step", 0.001, 0.2)):
        given = data.get(name, getattr(problem, name))
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not low <= given <= high:
            raise at(path, name, f"is {json.dumps(given)}; valid: {low} to {high}")
        setattr(problem, name, float(given))
    _requests(path, "requests", data.get("requests", 2000))


def _requests(path: pathlib.Path, key: str, given: Any) -> int:
    if type(given) is not int or given < 1:
        raise at(path, key, f"is {json.dumps(given)}; valid: a whole number of requests a run, 1 or more")
    return int(given)


def _keys(problem: Problem, given: Any) -> None:
    for name, entry in flat_keys(_table(problem.path, "keys", given)).items():
        try:
            key = read_key(name, entry, problem.config)
        except WrongEntry as error:
            raise at(problem.path, f'keys."{name}"', error) from None
        other = next((one for one in problem.keys + problem.choices if one.path == key.path and None in (one.index, key.index)), None)
        if other is not None:
            raise at(problem.path, f'keys."{name}"', f"moves the same key as {other.name}")
        (problem.choices if key.values else problem.keys).append(key)
    count = math.prod(len(key.values) for key in problem.choices)
    if count > MOST_CHOICES:
        raise at(problem.path, "keys", f"{count} combinations of values ({', '.join(key.name for key in problem.choices)}); at most "
                 f"{MOST_CHOICES}, each is a fit of its own")


def flat_keys(table: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """[keys] with dots inside and outside of quotation marks: nand.read_time = ..., "nand.read_time" = ..."""
    found: dict[str, Any] = {}
    for name, entry in table.items():
        dotted = f"{path}.{name}" if path else name
        if isinstance(entry, Mapping) and not {"range", "values", "scale"} & set(entry) and entry:
            found |= flat_keys(entry, dotted)
        else:
            found[dotted] = entry
    return found


def _add_workload(problem: Problem, name: str, options: dict[str, Any], requests: Any, key: str) -> str:
    """Files a workload; one with the same options as an earlier one of the same name is that one."""
    options = dict(options)
    problem.requests[name] = _requests(problem.path, f"{key}.requests", options.pop("requests", requests))
    for option, value in options.items():
        if not isinstance(value, (str, int, float)):
            raise at(problem.path, f"{key}.{option}", "must be text or a number, as fio takes it")
    problem.workloads[name] = complete(options)
    return name


def _line_of(path: pathlib.Path, number: int, key: str) -> int:
    """Line of a key of an element of [[measurements]]; of its heading if it is not there."""
    heading, count, inside = 0, -1, False
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if text.strip().startswith("["):
            inside = text.strip().startswith("[[measurements]]")
            count += inside
            heading = line if inside and count == number else heading
        elif inside and count == number and text.split("=")[0].strip() == key:
            return line
    return heading


def _measurements(problem: Problem, data: Mapping[str, Any]) -> None:
    path, entries = problem.path, data["measurements"]
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise at(path, "measurements", "must be tables, [[measurements]]")
    common = data.get("error")
    try:
        common = None if common is None else share(common)
    except WrongEntry as error:
        raise at(path, "error", error) from None
    for number, entry in enumerate(entries):
        key = "error" if "error" in entry else ""
        try:
            given = entry.get("error", common)
            error = None if given is None else share(given)
            for name in entry:
                key = name
                if name not in (_FILE if "file" in entry else _ENTRY):
                    raise WrongEntry(f"no such entry; {one_of(_FILE if 'file' in entry else _ENTRY, name)}")
            key = "blind"
            if not isinstance(entry.get("blind", False), bool):
                raise WrongEntry("valid: true, false")
            filed = problem.blind if entry.get("blind", False) else problem.measurements
            key = "file" if "file" in entry else "workload"
            if "file" in entry:
                filed += _file(problem, dict(entry) | {"error": error}, data.get("requests", 2000))
                continue
            workload = entry.get("workload")
            if workload not in problem.workloads:
                raise WrongEntry(f"there is no workload {json.dumps(workload)}; {one_of(problem.workloads, str(workload))}")
            key = "latency"
            kind = {"lat": "latency_ns", "clat": "clat_ns"}.get(entry.get("latency", "lat"))
            if kind is None:
                raise WrongEntry('valid: "lat", "clat"')
            key = "direction"
            direction = direction_of(problem.workloads[workload], entry.get("direction"))
            named = [name for name in entry if name in STATISTICS]
            if not named:
                key = ""
                raise WrongEntry(f"has no figure; valid: {', '.join(STATISTICS)}")
            for key in named:
                filed.append(Measurement(workload, direction, key, figure(key, entry[key]), error,
                                                        f"{path.name}:{_line_of(path, number, key)}", kind))
        except WrongEntry as wrong:
            raise at(path, f"measurements.{key}".rstrip("."), wrong, _line_of(path, number, key)) from None
    if not problem.measurements:
        raise at(path, "measurements", "all are blind: nothing is left to fit to")
    stated = [measurement.error is not None for measurement in problem.measurements]
    if any(stated) and not all(stated):
        missing = problem.measurements[stated.index(False)]
        raise at(path, "error", f"{missing.origin} states no error, and others do: give `error` for all, or for none")
    problem.stated = all(stated)
    if not problem.stated and len(stated) <= len(problem.keys) + len(problem.choices):
        raise at(path, "measurements", f"{len(stated)} figures tell nothing of their errors beside {len(problem.keys) + len(problem.choices)} keys: state `error`")


def _file(problem: Problem, entry: Mapping[str, Any], requests: Any) -> list[Measurement]:
    name = entry["file"]
    path = problem.path.parent / name if isinstance(name, str) else None
    if path is None or not path.is_file():
        raise WrongEntry(f"there is no file {name}")
    statistics = entry.get("statistics", [])
    if not isinstance(statistics, list) or any(statistic not in STATISTICS for statistic in statistics):
        raise WrongEntry(f"`statistics` must be a list of {', '.join(STATISTICS)}")
    if not isinstance(entry.get("options", {}), dict):
        raise WrongEntry("`options` must be a table of fio's options")

    def add(title: str, options: dict[str, Any]) -> str:
        return _add_workload(problem, title, options, requests, "measurements")

    if path.suffix == ".csv":
        for unfit in ("job", "statistics"):
            if unfit in entry:
                raise WrongEntry(f"`{unfit}` is for fio's JSON")
        return read_table(path, entry, problem.workloads, add)
    return read_fio(path, entry, add)


def _check_devices(problem: Problem) -> None:
    """Has the program check the device with each key at the ends of its range, and with each choice."""
    first = {key.path: key.values[0] for key in problem.choices}
    start = [0.5 if key.start is None else key.coordinate(key.start) for key in problem.keys]
    tried: list[tuple[Key, str, dict[str, Any]]] = []
    for number, key in enumerate(problem.keys):
        for end in (0.0, 1.0):
            point = [*start[:number], end, *start[number + 1:]]
            tried.append((key, key.text(key.value(end)), problem.with_values(point, first)))
    for key in problem.choices:
        for value in key.values:
            tried.append((key, json.dumps(value), problem.with_values(start, first | {key.path: value})))
    for key, value, sets in tried:
        try:
            problem.device.set(sets).config()
        except BadInput as error:
            raise at(problem.path, f'keys."{key.name}"', f"{value}: {error}") from None
