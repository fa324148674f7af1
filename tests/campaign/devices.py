"""Random devices and workloads, as `--set PATH=VALUE` over a preset."""
import datetime
import itertools
import random
from dataclasses import dataclass, field

from documents import Document

# Devices of a few megabytes, whatever else is drawn.
BLOCKS, PAGES, OVER_PROVISIONING = ("16", "24", "32", "48"), ("8", "16", "32", "64"), ("0.3", "0.6", "1.0", "2.0")
# Optional sections of a device, and the keys that enable them.
HDD = {"hdd.capacity": '"1 GiB"'}
# Processes of the object heap: one that never ends; several that end; services with jobs.
PROCESSES = ("", ",processes=3,life=5", ",processes=2,life=4,lives=geometric,reuse=0.5", ",processes=2,life=3,hot_life=9,creators=true", ",hot_last=true")
OPTIONAL = {"heap": {"heap.nvram.kind": '"pcm"', "heap.nvram.size": '"4 MiB"'}, "hdd": HDD, "tier": HDD}
# The array's level is drawn; it does not trust parity that may be wrong, since verify would catch the wrong data.
OPTIONAL["array"] = {"array.drives": "4", "array.start_dirty_degraded": "false", "array.nvram.kind": '"pcm"', "array.nvram.size": '"4 MiB"'}
ARRAY_LEVELS = ('"jbod"', '"raid0"', '"raid1"', '"raid10"', '"raid5"', '"raid6"')
OPTIONAL_SHARE = 0.12
# One erase unit and one page per die to spare, and the options that such a device needs (docs/reference/ftl.md); drawn
# independently.
LEAST_SPARE = {"ftl.gc_mode": '"blocking"', "ftl.streams": '"single"', "ftl.gc_low": "1", "ftl.gc_high": "2"}
LEAST_SPARE_SHARE = 0.08
# Memory for fewer pages than the objects have, so that pages are swapped; drawn independently, too.
SMALL_HEAP = {"heap.nvram.size": '"256 KiB"', "heap.objects": "64", "heap.in_flight": "16"}
SMALL_HEAP_SHARE = 0.6
# Uncorrectable bit errors: one page in a few dozen, in some hundreds, or none. Random draws hardly ever combine all the
# keys that they need; devices under a heap, tier or array get them more often.
UNREADABLE = {"nand.errors.model": '"power_law"', "nand.spare_size": '"2208 B"', "nand.errors.wear_factor": "0.0",
              "nand.errors.retention_factor": "0.0", "nand.errors.disturb_factor": "0.0", "nand.errors.retry_rates": "[]",
              "nand.ecc.soft_reads": "0", "nand.ecc.strength": "26"}
ERROR_RATES = ("2e-3", "1.5e-3", "1e-4")
UNREADABLE_SHARE, UNREADABLE_SHARE_OF_STACKS = 0.06, 0.5
# Options that a device with zones needs (docs/reference/zns.md); everything else drawn stays. Drawn independently, and whenever
# the FTL is zoned.
ZONED = {"host_interface.sector_size": '"4 KiB"', "ftl.mapping_unit": '"4 KiB"', "buffer.replacement": '"fifo"',
         "buffer.correlation": '"none"', "buffer.evict": '"pages"', "buffer.split": "1", "buffer.coalesce": "false",
         "host_interface.kind": '"nvme"'}
ZONED_SHARE = 0.05
# Zones on failing flash, which random draws hardly ever give.
FAILING_ZONES_SHARE = 0.4
FAILING_ZONES = ({"nand.program_failure_rate": "0.003"}, {"nand.program_failure_rate": "0.03"},
                 {"nand.program_failure_rate": "0.003", "nand.erase_failure_rate": "0.01"}, {"nand.failed_program": "100"},
                 {"nand.erase_failure_rate": "0.02"}, {"nand.endurance": "10", "nand.endurance_deviation": "0.1"})
SIZES = ("4KiB", "512B", "16KiB", '"4KiB:60%,64KiB:40%"', "128KiB")



def seed_of(text):
    """A seed as a command line has it: a number, or "today", the date as YYYYMMDD: other devices each day."""
    return int(datetime.date.today().strftime("%Y%m%d") if text == "today" else text)


