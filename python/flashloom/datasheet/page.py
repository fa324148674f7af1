"""datasheet.html: one file, for a screen and for two pages of paper."""
import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

STYLE = """
@page { size: A4; margin: 14mm }
body { font: 10pt/1.35 "Helvetica Neue", Arial, sans-serif; color: #222; max-width: 190mm; margin: 8mm auto; padding: 0 4mm }
h1 { font-size: 18pt; margin: 0 0 1mm } h2 { font-size: 12pt; border-bottom: 0.5pt solid #888; margin: 6mm 0 2mm; break-after: avoid }
p.what { color: #555; margin: 0 0 4mm } table { border-collapse: collapse; width: 100% } tr { break-inside: avoid }
th, td { text-align: left; vertical-align: top; padding: 0.6mm 3mm 0.6mm 0; border-bottom: 0.25pt solid #ddd }
td:first-child { width: 40% } td.number { width: 26%; text-align: right; white-space: nowrap } td.note, p.note { color: #555; font-size: 8.5pt } svg { max-width: 100%; height: auto }
table.matrix td, table.matrix th { text-align: right }
"""
TITLES = {"iops": "IOPS", "tp": "Throughput", "lat": "Latency", "wsat": "Write saturation", "dirth": "Demand intensity",
          "xsr": "Cross stimulus recovery", "ecw": "Enterprise composite workload", "hir": "Host idle recovery"}
FIGURES = {"iops": "IOPS", "mb_s": "MB/s", "mean_us": "mean, us", "max_us": "longest, us"}
WIDTH, HEIGHT, LEFT, BELOW = 560, 200, 60, 34


def page_of(sheet: Mapping[str, Any]) -> str:
    """The whole page of what datasheet.json has."""
    name = html.escape(sheet["device"])
    parts = [f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>{name}: data sheet</title><style>{STYLE}</style>",
             f"<h1>{name}</h1><p class=what>{html.escape(sheet['description'])}<br>Simulated by Flashloom; {sheet['class']} class. "
             f"Figures in parentheses are 95 % intervals.</p>"]
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for figure in sheet["brief"]:
        groups.setdefault(figure["group"], []).append(figure)
    for group, figures in groups.items():
        shared = figures[0]["condition"] if len({figure["condition"] for figure in figures}) == 1 else ""
        parts.append(f"<h2>{html.escape(group)}</h2>" + (f"<p class=note>{html.escape(shared)}</p>" if shared and len(figures) > 1 else "") +
                     "<table>" + "".join(row(figure, shared if len(figures) > 1 else "") for figure in figures) + "</table>")
    for test, found in sheet["tests"].items():
        parts.append(report(test, found))
    for test, why in sheet["refused"].items():
        parts.append(f"<h2>{TITLES.get(test, test)}</h2><p>Not done: {html.escape(why)}</p>")
    return "\n".join(parts) + "</html>\n"


def row(figure: Mapping[str, Any], shared: str) -> str:
    notes = "; ".join(text for text in (figure["condition"], figure["note"]) if text and text != shared)
    return f"<tr><td>{html.escape(figure['name'])}<td class=number>{said(figure)}<td class=note>{html.escape(notes)}"


