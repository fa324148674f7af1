"""Error bars through the real program: the study of docs/how-to/studies.md, checked against its results."""
import re
import tomllib
import unittest

from case import ROOT, StudyCase, results


def example():
    """The study in the error-bar section of docs/how-to/studies.md."""
    guide = (ROOT / "docs/how-to/studies.md").read_text(encoding="utf-8")
    return next(block for block in re.findall(r"```toml\n(.*?)```", guide, re.DOTALL) if "uncertainty" in block and "question" in block)


class UncertainRuns(StudyCase):
    def test_the_study_of_the_guide(self):
        # Turns off the preset's ranges, so that only the study's own range applies.
        alone = "".join(f'"{table}.uncertainty" = "none", ' for table in ("nand", "cpu", "link", "dram"))
        text = example().replace("uncertainty = 1000", "uncertainty = 200").replace("set = { ", f"set = {{ {alone}", 1)
        tomllib.loads(text)
        folder = self.study(text, "uncertain")
        out = self.run_study(folder)
        rows = self.table(out)
        found = results(out)
        for row in rows:
            band = found[row["point"]]["energy"]["uncertainty"]["j_per_gb"]
            for end in ("p5", "p50", "p95"):
                self.assertAlmostEqual(float(row[f"energy_{end}_j_per_gb"]), band[end], delta=1e-7 * band[end])
        by_channels = {row["channels"]: row for row in rows}
        # Both points share the only range, so their difference is known better than either.
        one, other = by_channels["4"], by_channels["8"]
        self.assertEqual((one["saving_p5_percent"], one["saving_p95_percent"]), ("0", "0"))
        own = (float(other["energy_p95_j_per_gb"]) - float(other["energy_p5_j_per_gb"])) / float(other["energy_j_per_gb"])
        difference = float(other["saving_p95_percent"]) - float(other["saving_p5_percent"])
        self.assertLess(difference, 100 * own / 2)
        for name in ("energy", "why"):
            self.assertGreater((out / "figures" / f"{name}.png").stat().st_size, 2000)
        # One key accounts for all of the variance.
        indices = (out / "indices.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(indices), 3)
        self.assertGreater(float(indices[1].split(",")[5]), 0.9)
        page = (out / "report.html").read_text(encoding="utf-8")
        self.assertRegex(page, r"\d \(\d[\d.]* to \d[\d.]*\)")
        self.assertIn(">none</td>", page)  # the baseline against itself

    def test_a_device_without_ranges_fails_and_says_why(self):
        text = re.sub(r"set = .*\n", "", example(), count=1).replace('device = "tiny"', 'device = "bare.toml"')
        done = self.start(self.study(text, "bare", bare__toml="[nand]\nblocks = 64\n[ftl]\nover_provisioning = 0.5\n"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "no key of .*bare.toml has a range")


if __name__ == "__main__":
    unittest.main()
