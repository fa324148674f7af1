"""Sound closed-form bounds of the results of a run: no full run lies outside of them. docs/reference/bounds.md.

    bounds.of(config, {"read": 0.7, "size": 4096, "requests": 100_000, "depth": 32, "pattern": "uniform"})

An unknown bound is 0 (low) or infinite (high). `tests/campaign` checks the bounds on random devices."""
import dataclasses
import itertools
import math
from typing import Any

from .bound_device import Device, part
from .bound_energy import Power, Work, power_of, work_of
from .bound_facts import NOTHING_KNOWN, Facts, Sizes, facts_of
from .bound_latency import Latency, latency_of
from .bound_work import Resource, flash_share, resources
from .closed_forms import quantity

SLICES = 32
# The path of each objective's measured value in result.json (docs/reference/results.md), and a factor that converts it to the bound's unit.
PATHS = {
    "throughput": ("host.*.bandwidth_bytes_per_s", 1.0), "read_throughput": ("host.read.bandwidth_bytes_per_s", 1.0),
    "write_throughput": ("host.write.bandwidth_bytes_per_s", 1.0), "iops": ("host.*.iops", 1.0),
    "read_latency_mean": ("host.read.latency_ns.mean", 1e-9), "read_latency_p99": ("host.read.latency_ns.p99", 1e-9),
    "write_latency_mean": ("host.write.latency_ns.mean", 1e-9), "write_latency_p99": ("host.write.latency_ns.p99", 1e-9),
    "latency_mean": ("host.*.latency_ns.mean", 1e-9), "energy_per_gb": ("energy.j_per_gb", 1.0), "average_power": ("energy.average_w", 1.0),
    "peak_power": ("energy.peak_w", 1.0), "waf": ("ftl.waf", 1.0), "capacity": ("device.capacity_bytes", 1.0),
}
UNITS = {"throughput": "B/s", "read_throughput": "B/s", "write_throughput": "B/s", "iops": "1/s", "energy_per_gb": "J/GB",
         "average_power": "W", "peak_power": "W", "waf": "1", "capacity": "B", "dram_need": "B"}


@dataclasses.dataclass(frozen=True)
class Bound:
    """Both ends in the unit of UNITS, latencies in seconds. `reason_low`, `reason_high` say where the numbers come from."""
    low: float
    high: float
    reason_low: str
    reason_high: str


def of(configuration: dict[str, Any], workload: dict[str, Any] | None) -> dict[str, Bound]:
    """The bound of each objective of PATHS and of dram_need, by name. `configuration` is the effective one (`flashloom config
    DEVICE --json`, or `config` of a result). `workload` is a table for bound_facts.facts_of(), or None if it is unknown. Raises
    StudyError for an invalid table."""
    device = Device(configuration)
    facts = NOTHING_KNOWN if workload is None else facts_of(workload)
    device.in_zones = facts.pattern == "zones" or (facts.reads == (1.0, 1.0) and not facts.discards)
    if device.fails():  # a run does not measure failed requests, so shares and counts may take any value
        facts = _whatever(facts)
    power = power_of(device, facts)
    found = _Run(device, facts, power).bounds
    if workload is not None and facts.seconds is not None and facts.requests is None:
        found = _of_seconds(device, workload, facts, power, found["iops"].high)
    for name in ("peak_power", "average_power"):
        found[name] = Bound(power.least, power.most, power.reason_least, power.reason_most)
    found["waf"] = _waf(device, facts)
    found["capacity"] = _capacity(device)
    found["dram_need"] = _dram_need(device)
    return found


