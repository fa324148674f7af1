"""The quick forms of studies and searches: all in one process and one store of results, held against the summary-quick.csv of each."""
import argparse
import dataclasses
import json
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from flashloom.whole_file import write_whole

from .errors import MissingError, shown
from .kept import QUICK, SUMMARY, Line, lines_of_file, renewed_of, text_of
from .main import base_of, check_devices, complain, report_failures, say, write_results
from .points import Plan, Program, make_plan
from .parts import load_parts, prefix_of
from .runner import Runner
from .search import main as searches
from .search.problem import load_search
from .study import Study
from .summaries import columns_of, derived, lines_of
from .uncertainty import Uncertainty

SHOWN = 5  # rows that differ
UNLIMITED = 10 ** 7  # runs of a search whose budget is none of runs


@dataclass
class Form:
    """The quick form of a study, or a part of one, or of a search. `prefix` stands before the names of its summaries in what is kept;
    `excluded`: workloads that are not compared, and why not; `dependent`: the columns that compare others with these."""
    folder: pathlib.Path
    prefix: str
    full_runs: int
    is_whole: bool  # its runs are some of the full form's
    lines: list[Line] = field(default_factory=list)
    excluded: dict[str, str] = field(default_factory=dict)
    dependent: set[str] = field(default_factory=set)
    runs: int = 0
    cpu_s: float = 0.0
    failed: bool = False


@dataclass
class Planned:
    """A study's quick form, and the plan of its full form."""
    form: Form
    study: Study
    plan: Plan
    full: Plan


class Quick:
    """Runs quick forms. Results are in `out`/points and `out`/states, which all studies share; what is made of them in `out`/NAME."""

    def __init__(self, program: Program, out: pathlib.Path, options: argparse.Namespace) -> None:
        self.program = program
        self.out = out
        self.options = options
        self.skipped: dict[str, str] = {}  # by name: what is missing

    def run(self, folders: list[pathlib.Path]) -> list[Form]:
        """Throws StudyError, also if the program refuses a device of a full form."""
        studies = [planned for folder in folders if (folder / "study.toml").is_file() for planned in self._planned(folder)]
        check_devices([(planned.study, planned.full) for planned in studies], self.program)
        if studies:
            self._run(studies)
        forms = [self._written(planned) for planned in studies]
        forms += [form for folder in folders if (folder / "search.toml").is_file() for form in self._searched(folder)]
        if forms:
            from .report import write_index  # pylint: disable=import-outside-toplevel
            write_index(self.out)
        return forms

    def _planned(self, folder: pathlib.Path) -> Iterator[Planned]:
        try:
            plans = [(study, make_plan(study, self.program), make_plan(full, self.program))
                     for study, full in zip(load_parts(folder, quick=True), load_parts(folder))]
        except MissingError as error:
            self.skipped[folder.name] = str(error)
            return
        for study, plan, full in plans:
            guests = {workload.name: "a guest of Linux depends on more than the project has" for workload in study.workloads
                      if workload.source == "linux"}
            keys = {point.key for point in full.points}
            form = Form(folder, prefix_of(study), len(keys), keys >= {point.key for point in plan.points}, excluded=guests | plan.left_out)
            yield Planned(form, study, plan, full)

    def _run(self, studies: list[Planned]) -> None:
        """Runs what is missing, and gives each study a folder in which the results seem to be its own."""
        plan = Plan([], {}, [])
        for planned in studies:
            plan.points += planned.plan.points
            plan.states |= planned.plan.states
        # A study of these points alone: no metrics, and each point a row.
        together = dataclasses.replace(studies[0].study, name="quick forms", seeds=[], axes=[], metrics=[], uncertainty=Uncertainty(),
                                       memory_mb=max(planned.study.memory_mb for planned in studies),
                                       minutes=max(planned.study.minutes for planned in studies))
        runner = Runner(together, plan, self.program, self.out)
        say(f"{len(studies)} quick forms: {len({point.key for point in plan.points})} runs, {len(runner.missing)} to do, and "
            f"{len(runner.missing_states)} saved states")
        if runner.missing:
            runner.run(self.options.cores, self.options.profile, None)
        for planned in studies:
            folder = self.out / planned.study.name
            folder.mkdir(exist_ok=True)
            for shared in ("points", "states"):
                if not (folder / shared).is_symlink():
                    (folder / shared).symlink_to(f"../{shared}")

    def _written(self, planned: Planned) -> Form:
        form, study = planned.form, planned.study
        runner = Runner(study, planned.plan, self.program, self.out / study.name)
        runner.note_rows()
        written = write_results(study, planned.plan, self.program, runner, True)
        report_failures(written.failures)
        form.lines = lines_of(study, written.table, with_table=True)
        baselines = {name for name, axes in study.baselines.items() if axes.get("workload") in form.excluded}
        form.dependent = columns_of(written.table, derived(study, set(), baselines))
        form.runs, form.cpu_s, form.failed = len({point.key for point in planned.plan.points}), runner.cpu_s(), bool(written.failures)
        return form

    def _searched(self, folder: pathlib.Path) -> Iterator[Form]:
        """A search chooses its runs from results, so it runs by itself; its points are in its own folder."""
        try:
            searches.run(searches.options_of(folder, self.out, self.program, self.options, "--dry-run"))
            failed = searches.run(searches.options_of(folder, self.out, self.program, self.options, "--quick")) != 0
        except MissingError as error:
            self.skipped[folder.name] = str(error)
            return
        out = self.out / f"{folder.name}-quick"
        cost = json.loads((out / searches.COST).read_text(encoding="utf-8"))
        budget = load_search(folder).runs
        yield Form(folder, "", budget if budget < UNLIMITED else 0, True, lines_of_file(out / SUMMARY), cost["left_out"],
                   cost["runs"] + cost["cheap_runs"], cost["cpu_s"] + cost["cheap_cpu_s"], failed)


