"""The cost to make a drive, with a band, from its effective configuration and experiments/prices.toml. docs/reference/cost.md.

    cost.of(config)                      Cost(low, mid, high, parts), US dollars
    cost.samples(config, 1000, seed)     US dollars for each of 1000 draws of all prices

Channels, cores, lanes and memories cost silicon area; flash costs by the raw byte, the die, the plane and the chip enable."""
import functools
import math
import pathlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .bound_device import Device
from .closed_forms import quantity
from .prices import CELLS, Prices, check_known, load_prices

GB = 1e9
# The longest program time, in s, that counts as SLC: between 0.2 ms (SLC of the K9F5608 class) and the means of MLC, 1.2 ms
# (preset intel-750-400gb) and 1.3 ms (K9LCG08U1M); presets of round numbers "of the MLC class" say 0.6 ms.
SLC_PROGRAM_TIME = 500e-6
DAYS = 5 * 365  # the warranty over which drive writes per day count
Draw = Callable[[str], float]  # gives the price at a path of the file of prices


@dataclass(frozen=True)
class Cost:
    """US dollars with all prices at their low ends, at their best estimates, and at their high ends. `parts` add up to `mid`."""
    low: float
    mid: float
    high: float
    parts: dict[str, float]

    def per_gb(self, logical_bytes: float) -> float:
        """$/GB of logical capacity."""
        return self.mid / (logical_bytes / GB)

    def per_iops(self, iops: float) -> float:
        """$ for each request a second of a run with this IOPS."""
        return self.mid / iops if iops else math.inf

    def per_gb_dwpd(self, logical_bytes: float, drive_writes: float) -> float:
        """$/(GB x DWPD), where `drive_writes` is how often a day the whole drive may be written (drive_writes_per_day())."""
        return self.per_gb(logical_bytes) / drive_writes if drive_writes else math.inf


def of(configuration: dict[str, Any], prices: Prices | pathlib.Path | None = None) -> Cost:
    """The cost of a device by its effective configuration (`flashloom config DEVICE --json`, or `config` of a result). `prices`:
    loaded prices, or a file in place of experiments/prices.toml. Raises StudyError for an error in that file."""
    known = _loaded(prices)

    def total(end: str) -> dict[str, float]:
        return parts_of(configuration, known, lambda path: float(getattr(known.ranges[path], end)))

    mid = total("mid")
    return Cost(math.fsum(total("low").values()), math.fsum(mid.values()), math.fsum(total("high").values()), mid)


def price(configuration: dict[str, Any], end: str = "mid") -> float:
    """The field low, mid or high of Cost, for expressions of a study. Raises ValueError for another word."""
    if end not in ("low", "mid", "high"):
        raise ValueError(f"price(\"{end}\"): valid are low, mid, high")
    return float(getattr(of(configuration), end))


def samples(configuration: dict[str, Any], count: int, seed: int = 1, prices: Prices | pathlib.Path | None = None) -> list[float]:
    """US dollars of `count` draws. Each price lies equally often above and below its mid, uniform in each half, and each of `count`
    equally likely parts of its range has one draw, as with --uncertainty (docs/how-to/uncertainty.md). A price's draws depend only on its
    name, the seed and the count, so common uncertainty cancels in the difference of two devices."""
    known = _loaded(prices)
    drawn: dict[str, list[float]] = {}

    def draws(path: str) -> list[float]:
        if path not in drawn:
            given, rng = known.ranges[path], random.Random(f"{seed}/{path}")
            places = list(range(count))
            rng.shuffle(places)
            shares = [(place + rng.random()) / count for place in places]
            drawn[path] = [given.low + 2 * u * (given.mid - given.low) if u < 0.5 else given.mid + (2 * u - 1) * (given.high - given.mid)
                           for u in shares]
        return drawn[path]

    return [math.fsum(parts_of(configuration, known, lambda path, i=i: draws(path)[i]).values())  # type: ignore[misc]
            for i in range(count)]


def parts_of(config: dict[str, Any], prices: Prices, figure: Draw) -> dict[str, float]:
    """US dollars by part: nand, dram, nvram, controller, capacitors, board, hdd. `figure` gives the price at a path. All drives of
    an array count; the memory of a heap does not, since it belongs to the host."""
    drives = int(config["array"]["drives"]) if config["array"]["level"] != "none" else 1
    found = {"nand": _nand(config, figure), "dram": _dram(config, figure), "nvram": _nvram(config, prices, figure),
             "controller": _controller(config, prices, figure), "capacitors": _capacitors(config, figure),
             "board": figure("board.parts")}
    found = {name: drives * dollars for name, dollars in found.items()}
    capacity = quantity(config["hdd"]["capacity"])
    found["hdd"] = max(figure("hdd.drive"), capacity / GB * figure("hdd.price")) if capacity else 0.0
    return found


def raw_bytes(config: dict[str, Any]) -> float:
    """Bytes of all flash cells at their full number of bits, blocks of an SLC cache included."""
    nand = config["nand"]
    blocks = _dies(nand) * int(nand["planes"]) * int(nand["blocks"])
    return blocks * int(nand["pages"]) * quantity(nand["page_size"])


