"""changed_tests.py finds how far tests are from a change, and takes the nearest first; cpu_budget.py adds up and compares."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]
import changed_tests  # noqa: E402
import cpu_budget  # noqa: E402

TREE = {
    "models/nand/die.hpp": "#pragma once\n",
    "models/nand/die.cpp": '#include "models/nand/die.hpp"\n',
    "models/nand/media.cpp": "",
    "policies/lru.cpp": "",
    "tests/models/nand/die_test.cpp": '#include "models/nand/die.hpp"\nTEST(Die, Reads) {}\n',
    "tests/models/nand/media_test.cpp": "TEST_F(Media, Holds) {}\n",
    "tests/system/whole_test.cpp": '#include "tests/support/bench.hpp"\nTEST(Whole, Runs) {}\n',
    "tests/support/bench.hpp": '#include "models/nand/die.hpp"\n',
    "tests/policies/other_test.cpp": "TEST(Other, Is) {}\n",
    "tests/program/case.py": "",
    "tests/program/test_cache.py": "from case import X\nPOLICIES = ['lru', 'arc']\n",
    "docs/reference/cache.md": "",
}


def suite(name):
    return {"name": name, "command": ["x_tests", f"--gtest_filter={name.partition('.')[2]}.*"]}


class ChangedTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path, text in TREE.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        self.tree = changed_tests.Tree(self.root)
        python = {"name": "program.Cache", "command": ["python3", "-m", "unittest", "test_cache.Cache"],
                  "properties": [{"name": "WORKING_DIRECTORY", "value": str(self.root / "tests/program")}]}
        self.tests = [suite("models.Die"), suite("models.Media"), suite("system.Whole"), suite("policies.Other"), python,
                      {"name": "structure.tree", "command": []}]

    def near(self, *changed):
        return {test["name"]: changed_tests.distance(self.tree, test, self.tree.files_of(test), changed) for test in self.tests}

    def test_distances(self):
        cases = {
            "models/nand/die.cpp": (1, 2, 2, None, 4),  # its own test, the folder's, by the include, not below, the program
            "models/nand/media.cpp": (2, 1, 4, None, 4),
            "policies/lru.cpp": (None, None, 4, 2, 3),  # no test of its own but its folder's; program tests that name it
            "tests/models/nand/media_test.cpp": (None, 0, None, None, None),
            "tests/support/bench.hpp": (None, None, 0, None, None),
            "tests/program/case.py": (None, None, None, None, 0),
            "docs/reference/cache.md": (None, None, None, None, None),
        }
        for path, expected in cases.items():
            with self.subTest(changed=path):
                self.assertEqual(tuple(self.near(path).values()), (*expected, 0))

    def test_the_nearest_change_counts(self):
        self.assertEqual(self.near("docs/reference/cache.md", "policies/lru.cpp", "tests/program/test_cache.py")["program.Cache"], 0)

    def test_the_nearest_and_cheapest_come_first_until_the_time_is_up(self):
        tests = [{"name": name} for name in "abcde"]
        near = {"a": 4, "b": 2, "c": 2, "d": 0, "e": None}
        costs = {"a": 5, "b": 7, "c": 2, "d": 30}
        order = lambda seconds: ["".join(test["name"] for test in part) for part in changed_tests.chosen(tests, near, costs, seconds)]
        self.assertEqual(order(100), ["dcba", ""])
        self.assertEqual(order(40), ["dcb", "a"])
        self.assertEqual(order(37), ["dca", "b"])  # what is too dear leaves its time to others
        self.assertEqual(order(1), ["d", "cba"])  # what has itself changed runs in any case

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=n", "-c", "user.email=e", *words], check=True, capture_output=True)

    def commit_all(self):
        self.git("init", "--initial-branch=main")
        self.git("add", ".")
        self.git("commit", "-m", "All")

    def changed(self):
        return changed_tests.changed_files(changed_tests.base_of(self.root), self.root)

    def test_files_that_differ_are_new_or_gone(self):
        self.commit_all()
        (self.root / "docs/reference/cache.md").write_text("x\n")
        (self.root / "docs/new.md").write_text("x\n")
        self.assertEqual(self.changed(), ["docs/new.md", "docs/reference/cache.md"])
        self.git("checkout", "-b", "work")
        self.git("commit", "-am", "One")
        self.git("mv", "policies/lru.cpp", "policies/mru.cpp")
        differing = ["docs/new.md", "docs/reference/cache.md", "policies/lru.cpp", "policies/mru.cpp"]
        self.assertEqual(self.changed(), differing)
        self.git("branch", "pushed")
        self.git("branch", "--set-upstream-to=pushed")  # what has been pushed has changed all the same
        self.assertEqual(self.changed(), differing)
        with self.assertRaisesRegex(SystemExit, "no commit nowhere"):
            changed_tests.changed_files("nowhere", self.root)

    def test_ctest_runs_what_is_chosen_and_no_other(self):
        self.commit_all()
        build = self.root / "build"
        build.mkdir()
        names = ("models.a", "structure.b", "models.c", "structure.d", "models.e")
        (build / "CTestTestfile.cmake").write_text("".join(f'add_test({name} sh -c "echo {name} >> ran")\n' for name in names))
        (self.root / "docs/reference/cache.md").write_text("x\n")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            code = changed_tests.main([str(build), "--root", str(self.root)])
        self.assertEqual(code, 0, said.getvalue())
        self.assertEqual(sorted((build / "ran").read_text().split()), ["structure.b", "structure.d"])

    def test_studies_whose_inputs_have_changed(self):
        for path, text in (("configs/tiny.toml", ""), ("experiments/a/study.toml", 'device = "tiny"\n'),
                           ("experiments/b/study.toml", 'device = "../c/own.toml"\n'), ("experiments/c/own.toml", "")):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        for path, studies in (("configs/tiny.toml", ["a"]), ("experiments/c/own.toml", ["b"]), ("experiments/b/study.toml", ["b"]),
                              ("experiments/a/summary-quick.csv", ["a"]), ("experiments/a/README.md", []), ("models/nand/die.cpp", [])):
            self.assertEqual(changed_tests.studies_of([path], self.root), studies, path)


class CpuBudget(unittest.TestCase):
    def test_children_count_and_the_shell_does_not(self):
        self.assertAlmostEqual(cpu_budget.seconds_of("0m7.00s 0m7.00s\n1m2.50s 0m0.25s\n"), 62.75)

    def test_times_of_a_build(self):
        with tempfile.TemporaryDirectory() as build:
            times = pathlib.Path(build) / "cpu_times"
            times.mkdir()
            script = ROOT / "tests/support/metered"
            busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exit 3"
            done = subprocess.run([script, times / "a.Busy", "sh", "-c", busy], check=False)
            self.assertEqual(done.returncode, 3)
            subprocess.run([script, times / "a.Idle", "true"], check=True)
            found = cpu_budget.measured(build)
            self.assertGreater(found["a.Busy"], found["a.Idle"])
            self.assertAlmostEqual(cpu_budget.by_group(found)["a"], found["a.Busy"] + found["a.Idle"])

    def test_a_group_above_its_budget_is_called_so(self):
        lines = cpu_budget.table({"a": 120, "b": 123, "c": 5}, {"a": 100, "b": 100, "d": 7})
        self.assertEqual([line.split()[:3] for line in lines[1:]],
                         [["b", "123", "100"], ["a", "120", "100"], ["c", "5", "none"], ["d", "-", "7"], ["all", "248", "207"]])
        self.assertEqual([line.split()[0] for line in lines if "above" in line], ["b", "c"])

    def test_all_budgets_together_are_fifteen_minutes_of_two_cores(self):
        self.assertLessEqual(sum(json.loads(pathlib.Path(cpu_budget.BUDGETS).read_text()).values()), 2 * 15 * 60)


if __name__ == "__main__":
    unittest.main()
