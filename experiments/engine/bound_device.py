"""The quantities that bounds take from a device's effective configuration (`flashloom config --json`, `config` of a result). Each
is the least or the most, in SI units, that any page, any block and any random draw can give."""
import math
from typing import Any

from .bound_zones import Zones
from .closed_forms import PCIE, quantity

MOST_DEVIATIONS = 4  # kMostDeviations of models/nand/nand_variation.hpp: standard deviations at which the model cuts a factor off
STREAMS = 64  # upper limit of streams of host data, each of which fills its own program units; all `streams` parts have fewer
FAILURES = ("endurance", "erase_failure_rate", "program_failure_rate", "failed_program", "die_failure_at", "slc_endurance")


class Device:
    """One drive. `single` is false if a cache, tier, array or heap lies between host and drive: then bounds cannot tell which
    requests reach the drive."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.nand, self.ftl, self.cpu = config["nand"], config["ftl"], config["cpu"]
        nand = self.nand
        self.channels = int(nand["channels"])
        self.dies = self.channels * int(nand["ways"]) * int(nand["dies"])
        self.planes = int(nand["planes"])
        self.page = quantity(nand["page_size"])
        self.unit = quantity(self.ftl["mapping_unit"])
        self.compresses = quantity(config["compression"]["granule"]) != 0
        self.units_per_page = self.page / self.unit * (config["compression"]["density"] if self.compresses else 1)
        self.program_planes = self.planes if nand["multi_plane_program"] else 1
        self.program_pages = self.program_planes * int(nand["pages_per_program"])
        self.units_per_program = self.program_pages * self.units_per_page
        self.any_slc = bool(nand["slc_blocks"] or nand["slc_dynamic"])
        self.rate = quantity(nand["transfer_rate"]) * int(nand["bus_width"]) / 8
        self.cycle = quantity(nand["command_cycle"])
        self.read_time = self._read_time()
        self.program_time = self._program_time()
        self.single = not self.stands_behind()
        self.in_zones = False  # whether the device has zones and the workload obeys their rules, so that it refuses no command
        self.raw = self.dies * self.planes * (int(nand["blocks"]) - int(nand["slc_blocks"])) * int(nand["pages"]) * self.page
        self.zones = Zones(config, self.dies, int(nand["pages"]) * self.page / self.unit, self.unit) if self.is_zoned() else None
        self.capacity = self._capacity()
        self.namespaces = [quantity(size) for size in config["host_interface"]["namespaces"]]
        self.region = min([self.capacity, *self.namespaces])  # least bytes that a job covers if it covers its whole namespace

    def stands_behind(self) -> str:
        """Names the layer between host and drive; "" if there is none."""
        config = self.config
        if quantity(config["host"]["cache"]["size"]):
            return "host.cache"
        if quantity(config["hdd"]["capacity"]):
            return "a tier"
        if config["array"]["level"] != "none":
            return "an array"
        return "a heap" if config["heap"]["nvram"]["kind"] != "none" else ""

    def fails(self) -> str:
        """Names the reason why requests may fail or acknowledged data may never reach flash; "" if there is none."""
        config = self.config
        if any(config["faults"].values()):
            return "faults"
        if any(self.nand[key] for key in FAILURES):
            return "failures of flash"
        if self.nand["errors"]["model"] != "none":
            return "bit errors"
        if self.is_zoned() and not self.in_zones:  # the device may refuse commands, and a reset drops data from the buffer
            return "zones"
        return "power cuts" if self.is_cut() else ""

    def is_zoned(self) -> bool:
        return part(self.ftl["kind"]) == "zoned"

    def is_cut(self) -> bool:
        return bool(int(self.config["power"]["cuts"]) or quantity(self.config["power"]["cut_at"]))

    def least_factor(self, operation: str) -> float:
        """The least factor on this operation's time that nand.variation can draw: models/nand/nand_variation.hpp."""
        varied = [float(self.nand["variation"].get(f"{operation}_{level}", 0.0)) for level in ("die", "block", "layer")]
        return math.exp(-MOST_DEVIATIONS * math.fsum(varied) - math.fsum(s * s for s in varied) / 2)

    def page_times(self, operation: str) -> list[float]:
        """tR or tPROG of each page type, as the mean over all produced dies."""
        nand = self.nand
        if operation == "read" and nand["senses"]:
            return [quantity(nand["read_setup"]) + n * quantity(nand["sense_time"]) for n in nand["senses"]]
        return [quantity(time) for time in _listed(nand[f"{operation}_time"])]

    def _read_time(self) -> float:
        """The shortest tR of any page."""
        nand = self.nand
        times = self.page_times("read")
        if self.any_slc:
            times.append(quantity(nand["slc_read_time"]))
        return min(times) * self.least_factor("read")

    def _program_time(self) -> float:
        """The shortest array time to program one program unit; with two passes, their sum."""
        nand = self.nand
        pages = int(nand["pages_per_program"])
        times = self.page_times("program")
        time = times[-1] if pages > 1 else min(times)
        if int(nand["program_passes"]) == 2:
            time += quantity(nand["first_pass_time"]) or time / 2
        if self.any_slc:
            time = min(time, pages * quantity(nand["slc_program_time"]))
        return time * (1 - float(nand["program_time_spread"])) * self.least_factor("program")

    def _capacity(self) -> float:
        """Logical bytes, which the host sees: logical_units() of controllers/ftl/ftl_rules.cpp."""
        if self.zones is not None:
            return self.zones.units * self.unit
        logical = quantity(self.ftl["logical_size"])
        if logical:
            return math.floor(logical / self.unit) * self.unit
        return math.floor(self.raw / self.unit / (1 + float(self.ftl["over_provisioning"]))) * self.unit

    def held_units(self) -> float:
        """The most mapping units that are not on flash yet, or that a read finds in the buffer: buffer_slots() of
        controllers/buffer/buffer_config.cpp. It includes units that wait until their program unit is full, estimated generously."""
        buffer = self.config["buffer"]
        waiting = STREAMS * self.units_per_program
        if self.nand["paired_pages"] or int(self.nand["program_passes"]) == 2 or int(self.ftl["rain"]):
            waiting += STREAMS * self.dies * self.planes * self.units_per_program  # until word lines and stripes are full
        return max(quantity(buffer["size"]) / self.unit, waiting, 2.0 * int(buffer["split"])) + self.units_per_program

    def serial_die(self) -> bool:
        """Whether a die never uses its arrays and the bus at once: it has no cache commands, no suspension, no plane groups."""
        nand = self.nand
        return not any((nand["cache_read"], nand["cache_program"], nand["program_suspend"], nand["erase_suspend"],
                        int(nand["independent_planes"]) > 1))

    def link_rate(self) -> float | None:
        """Bytes a second on the wires of one direction; None for an ideal link."""
        link = self.config["link"]
        if link["kind"] == "ideal":
            return None
        if link["kind"] == "sata":
            return quantity(link["sata_rate"]) * 0.8
        rate, coding = PCIE[int(link["generation"])]
        return rate * int(link["lanes"]) * coding / 8

    def on_link(self, size: float) -> float:
        """The least bytes on the wires for `size` bytes of data. For a mean `size` the result is at most the mean over requests."""
        link = self.config["link"]
        packets = max(1.0, size / quantity(link["max_payload"])) if size else 0.0
        return size + packets * quantity(link["packet_overhead"])

    def is_nvme(self) -> bool:
        return part(self.config["host_interface"]["kind"]) == "nvme"

    def memory(self) -> tuple[str, dict[str, Any]]:
        """Name and configuration of the drive's memory: the DRAM, or the SRAM if only that has a size."""
        name = "dram" if quantity(self.config["dram"]["size"]) or not quantity(self.config["sram"]["size"]) else "sram"
        return name, self.config[name]

    def clock(self) -> float:
        """The highest clock of a core, in Hz."""
        points = self.cpu["points"]
        clocks = [quantity(point["clock"]) for point in points]
        if not clocks:
            return quantity(self.cpu["clock"])
        return clocks[int(self.cpu["point"])] if self.cpu["governor"] == "fixed" else max(clocks)


def part(value: Any) -> str:
    """The name of a part; `value` is this name, or a table of it and the part's parameters."""
    return str(value["name"] if isinstance(value, dict) else value)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
