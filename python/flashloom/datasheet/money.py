"""What a device costs and how often its flash can be written: of the source tree's table of prices (docs/reference/cost.md)."""
import pathlib
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any


def _cost() -> ModuleType | None:
    """The module engine.cost of the source tree; None: there is no tree."""
    experiments = pathlib.Path(__file__).resolve().parents[3] / "experiments"
    if not (experiments / "engine/cost.py").is_file():
        return None
    if str(experiments) not in sys.path:
        sys.path.append(str(experiments))
    from engine import cost  # type: ignore[import-not-found] # pylint: disable=import-outside-toplevel,import-error
    return cost


def price_band(config: Mapping[str, Any]) -> tuple[float | None, float | None, float | None, str]:
    """5 %, middle and 95 % of the cost in dollars, and a note."""
    cost = _cost()
    if cost is None:
        return None, None, None, "prices are in the source tree, which is not there"
    drawn = sorted(cost.samples(config, 1000))
    return drawn[50], cost.price(config), drawn[949], "of the prices' ranges, in experiments/prices.toml"


def endurance_cycles(config: Mapping[str, Any]) -> tuple[float | None, str]:
    """P/E cycles of a block, and where they are from."""
    given = int(config["nand"]["endurance"])
    if given:
        return given, f"{given:,} P/E cycles of the device file"
    cost = _cost()
    if cost is None:
        return None, "the device file has no nand.endurance"
    cell = cost.cell_type(config)
    cycles = cost.load_prices().ranges[f"nand.{cell}.endurance"].mid
    return cycles, f"{cycles:,.0f} P/E cycles assumed of {cell.upper()}"
