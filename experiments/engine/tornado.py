"""Tornado figures: how far each key with a range moves a metric of one row, or its mean over several rows."""
import math
import pathlib
from dataclasses import dataclass, field
from typing import Any

from .errors import StudyError, shown
from .figure_axes import panel_of, rows_of
from .gnuplot_text import array, one_line, quoted, text
from .published import Published
from .samples import Key, Samples, known, parts_of
from .study import Figure, Metric, Study
from .tables import Row, Table
from .units import fitting

MOST_BARS = 12
EXACT = {("energy", "j_per_gb"): "j_per_gb", ("energy", "total_j"): "total_j"}  # fields that flashloom computes at the ends of ranges
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))
PREFIXED = ("A", "V", "W", "J", "s", "Hz", "F", "Ω", "B/s")  # units that take a prefix, also before a slash, as J/B


@dataclass
class Bar:
    """The values of the metric with one key at the low and at the high end of its range, and all other keys at the device's values.
    `about`: the range as text."""
    key: str
    about: str
    low: float
    high: float

    @property
    def swing(self) -> float:
        return abs(self.high - self.low)


@dataclass
class Tornado:
    """One panel: the widest bars, the widest first; `more`: how many further bars there are; `exact`: flashloom computed the ends,
    not a straight-line fit."""
    nominal: float
    bars: list[Bar] = field(default_factory=list)
    more: int = 0
    exact: bool = True


def tornadoes_of(study: Study, figure: Figure, table: Table) -> dict[str, Tornado]:
    """The tornado of each panel. Throws StudyError if a straight-line fit has too few samples."""
    panels: dict[str, list[Row]] = {}
    for row in rows_of(study, figure, table):
        if figure.y in row.samples and row.values[figure.y] is not None:
            panels.setdefault(panel_of(study, figure, row), []).append(row)
    return {panel: _mean(study, figure, table, rows) for panel, rows in panels.items()}


def _mean(study: Study, figure: Figure, table: Table, rows: list[Row]) -> Tornado:
    """The tornado of the mean over rows. A row that does not have a key counts with its nominal value."""
    metric = study.metric(figure.y)
    nominals = [row.values[figure.y] for row in rows]
    ends = [_exact(metric, table, row) for row in rows]
    exact = all(found is not None for found in ends)
    moved = [found if exact and found is not None else fitted(study, figure, table.samples_of(row), row) for row, found in zip(rows, ends)]
    keys: dict[str, list[Key]] = {}
    together: dict[str, int] = {}
    for row in rows:
        samples = table.samples_of(row)
        for name, names in samples.groups().items():
            keys.setdefault(name, []).append(samples.keys[name])
            together[name] = max(together.get(name, 1), len(names))
    bars = []
    for name, found in keys.items():
        sides = [math.fsum(row_ends.get(name, (nominal, nominal))[side] for row_ends, nominal in zip(moved, nominals)) / len(rows) for side in (0, 1)]
        bars.append(Bar(name + (f" + {together[name] - 1} more" if together[name] > 1 else ""), range_of(found), sides[0], sides[1]))
    bars = sorted((bar for bar in bars if bar.swing > 0), key=lambda bar: (-bar.swing, bar.key))
    return Tornado(math.fsum(nominals) / len(rows), bars[:MOST_BARS], max(0, len(bars) - MOST_BARS), exact)


def _exact(metric: Metric, table: Table, row: Row) -> dict[str, tuple[float, float]] | None:
    """The ends by key from result.json, as the mean over repetitions; None if result.json has none for this metric."""
    name = EXACT.get(tuple(parts_of(metric.path.filled(row.values)))) if metric.path else None
    runs = [result["energy"]["uncertainty"].get("tornado") for result in (table.results[point.key] for point in row.points) if result]
    if name is None or not all(bars and all(f"{name}_low" in bar for bar in bars) for bars in runs):
        return None
    found = [{bar["key"]: tuple(bar[f"{name}_{end}"] * metric.scale for end in ("low", "high")) for bar in bars} for bars in runs]
    return {key: (math.fsum(ends[key][0] for ends in found) / len(found), math.fsum(ends[key][1] for ends in found) / len(found))
            for key in found[0] if all(key in ends for ends in found)}


