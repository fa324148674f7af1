"""The product brief: the figures of a drive's published sheet, each with its condition and its interval."""
import pathlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..device import Device
from ..result import Result
from .bench import Bench, job, kind_of, written
from .measured import FEWEST_BEYOND, OPERATIONS, Bounded, distribution, measured, percentile, scaled
from .money import endurance_cycles, price_band

WORKERS = 8  # of random requests; sheets say 4 to 16
TAILS = {"99": 0.99, "99.99": 0.9999, "99.999": 0.99999}
TAIL_RUNS = tuple((operation, depth) for operation in OPERATIONS for depth in (1, 128))
TAIL_REQUESTS = 1_000_000  # ten of them lie beyond 99.999 %
ENERGY_SAMPLES = 1000  # of the ranges that the device file gives its currents and powers
DAYS_A_YEAR = 365
YEARS = 5
State = tuple[Device, pathlib.Path, str]  # a device, its state, and what is said of it


@dataclass(frozen=True)
class Figure:
    """A figure of the sheet. `value` None: the model does not have it, and `note` says why; `low`, `high`: a 95 % interval of what was
    simulated, or with `ranged` 5 and 95 % of what the ranges of currents or prices allow; None: none is known."""
    key: str
    group: str
    name: str
    unit: str
    value: float | str | None
    condition: str = ""
    low: float | None = None
    high: float | None = None
    ranged: bool = False
    note: str = ""


@dataclass(frozen=True)
class Rate:
    """A throughput or a mean latency: of `operation`, or of "both", by a job that begins in `state`, a name in Conditions."""
    key: str
    group: str
    name: str
    operation: str
    unit: str
    state: str
    job: Mapping[str, Any]


# Random writes fluctuate: where dies fill their blocks together, collection comes and goes with them.
MANY = f"QD 32 x {WORKERS} workers"
RATES = (
    Rate("sequential_read", "Performance", "Sequential read, 128 KiB", "read", "MB/s", "filled", job("read", "128k", 32, total="4g")),
    Rate("sequential_write", "Performance", "Sequential write, 128 KiB", "write", "MB/s", "fresh", job("write", "128k", 32, total="4g")),
    Rate("random_read", "Performance", f"Random read, 4 KiB, {MANY}", "read", "IOPS", "random",
         job("randread", "4k", 32, workers=WORKERS, total="256m")),
    Rate("random_write", "Performance", f"Random write, 4 KiB, {MANY}", "write", "IOPS", "writes",
         job("randwrite", "4k", 32, workers=WORKERS, total="512m")),
    Rate("random_mixed", "Performance", f"Random 70 % read, 4 KiB, {MANY}", "both", "IOPS", "random",
         job("randrw", "4k", 32, workers=WORKERS, read=70, total="512m")),
    Rate("read_latency", "Latency", "Random read, 4 KiB, QD 1, mean", "read", "us", "random", job("randread", "4k", 1, total="256m")),
    Rate("write_latency", "Latency", "Random write, 4 KiB, QD 1, mean", "write", "us", "writes", job("randwrite", "4k", 1, total="256m")))
IDENTITY = ("capacity", "interface")
POWER = {"idle_power": "Idle", "read_power": "Active read, average", "write_power": "Active write, average", "peak_power": "Peak",
         "read_energy": "Energy of a GB read", "write_energy": "Energy of a GB written"}
ENDURANCE = ("tbw", "dwpd")


def tail_key(operation: str, depth: int, per_cent: str) -> str:
    return f"{operation}_qd{depth}_p{per_cent.replace('.', '_')}"


KEYS = (*IDENTITY, *(rate.key for rate in RATES), *(tail_key(*run, per_cent) for run in TAIL_RUNS for per_cent in TAILS), *POWER,
        "bit_errors", *ENDURANCE, "cost")


def brief(bench: Bench, kind: str, wanted: Collection[str] = KEYS) -> list[Figure]:
    """The figures of a class, `client` or `enterprise`, of which `wanted` are keys. What no wanted figure needs is not run."""
    conditions = Conditions(bench, kind)
    rates = [rate for rate in RATES if rate.key in wanted]
    found: dict[str, tuple[Result, str]] = {}
    for name in dict.fromkeys(rate.state for rate in rates):
        mine = [rate for rate in rates if rate.state == name]
        device, state, condition = conditions.state(name)
        bench.tell(f"brief: {len(mine)} runs, {condition}")
        found |= {rate.key: (result, condition) for rate, result in zip(mine, bench.measure(device, state, [rate.job for rate in mine]))}
    figures = [*identity(bench), *(told(found[rate.key][0], rate, found[rate.key][1]) for rate in rates)]
    figures += tails(bench, conditions, wanted)
    if not POWER.keys().isdisjoint(wanted):
        figures += power(bench, conditions)
    if "bit_errors" in wanted:
        figures.append(errors(bench, [result for result, _ in found.values()]))
    if "tbw" in wanted or "dwpd" in wanted:
        figures += endurance(bench)
    if "cost" in wanted:
        low, mid, high, note = price_band(bench.config)
        figures.append(Figure("cost", "Price", "Cost of making it", "$", mid, "", low, high, True, note))
    return [figure for figure in figures if figure.key in wanted]


