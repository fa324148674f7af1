"""Tables of the page. All cells of a column have one unit that fits. A cell shows a dash if the device was asked nothing of that kind,
"12 (7 to 18)" if its value has a band, and "none" if the band of a comparison includes no difference."""
from dataclasses import dataclass
from typing import Any

from .samples import ENDS, Band
from .study import Study
from .tables import Table, said
from .units import SAME, digits, fitting

# How a word of a name is written where it is no plain word.
WORDS = {word.lower(): word for word in ("CPU", "DFTL", "DLD", "DRAM", "ECC", "EDP", "FDP", "FTL", "FTLs", "GC", "HDD", "HMB", "IOPS", "LPN", "MLC",
                                         "NAND", "NVRAM", "QLC", "RAIN", "SLC", "SRAM", "TLC", "WAF", "ZNS")}
LONG = 60  # a text of more letters may break into lines
DASH = "–"
NO_DIFFERENCE = "none"


@dataclass
class Shown:
    """The value that a cell shows. `unasked`: the device was asked nothing of that kind."""
    value: Any
    unasked: bool = False
    band: Band | None = None


@dataclass
class Cell:
    """A cell of a table. The page sorts and filters by `value`, in the unit of the column; `is_none`: there is no value."""
    text: str
    value: Any = None
    is_text: bool = False
    is_none: bool = False
    title: str = ""

    @property
    def is_long(self) -> bool:
        return self.is_text and len(self.text) > LONG


def cell_of(value: Any, factor: float = 1.0, unasked: bool = False, band: Band | None = None) -> Cell:
    if unasked:
        return Cell(DASH, is_none=True, title="nothing of that kind was asked of the device")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        scaled = value if factor == 1.0 else value * factor
        cell = Cell(digits(scaled) if isinstance(scaled, float) else str(scaled), float(f"{scaled:.9g}") if isinstance(scaled, float) else scaled)
        if band is not None:
            low, high = sorted((band.p5 * factor, band.p95 * factor))
            if digits(low) != digits(high):
                cell.text += f" ({digits(low)} to {digits(high)})"
            if band.is_none:
                cell.title = f"{cell.text}: 90 % of the samples include no difference"
                cell.text = NO_DIFFERENCE
        return cell
    return Cell(str(said(value)), is_text=isinstance(value, (str, bool)))


def table_of(names: list[tuple[str, str]], lines: list[list[Shown]], keep: int = 0) -> tuple[list[str], list[list[Cell]]]:
    """Makes the header and the rows of cells; `names` are (name, unit) of each column. The first `keep` columns keep their unit."""
    units = [fitting(unit, (line[number].value for line in lines)) if number >= keep else (unit, 1.0) for number, (_, unit) in enumerate(names)]
    heads = [head(name, units[number][0]) for number, (name, _) in enumerate(names)]
    return heads, [[cell_of(shown.value, units[number][1], shown.unasked, shown.band) for number, shown in enumerate(line)] for line in lines]


def points_of(study: Study, table: Table) -> tuple[list[str], list[list[Cell]]]:
    """Header and cells of the table of all points."""
    of_bands = {f"{metric.name}_{end}" for metric in study.metrics if table.has_bands(metric.name) for end in ENDS}
    keys = [key for _, key in table.columns() if key not in of_bands]
    names = [(key, unit_of(study, key.removesuffix("_ci95"))) for key in keys]
    # Below, the column of an interval gets the unit of its mean.
    lines = [[Shown(table.cell(row, key), key.removesuffix("_ci95") in row.unasked, row.bands.get(key)) for key in keys] for row in table.rows]
    header, rows = table_of(names, lines, keep=len(study.axis_names))
    for number, key in enumerate(keys):
        if key.endswith("_ci95") and key.removesuffix("_ci95") in keys:
            mean = keys.index(key.removesuffix("_ci95"))
            unit, factor = fitting(names[mean][1], (line[mean].value for line in lines))
            header[number] = head(key, unit)
            for line, row in zip(lines, rows):
                row[number] = cell_of(line[number].value, factor, line[number].unasked)
    return header, rows


def unit_of(study: Study, name: str) -> str:
    return next((one.unit for one in [*study.axes, *study.metrics] if one.name == name), "")


def words_of(name: str) -> str:
    """A name in words: "read_waf" is "read WAF"."""
    return " ".join(WORDS.get(word.lower(), word) for word in name.replace("-", " ").replace("_", " ").split(" "))


def head(name: str, unit: str) -> str:
    plain = words_of(name.removesuffix("_ci95")) + (" ±95 %" if name.endswith("_ci95") else "")
    return f"{plain} ({SAME.get(unit, unit)})" if unit not in ("", "1", "text") else plain