def measured(result: dict[str, Any]) -> dict[str, float]:
    """The measured value of each objective of a run, without objectives of operations that it did not ask for. Zone appends count as
    writes; a run with both has no write percentiles, since two distributions cannot be merged."""
    host = result["host"]
    kinds = {kind: host[kind] for kind in ("read", "write") if host[kind]["ios"]}
    appends = host.get("zone_append", {"ios": 0})
    if appends["ios"]:
        kinds["write"] = _together(kinds["write"], appends) if "write" in kinds else appends
    found: dict[str, float] = {}
    for kind, figures in kinds.items():
        found[f"{kind}_throughput"] = figures["bandwidth_bytes_per_s"]
        found[f"{kind}_latency_mean"] = figures["latency_ns"]["mean"] * 1e-9
        if "p99" in figures["latency_ns"]:
            found[f"{kind}_latency_p99"] = figures["latency_ns"]["p99"] * 1e-9
    if kinds:
        found["throughput"] = math.fsum(figures["bandwidth_bytes_per_s"] for figures in kinds.values())
        found["iops"] = math.fsum(figures["iops"] for figures in kinds.values())
        ios = sum(figures["ios"] for figures in kinds.values())
        found["latency_mean"] = math.fsum(one["latency_ns"]["mean"] * one["ios"] for one in kinds.values()) / ios * 1e-9
        found["energy_per_gb"] = result["energy"]["j_per_gb"]
    if "write" in kinds:
        found["waf"] = result["ftl"]["waf"]
    return found | {"average_power": result["energy"]["average_w"], "peak_power": result["energy"]["peak_w"],
                    "capacity": float(result["device"]["capacity_bytes"])}


