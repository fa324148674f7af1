"""The least latency of reads and writes in closed form: the time of a request that waits for no other."""
from dataclasses import dataclass

from .bound_device import Device
from .bound_facts import DEVIATION, Facts
from .bound_work import NVME_COMMAND, NVME_COMPLETION, flash_share, spared_by_register
from .closed_forms import quantity

Known = tuple[float, str]  # seconds, why


@dataclass(frozen=True)
class Latency:
    """The least latencies in seconds, each with its reason."""
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
    # By convexity (packet overhead over size), requests of mean size m take no less in the mean than requests that all have size m.
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
    """Seconds on the link for command, data and completion entry, one after the other."""
    link = device.config["link"]
    rate = device.link_rate()
    if rate is None:
        return 0.0
    way = quantity(link["latency"])
    moved = device.on_link(size) / rate
    if not device.is_nvme() or link["kind"] == "sata":
        return moved + 2 * way  # one way for the command, one for the answer
    entries = (device.on_link(NVME_COMMAND) + device.on_link(NVME_COMPLETION)) / rate
    return moved + entries + (2 if operation == "read" else 3) * way


def _cores(device: Device, units: float) -> float:
    """Firmware time before the data: command parsing and buffer look-ups. It leaves out the controller's own latency."""
    if device.cpu["model"] == "ideal":
        return 0.0
    cycles = device.cpu["cycles"]
    if any(device.config["faults"].values()):
        return float(cycles["command_parse"]) / device.clock()
    return float(cycles["command_parse"] + units * cycles["buffer_lookup"]) / device.clock()


def _flash_read(device: Device) -> float:
    """Seconds of a one-unit read from flash, without its data's time on the link."""
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
    """Seconds of flash work before the acknowledgement of a write in write-through mode; 0 in other modes."""
    config = device.config
    if config["buffer"]["mode"] != "write_through" or config["power"]["plp"]:
        return 0.0
    least = device.program_time
    if int(device.nand["program_passes"]) == 2:
        least = min(least, quantity(device.nand["program_time"][-1]))
    return device.cycle * int(device.nand["program_cycles"]) + least


def _from_flash(device: Device, facts: Facts) -> float:
    """The least share of the reads that go to flash."""
    reads = facts.count(facts.reads[0])
    if not reads:
        return 0.0
    flash = flash_share(device, facts, facts.requests)
    held, held_slack = spared_by_register(device, facts)
    if not flash.read or held == 1:
        return 0.0
    if facts.pattern == "unknown":  # the fewest requests that can carry all bytes which go to flash
        return max(0.0, flash.read * facts.read.low - flash.read_slack * device.unit / reads) / facts.read.most
    # Share of the reads that chance, or data still in the buffer, may keep from flash.
    away = 2 * DEVIATION * reads ** -0.5 if facts.pattern == "uniform" else flash.read_slack / reads
    return max(0.0, flash.read - away - held - held_slack / reads)
