"""The columns of a sweep that nobody named: what is asked of a result most often. Units end their names."""
from collections.abc import Callable, Mapping
from typing import Any

Metric = str | Callable[[Any], Any]
_LATENCIES = ("mean", "p50", "p99", "p99_9")
ENDS = ("p5", "p50", "p95")  # of the columns of a band
# Name: (path in result.json or a function of the Result, scale).
COMMON: dict[str, tuple[Metric, float]] = {
    "throughput_mb_s": (lambda result: result.throughput_mb_s, 1),
    "iops": (lambda result: result.iops, 1),
    **{f"{name}_mb_s": (f"host.{name}.bandwidth_bytes_per_s", 1e-6) for name in ("read", "write")},
    **{f"{name}_{at}_us": (f"host.{name}.latency_ns.{at}", 1e-3) for name in ("read", "write") for at in _LATENCIES},
    "waf": ("ftl.waf", 1),
    "gc_pages": ("flash.programs.gc.pages", 1),
    "erases": ("flash.erases.total", 1),
    "energy_j": ("energy.total_j", 1),
    "j_per_gb": ("energy.j_per_gb", 1),
    "power_w": ("energy.average_w", 1),
    "simulated_s": ("simulated_s", 1),
}


def metrics_of(result: Any, wanted: Mapping[str, Metric] | None) -> dict[str, Any]:
    """Values by name: the common ones, or those wanted, each a path in result.json or a function of the Result. A latency of an
    operation that did not occur is None. Throws KeyError for a path that is not there."""
    if wanted is not None:
        return {name: plain(result[metric] if isinstance(metric, str) else metric(result)) for name, metric in wanted.items()}
    values: dict[str, Any] = {}
    for name, (metric, scale) in COMMON.items():
        operation = name.split("_", maxsplit=1)[0]
        if isinstance(metric, str) and "latency_ns" in metric and not result.data["host"][operation]["ios"]:
            values[name] = None
        else:
            value = result[metric] if isinstance(metric, str) else metric(result)
            values[name] = value if scale == 1 else value * scale
    return values


def bands_of(result: Any, wanted: Mapping[str, Metric] | None) -> dict[str, dict[str, float]]:
    """p5, p50, p95 of the metrics that are an energy with a band, by name; of a run without `uncertainty` none."""
    energy = result.data["energy"].get("uncertainty") or {}
    paths = {name: (metric, 1.0) for name, metric in wanted.items()} if wanted is not None else COMMON
    found = {}
    for name, (path, scale) in paths.items():
        band = energy.get(path.removeprefix("energy.")) if isinstance(path, str) and path.startswith("energy.") else None
        if isinstance(band, dict) and all(end in band for end in ENDS):
            found[name] = {end: band[end] * scale for end in ENDS}
    return found


def plain(value: Any) -> Any:
    """A Python number of a NumPy one."""
    return value.item() if hasattr(value, "item") else value
