"""Shared by the programs of bench/: the runner of one build, its calibration, and the figures of a case."""
import fnmatch
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class BenchError(Exception):
    """The message is for the user; the program ends with exit code 2."""


def command_line(main):
    """Calls main() as a program: a BenchError becomes a message and exit code 2."""
    try:
        sys.exit(main())
    except BenchError as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


class Runner:
    """Calls bench/case_runner of one build folder, a process for each call since SystemC allows one simulation a process."""

    def __init__(self, build):
        self.build = build
        self.program = os.path.join(build, "bench", "case_runner")
        if not os.access(self.program, os.X_OK):
            raise BenchError(f"{self.program} is not there: build it with\n"
                             "  cmake --preset release && cmake --build --preset release --target case_runner")

    def arguments(self, case, scale=1.0, overrides=()):
        line = [self.program, "run", case, "--source", ROOT, "--scale", repr(scale)]
        for override in overrides:
            line += ["--set", override]
        return line

    def _json(self, arguments):
        environment = dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
        done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                              check=False)
        if done.returncode != 0:
            raise BenchError(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def cases(self):
        return self._json([self.program, "list"])

    def wakes(self):
        """Several samples of the CPU time of a kernel wake, in ns."""
        return self._json([self.program, "wake"])["wake_ns"]

    def run(self, case, scale=1.0, overrides=()):
        return self._json(self.arguments(case, scale, overrides))

    def memory(self, case, overrides=()):
        """Bytes of the computer's memory for each page and each mapping unit of the case's device. The case's device is filled in
        two sizes: the result is the difference of peak memory over the difference of pages, or of mapping units."""
        sizes = []
        for size in ("0", "1"):
            line = [self.program, "memory", case, "--source", ROOT, "--size", size]
            for override in overrides:
                line += ["--set", override]
            sizes.append(self._json(line))
        small, large = sizes
        if small["pages"] == large["pages"]:
            return None  # --set gave both devices the same size
        more = large["rss_bytes"] - small["rss_bytes"]
        return {f"bytes_per_{name}": more / (large[f"{name}s"] - small[f"{name}s"]) for name in ("mapping_unit", "page")}

    def choose(self, patterns):
        """Names of the cases that match the patterns (shell wildcards), in the order of the list; the default cases if there
        is no pattern."""
        cases = self.cases()
        names = [case["name"] for case in cases]
        if not patterns:
            return [case["name"] for case in cases if case["default"]]
        for pattern in patterns:
            if not any(fnmatch.fnmatchcase(name, pattern) for name in names):
                raise BenchError(f"no case '{pattern}'; there are {', '.join(names)} (wildcards may be used)")
        return [name for name in names if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def ratio(a, b):
    return a / b if b else None


def figures(result, wake_ns):
    """Adds the costs to a case's result. Their unit `wake_ns` must be measured on the same machine at about the same time."""
    cpu = result["cpu_s"]
    flash = result["flash"]
    nanoseconds = cpu * 1e9
    prepared = result["precondition"]
    result["wake_ns"] = wake_ns
    result["ios_per_cpu_s"] = result["ios"] / cpu
    result["flash_operations_per_cpu_s"] = flash["operations"] / cpu
    result["wakes_per_io"] = nanoseconds / result["ios"] / wake_ns
    result["wakes_per_flash_operation"] = ratio(nanoseconds / wake_ns, flash["operations"])
    result["wakes_per_page"] = ratio(nanoseconds / wake_ns, flash["pages"])
    result["kernel_deltas_per_io"] = result["kernel_deltas"] / result["ios"]
    result["precondition"]["programs_per_cpu_s"] = ratio(prepared["programs"], prepared["cpu_s"])
    return result


def measure(runner, case, repeat=1, scale=1.0, overrides=()):
    """Runs a case `repeat` times between calibrations; returns the run with the median cost in wakes."""
    runs = []
    before = runner.wakes()
    for _ in range(repeat):
        result = runner.run(case, scale, overrides)
        after = runner.wakes()
        runs.append(figures(result, statistics.median(before + after)))
        before = after
    runs.sort(key=lambda run: run["wakes_per_io"])
    return runs[(len(runs) - 1) // 2]
