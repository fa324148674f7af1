#!/usr/bin/env python3
"""Prints the table of README.md: errors in per cent by kind and drive, from published.csv; medians leave out what a file was fitted to."""
import csv
import pathlib
import re
import statistics

FOLDER = pathlib.Path(__file__).resolve().parent
KINDS = {("read_128k", "mb"): "sequential reads", ("write_128k", "mb"): "sequential writes", ("read_4k", "iops"): "random reads",
         ("write_4k", "iops"): "random writes", ("read_one", "latency"): "latency of a read", ("write_one", "latency"): "latency of a write",
         ("read_128k", "watts"): "power, reading", ("write_128k", "watts"): "power, writing", ("read_one", "idle"): "power, idle"}


def rows(name):
    with open(FOLDER / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    fitted = {(r["drive"], r["workload"], r["metric"]) for r in rows("paper-predictions.csv") if r["note"].startswith("fit")}
    inside = [r["drive"] for r in rows("paper-predictions.csv") if r["note"].startswith("inside")]
    errors = {}
    for row in rows("published.csv"):
        drive, workload = re.search(r"drive (.+), workload (\w+)", row["row"]).groups()
        errors.setdefault((workload, row["metric"]), {})[drive] = float(row["deviation_percent"])
    drives = [drive for drive in dict.fromkeys(drive for found in errors.values() for drive in found)]
    for title, is_inside in (("from the inside", True), ("from sheets", False)):
        chosen = [drive for drive in drives if (drive in inside) == is_inside]
        print(f"| {title} | median | " + " | ".join(chosen) + " |\n" + "|---" * (len(chosen) + 2) + "|")
        for kind, name in KINDS.items():
            of = {drive: value for drive, value in errors.get(kind, {}).items() if drive in chosen}
            free = [abs(value) for drive, value in of.items() if (drive, *kind) not in fitted]
            if of:
                cells = [(f"({of[drive]:+.0f})" if (drive, *kind) in fitted else f"{of[drive]:+.0f}") if drive in of else "" for drive in chosen]
                print(f"| {name} | " + (f"**{statistics.median(free):.0f}**" if free else "") + " | " + " | ".join(cells) + " |")
        print()


main()
