#!/usr/bin/env python3
"""Checks that every test of the tree runs: what is on disk against what ctest knows of a build.

    FLASHLOOM_BUILD=build/release registration.py [ROOT]

 * each class of unittest in tests/ is run by a test in its folder;
 * each test in the C++ of tests/ is listed by an executable of tests that ctest starts, and each that such an executable
   lists is selected by the filters that ctest starts it with, and is not DISABLED_;
 * the tests of studies and searches are all parts of them.

Prints one line a violation. Exit code 0: none; 1: some."""
import collections
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

from check_structure import tell
from mirrored_tests import TESTS
from python_classes import classes_of

FILTER = "--gtest_filter="
STUDIES = ("study.toml", "search.toml")
SHIPPED = "shipped.py"


def unmetered(command: list[str]) -> list[str]:
    """A command without tests/support/metered before it."""
    return command[2:] if command[0].endswith("/metered") else command


class Registered:
    """The tests of a build, from the output of `ctest --show-only=json-v1`."""

    def __init__(self, listing: dict):
        self.tests = [(test["name"], unmetered(test["command"]), {p["name"]: p["value"] for p in test.get("properties", [])})
                      for test in listing["tests"] if "command" in test]
        self.not_built = [test["name"] for test in listing["tests"] if "command" not in test]

    def words(self) -> dict[pathlib.Path, set[str]]:
        """{folder: all words of the commands that are started there}"""
        words = collections.defaultdict(set)
        for _, command, properties in self.tests:
            words[pathlib.Path(properties.get("WORKING_DIRECTORY", "")).resolve()].update(command)
        return words

    def filters(self) -> dict[str, set[str]]:
        """{executable of GoogleTest: the filters that it is started with}"""
        found = collections.defaultdict(set)
        for _, command, _ in self.tests:
            for word in command:
                if word.endswith("_tests") and "/" in word:
                    found[word].add(next((w[len(FILTER):] for w in command if w.startswith(FILTER)), "*"))
        return found


def selects(pattern: str, name: str) -> bool:
    """Whether a filter of GoogleTest selects a test."""
    wanted, _, unwanted = pattern.partition("-")
    return (any(fnmatch.fnmatchcase(name, each) for each in (wanted or "*").split(":"))
            and not any(fnmatch.fnmatchcase(name, each) for each in unwanted.split(":")))


def listed_by(executable: str) -> list[str]:
    """All tests of an executable of GoogleTest, as Suite.Name."""
    lines = subprocess.run([executable, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout.splitlines()
    suite, found = "", []
    for line in (line.split("#")[0].rstrip() for line in lines):
        if line.startswith("  "):
            found.append(suite + line.strip())
        elif line.endswith("."):
            suite = line
    return found


def python_without_test(root: pathlib.Path, registered: Registered) -> list[str]:
    words = registered.words()
    return [f"{path.relative_to(root)}: no test of ctest runs the class {name}"
            for path in sorted(root.glob("tests/**/*.py")) for name in classes_of(path)[0]
            if not words[path.parent] & {path.name, path.stem, f"{path.stem}.{name}"}]


def cxx_without_test(root: pathlib.Path, registered: Registered) -> list[str]:
    if registered.not_built:
        return [f"{name}: build it first" for name in registered.not_built]
    violations = []
    known = set()
    for executable, filters in sorted(registered.filters().items()):
        for full in listed_by(executable):
            if "DISABLED_" in full:
                violations.append(f"{full}: is disabled")
            elif full not in filters and not any(selects(pattern, full) for pattern in filters):
                violations.append(f"{full}: no test of ctest selects it in {pathlib.Path(executable).name}")
            suite, _, name = full.partition(".")
            known.update((part, name.split("/")[0]) for part in suite.split("/"))  # Values/Suite.Name/0, Suite/0.Name
    for path in sorted(root.glob("tests/**/*.[ch]pp")):
        for match in TESTS.findall(path.read_text(encoding="utf-8")):
            suite, name = filter(None, match)
            if (suite, name) not in known:
                violations.append(f"{path.relative_to(root)}: {suite}.{name} is in no executable that ctest starts")
    return violations


def studies_without_test(root: pathlib.Path, registered: Registered) -> list[str]:
    """Studies are tested in parts, I/N and guests, that together are all there are (tests/studies/shipped.py)."""
    if not any((folder / name).exists() for folder in root.glob("experiments/*/") for name in STUDIES):
        return []
    parts = {command[-1] for _, command, _ in registered.tests if any(word.endswith(SHIPPED) for word in command)}
    number = max((int(part.partition("/")[2]) for part in parts if "/" in part), default=1)
    wanted = {"guests", *(f"{part}/{number}" for part in range(1, number + 1))}
    return [f"tests/studies/{SHIPPED}: part {part} has no test, so that its studies do not run" for part in sorted(wanted - parts)]


def check(root: pathlib.Path, registered: Registered) -> list[str]:
    return [line for rule in (python_without_test, cxx_without_test, studies_without_test) for line in rule(root, registered)]


def check_build(root: pathlib.Path) -> list[str]:
    build = os.environ.get("FLASHLOOM_BUILD", root / "build/release")
    said = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, text=True, check=True).stdout
    return check(root.resolve(), Registered(json.loads(said)))


if __name__ == "__main__":
    sys.exit(tell(check_build, sys.argv[1:]))
