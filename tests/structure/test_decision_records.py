"""The check of the decision records finds violations, in trees made for the test."""
import pathlib
import tempfile
import unittest

import decision_records

RECORD = "# 7. Banks\n\n**Status**: in force.\n\n**Context.** A.\n\n**Decision.** B.\n\n**Consequences.** C.\n"
PATH = decision_records.FOLDER + "0007-banks.md"
INDEX = decision_records.INDEX
NAME = "A" + "DR"  # in parts, here and below: the check of this tree reads this file, too
SOUND = {PATH: RECORD, INDEX: "* [7](0007-banks.md): banks\n", "a.hpp": f"// {NAME} 7\n", "docs/a.md": f"[{NAME}\n7]({PATH[5:]})\n"}


class DecisionRecords(unittest.TestCase):
    def violations(self, files=None):
        with tempfile.TemporaryDirectory() as scratch:
            for path, text in (SOUND | (files or {})).items():
                (pathlib.Path(scratch) / path).parent.mkdir(parents=True, exist_ok=True)
                (pathlib.Path(scratch) / path).write_text(text, encoding="utf-8")
            return decision_records.check(pathlib.Path(scratch))

    def assert_one(self, words, files):
        found = self.violations(files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_sound_tree_has_none(self):
        self.assertEqual(self.violations(), [])

    def test_the_form(self):
        self.assert_one('does not begin with "# 7. Title"', {PATH: RECORD.replace("# 7.", "# 6.")})
        self.assert_one("**Status**", {PATH: RECORD.replace("**Status**: in force.\n\n", "")})
        self.assert_one("has Context, Decision of", {PATH: RECORD.replace("**Consequences.** ", "")})
        self.assert_one("has Decision, Context, Consequences of", {
            PATH: RECORD.replace("Context", "X").replace("Decision", "Context").replace("X", "Decision")})

    def test_the_length(self):
        self.assertEqual(self.violations({PATH: RECORD + "word " * (480 - len(RECORD.split()))}), [])
        self.assert_one("481 words; at most 480", {PATH: RECORD + "word " * (481 - len(RECORD.split()))})

    def test_the_index(self):
        self.assert_one("lists 0007-banks.md 0 times", {INDEX: ""})
        self.assert_one("lists 0007-banks.md 2 times", {INDEX: SOUND[INDEX] * 2})
        self.assert_one("[6] is 0007-banks.md", {INDEX: SOUND[INDEX].replace("[7]", "[6]")})
        self.assert_one("there is no 0006-gone.md", {INDEX: SOUND[INDEX] + "* [6](0006-gone.md): gone\n"})

    def test_what_refers_to_records(self):
        self.assert_one("a.hpp:2: there is no record 0008", {"a.hpp": f"// A.\n// {NAME} 8\n"})
        self.assert_one("b.md:1: there is no record 0007-other.md", {"b.md": f"[why]({decision_records.FOLDER}0007-other.md)\n"})
        self.assert_one("c.py:1: there is no record 0006", {"c.py": f"# {decision_records.FOLDER}0006\n"})


if __name__ == "__main__":
    unittest.main()
