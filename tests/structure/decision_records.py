#!/usr/bin/env python3
"""Checks the form of the decision records, and what refers to them.

    decision_records.py [ROOT]

 * docs/adr/NNNN-name.md begins with "# N. Title" and a line of status, and has the paragraphs of HEADINGS in their order.
 * It has at most MOST words.
 * docs/adr/README.md lists each record once, and no other.
 * Records that text or code names exist.

Prints one line a violation. Exit code 0: none; 1: some."""
import pathlib
import re
import sys

from check_structure import files_of, tell

FOLDER = "docs/adr/"
INDEX = FOLDER + "README.md"
HEADINGS = ["Context", "Decision", "Consequences"]
MOST = 480
LISTED = re.compile(r"^\* \[(\d+)\]\((\d{4}-[\w-]+\.md)\)", re.MULTILINE)
NAMED = re.compile(r"\bADRs?\s+(\d+)|\badr/(\d{4}(?:-[\w-]+\.md)?)")


def check_record(path: str, text: str) -> list[str]:
    number = int(path.removeprefix(FOLDER)[:4])
    violations = []
    if not re.match(rf"# {number}\. \S.*\n\n\*\*Status\*\*: ", text):
        violations.append(f'{path}:1: does not begin with "# {number}. Title" and "**Status**: "')
    headings = re.findall(rf"^\*\*({'|'.join(HEADINGS)})\.\*\*", text, re.MULTILINE)
    if headings != HEADINGS:
        violations.append(f"{path}:1: has {', '.join(headings) or 'none'} of **{'.**, **'.join(HEADINGS)}.**")
    words = len(text.split())
    if words > MOST:
        violations.append(f"{path}:1: {words} words; at most {MOST}")
    return violations


def check(root: pathlib.Path) -> list[str]:
    texts = {path: (root / path).read_text(encoding="utf-8") for path in files_of(root)}
    records = {path.removeprefix(FOLDER): path for path in texts if re.match(rf"{FOLDER}\d{{4}}-[\w-]+\.md$", path)}
    violations = [violation for path in records.values() for violation in check_record(path, texts[path])]
    listed = LISTED.findall(texts.get(INDEX, ""))
    violations += [f"{INDEX}: [{number}] is {name}" for number, name in listed if name[:4] != number.zfill(4)]
    names = [name for _, name in listed]
    violations += [f"{INDEX}: lists {name} {names.count(name)} times" for name in sorted(records) if names.count(name) != 1]
    violations += [f"{INDEX}: there is no {name}" for name in names if name not in records]
    known = set(records) | {name[:4] for name in records}
    for path, text in texts.items():
        for match in NAMED.finditer(text):
            name = match[2] or match[1].zfill(4)
            if name not in known:
                violations.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: there is no record {name}")
    return violations


if __name__ == "__main__":
    sys.exit(tell(check, sys.argv[1:]))
