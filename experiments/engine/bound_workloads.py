"""Derives the facts that bounds use (bound_facts.py) from a study's workload: a generator, a fio job or a trace, no other source."""
import functools
import json
import math
import pathlib
import re
import subprocess
from typing import Any

from .bound_device import Device
from .closed_forms import quantity
from .errors import RunError

SECTOR = 512  # bytes: least length of a request of a trace
# Options of a run that only choose the requests of a trace and their addresses.
OF_TRACES = ("--max-requests", "--address-fit", "--format", "--time-unit")
TRACE_PAGE = 4096  # bytes; the unit of footprints: kPage of analysis/trace_info.hpp
SHARE = re.compile(r"\s*([0-9.]+)\s*(%?)\s*\Z")
# fio's engines that keep iodepth requests in flight; all others have one in flight (docs/reference/fio.md).
ASYNCHRONOUS = ("libaio", "io_uring", "io_uring_cmd", "posixaio", "windowsaio", "solarisaio", "sg", "nbd", "rbd", "libiscsi")
# A fio job with one of these options may do something other than send requests of one size as earlier ones complete.
UNUSUAL = ("bssplit", "bsrange", "blocksize_range", "thinktime", "rate", "rate_iops", "flow", "startdelay", "filename", "nrfiles",
           "filesize", "zonemode", "loops", "fsync", "fdatasync", "trim", "random_distribution", "percentage_random", "rw_sequencer",
           "unaligned", "blockalign", "ba", "bs_is_seq_rand", "verify", "stonewall", "bs_unaligned", "number_ios", "offset", "offset_increment", "ramp_time", "sync")


def workload_of(arguments: list[str], written: dict[str, str], config: dict[str, Any],
                program: pathlib.Path | None = None) -> dict[str, Any] | None:
    """Makes the table for bounds.of() from the arguments of a study's point (`--generate TEXT`, `--trace FILE`) or from its job
    files; None if nothing is known. Traces need `program`, which counts their requests."""
    if written:
        return fio(next(iter(written.values())), config) if len(written) == 1 else None
    if arguments[:1] == ["--generate"] and len(arguments) == 2:
        return generator(arguments[1], config)
    if arguments[:1] == ["--trace"] and len(arguments) % 2 == 0 and program is not None:
        options = dict(zip(arguments[2::2], arguments[3::2]))
        keys = arguments[1].rpartition(",")[2]
        if options.keys() <= set(OF_TRACES) and ("=" not in keys or pathlib.Path(arguments[1]).exists()):
            return trace(arguments[1], config, program, options)
    return None


def generator(text: str, config: dict[str, Any]) -> dict[str, Any] | None:
    """Facts of a generator `mix:...`, `bursts:...` or `zones:...`, written as for `--generate`."""
    name, _, rest = text.partition(":")
    if name == "zones":
        return _zones(_parameters(rest), config)
    if name not in ("mix", "bursts"):
        return None
    values = _parameters(rest)
    read, trim, zeroes = (_share(values.get(key, default)) for key, default in (("read", "0.7"), ("trim", "0"), ("zeroes", "0")))
    sizes = _sizes(values.get("size", "4 KiB"))
    asked = _share(values.get("random", "1"))
    uniform = asked == 1 and values.get("distribution", "uniform").strip('"') == "uniform"
    open_loop = name == "bursts" or float(values.get("rate", 0)) > 0
    kept = 1 - trim - zeroes
    if kept <= 0:
        return None
    known: dict[str, Any] = {"read": min(1.0, read / kept), "size": sizes,
                             "pattern": "uniform" if uniform else "sequential" if asked == 0 else "unknown",
                             "discards": trim + zeroes > 0}
    if uniform and len(sizes) == 1 and "align" not in values:
        known["aligned"] = True
    requests = _count(values, sizes, config)
    if requests is not None:
        # Some requests are trims or write zeroes: this many reads and writes are left at least.
        known["requests"] = requests if kept == 1 else max(0.0, math.floor(requests * kept - 3.3 * math.sqrt(requests)))
    if not open_loop:
        known["depth"] = int(config["host"]["iodepth"])
        known["closed"] = kept == 1 and not int(values.get("flush_every", 0))
    return known


