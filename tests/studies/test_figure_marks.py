"""Published values in figures, lines that hide each other, empty panels, and the end of a share's axis: worked by hand.
"""
import subprocess
from dataclasses import replace

from case import ROOT
from engine.figure_axes import axes_of, series_of
from engine.figure_marks import Mark, hidden_levels, marks_of, published_heights
from engine.figures import data_of, draw_figures, write_data
from engine.page_figures import chart_of
from engine.published import published
from test_figures import TEXT, FigureCase

LINES = '[[figure]]\nname = "f"\ncaption = "?"\nx = "ways"\ny = "speed"\nseries = "workload"\n'
PAPER = "figure,workload,ways,metric,value,note\n8,a,2,speed,22,read off\n8,b,8,speed,50,\n9,a,2,cost,7,\n"


class FigureMarks(FigureCase):
    def of(self, text, paper=PAPER, change=lambda where, result: None):
        """(study, table, published values); writes paper.csv beside the study."""
        study, table = self.make(TEXT + text, change)
        (study.folder / "paper.csv").write_text(paper, encoding="utf-8")
        return study, table, published(study, table)

    def test_a_published_value_is_marked_in_its_series(self):
        study, table, papers = self.of(LINES)
        figure = study.figures[0]
        panels = data_of(study, figure, table)
        marks = marks_of(study, figure, panels, papers)
        # The second value lies beyond our axis, and is drawn at the paper's x. The third is of another metric.
        self.assertEqual(marks, {"": [Mark(2, 22, 1, "figure 8: read off"), Mark(8.0, 50, 2, "figure 8")]})
        self.assertEqual(axes_of(study, figure, panels, published_heights(marks)).y.high, 50)
        write_data(table.out / "f.csv", study, figure, panels, table, marks)
        self.assertEqual((table.out / "f.csv").read_text().strip().split("\n\n\n")[-1].split("\n")[1:], ["2,22,1", "8,50,2"])
        self.assertEqual(chart_of(study, figure, table, papers)["panels"][0]["published"],
                         [[2, 22, "A", "figure 8: read off"], [8, 50, "B", "figure 8"]])

    def test_rows_that_a_figure_leaves_out_are_not_marked(self):
        for rows, expected in (("workload == 'b'", [2]), ("ways > 1", [1, 2])):
            study, table, papers = self.of(LINES + f'rows = "{rows}"\n')
            figure = study.figures[0]
            marks = marks_of(study, figure, data_of(study, figure, table), papers)
            self.assertEqual([mark.series + (len(expected) == 1) for mark in marks[""]], expected)

    def test_marks_of_panels_and_of_bars(self):
        bars = LINES.replace('series = "workload"', 'panels = "workload"\nkind = "bars"')
        study, table, papers = self.of(bars)
        panels = data_of(study, study.figures[0], table)
        marks = marks_of(study, study.figures[0], panels, papers)
        self.assertEqual({panel: [(mark.x, mark.series) for mark in found] for panel, found in marks.items()}, {"A": [(2, 1)], "B": [(8.0, 1)]})
        write_data(table.out / "f.csv", study, study.figures[0], panels, table, marks)
        # A bar's number in place of its x; there is no bar for 8 ways.
        self.assertEqual([block.split("\n")[1] for block in (table.out / "f.csv").read_text().strip().split("\n\n\n")[-2:]],
                         ["1,22,1", "NaN,NaN,NaN"])

    def test_a_line_that_hides_another_is_dashed_over_it(self):
        def alike(where, result):
            result["speed"] = 10 * where[1] + (0.1 if where[0] == "b" else 0)

        for change, levels in ((alike, [0, 1]), (lambda where, result: None, [0, 0])):
            study, table, _ = self.of(LINES, change=change)
            panels = data_of(study, study.figures[0], table)
            self.assertEqual(hidden_levels(study.figures[0], panels, series_of(panels)), levels)
            self.assertEqual([line.get("level", 0) for line in chart_of(study, study.figures[0], table)["panels"][0]["series"]], levels)

    def test_a_share_ends_at_1(self):
        for unit, top, expected in (("1", 0.99, 1.0), ("1", 0.5, 0.525), ("1", 1.2, 1.26), ("W", 0.99, 0.99 * 1.05)):
            study, table = self.make(TEXT.replace('path = "speed", unit = "MB/s"', f'path = "speed", unit = "{unit}"') + LINES,
                                     lambda where, result, top=top: result.update(speed=top if where[1] == 4 else 0))
            panels = data_of(study, study.figures[0], table)
            self.assertAlmostEqual(axes_of(study, study.figures[0], panels).y.top, expected)

    def test_everything_is_drawn(self):
        """gnuplot draws everything: lines and bars, hidden lines, marks, empty panels, linear and logarithmic axes."""
        def mixed(where, result):
            result["speed"] = 0 if where[0] == "b" else 10 * where[1]

        for number, text in enumerate((LINES, LINES + 'kind = "bars"\n', LINES + 'log = "y"\n', LINES.replace("series", "panels"),
                                       LINES.replace("series", "panels") + 'kind = "bars"\n', LINES.replace("series", "panels") + 'log = "xy"\n')):
            study, table, papers = self.of(text, change=mixed)
            panels = data_of(study, study.figures[0], table)
            self.assertEqual(axes_of(study, study.figures[0], panels).nones, [False, True] if "panels" in text else [False])
            study.figures[0] = replace(study.figures[0], name=f"f{number}")
            self.assertEqual([figure.name for figure in draw_figures(study, table, papers, ROOT)], [f"f{number}"])
            script = (table.out / "figures" / f"f{number}.gp").read_text()
            self.assertIn("has_paper = 1", script)
            said = subprocess.run(["gnuplot", f"f{number}.gp"], cwd=table.out / "figures", capture_output=True, text=True, check=True,
                                  env={"GNUPLOT_LIB": str(ROOT / "plots"), "PATH": "/usr/bin:/bin"}).stderr
            self.assertNotIn("rror", said)


if __name__ == "__main__":
    import unittest
    unittest.main()
