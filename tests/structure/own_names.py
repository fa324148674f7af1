#!/usr/bin/env python3
"""Checks that what a file keeps to itself has a name of its own among the files that `release` compiles as one.

    own_names.py [ROOT]

A file keeps to itself what it declares in an anonymous namespace, or `static` outside of classes. No other .cpp of the same
group (GROUPS of flashloom_layer in CMakeLists.txt; a folder of tests/ is one) may keep something of the same name in the
same namespace: the preset `dev`, which compiles each file by itself, would not find it. Prints one line a violation. Exit
code 0: none; 1: some."""
import pathlib
import re
import sys
from typing import Iterator

from check_structure import LAYERS, files_of, tell

LAYER = re.compile(r"^flashloom_layer\((\w+)([^)]*)\)", re.MULTILINE)
VARIABLE = re.compile(r"^set\((\w+) ([^)]*)\)", re.MULTILINE)
WORD = re.compile(r'"[^"]*"|[^\s"]+')
KEYWORD = re.compile(r"[A-Z_]+$")
FOLDERS = {layer.split("/")[0] for layer in LAYERS} | {"tests"}

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\''
                      r"|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*)$")
TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\( ?(\w+), (\w+)")
TYPE = re.compile(r"^(?:class|struct|union|enum(?: class| struct)?|concept) (\w+)")
ALIAS = re.compile(r"^(?:using|namespace) (\w+) = ")
ENUMERATORS = re.compile(r"^enum (?!class|struct)[^{]*\{(.*)\}$")
NAMELESS = re.compile(r"^(?:using|namespace|friend|extern|static_assert)\b|^[A-Z][A-Z0-9_]*\(|^$")
ARGUMENTS = re.compile(r"<[^<>]*>|\[\[.*?\]\]")
# Outside of an anonymous namespace: what is a file's own by its first words.
OWN = re.compile(r"(?:template ?<[^{]*> |\[\[[^]]*\]\] )?(?:(?:static|constexpr) |const [^(]*(?:[={]|$))|TEST")
CONTINUES = tuple(";,{=).(<>+-*/%&|^?:")  # what follows braces that do not end a declaration


def matching(text: str, begin: int) -> int:
    """Where the brace at `begin` is closed."""
    depth = 0
    for brace in re.compile("[{}]").finditer(text, begin):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    raise ValueError("a brace is not closed")


def declarations(text: str) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """(line, namespaces, text) of all that stands outside of classes and functions; the anonymous namespace is ""."""
    text = NOT_CODE.sub(lambda match: '""' + "\n" * match[0].count("\n") if match[0][0] in "\"R'" else
                        "\n" * match[0].count("\n"), text)
    spaces: list[str] = []
    begin = at = 0
    while mark := re.compile("[{};]").search(text, at):
        at = mark.end()
        head = text[begin:mark.start()]
        line = 1 + text.count("\n", 0, begin + len(head) - len(head.lstrip()))
        if mark[0] == "{":
            namespace = NAMESPACE.match(" ".join(head.split()))
            if namespace:
                spaces.append(namespace[1])
            else:
                at = matching(text, mark.start()) + 1
                if text[at:].lstrip().startswith(CONTINUES):
                    continue
                yield line, tuple(spaces), " ".join(text[begin:at].split())
        elif mark[0] == "}":
            spaces.pop()
        else:
            yield line, tuple(spaces), " ".join(head.split())
        begin = at


def names_of(declaration: str) -> Iterator[tuple[str, str]]:
    """(name, what it stands for if it is an alias) of a declaration: none for a macro, or for a member that is defined
    outside of its class."""
    head = declaration.partition("{")[0]
    while (shorter := ARGUMENTS.sub("", head)) != head:
        head = shorter
    head = " ".join(head.split()).removeprefix("template ")
    if enumerators := ENUMERATORS.match(declaration):
        yield from ((name, "") for name in re.findall(r"(\w+)(?: = [^,]*)?(?:,|$)", enumerators[1].strip()))
    if test := TEST.match(head):
        yield f"{test[1]}.{test[2]}", ""
    elif alias := ALIAS.match(head):
        yield alias[1], declaration
    elif named := TYPE.match(head):
        yield named[1], ""
    elif not NAMELESS.match(head):
        name = re.match(r".*?\boperator ?[^\w (]+|[^(=\[]*", head)[0].split()[-1].lstrip("*&")
        if "::" not in name:
            yield name, ""


def own_names(text: str) -> Iterator[tuple[int, tuple[str, ...], str, str]]:
    """(line, namespaces without the anonymous one, name, what an alias stands for) of what a file keeps to itself."""
    for line, spaces, declaration in declarations(text):
        if "" in spaces or OWN.match(declaration):
            for name, alias in names_of(declaration):
                yield line, tuple(space for space in spaces if space), name, alias


def groups_of(text: str) -> dict[str, str]:
    """{folder: the first folder of its group} of the layers in a CMakeLists.txt."""
    variables = dict(VARIABLE.findall(text))
    groups = {}
    for name, rest in LAYER.findall(text):
        rest = re.sub(r"\$\{(\w+)\}", lambda match: variables.get(match[1], ""), rest)
        options: dict[str, list[str]] = {}
        for word in WORD.findall(rest):
            if KEYWORD.match(word):
                options[word] = words = []
            elif options:
                words.append(word.strip('"'))
        layer = options.get("FOLDER", [name])[0]
        groups[layer] = layer
        for group in options.get("GROUPS", []):
            groups |= {f"{layer}/{folder}": f"{layer}/{group.split()[0]}" for folder in group.split()}
    return groups


def unit_of(path: str, groups: dict[str, str]) -> str:
    """The group of the nearest folder above that has one."""
    if path.startswith("tests/"):
        return "/".join(path.split("/")[:2])  # those of support/ are in all: they keep nothing to themselves that a test may have
    folder = path
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if folder in groups:
            return groups[folder]
    return path.rpartition("/")[0]


def clashes(root: pathlib.Path) -> list[str]:
    first: dict[tuple[str, tuple[str, ...], str], tuple[str, str]] = {}
    violations = []
    build = root / "CMakeLists.txt"
    groups = groups_of(build.read_text(encoding="utf-8")) if build.is_file() else {}
    for path in files_of(root):
        if not path.endswith(".cpp") or path.split("/")[0] not in FOLDERS:
            continue
        for line, spaces, name, alias in own_names((root / path).read_text(encoding="utf-8")):
            other, meaning = first.setdefault((unit_of(path, groups), spaces, name), (path, alias))
            if other != path and not (alias and alias == meaning):  # the same alias twice is none too many
                violations.append(f"{path}:{line}: {name} is also a name of {other}, and release compiles both as one")
    return violations


if __name__ == "__main__":
    sys.exit(tell(clashes, sys.argv[1:]))
