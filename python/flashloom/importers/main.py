"""The command: `flashloom import`, which begins this module with its words (docs/how-to/import.md)."""
import argparse
import pathlib
import re
import sys
import tempfile
from collections.abc import Sequence

from ..errors import BadInput
from ..exit_code import exit_code
from ..places import one_of, visible
from ..program import call
from ..units import in_bytes
from ..whole_file import write_whole
from .draft import Draft, Row, table
from .femu import read_femu
from .fio import read_fio
from .mqsim import read_mqsim
from .mqsim_workload import read_workload
from .nvmevirt import read_nvmevirt
from .simplessd import read_simplessd

KINDS = ("mqsim", "simplessd", "nvmevirt", "femu", "fio")
CAPACITY = "64 GiB"  # memmap_size in NVMeVirt's README


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("flashloom import")
    for option in ("--out", "--job", "--capacity"):
        parser.add_argument(option, default="")
    parser.add_argument("kind")
    parser.add_argument("source", nargs="+")
    given = parser.parse_args(words)
    return exit_code(lambda: carry_out(given.kind, given.source, given.out, given.job, given.capacity))


def carry_out(kind: str, source: Sequence[str], out: str = "", job: str = "", capacity: str = "") -> None:
    """Writes a device file (of fio a job file) to `out`, else to stdout, jobs of MQSim's flows to `job`, and what became of each key
    to stderr. Throws BadInput before anything is written."""
    if kind not in KINDS:
        raise BadInput(f'import: "{kind}"; {one_of(KINDS, kind)}')
    most = 2 if kind in ("mqsim", "nvmevirt") else 1
    if len(source) > most or (kind == "nvmevirt" and len(source) < 2):
        raise BadInput({"mqsim": "import mqsim takes ssdconfig.xml and workload.xml",
                        "nvmevirt": "import nvmevirt takes ssd_config.h and the name of a model in it"}
                       .get(kind, f"import {kind} takes one {'file' if kind == 'simplessd' else 'argument: put it in quotes'}"))
    for option, value, allowed in (("--job", job, ("mqsim",)), ("--capacity", capacity, ("nvmevirt",))):
        if value and kind not in allowed:
            raise BadInput(f"{option}: is for {allowed[0]} alone")
    jobs = ""
    if kind == "fio":
        text, rows = read_fio(source[0])
    elif kind == "mqsim":
        if job and len(source) < 2:
            raise BadInput("--job: needs workload.xml")
        workload = read_workload(source[1]) if len(source) > 1 else None
        text, rows = written(read_mqsim(source[0], workload), source[0], kind)
        rows += workload.rows if workload else []
        if job and workload and not workload.job:
            raise BadInput(f"--job: {source[1]} has no synthetic flows; flashloom run DEVICE --trace {workload.traces[0]}")
        jobs = workload.job if workload else ""
    elif kind == "nvmevirt":
        text, rows = written(read_nvmevirt(source[0], source[1], bytes_of(capacity or CAPACITY)), source[1], kind)
        if not capacity:
            rows.append(Row("memmap_size", CAPACITY, "left out", "not in ssd_config.h: --capacity", True))
    else:
        text, rows = written(read_simplessd(source[0]) if kind == "simplessd" else read_femu(source[0]), source[0], kind)
    if job:
        write_whole(pathlib.Path(job), jobs)
    if out:
        write_whole(pathlib.Path(out), text)
    else:
        sys.stdout.write(text)
    sys.stderr.write(visible(table(rows)))


def written(draft: Draft, origin: str, kind: str) -> tuple[str, list[Row]]:
    """The device file, and the rows. A draft is named after its file."""
    path = pathlib.Path(origin)
    name = kind if "=" in origin else path.stem
    shown = " ".join(origin.split())
    fit(draft, shown)
    header = [f"{shown}, by `flashloom import {kind}`: behind each key what it comes from.",
              "Currents and powers are no keys there: they are this program's defaults."]
    return draft.toml(name, f"{draft.peer}: {shown}", header), list(draft.rows.values())


def fit(draft: Draft, origin: str) -> None:
    """Sees that the model takes the device, with as much room for garbage collection as it asks for. Throws BadInput."""
    with tempfile.TemporaryDirectory(prefix="flashloom-import-") as folder:
        path = pathlib.Path(folder) / "device.toml"
        for left in (1, 0):
            path.write_text(draft.toml("device", "", []), encoding="utf-8")
            try:
                call("config", str(path))
                return
            except BadInput as problem:
                said = re.sub(rf"{re.escape(str(path))}(:\d+)?: ", "", str(problem))
            room = re.match(r"(ftl\.(?:over_provisioning|logical_size)): .*; valid: at (?:least|most) ([\d.]+)( \w+)?$", said, re.S)
            if not room or not left or room[1] not in draft.keys:
                raise BadInput(f"{origin}: makes a device that the model refuses: {said}")
            draft.amend(room[1], f"{room[2]}{room[3]}" if room[3] else float(room[2]), "so that garbage collection has room")


def bytes_of(text: str) -> int:
    try:
        value = in_bytes(text)
    except (ValueError, TypeError):
        value = None
    if not value or value <= 0:
        raise BadInput(f'--capacity: "{text}" is no size; valid: as "64 GiB"')
    return int(value)
