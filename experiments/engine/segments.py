"""The program experiments/segments [OPTIONS] -- run DEVICE ... --segments N --segments-folder DIR --out DIR: simulates one run of
flashloom in segments, each a job on this computer or on a cluster."""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import sys

from flashloom.whole_file import write_whole

from .errors import StudyError, shown, visible
from .main import ROOT, Parser, exit_code, positive
from .workflow import LOG, failure_of_snakemake, find_profile, lock, run_snakemake, tail

HERE = pathlib.Path(__file__).resolve().parent
HELP = """Simulates one run in segments, each a job of Snakemake: a pass on the instant clock, the segments beside each other, and a job
that puts the pieces together. What follows "--" is a command line of flashloom, as

  experiments/segments --profile slurm -- run mqsim-default --job randwrite.fio --segments 64 --segments-folder out/long --out result

Pieces that are there are not made again, so a run that was stopped, or of which a segment failed, goes on where it was. The folder
must lie where all nodes see it. docs/explanation/sampling.md, "Segments as jobs", says more.

Exit codes: 0 the result is there, 1 a job failed, 2 bad input."""
NEEDED = ("--segments", "--segments-folder", "--out")


def say(text: str) -> None:
    print(visible(f"segments: {text}"), flush=True)


def complain(text: str) -> None:
    print(visible(f"segments: {text}"), file=sys.stderr)


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = Parser(prog="experiments/segments", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", metavar="-- run ...", nargs="+", help="command line of flashloom")
    parser.add_argument("--cores", type=positive, metavar="N", help="jobs at a time (default: the cores of this computer)")
    parser.add_argument("--profile", metavar="P", help="where to run: slurm, or a folder with Snakemake's config.yaml")
    parser.add_argument("--memory", type=positive, metavar="MB", default=1000, help="what a job may take on a cluster (default: 1000)")
    parser.add_argument("--minutes", type=positive, metavar="N", default=60, help="the same in time (default: 60)")
    parser.add_argument("--program", type=pathlib.Path, metavar="F", help="flashloom binary (default: build/release/flashloom)")
    return parser.parse_args(words)


def option_of(command: list[str], option: str) -> str:
    """The value of an option; the last one counts, as in flashloom."""
    values = []
    for word, next_word in zip(command, [*command[1:], None]):
        if word == option and next_word is not None:
            values.append(next_word)
        elif word.startswith(option + "="):
            values.append(word[len(option) + 1:])
    if not values:
        raise StudyError(f"the command line of flashloom needs {', '.join(NEEDED)}; {option} is not given")
    return values[-1]


def number_of(segments: str) -> int:
    try:
        return int(segments)
    except ValueError:
        raise StudyError(f"--segments: {segments} is no number") from None


def run(options: argparse.Namespace) -> int:
    found = shutil.which(str(options.program or ROOT / "build/release/flashloom"))
    if found is None:
        raise StudyError(f"{options.program}: no such program; build it (cmake --build --preset release) or name it with --program")
    command: list[str] = options.command
    if command[0] != "run" or "--segments-only" in command:
        raise StudyError("what follows -- is `run ...`, without --segments-only")
    segments, folder, _ = (option_of(command, option) for option in NEEDED)
    if options.profile is not None:
        find_profile(options.profile)
    count = number_of(segments)
    jobs = pathlib.Path(folder).resolve() / "jobs"
    words = [str(pathlib.Path(found).resolve()), *command]
    with lock(jobs, "another one of these segments' jobs") as held:
        for file in (*jobs.glob("*.done"), *jobs.glob("*.log")):
            file.unlink()  # flashloom itself checks which pieces exist and are valid
        whole = {"segments": count, "memory_mb": options.memory, "minutes": options.minutes,
                 "command": f"cd {shlex.quote(os.getcwd())} && {{tied}} {shlex.join([*words, '--quiet'])} --segments-only"}
        write_whole(jobs / "plan.json", json.dumps(whole, indent=1))
        cores = options.cores or (len(os.sched_getaffinity(0)) if options.profile is None else None)
        code = run_snakemake(HERE / "segments.smk", jobs, cores, options.profile, held, lambda line: None)
    steps = {"pass": "the pass on the instant clock"} | {str(n): f"segment {n} of {count}" for n in range(1, count + 1)}
    steps["merge"] = "to put the pieces together"
    if code != 0:
        failed = [name for name in steps if (jobs / f"{name}.log").exists() and not (jobs / f"{name}.done").exists()]
        if not failed:
            raise failure_of_snakemake(code, jobs)
        for name in failed:
            complain(f"failed: {steps[name]}: {tail(jobs / f'{name}.log', 3) or f'it said nothing; see {shown(jobs / LOG)}'}")
        complain("error: the same command does what is missing")
        return 1
    say(f"result: {shown(pathlib.Path(option_of(command, '--out')).resolve() / 'result.json')}")
    return 0


def main(words: list[str] | None = None) -> int:
    options = arguments_of(words)
    return exit_code(lambda: run(options), complain)


if __name__ == "__main__":
    sys.exit(main())
