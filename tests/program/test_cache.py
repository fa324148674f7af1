"""flashloom cache: known answers, laws over all policies, every option, bad input."""
import csv
import io
import json
import unittest

import schemas
from program import CAPTURED, PAGE, PUBLIC, ProgramCase, msr, pages

REQUIRED = ["trace", "policy", "size_pages", "references", "hits", "read_hits", "write_hits", "ghost_hits",
            "dirty_evictions", "pages_written", "resident_pages_max", "hit_ratio"]


class Cache(ProgramCase):
    def rows(self, *arguments):
        """The lines of the table, numbers as numbers."""
        done = self.start("cache", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        table = list(csv.DictReader(io.StringIO(done.stdout)))
        for row in table:
            for key, value in row.items():
                if key not in ("trace", "policy", "memory"):
                    row[key] = float(value) if "ratio" in key else int(value)
        return table

    def row(self, *arguments):
        table = self.rows(*arguments)
        self.assertEqual(len(table), 1)
        return table[0]

    def refuse(self, *arguments, names):
        done = self.start("cache", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        for name in names:
            self.assertIn(name, done.stderr)

    def test_lru_by_hand(self):
        """Three pages: references hit 0 and 1, 2 evicts 1 (clean), 3 evicts 0 (dirty), 4 evicts 2 (dirty)."""
        trace = self.file("t.csv", pages("r0 r1 r9 r1 w0 r9 w2 r9 r3 r9 r4"))
        row = self.row(trace, "--policy", "lru", "--size", "12KiB")
        self.assertEqual([row[key] for key in REQUIRED[2:11]], [3, 11, 5, 4, 1, 0, 2, 2, 3])
        self.assertAlmostEqual(row["hit_ratio"], 5 / 11, places=6)
        self.assertEqual((row["reads"], row["writes"], row["footprint_pages"]), (9, 2, 6))
        self.assertEqual((row["clean_evictions"], row["dirty_at_end"], row["write_runs"]), (1, 0, 2))
        self.assertEqual((row["blocks_written"], row["block_changes"]), (1, 1))

    def test_generators_stand_in_for_traces(self):
        """IOzone with one file of four pages: it writes and reads each page twice, and the first page twice more."""
        base = ("--generate", "iozone:min_file=16 KiB,max_file=16 KiB,min_record=4 KiB,max_record=4 KiB", "--policy", "lru")
        row = self.row(*base, "--size", "16KiB")
        self.assertEqual((row["trace"], row["references"], row["writes"], row["hits"]), (base[1], 18, 8, 14))
        # The first page of each read pass, which is read twice.
        self.assertEqual(self.row(*base, "--size", "4KiB")["hits"], 2)
        mix = ("--generate", "mix:requests=100,size=4 KiB", "--space", "64KiB", "--policy", "lru", "--size", "16KiB")
        self.assertEqual(self.row(*mix), self.row(*mix, "--seed", "1"))
        self.assertNotEqual(self.row(*mix)["hits"], self.row(*mix, "--seed", "2")["hits"])
        self.assertLessEqual(self.row(*mix)["footprint_pages"], 16)

    def test_the_table_goes_to_a_file(self):
        base = ("cache", "--generate", "mix:requests=100,size=4 KiB", "--policy", "lru,arc", "--size", "16KiB")
        path = self.scratch / "table.csv"
        done = self.start(*base, "--out", path)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(path.read_text(encoding="utf-8"), self.start(*base).stdout)
        done = self.start(*base, "--out", self.scratch / "none" / "table.csv")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("none", done.stderr)

    def test_runs_and_blocks_among_the_writes(self):
        """64 pages a block: FIFO evicts 62..65 as one run over two blocks, then 7 in the first block again."""
        trace = self.file("t.csv", pages("w62 w63 w64 w65 w7 r100 r101 r102 r103 r104 r105"))
        row = self.row(trace, "--policy", "fifo", "--size", "4 KiB")
        self.assertEqual((row["pages_written"], row["write_runs"]), (5, 2))
        self.assertEqual((row["blocks_written"], row["block_changes"]), (2, 3))
        self.assertEqual(self.row(trace, "--policy", "fifo", "--size", "4 KiB", "--block", "8 KiB")["blocks_written"], 3)

    def test_requests_of_several_and_of_partial_pages(self):
        trace = self.file("t.csv", msr([(0, "Read", 0, 3 * PAGE), (1, "Read", 512, 1024),
                                        (2, "Write", PAGE - 512, 1024), (3, "Read", 8 * PAGE, PAGE)]))
        row = self.row(trace, "--policy", "lru", "--size", "1MiB")
        self.assertEqual((row["references"], row["hits"], row["dirty_at_end"]), (7, 3, 2))
        self.assertAlmostEqual(row["byte_hit_ratio"], 2048 / (4 * PAGE + 2048), places=6)

    def test_trims_discard(self):
        trace = self.file("t.log", "fio version 2 iolog\nd add\nd open\n" + "".join(
            f"d {op} {page * PAGE} {count * PAGE}\n" for op, page, count in
            [("write", 0, 4), ("trim", 1, 2), ("read", 1, 1), ("trim", 0, 1000), ("write", 0, 1)]))
        row = self.row(f"{trace},format=fio_iolog", "--policy", "lru", "--size", "1MiB")
        self.assertEqual((row["hits"], row["dirty_discarded"], row["dirty_at_end"]), (0, 4, 1))

    def test_all_policies_obey(self):
        """Every policy at several sizes, in both accountings: bounds of hits and writes, identities, capacity."""
        trace = CAPTURED / "postgres.iolog.xz"
        table = self.rows(trace, "--policy", "all", "--size", "1%,5%,20%,100%", "--memory", "both")
        listed = [self.start("list", family, "--json") for family in ("replacement", "replacement_offline")]
        names = {item["name"] for done in listed for item in json.loads(done.stdout)}
        self.assertEqual({row["policy"] for row in table}, names)
        self.assertEqual(len(table), len(names) * 8)
        bounds = {(row["policy"], row["memory"], row["size_pages"]): row for row in table}
        for row in table:
            with self.subTest(policy=row["policy"], size=row["size_pages"], memory=row["memory"]):
                key = (row["memory"], row["size_pages"])
                belady, least = bounds[("belady", *key)], bounds[("min_writes", *key)]
                self.assertEqual(row["hits"], row["read_hits"] + row["write_hits"])
                self.assertEqual(row["reads"] + row["writes"], row["references"])
                self.assertLessEqual(row["real_pages_max"], row["capacity_pages"])
                if row["memory"] == "equal":
                    self.assertLessEqual(row["resident_pages_max"], row["capacity_pages"])
                    self.assertLessEqual(row["resident_pages_max"] * PAGE, row["size_pages"] * PAGE)
                if row["policy"] != "min_writes" and row["resident_pages_max"] <= belady["capacity_pages"]:
                    self.assertLessEqual(row["hits"] + row["dirty_ghost_hits"], belady["hits"])
                if row["resident_pages_max"] <= least["capacity_pages"]:
                    self.assertGreaterEqual(row["pages_written"] + row["dirty_at_end"],
                                            least["pages_written"] + least["dirty_at_end"])
                missing = row["references"] - row["hits"] - row["dirty_ghost_hits"]
                if row["policy"] != "min_writes":  # a page that came in and is not resident has been evicted
                    self.assertLessEqual(row["clean_evictions"] + row["dirty_evictions"], missing)
                if row["size_pages"] == row["footprint_pages"] and row["memory"] == "real":
                    # Only first references and trimmed pages miss.
                    self.assertEqual(missing, row["references"] - belady["hits"])
                    self.assertEqual(row["pages_written"], 0)

    def test_the_same_bytes_whatever_the_threads(self):
        arguments = ("cache", CAPTURED / "sqlite.iolog.xz", "--policy", "all", "--size", "2%,30%", "--memory", "both")
        outputs = {self.start(*arguments, *more).stdout for more in ((), (), ("--threads", 1), ("--threads", 7))}
        self.assertEqual(len(outputs), 1)
        self.assertGreater(len(outputs.pop()), 1000)

    def test_json(self):
        arguments = (CAPTURED / "untar.iolog.xz", "--policy", "lru,dld_arc:mode=literal,pages_per_block=8", "--size",
                     "10%")
        done = self.start("cache", *arguments, "--format", "json")
        document = json.loads(done.stdout)
        schemas.check(document, "cache")
        table = self.rows(*arguments)
        self.assertEqual([each["policy"] for each in document["caches"]],
                         ["lru", "dld_arc:mode=literal;pages_per_block=8"])
        for each, row in zip(document["caches"], table, strict=True):
            self.assertEqual(list(each), list(row))
            for key, value in each.items():
                if isinstance(value, float):
                    self.assertAlmostEqual(value, row[key], places=6)
                else:
                    self.assertEqual(value, row[key])
        self.assertEqual([key for key in REQUIRED if key not in table[0]], [])

    def test_every_option_does_something(self):
        trace = CAPTURED / "postgres.iolog.xz"
        base = ("--policy", "lru", "--size", "5%")
        before = self.row(trace, *base)
        for options, key in (("--page 16KiB", "references"), ("--block 1MiB", "block_changes"),
                             ("--memory equal", "capacity_pages"), ("--max-requests 1000", "references"),
                             ("--size 1MiB", "size_pages"), ("--policy arc", "ghost_hits")):
            name, value = options.split(" ")
            changed = list(base)
            if name in changed:
                changed[changed.index(name) + 1] = value
            else:
                changed += [name, value]
            with self.subTest(option=options):
                self.assertNotEqual(self.row(trace, *changed)[key], before[key])
        for quiet in ((), ("--quiet",)):  # no terminal, so no progress
            self.assertEqual(self.start("cache", trace, *base, *quiet).stderr, "")

    def test_every_parameter_does_something(self):
        trace = CAPTURED / "postgres.iolog.xz"
        for policy, parameters in (
                ("cflru", ["window=0%", "window=90%"]), ("clock", ["counter=1", "counter=7"]),
                ("clock", ["initial=0", "initial=1,counter=3"]), ("two_q", ["in=25%", "in=60%"]),
                ("two_q", ["out=50%", "out=300%"]), ("lrfu", ["lambda=0", "lambda=1"]),
                ("dirty_last", ["base=lru", "base=mru", "base=lfu"]), ("ad_lru", ["min_lc=0%", "min_lc=70%"]),
                ("s3_fifo", ["small=10%", "small=50%"]), ("s3_fifo", ["promote=1", "promote=3"]),
                ("active_inactive", ["inactive=10%", "inactive=90%"]), ("active_inactive", ["rotate=true", "rotate=false"]),
                ("lirs", ["hir=1%", "hir=40%"]), ("lirs", ["remembered=0", "remembered=8"]),
                ("flru", ["read=1", "read=65"]), ("flru", ["write=1", "write=99"]),
                ("flru", ["overwrite=1", "overwrite=999"]),
                ("dld_arc", ["mode=repaired", "mode=literal", "mode=arc_bounded"]),
                ("dld_arc", ["pages_per_block=1", "pages_per_block=256"]),
                ("dld_lirs", ["hir=1%", "hir=40%"]), ("dld_lirs", ["pages_per_block=1", "pages_per_block=256"])):
            with self.subTest(policy=policy, parameters=parameters):
                names = ",".join(f"{policy}:{each}" for each in parameters)
                table = self.rows(trace, "--policy", names, "--size", "3%")
                outcomes = {(row["hits"], row["pages_written"], row["write_runs"]) for row in table}
                self.assertEqual(len(outcomes), len(parameters))
        for policy in ("dld_arc", "dld_lirs"):
            table = self.rows(trace, "--memory", "equal", "--size", "3%", "--policy",
                              f"{policy}:dirty_share=10%,{policy}:dirty_share=90%")
            self.assertNotEqual(table[0]["pages_written"], table[1]["pages_written"])

    def test_lambda_makes_lrfu_of_lru(self):
        table = self.rows(CAPTURED / "sqlite.iolog.xz", "--policy", "lru,lrfu:lambda=1", "--size", "1%,10%")
        for column in ("hits", "pages_written", "write_runs"):
            self.assertEqual([row[column] for row in table[:2]], [row[column] for row in table[2:]])

    def test_bad_input(self):
        trace = self.file("t.csv", pages("r0 w1"))
        good = ("--policy", "lru", "--size", "10%")
        self.refuse(trace, "--size", "10%", names=["--policy"])
        self.refuse(trace, "--policy", "lru", names=["--size"])
        self.refuse(trace, "--policy", "lur", "--size", "1%", names=["--policy", '"lur"', 'did you mean "lru"', "belady"])
        self.refuse(trace, "--policy", "lru,,arc", "--size", "1%", names=["--policy"])
        self.refuse(trace, "--policy", "cflru:windw=3%", "--size", "1%",
                    names=["--policy cflru:windw=3%", "cflru.windw", 'did you mean "window"'])
        self.refuse(trace, "--policy", "cflru:window=3", "--size", "1%", names=["cflru.window", "range"])
        self.refuse(trace, "--policy", "cflru:window", "--size", "1%", names=["parameter=value"])
        self.refuse(trace, "--policy", "lru:a=1", "--size", "1%", names=["lru.a", "takes none"])
        for size in ("10", "0%", "0B", "1KiB", "-4KiB", "ten", "1%,,2%", "nan%"):
            self.refuse(trace, "--policy", "lru", f"--size={size}", names=["--size"])
        for option, values in (("--page", ("0B", "100B", "4096", "2GiB")), ("--block", ("1KiB", "6KiB")),
                               ("--memory", ("all",)), ("--format", ("xml",)), ("--threads", ("0", "x")),
                               ("--max-requests", ("0", "-1"))):
            for value in values:
                with self.subTest(option=option, value=value):
                    self.refuse(trace, *good, f"{option}={value}", names=[option])
        self.refuse("absent.csv", *good, names=["absent.csv", "no such file"])
        self.refuse(self.file("bad.csv", pages("r0 r1") + "rubbish\n"), *good, names=["bad.csv:3"])
        self.refuse(f"{trace},offset=4KiB", *good, names=["offset"])
        self.refuse(trace, *good, "--polcy=lru", names=["--polcy", 'did you mean "--policy"'])
        self.refuse(names=["trace", "--generate"])
        self.refuse(trace, "--generate", "mix", "--policy", "lru", "--size", "4KiB", names=["not both"])
        self.refuse(trace, "--seed", "2", "--policy", "lru", "--size", "4KiB", names=["--seed", "--generate"])
        self.refuse("--generate", "iozone", "--space", "1MiB", "--policy", "lru", "--size", "4KiB", names=["max_file", "exceed"])
        self.refuse("--generate", "iozon", "--policy", "lru", "--size", "4KiB", names=["iozon"])

    @unittest.skipUnless((PUBLIC / "arc_OLTP.lis.zst").exists(), "no public traces: set FLASHLOOM_TRACES")
    def test_arc_and_lru_on_the_trace_of_the_arc_paper(self):
        """Hit ratios in percent on which two independent programs agree, with one block of 512 bytes per reference."""
        expected = {"lru": [32.83, 42.47, 53.65, 60.70, 64.63], "arc": [38.95, 46.08, 55.25, 61.87, 65.40]}
        table = self.rows(PUBLIC / "arc_OLTP.lis.zst", "--page", "512B", "--policy", "lru,arc", "--size",
                          "512000B,1024000B,2560000B,5120000B,7680000B")
        self.assertEqual([row["size_pages"] for row in table[:5]], [1000, 2000, 5000, 10000, 15000])
        for policy, ratios in expected.items():
            found = [100 * row["hit_ratio"] for row in table if row["policy"] == policy]
            for mine, theirs in zip(found, ratios, strict=True):
                self.assertAlmostEqual(mine, theirs, delta=0.0051)
        self.assertEqual({(row["references"], row["footprint_pages"]) for row in table}, {(914145, 186880)})


if __name__ == "__main__":
    unittest.main()
