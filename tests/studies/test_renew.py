"""What studies keep of their results: fingerprints, what is stale, quick forms digit by digit, full runs and what moved."""
import contextlib
import csv
import io
import re
import shutil

from case import PROGRAM, ROOT, SMALL, StudyCase
from engine import renew
from engine.errors import StudyError
from engine.kept import (Full, Renewed, all_due, contents_of, due_of, files_fingerprint, folders_of, lines_of_file, model_fingerprint, renewed_of,
                         tell_due, text_of)
from engine.parts import load_parts
from engine.quick import Form, is_compared
from engine.summaries import derived

QUICK = SMALL.replace("axis.depth = { values = [1, 8] }", "axis.depth = { values = [1, 8] }\nquick = { ways = [1, 2], depth = [8] }") + """
[[summary]]
name = "most"
caption = "The most."
group = ["depth"]
largest = "throughput"
columns = ["ways", "throughput"]
"""

LOST = QUICK.replace('device = "tiny"\n', 'device = "tiny"\nworkload.lost = { trace = "no.csv", optional = true }\n')


class Tree(StudyCase):
    """A tree with three small studies, of which nothing has run."""

    def setUp(self):
        super().setUp()
        (self.scratch / "configs").mkdir()
        (self.scratch / "configs/tiny.toml").write_text('description = "a drive"\n[nand]\nways = 2\n')
        (self.scratch / "configs/other.toml").write_text("[nand]\nways = 4\n")
        (self.scratch / "experiments").mkdir()
        self.folders = [self.study(text, f"experiments/{name}", README__md="# A study\n", **{"summary-quick__csv": "summary,row,metric,value\n"})
                        for name, text in (("one", SMALL), ("three", SMALL.replace('"tiny"', '"../one/own.toml"')),
                                           ("two", SMALL.replace('"tiny"', '"other"')))]
        (self.folders[0] / "own.toml").write_text('base = "other"\n')

    def renewed(self, folder):
        """Notes a full run of these files and this model's results."""
        (folder / "summary.csv").write_text(text_of([]))
        Renewed(12, 0.5, Full(6, 30.0, files_fingerprint(folder, self.scratch), model_fingerprint(folder))).write(folder)

    def stale(self):
        return {due.folder.name: due.why for due in all_due(self.scratch)}

    def change(self, path, old, new):
        text = (self.scratch / path).read_text()
        self.assertIn(old, text)
        (self.scratch / path).write_text(text.replace(old, new))
        contents_of.cache_clear()  # of this process, which else reads a file once


class Images(StudyCase):
    def test_an_image_is_of_the_study_that_its_name_begins_with(self):
        for study, shown, figure, fits in (("cold_tlc", "-cold-tlc-gain", "-gain", True), ("nvram_buffer_why", "-nvram-buffer-skew-reads", "-skew-reads", True),
                                           ("nvram_buffer_why", "-nvram-buffer-figure7-reads", "-reads", False), ("uflru", "-uflru-why-hot", "-hot", False),
                                           ("uflru_why", "-uflru-why-hot", "-hot", True), ("cold", "-cold-board-spare", "-spare", False)):
            self.assertEqual(renew.is_of(study, shown, figure), fits, shown)


