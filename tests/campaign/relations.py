"""Relations between the runs of two devices that must hold whatever the device is.

Each is a function of (trial, case, result, out) that raises Broken, and returns at once where it is no law; a comment says why
it is none there."""
import csv
import dataclasses
import json
import pathlib
import random
import sys

from documents import Document

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "experiments"))
# pylint: disable=wrong-import-position
from engine.bound_device import Device  # noqa: E402
from engine.closed_forms import quantity  # noqa: E402

RATES = ("byte rate", "bit rate", "frequency", "transfer rate")
LRU_SIZES = ("16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB")
# Stacks above the drive, and what strikes or decides by the clock, by energy or by chance: a second device does other work then.
BY_CHANCE = ("faults.", "nand.errors.", "nand.variation.", "nand.endurance", "nand.factory", "nand.die_failure", "nand.failed", "nand.failure",
             "nand.program_failure", "nand.erase_failure", "nand.partial_erase", "power.c", "power.state", "power.plp", "thermal.", "array.", "tier.",
             "hdd.", "heap.", "host.cache.", "fdp.", "cpu.", "hmb.", "link.l", "compression.")


class Relations:
    """What the relations share: a run with other keys, or None if the configuration refuses it."""

    def __init__(self, trial, case, result, out):
        self.trial, self.case, self.result, self.out = trial, case, result, out
        self.command = ""

    def run(self, sets=(), source=None, words=()):
        assigned = [word for path, value in dict(sets).items() for word in ("--set", f"{path}={value}")]
        code, _, self.command = self.trial.call("a related run", "run", *self.case.arguments(), *assigned, *(source or self.case.source()), *words,
                                                "--out", self.out / "r", accepted=(0, 1, 2))
        return json.loads((self.out / "r" / "result.json").read_text()) if code == 0 else None

    def hold(self, law, holds, said):
        if not holds:
            self.trial.broken(law, self.command, said)

    def by_chance(self):
        return any(path.startswith(BY_CHANCE) for path in self.case.sets)


