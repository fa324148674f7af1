#!/usr/bin/env python3
"""Checks the rules of the source tree that no compiler checks.

    check_structure.py [ROOT]

 * layers: which folder may include what (docs/architecture.md has the table);
 * every quoted include is written from the root of the tree, and exists;
 * no file of code over 500 lines, no `using namespace`, no path of one machine;
 * every family of swappable parts is named in the documentation.

Prints one line a violation, as file:line: what. Exit code 0: none; 1: some.
"""
import os
import re
import sys

MAX_LINES = 500
SKIPPED_FOLDERS = {".git", ".cache", ".venv", "out", "__pycache__"}
CODE = (".cpp", ".hpp", ".h", ".py", ".sh", ".cmake", ".gp")
TEXT = CODE + (".md", ".toml", ".txt", ".json", ".fio")
# Files without a suffix that are shell scripts.
SCRIPTS = {"quickstart", "check", ".ci/run", "bench/run", "experiments/run", "experiments/engine/Snakefile"}

# Headers that are neither ours nor Boost's nor the standard library's nor POSIX's, by library.
LIBRARIES = {
    "systemc": "systemc", "systemc.h": "systemc", "tlm": "systemc", "tlm.h": "systemc",
    "fmt": "fmt", "nlohmann": "json", "toml++": "toml", "CLI": "cli",
    "zlib.h": "compression", "lzma.h": "compression", "zstd.h": "compression",
}
# Folder: (folders of ours that it may include, libraries). Boost, the standard library and POSIX are free to all, but
# POSIX headers (with a slash or .h) are not for policies.
LAYERS = {
    "policies": ({"policies"}, set()),
    "workloads": ({"workloads"}, {"fmt", "compression"}),
    "analysis": ({"analysis", "workloads", "policies"}, {"json"}),
    "models": ({"models"}, {"systemc"}),
    "controllers": ({"controllers", "models", "policies"}, {"systemc"}),
    "controllers/host": ({"controllers", "models", "policies", "workloads"}, {"systemc"}),
    "sc_main": ({"sc_main", "controllers", "models", "policies", "workloads", "analysis"},
                {"systemc", "fmt", "json", "toml", "cli"}),
}
# Code around the layers, which may include everything but tests; tests may include tests.
AROUND = {"tests", "bench", "tools", "experiments"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
USING_NAMESPACE = re.compile(r"^\s*using\s+namespace\b")
MACHINE_PATH = re.compile(r"(?<![\w.~$}-])/(?:work|root|home)/\w")
FAMILY = re.compile(r'kFamily\s*=\s*"(\w+)"')


def files_of(root):
    """Paths relative to the root, with forward slashes, in order; build folders and results left out."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS and not f.startswith("build"))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            if name.endswith(TEXT) or path in SCRIPTS:
                yield path


def layer_of(path):
    """The longest layer that a path lies in; None outside of them."""
    return max((layer for layer in LAYERS if path.startswith(layer + "/")), key=len, default=None)


def check_include(root, path, kind, header):
    """What is wrong with one include; None if nothing is."""
    top = header.split("/")[0]
    layer = layer_of(path)
    if kind == '"':
        if not os.path.isfile(os.path.join(root, header)):
            return f'"{header}" is not a file of the tree, seen from its root'
        if layer is None:
            inside_tests = path.startswith("tests/")
            if top == "tests" and not inside_tests:
                return "only tests include tests"
            return None
        if top not in LAYERS[layer][0]:
            return f"{layer}/ must not include {top}/; it may include {', '.join(sorted(LAYERS[layer][0]))}"
        return None
    library = LIBRARIES.get(top)
    if layer is None:
        return None
    if library is not None and library not in LAYERS[layer][1]:
        return f"{layer}/ must not include <{header}>"
    if library is None and layer == "policies" and top != "boost" and re.search(r"[/.]", header):
        return f"policies/ must not include <{header}>: the standard library and Boost only"
    return None


def check_file(root, path, text):
    violations = []
    lines = text.split("\n")
    is_code = path.endswith(CODE) or path in SCRIPTS
    if is_code and text.count("\n") > MAX_LINES:
        violations.append(f"{path}:{MAX_LINES + 1}: {text.count(chr(10))} lines; at most {MAX_LINES}")
    top = path.split("/")[0]
    is_cxx = path.endswith((".cpp", ".hpp", ".h"))
    if is_cxx and layer_of(path) is None and top not in AROUND:
        violations.append(f"{path}:1: C++ outside of the layers and of {', '.join(sorted(AROUND))}")
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            violations.append(f"{path}:{number}: path of one machine: {line.strip()[:100]}")
        if not is_cxx:
            continue
        if USING_NAMESPACE.match(line):
            violations.append(f"{path}:{number}: using namespace")
        include = INCLUDE.match(line)
        if include:
            wrong = check_include(root, path, include.group(1), include.group(2))
            if wrong:
                violations.append(f"{path}:{number}: {wrong}")
    return violations


def check(root):
    violations = []
    families = {}
    documentation = ""
    for path in files_of(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        violations += check_file(root, path, text)
        if path.endswith(".hpp"):
            for family in FAMILY.findall(text):
                families[family] = path
        if path.endswith(".md") and (path.startswith("docs/") or path in ("README.md", "CONTRIBUTING.md")):
            documentation += text
    for family, path in sorted(families.items()):
        if not re.search(rf"`{family}`", documentation):
            violations.append(f"{path}:1: family `{family}` is not named in README.md, CONTRIBUTING.md or docs/")
    return violations


def main(arguments):
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    violations = check(os.path.normpath(root))
    for violation in violations:
        print(violation)
    if violations:
        print(f"{len(violations)} violations of the structure")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
