#!/usr/bin/env python3
"""Runs the tests that a change can reach, the nearest first, until the time is up.

    changed_tests.py BUILD [--base REF] [--seconds N] [--list]

A change is what differs from REF: by default from the branch that this one follows, or else from main, or else from the
last commit; with files that are not committed. How near a test is follows from the tree, never from a list by hand:

  0  its own file has changed, or one that it includes or imports from tests/; or it looks at the tree as a whole
  1  it tests the file: tests/x/y_test.cpp is that of x/y.cpp
  2  it lies in the mirrored folder, includes what has changed (or the header of it), or belongs to the changed folder
  3  its text names what has changed
  4  its program was built from it

The tests run in this order, within a distance the cheapest first, as long as their CPU time (of their last run, or a
second) fits. What is left to ./check is said. Exit code: ctest's; 0 if nothing has changed."""
import argparse
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from cpu_budget import measured  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
IMPORT = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)
SUITE = re.compile(r"^\s*(?:TYPED_)?(?:RC_GTEST_(?:FIXTURE_)?PROP|TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(\s*(\w+)", re.MULTILINE)
LAYERS = ("policies", "workloads", "analysis", "models", "controllers", "sc_main")
# Groups of tests that look at the tree as a whole.
WHOLE = ("structure", "docs")
FARTHEST = 4


def git(*words, root=ROOT):
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)


def base_of(root):
    """The commit that a change starts from."""
    for ref in ("@{upstream}", "main"):
        found = git("merge-base", "HEAD", ref, root=root)
        if found.returncode == 0:
            return found.stdout.strip()
    return "HEAD"


def changed_files(base, root):
    """Paths of the files that differ from `base`, those that git does not know included. Raises SystemExit for a wrong base."""
    differing = git("diff", "--name-only", base, "--", root=root)
    if differing.returncode != 0:
        sys.exit(f"changed_tests: error: no commit {base}: {differing.stderr.strip()}")
    unknown = git("ls-files", "--others", "--exclude-standard", root=root)
    return sorted(set(differing.stdout.split("\n") + unknown.stdout.split("\n")) - {""})


class Tree:
    """Texts of files, what they include, and which files have a suite's tests."""

    def __init__(self, root):
        self.root = root
        self.suites = {}
        for path in sorted((root / "tests").rglob("*.cpp")):
            for suite in SUITE.findall(path.read_text(encoding="utf-8")):
                self.suites.setdefault(suite, set()).add(str(path.relative_to(root)))

    @functools.cache
    def text(self, path):
        full = self.root / path
        return full.read_text(encoding="utf-8", errors="replace") if full.is_file() else ""

    @functools.cache
    def reads(self, path):
        """The files of the tree that a file includes or imports, directly or not; itself too."""
        found, waiting = {path}, [path]
        while waiting:
            here = waiting.pop()
            text = self.text(here)
            names = [f"{os.path.dirname(here)}/{name}.py" for name in IMPORT.findall(text)] if here.endswith(".py") else INCLUDE.findall(text)
            for name in names:
                if name not in found and (self.root / name).is_file():
                    found.add(name)
                    waiting.append(name)
        return found

    def files_of(self, test):
        """The files in which the code of a test stands, by its name and command."""
        group, _, rest = test["name"].partition(".")
        if any(word.startswith("--gtest_filter=") for word in test.get("command", [])):
            return self.suites.get(rest, set())
        folder = working_directory(test)
        files = set()
        for word in test.get("command", []):
            for path in (pathlib.Path(word), pathlib.Path(folder or "/") / word, pathlib.Path(folder or "/") / (word.split(".")[0] + ".py")):
                if path.is_file() and path.is_relative_to(self.root) and "build" not in path.relative_to(self.root).parts:
                    files.add(str(path.relative_to(self.root)))
        return {path for path in files if not path.endswith("support/metered")}