class Conditions:
    """(device, state, what is said of it) by kind of figure: `filled`, `fresh` (sequential writes), `random`, and random `writes`. A
    state is made when it is asked for."""

    def __init__(self, bench: Bench, kind: str) -> None:
        self._bench, self._kind = bench, kind

    def state(self, name: str) -> State:
        bench = self._bench
        if name in ("fresh", "writes") and self._kind == "client":
            said = "fresh drive"
            if int(bench.config["nand"].get("slc_blocks", 0)) or bench.config["nand"].get("slc_dynamic"):
                said += ", into its SLC cache"
            return self._made("fresh", written(bench.device, 0), said)
        if name in ("random", "writes") and self._kind == "enterprise":
            said = "steady state of random 4 KiB writes"
            if bench.slice_of < 1:
                said += f"; {100 * bench.slice_of:.3g} % of each plane's blocks, spare in proportion"
            return self._made("steady", bench.slice.set({"precondition.fill": 1, "precondition.steady": True, "precondition.drawn": True}), said)
        return self._made("filled", written(bench.device, 1), "the whole drive written once in order")

    def _made(self, name: str, device: Device, said: str) -> State:
        return device, self._bench.state(name, device), said


def identity(bench: Bench) -> Iterator[Figure]:
    link, config = bench.config["link"], bench.config
    kind = f"PCIe {link['generation']}.0 x{link['lanes']}" if link["kind"] == "pcie" else f"SATA {link['sata_rate']}" if link["kind"] == "sata" \
        else "ideal"
    yield Figure("capacity", "Drive", "Capacity", "GB", bench.capacity / 1e9)
    yield Figure("interface", "Drive", "Interface", "", f"{kind}, {kind_of(config['host_interface']['kind']).upper()}")


def told(result: Result, rate: Rate, condition: str) -> Figure:
    """Throughput or mean latency of a run, with its interval."""
    name, scale = {"MB/s": ("bytes_per_s", 1e-6), "IOPS": ("iops", 1.0), "us": ("latency_mean_ns", 1e-3)}[rate.unit]
    value, low, high = scaled(scale, measured(result, OPERATIONS if rate.operation == "both" else (rate.operation,), name))
    return Figure(rate.key, rate.group, rate.name, rate.unit, value, condition, low, high,
                  note="" if low is not None else "too short a run for an interval")


def tails(bench: Bench, conditions: Conditions, wanted: Collection[str]) -> Iterator[Figure]:
    """Percentiles of whole runs: a sampled one bounds none beyond 99.9 %."""
    runs = [run for run in TAIL_RUNS if any(tail_key(*run, per_cent) in wanted for per_cent in TAILS)]
    found: list[tuple[str, int, str, Result]] = []
    for kind in OPERATIONS:
        mine = [run for run in runs if run[0] == kind]
        if not mine:
            continue
        device, state, condition = conditions.state("random" if kind == "read" else "writes")
        bench.tell(f"brief: {len(mine)} runs for tails, {condition}")
        jobs = [job(f"rand{operation}", "4k", depth, total=f"{TAIL_REQUESTS * 4}k") for operation, depth in mine]
        found += [(*run, condition, result) for run, result in zip(mine, bench.measure(device, state, jobs, sampled=False))]
    for operation, depth, condition, result in found:
        latencies, above, count = distribution(result, operation)
        for per_cent, share in TAILS.items():
            value, low, high = percentile(latencies, above, count, share)
            key, name = tail_key(operation, depth, per_cent), f"Random {operation}, 4 KiB, QD {depth}, {per_cent} %"
            if value is None:
                needed = round(FEWEST_BEYOND / (1 - share))
                yield Figure(key, "Quality of service", name, "us", None, condition,
                             note=f"needs {needed:,} requests, {count:,} were simulated")
            else:
                us, low_us, high_us = scaled(1e-3, (value, low, high))
                yield Figure(key, "Quality of service", name, "us", us, condition, low_us, high_us)


