"""The least time for which requests use each resource of a device; no run is shorter than that.

If a resource serves n requests at a time, its time is the sum over all requests, divided by n. A resource's `slack` is the time
that some requests may save (a write still in the buffer at the end, a read that the buffer answers). docs/reference/bounds.md has the
reasons."""
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .bound_device import STREAMS, Device, part
from .bound_facts import DEVIATION, Facts
from .bound_power import array_joules, idle_watts
from .bound_waf import amplified
from .closed_forms import quantity

NVME_COMMAND, NVME_COMPLETION = 64.0, 16.0  # bytes, controllers/host_interface/kinds/nvme.cpp


@dataclass(frozen=True)
class Resource:
    """The seconds for which a read request and a write request use a resource. A whole run may use `slack` seconds less. `reason`
    names the configuration values behind the numbers."""
    name: str
    read: float
    write: float
    slack: float
    reason: str

    def shared(self, servers: float, reason: str) -> "Resource":
        """The resource if `servers` of them share the work."""
        return Resource(self.name, self.read / servers, self.write / servers, self.slack / servers, reason)

    def each(self, reads: float) -> float:
        """Mean seconds of a request if `reads` is the share of reads."""
        return self.read * reads + self.write * (1 - reads)


@dataclass(frozen=True)
class Flash:
    """The least part of the requests that goes to flash: shares of the units read and of the units written (above 1 if garbage
    collection adds programs), and by how many units a whole run may fall short of them by chance or because of the buffer."""
    read: float
    write: float
    read_slack: float
    write_slack: float


def flash_share(device: Device, facts: Facts, most_requests: float | None) -> Flash:
    """Shares are 0 where nothing is known: a workload that returns to few addresses may find them all in the buffer.

    The buffer saves a flash write only if the unit is in the buffer when the write is sent, or belongs to another request in
    flight. An independently drawn address is such a unit with a probability of their number over the number of all units, whatever
    the buffer does. A flash read is saved by these units and by a request that is sent while the read is in flight; of several
    requests for one unit only the first is not counted already. docs/reference/bounds.md, "What the buffer saves"."""
    units = min(facts.span or device.region, device.region) / device.unit
    slots = device.held_units()
    largest = max(1.0, max(facts.read.most, facts.write.most) / device.unit) + 1
    commands = float(device.config["host_interface"]["commands"])
    under_way = slots + min(facts.depth or commands, commands) * largest
    kept = facts.reads[0] < 1 or float(device.config["buffer"]["read_cache"]) > 0  # else the buffer's contents never change
    held_by_reads = 2 * under_way if kept else slots
    hit = under_way / max(1.0, units - largest)
    read_hit = held_by_reads / max(1.0, units - largest)
    full = float(device.config["precondition"]["fill"]) >= 1 and not facts.discards and facts.reads[1] > 0 and \
        not (device.zones is not None and device.zones.has_gaps)
    if device.fails() or not device.single:
        return Flash(0.0, 0.0, 0.0, 0.0)
    if facts.pattern == "unknown":
        read, written = _distinct_shares(facts)
        return Flash(read if full else 0.0, written, under_way, under_way)
    if facts.pattern == "zones":  # at each reset the zone's last data, up to the buffer's size, may never have reached flash
        assert device.zones is not None
        return Flash(0.0, max(0.0, 1 - under_way / math.floor(device.zones.capacity_units / 2)) if facts.reads[0] < 1 else 0.0, 0.0, under_way)
    chance, read_chance = 0.0, 0.0
    if facts.pattern == "uniform":
        chance = math.inf if most_requests is None else DEVIATION * largest * math.sqrt(most_requests)
        read_chance = 2 * chance if kept else chance
    # A sequential or shuffled workload goes over its addresses in rounds. In each round, a partial last one included, the held
    # units may save their work again, each for as many requests as one unit takes.
    again = 0.0 if facts.pattern == "uniform" else max(1.0, device.unit / min(facts.read.least, facts.write.least))
    write = 0.0 if facts.discards or facts.reads[0] == 1 else max(0.0, 1 - hit)
    spared = chance + again * under_way + under_way
    more = amplified(device, facts, write, spared) if math.isfinite(spared) else 0.0
    if facts.requests and more > write - spared * device.unit / max(1.0, (facts.count(1 - facts.reads[1]) or 0.0) * facts.write.low):
        write, spared = more, 0.0
    return Flash(max(0.0, 1 - read_hit) if full else 0.0, write, read_chance + again * held_by_reads, spared)


