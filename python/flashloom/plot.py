"""Plots through Matplotlib in the house's style: colours that stay apart without colour vision, markers that differ, axes with
units. Each takes `ax` (default: a new figure) and returns the Axes. Needs the extra `plot`."""
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import BadInput
from .result import Result
from .sweeps import Sweep, pareto_front
from .units import label

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

# As plots/study.gp has them: Okabe and Ito, and three more.
COLORS = ("#f0a030", "#56b4e9", "#0072b2", "#d55e00", "#009e73", "#9a6a94", "#333333", "#cc79a7", "#8a7a00", "#8c8c8c", "#7a1f1f")
MARKERS = ("o", "s", "D", "v", "^", "P", "X", "<", ">", "p", "h")
STYLE: Any = {"axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.axisbelow": True, "axes.spines.top": False,
         "axes.spines.right": False, "axes.edgecolor": "#555555", "axes.labelcolor": "#222222", "text.color": "#222222",
         "xtick.color": "#222222", "ytick.color": "#222222", "font.size": 10.0, "lines.linewidth": 1.6,
         "lines.markersize": 5.5}
Results = Result | Sequence[Result] | Mapping[str, Result]


def axes(ax: "Axes | None" = None) -> "Axes":
    """An Axes in the house's style. Throws BadInput without Matplotlib."""
    try:
        import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise BadInput("plots need Matplotlib: pip install 'flashloom[plot]'") from None
    if ax is not None:
        return ax
    # The figure first: the backend of notebooks, loaded by it, would lose what it sets when the context ends.
    figure = plt.figure(figsize=(6.4, 4.0), dpi=110, layout="constrained")
    with plt.rc_context(STYLE):
        drawn: Axes = figure.add_subplot()
    return drawn


def throughput(data: "Sweep | pandas.DataFrame", x: str, y: str = "throughput_mb_s", *, series: str | None = None, log: str = "",
               ax: "Axes | None" = None) -> "Axes":
    """A column of a sweep or a study over a parameter, a line for each value of `series`. `log`: "x", "y", "xy"."""
    frame, units = table_of(data)
    check(frame, [x, y] + ([series] if series else []))
    drawn = axes(ax)
    groups = [("", frame)] if series is None else list(frame.groupby(series, sort=False))
    for number, (name, rows) in enumerate(groups):
        rows = rows.dropna(subset=[x, y]).sort_values(x)
        drawn.plot(rows[x], rows[y], color=COLORS[number % len(COLORS)], marker=MARKERS[number % len(MARKERS)],
                   label=said(series, name, units) if series else None)
    values = sorted(set(frame[x].dropna()))
    if "x" in log:
        drawn.set_xscale("log", base=2 if all(value > 0 and value == int(value) for value in values) else 10)
    if "y" in log:
        drawn.set_yscale("log")
    else:
        drawn.set_ylim(bottom=0)
    if apart(values, "x" in log):
        drawn.set_xticks(values, [f"{value:.4g}" for value in values])
        drawn.minorticks_off()
    drawn.set_xlabel(label(x, units))
    drawn.set_ylabel(label(y, units))
    if series is not None:
        drawn.legend(frameon=False)
    return drawn


def latency(results: Results, operation: str = "read", *, ax: "Axes | None" = None) -> "Axes":
    """Percentiles of the latency (µs, logarithmic) of an operation, a line a result. Each nine takes the same room, so that the tail
    is seen; it ends at the last percentile that the requests of the run can tell."""
    drawn = axes(ax)
    least = 0.1
    for number, (name, result) in enumerate(named(results).items()):
        table = result.tables["latency_cdf"]
        rows = table[table["operation"] == operation]
        if rows.empty:
            raise BadInput(f"latency: {name} has no {operation}; it has {', '.join(result.operations)}")
        above = [1.0, *rows["above"][rows["above"] > 0], 1 / result.data["host"][operation]["ios"]]
        times = [float(time) / 1e3 for time in rows["latency_ns"]]
        least = min(least, above[-1])
        drawn.plot([times[0], *times][: len(above) - 1] + times[-1:], above, color=COLORS[number % len(COLORS)], drawstyle="steps-post",
                   label=name)
    drawn.set_xscale("log")
    drawn.set_yscale("log")
    shares = [1.0, 0.5, *(10.0**-nines for nines in range(1, 1 + max(1, math.ceil(-math.log10(least) - 1e-9))))]
    drawn.set_yticks(shares, [f"{100 * (1 - share):.6g} %" for share in shares])
    drawn.minorticks_off()
    drawn.set_ylim(1.0, min(shares))
    drawn.set_xlabel(f"{operation} latency (µs)")
    drawn.set_ylabel("percentile (% of requests)")
    drawn.legend(frameon=False)
    return drawn