def power(bench: Bench, conditions: Conditions) -> Iterator[Figure]:
    sourced = [key for key in bench.config["sources"] if key.startswith("nand.") and ("current" in key or "energy" in key)]
    given = [key for key in bench.device.keys if key.startswith("nand.") and ("current" in key or "energy" in key)]
    if not sourced and not given:
        for key, name in POWER.items():
            yield Figure(key, "Power", name, "J/GB" if key.endswith("energy") else "W", None,
                         note="the device file names no source of its flash's currents")
        return
    ranges = ["--uncertainty", str(ENERGY_SAMPLES), "--uncertainty-runs", "1"]
    bench.tell("brief: 3 runs for power")
    device, filled, condition = conditions.state("filled")
    idle, reads = bench.measure(device, filled, [job("randread", "4k", 1, total="4k") | {"thinktime": "1s"}, job("read", "128k", 32, total="1g")],
                                sampled=False, options=ranges)
    device, fresh, write_condition = conditions.state("fresh")
    (writes,) = bench.measure(device, fresh, [job("write", "128k", 32, total="1g")], sampled=False, options=ranges)
    window = float(writes.data["energy"]["peak_window_s"])

    def figure(key: str, unit: str, condition: str, bounded: Bounded) -> Figure:
        value, low, high = bounded
        return Figure(key, "Power", POWER[key], unit, value, condition, low, high, ranged=True)

    per_s = 1 / float(idle.data["simulated_s"])
    yield figure("idle_power", "W", "no request under way, no power state entered", scaled(per_s, of_ranges(idle, "background_j")))
    for key, result, said in (("read_power", reads, condition), ("write_power", writes, write_condition)):
        yield figure(key, "W", f"128 KiB in order, QD 32; {said}", of_ranges(result, "average_w"))
    yield figure("peak_power", "W", f"mean over {1e3 * window:g} ms, of the two runs above",
                 (max(float(each.data["energy"]["peak_w"]) for each in (reads, writes)), None, None))
    for key, result in (("read_energy", reads), ("write_energy", writes)):
        yield figure(key, "J/GB", "as above", of_ranges(result, "j_per_gb"))


def of_ranges(result: Result, name: str) -> Bounded:
    """An energy or a power, with 5 and 95 % of what the ranges of the device file make of it."""
    band = (result.data["energy"].get("uncertainty") or {}).get(name) or {}
    return float(result.data["energy"][name]), band.get("p5"), band.get("p95")


def errors(bench: Bench, results: Sequence[Result]) -> Figure:
    def figure(value: float | None, condition: str = "", low: float | None = None, high: float | None = None, note: str = "") -> Figure:
        return Figure("bit_errors", "Reliability", "Unrecoverable bit errors", "1/bit", value, condition, low, high, note=note)

    if bench.config["nand"]["errors"]["model"] == "none":
        return figure(None, note="nand.errors.model is none")
    bits = sum(8 * float(each.data["host"]["read"]["bytes"]) for each in results)
    if bits == 0:
        return figure(None, note="no figure that was asked for reads")
    failed = sum(int(each.data["host"]["media_errors"]) for each in results)
    if failed == 0:
        return figure(0.0, f"{bits:.3g} bits read in these runs", 0.0, 3 / bits, "none met; the upper end is the rule of three")
    return figure(failed / bits, f"{bits:.3g} bits read in these runs")


def endurance(bench: Bench) -> Iterator[Figure]:
    """Bytes that can be written, by JESD219's enterprise workload: P/E cycles x raw bytes / WAF."""
    name = "Total bytes written, JESD219 enterprise workload"
    cycles, where = endurance_cycles(bench.config)
    if cycles is None:
        yield Figure("tbw", "Endurance", name, "TB", None, note=where)
        return
    device, size = written(bench.slice, 1), bench.slice_capacity
    begin = bench.state("sliced", device)
    warm, _ = bench.advance(device, begin, "jesd219", {"generate": f"jesd219:read=0 %,bytes={size} B"})
    _, measured = bench.advance(device, warm, "jesd219-measured", {"generate": f"jesd219:read=0 %,bytes={size // 2} B"})
    waf = float(measured.data["ftl"]["waf"])
    raw = float(measured.data["device"]["raw_bytes"]) / bench.slice_of
    total = cycles * raw / waf
    condition = f"write amplification {waf:.3g}, {where}; after two drive writes; uneven wear not counted"
    yield Figure("tbw", "Endurance", name, "TB", total / 1e12, condition)
    yield Figure("dwpd", "Endurance", "Drive writes a day", "1/day", total / (bench.capacity * DAYS_A_YEAR * YEARS), f"for {YEARS} years")