def said(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "not modelled" if not str(figure["note"]).startswith("needs") else "not bounded"
    if isinstance(figure["value"], str):
        return html.escape(figure["value"])
    ends = "" if figure["low"] is None or figure["high"] is None else f" ({short(figure['low'])} to {short(figure['high'])})"
    return f"{short(figure['value'])} {html.escape(figure['unit'])}{ends}"


def short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def report(test: str, found: Mapping[str, Any]) -> str:
    """A test's part: its steady state, convergence and figures."""
    window = found["window"]
    state = "reached" if window["reached"] else "not reached"
    parts = [f"<h2>{TITLES.get(test, test)}</h2><p>Steady state {state}: rounds {window['first']} to {window['first'] + 4} of "
             f"{named(found['tracked'])}, mean {short(window['mean'])}, range {100 * window['range']:.1f} % (at most 20), "
             f"drift {100 * window['drift']:.1f} % (at most 10).</p>"]
    tracked = [line for line in found["rounds"] if f"{line['element']} {line['figure']}" == found["tracked"] or line["figure"] == found["tracked"]]
    if len({line["round"] for line in tracked}) > 2:
        parts.append(picture([(float(line["round"]), float(line["value"])) for line in tracked], window, found["tracked"]))
    parts.append(matrix(found["values"]))
    parts += [f"<p class=note>{html.escape(note)}</p>" for note in found["notes"]]
    return "".join(parts)


def matrix(values: Mapping[str, float]) -> str:
    """Elements of two parts, "4k, 65 % reads", as a matrix for each figure; others as a list."""
    split = [(*name.partition("; ")[0].split(", ", 1), name.partition("; ")[2], value) for name, value in values.items()]
    if any(len(one) != 4 for one in split):
        return "<table>" + "".join(f"<tr><td>{named(name)}<td class=number>{short(value)}" for name, value in values.items()) + "</table>"
    parts = []
    for figure in unique(one[2] for one in split):
        mine = {(one[0], one[1]): one[3] for one in split if one[2] == figure}
        columns = unique(column for _, column in mine)
        parts.append(f"<table class=matrix><tr><th>{FIGURES[figure]}" + "".join(f"<th>{html.escape(column)}" for column in columns))
        for line in unique(first for first, _ in mine):
            parts.append(f"<tr><th>{html.escape(line)}" + "".join(f"<td>{short(mine[line, column]) if (line, column) in mine else ''}"
                                                                  for column in columns))
        parts.append("</table>")
    return "".join(parts)


def named(text: str) -> str:
    """A text that ends with a figure's name, as it is said."""
    start, _, figure = text.rpartition(" ")
    return html.escape(f"{start} {FIGURES[figure]}".strip())


def unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def picture(points: Sequence[tuple[float, float]], window: Mapping[str, Any], label: str) -> str:
    """A line against rounds, with the window's mean, its 10 % lines, and its least-squares line."""
    low_x, high_x = points[0][0], points[-1][0]
    top = 1.08 * max(max(value for _, value in points), 1.1 * window["mean"]) or 1.0

    def place(x: float, y: float) -> str:
        return f"{LEFT + (WIDTH - LEFT - 8) * (x - low_x) / ((high_x - low_x) or 1):.1f},{(HEIGHT - BELOW) * (1 - y / top) + 6:.1f}"

    def line(ends: Sequence[tuple[float, float]], look: str) -> str:
        return f'<polyline fill="none" {look} points="{" ".join(place(x, y) for x, y in ends)}"/>'

    last = window["first"] + 4
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" font-size="11" font-family="Arial"><title>{named(label)}</title>']
    for share in (0, 0.5, 1):
        parts.append(line([(low_x, share * top), (high_x, share * top)], 'stroke="#ddd"'))
        x, y = place(low_x, share * top).split(",")
        parts.append(f'<text x="{float(x) - 6}" y="{float(y) + 4}" text-anchor="end">{short(share * top)}</text>')
    for factor in (0.9, 1.0, 1.1):
        parts.append(line([(window["first"], factor * window["mean"]), (last, factor * window["mean"])], 'stroke="#c60" stroke-dasharray="4 3"'))
    parts.append(line([(window["first"], window["at_first"]), (last, window["at_last"])], 'stroke="#c60"'))
    parts.append(line(points, 'stroke="#06c" stroke-width="1.5"'))
    parts += [f'<circle r="2.5" fill="#06c" cx="{place(x, y).split(",")[0]}" cy="{place(x, y).split(",")[1]}"/>' for x, y in points]
    for x in sorted({low_x, high_x}):
        at = place(x, 0).split(",")
        parts.append(f'<text x="{at[0]}" y="{float(at[1]) + 15}" text-anchor="middle">{x:g}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 4}" text-anchor="middle">round; {named(label)}</text></svg>')
    return "".join(parts)
