"""Sound bounds of what a run of a device can reach, in closed form: no full run lies outside of them. docs/bounds.md.

    bounds.of(config, {"read": 0.7, "size": 4096, "requests": 100_000, "depth": 32, "pattern": "uniform"})

What cannot be bounded is 0 or infinite. `tests/campaign` holds random devices to them."""
import dataclasses
import itertools
import math
from typing import Any

from .bound_device import Device
from .bound_energy import Energy, least_energy, most_power
from .bound_facts import Facts, Sizes, facts_of
from .bound_latency import Latency, latency_of
from .bound_work import Resource, flash_share, resources

# Where the measured value of each objective is in result.json (docs/results.md), and what it is multiplied by.
PATHS = {
    "throughput": ("host.*.bandwidth_bytes_per_s", 1.0), "read_throughput": ("host.read.bandwidth_bytes_per_s", 1.0),
    "write_throughput": ("host.write.bandwidth_bytes_per_s", 1.0), "iops": ("host.*.iops", 1.0),
    "read_latency_mean": ("host.read.latency_ns.mean", 1e-9), "read_latency_p99": ("host.read.latency_ns.p99", 1e-9),
    "write_latency_mean": ("host.write.latency_ns.mean", 1e-9), "write_latency_p99": ("host.write.latency_ns.p99", 1e-9),
    "latency_mean": ("", 1e-9), "energy_per_gb": ("energy.j_per_gb", 1.0), "average_power": ("energy.average_w", 1.0),
    "peak_power": ("energy.peak_w", 1.0), "waf": ("ftl.waf", 1.0), "capacity": ("device.capacity_bytes", 1.0),
}
UNITS = {"throughput": "B/s", "read_throughput": "B/s", "write_throughput": "B/s", "iops": "1/s", "energy_per_gb": "J/GB",
         "average_power": "W", "peak_power": "W", "waf": "1", "capacity": "B", "dram_need": "B"}


@dataclasses.dataclass(frozen=True)
class Bound:
    """In the unit of UNITS, seconds of latencies. `reason_low`, `reason_high`: where the numbers come from."""
    low: float
    high: float
    reason_low: str
    reason_high: str


def of(configuration: dict[str, Any], workload: dict[str, Any]) -> dict[str, Bound]:
    """Objective by name: all of PATHS, and dram_need. `configuration` is the effective one (`flashloom config DEVICE --json`,
    or `config` of a result), `workload` what bound_facts.facts_of() takes."""
    device = Device(configuration)
    facts = facts_of(workload)
    if device.fails():  # failed requests are not measured, so that shares and counts may be any
        facts = _whatever(facts)
    found = _Run(device, facts).bounds
    found |= _power(device, facts, found)
    found["waf"] = _waf(device, facts)
    found["capacity"] = _exactly(device.capacity, "ftl.logical_size" if device.single else "") if device.single else _nothing("capacity")
    found["dram_need"] = _dram_need(device)
    return found


def measured(result: dict[str, Any]) -> dict[str, float]:
    """What a run had of each objective; what nothing of was asked for is left out."""
    host = result["host"]
    kinds = {kind: host[kind] for kind in ("read", "write") if host[kind]["ios"]}
    found: dict[str, float] = {}
    for kind, figures in kinds.items():
        found[f"{kind}_throughput"] = figures["bandwidth_bytes_per_s"]
        found[f"{kind}_latency_mean"] = figures["latency_ns"]["mean"] * 1e-9
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


def _nothing(what: str) -> Bound:
    return Bound(0.0, math.inf, f"no bound of {what} is known", f"no bound of {what} is known")


def _exactly(value: float, reason: str) -> Bound:
    return Bound(value, value, reason, reason)


def _whatever(facts: Facts) -> Facts:
    def any_of(sizes: Sizes) -> Sizes:
        return dataclasses.replace(sizes, low=sizes.least, high=sizes.most)

    reads = (0.0 if facts.reads[0] < 1 else 1.0, 1.0 if facts.reads[1] > 0 else 0.0)
    return dataclasses.replace(facts, reads=reads, read=any_of(facts.read), write=any_of(facts.write), requests=None, seconds=None,
                               closed=False)


@dataclasses.dataclass(frozen=True)
class Most:
    """Requests a second at most, and what holds them back."""
    iops: float
    reason: str


