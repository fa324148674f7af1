"""What comes of a fit: the device file, the table of residuals, and what the measurements tell and do not."""
import csv
import io
import json
import math
import pathlib
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import program
from ..device import Device
from ..errors import BadInput
from ..places import shown
from ..units import in_unit, quantity_text
from ..whole_file import write_whole
from .blind import Prediction
from .intervals import FILLS, Interval, Knowledge, Trade
from .keys import Key, look_up
from .model import Model
from .problem import Problem
from .solve import Optimum, Residuals

SCHEMA = 1


@dataclass
class FittedKey:
    """What was found of a key. `low`, `high`: the interval, `value`: the best, in `unit`; of a list that moves as one, factors. Of a key
    with values to try `value` is the best and `possible` has those that the measurements do not exclude."""
    name: str
    value: Any
    unit: str = ""
    low: float | None = None
    high: float | None = None
    text: str = ""  # value and interval, as a person reads them
    told: bool = True  # False: the interval fills the range, or all values are possible
    bounded: str = "both"  # which ends are the measurements': "both", "low", "high", "none"
    possible: list[Any] = field(default_factory=list)


@dataclass
class Unseen:
    """What the fit says of what it did not see."""
    predictions: list[Prediction]
    left_out: dict[str, float]  # of each workload: the largest relative error with which the others predict it
    compared: bool  # whether predictions are compared with the measurements


@dataclass
class Fitted:
    """A fit that is done."""
    folder: pathlib.Path
    keys: dict[str, FittedKey]
    chi2: float
    freedom: int
    scale: float
    probability: float
    trades: list[dict[str, Any]]
    weak: list[dict[str, float]]
    notes: list[str]
    runs: int
    unseen: Unseen
    report: str = ""


def conclude(model: Model, best: Optimum, optima: Sequence[Optimum], residuals: Residuals, known: Knowledge,
             unseen: Unseen) -> Fitted:
    """Writes device.toml, residuals.csv, blind.csv, report.txt, fit.json, each whole. Throws BadInput, OSError."""
    problem = model.problem
    keys = {key.name: _fitted(key, problem, best.at[number], known.intervals[number]) for number, key in enumerate(problem.keys)}
    for key in problem.choices:
        keys[key.name] = _chosen(key, best, optima, known)
    fitted = Fitted(problem.out, keys, known.chi2, known.freedom, known.scale, known.probability,
                    [_trade(trade, problem.keys) for trade in known.trades],
                    [{problem.keys[number].name: share for number, share in shares} for shares in known.weak], [], model.done, unseen)
    device = device_text(problem, best, fitted)
    fitted.report = report_text(problem, fitted, best, residuals)
    write_whole(problem.out / "residuals.csv", residuals_csv(problem, best, residuals))
    if unseen.predictions:
        write_whole(problem.out / "blind.csv", blind_csv(unseen.predictions))
    write_whole(problem.out / "report.txt", fitted.report)
    write_whole(problem.out / "fit.json", json.dumps(as_json(problem, fitted), indent=2) + "\n")
    write_whole(problem.out / "device.toml", device)
    return fitted


def _fitted(key: Key, problem: Problem, at: float, interval: Interval) -> FittedKey:
    low, high, value = key.value(interval.low), key.value(interval.high), key.value(float(at))
    ends = {(False, False): "both", (True, False): "high", (False, True): "low", (True, True): "none"}
    bounded = ends[interval.low <= 0.0, interval.high >= 1.0]
    text = f"{key.text(value)} ({key.text(low)} to {key.text(high)})"
    return FittedKey(key.name, value, key.unit, low, high, text, interval.width < FILLS, bounded)


def _chosen(key: Key, best: Optimum, optima: Sequence[Optimum], known: Knowledge) -> FittedKey:
    possible = [value for value in key.values if value == best.chosen[key.path]
                or min(one.chi2 for one in optima if one.chosen[key.path] == value) <= best.chi2 + known.threshold]
    value = best.chosen[key.path]
    text = f"{value} (not excluded: {', '.join(str(one) for one in possible)})"
    return FittedKey(key.name, value, text=text, told=len(possible) < len(key.values), possible=possible)


def _trade(trade: Trade, keys: Sequence[Key]) -> dict[str, Any]:
    """The pair, and the sum or product that is told, in words."""
    first, second = (keys[number] for number in trade.keys)
    if all(trade.logs):
        told = (f"{first.name} x ({second.name})^{trade.weights[1]:.3g}: known to "
                f"{(math.exp(min(trade.error, 50.0)) - 1) * 100:.3g} %")
    else:
        parts = [f"log({key.name})" if log else key.name for key, log in zip((first, second), trade.logs)]
        unit = f" {first.unit}" if first.unit and not trade.logs[0] else ""
        of_second = f" {first.unit or '1'}/{second.unit or '1'}" if not any(trade.logs) and (first.unit or second.unit) else ""
        sign = "-" if trade.weights[1] < 0 else "+"
        told = f"{parts[0]} {sign} {abs(trade.weights[1]):.4g}{of_second} x {parts[1]} = {trade.value:.5g}{unit} +- {trade.error:.2g}{unit}"
    return {"keys": [first.name, second.name], "correlation": trade.correlation, "told": told}


