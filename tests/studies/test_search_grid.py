"""Search on a grid of 1000 points with known answers: it finds the front for a twentieth of the grid's CPU time;
compared with random search."""
import math
import random
import statistics
import unittest

from case import takes_long
from search_case import SearchCase, share_of

from engine.search.answers import sensitivity_of
from engine.search.pareto import front_of, gains, hypervolume

# Throughput of channels, ways and a buffer against their price. Closed forms bound it, but do not know the buffer's
# gain.
GRID = """
question = "What does a drive cost that is as fast as this?"
device = "tiny"
axis.channels = { values = [1, 2, 4, 8, 16, 32, 64, 96, 128, 192], set = "nand.channels" }
axis.ways = { values = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32], set = "nand.ways" }
axis.buffer = { values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], unit = "MiB", set = "buffer.size" }
workload.reads.fio = { rw = "randread" }
metric.throughput = { path = "host.read.bandwidth_bytes_per_s", unit = "MB/s" }
metric.cost = { expression = "5 * channels + 2 * channels * ways + 0.3 * buffer", unit = "$" }
objective = [{ metric = "throughput", best = "largest" }, { metric = "cost", best = "smallest" }]
bound.throughput = { at_most = "min(400 * channels, 60 * channels * ways, 14000)" }
budget.runs = 50
search.batch = 5
"""
SEEDS = range(20)


def cost(values):
    return 5 * values["channels"] + 2 * values["channels"] * values["ways"] + 0.3 * values["buffer"]


def throughput(values, grid=0):
    """Throughput on one of many grids. It lies below the bound by buffer misses, by uneven load of bus and dies, and by
    a random part."""
    channels, ways, buffer = values["channels"], values["ways"], values["buffer"]
    caught = buffer / (buffer + 0.05 * channels * ways)
    uneven = 0.25 * math.exp(-abs(math.log(400 / (60 * ways))))
    chance = random.Random(f"{grid} {channels} {ways} {buffer}").uniform(0.95, 1.0)
    return min(400 * channels, 60 * channels * ways, 14000) * (0.55 + 0.4 * caught * (1 - uneven)) * chance


def truth(values, _):
    return {"throughput": throughput(values), "cost": cost(values)}


class Grid(SearchCase):
    def points_of(self, search, grid=0):
        return [(-throughput(one.values, grid), cost(one.values)) for one in search.space.candidates]

    @takes_long(20)
    def test_the_front_is_found_for_a_twentieth_of_the_grid(self):
        """Over 20 seeds, of the search and of the grid's random part; random search has the same budget, but no bounds.
        """
        shares = {"guided": [], "random": []}
        for seed in SEEDS:
            for algorithm, found in shares.items():
                done, search = self.without_program(GRID, lambda values, _, seed=seed: {"throughput": throughput(values, seed), "cost": cost(values)},
                                                    seed=seed, algorithm=algorithm, use_bounds=algorithm != "random")
                self.assertEqual(len(search.space.candidates), 1000)
                self.assertLessEqual(done.cpu_s, 0.05 * 1000, "a run of the grid costs one second")
                self.assertEqual(search.broken, [])
                found.append(share_of(search, self.points_of(search, seed)))
        self.assertGreaterEqual(min(shares["guided"]), 0.99, shares)
        self.assertGreater(min(shares["guided"]), max(shares["random"]), shares)
        self.assertLess(statistics.fmean(shares["random"]), 0.97, shares)
        self.assertLessEqual(sum(share >= 0.99 for share in shares["random"]), 3, shares)

    @takes_long(32)
    def test_what_bounds_discard_is_not_on_the_front(self):
        """Without a budget limit the search finds the whole front; bounds discard only points that cannot beat it."""
        _, search = self.without_program(GRID, truth, runs=1000, batch=50)
        points = self.points_of(search)
        self.assertTrue(search.is_proved)
        self.assertEqual({points[number] for number in front_of(points)}, {search.objectives_of(number) for number in search.front()})
        self.assertLess(len(search.history), 600)
        self.assertTrue(all("cannot beat" in fate.reason for number, fate in search.fates.items() if number not in search.measured))

    def test_optunas_samplers(self):
        """Optuna's samplers find more than random search without bounds, and the same seed gives the same search."""
        for algorithm in ("tpe", "nsga2"):
            found = []
            for seed in (1, 1, 2):
                _, search = self.without_program(GRID, truth, seed=seed, algorithm=algorithm)
                self.assertEqual(len(search.history), 50)
                self.assertEqual(len(set(search.history)), 50, "no point runs twice")
                found.append(search.history)
            self.assertEqual(found[0], found[1], algorithm)
            self.assertNotEqual(found[0], found[2], algorithm)
            self.assertGreater(share_of(search, self.points_of(search)), 0.9, algorithm)

    def test_exhaustive_search_is_the_grid(self):
        done, search = self.without_program(GRID, truth, algorithm="exhaustive", use_bounds=False, runs=1000, batch=100)
        self.assertEqual(search.history, list(range(1000)))
        self.assertEqual(done.cpu_s, 1000)
        self.assertAlmostEqual(share_of(search, self.points_of(search)), 1.0)


