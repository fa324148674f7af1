"""The sampled rung of a search, with real runs: its decisions agree with whole runs of the grid."""
import csv
import json

from case import takes_long
from search_case import SearchCase

GRID = """
question = "Which of these reads fast enough, or best?"
device = "tiny"
set = { "precondition.fill" = 1.0, "host.iodepth" = 32 }
axis.channels = { values = [1, 2, 4], set = "nand.channels" }
axis.ways = { values = [1, 4], set = "nand.ways" }
axis.rate = { values = [200, 400], unit = "MT/s", set = "nand.transfer_rate" }
workload.reads.generate = "mix:read=1,size=4KiB,requests=150000"
metric.throughput = { path = "host.read.bandwidth_bytes_per_s", scale = 1e-6, unit = "MB/s" }
metric.cost = { expression = "price('mid')", unit = "$" }
budget.runs = 12
"""
ONE = GRID + """
objective = [{ metric = "cost", best = "smallest" }]
limit = [{ metric = "throughput", least = 280 }]
"""
TWO = GRID + """
objective = [{ metric = "throughput", best = "largest" }, { metric = "cost", best = "smallest" }]
"""
RUNG = 'rung.sampled = { metrics = ["throughput"], slack = 0.02 }\n'
NAMES = ("channels", "ways", "rate")


def lines(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def place(row):
    return tuple(row[name] for name in NAMES)


class Sampled(SearchCase):
    def whole(self, text):
        """(throughput, cost) of each point of the grid from whole runs, and the choice."""
        out = self.run_search(self.search(text + 'search = { algorithm = "exhaustive", bounds = false, batch = 12 }\n', "whole"), out="whole")
        rows = lines(out / "trials.csv")
        self.assertEqual(len(rows), 12)
        return {place(row): (float(row["throughput_mb_per_s"]), float(row["cost"])) for row in rows}, {place(row) for row in lines(out / "front.csv")}

    def climbed(self, text):
        """The folder of a search with sampled runs, and the points that these discarded; the runs really drew windows.
        """
        out = self.run_search(self.search(text + RUNG + "search = { bounds = false, batch = 6 }\n", "climbed"), out="climbed")
        sampled = [result["sample"] for path in out.glob("points/*/result.json") if (result := json.loads(path.read_text(encoding="utf-8"))).get("sample")]
        self.assertGreater(len(sampled), 5)
        self.assertTrue(all(sample["windows"] >= 5 for sample in sampled))
        return out, {place(row): row["reason"] for row in lines(out / "discarded.csv") if row["by"] == "sampled"}

    def test_a_limit(self):
        truth, best = self.whole(ONE)
        out, discarded = self.climbed(ONE)
        self.assertEqual({place(row) for row in lines(out / "front.csv")}, best)
        self.assertGreaterEqual(len(discarded), 4)
        for point, reason in discarded.items():
            throughput, cost = truth[point]
            self.assertTrue(throughput < 280 or cost > min(truth[one][1] for one in best), (point, truth[point], reason))
            self.assertRegex(reason, r"^throughput cannot reach 280 MB/s: at most [\d.]+ MB/s \(the sampled run, give or take 2 %\)$|^cannot beat ")
        totals = {row["metric"]: row["value"] for row in lines(out / "summary.csv") if row["summary"] == "total"}
        self.assertEqual((int(totals["sampled"]), totals["left"]), (len(discarded), "0"))
        self.assertEqual(int(totals["runs"]) + len(discarded), 12)

    @takes_long(20)
    def test_a_front(self):
        truth, front = self.whole(TWO)
        out, discarded = self.climbed(TWO)
        self.assertEqual({place(row) for row in lines(out / "front.csv")}, front)
        self.assertGreaterEqual(len(discarded), 1)
        for point in discarded:
            self.assertTrue(any(truth[one][0] >= truth[point][0] and truth[one][1] <= truth[point][1] for one in front), point)