def _together(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The figures of two operations merged into those of one."""
    ios = one["ios"] + other["ios"]
    mean = math.fsum(each["latency_ns"]["mean"] * each["ios"] for each in (one, other)) / ios
    return {"ios": ios, "latency_ns": {"mean": mean}} | {key: one[key] + other[key] for key in ("bandwidth_bytes_per_s", "iops")}


def _whatever(facts: Facts) -> Facts:
    def any_of(sizes: Sizes) -> Sizes:
        return dataclasses.replace(sizes, low=sizes.least, high=sizes.most)

    reads = (0.0 if facts.reads[0] < 1 else 1.0, 1.0 if facts.reads[1] > 0 else 0.0)
    return dataclasses.replace(facts, reads=reads, read=any_of(facts.read), write=any_of(facts.write), requests=None, seconds=None,
                               closed=False)


def _of_seconds(device: Device, workload: dict[str, Any], facts: Facts, power: Power, iops: float) -> dict[str, Bound]:
    """The bounds of a run of given duration, whose number of requests depends on the device. Either the run served at least half the
    requests that bounds allow, and its shares and means are near the asked ones; or it served fewer, of any kind."""
    seconds = facts.seconds or 0.0
    if math.isinf(iops):
        return _Run(device, _whatever(facts), power).bounds
    largest = max(facts.read.most, facts.write.most)
    few = iops * seconds / 2 * min(facts.read.low, facts.write.low) / largest
    found = _Run(device, facts_of(workload, few), power).bounds
    most = {"iops": 1.0, "read_throughput": facts.read.most if facts.reads[1] else 0.0,
            "write_throughput": facts.write.most if facts.reads[0] < 1 else 0.0}
    most["throughput"] = max(most["read_throughput"], most["write_throughput"])
    for name, size in most.items():
        if few * size / seconds > found[name].high:
            found[name] = dataclasses.replace(found[name], high=few * size / seconds, reason_high="the largest requests alone, if they are few")
    least = power.least / (few * most["throughput"] / seconds) * 1e9
    if least < found["energy_per_gb"].low:
        found["energy_per_gb"] = dataclasses.replace(found["energy_per_gb"], low=least, reason_low=power.reason_least)
    low = min(found["read_latency_mean"].low, found["write_latency_mean"].low) if 0 < facts.reads[0] < 1 else found["latency_mean"].low
    found["latency_mean"] = dataclasses.replace(found["latency_mean"], low=low)
    return found


@dataclasses.dataclass(frozen=True)
class Corner:
    """The resources and the energy that requests take at one mean size of reads and one of writes."""
    read: float
    write: float
    resources: list[Resource]
    work: Work


class _Run:
    """Bounds throughput, latency and energy of a whole run, whose share of reads and mean sizes lie in known ranges. A resource's
    throughput is a quotient of two linear functions of each, so its extremes are at the ends of the range. But the slowest
    resource changes in between, so the class cuts the range of the share of reads into slices."""

    def __init__(self, device: Device, facts: Facts, power: Power) -> None:
        self.device, self.facts, self.power = device, facts, power
        self.latency: Latency = latency_of(device, facts)
        self.corners = [self._corner(read, write) for read, write in itertools.product(_ends(facts.read), _ends(facts.write))]
        low, high = facts.reads
        edges = [low + (high - low) * i / SLICES for i in range(SLICES + 1)] if low < high else [low, low]
        self.slices = [(a, b) if a < b else (a,) for a, b in itertools.pairwise(edges)]
        self.bounds: dict[str, Bound] = {}
        for name in ("throughput", "read_throughput", "write_throughput", "iops"):
            value, reason = max((self._most(name, shares) for shares in self.slices), key=lambda found: found[0])
            self.bounds[name] = Bound(0.0, value, "no lower bound is known", f"{reason} = {shown(value, UNITS[name])}")
        for kind in ("read", "write"):
            for what in ("mean", "p99"):
                least, reason = getattr(self.latency, f"{kind}_{what}")
                self.bounds[f"{kind}_latency_{what}"] = Bound(least, math.inf, reason, "no upper bound is known")
        self.bounds["latency_mean"] = self._mean_latency()
        self.bounds["energy_per_gb"] = self._energy()

    def _corner(self, read: float, write: float) -> Corner:
        device, facts = self.device, self.facts
        requests = facts.requests
        if requests is None and facts.seconds is not None:
            flash = flash_share(device, facts, None)
            most = [1 / resource.each(share) for resource in resources(device, facts, read, write, flash)
                    for share in facts.reads if resource.slack == 0 and resource.each(share) > 0]
            requests = max(most) * facts.seconds if most else None
        flash = flash_share(device, facts, requests)
        found = list(resources(device, facts, read, write, flash))
        if facts.depth and device.single:
            found.append(self._queue(facts.depth))
        return Corner(read, write, found, work_of(device, facts, read, write, flash))

    def _queue(self, depth: float) -> Resource:
        """The queue as a resource of `depth` places (Little's law): each request occupies one place for its latency."""
        (read, _), (write, _) = self.latency.read_mean, self.latency.write_mean
        return Resource("queue", read / depth, write / depth, 0.0,
                        f"queue depth {depth:g}: reads take {read * 1e6:.4g} us, writes {write * 1e6:.4g} us at least")

    def _iops(self, resource: Resource, share: float) -> float:
        """The most requests a second that a resource can pass if `share` of them are reads."""
        each, facts = resource.each(share), self.facts
        if each <= 0 or not math.isfinite(resource.slack):
            return math.inf
        if facts.requests is not None:
            left = facts.requests * each - resource.slack
            return facts.requests / left if left > 0 else math.inf
        if facts.seconds is not None:
            return (1 + resource.slack / facts.seconds) / each
        return 1 / each if resource.slack == 0 else math.inf

    def _most(self, name: str, shares: tuple[float, ...]) -> tuple[float, str]:
        """The highest value of an objective within a slice of the share of reads, and the reason."""
        best, reason = math.inf, "nothing bounds it"
        for alike in zip(*(corner.resources for corner in self.corners)):
            value = 0.0
            for corner, resource in zip(self.corners, alike):
                for share in shares:
                    size = _size(name, corner, share)
                    value = max(value, self._iops(resource, share) * size if size else 0.0)
            if value < best:
                best, reason = value, alike[0].reason
        return best, reason

    def _mean_latency(self) -> Bound:
        facts = self.facts
        (read, _), (write, _) = self.latency.read_mean, self.latency.write_mean
        low = min(read * share + write * (1 - share) for share in facts.reads)
        reason = "unloaded latency"
        host = self.device.config["host"]
        costs = any(quantity(host[key]) for key in ("submit_cost", "complete_cost", "submit_latency", "complete_latency"))
        if facts.closed and facts.depth and facts.requests and not costs and self.device.single:
            last, why = min((self._last_sent(facts.depth, facts.requests, shares) for shares in self.slices), key=lambda found: found[0])
            waiting = facts.depth * last / facts.requests  # the queue is full until the last request is sent
            if waiting > low:
                low, reason = waiting, f"Little's law: {facts.depth:g} in flight, {why}"
        return Bound(low, math.inf, reason, "no upper bound is known")

    def _last_sent(self, depth: float, requests: float, shares: tuple[float, ...]) -> tuple[float, str]:
        """The least seconds until the last request is sent: by then all but `depth` of them are done."""
        best, reason = 0.0, ""
        sizes = (self.facts.read, self.facts.write)
        larger = max(size.most / max(size.low, 1.0) for size in sizes)
        for alike in zip(*(corner.resources for corner in self.corners)):
            value = min(requests * one.each(share) - one.slack - depth * max(one.read, one.write) * larger
                        for one in alike for share in shares)
            if value > best:
                best, reason = value, alike[0].reason
        return best, reason

    def _energy(self) -> Bound:
        least, why = math.inf, ""
        for shares in self.slices:
            iops, reason = self._most("iops", shares)
            time = 1 / iops if math.isfinite(iops) and iops > 0 else 0.0
            for corner in self.corners:
                for share in shares:
                    work = corner.work
                    slack = work.slack / self.facts.requests if self.facts.requests else math.inf if work.slack else 0.0
                    joules = self.power.least * time + max(0.0, work.read * share + work.write * (1 - share) - slack)
                    per_gb = joules / _size("throughput", corner, share) * 1e9
                    if per_gb < least:
                        least, why = per_gb, f"{self.power.least:.4g} W as long as it takes ({reason}), and what requests draw"
        return Bound(least, math.inf, why, "no upper bound is known")


def _size(name: str, corner: Corner, share: float) -> float:
    """What a request adds to an objective: 1 for IOPS, else its mean bytes."""
    if name == "iops":
        return 1.0
    read, write = share * corner.read, (1 - share) * corner.write
    return {"read_throughput": read, "write_throughput": write, "throughput": read + write}[name]


def _ends(sizes: Sizes) -> list[float]:
    return sorted({sizes.low, sizes.high})


def _waf(device: Device, facts: Facts) -> Bound:
    """The device programs each data unit that leaves the buffer at least once, and collection programs more (bound_waf.py)."""
    high = "garbage collection: published models are of means and of the steady state, no bounds"
    most = math.inf
    if facts.pattern == "zones" and not device.fails() and device.config["buffer"]["mode"] == "write_back":
        most, high = facts.most_programmed, "zones: nothing is collected; what a finish pads is counted"
    writes = facts.count(1 - facts.reads[1])
    flash = flash_share(device, facts, facts.requests)
    if not writes or not flash.write or not math.isfinite(flash.write_slack):
        return Bound(0.0, most, "what is written may stay in the buffer", high)
    units = writes * facts.write.low / device.unit
    density = device.units_per_page * device.unit / device.page
    low = max(0.0, flash.write - flash.write_slack / units) / density
    reason = f"each unit once, less {flash.write_slack:.0f} of {units:.0f} that the buffer may have" if flash.write_slack else \
        f"collection of {1 - device.capacity / device.raw:.1%} of spare places under {units:.0f} units, by any policy"
    return Bound(low, most, reason, high)


def _capacity(device: Device) -> Bound:
    if not device.single:
        return Bound(0.0, math.inf, f"{device.stands_behind()} decides", f"{device.stands_behind()} decides")
    if device.zones is not None:
        reason = f"{device.zones.count} zones of {device.zones.size_units * device.unit / 2**20:g} MiB"
        return Bound(device.capacity, device.capacity, reason, reason)
    key = "ftl.logical_size" if quantity(device.ftl["logical_size"]) else "ftl.over_provisioning"
    return Bound(device.capacity, device.capacity, key, key)


def _dram_need(device: Device) -> Bound:
    """The least DRAM: the map (4 bytes a mapping unit) of a page-mapped FTL, and the data buffer, if they are in DRAM."""
    need, parts = 0.0, []
    if part(device.ftl["kind"]) == "page_map" and device.ftl["map_location"] == "dram":
        need += 4 * device.capacity / device.unit
        parts.append("map")
    if device.config["buffer"]["location"] == "dram":
        need += quantity(device.config["buffer"]["size"])
        parts.append("buffer")
    return Bound(need, math.inf, " and ".join(parts) or "nothing is known", "what firmware needs beside is not known")


def shown(value: float, unit: str) -> str:
    """A value with a fitting unit, as "6.4 GB/s" or "53.7 us"."""
    if unit == "s":
        return next((f"{value * scale:.4g} {name}" for name, scale in (("ns", 1e9), ("us", 1e6), ("ms", 1e3)) if value * scale < 1000),
                    f"{value:.4g} s")
    for prefix, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size and unit.startswith("B/s"):
            return f"{value / size:.4g} {prefix}{unit}"
    return f"{value:.4g} {unit}"
