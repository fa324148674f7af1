"""Tests of SNIA's SSS PTS 2.0.2: rounds from a purge to the steady state, each measured in windows.

Between two rounds the instant clock carries out what the loop writes: of the user capacity the share `ROUND_WRITES` a round, in the
loop's mix of sizes. What an element measures begins in the state at the begin of its round. Real rounds last a minute an element.
"""
import itertools
import math
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import BadInput
from ..result import Result
from ..units import in_bytes
from .bench import Bench, job, written
from .measured import OPERATIONS, Bounded, distribution, measured, scaled
from .steady import MOST_ROUNDS, WINDOW, Window, steady

ROUND_WRITES = 0.5
FIGURES = {"iops": ("iops", 1.0), "mb_s": ("bytes_per_s", 1e-6), "mean_us": ("latency_mean_ns", 1e-3)}
CONCURRENCY = {"client": (2, 16), "enterprise": (4, 32)}  # threads, queue depth
SIZES = ("1024k", "128k", "64k", "32k", "16k", "8k", "4k", "512")
READS = (100, 95, 65, 50, 35, 5, 0)
GRID = (1, 2, 4, 6, 8, 16, 32)
POINTS_OF_A_FILL = 10
HISTOGRAM = "800m"  # 204,800 requests of 4 KiB, of all workers: ten of them beyond 99.99 %
CORE = {"1024k": "1g", "128k": "512m"}  # bytes that an element measures; others below
Element = tuple[str, Mapping[str, Any]]  # what it is called, and its job


def run_test(name: str, bench: Bench, kind: str) -> dict[str, Any]:
    """`rounds`: rows of round, element, figure, value, low, high; `window`: the steady state; `notes`."""
    return TESTS[name](bench, kind)


def total_of(size: str, read: int) -> str:
    return CORE.get(size, "64m" if read == 100 else "128m")


def mixed(size: str, read: int, threads: int, depth: int, total: str | None = None) -> dict[str, Any]:
    rw = "randread" if read == 100 else "randwrite" if read == 0 else "randrw"
    return job(rw, size, depth, workers=threads, read=read if rw == "randrw" else None, total=total or total_of(size, read))


def smallest(bench: Bench) -> Sequence[str]:
    """The block sizes that the device's sectors allow."""
    return SIZES if bench.config["host_interface"]["sector_size"] == "512 B" else SIZES[:-1]


def figures_of(result: Result, names: Sequence[str]) -> Iterator[tuple[str, Bounded]]:
    """`iops`, `mb_s`, `mean_us`, `max_us` of reads and writes together."""
    for name in names:
        if name == "max_us":
            yield name, (1e-3 * max(float(result.data["host"][operation]["latency_ns"]["max"]) for operation in OPERATIONS), None, None)
        else:
            path, scale = FIGURES[name]
            yield name, scaled(scale, measured(result, OPERATIONS, path))


def rows_of(number: int, element: str, result: Result, names: Sequence[str]) -> list[dict[str, Any]]:
    return [{"round": number, "element": element, "figure": name, "value": value, "low": low, "high": high}
            for name, (value, low, high) in figures_of(result, names)]


def prepared(bench: Bench) -> tuple[Any, pathlib.Path]:
    """The slice after purge and workload independent preconditioning, twice its capacity in order: device and state."""
    device = written(bench.slice, 1)
    return device, bench.advance(device, bench.state("sliced", device), "wipc", {"job": job("write", "128k", 1, total=str(bench.slice_capacity))})[0]


def loop(bench: Bench, test: str, elements: Sequence[Element], tracked: tuple[str, str], names: Sequence[str],
         writes: Callable[[int], Mapping[str, Any]], start: tuple[Any, pathlib.Path]) -> dict[str, Any]:
    """Rounds until five of them are steady, 25 at most. `tracked`: element and figure; `writes`: the workload that carries out so many
    bytes of the loop."""
    return settle(bench, test, elements, tracked, names, writes, start)[0]


