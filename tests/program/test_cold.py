"""flashloom cold: known answers, every option, bad input, and Table 1 of the paper where its traces are available."""
import csv
import io
import json
import unittest

import schemas
from program import CAPTURED, PAGE, PUBLIC, ProgramCase, msr, pages

TEXT = ("trace", "detector", "policy")
# Total, read and written GB of MSR-Cambridge volumes, from the COLD paper (2016).
TABLE_1 = {"proj_0": (59.09, 13.12, 45.97), "prxy_0": (56.84, 3.05, 53.80), "rsrch_0": (12.21, 1.39, 10.82),
           "src1_0": (1538.34, 729.18, 809.16), "src1_2": (52.97, 8.82, 44.15), "stg_0": (22.42, 7.33, 15.09),
           "ts_0": (15.47, 4.13, 11.34)}


class Cold(ProgramCase):
    def rows(self, *arguments):
        """The lines of the table, numbers as numbers."""
        done = self.start("cold", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        table = list(csv.DictReader(io.StringIO(done.stdout)))
        for row in table:
            for key, value in row.items():
                if key not in TEXT:
                    row[key] = float(value) if "." in value else int(value)
        return table

    def counts(self, *arguments):
        """Pages left, in sets, sets, updated, updated in sets, updated together, from a table of one line."""
        [row] = self.rows(*arguments)
        return [row[key] for key in ("pages_left", "pages_left_in_sets", "sets", "pages_updated", "pages_updated_in_sets",
                                     "pages_updated_together")]

    def test_by_hand(self):
        """Four pages, LRU. 20 evicts 0, with 1 and 2; the second 2 evicts 9; 20 and then 0 to 2 remain. As windows of
        two: (0 1) leaves, then (2 9), and at the end (20 0) and (1 2): no earlier window is updated together."""
        trace = self.file("t.csv", pages("w0 w1 w2 w9 w20 w0 w1 w2"))
        base = (trace, "--buffer", "16KiB")
        self.assertEqual(self.counts(*base, "--detector", "spatial", "--delta", "3"), [8, 6, 2, 3, 3, 3])
        self.assertEqual(self.counts(*base, "--detector", "spatial", "--delta", "4"), [8, 0, 0, 3, 0, 0])
        self.assertEqual(self.counts(*base, "--detector", "temporal", "--delta", "2"), [8, 8, 4, 3, 3, 0])
        self.assertEqual(self.counts(*base, "--detector", "request", "--delta", "2"), [8, 0, 0, 3, 0, 0])

    def test_requests_are_sets_of_their_own(self):
        """Two adjacent requests of three pages are one spatial run, or two request sets. The last request rewrites the
        whole first one."""
        trace = self.file("t.csv", msr([(0, "Write", 0, 3 * PAGE), (1, "Write", 3 * PAGE, 3 * PAGE), (2, "Write", 40 * PAGE, PAGE),
                                        (3, "Write", 50 * PAGE, 5 * PAGE), (4, "Write", 0, 3 * PAGE)]))
        base = (trace, "--buffer", "24KiB", "--delta", "3")
        self.assertEqual(self.counts(*base, "--detector", "request"), [15, 14, 4, 3, 3, 3])
        [row] = self.rows(*base, "--detector", "spatial")
        self.assertEqual((row["sets"], row["largest_set_pages"], row["pages_updated_together"]), (3, 6, 3))

    def test_reads_count_as_use_and_are_not_kept(self):
        """The read of page 0 keeps it longer than page 5."""
        trace = self.file("t.csv", pages("w0 w5 r0 r7 w9 w0"))
        [row] = self.rows(trace, "--buffer", "8KiB", "--delta", "2")[:1]
        self.assertEqual((row["pages_written"], row["pages_left"], row["pages_updated"]), (4, 3, 0))
        self.assertEqual(row["requests"], 6)
        self.assertAlmostEqual(row["read_gb"], 2 * PAGE / 1e9, places=6)
        self.assertAlmostEqual(row["write_gb"], 4 * PAGE / 1e9, places=6)
        self.assertAlmostEqual(row["total_gb"], 6 * PAGE / 1e9, places=6)

    def test_every_option_does_something(self):
        trace = CAPTURED / "postgres.iolog.xz"
        base = {"--delta": "4", "--buffer": "1MiB", "--detector": "spatial"}

        def row(**changed):
            options = base | {f"--{key.replace('_', '-')}": value for key, value in changed.items()}
            return self.rows(trace, *[word for pair in options.items() for word in pair])[0]

        before = row()
        for option, value, key in (("delta", "16", "sets"), ("buffer", "4MiB", "pages_left"), ("page", "8KiB", "pages_written"),
                                   ("detector", "temporal", "sets"), ("detector", "both", "sets"), ("detector", "request", "sets"),
                                   ("policy", "arc", "pages_left"), ("policy", "block_lru", "sets"), ("max_requests", "1000", "requests")):
            with self.subTest(option=option, value=value):
                self.assertNotEqual(row(**{option: value})[key], before[key])
        self.assertNotEqual(row(policy="block_lru")["sets"], row(policy="block_lru", block="1MiB")["sets"])

    def test_sets_within_bounds(self):
        """At any size and delta: each part is at most its whole, and sets have at least delta pages where the detector
        says so."""
        for trace in ("postgres.iolog.xz", "sqlite.iolog.xz", "untar.iolog.xz"):
            table = self.rows(CAPTURED / trace, "--delta", "2,4,16,64", "--buffer", "64KiB,1MiB,16MiB", "--detector",
                              "spatial,temporal,both,request")
            self.assertEqual(len(table), 4 * 3 * 4)
            for row in table:
                with self.subTest(trace=trace, detector=row["detector"], delta=row["delta"], buffer=row["buffer_pages"]):
                    self.assertLessEqual(row["pages_left_in_sets"], row["pages_left"])
                    self.assertLessEqual(row["pages_left"], row["pages_written"])
                    self.assertLessEqual(row["pages_updated_together"], row["pages_updated_in_sets"])
                    self.assertLessEqual(row["pages_updated_in_sets"], row["pages_updated"])
                    self.assertLessEqual(row["largest_set_pages"], row["buffer_pages"])
                    if row["sets"] and row["detector"] in ("spatial", "request"):
                        self.assertGreaterEqual(row["mean_set_pages"], row["delta"])

    def test_the_same_bytes_whatever_the_threads(self):
        arguments = ("cold", CAPTURED / "sqlite.iolog.xz", "--delta", "4,16", "--buffer", "256KiB,4MiB")
        self.assertEqual(len({self.start(*arguments, *more).stdout for more in ((), (), ("--threads", 1), ("--threads", 7))}), 1)

    def test_json(self):
        arguments = ("--generate", "correlated", "--space", "64MiB", "--max-requests", "2000", "--delta", "4,16", "--buffer", "1MiB")
        document = json.loads(self.start("cold", *arguments, "--format", "json").stdout)
        schemas.check(document, "cold")
        for each, row in zip(document["buffers"], self.rows(*arguments), strict=True):
            self.assertEqual(list(each), list(row))
            for key, value in each.items():
                if isinstance(value, float):
                    self.assertAlmostEqual(value, row[key], places=6)
                else:
                    self.assertEqual(value, row[key])

    def test_bad_input(self):
        trace = CAPTURED / "sqlite.iolog.xz"
        base = {"--delta": "4", "--buffer": "1MiB"}
        for change, names in (({"--delta": None}, ["--delta"]), ({"--buffer": None}, ["--buffer"]),
                              ({"--delta": "1"}, ["--delta", "1"]), ({"--delta": "70000"}, ["--delta", "65536"]),
                              ({"--delta": "4,x"}, ["--delta", "x"]), ({"--buffer": "1 KiB"}, ["--buffer", "less than a page"]),
                              ({"--buffer": "1"}, ["--buffer"]), ({"--detector": "spacial"}, ["spacial", "spatial"]),
                              ({"--detector": "none"}, ["none", "spatial"]), ({"--policy": "lur"}, ["lur", "lru", "block_lru"]),
                              ({"--policy": "cflru:windo=3%"}, ["windo", "window"]), ({"--format": "xml"}, ["--format", "xml"]),
                              ({"--page": "1 B"}, ["--page"]), ({"--space": "1GiB"}, ["--space", "--generate"])):
            options = {key: value for key, value in (base | change).items() if value is not None}
            done = self.start("cold", trace, *[word for pair in options.items() for word in pair])
            with self.subTest(options=options):
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                for name in names:
                    self.assertIn(name, done.stderr)
        done = self.start("cold", "--delta", "4", "--buffer", "1MiB")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cold: no trace given", done.stderr)

    def test_table_1(self):
        """If the user supplies the volumes: the totals that the paper prints, in units of 10^9 or 2^30 bytes."""
        for name, published in TABLE_1.items():
            with self.subTest(volume=name):
                found = [path for end in (".csv", ".csv.gz", ".csv.zst", ".csv.xz")
                         for path in (PUBLIC / f"{name}{end}", PUBLIC / f"msr_{name}_full{end}") if path.is_file()]
                if not found:
                    self.skipTest(f"there is no {name}.csv[.gz|.zst|.xz] in $FLASHLOOM_TRACES")
                [row] = self.rows(found[0], "--delta", "16", "--buffer", "16MiB", "--detector", "spatial")
                for key, gigabytes in zip(("total_gb", "read_gb", "write_gb"), published):
                    nearest = min((row[key], row[key] * 1e9 / 2**30), key=lambda value, to=gigabytes: abs(value - to))
                    self.assertAlmostEqual(nearest, gigabytes, delta=0.01 * gigabytes + 0.01)


if __name__ == "__main__":
    unittest.main()
