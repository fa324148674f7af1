#!/usr/bin/env python3
"""Checks that all C and C++ is as clang-format writes it (.clang-format).

    cxx_format.py [ROOT]

Versions of clang-format differ in what they write: skips, with exit code 77, where it is not the version that Debian 12
has. Prints the first place of each file that differs. Exit code 0: none; 1: some."""
import pathlib
import re
import shutil
import subprocess
import sys

from check_structure import CXX, files_of, tell

VERSION = "14"
SKIPPED = 77
DIFFERS = re.compile(r"^(.*?:\d+):\d+: error: ", re.MULTILINE)


def why_not() -> str:
    """Why nothing can be said here; empty if it can."""
    if not shutil.which("clang-format"):
        return "there is no clang-format (Debian: clang-format)"
    said = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return "" if re.search(rf"version {VERSION}\.", said) else f"this is {said}; needed: {VERSION}"


def unformatted(root: pathlib.Path) -> list[str]:
    """The violations, one a file."""
    files = [path for path in files_of(root) if path.endswith((*CXX, ".c"))]
    said = subprocess.run(["clang-format", "--dry-run", "--Werror", "--ferror-limit=1", *files], cwd=root,
                          capture_output=True, text=True, check=False).stderr
    return [f"{place}: clang-format -i {place.rpartition(':')[0]}" for place in DIFFERS.findall(said)]


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    sys.exit(tell(unformatted, sys.argv[1:]))
