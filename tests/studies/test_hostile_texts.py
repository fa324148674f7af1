"""Texts of a study are shown as they are: none is a command of gnuplot's, none is markup of the report."""
import html
import json
import re
import shutil
import unittest
import xml.etree.ElementTree

from case import ROOT, StudyCase
from engine.figures import FORMATS, draw_figures
from engine.points import Plan, Point, Program, rows_of, values_of
from engine.report import write_index, write_report
from engine.runner import Failure
from engine.study import load_study
from engine.tables import Table

# What any text may hold; NAME says which one it is.
BAIT = "NAME`touch pwned_NAME`$(touch pwned_NAME) <script>NAME</script> \"q\" 'a' \\ \\n @x % %s ^{b} _c & é"


def bait(name, more=""):
    return BAIT.replace("NAME", name) + more


def toml(text):
    return json.dumps(text, ensure_ascii=False)


def texts_of(drawing):
    """The texts that an SVG shows."""
    return ["".join(text.itertext()) for text in xml.etree.ElementTree.parse(drawing).iter("{http://www.w3.org/2000/svg}text")]


class HostileTexts(StudyCase):
    def make(self, kind):
        """A study whose every text is bait, with results written by hand; (study, plan, table, root of the tree)."""
        study = load_study(self.study(f"""
title = {toml(bait("title"))}
question = {toml(bait("question"))}
device = "tiny"
axis.ways = {{ values = [1, 2], label = {toml(bait("axis"))}, unit = {toml(bait("unit"))} }}
[axis.kind.variants]
{toml(bait("variant", " second line"))} = {{ "nand.ways" = "{{ways}}" }}
other = {{ "nand.ways" = "{{ways}}" }}
[workload]
a = {{ generate = "mix:requests=10", label = {toml(bait("workload"))} }}
b = {{ generate = "mix:requests=10", label = {toml("one" + chr(10) + "system 'touch pwned_line'")} }}
[metric]
rate = {{ path = "rate", unit = {toml(bait("metricunit"))}, label = {toml(bait("metric"))} }}
limit = {{ path = "rate", unit = "1", label = {toml(bait("dashed"))} }}
[[figure]]
name = "first"
caption = {toml(bait("caption"))}
x = {toml("kind" if kind == "bars" else "ways")}
y = "rate"
series = "workload"
panels = {toml("ways" if kind == "bars" else "kind")}
dashed = {toml("" if kind == "bars" else "limit")}
kind = "{kind}"
[[summary]]
name = "best"
caption = {toml(bait("summary"))}
largest = "rate"
columns = ["kind", "rate"]
""", README__md="# Small\n"))
        out = self.scratch / "out/small"
        plan = Plan([], {}, [])
        for number, (workload, chosen) in enumerate(rows_of(study)):
            plan.points.append(Point(values_of(workload, chosen), None, "tiny", {}, [], {}, key=str(number)))
            folder = out / "points" / str(number)
            folder.mkdir(parents=True)
            (folder / "result.json").write_text(json.dumps({"rate": number + 1, "config": {}}))
        table = Table(study, plan, out)
        table.write()
        return study, plan, table

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_figures_run_nothing_and_show_it(self):
        for kind, shown in (("lines", ("axis", "unit", "variant", "workload", "metric", "metricunit", "dashed")),
                            ("bars", ("unit", "variant", "workload", "metric", "metricunit"))):
            with self.subTest(kind=kind):
                study, _, table = self.make(kind)
                self.assertEqual([figure.name for figure in draw_figures(study, table, ROOT)], ["first"])
                self.assertEqual([path.name for path in self.scratch.rglob("pwned*")], [])
                said = "\n".join(texts_of(table.out / "figures/first.svg"))
                for name in shown:
                    cell = (kind, name) == ("bars", "variant")  # of the table: a quotation mark has no place there
                    self.assertIn(bait(name).replace('"', "'") if cell else bait(name), said)
                self.assertIn("one system 'touch pwned_line'", said)
                shutil.rmtree(table.out)


if __name__ == "__main__":
    unittest.main()
