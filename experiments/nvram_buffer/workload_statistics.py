#!/usr/bin/env python3
"""Compares the generated traces with the figures that the paper publishes of its own traces: requests, share of small
ones, their share of the bytes. Counts the requests in the io-log of a run, and prints a table in Markdown.

    experiments/nvram_buffer/workload_statistics.py build/release/flashloom
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

SECTOR = 512
SMALL = 8 * SECTOR  # the paper's limit of a small request
# By block size: the generator, and the paper's figures: requests, share of small ones, their share of the volume.
PUBLISHED = {"4 KiB": ("small_writes", 381_904, 0.60, 0.20),
             "1 KiB": ("small_writes:block=1KiB,small_volume=5%,requests=2883502", 2_883_502, 0.60, 0.05)}
# The sizes do not depend on the device; this one runs fast.
DEVICE = "nvme-tlc-1tb"


def lengths(program: str, generator: str):
    """The bytes of each write that the host sends."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "run", DEVICE, "--generate", generator, "--set", "host.latency_breakdown=false",
                        "--io-log", "csv", "--out", folder, "--quiet"], check=True)
        with open(pathlib.Path(folder) / "io_log.csv", encoding="ascii", newline="") as log:
            for row in csv.DictReader(log):
                assert row["operation"] == "write", row
                yield int(row["length_bytes"])


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("| block size | | published | achieved |\n|---|---|---|---|")
    for block, (generator, requests, small, volume) in PUBLISHED.items():
        count = small_count = bytes_all = bytes_small = 0
        for length in lengths(sys.argv[1], generator):
            count += 1
            bytes_all += length
            if length <= SMALL:
                small_count += 1
                bytes_small += length
        print(f"| {block} | requests | {requests:,} | {count:,} |")
        print(f"| | of at most 8 sectors | {small:.0%} | {small_count / count:.2%} |")
        print(f"| | their share of the bytes | {volume:.0%} | {bytes_small / bytes_all:.2%} |")
        print(f"| | mean request | not said | {bytes_all / count / 1024:.2f} KiB |")
        print(f"| | volume | not said | {bytes_all / 2**30:.2f} GiB |")


if __name__ == "__main__":
    main()
