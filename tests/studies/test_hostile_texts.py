"""Texts of a study are shown verbatim: none acts as a gnuplot command or as markup of the report."""
import html.parser
import json
import os
import re
import shutil
import unittest
import unittest.mock
import xml.etree.ElementTree

from case import PROGRAM, ROOT, SMALL, StudyCase
from engine import page_links
from engine.figures import FORMATS, draw_figures
from engine.page_links import moved_link
from engine.points import Plan, Point, Program, rows_of, values_of
from engine.published import Published
from engine.report import write_index, write_report
from engine.runner import Failure
from engine.study import load_study
from engine.tables import Table

# Hostile text; NAME tells which field it came from.
BAIT = "NAME`touch pwned_NAME`$(touch pwned_NAME) <script>NAME</script> \"q\" 'a' \\ \\n @x % %s ^{b} _c & é"
README = """# Small

## More <script>document.title = 'pwned'</script>

A *question*, `a < b`, <img src=x onerror=alert(1)> <https://example.org> &amp; [page](https://example.org/a:b) [doc](../docs/a.md#x)

<script>
alert(2)
</script>

<div onclick="alert(3)">text</div>

[one](javascript:alert(4)) [two](JavaScript&#58;alert(5)) [three](java\\script\\:alert(6)) [four](data:text/html,x) [five][ref]
![six](javascript:alert(7)) <javascript:alert(8)> [seven](\x01javascript:alert(9)) [eight]( &#1;javascript:alert(10))
[nine](java&#9;script:alert(11)) [ten](vbscript:x) [eleven](//example.org/x)

[ref]: javascript:alert(12)

```html " onclick="alert(13)
<b>code</b>
```
"""


def bait(name, more=""):
    return BAIT.replace("NAME", name) + more


def toml(text):
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def texts_of(drawing):
    """The texts that an SVG shows."""
    return ["".join(text.itertext()) for text in xml.etree.ElementTree.parse(drawing).iter("{http://www.w3.org/2000/svg}text")]


