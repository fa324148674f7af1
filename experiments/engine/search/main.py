"""The program experiments/search NAME: bounds candidates, runs some through the engine of the studies, and writes the results."""
import argparse
import dataclasses
import json
import pathlib
import re
import sys

from flashloom.whole_file import write_whole

from ..errors import RunError, StudyError, shown, visible
from ..main import ROOT, Parser, add_places, base_of, exit_code, list_shipped, positive, report_failures
from ..points import Plan, Point, Program
from ..workflow import lock
from .answers import explained, matching
from .devices import Devices
from .engine import Round, Search
from .evaluate import Evaluator
from .files import write_devices, write_files
from .intervals import Intervals
from .problem import ALGORITHMS, Problem, find_search, load_search
from .space import Space, spaces_of

SHOWN = 20
COST = "cost.json"  # runs and CPU time of a search
HELP = """Searches a space of drives: a folder experiments/NAME with a search.toml, or any such folder by its path.

Bounds discard what cannot win, runs decide among the rest; results are those of the studies, so that nothing is computed twice, and
a search that was stopped goes on where it was. It ends in out/studies/NAME/report.html. docs/how-to/search.md is the guide.

Exit codes: 0 it is done, 1 a run failed, 2 bad input."""


def say(text: str) -> None:
    print(visible(f"search: {text}"), flush=True)


