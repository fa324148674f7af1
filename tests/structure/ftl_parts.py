#!/usr/bin/env python3
"""Checks that the FTL is cut by feature.

    ftl_parts.py [ROOT]

 * No class in controllers/ftl/ has more than LARGEST methods; Universal Ctags counts them, where it is installed.
 * Files of controllers/ftl/ outside of features/NAME/ that name the feature NAME are at most those of FEATURES, which may only fall.
 * Every folder of controllers/ftl/features/ is in FEATURES.

Prints one line a violation. Exit code 0: none; 1: some."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

from check_structure import CXX, files_of, tell

LARGEST = 45
CODE = "controllers/ftl/"
PARTS = "controllers/ftl/features/"
# Feature: what names it, and the files outside of its folder that may do so.
FEATURES = {
    "compression": (r"[Cc]ompressor|Compress(?:ed|ion)[A-Z]\w*|compression(?:\.|_\w+|\b)", 2),
    "fdp": (r"\b[Ff]dp\w*|FDP|[Rr]eclaim\w*", 12),
    "program_failures": (r"ProgramFailures|FailingPrograms|FailedProgram|FailedBlocks|program_failures\b|failures\(\)", 5),
    "rain": (r"\brain\w*|\bRain\b|\bStripes\b|StripeRecovery|DieParity", 15),
    "scrub": (r"[Ss]crub\w*|WeakBlocks", 8),
    "slc_cache": (r"\bslc_(?!pages|mode)\w*|\bslc\(\)|\bSlc[A-Z]\w*|\w*_slc\b|\blends\(|\bborrow\w*", 4),
    "superblocks": (r"[Ss]uperblock", 14),
    "wear": (r"WearLevel\w*|wear_leveling|wear_moves|units_leveled|leveling\(", 13),
}
PARAMETER_NAME = re.compile(r"\b\w+(?=\s*[,)=])")


def methods_of(root: pathlib.Path, paths: list[str]) -> dict[str, set[tuple[str, str]]]:
    """Methods by class: declared or defined in it, each once, as (name, types of its parameters)."""
    listed = subprocess.run(["ctags", "-f", "-", "--languages=C++", "--kinds-C++=pf", "--fields=+sS", "-u", *paths],
                            capture_output=True, text=True, check=True, cwd=root).stdout
    methods = collections.defaultdict(set)
    for line in listed.splitlines():
        name, _, _, *fields = line.split("\t")
        known = dict(field.split(":", 1) for field in fields if ":" in field)
        owner = known.get("class") or known.get("struct")
        if owner:
            signature = PARAMETER_NAME.sub("", known.get("signature", "")).replace(" ", "")
            methods[owner].add((name, signature))
    return methods


def check(root: pathlib.Path) -> list[str]:
    sources = {path: (root / path).read_text(encoding="utf-8")
               for path in files_of(root) if path.endswith(CXX) and path.startswith(CODE)}
    violations = []
    headers = [path for path in sources if path.endswith(".hpp")]
    if headers and shutil.which("ctags"):
        violations += [f"{owner}: {len(methods)} methods; at most {LARGEST}"
                       for owner, methods in sorted(methods_of(root, headers).items()) if len(methods) > LARGEST]
    for feature, (words, most) in FEATURES.items():
        naming = [path for path, text in sources.items()
                  if not path.startswith(f"{PARTS}{feature}/") and re.search(words, text)]
        if len(naming) > most:
            violations.append(f"{feature}: {len(naming)} files outside of {PARTS}{feature}/ name it; at most {most}: {', '.join(naming)}")
    folders = {path.removeprefix(PARTS).split("/")[0] for path in sources if path.startswith(PARTS) and "/" in path.removeprefix(PARTS)}
    return violations + [f"{PARTS}{folder}/: FEATURES does not say what names it" for folder in sorted(folders - FEATURES.keys())]


if __name__ == "__main__":
    sys.exit(tell(check, sys.argv[1:]))
