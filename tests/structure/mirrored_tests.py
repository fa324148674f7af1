#!/usr/bin/env python3
"""Checks where the C++ tests lie.

    mirrored_tests.py [ROOT]

 * A file has tests if and only if its name ends in _test.cpp.
 * It lies in tests/FOLDER/, where FOLDER is a folder of code; tests of whole devices, and of papers, lie in those of WHOLE.
 * NAME_test.cpp tests NAME.cpp or NAME.hpp of FOLDER, or its first line says what it tests.
 * Every folder of a layer has tests in its mirrored folder, or COVERED says what tests it instead.

Prints one line a violation. Exit code 0: none; 1: some."""
import os
import pathlib
import re
import sys

from check_structure import CXX, files_of, layer_of, tell

# Tests in C++, in groups of two: (suite, name) of a TEST, or of a property.
TESTS = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)|^RC_GTEST(?:_FIXTURE)?_PROP\(\s*(\w+),\s*(\w+)", re.MULTILINE)
WHOLE = {"system", "torture", "faults", "papers"}
# Folders without tests of their own: the tests that cover them.
COVERED = {
    "controllers/ftl/features/fdp": ["tests/system/fdp_test.cpp", "tests/system/fdp_events_test.cpp"],
    "controllers/ftl/features/fdp/handles": ["tests/system/fdp_test.cpp", "tests/system/fdp_events_test.cpp"],
    "controllers/ftl/features/program_failures": ["tests/system/failing_programs_test.cpp", "tests/system/rain_test.cpp"],
    "controllers/ftl/features/scrub": ["tests/torture/reliability_test.cpp"],
    "controllers/ftl/read": ["tests/controllers/ftl/kinds", "tests/torture/reliability_test.cpp"],  # every FTL reads by it
    "controllers/host_interface/kinds": ["tests/controllers/host_interface", "tests/system/host_interface_test.cpp"],
    "models/block": ["tests/system/breakdown_test.cpp"],  # what hosts and devices say to each other: data alone
    "models/onfi": ["tests/models/channel"],  # what controller and channel say to each other: data alone
    "sc_main": ["tests/program"],  # main.cpp
    "sc_main/assembly": ["tests/program/test_commands.py"],  # the version
    "sc_main/assembly/library": ["tests/system/ssd_module_test.cpp", "tests/program/test_install.py"],
    "sc_main/attach/nbd": ["tests/program/test_nbd.py"],  # needs nbdkit
    "sc_main/attach/serve": ["tests/program/test_nbd.py", "tests/program/test_vfio_user.py"],
    "sc_main/attach/vfio_user": ["tests/program/test_vfio_user.py"],
    "sc_main/assembly/plugins": ["tests/program/test_install.py"],  # needs the installed headers
    "sc_main/assembly/system": ["tests/system"],
    "sc_main/stack/array": ["tests/system/array_test.cpp", "tests/torture/array_torture_test.cpp"],
    "sc_main/stack/heap": ["tests/system/heap_test.cpp", "tests/torture/heap_torture_test.cpp"],
    "sc_main/stack/tier": ["tests/system/tier_test.cpp", "tests/torture/pair_torture_test.cpp"],
    "sc_main/verify": ["tests/torture"],
}


def check(root: pathlib.Path) -> list[str]:
    sources = {path: (root / path).read_text(encoding="utf-8") for path in files_of(root) if path.endswith(CXX)}
    folders = {os.path.dirname(path) for path in sources if not path.startswith("tests/")}
    violations = []
    tested = set()
    for path, text in sources.items():
        if not path.startswith("tests/"):
            continue
        has_tests = TESTS.search(text) is not None
        if has_tests != path.endswith("_test.cpp"):
            violations.append(f"{path}:1: " + ("has tests, and no name in _test.cpp" if has_tests else "has no tests"))
        if not has_tests:
            continue
        folder = os.path.dirname(path).removeprefix("tests/")
        tested.add(folder)
        if folder not in folders | WHOLE:
            violations.append(f"{path}:1: {folder}/ is no folder of code, nor one of {', '.join(sorted(WHOLE))}")
        name = f"{folder}/{os.path.basename(path).removesuffix('_test.cpp')}"
        if not {f"{name}.cpp", f"{name}.hpp"} & sources.keys() and not text.startswith("// "):
            violations.append(f"{path}:1: there is no {name}.cpp or .hpp, and the first line does not say what it tests")
    of_layers = {folder for folder in folders if layer_of(folder + "/")}
    violations += [f"tests/{folder}: there are no tests of {folder}/, and COVERED names none"
                   for folder in sorted(of_layers - tested - COVERED.keys())]
    violations += [f"COVERED: {folder}/ has tests in its mirrored folder, or no code"
                   for folder in sorted(COVERED.keys() - (of_layers - tested))]
    violations += [f"COVERED: there is no {test}" for tests in COVERED.values() for test in tests if not (root / test).exists()]
    return violations


if __name__ == "__main__":
    sys.exit(tell(check, sys.argv[1:]))
