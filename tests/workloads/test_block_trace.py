"""Hand-worked tests of workloads/captured/block_trace.py."""

import contextlib
import io
import lzma
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "workloads/captured"))
import block_trace  # noqa: E402
from block_trace import Request, TraceError, count, parse_events, read_iolog, split_flags, write_iolog  # noqa: E402

EVENTS = """\
# tracer: nop
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
              dd-6743    [001] .....  1765.999900: block_rq_issue: 7,0 RAM 2048 () 520 + 4 be,0,4 [kworker/1:1H]
  my program 1-6743      [001] .....  1765.999990: block_rq_issue: 7,0 WS 4096 () 8 + 8 be,0,4 [my program 1]
    jbd2/loop0-8-6735    [000] .....  1766.000100: block_rq_issue: 7,0 WSM 524288 () 16 + 1024 be,0,3 [jbd2/loop0-8]
    kworker/0:1H-58      [000] .....  1766.000090: block_rq_issue: 7,0 FF 0 () 0 + 0 none,0,0 [kworker/0:1H]
    kworker/1:1H-44      [001] .....  1768.000000: block_rq_issue: 7,0 D 4194304 () 24576 + 8192 be,0,4 [kworker/1:1H]
"""

EXPECTED = [
    Request(0, "read", 520 * 512, 2048),
    Request(90, "write", 4096, 4096),
    Request(200, "write", 8192, 512 * 1024),
    Request(200, "sync"),  # stamped 190, but times never go back
    Request(2_000_100, "trim", 24576 * 512, 4194304),
]

IOLOG = """\
fio version 3 iolog
0 volume add
0 volume open
0 volume read 266240 2048
90 volume write 4096 4096
200 volume write 8192 524288
200 volume sync 0 0
2000100 volume trim 12582912 4194304
2000100 volume close
"""


def event(flags, sector=8, sectors=8, device="7,0"):
    """One line of a trace file, as Linux 6.10 and earlier write it: without a priority."""
    size = sectors * 512
    return f" a-1 [000] ..... 10.000001: block_rq_issue: {device} {flags} {size} () {sector} + {sectors} [a]\n"


class Flags(unittest.TestCase):
    def test_every_operation(self):
        self.assertEqual(split_flags("R"), (False, "R", False))
        self.assertEqual(split_flags("RAM"), (False, "R", False))
        self.assertEqual(split_flags("WS"), (False, "W", False))
        self.assertEqual(split_flags("D"), (False, "D", False))
        self.assertEqual(split_flags("FF"), (True, "F", False))

    def test_preflush_and_fua(self):
        self.assertEqual(split_flags("FWS"), (True, "W", False))
        self.assertEqual(split_flags("WFS"), (False, "W", True))
        self.assertEqual(split_flags("FWFSM"), (True, "W", True))

    def test_zeroes_are_written(self):
        self.assertEqual(split_flags("WZS"), (False, "W", False))

    def test_what_an_iolog_cannot_say_is_refused(self):
        for flags in ("DE", "ZR", "N", "F", "ZAS"):
            with self.subTest(flags), self.assertRaises(TraceError):
                split_flags(flags)


class Events(unittest.TestCase):
    def test_hand_worked(self):
        self.assertEqual(list(parse_events(EVENTS.splitlines(True))), EXPECTED)

    def test_iolog_text(self):
        out = io.StringIO()
        write_iolog(parse_events(EVENTS.splitlines(True)), out)
        self.assertEqual(out.getvalue(), IOLOG)

    def test_preflush_comes_before_and_fua_after_the_write(self):
        actions = [request.action for request in parse_events([event("FWFS")])]
        self.assertEqual(actions, ["sync", "write", "sync"])

    def test_nothing_in_nothing_out(self):
        self.assertEqual(list(parse_events(["# tracer: nop\n", "\n"])), [])

    def test_errors_name_the_line(self):
        cases = [
            ("garbage\n", "line 2: not a block_rq_issue event"),
            (event("W", device="7,1"), "line 2: device 7,1 among requests of device 7,0"),
            (event("W", sectors=0), "line 2: write of 0 sectors"),
            (event("ZR"), "line 2: operation `ZR`"),
            ("CPU:1 [LOST 42 EVENTS]\n", "line 2: not a block_rq_issue event"),
        ]
        for line, message in cases:
            with self.subTest(message), self.assertRaisesRegex(TraceError, re.escape(message)):
                list(parse_events([event("R"), line]))


