"""Captures the traces of this study: the requests that guests of `flashloom linux` send to the study's drive.

    python3 experiments/linux_versus_trace/capture.py [PROGRAM]

Runs each workload, writes its requests as a fio I/O log (version 3: microseconds), and packs that as NAME.flt.zst beside
this file. A fio log cannot express force unit access, so this is lost, as with any tool that records block traces.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
OPERATIONS = {"read": "read", "write": "write", "trim": "trim", "write_zeroes": "trim", "flush": "sync"}


def capture(program, kind, scratch):
    study = tomllib.loads((FOLDER / "study.toml").read_text())
    sets = [word for key, value in study["set"].items() for word in ("--set", f"{key}={value}")]
    out = scratch / kind
    subprocess.run([program, "linux", study["device"], *sets, "--run", ROOT / "experiments/linux_filesystems/workload.sh",
                    "--argument", kind, "--argument", "ext4", "--argument", "whole", "--io-log", "csv", "--out", out,
                    "--quiet"], check=True)
    with open(out / "io_log.csv", encoding="ascii") as file:
        requests = sorted(csv.DictReader(file), key=lambda row: int(row["arrival_ps"]))
    log = scratch / f"{kind}.iolog"
    with open(log, "w", encoding="ascii") as file:
        file.write("fio version 3 iolog\n0 nvme0n1 add\n0 nvme0n1 open\n")
        begin = int(requests[0]["arrival_ps"])
        for row in requests:
            file.write(f"{(int(row['arrival_ps']) - begin) // 1_000_000} nvme0n1 {OPERATIONS[row['operation']]} "
                       f"{row['offset_bytes']} {row['length_bytes']}\n")
    subprocess.run([program, "trace", "convert", log, FOLDER / f"{kind}.flt.zst"], check=True)


def main(program=ROOT / "build/release/flashloom"):
    with tempfile.TemporaryDirectory(prefix="flashloom-") as scratch:
        for kind in ("fileserver", "sqlite"):
            capture(program, kind, pathlib.Path(scratch))


main(*sys.argv[1:])
