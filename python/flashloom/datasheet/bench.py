"""Where a device is measured: its states, and runs that begin there. What is there already is not run again."""
import math
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..device import Device
from ..errors import BadInput
from ..point_id import key_of
from ..program import program_hash
from ..result import Result
from ..runs import precondition, run
from ..sweeps import device_input, sweep
from ..units import in_bytes

SLICE_BLOCKS = 80  # blocks a plane of a slice: as many as experiments/enterprise takes
KEPT_BLOCKS = range(4, 24)  # blocks a die that are open or kept free, whatever the size
Job = Mapping[str, Any]


class Bench:
    """A device, and a folder for its states and results.

    slice            the device with fewer blocks, to be simulated where the drive must be in steady state
    slice_of         share of the device's blocks that it has; 1: all of them
    capacity, slice_capacity   bytes that the host sees
    """

    def __init__(self, device: Device, folder: pathlib.Path, *, error: float, jobs: int | None, seed: int | None, progress: bool | None,
                 tell: Callable[[str], None]) -> None:
        self.device, self.folder = device, folder
        self.error, self.jobs, self.seed, self.progress, self.tell = error, jobs, seed, progress, tell
        self.config: dict[str, Any] = device.config()
        blocks = int(self.config["nand"]["blocks"])
        self.slice_of = min(1.0, SLICE_BLOCKS / blocks)
        self.capacity = in_bytes(self.config["ftl"]["logical_size"]) or self._capacity_of(device)
        self.slice, self.slice_capacity = device, self.capacity
        if self.slice_of < 1:
            self.slice, self.slice_capacity = self._sliced(blocks)
        (folder / "states").mkdir(parents=True, exist_ok=True)

    def _sliced(self, blocks: int) -> tuple[Device, int]:
        """The slice, with the SLC cache in proportion, and a capacity that leaves it the share of spare blocks that the whole drive has,
        beyond the fewest that a die may keep."""
        slc = {key: int(self.config["nand"].get(key, 0)) for key in ("slc_blocks", "slc_dynamic")}
        part = {key: max(2, round(value * self.slice_of)) if value else 0 for key, value in slc.items()}
        problem: BadInput | None = None
        for kept in KEPT_BLOCKS:
            share = (SLICE_BLOCKS - part["slc_blocks"] - kept) / (blocks - slc["slc_blocks"] - kept)
            size = math.floor(self.capacity * share / 2**20) * 2**20
            device = self.device.set({"nand.blocks": SLICE_BLOCKS, "ftl.logical_size": f"{size} B"} |
                                     {f"nand.{key}": value for key, value in part.items() if value})
            try:
                device.config()
                return device, size
            except BadInput as refused:
                problem = refused
        assert problem is not None
        raise problem

    def _capacity_of(self, device: Device) -> int:
        """The bytes that the host sees of a device that gives its over-provisioning alone."""
        told = run(written(device, 0), generate="mix:requests=1,read=0 %", untimed=True)
        return int(told.data["device"]["capacity_bytes"])

    def state(self, name: str, device: Device) -> pathlib.Path:
        """The file of the state that the device's `precondition` keys describe."""
        path = self.folder / "states" / f"{name}-{self._key(device)}.state"
        if not path.is_file():
            self.tell(f"state: {name}")
            precondition(device, path, seed=self.seed)
        return path

    def advance(self, device: Device, state: pathlib.Path, name: str, workload: Mapping[str, Any]) -> tuple[pathlib.Path, Result]:
        """Carries out a workload on the instant clock from a state: the state that it leaves, and its counts. Each time with a seed of its
        own: the same addresses again would leave whole blocks invalid."""
        key = self._key(device, state.name, repr(workload))
        out = self.folder / "advances" / f"{name}-{key}"
        after = self.folder / "states" / f"{out.name}.state"
        if after.is_file() and (out / "result.json").is_file():
            return after, Result(out)
        return after, run(device, **workload, untimed=True, state=state, seed=int(key_of(self.seed, name)[:8], 16), out=out, options=["--save-state", str(after)])

    def measure(self, device: Device, state: pathlib.Path, jobs: Sequence[Job], *, sampled: bool = True, options: Sequence[str] = ()) -> list[Result]:
        """The result of each job, run from the state. Sampled: with intervals; else whole, for tails and for the ranges of energies."""
        options = ["--sample-error", f"{100 * self.error:g}%"] if sampled else list(options)
        found = sweep(device, {"job": list(jobs)}, state=state, seed=self.seed, jobs=self.jobs, progress=self.progress, options=options,
                      out=self.folder / ("sampled" if sampled else "whole"))
        return [found[number] for number in range(len(jobs))]

    def _key(self, device: Device, *more: str) -> str:
        return key_of(program_hash(), device_input(device), device.keys, self.seed, *more)[:16]


def written(device: Device, fill: int) -> Device:
    """The device empty (0) or written once in order (1)."""
    return device.set({"precondition.fill": fill, "precondition.steady": False})


def job(rw: str, size: str, depth: int, *, workers: int = 1, read: int | None = None, total: str) -> dict[str, Any]:
    """The options of a fio job: `total` bytes of each worker, `depth` in flight of each."""
    options: dict[str, Any] = {"rw": rw, "bs": size, "ioengine": "libaio", "iodepth": depth, "size": "100%", "io_size": total}
    if "rand" in rw:
        options["norandommap"] = 1
    if workers > 1:
        options |= {"numjobs": workers, "group_reporting": 1}
    if read is not None:
        options["rwmixread"] = read
    return options


def kind_of(part: Any) -> str:
    """The name of a part that may have parameters."""
    return str(part["name"] if isinstance(part, Mapping) else part)


def refuse(config: Mapping[str, Any]) -> None:
    """Throws BadInput for a device that has no data sheet."""
    if kind_of(config["ftl"]["kind"]) == "zoned":
        raise BadInput("datasheet: a zoned drive takes no random writes, which every test writes")
    for name, there in (("heap", kind_of(config["heap"]["nvram"]["kind"]) != "none"), ("array", config["array"]["level"] != "none"),
                        ("hdd", in_bytes(config["hdd"]["capacity"]) != 0)):
        if there:
            raise BadInput(f"datasheet: {name}: a data sheet is of one SSD; leave [{name}] out")
