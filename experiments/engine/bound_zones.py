"""The zones of a zoned device, as bounds need them: their number, sizes and limits."""
import math
from typing import Any

from .closed_forms import quantity


class Zones:
    """The same layout as ZoneLayout of controllers/ftl/zones/zone_layout.cpp; sizes in mapping units."""

    def __init__(self, config: dict[str, Any], dies: int, units_of_block: float, unit: float) -> None:
        """`units_of_block`: mapping units of an erase unit of one plane."""
        nand, ftl = config["nand"], config["ftl"]
        kind = ftl["kind"] if isinstance(ftl["kind"], dict) else {}
        own_dies = int(kind.get("dies", 0)) or dies
        size, capacity = (quantity(kind.get(key, 0)) for key in ("zone_size", "zone_capacity"))
        layer = own_dies * int(nand["planes"]) * units_of_block * unit  # one erase unit on each of its dies and planes
        if not capacity:
            capacity = max(size // layer, 1) * layer
        self.size_units = (size or capacity) / unit
        self.capacity_units = capacity / unit
        self.max_open, self.max_active = int(kind.get("max_open", 0)), int(kind.get("max_active", 0))
        self.pads = kind.get("finish", "pad") != "leave"
        logical = quantity(ftl["logical_size"])
        all_units = dies * int(nand["planes"]) * int(nand["blocks"]) * units_of_block
        zones = logical / (size or capacity) if logical else all_units / (1.0 + float(ftl["over_provisioning"])) / self.capacity_units
        self.count = math.floor(zones)

    @property
    def has_gaps(self) -> bool:
        """Whether each zone's address range is larger than its capacity."""
        return self.size_units > self.capacity_units

    @property
    def units(self) -> float:
        """Mapping units of the whole address space, gaps included."""
        return self.count * self.size_units