def cell_type(config: dict[str, Any]) -> str:
    """slc, mlc, tlc, qlc or plc: bits_a_cell() of models/nand/nand_config.hpp. A device with one time for all page types does not tell
    its number of bits; it counts as MLC if its programs take longer than SLC's."""
    nand = config["nand"]
    reads, programs = (times if isinstance(times, list) else [times] for times in (nand["read_time"], nand["program_time"]))
    bits = max(len(reads), len(programs), int(nand["pages_per_program"]))
    if bits == 1 and quantity(programs[0]) > SLC_PROGRAM_TIME:
        bits = 2
    return CELLS[min(bits, len(CELLS)) - 1]


def drive_writes_per_day(config: dict[str, Any], waf: float, prices: Prices | pathlib.Path | None = None) -> float:
    """How often a day the whole drive can be written for five years: P/E cycles x raw bytes / (WAF x logical bytes x days). The
    cycles are nand.endurance, or if that is 0 the endurance of the cell type in the file of prices."""
    known = _loaded(prices)
    cycles = int(config["nand"]["endurance"]) or known.ranges[f"nand.{cell_type(config)}.endurance"].mid
    return cycles * raw_bytes(config) / (max(waf, 1e-9) * Device(config).capacity * DAYS)


def area_mm2(config: dict[str, Any], prices: Prices, figure: Draw) -> float:
    """Silicon area of the controller in its process."""
    nand, link = config["nand"], config["link"]
    channels = int(nand["channels"])
    rate = quantity(nand["transfer_rate"]) * int(nand["bus_width"]) / 8
    area = figure("controller.area.base")
    area += channels * (figure("controller.area.channel") + rate / 1e9 * figure("controller.area.decoder"))
    if config["cpu"]["model"] != "ideal":
        area += int(config["cpu"]["cores"]) * figure("controller.area.core")
    if link["kind"] == "pcie":
        area += int(link["lanes"]) * figure("controller.area.pcie_lane")
    elif link["kind"] == "sata":
        area += figure("controller.area.sata")
    if quantity(config["dram"]["size"]):
        area += figure("controller.area.dram")
    area += quantity(config["sram"]["size"]) / 2**20 * figure("controller.area.sram")
    return area * figure(f"controller.nodes.{_node(config, prices)}.scale")


def _loaded(prices: Prices | pathlib.Path | None) -> Prices:
    return prices if isinstance(prices, Prices) else _read(prices)


@functools.cache
def _read(path: pathlib.Path | None) -> Prices:
    """Cached because a search asks for the prices once a device."""
    return load_prices(path)


def _node(config: dict[str, Any], prices: Prices) -> str:
    return prices.node(int(config["link"]["generation"]) if config["link"]["kind"] == "pcie" else 0)


def _dies(nand: dict[str, Any]) -> int:
    return int(nand["channels"]) * int(nand["ways"]) * int(nand["dies"])


def _nand(config: dict[str, Any], figure: Draw) -> float:
    nand = config["nand"]
    planes = 1 + max(0, int(nand["planes"]) - 2) * figure("nand.parts.plane")
    cells = raw_bytes(config) / GB * figure(f"nand.{cell_type(config)}.price") * planes
    ways = int(nand["channels"]) * int(nand["ways"])
    return cells + _dies(nand) * figure("nand.parts.die") + ways * figure("nand.parts.way")


def _dram(config: dict[str, Any], figure: Draw) -> float:
    size = quantity(config["dram"]["size"])
    return size / GB * figure("dram.price") + figure("dram.chip") if size else 0.0


def _nvram(config: dict[str, Any], prices: Prices, figure: Draw) -> float:
    nvram = config["nvram"]
    if nvram["kind"] == "none" or not quantity(nvram["size"]):
        return 0.0
    check_known(nvram["kind"], [path.removeprefix("nvram.") for path in prices.ranges if path.startswith("nvram.")], "nvram.kind")
    return quantity(nvram["size"]) / GB * figure(f"nvram.{nvram['kind']}")


def _controller(config: dict[str, Any], prices: Prices, figure: Draw) -> float:
    nand, link = config["nand"], config["link"]
    node = f"controller.nodes.{_node(config, prices)}"
    silicon = area_mm2(config, prices, figure) * figure(f"{node}.price")
    pins = figure("controller.package.base_pins")
    pins += int(nand["channels"]) * (figure("controller.package.channel_pins") * int(nand["bus_width"]) / 8
                                     + int(nand["ways"]) * figure("controller.package.way_pins"))
    lanes = int(link["lanes"]) if link["kind"] == "pcie" else 1
    pins += lanes * figure("controller.package.lane_pins")
    if quantity(config["dram"]["size"]):
        pins += figure("controller.package.dram_pins")
    return (silicon + pins * figure("controller.package.pin")) * figure("controller.package.margin") + figure(f"{node}.design")


def _capacitors(config: dict[str, Any], figure: Draw) -> float:
    power = config["power"]
    if not power["plp"]:
        return 0.0
    joules = quantity(power["plp_energy"]) or figure("power.energy")
    return figure("power.hold_up") + joules * figure("power.capacitance")
