#!/usr/bin/env python3
"""Prints the tables of README.md, errors in per cent: by kind those of published.csv (medians leave out, in brackets, what a file was
fitted to); with `changes` the medians before and after each change of the part `why`, over the drives that it was made to."""
import csv
import pathlib
import re
import statistics
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
KINDS = {("read_128k", "mb"): "sequential reads", ("write_128k", "mb"): "sequential writes", ("read_4k", "iops"): "random reads",
         ("write_4k", "iops"): "random writes", ("read_one", "latency"): "latency of a read", ("write_one", "latency"): "of a write",
         ("read_128k", "watts"): "power, reading", ("write_128k", "watts"): "writing", ("read_one", "idle"): "idle"}


def rows(name):
    with open(FOLDER / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_kind(papers):
    errors = {}
    for row in rows("published.csv"):
        drive, workload = re.search(r"drive (.+), workload (\w+)", row["row"]).groups()
        errors.setdefault((workload, row["metric"]), {})[drive] = float(row["deviation_percent"])
    inside = list(dict.fromkeys(drive for drive, *kind in papers if papers[drive, *kind].startswith("inside")))
    print("| | median | presets | " + " | ".join(inside) + " |\n" + "|---" * (len(inside) + 3) + "|")
    for kind, name in KINDS.items():
        of = errors[kind]
        fitted = {drive for drive in of if papers[drive, *kind].startswith("fit")}
        medians = [f"{statistics.median(free):.0f}" if (free := [abs(of[drive]) for drive in of if drive not in fitted and (drive in inside) == here]) else ""
                   for here in (True, False)]
        cells = ["" if drive not in of else f"({of[drive]:+.0f})" if drive in fitted else f"{of[drive]:+.0f}" for drive in inside]
        print(f"| {name} | **{medians[0]}** | {medians[1]} | " + " | ".join(cells) + " |")


def by_change():
    papers = {(row["drive"], row["workload"], row["metric"]): float(row["value"]) for row in rows("paper-predictions.csv")}
    before, after = {}, {}
    for row in rows("summary.csv"):
        found = re.fullmatch(r"drive (.+), workload (\w+)(?:, change (.+))?", row["row"])
        drive, workload, change = found.groups()
        metric = row["metric"].partition("_")[0]
        if (workload, metric) in KINDS and (drive, workload, metric) in papers:
            error = 100 * (float(row["value"]) / papers[drive, workload, metric] - 1)
            (after.setdefault((change, workload, metric), {}) if change else before)[drive if change else (drive, workload, metric)] = error
    print("| change | of | before | after |\n|---|---|---|---|")
    for (change, *kind), found in sorted(after.items()):
        old, new = (statistics.median(map(abs, errors)) for errors in ([before[drive, *kind] for drive in found], found.values()))
        print(f"| {change} | {KINDS[tuple(kind)]} | {old:.0f} | {new:.0f} |")


if sys.argv[1:] == ["changes"]:
    by_change()
else:
    by_kind({(row["drive"], row["workload"], row["metric"]): row["note"] for row in rows("paper-predictions.csv")})