def flat(table, prefix=""):
    """The values of nested tables by path; a part counts as one value."""
    for name, value in table.items():
        if isinstance(value, dict) and "name" not in value:
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def twice_the_dies(one):
    """Random reads of a full drive are not slower with twice the ways and half the blocks, so that both have the same data. Which dies
    have conflicts is chance: 10 % of a few hundred reads. Zones and block maps put data by block; a channel with more packages
    has slower wires with nand.bus_die_capacitance, no time; a cap of concurrent dies has its own unit."""
    nand = one.result["config"]["nand"]
    if one.by_chance() or part(one.result["config"]["ftl"]["kind"]) != "page_map" or nand["network"]["topology"] != "bus":
        return
    reads = ["--generate", "mix:read=1,requests=600"]
    sets = {"precondition.fill": "1.0", "nand.slc_blocks": "0", "nand.slc_dynamic": "0", "buffer.read_cache": "0.0", "buffer.size": '"64 KiB"'}
    few = one.run(sets, reads)
    many = few and one.run(sets | {"nand.ways": str(2 * nand["ways"]), "nand.blocks": str(nand["blocks"] // 2)}, reads)
    if many and abs(many["device"]["capacity_bytes"] / few["device"]["capacity_bytes"] - 1) < 0.02:
        a, b = (run["host"]["read"]["bandwidth_bytes_per_s"] for run in (few, many))
        one.hold("twice the dies never read slower", b >= 0.9 * a, f"{a:.6g} B/s, with twice the dies {b:.6g} B/s")


def times_doubled(one):
    """With every time doubled, and every rate halved, a closed loop of a generator takes twice as long, to the picoseconds by which each
    step is rounded. Not where power decides (caps, thermal), where PCIe's rates are no powers of two (generation 3 halves to no 2), and
    where a part or an operating point has times of its own."""
    config = one.result["config"]
    if one.case.document or one.case.most or not one.case.workload.startswith("mix:") or "rate=" in one.case.workload or one.by_chance():
        return
    if any("{" in value for value in one.case.sets.values()) or config["host"]["iodepth"] != 1:
        return  # with more in flight a rounded picosecond decides which of two steps is first
    sets, slow = {}, {}
    if config["link"]["kind"] == "pcie":
        sets, slow = {"link.generation": "4"}, {"link.generation": "3"}
    for path, value in flat(config):
        kind = one.trial.schema.types.get(path, "")
        if "time" in kind and value:
            found = [f"{round(quantity(each) * 2e12)} ps" for each in (value if isinstance(value, list) else [value])]
            slow[path] = json.dumps(found if isinstance(value, list) else found[0])
        elif kind in RATES and value and quantity(value):
            unit = {"byte rate": "B/s", "bit rate": "b/s", "frequency": "Hz", "transfer rate": "T/s"}[kind]
            slow[path] = f'"{quantity(value) / 2:.6f} {unit}"'
    fast = one.run(sets)
    slow = fast and one.run(sets | slow)
    if slow:
        a, b = (run["host"]["end_s"] - run["host"]["begin_s"] for run in (fast, slow))
        one.hold("times doubled halve a closed loop's throughput", abs(b / (2 * a) - 1) < 1e-6, f"{a!r} s, with times doubled {b!r} s")


def trace_in_parts(one):
    """A trace equals its two halves one after another, at the pause that is between them."""
    whole = one.case.document
    if whole is None or whole.option != "--trace" or len(whole.lines) < 5:
        return
    head, *lines = whole.lines
    cut = len(lines) // 2
    gap = int(lines[cut].split(",")[0]) - int(lines[cut - 1].split(",")[0])
    for name, part_lines in (("first.csv", lines[:cut]), ("second.csv", lines[cut:])):
        Document("--trace", name, (head, *part_lines)).write(one.out)
    parts = ["--trace", "first.csv", "--trace", "second.csv", "--address-fit", "wrap", "--concat", "--concat-gap", f"{gap} us"]
    run = one.run({"verify": "true"}, parts)
    for where in ("host", "flash", "ftl", "buffer", "energy") if run else ():
        found, expected = (named_alike(each[where]) for each in (run, one.result))
        one.hold("a trace in two parts equals the whole", found == expected, f"{where} differs")


def untimed_in_parts(one):
    """An untimed run of two traces equals one of the first and, from the state that it leaves, one of the second; and runs from the states
    that both leave are the same."""
    draw = random.Random(one.case.number)
    names = ("first.csv", "second.csv")
    for name in names:
        Document("--trace", name, ("time_us,operation,offset_sectors,length_sectors", *(
            f"{n},{draw.choice(('write', 'write', 'write', 'read', 'trim'))},{8 * draw.randrange(1 << 20)},{draw.choice((8, 8, 16, 64, 256))}"
            for n in range(300)))).write(one.out)
    first, second = ([*("--trace", name), "--address-fit", "wrap"] for name in names)
    sets = {"host.replay": "closed", "verify": "true"}
    runs = []
    for source, words in (([*first, *second[:2], "--concat"], ["whole.state"]), (first, ["first.state"]), (second, ["second.state", "--state", "first.state"])):
        runs.append(one.run(sets, source, ["--untimed", "--save-state", *words]))
        if runs[-1] is None:
            return
    whole, *parts = ([number for _, number in flat(run["flash"])] for run in runs)
    one.hold("untimed runs in parts equal the whole", whole == [sum(pair) for pair in zip(*parts)], f"flash: {whole}, in parts {parts}")
    one.hold("untimed runs in parts wear as the whole", runs[0]["wear"] == runs[2]["wear"], f'{runs[0]["wear"]}, in parts {runs[2]["wear"]}')
    later = [one.run(sets, first, ["--state", state]) for state in ("whole.state", "second.state")]
    one.hold("states of the whole and of parts are the same", later[0] == later[1], "a run from it differs")


def named_alike(table):
    """Without the names of jobs, which are those of files."""
    return {name: value if name != "jobs" else [dict(each, name="") for each in value] for name, value in table.items()}


def larger_lru(one):
    """LRU is a stack policy (Mattson et al., 1970): what a cache holds, a larger one holds too. Caches without time have no dirty data on
    their way; other policies have Belady's anomaly."""
    source = one.case.document.words()[1:2] if one.case.document and one.case.document.option == "--trace" else None
    if source is None and not (one.case.workload.startswith("mix:") and not one.case.document):
        return
    _, said, one.command = one.trial.call("cache", "cache", *(source or ["--generate", one.case.workload, "--space", "16 MiB"]), "--policy", "lru",
                                          "--memory", "equal", "--size", ",".join(LRU_SIZES), "--threads", 1, "--quiet", accepted=(0, 2))
    table = [row for row in csv.DictReader(said.splitlines()) if row.get("hit_ratio")]
    hits = [float(row["hit_ratio"]) for row in sorted(table, key=lambda row: int(row["capacity_pages"]))]
    one.hold("a larger LRU cache never hits less", hits == sorted(hits), f"hit ratios {hits}")


def more_room(one):
    """With the same data and twice the blocks, less is copied. Greedy collection is not strictly monotone: which block has the least valid
    data changes with every block. So one program unit of each die is granted, and 5 %. Without wear leveling, streams, SLC and FTLs that
    log by block, which choose by the number of blocks."""
    config = one.result["config"]
    ftl, nand = config["ftl"], config["nand"]
    if one.by_chance() or part(ftl["kind"]) != "page_map" or part(ftl["wear_leveling"]) != "none" or one.case.document or one.case.most:
        return
    sets = {"nand.slc_blocks": "0", "nand.slc_dynamic": "0", "ftl.logical_size": f'"{one.result["device"]["capacity_bytes"]} B"'}
    small = one.run(sets, words=["--untimed"])
    large = small and one.run(sets | {"nand.blocks": str(2 * nand["blocks"])}, words=["--untimed"])
    if large:
        a, b = (run["flash"]["programs"]["total"]["pages"] for run in (small, large))
        unit = nand["pages_per_program"] * nand["planes"] * nand["channels"] * nand["ways"] * nand["dies"]
        one.hold("more room never writes more", b <= 1.05 * a + unit, f"{a} pages programmed, with twice the blocks {b}")


def bytes_cost_as_they_flow(one):
    """Energy by the byte of the host's transfers is drawn while they cross the link, both ways at most at its rate; and energy decides
    nothing."""
    config = one.result["config"]
    each, rate = quantity(config["controller"]["byte_energy"]), Device(config).link_rate()
    if not each or rate is None or any(path.startswith(("power.cap", "power.state", "thermal.", "array.", "power.plp")) for path in one.case.sets):
        return
    free = one.run({"controller.byte_energy": '"0 J/B"', "verify": "true"})
    if not free:
        return
    one.hold("energy by the byte decides nothing", free["host"] == one.result["host"], "host differs")
    a, b = (run["energy"]["peak_w"] for run in (free, one.result))
    most = 2 * each * rate / config["power"]["regulator_efficiency"]
    one.hold("bytes cost as they flow", b - a <= most * 1.001, f"peak {b} W, without energy by the byte {a} W; the link allows {most} W more")


def reads_either_way(one):
    """With a latency of writes every command takes the general way through the firmware, in place of that of plain reads: reads do not
    notice. Tiers, arrays and caches of the host write by themselves."""
    if one.by_chance():
        return
    plain, general = (one.run({"controller.write_latency": f'"{time} ns"'}, ["--generate", "mix:read=1,requests=600"]) for time in (0, 1))
    for where in ("host", "flash", "ftl", "buffer", "energy") if plain and general else ():
        one.hold("plain reads equal those of the general way", plain[where] == general[where], f"{where} differs")


def part(value):
    return value["name"] if isinstance(value, dict) else value


ALL = (twice_the_dies, times_doubled, trace_in_parts, untimed_in_parts, larger_lru, more_room, bytes_cost_as_they_flow, reads_either_way)


def check_relations(trial, case, result, out):
    """Two relations of each device, by its number, so that a shortened device is judged by the same."""
    one = Relations(trial, dataclasses.replace(case), result, out)
    for relation in random.Random(case.number).sample(ALL, 2):
        relation(one)