def fio(text: str, config: dict[str, Any]) -> dict[str, Any] | None:
    """Facts of a job file with one section, as a study writes it; None for an unknown kind of job."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and line.strip()[0] not in "#;"]
    if [line.startswith("[") for line in lines] != [True] + [False] * (len(lines) - 1):
        return None
    options = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines[1:])}
    jobs = int(options.get("numjobs", 1))
    mode = options.get("rw", options.get("readwrite", "read"))
    read = {"read": 1.0, "randread": 1.0, "write": 0.0, "randwrite": 0.0}.get(mode)
    if mode in ("rw", "readwrite", "randrw"):
        read = float(options.get("rwmixread", 100 - float(options.get("rwmixwrite", 50)))) / 100
    size = _fio_size(options.get("bs", options.get("blocksize", "4k")))
    if read is None or size is None:
        return None
    asynchronous = options.get("ioengine", "psync") in ASYNCHRONOUS
    known: dict[str, Any] = {"read": read, "size": size, "depth": jobs * (int(options.get("iodepth", 1)) if asynchronous else 1)}
    if any(option in options for option in UNUSUAL):
        return known
    whole = options.get("size", "100%") == "100%"
    namespaces = config["host_interface"]["namespaces"]
    if "time_based" not in options and "runtime" not in options:
        amount = options.get("io_size", options.get("size"))
        moved = _fio_size(amount) if amount not in (None, "100%") else _region(config) if jobs == 1 and not namespaces else None
        if moved is not None:
            known["requests"] = jobs * math.floor(moved / size)
            known["closed"] = jobs == 1
    elif "time_based" in options and "runtime" in options:
        known["seconds"] = quantity(options["runtime"]) if options["runtime"].isdigit() else None
    if jobs == 1:
        known["pattern"] = ("uniform" if options.get("norandommap", "0") != "0" else "shuffled") if mode.startswith("rand") else "sequential"
        if known["pattern"] == "uniform":
            known["aligned"] = True
        span = None if whole else _fio_size(options["size"])
        if span is not None:
            known["span"] = span
        elif not whole:
            known["pattern"] = "unknown"
    return known


@functools.cache
def _counted(program: pathlib.Path, path: str, options: tuple[str, ...]) -> dict[str, Any]:
    """The output of `flashloom trace info`, cached because a search asks for it once a device."""
    done = subprocess.run([program, "trace", "info", path, "--json", *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"flashloom trace info {path}: {done.stderr.strip()}")
    info: dict[str, Any] = json.loads(done.stdout)
    return info


def trace(path: str, config: dict[str, Any], program: pathlib.Path, options: dict[str, str] | None = None) -> dict[str, Any] | None:
    """Facts of a trace, as counted by `flashloom trace info`; `options` are the run's options out of OF_TRACES. Throws RunError."""
    options = options or {}
    info = _counted(program, path, tuple(word for name, value in options.items() if name != "--address-fit" for word in (name, value)))
    requests = info["reads"] + info["writes"]
    if not requests:
        return None
    largest, least = info["sizes"]["max_bytes"], info["sizes"]["min_bytes"]
    known = {"read": info["reads"] / requests, "requests": requests, "exact": True, "discards": info["trims"] > 0}
    wider = 2 * (quantity(config["host_interface"]["sector_size"]) - SECTOR)  # the host widens requests to whole sectors at both ends
    for kind in ("read", "write"):
        count = info[f"{kind}s"]
        mean = info[f"{kind}_bytes"] / count if count else least
        known[f"{kind}_size"] = (mean, mean + wider, least, largest + wider)
    if info["timed"] and config["host"]["replay"] == "timed":
        known["lasts"] = info["duration_s"] / float(config["host"]["speedup"])
    fits = info["end_bytes"] <= _region(config) and options.get("--address-fit", "error") != "scale"
    if fits:  # else the run folds or refuses addresses
        unit, frame = quantity(config["ftl"]["mapping_unit"]), quantity(config["nand"]["ecc"]["frame"])
        written = info["written_footprint_bytes"]  # counts each page of TRACE_PAGE that the trace touches, even in part
        known["distinct_written"] = written * min(1.0, unit / TRACE_PAGE)
        known["trimmed"] = info["trim_bytes"] + 2 * unit * info["trims"]
        known["distinct_read"] = (info["footprint_bytes"] - written) * min(1.0, unit / TRACE_PAGE, frame / TRACE_PAGE)
    if config["host"]["replay"] == "closed":
        known["depth"] = int(config["host"]["iodepth"])
    return known


