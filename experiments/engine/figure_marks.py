"""Finds the published values to mark in a figure, and the lines to draw dashed because they would hide others."""
from dataclasses import dataclass
from typing import Any

from .figure_axes import FRONT, Panels, name_of, series_of
from .published import Published
from .study import Figure, Study
from .tables import Row

ALIKE = 0.005  # two lines no farther apart than this share of their panel's height hide each other


@dataclass
class Mark:
    """A published value. `series` is the number of its series from 1 on; 0 if it belongs to none."""
    x: Any
    y: float
    series: int
    about: str


Marks = dict[str, list[Mark]]


def marks_of(study: Study, figure: Figure, panels: Panels, papers: list[Published]) -> Marks:
    """The published values of the figure's y (of the total, if bars are stacked), by panel. A value is marked if its place gives x and
    the panel, and if the panel has rows with the same values on all other axes of this place."""
    marks: Marks = {}
    names = series_of(panels)
    for line in papers:
        if line.name != figure.measured or figure.x not in line.place or \
                (len(panels) > 1 and not set(figure.panels) <= set(line.place)):
            continue
        title = ", ".join(name_of(study, name, line.place[name]) for name in figure.panels) if len(panels) > 1 else next(iter(panels))
        series = name_of(study, figure.series, line.place[figure.series]) if figure.series in line.place else ""
        rows = [row for name, found in panels.get(title, {}).items() if name != FRONT and series in ("", name) for row in found]
        if not any(all(row.values[name] == value for name, value in line.place.items() if name != figure.x) for row in rows):
            continue
        x = next((row.values[figure.x] for row in rows if row.values[figure.x] == line.place[figure.x]), line.place[figure.x])
        number = names.index(series) + 1 if series else 1 if len(names) == 1 and not figure.parts else 0
        marks.setdefault(title, []).append(Mark(x, line.paper, number, ": ".join(filter(None, (line.figure and f"figure {line.figure}", line.note)))))
    return marks


def published_heights(marks: Marks) -> dict[str, list[float]]:
    """The published values by panel, which the y axis must include."""
    return {panel: [mark.y for mark in found] for panel, found in marks.items()}


def hidden_levels(figure: Figure, panels: Panels, names: list[str]) -> list[int]:
    """For each series, how many earlier ones it would hide in some panel; the drawing shows it dashed over them."""
    levels = dict.fromkeys(names, 0)
    if figure.kind == "lines":
        for found in panels.values():
            shown = [name for name in names if name in found]
            values = [row.values[figure.y] for rows in found.values() for row in rows]
            room = ALIKE * (max(values) - min(0, *values)) if values and not isinstance(values[0], str) else 0
            for number, name in enumerate(shown):
                below = sum(_alike(figure, found[name], found[other], room) for other in shown[:number])
                levels[name] = max(levels[name], below)
    return [levels[name] for name in names]


def _alike(figure: Figure, ones: list[Row], others: list[Row], room: float) -> bool:
    there = {row.values[figure.x]: row.values[figure.y] for row in others}
    return len(ones) > 1 and all(row.values[figure.x] in there and abs(row.values[figure.y] - there[row.values[figure.x]]) <= room for row in ones)