def complain(text: str) -> None:
    print(visible(f"search: {text}"), file=sys.stderr)


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = Parser(prog="experiments/search", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("search", metavar="NAME", nargs="?", help="name of a search, or path of its folder")
    parser.add_argument("--list", action="store_true", help="print the searches there are")
    add_places(parser)
    parser.add_argument("--batch", type=positive, metavar="N", help="runs a job (default: a few; with a profile 25)")
    parser.add_argument("-n", "--dry-run", action="store_true", help="say what bounds discard, and run nothing")
    parser.add_argument("--quick", action="store_true", help="the subset that [quick] of search.toml names; goes to NAME-quick")
    parser.add_argument("--algorithm", choices=ALGORITHMS, help="in place of the one that search.toml names")
    parser.add_argument("--seed", type=positive, metavar="N", help="in place of the one that search.toml names")
    parser.add_argument("--against", choices=ALGORITHMS, metavar="A", help="search again by another algorithm, without bounds, with as many runs, "
                        "and draw both: random, exhaustive, tpe, nsga2")
    parser.add_argument("--explain", metavar="POINT", help="of a search that is done: say of a point, as \"channels=4, ways=2\", what is known of it")
    options = parser.parse_args(words)
    if (options.search is None) == (not options.list):
        parser.error("give the NAME of a search, or --list")
    return options


def options_of(folder: pathlib.Path, out: pathlib.Path, program: Program, places: argparse.Namespace, *words: str) -> argparse.Namespace:
    """The options of a search that another program runs, where its own options say."""
    cores = [] if places.cores is None else ["--cores", str(places.cores)]
    profile = [] if places.profile is None else ["--profile", places.profile]
    return arguments_of([str(folder), "--out", str(out), "--program", str(program.path), *cores, *profile, *words])


@dataclasses.dataclass
class Ready:
    """All inputs of the searches of a problem."""
    problem: Problem
    program: Program
    evaluator: Evaluator
    devices: Devices
    spaces: list[Space]
    points: dict[str, Point]
    by_number: list[dict[int, list[tuple[str, Point]]]]  # for each space: (workload, run) of each candidate
    refused: list[dict[int, str]]  # for each space: why the program refuses a candidate's device


def prepared(problem: Problem, program: Program, evaluator: Evaluator) -> Ready:
    """Plans every run of every point, and asks the program which devices it refuses."""
    spaces = spaces_of(problem)
    first = evaluator.plan([row for space in spaces for row in space.candidates[0].rows])
    if first.left_out:
        kept = [workload for workload in problem.study.workloads if workload.name not in first.left_out]
        problem.study = dataclasses.replace(problem.study, workloads=kept)
        evaluator.left_out = first.left_out
        spaces = spaces_of(problem)
    ready = Ready(problem, program, evaluator, Devices(problem.study, program), spaces, {}, [], [])
    seeds = max(1, len(problem.study.seeds))
    for space in spaces:
        plan: Plan = evaluator.plan([row for candidate in space.candidates for row in candidate.rows])
        ready.points |= {point.key: point for point in plan.points}
        firsts, at, numbers = plan.points[::seeds], 0, {}
        for candidate in space.candidates:
            numbers[candidate.number] = [(workload.name, point) for (workload, _), point in zip(candidate.rows, firsts[at:])]
            at += len(candidate.rows)
        ready.by_number.append(numbers)
        runs = [(number, point) for number, mine in numbers.items() for _, point in mine if not point.untimed]
        why = program.refusals([(point.device, point.sets) for _, point in runs])
        ready.refused.append({number: text for (number, _), text in zip(runs, why) if text})
    return ready


def searches_of(ready: Ready, problem: Problem) -> list[Search]:
    """Makes the search of each space, with its candidates' intervals."""
    found = []
    intervals = Intervals(problem, ready.devices)
    for place, (space, numbers, refused) in enumerate(zip(ready.spaces, ready.by_number, ready.refused)):
        known = {candidate.number: intervals.of(space.all_values(candidate), numbers[candidate.number])
                 for candidate in space.candidates if candidate.number not in refused}
        if len(refused) == len(space.candidates):
            raise StudyError(f"{shown(problem.file)}: every device is refused{f' (of {space.title})' if space.title else ''}, the first: "
                             f"{next(iter(refused.values()))}")
        found.append(Search(problem, space, known, refused, problem.seed + place))
    return found


def run(options: argparse.Namespace) -> int:
    problem = load_search(find_search(ROOT, options.search), options.quick)
    problem.algorithm = options.algorithm or problem.algorithm
    problem.seed = options.seed or problem.seed
    program = Program(options.program or ROOT / "build/release/flashloom")
    base = base_of(options)
    out = base / (f"{problem.study.name}-quick" if options.quick else problem.study.name)
    evaluator = Evaluator(problem, program, out, options.cores, options.profile, options.batch)
    ready = prepared(problem, program, evaluator)
    searches = searches_of(ready, problem)
    tell(problem, evaluator, searches)
    if options.dry_run:
        return 0
    if options.explain:
        return explain(ready, searches, options.explain, out)
    with lock(out / "search", "this search"):
        rounds = {problem.algorithm: gone(problem, searches, evaluator)}
        if options.against:
            other = dataclasses.replace(problem, algorithm=options.against, use_bounds=False, runs=rounds[problem.algorithm].runs, rungs=[])
            rounds[options.against] = gone(other, searches_of(ready, other), evaluator)
        return finish(options, ready, rounds, base, out)


def tell(problem: Problem, evaluator: Evaluator, searches: list[Search]) -> None:
    rejected = sum(len(search.space.rejected) for search in searches)
    points = sum(len(search.space.candidates) for search in searches)
    fates = [fate for search in searches for fate in search.fates.values()]
    refused = sum(fate.stage == "refused" for fate in fates)
    text = f"{problem.study.name}: {points + rejected} points" + (f" in {len(searches)} searches" if len(searches) > 1 else "")
    say(f"{text}: constraints reject {rejected}, the program {refused}, bounds {len(fates) - refused}; {points - len(fates)} left")
    if refused:
        say("refused, the first: " + next(fate.reason for fate in fates if fate.stage == "refused"))
    for name, why in evaluator.left_out.items():
        say(f"left out: workload {name}: {why}")


def gone(problem: Problem, searches: list[Search], evaluator: Evaluator) -> Round:
    found = Round(problem, searches, evaluator, say)
    found.go()
    return found


class Recorded(Evaluator):
    """Replays a search from its results, and runs nothing. Raises Unfinished when a result is missing."""

    def evaluate(self, wanted, rung):  # type: ignore[no-untyped-def]
        from ..runner import Runner  # pylint: disable=import-outside-toplevel
        rows = [row for candidate in wanted for row in candidate.rows]
        if Runner(self.study_at(rung), self.plan(rows, rung), self.program, self.out).missing:
            raise Unfinished
        return super().evaluate(wanted, rung)


class Unfinished(Exception):
    """The results of the next runs do not exist."""


def explain(ready: Ready, searches: list[Search], text: str, out: pathlib.Path) -> int:
    """Prints what is known of the points that a text names, and runs nothing."""
    try:
        gone_before = Round(ready.problem, searches, Recorded(ready.problem, ready.program, out, None, None, None))
        gone_before.go()
    except Unfinished:
        say("the search is not done: this is how far it came")
    names = {*(axis.name for axis in ready.problem.study.axes), "workload"}
    for part in text.split(","):
        name, equals, _ = part.partition("=")
        if not equals or name.strip() not in names:
            raise StudyError(f"--explain: \"{part.strip()}\" is no AXIS=VALUE; axes: {', '.join(sorted(names))}")
    found = matching(searches, text)
    if not found:
        raise StudyError(f"--explain: no point has {text}")
    for search, number in found[:SHOWN]:
        print(visible(number if isinstance(number, str) else explained(search, number)))
    if len(found) > SHOWN:
        print(f"... and {len(found) - SHOWN} more")
    return 0


def finish(options: argparse.Namespace, ready: Ready, rounds: dict[str, Round], base: pathlib.Path, out: pathlib.Path) -> int:
    """Writes tables, device files and the page, and reports the choice and failures."""
    from .page import write_page  # pylint: disable=import-outside-toplevel
    problem, evaluator = ready.problem, ready.evaluator
    done = next(iter(rounds.values()))
    write_files(problem, done, out)
    devices = {}
    for search, numbers in zip(done.searches, ready.by_number):
        chosen = search.chosen()
        if chosen is not None:
            name = re.sub(r"[^A-Za-z0-9.]+", "-", search.space.title) or "choice"
            text = ready.devices.text_of(numbers[chosen][0][1])
            devices[search.space.title] = str(write_devices(search, text, out, name).relative_to(out))
    write_whole(out / COST, json.dumps({"runs": done.runs, "cpu_s": done.cpu_s, "cheap_runs": done.cheap_runs, "cheap_cpu_s": done.cheap_cpu_s, "taken_over": evaluator.borrowed,
                                               "ran": evaluator.ran, "left_out": evaluator.left_out}, indent=1))
    page = write_page(problem, ready.program, rounds, ready.points, devices, out, evaluator.failures, ROOT, evaluator.left_out, options.quick)
    from ..report import write_index  # pylint: disable=import-outside-toplevel
    index = write_index(base)
    verdict(done)
    cheap = f" and {done.cheap_runs} cheaper ones" if done.cheap_runs else ""
    say(f"{done.runs} runs{cheap} counted ({done.cpu_s + done.cheap_cpu_s:.1f} s of CPU time): {evaluator.ran} made, {evaluator.borrowed} taken over from studies")
    broken = [one for search in done.searches for one in search.broken]
    for one in broken[:SHOWN]:
        complain(f"a bound is broken: {one.metric} is {one.value:g}, and was to lie in {one.interval.low:g} to {one.interval.high:g}")
    report_failures(evaluator.failures)
    say(f"discarded: {out / 'discarded.csv'}")
    say(f"report: {page}")
    say(f"index:  {index}")
    if broken:
        raise RunError(f"{len(broken)} bounds are broken: what they discarded may be wrong")
    return 1 if evaluator.failures else 0


def verdict(done: Round) -> None:
    for search in done.searches:
        chosen = search.chosen()
        where = f"{search.space.title}: " if search.space.title else ""
        proof = "proved: nothing left could beat it" if search.is_proved else f"{len(search.alive)} points left that may"
        if chosen is None:
            say(f"{where}no point keeps to the limits ({'proved' if search.is_proved else f'{len(search.alive)} points left that may'})")
        else:
            more = f" and {len(search.front()) - 1} more on the front" if len(search.front()) > 1 else ""
            say(f"{where}{search.space.candidates[chosen].title}{more} ({proof})")


def main(words: list[str] | None = None) -> int:
    options = arguments_of(words)
    return exit_code(lambda: list_shipped("search.toml") if options.list else run(options), complain)


if __name__ == "__main__":
    sys.exit(main())
