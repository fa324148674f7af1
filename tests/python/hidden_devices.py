"""Draws hidden devices at random, measures them with the model plus noise of known size, and fits them blind. Do 90 %
intervals cover the truth in 90 % of the cases?

    hidden_devices.py --devices 50 --out hidden_devices.csv"""
import argparse
import csv
import pathlib
import tempfile

import case  # noqa: F401 (finds the package)
import numpy
import flashloom
from flashloom.fit import fit
from flashloom.units import quantity_text
from flashloom.whole_file import whole_file

NOISE = 0.01
COMMON = {"precondition.fill": 1.0, "buffer.mode": "write_through", "nand.blocks": 32}
# Key: (low, high, unit, logarithmic). No workload here erases, so no measurement determines erase_time.
KEYS = {
    "nand.read_time": (30, 90, "us", False),
    "nand.program_time": (300, 1200, "us", False),
    "nand.transfer_rate": (60, 400, "MT/s", True),
    "cpu.clock": (20, 200, "MHz", True),
    "nand.erase_time": (1, 6, "ms", False),
}
SILENT = "nand.erase_time"
INNER = 0.1  # share of a range at each end from which no device is drawn
# Sequential, so that the seed has no effect: all noise is added noise. So few writes that no garbage collection occurs.
WORKLOADS = {
    "one": ({"rw": "read", "bs": "4k"}, 60, ("mean",)),
    "large": ({"rw": "read", "bs": "16k"}, 60, ("mean",)),
    "stream": ({"rw": "read", "bs": "64k", "iodepth": 4}, 60, ("mb_s",)),
    "write": ({"rw": "write", "bs": "4k"}, 40, ("mean",)),
    "large_write": ({"rw": "write", "bs": "16k"}, 20, ("mean",)),
}


def draw(seed):
    """True values of the keys, in their units."""
    random = numpy.random.default_rng([20261125, seed])
    found = {}
    for name, (low, high, _, log) in KEYS.items():
        at = INNER + (1 - 2 * INNER) * random.random()
        found[name] = low * (high / low) ** at if log else low + at * (high - low)
    return found, random


def measured(values, random):
    """[(workload, statistic, text for fit.toml)], with noise."""
    device = flashloom.Device("tiny").set(COMMON).set({name: quantity_text(value, KEYS[name][2]) for name, value in values.items()})
    found = []
    for name, (options, requests, statistics) in WORKLOADS.items():
        job = {"ioengine": "libaio", "size": "100%", "direct": 1} | options
        result = flashloom.run(device, job=job, max_requests=requests, seed=77)
        part = result.data["host"]["write" if "write" in options["rw"] else "read"]
        for statistic in statistics:
            noisy = 1 + NOISE * random.standard_normal()
            found.append((name, statistic, f"{part['bandwidth_bytes_per_s'] / 1e6 * noisy:.9g}" if statistic == "mb_s" else
                          f'"{part["latency_ns"][statistic] * noisy:.3f} ns"'))
    return found


def problem(figures, keys=tuple(KEYS)):
    """The text of a fit.toml. The fit starts in the middle of each range."""
    lines = ['device = "tiny"', 'out = "out"', 'error = "1 %"', "seeds = [1]",
             "set = { " + ", ".join(f'"{name}" = {value!r}' if isinstance(value, (int, float)) else f'"{name}" = "{value}"'
                                    for name, value in COMMON.items()) + " }", "[keys]"]
    for name in keys:
        low, high, unit, log = KEYS[name]
        lines.append(f'"{name}" = {{ range = "{low} {unit} to {high} {unit}", scale = "{"log" if log else "linear"}" }}')
    for name in dict.fromkeys(figure[0] for figure in figures):
        options, requests, _ = WORKLOADS[name]
        lines += [f"[workloads.{name}]", f"requests = {requests}"]
        lines += [f'{option} = "{value}"' if isinstance(value, str) else f"{option} = {value}" for option, value in options.items()]
    for name, statistic, text in figures:
        lines += ["[[measurements]]", f'workload = "{name}"', f"{statistic} = {text}"]
    return "\n".join(lines) + "\n"


def fitted(seed, folder, keys=tuple(KEYS), only=None):
    """(true values, fit) of one hidden device."""
    values, random = draw(seed)
    figures = [figure for figure in measured(values, random) if only is None or figure[0] in only]
    (folder / "fit.toml").write_text(problem(figures, keys), encoding="utf-8")
    return values, fit(folder / "fit.toml", progress=False)


def row_of(seed):
    """One row per key of a device: whether its interval covers the truth, and whether the data determine it."""
    with tempfile.TemporaryDirectory(prefix="flashloom-hidden-") as scratch:
        values, result = fitted(seed, pathlib.Path(scratch))
    found = []
    for name, truth in values.items():
        key = result.keys[name]
        found.append({"device": seed, "key": name, "unit": KEYS[name][2], "truth": truth, "value": key.value, "low": key.low, "high": key.high,
                      "covered": int(key.low <= truth <= key.high), "told": int(key.told), "sum_of_squares": result.chi2})
    return found


def rows(devices):
    return [row for seed in devices for row in row_of(seed)]


def coverage(found):
    """(covered, all) over the keys that the data determine."""
    told = [int(row["covered"]) for row in found if int(row["told"])]
    return sum(told), len(told)


def read(path):
    """The rows of an earlier table."""
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--devices", type=int, default=50)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="table; devices that it has are not fitted again")
    options = parser.parse_args()
    found = read(options.out)
    for seed in range(options.first, options.first + options.devices):
        if any(int(row["device"]) == seed for row in found):
            continue
        found += [{name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()} for row in row_of(seed)]
        with whole_file(options.out) as file:
            table = csv.DictWriter(file, list(found[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(found)
        covered, told = coverage(found)
        print(f"device {seed}: so far {covered} of {told} intervals of keys that are told cover the truth: {covered / told:.1%}", flush=True)


if __name__ == "__main__":
    main()
