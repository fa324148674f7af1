"""The check of the FTL's parts finds violations, in trees made for the test."""
import pathlib
import shutil
import tempfile
import unittest
from unittest import mock

import ftl_parts

PART = "controllers/ftl/features/rain/parity.hpp"


def table(methods):
    bodies = "".join(f"  void step{number}(int a, int b);\n  int at{number}() const {{ return 0; }}\n" for number in range(methods // 2))
    return f"namespace flashloom {{\nclass Table {{\n public:\n  Table();\n{bodies}}};\n}}\n"


class FtlParts(unittest.TestCase):
    def violations(self, files):
        with tempfile.TemporaryDirectory() as scratch, mock.patch.object(ftl_parts, "FEATURES", {"rain": (r"\brain\b", 1)}):
            for path, text in files.items():
                (pathlib.Path(scratch) / path).parent.mkdir(parents=True, exist_ok=True)
                (pathlib.Path(scratch) / path).write_text(text, encoding="utf-8")
            return ftl_parts.check(pathlib.Path(scratch))

    @unittest.skipUnless(shutil.which("ctags"), "Universal Ctags is not installed")
    def test_the_largest_class(self):
        sound = {"controllers/ftl/table.hpp": table(44), "controllers/ftl/table.cpp": "void Table::step0(int c, int d) {}\n"}
        self.assertEqual(self.violations(sound), [])
        self.assertEqual(self.violations({"controllers/ftl/table.hpp": table(46)}), ["flashloom::Table: 47 methods; at most 45"])

    def test_who_names_a_feature(self):
        inside = {PART: "// rain\n", "controllers/ftl/a.cpp": "int rain;\n", "tests/controllers/ftl/b.cpp": "int rain;\n"}
        self.assertEqual(self.violations(inside), [])
        found = self.violations(inside | {"controllers/ftl/c.cpp": "// with rain.\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn("rain: 2 files outside of controllers/ftl/features/rain/ name it; at most 1", found[0])

    def test_a_feature_without_words(self):
        found = self.violations({"controllers/ftl/features/snow/flake.hpp": ""})
        self.assertEqual(found, ["controllers/ftl/features/snow/: FEATURES does not say what names it"])


if __name__ == "__main__":
    unittest.main()
