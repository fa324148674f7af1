"""Measurements of a drive: figures of fit.toml, tables (CSV), and fio's JSON."""
import csv
import json
import math
import pathlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..units import in_unit
from .places import WrongEntry, at

LATENCIES = ("mean", "p50", "p90", "p95", "p99", "p99_9", "p99_99")
STATISTICS = (*LATENCIES, "iops", "mb_s")
_FIO_PERCENTILES = {"50.000000": "p50", "90.000000": "p90", "95.000000": "p95", "99.000000": "p99", "99.900000": "p99_9",
                    "99.990000": "p99_99"}
DEFAULT_OF_FIO = ("mean", "p99")  # with a number of requests in flight IOPS say what the mean says
# Of a fio job: what is of its machine, its files and its time, and not of what it asks of the drive.
_LEFT_OUT = re.compile(r"(filename|directory|runtime|time_based|ramp_time|name|group_reporting|ioengine|numa_\w+|cpus_allowed\w*|output\w*|"
                       r"write_\w+_log|log_\w+|percentile_list|status_interval|loops|number_ios|io_size|continue_on_error|lat_percentiles|"
                       r"clat_percentiles|thread|stonewall|new_group|wait_for|startdelay|filename_format|fallocate|invalidate|hipri|"
                       r"registerfiles|fixedbufs|sqthread_poll|allow_mounted_write)\Z")
