"""The pages in a real browser (Debian's chromium, headless): no script errors, every figure drawn, nothing wider than a phone,
sorting and filtering work, links lead to files. Skips, visibly, where chromium is not installed; CI installs it."""
import html
import json
import os
import re
import shutil
import subprocess
import unittest

from case import PROGRAM, SMALL
from search_case import FEWEST, SearchCase

CHROMIUM = shutil.which("chromium")
NARROWEST = 500  # of chromium's windows: a narrower page is looked at in a frame
FRAME = """<!DOCTYPE html><body style="margin:0"><iframe src="%s" style="border:0;width:%dpx;height:1000px"></iframe>
<script>
const frame = document.querySelector("iframe");
frame.addEventListener("load", () => document.body.append(document.importNode(frame.contentDocument.getElementById("verdict"), true)));
</script></body>"""
# Runs before all other scripts, and records errors.
WATCH = """<script>
window.wrong = [];
window.addEventListener("error", (event) => wrong.push(event.message || ("not loaded: " + (event.target.src || event.target.href))), true);
window.addEventListener("unhandledrejection", (event) => wrong.push(String(event.reason)));
console.error = (...words) => wrong.push(words.join(" "));
</script>"""
# Runs after them: acts like a user, and records what the page shows.
ACT = """<script>
window.addEventListener("load", () => {
  const column = (table, n) => Array.from(table.tBodies[0].rows).filter((row) => !row.hidden).map((row) => row.cells[n].textContent);
  const seen = {};
  try {
    const ACTIONS = () => { %s };
    ACTIONS();
  } catch (error) { wrong.push(String(error)); }
  const verdict = document.createElement("pre");
  verdict.id = "verdict";
  verdict.textContent = JSON.stringify({wrong, seen});
  document.body.append(verdict);
});
</script>"""
REPORT = """
  seen.figures = Array.from(document.querySelectorAll("figure svg"), (svg) => {
    const box = svg.getBoundingClientRect();
    return [svg.closest("figure").id, box.width, box.height, svg.querySelectorAll("path").length];
  });
  const ids = Array.from(document.querySelectorAll("[id]"), (element) => element.id);
  seen.doubled = ids.filter((id, i) => ids.indexOf(id) !== i);
  seen.external = Array.from(document.querySelectorAll("script[src], link[href], img[src]")).length;
  const table = document.getElementById("points");
  const heads = Array.from(table.tHead.rows[0].cells);
  const n = heads.findIndex((head) => head.textContent.startsWith("throughput"));
  heads[n].click();
  seen.ascending = column(table, n);
  seen.label = heads[n].getAttribute("aria-sort");
  heads[n].click();
  seen.descending = column(table, n);
  heads[0].click();
  seen.other = heads[n].getAttribute("aria-sort");
  const filter = document.querySelector("input[data-table=points]");
  filter.value = "8 result";
  filter.dispatchEvent(new Event("input"));
  seen.filtered = column(table, 1);
  seen.count = document.getElementById("points-count").textContent;
  filter.value = "";
  filter.dispatchEvent(new Event("input"));
  const ask = (column, text) => {
    const field = heads[column].querySelector("input.column");
    field.value = text;
    field.dispatchEvent(new Event("input"));
    const found = [column_values(0), field.classList.contains("bad")];
    field.value = "";
    field.dispatchEvent(new Event("input"));
    return found;
  };
  const column_values = (n) => column(table, n).join(" ");
  heads[0].click();
  if (heads[0].getAttribute("aria-sort") !== "ascending") heads[0].click();
  seen.ranges = ["2..4", "..1", ">=2", "<2", "4", "x", ">"].map((text) => ask(0, text));
  seen.titles = Array.from(document.querySelectorAll("svg.chart > title"), (title) => title.textContent);
  const svg = document.querySelector("#figure-throughput svg.chart"), at = svg.getBoundingClientRect();
  const marker = svg.querySelector(".point").getBoundingClientRect();
  svg.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: marker.x + 6, clientY: marker.y + 3}));
  const tip = document.querySelector("#figure-throughput .tip");
  seen.hover = [tip.hidden, Array.from(tip.children, (line) => line.textContent)];
  svg.dispatchEvent(new KeyboardEvent("keydown", {bubbles: true, key: "ArrowRight"}));
  seen.next = Array.from(tip.children, (line) => line.textContent);
  document.querySelector("#figure-throughput .key").click();
  seen.lines = document.querySelectorAll("#figure-throughput svg.chart .line").length;
  seen.explored = document.querySelectorAll(".explorer svg.chart .point").length;
  seen.wide = [document.documentElement.scrollWidth, innerWidth, document.querySelector("#figure-throughput svg").getBoundingClientRect().width];
  seen.dark = [matchMedia("(prefers-color-scheme: dark)").matches, getComputedStyle(document.body).backgroundColor,
               getComputedStyle(document.querySelector("svg.chart text")).fill];
  seen.paper = column(document.getElementById("paper"), 5);
"""
# What is wider than the window, though no box scrolls it.
WIDE = """
  seen.wide = [document.documentElement.scrollWidth, innerWidth];
  seen.links = Array.from(document.querySelectorAll("a[href]"), (link) => link.getAttribute("href"));
  seen.letters = Math.min(...Array.from(document.querySelectorAll("svg text"), (text) => text.getBoundingClientRect().height));
"""
COMPARISON = """
  const figures = Array.from(document.querySelectorAll("figure"));
  seen.figures = figures.map((figure) => figure.id);
  seen.titles = figures.map((figure) => figure.querySelector("svg > title").textContent);
  seen.lines = figures.map((figure) => figure.querySelectorAll("svg .line").length);
  seen.bars = figures.slice(3).map((figure) => figure.querySelectorAll("svg .bar").length);
  seen.wide = [document.documentElement.scrollWidth, innerWidth];
  figures[0].querySelector("svg").dispatchEvent(new KeyboardEvent("keydown", {bubbles: true, key: "ArrowRight"}));
  seen.told = Array.from(figures[0].querySelectorAll(".tip div"), (line) => line.textContent);
"""
INDEX = """
  seen.links = Array.from(document.querySelectorAll("h2 a"), (link) => link.getAttribute("href"));
  seen.images = Array.from(document.images, (image) => image.complete && image.naturalWidth);
"""


