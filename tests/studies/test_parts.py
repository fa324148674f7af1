"""Studies of several parts: what a part takes from the file, what it keeps, and what its results are called."""
import contextlib
import csv
import io
import os
import subprocess
import unittest
import unittest.mock

from case import PROGRAM, ROOT, StudyCase
from engine.errors import StudyError
from engine.kept import lines_of_file, renewed_of
from engine.parts import chosen, load_parts, with_figure
from engine.points import rows_of
from engine.renew import main as renew

PARTS = """
question = "What do ways bring?"
device = "tiny"
set = { "precondition.fill" = 1.0 }
metric.throughput = { path = "host.read.bandwidth_bytes_per_s", scale = 1e-6, unit = "MB/s" }
axis.ways = { values = [1, 2, 4], set = "nand.ways" }
axis.kind.variants = { plain = {}, quick = { "nand.read_time" = "20 us" } }
[part.deep]
title = "deep"
axis.depth = { values = [1, 8] }
without = ["axis.kind"]
workload.reads.fio = { rw = "randread", bs = "4k", ioengine = "libaio", iodepth = "{depth}", size = "100%", io_size = "1m", norandommap = 1 }
summary = [{ name = "most", caption = "The most.", group = ["depth"], largest = "throughput", columns = ["ways", "throughput"] }]
quick = { ways = [1, 2], depth = [8] }
[part.deeper]
like = "deep"
set = { "nand.blocks" = 48 }
keep = { ways = [1, 4], depth = [8] }
quick = { ways = [4] }
[part.kinds]
workload.reads.fio = { rw = "randread", bs = "4k", size = "100%", io_size = "256k", norandommap = 1 }
keep = { ways = [2], kind = ["quick"] }
"""


