"""Sensitivity indices of samples whose variance is known for each key."""
import random

from case import ROOT
from engine.errors import StudyError
from engine.indices import indices_of, write_indices
from engine.points import Program
from engine.report import write_report
from engine.study import load_study
from uncertain_case import COUNT, TEXT, Model, UncertainCase

INDICES = '[indices]\nmetrics = ["energy", "saving"]\n'
MODELS = {1: Model(base=1, current=100, power=1), 2: Model(base=1, current=100, power=2), 4: Model(base=2, current=0, power=0)}


def hypercube(models):
    """A Latin hypercube, the same for each number of ways, in place of the samples of uncertain_case.py."""
    columns = []
    for seed in (1, 2):
        column = [(number + 0.5) / COUNT for number in range(COUNT)]
        random.Random(seed).shuffle(column)
        columns.append(column)

    def change(ways, result, lines):
        for number, line in enumerate(lines[1:]):
            line[1], line[2] = 0.01 + 0.02 * columns[0][number], 1 + columns[1][number]
            energy = models[ways].of(line[1], line[2])
            line[3:] = [energy, 0, energy / 2, energy, energy / 4]

    return change


class Indices(UncertainCase):
    def indexed(self, text=INDICES):
        study, table = self.made(MODELS, TEXT + text, change=hypercube(MODELS))
        return study, table, write_indices(study, table)

    def test_shares_of_the_variance(self):
        """Uniform parts of widths 2 and 1, then 2 and 2: variances in the ratio 4 to 1, then 1 to 1."""
        _, _, found = self.indexed()
        of = {(line.row.values["ways"], line.metric, line.key): line for line in found}
        for ways, key, expected in ((1, "nand.read_current", 0.8), (1, "link.idle_power", 0.2), (2, "nand.read_current", 0.5), (2, "link.idle_power", 0.5)):
            line = of[ways, "energy", key]
            self.assertAlmostEqual(line.first, expected, delta=0.06)
            self.assertTrue(0 < line.interval < 0.15)
        self.assertEqual([line.key for line in found[:2]], ["nand.read_current", "link.idle_power"])  # by size
        # Keys without effect have index 0, and so has the difference of a point from itself.
        self.assertEqual((of[4, "energy", "link.idle_power"].first, of[1, "saving", "nand.read_current"].first), (0, 0))

    def test_the_table(self):
        study, table, found = self.indexed()
        lines = (table.out / "indices.csv").read_text().splitlines()
        self.assertEqual(lines[0], "point,ways,metric,key,first_order,first_order_ci95")
        self.assertEqual(len(lines), 1 + 3 * 2 * 2)
        self.assertTrue(lines[1].startswith("1-None,1,energy,nand.read_current,0."), lines[1])
        before = (table.out / "indices.csv").read_bytes()
        write_indices(study, table)
        self.assertEqual((table.out / "indices.csv").read_bytes(), before)  # the same samples give the same bytes
        page = write_report(study, table, Program(ROOT / "build/release/flashloom"), [], [], [], {}, False, found).read_text()
        self.assertIn("Which unknown it is", page)
        self.assertIn("nand.read_current", page)

    def test_rows(self):
        _, _, found = self.indexed(INDICES + 'rows = "ways == 2"\n')
        self.assertEqual({line.row.values["ways"] for line in found}, {2})

    def test_a_study_that_asks_for_none_has_none(self):
        study, table = self.made(MODELS)
        (table.out / "indices.csv").write_text("of an earlier run")
        self.assertEqual(write_indices(study, table), [])
        self.assertFalse((table.out / "indices.csv").exists())

    def test_refusals(self):
        for text, expected in (('[indices]\nmetrics = []\n', "indices.metrics: names no metric; valid: energy"),
                               ('[indices]\nmetrics = "enrgy"\n', "indices.metrics: unknown metric enrgy; did you mean energy"),
                               (INDICES + 'row = "ways"\n', "indices.row: unknown key"), (INDICES + 'rows = "wavs > 1"\n', "unknown name wavs")):
            with self.subTest(text=text), self.assertRaisesRegex(StudyError, expected):
                load_study(self.study(TEXT + text))
        with self.assertRaisesRegex(StudyError, "indices: is of samples, and the study has no `uncertainty = N`"):
            load_study(self.study(TEXT.replace("uncertainty = 1024", "") + INDICES))
        study, table = self.made(MODELS, TEXT.replace("1024", "50") + INDICES, numbers=range(50))
        with self.assertRaisesRegex(StudyError, "50 samples are too few for indices: let uncertainty be 100 or more"):
            indices_of(study, table)


if __name__ == "__main__":
    import unittest
    unittest.main()
