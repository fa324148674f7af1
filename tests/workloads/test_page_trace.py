"""Hand-worked tests of workloads/captured/page_trace.py."""

import io
import os
import pathlib
import re
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "workloads/captured"))
import page_trace  # noqa: E402
from block_trace import TraceError  # noqa: E402
from page_trace import Parser, convert  # noqa: E402


def event(name, fields):
    return f"  my program 1-6743    [001] .....  1765.999900: {name}: {fields}\n"


CALL = event("sys_enter", "NR 1 (3, 7f5375d00000, 1000, 0, 0, 0)")


def buffer(verb, block, size=4096):
    return event(f"block_{verb}_buffer", f"7,0 sector={block} size={size}")


def look_up(index, flags=""):
    return event("ext4_ind_map_blocks_enter", f"dev 7,0 ino 12 lblk {index} len 1 flags {flags}")


def mapped(index, block, blocks=1):
    fields = f"dev 7,0 ino 12 flags CREATE lblk {index} pblk {block} len {blocks} mflags NM ret {blocks}"
    return event("ext4_ind_map_blocks_exit", fields)


# The first write of page `index` of a file, as ext2 does it: indirect block 5, inode 2, bitmap 3, descriptors 1.
def first_write(index, block):
    return [
        look_up(index),
        buffer("touch", 5),
        event("ext4_ind_map_blocks_exit", f"dev 7,0 ino 12 flags  lblk {index} pblk 0 len 1 mflags  ret 0"),
        look_up(index, "CREATE"),
        buffer("touch", 5),
        buffer("touch", 2),
        buffer("dirty", 2),
        buffer("touch", 3),
        buffer("dirty", 3),
        buffer("dirty", 1),
        buffer("dirty", 5),
        mapped(index, block),
    ]


FREED = event("ext4_free_blocks", "dev 7,0 ino 12 mode 0100640 block 90 count 2 flags VALIDATED")
READ = event("mm_filemap_get_pages", "dev=7:0 ino=c ofs=0-8191")
INODE = [buffer("touch", 2), buffer("dirty", 2)]
METADATA = ["write 5", "write 2", "write 3", "write 1"]


class Pages(unittest.TestCase):
    def parse(self, *lines):
        parser = Parser()
        requests = list(parser.parse(lines))
        self.assertTrue(all(request.time == 0 for request in requests))
        return [f"{request.action} {request.offset // 4096}" for request in requests], parser

    def test_a_first_write_references_each_page_once(self):
        pages, parser = self.parse(CALL, *first_write(0, 90), buffer("dirty", 90), *INODE, CALL)
        self.assertEqual(pages, METADATA + ["write 90"])
        self.assertEqual((parser.references, parser.metadata), (5, 4))

    def test_a_call_that_writes_two_pages_references_metadata_for_each(self):
        data = [buffer("dirty", 90), buffer("dirty", 91)]
        pages, parser = self.parse(CALL, *first_write(0, 90), *first_write(1, 91), *data, *INODE)
        self.assertEqual(pages, METADATA + METADATA + ["write 90", "write 91"])
        self.assertEqual((parser.references, parser.metadata), (10, 8))

    def test_reads_and_rewrites_reference_data_alone(self):
        written = [*first_write(0, 90), buffer("dirty", 90), mapped(1, 91), CALL]
        pages, parser = self.parse(*written, READ, READ, CALL, buffer("dirty", 91), CALL, buffer("touch", 2))
        self.assertEqual(pages[5:], ["read 90", "read 91", "write 91", "read 2"])
        self.assertEqual((parser.references, parser.metadata), (9, 5))

    def test_freed_blocks_are_trimmed_after_the_references_and_are_data_no_more(self):
        pages, parser = self.parse(mapped(0, 90, 2), FREED, *INODE, CALL, buffer("touch", 90), buffer("dirty", 91))
        self.assertEqual(pages, ["write 2", "trim 90", "read 90", "write 91"])
        self.assertEqual((parser.references, parser.metadata), (3, 3))

    def test_a_block_that_is_touched_as_a_buffer_is_metadata(self):
        self.assertEqual(self.parse(mapped(0, 90), buffer("touch", 90))[1].metadata, 1)

    def test_iolog(self):
        out = io.StringIO()
        told = convert([mapped(0, 90, 2), READ, *INODE, FREED], out)
        self.assertEqual(told, "3 references, 1 of them to metadata")
        self.assertEqual(out.getvalue().splitlines()[3:-1],
                         ["0 volume read 368640 4096", "0 volume read 372736 4096", "0 volume write 8192 4096",
                          "0 volume trim 368640 8192"])

    def test_errors_name_the_line(self):
        cases = [
            ("garbage\n", "line 2: not an event"),
            ("CPU:1 [LOST 42 EVENTS]\n", "line 2: not an event"),
            (event("block_rq_issue", "7,0 R"), "line 2: not an event"),
            (READ, "line 2: page 0 of inode 12 is read"),
            (buffer("touch", 5, 1024), "line 2: a block of 1024 bytes; expected 4096"),
        ]
        for line, message in cases:
            with self.subTest(message), self.assertRaisesRegex(TraceError, re.escape(message)):
                list(Parser().parse([CALL, line]))


class PageTraceCommand(unittest.TestCase):
    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = page_trace.main(list(arguments))
        return status, out.getvalue(), err.getvalue()

    def test_converts_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.events")
            pathlib.Path(path).write_text("# tracer: nop\n\n" + "".join(INODE), encoding="utf-8")
            status, out, err = self.run_main(path)
        self.assertEqual((status, err), (0, "1 references, 1 of them to metadata\n"))
        self.assertIn("0 volume write 8192 4096\n", out)

    def test_bad_input_is_status_2(self):
        status, _, err = self.run_main("/missing")
        self.assertEqual(status, 2)
        self.assertIn("/missing", err)
        self.assertEqual(self.run_main()[0], 2)


if __name__ == "__main__":
    unittest.main()
