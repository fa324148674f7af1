"""Numbers that the README of a study claims, against the summary.csv beside it.

A number of a README comes from the study's summaries, from its published.csv (values of paper.csv beside ours), or from
a setting (of the folder's TOML files and its preset). It may be written as it is, in per cent, or scaled by a thousand,
rounded to the digits shown. All our numbers in one table row must come from at most three metrics or rows of the
summaries, so that a number does not match any other by chance. A section that says "Measured 2026-01-31" has numbers of
parts that no summary holds."""
import bisect
import csv
import math
import pathlib
import re
import unittest
from collections import defaultdict

from case import ROOT

NUMBER = re.compile(r"(?<![\w.#/])[-−+±]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w]*[:/]\w)(?!\w*\()")
# Numbers that a text mentions without a claim.
NO_CLAIM = [re.compile(text, re.MULTILINE | re.DOTALL) for text in (
    r"^(```|~~~).*?^\1", r"^    .*?$", r"`[^`]*`", r"!\[[^\]]*\]\([^)]*\)", r"\]\([^)]*\)", r"<!--.*?-->", r"https?://\S+",
    r"\b[Ff]igures? \d+(?:(?:,| to| and|-) ?\d+)*", r"\b(?:ADR|section|table|user|users|days?|Linux|chapter|raid|version) \d[\d.]*(?:(?:,| to| or| and|-) ?\d+)*",
    r"\b20\d\d-\d\d-\d\d\b", r"\b(?:19|20)\d\d\b", r"\b\d+\(\d+\)", r"\b\d+ (?:points|runs|seeds|studies|cores)\b", r"\b\d+[DBPx]\b", r"\bSATA at 6 Gb/s")]
MEASURED = re.compile(r"\bMeasured 20\d\d-\d\d-\d\d\b")
SMALL = 12  # whole numbers up to this are counts that a text may mention in passing
SCALES = (1, 100, 1e-3, 1e3, 1e-6, 1e6)
GROUPS_OF_A_ROW = 3


def claims_of(text):
    """For each table row and paragraph: the numbers as written, and whether it is in a table."""
    text = "".join(section for section in re.split(r"(?m)^(?=#)", text) if not MEASURED.search(section))
    for pattern in NO_CLAIM:
        text = pattern.sub(" ", text)
    for block in re.split(r"\n(?=\||\n)|\n\n", text):
        numbers = [word.replace("−", "-") for word in NUMBER.findall(block)]
        yield numbers, block.lstrip().startswith("|")


def plain(word):
    return float(word.lstrip("±").replace(",", ""))


def scaled(values):
    """All that may stand for one of the values, in order."""
    return sorted(abs(value) * scale for value in values for scale in SCALES)


def matches(word, ordered):
    """Whether a number as written is one of `scaled(values)`, rounded."""
    digits = len(word.partition(".")[2])
    shown = abs(plain(word))
    bar = 0.5 * 10 ** -digits * (1 + 1e-6) + 1e-12
    nearest = bisect.bisect_left(ordered, shown - bar)
    return nearest < len(ordered) and ordered[nearest] <= shown + bar


def settings_of(folder):
    numbers = set()
    study = folder / "study.toml"
    words = re.findall(r'"([\w.-]+)"', study.read_text(encoding="utf-8")) if study.exists() else []
    presets = [ROOT / "configs" / f"{word}.toml" for word in words]
    for path in [*folder.glob("*.toml"), *folder.glob("*.fio"), *folder.glob("paper*.csv"), *presets]:
        if path.exists():
            for word in re.findall(r"\d[\d_]*(?:\.\d+)?", path.read_text(encoding="utf-8")):
                number = float(word.replace("_", ""))
                numbers |= {number, 100 * number}
    return numbers