def spared_by_register(device: Device, facts: Facts) -> tuple[float, float]:
    """The share of the reads that may find their page in the register of its die, and how many more by chance. Without
    nand.page_register only one that waits while another reads its page does, and a request's own are counted as one. An independent read
    meets the page that its die has read before once in as many pages as the dies have. docs/reference/bounds.md, "What the register saves"."""
    if not device.nand["page_register"] and facts.depth == 1:
        return 0.0, 0.0
    if facts.pattern not in ("uniform", "shuffled"):
        return 1.0, 0.0
    units = min(facts.span or device.region, device.region) / device.unit
    largest = max(1.0, facts.read.most / device.unit) + 1
    return min(1.0, 2 * device.dies * (device.units_per_page + 1) * largest / units), 30.0


def _distinct_shares(facts: Facts) -> tuple[float, float]:
    """The shares of the bytes read, and of the bytes written, that go to an address for the first time and are not trimmed; 0 unless
    all requests are counted."""
    low, high = facts.reads
    if facts.requests is None or low != high or (facts.discards and math.isinf(facts.trimmed)):
        return 0.0, 0.0
    kept = facts.distinct_written - (facts.trimmed if facts.discards else 0.0)
    read, written = facts.requests * high * facts.read.high, facts.requests * (1 - low) * facts.write.high
    return min(1.0, facts.distinct_read / read) if read else 0.0, min(1.0, max(0.0, kept) / written) if written else 0.0


def resources(device: Device, facts: Facts, read_bytes: float, write_bytes: float, flash: Flash) -> Iterator[Resource]:
    """The use of each resource by requests of these mean sizes."""
    if not device.single:
        return
    if facts.lasts and facts.requests:
        each = facts.lasts / facts.requests
        yield Resource("host", each, each, 0.0, f"host: the last of {facts.requests:.0f} requests comes after {facts.lasts:.4g} s")
    yield from _link(device, read_bytes, write_bytes)
    yield from _cores(device, read_bytes, write_bytes)
    yield from _memories(device, facts, read_bytes, write_bytes, flash)
    yield from _flash(device, facts, read_bytes, write_bytes, flash)


def _link(device: Device, read: float, write: float) -> Iterator[Resource]:
    link = device.config["link"]
    rate = device.link_rate()
    if rate is None:
        return
    if link["kind"] == "sata":
        text = f"link: SATA of {rate / 1e6:.0f} MB/s for both directions, {link['packet_overhead']} a packet"
        yield Resource("link", device.on_link(read) / rate, device.on_link(write) / rate, 0.0, text)
        return
    done = device.on_link(NVME_COMPLETION) if device.is_nvme() else 0.0
    asked = device.on_link(NVME_COMMAND) if device.is_nvme() else 0.0
    text = f"link: PCIe {link['generation']} x{link['lanes']} of {rate / 1e9:.4g} GB/s, {link['packet_overhead']} a packet"
    yield Resource("link", (device.on_link(read) + done) / rate, done / rate, 0.0, f"{text}, to the host")
    yield Resource("link", asked / rate, (asked + device.on_link(write)) / rate, 0.0, f"{text}, from the host")


def _cores(device: Device, read: float, write: float) -> Iterator[Resource]:
    """Only the firmware's work on host commands: its work on flash may come after the run."""
    if device.cpu["model"] == "ideal":
        return
    cycles = device.cpu["cycles"]
    own = cycles["command_parse"] + cycles["command_complete"]
    if any(device.config["faults"].values()):
        own, look_up = 0, 0
    else:
        look_up = cycles["buffer_lookup"]
    shared = max(1, len(set(device.cpu["host_cores"])))
    clock = device.clock()

    def seconds(size: float) -> float:
        return float(own + look_up * max(1.0, size / device.unit)) / clock / shared

    yield Resource("cores", seconds(read), seconds(write), 0.0,
                   f"cores: {own} cycles a command and {look_up} a unit at {clock / 1e6:g} MHz, on {shared}")


