"""Figures and pages worked by hand: latency parts, fronts, ranges, colours, units, and operations that no request had.
"""
import json
import os
import re
import subprocess
import tomllib

from case import ROOT, StudyCase
from engine.errors import StudyError
from engine.figure_axes import FRONT, axes_of, colours_of, latency_parts, log_tics, series_of
from engine.figures import captioned, data_of, settings, write_data
from engine.page_figures import chart_of
from engine.page_tables import DASH, points_of
from engine.points import Plan, Point, rows_of, values_of
from engine.study import load_study
from engine.tables import Table
from engine.units import digits, fitting

TEXT = """
question = "?"
device = "tiny"
axis.ways = { values = [1, 2, 4], set = "nand.ways" }
workload.a = { generate = "mix:requests=10", label = "A" }
workload.b = { generate = "mix:requests=11", label = "B" }
[metric]
speed = { path = "speed", unit = "MB/s" }
cost = { path = "cost", unit = "J" }
wires = { path = "host.read.latency_breakdown_ns.mean.bus", unit = "ns" }
array = { path = "host.read.latency_breakdown_ns.mean.array", unit = "ns", label = "in the array" }
tier = { path = "host.read.latency_breakdown_ns.mean.tier", unit = "ns" }
writes = { path = "host.write.latency_ns.mean", unit = "us" }
both = { expression = "writes + 0 * writes", unit = "us" }
"""
STACKED = '[[figure]]\nname = "f"\ncaption = "?"\nkind = "stacked"\nx = "ways"\ny = ["wires", "array", "tier"]\npanels = "workload"\nlabel = "latency"\n'
PARETO = '[[figure]]\nname = "f"\ncaption = "?"\nkind = "pareto"\nbest = ["largest", "smallest"]\nx = "speed"\ny = "cost"\n'
SPEED = {("a", 1): 10, ("a", 2): 20, ("a", 4): 30, ("b", 1): 10, ("b", 2): 25, ("b", 4): 5}
COST = {("a", 1): 1, ("a", 2): 4, ("a", 4): 3, ("b", 1): 2, ("b", 2): 2, ("b", 4): 9}


class FigureCase(StudyCase):
    def make(self, text, change=lambda where, result: None):
        """(study, table) of hand-written results."""
        study = load_study(self.study(text))
        out = self.scratch / "out"
        plan = Plan([], {}, [])
        for number, (workload, chosen) in enumerate(rows_of(study)):
            values = values_of(workload, chosen)
            plan.points.append(Point(values, None, "tiny", {}, [], {}, key=str(number)))
            folder = out / "points" / str(number)
            folder.mkdir(parents=True, exist_ok=True)
            where = (values["workload"], values["ways"])
            result = {"config": {}, "simulated_s": 1, "speed": SPEED[where], "cost": COST[where], "host": {
                "read": {"ios": 5, "latency_ns": {"mean": 7}, "latency_breakdown_ns": {"mean": {"bus": 100 * where[1], "array": 50e3, "tier": 0}}},
                "write": {"ios": 0, "latency_ns": {"mean": 0}}}}
            change(where, result)
            (folder / "result.json").write_text(json.dumps(result))
        return study, Table(study, plan, out)


