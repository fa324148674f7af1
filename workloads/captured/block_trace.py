#!/usr/bin/env python3
"""Turns the kernel's block_rq_issue events into an fio iolog (version 3), and counts what an iolog holds.

    block_trace.py convert EVENTS > TRACE.iolog
    block_trace.py stats TRACE.iolog[.xz]... [--markdown]

EVENTS is the text of a tracefs `trace` file. The iolog's time stamps are microseconds since the first request, as
fio 3.33 writes them; its only file is called `volume`. Python 3.9 or later, standard library only.
"""

import argparse
import lzma
import re
import sys
from dataclasses import dataclass, fields
from typing import Iterable, Iterator, List, Optional, TextIO, Tuple

SECTOR = 512  # the unit of the kernel's events, whatever the device's own sector is
UNIT = 4096  # granularity of the footprint and of overwrites
FILE_NAME = "volume"
HEADER = "fio version 3 iolog"

# `kworker/0:1H-58 [000] ..... 1765.074953: block_rq_issue: 7,0 WSM 8192 () 229380 + 16 be,0,3 [kworker/0:1H]`
# The priority field is there since Linux 6.11. A task's name may hold blanks, so the pattern starts at the stamp.
EVENT = re.compile(
    r"\s(?P<seconds>\d+)\.(?P<micros>\d{6}): block_rq_issue: (?P<device>\d+,\d+) (?P<flags>[A-Z]+) (?P<bytes>\d+) "
    r"\([^)]*\) (?P<sector>\d+) \+ (?P<sectors>\d+) "
)
ACTIONS = {"R": "read", "W": "write", "D": "trim"}


class TraceError(Exception):
    """Malformed input; the text names the line and what is wrong with it."""


@dataclass(frozen=True)
class Request:
    """One request: time in microseconds, action (read, write, trim, sync), offset and length in bytes."""

    time: int
    action: str
    offset: int = 0
    length: int = 0


def split_flags(flags: str) -> Tuple[bool, str, bool]:
    """Takes apart an `rwbs` field: (flush before, operation, force unit access).

    The kernel writes: `F` when a flush precedes, the operation (R, W, D, F for a bare flush, WZ for write zeroes), `F`
    for FUA, then hints (A read-ahead, S synchronous, M metadata), which an iolog does not carry.
    """
    preflush = flags.startswith("F")
    rest = flags[1:] if preflush else flags
    if rest.startswith("WZ"):
        # An iolog knows no write of zeroes, and a device without that command gets the zeroes written.
        return preflush, "W", "F" in rest[2:]
    if rest[:1] not in ("R", "W", "D", "F") or not set(rest[1:]) <= set("FASM"):
        raise TraceError(f"operation `{flags}` has no equivalent in an iolog")
    return preflush, rest[0], "F" in rest[1:]


def parse_events(lines: Iterable[str]) -> Iterator[Request]:
    """Requests of a tracefs text, times from the first. A preflush or FUA becomes a sync before or after its write."""
    start: Optional[int] = None
    latest = 0
    device = ""
    for number, line in enumerate(lines, 1):
        if line.startswith("#") or not line.strip():
            continue
        match = EVENT.search(line)
        if not match:
            raise TraceError(f"line {number}: not a block_rq_issue event: {line.strip()!r}")
        if device and match["device"] != device:
            raise TraceError(f"line {number}: device {match['device']} among requests of device {device}")
        device = match["device"]
        stamp = int(match["seconds"]) * 1_000_000 + int(match["micros"])
        if start is None:
            start = stamp
        # Buffers of several CPUs may interleave by a microsecond; an iolog's times never go back.
        latest = max(latest, stamp - start)
        try:
            preflush, operation, fua = split_flags(match["flags"])
        except TraceError as error:
            raise TraceError(f"line {number}: {error}") from None
        if preflush or operation == "F":
            yield Request(latest, "sync")
        if operation == "F":
            continue
        length = int(match["sectors"]) * SECTOR
        if length == 0:
            raise TraceError(f"line {number}: {ACTIONS[operation]} of 0 sectors")
        yield Request(latest, ACTIONS[operation], int(match["sector"]) * SECTOR, length)
        if fua:
            yield Request(latest, "sync")


def write_iolog(requests: Iterable[Request], out: TextIO) -> None:
    """Writes an fio iolog of version 3."""
    out.write(f"{HEADER}\n0 {FILE_NAME} add\n0 {FILE_NAME} open\n")
    latest = 0
    for request in requests:
        latest = request.time
        out.write(f"{request.time} {FILE_NAME} {request.action} {request.offset} {request.length}\n")
    out.write(f"{latest} {FILE_NAME} close\n")