def _memories(device: Device, facts: Facts, read: float, write: float, flash: Flash) -> Iterator[Resource]:
    name, memory = device.memory()
    nvram = device.config["nvram"]
    apart = device.config["buffer"]["location"] == "nvram"
    seconds = {name: [0.0, 0.0]}
    bandwidth = {key: quantity(each["bandwidth"]) if quantity(each["size"]) else 0.0 for key, each in ((name, memory), ("nvram", nvram))}
    seconds.setdefault("nvram", [0.0, 0.0])
    seconds["nvram" if apart else name][1] += write
    crossings = 1 if facts.pattern == "unknown" else 2  # in and out; if unknown, requests may send only parts of the frames read
    seconds[name][0] += crossings * read * flash.read
    slack = {key: 0.0 for key in seconds}
    slack[name] = crossings * flash.read_slack * device.unit if flash.read else 0.0
    for key, (in_read, in_write) in seconds.items():
        if bandwidth[key] and in_read + in_write:
            rate = bandwidth[key]
            text = f"{key}: {rate / 1e6:.4g} MB/s, data that are read cross it twice"
            yield Resource(key, in_read / rate, in_write / rate, slack[key] / rate, text)


def _flash(device: Device, facts: Facts, read: float, write: float, flash: Flash) -> Iterator[Resource]:
    if flash.read == 0 and flash.write == 0:
        return
    nand = device.nand
    dense = device.units_per_page / (device.page / device.unit)  # above 1 if data are compressed
    # Reads: the most units in a page and the most pages in one sense, but each sense serves one request.
    scattered = facts.pattern in ("uniform", "shuffled")
    alone = scattered or (facts.pattern == "sequential" and float(device.config["buffer"]["read_cache"]) == 0 and read >= device.unit)
    together = device.planes // int(nand["independent_planes"]) if nand["multi_plane_read"] else 1
    units = max(1.0, read / device.unit) if alone else read / device.unit
    pages = max(1.0, units / device.units_per_page) if alone else units / device.units_per_page
    held, held_slack = spared_by_register(device, facts)
    if scattered:
        senses = max(1.0, pages / together) - held
    elif held:
        senses = read / device.unit / device.units_per_page / together
    else:
        senses = max(1.0, pages / together) if alone else pages / together
    frame = min(device.unit, quantity(nand["ecc"]["frame"]))
    moved = (max(read, frame) if alone else read) / dense
    per_page = device.cycle * int(nand["read_cycles"])
    # Writes: all program units are full. The device programs a partly written mapping unit as a whole.
    written = max(1.0, write / device.unit) if scattered else write / device.unit
    per_unit = device.cycle * int(nand["program_cycles"]) / device.units_per_page + device.unit / dense / device.rate
    use = _Use(senses * flash.read, written / device.units_per_program * flash.write,
               flash.read_slack + held_slack if flash.read else 0.0, flash.write_slack / device.units_per_program if flash.write else 0.0)
    bus = Resource("bus", (pages * per_page + moved / device.rate) * flash.read, written * per_unit * flash.write,
                   use.spared_senses * (per_page + device.unit / dense / device.rate)
                   + use.spared_programs * device.units_per_program * per_unit, "")
    spared = "".join(f", if the buffer spares {1 - share:.3%} of the {what}"
                     for what, share in (("reads", flash.read), ("writes", flash.write)) if 0 < share < 1)
    if nand["network"]["topology"] == "bus":
        text = f"bus: {device.channels} channels x {device.rate / 1e6:.4g} MB/s, less {nand['command_cycle']} a command cycle{spared}"
        yield bus.shared(device.channels, text)
    yield from _dies(device, use, bus, device.read_time, device.program_time, 0.0, spared)
    means = _mean_times(device, facts)
    if means is not None:
        slowest = max(device.page_times("read")) * device.least_factor("read") / means[0]
        chance = replace(use, spared_senses=use.spared_senses * (1 + slowest))  # page types deviate by chance, as addresses do
        yield from _dies(device, chance, bus, *means, " in the mean of its page types" + spared)
    yield from _power_cap(device, use)


@dataclass(frozen=True)
class _Use:
    """Senses of a read request and program units of a write request; `spared_*`: how many fewer a whole run may need."""
    senses: float
    programs: float
    spared_senses: float
    spared_programs: float


