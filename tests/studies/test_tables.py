"""Tables worked by hand from hand-written results."""
import json
import math
import subprocess

from case import PROGRAM, StudyCase
from engine.closed_forms import bottleneck, bound, bounds, quantity
from engine.errors import StudyError
from engine.figures import data_of, write_data
from engine.points import rows_of, values_of
from engine.published import published
from engine.study import load_study
from engine.tables import column, mean_and_ci95
from flashloom.whole_file import whole_file

TEXT = """
question = "?"
device = "tiny"
seeds = [1, 2, 3]
axis.ways = { values = [1, 2, 4], set = "nand.ways" }
axis.size = { values = [4, 8], unit = "KiB", set = "nand.page_size" }
workload.w.generate = "mix:requests=10"
baseline.one = { ways = 1 }
[metric]
rate = { path = "rate", scale = 0.5, unit = "MB/s" }
idle = { path = "dies.*.idle", reduce = "mean", unit = "%", scale = 100 }
gain = { expression = "rate / one.rate", unit = "1" }
who = { path = "who", unit = "text" }
[[summary]]
name = "knee"
caption = "fewest ways with 90 %"
group = ["size"]
among = "rate >= 0.9 * most.rate"
smallest = "ways"
columns = ["ways", "rate"]
[[summary]]
name = "best"
caption = "best of all, small ones left out"
rows = "ways > 1"
largest = "rate"
columns = ["ways", "size"]
"""


def rate(ways, size, seed):
    """By hand: saturates at 2 ways for 8 KiB; seeds spread by +-2."""
    return {4: {1: 100, 2: 200, 4: 400}, 8: {1: 100, 2: 190, 4: 200}}[size][ways] + 2 * (seed - 2)


class WholeFiles(StudyCase):
    def test_a_file_that_is_not_complete_leaves_the_one_before_it(self):
        path = self.scratch / "table.csv"
        for text, fails in (("one", False), ("two", True), ("three", False)):
            try:
                with whole_file(path) as file:
                    file.write(text)
                    if fails:
                        raise KeyboardInterrupt
            except KeyboardInterrupt:
                pass
            self.assertEqual(path.read_text(encoding="utf-8"), "one" if fails else text)
            self.assertEqual([found.name for found in self.scratch.iterdir()], ["table.csv"])


