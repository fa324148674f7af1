#!/usr/bin/env python3
"""Prints the table of README.md: errors in per cent by kind, of each drive the median over its rows, from published.csv."""
import csv
import pathlib
import re
import statistics

FOLDER = pathlib.Path(__file__).resolve().parent
DRIVES = {"PE8110": "pe8110", "PM9A3": "pm9a3", "P5520": "p5520", "7450": "7450", "SN640": "sn640", "PM1733i": "pm1733i"}
TAILS = {"read_p50": "reads beside writes, p50", "read_mean": "mean", "read_p99": "p99", "read_p99_9": "p99.9", "write_mean": "their writes, mean"}
KINDS = {("write_4k", "sustained"): "steady random writes", ("write_4k", "waf"): "write amplification",
         **{("mixed", metric): name for metric, name in TAILS.items()},
         ("overload", "read_p99"): "overload: reads, p99",
         ("write_4k", "write_iops"): "data sheet: random writes", ("read_4k", "read_iops"): "random reads", ("read_128k", "read_mb"): "sequential reads",
         ("write_128k", "write_mb"): "sequential writes (fitted)"}


def rows(name):
    with open(FOLDER / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    overload = {(r["drive"], r["rate"]) for r in rows("paper.csv") if r["note"].startswith("overload")}
    errors = {}
    for row in rows("published.csv"):
        drive, workload, rate = re.search(r"drive (\S+), workload (\S+), rate (\d+)", row["row"]).groups()
        kind = "overload" if workload == "mixed" and (drive, rate) in overload else workload
        errors.setdefault((kind, row["metric"]), {}).setdefault(drive, []).append(float(row["deviation_percent"]))
    print("| | median | " + " | ".join(DRIVES) + " |\n" + "|---" * (len(DRIVES) + 2) + "|")
    for kind, name in KINDS.items():
        of = {drive: statistics.median(found) for drive, found in errors[kind].items()}
        middle = statistics.median(statistics.median(map(abs, found)) for found in errors[kind].values())
        cells = [next((f"{value:+.0f}" for drive, value in of.items() if part in drive), "") for part in DRIVES.values()]
        print(f"| {name} | **{middle:.0f}** | " + " | ".join(cells) + " |")


main()