def _dies(device: Device, use: _Use, bus: Resource, read_time: float, program_time: float, open_blocks: float,
          what: str) -> Iterator[Resource]:
    """The time of the flash arrays, plus the bus time if a die cannot overlap the two. `open_blocks`: the seconds by which an uneven
    mix of page types may shorten a die's work."""
    reads, programs = use.senses * read_time, use.programs * program_time
    slack = use.spared_senses * read_time + use.spared_programs * program_time + device.dies * open_blocks
    text = f"tR {read_time * 1e6:.4g} us, tPROG {program_time * 1e6:.4g} us for {device.program_pages * device.page / 1024:g} KiB{what}"
    most = int(device.config["power"]["cap_dies"])
    if most:
        yield Resource("dies", reads, programs, slack, "").shared(
            min(most, device.dies) * int(device.nand["independent_planes"]), f"power.cap_dies: {most} dies at once, {text}")
    n, groups = device.dies, int(device.nand["independent_planes"])
    if device.serial_die():
        yield Resource("dies", reads + bus.read, programs + bus.write, slack + bus.slack, "").shared(
            n, f"dies: {n} dies, {text}, and their bus")
    elif groups == 1:
        yield Resource("dies", reads, programs, slack, "").shared(n, f"dies: {n} dies, {text}")
    else:
        yield Resource("dies", reads, 0.0, slack, "").shared(n * groups, f"dies: {n} dies x {groups} groups of planes, {text}")
        yield Resource("dies", 0.0, programs, slack, "").shared(n, f"dies: {n} dies, {text}")


def _mean_times(device: Device, facts: Facts) -> tuple[float, float, float] | None:
    """(mean tR, mean tPROG, slack) over page types that are used equally often; `slack` is by how many seconds a die's work may fall
    short of these means: blocks are programmed page by page, so only open blocks have an uneven mix. None if only the shortest
    times are known."""
    nand = device.nand
    reads, programs = device.page_times("read"), device.page_times("program")
    types = max(len(reads), len(programs))
    plain = nand["in_order_program"] and nand["page_order"] == "word_line" and int(nand["program_passes"]) == 1 \
        and part(device.ftl["kind"]) in ("page_map", "dftl") and not int(device.ftl["rain"]) and not device.any_slc \
        and not int(device.config.get("fdp", {}).get("groups", 0))  # an FDP update closes half-full blocks
    if types == 1 or {len(reads), len(programs)} - {1, types} or int(nand["pages"]) % types or not plain or device.fails():
        return None
    streams = 2 if facts.reads[0] == 1 else 8 if part(device.ftl["streams"]) in ("single", "origin") else STREAMS
    pages = int(nand["pages"]) * device.planes * streams
    # Reads meet all page types equally often only if the data still lie where the fill has written them.
    laid = facts.reads[0] == 1 and not device.config["precondition"]["steady"] and facts.pattern in ("uniform", "sequential") \
        and facts.span is None and not device.compresses and not device.namespaces
    least, factor = device.read_time, device.least_factor("read")
    mean = math.fsum(reads) / len(reads) * factor
    read_time = least
    if laid:
        uneven = min(1.0, pages * device.dies * device.units_per_page / (device.capacity / device.unit))
        read_time = mean - uneven * (mean - least)
    program_time = device.program_time
    if int(nand["pages_per_program"]) == 1:
        spread = (1 - float(nand["program_time_spread"])) * device.least_factor("program")
        program_time = math.fsum(programs) / len(programs) * spread
    if read_time == least and program_time == device.program_time:
        return None
    return read_time, program_time, pages * max(max(reads) if laid else 0.0, max(programs) if facts.reads[0] < 1 else 0.0)


def _power_cap(device: Device, use: _Use) -> Iterator[Resource]:
    """power.cap: the arrays draw at most cap minus idle power, which limits how fast they spend their energy above idle."""
    cap = quantity(device.config["power"]["cap"])
    if not cap:
        return
    sense, program = array_joules(device)
    left = cap - device.dies * idle_watts(device.nand)
    if left <= 0:
        return
    window = quantity(device.config["power"]["cap_window"])
    yield Resource("power cap", use.senses * sense / left, use.programs * program / left,
                   (use.spared_senses * sense + use.spared_programs * program + cap * window) / left,
                   f"power.cap: {cap:g} W, a sense takes {sense * 1e6:.4g} uJ, a program {program * 1e6:.4g} uJ")
