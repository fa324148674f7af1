"""The check of registration finds tests that never run, in a tree and a build made for the test."""
import pathlib
import tempfile
import unittest

import registration

LISTED = """Running main() from gtest_main.cc
Die.
  Reads
  Erases
Shapes/Array.
  Holds/0  # GetParam() = 4
  Holds/1  # GetParam() = 8
"""
DIE = "TEST(Die, Reads) {}\nTEST_F(Die, Erases) {}\n"


class Registration(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name).resolve()
        self.write("tests/program/test_a.py", "class A(ProgramCase):\n    def test_x(self): pass\n")
        self.write("tests/program/program.py", "class ProgramCase(unittest.TestCase):\n    def setUp(self): pass\n")
        self.write("tests/models/die_test.cpp", DIE)
        self.write("tests/models/array_test.cpp", "TEST_P(Array, Holds) {}\n")
        self.write("experiments/wear/study.toml", "")
        self.write("unit_models_tests", f"#!/bin/sh\ncat << end\n{LISTED}end\n").chmod(0o755)
        self.listing = [self.python("test_a.A"), self.unit("Die.*"), self.unit("Shapes/Array.Holds/0:Shapes/*/1"),
                        *({"name": "studies.shipped", "command": ["python3", "shipped.py", part]} for part in ("guests", "1/2", "2/2"))]

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def python(self, words):
        return {"name": "program.A", "command": ["python3", "-m", "unittest", words],
                "properties": [{"name": "WORKING_DIRECTORY", "value": str(self.root / "tests/program")}]}

    def unit(self, pattern):
        return {"name": pattern, "command": [str(self.root / "unit_models_tests"), f"--gtest_filter={pattern}",
                                              "--gtest_also_run_disabled_tests"]}

    def violations(self):
        return registration.check(self.root, registration.Registered({"tests": self.listing}))

    def assert_one(self, words):
        found = self.violations()
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_all_are_registered(self):
        self.assertEqual(self.violations(), [])
        self.listing[0] = self.python("test_a")  # one test a file
        self.assertEqual(self.violations(), [])

    def test_a_class_that_nobody_registered(self):
        self.write("tests/program/test_a.py", "class A(ProgramCase):\n    def test_x(self): pass\n\n"
                                              "class Forgotten(unittest.TestCase):\n    def test_y(self): pass\n")
        self.assert_one("tests/program/test_a.py: no test of ctest runs the class Forgotten")

    def test_a_class_in_a_file_that_nobody_discovers(self):
        self.write("tests/program/peers.py", "class Peers(ProgramCase):\n    def test_y(self): pass\n")
        self.assert_one("tests/program/peers.py: no test of ctest runs the class Peers")

    def test_a_suite_in_no_executable(self):
        self.write("tests/models/new/block_test.cpp", "RC_GTEST_PROP(\n    Block, Wears, ()) {}\n")
        self.assert_one("tests/models/new/block_test.cpp: Block.Wears is in no executable that ctest starts")

    def test_a_test_that_no_filter_selects(self):
        self.listing[1] = self.unit("Die.*-*Erases")
        self.assert_one("Die.Erases: no test of ctest selects it in unit_models_tests")

    def test_a_test_that_is_disabled(self):
        self.write("unit_models_tests", f"#!/bin/sh\ncat << end\n{LISTED}Off.\n  DISABLED_Reads\nend\n")
        self.assert_one("Off.DISABLED_Reads: is disabled")

    def test_a_part_of_the_studies_without_a_test(self):
        listing = self.listing
        for gone, part in ((3, "guests"), (4, "1/2")):
            self.listing = [*listing[:gone], *listing[gone + 1:]]
            self.assert_one(f"part {part} has no test")

    def test_an_executable_that_is_not_built(self):
        self.listing[1] = {"name": "unit_models_tests_NOT_BUILT"}
        self.assert_one("unit_models_tests_NOT_BUILT: build it first")


if __name__ == "__main__":
    unittest.main()
