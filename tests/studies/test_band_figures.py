"""Figures of bands and tornadoes, from energies that are linear in two keys, so that every end is known."""
import subprocess

from case import ROOT
from engine.errors import StudyError
from engine.figure_axes import axes_of
from engine.figures import data_of, draw_figures
from engine.page_figures import chart_of
from engine.published import published
from engine.samples import Key
from engine.tornado import MOST_BARS, range_of, tornadoes_of
from uncertain_case import KEYS, TEXT, Model, UncertainCase

MODELS = {1: Model(base=1, current=100, power=0.4), 2: Model(base=2, current=40, power=0.2), 4: Model(base=0.5, current=120, power=0.5)}
PARTS = 'flash = { path = "energy.kinds.nand", unit = "J/GB" }\nrest = { expression = "energy - flash", unit = "J/GB" }\n'
LINES = '[[figure]]\nname = "f"\ncaption = "?"\nx = "ways"\ny = "energy"\n'
STACKED = '[[figure]]\nname = "f"\ncaption = "?"\nkind = "stacked"\nx = "ways"\ny = ["flash", "rest"]\ntotal = "energy"\n'
TORNADO = '[[figure]]\nname = "f"\ncaption = "?"\nkind = "tornado"\ny = "energy"\n'
PAPER = "ways,metric,value\n1,energy,9\n"


class BandFigures(UncertainCase):
    def drawn(self, text, models=None, **more):
        study, table = self.made(models or MODELS, TEXT + PARTS + text, paper__csv=PAPER, **more)
        papers = published(study, table)
        drawn = draw_figures(study, table, papers, ROOT)
        return study, table, papers, drawn

    def blocks(self, table):
        return [block.strip().split("\n") for block in (table.out / "figures/f.csv").read_text().split("\n\n\n")]

    def test_bars_begin_and_end_at_the_band(self):
        study, table, papers, _ = self.drawn(LINES)
        band = table.rows[0].bands["energy"]
        block, marks = self.blocks(table)
        self.assertEqual(block[0], "# ; energy (J/GB): ways,energy,energy_ci95,-,energy_p5,energy_p95")
        self.assertEqual(block[1], f"1,3.48,NaN,NaN,{band.p5:.9g},{band.p95:.9g}")
        self.assertEqual(marks[1], "1,9,1")
        script = (table.out / "figures/f.gp").read_text()
        self.assertIn('has_bands = 1\nbars_note = "bars: 5 to 95 % of 1024 samples"', script)
        self.assertIn("has_errors = 1", script)
        chart = chart_of(study, study.figures[0], table, papers)
        self.assertEqual(chart["bars"], "bars: 5 to 95 % of 1024 samples")
        self.assertEqual(chart["panels"][0]["series"][0]["points"][0][2], [float(f"{end:.6g}") for end in (band.p5, band.p95)])
        panels = data_of(study, study.figures[0], table)
        self.assertAlmostEqual(axes_of(study, study.figures[0], panels).y.high, max(row.bands["energy"].p95 for row in table.rows))

    def test_what_is_no_difference_says_so_under_the_pointer(self):
        study, table, papers, _ = self.drawn(LINES.replace('y = "energy"', 'y = "saving"'))
        points = chart_of(study, study.figures[0], table, papers)["panels"][0]["series"][0]["points"]
        self.assertEqual([point[3].startswith("no difference\n") for point in points], [row.bands["saving"].is_none for row in table.rows])
        self.assertTrue(table.rows[0].bands["saving"].is_none)

    def test_stacked_bars_have_the_band_of_their_total_and_published_marks(self):
        study, table, papers, _ = self.drawn(STACKED)
        *_, marks, totals = self.blocks(table)
        self.assertEqual(marks[1], "0,9,0")  # a bar's number in place of its x; the mark belongs to no series
        self.assertEqual(totals[1:], [f"{number},{row.values['energy']:.9g},{row.bands['energy'].p5:.9g},{row.bands['energy'].p95:.9g}"
                                      for number, row in enumerate(table.rows)])
        chart = chart_of(study, study.figures[0], table, papers)["panels"][0]
        self.assertEqual([total[:2] for total in chart["totals"]], [[0, 3.48], [1, 3.04], [2, 3.5]])
        self.assertEqual(chart["published"][0][:2], [0, 9])
        self.assertEqual(axes_of(study, study.figures[0], data_of(study, study.figures[0], table), {"": [9]}).y.high, 9)
        _, table, _, _ = self.drawn(STACKED.replace('total = "energy"\n', ""))
        self.assertNotIn("# : energy", (table.out / "figures/f.csv").read_text())

    def test_without_samples_a_figure_is_what_it_was(self):
        _, table, _, _ = self.drawn(LINES, change=lambda ways, result, lines: result["energy"].pop("uncertainty"))
        self.assertEqual(self.blocks(table)[0][:2], ["# ; energy (J/GB): ways,energy,energy_ci95,-", "1,3.48,NaN,NaN"])
        self.assertIn("has_bands = 0", (table.out / "figures/f.gp").read_text())

    def test_gnuplot_takes_all_of_it(self):
        pareto = LINES.replace('x = "ways"', 'x = "speed"\nkind = "pareto"\nbest = ["largest", "smallest"]')
        for text in (LINES, LINES + 'kind = "bars"\n', LINES + 'log = "xy"\n', LINES + 'panels = "ways"\nkind = "points"\n', STACKED, pareto, TORNADO,
                     TORNADO.replace('"energy"', '"saving"') + 'panels = "ways"\n'):
            with self.subTest(text=text):
                _, table, _, drawn = self.drawn(text)
                self.assertEqual([figure.name for figure in drawn], ["f"])
                said = subprocess.run(["gnuplot", "f.gp"], cwd=table.out / "figures", capture_output=True, text=True, check=True,
                                      env={"GNUPLOT_LIB": str(ROOT / "plots"), "PATH": "/usr/bin:/bin"}).stderr
                self.assertNotIn("rror", said)