def read_iolog(lines: Iterable[str]) -> Iterator[Request]:
    """Requests of an iolog as write_iolog writes it."""
    for number, line in enumerate(lines, 1):
        words = line.split()
        if number == 1:
            if line.strip() != HEADER:
                raise TraceError(f"line 1: expected `{HEADER}`")
        elif len(words) == 5 and words[2] in ("read", "write", "trim", "sync"):
            try:
                yield Request(int(words[0]), words[2], int(words[3]), int(words[4]))
            except ValueError:
                raise TraceError(f"line {number}: not a number: {line.strip()!r}") from None
        elif not (len(words) == 3 and words[2] in ("add", "open", "close")):
            raise TraceError(f"line {number}: not an action: {line.strip()!r}")


@dataclass
class Statistics:
    """Counts of one trace; footprint and overwrites in units of 4 KiB, a request counting for each unit it touches."""

    requests: int = 0
    reads: int = 0
    writes: int = 0
    trims: int = 0
    flushes: int = 0
    read_bytes: int = 0
    write_bytes: int = 0
    trim_bytes: int = 0
    footprint_bytes: int = 0  # touched by reads or writes
    write_footprint_bytes: int = 0  # touched by writes
    overwrite_share: float = 0.0  # of the units written, those that an earlier write had touched
    end_bytes: int = 0  # the highest address used
    unaligned: int = 0  # reads, writes and trims not on 4 KiB borders
    seconds: float = 0.0


def count(requests: Iterable[Request]) -> Statistics:
    """Statistics of a stream of requests."""
    result = Statistics()
    touched, written = set(), set()
    units_written = 0
    for request in requests:
        result.requests += 1
        result.seconds = request.time / 1e6
        if request.action == "sync":
            result.flushes += 1
            continue
        end = request.offset + request.length
        result.end_bytes = max(result.end_bytes, end)
        result.unaligned += bool(request.offset % UNIT or request.length % UNIT)
        units = range(request.offset // UNIT, -(-end // UNIT))
        if request.action == "read":
            result.reads += 1
            result.read_bytes += request.length
            touched.update(units)
        elif request.action == "write":
            result.writes += 1
            result.write_bytes += request.length
            touched.update(units)
            written.update(units)
            units_written += len(units)
        else:
            result.trims += 1
            result.trim_bytes += request.length
    result.footprint_bytes = len(touched) * UNIT
    result.write_footprint_bytes = len(written) * UNIT
    result.overwrite_share = 1 - len(written) / units_written if units_written else 0.0
    return result


def markdown_row(name: str, s: Statistics) -> str:
    """One row of the table in README.md; MB are 10^6 bytes."""
    megabytes = [s.read_bytes, s.write_bytes, s.footprint_bytes]
    cells = [f"`{name}`", f"{s.requests:,}", f"{s.reads:,}", f"{s.writes:,}", f"{s.flushes:,}", f"{s.trims:,}"]
    cells += [f"{value / 1e6:.1f}" for value in megabytes]
    cells += [f"{100 * s.overwrite_share:.0f} %", f"{s.seconds:.1f}"]
    return "| " + " | ".join(cells) + " |"


def open_text(path: str) -> TextIO:
    """Opens a plain or .xz file for reading."""
    return lzma.open(path, "rt", encoding="ascii") if path.endswith(".xz") else open(path, encoding="utf-8")


def main(arguments: List[str]) -> int:
    """Runs the command line; 0, or 2 after bad input."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    convert = commands.add_parser("convert", help="block_rq_issue events to an iolog on standard output")
    convert.add_argument("files", metavar="EVENTS", nargs=1)
    stats = commands.add_parser("stats", help="count the requests of iologs")
    stats.add_argument("files", metavar="TRACE", nargs="+")
    stats.add_argument("--markdown", action="store_true", help="rows of a Markdown table")
    options = parser.parse_args(arguments)
    for path in options.files:
        try:
            with open_text(path) as lines:
                if options.command == "convert":
                    write_iolog(parse_events(lines), sys.stdout)
                    continue
                statistics = count(read_iolog(lines))
        except (TraceError, OSError, lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
            print(f"block_trace.py: {path}: {error}", file=sys.stderr)
            return 2
        name = path.rsplit("/", 1)[-1]
        if options.markdown:
            print(markdown_row(name, statistics))
        else:
            print(name)
            for field in fields(statistics):
                print(f"  {field.name} {getattr(statistics, field.name)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
