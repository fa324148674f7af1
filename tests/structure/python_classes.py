#!/usr/bin/env python3
"""Finds the classes of unittest in files, without running them: ctest registers what this prints (tests/PythonTests.cmake).

    python_classes.py FILE...

Prints a line for each class, module.Class, and behind a space what its file says that it runs with: a file with
RUNS_WITH = "Release" runs in that type of build alone, one with the name of a CMake option where that is on."""
import ast
import pathlib
import sys


def is_test(node: ast.AST) -> bool:
    """Whether it is a class with tests of its own, or with those of a ...Case. What is a ...Case without tests of its own
    is there to be derived from."""
    if not isinstance(node, ast.ClassDef):
        return False
    own = any(isinstance(part, ast.FunctionDef) and part.name.startswith("test") for part in node.body)
    derived = any(ast.unparse(base).endswith("Case") for base in node.bases)
    return own or (derived and not node.name.endswith("Case"))


def classes_of(path: pathlib.Path) -> tuple[list[str], str]:
    """(names of the classes, what the file runs with or "")."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    runs_with = [node.value.value for node in body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
                 and ast.unparse(node.targets[0]) == "RUNS_WITH"]
    return [node.name for node in body if is_test(node)], "".join(runs_with)


def main(files: list[str]) -> None:
    for path in map(pathlib.Path, files):
        classes, runs_with = classes_of(path)
        for name in classes:
            print(f"{path.stem}.{name} {runs_with}".rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])
