"""The word budgets count what `wc -w` counts, folder by folder."""
import pathlib
import subprocess
import tempfile
import unittest

import word_budgets

BUDGETS = {"words": {".": 6, "docs/adr": 2}, "lines": {"README.md": 2}}


class WordBudgets(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.write("README.md", "# One\ntwo\n")
        self.write("docs/a.txt", "words " * 100)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def violations(self):
        return word_budgets.check(self.root, BUDGETS)

    def test_what_is_within_its_budget_is_silent(self):
        self.write("docs/adr/a.md", "a b")
        self.assertEqual(self.violations(), [])

    def test_too_many_words_of_a_folder_and_of_all(self):
        self.write("docs/adr/a.md", "a b - c")
        self.assertEqual(self.violations(), [".: 7 words of Markdown; at most 6", "docs/adr: 4 words of Markdown; at most 2"])

    def test_too_many_lines(self):
        self.write("docs/adr/a.md", "")
        self.write("README.md", "a\n\n\n")
        self.assertEqual(self.violations(), ["README.md: 3 lines; at most 2"])

    def test_a_word_is_what_wc_counts(self):
        text = "# A \u2014 b `c d`\n\n| e | f |\n    g\th\n"
        self.write("README.md", text)
        counted = subprocess.run(["wc", "-w"], input=text, capture_output=True, text=True, check=True).stdout
        self.assertEqual(len(text.split()), int(counted))


if __name__ == "__main__":
    unittest.main()