def differences(form: Form) -> list[str]:
    """What differs between the summary-quick.csv of a study, or its part's lines of it, and the results; nothing if all is equal. With
    workloads that are not compared it is what is in both."""
    path = form.folder / QUICK
    if not path.is_file():
        return [f"{QUICK} is missing"]
    old, new = of_part(lines_of_file(path), form.prefix), form.lines
    if old == new:
        return []
    before, now = dict(map(keyed, old)), dict(map(keyed, new))
    if form.excluded:
        kept = {key for key in before.keys() & now.keys() if is_compared(key, form)}
        before, now = ({key: value for key, value in side.items() if key in kept} for side in (before, now))
    keys = [key for key in dict.fromkeys([*before, *now]) if before.get(key) != now.get(key)]
    if not keys:
        return [] if form.excluded else [f"{QUICK} has the same values in another order"]
    said = [f"{', '.join(key)}: kept {before.get(key, 'nothing')}, now {now.get(key, 'nothing')}" for key in keys[:SHOWN]]
    return [f"{len(keys)} of {len(now)} values differ from {QUICK}, the first:", *said]


def keyed(line: Line) -> tuple[Line, str]:
    return line[:3], line[3]


def is_compared(key: Line, form: Form) -> bool:
    """Whether a value is of one workload, and neither of an excluded one nor compared with one."""
    places = key[1].split(", ")
    return "workload " in key[1] and key[2] not in form.dependent and not any(f"workload {name}" in places for name in form.excluded)


def of_part(lines: list[Line], prefix: str) -> list[Line]:
    """A part's lines of a summary, without its prefix."""
    return [(line[0].removeprefix(prefix), *line[1:]) for line in lines if line[0].startswith(prefix)]


def write_quick(forms: list[Form]) -> bool:
    """Writes summary-quick.csv of one folder, and the cost of a run where something is new; returns whether the values are others.
    Values of excluded workloads are not written."""
    folder = forms[0].folder
    changed = any(map(differences, forms)) or bool(unknown_lines(forms))
    renewed, runs = renewed_of(folder), sum(form.full_runs for form in forms)
    if changed:
        write_whole(folder / QUICK, text_of((form.prefix + line[0], *line[1:]) for form in forms for line in form.lines
                                            if not form.excluded or is_compared(line[:3], form)))
    if changed or renewed.runs != runs:
        is_known = all(form.runs for form in forms) and (all(form.is_whole for form in forms) or not renewed.run_cpu_s)
        each = sum(form.cpu_s / form.runs * form.full_runs for form in forms) / max(1, runs) if is_known else renewed.run_cpu_s
        dataclasses.replace(renewed, runs=runs, run_cpu_s=round(each, 3)).write(folder)
    return changed


def unknown_lines(forms: list[Form]) -> list[str]:
    """A text if summary-quick.csv has lines of parts that the study has not."""
    lines = [line for line in lines_of_file(forms[0].folder / QUICK) if not any(line[0].startswith(form.prefix) for form in forms)]
    return [f"{len(lines)} lines of {QUICK} are of no part, the first: {', '.join(lines[0])}"] if lines else []


def quick_forms(folders: list[pathlib.Path], program: Program, options: argparse.Namespace) -> int:
    """The quick forms of these folders: with `options.check` compared, else written. Returns the exit code."""
    quick = Quick(program, base_of(options) / "quick", options)
    forms = quick.run(folders)
    for name, why in quick.skipped.items():
        say(f"skipped: {name}: {why}")
    bad = 0
    folders = {form.folder: [other for other in forms if other.folder == form.folder] for form in forms}
    for folder, parts in folders.items():
        name = folder.name
        for workload, why in {workload: why for form in parts for workload, why in form.excluded.items()}.items():
            say(f"{name}: not compared: workload {workload}: {why}")
        if any(form.failed for form in parts):
            bad += 1
            complain(f"{name}: runs failed")
        elif options.check:
            found = [(f"part {form.prefix[:-1]}: " if form.prefix else "") + text for form in parts for text in differences(form)]
            found += unknown_lines(parts)
            bad += bool(found)
            if found:
                complain(f"{name}: " + "\n    ".join(found))
        elif write_quick(parts):
            say(f"{name}: wrote {shown(folder / QUICK)}")
    say(f"{len(folders)} quick forms, {sum(form.cpu_s for form in forms):.0f} CPU s of runs" + (f": {bad} differ" if options.check else ""))
    return 1 if bad else 0
