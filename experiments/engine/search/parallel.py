"""Draws parallel coordinates as SVG: a line for each point that ran, whose title lists all its values; the colours are the page's."""
from typing import Any
from xml.sax.saxutils import escape

from ..expressions import as_text
from ..study import Study
from ..tables import Row
from ..units import digits

HEIGHT, SIDE, TOP, BOTTOM = 340, 70, 60, 26
APART = 130  # of two lines
MOST_LINES = 400  # more lines cannot be told apart; the front and the latest runs are kept
COLOURS = {"front": "var(--c1, #1f77b4)", "beaten": "var(--c2, #999999)", "missed": "var(--c4, #d62728)"}


def parallel_coordinates(study: Study, rows: list[Row], names: list[str], verdict: str) -> str:
    """`names`: axes and metrics, one vertical line each; the front is drawn last, and thicker."""
    shown = sorted(rows, key=lambda row: row.values[verdict] == "front")[-MOST_LINES:]
    names = [name for name in names if any(row.values.get(name) is not None for row in shown)]
    if len(names) < 2 or not shown:
        return ""
    scales = {name: _scale([row.values.get(name) for row in shown]) for name in names}
    left = {name: SIDE + APART * place for place, name in enumerate(names)}
    width = 2 * SIDE + APART * (len(names) - 1)
    parts = [f'<svg class="figure parallel" role="img" viewBox="0 0 {width} {HEIGHT}" xmlns="http://www.w3.org/2000/svg" '
             f'style="width: 100%; min-width: {width}px; max-width: {1.4 * width:.0f}px">',
             "<title>Points that ran, in parallel coordinates</title>"]
    for row in shown:
        kind = row.values[verdict]
        place = " ".join(f"{left[name]:.1f},{_height(scales[name], row.values[name]):.1f}" for name in names if row.values.get(name) is not None)
        about = "\n".join(f"{study.label(name)}: {_said(row.values.get(name))}" for name in names)
        parts.append(f'<polyline points="{place}" fill="none" stroke="{COLOURS.get(kind, COLOURS["beaten"])}" stroke-width="{2.5 if kind == "front" else 1}" '
                     f'stroke-opacity="{1 if kind == "front" else 0.45}"><title>{escape(f"{kind}{chr(10)}{about}")}</title></polyline>')
    for number, name in enumerate(names):
        x = left[name]
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="currentColor"/>')
        parts.append(f'<text x="{x:.1f}" y="{14 + 18 * (number % 2)}" text-anchor="middle" font-size="12" fill="currentColor">{escape(study.label(name))}</text>')
        for y, text in _ends(scales[name]):
            parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-size="11" fill="currentColor">{escape(text)}</text>')
    return "\n".join([*parts, "</svg>"])


def _scale(values: list[Any]) -> tuple[float, float] | list[str]:
    """(lowest, highest) of numbers, or the distinct texts."""
    known = [value for value in values if value is not None]
    if any(isinstance(value, str) for value in known):
        return list(dict.fromkeys(as_text(value) for value in known))
    return min(known), max(known)


def _height(scale: tuple[float, float] | list[str], value: Any) -> float:
    room = HEIGHT - TOP - BOTTOM
    if isinstance(scale, list):
        share = scale.index(as_text(value)) / max(1, len(scale) - 1)
    else:
        share = (value - scale[0]) / (scale[1] - scale[0]) if scale[1] > scale[0] else 0.5
    return HEIGHT - BOTTOM - room * share


def _ends(scale: tuple[float, float] | list[str]) -> list[tuple[float, str]]:
    low, high = (scale[0], scale[-1]) if isinstance(scale, list) else (_said(scale[0]), _said(scale[1]))
    return [(TOP - 6, high), (HEIGHT - BOTTOM + 16, low)]


def _said(value: Any) -> str:
    return digits(value) if isinstance(value, float) else "" if value is None else as_text(value)
