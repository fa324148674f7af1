"""What bounds take from the effective configuration of a device (`flashloom config --json`, `config` of a result): least and
most values, in SI units, whatever page, block or chance decides."""
import math
from typing import Any

from .bound_zones import Zones
from .closed_forms import PCIE, quantity

MOST_DEVIATIONS = 4  # kMostDeviations of models/nand/nand_variation.hpp: where a factor is cut off
STREAMS = 64  # of the host's data at most, whose program units fill apart; parts of the family `streams` have fewer
FAILURES = ("endurance", "erase_failure_rate", "program_failure_rate", "failed_program", "die_failure_at", "slc_endurance")


class Device:
    """One drive. `whole` is false where something stands between host and drive, or several drives do: then nothing is known
    of what reaches it."""

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
        self.in_zones = False  # it has zones, and the workload keeps to them: nothing is refused
        self.raw = self.dies * self.planes * (int(nand["blocks"]) - int(nand["slc_blocks"])) * int(nand["pages"]) * self.page
        self.zones = Zones(config, self.dies, int(nand["pages"]) * self.page / self.unit, self.unit) if self.is_zoned() else None
        self.capacity = self._capacity()
        self.namespaces = [quantity(size) for size in config["host_interface"]["namespaces"]]
        self.region = min([self.capacity, *self.namespaces])  # bytes that a job goes to at least, if it goes to all that it may

    def stands_behind(self) -> str:
        """What is between host and drive; "": nothing."""
        config = self.config
        if quantity(config["host"]["cache"]["size"]):
            return "host.cache"
        if quantity(config["hdd"]["capacity"]):
            return "a tier"
        if config["array"]["level"] != "none":
            return "an array"
        return "a heap" if config["heap"]["nvram"]["kind"] != "none" else ""

    def fails(self) -> str:
        """Why requests may fail, or acknowledged data may never reach flash; "": they do not."""
        config = self.config
        if any(config["faults"].values()):
            return "faults"
        if any(self.nand[key] for key in FAILURES):
            return "failures of flash"
        if self.nand["errors"]["model"] != "none":
            return "bit errors"
        if self.is_zoned() and not self.in_zones:  # commands may be refused, and a reset drops what is in the buffer
            return "zones"
        return "power cuts" if self.is_cut() else ""

    def is_zoned(self) -> bool:
        return part(self.ftl["kind"]) == "zoned"

    def is_cut(self) -> bool:
        return bool(int(self.config["power"]["cuts"]) or quantity(self.config["power"]["cut_at"]))

    def least_factor(self, operation: str) -> float:
        """Of nand.variation, whatever is drawn: models/nand/nand_variation.hpp."""
        varied = [float(self.nand["variation"].get(f"{operation}_{level}", 0.0)) for level in ("die", "block", "layer")]
        return math.exp(-MOST_DEVIATIONS * math.fsum(varied) - math.fsum(s * s for s in varied) / 2)

    def page_times(self, operation: str) -> list[float]:
        """tR or tPROG of each page type, as they are in the mean of a production."""
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
        """The shortest time of a program unit in the array; of two passes both."""
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
        """Bytes that the host sees: logical_units() of controllers/ftl/ftl_rules.cpp."""
        if self.zones is not None:
            return self.zones.units * self.unit
        logical = quantity(self.ftl["logical_size"])
        if logical:
            return math.floor(logical / self.unit) * self.unit
        return math.floor(self.raw / self.unit / (1 + float(self.ftl["over_provisioning"]))) * self.unit

    def held_units(self) -> float:
        """Mapping units that are not on flash yet, or that a read need not fetch from there, at most: buffer_slots() of
        controllers/buffer/buffer_config.cpp. What waits for its program unit to fill is in them, and has generous room."""
        buffer = self.config["buffer"]
        waiting = STREAMS * self.units_per_program
        if self.nand["paired_pages"] or int(self.nand["program_passes"]) == 2 or int(self.ftl["rain"]):
            waiting += STREAMS * self.dies * self.planes * self.units_per_program  # until word lines and stripes are full
        return max(quantity(buffer["size"]) / self.unit, waiting, 2.0 * int(buffer["split"])) + self.units_per_program

    def serial_die(self) -> bool:
        """A die works, or is on the bus, and never both: no cache commands, no suspension, no plane groups."""
        nand = self.nand
        return not any((nand["cache_read"], nand["cache_program"], nand["program_suspend"], nand["erase_suspend"],
                        int(nand["independent_planes"]) > 1))

    def link_rate(self) -> float | None:
        """Bytes a second on the wires of one direction; None: an ideal link."""
        link = self.config["link"]
        if link["kind"] == "ideal":
            return None
        if link["kind"] == "sata":
            return quantity(link["sata_rate"]) * 0.8
        rate, coding = PCIE[int(link["generation"])]
        return rate * int(link["lanes"]) * coding / 8

    def on_link(self, size: float) -> float:
        """Bytes on the wires for so many bytes of data, in as few packets as can be; of a mean size no more than the mean."""
        link = self.config["link"]
        packets = max(1.0, size / quantity(link["max_payload"])) if size else 0.0
        return size + packets * quantity(link["packet_overhead"])

    def is_nvme(self) -> bool:
        return part(self.config["host_interface"]["kind"]) == "nvme"

    def memory(self) -> tuple[str, dict[str, Any]]:
        """The DRAM, or the SRAM of a drive without one."""
        name = "dram" if quantity(self.config["dram"]["size"]) or not quantity(self.config["sram"]["size"]) else "sram"
        return name, self.config[name]

    def clock(self) -> float:
        """Hz of a core at its fastest."""
        points = self.cpu["points"]
        clocks = [quantity(point["clock"]) for point in points]
        if not clocks:
            return quantity(self.cpu["clock"])
        return clocks[int(self.cpu["point"])] if self.cpu["governor"] == "fixed" else max(clocks)


def part(value: Any) -> str:
    """The name of a part, which stands alone or beside its parameters."""
    return str(value["name"] if isinstance(value, dict) else value)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
