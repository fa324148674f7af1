"""What a run measured, with 95 % intervals."""
import math
from collections.abc import Sequence
from typing import Any

from ..result import Result

OPERATIONS = ("read", "write")
FEWEST_BEYOND = 10  # observations beyond a percentile without which it is not told
WARM_UP = 0.1  # of the time of a whole run, which the buffer's filling and the first queue's are not part of
BATCHES = 10
STUDENT = 2.262  # 97.5 % of Student's t with BATCHES - 1 degrees of freedom
IN_RESULT = {"iops": "iops", "bytes_per_s": "bandwidth_bytes_per_s", "latency_mean_ns": "latency_ns.mean"}
Bounded = tuple[float, float | None, float | None]  # a value and its interval; None: no end is known


def measured(result: Result, operations: Sequence[str], name: str) -> Bounded:
    """`iops`, `bytes_per_s`, or the mean of `latency_mean_ns`, of these operations together. Of a sampled run it has the sample's
    interval, of a whole one that of the means of ten batches of equal time, after a tenth of it."""
    asked = [operation for operation in operations if int(result.data["host"][operation]["ios"])]
    return of_sample(result, asked, name) if result.data.get("sample") else of_batches(result, asked, name)


def of_sample(result: Result, operations: Sequence[str], name: str) -> Bounded:
    """Its interval for several operations: the sums of the ends."""
    host = result.data["host"]
    requests = sum(int(host[operation]["ios"]) for operation in operations)
    parts = []
    for operation in operations:
        path = f"host.{operation}.{IN_RESULT[name]}"
        found: Any = result.data
        for part in path.split("."):
            found = found[part]
        ends = result.data["sample"]["intervals"].get(path) or {}
        weight = int(host[operation]["ios"]) / requests if name == "latency_mean_ns" else 1.0
        parts.append(scaled(weight, (float(found), ends.get("low"), ends.get("high"))))
    value = sum(part[0] for part in parts)
    if any(low is None or high is None for _, low, high in parts):
        return value, None, None
    return value, sum(part[1] or 0.0 for part in parts), sum(part[2] or 0.0 for part in parts)


def of_batches(result: Result, operations: Sequence[str], name: str) -> Bounded:
    bins = result.tables["series"]
    warm = bins[bins["time_s"] >= WARM_UP * (bins["time_s"].iloc[-1] + bins["duration_s"].iloc[-1])]
    bins = warm if len(warm) else bins
    if name == "latency_mean_ns":
        weights = sum(bins[f"{operation}_ios"] for operation in operations)
        sums = sum(bins[f"{operation}_ios"] * bins[f"{operation}_latency_mean_ns"].fillna(0) for operation in operations)
    else:
        weights = bins["duration_s"]
        sums = sum(bins[f"{operation}_{name.removesuffix('_per_s') if name == 'bytes_per_s' else 'ios'}"] for operation in operations)
    value = float(sums.sum() / weights.sum())
    batch = [number * BATCHES // len(bins) for number in range(len(bins))]
    means = (sums.groupby(batch).sum() / weights.groupby(batch).sum()).dropna()
    if len(means) < BATCHES:
        return value, None, None
    half = STUDENT * float(means.std()) / math.sqrt(BATCHES)
    return value, value - half, value + half


def scaled(factor: float, bounded: Bounded) -> Bounded:
    value, low, high = bounded
    return factor * value, None if low is None else factor * low, None if high is None else factor * high


def distribution(result: Result, operation: str) -> tuple[list[float], list[float], int]:
    """Of an operation's latencies: the values in ns, the share of requests above each, and how many requests there were."""
    frame = result.tables["latency_cdf"]
    rows = frame[frame["operation"] == operation]
    return rows["latency_ns"].tolist(), rows["above"].tolist(), int(result.data["host"][operation]["ios"])


def percentile(latencies: Sequence[float], above: Sequence[float], count: int, share: float) -> tuple[float | None, float | None, float | None]:
    """The percentile of a distribution of `count` values, and its 95 % interval by order statistics (normal approximation of the
    binomial). `above`: share of the values above each latency. None: fewer than ten values lie beyond it, or beyond its end."""
    if count * (1 - share) < FEWEST_BEYOND * (1 - 1e-6):
        return None, None, None
    half = 1.96 * math.sqrt(share * (1 - share) / count)

    def at(rank: float) -> float | None:
        return next((latency for latency, more in zip(latencies, above) if more <= 1 - rank + 1e-12), None)

    return at(share), at(share - half), at(share + half) if share + half < 1 else None
