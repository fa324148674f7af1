#!/usr/bin/env python3
"""Prints the CPU time of each group of tests beside its budget, from what the last ./check measured.

    cpu_budget.py BUILD [--tests N] [--renew]
    cpu_budget.py --budgets                     the budgets as a table of Markdown

A group is what stands before the first point of a test's name. Budgets are CPU seconds (user and system, children
included) in tests/cpu_budgets.json, of a computer with two cores that runs nothing else; --renew writes those measured.
A group that takes more than 20 % above its budget is called so. It is no failure, since another computer, or a
neighbour on this one, changes the times by more. --tests N: also the N dearest tests."""
import argparse
import collections
import json
import os
import re
import sys

BUDGETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cpu_budgets.json")
SLACK = 0.2
TIME = re.compile(r"(\d+)m([\d.]+)s")


def seconds_of(text):
    """User and system seconds of the children, from the output of the shell's `times`."""
    return sum(60 * int(minutes) + float(seconds) for minutes, seconds in TIME.findall(text.strip().splitlines()[-1]))


def measured(build):
    """{test: CPU seconds}"""
    times = {}
    folder = os.path.join(build, "cpu_times")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), encoding="ascii") as file:
            text = file.read()
        if text.strip():
            times[name] = seconds_of(text)
    return times


def by_group(times):
    groups = collections.defaultdict(float)
    for name, seconds in times.items():
        groups[name.partition(".")[0]] += seconds
    return dict(groups)


def table(groups, budgets):
    """Lines: a group, its CPU seconds, its budget, and whether it is above it."""
    lines = [f"{'CPU seconds of':<16}{'now':>8}{'budget':>8}"]
    for name in sorted(groups.keys() | budgets.keys(), key=lambda name: -groups.get(name, 0)):
        now, budget = groups.get(name), budgets.get(name)
        over = "  above its budget" if now is not None and now > (1 + SLACK) * (budget or 0) + 1 else ""
        lines.append(f"{name:<16}{'-' if now is None else f'{now:.0f}':>8}{'none' if budget is None else budget:>8}{over}")
    lines.append(f"{'all':<16}{sum(groups.values()):>8.0f}{sum(budgets.values()):>8}")
    return lines


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?")
    parser.add_argument("--budgets", action="store_true")
    parser.add_argument("--tests", type=int, default=0)
    parser.add_argument("--renew", action="store_true")
    options = parser.parse_args(words)
    if (options.build is None) != options.budgets:
        parser.error("give BUILD, or --budgets")
    times = {} if options.budgets else measured(options.build)
    if options.renew:
        with open(BUDGETS, "w", encoding="ascii") as file:
            json.dump({name: max(1, round(seconds)) for name, seconds in sorted(by_group(times).items())}, file, indent=2)
            file.write("\n")
    with open(BUDGETS, encoding="ascii") as file:
        budgets = json.load(file)
    if options.budgets:
        print("| group | CPU seconds |\n|---|---:|")
        for name, seconds in sorted(budgets.items(), key=lambda budget: -budget[1]):
            print(f"| {name} | {seconds} |")
        print(f"| all | {sum(budgets.values())} |")
        return 0
    print("\n".join(table(by_group(times), budgets)))
    for name in sorted(times, key=times.get, reverse=True)[:options.tests]:
        print(f"{times[name]:8.1f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