def device_text(problem: Problem, best: Optimum, fitted: Fitted) -> str:
    """The device file: that of the start with what was fitted, as `flashloom config` prints it. An uncertainty that the device file cannot
    carry is left out, and noted."""
    values = problem.with_values(best.at, best.chosen)
    count = len(problem.measurements)
    percent = f"{problem.confidence * 100:g} %"
    sources: dict[str, str] = {}
    ranges: dict[str, str] = {}
    for path in values:
        table, _, last = path.rpartition(".")
        found = [fitted.keys[key.name] for key in (*problem.keys, *problem.choices) if key.path == path]
        told = "; ".join(f"{one.name + ': ' if len(found) > 1 else ''}{one.text.replace('(', f'({percent}: ', 1) if one.low is not None else one.text}"
                         f"{'' if one.told else ', not told by them'}" for one in found)
        sources[f"{table}.source.{last}"] = f"fitted to {count} measurements ({problem.path.name}): {told}"
        range_text = _range(problem, path, values[path], fitted)
        if range_text:
            ranges[f"{table}.uncertainty.{last}"] = range_text
    # In two steps: what --set changes gets a source of its own.
    device = Device(text=printed(problem.device.set(values))).set(sources)
    for path, text in list(ranges.items()):
        try:
            device.set({path: text}).config()
        except BadInput as error:
            fitted.notes.append(f"{path}: the device file cannot carry {text}: {error}")
            del ranges[path]
    text = printed(device.set(ranges))
    heading = f"# Fitted by `flashloom fit {problem.path.name}` from {problem.device.name}: docs/how-to/fit.md\n"
    return heading + text.partition("\n")[2] if text.startswith("# Effective") else heading + text


def printed(device: Device) -> str:
    """What `flashloom config` makes of a device."""
    with tempfile.TemporaryDirectory(prefix="flashloom-") as scratch:
        return program.said("config", device.argument(pathlib.Path(scratch)), *device.set_arguments())


def _range(problem: Problem, path: str, value: Any, fitted: Fitted) -> str:
    """An uncertainty as device files have it; "" where there is none to say."""
    keys = [key for key in problem.keys if key.path == path]
    if not keys:
        return ""
    if isinstance(look_up(problem.config, path), list) and len(look_up(problem.config, path)) > 1:
        below, above = 0.0, 0.0  # of a list there is one for all: the widest
        for key in keys:
            one = fitted.keys[key.name]
            if one.low is not None and one.high is not None:
                below, above = min(below, one.low / one.value - 1), max(above, one.high / one.value - 1)
        return f"{below * 100 - 1e-3:.4f} % to {above * 100 + 1e-3:+.4f} %"
    key, one = keys[0], fitted.keys[keys[0].name]
    text = value[0] if isinstance(value, list) else value
    exact = in_unit(text, key.unit) if isinstance(text, str) else float(text)
    if one.low is None or one.high is None or exact is None:
        return ""
    low, high = min(one.low, exact), max(one.high, exact)
    if key.whole:
        return f"{low:.0f} to {high:.0f}" if low < high else ""
    return f"{quantity_text(low, key.unit)} to {quantity_text(high, key.unit)}" if key.unit else f"{low:.9g} to {high:.9g}"


def residuals_csv(problem: Problem, best: Optimum, residuals: Residuals) -> str:
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["origin", "workload", "direction", "statistic", "unit", "measured", "model", "deviation", "error", "model_error", "residual"])
    for measurement, residual, error, stated, sampling in zip(problem.measurements, best.residuals, residuals.errors, residuals.stated,
                                                              residuals.sampling):
        table.writerow([measurement.origin, measurement.workload, measurement.direction, measurement.statistic, measurement.unit,
                        f"{measurement.value:.6g}", f"{measurement.value * (1 + residual * error):.6g}", f"{residual * error:.6f}",
                        f"{stated:.6f}" if problem.stated else "", f"{sampling:.6f}", f"{residual:.4f}"])
    return file.getvalue()