def fitted(study: Study, figure: Figure, samples: Samples, row: Row) -> dict[str, tuple[float, float]]:
    """The ends by key of the straight line that fits the samples best. Energy is linear in most keys, so the fit is almost exact."""
    import numpy  # pylint: disable=import-outside-toplevel
    names = list(samples.groups())
    values = row.samples[figure.y]
    inputs = numpy.column_stack([samples.inputs[name] for name in names]) if names else numpy.empty((len(values), 0))
    there = numpy.isfinite(values) & numpy.isfinite(inputs).all(axis=1)
    if there.sum() < 2 * (len(names) + 1):
        raise StudyError(f"{shown(study.file)}: figure {figure.name}: a line over {len(names)} keys needs {2 * (len(names) + 1)} samples, and there "
                         f"are {there.sum()}: let uncertainty be more")
    widths = numpy.array([numpy.ptp(known(samples.inputs[name])) for name in names])
    middles = numpy.array([known(samples.inputs[name]).mean() for name in names])
    matrix = numpy.column_stack([numpy.ones(there.sum()), (inputs[there] - middles) / widths])
    slopes = numpy.linalg.lstsq(matrix, values[there], rcond=None)[0][1:] / widths
    nominal = row.values[figure.y]
    return {name: (float(nominal + slope * (samples.keys[name].low - samples.keys[name].nominal)),
                   float(nominal + slope * (samples.keys[name].high - samples.keys[name].nominal))) for name, slope in zip(names, slopes)}


def range_of(keys: list[Key]) -> str:
    """The range as text, such as "17 to 35 mA"; "several ranges" if devices differ."""
    first = keys[0]
    if any((key.low, key.high) != (first.low, first.high) for key in keys):
        return "several ranges"
    base = first.unit.split("/")[0] if first.unit != "B/s" else "B/s"
    largest = max(abs(first.low), abs(first.high))
    scale, prefix = 1.0, ""
    if base in PREFIXED and largest > 0:
        scale, prefix = next((pair for pair in PREFIXES if largest >= pair[0] * 0.9995), PREFIXES[-1])
    unit = f" {prefix}{first.unit}" if first.unit not in ("", "1") else ""
    return f"{first.low / scale:.4g} to {first.high / scale:.4g}{unit}"


def tornado_drawing(study: Study, figure: Figure, table: Table, papers: list[Published], script: pathlib.Path, path: pathlib.Path) -> str | None:
    """Writes the numbers to `path`, a block a panel with lines of key, range, value at the low end, value at the high end, nominal
    value; returns the script for gnuplot. Returns None if there is nothing to show. It shows no published values."""
    del papers
    panels = {panel: found for panel, found in tornadoes_of(study, figure, table).items() if found.bars}
    if not panels:
        return None
    blocks = []
    for panel, found in panels.items():
        blocks.append("\n".join([f"# {one_line(panel)}: key,range,{figure.y} at its low end,at its high end,nominal",
                                 *(",".join(quoted(cell) for cell in (bar.key, bar.about, bar.low, bar.high, found.nominal)) for bar in found.bars)]))
    path.write_text("\n\n\n".join(blocks) + "\n", encoding="utf-8")
    values: list[Any] = [value for found in panels.values() for bar in found.bars for value in (bar.low, bar.high)]
    metric = study.metric(figure.y)
    unit, factor = fitting(metric.unit, values)
    label = figure.label or metric.label
    longest = max(len(words) for found in panels.values() for bar in found.bars for words in (bar.key, bar.about))
    lines = [f"# Written by experiments/run {one_line(study.name)}; draws again: GNUPLOT_LIB=plots gnuplot {figure.name}.gp",
             f"name = {text(figure.name)}", f"table = {text(path.name)}", f"x_label = {text(f'{label} ({unit})' if unit not in ('', '1') else label)}",
             f"x_factor = {factor!r}", f"longest = {longest}", array("panel_titles", list(panels)),
             f"array bars[{len(panels)}] = [{', '.join(str(len(found.bars)) for found in panels.values())}]",
             array("notes", [note_of(study, found) for found in panels.values()]), f"load {text(str(script))}"]
    return "\n".join(lines) + "\n"


def note_of(study: Study, found: Tornado) -> str:
    """The note below a panel: how the bars were computed, and how many are left out."""
    how = "each key alone at the ends of its range" if found.exact else f"a straight line through {study.uncertainty.samples} samples"
    return how + (f"; {found.more} more keys move it less" if found.more > 1 else "; 1 more key moves it less" if found.more else "")