class Page(html.parser.HTMLParser):
    """Elements and attributes that a browser would run or open, and the text of the page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


class HostileTexts(StudyCase):
    def make(self, kind):
        """A study whose every text is bait, with hand-written results: (study, plan, table, root of the tree)."""
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
caption = {toml(bait("caption").replace("{", "{{").replace("}", "}}"))}
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
""", README__md=README))
        out = self.scratch / "out/small"
        plan = Plan([], {}, [])
        for number, (workload, chosen) in enumerate(rows_of(study)):
            plan.points.append(Point(values_of(workload, chosen), None, "tiny", {}, [], {}, key=str(number)))
            folder = out / "points" / str(number)
            folder.mkdir(parents=True)
            (folder / "result.json").write_text(json.dumps({"rate": number + 1, "config": {}}))
        table = Table(study, plan, out)
        table.write()
        papers = [Published(bait("figure"), "", bait("metric"), "", 1.0, 1.0, 0.0, bait("note"), "rate", dict(plan.points[0].values))]
        return study, plan, table, papers

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_figures_run_nothing_and_show_it(self):
        for kind, shown in (("lines", ("axis", "unit", "variant", "workload", "metric", "metricunit", "dashed")),
                            ("bars", ("unit", "variant", "workload", "metric", "metricunit"))):
            with self.subTest(kind=kind):
                study, _, table, papers = self.make(kind)
                self.assertEqual([figure.name for figure in draw_figures(study, table, papers, ROOT)], ["first"])
                self.assertEqual([path.name for path in self.scratch.rglob("pwned*")], [])
                said = "\n".join(texts_of(table.out / "figures/first.svg"))
                for name in shown:
                    cell = (kind, name) == ("bars", "variant")  # in a table cell, which cannot hold quotation marks
                    self.assertIn(bait(name).replace('"', "'") if cell else bait(name), said)
                self.assertIn("one system 'touch pwned_line'", said)
                shutil.rmtree(table.out)

    def test_pages_run_nothing_and_show_it(self):
        study, plan, table, papers = self.make("lines")
        (self.scratch / "docs").mkdir()
        (self.scratch / "docs/a.md").write_text("# A\n")
        figures = draw_figures(study, table, papers, ROOT) if shutil.which("gnuplot") else []
        failure = Failure(bait("what"), bait("command"), bait("said"))
        path = write_report(study, table, Program(PROGRAM), figures, papers, [failure], plan.left_out, False)
        page = Page(path.read_text(encoding="utf-8"))
        self.assertEqual([tag for tag, _ in page.elements if tag == "script"], ["script"], "the page's own")
        for tag, attributes in page.elements:
            self.assertFalse([name for name in attributes if name.startswith("on")], (tag, attributes))
            for name in ("href", "src", "xlink:href"):
                target = re.sub(r"[\x00-\x20]", "", attributes.get(name) or "")
                self.assertNotRegex(target, r"(?i)^(javascript|data|vbscript):", (tag, attributes))
        self.assertNotIn("img", [tag for tag, attributes in page.elements if "src" in attributes])
        shown = "".join(page.texts)
        for name in ("title", "question", "caption", "summary", "note", "what", "command", "said", "variant"):
            self.assertIn(bait(name), shown)
        for text in ("<script>document.title = 'pwned'</script>", "<div onclick=\"alert(3)\">text</div>", "<b>code</b>", "a < b"):
            self.assertIn(text, shown)
        links = [attributes["href"] for tag, attributes in page.elements if tag == "a" and "href" in attributes]
        for link in ("https://example.org", "https://example.org/a:b", "../../docs/a.md#x", "//example.org/x"):
            self.assertIn(link, links)

    def test_links_lead_to_the_site_where_it_is_built(self):
        """A link to the documentation is to its page, if there is one, else to its text."""
        folder, out = ROOT / "experiments/quickstart", self.scratch / "out/small"
        out.mkdir(parents=True)
        with unittest.mock.patch.object(page_links, "SITE", self.scratch / "site"):
            self.assertEqual(moved_link("../../docs/architecture.md#x", folder, out), os.path.relpath(ROOT / "docs/architecture.md", out) + "#x")
            for page in ("architecture/index.html", "architecture.html"):
                (self.scratch / "site" / page).parent.mkdir(parents=True, exist_ok=True)
                (self.scratch / "site" / page).write_text("<p>", encoding="utf-8")
                self.assertEqual(moved_link("../../docs/architecture.md#x", folder, out), f"../../site/{page}#x")
        self.assertEqual(moved_link("#below", folder, out), "#below")
        self.assertIsNone(moved_link("gone.md", folder, out))

    def test_the_name_of_a_study_is_no_address(self):
        folder = self.scratch / "out/javascript:alert(1)"
        folder.mkdir(parents=True)
        (folder / "report.json").write_text(json.dumps(
            {"name": folder.name, "title": bait("title"), "question": bait("question"), "rows": 1, "failed": 0,
             "figures": [], "version": bait("version")}))
        page = Page(write_index(folder.parent).read_text(encoding="utf-8"))
        self.assertEqual([attributes["href"] for tag, attributes in page.elements if tag == "a"],
                         ["javascript%3Aalert%281%29/report.html"])
        self.assertNotIn("script", [tag for tag, _ in page.elements])
        self.assertIn(bait("title"), "".join(page.texts))

    def test_control_bytes_are_shown(self):
        nasty, shown = "a\x1b[31m\rb\x7f\u009bc\u00e9", "a\\x1b[31m\\x0db\\x7f\\x9bc\u00e9"
        good = self.study()
        for folder, more in ((self.scratch / nasty, ()), (self.study(name=nasty, text="question = 1\n"), ()),
                             (self.study(name="key", text=f"{toml(nasty)} = 1\n{SMALL}"), ()),
                             (self.study(name="choice", text=f"{SMALL}kind = {toml(nasty)}\n"), ()),
                             (good, ("--profile", nasty)), (good, (f"--{nasty}",)), (good, (nasty,))):
            with self.subTest(folder=folder, more=more):
                done = self.start(folder, *more)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(shown, done.stderr)
                self.assertNotRegex(done.stdout + done.stderr, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")


if __name__ == "__main__":
    unittest.main()