@dataclass
class Case:
    """One device under one workload."""
    number: int
    sets: dict[str, str] = field(default_factory=dict)
    workload: str = "mix:requests=500"  # of a generator; not used with a document
    preset: str = "tiny"
    document: Document | None = None
    most: int = 0  # --max-requests
    kept: tuple[str, ...] = ()  # keys without which the device is too large to run

    def arguments(self):
        return [self.preset, *(word for path, value in self.sets.items() for word in ("--set", f"{path}={value}"))]

    def source(self):
        """The words that name the workload; a document is a file of the folder that the program is called in."""
        words = self.document.words() if self.document else ["--generate", self.workload]
        return [*words, *(["--max-requests", str(self.most)] if self.most else [])]

    def before(self):
        """The shell command that writes the document, for a command that can be pasted."""
        return self.document.command() + "; " if self.document else ""


def root_of(path):
    return path.partition(".")[0]


def name_of(value):
    """The name of a part, with or without parameters; other values unchanged."""
    return value.split(" = ", 1)[1].split(",", 1)[0].rstrip(" }") if value.startswith("{ name = ") else value


def least_spare(sets):
    """Over-provisioning of one page and two erase units per die: one unit to spare, one for metadata."""
    blocks, pages = int(sets["nand.blocks"]), int(sets["nand.pages"])
    return f"{blocks * pages / ((blocks - 2) * pages - 1) - 1 + 1e-6:.6f}"


