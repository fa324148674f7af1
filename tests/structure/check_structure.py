#!/usr/bin/env python3
"""Checks the rules of the source tree that no compiler checks.

    check_structure.py [ROOT]

 * layers: which folder may include what (docs/architecture.md has the table);
 * folders inside a layer: only those before them, so that there is no circle; the order is the block ```folders``` of
   docs/architecture.md, and every folder of code stands in it;
 * every quoted include is written from the root of the tree, and exists;
 * no file of code over 500 lines, no `using namespace`, no path of one machine;
 * documentation is wrapped at 120 characters (not tables, code, and lines with a link);
 * every family of swappable parts is named in the documentation.

Prints one line a violation, as file:line: what. Exit code 0: none; 1: some.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_LINES = 500
MAX_WIDTH = 120  # of documentation
SKIPPED_FOLDERS = {".git", ".cache", ".venv", "out", "__pycache__"}
CXX = (".cpp", ".hpp", ".h")
CODE = CXX + (".c", ".py", ".sh", ".cmake", ".gp")
TEXT = CODE + (".md", ".toml", ".txt", ".json", ".fio")
# Files without a suffix that are shell scripts.
SCRIPTS = {"quickstart", "check", ".ci/run", "bench/run", "tools/site", "tools/tidy", "experiments/run", "experiments/engine/Snakefile"}

# Third-party headers, by library.
LIBRARIES = {
    "systemc": "systemc", "systemc.h": "systemc", "tlm": "systemc", "tlm.h": "systemc",
    "fmt": "fmt", "nlohmann": "json", "toml++": "toml", "CLI": "cli",
    "zlib.h": "compression", "lzma.h": "compression", "zstd.h": "compression",
}
# Folder: (folders of ours that it may include, libraries). Boost, the standard library and POSIX are free to all, but
# policies may not include POSIX headers (with a slash or .h).
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
AROUND = {"tests", "bench", "tools", "experiments", "examples"}

ORDER = "docs/architecture.md"
ORDER_BLOCK = re.compile(r"^```folders\n(.*?)^```", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
USING_NAMESPACE = re.compile(r"^\s*using\s+namespace\b")
MACHINE_PATH = re.compile(r"(?<![\w.~$}-])/(?:work|root|home)/\w")
FAMILY = re.compile(r'kFamily\s*=\s*"(\w+)"')


def files_of(root):
    """Paths relative to the root, with forward slashes, sorted, without build folders and results."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS and not f.startswith("build"))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            if name.endswith(TEXT) or path in SCRIPTS:
                yield path


def layer_of(path):
    """The longest layer that contains a path; None if no layer does."""
    return max((layer for layer in LAYERS if path.startswith(layer + "/")), key=len, default=None)


def folder_levels(text):
    """{folder: its level} from the block of the documentation that shows the order: one line per layer, its name and
    then its folders from the lowest level up, "." for itself, "<" between levels. An indented line continues the one
    above."""
    levels = {}
    block = ORDER_BLOCK.search(text)
    for line in re.sub(r"\n\s+", " ", block.group(1)).splitlines() if block else []:
        layer, _, folders = line.partition(" ")
        for level, names in enumerate(folders.split("<")):
            for name in names.split():
                levels[layer if name == "." else f"{layer}/{name}"] = level
    return levels


def check_order(path, header, levels):
    """The error of an include inside a layer; None if there is none."""
    source, target = os.path.dirname(path), os.path.dirname(header)
    if source == target or source.split("/")[0] != target.split("/")[0]:
        return None
    if source not in levels or target not in levels or levels[target] < levels[source]:
        return None  # folders without a level are reported once, as folders
    return f"{source}/ must not include {target}/, which does not stand below it in {ORDER}"


def check_include(root, path, kind, header, levels):
    """The error of one include; None if there is none."""
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
        return check_order(path, header, levels)
    library = LIBRARIES.get(top)
    if layer is None:
        return None
    if library is not None and library not in LAYERS[layer][1]:
        return f"{layer}/ must not include <{header}>"
    if library is None and layer == "policies" and top != "boost" and re.search(r"[/.]", header):
        return f"policies/ must not include <{header}>: the standard library and Boost only"
    return None


def check_file(root, path, text, levels):
    violations = []
    lines = text.split("\n")
    is_code = path.endswith(CODE) or path in SCRIPTS
    if is_code and text.count("\n") > MAX_LINES:
        violations.append(f"{path}:{MAX_LINES + 1}: {text.count(chr(10))} lines; at most {MAX_LINES}")
    top = path.split("/")[0]
    is_cxx = path.endswith(CXX)
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
            wrong = check_include(root, path, include.group(1), include.group(2), levels)
            if wrong:
                violations.append(f"{path}:{number}: {wrong}")
    return violations


def check_width(path, text):
    violations = []
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            in_code = not in_code
        breakable = not in_code and not line.startswith(("    ", "|")) and "](" not in line
        if breakable and len(line) > MAX_WIDTH:
            violations.append(f"{path}:{number}: {len(line)} characters; at most {MAX_WIDTH}")
    return violations


def check(root):
    violations = []
    families = {}
    documentation = ""
    folders = {}
    levels = {}
    if os.path.isfile(os.path.join(root, ORDER)):
        with open(os.path.join(root, ORDER), encoding="utf-8") as file:
            levels = folder_levels(file.read())
    for path in files_of(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        violations += check_file(root, path, text, levels)
        if layer_of(path) is not None and path.endswith(CXX):
            folders.setdefault(os.path.dirname(path), path)
        if path.endswith(".md"):
            violations += check_width(path, text)
        if path.endswith(".hpp"):
            for family in FAMILY.findall(text):
                families[family] = path
        if path.endswith(".md") and (path.startswith("docs/") or path in ("README.md", "CONTRIBUTING.md")):
            documentation += text
    violations += [f"{path}:1: the folder {folder}/ has no place in the order of {ORDER}"
                   for folder, path in sorted(folders.items()) if folder not in levels]
    violations += [f"{ORDER}:1: the folder {folder}/ of the order has no code"
                   for folder in sorted(levels) if folder not in folders]
    for family, path in sorted(families.items()):
        if not re.search(rf"`{family}`", documentation):
            violations.append(f"{path}:1: family `{family}` is not named in README.md, CONTRIBUTING.md or docs/")
    return violations


def tell(check_tree, arguments):
    """Prints the violations that a check finds in the tree of the first argument, or in this one; returns the exit code."""
    violations = check_tree(pathlib.Path(arguments[0] if arguments else ROOT))
    for violation in violations:
        print(violation)
    if violations:
        print(f"{len(violations)} violations of the structure")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(tell(check, sys.argv[1:]))
