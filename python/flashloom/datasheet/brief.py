"""The product brief: the figures of a drive's published sheet, each with its condition and its interval."""
import math
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..device import Device
from ..result import Result
from .bench import Bench, job, kind_of, written
from .money import endurance_cycles, price_band

WORKERS = 8  # of random requests; sheets say 4 to 16
TAILS = {"99": 0.99, "99.99": 0.9999, "99.999": 0.99999}
TAIL_REQUESTS = 1_000_000  # ten of them lie beyond 99.999 %
FEWEST_BEYOND = 10  # observations beyond a percentile without which it is not told
DAYS_A_YEAR = 365
YEARS = 5
Bounded = tuple[float, float | None, float | None]  # a value and its interval; None: no end is known
State = tuple[Device, pathlib.Path, str]  # a device, its state, and what is said of it


@dataclass(frozen=True)
class Figure:
    """A figure of the sheet. `value` None: the model does not have it, and `note` says why; `low`, `high`: a 95 % interval of what was
    simulated, or the ends of a range (`note` says which); None: none is known."""
    group: str
    name: str
    unit: str
    value: float | str | None
    condition: str = ""
    low: float | None = None
    high: float | None = None
    note: str = ""


def brief(bench: Bench, kind: str) -> list[Figure]:
    """All figures of a class, `client` or `enterprise`."""
    conditions = Conditions(bench, kind)
    fresh, filled, random = conditions.fresh, conditions.filled, conditions.random
    many = f"QD 32 x {WORKERS} workers"
    plan: list[tuple[str, str, str, str, Mapping[str, Any], State]] = [
        ("Performance", "Sequential read, 128 KiB", "read", "MB/s", job("read", "128k", 32, total="4g"), filled),
        ("Performance", "Sequential write, 128 KiB", "write", "MB/s", job("write", "128k", 32, total="4g"), fresh),
        ("Performance", f"Random read, 4 KiB, {many}", "read", "IOPS", job("randread", "4k", 32, workers=WORKERS, total="256m"), random),
        ("Performance", f"Random write, 4 KiB, {many}", "write", "IOPS", job("randwrite", "4k", 32, workers=WORKERS, total="256m"), random),
        ("Performance", f"Random 70 % read, 4 KiB, {many}", "both", "IOPS", job("randrw", "4k", 32, workers=WORKERS, read=70, total="256m"),
         random),
        ("Latency", "Random read, 4 KiB, QD 1, mean", "read", "us", job("randread", "4k", 1, total="256m"), random),
        ("Latency", "Random write, 4 KiB, QD 1, mean", "write", "us", job("randwrite", "4k", 1, total="256m"), random)]
    found: dict[str, Result] = {}
    for state in {id(one[5]): one[5] for one in plan}.values():
        mine = [one for one in plan if one[5] is state]
        bench.tell(f"brief: {len(mine)} runs, {state[2]}")
        for one, result in zip(mine, bench.measure(state[0], state[1], [one[4] for one in mine])):
            found[one[1]] = result
    figures = list(identity(bench))
    for group, name, operation, unit, _, state in plan:
        figures.append(rate(found[name], group, name, operation, unit, state[2]))
    figures += tails(bench, random)
    figures += power(bench, filled, found[plan[0][1]], found[plan[1][1]], fresh[2])
    figures += errors(bench, [*found.values()])
    figures += endurance(bench)
    low, mid, high, note = price_band(bench.config)
    figures.append(Figure("Price", "Cost of making it", "$", mid, "5 and 95 % of its range", low, high, note))
    return figures


class Conditions:
    """(device, state, what is said of it) of the three kinds of figures."""

    def __init__(self, bench: Bench, kind: str) -> None:
        whole, part = bench.device, bench.slice
        filled = written(whole, 1)
        self.filled = (filled, bench.state("filled", filled), "the whole drive written once in order")
        if kind == "client":
            empty = written(whole, 0)
            said = "fresh drive"
            if int(bench.config["nand"].get("slc_blocks", 0)) or bench.config["nand"].get("slc_dynamic"):
                said += ", into its SLC cache"
            self.fresh = (empty, bench.state("fresh", empty), said)
            self.random = self.filled
        else:
            self.fresh = self.filled
            steady = part.set({"precondition.fill": 1, "precondition.steady": True, "precondition.drawn": True})
            said = "steady state of random 4 KiB writes"
            if bench.slice_of < 1:
                said += f"; {100 * bench.slice_of:.3g} % of each plane's blocks, spare in proportion"
            self.random = (steady, bench.state("steady", steady), said)