class Stale(Tree):
    def test_exactly_the_stale_ones_are_listed(self):
        self.assertEqual(self.stale(), dict.fromkeys(("one", "three", "two"), "never run"))
        for folder in self.folders:
            self.renewed(folder)
        self.assertEqual(self.stale(), {})
        self.change("experiments/two/study.toml", "[1, 2, 4]", "[1, 2]")
        self.assertEqual(self.stale(), {"two": "its files changed"})
        self.change("experiments/one/summary-quick.csv", "value\n", "value\ntable,,waf,1\n")
        self.assertEqual(self.stale(), {"one": "the model's results moved", "two": "its files changed"})
        (self.folders[0] / "renewed.json").unlink()
        self.assertEqual(self.stale()["one"], "its summary has no fingerprint")

    def test_a_device_makes_stale_those_that_name_it(self):
        for folder in self.folders:
            self.renewed(folder)
        self.change("configs/tiny.toml", "ways = 2", "ways = 8")
        self.assertEqual(list(self.stale()), ["one"])
        self.change("configs/other.toml", "ways = 4", "ways = 8")  # two by its name, the others by one/own.toml, which is laid over it
        self.assertEqual(list(self.stale()), ["one", "three", "two"])

    def test_what_changes_no_result_does_not_count(self):
        for folder in self.folders:
            self.renewed(folder)
        self.change("experiments/one/README.md", "A study", "One study")
        self.change("experiments/one/study.toml", "Random reads of 4 KiB", "Reads")
        self.change("experiments/one/study.toml", "device =", "# of a drive\ndevice =")
        self.change("configs/tiny.toml", "a drive", "another text")
        self.assertEqual(self.stale(), {})

    def test_costs(self):
        folder = self.folders[0]
        self.renewed(folder)
        self.change("experiments/one/study.toml", "[1, 2, 4]", "[1, 2]")
        due = due_of(folder, self.scratch)
        self.assertEqual((due.runs, due.cpu_s, due.is_estimate), (12, 60.0, True))  # 6 runs took 30 s
        Renewed(12, 0.5).write(folder)
        self.assertEqual(due_of(folder, self.scratch).cpu_s, 6.0)  # a quick run took half a second
        Renewed(6, 0.5, Full(6, 7200.0, "", "")).write(folder)
        self.assertEqual(tell_due([due_of(folder, self.scratch)]),
                         ["one: its files changed, the model's results moved; 6 runs, 2.0 CPU hours", "1 stale: 2.0 CPU hours"])

    def test_a_damaged_record_is_named(self):
        (self.folders[0] / "renewed.json").write_text('{"runs": 1, "what": 2}')
        with self.assertRaisesRegex(StudyError, "one/renewed.json: .*what"):
            renewed_of(self.folders[0])


class Renewal(StudyCase):
    def renew(self, *arguments, code=0):
        """Runs experiments/renew; returns what it said."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            found = renew.main([*map(str, arguments), "--program", PROGRAM, "--out", str(self.scratch / "out"), "--cores", "1"])
        self.assertEqual(found, code, said.getvalue())
        return said.getvalue()

    def test_quick_forms_digit_by_digit(self):
        folders = [self.study(QUICK, "one"), self.study(QUICK.replace("ways = [1, 2]", "ways = [2, 4]"), "two"),
                   self.study(LOST, "three")]
        self.assertIn("one: summary-quick.csv is missing", self.renew("--quick", "--check", *folders, code=1))
        self.assertIn("3 quick forms: 3 runs, 0 to do", self.renew("--quick", *folders))  # of 6: they share them
        kept = {line[:3]: line[3] for line in lines_of_file(folders[0] / "summary-quick.csv")}
        self.assertEqual(kept["most", "depth 8", "ways"], "2")
        self.assertEqual(kept["most", "depth 8", "throughput_mb_per_s"], kept["table", "ways 2, depth 8", "throughput_mb_per_s"])
        self.assertIn("three: not compared: workload lost", self.renew("--quick", "--check", *folders))
        file = folders[1] / "summary-quick.csv"
        wrong = re.sub(r"^(table,.*),(?=\d)", r"\1,9", file.read_text(), flags=re.MULTILINE)
        file.write_text(wrong)
        said = self.renew("--quick", "--check", *folders, code=1)
        self.assertIn("two: 2 of 4 values differ from summary-quick.csv", said)
        self.assertIn("table, ways 2, depth 8, throughput_mb_per_s: kept 9", said)
        self.assertNotIn("one:", said)
        self.assertEqual(file.read_text(), wrong)  # a check changes nothing

    def test_what_is_compared_with_an_excluded_workload_is_not_held(self):
        study, = load_parts(self.study(LOST.replace("baseline.one", """baseline.gone = { workload = "lost" }
