"""Results of a run as objects and tables. docs/reference/results.md has every field; units are in the names."""
import functools
import html
import json
import os
import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .errors import FlashloomError
from .units import unit_of

if TYPE_CHECKING:
    import pandas

OPERATIONS = ("read", "write", "trim", "flush", "write_zeroes")
UNWRITTEN_SHARE = 0.01  # of all units read: more of them that hold nothing are worth a warning, as in sc_main/program/run/summary.cpp


class Scratch:
    """A folder that goes with this object, or when Python ends."""

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="flashloom-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class Fields(Mapping[str, Any]):
    """A JSON object whose fields are attributes, too: r.host.read.latency_ns.p99. A dict() of it is plain."""

    def __init__(self, values: dict[str, Any], path: str = "") -> None:
        self._values = values
        self._path = path

    def __getitem__(self, name: str) -> Any:
        return wrapped(self._values[name], f"{self._path}.{name}".lstrip("."))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{self._path or 'result.json'} has no {name}; it has {', '.join(self._values)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return json.dumps(self._values, indent=1)


def wrapped(value: Any, path: str = "") -> Any:
    """Objects as Fields, in lists, too."""
    if isinstance(value, dict):
        return Fields(value, path)
    return [wrapped(part, f"{path}[{number}]") for number, part in enumerate(value)] if isinstance(value, list) else value


def units_of(names: Iterable[Any]) -> dict[str, str]:
    """The columns that have a unit."""
    return {str(name): unit for name in names if (unit := unit_of(str(name)))}


def numbers_in(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted path and value of every number and truth value below; of lists only those of objects with a name."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from numbers_in(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for part in value:
            if isinstance(part, dict) and isinstance(part.get("name"), str):
                yield from numbers_in({key: field for key, field in part.items() if key != "name"}, f"{path}.{part['name']}")
    elif isinstance(value, (bool, int, float)) or value is None:
        yield path, value


class Tables(Mapping[str, "pandas.DataFrame"]):
    """The CSV tables of a folder by name, as DataFrames, each read when it is asked for."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._read: dict[str, "pandas.DataFrame"] = {}

    def __getitem__(self, name: str) -> "pandas.DataFrame":
        import pandas  # pylint: disable=import-outside-toplevel
        if name not in self._read:
            path = self._folder / f"{name}.csv"
            if not path.is_file():
                raise KeyError(f"there is no table {name}; there are {', '.join(self)}")
            frame = pandas.read_csv(path)
            frame.attrs["units"] = units_of(frame.columns)
            self._read[name] = frame
        return self._read[name].copy()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(path.stem for path in self._folder.glob("*.csv")))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return f"<tables {', '.join(self)}>"


class Result:
    """What a run found. Every field of result.json is an attribute: r.host.read.ios, r.flash.programs.gc.pages, r.window.

    `throughput_mb_s`, `iops`, `latency`, `waf`, `energy_j`, ... below are those wanted most. `tables` has the CSV tables: `series` (over time),
    `latency_cdf`, `breakdown`, `utilization`, `wear`, `power`. `cost` is run.json, what the run took on this computer.
    """

    def __init__(self, folder: pathlib.Path, scratch: Scratch | None = None) -> None:
        self.folder = folder
        self._scratch = scratch  # goes with this object
        try:
            self.data: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise FlashloomError(f"{folder}: no result of a run: {error}") from None
        self.tables = Tables(folder)

    @property
    def warnings(self) -> list[str]:
        """What a reader of the figures would not expect. run() gives them as FlashloomWarning."""
        found = []
        empty, read = self.data["ftl"]["units_zeroed"], self.data["buffer"]["read_units"]
        if empty > UNWRITTEN_SHARE * read:
            found.append(f"{empty} of {read} units read hold nothing: never written, or trimmed. They were answered without flash, far "
                         "faster than data; precondition.fill=1.0 fills the device before the run")
        for inert in self.data["workload"].get("inert_options", []):
            if inert["option"] == "iodepth":
                found.append(f"iodepth={inert['value']} has no effect: {inert['meaning']}; ioengine=libaio has a depth")
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "data":
            raise AttributeError(name)
        return getattr(Fields(self.data), name)

    def __getitem__(self, name: str) -> Any:
        """A field by its dotted path: r["host.read.latency_ns.p99"]. Throws KeyError."""
        value = self.data
        for part in name.split("."):
            if not isinstance(value, dict) or part not in value:
                raise KeyError(f"{name}: there is no {part}" + (f"; valid: {', '.join(value)}" if isinstance(value, dict) else ""))
            value = value[part]
        return wrapped(value, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.data]

    @functools.cached_property
    def cost(self) -> Fields:
        """run.json: cpu_s, wall_s, peak_rss_bytes, ...; empty if the folder has none. Differs from run to run."""
        path = self.folder / "run.json"
        return Fields(json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}, "run.json")

    @property
    def jobs(self) -> list[Fields]:
        """The jobs of the workload: name, read, write, ... of each (host.jobs)."""
        found: list[Fields] = wrapped(self.data["host"]["jobs"], "host.jobs")
        return found

    @property
    def operations(self) -> list[str]:
        """read, write, trim, flush, write_zeroes: those that occurred."""
        return [name for name in OPERATIONS if self.data["host"].get(name, {}).get("ios")]

    @property
    def latency(self) -> "pandas.DataFrame":
        """Arrival to completion in ns: a row for each operation that occurred; mean, min, p50 ... p99_99, max."""
        import pandas  # pylint: disable=import-outside-toplevel
        frame = pandas.DataFrame({name: self.data["host"][name]["latency_ns"] for name in self.operations}).T
        frame.index.name = "operation"
        frame.attrs["units"] = {column: "ns" for column in frame.columns}
        return frame

    @property
    def throughput_mb_s(self) -> float:
        """Reads and writes together, in MB/s (10^6 bytes) of simulated time."""
        return float(sum(self.data["host"][name]["bandwidth_bytes_per_s"] for name in ("read", "write")) / 1e6)

    @property
    def iops(self) -> float:
        """Reads and writes together, in requests a second of simulated time."""
        return float(sum(self.data["host"][name]["iops"] for name in ("read", "write")))

    @property
    def waf(self) -> float:
        """Write amplification: bytes of all pages programmed / bytes written by the host (1)."""
        return float(self.data["ftl"]["waf"])

    @property
    def energy_j(self) -> float:
        """Energy of the whole device in the measured time, J. `energy` has more: energy.average_w, energy.j_per_io, ..."""
        return float(self.data["energy"]["total_j"])

    @property
    def j_per_gb(self) -> float:
        """Energy for each GB (10^9 bytes) that the host read or wrote, J/GB."""
        return float(self.data["energy"]["j_per_gb"])

    @property
    def energy_parts(self) -> "pandas.Series[float]":
        """J by kind of component: nand, channel, dram, cpu, link, ..."""
        import pandas  # pylint: disable=import-outside-toplevel
        parts: dict[str, float] = {}
        for component in self.data["energy"]["components"]:
            parts[component["kind"]] = parts.get(component["kind"], 0.0) + component["j"]
        series = pandas.Series(parts, name="energy", dtype=float)
        series.attrs["units"] = {"energy": "J"}
        return series

    @property
    def energy_bands(self) -> "pandas.DataFrame":
        """Of a run with `uncertainty`: mean and 5, 50, 95 % quantiles over the ranges of the device's keys; a row for total_j,
        background_j, average_w, j_per_gb, each kind of component (kinds.NAME) and each row of the ledger (operations.NAME), in the
        units of `energy`. Empty without."""
        import pandas  # pylint: disable=import-outside-toplevel
        found = self.data["energy"].get("uncertainty") or {}
        columns = ("mean", "p5", "p50", "p95")
        rows = {name: value for name, value in found.items() if isinstance(value, dict) and "p5" in value}
        rows |= {f"{table}.{name}": value for table in ("kinds", "operations") for name, value in found.get(table, {}).items()}
        return pandas.DataFrame([[value[column] for column in columns] for value in rows.values()], index=list(rows), columns=list(columns), dtype=float)

    def histogram(self, operation: str = "read") -> "pandas.DataFrame":
        """The latency's histogram: latency_ns (a bucket's upper bound), requests, share, cumulative."""
        table = self.tables["latency_cdf"]
        chosen = table[table["operation"] == operation].reset_index(drop=True)
        cumulative = chosen["share"]
        share = cumulative.diff().fillna(cumulative)
        frame = chosen[["latency_ns"]].assign(requests=(share * self.data["host"][operation]["ios"]).round().astype(int),
                                              share=share, cumulative=cumulative)
        frame.attrs["units"] = {"latency_ns": "ns", "share": "1", "cumulative": "1"}
        return frame

    def to_frame(self) -> "pandas.DataFrame":
        """One row: every number of result.json by its dotted path, without the configuration; units by the names."""
        import pandas  # pylint: disable=import-outside-toplevel
        frame = pandas.DataFrame([dict(numbers_in({key: value for key, value in self.data.items() if key != "config"}))])
        frame.attrs["units"] = units_of(frame.columns)
        return frame

    def summary(self) -> "pandas.DataFrame":
        """A row for each operation: requests, throughput (MB/s), iops (1/s), latency (us)."""
        import pandas  # pylint: disable=import-outside-toplevel
        host = self.data["host"]
        frame = pandas.DataFrame([{"operation": name, "requests": host[name]["ios"],
                                   "throughput": host[name]["bandwidth_bytes_per_s"] / 1e6, "iops": host[name]["iops"],
                                   **{key: host[name]["latency_ns"][key] / 1e3 for key in ("mean", "p50", "p99", "p99_9", "max")}}
                                  for name in self.operations])
        frame.attrs["units"] = {"throughput": "MB/s", "iops": "1/s", "mean": "us", "p50": "us", "p99": "us", "p99_9": "us",
                                "max": "us"}
        return frame

    def _title(self) -> str:
        workload = self.data["workload"]
        return (f"{self.data['device']['name']}: {workload['kind']} {workload.get('file') or ''}, "
                f"{self.data['simulated_s']:.6g} s simulated")

    def __repr__(self) -> str:
        return (f"<Result of {self._title()}: {self.throughput_mb_s:.4g} MB/s, {self.iops:.4g} IOPS, WAF {self.waf:.3g}, "
                f"{self.data['energy']['total_j']:.4g} J>")

    def _repr_html_(self) -> str:
        table = self.summary()
        units = table.attrs["units"]
        table.columns = [f"{name} ({units[name].replace('us', 'µs')})" if name in units else name for name in table.columns]
        energy = self.data["energy"]
        return (f"<p><b>{html.escape(self._title())}</b></p>" + table.to_html(index=False, float_format="{:.4g}".format) +
                f"<p>WAF {self.waf:.3f}, {energy['total_j']:.4g} J, {energy['average_w']:.4g} W, {energy['j_per_gb']:.4g} J/GB</p>")


def load(folder: str | os.PathLike[str]) -> Result:
    """The result in a folder that `flashloom run --out`, a study or a sweep wrote. Throws FlashloomError."""
    return Result(pathlib.Path(folder).resolve())