def groups_of(studies, text, own=None):
    """Values by (study, summary, metric) and by (study, summary, row), of this study and of those that the text
    names."""
    groups = defaultdict(list)
    for path in with_summaries(studies):
        if path != own and not re.search(rf"\b{path.name}\b", text):
            continue
        with open(path / "summary.csv", newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                try:
                    value = float(line["value"])
                except ValueError:
                    continue
                groups[path.name, line["summary"], "metric", line["metric"]].append(value)
                groups[path.name, line["summary"], "row", line["row"]].append(value)
        if (path / "published.csv").exists():
            with open(path / "published.csv", newline="", encoding="utf-8") as file:
                for line in csv.DictReader(file):
                    for name in ("ours", "deviation_percent"):
                        if line[name] != "-":
                            groups[path.name, "published", "metric", name].append(float(line[name]))
    return groups


def unheld(folder):
    """Numbers of the README without a source."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    return unheld_in(text, settings_of(folder), groups_of(folder.parent, text, folder))


def unheld_in(text, settings, values_by_group):
    groups = [scaled(values) for values in values_by_group.values()]
    lost = []
    for words, is_row in claims_of(text):
        claimed = [word for word in words if not (plain(word).is_integer() and "." not in word and abs(plain(word)) <= SMALL)
                   and not any(math.isclose(abs(plain(word)), number, rel_tol=1e-9) for number in settings)]
        for _ in range(GROUPS_OF_A_ROW if is_row else len(groups)):
            if not claimed:
                break
            found = [[word for word in claimed if matches(word, ordered)] for ordered in groups]
            best = max(found, key=len, default=[])
            if not best:
                break
            claimed = [word for word in claimed if word not in best]
        lost += [f"{word} in \"{'row' if is_row else 'text'}: {' '.join(words[:12])}\"" for word in claimed]
    return lost


def with_summaries(studies=ROOT / "experiments"):
    for path in sorted(studies.glob("*/summary.csv")):
        with open(path, encoding="utf-8") as file:
            if file.readline().strip() == "summary,row,metric,value":
                yield path.parent


class ReadmeNumbers(unittest.TestCase):
    def test_every_number_is_held(self):
        for folder in with_summaries():
            with self.subTest(study=folder.name):
                self.assertEqual(unheld(folder), [])

    def test_every_number_of_the_papers_is_held(self):
        """Numbers of a section come from the studies that it links."""
        studies = ROOT / "experiments"
        for section in re.split(r"(?m)^## ", (ROOT / "docs/explanation/papers.md").read_text(encoding="utf-8"))[1:]:
            with self.subTest(section=section.partition("\n")[0]):
                named = sorted(set(re.findall(r"experiments/(\w+)/README\.md", section)))
                self.assertNotEqual(named, [])
                settings = set().union(*(settings_of(studies / name) for name in named))
                self.assertEqual(unheld_in("## " + section, settings, groups_of(studies, section)), [])

    def test_numbers_by_hand(self):
        self.assertEqual([(words, row) for words, row in claims_of(
            "Figure 8: it gains 12.5 % (-3) of 1,200.\n\n| a | 38.97 | x |\n| b | 4 KiB `7.7` |\n\n    run 99\n") if words],
                         [(["12.5", "-3", "1,200"], False), (["38.97"], True), (["4"], True)])
        self.assertEqual([words for words, _ in claims_of("# Kept\n\n30 %\n\n## Other\n\nMeasured 2026-11-22: 40 %.\n\n## More\n\n50\n") if words],
                         [["30"], ["50"]])
        for word, value, expected in (("38.97", 0.389749, True), ("38.97", 0.38976, False), ("-5", -0.0461, True), ("3.0", 3.04, True),
                                      ("3.0", 3.06, False), ("1,200", 1.2e6, True)):
            self.assertEqual(matches(word, scaled([value])), expected, (word, value))

    def test_a_wrong_number_is_found(self):
        import tempfile  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "gains"
            folder.mkdir()
            (folder / "study.toml").write_text("depth = 64\n")
            (folder / "paper.csv").write_text("metric,value\ngain,0.41\n")
            (folder / "summary.csv").write_text("summary,row,metric,value\ns,a,gain,0.384\ns,b,gain,0.231\ns,c,loss,0.151\ns,d,other,0.661\n"
                                                "s,e,more,0.771\n")
            for text, expected in (("gains 38 % at depth 64, where the paper has 41\n", 0), ("gains 39 %\n", 1), ("| a | 38 | 23 | 15 |\n", 0),
                                   ("| a | 38 | 15 | 66 | 77 |\n", 1), ("| a | 38.5 |\n", 1)):
                (folder / "README.md").write_text(text)
                self.assertEqual(len(unheld(folder)), expected, text)


if __name__ == "__main__":
    unittest.main()