class Figures(FigureCase):
    def test_parts_stand_on_each_other_and_absent_ones_are_left_out(self):
        study, table = self.make(TEXT + STACKED)
        figure = study.figures[0]
        panels = data_of(study, figure, table)
        self.assertEqual(series_of(panels), ["wires", "in the array"])
        write_data(table.out / "f.csv", study, figure, panels, table)
        blocks = [block.strip().split("\n")[1:] for block in (table.out / "f.csv").read_text().split("\n\n\n")]
        self.assertEqual(blocks[:2], [["1,100,0,NaN", "2,200,0,NaN", "4,400,0,NaN"], ["1,50000,100,NaN", "2,50000,200,NaN", "4,50000,400,NaN"]])
        axes = axes_of(study, figure, panels)
        self.assertEqual((axes.y.text, axes.y.low, axes.shared), ("latency (µs)", 0, True))
        self.assertAlmostEqual(axes.y.high, 50.4)
        parts = latency_parts()
        self.assertEqual(colours_of(study, figure, series_of(panels)), [parts.index("bus") + 1, parts.index("array") + 1])

    def test_a_part_has_one_colour_in_all_figures(self):
        other = STACKED.replace('"f"', '"g"').replace('["wires", "array", "tier"]', '["speed", "pace"]')
        more = STACKED.replace('"f"', '"h"').replace('["wires", "array", "tier"]', '["rate", "pace"]')
        extra = ''.join(f'{name} = {{ path = "speed", unit = "MB/s" }}\n' for name in ("pace", "rate"))
        study, table = self.make(TEXT + extra + other + more)
        colours = [dict(zip(names, colours_of(study, figure, names))) for figure in study.figures
                   for names in [series_of(data_of(study, figure, table))]]
        self.assertEqual(colours, [{"speed": 1, "pace": 2}, {"rate": 3, "pace": 2}])

    def test_two_rows_are_not_one_bar(self):
        with self.assertRaisesRegex(StudyError, "figure f: two rows have ways = 1: a bar is one row"):
            study, table = self.make(TEXT + STACKED.replace('panels = "workload"\n', ""))
            data_of(study, study.figures[0], table)

    def test_fronts(self):
        """By hand: nothing dominates 10/1, 25/2 and 30/3; with the least of both, 5/9 and 10/1."""
        study, table = self.make(TEXT + PARETO)
        front = [(row.values["speed"], row.values["cost"]) for row in data_of(study, study.figures[0], table)[""][FRONT]]
        self.assertEqual(front, [(10, 1), (25, 2), (30, 3)])
        study, table = self.make(TEXT + PARETO.replace('"largest"', '"smallest"'))
        front = [(row.values["speed"], row.values["cost"]) for row in data_of(study, study.figures[0], table)[""][FRONT]]
        self.assertEqual(front, [(5, 9), (10, 1)])
        chart = chart_of(study, study.figures[0], table)
        self.assertEqual([(line["name"], line.get("front")) for line in chart["panels"][0]["series"]],
                         [("cost (J)", None), (FRONT, "smallest")])
        self.assertEqual(chart["panels"][0]["series"][0]["points"][0], [10, 1, None, "A\n1 way"])

    def test_captions_say_what_the_rows_are(self):
        """An expression in braces is filled from the rows that the figure shows."""
        text = '[[figure]]\nname = "f"\ncaption = "At {ways} ways, {2 * ways} dies of {{kind}}, {workload}."\nx = "ways"\ny = "speed"\nrows = "ROWS"\n'
        for rows, expected in (("ways == 2", "At 2 ways, 4 dies of {kind}, a, b."), ("workload == 'a'", "At 1 to 4 ways, 2 to 8 dies of {kind}, a."),
                               ("ways == 7", "At – ways, – dies of {kind}, –.")):
            study, table = self.make(TEXT + text.replace("ROWS", rows))
            self.assertEqual(captioned(study, study.figures[0], table).caption, expected)

    def test_captions_say_how_many_requests_are_in_flight(self):
        """A caption of a study in this tree that says so says a depth that its workloads have."""
        for file in sorted(ROOT.glob("experiments/*/study.toml")):
            study = tomllib.loads(file.read_text(encoding="utf-8"))
            jobs = [file.parent / one["job"] for one in study.get("workload", {}).values() if isinstance(one.get("job"), str)]
            depths = re.findall(r'iodepth *= *"?(\d+)', "\n".join(path.read_text(encoding="utf-8") for path in [file, *jobs] if path.is_file()))
            depths += [str(depth) for depth in study.get("axis", {}).get("depth", {}).get("values", [])]
            if "iodepth" not in file.read_text(encoding="utf-8") and not depths:
                continue
            for one in [*study.get("figure", []), *study.get("summary", [])]:
                for depth in re.findall(r"(\d+) in flight", one["caption"]):
                    computed = "iodepth = \"{" in file.read_text(encoding="utf-8")
                    self.assertTrue(depth in depths or computed, f"{file.parent.name}: {one['name']}: {depth} in flight; its jobs have {depths}")

    def test_what_a_figure_may_not_say(self):
        for text, expected in ((STACKED.replace('caption = "', 'caption = "{nothing} '), "caption: "),
                               (STACKED.replace('caption = "', 'caption = "{ways '), "caption: .*a brace is not closed"),
                               (STACKED.replace('["wires", "array", "tier"]', '["wires"]'), "two or more metrics"),
                               (STACKED.replace('"tier"]', '"cost"]'), r"one unit, not wires \(ns\), array \(ns\), cost \(J\)"),
                               (STACKED.replace('"tier"]', '"ways"]'), "a list of metrics; valid: speed"),
                               (STACKED + 'series = "ways"\n', "series: does not go with stacked bars"),
                               (STACKED + 'log = "y"\n', "log: does not go with stacked bars"),
                               (PARETO.replace("best", "rows"), "rows: "), (PARETO.replace(', "smallest"', ""), "two of largest, smallest"),
                               (PARETO.replace('kind = "pareto"\n', ""), "best: of kind = \"pareto\"")):
            with self.subTest(text=text), self.assertRaisesRegex(StudyError, expected):
                load_study(self.study(TEXT + text))

    def test_panels_share_a_range_where_all_can_be_read(self):
        lines = '[[figure]]\nname = "f"\ncaption = "?"\nx = "ways"\ny = "speed"\npanels = "workload"\n'

        def thousandfold(where, result):
            result["speed"] *= 1000 if where[0] == "b" else 1

        for text, change, expected in ((lines, None, True), (lines, thousandfold, False), (lines + 'log = "y"\n', thousandfold, True),
                                       (lines + 'ranges = "shared"\n', thousandfold, True), (lines + 'ranges = "own"\n', None, False)):
            study, table = self.make(TEXT + text, change or (lambda where, result: None))
            panels = data_of(study, study.figures[0], table)
            said = settings(study, study.figures[0], panels, ROOT / "plots/study.gp")
            self.assertIn(f"is_shared = {int(expected)}", said)
            self.assertEqual(chart_of(study, study.figures[0], table)["shared"], expected)
            self.assertIn('y_label = "speed (GB/s)"' if change else 'y_label = "speed (MB/s)"', said)

    def test_an_axis_that_begins_at_0_begins_there(self):
        """An axis of quantities that start at 0 begins at 0; others have some margin."""
        line = '[[figure]]\nname = "f"\ncaption = "?"\nx = "speed"\ny = "cost"\n'

        for least, negative in ((0, False), (-10, True)):
            study, table = self.make(TEXT + line, lambda where, result, least=least: result.update(speed=result["speed"] - 5 + least))
            panels, folder = data_of(study, study.figures[0], table), self.scratch / "drawn"
            folder.mkdir(exist_ok=True)
            write_data(folder / "f.csv", study, study.figures[0], panels, table)
            (folder / "f.gp").write_text(settings(study, study.figures[0], panels, ROOT / "plots/study.gp"), encoding="utf-8")
            subprocess.run(["gnuplot", "f.gp"], cwd=folder, env=os.environ | {"GNUPLOT_LIB": str(ROOT / "plots")}, capture_output=True, check=True)
            tics = re.findall(r">\s*([-\d.]+)\s*<", (folder / "f.svg").read_text(encoding="utf-8"))
            self.assertIn("10", tics)
            self.assertEqual(any(tic.startswith("-") for tic in tics), negative, tics)

    def test_nothing_is_shown_of_what_was_never_asked(self):
        study, table = self.make(TEXT)
        header, rows = points_of(study, table)
        for name in ("writes (µs)", "both (µs)"):
            cell = rows[0][header.index(name)]
            self.assertEqual((cell.text, cell.value), (DASH, None))
        tier = rows[0][header.index("tier (ns)")]  # there were reads, but none waited for a tier
        self.assertEqual((tier.text, tier.value), ("0", 0))
        figure = '[[figure]]\nname = "f"\ncaption = "?"\nx = "ways"\ny = "writes"\n'
        study, table = self.make(TEXT + figure)
        self.assertEqual(data_of(study, study.figures[0], table), {})

    def test_units_that_fit(self):
        for unit, values, expected in (("us", [360274, 12], ("ms", "360.3")), ("us", [12, 9000], ("µs", "12")), ("ns", [5e4], ("µs", "50")),
                                       ("s", [2e-5], ("µs", "20")), ("MB/s", [12500.0], ("GB/s", "12.5")), ("J", [0.002], ("mJ", "2")),
                                       ("KiB", [65536.0], ("MiB", "64")), ("1", [1e6], ("1", "1000000")), ("MB/s", [0, None, "x"], ("MB/s", "0")),
                                       ("W", [0.004], ("mW", "4")), ("us", [1e15], ("s", "1000000000"))):
            fit, factor = fitting(unit, values)
            self.assertEqual((fit, digits(values[0] * factor) if values[0] != 1e15 else f"{values[0] * factor:.0f}"), expected, (unit, values))

    def test_tics_of_logarithmic_axes(self):
        self.assertIn("'10' 10.0 0", log_tics(3, 300))
        self.assertIn("'' 30.0 1", log_tics(3, 300))
        self.assertIn("'50' 50.0 0", log_tics(3, 300))
        self.assertIn("'' 50.0 1", log_tics(1, 1e6))

    def test_pages_and_drawings_have_the_same_colours(self):
        style = (ROOT / "plots/style.gp").read_text()
        palette = re.findall(r"#[0-9a-f]{6}", re.search(r"array palette\[20\] = \[(.*?)\]", style, re.DOTALL)[1])
        light = (ROOT / "plots/page/style.css").read_text().split("@media")[0]
        self.assertEqual([re.search(rf"--c{number + 1}: (#\w+);", light)[1] for number in range(20)], palette)
        self.assertEqual(len(set(palette)), 20)
        schema = (ROOT / "docs/schemas/result.schema.json").read_text()
        for part in latency_parts():
            self.assertIn(f'"{part}"', schema)


if __name__ == "__main__":
    import unittest
    unittest.main()