def settle(bench: Bench, test: str, elements: Sequence[Element], tracked: tuple[str, str], names: Sequence[str],
           writes: Callable[[int], Mapping[str, Any]], start: tuple[Any, pathlib.Path]) -> tuple[dict[str, Any], pathlib.Path]:
    """What loop() gives, and the state at the begin of the last round."""
    device, state = start
    rows: list[dict[str, Any]] = []
    values: list[float] = []
    window: Window | None = None
    for number in range(1, MOST_ROUNDS + 1):
        bench.tell(f"{test}: round {number}")
        begin = state
        for (element, _), result in zip(elements, bench.measure(device, begin, [job for _, job in elements])):
            mine = rows_of(number, element, result, names)
            rows += mine
            values += [row["value"] for row in mine if (element, row["figure"]) == tracked]
        window = steady(values)
        if window is not None and window.reached:
            break
        state, _ = bench.advance(device, state, f"{test}-{number}", writes(int(ROUND_WRITES * bench.slice_capacity)))
    assert window is not None
    return {"rounds": rows, "tracked": " ".join(tracked), "window": window.told(), "values": means(rows, window.first),
            "notes": [f"simulated: {100 * bench.slice_of:.3g} % of each plane's blocks; a round writes {100 * ROUND_WRITES:g} % of the capacity"
                      " on the instant clock, where the standard has a minute an element"]}, begin