def energy(results: Results, *, per_gb: bool = False, ax: "Axes | None" = None) -> "Axes":
    """Stacked bars: energy (J, or J a GB moved) of each kind of component, a bar a result. Parts that are nothing are left out."""
    drawn = axes(ax)
    chosen = named(results)
    parts = {name: result.energy_parts for name, result in chosen.items()}
    if per_gb:
        parts = {name: part * (chosen[name].energy.j_per_gb / chosen[name].energy.total_j if chosen[name].energy.total_j else 0)
                 for name, part in parts.items()}
    kinds = list(dict.fromkeys(str(kind) for part in parts.values() for kind in part.index))
    bottom = [0.0] * len(parts)
    for number, kind in enumerate(kinds):
        heights = [float(part.get(kind, 0.0)) for part in parts.values()]
        if not any(heights):
            continue
        drawn.bar(list(parts), heights, bottom=bottom, color=COLORS[number % len(COLORS)], label=kind, width=0.6)
        bottom = [low + height for low, height in zip(bottom, heights)]
    drawn.grid(axis="x", visible=False)
    drawn.set_ylabel("energy (J/GB)" if per_gb else "energy (J)")
    beside(drawn)
    return drawn


def pareto(data: "Sweep | pandas.DataFrame", x: str, y: str, *, maximize: Sequence[str] = (), minimize: Sequence[str] = (),
           series: str | None = None, text: str | None = None, ax: "Axes | None" = None) -> "Axes":
    """Points, and the front of those that no other beats in x and y. Each of x and y is in `maximize` or else to be small; `text`: a
    column written beside the points of the front."""
    frame, units = table_of(data)
    check(frame, [x, y] + [name for name in (series, text) if name])
    frame = frame.dropna(subset=[x, y])
    drawn = axes(ax)
    wanted = [name for name in (x, y) if name in maximize]
    front = frame[pareto_front(frame, maximize=wanted, minimize=[name for name in (x, y) if name not in wanted])].sort_values([x, y])
    for number, (name, rows) in enumerate([("", frame)] if series is None else list(frame.groupby(series, sort=False))):
        drawn.scatter(rows[x], rows[y], color=COLORS[(number + 1) % len(COLORS)], marker=MARKERS[number % len(MARKERS)],
                      label=said(series, name, units) if series else None, zorder=3)
    drawn.plot(front[x], front[y], color="#333333", linestyle="--", linewidth=1.2, marker="o", markersize=11, markerfacecolor="none",
               label="Pareto front", zorder=2)
    if text is not None:
        for _, row in front.iterrows():
            drawn.annotate(str(row[text]), (row[x], row[y]), xytext=(8, -12), textcoords="offset points", fontsize=8)
    drawn.set_xlabel(label(x, units) + (" → more" if x in wanted else ""))
    drawn.set_ylabel(label(y, units) + (" → more" if y in wanted else ""))
    drawn.legend(frameon=False)
    return drawn


def compare(results: Results, *, ax: "Axes | None" = None) -> "Axes":
    """What results make of the same workload, as ratios to the first: throughput, IOPS, mean and 99th percentile latency of each
    operation, J/GB, WAF. The first one's values stand left; what it has none of is left out."""
    drawn = axes(ax)
    chosen = named(results)
    first = next(iter(chosen.values()))
    kinds: list[tuple[str, Any, Any]] = [("throughput", lambda r: r.throughput_mb_s, "{:.4g} MB/s".format),
                                         ("rate", lambda r: r.iops, "{:.4g} IOPS".format)]
    for name in first.operations:
        if name in ("read", "write"):
            kinds += [(f"{name} {at}", lambda r, n=name, a=at: r.data["host"][n]["latency_ns"][a], time_said) for at in ("mean", "p99")]
    kinds += [("energy", lambda r: r.energy.j_per_gb, "{:.4g} J/GB".format), ("WAF", lambda r: r.waf, "{:.3g}".format)]
    kinds = [kind for kind in kinds if kind[1](first)]
    height = 0.8 / len(chosen)
    ratios: list[float] = []
    bars: list[Any] = []
    for number, (name, result) in enumerate(chosen.items()):
        places = [place + (number - (len(chosen) - 1) / 2) * height for place in range(len(kinds))]
        found = [of(result) / of(first) for _, of, _ in kinds]
        ratios += [ratio for ratio in found if ratio > 0]
        bars.append(drawn.barh(places, found, height=height * 0.92, color=COLORS[number % len(COLORS)], label=name))
    drawn.axvline(1, color="#555555", linewidth=0.8)
    if max(ratios) / min(ratios) > 20:  # then bars begin at 1
        drawn.set_xscale("log")
        for bar in (bar for group in bars for bar in group):
            bar.set(x=1, width=bar.get_width() - 1)
        drawn.set_xlim(min(ratios) / 1.5, max(ratios) * 1.5)
    drawn.set_yticks(range(len(kinds)), [f"{name}\n{say(of(first))}" for name, of, say in kinds], fontsize=8)
    drawn.invert_yaxis()
    drawn.grid(axis="y", visible=False)
    drawn.set_xlabel(f"ratio to {next(iter(chosen))}, whose values stand left")
    drawn.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return drawn