def identity(bench: Bench) -> Iterator[Figure]:
    link, config = bench.config["link"], bench.config
    kind = f"PCIe {link['generation']}.0 x{link['lanes']}" if link["kind"] == "pcie" else f"SATA {link['sata_rate']}" if link["kind"] == "sata" \
        else "ideal"
    yield Figure("Drive", "Capacity", "GB", bench.capacity / 1e9)
    yield Figure("Drive", "Interface", "", f"{kind}, {kind_of(config['host_interface']['kind']).upper()}")


def rate(result: Result, group: str, name: str, operation: str, unit: str, condition: str) -> Figure:
    """Throughput or mean latency of a sampled run, with its interval."""
    path, scale = {"MB/s": ("bandwidth_bytes_per_s", 1e-6), "IOPS": ("iops", 1.0), "us": ("latency_ns.mean", 1e-3)}[unit]
    value, low, high = scaled(scale, of_both(result, path) if operation == "both" else with_interval(result, f"host.{operation}.{path}"))
    note = "" if low is not None else "the windows bound no interval"
    return Figure(group, name, unit, value, condition, low, high, note)


def scaled(factor: float, bounded: Bounded) -> Bounded:
    value, low, high = bounded
    return factor * value, None if low is None else factor * low, None if high is None else factor * high


def of_both(result: Result, path: str) -> Bounded:
    """The sum of what reads and writes have, of those that there were; its interval: the sums of the ends."""
    parts = [with_interval(result, f"host.{each}.{path}") for each in ("read", "write") if int(result.data["host"][each]["ios"])]
    if any(low is None or high is None for _, low, high in parts):
        return sum(part[0] for part in parts), None, None
    return sum(part[0] for part in parts), sum(part[1] or 0.0 for part in parts), sum(part[2] or 0.0 for part in parts)


def with_interval(result: Result, path: str) -> Bounded:
    value = result.data
    for name in path.split("."):
        value = value[name]
    bounds = (result.data.get("sample") or {}).get("intervals", {}).get(path) or {}
    return float(value), bounds.get("low"), bounds.get("high")


def tails(bench: Bench, random: State) -> Iterator[Figure]:
    """Percentiles of whole runs: a sampled one bounds none beyond 99.9 %."""
    runs = [(operation, depth, job(f"rand{operation}", "4k", depth, total=f"{TAIL_REQUESTS * 4}k"))
            for operation in ("read", "write") for depth in (1, 128)]
    bench.tell(f"brief: {len(runs)} runs for tails, {random[2]}")
    for (operation, depth, _), result in zip(runs, bench.measure(random[0], random[1], [one[2] for one in runs], sampled=False)):
        frame = result.tables["latency_cdf"]
        rows = frame[frame["operation"] == operation]
        count = int(result.data["host"][operation]["ios"])
        for per_cent, share in TAILS.items():
            value, low, high = percentile(rows["latency_ns"].tolist(), rows["above"].tolist(), count, share)
            name = f"Random {operation}, 4 KiB, QD {depth}, {per_cent} %"
            if value is None:
                needed = round(FEWEST_BEYOND / (1 - share))
                yield Figure("Quality of service", name, "us", None, random[2], note=f"needs {needed:,} requests, {count:,} were simulated")
            else:
                us, low_us, high_us = scaled(1e-3, (value, low, high))
                yield Figure("Quality of service", name, "us", us, random[2], low_us, high_us)


def percentile(latencies: Sequence[float], above: Sequence[float], count: int, share: float) -> tuple[float | None, float | None, float | None]:
    """The percentile of a distribution of `count` values, and its 95 % interval by order statistics (normal approximation of the
    binomial). `above`: share of the values above each latency. None: fewer than ten values lie beyond it, or beyond its end."""
    if count * (1 - share) < FEWEST_BEYOND * (1 - 1e-6):
        return None, None, None
    half = 1.96 * math.sqrt(share * (1 - share) / count)

    def at(rank: float) -> float | None:
        return next((latency for latency, more in zip(latencies, above) if more <= 1 - rank + 1e-12), None)

    return at(share), at(share - half), at(share + half) if share + half < 1 else None


