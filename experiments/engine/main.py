"""The program experiments/run NAME: plans a study, runs it, and writes tables, figures and the report."""
import argparse
import os
import pathlib
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from .errors import RunError, StudyError, shown, visible
from .figures import draw_figures
from .indices import write_indices
from .kept import all_due, cost_of, tell_due
from .parts import chosen, find_study, load_parts, with_figure
from .points import Plan, Program, make_plan, traces_folder
from .published import Published, published, write_published
from .runner import Failure, Runner
from .study import Study
from .table_reader import read_toml
from .tables import Table

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHOWN_FAILURES = 10
SHOWN_RUNS = 5
HELP = """Runs a study: a folder experiments/NAME with a study.toml, or any such folder by its path.

Points that have a result are not run again, so a study that was stopped goes on where it was. Results, tables, figures and
report.html are in out/studies/NAME. docs/how-to/studies.md is the guide.

Exit codes: 0 all is there, 1 a point failed, 2 bad input."""


def say(text: str) -> None:
    print(visible(f"studies: {text}"), flush=True)


def complain(text: str) -> None:
    print(visible(f"studies: {text}"), file=sys.stderr)


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(visible(message))


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = Parser(prog="experiments/run", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", metavar="NAME", nargs="?", help="name of a study, or path of its folder")
    parser.add_argument("--part", metavar="PART", help="only this part of a study that has parts")
    parser.add_argument("--figure", metavar="NAME", help="only this figure, and of the points only those that it shows")
    parser.add_argument("--list", action="store_true", help="print the studies there are, by topic, and what a full run of each costs")
    parser.add_argument("--stale", action="store_true", help="print the studies and searches whose full summaries are out of date, why, and "
                        "what they cost; experiments/renew runs them")
    add_places(parser)
    parser.add_argument("--batch", type=positive, metavar="N",
                        help="points a job (default: a few; with a profile 25, since a job costs seconds to schedule)")
    parser.add_argument("-n", "--dry-run", action="store_true", help="say what would run, and change nothing")
    parser.add_argument("--quick", action="store_true", help="the subset that [quick] of study.toml names; goes to NAME-quick")
    parser.add_argument("--prune", action="store_true", help="remove results of points that the study no longer has")
    options = parser.parse_args(words)
    if sum((options.study is not None, options.list, options.stale)) != 1:
        parser.error("give the NAME of a study, or --list, or --stale")
    return options


def add_places(parser: Parser) -> None:
    """Adds the options that say where to run, and where results are."""
    parser.add_argument("--cores", type=positive, metavar="N", help="points at a time (default: the cores of this computer)")
    parser.add_argument("--profile", metavar="P", help="where to run: slurm, or a folder with Snakemake's config.yaml")
    parser.add_argument("--out", type=folder_name, metavar="DIR", help="folder of all studies' results (default: out/studies)")
    parser.add_argument("--program", type=pathlib.Path, metavar="F", help="flashloom binary (default: build/release/flashloom)")


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is below 1")
    return number


def folder_name(text: str) -> pathlib.Path:
    if not text:
        raise argparse.ArgumentTypeError("is empty; say where to write")
    return pathlib.Path(text)


def run(options: argparse.Namespace) -> int:
    folder = find_study(ROOT, options.study)
    program = Program(options.program or ROOT / "build/release/flashloom")
    bad = 0
    studies = chosen(load_parts(folder, options.quick), options.part)
    for study in with_figure(studies, options.figure) if options.figure else studies:
        if options.dry_run:
            plan = make_plan(study, program)
            runner = Runner(study, plan, program, out_of(options, study, options.quick))
            tell(study, plan, runner)
            tell_runs(plan, runner)
            check_devices([(study, plan)], program)
            continue
        ran = run_study(study, program, options, options.quick, options.batch)
        if options.prune:
            prune(ran.plan, ran.runner.out)
        bad |= finish(ran, base_of(options))
    return bad


def tell(study: Study, plan: Plan, runner: Runner) -> None:
    total = len({point.key for point in plan.points})
    text = f"{study.name}: {len(plan.rows)} points" + (f" x {len(study.seeds)} seeds" if len(study.seeds) > 1 else "")
    say(f"{text}: {total} runs, {total - len(runner.missing)} there, {len(runner.missing)} to do" +
        (f", and {len(runner.missing_states)} saved states" if runner.missing_states else ""))
    for name, why in plan.left_out.items():
        say(f"left out: workload {name}: {why}")
    if runner.damaged:
        say(f"{len(runner.damaged)} results are damaged and will be made anew, the first: "
            f"{shown(runner.out / 'points' / runner.damaged[0].key / 'result.json')}")


def tell_runs(plan: Plan, runner: Runner) -> None:
    """Prints the first missing runs with their command lines."""
    missing = {point.key: point for point in plan.points if point.key in runner.missing}
    for point in list(missing.values())[:SHOWN_RUNS]:
        print(visible(f"{point.title}\n    {runner.command_of(point)}"))
    if len(missing) > SHOWN_RUNS:
        print(f"... and {len(missing) - SHOWN_RUNS} more")


def check_devices(planned: Sequence[tuple[Study, Plan]], program: Program) -> None:
    """Raises StudyError if the program refuses the device of a point; the message names the first such point."""
    points = [(study, point) for study, plan in planned for point in {point.key: point for point in plan.points}.values() if not point.untimed]
    refused = program.refusals([(point.device, point.sets) for _, point in points])
    bad = [(study, point, why) for (study, point), why in zip(points, refused) if why]
    if bad:
        study, point, why = bad[0]
        more = f" (and {len(bad) - 1} more points)" if len(bad) > 1 else ""
        raise StudyError(f"{shown(study.file)}: the point with {point.title}: {why}{more}")


@dataclass
class Ran:
    """A study that has run, and what its results were made into."""
    plan: Plan
    runner: Runner
    table: Table
    papers: list[Published]
    page: pathlib.Path
    failures: list[Failure]


def run_study(study: Study, program: Program, options: argparse.Namespace, quick: bool = False, batch: int | None = None) -> Ran:
    """Runs the missing points of a study, and writes its results."""
    plan = make_plan(study, program)
    runner = Runner(study, plan, program, out_of(options, study, quick))
    tell(study, plan, runner)
    if runner.missing:
        runner.run(options.cores, options.profile, batch)
    else:
        runner.note_rows()
    return write_results(study, plan, program, runner, quick)


def base_of(options: argparse.Namespace) -> pathlib.Path:
    """The folder of all studies' results."""
    base: pathlib.Path = options.out or ROOT / "out/studies"
    return base.resolve()


def out_of(options: argparse.Namespace, study: Study, quick: bool) -> pathlib.Path:
    return base_of(options) / (f"{study.name}-quick" if quick else study.name)


def write_results(study: Study, plan: Plan, program: Program, runner: Runner, quick: bool) -> Ran:
    """Writes tables, figures and the report from the results that exist."""
    from .report import write_report  # pylint: disable=import-outside-toplevel
    failures = runner.failures()
    table = Table(study, plan, runner.out)
    table.write()
    papers = published(study, table)
    write_published(table.out, papers)
    indices = write_indices(study, table)
    figures = draw_figures(study, table, papers, ROOT)
    page = write_report(study, table, program, figures, papers, failures, plan.left_out, quick, indices)
    return Ran(plan, runner, table, papers, page, failures)


def finish(ran: Ran, base: pathlib.Path) -> int:
    """Writes the index of all studies, and says where the results are and what failed."""
    from .report import write_index  # pylint: disable=import-outside-toplevel
    index = write_index(base)
    report_failures(ran.failures)
    say(f"table:  {ran.table.out / 'table.csv'}")
    say(f"report: {ran.page}")
    say(f"index:  {index}")
    return 1 if ran.failures else 0


def report_failures(failures: list[Failure]) -> None:
    for failure in failures[:SHOWN_FAILURES]:
        said = failure.said.replace("\n", "\n    ") or "it did not begin, or said nothing"
        complain(f"failed: {failure.what}\n    {failure.command}\n    {said}")
    if failures:
        more = " (all of them are in the report)" if len(failures) > SHOWN_FAILURES else ""
        complain(f"error: {len(failures)} failed{more}")


def prune(plan: Plan, out: pathlib.Path) -> None:
    """Removes results and saved states that no point of the plan uses."""
    kept = {point.key for point in plan.points}
    for folder in sorted((out / "points").glob("*")):
        if folder.name not in kept:
            shutil.rmtree(folder)
    for file in (out / "states").glob("*"):
        if file.stem not in plan.states:
            file.unlink()


def list_shipped(file: str) -> int:
    """Prints the folders of experiments/ that contain `file`, by topic: title, question, parts, and the cost of a full run."""
    topics: dict[str, list[str]] = {}
    for path in sorted((ROOT / "experiments").glob(f"*/{file}")):
        values = read_toml(path)
        name, parts = path.parent.name, values.get("part", {})
        lines = [f"  {name}: {values.get('title', name)} ({cost_of(path.parent).removesuffix(' (an estimate)')})", f"    {values.get('question', '')}"]
        topics.setdefault(str(values.get("topic", "")), []).extend(lines + ([f"    parts: {', '.join(parts)}"] if parts else []))
    for topic in sorted(topics):
        print(visible("\n".join([topic or "others", *topics[topic]])))
    return 0


def tell_stale() -> int:
    for line in tell_due(all_due(ROOT)):
        print(visible(line))
    return 0


def exit_code(front: Callable[[], int], tell: Callable[[str], None]) -> int:
    """Runs `front`, reports its errors through `tell`, and returns the exit code."""
    os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
    os.environ["FLASHLOOM_TRACES"] = traces_folder()  # flashloom itself reads workload files, which may use this variable
    try:
        return front()
    except StudyError as error:
        tell(f"error: {error}")
        return 2
    except (RunError, OSError) as error:  # OSError: a full disk, for example
        tell(f"error: {error}")
        return 1
    except KeyboardInterrupt:
        tell("stopped; the same command goes on from here")
        return 130


def main(words: list[str] | None = None) -> int:
    options = arguments_of(words)
    if options.stale:
        return exit_code(tell_stale, complain)
    return exit_code(lambda: list_shipped("study.toml") if options.list else run(options), complain)


if __name__ == "__main__":
    sys.exit(main())