def breakdown(results: Results, operation: str = "read", at: str = "mean", *, ax: "Axes | None" = None) -> "Axes":
    """Stacked bars: where the latency (µs) of an operation went; `at`: mean, p50, p90, p99, p99_9, max."""
    drawn = axes(ax)
    parts = {name: {part: value / 1e3 for part, value in result[f"host.{operation}.latency_breakdown_ns.{at}"].items()}
             for name, result in named(results).items()}
    bottom = [0.0] * len(parts)
    shown = [part for part in next(iter(parts.values())) if any(part_of.get(part) for part_of in parts.values())]
    for number, part in enumerate(shown):
        heights = [part_of.get(part, 0.0) for part_of in parts.values()]
        drawn.bar(list(parts), heights, bottom=bottom, color=COLORS[number % len(COLORS)], label=part.replace("_", " "), width=0.6)
        bottom = [low + height for low, height in zip(bottom, heights)]
    drawn.grid(axis="x", visible=False)
    drawn.set_ylabel(f"{operation} latency, {at.replace('_', '.')} (µs)")
    beside(drawn)
    return drawn


def series(results: Results, column: str = "write_bytes_per_s", *, ax: "Axes | None" = None) -> "Axes":
    """A column of the table `series` over simulated time; bytes a second as MB/s, ns as µs."""
    drawn = axes(ax)
    scale, unit = (1e-6, "MB/s") if column.endswith("_bytes_per_s") else (1e-3, "µs") if column.endswith("_ns") else (1.0, "")
    for number, (name, result) in enumerate(named(results).items()):
        table = result.tables["series"]
        check(table, [column])
        drawn.plot(table["time_s"], table[column] * scale, color=COLORS[number % len(COLORS)], label=name)
        unit = unit or table.attrs["units"].get(column, "")
    words = column.removesuffix("_bytes_per_s").removesuffix("_ns").removesuffix(f"_{unit.lower()}").replace("_", " ")
    drawn.set_xlabel("simulated time (s)")
    drawn.set_ylabel(f"{words} ({unit})" if unit else words)
    drawn.set_ylim(bottom=0)
    drawn.legend(frameon=False)
    return drawn


def apart(values: Sequence[float], log: bool) -> bool:
    """Whether ticks at these values leave room for their labels."""
    places = [math.log(value) for value in values] if log else list(values)
    return len(places) > 1 and min(b - a for a, b in zip(places, places[1:])) >= 0.07 * (places[-1] - places[0])


def time_said(nanoseconds: float) -> str:
    """360274000 is 360.3 ms."""
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= scale:
            return f"{nanoseconds / scale:.4g} {unit}"
    return f"{nanoseconds:.4g} ns"


def beside(drawn: "Axes") -> None:
    """The legend right of what it explains, in the order of the stack."""
    handles, names = drawn.get_legend_handles_labels()
    drawn.legend(handles[::-1], names[::-1], loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def named(results: Results) -> dict[str, Result]:
    """Results by name: those of a dict, or the names of their devices, told apart by number."""
    if isinstance(results, Mapping):
        return dict(results)
    found: dict[str, Result] = {}
    for result in [results] if isinstance(results, Result) else results:
        name = str(result.data["device"]["name"])
        found[name if name not in found else f"{name} {len(found) + 1}"] = result
    return found


def said(name: str | None, value: Any, units: Mapping[str, str]) -> str:
    """`channels 4`: a line of a legend."""
    short = (name or "").rsplit(".", maxsplit=1)[-1].replace("_", " ")
    unit = units.get(name or "", "")
    return f"{short} {value:g} {unit}".strip() if isinstance(value, (int, float)) else str(value)


def table_of(data: "Sweep | pandas.DataFrame") -> "tuple[pandas.DataFrame, Mapping[str, str]]":
    frame = data.frame if isinstance(data, Sweep) else data
    return frame, frame.attrs.get("units", {})


def check(frame: "pandas.DataFrame", names: Sequence[str]) -> None:
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise BadInput(f"there is no column {', '.join(missing)}; valid: {', '.join(map(str, frame.columns))}")