@unittest.skipUnless(CHROMIUM, "chromium is not installed")
class Browser(SearchCase):
    def look(self, page, actions, width=1400, dark=False):
        """Opens a copy of a page with the actions in it; returns what they recorded. Fails on any script error."""
        text = page.read_text(encoding="utf-8")
        self.assertEqual((text.count("<head>"), text.count("</body>")), (1, 1))
        copy = page.with_name("watched-" + page.name)
        copy.write_text(text.replace("<head>", "<head>" + WATCH).replace("</body>", ACT % actions + "</body>"), encoding="utf-8")
        if width < NARROWEST:
            inner, copy = copy, page.with_name("frame-" + page.name)
            copy.write_text(FRAME % (inner.name, width), encoding="utf-8")
        done = subprocess.run(
            [CHROMIUM, "--headless", "--allow-file-access-from-files", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={self.scratch / 'profile'}", f"--window-size={width},1000",
             *(["--blink-settings=preferredColorScheme=0"] if dark else []), "--virtual-time-budget=5000", "--dump-dom", copy.as_uri()],
            capture_output=True, text=True, timeout=120, check=False, env=os.environ | {"HOME": str(self.scratch)})
        found = re.search(r'<pre id="verdict">(.*?)</pre>', done.stdout, re.DOTALL)
        self.assertTrue(found, f"no verdict on {page.name}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        verdict = json.loads(html.unescape(found[1]))
        self.assertEqual(verdict["wrong"], [])
        return verdict["seen"]

    def test_pages_work(self):
        second = '[[figure]]\nname = "speed-up"\ncaption = "Against one way"\nx = "ways"\ny = "speed_up"\nseries = "depth"\nkind = "bars"\n'
        out = self.run_study(self.study(SMALL + second, README__md="# Small\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
                                        paper__csv="ways,depth,metric,value\n4,8,throughput,500\n"))
        seen = self.look(out / "report.html", REPORT)
        self.assertEqual([figure[0] for figure in seen["figures"]], ["figure-throughput", "figure-speed-up"])
        for name, width, height, paths in seen["figures"]:
            self.assertTrue(width > 300 and height > 100 and paths > 10, (name, width, height, paths))
        self.assertEqual((seen["doubled"], seen["external"]), ([], 0))
        numbers = [float(text) for text in seen["ascending"]]
        self.assertEqual(len(numbers), 6)
        self.assertEqual(numbers, sorted(numbers))
        self.assertNotEqual(numbers, numbers[::-1])
        self.assertEqual([float(text) for text in seen["descending"]], sorted(numbers, reverse=True))
        self.assertEqual((seen["label"], seen["other"]), ("ascending", None))
        self.assertEqual((seen["filtered"], seen["count"]), (["8", "8", "8"], "3 of 6 rows"))
        self.assertEqual(seen["ranges"], [["2 2 4 4", False], ["1 1", False], ["2 2 4 4", False], ["1 1", False], ["4 4", False],
                                          ["1 1 2 2 4 4", True], ["1 1 2 2 4 4", True]])
        self.assertEqual(seen["titles"][:2], ["Random reads of 4 KiB", "Against one way"])
        hidden, told = seen["hover"]
        self.assertFalse(hidden)
        self.assertEqual(told[:2], ["depth 1", "ways: 1"])
        self.assertRegex(told[2], r"^throughput: [0-9.]+ MB/s$")
        self.assertEqual(told[3], "1 way\ndepth 1")
        self.assertEqual(seen["next"][:2], ["depth 1", "ways: 2"])
        self.assertEqual((seen["lines"], seen["explored"]), (1, 6))
        self.assertEqual(len(seen["paper"]), 1)
        self.assertRegex(seen["paper"][0], r"^-?\d")
        seen = self.look(out.parent / "index.html", INDEX)
        self.assertEqual(seen["links"], ["small/report.html"])
        self.assertTrue(all(width > 100 for width in seen["images"]) and len(seen["images"]) == 1, seen)

    def test_pages_fit_the_screen_and_its_colours(self):
        out = self.run_study(self.study(SMALL))
        for width, dark in ((1400, True), (390, False)):
            with self.subTest(width=width):
                seen = self.look(out / "report.html", REPORT.replace("seen.paper = ", "seen.paper = 0 && "), width, dark)
                whole, window, figure = seen["wide"]
                self.assertLessEqual(whole, window, "nothing but tables is wider than the window")
                self.assertGreater(figure, 0.9 * min(window, 1320) - 10)
                self.assertEqual(seen["dark"], [True, "rgb(22, 25, 29)", "rgb(228, 230, 233)"] if dark else
                                 [False, "rgb(255, 255, 255)", "rgb(34, 34, 34)"])

    def test_a_readme_fits_and_its_links_lead_to_files(self):
        """A page is in out/, its README beside the study: a relative link is to a file as seen from the README."""
        words = "| " + " | ".join(["some words that are long enough to make a table wide"] * 6) + " |"
        readme = f"# Small\n\n{words}\n|{'---|' * 6}\n{words}\n\n`{'a_long_path/' * 20}`\n\n[notes](notes.md#why), [gone](gone.md), [site](https://example.org)\n"
        out = self.run_study(self.study(SMALL, README__md=readme, notes__md="# Notes\n"))
        for width in (1400, 390):
            with self.subTest(width=width):
                seen = self.look(out / "report.html", WIDE, width)
                self.assertLessEqual(*seen["wide"])
                about = [link for link in seen["links"] if "notes" in link or "gone" in link or "example" in link]
                self.assertEqual(about, ["../../small/notes.md#why", "https://example.org"])
                files = [link for link in seen["links"] if "://" not in link]
                self.assertEqual([link for link in files if not (out / link.split("#")[0]).exists()], [])

    def test_a_search_fits_the_screen(self):
        out = self.run_search(self.search(FEWEST, README__md="# Fewest\n"))
        for width in (1400, 390):
            with self.subTest(width=width):
                seen = self.look(out / "report.html", WIDE + """
                  seen.charts = Array.from(document.querySelectorAll("[data-chart] svg.chart"), (svg) => svg.closest("figure").id);
                """, width)
                self.assertLessEqual(*seen["wide"])
                self.assertGreater(seen["letters"], 9, "letters are large enough to read")
                self.assertIn("figure-convergence", seen["charts"])
                self.assertEqual([link for link in seen["links"] if not (out / link).exists()], [])

    def test_a_comparison(self):
        job = self.scratch / "job.fio"
        job.write_text("[a]\nrw=randrw\nbs=4k\nioengine=libaio\niodepth=4\nsize=100%\nio_size=4m\n")
        for name, ways in (("a", 2), ("b", 4)):
            subprocess.run([PROGRAM, "run", "tiny", "--job", job, "--set", f"nand.ways={ways}", "--set", "buffer.room_waits=true", "--out", name, "--quiet"],
                           cwd=self.scratch, check=True)
        subprocess.run([PROGRAM, "compare", "a", "b", "--html", "page.html"], cwd=self.scratch, check=True, capture_output=True)
        for width, dark in ((1400, False), (390, True)):
            seen = self.look(self.scratch / "page.html", COMPARISON, width, dark)
            self.assertEqual(seen["figures"], ["tails", "throughput", "power", "breakdown", "room_waits", "energy"])
            self.assertEqual(seen["titles"], ["Latency at each percentile", "Throughput over time", "Power over time",
                                              "Where the latency went",
                                              "What writes waited for when the buffer was full", "Where the energy went"])
            self.assertLessEqual(seen["wide"][0], seen["wide"][1])
            self.assertEqual(seen["told"][:2], ["read", "a"])
            self.assertRegex(seen["told"][2], r"^percentile: [\d.]+ %$")
            self.assertRegex(seen["told"][3], r"^latency: [\d.]+ [nµm]?s$")
            self.assertTrue(all(lines >= 2 for lines in seen["lines"][:3]) and min(seen["bars"]) >= 3, seen)

    def test_the_test_sees_what_is_wrong(self):
        page = self.scratch / "page.html"
        for body in ("<script>nowhere();</script>", '<img src="nothing.svg">', "<script>console.error('no')</script>"):
            page.write_text(f"<!DOCTYPE html><html><head></head><body>{body}</body></html>")
            with self.assertRaises(AssertionError, msg=body):
                self.look(page, "")
        page.write_text("<!DOCTYPE html><html><head></head><body></body></html>")
        self.assertEqual(self.look(page, "seen.x = 1;"), {"x": 1})
