"""Design searches end to end: choice, proof, stored results, resume after a kill, same seed same search, errors,
explanations."""
import csv
import json
import os
import random
import re
import signal
import subprocess
import time

from case import PROGRAM, ROOT, takes_long
from search_case import FEWEST, READS, SearchCase

from engine.points import Program
from engine.search.devices import Devices
from engine.search.evaluate import Evaluator
from engine.search.problem import load_search
from engine.search.space import spaces_of

STUDY = f"""
question = "What do channels and ways bring to random reads?"
{READS}"""
# Every run counts, so that a kill comes in the middle of the search.
LONG = FEWEST.replace('io_size = "16m"', 'io_size = "384m"').replace("limit =", "search = { bounds = false, batch = 3, seed = 4 }\nlimit =") \
    .replace('{ metric = "dies", best = "smallest" }', '{ metric = "dies", best = "smallest" }, { metric = "throughput", best = "largest" }')


def lines(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Searches(SearchCase):
    def test_the_fewest_dies_and_the_proof(self):
        """The choice equals that of the full grid, whose points a study has computed: the search computes none again.
        """
        grid = self.table(self.run_study(self.study(STUDY, "grid")))
        good = [row for row in grid if float(row["throughput_mb_per_s"]) >= 200]
        fewest = min(int(row["channels"]) * int(row["ways"]) for row in good)
        folder = self.search(README__md="# Fewest dies\n\nA *question*.")
        done = self.start_search(folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"search: \d+ runs counted \(.*\): 0 made, \d+ taken over from studies")
        self.assertIn("(proved: nothing left could beat it)", done.stdout)
        out = self.scratch / "out/small"
        front = lines(out / "front.csv")
        self.assertEqual([int(row["dies"]) for row in front], [fewest])
        chosen = (front[0]["channels"], front[0]["ways"])
        self.assertIn(chosen, [(row["channels"], row["ways"]) for row in good])
        kept = {(row["channels"], row["ways"]): row for row in grid}
        for row in lines(out / "trials.csv"):
            self.assertEqual(row["throughput_mb_per_s"], kept[row["channels"], row["ways"]]["throughput_mb_per_s"])
        discarded = lines(out / "discarded.csv")
        self.assertEqual(len(discarded), 15, "all but the choice have a reason")
        bounded = next(row for row in discarded if (row["channels"], row["ways"]) == ("8", "8"))
        self.assertEqual(bounded["reason"], f"cannot beat channels {chosen[0]}, ways {chosen[1]}: dies 64 against {fewest}")
        device = (out / "chosen/choice.toml").read_text(encoding="utf-8")
        self.assertIn(f"channels = {chosen[0]}", device)
        checked = subprocess.run([PROGRAM, "config", str(out / "chosen/choice.toml")], capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        page = (out / "report.html").read_text(encoding="utf-8")
        for text in ("What is chosen", "chosen/choice.toml", "Why the neighbours are not chosen", "Which key moves what", "What was discarded", "cannot beat",
                     "<em>question</em>", "search.toml", "<polyline", "convergence"):
            self.assertIn(text, page)
        self.assertIsNone(re.search(r'(src|href)="https?:', page), "a page stands alone")
        self.assertIn("small/report.html", (out.parent / "index.html").read_text(encoding="utf-8"))

    def test_a_bound_says_why(self):
        out = self.run_search(self.search(FEWEST.replace("least = 200", "least = 2000")))
        reasons = [row["reason"] for row in lines(out / "discarded.csv") if row["by"] == "bound"]
        self.assertTrue(reasons)
        for reason in reasons:
            self.assertRegex(reason, r"^throughput cannot reach 2000 MB/s: at most [\d.]+ MB/s \((bus: \d+ channels x|dies: \d+|dram: ) ?.*\)$|^cannot beat ")

    @takes_long(26)
    def test_a_killed_search_goes_on(self):
        """kill -9 loses no run, and the resumed search equals the uninterrupted one, which ran on more cores."""
        folder = self.search(LONG)
        whole = self.run_search(folder, "--cores", "2", out="whole")
        process = subprocess.Popen(self.search_command(folder, "--cores", "1"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")}, start_new_session=True)
        out = self.scratch / "out/small"
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and len(list(out.glob("points/*/result.sha256"))) < 5:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = {path: path.stat().st_mtime_ns for path in out.glob("points/*/result.sha256")}
        self.assertTrue(4 < len(before) < 16, f"killed with {len(before)} of 16")
        self.assertFalse((out / "trials.csv").exists())
        for _ in range(200):  # runs in progress may still end
            done = self.start_search(folder, "--cores", "1")
            if "is under way" not in done.stderr:
                break
            time.sleep(0.1)
        self.assertEqual(done.returncode, 0, done.stderr)
        for path, when in before.items():
            self.assertEqual(path.stat().st_mtime_ns, when, "it ran again")
        for name in ("trials.csv", "front.csv", "candidates.csv", "discarded.csv", "summary.csv", "neighbours.csv", "sensitivity.csv"):
            self.assertEqual((out / name).read_bytes(), (whole / name).read_bytes(), name)

    @takes_long(17)
    def test_the_same_seed_is_the_same_search(self):
        """Holds for every algorithm; another seed gives another search."""
        text = FEWEST.replace("limit =", "search = { bounds = false, batch = 4 }\nlimit =").replace("budget.runs = 16", "budget.runs = 8")
        folder = self.search(text)
        for algorithm in ("random", "tpe"):
            orders = []
            for seed in ("3", "3", "4"):
                out = self.run_search(folder, "--algorithm", algorithm, "--seed", seed)
                orders.append([(row["channels"], row["ways"]) for row in lines(out / "trials.csv")])
            self.assertEqual(orders[0], orders[1])
            self.assertNotEqual(orders[0], orders[2])

    def test_explain(self):
        folder = self.search()
        early = self.start_search(folder, "--explain", "channels=1, ways=1")
        self.assertEqual(early.returncode, 0, early.stderr)
        self.assertIn("the search is not done", early.stdout)
        self.run_search(folder)
        said = self.start_search(folder, "--explain", "channels=8, ways=8").stdout
        self.assertRegex(said, r"channels 8, ways 8\n    discarded: bound: cannot beat channels \d, ways \d: dies 64 against \d")
        self.assertRegex(said, r"throughput at least 200: without a run 0 to \d+ MB/s \(.*\)")
        wrong = self.start_search(folder, "--explain", "channel=8")
        self.assertEqual((wrong.returncode, wrong.stderr.split("error: ")[1].strip()),
                         (2, '--explain: "channel=8" is no AXIS=VALUE; axes: channels, ways, workload'))
        self.assertEqual(self.start_search(folder, "--explain", "channels=3").returncode, 2)

    def test_against_random(self):
        out = self.run_search(self.search(), "--against", "random")
        rows = (out / "figures/convergence.csv").read_text(encoding="utf-8")
        self.assertIn("guided", rows)
        self.assertIn("random", rows)
        self.assertLessEqual(len(lines(out / "trials.csv")), 16, "the trials are those of the search itself")

    def test_several_searches_and_workloads_together(self):
        """A search for each depth; two workloads with weights; a key that applies only under a condition."""
        text = FEWEST.replace("iodepth = 32", 'iodepth = "{depth}"').replace("[1, 2, 4, 8]", "[1, 4]") + """
axis.depth = { values = [1, 32] }
axis.planes = { values = [1, 2], set = "nand.planes", when = "channels == 4" }
workload.writes = { weight = 2, fio = { rw = "write", bs = "64k", size = "1m" } }
search = { each = "depth" }
metric.power = { path = "energy.peak_w", unit = "W" }
""".replace("[1, 4]", "[1, 2]").replace("[1, 32]", "[1, 32]")
        text = text.replace('limit = [{ metric = "throughput", least = 200 }]', 'limit = [{ metric = "power", most = "1000 / depth", over = "worst" }]')
        text = text.replace('bound.throughput = { of = "throughput", scale = 1e-6 }', 'bound.power = { of = "peak_power" }')
        out = self.run_search(self.search(text))
        rows = lines(out / "candidates.csv")
        self.assertEqual(len(rows), 12, "2 depths x (2 of channels 4 + 1 of channels 1) x 2 ways")
        self.assertEqual({row["planes"] for row in rows if row["channels"] == "1"}, {"1"})
        totals = {row["metric"]: row["value"] for row in lines(out / "summary.csv") if row["summary"] == "total"}
        self.assertEqual((totals["searches"], totals["proved"]), ("2", "2"))
        self.assertTrue((out / "chosen/depth-32.toml").exists())

    def test_a_failed_run_is_told_and_the_rest_goes_on(self):
        done = self.start_search(self.search(FEWEST.replace("values = [1, 2, 4, 8], set = \"nand.ways\"", "values = [1, 300], set = \"nand.ways\"")))
        self.assertEqual(done.returncode, 0, done.stderr)
        refused = [row for row in lines(self.scratch / "out/small/discarded.csv") if row["by"] == "refused"]
        self.assertEqual(len(refused), 4)
        self.assertIn("nand.ways", refused[0]["reason"])

    def test_a_configuration_is_the_programs_own(self):
        """Configurations composed from single keys equal the program's own, at random points of the searches in the
        tree."""
        program, draw = Program(ROOT / PROGRAM), random.Random(1)
        folders = sorted(path.parent for path in (ROOT / "experiments").glob("*/search.toml"))
        self.assertTrue(folders)
        for folder in folders:
            problem = load_search(folder)
            evaluator = Evaluator(problem, program, self.scratch / "none", None, None, None)
            devices = Devices(problem.study, program)
            space = draw.choice(spaces_of(problem))
            for candidate in draw.sample(space.candidates, min(4, len(space.candidates))):
                for point in evaluator.plan(candidate.rows).points[:1]:
                    self.assertEqual(devices.of(point), devices.exactly(point), f"{folder.name}: {candidate.title}")


class Errors(SearchCase):
    def refused(self, text, *parts):
        folder = self.search(text)
        done = self.start_search(folder, "-n")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertFalse((self.scratch / "out").exists(), "nothing is written")
        return done.stderr

    def line(self, text, word):
        return next(number for number, line in enumerate(text.splitlines(), 1) if word in line)

    def test_contradictory_spaces(self):
        text = FEWEST + '\n[constraint]\nmany = "channels * ways >= 100"\n'
        self.refused(text, f'search.toml:{self.line(text, "many =")}: constraint.many: "channels * ways >= 100" holds at none of the 16 points')
        text = FEWEST + '\n[constraint]\nmany = "channels * ways >= 16"\nfew = "channels + ways <= 4"\n'
        self.refused(text, "the constraints contradict each other: no point is left of 16; rejected: many 10, few 12",
                     f'search.toml:{self.line(text, "few =")}: constraint.few')

    def test_wrong_keys_and_values(self):
        for old, new, *said in (
                ("limit = [", "limits = [", "limits: unknown key"),
                ('least = 200', 'least = 200, most = 300', "limit[1].most: a limit has one of least, most"),
                ('least = 200', 'least = "speed"', 'limit[1].least: "speed": unknown name speed'),
                ('metric = "dies"', 'metric = "die"', "objective[1].metric: unknown metric 'die'", "dies"),
                (', best = "smallest"', '', "objective[1].best: is missing: largest or smallest"),
                ('best = "smallest"', 'best = "small"', 'objective[1].best: is "small"', "smallest"),
                ("budget.runs = 16", "budget.runs = 0", "budget.runs: is 0; valid: 1 to"),
                ("budget.runs = 16", "", "budget: names no limit"),
                ("budget.runs = 16", "budget.runs = 16\nsearch.algorithm = \"magic\"", 'search.algorithm: is "magic"', "nsga2"),
                ("budget.runs = 16", "budget.runs = 16\nsearch.each = \"way\"", "search.each: unknown axis 'way'"),
                ("budget.runs = 16", "budget.runs = 16\nsearch.each = [\"channels\", \"ways\"]", "names every axis"),
                ("budget.runs = 16", "budget.runs = 16\nrung.untimed = { slack = 0.1 }", "rung.untimed: metrics is missing|which metrics"),
                ('of = "throughput"', 'of = "speed"', "bound.throughput.of: no bound is called speed"),
                ("bound.throughput", "bound.waf", "bound.waf: unknown metric"),
                ('set = "nand.ways" }', 'set = "nand.ways", when = "way > 1" }', 'axis.ways.when: "way > 1": unknown name way'),
                ("workload.reads.fio", "workload.reads.weight = -1\nworkload.reads.fio", "workload.reads.weight: is -1"),
                ("objective = [", "drop = \"channels == 1\"\nobjective = [", "drop: is of studies, not of searches")):
            with self.subTest(new):
                stderr = self.refused(FEWEST.replace(old, new))
                self.assertTrue(any(re.search(re.escape(part) if "|" not in part else part, stderr) for part in said[:1]), stderr)
                for part in said[1:]:
                    self.assertIn(part, stderr)
                self.assertIn("search.toml", stderr)

    def test_no_such_search(self):
        done = self.start_search(self.scratch / "none")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no search", done.stderr)

    def test_limits_may_be_figures_of_a_data_sheet(self):
        """The larger drive would be the choice, but it copies more: a die keeps as many blocks free, and metadata need as many."""
        folder = self.search("""\
question = "What is the dearest tiny drive with 1.7 drive writes a day?"
device = "tiny"
axis.ways = { values = [1, 2], set = "nand.ways" }
workload.sheet = { datasheet = "dwpd", options = ["--class", "client"] }
metric = { dwpd = { path = "brief.dwpd.value", unit = "1/day" }, cost = { expression = "price('mid')", unit = "$" } }
objective = [{ metric = "cost", best = "largest" }]
limit = [{ metric = "dwpd", least = 1.7 }]
budget.runs = 4
""", "sheets")
        out = self.run_search(folder)
        self.assertEqual([row["ways"] for row in lines(out / "front.csv")], ["1"])
        (other,) = lines(out / "discarded.csv")
        self.assertRegex(other["reason"], r"dwpd is 1\.\d+ 1/day, below 1.7 1/day")

    def test_the_list(self):
        listed = subprocess.run([*self.search_command("x")[:4], "--list"], capture_output=True, text=True, check=True,
                                env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")}).stdout
        for path in (ROOT / "experiments").glob("*/search.toml"):
            self.assertIn(path.parent.name + ":", listed)


class Guide(SearchCase):
    def test_the_example_of_the_guide(self):
        """docs/how-to/search.md shows a search of ten lines, and its output."""
        guide = (ROOT / "docs/how-to/search.md").read_text(encoding="utf-8")
        text = re.search(r"```toml\n(.*?)```", guide, re.DOTALL)[1]
        self.assertEqual(len(text.splitlines()), 10)
        done = self.start_search(self.search(text, "first"))
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = re.search(r"\$ experiments/search first\n((?:    .*\n)+)", guide)[1]
        for line in shown.splitlines():
            if "runs counted" not in line and "..." not in line:
                self.assertIn(line.strip(), done.stdout)
        summary = json.loads((self.scratch / "out/first/cost.json").read_text(encoding="utf-8"))
        self.assertLessEqual(summary["runs"], 16)
