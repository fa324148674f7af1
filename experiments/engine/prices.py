"""Reads experiments/prices.toml: the range of each price of a drive's parts, with its source."""
import pathlib
from dataclasses import dataclass
from typing import Any

from .errors import StudyError, one_of, wrong
from .table_reader import TableReader, read_toml

FILE = pathlib.Path(__file__).resolve().parents[1] / "prices.toml"
CELLS = ("slc", "mlc", "tlc", "qlc", "plc")  # cell types with 1 to 5 bits a cell
# The tables of the file: each key with the unit that it must have.
TABLES = {
    **{f"nand.{cell}": {"price": "$/GB", "endurance": "P/E"} for cell in CELLS},
    "nand.parts": {"die": "$", "plane": "share", "way": "$"},
    "dram": {"price": "$/GB", "chip": "$"},
    "nvram": {kind: "$/GB" for kind in ("stt_mram", "pcm", "feram", "bbdram")},
    "controller.area": {"base": "mm2", "channel": "mm2", "decoder": "mm2 a GB/s", "core": "mm2", "pcie_lane": "mm2", "sata": "mm2",
                        "dram": "mm2", "sram": "mm2 a MB"},
    "controller.package": {"pin": "$", "base_pins": "pins", "channel_pins": "pins", "way_pins": "pins", "lane_pins": "pins",
                           "dram_pins": "pins", "margin": "1"},
    "power": {"capacitance": "$/J", "hold_up": "$", "energy": "J"},
    "board": {"parts": "$"},
    "hdd": {"price": "$/GB", "drive": "$"},
}
NODE = {"scale": "1", "price": "$/mm2", "design": "$"}


@dataclass(frozen=True)
class Range:
    """A price: 0 <= low <= mid <= high, in its unit. `source` says where it is from; "(weak)" marks an assumption."""
    low: float
    mid: float
    high: float
    unit: str
    year: int
    source: str


@dataclass(frozen=True)
class Prices:
    """All ranges by path, such as "nand.tlc.price". `nodes`: (PCIe generation, name) of each process of [controller.nodes], where
    the process serves up to this generation, in rising order."""
    file: pathlib.Path
    ranges: dict[str, Range]
    nodes: list[tuple[int, str]]

    def node(self, generation: int) -> str:
        """The first process that serves a generation of PCIe (SATA: 0); the last process if none does."""
        return next((name for most, name in self.nodes if generation <= most), self.nodes[-1][1])


def load_prices(path: pathlib.Path | None = None) -> Prices:
    """Reads the file. Raises StudyError, with file, line and key, if a price is missing, unknown or not a valid range."""
    file = path or FILE
    top = TableReader(file, "", read_toml(file))
    if top.get("currency", str, required=True) != "USD":
        raise top.error("currency", f"is \"{top.values['currency']}\"; valid: USD")
    ranges: dict[str, Range] = {}
    tables: dict[str, TableReader] = {"": top}

    def table(name: str) -> TableReader:
        if name not in tables:
            outer, _, last = name.rpartition(".")
            tables[name] = table(outer).table(last)
        return tables[name]

    for name, keys in TABLES.items():
        for key, unit in keys.items():
            ranges[f"{name}.{key}"] = _range(table(name), key, unit)
    nodes = []
    for name, node in table("controller").named_tables("nodes"):
        most = node.get("up_to_generation", int, required=True)
        for key, unit in NODE.items():
            ranges[f"controller.nodes.{name}.{key}"] = _range(node, key, unit)
        node.finish()
        nodes.append((most, name))
    if not nodes:
        raise top.error("controller.nodes", "names no process: [controller.nodes.NAME]")
    for each in tables.values():
        each.finish()
    return Prices(file, ranges, sorted(nodes))


def _range(table: TableReader, key: str, unit: str) -> Range:
    if not table.has(key):
        raise wrong(table.path, table.key, f"{key} is missing ({unit})")
    inner = table.table(key)
    low, mid, high = (inner.get(each, float, required=True) for each in ("low", "mid", "high"))
    given, year = inner.get("unit", str, required=True), inner.get("year", int, required=True)
    source = inner.get("source", str, required=True)
    inner.finish()
    if given != unit:
        raise inner.error("unit", f"is \"{given}\"; {one_of([unit], given)}")
    if not 0 <= low <= mid <= high:
        raise inner.error("mid", f"{low:g}, {mid:g}, {high:g}: valid is 0 <= low <= mid <= high")
    if not source.strip():
        raise inner.error("source", "says nothing: where a price is from, or (weak)")
    return Range(low, mid, high, unit, year, source)


def check_known(kind: str, valid: Any, what: str) -> None:
    """Raises StudyError for a part without a known price."""
    if kind not in valid:
        raise StudyError(f"{what}: no price of \"{kind}\" is known; {one_of(valid, kind)}")
