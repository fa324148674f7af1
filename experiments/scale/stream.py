#!/usr/bin/env python3
"""Replays a long trace, and measures peak memory and CPU time for a hundredth, a tenth and all of its requests.

The script makes the trace: `flashloom workload` writes a hundredth of it (random requests of 4 KiB, 70 % reads), the script repeats
that a hundred times, and `flashloom trace convert` packs the result in Flashloom's compact form, 3 bytes a request. The replay is a
closed loop on a small device, so that memory which grows with the trace is visible. Prints a table (CSV), also to DIR/stream.csv with
--out; removes the traces.
"""
import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = "[stream]\nrw=randrw\nrwmixread=70\nbs=4k\nsize=100%\nio_size={bytes}\nnorandommap=1\n"
DEVICE_BYTES = 24 << 20  # fits tiny
PARTS = 100


def repeat(part, whole, times):
    """Writes a compressed fio log that repeats the requests of `part` `times` times, each time as a gzip member."""
    lines = part.read_bytes().splitlines(keepends=True)
    is_request = [line.split()[1:2] in ([b"read"], [b"write"]) for line in lines]
    first = is_request.index(True)
    end = len(lines) - is_request[::-1].index(True)
    with whole.open("wb") as file:
        file.write(gzip.compress(b"".join(lines[:first]), 1))
        requests = gzip.compress(b"".join(lines[first:end]), 1)
        for _ in range(times):
            file.write(requests)
        file.write(gzip.compress(b"".join(lines[end:]), 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=100_000_000, help="of the whole trace, a multiple of 100; default: %(default)s")
    parser.add_argument("--device", default="tiny", help="preset or device file of at least 24 MiB; default: %(default)s")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/flashloom")
    parser.add_argument("--out", type=pathlib.Path, help="folder for stream.csv")
    options = parser.parse_args()
    if options.requests < PARTS or options.requests % PARTS != 0:
        parser.error(f"--requests: is {options.requests}; valid: a multiple of {PARTS}")

    def flashloom(*arguments):
        done = subprocess.run([str(options.program), *map(str, arguments)], stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)

    rows = ["requests,trace_bytes,peak_memory_mb,cpu_us_per_request"]
    print(rows[0])
    with tempfile.TemporaryDirectory(prefix="flashloom-stream-") as name:
        scratch = pathlib.Path(name)
        job, part, text, trace = (scratch / f"stream.{end}" for end in ("fio", "iolog", "iolog.gz", "flt"))
        job.write_text(JOB.format(bytes=options.requests // PARTS * 4096), encoding="ascii")
        flashloom("workload", job, "--device-size", f"{DEVICE_BYTES} B", "--max-requests", options.requests // PARTS, "--out", part)
        repeat(part, text, PARTS)
        flashloom("trace", "convert", text, trace)
        text.unlink()
        for requests in (options.requests // 100, options.requests // 10, options.requests):
            flashloom("run", options.device, "--trace", trace, "--max-requests", requests, "--set", "host.replay=closed",
                      "--out", scratch / "run", "--quiet")
            cost, result = (json.loads((scratch / "run" / file).read_text(encoding="utf-8")) for file in ("run.json", "result.json"))
            if result["host"]["completions"] != requests:
                sys.exit(f"stream.py: {result['host']['completions']} requests were completed, and not {requests}")
            rows.append(f"{requests},{trace.stat().st_size},{cost['peak_rss_bytes'] / 1e6:.1f},{1e6 * cost['cpu_s'] / requests:.2f}")
            print(rows[-1], flush=True)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "stream.csv").write_text("\n".join(rows) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