metric.gain = { expression = "throughput / gone.throughput", unit = "1" }
metric.far = { expression = "gain * 2", unit = "%" }
baseline.one""")))
        self.assertEqual(derived(study, set(), {"gone"}), {"gain", "far"})
        form = Form(study.file.parent, "", 1, True, excluded={"lost": "?"}, dependent={"gain", "far_percent"})
        held = [is_compared(("table", place, column), form) for place in ("workload seqread, ways 2", "ways 2, workload lost", "ways 2")
                for column in ("throughput_mb_per_s", "gain")]
        self.assertEqual(held, [True] + [False] * 5)

    def test_a_refused_device_of_the_full_form_is_bad_input(self):
        folder = self.study(QUICK.replace("[1, 2, 4]", "[1, 2, 300000]"), "one")
        self.assertIn("one/study.toml: the point with", self.renew("--quick", folder, code=2))

    def test_a_full_run_is_kept_with_what_it_depends_on(self):
        folder = self.study(QUICK, "one", paper__csv="ways,depth,metric,value\n4,8,throughput,100\n", published__csv="")
        self.assertIn("6 runs, 0 there, 6 to do", self.renew(folder))
        self.assertIsNone(due_of(folder, ROOT))
        record = renewed_of(folder)
        self.assertEqual((record.runs, record.full.runs), (6, 6))
        self.assertGreater(record.full.cpu_s, 0)
        first = (folder / "summary.csv").read_text()
        self.assertIn("most,depth 8,ways,4\n", first)
        with open(folder / "published.csv", newline="", encoding="utf-8") as file:
            self.assertEqual([line["metric"] for line in csv.DictReader(file)], ["throughput"])
        # What was kept is off by 5 % in one value; one result is gone, the others are there.
        value = next(line[3] for line in lines_of_file(folder / "summary.csv") if line[:3] == ("most", "depth 8", "throughput_mb_per_s"))
        (folder / "summary.csv").write_text(first.replace(value, str(float(value) * 1.05)))
        shutil.rmtree(next((self.scratch / "out/one/points").iterdir()))
        said = self.renew(folder)
        self.assertIn("6 runs, 5 there, 1 to do", said)
        self.assertIn("1 moved by more than their bars\n    most, depth 8, throughput_mb_per_s: ", said)
        self.assertEqual((folder / "summary.csv").read_text(), first)

    def test_a_study_with_intervals_is_kept(self):
        folder = self.study(QUICK.replace('device = "tiny"\n', 'device = "tiny"\nrepetitions = 2\n'), "one",
                            paper__csv="ways,depth,metric,value\n4,8,throughput,100\n", published__csv="")
        self.assertIn("12 runs, 0 there, 12 to do", self.renew(folder))
        self.assertIn("most,depth 8,ways,4\n", (folder / "summary.csv").read_text())
        self.assertIn("throughput", (folder / "published.csv").read_text())

    def test_a_run_without_a_workload_is_not_kept(self):
        folder = self.study(LOST, "one")
        self.assertIn("one: not renewed: workload lost is left out", self.renew(folder, code=1))
        self.assertFalse((folder / "summary.csv").exists())

    def test_bars(self):
        def moved(old, new, bar=None):
            return len(renew.moved({("s", "r", "m"): old}, {("s", "r", "m"): new}, {} if bar is None else {("s", "r", "m"): bar}))
        for old, new, bar, expected in (("100", "101", None, 0), ("100", "101.1", None, 1), ("100", "103", 4.0, 0), ("100", "105", 4.0, 1),
                                        ("100", "100.5", 0.1, 1), ("lru", "arc", None, 1), ("lru", "lru", None, 0), ("0", "0.1", None, 1)):
            self.assertEqual(moved(old, new, bar), expected, (old, new, bar))
        self.assertEqual(renew.moved({("s", "r", "m"): "1"}, {("s", "r", "n"): "2"}, {}), ["s, r, m: 1 -> nothing", "s, r, n: nothing -> 2"])

    def test_unknown_names_and_options(self):
        self.assertIn("no study and no search nowhere", self.renew("nowhere", code=2))
        with self.assertRaises(SystemExit) as exit_of, contextlib.redirect_stderr(io.StringIO()):
            renew.main(["--check"])
        self.assertEqual(exit_of.exception.code, 2)


class Shipped(StudyCase):
    def test_every_study_keeps_its_quick_form_and_says_what_it_is(self):
        for folder in folders_of(ROOT):
            with self.subTest(study=folder.name):
                self.assertTrue((folder / "README.md").exists(), "it says nothing of itself")
                self.assertTrue((folder / "summary-quick.csv").exists(), "experiments/renew --quick makes it")

    def test_the_list_needs_no_run(self):
        done = self.start("--stale")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout.splitlines()[-1], r"^\d+ stale: ")

    def test_the_choice_of_a_search_is_what_its_grid_knows(self):
        """known.csv beside a search holds the right choice from all points of the grid."""
        for known in ROOT.glob("experiments/*/known.csv"):
            chosen = {line[1:3]: line[3] for line in lines_of_file(known.parent / "summary.csv") if line[0] == "chosen"}
            with open(known, newline="", encoding="utf-8") as file:
                lines = list(csv.DictReader(file))
            self.assertEqual(len({row for row, _ in chosen}), len(lines))
            for line in lines:
                row = f"workload {line['workload']}, cap {line['cap']}"
                for name in ("channels", "ways", "throughput_mb_per_s"):
                    self.assertEqual(chosen[row, name], line[name], row)