class Parts(StudyCase):
    def parts(self, text=PARTS, quick=False):
        return load_parts(self.study(text, "many"), quick)

    def test_what_a_part_is(self):
        deep, deeper, kinds = self.parts()
        self.assertEqual([(study.name, study.part, study.title) for study in (deep, deeper, kinds)],
                         [("many-deep", "deep", "deep"), ("many-deeper", "deeper", "deep"), ("many-kinds", "kinds", "many")])
        self.assertEqual([{axis.name: [value.value for value in axis.values] for axis in study.axes} for study in (deep, deeper, kinds)],
                         [{"ways": [1, 2, 4], "depth": [1, 8]}, {"ways": [1, 4], "depth": [8]}, {"ways": [2], "kind": ["quick"]}])
        self.assertEqual([sorted(study.sets) for study in (deep, deeper)], [["precondition.fill"], ["nand.blocks", "precondition.fill"]])
        self.assertEqual([[len(axis.values) for axis in study.axes] for study in self.parts(quick=True)], [[2, 1], [1, 1], [1, 1]])
        self.assertEqual([study.part for study in chosen(self.parts(), "kinds")], ["kinds"])

    def test_errors(self):
        for old, new, said in (('like = "deep"', 'like = "kinds"', "part.deeper.like: is 'kinds', and must be a part above"),
                               ("ways = [1, 4], depth", "ways = [3], depth", "part.deeper.keep.ways: 3 is none of its values"),
                               ('["axis.kind"]', '["axis.kin"]', "part.deep.without: 'axis.kin' is not there"),
                               ('kind = ["quick"]', 'kin = ["quick"]', "part.kinds.keep.kin: unknown axis; did you mean kind"),
                               ('title = "deep"', 'titel = "deep"', r"titel: unknown key.*\(in part deep\)"),
                               ("[part.deep]", "[part.Deep]", "part.Deep: a name is made of")):
            with self.subTest(new), self.assertRaisesRegex(StudyError, said):
                self.parts(PARTS.replace(old, new))
        with self.assertRaisesRegex(StudyError, "has no part wide"):
            chosen(self.parts(), "wide")

    def test_one_figure(self):
        """Of the points a figure keeps those that it shows, and those of the baselines; a condition on results excludes none."""
        figures = ('figure = [{ name = "one_kind", caption = "?", x = "ways", y = "throughput", rows = "kind == \'quick\'" }, '
                   '{ name = "fast", caption = "?", x = "ways", y = "throughput", rows = "throughput > 1" }]\n')
        kinds = "[part.kinds]\n" + 'baseline.one = { ways = 1, kind = "plain" }\n' + figures + PARTS.partition("[part.kinds]\n")[2]
        text = PARTS.partition("[part.kinds]\n")[0] + kinds.replace('keep = { ways = [2], kind = ["quick"] }\n', "")
        parts = self.parts(text)
        for name, points in (("one-kind", 4), ("one_kind", 4), ("fast", 6)):
            found, = with_figure(parts, name)
            self.assertEqual((found.part, len(rows_of(found)), [figure.name for figure in found.figures]), ("kinds", points, [name.replace("-", "_")]))
        with self.assertRaisesRegex(StudyError, "has no figure slow; valid: one_kind, fast"):
            with_figure(parts, "slow")
        with self.assertRaisesRegex(StudyError, "it has no figures"):
            with_figure(self.parts(), "slow")

    def test_results_of_parts(self):
        folder = self.study(PARTS, "many", **{"paper-deep__csv": "ways,depth,metric,value\n2,8,throughput,100\n", "published__csv": ""})
        out = self.run_study(folder, "--part", "kinds").parent
        self.assertEqual([path.name for path in sorted(out.iterdir()) if path.is_dir()], ["many-kinds"])
        arguments = ["--program", PROGRAM, "--out", str(out), "--cores", "1"]
        with unittest.mock.patch("engine.renew.ROOT", self.scratch):  # which has no pages to renew
            self.assertEqual(renew([str(folder), *arguments]), 0)
        lines = lines_of_file(folder / "summary.csv")
        self.assertEqual([line[0] for line in lines], ["deep.most"] * 4 + ["deeper.most"] * 2 + ["kinds.table"])
        with open(folder / "published.csv", newline="", encoding="utf-8") as file:
            self.assertEqual([line["row"] for line in csv.DictReader(file)], ["part deep, ways 2, depth 8"])
        check = [str(folder), "--quick", "--check", *arguments]
        self.assertEqual(renew(check), 0)
        quick = folder / "summary-quick.csv"
        quick.write_text(quick.read_text().replace("\nkinds.table", "\ngone.table"))
        self.assertEqual(renew(check), 1)

    def test_a_part_that_cannot_run_keeps_its_lines(self):
        lost = PARTS.replace("[part.kinds]\n", '[part.kinds]\nworkload.lost = { trace = "no.csv", optional = true }\n')
        kept = "summary,row,metric,value\ndeep.most,depth 8,ways,9\nkinds.table,workload reads,throughput_mb_per_s,5\n"
        folder = self.study(lost, "many", summary__csv=kept)
        said = io.StringIO()
        with unittest.mock.patch("engine.renew.ROOT", self.scratch), contextlib.redirect_stderr(said):
            self.assertEqual(renew([str(folder), "--program", PROGRAM, "--out", str(self.scratch / "out"), "--cores", "1"]), 1)
        self.assertIn("many: part kinds: not renewed: workload lost is left out", said.getvalue())
        lines = {line[:3]: line[3] for line in lines_of_file(folder / "summary.csv")}
        self.assertEqual(lines["kinds.table", "workload reads", "throughput_mb_per_s"], "5")
        self.assertNotEqual(lines["deep.most", "depth 8", "ways"], "9")
        self.assertIsNone(renewed_of(folder).full)

    def test_shipped_parts_can_be_read(self):
        for path in ROOT.glob("experiments/*/study.toml"):
            with self.subTest(study=path.parent.name):
                self.assertTrue(load_parts(path.parent))


class Front(StudyCase):
    def test_help_and_lists_need_no_packages(self):
        """They neither make an environment of Python nor wait for one."""
        nowhere = self.scratch / "venv"
        for words, shown in ((["--help"], "usage: experiments/run"), (["small", "--help"], "usage: experiments/run"),
                             (["--list"], "  quickstart: "), (["--stale"], " stale: ")):
            with self.subTest(words):
                done = subprocess.run([ROOT / "experiments/run", *words], capture_output=True, text=True, check=False, timeout=60,
                                      env=os.environ | {"FLASHLOOM_VENV": str(nowhere)})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(shown, done.stdout)
        self.assertFalse(nowhere.exists())

    def test_studies_are_listed_by_topic(self):
        listed = subprocess.run([ROOT / "experiments/run", "--list"], capture_output=True, text=True, check=True).stdout
        for path in ROOT.glob("experiments/*/study.toml"):
            self.assertRegex(listed, rf"\n  {path.parent.name}: .* \(.*(CPU|not known).*\)\n")
        self.assertNotIn("\nothers\n", f"\n{listed}")


if __name__ == "__main__":
    unittest.main()
