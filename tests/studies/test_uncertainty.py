"""Bands, sample-by-sample comparisons, and differences reported as none, from energies whose samples are known."""
import math

from case import ROOT
from engine.errors import RunError, StudyError
from engine.figures import draw_figures
from engine.page_tables import Shown, points_of, table_of
from engine.points import Program, make_plan, point_command
from engine.published import published
from engine.samples import Band
from engine.study import load_study
from uncertain_case import COUNT, KEYS, SIDE, TEXT, Model, UncertainCase, value

ONE_KEY = Model(base=1, current=100)  # 2 to 4 J/GB, nominally 3
MODELS = {1: ONE_KEY, 2: Model(base=2, current=100), 4: Model(base=1, current=50)}


def csv_rows(path):
    lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


class Bands(UncertainCase):
    def test_the_band_of_one_uniform_key(self):
        _, table = self.made(MODELS)
        band = table.rows[0].bands["energy"]
        # 32 values, each 32 times, at the middles of 32 parts of 2 to 4: the quantile q is at place q * 1023 of 1024.
        middles = [2 + 2 * (number + 0.5) / SIDE for number in range(SIDE)]
        self.assertAlmostEqual(band.p5, middles[int(0.05 * 1023) // SIDE])
        self.assertAlmostEqual(band.p50, 3, delta=2 / SIDE)
        self.assertAlmostEqual(band.p95, 3.9, delta=2 / SIDE)
        self.assertEqual(table.rows[0].values["energy"], 3.0)  # nominal value, not a sample's

    def test_the_band_of_two_keys_is_that_of_a_triangle(self):
        """Two independent uniform parts of width 2: their sum has a triangular distribution, whose 5 % quantile lies 2
        * sqrt(2 * 0.05) above its low end."""
        _, table = self.made({ways: Model(base=0, current=100, power=2) for ways in (1, 2, 4)})  # 1 to 3, and 2 to 4
        band = table.rows[0].bands["energy"]
        self.assertAlmostEqual(band.p5, 3 + 2 * math.sqrt(0.1), delta=2 / SIDE)
        self.assertAlmostEqual(band.p50, 5, delta=2 / SIDE)
        self.assertAlmostEqual(band.p95, 7 - 2 * math.sqrt(0.1), delta=2 / SIDE)

    def test_columns(self):
        _, table = self.made(MODELS)
        header = (table.out / "table.csv").read_text().splitlines()[0]
        self.assertEqual(header, "point,ways,energy_j_per_gb,energy_p5_j_per_gb,energy_p50_j_per_gb,energy_p95_j_per_gb,"
                                 "power_mw,power_p5_mw,power_p50_mw,power_p95_mw,speed_mb_per_s,"
                                 "ratio,ratio_p5,ratio_p50,ratio_p95,saving_percent,saving_p5_percent,saving_p50_percent,saving_p95_percent")
        rows = csv_rows(table.out / "table.csv")
        # Average_w is half of the energy.
        self.assertAlmostEqual(float(rows[0]["power_p95_mw"]), 500 * float(rows[0]["energy_p95_j_per_gb"]), places=5)

    def test_a_comparison_is_sample_by_sample(self):
        """Unknowns that both points share cancel: 2 + x and 1 + x differ by 1 J/GB for any x."""
        text = TEXT + 'more = { expression = "energy - one.energy", unit = "J/GB" }\n'
        _, table = self.made(MODELS, text)
        two, four = table.rows[1].bands, table.rows[2].bands
        self.assertAlmostEqual(two["more"].p5, 1)
        self.assertAlmostEqual(two["more"].p95, 1)
        self.assertGreater(two["energy"].p95 - two["energy"].p5, 1.7)
        # (1 + 50 x) / (1 + 100 x) falls in x: its low quantile is at the high quantile of x.
        x = sorted(value("nand.read_current", number) for number in range(COUNT))
        high, low = (x[int(share * (COUNT - 1))] for share in (0.95, 0.05))
        self.assertAlmostEqual(four["ratio"].p5, (1 + 50 * high) / (1 + 100 * high), delta=0.01)
        self.assertAlmostEqual(four["ratio"].p95, (1 + 50 * low) / (1 + 100 * low), delta=0.01)
        self.assertAlmostEqual(four["saving"].p5, 100 * (1 - four["ratio"].p95))

    def test_no_difference_is_found_for_any_form_of_comparison(self):
        text = TEXT + 'more = { expression = "energy - one.energy", unit = "J/GB" }\nhalf = { expression = "saving / 2 + 0 * energy", unit = "%" }\n' \
            'mixed = { expression = "energy - 0.5 * one.energy", unit = "J/GB" }\n'
        # Two devices whose difference is unknown: the second has 1 to 2 of link power, the first all of x.
        models = {1: ONE_KEY, 2: Model(base=1.5, power=1), 4: Model(base=3.2, power=1)}
        _, table = self.made(models, text)
        for name, neutral in (("ratio", 1), ("saving", 0), ("more", 0), ("half", 0)):
            with self.subTest(name=name):
                self.assertEqual(table.rows[1].bands[name].neutral, neutral)
                self.assertEqual([row.bands[name].is_none for row in table.rows], [True, True, False])
        self.assertEqual([row.bands["energy"].is_none or row.bands["mixed"].is_none for row in table.rows], [False] * 3)

    def test_the_baseline_itself_and_equal_devices_are_no_difference(self):
        _, table = self.made({1: ONE_KEY, 2: Model(base=1 + 1e-13, current=100), 4: Model(base=1.001, current=100)})
        # 0.03 % is certain, though small.
        self.assertEqual([row.bands["saving"].is_none for row in table.rows], [True, True, False])
        self.assertTrue(Band(1.0, 1.0, 1.0, 1.0).is_none)
        self.assertFalse(Band(7, 12, 18, 0).is_none)
        self.assertTrue(Band(-2, 5, 12, 0).is_none)
        self.assertFalse(Band(-2, 5, 12).is_none)

    def test_conditions_and_functions_go_sample_by_sample(self):
        text = TEXT + 'most = { expression = "max(energy, 3.0)", unit = "J/GB" }\n'.replace("most", "upper") + \
            'cost = { expression = "energy if energy > 3 else 1", unit = "1" }\nspare = { expression = "1 / (energy - energy)", unit = "1" }\n' \
            'name = { expression = "text(energy)", unit = "text" }\nbig = { expression = "energy > 3", unit = "1" }\n'
        _, table = self.made(MODELS, text)
        bands = table.rows[0].bands
        self.assertEqual((bands["upper"].p5, bands["cost"].p5), (3.0, 1.0))
        self.assertEqual(bands["upper"].p95, bands["energy"].p95)
        self.assertEqual(bands["cost"].p95, bands["energy"].p95)
        self.assertFalse({"spare", "name", "big", "speed"} & bands.keys())

    def test_parts_of_the_energy(self):
        text = TEXT + 'flash = { path = "energy.kinds.nand", unit = "J" }\nwires = { path = "energy.kinds.link", unit = "J" }\n' \
            "reads = { path = 'energy.operations.\"nand.read\".j', scale = 10, unit = \"J\" }\nshare = { expression = \"flash / energy\", unit = \"1\" }\n" \
            'request = { path = "energy.j_per_io", scale = 1e3, unit = "mJ" }\ntwice = { expression = "2 * reads", unit = "J" }\n'
        _, table = self.made(MODELS, text)
        row = table.rows[0]
        self.assertEqual((row.values["flash"], row.values["wires"]), (0.75, 3.0))  # of two components, and of one
        self.assertAlmostEqual(row.bands["flash"].p95, row.bands["energy"].p95 / 4)
        self.assertAlmostEqual(row.bands["share"].p5, 0.25)
        self.assertAlmostEqual(row.bands["share"].p95, 0.25)
        self.assertAlmostEqual(row.bands["request"].p95, 100 * row.bands["energy"].p95)
        self.assertEqual(row.bands["reads"], Band(10, 20, 30))  # rows of the ledger have a band, but no samples
        self.assertFalse({"wires", "twice"} & row.bands.keys())  # these have no column in the table

    def test_repetitions(self):
        """Runs of a point differ by +-0.5 J/GB; their mean has the band of the ranges, and a confidence interval from
        the seeds."""
        text = TEXT.replace('uncertainty = 1024', "uncertainty = 1024\nseeds = [1, 2, 3]")
        models = {ways: (lambda seed, ways=ways: Model(base=ways + 0.5 * (seed - 2), current=100)) for ways in (1, 2, 4)}
        _, table = self.made(models, text)
        row = table.rows[0]
        self.assertAlmostEqual(row.values["energy"], 3)
        self.assertAlmostEqual(row.bands["energy"].p95, 3.9, delta=2 / SIDE)
        self.assertAlmostEqual(row.ci95["energy"], 4.302652729749464 * 0.5 / math.sqrt(3))
        header = (table.out / "table.csv").read_text().splitlines()[0]
        self.assertIn("energy_j_per_gb,energy_ci95_j_per_gb,energy_p5_j_per_gb", header)
        self.assertNotIn("p5", (table.out / "runs.csv").read_text())
        self.assertTrue(row.bands["ratio"].is_none)

    def test_a_draw_that_failed_is_left_out(self):
        kept = [number for number in range(COUNT) if number % 16 != 3]
        _, table = self.made(MODELS, numbers=kept)
        self.assertAlmostEqual(table.rows[0].bands["energy"].p50, 3, delta=0.1)
        self.assertAlmostEqual(table.rows[1].bands["ratio"].p50, 4 / 3, delta=0.05)
        _, table = self.made(MODELS, numbers=range(COUNT // 2 - 1))
        self.assertFalse(table.rows[0].bands)  # fewer than half of the samples


class Shows(UncertainCase):
    SUMMARIES = """
[[summary]]
name = "best"
caption = "?"
smallest = "energy"
columns = ["ways", "energy", "saving", "speed"]
[[summary]]
name = "all"
caption = "?"
mean = true
rows = "ways > 1"
columns = ["saving", "speed"]
"""

    def test_summaries_have_bands(self):
        _, table = self.made(MODELS, TEXT + self.SUMMARIES)
        best = csv_rows(table.out / "best.csv")[0]
        self.assertEqual(list(best), ["ways", "energy_j_per_gb", "energy_p5_j_per_gb", "energy_p50_j_per_gb", "energy_p95_j_per_gb", "saving_percent",
                                      "saving_p5_percent", "saving_p50_percent", "saving_p95_percent", "speed_mb_per_s"])
        self.assertEqual(best["ways"], "4")
        self.assertEqual(float(best["saving_p5_percent"]), float(f"{table.rows[2].bands['saving'].p5:.9g}"))
        mean = csv_rows(table.out / "all.csv")[0]
        # Sample by sample: ((1 - (2 + 100 x) / (1 + 100 x)) + (1 - (1 + 50 x) / (1 + 100 x))) / 2 = (50 x - 1) / (1 +
        # 100 x) / 2, which rises in x.
        x = sorted(value("nand.read_current", number) for number in range(COUNT))[int(0.05 * (COUNT - 1))]
        self.assertAlmostEqual(float(mean["saving_p5_percent"]), 100 * (50 * x - 1) / (1 + 100 * x) / 2, places=5)
        self.assertIn("best,,saving_p95_percent,", (table.out / "summary.csv").read_text())

    def test_cells_say_the_band_or_none(self):
        models = {1: ONE_KEY, 2: Model(base=1.5, power=1), 4: Model(base=1, current=50)}
        study, table = self.made(models)
        header, rows = points_of(study, table)
        self.assertEqual(header, ["ways", "energy (J/GB)", "power (mW)", "speed (MB/s)", "ratio", "saving (%)"])
        texts = [[cell.text for cell in row] for row in rows]
        self.assertRegex(texts[0][1], r"^3 \(2\.\d+ to 3\.\d+\)$")
        self.assertEqual([row[5] for row in texts[:2]], ["none", "none"])
        self.assertRegex(texts[2][5], r"^33\.33 \(2\d.* to 3\d.*\)$")
        self.assertEqual(rows[1][5].value, 10.0)  # 100 * (1 - 2.7 / 3): used for sorting, shown on hover
        self.assertRegex(rows[1][5].title, r"^10 \(-.* to .*\): 90 % of the samples include no difference$")
        _, cells = table_of([("saving", "mW")], [[Shown(2e6, band=Band(1e6, 2e6, 4e6))]])
        self.assertEqual(cells[0][0].text, "2000 (1000 to 4000)")  # one unit, W, for the number and its band

    def test_published_values_stand_beside_a_band(self):
        study, table = self.made(MODELS, paper__csv="ways,metric,value\n1,energy,2.5\n")
        lines = published(study, table)
        self.assertEqual(lines[0].band, table.rows[0].bands["energy"])
        study, table = self.made(MODELS, TEXT + self.SUMMARIES, paper__csv="summary,metric,value\nbest,energy,2.5\n")
        self.assertEqual(published(study, table)[0].band, table.rows[2].bands["energy"])


class Refusals(UncertainCase):
    def spoiled(self, expected, change, of=2):
        def at(ways, result, lines):
            if ways == of:
                change(result, lines)

        with self.assertRaisesRegex(RunError, expected):
            self.made(MODELS, change=at)

    def test_what_does_not_belong_together(self):
        about = lambda result: result["energy"]["uncertainty"]  # noqa: E731  pylint: disable=unnecessary-lambda-assignment
        self.spoiled("2-None/uncertainty.csv has seed 2, and .*1-None/uncertainty.csv has 1: a difference is taken sample by sample",
                     lambda result, lines: about(result).update(seed=2))
        self.spoiled("has method sobol, and", lambda result, lines: about(result).update(method="sobol"))

        def shifted(result, lines):
            lines[1:] = [[line[0], lines[number % COUNT + 1][1], *line[2:]] for number, line in enumerate(lines[1:], 1)]

        self.spoiled("nand.read_current has one range, and not the same samples", shifted)
        self.spoiled("has 1023 samples of 8 columns, result.json says 1024 with 0 left out, and the study asks for 1024", lambda result, lines: lines.pop())
        self.spoiled("its samples must be numbered, none twice", lambda result, lines: lines[2].__setitem__(0, 0))
        self.spoiled("its samples must be numbered, none twice, below the 1024", lambda result, lines: lines[2].__setitem__(0, 5000))
        self.spoiled(r"uncertainty.csv:3: \"lots\" is no number", lambda result, lines: lines[2].__setitem__(3, "lots"))
        self.spoiled("its lines have not all 8 cells", lambda result, lines: lines[2].pop())
        self.spoiled("the columns must be `sample`, then keys", lambda result, lines: lines[0].__setitem__(0, "number"))
        self.spoiled("result.json says 1000 with 0 left out, and the study asks for 1024", lambda result, lines: about(result).update(samples=1000))
        self.spoiled("there is no column link.idle_power", lambda result, lines: lines[0].__setitem__(2, "link.power"))
        self.spoiled("the columns must be `sample`", lambda result, lines: lines.clear())

    def test_a_table_that_is_not_there(self):
        study, table = self.made(MODELS)
        (table.out / "points/2-None/uncertainty.csv").unlink()
        from engine.samples import read_samples  # pylint: disable=import-outside-toplevel
        with self.assertRaisesRegex(RunError, "2-None/uncertainty.csv: No such file .* says 1024 samples. Remove the folder"):
            read_samples(table.out / "points/2-None", table.results["2-None"], study.uncertainty.samples)

    def test_a_key_with_another_range_is_no_pair(self):
        other = {**KEYS, "nand.read_current": {**KEYS["nand.read_current"], "high": 0.05}}
        _, table = self.made({1: ONE_KEY, 2: Model(base=1, current=100, keys=other), 4: ONE_KEY})
        self.assertIn("saving", table.rows[1].bands)

    def test_results_without_samples_have_no_bands(self):
        _, table = self.made(MODELS, change=lambda ways, result, lines: result["energy"].pop("uncertainty"))
        self.assertFalse(any(row.bands for row in table.rows))
        self.assertNotIn("p5", (table.out / "table.csv").read_text())

    def test_the_study_file(self):
        for old, new, expected in (
                ("uncertainty = 1024", "uncertainty = 19", r"study\.toml:4: uncertainty: is 19; valid: 20 to 1000000"),
                ("uncertainty = 1024", "uncertainty = true", "must be an integer"),
                ("uncertainty = 1024", 'uncertainty = "many"', "must be an integer"),
                ("uncertainty = 1024", "uncertainty = { seed = 1 }", "samples is missing"),
                ("uncertainty = 1024", "uncertainty = { samples = 100, runs = 0 }", "uncertainty.runs: is 0; valid: 1 to 100"),
                ("uncertainty = 1024", "uncertainty = { samples = 100, sed = 1 }", "uncertainty.sed: unknown key; did you mean seed"),
                ("uncertainty = 1024", "uncertainty = { samples = 100, seed = -1 }", "uncertainty.seed: is -1"),
                ("speed = {", "energy_p5 = {", "energy_p5 is the name of a column of energy's band"),
                ("uncertainty = 1024\n", '[[figure]]\nname = "t"\ncaption = "?"\nkind = "tornado"\ny = "energy"\n', "the study has no `uncertainty = N`"),
                ("uncertainty = 1024\n", "", None)):
            text = TEXT.replace(old, "") + new if new.startswith("[[") else TEXT.replace(old, new)
            with self.subTest(new=new):
                if expected is None:
                    self.assertFalse(load_study(self.study(text)).uncertainty)
                else:
                    with self.assertRaisesRegex(StudyError, expected):
                        load_study(self.study(text))

    def test_figures_refuse_what_does_not_fit(self):
        figure = '[[figure]]\nname = "t"\ncaption = "?"\nkind = "tornado"\ny = "energy"\n'
        for more, expected in (('series = "ways"\n', "series: does not go with a tornado"), ('log = "y"\n', "log: does not go with a tornado"),
                               ('x = "ways"\n', "x: unknown key"), ('total = "energy"\n', "total: is of stacked bars")):
            with self.subTest(more=more), self.assertRaisesRegex(StudyError, expected):
                load_study(self.study(TEXT + figure + more))
        with self.assertRaisesRegex(StudyError, "y: of a tornado is a metric; valid: energy"):
            load_study(self.study(TEXT + figure.replace('y = "energy"', 'y = "ways"')))
        with self.assertRaisesRegex(StudyError, "total: of stacked bars is a metric of their unit, J/GB"):
            load_study(self.study(TEXT + 'more = { path = "energy.total_j", unit = "J/GB" }\n' + figure.replace("tornado", "stacked").replace(
                'y = "energy"', 'x = "ways"\ny = ["energy", "more"]\ntotal = "power"')))


class Commands(UncertainCase):
    def commands(self, text):
        study = load_study(self.study(text))
        program = Program(ROOT / "build/release/flashloom")
        return [point_command(program, point, self.scratch / "out") for point in make_plan(study, program).points]

    def test_runs_get_the_options(self):
        for given, expected in (("1024", "--uncertainty 1024 --uncertainty-seed 1"),
                                ("{ samples = 50, seed = 7, runs = 4 }", "--uncertainty 50 --uncertainty-seed 7 --uncertainty-runs 4")):
            for command in self.commands(TEXT.replace("1024", given)):
                self.assertIn(f" {expected} ", " ".join(command))
        plain = self.commands(TEXT.replace("uncertainty = 1024", ""))
        self.assertNotIn("--uncertainty", plain[0])
        # Another result needs another folder.
        self.assertNotEqual(plain[0][plain[0].index("--out") + 1], self.commands(TEXT)[0][-2])

    def test_what_has_no_energy_gets_none(self):
        untimed = TEXT.replace('workload.w.generate = "mix:requests=10"', 'workload.w = { generate = "mix:requests=10", options = ["--untimed"] }')
        self.assertNotIn("--uncertainty", self.commands(untimed)[0])


if __name__ == "__main__":
    import unittest
    unittest.main()