def power(bench: Bench, filled: State, reads: Result, writes: Result, write_condition: str) -> Iterator[Figure]:
    sourced = [key for key in bench.config["sources"] if key.startswith("nand.") and ("current" in key or "energy" in key)]
    given = [key for key in bench.device.keys if key.startswith("nand.") and ("current" in key or "energy" in key)]
    if not sourced and not given:
        why = "the device file names no source of its flash's currents"
        for name in ("Idle", "Active read, average", "Active write, average", "Peak"):
            yield Figure("Power", name, "W", None, note=why)
        yield Figure("Power", "Energy of a GB read, written", "J/GB", None, note=why)
        return
    (idle,) = bench.measure(filled[0], filled[1], [job("randread", "4k", 1, total="4k") | {"thinktime": "1s"}], sampled=False)
    yield Figure("Power", "Idle", "W", idle.data["energy"]["background_j"] / idle.data["simulated_s"], "no request under way, no power state entered")
    for name, result, condition in (("read", reads, filled[2]), ("write", writes, write_condition)):
        value, low, high = with_interval(result, "energy.average_w")
        yield Figure("Power", f"Active {name}, average", "W", value, f"128 KiB in order, QD 32; {condition}", low, high)
    window = float(writes.data["energy"]["peak_window_s"])
    yield Figure("Power", "Peak", "W", max(float(each.data["energy"]["peak_w"]) for each in (reads, writes)),
                 f"mean over {1e3 * window:g} ms, of the two runs above")
    for name, result in (("read", reads), ("written", writes)):
        value, low, high = with_interval(result, "energy.j_per_gb")
        yield Figure("Power", f"Energy of a GB {name}", "J/GB", value, "as above", low, high)


def errors(bench: Bench, results: Sequence[Result]) -> Iterator[Figure]:
    if bench.config["nand"]["errors"]["model"] == "none":
        yield Figure("Reliability", "Unrecoverable bit errors", "1/bit", None, note="nand.errors.model is none")
        return
    bits = sum(8 * float(each.data["host"]["read"]["bytes"]) for each in results)
    failed = sum(int(each.data["host"]["media_errors"]) for each in results)
    if failed == 0:
        yield Figure("Reliability", "Unrecoverable bit errors", "1/bit", 0.0, f"{bits:.3g} bits read in these runs", 0.0, 3 / bits,
                     "none met; the upper end is the rule of three")
    else:
        yield Figure("Reliability", "Unrecoverable bit errors", "1/bit", failed / bits, f"{bits:.3g} bits read in these runs")


def endurance(bench: Bench) -> Iterator[Figure]:
    """Bytes that can be written, by JESD219's enterprise workload: P/E cycles x raw bytes / WAF."""
    name = "Total bytes written, JESD219 enterprise workload"
    cycles, where = endurance_cycles(bench.config)
    if cycles is None:
        yield Figure("Endurance", name, "TB", None, note=where)
        return
    device, size = written(bench.slice, 1), bench.slice_capacity
    begin = bench.state("sliced", device)
    warm, _ = bench.advance(device, begin, "jesd219", {"generate": f"jesd219:read=0 %,bytes={size} B"})
    _, measured = bench.advance(device, warm, "jesd219-measured", {"generate": f"jesd219:read=0 %,bytes={size // 2} B"})
    waf = float(measured.data["ftl"]["waf"])
    raw = float(measured.data["device"]["raw_bytes"]) / bench.slice_of
    total = cycles * raw / waf
    condition = f"write amplification {waf:.3g}, {where}; after two drive writes; uneven wear not counted"
    yield Figure("Endurance", name, "TB", total / 1e12, condition)
    yield Figure("Endurance", "Drive writes a day", "1/day", total / (bench.capacity * DAYS_A_YEAR * YEARS), f"for {YEARS} years")
