"""The points of a study: lists them, makes their command lines, and computes the hash that names the folder of their results."""
import functools
import itertools
import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from flashloom.point_id import device_files, file_hash, key_of, point_id

from .errors import MissingError, RunError, StudyError, one_of, shown
from .expressions import ExpressionError, as_text
from .study import Axis, AxisValue, Study, Workload

ROOT = pathlib.Path(__file__).resolve().parents[2]
# By command that simulates no time: the options that a study may set; the first two of each are required.
UNTIMED = {"cache": ("policy", "size", "page", "block", "memory", "space", "max_requests"),
           "cold": ("delta", "buffer", "detector", "policy", "page", "block", "space", "max_requests")}


@dataclass
class Point:
    """One run: the values of its row, and a seed (None: the device file's). Paths are absolute. An untimed point runs `flashloom
    cache` or `flashloom cold`: it has no device, and its `sets` are options of that command."""
    values: dict[str, Any]
    seed: int | None
    device: str
    sets: dict[str, str]
    arguments: list[str]
    written: dict[str, str] = field(default_factory=dict)  # texts of the job files to write, by name
    untimed: str = ""  # "cache" or "cold" for an untimed point
    key: str = ""
    state: str = ""

    @property
    def is_sheet(self) -> bool:
        """A point of `flashloom datasheet`: its result is datasheet.json, and it makes states of its own."""
        return self.arguments[:1] == ["--figures"]

    @property
    def title(self) -> str:
        text = ", ".join(f"{name} {as_text(value)}" for name, value in self.values.items())
        return text if self.seed is None else f"{text}, seed {self.seed}"


@dataclass
class State:
    """The saved state of a preconditioned drive, from which points start."""
    key: str
    device: str
    sets: dict[str, str]
    seed: int | None


@dataclass
class Plan:
    """Everything that a study runs."""
    points: list[Point]
    states: dict[str, State]
    rows: list[dict[str, Any]]
    left_out: dict[str, str] = field(default_factory=dict)  # by name of each missing optional workload: why it is missing


