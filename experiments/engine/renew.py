"""The program experiments/renew: makes anew what studies and searches keep of their results, and says what moved."""
import argparse
import csv
import dataclasses
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping

from flashloom.whole_file import write_whole

from .errors import MissingError, RunError, StudyError, one_of, shown
from .kept import (OURS, PUBLISHED, SUMMARY, Full, Line, all_due, files_fingerprint, folders_of, lines_of_file, model_fingerprint,
                   published_lines, renewed_of, tell_due, text_of)
from .main import ROOT, Parser, add_places, base_of, complain, exit_code, report_failures, run_study, say
from .parts import load_parts, prefix_of
from .points import Program
from .quick import quick_forms
from .search import main as searches
from .summaries import bars_of, lines_of
from .tables import write_csv

BAR = 0.01  # of a value: how far one without a band or an interval may move
SHOWN = 20
HELP = """Runs the studies and searches whose full summaries are out of date (experiments/run --stale), or those named, in full, one
after the other, and writes what they keep: summary-quick.csv, summary.csv, published.csv, figures, numbers in README.md. Says what
moved by more than its bar: its band or 95 % interval, else 1 %. Stopped, it goes on where it was.

Exit codes: 0 all is done, 1 something failed or, with --check, differs, 2 bad input."""


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = Parser(prog="experiments/renew", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", metavar="NAME", nargs="*", help="names of studies and searches, or paths of their folders")
    parser.add_argument("--quick", action="store_true", help="only the quick forms (of all, or of those named), in one store of results")
    parser.add_argument("--check", action="store_true", help="with --quick: change nothing, and say what differs")
    add_places(parser)
    options = parser.parse_args(words)
    if options.check and not options.quick:
        parser.error("--check goes with --quick")
    return options


def folder_of(name: str) -> pathlib.Path:
    """The folder of a study or a search. Throws StudyError."""
    for folder in (ROOT / "experiments" / name, pathlib.Path(name)):
        if any((folder / main).is_file() for main in ("study.toml", "search.toml")):
            return folder.resolve()
    raise StudyError(f"no study and no search {name}; {one_of([folder.name for folder in folders_of(ROOT)], name)}; or the path of a folder")


def run(options: argparse.Namespace) -> int:
    program = Program(options.program or ROOT / "build/release/flashloom")
    named = [folder_of(name) for name in dict.fromkeys(options.names)]
    if options.quick:
        return quick_forms(named or folders_of(ROOT), program, options)
    due = all_due(ROOT)
    if not named:
        for line in tell_due(due):
            say(line)
    folders = named or [one.folder for one in due]
    bad = quick_forms(folders, program, options) if folders else 0
    for folder in folders:
        bad |= renewed(folder, program, options)
    renew_docs = ROOT / "tools/renew-docs"
    if folders and renew_docs.is_file() and subprocess.run([renew_docs, "--program", program.path], check=False).returncode != 0:
        raise RunError(f"{shown(renew_docs)} failed")
    return bad


def renewed(folder: pathlib.Path, program: Program, options: argparse.Namespace) -> int:
    """Runs one study or search in full and writes what it keeps; returns the exit code."""
    files, model = files_fingerprint(folder, ROOT), model_fingerprint(folder)  # from before the runs: a change during them counts
    try:
        done = of_study(folder, program, options) if (folder / "study.toml").is_file() else of_search(folder, program, options)
    except MissingError as error:
        done = str(error)
    if isinstance(done, str):
        complain(f"{folder.name}: not renewed: {done}")
        return 1
    for part, why in done.missing.items():
        complain(f"{folder.name}: part {part}: not renewed: {why}")
    before = values_of(folder)
    write_whole(folder / SUMMARY, text_of(done.lines))
    if (folder / PUBLISHED).is_file():
        copy_published(folder, done.outs)
    copy_figures(folder, done.outs)
    if not done.missing:
        record = renewed_of(folder)
        record.full = Full(record.runs, round(done.cpu_s, 1), files, model)
        record.write(folder)
    tell_moved(folder.name, before, values_of(folder), done.bars)
    return 1 if done.missing else 0


@dataclasses.dataclass
class Done:
    """The results of a full run. `missing`: the parts of which there are none, and why; their lines are those kept before."""
    outs: dict[str, pathlib.Path]  # by part; "" of a study without parts
    lines: list[Line]
    bars: dict[Line, float]
    cpu_s: float
    missing: dict[str, str] = dataclasses.field(default_factory=dict)


def of_study(folder: pathlib.Path, program: Program, options: argparse.Namespace) -> Done | str:
    """The results, or why there are none."""
    done = Done({}, [], {}, 0.0)
    kept = lines_of_file(folder / SUMMARY)
    for study in load_parts(folder):
        ran = run_study(study, program, options)
        report_failures(ran.failures)
        prefix = prefix_of(study)
        private = {workload.name for workload in study.workloads if workload.private}
        left_out = {name: why for name, why in ran.plan.left_out.items() if name not in private}
        if ran.failures or left_out:
            done.missing[study.part] = "runs failed" if ran.failures else told(left_out)
            done.lines += [line for line in kept if line[0].startswith(prefix)]
            continue
        done.outs[study.part] = ran.table.out
        done.lines += [(prefix + line[0], *line[1:]) for line in lines_of(study, ran.table, with_table=False)]
        done.bars |= {(key[0] if key[0] == OURS else prefix + key[0], in_part(study.part, key[1]) if key[0] == OURS else key[1], *key[2:]): half
                      for key, half in bars_of(study, ran.table, ran.papers).items()}
        done.cpu_s += ran.runner.cpu_s()
    return done if done.outs else "; ".join(done.missing.values())


def in_part(part: str, row: str) -> str:
    """The name of a row of a part in published.csv."""
    return ", ".join(text for text in (f"part {part}" if part else "", row) if text)


def copy_published(folder: pathlib.Path, outs: Mapping[str, pathlib.Path]) -> None:
    """The rows of all parts in one file, of parts without results those kept before; nothing if no part has one."""
    with open(folder / PUBLISHED, newline="", encoding="utf-8") as kept:
        rows = [line for line in csv.DictReader(kept) if "" not in outs and not any(line["row"].startswith(f"part {part},") for part in outs)]
    for part, out in outs.items():
        if (out / PUBLISHED).is_file():
            with open(out / PUBLISHED, newline="", encoding="utf-8") as file:
                rows += [line | {"row": in_part(part, line["row"])} for line in csv.DictReader(file)]
    if rows:
        write_csv(folder / PUBLISHED, list(rows[0]), [list(row.values()) for row in rows])


def of_search(folder: pathlib.Path, program: Program, options: argparse.Namespace) -> Done | str:
    """The results, or why there are none."""
    base = base_of(options)
    if searches.run(searches.options_of(folder, base, program, options)) != 0:
        return "runs failed"
    out = base / folder.name
    cost = json.loads((out / searches.COST).read_text(encoding="utf-8"))
    if cost["left_out"]:
        return told(cost["left_out"])
    return Done({"": out}, lines_of_file(out / SUMMARY), {}, cost["cpu_s"] + cost["cheap_cpu_s"])


def told(left_out: Mapping[str, str]) -> str:
    return "; ".join(f"workload {name} is left out: {why}" for name, why in left_out.items())


def copy_figures(folder: pathlib.Path, outs: Mapping[str, pathlib.Path]) -> None:
    """Copies the figures that the README shows: NAME.png is a study's figure if NAME ends with its name, or with that of a part and
    its own, as swap-time, after the begin of the study's name: others are of other studies. Says which are no figure of the study, or
    of several."""
    readme = folder / "README.md"
    drawn = [(names, figure) for part, out in outs.items() for figure in sorted((out / "figures").glob("*.png"))
             for names in {figure.stem, f"{part}-{figure.stem}"}]
    for name in re.findall(r"\]\(([^)\s:]+\.png)\)", readme.read_text(encoding="utf-8")) if readme.is_file() else []:
        shown = "-" + pathlib.Path(name).stem.replace("_", "-")
        fits = [(names, figure) for names, figure in drawn if is_of(folder.name, shown, "-" + names.replace("_", "-").strip("-"))]
        longest = max((len(names) for names, _ in fits), default=0)
        best = {figure for names, figure in fits if len(names) == longest}
        if len(best) == 1 and (folder / name).is_file():
            shutil.copyfile(best.pop(), folder / name)
        else:
            complain(f"{folder.name}: {name}: not renewed: " + ("a figure of several parts" if best else "no figure of this study"))


def is_of(study: str, shown: str, figure: str) -> bool:
    """Whether "-study-figure" is shown; of the study's name the begin is enough."""
    return shown.endswith(figure) and f"-{study.replace('_', '-')}-".startswith(f"{shown.removesuffix(figure)}-")


def values_of(folder: pathlib.Path) -> dict[Line, str]:
    """The values of summary.csv and published.csv."""
    return {line[:3]: line[3] for line in lines_of_file(folder / SUMMARY) + published_lines(folder / PUBLISHED)}


def moved(before: Mapping[Line, str], now: Mapping[Line, str], bars: Mapping[Line, float]) -> list[str]:
    """A text for each value that is new, gone, another text, or moved by more than its bar."""
    found = []
    for key in dict.fromkeys([*before, *now]):
        old, new = before.get(key), now.get(key)
        if old != new and (old is None or new is None or not is_within(old, new, bars.get(key))):
            found.append(f"{', '.join(key)}: {old or 'nothing'} -> {new or 'nothing'}" + (f" (bar {bars[key]:.3g})" if key in bars else ""))
    return found


def is_within(old: str, new: str, bar: float | None) -> bool:
    try:
        distance, size = abs(float(new) - float(old)), abs(float(old))
    except ValueError:
        return False
    return math.isfinite(distance) and distance <= (BAR * size if bar is None else bar)


def tell_moved(name: str, before: Mapping[Line, str], now: Mapping[Line, str], bars: Mapping[Line, float]) -> None:
    found = moved(before, now, bars) if before else []
    say(f"{name}: {len(now)} values" + (f", {len(found)} moved by more than their bars" if before else ", none kept before"))
    for text in found[:SHOWN]:
        print(f"    {text}")
    if len(found) > SHOWN:
        print(f"    ... and {len(found) - SHOWN} more (git diff has all)")


def main(words: list[str] | None = None) -> int:
    options = arguments_of(words)
    return exit_code(lambda: run(options), complain)


if __name__ == "__main__":
    sys.exit(main())
