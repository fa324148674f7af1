"""The programs experiments/cost and experiments/bounds: a device's cost and the bounds of its results, without a run."""
import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys
from typing import Any

from . import bounds, cost
from .bound_workloads import workload_of
from .errors import RunError, StudyError, visible
from .main import ROOT, Parser, exit_code, positive
from .prices import load_prices

COST = """What a device costs to make, with a band: docs/reference/cost.md. Exit codes: 0 done, 2 bad input."""
BOUNDS = """What no run of a device exceeds, in closed form: docs/reference/bounds.md. Exit codes: 0 done, 2 bad input.

  experiments/bounds nvme-tlc-1tb --set precondition.fill=1 --generate 'mix:read=1,requests=100000'"""


def complain(text: str) -> None:
    print(visible(text), file=sys.stderr)


def parser_of(name: str, text: str) -> argparse.ArgumentParser:
    parser = Parser(prog=f"experiments/{name}", description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", metavar="DEVICE", help="a preset by name, or a device file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="overrides a key, as flashloom's --set")
    parser.add_argument("--program", type=pathlib.Path, metavar="F", help="flashloom binary (default: build/release/flashloom)")
    parser.add_argument("--json", action="store_true", help="machine-readable")
    return parser


def program_of(options: argparse.Namespace) -> pathlib.Path:
    found = shutil.which(str(options.program or ROOT / "build/release/flashloom"))
    if found is None:
        raise StudyError(f"{options.program or 'build/release/flashloom'}: no such program; build it (cmake --build --preset release) "
                         "or name it with --program")
    return pathlib.Path(found).resolve()


def effective(program: pathlib.Path, device: str, sets: list[str]) -> dict[str, Any]:
    """The effective configuration of a device. Raises StudyError with the program's message if the program refuses it."""
    words = [word for each in sets for word in ("--set", each)]
    done = subprocess.run([program, "config", device, *words, "--json"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise StudyError(done.stderr.strip().removeprefix("flashloom: error: "))
    if done.returncode != 0:
        raise RunError(f"{program} config {device}: exit code {done.returncode}: {done.stderr.strip()}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def run_cost(options: argparse.Namespace) -> int:
    prices = load_prices(options.prices)
    config = effective(program_of(options), options.device, options.set)
    found = cost.of(config, prices)
    drawn = sorted(cost.samples(config, options.samples, options.seed, prices))
    capacity = bounds.of(config, None)["capacity"].low
    band = {f"p{share}": drawn[min(len(drawn) - 1, int(len(drawn) * share / 100))] for share in (5, 50, 95)}
    report = {"schema": "flashloom.cost/1", "device": config["name"], "cell": cost.cell_type(config), "low": found.low, "mid": found.mid,
              "high": found.high, "parts": found.parts, "samples": {"count": len(drawn), "seed": options.seed} | band,
              "area_mm2": cost.area_mm2(config, prices, lambda path: prices.ranges[path].mid)}
    if capacity:
        report |= {"per_gb": found.per_gb(capacity), "per_gb_dwpd_at_waf_1": found.per_gb_dwpd(
            capacity, cost.drive_writes_per_day(config, 1.0, prices))}
    if options.json:
        print(json.dumps(report, indent=1))
        return 0
    print(f"{config['name']}: {found.mid:.2f} $ ({band['p5']:.2f} to {band['p95']:.2f}: 5 and 95 % of {len(drawn)} draws; "
          f"{found.low:.2f} to {found.high:.2f} at the ends of all prices)")
    for name, dollars in found.parts.items():
        if dollars:
            print(f"  {name:<12}{dollars:>9.2f} $")
    print(f"  {report['cell'].upper()}, controller of {report['area_mm2']:.1f} mm2")
    if capacity:
        print(f"  {report['per_gb']:.4f} $/GB, {report['per_gb_dwpd_at_waf_1']:.4f} $/(GB x DWPD) at a WAF of 1")
    return 0


def run_bounds(options: argparse.Namespace) -> int:
    program = program_of(options)
    config = effective(program, options.device, options.set)
    arguments = ["--generate", options.generate] if options.generate else ["--trace", options.trace] if options.trace else []
    written = {}
    if options.job:
        try:
            written = {"job.fio": options.job.read_text(encoding="utf-8")}
        except (OSError, UnicodeDecodeError) as error:
            raise StudyError(f"{options.job}: {error}") from None
    known = workload_of(arguments, written, config, program)
    if known is None and (arguments or written):
        complain("bounds: nothing is known of this workload; what follows is of the device alone")
    found = bounds.of(config, known)
    if options.json:
        print(json.dumps({"schema": "flashloom.bounds/1", "device": config["name"], "workload": _keyed(known), "bounds": {
            name: {"unit": bounds.UNITS.get(name, "s"), "low": bound.low, "high": None if math.isinf(bound.high) else bound.high,
                   "reason_low": bound.reason_low, "reason_high": bound.reason_high} for name, bound in found.items()}}, indent=1))
        return 0
    for name, bound in found.items():
        unit = bounds.UNITS.get(name, "s")
        if bound.low > 0:
            print(f"{name:<20} at least {bounds.shown(bound.low, unit):<14} {bound.reason_low}")
        if math.isfinite(bound.high):
            print(f"{name:<20} at most  {bounds.shown(bound.high, unit):<14} {bound.reason_high}")
    return 0


def _keyed(known: dict[str, Any] | None) -> dict[str, Any] | None:
    """The workload's facts with sizes as texts, since JSON keys are texts."""
    return known and {key: {f"{size:g}": weight for size, weight in value.items()} if isinstance(value, dict) else value
                      for key, value in known.items()}


def main(words: list[str]) -> int:
    """`words[0]` selects the program: cost or bounds."""
    if words[0] == "cost":
        parser = parser_of("cost", COST)
        parser.add_argument("--prices", type=pathlib.Path, metavar="F", help="in the place of experiments/prices.toml")
        parser.add_argument("--samples", type=positive, default=1000, metavar="N", help="draws of all prices (default: 1000)")
        parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the draws (default: 1)")
        run = run_cost
    else:
        parser = parser_of("bounds", BOUNDS)
        group = parser.add_mutually_exclusive_group()
        group.add_argument("--generate", metavar="TEXT", help="a workload generator, as flashloom's --generate")
        group.add_argument("--job", type=pathlib.Path, metavar="F.fio", help="a fio job file with one job")
        group.add_argument("--trace", metavar="F", help="a block trace")
        run = run_bounds
    options = parser.parse_args(words[1:])
    return exit_code(lambda: run(options), lambda text: complain(f"{words[0]}: {text}"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
