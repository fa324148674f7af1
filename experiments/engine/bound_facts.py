"""What bounds know of a workload, from a table of plain values."""
import math
from dataclasses import dataclass
from typing import Any

from .errors import StudyError, one_of

# What chance may add to a count goes beyond its allowance in one of a billion runs (Hoeffding's and Azuma's inequality): a
# sum of n terms, each within a range of 1, exceeds its mean by this x sqrt(n).
DEVIATION = math.sqrt(math.log(1e9) / 2)
KEYS = ("read", "size", "read_size", "write_size", "requests", "seconds", "lasts", "depth", "closed", "pattern", "aligned", "span",
        "distinct_written", "distinct_read", "discards", "trimmed", "most_programmed", "exact")
PATTERNS = ("uniform", "shuffled", "sequential", "zones", "unknown")


@dataclass(frozen=True)
class Sizes:
    """Bytes of requests of one kind: their mean lies between `low` and `high`, each between `least` and `most`."""
    low: float
    high: float
    least: float
    most: float


@dataclass(frozen=True)
class Facts:
    """A workload: of what is not known, None. Shares and means are ranges, since a run draws them."""
    reads: tuple[float, float]   # share of the requests
    read: Sizes
    write: Sizes
    requests: float | None       # reads and writes that are measured
    seconds: float | None        # a closed loop goes on for so long at least
    depth: float | None          # requests in flight at most
    closed: bool                 # one job that always has `depth` in flight until all are sent
    pattern: str                 # uniform: each place is drawn anew, all alike; shuffled: each once before any comes again;
                                 # sequential: one after the other, round and round;
                                 # zones: of an empty device, each from its start on, full ones reset, nothing refused
    span: float | None           # bytes that it goes to; None: all of the device
    discards: bool               # trims or write zeroes beside reads and writes
    distinct_written: float = 0.0  # bytes of different places that are written in all of the run
    distinct_read: float = 0.0     # the same of what is read and never written
    lasts: float = 0.0             # seconds after the first request at which the last one comes, whatever the device does
    aligned: bool = False          # requests begin at multiples of their one size
    trimmed: float = math.inf      # bytes that trims touch at most, where there are any
    most_programmed: float = math.inf  # of zones: bytes programmed for a byte written at most, padding of finished zones among them

    def count(self, share: float) -> float | None:
        return None if self.requests is None else self.requests * share


# Requests of any size up to all of the device, in any order.
NOTHING_KNOWN = Facts((0.0, 1.0), Sizes(512.0, 2.0**50, 512.0, 2.0**50), Sizes(512.0, 2.0**50, 512.0, 2.0**50), None, None, None,
                      False, "unknown", None, True)


def facts_of(workload: dict[str, Any], draws: float | None = None) -> Facts:
    """From a table of KEYS: `read` (share of the requests, the others write; a pair: it lies in between) and `size` (bytes; {bytes: weight};
    or (low, high, least, most) as in Sizes; `read_size`, `write_size`: of one kind) are required; all others are as in Facts, not known or
    false if left out; `exact`: share and sizes are counted, not drawn. `draws`: so many requests there are at least, where `requests` is
    not known; without either, share and means are taken as they are. StudyError for other keys."""
    for key in workload:
        if key not in KEYS:
            raise StudyError(f"workload.{key}: unknown key; {one_of(KEYS, key)}")
    if "read" not in workload or not ("size" in workload or {"read_size", "write_size"} <= workload.keys()):
        raise StudyError("workload: bounds need read, and size or both of read_size and write_size")
    given = workload["read"]
    low, high = (float(end) for end in (given if isinstance(given, (tuple, list)) else (given, given)))
    pattern = workload.get("pattern", "unknown")
    if not 0 <= low <= high <= 1:
        raise StudyError(f"workload.read: is {given}; valid: 0 to 1")
    if pattern not in PATTERNS:
        raise StudyError(f"workload.pattern: is \"{pattern}\"; {one_of(PATTERNS, str(pattern))}")
    requests = workload.get("requests")
    draws = draws if requests is None else requests
    drawn = not workload.get("exact", False)
    reads = low, high
    if drawn and 0 < high and low < 1:
        reads = 0.0 if low == 0 else _around(low, 0.0, 1.0, draws)[0], 1.0 if high == 1 else _around(high, 0.0, 1.0, draws)[1]

    def sizes(key: str, least_share: float) -> Sizes:
        count = None if draws is None else draws * least_share
        return _sizes(workload.get(key, workload.get("size")), count, drawn)

    return Facts(reads, sizes("read_size", reads[0]), sizes("write_size", 1 - reads[1]), requests, workload.get("seconds"),
                 workload.get("depth"), bool(workload.get("closed", False)), pattern, workload.get("span"),
                 bool(workload.get("discards", False)), float(workload.get("distinct_written", 0)),
                 float(workload.get("distinct_read", 0)), float(workload.get("lasts", 0)), bool(workload.get("aligned", False)),
                 float(workload.get("trimmed", math.inf)), float(workload.get("most_programmed", math.inf)))


def _around(mean: float, least: float, most: float, count: float | None) -> tuple[float, float]:
    """Between what the mean of so many draws lies; of an unknown number the mean itself."""
    if count is None:
        return mean, mean
    away = math.inf if count < 1 else DEVIATION * (most - least) / math.sqrt(count)
    return max(least, mean - away), min(most, mean + away)


def _sizes(value: Any, count: float | None, drawn: bool) -> Sizes:
    if isinstance(value, (tuple, list)):
        return Sizes(*(float(end) for end in value))
    if not isinstance(value, dict):
        return Sizes(float(value), float(value), float(value), float(value))
    weights = {float(size): float(weight) for size, weight in value.items()}
    total = math.fsum(weights.values())
    mean = math.fsum(size * weight for size, weight in weights.items()) / total
    least, most = min(weights), max(weights)
    low, high = _around(mean, least, most, count) if drawn else (mean, mean)
    return Sizes(low, high, least, most)
