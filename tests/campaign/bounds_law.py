"""No full run of a device lies outside of its bounds (experiments/engine/bounds.py, docs/reference/bounds.md)."""
import pathlib
import random
import sys

from devices import Case, Generator

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "experiments"), str(ROOT / "python")]
# pylint: disable=wrong-import-position
from engine import bounds  # noqa: E402
from engine.bound_workloads import generator  # noqa: E402

ROUNDING = 1e-9  # of a quotient of doubles; times are whole picoseconds, rounded up
# These sections change the requests before they reach the drive, in unknown ways.
STANDS_BEFORE = ("heap.", "hdd.", "tier.", "array.", "host.cache.")
# Filled devices of some kinds, so that reads go to flash, and buffers so small that writes do.
FULL = {"precondition.fill": "1.0"}
SMALL_BUFFERS = ('"64 KiB"', '"128 KiB"', '"256 KiB"', '"1 MiB"')
# Erase units of many pages, all of them rewritten again and again, for the lower bound on what collection programs. A
# single die with a single plane takes half a second per run.
COLLECTED = {"nand.channels": "1", "nand.ways": "1", "nand.dies": "1", "nand.planes": "1", "nand.blocks": "64", "nand.page_size": '"4 KiB"',
             "buffer.size": '"64 KiB"', "nand.slc_blocks": "0", "nand.slc_dynamic": "0"} | FULL
COLLECTED_SHARE = 0.04
# Page types with very different times, equally many in a block; and caps that bind.
PAGE_TYPES = ({"nand.read_time": '["30 us", "90 us"]', "nand.program_time": '["0.3 ms", "1.5 ms"]', "nand.pages": "16"},
              {"nand.read_time": '["40 us", "60 us", "120 us"]', "nand.pages": "24"})
CAPS = ('"0.1 W"', '"0.2 W"', '"50 mW"')
REQUESTS = ("300", "2000", "8000", "20000")
SIZES = ("4KiB", "4KiB", "512B", "16KiB", '"4KiB:60%,64KiB:40%"', "128KiB")


def check_bounds(result, workload):
    """Checks a whole timed run, of a generator or (None) of anything; AssertionError names the broken bound. Returns by
    objective the distance to each finite bound: measured over lower bound, upper bound over measured."""
    known = workload and generator(workload, result["config"])
    found = bounds.of(result["config"], known)
    away = {}
    for name, value in bounds.measured(result).items():
        bound = found[name]
        assert bound.low * (1 - ROUNDING) <= value <= bound.high * (1 + ROUNDING), (
            f"{name}: {value!r} is not between {bound.low!r} ({bound.reason_low}) and {bound.high!r} ({bound.reason_high})")
        if bound.low > 0:
            away[f"{name} low"] = value / bound.low
        if 0 < bound.high < float("inf") and value > 0:
            away[f"{name} high"] = bound.high / value
    return away


class NearGenerator(Generator):
    """Devices of the campaign under workloads that come near to their bounds: one kind, one pattern, one size, many
    requests."""

    def case(self, number):
        case = super().case(number)
        rng = random.Random(f"{self.seed}/{number}/bounds")
        if rng.random() < 0.2 or case.workload.startswith("zones"):
            return case
        sets = {path: value for path, value in case.sets.items() if not path.startswith(STANDS_BEFORE)}
        apart = random.Random(f"{self.seed}/{number}/collected")
        if apart.random() < COLLECTED_SHARE:
            sets |= COLLECTED | {"nand.pages": apart.choice(("256", "512", "1024")), "ftl.over_provisioning": apart.choice(("0.2", "0.3", "0.5"))}
            return Case(number, sets, f"mix:read={apart.choice(('0', '0', '0.2'))},size={apart.choice(('4KiB', '4KiB', '8KiB'))},requests=400000")
        if rng.random() < 0.6:
            sets |= FULL
        if rng.random() < 0.5:
            sets["buffer.size"] = rng.choice(SMALL_BUFFERS)
        if rng.random() < 0.25:
            sets |= rng.choice(PAGE_TYPES)
        if rng.random() < 0.15:
            sets["power.cap"] = rng.choice(CAPS)
        if rng.random() < 0.5:
            sets["host.iodepth"] = rng.choice(("1", "4", "32", "256"))
        size = rng.choice(SIZES)
        requests = rng.choice(REQUESTS[:2] if "KiB:" in size or size == "128KiB" else REQUESTS)  # a few seconds at most
        words = [f"requests={requests}", f"read={rng.choice(('0', '1', '0.5'))}", f"size={size}", f"random={rng.choice(('0', '1'))}"]
        return Case(number, sets, "mix:" + ",".join(words))
