"""build_cost.py counts correctly, and fails above and below its budgets.

    python3 -m unittest discover -s tests/structure"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build_cost  # noqa: E402

TREE = {
    "policies/a.hpp": "#pragma once\n",  # 1 line
    "policies/b.hpp": '#include "policies/a.hpp"\n#include <cstddef>\n',  # 2 lines
    "policies/x.cpp": '#include "policies/b.hpp"\n#include "policies/a.hpp"\n\n',  # 3 lines
    "models/y.cpp": "// nothing\n",
    "tests/z_test.cpp": '#include "policies/a.hpp"\n',
}


class BuildCostTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for path, text in TREE.items():
            full = os.path.join(folder.name, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        self.cost = build_cost.BuildCost(folder.name)

    def test_each_source_file_of_the_program_counts_a_header_once(self):
        self.assertEqual(self.cost.reach(), {"policies/a.hpp": 1, "policies/b.hpp": 1})
        self.assertEqual(self.cost.own_lines(), 1 + (3 + 2 + 1))

    def test_headers_of_libraries_count_with_all_that_they_include(self):
        files = build_cost.files_of_header("cstddef")
        if files is None:
            self.skipTest("no g++")
        self.assertTrue(any(path.endswith("/stddef.h") for path in files), files)
        self.assertEqual(self.cost.all_lines(), 7 + sum(map(build_cost.lines_of, files)))
        self.assertIsNone(build_cost.files_of_header("there_is_no_such_header"))

    def test_budgets(self):
        budgets = {"reach": {"a": 100, "b": 60}, "own_lines": 1000, "all_lines": 100_000}

        def wrong(reach=(("a", 100), ("b", 60)), own=1000, everything=100_000):
            return build_cost.check(budgets, dict(reach), own, everything)

        self.assertEqual(wrong(), [])
        self.assertEqual(wrong((("a", 105), ("b", 57), ("c", 63)), 1050, 95_000), [])
        self.assertIn("a: 106, above its budget of 100", wrong((("a", 106), ("b", 60)))[0])
        self.assertIn("renewed", wrong((("a", 94), ("b", 60)))[0])
        self.assertIn("not among", wrong((("a", 100), ("b", 60), ("c", 64)))[0])
        self.assertIn("lines of the tree", wrong(own=1051)[0])
        self.assertIn("lines that are read", wrong(everything=106_000)[0])
        self.assertEqual(wrong(everything=None), [])


if __name__ == "__main__":
    unittest.main()