class Tables(StudyCase):
    def make(self, text=TEXT, missing=(), **files):
        def write(_, folder, values, seed):
            if (values["ways"], values["size"]) not in missing:
                (folder / "result.json").write_text(json.dumps(
                    {"rate": rate(values["ways"], values["size"], seed or 2), "who": "die", "config": {}, "a.b": {"who": "core"},
                     "dies": [{"idle": 0.25}, {"idle": 0.75}]}))
        return self.made_by_hand(text, lambda values, seed: f"{values['ways']}-{values['size']}-{seed}", write, **files)

    def test_means_and_intervals(self):
        _, table = self.make()
        header = (table.out / "table.csv").read_text().splitlines()
        self.assertEqual(header[0], "point,ways,size_kib,repetitions,rate_mb_per_s,rate_ci95_mb_per_s,idle_percent,idle_ci95_percent,"
                                    "gain,gain_ci95,who")
        # Rates 98, 100, 102, halved: mean 50, s = 1; t(0.975, 2) = 4.30265; half width 4.30265 / sqrt 3.
        self.assertTrue(header[1].startswith(f"1-4-1 1-4-2 1-4-3,1,4,3,50,{4.302652729749464 / math.sqrt(3):.9g},50,0,1,0,die"), header[1])
        runs = (table.out / "runs.csv").read_text().splitlines()
        self.assertEqual(runs[0], "point,seed,ways,size_kib,rate_mb_per_s,idle_percent,gain,who")
        self.assertEqual(runs[1:3], ["1-4-1,1,1,4,49,50,1,die", "1-4-2,2,1,4,50,50,1,die"])
        self.assertEqual(len(runs), 1 + 18)

    def test_speed_up_is_seed_by_seed(self):
        _, table = self.make()
        row = next(row for row in table.rows if row.values["ways"] == 4 and row.values["size"] == 4)
        self.assertAlmostEqual(row.values["gain"], (398 / 98 + 400 / 100 + 402 / 102) / 3)

    def test_what_a_run_cost(self):
        text = TEXT.replace("[metric]", '[metric]\nmemory = { cost = "peak_rss_bytes", scale = 1e-6, unit = "MB" }\n'
                            'twice = { expression = "2 * memory", unit = "MB" }')
        for size in (4, 8):
            for seed in (1, 2, 3):  # one point of three ways; the others have no run.json
                folder = self.scratch / f"out/points/2-{size}-{seed}"
                folder.mkdir(parents=True)
                (folder / "run.json").write_text(json.dumps({"peak_rss_bytes": (size + seed) * 1e6, "state": None}))
        _, table = self.make(text)
        rows = {(row.values["ways"], row.values["size"]): row.values for row in table.rows}
        self.assertAlmostEqual(rows[2, 4]["memory"], 6.0)
        self.assertAlmostEqual(rows[2, 8]["twice"], 20.0)
        self.assertIsNone(rows[1, 4]["memory"])
        for field in ("state", "rss"):
            with self.assertRaises(StudyError) as raised:
                self.make(text.replace('"peak_rss_bytes"', f'"{field}"'))
            self.assertIn(f"metric.memory.cost: {field} is no number of run.json; valid: peak_rss_bytes", str(raised.exception))

    def test_student(self):
        self.assertEqual(mean_and_ci95([]), (None, None))
        self.assertEqual(mean_and_ci95([None, 3.0]), (3.0, None))
        self.assertEqual(mean_and_ci95(["a", "a"]), ("a", None))
        self.assertEqual(mean_and_ci95(["b", "a"]), ("a | b", None))
        mean, half = mean_and_ci95([1.0, 2.0, 3.0, 4.0, 5.0])  # s = sqrt 2.5, t(0.975, 4) = 2.776445
        self.assertEqual(mean, 3.0)
        self.assertAlmostEqual(half, 2.7764451052 * math.sqrt(2.5) / math.sqrt(5), places=8)

    def test_summaries(self):
        _, table = self.make()
        self.assertEqual((table.out / "knee.csv").read_text(), "size_kib,ways,rate_mb_per_s\n4,4,200\n8,2,95\n")
        self.assertEqual((table.out / "best.csv").read_text(), "ways,size_kib\n4,4\n")

    def test_points_that_are_missing_keep_their_row(self):
        _, table = self.make(missing=[(1, 8)])
        lines = (table.out / "table.csv").read_text().splitlines()
        self.assertEqual(lines[2], "1-8-1 1-8-2 1-8-3,1,8,0,,,,,,,")
        self.assertTrue(lines[4].startswith("2-8-1 2-8-2 2-8-3,2,8,3,95,"))
        self.assertIn(",,,die", lines[4])  # no baseline, so no speed-up

    def test_a_path_may_name_axes(self):
        _, table = self.make(TEXT.replace('path = "dies.*.idle", reduce = "mean"', 'path = "dies.{size // 4 - 1}.idle"'))
        direct = self.make(TEXT.replace('path = "dies.*.idle", reduce = "mean"', 'path = "dies.1.idle"'))[1]
        for row, other in zip(table.rows, direct.rows):
            if row.values["size"] == 8:
                self.assertEqual(row.values["idle"], other.values["idle"])
        self.assertNotEqual([row.values["idle"] for row in table.rows], [row.values["idle"] for row in direct.rows])
        with self.assertRaisesRegex(StudyError, r"metric\.idle\.path: .*unknown name sice"):
            self.make(TEXT.replace('path = "dies.*.idle", reduce = "mean"', 'path = "dies.{sice}.idle"'))
        # An axis that only a path names changes the figure shown, and needs no further run.
        load_study(self.study('question = "?"\ndevice = "tiny"\naxis.day = { values = [0, 1] }\n'
                              'workload.w.generate = "mix:requests=10"\n'
                              'metric.a = { path = "host.jobs.{day}.read.ios", unit = "1" }\n'))

    def test_a_path_that_is_not_there_is_an_error(self):
        with self.assertRaisesRegex(StudyError, r"study\.toml:\d+: metric\.rate\.path: rote is not in result\.json"):
            self.make(TEXT.replace('path = "rate"', 'path = "rote"'))

    def test_bars_of_a_series_without_a_value_leave_its_place_empty(self):
        figure = '[[figure]]\nname = "b"\ncaption = "?"\nx = "ways"\ny = "rate"\nseries = "size"\nkind = "bars"\n'
        study, table = self.make(TEXT + figure, missing=[(1, 4)])
        write_data(table.out / "b.csv", study, study.figures[0], data_of(study, study.figures[0], table), table)
        blocks = (table.out / "b.csv").read_text().split("\n\n\n")
        self.assertEqual([[line.split(",")[:2] for line in block.split("\n")[1:4]] for block in blocks],
                         [[["1", "50"], ["2", "95"], ["4", "100"]], [["1", "NaN"], ["2", "100"], ["4", "200"]]])

    def test_a_name_with_a_point_is_quoted(self):
        _, table = self.make(TEXT.replace('path = "who"', "path = '\"a.b\".who'"))
        self.assertEqual(table.rows[0].values["who"], "core")

    def test_columns_say_their_unit(self):
        for name, unit, expected in (("rate", "MB/s", "rate_mb_per_s"), ("gain", "1", "gain"), ("share", "%", "share_percent"),
                                     ("latency", "us", "latency_us"), ("energy", "J/GB", "energy_j_per_gb")):
            self.assertEqual(column(name, unit), expected)

    def test_paper_and_ours(self):
        study, table = self.make(paper__csv="figure,ways,size,metric,value,note\n8,4,8,rate,125,bar read off\n8,4,4,rate,0,\n")
        lines = published(study, table)
        self.assertEqual((lines[0].ours, lines[0].deviation_percent, lines[0].where, lines[0].note),
                         (100.0, -20.0, "ways 4, size 8", "bar read off"))
        self.assertIsNone(lines[1].deviation_percent)
        lines = published(*self.make(paper__csv="summary,size,metric,value\nknee,4,rate,250\n"))
        self.assertEqual((lines[0].ours, lines[0].deviation_percent, lines[0].where), (200.0, -20.0, "size 4"))
        for text, expected in (("ways,metric,value\n4,rate,1\n", "line 2: ways 4 names 2 rows"),
                               ("way,metric,value\n", "unknown column way"), ("ways,metric\n", "column value is missing"),
                               ("ways,size,metric,value\n1,4,speed,1\n", "unknown metric speed"),
                               ("summary,metric,value\nkne,rate,1\n", "unknown summary kne; valid: knee, best"),
                               ("summary,metric,value\nknee,rate,1\n", "names 2 rows of summary knee"),
                               ("summary,metric,value\nbest,rate,1\n", "summary best has no rate"),
                               ("ways,size,metric,value\n1,4,rate,fast\n", "\"fast\" is no number")):
            study, table = self.make(paper__csv=text)
            with self.subTest(text=text), self.assertRaisesRegex(StudyError, expected):
                published(study, table)

    def test_all_summaries_are_one_long_table(self):
        _, table = self.make()
        table.write()
        lines = (table.out / "summary.csv").read_text().splitlines()
        self.assertEqual(lines[:2], ["summary,row,metric,value", "knee,size_kib 4,ways,4"])
        self.assertIn("knee,size_kib 8,rate_mb_per_s,95", lines)
        with self.assertRaisesRegex(StudyError, "is the name of another table: runs.csv"):
            load_study(self.study(TEXT.replace('name = "knee"', 'name = "runs"')))

    def test_zip_and_drop(self):
        text = TEXT.replace('question = "?"', 'question = "?"\nzip = [["ways", "size"]]\ndrop = "ways == 2"')
        text = text.replace("values = [4, 8]", "values = [4, 8, 16]")
        study = load_study(self.study(text))
        rows = [values_of(*row) for row in rows_of(study)]
        self.assertEqual([(row["ways"], row["size"]) for row in rows], [(1, 4), (4, 16)])
        study = load_study(self.study(TEXT.replace('question = "?"', 'question = "?"\ndrop = "ways > 0"')))
        with self.assertRaisesRegex(StudyError, "drop leaves no point"):
            rows_of(study)


