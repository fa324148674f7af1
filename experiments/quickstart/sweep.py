#!/usr/bin/env python3
"""The quick start's sweep: channels x ways on two workloads, in parallel over the cores of this computer.

    sweep.py --program build/release/flashloom --out out/quickstart

Each point is one `flashloom run` with its own folder OUT/points/WORKLOAD-cCwW (result.json, run.json, log.txt). When
all are done it writes OUT/quickstart.csv, one line a point, and for gnuplot OUT/WORKLOAD-METRIC.csv: a line for each
number of ways, a column for each number of channels. Exit code: 0, or 1 if a point failed; a failed point is reported
with its command line.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import shlex
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEVICE = os.path.join(HERE, "device.toml")
CHANNELS = (1, 2, 4, 8)
WAYS = (1, 2, 4, 8)
TOTAL_BLOCKS = 8192  # of the whole device, at every point: the capacity stays the same
# Reads want a filled drive; only the writes of the trace want one whose write amplification has settled.
WORKLOADS = {
    "trace": ["--trace", os.path.join(ROOT, "workloads", "captured", "postgres_async.iolog.xz")],
    "job": ["--job", os.path.join(HERE, "randread.fio"), "--set", "precondition.steady=false"],
}
METRICS = {"throughput": "throughput_mb_per_s", "energy": "energy_j_per_gb"}
COLUMNS = ("workload", "channels", "ways", "dies", "throughput_mb_per_s", "energy_j_per_gb", "read_mb_per_s",
           "write_mb_per_s", "read_latency_mean_us", "write_latency_mean_us", "waf_ratio", "energy_total_j",
           "energy_background_j", "average_power_w", "channel_busy_share", "die_busy_share", "simulated_s")


class PointFailed(Exception):
    """One point's run failed; the text is its command line and what it said last."""


def command_of(program, workload, channels, ways, folder):
    return [program, "run", DEVICE, *WORKLOADS[workload], "--set", f"nand.channels={channels}",
            "--set", f"nand.ways={ways}", "--set", f"nand.blocks={TOTAL_BLOCKS // (channels * ways)}",
            "--out", folder, "--quiet"]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def row_of(workload, channels, ways, result):
    """One line of the table, from a result.json. MB and GB are 10^6 and 10^9 bytes."""
    host, energy = result["host"], result["energy"]
    read, write = (host[kind]["bandwidth_bytes_per_s"] / 1e6 for kind in ("read", "write"))
    return dict(zip(COLUMNS, (
        workload, channels, ways, channels * ways, read + write, energy["j_per_gb"], read, write,
        host["read"]["latency_ns"]["mean"] / 1e3, host["write"]["latency_ns"]["mean"] / 1e3, result["ftl"]["waf"],
        energy["total_j"], energy["background_j"], energy["average_w"],
        mean(1 - channel["idle"] for channel in result["utilization"]["channels"]),
        mean(1 - die["idle"] for die in result["utilization"]["dies"]), result["simulated_s"])))


class Sweep:
    def __init__(self, program, out):
        self.program = program
        self.out = out
        self.running = set()
        self.stopped = False
        self.lock = threading.Lock()

    def run_point(self, point):
        workload, channels, ways = point
        folder = os.path.join(self.out, "points", f"{workload}-c{channels}w{ways}")
        os.makedirs(folder, exist_ok=True)
        command = command_of(self.program, workload, channels, ways, folder)
        with open(os.path.join(folder, "log.txt"), "w", encoding="utf-8") as log:
            with self.lock:
                if self.stopped:
                    raise PointFailed("not started: the sweep was stopped")
                process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
                self.running.add(process)
            code = process.wait()
        with self.lock:
            self.running.discard(process)
        if code != 0:
            with open(log.name, encoding="utf-8", errors="replace") as said:
                last = said.read().strip().splitlines()[-5:]
            raise PointFailed("\n    ".join([f"exit code {code}: {shlex.join(command)}", *last]))
        with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
            return row_of(workload, channels, ways, json.load(file))

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.terminate()

    def run(self, points, jobs):
        """Rows in the order of the points, and the failures."""
        rows, failures = {}, []
        begin = time.monotonic()
        # The longest first, so that no core idles at the end: few dies take the longest to simulate.
        order = sorted(points, key=lambda point: point[1] * point[2])
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(self.run_point, point): point for point in order}
            try:
                for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                    point = futures[future]
                    try:
                        rows[point] = future.result()
                    except (PointFailed, OSError, KeyError, ValueError) as error:
                        failures.append(f"{point[0]}, {point[1]} channels x {point[2]} ways: {error}")
                    progress(done, len(points), time.monotonic() - begin)
            except BaseException:
                self.stop()
                raise
        return [rows[point] for point in points if point in rows], failures


def progress(done, total, elapsed):
    text = f"sweep: {done} of {total} points, {elapsed:.0f} s"
    if done < total:
        text += f", ETA {elapsed / done * (total - done):.0f} s"
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="\n" if done == total else "", file=sys.stderr, flush=True)
    elif done == total or done % 8 == 0:
        print(text, file=sys.stderr, flush=True)


def number(value):
    return f"{value:.6g}" if isinstance(value, float) else value


def write_csv(path, header, lines):
    """Whole or not at all."""
    with open(path + ".part", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([number(value) for value in line] for line in lines)
    os.replace(path + ".part", path)


def write_tables(out, rows):
    write_csv(os.path.join(out, "quickstart.csv"), COLUMNS, [[row[column] for column in COLUMNS] for row in rows])
    cells = {(row["workload"], row["channels"], row["ways"]): row for row in rows}
    for workload in WORKLOADS:
        for metric, column in METRICS.items():
            unit = column.removeprefix(metric + "_")
            write_csv(os.path.join(out, f"{workload}-{metric}.csv"),
                      ["ways", *(f"channels_{channels}_{unit}" for channels in CHANNELS)],
                      [[ways, *(cells[workload, channels, ways][column] for channels in CHANNELS)] for ways in WAYS])


def print_table(rows):
    cells = {(row["workload"], row["channels"], row["ways"]): row for row in rows}
    for workload, title in (("trace", "trace postgres_async, closed loop"), ("job", "fio job randread.fio")):
        print(f"\n{title}: throughput in MB/s | energy in J/GB")
        print("  channels  " + "".join(f"{f'{ways} ways':>9}" for ways in WAYS) +
              "  | " + "".join(f"{f'{ways} ways':>9}" for ways in WAYS))
        for channels in CHANNELS:
            line = [cells[workload, channels, ways] for ways in WAYS]
            print(f"  {channels:>8}  " + "".join(f"{row['throughput_mb_per_s']:>9.1f}" for row in line) +
                  "  | " + "".join(f"{row['energy_j_per_gb']:>9.2f}" for row in line))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the flashloom binary")
    parser.add_argument("--out", required=True, help="folder for results")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="points at a time")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    points = [(workload, channels, ways) for workload in WORKLOADS for channels in CHANNELS for ways in WAYS]
    rows, failures = Sweep(options.program, options.out).run(points, max(1, options.jobs))
    for failure in failures:
        print(f"sweep: failed: {failure}", file=sys.stderr)
    if failures:
        print(f"sweep: error: {len(failures)} of {len(points)} points failed", file=sys.stderr)
        return 1
    write_tables(options.out, rows)
    print_table(rows)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
