"""The command: `flashloom fit`, which begins this module with its words (docs/how-to/fit.md)."""
import argparse
import os
import pathlib
import sys
from collections.abc import Callable

from ..exit_code import exit_code
from ..places import visible
from .blind import left_out, predict
from .foresight import foresee, plan
from .intervals import learn
from .model import Model
from .picture import Picture
from .problem import read_problem
from .report import Fitted, Unseen, conclude
from .solve import solve


def fit(path: str | os.PathLike[str], *, out: str | os.PathLike[str] | None = None, jobs: int | None = None,
        progress: bool | None = None, tell: Callable[[str], None] = lambda text: None, blind: bool = False) -> Fitted:
    """Fits what a fit.toml says; its files are then in `out`, or where the file says. Runs that are there are not run again.

    jobs      so many runs at a time; default: one a core
    progress  True, False, or None: on a terminal and in a notebook
    tell      is called with a line now and then
    blind     of rows left out (`blind = true`) only the prediction is said, not how it compares

    Throws BadInput before anything runs for what cannot be right; RunFailed, Interrupted.
    """
    problem = read_problem(pathlib.Path(path), None if out is None else os.fspath(out))
    model = Model(problem, jobs, progress)
    picture = Picture(problem)
    try:
        for one in foresee(model):
            tell(one.text)
        best, optima, residuals = solve(model, tell, picture.see)
        best, known = learn(best, residuals)
        tell(f"intervals: {model.done} runs")
        predicted = predict(best, residuals, known)
        fitted = conclude(model, best, optima, residuals, known, Unseen(predicted, left_out(best, residuals, known), not blind))
        picture.draw(best.residuals * residuals.errors, residuals.errors, () if blind else predicted)
        return fitted
    finally:
        model.close()


def main(words: list[str]) -> int:
    """Exit codes: 0 done, 1 a run failed, 2 bad input, 130 interrupted."""
    parser = argparse.ArgumentParser(prog="flashloom fit")
    parser.add_argument("file")
    parser.add_argument("--out")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--plan", action="store_true")
    parser.add_argument("--blind", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args(words)

    def tell(text: str) -> None:
        if not options.quiet:
            print(visible(f"fit: {text}"), file=sys.stderr, flush=True)

    def command() -> None:
        if options.check:
            problem = read_problem(pathlib.Path(options.file), options.out)
            print(visible(f"{options.file}: {len(problem.keys) + len(problem.choices)} keys, {len(problem.measurements)} measurements of "
                          f"{len({measurement.workload for measurement in problem.measurements})} workloads: can be fitted"))
            return
        progress = False if options.quiet else None
        if options.plan:
            for one in plan(read_problem(pathlib.Path(options.file), options.out), options.jobs, progress):
                print(visible(one.text))
            return
        found = fit(options.file, out=options.out, jobs=options.jobs, progress=progress, tell=tell, blind=options.blind)
        if not options.quiet:
            print(visible(found.report), end="")
            print(visible(f"\ndevice file: {found.folder / 'device.toml'}"))

    return exit_code(command)
