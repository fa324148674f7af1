"""datasheet.html: one file, for a screen and for two pages of paper."""
import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .drawing import drawn
from .measured import FEWEST_BEYOND
from .steady import WINDOW

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


def page_of(sheet: Mapping[str, Any]) -> str:
    """The whole page of what datasheet.json has."""
    name = html.escape(sheet["device"])
    parts = [f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>{name}: data sheet</title><style>{STYLE}</style>",
             f"<h1>{name}</h1><p class=what>{html.escape(sheet['description'])}<br>Simulated by Flashloom; {sheet['class']} class. "
             f"In parentheses are 95 % intervals of what was simulated; of power, energy and price 5 and 95 % of what the ranges of currents and "
             f"prices allow.</p>"]
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for figure in sheet["brief"].values():
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
    return f"<tr><td>{html.escape(figure['name'])}<td class=number>{html.escape(said(figure))}<td class=note>{html.escape(notes)}"


def said(figure: Mapping[str, Any]) -> str:
    """Value, unit and interval, as text."""
    if figure["value"] is None:
        return "not modelled" if not str(figure["note"]).startswith("needs") else "not bounded"
    if isinstance(figure["value"], str):
        return str(figure["value"])
    ends = "" if figure["low"] is None or figure["high"] is None else f" ({short(figure['low'])} to {short(figure['high'])})"
    return f"{short(figure['value'])} {figure['unit']}{ends}"


def short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def report(test: str, found: Mapping[str, Any]) -> str:
    """A test's part: its steady state, figures, and values."""
    window = found["window"]
    state = "reached" if window["reached"] else "not reached"
    parts = [f"<h2>{TITLES.get(test, test)}</h2><p>Steady state {state}: rounds {window['first']} to {window['first'] + WINDOW - 1} of "
             f"{named(found['tracked'])}, mean {short(window['mean'])}, range {100 * window['range']:.1f} % (at most 20), "
             f"drift {100 * window['drift']:.1f} % (at most 10).</p>"]
    parts += [convergence(found), landscape(found["values"]), demand(found["values"]), tails(found.get("tails", ()))]
    if not any(parts[1:]):
        parts.append("<p class=note>Figures need gnuplot.</p>")
    parts.append(matrix(found["values"]))
    parts += [f"<p class=note>{html.escape(note)}</p>" for note in found["notes"]]
    return "".join(parts)


def convergence(found: Mapping[str, Any]) -> str:
    """The tracked figure against rounds or what was written, of all elements that end as the tracked one does, and the measured window."""
    tracked, figure = found["tracked"].rpartition(" ")[::2]
    ending = f", {tracked.rpartition(', ')[2]}" if tracked else ""
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in found["rounds"]:
        if row["round"] < found["window"]["first"] + WINDOW and row["figure"] == figure and f", {row['element']}".endswith(ending):
            lines.setdefault(row["element"], []).append((row.get("drive_fills", row["round"]), row["value"]))
    lines = {name: line for name, line in lines.items() if len(line) > 1}
    window = found["window"]
    measured = [x for x, _ in (lines[tracked] if tracked else sum(lines.values(), []))][window["first"] - 1:][:WINDOW]
    fit = [(measured[0], window["mean"], window["at_first"]), (measured[-1], window["mean"], window["at_last"])]
    written = any("drive_fills" in row for row in found["rounds"])
    return drawn("rounds", lines | {"measured window": fit}, "drive fills written" if written else "round", FIGURES[figure])


def landscape(values: Mapping[str, float]) -> str:
    """IOPS over two parts of the elements, at least three of each, as bars; else empty."""
    cells = [(*name.removesuffix("; iops").split(", "), value) for name, value in values.items() if name.endswith("; iops")]
    if any(len(one) != 3 for one in cells):
        return ""
    columns, lines = unique(one[0] for one in cells), unique(one[1] for one in cells)[::-1]
    if min(len(columns), len(lines)) < 3:
        return ""
    return drawn("matrix", {"": [(columns.index(x), lines.index(y), value, x, y) for x, y, value in cells]}, "", "")


def demand(values: Mapping[str, float]) -> str:
    """Mean latency against IOPS, a line for each number of threads; else empty."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for name, value in values.items():
        element, _, figure = name.rpartition("; ")
        if element.startswith("TC ") and figure == "mean_us":
            lines.setdefault(element.partition(", ")[0], []).append((values[f"{element}; iops"], value))
    return drawn("lines", lines, FIGURES["iops"], FIGURES["mean_us"], "xy") if lines else ""


def tails(found: Sequence[Mapping[str, Any]]) -> str:
    """The share of requests that take longer, against latency; to the last that ten requests reach."""
    lines = {f"{tail['element']}: {tail['operation']}s": [(us, above) for us, above in zip(tail["us"], tail["above"])
                                                           if above * tail["requests"] >= FEWEST_BEYOND] for tail in found}
    return drawn("steps", lines, "latency, us", "share of longer ones", "xy") if lines else ""


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
