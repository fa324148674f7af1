"""Tables as traces: --columns, the file beside a table, Parquet; events that kernels record."""
import importlib.util
import json
import os
import shutil
import struct
import subprocess
import sys
import unittest

from program import PROGRAM, PUBLIC, ProgramCase, msr

ROWS = [(5.0, "Read", 8, 1), (6.0, "Write", 16, 2), (6.5, "Write", 24, 8)]
SPACED = "".join(f"{time} host {op} {lba} {n}\n" for time, op, lba, n in ROWS)
CHOICE = "time=1,op=3,offset=4*512,size=5*512"
IN_TRACE = "columns=" + CHOICE.replace(",", "+")


class Tables(ProgramCase):
    def info(self, trace, *words):
        done = self.start("trace", "info", trace, "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refuse(self, *arguments, names):
        done = self.start(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        for name in names:
            self.assertIn(name, done.stderr)

    def test_the_same_table_however_its_columns_are_said(self):
        table = self.file("t.txt", SPACED)
        said = self.info(table, "--columns", CHOICE)
        self.assertEqual([said[key] for key in ("requests", "reads", "read_bytes", "write_bytes", "end_bytes", "duration_s")],
                         [3, 1, 512, 5120, 16384, 1.5])
        piped = subprocess.run([PROGRAM, "trace", "info", "/dev/stdin", "--json", "--columns", CHOICE], input=SPACED, text=True,
                               capture_output=True, check=True)
        self.assertEqual(json.loads(piped.stdout) | {"trace": "t.txt"}, said)
        self.file("t.txt.columns.toml", 'time = 1\nop = 3  # Read, Write\noffset = "4*512"\nsize = "5*512"\n')
        self.assertEqual(self.info(table), said)
        self.assertEqual(self.info(table, "--columns", CHOICE.replace("4*512", "4"))["end_bytes"], 24 + 4096)

    def test_several_tables_and_one_after_another(self):
        a, b = self.file("a.txt", SPACED), self.file("b.txt", SPACED.replace("host", "other"))
        both = self.result("tiny", "--trace", f"{a},{IN_TRACE}", "--trace", b, "--columns", CHOICE, sets=["verify=true"])
        self.assertEqual(both["host"]["requests"], 6)
        days = self.result("tiny", "--trace", a, "--trace", b, "--columns", CHOICE, "--concat", "--address-fit", "wrap")
        self.assertEqual(days["host"]["requests"], 6)
        mixed = self.result("tiny", "--trace", f"{a},{IN_TRACE}", "--trace", self.file("m.csv", msr([(0, "Write", 0, 4096)])))
        self.assertEqual(mixed["host"]["requests"], 4)

    def test_what_is_wrong_is_said_with_its_place(self):
        table = self.file("t.txt", SPACED + "7.0 host Erase 8 1\n")
        self.refuse("trace", "info", table, names=['1 "5.0", 2 "host"', f"as --columns {CHOICE.replace('op=3', 'op=3:Erase=?')};", "--format"])
        self.refuse("trace", "info", table, "--columns", CHOICE, names=["t.txt:4: column 3: unknown operation"])
        self.refuse("trace", "info", table, "--columns", "op=3,offset=4", names=["columns: size is not said"])
        self.refuse("run", "tiny", "--columns", CHOICE, names=["--columns", "there is none"])
        self.file("t.txt.columns.toml", "op = 3\nsizes = 1\n")
        self.refuse("trace", "info", table, names=["t.txt.columns.toml:2", "sizes", "valid: time, op"])
        self.file("t.txt.columns.toml", "op = [3]\n")
        self.refuse("run", "tiny", "--trace", table, names=["t.txt.columns.toml:1", "an array"])
        self.file("t.txt.columns.toml", "")
        self.refuse("trace", "info", table, names=["t.txt.columns.toml", "says nothing"])

    def test_unknown_flags_are_one_warning(self):
        trace = self.file("t.txt", "8,16 3 5 0.1 1 D WQ 8 + 16 [a]\n8,16 3 6 0.2 1 D RQ 64 + 8 [a]\n")
        self.assertEqual(self.info(trace)["unknown_flags"], 2)
        done = self.start("run", "tiny", "--trace", trace, "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, "flashloom: warning: t.txt: unknown RWBS flags ignored: Q\n"))

    @unittest.skipUnless(shutil.which("blkparse"), "no blkparse: apt-get install blktrace")
    def test_binary_records_are_what_blkparse_prints(self):
        for order in "<>":
            def record(number, sector, size, action, data=b""):
                return struct.pack(f"{order}IIQQIIIIIHH", 0x65617407, number, 1000 * number + 7, sector, size, action, 77, 8 << 20, 0, 0,
                                   len(data)) + data
            records = [record(0, 0, 0, 0x4000000, b"a name".ljust(16, b"\0"))]
            for number, kind in enumerate((1, 2, 2 | 1 << 15, 2 | 4 | 8, 2 | 1 << 13, 4) * 9, 1):
                size = 0 if kind == 4 else 4096
                for event, of in ((1, 16), (7, 64)):
                    records.append(record(3 * number + event, 64 * number, size, event | (kind | of) << 16))
            binary = self.file("t.blktrace.0", b"".join(records))
            text = subprocess.run(["blkparse", "-i", binary], cwd=self.scratch, capture_output=True, text=True, check=True).stdout
            printed = self.file("t.txt", text)
            for action in "DQ":
                for trace, name in ((binary, "binary.flt"), (printed, "text.flt")):
                    done = self.start("trace", "convert", trace, name, "--format-option", f"action={action}")
                    self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual((self.scratch / "binary.flt").read_bytes(), (self.scratch / "text.flt").read_bytes())
                self.assertEqual(self.info("binary.flt")["requests"], 54 + 9)  # a flush before 9 of the writes

    @unittest.skipUnless(PUBLIC.is_dir(), "no public traces: set FLASHLOOM_TRACES")
    def test_public_traces_are_tables_too(self):
        for name, columns in (
                ("msr_hm_0_part.csv", "time=1*1e-7,op=4,offset=5,size=6,stream=3"),
                ("systor17_sample1000.csv", "time=Timestamp,op=IOType,offset=Offset,size=Size,stream=LUN"),
                ("diskmon_sys1.trace", "time=2,op=5,offset=6*512,size=7*512,stream=4,separator=blanks"),
                ("pcmark.disksim", "time=1*ms,op=5:0=write:1=read,offset=3*512,size=4*512,stream=2")):
            with self.subTest(trace=name):
                own = self.info(PUBLIC / f"{name}.zst")
                self.assertEqual(self.info(PUBLIC / f"{name}.zst", "--columns", columns), own)

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "no pyarrow")
    def test_parquet(self):
        import pyarrow
        import pyarrow.parquet
        rows = {"time": [time for time, _, _, _ in ROWS], "op": [op for _, op, _, _ in ROWS], "at": [lba for _, _, lba, _ in ROWS],
                "n": [float(n) for *_, n in ROWS]}
        pyarrow.parquet.write_table(pyarrow.table(rows), self.scratch / "t.parquet")
        done = self.start("trace", "convert", "t.parquet", "p.flt.zst", "--columns", "time=time,op=op,offset=at*512,size=n*512")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.info("p.flt.zst") | {"trace": ""}, self.info(self.file("t.txt", SPACED), "--columns", CHOICE) | {"trace": ""})
        self.refuse("trace", "convert", "t.parquet", "q.flt", "--columns", "time=time,op=op,offset=lba,size=n", names=["t.parquet", '"lba"'])
        self.refuse("trace", "info", "t.parquet", names=["trace convert t.parquet"])
        self.assertFalse((self.scratch / "q.flt").exists())
        n = 200_000
        pyarrow.parquet.write_table(pyarrow.table({"op": ["R"] * n, "at": range(n), "n": [8] * n}), self.scratch / "d.parquet", row_group_size=n // 10)
        damaged = bytearray((self.scratch / "d.parquet").read_bytes())
        page = pyarrow.parquet.ParquetFile(self.scratch / "d.parquet").metadata.row_group(5).column(1).data_page_offset
        damaged[page:page + 60] = b"\xff" * 60
        (self.scratch / "d.parquet").write_bytes(damaged)
        self.refuse("trace", "convert", "d.parquet", "d.flt", "--columns", "op=op,offset=at*512,size=n*512", names=["d.parquet"])
        self.assertEqual(list(self.scratch.glob("d.flt*")), [])

    def test_parquet_without_pyarrow_says_what_to_install(self):
        python = self.file("python", f"#!/bin/sh\nexec {sys.executable} -S \"$@\"\n")
        python.chmod(0o755)
        done = subprocess.run([PROGRAM, "trace", "convert", self.file("t.parquet", b"PAR1"), "q.flt"], capture_output=True, text=True,
                              env=os.environ | {"FLASHLOOM_PYTHON": str(python)}, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("pip install pyarrow", done.stderr)


if __name__ == "__main__":
    unittest.main()
