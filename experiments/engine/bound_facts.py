"""The facts of a workload that bounds use, read from a table of plain values."""
import math
from dataclasses import dataclass
from typing import Any

from .errors import StudyError, one_of

# A sum of n random terms, each within a range of 1, exceeds its mean by more than DEVIATION x sqrt(n) in at most one of a
# billion runs (Hoeffding's and Azuma's inequality).
DEVIATION = math.sqrt(math.log(1e9) / 2)
KEYS = ("read", "size", "read_size", "write_size", "requests", "seconds", "lasts", "depth", "closed", "pattern", "aligned", "span",
        "distinct_written", "distinct_read", "discards", "trimmed", "most_programmed", "exact")
PATTERNS = ("uniform", "shuffled", "sequential", "zones", "unknown")


@dataclass(frozen=True)
class Sizes:
    """Sizes in bytes of requests of one kind: their mean lies in `low` to `high`, each single size in `least` to `most`."""
    low: float
    high: float
    least: float
    most: float


@dataclass(frozen=True)
class Facts:
    """A workload. None means unknown. Shares and mean sizes are ranges, since a run draws its requests at random."""
    reads: tuple[float, float]   # share of reads among the requests
    read: Sizes
    write: Sizes
    requests: float | None       # number of reads and writes that the run measures
    seconds: float | None        # least duration of a closed loop
    depth: float | None          # requests in flight at most
    closed: bool                 # one job keeps `depth` requests in flight until it has sent all
    pattern: str                 # uniform: each address drawn independently, all equally likely; shuffled: each address once
                                 # before any repeats; sequential: in rising order, over and over; zones: zones of an empty
                                 # device, each from its start on, full ones reset, no command refused
    span: float | None           # bytes that the addresses cover; None: the whole device
    discards: bool               # whether there are trims or write zeroes beside reads and writes
    distinct_written: float = 0.0  # bytes of different addresses that the whole run writes
    distinct_read: float = 0.0     # bytes of different addresses that the run reads and never writes
    lasts: float = 0.0             # seconds from the first request's arrival to the last one's, whatever the device does
    aligned: bool = False          # requests have one size and begin at multiples of it
    trimmed: float = math.inf      # most bytes that trims touch, if there are trims
    most_programmed: float = math.inf  # zones only: most bytes programmed for a byte written, padding of finished zones included

    def count(self, share: float) -> float | None:
        return None if self.requests is None else self.requests * share


# The facts of an unknown workload: requests of any size up to the whole device, in any order.
NOTHING_KNOWN = Facts((0.0, 1.0), Sizes(512.0, 2.0**50, 512.0, 2.0**50), Sizes(512.0, 2.0**50, 512.0, 2.0**50), None, None, None,
                      False, "unknown", None, True)


def facts_of(workload: dict[str, Any], draws: float | None = None) -> Facts:
    """Reads a table of KEYS. It needs `read` (share of reads among reads and writes, or a pair of its ends) and `size` (bytes; {bytes:
    weight}; or (low, high, least, most) as in Sizes), or `read_size` and `write_size`. The other keys are fields of Facts, unknown or
    false if left out; `exact`: share and sizes are counted, not drawn. `draws` is the least number of requests if `requests` is not
    known; without either, share and means count as exact. Raises StudyError for other keys."""
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
    """The range in which the mean of `count` draws lies; only the expected mean if `count` is not known."""
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
