"""What bounds know (bound_facts.py) of a workload of a study: of a generator, a fio job, a trace. Of all else, nothing."""
import json
import math
import pathlib
import re
import subprocess
from typing import Any

from .bound_device import Device
from .closed_forms import quantity
from .errors import RunError

TRACE_PAGE = 4096  # bytes, of footprints: kPage of analysis/trace_info.hpp
SHARE = re.compile(r"\s*([0-9.]+)\s*(%?)\s*\Z")
# fio's engines that have one request in flight whatever iodepth says (docs/fio.md).
ASYNCHRONOUS = ("libaio", "io_uring", "io_uring_cmd", "posixaio", "windowsaio", "solarisaio", "sg", "nbd", "rbd", "libiscsi")
# Options of a fio job with which it does something else than requests of one size, one after the other as they complete.
UNUSUAL = ("bssplit", "bsrange", "blocksize_range", "thinktime", "rate", "rate_iops", "flow", "startdelay", "filename", "nrfiles",
           "filesize", "zonemode", "loops", "fsync", "fdatasync", "trim", "random_distribution", "percentage_random", "rw_sequencer",
           "unaligned", "verify", "stonewall", "bs_unaligned", "number_ios", "offset", "offset_increment", "ramp_time", "sync")


def workload_of(arguments: list[str], written: dict[str, str], config: dict[str, Any],
                program: pathlib.Path | None = None) -> dict[str, Any] | None:
    """A table for bounds.of(), from the arguments of a study's point (`--generate TEXT`, `--trace FILE`) or the job files that
    it writes; None: nothing is known. `program`: with it traces are counted."""
    if written:
        return fio(next(iter(written.values())), config) if len(written) == 1 else None
    if arguments[:1] == ["--generate"] and len(arguments) == 2:
        return generator(arguments[1], config)
    if arguments[:1] == ["--trace"] and len(arguments) == 2 and program is not None:
        return trace(arguments[1], config, program)
    return None


def generator(text: str, config: dict[str, Any]) -> dict[str, Any] | None:
    """Of `mix:...` and `bursts:...`, as `--generate` takes them."""
    name, _, rest = text.partition(":")
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
    requests = _count(values, sizes, config)
    if requests is not None:
        # Some are trims: so many are left at least.
        known["requests"] = requests if kept == 1 else max(0.0, math.floor(requests * kept - 3.3 * math.sqrt(requests)))
    if not open_loop:
        known["depth"] = int(config["host"]["iodepth"])
        known["closed"] = kept == 1 and not int(values.get("flush_every", 0))
    return known


def fio(text: str, config: dict[str, Any]) -> dict[str, Any] | None:
    """Of a job file with one section, as a study writes it; None for one that does what is not known here."""
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
    if "time_based" not in options and "runtime" not in options:
        amount = options.get("io_size", options.get("size"))
        moved = _fio_size(amount) if amount not in (None, "100%") else _capacity(config) if jobs == 1 else None
        if moved is not None:
            known["requests"] = jobs * math.floor(moved / size)
            known["closed"] = jobs == 1
    elif "time_based" in options and "runtime" in options:
        known["seconds"] = quantity(options["runtime"]) if options["runtime"].isdigit() else None
    if jobs == 1:
        known["pattern"] = ("uniform" if options.get("norandommap", "0") != "0" else "shuffled") if mode.startswith("rand") else "sequential"
        span = None if whole else _fio_size(options["size"])
        if span is not None:
            known["span"] = span
        elif not whole:
            known["pattern"] = "unknown"
    return known


def trace(path: str, config: dict[str, Any], program: pathlib.Path) -> dict[str, Any] | None:
    """Counted by `flashloom trace info`. Throws RunError."""
    done = subprocess.run([program, "trace", "info", path, "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"flashloom trace info {path}: {done.stderr.strip()}")
    info = json.loads(done.stdout)
    requests = info["reads"] + info["writes"]
    if not requests:
        return None
    largest, least = info["sizes"]["max_bytes"], info["sizes"]["min_bytes"]
    known = {"read": info["reads"] / requests, "requests": requests, "exact": True, "discards": info["trims"] > 0}
    for kind in ("read", "write"):
        count = info[f"{kind}s"]
        mean = info[f"{kind}_bytes"] / count if count else least
        # Two sizes with that mean: closed forms need no more of a distribution than its mean and its ends.
        known[f"{kind}_size"] = mean if largest == least else {least: largest - mean, largest: mean - least}
    if info["end_bytes"] <= _capacity(config):  # else places are folded, or refused
        unit, frame = quantity(config["ftl"]["mapping_unit"]), quantity(config["nand"]["ecc"]["frame"])
        written = info["written_footprint_bytes"]  # of pages of which a part is touched at least
        known["distinct_written"] = written * min(1.0, unit / TRACE_PAGE)
        known["distinct_read"] = (info["footprint_bytes"] - written) * min(1.0, unit / TRACE_PAGE, frame / TRACE_PAGE)
    if config["host"]["replay"] == "closed":
        known["depth"] = int(config["host"]["iodepth"])
    return known


def _parameters(text: str) -> dict[str, str]:
    """a=1,b=4 KiB: 70 %, 8 KiB: 30 %: a comma without a name behind it belongs to the value."""
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
    total = quantity(re.sub(r"([0-9])\s*([a-zA-Z])", r"\1 \2", moved.strip('"'), count=1)) if moved else _capacity(config)
    return math.floor(total / size)


def _capacity(config: dict[str, Any]) -> float:
    return Device(config).capacity


def _fio_size(text: str) -> float | None:
    """4k, 16m, 1g, 4096: fio's sizes with a base of 1024; None: a share, or a range."""
    match = re.fullmatch(r"([0-9.]+)\s*([kmgt]?)(?:i?b)?", text.lower())
    return float(match[1]) * 1024 ** " kmgt".index(match[2] or " ") if match else None