class _Run:
    """Throughput and latency of a whole run: at each corner of what is known of shares and sizes, since both are quotients
    of straight lines in each of them."""

    def __init__(self, device: Device, facts: Facts) -> None:
        self.device, self.facts = device, facts
        self.latency: Latency = latency_of(device, facts)
        self.bounds: dict[str, Bound] = {}
        most = {name: (0.0, "") for name in ("throughput", "read_throughput", "write_throughput", "iops")}
        for reads, read, write in itertools.product(sorted(set(facts.reads)), _ends(facts.read), _ends(facts.write)):
            found = self._most(reads, read, write)
            sizes = {"read_throughput": reads * read, "write_throughput": (1 - reads) * write}
            sizes |= {"throughput": math.fsum(sizes.values()), "iops": 1.0}
            for name, size in sizes.items():
                value = found.iops * size if size else 0.0
                most[name] = max(most[name], (value, found.reason))
        for name, (value, reason) in most.items():
            self.bounds[name] = Bound(0.0, value, "no lower bound is known", f"{reason} = {shown(value, UNITS[name])}")
        for kind in ("read", "write"):
            for what in ("mean", "p99"):
                low, reason = getattr(self.latency, f"{kind}_{what}")
                self.bounds[f"{kind}_latency_{what}"] = Bound(low, math.inf, reason, "no upper bound is known")
        self.bounds["latency_mean"] = self._mean_latency()

    def _most(self, reads: float, read: float, write: float) -> Most:
        """With a share of reads and these mean sizes."""
        facts = self.facts
        known = list(resources(self.device, facts, read, write, flash_share(self.device, facts, None)))
        asymptotic = self._slowest(known, reads, None)
        requests = facts.requests
        if requests is None and facts.seconds is not None and math.isfinite(asymptotic.iops):
            requests = asymptotic.iops * facts.seconds * 1.01 + 1
        if requests is not None:
            known = list(resources(self.device, facts, read, write, flash_share(self.device, facts, requests)))
        return self._slowest([*known, *self._queue()], reads, facts.requests)

    def _slowest(self, known: list[Resource], reads: float, requests: float | None) -> Most:
        best = Most(math.inf, "nothing bounds it")
        for resource in known:
            each = resource.each(reads)
            if each <= 0 or not math.isfinite(resource.slack):
                continue
            if requests is not None:
                left = requests * each - resource.slack
                iops = requests / left if left > 0 else math.inf
            elif self.facts.seconds is not None:
                iops = (1 + resource.slack / self.facts.seconds) / each
            else:
                iops = 1 / each if resource.slack == 0 else math.inf
            if iops < best.iops:
                best = Most(iops, resource.reason)
        return best

    def _queue(self) -> list[Resource]:
        """Little's law: requests in flight are busy for their latency."""
        depth = self.facts.depth
        if not depth or not self.device.single:
            return []
        (read, _), (write, _) = self.latency.read_mean, self.latency.write_mean
        return [Resource("queue", read / depth, write / depth, 0.0,
                         f"queue depth {depth:g}: reads take {read * 1e6:.4g} us, writes {write * 1e6:.4g} us at least")]

    def _mean_latency(self) -> Bound:
        facts, iops = self.facts, self.bounds["iops"].high
        (read, _), (write, _) = self.latency.read_mean, self.latency.write_mean
        low = min(read * share + write * (1 - share) for share in facts.reads)
        reason = "unloaded latency"
        host = self.device.config["host"]
        costs = any(not str(host[key]).startswith("0 ") for key in ("submit_cost", "complete_cost", "submit_latency", "complete_latency"))
        if facts.closed and facts.depth and facts.requests and not costs and math.isfinite(iops) and iops > 0:
            full = max(0.0, 1 - facts.depth / facts.requests) ** 2  # while requests are left the queue is full
            waiting = facts.depth / iops * full
            if waiting > low:
                low, reason = waiting, f"Little's law: {facts.depth:g} in flight, {self.bounds['iops'].reason_high}"
        return Bound(low, math.inf, reason, "no upper bound is known")


def _ends(sizes: Sizes) -> list[float]:
    return sorted({sizes.low, sizes.high})


def _power(device: Device, facts: Facts, found: dict[str, Bound]) -> dict[str, Bound]:
    most, why_most = most_power(device, facts)
    energy: Energy = least_energy(device, facts)
    per_gb = energy.j_per_gb(found["throughput"].high)
    return {"peak_power": Bound(energy.background, most, "what is drawn always", why_most),
            "average_power": Bound(energy.background, most, "what is drawn always", why_most),
            "energy_per_gb": Bound(per_gb, math.inf, energy.reason(found["throughput"]), "no upper bound is known")}


def _waf(device: Device, facts: Facts) -> Bound:
    """Of data alone each unit that leaves the buffer is programmed once."""
    high = "garbage collection: published models are of means and of the steady state, no bounds"
    writes = facts.count(1 - facts.reads[1])
    flash = flash_share(device, facts, facts.requests)
    if not writes or not flash.write or not math.isfinite(flash.write_slack):
        return Bound(0.0, math.inf, "what is written may stay in the buffer", high)
    units = writes * facts.write.low / device.unit
    density = device.units_per_page * device.unit / device.page
    low = max(0.0, flash.write - flash.write_slack / units) / density
    return Bound(low, math.inf, f"each unit once, less {flash.write_slack:.0f} of {units:.0f} that the buffer may have", high)


def _dram_need(device: Device) -> Bound:
    """Map of 4 bytes a unit and data buffer, where they are in DRAM and the map is one of pages, all in memory."""
    config = device.config
    need, parts = 0.0, []
    if device.ftl["kind"] in ("page_map",) or (isinstance(device.ftl["kind"], dict) and device.ftl["kind"]["name"] == "page_map"):
        if device.ftl["map_location"] == "dram":
            need += 4 * device.capacity / device.unit
            parts.append("map")
    if config["buffer"]["location"] == "dram":
        from .closed_forms import quantity  # pylint: disable=import-outside-toplevel
        need += quantity(config["buffer"]["size"])
        parts.append("buffer")
    return Bound(need, math.inf, " and ".join(parts) or "nothing is known", "what firmware needs beside is not known")


def shown(value: float, unit: str) -> str:
    """6.4 GB/s."""
    for prefix, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size and unit.startswith("B/s"):
            return f"{value / size:.4g} {prefix}{unit}"
    return f"{value:.4g} {unit}"
