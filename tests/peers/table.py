#!/usr/bin/env python3
"""What the peers' suites are expected to say, from expected/*.toml, as a table of Markdown (docs/how-to/linux.md)."""
import collections
import pathlib
import tomllib

EXPECTED = pathlib.Path(__file__).resolve().parent / "expected"
PASSED, FAILED, NOT_RUNNABLE = "passed", "failed", "not_runnable"


def expected(name):
    """The table of a suite, whose form suites.py says."""
    return {FAILED: {}, NOT_RUNNABLE: {}} | tomllib.loads((EXPECTED / f"{name}.toml").read_text(encoding="utf-8"))


def counted(reasons):
    """How often each reason occurs, the most frequent first."""
    return "; ".join(f"{count} {reason}" for reason, count in collections.Counter(reasons).most_common())


def rows():
    for path in sorted(EXPECTED.glob("*.toml")):
        suite = expected(path.stem)
        failed, not_runnable = suite[FAILED].values(), suite[NOT_RUNNABLE].values()
        passed = suite["cases"] - len(failed) - len(not_runnable)
        yield f"|{suite['suite']}|{passed}|{counted(reason.partition(':')[0] for reason in failed)}|{counted(not_runnable)}|"


if __name__ == "__main__":
    print("|suite|passed|failed, by whose fault|not runnable|\n|---|---:|---|---|", *rows(), sep="\n")