class Ladder(SearchCase):
    TEXT = GRID.replace("budget.runs = 50", "budget.runs = 1000") + """
limit = [{ metric = "waf", most = 2 }]
metric.waf = { path = "ftl.waf", unit = "1" }
rung.untimed = { metrics = ["waf"], slack = 0.1 }
rung.sampled = { metrics = ["throughput", "waf"], slack = 0.02 }
"""

    def test_cheap_runs_discard_before_full_ones(self):
        """WAF from the instant clock and throughput from a sampled run: points that they discard never run in full, and
        would have lost."""
        def told(values, rung):
            waf = 1 + 40 / values["buffer"]
            return {"throughput": throughput(values) * (0.99 if rung == "sampled" else 0 if rung == "untimed" else 1), "cost": cost(values),
                    "waf": waf * (1.05 if rung == "untimed" else 1)}

        done, search = self.without_program(self.TEXT, told, algorithm="exhaustive")
        stages = {fate.stage for number, fate in search.fates.items() if number not in search.measured}
        self.assertEqual(stages, {"bound", "untimed", "sampled"})
        fitting = [(-throughput(one.values), cost(one.values)) for one in search.space.candidates if one.values["buffer"] >= 40]
        self.assertEqual({fitting[number] for number in front_of(fitting)}, {search.objectives_of(number) for number in search.front()})
        for number, fate in search.fates.items():
            if fate.stage == "untimed":
                self.assertRegex(fate.reason, r"waf cannot keep to 2: at least [\d.]+ \(the untimed run, give or take 10 %\)")
                self.assertNotIn(number, search.cheap["sampled"])
        self.assertLess(done.cpu_s, 600)

    def test_the_slack_keeps_what_is_near(self):
        def told(values, rung):
            return truth(values, rung) | {"waf": 2.1 if rung == "untimed" else 1.9}

        _, search = self.without_program(self.TEXT, told, runs=5)
        self.assertEqual(len(search.history), 5, "2.1 is within a tenth of 2")


