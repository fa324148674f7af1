"""flashloom.plot: each function returns Axes with units in the labels and with the given data drawn."""
import contextlib
import io
import re
import unittest

from case import FULL, JOB, ROOT, PackageCase

import flashloom

try:
    import matplotlib.pyplot as plt
    from flashloom import plot
except ImportError:
    raise unittest.SkipTest("no Matplotlib: ./check installs it in .venv") from None


class Plots(PackageCase):
    @classmethod
    def setUpClass(cls):
        drive = flashloom.Device("tiny", **FULL)
        cls.results = {f"{ways} ways": flashloom.run(drive.set({"nand.ways": ways}), job=JOB) for ways in (1, 4)}
        cls.sweep = flashloom.sweep(drive, {"nand.channels": [1, 2], "nand.ways": [1, 2]}, job=JOB, progress=False)

    def tearDown(self):
        plt.close("all")

    def test_throughput(self):
        axes = plot.throughput(self.sweep, "nand.channels", series="nand.ways", log="x")
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("nand.channels", "throughput (MB/s)"))
        self.assertEqual(len(axes.lines), 2)
        rows = self.sweep.frame[self.sweep.frame["nand.ways"] == 2]
        self.assertEqual(list(axes.lines[1].get_ydata()), list(rows["throughput_mb_s"]))
        self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], ["ways 1", "ways 2"])
        with self.assertRaisesRegex(flashloom.BadInput, "no column nand.chanels; valid: point"):
            plot.throughput(self.sweep, "nand.chanels")

    def test_ticks_do_not_overlap(self):
        self.assertTrue(plot.apart([1, 2, 4, 8], log=True))
        self.assertTrue(plot.apart([1, 2, 3], log=False))
        self.assertFalse(plot.apart([1, 1.01, 40], log=False))
        self.assertFalse(plot.apart([1], log=False))

    def test_latency_has_the_tail(self):
        axes = plot.latency(self.results, "read")
        self.assertEqual((axes.get_xscale(), axes.get_xlabel()), ("log", "read latency (µs)"))
        self.assertIn("99 %", [text.get_text() for text in axes.get_yticklabels()])
        for line, result in zip(axes.lines, self.results.values()):
            times, above = line.get_xdata(), line.get_ydata()
            self.assertEqual(len(times), len(above))
            self.assertEqual(above[0], 1)
            self.assertAlmostEqual(above[-1], 1 / result.host.read.ios)
            # Within a histogram bucket.
            self.assertAlmostEqual(times[-1] / (result.host.read.latency_ns.max / 1e3), 1, delta=0.05)
        with self.assertRaisesRegex(flashloom.BadInput, "no trim; it has read, write"):
            plot.latency(self.results, "trim")

    def test_energy_is_stacked_to_the_whole(self):
        axes = plot.energy(self.results)
        self.assertEqual(axes.get_ylabel(), "energy (J)")
        for number, result in enumerate(self.results.values()):
            top = sum(bars[number].get_height() for bars in axes.containers)
            self.assertAlmostEqual(top, result.energy_j, places=9)
        per_gb = plot.energy(self.results, per_gb=True)
        self.assertEqual(per_gb.get_ylabel(), "energy (J/GB)")
        self.assertAlmostEqual(sum(bars[0].get_height() for bars in per_gb.containers), self.results["1 ways"].j_per_gb, places=6)

    def test_pareto(self):
        axes = plot.pareto(self.sweep, "power_w", "throughput_mb_s", maximize=["throughput_mb_s"], text="point")
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("power (W)", "throughput (MB/s) → more"))
        front = flashloom.pareto_front(self.sweep.frame, maximize=["throughput_mb_s"], minimize=["power_w"])
        self.assertEqual(len(axes.lines[0].get_xdata()), front.sum())
        self.assertEqual(len(axes.texts), front.sum())

    def test_compare(self):
        axes = plot.compare(list(self.results.values()))
        self.assertTrue(axes.get_xlabel().startswith("ratio to tiny"))
        self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], ["tiny", "tiny 2"])
        self.assertIn("MB/s", axes.get_yticklabels()[0].get_text())

    def test_breakdown_and_series(self):
        axes = plot.breakdown(self.results)
        self.assertEqual(axes.get_ylabel(), "read latency, mean (µs)")
        top = sum(bars[0].get_height() for bars in axes.containers)
        self.assertAlmostEqual(top / (self.results["1 ways"].host.read.latency_ns.mean / 1e3), 1, delta=1e-3)
        self.assertEqual(plot.series(self.results).get_ylabel(), "write (MB/s)")

    def test_the_examples_of_the_guide_run(self):
        names, said = {}, io.StringIO()
        for example in re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/how-to/python.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            with contextlib.redirect_stdout(said):
                exec(example, names)  # pylint: disable=exec-used
        self.assertRegex(said.getvalue(), r"^[\d.]+ MB/s, [\d.]+ ns, [\d.]+ J/GB\n$")
        self.assertEqual(len(names["sweep"]), 6)

    def test_axes_of_ones_own(self):
        figure, own = plt.subplots()
        self.assertIs(plot.energy(self.results, ax=own), own)
        self.assertEqual(plt.get_fignums(), [figure.number])


if __name__ == "__main__":
    unittest.main()