class Iolog(unittest.TestCase):
    def test_reads_what_it_writes(self):
        self.assertEqual(list(read_iolog(IOLOG.splitlines(True))), EXPECTED)

    def test_errors_name_the_line(self):
        cases = [
            ("fio version 2 iolog\n", "line 1: expected"),
            ("fio version 3 iolog\n0 volume write 0\n", "line 2: not an action"),
            ("fio version 3 iolog\n0 volume erase 0 4096\n", "line 2: not an action"),
            ("fio version 3 iolog\n0 volume write zero 4096\n", "line 2: not a number"),
        ]
        for text, message in cases:
            with self.subTest(message), self.assertRaisesRegex(TraceError, message):
                list(read_iolog(text.splitlines(True)))


class Counts(unittest.TestCase):
    def test_hand_worked(self):
        result = count(
            [
                Request(0, "write", 0, 8192),  # units 0, 1
                Request(10, "write", 4096, 8192),  # units 1 (again), 2
                Request(20, "read", 8192, 16384),  # units 2..5
                Request(30, "sync"),
                Request(1_500_000, "trim", 40960, 6144),  # ends within a unit; no part of the footprint
            ]
        )
        self.assertEqual((result.requests, result.reads, result.writes, result.trims, result.flushes), (5, 1, 2, 1, 1))
        self.assertEqual((result.read_bytes, result.write_bytes, result.trim_bytes), (16384, 16384, 6144))
        self.assertEqual(result.footprint_bytes, 6 * 4096)
        self.assertEqual(result.write_footprint_bytes, 3 * 4096)
        self.assertEqual(result.overwrite_share, 0.25)
        self.assertEqual(result.end_bytes, 47104)
        self.assertEqual(result.unaligned, 1)
        self.assertEqual(result.seconds, 1.5)

    def test_of_nothing(self):
        self.assertEqual(count([]), block_trace.Statistics())


class CommandLine(unittest.TestCase):
    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = block_trace.main(list(arguments))
        return status, out.getvalue(), err.getvalue()

    def test_convert_then_stats_of_the_compressed_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            events = os.path.join(folder, "a.events")
            with open(events, "w", encoding="utf-8") as file:
                file.write(EVENTS)
            status, iolog, _ = self.run_main("convert", events)
            self.assertEqual((status, iolog), (0, IOLOG))
            compressed = os.path.join(folder, "a.iolog.xz")
            with lzma.open(compressed, "wt", encoding="ascii") as file:
                file.write(iolog)
            status, text, _ = self.run_main("stats", "--markdown", compressed)
            self.assertEqual(status, 0)
            self.assertTrue(text.startswith("| `a.iolog.xz` | 5 | 1 | 2 | 1 | 1 | 0.0 | 0.5 | 0.5 | 0 % | 2.0 |"), text)

    def test_bad_input_is_status_2_and_names_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            truncated = os.path.join(folder, "cut.iolog.xz")
            with open(truncated, "wb") as file:
                file.write(lzma.compress(IOLOG.encode())[:-20])
            for path in (truncated, os.path.join(folder, "missing")):
                status, _, err = self.run_main("stats", path)
                self.assertEqual(status, 2)
                self.assertIn(path, err)


class CapturedTraces(unittest.TestCase):
    """The traces beside the tool: well formed, in order, inside the 512 MiB volume, and of blocks of its file system."""

    def test_each(self):
        folder = os.path.dirname(os.path.abspath(block_trace.__file__))
        names = sorted(name for name in os.listdir(folder) if name.endswith(".iolog.xz"))
        programs = ("compile", "postgres_async", "sqlite", "untar")
        expected = ["postgres", "iozone_pages", "iozone_all_pages", *programs, *(f"{name}_1k" for name in programs)]
        self.assertEqual(names, sorted(f"{name}.iolog.xz" for name in expected))
        for name in names:
            with self.subTest(name), block_trace.open_text(os.path.join(folder, name)) as lines:
                requests = list(read_iolog(lines))
                times = [request.time for request in requests]
                self.assertEqual(times, sorted(times))
                result = count(requests)
                self.assertLessEqual(result.end_bytes, 512 << 20)
                block = 1024 if "_1k." in name else 4096
                self.assertTrue(all(r.offset % block == r.length % block == 0 for r in requests))
                self.assertEqual(result.unaligned > 0, block == 1024)
                pages = "_pages." in name
                for action in ("reads", "writes", "trims") if pages else ("reads", "writes", "trims", "flushes"):
                    self.assertGreater(getattr(result, action), 0, action)


if __name__ == "__main__":
    unittest.main()
