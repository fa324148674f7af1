"""The least and the most power of each component of a device, from its configuration: the same rules as power_figures() of the
models and docs/reference/energy.md."""
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .bound_device import Device
from .closed_forms import quantity


@dataclass(frozen=True)
class Draw:
    """Power of all components of one kind together, in W: the mean over any window as long as power.peak_window, or over the run."""
    name: str
    least: float
    most: float
    regulated: bool = True


def draws(device: Device, both_ways: bool) -> list[Draw]:
    """The power of each component of one drive. `both_ways`: the workload has reads and writes."""
    return [_arrays(device), _wires(device), _cores(device), *_memories(device), *_link(device),
            _controller(device, both_ways), *_decoders(device), *_beside(device)]


def operating_points(cpu: dict[str, Any]) -> list[tuple[float, float, float]]:
    """(clock in Hz, busy power, idle power) of each point: operating_points() of models/cpu/governed_core.cpp."""
    clock, voltage = quantity(cpu["clock"]), quantity(cpu["voltage"])
    active, idle = quantity(cpu["active_power"]), quantity(cpu["idle_power"])
    if not cpu["points"]:
        return [(clock, active, idle)]
    found = []
    for point in cpu["points"]:
        own = quantity(point["clock"])
        squared = (quantity(point.get("voltage", 0)) / voltage) ** 2 if voltage else 0.0
        found.append((own, quantity(point.get("active_power", 0)) or active * own / clock * squared,
                      quantity(point.get("idle_power", 0)) or idle * squared))
    return found


def array_watts(nand: dict[str, Any], operation: str, planes: int) -> float:
    """Power of a die that works on `planes` planes, in energy_model "current"."""
    share = float(nand["plane_current_share"])
    return quantity(nand["array_voltage"]) * quantity(nand[f"{operation}_current"]) * (1 + share * (planes - 1))


def idle_watts(nand: dict[str, Any]) -> float:
    return quantity(nand["idle_power"]) or quantity(nand["array_voltage"]) * quantity(nand["standby_current"])


def array_joules(device: Device) -> tuple[float, float]:
    """The least energy above idle of one sense, and of one program unit."""
    nand = device.nand
    if nand["energy_model"] == "bits":
        read, program = (min(quantity(each) for each in nand[f"{operation}_energy"]) for operation in ("read", "program"))
        if device.any_slc:
            read, program = min(read, quantity(nand["slc_read_energy"]) or read), min(program, quantity(nand["slc_program_energy"]) or program)
        return read * device.page, program * device.page * device.program_pages / int(nand["partial_programs"])
    idle = idle_watts(nand)
    return (max(0.0, array_watts(nand, "read", 1) - idle) * device.read_time,
            max(0.0, array_watts(nand, "program", device.program_planes) - idle) * device.program_time)


def _arrays(device: Device) -> Draw:
    nand, power = device.nand, device.config["power"]
    idle = idle_watts(nand)
    if nand["energy_model"] == "bits":
        busy, least = idle + _most_by_bits(device), idle
    else:
        read = array_watts(nand, "read", device.planes if nand["multi_plane_read"] else 1)
        program = array_watts(nand, "program", device.program_planes)
        erase = array_watts(nand, "erase", device.program_planes)
        busy, least = max(idle, read, program, erase), min(idle, read, program, erase)
    groups = int(nand["independent_planes"])
    most = busy + (groups - 1) * max(0.0, busy - idle)  # each further concurrent read adds its power above idle
    whole = device.dies * most
    dies = int(power["cap_dies"])
    if dies:
        whole = min(whole, dies * most + max(0, device.dies - dies) * max(idle, least))
    cap, window, peak = (quantity(power[key]) for key in ("cap", "cap_window", "peak_window"))
    if cap:
        whole = min(whole, max(cap * math.ceil(peak / window) * window / peak, device.dies * idle))
    return Draw("nand", device.dies * least, whole)


def _most_by_bits(device: Device) -> float:
    """The most power of a die above idle in energy_model "bits": most_by_bits() of models/nand/nand_energy.cpp, with the shortest times
    and the highest energies of any page."""
    nand = device.nand
    energies = {operation: max(quantity(each) for each in nand[f"{operation}_energy"]) for operation in ("read", "program")}
    if device.any_slc:
        for operation in energies:
            energies[operation] = max(energies[operation], quantity(nand[f"slc_{operation}_energy"]))
    read = device.page * (device.planes if nand["multi_plane_read"] else 1) * energies["read"] / device.read_time
    time = device.program_time
    if int(nand["program_passes"]) == 2:
        time = min(time, (quantity(nand["first_pass_time"]) or quantity(nand["program_time"][-1]) / 2)
                   * (1 - float(nand["program_time_spread"])) * device.least_factor("program"))
    program = device.page * device.program_pages * energies["program"] / time
    erases = [quantity(nand["erase_time"])] + ([quantity(nand["slc_erase_time"])] if quantity(nand["slc_erase_time"]) else [])
    erase = device.page * int(nand["pages"]) * device.program_planes * quantity(nand["erase_energy"]) / min(erases) \
        / device.least_factor("erase")
    return max(read, program, erase)


