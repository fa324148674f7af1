"""`flashloom compare`: figures with ratios, differences, and the HTML page."""
import copy
import csv
import json
import re
import shutil
import unittest

import schemas
from io_log import WORDS
from program import ProgramCase, at, job

MIXED = job(rw="randrw", rwmixread=50, bs="4k", iodepth=8, size="100%", io_size="4m")
READS = job(rw="randread", bs="4k", iodepth=8, size="100%", io_size="1m")


class Compare(ProgramCase):
    def run_into(self, name, text, *sets):
        """Runs the preset tiny, filled; returns the folder of the results."""
        made = self.simulate("tiny", "--job", self.file("job.fio", text), sets=("precondition.fill=1.0", "buffer.room_waits=true", *sets))
        folder = self.scratch / name
        made.rename(folder)
        return folder

    def compare(self, *arguments):
        done = self.start("compare", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_figures_ratios_and_what_differs(self):
        a, b = self.run_into("a", MIXED), self.run_into("b", MIXED, "nand.ways=4", "seed=5")
        results = [json.loads((folder / "result.json").read_text()) for folder in (a, b)]
        found = json.loads(self.compare("a", "b/result.json", "--json"))
        schemas.check(found, "compare")
        self.assertEqual([run["name"] for run in found["runs"]], ["a", "b"])
        keys = [metric["key"] for metric in found["metrics"]]
        for key in ("host.read.bandwidth_bytes_per_s", "host.write.iops", "host.read.latency_ns.mean", "host.write.latency_ns.p50",
                    "host.read.latency_ns.p99", "host.write.latency_ns.p99_9", "ftl.waf", "ftl.gc_runs", "flash.erases.total",
                    "energy.total_j", "energy.j_per_gb", "energy.average_w", "energy.peak_w"):
            metric = found["metrics"][keys.index(key)]
            values = [at(result, key) for result in results]
            self.assertEqual(metric["values"], values, key)
            self.assertEqual(metric["ratios"], [1 if values[0] else None, values[1] / values[0] if values[0] else None], key)
        self.assertFalse([key for key in keys if key.startswith(("host.trim", "host.flush"))], "nobody asked for these")
        self.assertEqual({key["key"]: key["values"] for key in found["differences"]}, {"nand.ways": [2, 4], "seed": [1, 5]})
        text = self.compare("a", "b")
        self.assertRegex(text, r"(?m)^  read throughput +[\d.]+ MB/s +[\d.]+ MB/s +x[\d.]+$")
        self.assertRegex(text, r"(?m)^  nand.ways +2 +4$")

    def uncertain(self, name, *sets, samples=100):
        """A run with samples of the cores' power and the program current."""
        sets = ('cpu.uncertainty.active_power="-50 % to +50 %"', 'nand.uncertainty.program_current="-30 % to +30 %"', *sets)
        made = self.simulate("tiny", "--job", self.file("job.fio", MIXED), "--uncertainty", samples, sets=sets)
        made.rename(self.scratch / name)

    def test_differences_of_energy_have_bars(self):
        self.uncertain("a")
        self.uncertain("more", 'nand.program_current="50 mA"', 'nand.uncertainty.program_current="-30 % to +30 %"')
        self.uncertain("alike", 'link.idle_power="1 uW"', "seed=2")
        self.uncertain("fewer", samples=50)
        found = json.loads(self.compare("a", "more", "alike", "fewer", "--json"))
        schemas.check(found, "compare")
        metrics = {metric["key"]: metric for metric in found["metrics"]}
        self.assertNotIn("ratio_bands", metrics["energy.peak_w"])
        for key in ("energy.total_j", "energy.j_per_gb", "energy.average_w"):
            bands = metrics[key]["ratio_bands"]
            self.assertIsNone(bands[0])
            self.assertIsNone(bands[3], "other samples")
            self.assertLess(bands[1]["p5"], bands[1]["p95"])
            self.assertLess(bands[1]["p5"], metrics[key]["ratios"][1])
            self.assertLess(metrics[key]["ratios"][1], bands[1]["p95"])
        rows = [self.column(name) for name in ("a", "more")]
        ratios = sorted(b / a for a, b in zip(*rows))
        self.assertLessEqual(ratios[4], metrics["energy.total_j"]["ratio_bands"][1]["p5"])
        self.assertLessEqual(metrics["energy.total_j"]["ratio_bands"][1]["p5"], ratios[5])
        self.assertTrue(metrics["energy.total_j"]["ratio_bands"][1]["difference"])
        self.assertRegex(self.compare("a", "more"), r"(?m)^  energy +[\d.]+ m?J +[\d.]+ m?J +x[\d.]+ \([\d.]+ to [\d.]+\)$")
        self.assertNotIn("In brackets", self.compare("a", "fewer"))

    def column(self, name):
        with open(self.scratch / name / "uncertainty.csv", encoding="utf-8", newline="") as table:
            return [float(row["total_j"]) for row in csv.DictReader(table)]

    def test_the_same_run_is_no_difference(self):
        self.uncertain("a")
        self.assertRegex(self.compare("a", "a"), r"(?m)^  energy per GB .* x1 \(1 to 1: none\)$")

    def test_nothing_is_said_of_what_was_not_asked(self):
        self.run_into("mixed", MIXED)
        self.run_into("reads", READS)
        found = {metric["key"]: metric for metric in json.loads(self.compare("mixed", "reads", "--json"))["metrics"]}
        for key in ("host.write.latency_ns.p99", "host.write.iops", "ftl.waf"):
            self.assertEqual((found[key]["values"][1], found[key]["ratios"][1]), (None, None), key)
        self.assertRegex(self.compare("mixed", "reads"), r"(?m)^  write latency p99 +[\d.]+ \ws +-$")
        self.assertIn("workload.hash", self.compare("mixed", "reads"))

    def test_a_part_with_parameters_is_one_key(self):
        self.run_into("a", READS)
        self.run_into("b", READS, "ftl.kind=fast")
        found = {key["key"]: key["values"] for key in json.loads(self.compare("a", "b", "--json"))["differences"]}
        self.assertEqual((found["ftl.kind"], found["ftl.kind.log_blocks"]), (["page_map", "fast"], [None, 0]))

    def test_runs_are_told_apart(self):
        a = self.run_into("a", READS)
        for folder in ("x/out", "y/out"):
            (self.scratch / folder).mkdir(parents=True)
            shutil.copy(a / "result.json", self.scratch / folder)
        found = json.loads(self.compare("x/out", "y/out", "a", "a", "--json"))
        self.assertEqual([run["name"] for run in found["runs"]], ["x/out", "y/out", "a", "a (2)"])
        self.assertEqual(found["differences"], [])
        self.assertIn("are the same", self.compare("a", "a"))

    def test_the_page_needs_no_other_file(self):
        a = self.run_into("a", MIXED)
        evil = self.scratch / "<img src=x onerror=alert(1)>&\""
        shutil.copytree(a, evil)
        self.compare("a", evil, "--html", "page.html")
        page = (self.scratch / "page.html").read_text()
        self.assertEqual(re.findall(r'<(?:img|link|iframe)\b|\bsrc="', page), [])
        self.assertEqual(page.count("<script"), 1)
        self.assertIn("&lt;img src=x onerror=alert(1)&gt;&amp;&quot;", page)
        charts = json.loads(re.search(r"(?m)^const charts = (.*);$", page)[1])
        self.assertEqual(list(charts), ["tails", "throughput", "power", "breakdown", "room_waits", "energy"])
        result = json.loads((a / "result.json").read_text())
        tail = charts["tails"]["panels"][0]["series"][0]["points"]
        self.assertEqual(tail, sorted(tail), "a latency rises with its percentile")
        # The curve's latency at the 99th percentile: the last step that begins at or below it.
        at_99 = [latency for x, latency in tail if x <= 100][-1]
        self.assertAlmostEqual(at_99 / result["host"]["read"]["latency_ns"]["p99"], 1, delta=0.02)
        for panel, operation, statistic in zip(charts["breakdown"]["panels"], ("read", "read", "write", "write"), ("mean", "p99") * 2):
            parts = {WORDS[part]: value for part, value in result["host"][operation]["latency_breakdown_ns"][statistic].items()}
            self.assertEqual([series["name"] for series in panel["series"]], [name for name, value in parts.items() if value])
            for series in panel["series"]:
                self.assertEqual(series["colour"], list(parts).index(series["name"]) + 1)
                self.assertAlmostEqual(series["points"][0][1] / parts[series["name"]], 1, delta=1e-5)
        whole = sum(series["points"][0][1] for series in charts["energy"]["panels"][0]["series"])
        self.assertAlmostEqual(whole / result["energy"]["total_j"], 1, delta=1e-4)
        power = charts["power"]["panels"][0]["series"][0]["points"]
        self.assertGreater(len(power), 10)
        before = page
        self.compare("a", evil, "--html", "page.html")
        self.assertEqual((self.scratch / "page.html").read_text(), before)

    def charts(self, *runs):
        """The charts of a page, by name."""
        self.compare(*runs, "--html", "page.html")
        return json.loads(re.search(r"(?m)^const charts = (.*);$", (self.scratch / "page.html").read_text())[1])

    def test_tails_end_at_the_slowest_request(self):
        """A write that waits for the buffer falls into the last bucket of the histogram, as most others do: the curve goes on to the
        percentile of the slowest of all."""
        work = job(rw="randrw", rwmixread=70, bs="4k", iodepth=16, size="100%", io_size="24m")
        runs = {name: self.run_into(name, work, "precondition.fill=0", *sets) for name, sets in (("a", ()), ("b", ("nand.ways=4",)))}
        for panel in self.charts(*runs)["tails"]["panels"]:
            for series in panel["series"]:
                told = json.loads((runs[series["name"]] / "result.json").read_text())["host"][panel["title"]]
                (before, _), (percentile, latency) = series["points"][-2:]
                self.assertEqual(percentile, told["ios"])
                self.assertLess(before, percentile)
                self.assertAlmostEqual(latency / told["latency_ns"]["max"], 1, delta=0.05)

    def test_a_page_has_words(self):
        """Neither legends nor titles have names of fields, and a run that did not count what a figure shows is said to have not."""
        self.run_into("a", MIXED)
        self.run_into("b", MIXED, "buffer.room_waits=false")
        charts = self.charts("a", "b")
        said = [words for chart in charts.values() for panel in chart["panels"]
                for words in (panel["title"], *(series["name"] for series in panel["series"]))]
        self.assertIn("wait for the die", said)
        self.assertIn("flash programs", said)
        self.assertEqual([words for words in said if re.search(r"_|\w\.\w", words)], [])
        self.assertEqual(charts["room_waits"]["x"]["categories"], ["a", "b (not counted)"])
        page = (self.scratch / "page.html").read_text()
        self.assertRegex(page, r"<td>[\d.]+ µs</td>")
        self.assertNotRegex(page, r"<td>[\d.]+ us</td>")

    def test_a_page_of_results_without_tables(self):
        a = self.run_into("a", MIXED)
        shutil.copy(a / "result.json", self.scratch / "one.json")
        self.compare("one.json", "one.json", "--html", "page.html")
        charts = json.loads(re.search(r"(?m)^const charts = (.*);$", (self.scratch / "page.html").read_text())[1])
        self.assertEqual(list(charts), ["breakdown", "room_waits", "energy"])

    def test_what_is_no_result_is_refused(self):
        a = self.run_into("a", READS)
        result = json.loads((a / "result.json").read_text())
        (self.scratch / "empty").mkdir()
        self.file("text.json", "fast")
        self.file("list.json", "[1]")
        old = copy.deepcopy(result)
        old["schema"] = "flashloom.result/1"
        self.file("old.json", json.dumps(old))
        less = copy.deepcopy(result)
        del less["energy"]
        self.file("less.json", json.dumps(less))
        shutil.copytree(a, self.scratch / "torn")
        with open(self.scratch / "torn/series.csv", "a", encoding="utf-8") as table:
            table.write("1,2\n")
        lines = len((self.scratch / "torn/series.csv").read_text().splitlines())
        for name, said in (("nowhere", "nowhere': there is no such file"), ("empty", "empty/result.json': there is no such file"),
                           ("text.json", "text.json': is no JSON"), ("list.json", "list.json': schema is none"),
                           ("old.json", 'old.json\': schema is "flashloom.result/1", and must be "flashloom.result/2"'),
                           ("less.json", "less.json': energy is not there"), ("torn", f"torn/series.csv': line {lines}: 2 cells")):
            with self.subTest(name=name):
                done = self.start("compare", "a", name, "--html", "page.html")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(said, done.stderr)
                self.assertFalse((self.scratch / "page.html").exists())
        done = self.start("compare", "a")
        self.assertEqual(done.returncode, 2)
        self.assertIn("two or more", done.stderr)
        done = self.start("compare", "a", "a", "--html", "no/such/folder/page.html")
        self.assertEqual(done.returncode, 1, "it cannot be written")
        self.assertIn("no/such/folder/page.html", done.stderr)


if __name__ == "__main__":
    unittest.main()