def means(rows: Sequence[Mapping[str, Any]], first: int) -> dict[str, float]:
    """The mean of each element's figures over the window."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if first <= row["round"] < first + WINDOW:
            found.setdefault(f"{row['element']}; {row['figure']}", []).append(row["value"])
    return {name: sum(values) / len(values) for name, values in found.items()}


def random_writes(size: str) -> Callable[[int], Mapping[str, Any]]:
    return lambda total: {"generate": f"mix:read=0 %,size={size},bytes={total} B"}


def iops(bench: Bench, kind: str) -> dict[str, Any]:
    threads, depth = CONCURRENCY[kind]
    sizes = smallest(bench)
    elements = [(f"{size}, {read} % reads", mixed(size, read, threads, depth)) for read in READS for size in sizes]
    shares = ", ".join(f"{in_kib(size)}: {100 / len(sizes):.6g} %" for size in sizes)
    return loop(bench, "iops", elements, ("4k, 0 % reads", "iops"), ("iops",),
                lambda total: {"generate": f'mix:read=0 %,size="{shares}",bytes={total} B'}, prepared(bench))


def in_kib(size: str) -> str:
    return "512 B" if size == "512" else f"{size[:-1]} KiB"


def throughput(bench: Bench, _: str) -> dict[str, Any]:
    start = prepared(bench)
    found: dict[str, Any] = {"rounds": [], "values": {}, "windows": {}, "notes": []}
    for size in ("128k", "1024k"):
        elements = [(f"{size}, {rw}", job(rw, size, 32, total="2g")) for rw in ("read", "write")]
        one = loop(bench, f"tp-{size}", elements, (f"{size}, write", "mb_s"), ("mb_s",),
                   lambda total, size=size: {"job": job("write", size, 32, total=str(total))}, start)  # type: ignore[misc]
        found["rounds"] += one["rounds"]
        found["values"] |= one["values"]
        found["windows"][size] = one["window"]
        found["notes"] = one["notes"]
    found["window"] = found["windows"]["128k"]
    found["tracked"] = "128k, write mb_s"
    return found


def latency(bench: Bench, _: str) -> dict[str, Any]:
    elements = [(f"{size}, {read} % reads", mixed(size, read, 1, 1)) for read in (100, 65, 0)
                for size in ("8k", "4k", "512") if size in smallest(bench)]
    start = prepared(bench)
    settled, state = settle(bench, "lat", elements, ("4k, 0 % reads", "mean_us"), ("mean_us", "max_us"), random_writes("4 KiB"), start)
    return settled | histograms(bench, start[0], state, {f"4k, {read} % reads": mixed("4k", read, 1, 1, HISTOGRAM) for read in (100, 65, 0)})


def histograms(bench: Bench, device: Any, state: pathlib.Path, elements: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """`tails`: the distribution of latencies of each element, of whole runs: `us`, and the share of requests `above`; `requests`."""
    tails = []
    for name, result in zip(elements, bench.measure(device, state, [*elements.values()], sampled=False)):
        for operation in OPERATIONS:
            latencies, above, requests = distribution(result, operation)
            if requests:
                tails.append({"element": name, "operation": operation, "requests": requests, "us": [1e-3 * each for each in latencies],
                              "above": above})
    return {"tails": tails}


Phase = tuple[str, Callable[[str], Mapping[str, Any]], Callable[[int], Mapping[str, Any]], float]  # name, job of a size, writes, drive fills
SMALL_SHARE, BUFFERS, LARGEST = 200, 2, 2**27  # of the capacity, of the buffer, in bytes: what a worker writes in a measurement


def along(bench: Bench, test: str, phases: Sequence[Phase], figure: str) -> dict[str, Any]:
    """A purged drive by the capacity that phase after phase writes, measured ten times a drive fill."""
    device, size = written(bench.slice, 0), bench.slice_capacity
    state = bench.state("purged", device)
    # A measurement must not pass the cliff that it shows, and must fill the buffer several times.
    most = min(max(size // SMALL_SHARE, BUFFERS * in_bytes(bench.config["buffer"]["size"])) // 2**16 * 2**16 + 2**16, LARGEST)
    rows: list[dict[str, Any]] = []
    number, before = 1, 0.0
    for phase, element, writes, fills in phases:
        for step in range(round(fills * POINTS_OF_A_FILL) + 1):
            bench.tell(f"{test}: {phase}, {step / POINTS_OF_A_FILL:g} of {fills:g} drive fills")
            (result,) = bench.measure(device, state, [element(str(most))])
            fills_so_far = before + step / POINTS_OF_A_FILL
            rows += [row | {"drive_fills": fills_so_far} for row in rows_of(number, phase, result, (figure, "mean_us", "max_us"))]
            if step < round(fills * POINTS_OF_A_FILL):
                state, _ = bench.advance(device, state, f"{test}-{number}", writes(math.ceil(size / POINTS_OF_A_FILL)))
            number += 1
        before += fills
    values = [row["value"] for row in rows if row["figure"] == figure]
    window = steady(values)
    assert window is not None
    return {"rounds": rows, "tracked": figure, "window": window.told(),
            "values": {f"first; {figure}": values[0], f"last five; {figure}": window.mean},
            "notes": [f"simulated: {100 * bench.slice_of:.3g} % of each plane's blocks; by written capacity, where the standard has hours"]}


def saturation(bench: Bench, kind: str) -> dict[str, Any]:
    """Random 4 KiB writes from a purge to four times the capacity."""
    return along(bench, "wsat", [("random 4 KiB", lambda total: mixed("4k", 0, *CONCURRENCY[kind], total), random_writes("4 KiB"), 4)], "iops")


def stimulus(bench: Bench, kind: str) -> dict[str, Any]:
    """Sequential 1 MiB writes, random 8 KiB writes, sequential ones again."""
    def in_order(total: str) -> dict[str, Any]:
        return job("write", "1024k", 32, total=str(max(int(total), 2**25)))

    ordered = (in_order, lambda total: {"job": job("write", "1024k", 32, total=str(total))}, 1.0)
    random = (lambda total: mixed("8k", 0, *CONCURRENCY[kind], total), random_writes("8 KiB"), 1.0)
    return along(bench, "xsr", [("sequential 1 MiB", *ordered), ("random 8 KiB", *random), ("sequential again", *ordered)], "mb_s")


def demand(bench: Bench, test: str, element: Callable[[int, int], Mapping[str, Any]], writes: Callable[[int], Mapping[str, Any]]) -> dict[str, Any]:
    """Outstanding requests against latency, after steady state at 32 threads of depth 32."""
    start = prepared(bench)
    settled, state = settle(bench, test, [("TC 32, QD 32", element(32, 32))], ("TC 32, QD 32", "iops"), ("iops",), writes, start)
    settled["values"] = {}
    places = [*itertools.product(GRID, GRID)]
    grid = [(f"TC {threads}, QD {depth}", element(threads, depth)) for threads, depth in places]
    last = settled["window"]["first"] + WINDOW
    for (name, _), result in zip(grid, bench.measure(start[0], state, [each for _, each in grid])):
        mine = rows_of(last, name, result, ("iops", "mean_us"))
        settled["rounds"] += mine
        settled["values"] |= {f"{name}; {row['figure']}": row["value"] for row in mine}
    least, middle, most = settings(settled["values"], places)
    bench.tell(f"{test}: histograms")
    return settled | histograms(bench, start[0], state, {f"{title}: TC {threads}, QD {depth}": element(threads, depth) | {"io_size": f"{800 // threads}m"}
                                                         for title, (threads, depth) in (("least IOPS", least), ("middle", middle), ("most IOPS", most))})


def settings(values: Mapping[str, float], grid: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Threads and depth of least, middle (nearest to half way between the others) and most IOPS."""
    iops = {at: values[f"TC {at[0]}, QD {at[1]}; iops"] for at in grid}
    least, most = min(grid, key=lambda at: iops[at]), max(grid, key=lambda at: iops[at])
    return least, min(grid, key=lambda at: abs(iops[at] - (iops[least] + iops[most]) / 2)), most


