#!/usr/bin/env python3
"""Compares what a build of flashloom reads, which does not depend on the computer's load, with committed budgets.

    build_cost.py [ROOT] [--renew]

 * reach: for the ten headers that most source files include, the number of these files; so many objects are recompiled
   (preset "dev") when the header changes;
 * own_lines: lines of all source files of the program, each with the headers of the tree that it includes;
 * all_lines: the same with the headers of the compiler and of libraries, as the compiler finds them. They depend on the
   platform: compared only on the one that the budgets name.

More than 5 % above a budget fails; more than 5 % below asks to renew it. --renew writes the counts to
tests/structure/build_budgets.json. Exit code 0: within the budgets; 1: above; 2: wrong use."""
import argparse
import collections
import functools
import json
import os
import platform
import re
import subprocess
import sys

from check_structure import INCLUDE, LAYERS

SCHEMA = "flashloom.build_budgets/1"
TOLERANCE = 0.05
HOTTEST = 10
COMPILER = ["g++", "-std=c++20", "-DSC_CPLUSPLUS=201703L", "-DTOML_HEADER_ONLY=0", "-x", "c++", "-M"]


class BuildCost:
    """Counts of one tree."""

    def __init__(self, root):
        self.root = root
        self.sources = sorted(self._find(".cpp"))

    def _find(self, suffix):
        for folder in sorted({layer.split("/")[0] for layer in LAYERS}):
            for place, _, names in os.walk(os.path.join(self.root, folder)):
                for name in names:
                    if name.endswith(suffix):
                        yield os.path.relpath(os.path.join(place, name), self.root).replace(os.sep, "/")

    @functools.cache
    def _file(self, path):
        """(lines, quoted includes, bracketed includes) of a file of the tree."""
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            text = file.read()
        found = [match for match in map(INCLUDE.match, text.splitlines()) if match]
        return (text.count("\n"), [m[2] for m in found if m[1] == '"'], [m[2] for m in found if m[1] == "<"])

    @functools.cache
    def includes(self, source):
        """(files of the tree that a source reads, itself included; names in brackets that these include)"""
        files, names, waiting = {source}, set(), [source]
        while waiting:
            _, quoted, bracketed = self._file(waiting.pop())
            names.update(bracketed)
            waiting += [path for path in quoted if path not in files]
            files.update(quoted)
        return files, frozenset(names)

    def reach(self):
        counts = collections.Counter(path for source in self.sources for path in self.includes(source)[0] - {source})
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def own_lines(self):
        return sum(self._file(path)[0] for source in self.sources for path in self.includes(source)[0])

    def all_lines(self):
        """None without the compiler, or if it finds not all headers."""
        total = self.own_lines()
        for source in self.sources:
            files = set()
            for name in self.includes(source)[1]:
                found = files_of_header(name)
                if found is None:
                    return None
                files |= found
            total += sum(map(lines_of, files))
        return total


@functools.cache
def lines_of(path):
    with open(path, "rb") as file:
        return file.read().count(b"\n")


@functools.cache
def files_of_header(name):
    """Paths of all files that <name> includes, itself included; None if it is not found."""
    try:
        done = subprocess.run([*COMPILER, "-"], input=f"#include <{name}>\n", capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    if done.returncode != 0:
        return None
    return {path for path in re.split(r"[\s\\]+", done.stdout.partition(":")[2]) if path.startswith("/")}


def this_platform():
    release = platform.freedesktop_os_release() if os.path.exists("/etc/os-release") else {}
    return f"{release.get('ID', '?')} {release.get('VERSION_ID', '?')}, {platform.machine()}"


def compare(name, counted, budget):
    """The error of a count; None if there is none."""
    if counted > budget * (1 + TOLERANCE):
        return f"{name}: {counted}, above its budget of {budget}"
    if counted < budget * (1 - TOLERANCE):
        return f"{name}: {counted}, so far below its budget of {budget} that this should be renewed (--renew)"
    return None


def check(budgets, reach, own_lines, all_lines):
    """The errors, one per line. all_lines: None if there is nothing to compare."""
    wrong = [compare(f"source files that read {header}", reach.get(header, 0), budget)
             for header, budget in budgets["reach"].items()]
    least = min(budgets["reach"].values())
    wrong += [f"source files that read {header}: {count}, more than a header has that is not among the {HOTTEST} of the "
              f"budgets ({least})"
              for header, count in reach.items() if header not in budgets["reach"] and count > least * (1 + TOLERANCE)]
    wrong.append(compare("lines of the tree that are read", own_lines, budgets["own_lines"]))
    if all_lines is not None:
        wrong.append(compare("lines that are read", all_lines, budgets["all_lines"]))
    return [text for text in wrong if text]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("root", nargs="?", default=os.path.normpath(os.path.join(here, "..", "..")))
    parser.add_argument("--renew", action="store_true", help="write the counts as the new budgets")
    options = parser.parse_args(arguments)
    cost = BuildCost(options.root)
    path = os.path.join(options.root, "tests", "structure", "build_budgets.json")
    reach, own_lines, all_lines = cost.reach(), cost.own_lines(), cost.all_lines()
    print(f"{len(cost.sources)} source files read {own_lines} lines of the tree"
          + ("" if all_lines is None else f", {all_lines} in all"))
    if options.renew:
        if all_lines is None:
            parser.error("--renew needs g++ and the libraries")
        budgets = {"schema": SCHEMA, "platform": this_platform(), "reach": dict(list(reach.items())[:HOTTEST]),
                   "own_lines": own_lines, "all_lines": all_lines}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(budgets, file, indent=2)
            file.write("\n")
        return 0
    with open(path, encoding="utf-8") as file:
        budgets = json.load(file)
    if budgets["platform"] != this_platform():
        print(f"lines of libraries are not compared: budgets are for {budgets['platform']}, and this is {this_platform()}")
        all_lines = None
    wrong = check(budgets, reach, own_lines, all_lines)
    for text in wrong:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
