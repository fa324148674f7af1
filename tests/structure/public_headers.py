#!/usr/bin/env python3
"""Checks the headers that third-party models and plug-ins are built against (cmake/PublicHeaders.cmake).

    public_headers.py [--renew]

 * each exists, is named once, and includes no private header of ours;
 * their code, without comments and white space, has not changed since FLASHLOOM_PLUGIN_INTERFACE
   (sc_main/assembly/plugins/plugin_interface.hpp) got its number: a plug-in built before would be loaded, and crash.

After a change: raise the number, unless no plug-in can be affected, and run with --renew. Exit code 0: no error; 1:
some."""
import hashlib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = "cmake/PublicHeaders.cmake"
INTERFACE = "sc_main/assembly/plugins/plugin_interface.hpp"
NOTED = pathlib.Path(__file__).with_name("plugin_interface.json")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)


def public_headers(root: pathlib.Path) -> list[str]:
    return re.findall(r"\b[\w/]+\.hpp\b", re.sub(r"#[^\n]*", "", (root / LIST).read_text(encoding="utf-8")))


def wrong_headers(root: pathlib.Path) -> list[str]:
    """The violations, one per line."""
    headers = public_headers(root)
    wrong = [f"{LIST}: {header} is named twice" for header in sorted(set(headers)) if headers.count(header) > 1]
    for header in headers:
        if not (root / header).is_file():
            wrong.append(f"{LIST}: there is no {header}")
            continue
        text = (root / header).read_text(encoding="utf-8")
        wrong += [f"{header}: is public, and includes {included}, which is not ({LIST})"
                  for included in INCLUDE.findall(text) if included not in headers]
    return wrong


def interface_of(root: pathlib.Path) -> dict[str, object]:
    """The number of the interface, and the hash of the headers' code."""
    number = re.search(r"#define FLASHLOOM_PLUGIN_INTERFACE (\d+)", (root / INTERFACE).read_text(encoding="utf-8"))
    assert number, f"{INTERFACE} has no number"
    hashed = hashlib.sha256()
    for header in sorted(public_headers(root)):
        if header.startswith("sc_main/"):  # modules, which plug-ins do not include
            continue
        text = COMMENT.sub(lambda match: match[1] or " ", (root / header).read_text(encoding="utf-8"))
        hashed.update(f"{header}\n{' '.join(text.split())}\n".encode())
    return {"interface": int(number[1]), "headers": hashed.hexdigest()}


def main() -> int:
    wrong = wrong_headers(ROOT)
    if not wrong:
        interface = interface_of(ROOT)
        if "--renew" in sys.argv[1:]:
            NOTED.write_text(json.dumps(interface, indent=2) + "\n", encoding="utf-8")
        elif interface != json.loads(NOTED.read_text(encoding="utf-8")):
            wrong.append(f"{INTERFACE}: public headers have changed: raise FLASHLOOM_PLUGIN_INTERFACE, then "
                         "tests/structure/public_headers.py --renew")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