class Limits(SearchCase):
    TEXT = GRID.replace('{ metric = "throughput", best = "largest" }, ', "") + 'limit = [{ metric = "throughput", least = "LEAST" }]\n'

    def test_the_cheapest_within_a_limit(self):
        for least in (500, 4000, 9000):
            _, search = self.without_program(self.TEXT.replace("LEAST", str(least)), truth)
            best = min(cost(one.values) for one in search.space.candidates if throughput(one.values) >= least)
            self.assertEqual(cost(search.space.candidates[search.chosen()].values), best, least)

    def test_nothing_within_a_limit_is_proved(self):
        done, search = self.without_program(self.TEXT.replace("LEAST", "14001"), truth)
        self.assertEqual((done.runs, search.chosen(), search.is_proved), (0, None, True))
        self.assertEqual(search.fates[999].reason, "throughput cannot reach 14001 MB/s: at most 14000 MB/s (min(400 * channels, 60 * channels * ways, 14000))")

    def test_sensitivity_compares_like_with_like(self):
        """Of ways 2 only the dear half exists: a mean over all points would say that ways cost, where they save 1 $ each. Pairs that
        differ in ways alone say that they save; those without a run count where the value is known."""
        text = GRID.replace("[1, 2, 4, 8, 16, 32, 64, 96, 128, 192]", "[1, 2, 4, 8]").replace("[1, 2, 3, 4, 6, 8, 12, 16, 24, 32]", "[1, 2]")
        text = text.replace("[1, 2, 4, 8, 16, 32, 64, 128, 256, 512]", "[1]").replace("5 * channels + 2 * channels * ways + 0.3 * buffer", "10 * channels - ways")
        text = text.replace("budget.runs = 50", 'constraint.some = "ways == 1 or channels > 2"\nbudget.runs = 50')
        _, search = self.without_program(text, lambda values, _: {"throughput": 100.0 * values["channels"], "cost": 10 * values["channels"] - values["ways"]})
        one, = [each for each in sensitivity_of(search) if (each.axis, each.metric) == ("ways", "cost")]
        self.assertEqual((one.low_at, one.high_at, one.pairs), ("2", "1", 2))
        self.assertAlmostEqual(one.percent, 100 * ((39 / 38 * 79 / 78) ** 0.5 - 1))
        self.assertAlmostEqual(one.least, 100 * (38 / 39 - 1))
        self.assertAlmostEqual(one.most, 100 * (78 / 79 - 1))

    def test_sensitivity_guesses_nothing(self):
        """Throughput is known of the points that ran alone: a key in which no two of these differ alone has no line."""
        _, search = self.without_program(GRID, truth, runs=12)
        for one in sensitivity_of(search):
            if one.metric == "throughput":
                ran = [search.space.candidates[number].values for number in search.history]
                alone = [(a, b) for a in ran for b in ran if a[one.axis] < b[one.axis] and all(a[key] == b[key] for key in a if key != one.axis)]
                self.assertGreater(len(alone), 0, one.axis)
                self.assertLessEqual(one.pairs, len(alone))

    def test_a_bound_that_a_run_breaks_is_told(self):
        _, search = self.without_program(GRID, lambda values, rung: truth(values, rung) | {"throughput": 15000.0}, runs=5)
        self.assertEqual(len(search.broken), 5)
        self.assertEqual((search.broken[0].metric, search.broken[0].value), ("throughput", 15000.0))


class Volumes(unittest.TestCase):
    def test_by_hand(self):
        self.assertEqual(hypervolume([(1.0,)], (3.0,)), 2.0)
        self.assertEqual(hypervolume([(0.0, 2.0), (1.0, 1.0), (2.0, 0.0)], (3.0, 3.0)), 6.0)
        self.assertEqual(hypervolume([(0.0, 0.0, 0.0)], (1.0, 2.0, 3.0)), 6.0)
        self.assertEqual(hypervolume([(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)], (2.0, 2.0, 1.0)), 3.0)
        self.assertEqual(hypervolume([(4.0, 0.0)], (3.0, 3.0)), 0.0)

    def test_gains_are_differences_of_volumes(self):
        draw = random.Random(5)
        for size, places in ((1, 9), (2, 9), (3, 2)):
            reference = (1.0,) * size
            for _ in range(20):
                front = [tuple(draw.random() for _ in range(size)) for _ in range(5)]
                point = tuple(draw.random() for _ in range(size))
                import numpy as np  # pylint: disable=import-outside-toplevel
                found = float(gains(front, np.asarray([[point]]), reference)[0, 0])
                self.assertAlmostEqual(found, hypervolume([*front, point], reference) - hypervolume(front, reference), places=places if places > 2 else 1)


if __name__ == "__main__":
    unittest.main()
