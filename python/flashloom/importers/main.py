"""The command: `flashloom import`, which begins this module with its words (docs/how-to/import.md)."""
import argparse
import os
import pathlib
import sys
from collections.abc import Sequence

from ..errors import BadInput
from ..exit_code import exit_code
from ..places import visible
from ..program import call
from ..whole_file import write_whole
from .draft import Draft, table
from .mqsim import read_mqsim
from .mqsim_workload import read_workload


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("flashloom import")
    parser.add_argument("--out")
    parser.add_argument("--job")
    parser.add_argument("--capacity")
    parser.add_argument("kind")
    parser.add_argument("input")
    parser.add_argument("more", nargs="?")
    given = parser.parse_args(words)
    return exit_code(lambda: carry_out(given))


def carry_out(given: argparse.Namespace) -> None:
    """Checks all before anything is written."""
    workload = read_workload(given.more) if given.kind == "mqsim" and given.more else None
    draft = read_mqsim(given.input, workload)
    name = pathlib.Path(given.input).stem
    text = draft.toml(name, f"{draft.peer}: {given.input}", [f"From {given.input} by `flashloom import {given.kind}`: behind each key the one that it comes from."])
    accepted(text)
    rows = [*draft.rows.values(), *(workload.rows if workload else [])]
    deliver(text, given.out)
    if given.job and workload:
        write_whole(pathlib.Path(given.job), workload.job)
    sys.stderr.write(visible(table(rows)))


def accepted(text: str) -> None:
    pass


def deliver(text: str, out: str | None) -> None:
    if out:
        write_whole(pathlib.Path(out), text)
    else:
        sys.stdout.write(text)