class Tornadoes(UncertainCase):
    def tornado(self, text=TORNADO, models=None, more="", **given):
        study, table = self.made(models or MODELS, TEXT + more + text, **given)
        return tornadoes_of(study, study.figures[0], table)

    def test_the_ends_are_those_of_the_keys(self):
        """For 1 way: 1 + 100 x + 0.4 y at x = 0.02, y = 1.2."""
        found = self.tornado(TORNADO + 'rows = "ways == 1"\n')[""]
        self.assertTrue(found.exact)
        self.assertAlmostEqual(found.nominal, 3.48)
        self.assertEqual([(bar.key, bar.about) for bar in found.bars], [("nand.read_current", "10 to 30 mA"), ("link.idle_power", "1 to 2 W")])
        for bar, ends in zip(found.bars, ((2.48, 4.48), (3.4, 3.8))):
            self.assertAlmostEqual(bar.low, ends[0])
            self.assertAlmostEqual(bar.high, ends[1])

    def test_the_mean_over_points(self):
        found = self.tornado()[""]
        self.assertAlmostEqual(found.nominal, (3.48 + 3.04 + 3.5) / 3)
        self.assertAlmostEqual(found.bars[0].high - found.nominal, 0.01 * (100 + 40 + 120) / 3)

    def test_a_line_through_the_samples_finds_the_same(self):
        """For a metric whose ends the program does not report, a fitted line finds the ends; for the same linear energy
        they agree."""
        exact = self.tornado(TORNADO + 'panels = "ways"\n')
        line = self.tornado(TORNADO.replace('"energy"', '"same"') + 'panels = "ways"\n', more='same = { expression = "energy + 0", unit = "J/GB" }\n')
        self.assertEqual(list(exact), list(line))
        for panel, found in line.items():
            self.assertFalse(found.exact)
            for bar, other in zip(found.bars, exact[panel].bars, strict=True):
                self.assertEqual(bar.key, other.key)
                self.assertAlmostEqual(bar.low, other.low)
                self.assertAlmostEqual(bar.high, other.high)

    def test_keys_that_go_together_are_one_bar(self):
        together = {name: {**key, "with": "nand.read_current"} for name, key in KEYS.items()}

        def joined(ways, result, lines):
            result["energy"]["uncertainty"]["keys"] = together
            for line in lines[1:]:
                line[2] = 1 + (line[1] - 0.01) / 0.02

        found = self.tornado(TORNADO.replace('"energy"', '"power"'), change=joined)[""]
        self.assertEqual([bar.key for bar in found.bars], ["nand.read_current + 1 more"])

    def test_a_key_that_kept_its_value_and_one_that_moves_nothing_have_no_bar(self):
        def held(ways, result, lines):
            for line in lines[1:]:
                line[2] = 1.2

        self.assertEqual([bar.key for bar in self.tornado(change=held)[""].bars], ["nand.read_current"])
        still = {ways: Model(base=ways, current=10) for ways in (1, 2, 4)}
        self.assertEqual([bar.key for bar in self.tornado(models=still)[""].bars], ["nand.read_current"])

    def test_many_keys_are_cut_and_counted(self):
        names = [f"cpu.power_{number}" for number in range(15)]

        def many(ways, result, lines):
            about = result["energy"]["uncertainty"]
            about["keys"] |= {name: {"nominal": 1, "low": 0, "high": 2, "unit": "1"} for name in names}
            about["tornado"] += [{"key": name, "j_per_gb_low": 3 - 0.01 * (number + 1), "j_per_gb_high": 3 + 0.01 * (number + 1)}
                                 for number, name in enumerate(names)]
            lines[0] += names
            for number, line in enumerate(lines[1:]):
                line += [number % 7] * 15

        found = self.tornado(change=many)[""]
        self.assertEqual((len(found.bars), found.more), (MOST_BARS, 17 - MOST_BARS))
        swings = [bar.swing for bar in found.bars]
        self.assertEqual(swings, sorted(swings, reverse=True))

    def test_too_few_samples_for_a_line(self):
        text = TEXT.replace("uncertainty = 1024", "uncertainty = 20")
        names = [f"cpu.power_{number}" for number in range(10)]

        def wide(ways, result, lines):
            result["energy"]["uncertainty"]["keys"] |= {name: {"nominal": 1, "low": 0, "high": 20, "unit": "1"} for name in names}
            lines[0] += names
            for number, line in enumerate(lines[1:]):
                line += [(number * (place + 3)) % 20 for place in range(10)]

        study, table = self.made(MODELS, text + TORNADO.replace('"energy"', '"power"'), change=wide, numbers=range(20))
        with self.assertRaisesRegex(StudyError, r"figure f: a line over \d+ keys needs \d+ samples, and there are 20: let uncertainty be more"):
            tornadoes_of(study, study.figures[0], table)

    def test_ranges_are_said_with_a_unit_that_fits(self):
        for low, high, unit, expected in ((0.017, 0.035, "A", "17 to 35 mA"), (0.7, 1.4, "1", "0.7 to 1.4"), (1e-12, 5e-12, "J/B", "1 to 5 pJ/B"),
                                          (2.7, 3.6, "V", "2.7 to 3.6 V"), (0, 0, "A", "0 to 0 A"), (5e-5, 7.5e-5, "s", "50 to 75 µs")):
            self.assertEqual(range_of([Key(low, low, high, unit, "k")]), expected)
        self.assertEqual(range_of([Key(1, 1, 2, "W", "k"), Key(1, 1, 3, "W", "k")]), "several ranges")


if __name__ == "__main__":
    import unittest
    unittest.main()
