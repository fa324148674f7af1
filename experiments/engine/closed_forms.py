"""Upper bounds of throughput in closed form, from the effective configuration in a result.json.

A resource that takes t seconds for n bytes has a throughput of n / t; the slowest resource bounds the device. The tests hold
the model to the same formulas (docs/architecture.md, tests/system/closed_forms_test.cpp,
tests/system/flash_throughput_test.cpp):

    channels    C x bytes / (command cycles + bytes / rate)                    wires of a channel, one command at a time
    dies        D x bytes / (array time + command cycles + bytes / rate)       a die uses its array or the bus, never both;
                                                                               planes read together share the array time,
                                                                               independent plane groups count as dies
    link        bytes / ((bytes + packets x overhead) / link rate)             PCIe line coding included
    dram        bandwidth / 2                                                  data cross the memory in and out
    cpu         clock x bytes / cycles of the busiest core                     [cpu.cycles], docs/reference/cpu.md

The formulas leave out garbage collection, refresh and uneven load of the dies, so measured throughput is lower. They also
leave out latencies that occupy no resource ([controller]) and the host's cost of a request ([host]), which bounds one job on
a queue and not the device. Two omissions may make the formulas too low: nand.variation (they use the mean times of a
production, and one drive's may be shorter) and nand.network (its vertical buses add to the channels).
"""
import math
import re
from typing import Any

PREFIXES = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0}
UNITS = {
    "": 1.0, "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40, "min": 60.0, "h": 3600.0, "d": 86400.0,
    "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9, "T/s": 1.0, "MT/s": 1e6,
    "GT/s": 1e9, "B/s": 1.0, "KB/s": 1e3, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, "KiB/s": 2.0**10,
    "Mb/s": 1e6 / 8, "Gb/s": 1e9 / 8,
} | {f"{prefix}{unit}": scale for prefix, scale in PREFIXES.items() for unit in ("s", "W", "A", "V", "J", "F", "J/B")}
# By generation: transfers a second of a lane, and the share of them that line coding leaves for data.
PCIE = {1: (2.5e9, 0.8), 2: (5e9, 0.8), 3: (8e9, 128 / 130), 4: (16e9, 128 / 130), 5: (32e9, 128 / 130), 6: (64e9, 242 / 256)}
OPERATIONS = ("read", "write")


def quantity(value: Any) -> float:
    """Converts "16 KiB" to bytes, "75 us" to seconds, "800 MT/s" to transfers a second; returns a plain number as it is."""
    if isinstance(value, (int, float)):
        return float(value)
    found = re.fullmatch(r"\s*([-+0-9.eE]+)\s*(\S*)\s*", str(value))
    if not found or found[2] not in UNITS:
        raise ValueError(f"\"{value}\" is no quantity that closed forms know")
    return float(found[1]) * UNITS[found[2]]


def bounds(config: dict[str, Any], operation: str, request_bytes: float) -> dict[str, float]:
    """Bytes a second that each resource passes, for requests aligned to their one size, without a buffer that serves any of them;
    unlimited resources are left out."""
    if operation not in OPERATIONS:
        raise ValueError(f"operation \"{operation}\": valid are read, write")
    nand = config["nand"]
    request = float(request_bytes)
    unit = quantity(config["ftl"]["mapping_unit"])
    page = quantity(nand["page_size"])
    units = max(1.0, request / unit)
    if operation == "read":
        frame = quantity(nand.get("ecc", {}).get("frame", unit))
        moved = min(max(request, min(unit, frame)), page)
        cycles = float(nand["read_cycles"])
        array = mean(nand["read_time"])
    else:
        pages = int(nand["pages_per_program"]) * (int(nand["planes"]) if nand["multi_plane_program"] else 1)
        moved = pages * page
        cycles = float(nand["program_cycles"]) * pages
        array = quantity(nand["program_time"][-1]) if int(nand["pages_per_program"]) > 1 else mean(nand["program_time"])
    bus = cycles * quantity(nand["command_cycle"]) + moved / (quantity(nand["transfer_rate"]) * nand["bus_width"] / 8)
    groups = int(nand.get("independent_planes", 1)) if operation == "read" else 1
    together = int(nand["planes"]) // groups if operation == "read" and nand["multi_plane_read"] else 1
    dies = int(nand["channels"]) * int(nand["ways"]) * int(nand["dies"])
    found = {"channels": int(nand["channels"]) * moved / bus,
             "dies": dies * groups * together * moved / (array + together * bus)}
    commands = max(1.0, request / moved) if operation == "read" else request / moved
    found |= _link(config["link"], request) | _dram(_memory(config)) | _cpu(config["cpu"], operation, request, units, commands)
    return found


def bound(config: dict[str, Any], operation: str, request_bytes: float) -> float:
    """Bytes a second that the slowest resource passes. Requests that the buffer serves need none of them, so it is no bound of a run:
    bounds.py has those."""
    return min(bounds(config, operation, request_bytes).values())


def bottleneck(config: dict[str, Any], operation: str, request_bytes: float) -> str:
    """The name of the slowest resource: channels, dies, link, dram or cpu."""
    found = bounds(config, operation, request_bytes)
    return min(found, key=found.__getitem__)


def mean(times: Any) -> float:
    values = [quantity(time) for time in (times if isinstance(times, list) else [times])]
    return math.fsum(values) / len(values)


def _link(link: dict[str, Any], request: float) -> dict[str, float]:
    if link["kind"] == "ideal":
        return {}
    if link["kind"] == "pcie":
        rate, coding = PCIE[int(link["generation"])]
        bytes_per_s = rate * int(link["lanes"]) * coding / 8
    else:
        bytes_per_s = quantity(link["sata_rate"]) * 0.8
    packets = math.ceil(request / quantity(link["max_payload"]))
    return {"link": request / ((request + packets * quantity(link["packet_overhead"])) / bytes_per_s)}


def _memory(config: dict[str, Any]) -> dict[str, Any]:
    """The DRAM, or the SRAM of a drive without DRAM."""
    return config["sram"] if quantity(config["sram"]["size"]) else config["dram"]


def _dram(dram: dict[str, Any]) -> dict[str, float]:
    bandwidth = quantity(dram["bandwidth"])
    return {"dram": bandwidth / 2} if bandwidth else {}


def _cpu(cpu: dict[str, Any], operation: str, request: float, units: float, commands: float) -> dict[str, float]:
    if cpu["model"] == "ideal":
        return {}
    cost = cpu["cycles"]
    cores = [0.0] * int(cpu["cores"])
    host = cost["command_parse"] + cost["command_complete"] + units * cost["buffer_lookup"]
    ftl = units * (cost["map_lookup"] if operation == "read" else cost["map_update"])
    flash = commands * (cost["flash_issue"] + (cost["flash_complete"] if operation == "read" else 0))
    for part, work in (("host", host), ("ftl", ftl), ("flash", flash)):
        shared = cpu.get(f"{part}_cores") or [int(cpu[f"{part}_core"]) % len(cores)]
        for core in shared:
            cores[int(core)] += work / len(shared)
    points = cpu.get("points") or []
    clock = quantity(cpu["clock"])
    if points:  # the governor "ondemand" can raise the clock to the last, fastest point
        clock = quantity(points[-1 if cpu["governor"] == "ondemand" else int(cpu["point"])]["clock"])
    busiest = max(cores)
    return {"cpu": request * clock / busiest} if busiest else {}
