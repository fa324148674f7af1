"""What the tables beside result.json must add up to, whatever the device (docs/reference/results.md). Each law takes the folder of a timed run
and its result; AssertionError says what is broken."""
import collections
import csv
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "experiments"))
from engine.closed_forms import quantity  # noqa: E402  pylint: disable=wrong-import-position

ROUNDING = 1e-6  # of sums: tables print a dozen digits
KINDS = ("read", "write", "trim", "flush")


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def series_adds_up(folder, result):
    table = rows(folder / "series.csv")
    if table and is_whole(result):
        for kind in KINDS:
            for what in ("ios", "bytes"):
                assert sum(int(row[f"{kind}_{what}"]) for row in table) == result["host"][kind][what], f"series.csv: {kind}_{what}"
        joules(sum(float(row["power_w"]) * float(row["duration_s"]) for row in table), result, "series.csv")


def power_adds_up(folder, result):
    if is_whole(result):
        joules(sum(joule for _, _, joule in bins(folder, result)), result, "power.csv")


def no_bin_exceeds_the_peak(folder, result):
    """A window of power.peak_window takes any bin that is no longer, so no bin has more energy than the windows that cover it."""
    energy, found = result["energy"], bins(folder, result)
    if is_whole(result) and sum(width for _, width, _ in found) > energy["peak_window_s"]:
        for time, width, joule in found:
            most = energy["peak_w"] * energy["peak_window_s"] * math.ceil(width / energy["peak_window_s"] * (1 - 1e-9))
            assert joule <= most * (1 + ROUNDING), f"power.csv: {joule} J at {time} s, but energy.peak_w allows {most} J"


def is_whole(result):
    """Whether the result has what the tables have: with a ramp, and the setup of a heap, they have more."""
    return result["window"]["begin_s"] == 0


def bins(folder, result):
    """(begin in s, width in s, joules) of each bin of power.csv."""
    table = rows(folder / "power.csv")
    times = [float(row["time_s"]) for row in table] + [result["window"]["end_s"]]
    return [(begin, end - begin, float(row["power_w"]) * (end - begin)) for row, begin, end in zip(table, times, times[1:])]


def joules(found, result, name):
    total = result["energy"]["total_j"]
    assert abs(found - total) <= ROUNDING * total, f"{name}: {found} J, energy.total_j {total} J"


def in_flight(folder, result):
    """A queue has no more commands in the device than entries, the device no more than command slots. Commands in the device are
    those between `accepted_ps` and completion, less the time that the host takes for it."""
    config = result["config"]
    above = quantity(config["host"]["cache"]["size"]) or quantity(config["hdd"]["capacity"]) or part(config["array"]["level"]) != "none"
    if not (folder / "io_log.csv").exists() or part(config["host_interface"]["kind"]) != "nvme" or above:
        return  # SATA has tags; a page cache, a tier and an array make other requests of these
    steps = collections.defaultdict(list)
    for row in rows(folder / "io_log.csv"):
        begin, end = int(row["accepted_ps"]), int(row["complete_ps"]) - int(row["host_ps"])
        if end > begin and row["status"] == "ok":
            steps[row["queue"]] += [(begin, 1), (end, -1)]
    for queue, moves in steps.items():
        now = 0
        for _, step in sorted(moves):
            now += step
            assert now <= config["host_interface"]["queue_depth"], f"queue {queue} has {now} commands in flight"


def part(value):
    return value["name"] if isinstance(value, dict) else value


LAWS = (("series.csv adds up", series_adds_up), ("power.csv adds up", power_adds_up), ("no bin exceeds the peak", no_bin_exceeds_the_peak),
        ("queues hold their depth", in_flight))