def working_directory(test):
    return next((entry["value"] for entry in test.get("properties", []) if entry["name"] == "WORKING_DIRECTORY"), None)


def distance(tree, test, files, changed):
    """How far a test is from the changed files, 0 to FARTHEST; None if no change reaches it."""
    if test["name"].partition(".")[0] in WHOLE:
        return 0
    near = min((distance_of(tree, test, files, path) for path in changed), default=None)
    return None if near is None or near > FARTHEST else near


def distance_of(tree, test, files, path):
    folder, name = os.path.split(path)
    stem = name.partition(".")[0]
    read = set().union(*(tree.reads(file) for file in files)) if files else set()
    if path in files or (path in read and path.startswith("tests/")):
        return 0
    if path.endswith((".md", ".csv")):
        return FARTHEST + 1
    if f"tests/{folder}/{stem}_test.cpp" in files:
        return 1
    header = f"{folder}/{stem}.hpp"
    mirrored = any(os.path.dirname(file) == f"tests/{folder}" for file in files)
    if mirrored or path in read or header in read or test["name"].endswith("." + folder.rpartition("/")[2]):
        return 2
    if len(stem) > 2 and any(re.search(rf"\b{re.escape(stem)}\b", tree.text(file)) for file in files):
        return 3
    if path.startswith("tests/"):
        return FARTHEST + 1
    return FARTHEST if built_from(test, path) else FARTHEST + 1


def built_from(test, path):
    """Whether the program that a test runs is made of a file. A program of unit tests has its layer and those below it."""
    top, group = path.split("/")[0], test["name"].partition(".")[0]
    if top in ("configs", "cmake") or path == "CMakeLists.txt":
        return True
    if top in ("python", "experiments"):
        return group in ("python", "studies")
    if top not in LAYERS:
        return False
    below = {"policies": ("policies",), "workloads": ("workloads",), "models": ("models",), "analysis": ("analysis", "workloads", "policies"),
             "controllers": ("controllers", "models", "policies", "workloads"), "bench": ()}
    return top in below.get(group, LAYERS)


def chosen(tests, near, costs, seconds):
    """The tests to run, in order, within the CPU seconds; and those left."""
    order = sorted((test for test in tests if near[test["name"]] is not None),
                   key=lambda test: (near[test["name"]], costs.get(test["name"], 1), test["name"]))
    run, left, spent = [], [], 0.0
    for test in order:
        spent += costs.get(test["name"], 1)
        (run if near[test["name"]] == 0 or spent <= seconds else left).append(test)
    return run, left


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--base")
    parser.add_argument("--seconds", type=float, default=100, help="on the clock, with all cores (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="print the tests with their distances, and run none")
    options = parser.parse_args(words)
    changed = changed_files(options.base or base_of(ROOT), ROOT)
    if not changed:
        print("check: nothing has changed")
        return 0
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=options.build, capture_output=True, text=True, check=True)
    tests = json.loads(listed.stdout)["tests"]
    numbers = {test["name"]: number for number, test in enumerate(tests, 1)}
    tree = Tree(ROOT)
    near = {test["name"]: distance(tree, test, tree.files_of(test), changed) for test in tests}
    costs = measured(options.build)
    cores = os.cpu_count() or 1
    run, left = chosen(tests, near, costs, options.seconds * cores)
    print(f"check: {len(changed)} files have changed: {len(run)} tests near them; "
          f"{len(left)} that they can reach are left to ./check, of {sum(costs.get(test['name'], 1) for test in left):.0f} CPU seconds", flush=True)
    if options.list:
        for test in run:
            print(f"{near[test['name']]} {costs.get(test['name'], 1):6.1f} {test['name']}")
        return 0
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(",,," + ",".join(str(numbers[test["name"]]) for test in run))
        file.flush()
        return subprocess.run(["ctest", "-I", file.name, "--parallel", str(cores), "--output-on-failure", "--progress"],
                              cwd=options.build, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