def wire_energy(device: Device) -> float:
    """Joules a byte on a channel's wires in bus_energy_model "capacitance": energy_per_byte() of models/channel/bus_energy.cpp."""
    nand = device.nand
    volts, width = quantity(nand["io_voltage"]), int(nand["bus_width"])
    farads = quantity(nand["bus_capacitance"]) + device.dies / device.channels * quantity(nand["bus_die_capacitance"])
    lines = float(nand["bus_activity"]) * width + float(nand["bus_strobes"])
    return 8 / width * lines * farads * volts * float(nand["bus_swing"]) * volts / 2


def _wires(device: Device) -> Draw:
    nand = device.nand
    if nand["network"]["topology"] != "bus":
        return Draw("channel", 0.0, math.inf)
    if nand["bus_energy_model"] == "capacitance":
        each = quantity(nand["bus_termination_power"]) + wire_energy(device) * device.rate
    else:
        each = quantity(nand["io_voltage"]) * quantity(nand["bus_current"])
    return Draw("channel", 0.0, device.channels * each)


def _cores(device: Device) -> Draw:
    cpu = device.cpu
    if cpu["model"] == "ideal":
        return Draw("cpu", 0.0, 0.0)
    watts = [watts for _, *both in operating_points(cpu) for watts in both]
    asleep = [quantity(cpu["sleep_power"])] if cpu["points"] or quantity(cpu["sleep_time"]) else []
    return Draw("cpu", int(cpu["cores"]) * min(watts + asleep), int(cpu["cores"]) * max(watts + asleep))


def _memories(device: Device) -> Iterator[Draw]:
    for kind in ("dram", "sram", "nvram"):
        memory = device.config[kind]
        if not quantity(memory["size"]) or (kind == "sram" and quantity(device.config["dram"]["size"])):
            continue
        standby = quantity(memory["background_power"])
        refresh = 0.0
        if quantity(memory.get("refresh_interval", 0)):
            refresh = quantity(memory["refresh_energy"]) / quantity(memory["refresh_interval"])
        states = [standby + refresh]
        if quantity(memory.get("power_down_time", 0)) or quantity(memory.get("self_refresh_time", 0)):
            states += [quantity(memory["power_down_power"]) + refresh, quantity(memory["self_refresh_power"])]
        energy = max(quantity(memory["read_energy"]), quantity(memory["write_energy"]))
        bandwidth = quantity(memory["bandwidth"])
        moving = energy * bandwidth if bandwidth else math.inf if energy else 0.0
        if memory.get("model") == "banked":
            timing = memory["timing"]
            active = quantity(timing["row_active"])
            activate = quantity(memory["activate_energy"])
            moving += quantity(memory["open_power"])
            moving += int(timing["banks"]) * activate / active if active else math.inf if activate else 0.0
        yield Draw(kind, min(states), max(states) + moving)


def _link(device: Device) -> Iterator[Draw]:
    link = device.config["link"]
    rate = device.link_rate()
    if rate is None:
        return
    lanes = 1 if link["kind"] == "sata" else int(link["lanes"])
    awake = lanes * quantity(link["lane_power"])
    states = [awake]
    if quantity(link["l0s_time"]) or quantity(link["l1_time"]):
        states += [lanes * quantity(link["l0s_power"]), lanes * quantity(link["l1_power"])]
    moving = 2 * (quantity(link["active_power"]) + quantity(link["transfer_energy"]) * rate)
    idle = quantity(link["idle_power"])
    yield Draw("link", idle + min(states), idle + max(states) + moving)


def _controller(device: Device, both_ways: bool) -> Draw:
    """Bytes draw while they cross the link."""
    controller = device.config["controller"]
    idle, each = quantity(controller["idle_power"]), quantity(controller["byte_energy"])
    rate = device.link_rate()
    if each == 0:
        return Draw("controller", idle, idle)
    if rate is None:
        return Draw("controller", idle, math.inf)
    ways = 2 if both_ways and device.config["link"]["kind"] == "pcie" else 1
    return Draw("controller", idle, idle + each * ways * rate)


def _decoders(device: Device) -> Iterator[Draw]:
    """ECC's power is limited by the rate of the channels' wires, the compressor's by its own rate."""
    nand, compression = device.nand, device.config["compression"]
    each = quantity(nand["ecc"]["decode_energy"]) + quantity(nand["ecc"]["soft_decode_energy"])
    if nand["errors"]["model"] != "none" and each:
        wires = device.channels if nand["network"]["topology"] == "bus" else math.inf
        bytes_per_s = math.inf if nand["copyback"] else wires * device.rate + \
            device.dies * device.planes * device.page / quantity(device.config["power"]["peak_window"])
        yield Draw("ecc", 0.0, each * bytes_per_s / quantity(nand["ecc"]["codeword"]))
    energy, rate = quantity(compression["energy"]), quantity(compression["rate"])
    if device.compresses and energy:
        yield Draw("compressor", 0.0, 2 * energy * rate if rate else math.inf)


def _beside(device: Device) -> Iterator[Draw]:
    power = device.config["power"]
    if power["plp"]:
        leakage = quantity(power["plp_leakage"])
        charged = float(power["plp_charge_efficiency"]) < 1 and device.is_cut()
        yield Draw("capacitors", leakage, math.inf if charged else leakage, regulated=False)
    resting = [quantity(state["idle_power"]) for state in power["states"] if "idle_power" in state]
    if resting:
        yield Draw("power_state", 0.0, max(resting), regulated=False)
