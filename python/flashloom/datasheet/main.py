"""The command: `flashloom datasheet`, which begins this module with its words (docs/how-to/datasheet.md)."""
import argparse
import csv
import io
import itertools
import json
import os
import pathlib
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas  # noqa: F401 pylint: disable=unused-import  # sweeps need it: its absence is said before anything runs

from ..device import Device
from ..errors import BadInput
from ..exit_code import exit_code
from ..places import one_of, visible
from ..units import in_unit
from ..whole_file import write_whole
from .bench import Bench, refuse
from .brief import KEYS, Figure, brief
from .page import page_of, said
from .pts import TESTS, run_test

SCHEMA = "flashloom.datasheet/1"
CLASSES = ("client", "enterprise")


def datasheet(device: Device | str, *, kind: str = "enterprise", tests: Sequence[str] = ("brief",), error: float = 0.01,
              figures: Sequence[str] = KEYS, out: str | os.PathLike[str] = "datasheet", jobs: int | None = None, seed: int | None = None, progress: bool | None = None,
              tell: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """Measures a device as its sheet would be measured; writes datasheet.html, datasheet.json and rounds.csv into `out`, which also
    keeps all results: what is there is not run again. Returns what datasheet.json has.

    kind    "client": fresh drive, writes into its SLC cache; "enterprise": steady state
    tests   "brief", and of the PTS: pts.TESTS
    figures of the brief; what none of them needs is not run
    error   half width of the 95 % intervals that sampled figures shall have, of the figure

    Throws BadInput before anything runs for what cannot be right; RunFailed, Interrupted.
    """
    if kind not in CLASSES:
        raise BadInput(f"datasheet: class {kind!r}; {one_of(CLASSES, kind)}")
    for test in tests:
        if test not in ("brief", *TESTS):
            raise BadInput(f"datasheet: test {test!r}; {one_of(('brief', *TESTS), test)}")
    for figure in figures:
        if figure not in KEYS:
            raise BadInput(f"datasheet: figure {figure!r}; {one_of(KEYS, figure)}")
    given = device if isinstance(device, Device) else Device(device)
    refuse(given.config())
    folder = pathlib.Path(out).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(given, folder, error=error, jobs=jobs, seed=seed, progress=progress, tell=tell)
    sheet: dict[str, Any] = {"schema": SCHEMA, "device": given.name, "description": bench.config["description"], "class": kind,
                             "config": bench.config, "simulated_share": bench.slice_of, "brief": {}, "tests": {}, "refused": {}}
    for test in tests:
        try:
            if test == "brief":
                sheet["brief"] = by_key(brief(bench, kind, figures))
            else:
                sheet["tests"][test] = run_test(test, bench, kind)
        except BadInput as problem:
            if len(tests) == 1:
                raise
            sheet["refused"][test] = str(problem)
            tell(f"{test}: not done: {problem}")
        write(folder, sheet)
    return sheet


def by_key(figures: Sequence[Figure]) -> dict[str, dict[str, Any]]:
    """As datasheet.json has them."""
    return {str(fields.pop("key")): fields for fields in map(asdict, figures)}


def write(folder: pathlib.Path, sheet: Mapping[str, Any]) -> None:
    """The files of what is there so far."""
    write_whole(folder / "datasheet.json", json.dumps(sheet, indent=1) + "\n")
    write_whole(folder / "datasheet.html", page_of(sheet))
    rows = ["test,round,element,figure,value"]
    for test, found in sheet["tests"].items():
        rows += [f'{test},{row["round"]},"{row["element"]}",{row["figure"]},{row["value"]:.9g}' for row in found["rounds"]]
    write_whole(folder / "rounds.csv", "\n".join(rows) + "\n")


def family(device: Device, sweeps: Sequence[str]) -> list[tuple[str, Device]]:
    """Name of the folder and device of each member that --sweep KEY=V1,V2 makes; one without a name if there is no sweep."""
    axes = []
    for text in sweeps:
        key, found, values = text.partition("=")
        if not found or not values:
            raise BadInput(f"--sweep {text}: as nand.ways=1,2,4")
        axes.append([(key, value) for value in values.split(",")])
    members = []
    for choice in itertools.product(*axes):
        name = "-".join(re.sub(r"[^\w.-]+", "_", f"{key.rpartition('.')[2]}-{value}") for key, value in choice)
        members.append((name, device.set(dict(choice))))
    return members


def side_by_side(sheets: Mapping[str, Mapping[str, Any]]) -> str:
    """The figures of all members as CSV, a column each; an empty cell: not modelled."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for name, sheet in sheets.items():
        for figure in sheet["brief"].values():
            rows.setdefault((figure["name"], figure["unit"]), {})[name] = figure["value"]
        for test, found in sheet["tests"].items():
            for figure_name, value in found["values"].items():
                rows.setdefault((f"{test}: {figure_name}", ""), {})[name] = value
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["figure", "unit", *sheets])
    for (figure_name, unit), values in rows.items():
        writer.writerow([figure_name, unit, *(values.get(name) for name in sheets)])
    return text.getvalue()


def main(words: list[str]) -> int:
    """Exit codes: 0 done, 1 a run failed, 2 bad input, 130 interrupted."""
    parser = argparse.ArgumentParser(prog="flashloom datasheet")
    parser.add_argument("device")
    parser.add_argument("--class", dest="kind", default="enterprise")
    parser.add_argument("--tests", default="brief")
    parser.add_argument("--figures", default=",".join(KEYS))
    parser.add_argument("--error", default="1%")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--sweep", action="append", default=[])
    parser.add_argument("--out", default="datasheet")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args(words)

    def tell(text: str) -> None:
        if not options.quiet:
            print(visible(f"datasheet: {text}"), file=sys.stderr, flush=True)

    def command() -> None:
        per_cent = in_unit(options.error, "%")
        error = float(options.error) if per_cent is None else per_cent / 100
        device = Device(options.device).set(dict(text.split("=", 1) for text in options.set))
        out = pathlib.Path(options.out)
        sheets = {}
        for name, member in family(device, options.sweep):
            sheets[name] = sheet = datasheet(member, kind=options.kind, tests=options.tests.split(","), figures=options.figures.split(","),
                                             error=error, out=out / name, jobs=options.jobs, seed=options.seed,
                                             progress=False if options.quiet else None, tell=tell)
            if not options.quiet:
                print(visible(text_of(sheet)))
                print(f"pages: {out / name / 'datasheet.html'}")
        if options.sweep:
            write_whole(out / "family.csv", side_by_side(sheets))

    return exit_code(command)


def text_of(sheet: Mapping[str, Any]) -> str:
    """The brief as a table for a terminal."""
    lines = [f"{sheet['device']}, {sheet['class']} class"]
    for figure in sheet["brief"].values():
        lines.append(f"  {figure['name']:52} {said(figure)}")
    return "\n".join(lines)