class ClosedForms(StudyCase):
    """The calibration preset, by hand: 8 channels x 2 ways, 4 KiB pages, 50/600 us, 1000 MT/s, 8 cycles of 40 ns."""

    def config(self, *sets):
        words = [word for one in sets for word in ("--set", one)]
        return json.loads(subprocess.run([PROGRAM, "config", "calibration", "--json", *words], check=True,
                                         capture_output=True, text=True).stdout)

    def test_quantities(self):
        self.assertEqual([quantity(text) for text in ("16 KiB", "800 MT/s", 3, "0 B/s")], [16384, 8e8, 3, 0])
        self.assertAlmostEqual(quantity("56500 ns"), 56.5e-6)
        with self.assertRaises(ValueError):
            quantity("3 parsecs")

    def test_by_hand(self):
        found = bounds(self.config(), "read", 4096)
        self.assertAlmostEqual(found["channels"], 8 * 4096 / 4.416e-6, places=3)
        self.assertAlmostEqual(found["dies"], 16 * 4096 / 54.416e-6, places=3)
        self.assertAlmostEqual(found["link"], 4096 / (4480 / 3938461538.46), places=0)
        self.assertNotIn("cpu", found)
        self.assertEqual(bottleneck(self.config(), "read", 4096), "dies")
        self.assertAlmostEqual(bound(self.config("nand.ways=16", "dram.size=1 GiB"), "read", 4096), 4096 / (4480 / 3938461538.46), places=0)
        self.assertAlmostEqual(bounds(self.config(), "write", 4096)["dies"], 16 * 4096 / 604.416e-6, places=3)

    def test_program_units_and_page_types(self):
        tlc = self.config("nand.pages_per_program=3", "nand.pages=192", "nand.planes=2", "nand.multi_plane_program=true",
                          'nand.read_time=["60 us", "80 us", "100 us"]', 'nand.program_time=["1 ms", "2 ms", "6 ms"]')
        data, cycles = 6 * 4.096e-6, 6 * 8 * 40e-9
        self.assertAlmostEqual(bounds(tlc, "write", 4096)["dies"], 16 * 6 * 4096 / (6e-3 + data + cycles), places=3)
        self.assertAlmostEqual(bounds(tlc, "read", 4096)["dies"], 16 * 4096 / (80e-6 + 4.416e-6), places=3)
        tlc["nand"]["multi_plane_read"] = True
        self.assertAlmostEqual(bounds(tlc, "read", 4096)["dies"], 32 * 4096 / (80e-6 + 2 * 4.416e-6), places=3)

    def test_planes_that_read_independently(self):
        apart = self.config("nand.planes=4", "nand.blocks=64", "nand.independent_planes=4")
        self.assertAlmostEqual(bounds(apart, "read", 4096)["dies"], 16 * 4 * 4096 / 54.416e-6, places=3)
        self.assertEqual(bottleneck(apart, "read", 4096), "link")
        self.assertAlmostEqual(bounds(apart, "write", 4096)["dies"], 16 * 4096 / 604.416e-6, places=3)
        # Two groups of two planes that read together.
        pairs = self.config("nand.planes=4", "nand.blocks=64", "nand.independent_planes=2",
                            "nand.multi_plane_read=true")
        self.assertAlmostEqual(bounds(pairs, "read", 4096)["dies"], 16 * 4 * 4096 / (50e-6 + 2 * 4.416e-6), places=3)

    def test_firmware(self):
        arm = self.config("cpu.model=arm", "cpu.cores=1", "cpu.clock=1 GHz")
        # 300 + 200 + 60 of buffer, 60 of map, 150 + 100 of flash: 870 cycles to read one unit.
        self.assertAlmostEqual(bounds(arm, "read", 4096)["cpu"], 4096 * 1e9 / 870)
        self.assertAlmostEqual(bounds(arm, "write", 4096)["cpu"], 4096 * 1e9 / (560 + 80 + 150))
        # Two cores share the 560 host cycles; map and flash run on a third.
        shared = self.config("cpu.model=arm", "cpu.cores=3", "cpu.clock=1 GHz", "cpu.host_cores=[0, 1]", "cpu.ftl_core=2",
                             "cpu.flash_core=2")
        self.assertAlmostEqual(bounds(shared, "read", 4096)["cpu"], 4096 * 1e9 / 310)
        self.assertAlmostEqual(bounds(shared, "write", 4096)["cpu"], 4096 * 1e9 / 280)
        points = ('cpu.points=[{ clock = "250 MHz", active_power = "1 W" }, { clock = "500 MHz", active_power = "1 W" }]')
        for governor, clock in (("fixed", 250e6), ("ondemand", 500e6)):
            governed = self.config("cpu.model=arm", "cpu.cores=1", points, f"cpu.governor={governor}")
            self.assertAlmostEqual(bounds(governed, "read", 4096)["cpu"], 4096 * clock / 870)

    def test_the_model_comes_close(self):
        """Random reads on few dies reach the bound; no point exceeds it."""
        text = """
question = "?"
device = "calibration"
set = { "precondition.fill" = 1.0, "nand.blocks" = 64, "nand.pages" = 64, "ftl.over_provisioning" = 1.0 }
axis.ways = { values = [1, 4, 16], set = "nand.ways" }
axis.size = { values = [4, 16], unit = "KiB" }
workload.reads.fio = { rw = "randread", bs = "{size}k", ioengine = "libaio", iodepth = 256, size = "100%", io_size = "32m", norandommap = 1 }
[metric]
throughput = { path = "host.read.bandwidth_bytes_per_s", unit = "B/s" }
bound = { expression = "bound('read', size * 1024)", unit = "B/s" }
""".replace("bound = {", "limit = {")
        rows = self.table(self.run_study(self.study(text, "bounds")))
        shares = {(row["ways"], row["size_kib"]): float(row["throughput_b_per_s"]) / float(row["limit_b_per_s"]) for row in rows}
        self.assertEqual(len(shares), 6)
        for point, share in shares.items():
            self.assertLess(share, 1.001, point)
        self.assertGreater(shares["1", "4"], 0.95)
        self.assertGreater(shares["16", "4"], 0.95)