def blind_csv(predictions: Sequence[Prediction]) -> str:
    """Without what was measured: to be kept before it is compared."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["origin", "workload", "direction", "statistic", "unit", "predicted", "low", "high"])
    for one in predictions:
        measurement = one.measurement
        table.writerow([measurement.origin, measurement.workload, measurement.direction, measurement.statistic, measurement.unit,
                        *(f"{value:.6g}" for value in (one.value, one.low, one.high))])
    return file.getvalue()


def unseen_lines(unseen: Unseen) -> list[str]:
    lines = []
    if unseen.left_out:
        worst = max(unseen.left_out, key=lambda name: unseen.left_out[name])
        lines += ["", f"each workload, predicted from the others: within {statistics.median(unseen.left_out.values()):.2%} (median), "
                  f"{unseen.left_out[worst]:.2%} ({worst}, the worst)"]
    if unseen.predictions:
        lines += ["", "left out of the fit: predicted"]
    for one in unseen.predictions:
        unit = one.measurement.unit
        said = f"  {one.measurement.title}: {_figure(one.value, unit)} ({_figure(one.low, unit)} to {_figure(one.high, unit)})"
        lines.append(said + (f"  measured {_figure(one.measurement.value, unit)}  {one.deviation:+.2%}" if unseen.compared else ""))
    return lines


def _figure(value: float, unit: str) -> str:
    if unit == "ns":
        return f"{value / 1e3:.4g} us"
    return f"{value:.4g} {'IOPS' if unit == '1/s' else unit}"


def report_text(problem: Problem, fitted: Fitted, best: Optimum, residuals: Residuals) -> str:
    percent = f"{problem.confidence * 100:g} %"
    lines = [f"{shown(problem.path)}: {len(problem.keys) + len(problem.choices)} keys of {problem.device.name}, {len(problem.measurements)} "
             "measurements", "", f"keys, with {percent} intervals"]
    width = max(len(name) for name in fitted.keys)
    for name, key in fitted.keys.items():
        ends = {"low": "no upper bound within the range", "high": "no lower bound within the range"}.get(key.bounded, "")
        said = ends if key.told else "NOT TOLD by these measurements"
        lines.append(f"  {name:{width}}  {key.text}{'  ' + said if said else ''}")
    lines += ["", "what the measurements do not tell"]
    silent = [f"  {name}: " + ("all values are possible" if key.possible else f"the interval fills {_filled(problem, key):.0%} of the range")
              for name, key in fitted.keys.items() if not key.told]
    silent += [f"  {trade['keys'][0]} and {trade['keys'][1]} trade against each other (correlation {trade['correlation']:+.3f}); "
               f"told is {trade['told']}" for trade in fitted.trades]
    silent += ["  together: " + ", ".join(f"{share:+.2f} {name}" for name, share in shares.items()) + " (in ranges) can move at will"
               for shares in fitted.weak]
    lines += silent or ["  nothing of these keys: each has an interval of its own"]
    lines += ["", "residuals"]
    titles = [measurement.title for measurement in problem.measurements]
    width = max(len(title) for title in titles)
    for title, measurement, residual, error in zip(titles, problem.measurements, best.residuals, residuals.errors):
        model = measurement.value * (1 + residual * error)
        errors = f"{residual:+6.2f} sigma" if problem.stated else ""
        lines.append(f"  {title:{width}}  measured {_figure(measurement.value, measurement.unit):>12}  model {_figure(model, measurement.unit):>12}"
                     f"  {residual * error:+8.2%}  {errors}".rstrip())
    lines += unseen_lines(fitted.unseen)
    lines += ["", _judgement(problem, fitted)]
    lines += [f"note: {note}" for note in fitted.notes]
    return "\n".join(lines) + "\n"


def _filled(problem: Problem, fitted: FittedKey) -> float:
    key = next(key for key in problem.keys if key.name == fitted.name)
    return key.coordinate(float(fitted.high or 0)) - key.coordinate(float(fitted.low or 0))


def _judgement(problem: Problem, fitted: Fitted) -> str:
    if not problem.stated:
        return f"errors are not stated: by the residuals they are {fitted.scale:.3g} % ({fitted.freedom} degrees of freedom)"
    if fitted.freedom <= 0 and fitted.scale <= 1:
        return "as many keys as measurements: nothing tells whether the model is right"
    text = f"sum of squares {fitted.chi2:.4g} with {fitted.freedom} degrees of freedom (probability {fitted.probability:.2g})"
    if fitted.scale > 1:
        text += (f": the model does not meet these measurements within their errors; the intervals are widened by {fitted.scale:.3g}, "
                 "and hold only as far as the model does")
    return text


def as_json(problem: Problem, fitted: Fitted) -> dict[str, Any]:
    """fit.json"""
    return {"schema": SCHEMA, "program": program.version(), "confidence": problem.confidence,
            "keys": {name: {field: value for field, value in vars(key).items() if field != "name" and value not in (None, [])}
                     for name, key in fitted.keys.items()},
            "sum_of_squares": fitted.chi2, "degrees_of_freedom": fitted.freedom, "probability": fitted.probability,
            "error_scale": fitted.scale, "trades": fitted.trades, "weak_directions": fitted.weak, "notes": fitted.notes,
            "measurements": len(problem.measurements), "left_out": fitted.unseen.left_out,
            "blind": [{"workload": one.measurement.workload, "direction": one.measurement.direction, "statistic": one.measurement.statistic,
                       "unit": one.measurement.unit, "predicted": one.value, "low": one.low, "high": one.high}
                      | ({"measured": one.measurement.value, "deviation": one.deviation} if fitted.unseen.compared else {})
                      for one in fitted.unseen.predictions]}
