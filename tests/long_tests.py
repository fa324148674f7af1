#!/usr/bin/env python3
"""Prints the tests that run in ./check --long alone, with their CPU seconds, or (--effort) those that do more there, as a
table of Markdown.

A test of the first kind, in Python, is decorated with takes_long(seconds) of this module; one of the second kind asks for
effort(usual, longer), of this module or, in C++, of tests/support/effort.hpp."""
import os
import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent
EFFORT = re.compile(r"\beffort\((.+), ([\w']+)\)")
PYTHON = re.compile(r"^ *@takes_long\((\d+)\)\n *(?:def|class) (\w+)", re.MULTILINE)


def effort(usual, longer):
    """How much a test does."""
    return longer if "FLASHLOOM_LONG" in os.environ else usual


def takes_long(seconds):
    """Decorates a test of so many CPU seconds."""
    return unittest.skipUnless("FLASHLOOM_LONG" in os.environ, f"takes {seconds} s: ./check --long")


def long_tests(root=TESTS):
    """(path, test, CPU seconds) of each."""
    for path in sorted(root.rglob("test_*.py")):
        for seconds, name in PYTHON.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(root), name, int(seconds)


def efforts(root=TESTS):
    """(path, how much in ./check, how much in ./check --long) of each, as the test has them."""
    for path in sorted([*root.rglob("*_test.cpp"), *root.rglob("*.hpp"), *root.rglob("test_*.py")]):
        if path.name != "effort.hpp":
            for usual, longer in EFFORT.findall(path.read_text(encoding="utf-8")):
                yield path.relative_to(root), usual.replace("'", ""), longer.replace("'", "")


def main(words):
    if words == ["--effort"]:
        print("| what does more | in `./check` | in `./check --long` |\n|---|---|---|")
        for where, usual, longer in sorted(set(efforts())):
            print(f"| {where} | `{usual}` | `{longer}` |")
        return
    print("| test | CPU seconds |\n|---|---:|")
    found = sorted(long_tests(), key=lambda test: (-test[2], str(test[0]), test[1]))
    for where, name, seconds in found:
        print(f"| {where}: {name} | {seconds} |")
    print(f"| all {len(found)} | {sum(seconds for *_, seconds in found)} |")


if __name__ == "__main__":
    main(sys.argv[1:])