class Program:
    """The flashloom binary and its presets."""

    def __init__(self, path: pathlib.Path) -> None:
        found = shutil.which(str(path))
        if found is None:
            raise StudyError(f"{path}: no such program; build it (cmake --build --preset release) or name it with --program")
        self.path = pathlib.Path(found).resolve()
        self.hash = file_hash(self.path)
        self.version = self._said("--version").strip()
        self.presets = {item["name"]: item["source"] for item in json.loads(self._said("list", "preset", "--json"))}
        # Of input files: each is read once for all plans.
        self.hash_of = functools.cache(file_hash)
        self.files_of = functools.cache(lambda path: device_files(path, lambda: self.presets))

    def _said(self, *arguments: str) -> str:
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RunError(f"{self.path} {' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def answers(self, devices: list[tuple[str, dict[str, str]]]) -> list[tuple[str, str]]:
        """For each (device, overrides): the program's message if it refuses them, else an empty text; and what its state depends on:
        devices that have the same text there have the same states."""
        lines = [json.dumps([device, *(f"{key}={value}" for key, value in sets.items())]) for device, sets in devices]
        distinct = list(dict.fromkeys(lines))
        if not distinct:
            return []
        done = subprocess.run([str(self.path), "__check"], input="\n".join(distinct) + "\n", capture_output=True, text=True,
                              check=False)
        if done.returncode != 0 or len(said := done.stdout.splitlines()) != len(distinct):
            raise RunError(f"{shown(self.path)} __check: {done.stderr.strip() or 'no answer'}")
        answers = {line: tuple(json.loads(text)) for line, text in zip(distinct, said)}
        return [answers[line] for line in lines]

    def refusals(self, devices: list[tuple[str, dict[str, str]]]) -> list[str]:
        """The first of each of the answers."""
        return [why for why, _ in self.answers(devices)]


StudyRow = tuple[Workload, list[tuple[Axis, AxisValue]]]


def rows_of(study: Study) -> list[StudyRow]:
    """All combinations of workloads and axis values that no `drop` excludes, in the order of the file; the last axis varies fastest."""
    zipped = {name: group for group in study.zips for name in group}
    factors: list[list[list[tuple[Axis, AxisValue]]]] = []
    done: set[str] = set()
    axes = {axis.name: axis for axis in study.axes}
    for axis in study.axes:
        if axis.name in done:
            continue
        group = [axes[name] for name in zipped.get(axis.name, [axis.name])]
        done |= {member.name for member in group}
        factors.append([[(member, member.values[i]) for member in group] for i in range(len(axis.values))])
    rows = []
    for workload in study.workloads:
        for choice in itertools.product(*factors):
            chosen = sorted(itertools.chain(*choice), key=lambda pair: study.axes.index(pair[0]))
            values = values_of(workload, chosen)
            try:
                if any(drop.value(values) for drop in study.drop):
                    continue
            except ExpressionError as error:
                raise StudyError(f"{shown(study.file)}: drop: {error}") from None
            rows.append((workload, chosen))
    if not rows:
        raise StudyError(f"{shown(study.file)}: drop leaves no point")
    return rows


def values_of(workload: Workload, chosen: list[tuple[Axis, AxisValue]]) -> dict[str, Any]:
    return {"workload": workload.name} | {axis.name: value.value for axis, value in chosen}


def make_plan(study: Study, program: Program, rows: Sequence[StudyRow] | None = None) -> Plan:
    """Makes the plan of `rows`, or of all rows. Throws StudyError for a missing file or an expression that does not fit its values."""
    plan = Plan([], {}, [])
    runs: list[tuple[Point, int | None, dict[str, Any]]] = []
    for workload, chosen in rows_of(study) if rows is None else rows:
        values = values_of(workload, chosen)
        if workload.name in plan.left_out or _left_out(study, workload, values, plan):
            continue
        plan.rows.append(values)
        try:
            point = _point(study, program, workload, chosen, values)
            inputs = _input_hashes(study, program, workload, point)
        except ExpressionError as error:
            raise StudyError(f"{shown(study.file)}: {error} (at {Point(values, None, '', {}, []).title})") from None
        runs += [(point, seed, inputs) for seed in ([*study.seeds] or [None])]
    with_state = [study.states and not point.untimed and not point.is_sheet for point, _, _ in runs]
    answers = iter(program.answers([(point.device, point.sets | ({} if seed is None else {"seed": str(seed)}))
                                    for (point, seed, _), has in zip(runs, with_state) if has]))
    plan.points = [_keyed(program, point, seed, inputs, plan.states, next(answers)[1] if has else None)
                   for (point, seed, inputs), has in zip(runs, with_state)]
    if not plan.points:
        raise MissingError(f"{shown(study.file)}: no point is left: " + "; ".join(plan.left_out.values()))
    return plan


def _left_out(study: Study, workload: Workload, values: dict[str, Any], plan: Plan) -> bool:
    """Whether the file of an optional workload, or the kernel of its guest, is missing; notes the reason in the plan."""
    if not workload.optional:
        return False
    try:
        path = _inputs(study, workload.text.filled(values), f"workload.{workload.name}")[0]
        if workload.source == "linux":
            _linux(study)
        if workload.source == "workload":
            for named in _named_in(path):
                if not named.is_file():
                    raise StudyError(f"{shown(path)}: there is no file {shown(named)}")
        return False
    except StudyError as error:
        plan.left_out[workload.name] = str(error)
        return True


def _point(study: Study, program: Program, workload: Workload, chosen: list[tuple[Axis, AxisValue]],
           values: dict[str, Any]) -> Point:
    sets = {key: template.filled(values) for key, template in study.sets.items()}
    sets |= {key: template.filled(values) for key, template in workload.sets.items()}
    device = study.device
    for _, value in chosen:
        sets |= {key: template.filled(values) for key, template in value.sets.items()}
        device = value.device or device
    arguments, written = [], {}
    text = workload.text.filled(values)
    if any(condition.value(values) for condition in study.untimed):
        return _untimed(study, workload, text, values, sets)
    sets = {key: value for key, value in sets.items() if key.partition(".")[0] not in UNTIMED}
    if workload.source == "fio":
        options = {key: template.filled(values) for key, template in workload.fio.items()}
        written[f"{workload.name}.fio"] = f"[{workload.name}]\n" + "".join(
            f"{key}={value}\n" for key, value in options.items())
    elif workload.source == "generate":
        arguments += ["--generate", text]
    elif workload.source == "linux":
        arguments += ["--run", str(_input(study, text, f"workload.{workload.name}"))]
    elif workload.source == "datasheet":
        arguments += ["--figures", text]
    else:
        paths = _inputs(study, text, f"workload.{workload.name}")
        arguments += [word for path in paths for word in (f"--{workload.source}", str(path))]
        arguments += ["--concat"] if len(paths) > 1 else []
    arguments += [template.filled(values) for template in workload.options]
    # A guest keeps its own time, a sheet draws for itself, an untimed run has no energy.
    if workload.source not in ("linux", "datasheet") and "--untimed" not in arguments:
        arguments += study.uncertainty.options
    return Point(values, None, _device(study, program, device), sets, arguments, written)


def _untimed(study: Study, workload: Workload, text: str, values: dict[str, Any], sets: dict[str, str]) -> Point:
    """A point of `flashloom cold` if an override begins with "cold.", else of `flashloom cache`. Only that command's overrides are
    used; they belong to no device."""
    if workload.source not in ("trace", "generate") or "\n" in text:
        raise StudyError(f"{shown(study.file)}: workload.{workload.name}: an untimed point has one trace or a generator, no "
                         f"{workload.source}")
    command = "cold" if any(key.startswith("cold.") for key in sets) else "cache"
    options = {key.removeprefix(f"{command}."): value for key, value in sets.items() if key.startswith(f"{command}.")}
    for key in options:
        if key not in UNTIMED[command]:
            raise StudyError(f"{shown(study.file)}: {command}.{key}: unknown key; {one_of(UNTIMED[command], key)}")
    for key in UNTIMED[command][:2]:
        if key not in options:
            raise StudyError(f"{shown(study.file)}: {command}.{key} is missing (at {Point(values, None, '', {}, []).title})")
    arguments = ["--generate", text] if workload.source == "generate" else \
        ["--trace", str(_input(study, text, f"workload.{workload.name}"))]
    return Point(values, None, "", options, arguments, untimed=command)


def _device(study: Study, program: Program, name: str) -> str:
    """The name of a preset, or the absolute path of a device file, which is relative to the study's folder."""
    if name in program.presets:
        return name
    path = study.folder / name
    if not path.is_file():
        raise StudyError(f"{shown(study.file)}: device: there is no file {shown(path)} and no preset {name}; presets: "
                         f"{', '.join(program.presets) or 'none (`flashloom list preset` says where they are looked for)'}")
    return str(path.resolve())


def traces_folder() -> str:
    """The folder of the public traces, which are not part of the project."""
    return os.environ.get("FLASHLOOM_TRACES") or str((ROOT / "../shared/traces").resolve())


def _placed(folder: pathlib.Path, text: str) -> pathlib.Path:
    return (folder / pathlib.Path(text.replace("$FLASHLOOM_TRACES", traces_folder())).expanduser()).resolve()


def _input(study: Study, text: str, key: str) -> pathlib.Path:
    path = _placed(study.folder, text)
    if not path.is_file():
        kind = MissingError if "$FLASHLOOM_TRACES" in text else StudyError
        raise kind(f"{shown(study.file)}: {key}: there is no file {shown(path)} (paths are relative to the study)")
    return path


def _files_of(point: Point) -> list[str]:
    """The files at the beginning of a point's arguments, each behind its option."""
    count = 1
    while point.arguments[2 * count:2 * count + 1] == ["--trace"]:
        count += 1
    return point.arguments[1:2 * count:2]


def _inputs(study: Study, text: str, key: str) -> list[pathlib.Path]:
    return [_input(study, line, key) for line in text.splitlines()]


def _input_hashes(study: Study, program: Program, workload: Workload, point: Point) -> dict[str, Any]:
    """The hashes of all files that a point reads. A workload file counts together with the existing files that its jobs name."""
    inputs: dict[str, Any] = {"written": point.written}
    if not point.untimed:
        device = pathlib.Path(program.presets.get(point.device, point.device))
        inputs["device"] = [device.name, *map(program.hash_of, program.files_of(device))]
    if workload.source == "linux":
        inputs["linux"] = program.hash_of(_linux(study))
    if workload.source == "datasheet":
        inputs["datasheet"] = [program.hash_of(path) for path in sorted((ROOT / "python/flashloom/datasheet").glob("*.py"))]
    if workload.source in ("job", "trace", "workload", "linux"):
        paths = [pathlib.Path(path) for path in _files_of(point)]
        if workload.source == "workload":
            paths += [named for named in _named_in(paths[0]) if named.is_file()]
        inputs["files"] = [[path.name, program.hash_of(path)] for path in paths]
    return inputs


def _linux(study: Study) -> pathlib.Path:
    """The path of the kernel that `flashloom linux` boots. Throws StudyError if there is none."""
    given = os.environ.get("FLASHLOOM_LINUX")
    if given:
        return pathlib.Path(given)
    found = subprocess.run([ROOT / "tools/linux-kernel/build", "--print"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        why = found.stderr.strip() or "tools/linux-kernel/build makes one"
        raise MissingError(f"{shown(study.file)}: there is no Linux kernel to boot: {why}")
    return pathlib.Path(found.stdout.strip())


def _named_in(workload: pathlib.Path) -> list[pathlib.Path]:
    """The files that the jobs of a workload file name, each once, existing or not."""
    from .table_reader import read_toml  # pylint: disable=import-outside-toplevel
    document = read_toml(workload)
    jobs = [document.get("common"), *document.get("job", [])]
    names = [job[key] for job in jobs if isinstance(job, dict) for key in ("trace", "fio") if isinstance(job.get(key), str)]
    return [_placed(workload.parent, name) for name in dict.fromkeys(names)]


def _keyed(program: Program, row: Point, seed: int | None, inputs: dict[str, Any], states: dict[str, State],
           state: str | None) -> Point:
    """A row's point. `state`: what its state depends on (Program.answers(); empty: the device is refused); None: it needs none."""
    point = Point(row.values, seed, row.device, row.sets, list(row.arguments), row.written, row.untimed)
    if state is not None:
        point.state = key_of("state", program.hash, *([state] if state else [inputs["device"], row.sets, seed]))
        states.setdefault(point.state, State(point.state, row.device, row.sets, seed))
    files = 2 * len(_files_of(row)) if "files" in inputs else 0
    point.key = point_id(program.hash, inputs, row.sets, row.arguments[files:],
                         seed=seed, state=point.state, untimed=row.untimed)
    return point


def point_command(program: Program, point: Point, out: pathlib.Path) -> list[str]:
    """The command line of a point's run; `out` is the folder of its study's results."""
    if point.untimed:
        workload = point.arguments[1:] if point.arguments[0] == "--trace" else \
            [*point.arguments, *([] if point.seed is None else ["--seed", str(point.seed)])]
        options = [word for key, value in point.sets.items() for word in (f"--{key.replace('_', '-')}", value)]
        return [str(program.path), point.untimed, *workload, *options, "--format", "json", "--threads", "1",
                "--out", str(out / "points" / point.key / "result.json"), "--quiet"]
    sets = [word for key, value in point.sets.items()
            if not (point.state and key.startswith("precondition.")) for word in ("--set", f"{key}={value}")]
    jobs = [word for name in point.written for word in ("--job", str(out / "points" / point.key / name))]
    command = "linux" if point.arguments[:1] == ["--run"] else "datasheet" if point.is_sheet else "run"
    return [str(program.path), command, point.device, *jobs, *point.arguments, *sets,
            *([] if point.seed is None else ["--seed", str(point.seed)]),
            *(["--state", str(out / "states" / f"{point.state}.state")] if point.state else []),
            *(["--jobs", "1"] if point.is_sheet else []),
            "--out", str(out / "points" / point.key), "--quiet"]


def state_command(program: Program, state: State, out: pathlib.Path) -> list[str]:
    sets = [word for key, value in state.sets.items() for word in ("--set", f"{key}={value}")]
    return [str(program.path), "precondition", state.device, *sets,
            *([] if state.seed is None else ["--seed", str(state.seed)]),
            "--state", str(out / "states" / f"{state.key}.state"), "--quiet"]
