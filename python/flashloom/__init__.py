"""Flashloom from Python: whole solid-state drives, simulated (docs/how-to/python.md is the guide).

    import flashloom
    drive = flashloom.Device("tiny", nand={"channels": 4})
    result = flashloom.run(drive, job={"rw": "randwrite", "bs": "4k", "ioengine": "libaio", "iodepth": 16, "size": "100%"})
    result.throughput_mb_s, result.latency.loc["write", "p99"]   # MB/s, ns

Every run is a process of its own; its results are objects and pandas DataFrames whose units stand in `df.attrs["units"]`.
"""
import importlib
from typing import TYPE_CHECKING, Any

from .device import Device
from .errors import BadInput, FlashloomError, FlashloomWarning, Interrupted, RunFailed
from .program import find_program, version

if TYPE_CHECKING:
    from . import plot as plot
    from .result import Result, load
    from .runs import cache, cold, precondition, run
    from .study import load_study
    from .sweeps import Sweep, pareto_front, sweep
    from .traces import trace_info, write_trace

# What needs pandas is loaded when it is asked for: the engine of the studies takes from here what does not.
_LATER = {"Result": "result", "load": "result", "run": "runs", "cache": "runs", "cold": "runs", "precondition": "runs",
          "load_study": "study", "Sweep": "sweeps", "pareto_front": "sweeps", "sweep": "sweeps", "trace_info": "traces",
          "write_trace": "traces"}

__all__ = ["BadInput", "Device", "FlashloomError", "FlashloomWarning", "Interrupted", "Result", "RunFailed", "Sweep",
           "cache", "cold", "find_program", "load", "load_study", "pareto_front", "plot", "precondition", "run",
           "sweep", "trace_info", "version", "write_trace"]


def __getattr__(name: str) -> Any:
    if name == "plot":
        return importlib.import_module(".plot", __name__)
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f".{_LATER[name]}", __name__)
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
