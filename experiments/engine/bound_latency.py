"""The least latency of reads and writes in closed form: what a request takes where nothing else is in its way."""
from dataclasses import dataclass

from .bound_device import Device
from .bound_facts import DEVIATION, Facts
from .bound_work import NVME_COMMAND, NVME_COMPLETION, flash_share
from .closed_forms import quantity

Known = tuple[float, str]  # seconds, why


@dataclass(frozen=True)
class Latency:
    """Seconds at least, and the reason."""
    read_mean: Known
    read_p99: Known
    write_mean: Known
    write_p99: Known


def latency_of(device: Device, facts: Facts) -> Latency:
    if not device.single:
        nothing = (0.0, f"{device.stands_behind()} may answer")
        return Latency(nothing, nothing, nothing, nothing)
    near, far = _link(device, facts.read.least, "read") + _cores(device, 1), _flash_read(device)
    cached = f"link and firmware {near * 1e6:.4g} us"
    share = _from_flash(device, facts)
    beyond = max(0.0, far - near)
    # Of a mean size no less than of requests that are all as large: what packets take is convex in it.
    mean = _link(device, facts.read.low, "read") + _cores(device, 1)
    read_mean = max((mean, f"link and firmware {mean * 1e6:.4g} us for {facts.read.low:.0f} B"),
                    (near + share * beyond, f"{cached}, and flash {far * 1e6:.4g} us for {share:.1%}" if share else cached))
    read_p99 = (near + beyond, f"tR and its commands {far * 1e6:.4g} us") if share > 0.011 else (near, cached)
    write = _link(device, facts.write.least, "write") + _cores(device, 1)
    accepted = f"link and firmware {write * 1e6:.4g} us"
    mean = _link(device, facts.write.low, "write") + _cores(device, 1)
    through = 0.0 if device.fails() else _write_through(device)
    if through:
        accepted += f", and a program {through * 1e6:.4g} us"
    return Latency(read_mean, read_p99, (mean + through, accepted.replace(f"{write * 1e6:.4g}", f"{mean * 1e6:.4g}", 1)), (write + through, accepted))


def _link(device: Device, size: float, operation: str) -> float:
    """The command, the data and the completion entry, each behind the other."""
    link = device.config["link"]
    rate = device.link_rate()
    if rate is None:
        return 0.0
    way = quantity(link["latency"])
    moved = device.on_link(size) / rate
    if not device.is_nvme() or link["kind"] == "sata":
        return moved + 2 * way  # a command to the drive, and an answer
    entries = (device.on_link(NVME_COMMAND) + device.on_link(NVME_COMPLETION)) / rate
    return moved + entries + (2 if operation == "read" else 3) * way


def _cores(device: Device, units: float) -> float:
    """Firmware before the data: parsing, and look-ups of a read; and the controller's own latency is no part of it."""
    if device.cpu["model"] == "ideal":
        return 0.0
    cycles = device.cpu["cycles"]
    if any(device.config["faults"].values()):
        return float(cycles["command_parse"]) / device.clock()
    return float(cycles["command_parse"] + units * cycles["buffer_lookup"]) / device.clock()


def _flash_read(device: Device) -> float:
    """A read of one unit from flash, without what its data take on the link."""
    nand = device.nand
    frame = min(device.unit, quantity(nand["ecc"]["frame"]))
    dense = device.units_per_page / (device.page / device.unit)
    least = 512.0 if dense == 1 else 0.0
    moved = max(least, frame if dense == 1 else 0.0) / device.rate
    cycles = 0.0
    if device.cpu["model"] != "ideal":
        steps = device.cpu["cycles"]
        cycles = float(steps["map_lookup"] + steps["flash_issue"]) / device.clock()
    return _link(device, 0.0, "read") + _cores(device, 1) + cycles + device.cycle * int(nand["read_cycles"]) + \
        device.read_time + moved


def _write_through(device: Device) -> float:
    """What a write waits for that is acknowledged when it is on flash."""
    config = device.config
    if config["buffer"]["mode"] != "write_through" or config["power"]["plp"]:
        return 0.0
    least = device.program_time
    if int(device.nand["program_passes"]) == 2:
        least = min(least, quantity(device.nand["program_time"][-1]))
    return device.cycle * int(device.nand["program_cycles"]) + least


def _from_flash(device: Device, facts: Facts) -> float:
    """The share of the reads that go to flash at least."""
    reads = facts.count(facts.reads[0])
    if not reads:
        return 0.0
    flash = flash_share(device, facts, facts.requests)
    if not flash.read:
        return 0.0
    if facts.pattern == "unknown":  # as few requests as have all those bytes
        return max(0.0, flash.read * facts.read.low - flash.read_slack * device.unit / reads) / facts.read.most
    # Of a run's reads so many fewer, by chance or because the buffer has them.
    away = 2 * DEVIATION * reads ** -0.5 if facts.pattern == "uniform" else flash.read_slack / reads
    return max(0.0, flash.read - away)