class Generator:
    """Generates devices by number: the same for the same seed and schema."""

    def __init__(self, schema, seed, focus=()):
        """`focus`: paths of keys that every device sets."""
        self.schema = schema
        self.seed = seed
        self.focus = [schema.key(path) for path in focus]
        self.pairing = [key for key in schema.keys if key.pairs]
        self.pairs = {pair for a, b in itertools.combinations(self.pairing, 2)
                      for pair in itertools.product([(a.path, v) for v in a.values], [(b.path, v) for v in b.values])}
        self.all_pairs = len(self.pairs)

    def value(self, rng, key):
        """One of a key's values; for a part, sometimes with parameters of its own."""
        text = rng.choice(key.values)
        family = self.schema.families.get(key.path)
        if family is None or rng.random() < 0.5:
            return text
        own = [f"{p.path} = {rng.choice(p.values)}" for p in self.schema.parameters[family, text.strip('"')] if rng.random() < 0.5]
        return "{ " + ", ".join([f"name = {text}", *own]) + " }"

    def weight(self, key):
        """Keys that affect decisions are drawn more often than keys that only cost time or energy."""
        if key.pairs:
            return 6
        counts = all(value[0].isdigit() for value in key.values)
        return 4 if key.path.startswith(("nand.", "ftl.", "buffer.")) and (counts or key.sampled) else 1

    def case(self, number):
        rng = random.Random(f"{self.seed}/{number}")
        optional = {root for root in OPTIONAL if rng.random() < OPTIONAL_SHARE}
        left_out = OPTIONAL.keys() - optional
        drawable = [key for key in self.schema.keys if root_of(key.path) not in left_out]
        sets = {"nand.blocks": rng.choice(BLOCKS), "nand.pages": rng.choice(PAGES),
                "ftl.over_provisioning": rng.choice(OVER_PROVISIONING)}
        for root in sorted(optional):
            sets.update(OPTIONAL[root])
        if "array" in optional:
            sets["array.level"] = rng.choice(ARRAY_LEVELS)
        for key in self.focus:
            sets[key.path] = self.value(rng, key)
        # First pairs that no device had yet, then anything.
        if self.pairs and rng.random() < 0.7:
            for pair in rng.sample(sorted(self.pairs), min(rng.choice((1, 4, 8)), len(self.pairs))):
                for path, value in pair:
                    if root_of(path) not in left_out:
                        sets.setdefault(path, value)
        for key in rng.choices(drawable, [self.weight(key) for key in drawable], k=rng.choice((1, 2, 4, 8, 12))):
            sets.setdefault(key.path, self.value(rng, key))
        if rng.random() < 0.3:
            sets.update({"host.replay": '"closed"', "host.iodepth": "1"})
        if random.Random(f"{self.seed}/{number}/spare").random() < LEAST_SPARE_SHARE:
            sets.update(LEAST_SPARE | {"ftl.over_provisioning": least_spare(sets)})
        apart = random.Random(f"{self.seed}/{number}/unreadable")
        if "heap" in optional and apart.random() < SMALL_HEAP_SHARE:
            sets.update(SMALL_HEAP)
        if apart.random() < (UNREADABLE_SHARE_OF_STACKS if optional else UNREADABLE_SHARE):
            sets.update(UNREADABLE | {"nand.errors.base": apart.choice(ERROR_RATES)})
            if "tier" in optional or "hdd" in optional:
                sets.setdefault("tier.policy", apart.choice(('"pwc"', '"write_back"', '"write_invalidate"')))
        zones = random.Random(f"{self.seed}/{number}/zones")
        kind = name_of(sets.get("ftl.kind", '""'))
        if kind == '"zoned"' or ("ftl.kind" not in sets and not optional and zones.random() < ZONED_SHARE):
            device = self.zoned(zones, sets)
            return Case(number, device, self.zones_workload(zones, "random_write_area" in device["ftl.kind"]))
        return Case(number, sets, self.workload(rng, "heap" in optional))

    def zoned(self, rng, sets):
        """The device with zones, with drawn FTL parameters."""
        own = {p.path: rng.choice(p.values) for p in self.schema.parameters["ftl", "zoned"] if rng.random() < 0.3}
        # Random write areas consist of whole program units, whose size depends on what was drawn.
        for name in ("random_write_area", "random_write_granularity", "max_random_write_areas"):
            own.pop(name, None)
        areas = random.Random(f"{rng.random()}/areas") if rng.random() < 0.4 else None
        if areas is not None:
            own["random_write_area"] = areas.choice(('"16 KiB"', '"96 KiB"', '"384 KiB"', '"1536 KiB"'))
            if areas.random() < 0.4:
                own["max_random_write_areas"] = areas.choice(("1", "2", "3"))
            if areas.random() < 0.3:
                own["random_write_granularity"] = areas.choice(('"16 KiB"', '"96 KiB"', '"192 KiB"'))
        own["max_active"] = rng.choice(("3", "4", "8"))
        own["max_open"] = rng.choice(("2", "3"))
        failing = random.Random(f"{self.seed}/{sorted(own.items())}/{sorted(sets.items())}")
        if failing.random() < FAILING_ZONES_SHARE:
            sets = sets | failing.choice(FAILING_ZONES)
            if sets.get("power.plp") == "true":
                sets = sets | {"power.plp_flush": '"flash"'}
        parameters = ", ".join(['name = "zoned"', *(f"{name} = {value}" for name, value in own.items())])
        return sets | ZONED | {"ftl.kind": "{ " + parameters + " }"}

    def zones_workload(self, rng, areas):
        words = [f"requests={rng.choice((100, 500, 2000))}", f"size={rng.choice(('4KiB', '16KiB', '64KiB'))}",
                 f"open={rng.choice((1, 2))}"]
        for name, values in (("read", ("0.3", "0.7")), ("append", ("0", "0.5")), ("finish", ("0.3",)), ("fua", ("0.2",)),
                             ("flush_every", ("3", "50")), ("explicit_open", ("0.5",)), ("report", ("0.1",)),
                             ("finish_at", ("0", "0.9"))):
            if rng.random() < 0.4:
                words.append(f"{name}={rng.choice(values)}")
        if areas:
            words += ["random_area=0.7", f"overwrite={rng.choice(('0.2', '0.8'))}"]
        return "zones:" + ",".join(words)

    def workload(self, rng, heap):
        if heap:
            return f"objects:objects={rng.choice((4, 20))},object={rng.choice(('16KiB', '64KiB'))},size=4KiB,read={rng.choice((0, 0.5))}{rng.choice(PROCESSES)}"
        words = [f"requests={rng.choice((100, 500, 2000))}", f"read={rng.choice((0, 0.3, 0.7))}", f"size={rng.choice(SIZES)}"]
        for name, values in (("trim", ("0.1", "0.3")), ("zeroes", ("0.1",)), ("flush_every", ("3", "50")), ("fua", ("0.2",)),
                             ("rate", ("500", "20000")), ("distribution", ("zipf", "hot_cold")), ("random", ("0", "0.5"))):
            if rng.random() < 0.25:
                words.append(f"{name}={rng.choice(values)}")
        return "mix:" + ",".join(words)

    def covered(self, case):
        """Marks each pair of values of an accepted device, set or by default, as covered."""
        has = [(key.path, name_of(case.sets.get(key.path, key.default))) for key in self.pairing]
        self.pairs.difference_update(itertools.combinations(has, 2))
