"""The check of where tests lie finds violations, in trees made for the test."""
import pathlib
import tempfile
import unittest
from unittest import mock

import mirrored_tests

TEST = "TEST(A, B) {}\n"
SOUND = {
    "models/nand/die.hpp": "",
    "tests/models/nand/die_test.cpp": TEST,
    "tests/models/nand/die_bench.hpp": "",
    "tests/models/nand/laws_test.cpp": "// Laws of dies.\n" + TEST,
    "models/onfi/command.hpp": "",
    "tests/system/waf_test.cpp": "// WAF.\n" + TEST,
    "tests/support/support.cpp": "",
}


class MirroredTests(unittest.TestCase):
    def violations(self, covered=("tests/system/waf_test.cpp",), folder="models/onfi", **seeded):
        with tempfile.TemporaryDirectory() as scratch, mock.patch.object(mirrored_tests, "COVERED", {folder: covered}):
            root = pathlib.Path(scratch)
            for path, text in (SOUND | seeded.get("files", {})).items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            return mirrored_tests.check(root)

    def assert_one(self, words, **seeded):
        found = self.violations(**seeded)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_sound_tree_has_none(self):
        self.assertEqual(self.violations(), [])

    def test_names(self):
        self.assert_one("tests/models/nand/laws.cpp:1: has tests", files={"tests/models/nand/laws.cpp": "// Laws.\n" + TEST})
        self.assert_one("tests/models/nand/none_test.cpp:1: has no tests", files={"tests/models/nand/none_test.cpp": "// None.\n"})

    def test_a_folder_that_mirrors_none(self):
        self.assert_one("models/die/ is no folder of code", files={"tests/models/die/die_test.cpp": "// Dies.\n" + TEST})

    def test_a_file_that_mirrors_none_says_what_it_tests(self):
        self.assert_one("there is no models/nand/plane.cpp or .hpp", files={"tests/models/nand/plane_test.cpp": TEST})

    def test_a_folder_without_tests(self):
        self.assert_one("there are no tests of models/cpu/", files={"models/cpu/core.cpp": ""})
        # One that only a subfolder has.
        self.assert_one("there are no tests of models/", files={"models/kinds.cpp": ""})

    def test_the_table_is_true(self):
        self.assert_one("there is no tests/gone_test.cpp", covered=["tests/gone_test.cpp"])
        self.assert_one("models/onfi/ has tests in its mirrored folder", files={"tests/models/onfi/command_test.cpp": TEST})


if __name__ == "__main__":
    unittest.main()