_SYNCHRONOUS = {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"}


@dataclass
class Measurement:
    """One figure: latencies in ns, `iops` a second, `mb_s` in MB/s. `error`: one standard deviation, relative; None: not stated."""
    workload: str
    direction: str  # "read", "write"
    statistic: str
    value: float
    error: float | None
    origin: str
    latency: str = "latency_ns"  # or "clat_ns", which fio's percentiles are of
    note: str = ""  # why it is of another kind than others of its source

    @property
    def title(self) -> str:
        return f"{self.workload} {self.direction} {self.statistic}" + (f" ({self.note})" if self.note and self.unit == "ns" else "")

    @property
    def unit(self) -> str:
        return {"iops": "1/s", "mb_s": "MB/s"}.get(self.statistic, "ns")


def share(given: Any) -> float:
    """A relative error, "2 %" or 0.02. Throws WrongEntry."""
    found = in_unit(given, "%") if isinstance(given, str) else None
    value = found / 100 if found is not None else given
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
        raise WrongEntry(f'is {json.dumps(given)}; valid: a relative error above 0, as "2 %" or 0.02')
    return float(value)


def figure(statistic: str, given: Any) -> float:
    """A value of fit.toml: a time with its unit, a number of IOPS, MB/s. Throws WrongEntry."""
    if statistic in LATENCIES:
        value = in_unit(given, "ns") if isinstance(given, str) else None
        if value is None or value <= 0:
            raise WrongEntry(f'is {json.dumps(given)}; valid: a time with its unit, as "72.6 us"')
        return value
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < math.inf:
        raise WrongEntry(f"is {json.dumps(given)}; valid: a number of {'operations a second' if statistic == 'iops' else 'MB/s'}")
    return float(given)


def directions(options: Mapping[str, Any]) -> list[str]:
    """What a fio job does: "read", "write", or both."""
    kind = str(options.get("rw", options.get("readwrite", "read"))).split(":")[0]
    if kind in ("rw", "randrw", "readwrite"):
        return ["read", "write"]
    return ["write"] if "write" in kind else ["read"]


def direction_of(options: Mapping[str, Any], given: Any) -> str:
    """The direction that a figure is of. Throws WrongEntry."""
    known = directions(options)
    if given is None and len(known) == 1:
        return known[0]
    if given not in known:
        raise WrongEntry(f"direction is {json.dumps(given)}; valid for this workload: {', '.join(known)}")
    return str(given)


def complete(options: Mapping[str, Any]) -> dict[str, Any]:
    """A fio job of a workload: what it leaves out, as drives are measured: in direct asynchronous I/O, over all of the drive."""
    found: dict[str, Any] = {"ioengine": "libaio", "direct": 1, "size": "100%"}
    if str(options.get("rw", "")).startswith("rand"):
        found["norandommap"] = 1
    return found | dict(options)


def read_fio(path: pathlib.Path, entry: Mapping[str, Any], add: Callable[[str, dict[str, Any]], str]) -> list[Measurement]:
    """Figures of fio --output-format=json. `add(name, options)` makes a workload of a job's options, and says what it is called.
    Throws BadInput."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text[text.index("{"):])  # fio may have said something in front
        jobs = data["jobs"]
    except (ValueError, KeyError, TypeError) as error:
        raise at(path, "", f"is no JSON of fio's (--output-format=json): {error}") from None
    wanted = entry.get("statistics", list(DEFAULT_OF_FIO))
    only = entry.get("job")
    found: list[Measurement] = []
    for number, job in enumerate(jobs[1:], 1):
        if "stonewall" not in job.get("job options", {}) or job.get("jobname") in [one.get("jobname") for one in jobs[:number]]:
            raise at(path, f"jobs[{number}]", f"{job.get('jobname')} ran beside the job before it, and a figure is of one workload alone; valid: "
                     "one job a file, jobs with stonewall, numjobs with group_reporting")
    for number, job in enumerate(jobs):
        name = str(job.get("jobname", number))
        if only is not None and name != only:
            continue
        given = {**data.get("global options", {}), **job.get("job options", {})}
        kept = {key: value for key, value in given.items() if not _LEFT_OUT.match(key)}
        if str(given.get("ioengine", "psync")) in _SYNCHRONOUS:
            kept["ioengine"] = "psync"
        kept |= entry.get("options", {})
        workload = add(f"{path.stem}.{name}", kept)
        before = len(found)
        for direction in ("read", "write"):
            found += _fio_figures(path, name, workload, direction, job.get(direction, {}), wanted, entry.get("error"))
        if len(found) == before:
            raise at(path, f"jobs[{number}]", f"{name} has neither reads nor writes with {', '.join(wanted)}")
    if not found:
        raise at(path, "jobs", f"there is no job {json.dumps(only)}; there are: {', '.join(str(job.get('jobname')) for job in jobs) or 'none'}")
    return found


def _fio_figures(path: pathlib.Path, name: str, workload: str, direction: str, part: Mapping[str, Any], wanted: list[str],
                 error: float | None) -> list[Measurement]:
    if not part.get("total_ios"):
        return []
    times, kind = part.get("clat_ns", {}), "clat_ns"
    whole = part.get("lat_ns", {})
    # With a submission by a polling thread of the kernel fio has no time of submission, and clat is none.
    if whole.get("mean") is not None and times.get("mean", 0.0) > whole["mean"]:
        times, kind = whole, "latency_ns"
    values = {"mean": times.get("mean"), "iops": part.get("iops"),
              "mb_s": part["bw_bytes"] / 1e6 if "bw_bytes" in part else part.get("bw", 0) * 1024 / 1e6}
    for percentile, statistic in _FIO_PERCENTILES.items():
        values[statistic] = times.get("percentile", {}).get(percentile)
    found = []
    for statistic in wanted:
        value = values.get(statistic)
        if value is None:
            raise at(path, f"{name}.{direction}.{'clat_ns' if kind == 'clat_ns' else 'lat_ns'}", f"there is no {statistic}")
        if not value > 0:
            raise at(path, f"{name}.{direction}", f"{statistic} is {value}; it must be above 0")
        found.append(Measurement(workload, direction, statistic, float(value), error, f"{path.name}: {name}", kind, "lat, since clat is longer" if kind == "latency_ns" else ""))
    return found


# Columns of a table with a figure: statistic, and what one is in ns, 1/s, MB/s.
_UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_COLUMNS: dict[str, tuple[str, float]] = {
    **{f"{name}_{unit}": (name, scale) for name in LATENCIES for unit, scale in _UNITS.items()},
    "iops": ("iops", 1.0), "kiops": ("iops", 1e3), "mb_s": ("mb_s", 1.0), "gb_s": ("mb_s", 1e3)}
_PLAIN = ("workload", "direction", "error")
_RENAMED = {"depth": "iodepth", "block_size": "bs"}


def read_table(path: pathlib.Path, entry: Mapping[str, Any], workloads: Mapping[str, Mapping[str, Any]],
               add: Callable[[str, dict[str, Any]], str]) -> list[Measurement]:
    """Figures of a CSV with a header. Throws BadInput."""
    try:
        rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    except (csv.Error, UnicodeDecodeError) as error:
        raise at(path, "", f"is no table: {error}") from None
    header = [cell.strip() for cell in rows[0]] if rows else []
    if len(set(header)) != len(header):
        raise at(path, "", "two columns have one name", 1)
    figures = [name for name in header if name in _COLUMNS]
    if not figures:
        raise at(path, "", f"no column has a figure; valid: {', '.join(('mean_us', 'p99_us', 'iops', 'mb_s'))}, ... (docs/how-to/fit.md)", 1)
    ends = [f"{name}_error" for name in figures]
    fio = [name for name in header if name not in (*figures, *_PLAIN, *ends)]
    found = []
    for line, cells in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            raise at(path, "", f"has {len(cells)} cells; the header has {len(header)}", line)
        row = {name: cell.strip() for name, cell in zip(header, cells) if cell.strip()}
        found += _table_row(path, line, row, fio, figures, entry, workloads, add)
    if not found:
        raise at(path, "", "has no measurements")
    return found


def _table_row(path: pathlib.Path, line: int, row: Mapping[str, str], fio: list[str], figures: list[str], entry: Mapping[str, Any],
               workloads: Mapping[str, Mapping[str, Any]], add: Callable[[str, dict[str, Any]], str]) -> list[Measurement]:
    base = row.get("workload")
    if base is not None and base not in workloads and not any(name in row for name in fio):
        raise at(path, "workload", f"there is no [workloads.{base}]; valid: {', '.join(workloads) or 'none'}, or columns of fio's options", line)
    own = {_RENAMED.get(name, name): row[name] for name in fio if name in row}
    options = dict(workloads.get(base or "", {})) | own
    if not options:
        raise at(path, "workload", "is empty, and so are the columns of fio's options", line)
    title = " ".join([*([base] if base else []), *(f"{key}={value}" for key, value in own.items())])
    workload = add(title, options | entry.get("options", {})) if own or entry.get("options") else str(base)
    found = []
    for column in figures:
        if column not in row:
            continue
        statistic, scale = _COLUMNS[column]
        try:
            value = float(row[column]) * scale
        except ValueError:
            value = math.nan
        if not 0 < value < math.inf:
            raise at(path, column, f"is {json.dumps(row[column])}; valid: a number above 0", line)
        said = row.get(f"{column}_error", row.get("error"))
        try:
            error = entry.get("error") if said is None else share(said if "%" in said else float(said))
            direction = direction_of(options, row.get("direction"))
        except ValueError as wrong:
            raise at(path, column, wrong, line) from None
        found.append(Measurement(workload, direction, statistic, value, error, f"{path.name}:{line}"))
    return found
