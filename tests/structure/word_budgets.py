#!/usr/bin/env python3
"""Checks that the documentation can be read: words of Markdown by folder, and lines of README.md, against word_budgets.json.

    word_budgets.py [ROOT]

A word is what `wc -w` counts. Prints one line a violation. Exit code 0: none; 1: some."""
import json
import pathlib
import sys

from check_structure import files_of, tell

BUDGETS = json.loads((pathlib.Path(__file__).parent / "word_budgets.json").read_text(encoding="utf-8"))


def check(root: pathlib.Path, budgets: dict = BUDGETS) -> list[str]:
    texts = {path: (root / path).read_text(encoding="utf-8") for path in files_of(root) if path.endswith(".md")}
    violations = []
    for folder, most in budgets["words"].items():
        words = sum(len(text.split()) for path, text in texts.items() if folder == "." or path.startswith(f"{folder}/"))
        if words > most:
            violations.append(f"{folder}: {words} words of Markdown; at most {most}")
    for path, most in budgets["lines"].items():
        lines = texts.get(path, "").count("\n")
        if lines > most:
            violations.append(f"{path}: {lines} lines; at most {most}")
    return violations


if __name__ == "__main__":
    sys.exit(tell(check, sys.argv[1:]))
