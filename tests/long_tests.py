#!/usr/bin/env python3
"""Prints the tests that run in ./check --long alone, with their CPU seconds, as a table of Markdown.

In C++ such a test begins with FLASHLOOM_TAKES_LONG(seconds) (tests/support/effort.hpp), in Python it is decorated with
takes_long(seconds) (tests/program/program.py)."""
import pathlib
import re

TESTS = pathlib.Path(__file__).resolve().parent
CXX = re.compile(r"^\w+\(\s*(\w+),\s*(\w+)[^{;]*\{\s*FLASHLOOM_TAKES_LONG\((\d+)\)", re.MULTILINE)
PYTHON = re.compile(r"^ *@takes_long\((\d+)\)\n *(?:def|class) (\w+)", re.MULTILINE)


def long_tests(root=TESTS):
    """(path, test, CPU seconds) of each."""
    for path in sorted(root.rglob("*_test.cpp")):
        for suite, name, seconds in CXX.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(root), f"{suite}.{name}", int(seconds)
    for path in sorted(root.rglob("test_*.py")):
        for seconds, name in PYTHON.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(root), name, int(seconds)


if __name__ == "__main__":
    print("| test | CPU seconds |\n|---|---:|")
    found = sorted(long_tests(), key=lambda test: (-test[2], str(test[0]), test[1]))
    for where, name, seconds in found:
        print(f"| {where}: {name} | {seconds} |")
    print(f"| all {len(found)} | {sum(seconds for *_, seconds in found)} |")
