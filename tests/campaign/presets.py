"""Random devices from each preset, shrunk, with whole features switched on at the edges of their ranges."""
import collections
import random

import documents
from devices import ARRAY_LEVELS, LEAST_SPARE, LEAST_SPARE_SHARE, OPTIONAL, OPTIONAL_SHARE, ZONED, Case, Generator, least_spare, root_of

# Fewer blocks and pages, and a buffer for them: a run takes a fraction of a second. Pages are whole program units of every preset.
BLOCKS, PAGES, ROOM = ("24", "32", "48"), ("24", "48"), ("0.5", "1.0", "3.0")
BUFFERS = ('"512 KiB"', '"1 MiB"', '"2 MiB"', '"8 MiB"')
NARROW = {"nand.channels": ("1", "2", "3"), "nand.ways": ("1", "2")}
# Keys that do something only together, which draws of single keys hardly ever give.
TOGETHER = ((0.10, {"power.cuts": ("1", "2", "8"), "power.cut_spacing": ('"300 us"', '"10 ms"')}),
            (0.04, {"power.cuts": ("2", "4"), "power.cut_spacing": ('"3 ms"', '"10 ms"'), "host.cache.size": ('"256 KiB"', '"64 MiB"')}),
            (0.05, {"nand.die_failure_at": ("1", "300"), "ftl.over_provisioning": ("3",), "precondition.fill": ("1.0",)}),
            (0.08, {"host_interface.queue_depth": ("1", "2", "3"), "host.iodepth": ("64",), "host.queues": ("1", "2")}),
            (0.06, {"host.iodepth": ("1",), "host.replay": ('"closed"',), "nand.program_passes": ("2",)}),
            (0.06, {"host.iodepth": ("1",), "host.replay": ('"closed"',), "ftl.rain": ("1", "3")}),
            (0.30, {"precondition.fill": ("0.5", "1.0")}),
            (0.15, {"host.replay": ('"closed"',)}))
ZONED_SHARE = 0.12
MOST = ("60", "300")  # requests of a generator of any kind
LONG = ("mix:requests=3000,read=0.3,size=16KiB", "mix:requests=2000,read=1,size=64KiB", "mix:requests=3000,read=0,size=4KiB")


class PresetGenerator(Generator):
    """Every second device is one of Generator, the others are drawn from a preset."""

    def __init__(self, schema, seed, focus=()):
        super().__init__(schema, seed, focus)
        self.features = collections.defaultdict(list)
        for key in schema.keys:
            self.features[key.section].append(key)

    def case(self, number):
        return super().case(number) if number % 2 == 0 else self.shrunk(number)

    def edge(self, rng, key):
        return rng.choice(key.edges) if key.edges and rng.random() < 0.5 else self.value(rng, key)

    def feature(self, rng, keys):
        """Some keys of a table, one that enables something among them."""
        switches = [key for key in keys if key.is_switch]
        chosen = rng.sample(keys, min(len(keys), rng.choice((0, 1, 3))))
        sets = {key.path: self.edge(rng, key) for key in chosen}
        if switches:
            key = rng.choice(switches)
            sets[key.path] = rng.choice([value for value in key.values if value != key.default] or key.values)
        return sets

    def shrunk(self, number):
        rng = random.Random(f"{self.seed}/{number}/preset")
        preset = rng.choice(self.schema.presets)
        sets = {"nand.blocks": rng.choice(BLOCKS), "nand.pages": rng.choice(PAGES), "ftl.over_provisioning": rng.choice(ROOM)}
        if preset != "tiny":
            nand = self.schema.device(preset)["nand"]
            sets |= {"ftl.logical_size": '"0 B"', "buffer.size": rng.choice(BUFFERS)}
            sets |= {f"nand.{name}": "2" if nand[name] else "0" for name in ("slc_blocks", "slc_dynamic")}
            sets |= {path: rng.choice(values) for path, values in NARROW.items() if rng.random() < 0.8}
        kept = tuple(sets) if preset != "tiny" else ()
        optional = {root for root in OPTIONAL if rng.random() < OPTIONAL_SHARE / 2}
        for root in sorted(optional):
            sets |= OPTIONAL[root]
        if "array" in optional:
            sets["array.level"] = rng.choice(ARRAY_LEVELS)
        drawable = sorted(name for name in self.features if name and root_of(name) not in OPTIONAL.keys() - optional)
        for name in rng.sample(drawable, rng.choice((1, 2, 3, 4, 6))):
            sets |= self.feature(rng, self.features[name])
        sets |= {key.path: self.value(rng, key) for key in self.focus}
        for share, values in TOGETHER:
            if rng.random() < share:
                sets |= {path: rng.choice(of) for path, of in values.items()}
        if rng.random() < LEAST_SPARE_SHARE:
            sets |= LEAST_SPARE | {"ftl.over_provisioning": least_spare(sets)}
        zoned = "zoned" in sets.get("ftl.kind", "") or ("ftl.kind" not in sets and not optional and rng.random() < ZONED_SHARE)
        if zoned:
            sets = self.zoned(rng, sets)
            kept += tuple(path for path in sets if path in ZONED or path == "ftl.kind")
        return self.workload_for(rng, Case(number, sets, preset=preset, kept=kept), zoned, "heap" in optional)

    def workload_for(self, rng, case, zoned, heap):
        draw = rng.random()
        if heap or draw < 0.25:
            case.workload = self.zones_workload(rng, "random_write_area" in case.sets["ftl.kind"]) if zoned else self.workload(rng, heap)
        elif draw < 0.35 and not zoned:
            case.workload = rng.choice(LONG)
        elif draw < 0.7:
            case.document = documents.job(rng, zoned)
        elif draw < 0.9:
            case.document = documents.trace(rng)
        else:
            name = rng.choice(sorted(name for family, name in self.schema.parameters if family == "generator" and name != "objects"))
            keys = self.schema.parameters["generator", name]
            words = [f"{key.path}={rng.choice(key.values)}".replace('"', "") for key in rng.sample(keys, min(len(keys), rng.choice((0, 1, 3))))]
            case.workload = f"{name}:{','.join(words)}" if words else name
            case.most = int(rng.choice(MOST))
        return case
