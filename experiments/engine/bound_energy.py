"""Bounds of the energy and power of a run: background power over the shortest possible run, plus the energy of each request."""
import math
from dataclasses import dataclass
from typing import Any

from .bound_device import Device
from .bound_facts import Facts
from .bound_power import array_joules, draws, operating_points
from .bound_work import Flash, spared_by_register
from .closed_forms import quantity


@dataclass(frozen=True)
class Power:
    """The least and the most mean power, in W, of the whole device over any power.peak_window."""
    least: float
    most: float
    reason_least: str
    reason_most: str


def power_of(device: Device, facts: Facts) -> Power:
    if not device.single:
        nothing = f"{device.stands_behind()} draws beside the drive"
        return Power(0.0, math.inf, nothing, nothing)
    found = draws(device, facts.reads[1] > 0 and facts.reads[0] < 1)
    efficiency = float(device.config["power"]["regulator_efficiency"])

    def supplied(values: list[tuple[float, bool]]) -> float:
        return math.fsum(watts / efficiency if regulated else watts for watts, regulated in values)

    least = supplied([(draw.least, draw.regulated) for draw in found])
    if device.config["power"]["states"] or device.is_cut():
        least = 0.0  # a power state's own power replaces that of all components, and a cut device draws nothing
    parts = ", ".join(f"{draw.name} {draw.most:.4g} W" for draw in found if draw.most)
    low = ", ".join(f"{draw.name} {draw.least:.4g} W" for draw in found if draw.least)
    most, reason = supplied([(draw.most, draw.regulated) for draw in found]), f"all at work: {parts}; regulators of {efficiency:.0%}"
    power = device.config["power"]
    declared = quantity(power["states"][int(power["state"])].get("max_power", 0)) if power["states"] else 0.0
    window, peak = quantity(power["cap_window"]), quantity(power["peak_window"])
    if declared and not power["plp"] and most > (declared := declared * math.ceil(peak / window) * window / peak):
        most, reason = declared, f"power.states: max_power over windows of {power['cap_window']}"
    return Power(least, most, f"waiting: {low or 'nothing'}", reason)


@dataclass(frozen=True)
class Work:
    """The least energy, in J above background, of one read and of one write request. A whole run may take `slack` joules less."""
    read: float
    write: float
    slack: float


def energy_of(memory: dict[str, Any], operation: str) -> float:
    """Joules a byte; 0 for a memory that the drive does not have."""
    return quantity(memory[f"{operation}_energy"]) if quantity(memory["size"]) else 0.0


def work_of(device: Device, facts: Facts, read: float, write: float, flash: Flash) -> Work:
    """The work of requests of mean sizes `read` and `write`. A part that draws less busy than idle counts as 0."""
    if not device.single or (facts.discards and math.isinf(facts.trimmed)):
        return Work(0.0, 0.0, 0.0)
    link, controller, nand = device.config["link"], device.config["controller"], device.nand
    moved = quantity(controller["byte_energy"])
    if device.link_rate() is not None:
        moved += quantity(link["transfer_energy"])
    reads, writes = read * moved, write * moved
    cpu = device.cpu
    if cpu["model"] != "ideal" and not device.fails():
        steps = cpu["cycles"]
        cycle = min(max(0.0, (active - idle) / clock) for clock, active, idle in operating_points(cpu))
        reads += cycle * (steps["command_parse"] + steps["command_complete"] + steps["buffer_lookup"])
        writes += cycle * (steps["command_parse"] + steps["command_complete"] + steps["buffer_lookup"])
    _, memory = device.memory()
    nvram = device.config["nvram"] if device.config["buffer"]["location"] == "nvram" else memory
    writes += write * energy_of(nvram, "write")
    out = 0.0 if facts.pattern == "unknown" else energy_of(memory, "read")
    in_and_out = out + energy_of(memory, "write")
    reads += read * flash.read * in_and_out
    sense, program = array_joules(device)
    together = device.units_per_page * (device.planes if nand["multi_plane_read"] else 1)
    scattered = facts.pattern in ("uniform", "shuffled")
    held, held_slack = spared_by_register(device, facts)
    senses = max(1.0, read / device.unit / together) - held if scattered else read / device.unit / together
    programs = (max(1.0, write / device.unit) if scattered else write / device.unit) / device.units_per_program
    slack = ((flash.read_slack + held_slack) * (sense + device.unit * in_and_out) * (flash.read > 0)
             + flash.write_slack / device.units_per_program * program * (flash.write > 0))
    efficiency = float(device.config["power"]["regulator_efficiency"])
    return Work((reads + senses * flash.read * sense) / efficiency, (writes + programs * flash.write * program) / efficiency,
                slack / efficiency)
