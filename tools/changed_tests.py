#!/usr/bin/env python3
"""Runs the tests that are nearest to a change, as many as fit into two minutes.

    changed_tests.py BUILD [--base REF] [--seconds N] [--list]

A change is what differs from where this branch left REF, with files that are not committed: by default main or
origin/main; on main the branch that it follows, or else the last commit. How near a test is follows from the tree, never
from a list by hand:

  0  its own file has changed, or one that it includes or imports from tests/; or it looks at the tree as a whole
  1  it tests the file: tests/x/y_test.cpp is that of x/y.cpp
  2  it lies in the mirrored folder, includes what has changed (or the header of it), or belongs to the changed folder
  3  its text names what has changed
  4  its program was built from it

They are chosen in this order, within a distance the cheapest first, as long as their CPU time (of their last run, or a
second) fits. What is left to ./check is said. Behind them the quick forms of the studies whose inputs have changed are
compared, and tools/tidy reads what has changed, if there is a clang-tidy. Exit code: 0: all passed, or nothing has
changed; else that of the first that failed."""
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
sys.path[:0] = [str(ROOT / folder) for folder in ("experiments", "python", "tests")]
from cpu_budget import measured  # noqa: E402
from engine.kept import QUICK, folders_of, inputs_of  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
IMPORT = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)
SUITE = re.compile(r"^\s*(?:TYPED_)?(?:RC_GTEST_(?:FIXTURE_)?PROP|TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(\s*(\w+)", re.MULTILINE)
LAYERS = ("policies", "workloads", "analysis", "models", "controllers", "sc_main")
# Groups of tests that look at the tree as a whole.
WHOLE = ("structure", "docs")
FARTHEST = 4
SKIPPED = 77


def git(*words, root=ROOT):
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)


def base_of(root):
    """The commit that a change starts from."""
    head = git("rev-parse", "HEAD", root=root).stdout
    for ref in ("main", "origin/main", "@{upstream}"):
        parted = git("merge-base", "HEAD", ref, root=root)
        if parted.returncode == 0 and (parted.stdout != head or ref == "@{upstream}"):
            return parted.stdout.strip()
    return "HEAD"


def changed_files(base, root):
    """Paths of the files that differ from `base`, those that git does not know and those that are gone included. Raises
    SystemExit for a wrong base."""
    differing = git("diff", "--name-only", "--no-renames", base, "--", root=root)
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
    def reads_itself(self, path):
        """The files of the tree that a file includes or imports."""
        text = self.text(path)
        names = [f"{os.path.dirname(path)}/{name}.py" for name in IMPORT.findall(text)] if path.endswith(".py") else INCLUDE.findall(text)
        return [name for name in names if (self.root / name).is_file()]

    @functools.cache
    def reads(self, path):
        """The files of the tree that a file includes or imports, directly or not; itself too."""
        found, waiting = {path}, [path]
        while waiting:
            new = set(self.reads_itself(waiting.pop())) - found
            found |= new
            waiting += new
        return found

    @functools.cache
    def names(self, path, word):
        """Whether the text of a file has a word."""
        return re.search(rf"\b{re.escape(word)}\b", self.text(path)) is not None

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
    read = set().union(*(tree.reads(file) for file in files))
    near = min((distance_of(tree, test, files, read, path) for path in changed), default=FARTHEST + 1)
    return None if near > FARTHEST else near


def distance_of(tree, test, files, read, path):
    folder, name = os.path.split(path)
    stem, _, suffix = name.partition(".")
    if path in files or (path in read and path.startswith("tests/")):
        return 0
    if f"tests/{folder}/{stem}_test.cpp" in files:
        return 1
    mirrored = any(os.path.dirname(file) == f"tests/{folder}" for file in files)
    if mirrored or path in read or f"{folder}/{stem}.hpp" in read:
        return 2
    # Who names a module or a part by its word, and other files with their suffix.
    word = stem if suffix in ("cpp", "hpp", "py") or folder == "configs" else name
    if len(word) > 2 and any(tree.names(file, word) for file in files if suffix != "py" or file.endswith(".py")):
        return 3
    return FARTHEST if built_from(test, path) else FARTHEST + 1


def built_from(test, path):
    """Whether the program that a test runs is made of a file. A program of unit tests has its layer and those below it."""
    top, group = path.split("/")[0], test["name"].partition(".")[0]
    if top == "cmake" or path == "CMakeLists.txt":
        return True
    if path.endswith(".py"):
        return top in ("python", "experiments") and group in ("python", "studies")
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
        cost = costs.get(test["name"], 1)
        fits = near[test["name"]] == 0 or spent + cost <= seconds
        spent += cost if fits else 0
        (run if fits else left).append(test)
    return run, left


def studies_of(changed, root):
    """Names of the studies and searches whose inputs, or quick summaries, are among the changed files."""
    changed = {root / path for path in changed}
    return [folder.name for folder in folders_of(root) if changed & {folder / QUICK, *inputs_of(folder, root)}]


def run_tests(build, numbers, cores):
    """Runs the tests of these numbers; returns ctest's exit code."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("0,0,," + ",".join(map(str, numbers)) + "\n")  # no range, these numbers
        file.flush()
        return subprocess.run(["ctest", "-I", file.name, "--parallel", str(cores), "--output-on-failure", "--progress"],
                              cwd=build, check=False).returncode


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--base")
    parser.add_argument("--seconds", type=float, default=100, help="on the clock, with all cores (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="print the tests with their distances, and run none")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    root = options.root.resolve()
    base = options.base or base_of(root)
    changed = changed_files(base, root)
    if not changed:
        print("check: nothing has changed")
        return 0
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=options.build, capture_output=True, text=True, check=True)
    tests = json.loads(listed.stdout)["tests"]
    numbers = {test["name"]: number for number, test in enumerate(tests, 1)}
    tree = Tree(root)
    near = {test["name"]: distance(tree, test, tree.files_of(test), changed) for test in tests}
    costs = measured(options.build)
    cores = os.cpu_count() or 1
    run, left = chosen(tests, near, costs, options.seconds * cores)
    studies = studies_of(changed, root)
    print(f"check: {len(changed)} files have changed: {len(run)} tests near them, {len(studies)} studies of them; {len(left)} "
          f"tests that they can reach are left to ./check, of {sum(costs.get(test['name'], 1) for test in left):.0f} CPU seconds", flush=True)
    if options.list:
        for test in run:
            print(f"{near[test['name']]} {costs.get(test['name'], 1):6.1f} {test['name']}")
        for study in studies:
            print(f"2      - study {study}")
        return 0
    codes = [run_tests(options.build, [numbers[test["name"]] for test in run], cores)]
    if studies:
        codes.append(subprocess.run([root / "experiments/renew", "--quick", "--check", *studies, "--program", options.build / "flashloom"],
                                    check=False).returncode)
    if any(path.startswith(LAYERS) for path in changed):
        codes.append(subprocess.run([root / "tools/tidy", "--changed", base], check=False).returncode)
    return next((code for code in codes if code not in (0, SKIPPED)), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
