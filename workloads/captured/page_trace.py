#!/usr/bin/env python3
"""Turns events of a program's references to the page cache into an fio iolog (version 3) of pages of 4 KiB.

    page_trace.py EVENTS > TRACE.iolog

EVENTS is the text of a tracefs `trace` file of one program on an ext2 volume with blocks of 4 KiB: buffers touched and
dirtied (metadata, and data written), pages of files read, blocks that files got and gave back, system calls. A step is a
system call, or what it does for one block that it looks up. A page that a step references several times counts once,
where it was first referenced; as a write if the step dirtied it. Freed blocks are trims after the references of their
step: their pages leave the cache. Offsets are those on the volume; all times are 0, as a cache has none.
Tells on standard error how many references are to metadata.
"""

import re
import sys
from typing import Dict, Iterable, Iterator, List, Set, TextIO, Tuple

from block_trace import Request, TraceError, write_iolog

PAGE = 4096  # of the cache, and block of the volume

# A task's name may hold blanks, so the pattern starts at the stamp.
EVENT = re.compile(r"\s\d+\.\d{6}: (?P<name>\w+): (?P<fields>.*)")
FIELDS = {
    "block_touch_buffer": re.compile(r"\d+,\d+ sector=(\d+) size=(\d+)"),
    "block_dirty_buffer": re.compile(r"\d+,\d+ sector=(\d+) size=(\d+)"),  # its `sector` is a block of `size`
    "ext4_ind_map_blocks_enter": re.compile(r"dev \d+,\d+ ino \d+ lblk \d+ len \d+ flags (\S*)"),
    "ext4_ind_map_blocks_exit": re.compile(
        r"dev \d+,\d+ ino (\d+) flags \S* lblk (\d+) pblk (\d+) len (\d+) mflags \S* ret (-?\d+)"
    ),
    "ext4_free_blocks": re.compile(r"dev \d+,\d+ ino \d+ mode 0\d* block (\d+) count (\d+) "),
    "mm_filemap_get_pages": re.compile(r"dev=\d+:\d+ ino=([0-9a-f]+) ofs=(\d+)-(\d+)"),
    "sys_enter": re.compile(r"NR ()"),
}


class Parser:
    """Requests of a tracefs text; counts references, and those to metadata."""

    def __init__(self) -> None:
        self.references = 0
        self.metadata = 0
        self._data: Set[int] = set()  # blocks that hold a file's data: those of directories are touched as buffers
        self._blocks: Dict[Tuple[int, int], int] = {}  # of each page (inode, index)
        self._step: Dict[int, bool] = {}  # pages that the present step has referenced -> dirtied
        self._freed: List[Tuple[int, int]] = []  # by it: (first block, blocks)

    def parse(self, lines: Iterable[str]) -> Iterator[Request]:
        for number, line in enumerate(lines, 1):
            if line.startswith("#") or not line.strip():
                continue
            match = EVENT.search(line)
            fields = match and match["name"] in FIELDS and FIELDS[match["name"]].match(match["fields"])
            if not fields:
                raise TraceError(f"line {number}: not an event of the page cache: {line.strip()!r}")
            # With the flag CREATE the same block was looked up before.
            if match["name"] in ("sys_enter", "ext4_ind_map_blocks_enter"):
                if not fields[1]:
                    yield from self._end_step()
                continue
            try:
                self._take(match["name"], fields.groups())
            except TraceError as error:
                raise TraceError(f"line {number}: {error}") from None
        yield from self._end_step()

    def _take(self, name: str, fields: Tuple[str, ...]) -> None:
        if name == "mm_filemap_get_pages":
            inode = int(fields[0], 16)
            for index in range(int(fields[1]) // PAGE, int(fields[2]) // PAGE + 1):
                if (inode, index) not in self._blocks:
                    raise TraceError(f"page {index} of inode {inode} is read, but nothing said where it lies")
                self._step.setdefault(self._blocks[inode, index], False)
            return
        numbers = [int(field) for field in fields]
        if name == "ext4_ind_map_blocks_exit":
            inode, index, block, _, mapped = numbers
            for i in range(max(mapped, 0)):
                self._blocks[inode, index + i] = block + i
                self._data.add(block + i)
        elif name == "ext4_free_blocks":
            self._freed.append((numbers[0], numbers[1]))
        else:
            block, size = numbers
            if size != PAGE:
                raise TraceError(f"a block of {size} bytes; expected {PAGE}")
            if name == "block_touch_buffer":
                self._data.discard(block)
            self._step[block] = self._step.get(block, False) or name == "block_dirty_buffer"

    def _end_step(self) -> Iterator[Request]:
        """What the step that ends now has referenced and freed."""
        for block, dirtied in self._step.items():
            self.references += 1
            self.metadata += block not in self._data
            yield Request(0, "write" if dirtied else "read", block * PAGE, PAGE)
        for block, count in self._freed:
            self._data.difference_update(range(block, block + count))
            yield Request(0, "trim", block * PAGE, count * PAGE)
        self._step, self._freed = {}, []


def convert(lines: Iterable[str], out: TextIO) -> str:
    """Writes the iolog; returns a line that says how many references are to metadata."""
    parser = Parser()
    write_iolog(parser.parse(lines), out)
    return f"{parser.references} references, {parser.metadata} of them to metadata"


def main(arguments: List[str]) -> int:
    """Runs the command line; 0, or 2 after bad input."""
    if len(arguments) != 1:
        print("usage: page_trace.py EVENTS > TRACE.iolog", file=sys.stderr)
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as lines:
            print(convert(lines, sys.stdout), file=sys.stderr)
    except (TraceError, OSError, UnicodeDecodeError) as error:
        print(f"page_trace.py: {arguments[0]}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