def dirth(bench: Bench, _: str) -> dict[str, Any]:
    return demand(bench, "dirth", lambda threads, depth: mixed("4k", 65, threads, depth), random_writes("4 KiB"))


def composite(threads: int, depth: int) -> dict[str, Any]:
    """JESD219's sizes and ranges of addresses, 40 % reads, as a fio job."""
    sizes = "512/4:1k/1:1536/1:2k/1:2560/1:3k/1:3584/1:4k/67:8k/10:16k/7:32k/3:64k/3"
    options = job("randrw", "4k", depth, workers=threads, read=40, total="128m") | {"bssplit": sizes, "random_distribution": "zoned:50/5:30/15:20/80"}
    del options["bs"]
    return options


def ecw(bench: Bench, _: str) -> dict[str, Any]:
    if len(smallest(bench)) < len(SIZES):
        raise BadInput("ecw: JESD219 has requests of 512 bytes, which sectors of this device do not allow")
    return demand(bench, "ecw", composite, lambda total: {"generate": f"jesd219:read=0 %,bytes={total} B"})


IDLE = (5, 10, 15, 25, 50)  # seconds, after as many as ACTIVE of writes
ACTIVE = 5
PERIODS = 20  # of writes and idle time that are simulated, where the standard has 360


def idle_recovery(bench: Bench, kind: str) -> dict[str, Any]:
    """Random 4 KiB writes with idle time between, from their steady state. A slice has its share of all times."""
    threads, depth = CONCURRENCY[kind]
    element = "no idle time"
    start = prepared(bench)
    settled, state = settle(bench, "hir", [(element, mixed("4k", 0, threads, depth))], (element, "iops"), ("iops",), random_writes("4 KiB"), start)
    scale, steady_iops = bench.slice_of, settled["window"]["mean"]
    each = max(1, round(steady_iops * ACTIVE * scale))  # requests in a period
    # One worker with all requests in flight: several would not rest at the same time.
    jobs = [mixed("4k", 0, 1, threads * depth, str(PERIODS * each * 4096)) | {"thinktime": f"{round(1e6 * wait * scale)}us", "thinktime_blocks": each}
            for wait in IDLE]
    bench.tell(f"hir: {len(IDLE)} idle times")
    for wait, result in zip(IDLE, bench.measure(start[0], state, jobs, sampled=False)):
        active = float(result.data["simulated_s"]) - (PERIODS - 1) * wait * scale
        value = int(result.data["host"]["write"]["ios"]) / active
        settled["values"][f"{wait} s idle; iops"] = value
        settled["rounds"].append({"round": settled["window"]["first"] + WINDOW, "element": f"{wait} s idle", "figure": "iops", "value": value,
                                  "low": None, "high": None})
    settled["notes"].append(f"{PERIODS} periods of {ACTIVE} s of writes and the idle time, of which the slice has {100 * scale:.3g} %; each idle time "
                            "begins in the steady state; IOPS while writing")
    return settled


TESTS: dict[str, Callable[[Bench, str], dict[str, Any]]] = {"iops": iops, "tp": throughput, "lat": latency, "wsat": saturation, "hir": idle_recovery, "xsr": stimulus,
                                                                  "dirth": dirth, "ecw": ecw}
