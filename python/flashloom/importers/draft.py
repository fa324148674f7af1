"""A device file that is being drafted: each key with the source keys that it comes from, and what became of each source key."""
import json
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .source import Source

Value = bool | int | float | str | Sequence[int | float | str] | Mapping[str, int | str | bool]

# Payload rate of a lane in B/s by PCIe generation; sixth: FLITs (models/link/host_link.cpp).
LANE_RATE = {1: 0.25e9, 2: 0.5e9, 3: 8e9 / 8 * 128 / 130, 4: 16e9 / 8 * 128 / 130, 5: 32e9 / 8 * 128 / 130, 6: 64e9 / 8 * 242 / 256}
LANES = (1, 2, 4, 8, 12, 16, 32)


class Row(NamedTuple):
    """What became of a source key."""
    key: str
    value: str
    fate: str  # taken, converted, left out, unknown
    why: str   # keys here, formula, or reason
    warning: bool


class Draft:
    """Collects keys in the order of the tables below, and a row for each source key."""

    TABLES = ("", "host", "link", "host_interface", "cpu", "cpu.cycles", "controller", "nvme", "dram", "buffer", "ftl", "nand", "nand.ecc",
              "precondition")

    def __init__(self, source: Source, peer: str) -> None:
        self.source = source
        self.peer = peer
        self.keys: dict[str, tuple[Value, str]] = {}
        self.rows: dict[str, Row] = {}

    def take(self, key: str, target: str, value: Value) -> None:
        """One to one, but for the unit."""
        self._put(target, value, key)
        self._row(key, "taken", f"{target} = {plain(value)}")

    def convert(self, keys: str | Sequence[str], target: str, value: Value, formula: str, warning: bool = False) -> None:
        """By a formula of one or several source keys."""
        names = [keys] if isinstance(keys, str) else list(keys)
        self._put(target, value, f"{', '.join(names)}: {formula}")
        for name in names:
            self._row(name, "converted", f"{target} = {plain(value)}: {formula}", warning)

    def assume(self, target: str, value: Value, reason: str) -> None:
        """A key that no key of the source stands for: the peer's own code, or what it leaves out."""
        self._put(target, value, f"{self.peer}: {reason}")

    def leave(self, key: str, reason: str, warning: bool = False) -> None:
        """Without counterpart; `warning`: it changes results."""
        self._row(key, "left out", reason, warning)

    def amend(self, target: str, value: Value, why: str) -> None:
        """What the model has no room for: the rows of the key say so."""
        before, comment = self.keys[target]
        self._put(target, value, f"{comment}; {why}")
        for key, row in self.rows.items():
            if f"{target} = {plain(before)}" in row.why:
                self.rows[key] = row._replace(why=f"{row.why}; here {plain(value)}: {why}", warning=True)

    def finish(self) -> None:
        """Names the keys that nobody has asked for."""
        for key in self.source.given:
            if key not in self.rows:
                self._row(key, "unknown", "not a key that this importer knows", True)

    def _put(self, target: str, value: Value, comment: str) -> None:
        before = self.keys.get(target)
        self.keys[target] = (value, f"{before[1]}; {comment}" if before and before[0] == value else comment)

    def _row(self, key: str, fate: str, why: str, warning: bool = False) -> None:
        if key in self.rows:
            before = self.rows[key]
            fate = before.fate if fate == "left out" else "converted" if "converted" in (before.fate, fate) else fate
            why, warning = f"{before.why}; {why}", warning or before.warning
        given = key in self.source
        text = self.source.given[key].text if given else f"{self.source.defaults.get(key, '')} (default)"
        self.rows[key] = Row(key, text, fate, why, warning)

    def toml(self, name: str, description: str, header: Sequence[str]) -> str:
        lines = [f"# {line}".rstrip() for line in header]
        lines += [f"name = {json.dumps(name)}", f"description = {json.dumps(description)}"]
        for table in self.TABLES:
            inside = {key: entry for key, entry in self.keys.items() if key.rpartition(".")[0] == table}
            if inside and table:
                lines += ["", f"[{table}]"]
            for key, (value, comment) in inside.items():
                lines.append(f"{key.rpartition('.')[2]} = {plain(value)}  # {' '.join(comment.split())}")
        return "\n".join(lines) + "\n"


def table(rows: Sequence[Row]) -> str:
    """The rows for a terminal, then a warning for each that changes results, then the counts."""
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    lines = [f"{row.key:{widths[0]}}  {row.value:{widths[1]}}  {row.fate:{widths[2]}}  {row.why}".rstrip() for row in rows]
    lines += [f"warning: {row.key} = {row.value}: {row.why}" for row in rows if row.warning]
    fates = [row.fate for row in rows]
    counts = ", ".join(f"{fates.count(fate)} {fate}" for fate in ("taken", "converted", "left out", "unknown") if fate in fates)
    return "\n".join([*lines, f"{len(rows)} keys: {counts}"]) + "\n"


def plain(value: Value) -> str:
    """As TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {plain(part)}" for key, part in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(plain(part) for part in value) + "]"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def time(nanoseconds: float) -> str:
    """As a device file has it; what takes no time takes 1 ps where the model needs some: see `some_time`."""
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1)):
        if nanoseconds >= scale:
            return f"{nanoseconds / scale:.10g} {unit}"
    return f"{nanoseconds * 1e3:.10g} ps" if nanoseconds else "0 s"


def some_time(nanoseconds: float) -> str:
    """A time that cannot be 0 here."""
    return time(max(nanoseconds, 1e-3))


def times(nanoseconds: Sequence[float]) -> str | list[str]:
    """Of the page types; one value if all are alike."""
    return some_time(nanoseconds[0]) if len(set(nanoseconds)) == 1 else [some_time(value) for value in nanoseconds]


def size(number: int) -> str:
    for unit, scale in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if number and number % scale == 0:
            return f"{number // scale} {unit}"
    return f"{number} B"


def rate(bytes_per_s: float) -> str:
    return f"{round(bytes_per_s)} B/s"


def transfers(per_s: float) -> str:
    """Within what nand.transfer_rate takes, in whole transfers."""
    return f"{round(min(max(per_s, 10e6), 4800e6)) / 1e6:.10g} MT/s"


class Link(NamedTuple):
    generation: int
    lanes: int
    payload: int   # bytes a packet
    overhead: int  # bytes a packet


def link_of(bytes_per_s: float, lanes: int, payload: int, packet: int) -> Link:
    """A PCIe link that moves packets of `payload` bytes, which are `packet` bytes on the wires, as fast as a link of that
    rate: what the standard rates differ is in the overhead. `lanes` are kept where a generation comes within a fifth."""
    choices = [(generation, count) for count in LANES for generation in LANE_RATE if LANE_RATE[generation] * count * packet >= payload * bytes_per_s]
    if not choices:  # faster than all: the fastest
        return Link(6, 32, payload, packet - payload)
    generation, count = min(choices, key=lambda choice: (
        choice[1] != lanes or abs(math.log(LANE_RATE[choice[0]] * choice[1] / bytes_per_s)) > 0.2,
        abs(math.log(LANE_RATE[choice[0]] * choice[1] / bytes_per_s)), abs(choice[1] - lanes)))
    overhead = round(packet * LANE_RATE[generation] * count / bytes_per_s) - payload
    return Link(generation, count, payload, min(overhead, 4096))


def room_for_gc(wanted: int, blocks: int, logical_share: float) -> int:
    """ftl.gc_high: as wanted, or what over-provisioning leaves of a die's (group's) blocks beside open ones and metadata."""
    return max(3, min(wanted, int(blocks * (1 - logical_share)) - 10))