def _zones(values: dict[str, str], config: dict[str, Any]) -> dict[str, Any] | None:
    """Facts of the generator `zones`. The pattern is known only for an empty device that refuses no command: appends alone, no more
    open zones than it has resources for, one queue. Otherwise only sizes and depth are known."""
    device = Device(config)
    if device.zones is None:
        return None
    size = next(iter(_sizes(values.get("size", "64 KiB"))))
    read, append, finish = (_share(values.get(key, default)) for key, default in (("read", "0"), ("append", "1"), ("finish", "0")))
    zone = device.zones.capacity_units * device.unit
    rest = zone % size or size  # size of the last request of a zone
    whole = (min(size, math.floor(zone / 2)), size, min(size, math.floor(zone / 2)), size) if finish else size
    known: dict[str, Any] = {"read": (0.0, read), "read_size": whole, "write_size": (zone / math.ceil(zone / size), size, rest, size),
                             "depth": int(config["host"]["iodepth"])}
    if "requests" in values and "bytes" not in values:
        known["requests"] = float(values["requests"])
    at_a_time = int(values.get("open", 4))
    empty = float(config["precondition"]["fill"]) == 0
    if append == 1 and empty and int(config["host"]["queues"]) == 1 and 0 < at_a_time <= device.zones.max_open:
        known["pattern"] = "zones"
        if not int(values.get("flush_every", 0)) and not _share(values.get("fua", "0")):
            # The generator finishes zones that it has written to one half.
            padded = 2.0 if device.zones.pads else 1 + device.units_per_program / math.floor(device.zones.capacity_units / 2)
            known["most_programmed"] = padded if finish else 1.0
    return known


def _parameters(text: str) -> dict[str, str]:
    """Splits "a=1,b=4 KiB: 70 %, 8 KiB: 30 %"; a comma that no NAME= follows belongs to the value."""
    found: dict[str, str] = {}
    last = ""
    for piece in text.split(","):
        name, equals, value = piece.partition("=")
        if equals:
            last = name.strip()
            found[last] = value.strip()
        elif last:
            found[last] += "," + piece
    return found


def _share(text: str) -> float:
    match = SHARE.match(str(text))
    if not match:
        raise ValueError(f"\"{text}\" is no share")
    return float(match[1]) / (100 if match[2] else 1)


def _sizes(text: str) -> dict[float, float]:
    sizes: dict[float, float] = {}
    for piece in re.split("[,/]", text.strip('"')):
        size, _, weight = piece.partition(":")
        value = quantity(re.sub(r"([0-9])\s*([a-zA-Z])", r"\1 \2", size.strip(), count=1))
        sizes[value] = sizes.get(value, 0.0) + (float(weight.replace("%", "")) if weight.strip() else 1.0)
    return sizes


def _count(values: dict[str, str], sizes: dict[float, float], config: dict[str, Any]) -> float | None:
    if int(values.get("requests", 0)):
        return float(values["requests"]) if "bytes" not in values else None
    if len(sizes) > 1:
        return None
    size = next(iter(sizes))
    moved = values.get("bytes")
    if not moved and config["host_interface"]["namespaces"]:
        return None
    total = quantity(re.sub(r"([0-9])\s*([a-zA-Z])", r"\1 \2", moved.strip('"'), count=1)) if moved else _region(config)
    return math.floor(total / size)


def _region(config: dict[str, Any]) -> float:
    return Device(config).region


def _fio_size(text: str) -> float | None:
    """Bytes of a fio size with base 1024, as 4k, 16m, 1g, 4096; None for a share or a range."""
    match = re.fullmatch(r"([0-9.]+)\s*([kmgt]?)(?:i?b)?", text.lower())
    return float(match[1]) * 1024 ** " kmgt".index(match[2] or " ") if match else None
