"""Bounds on what goes to flash and when: garbage collection of random writes, zones, timed traces and their options."""
import json
import math
import random
import re
import statistics
import subprocess
from dataclasses import replace

from case import PROGRAM, ROOT, StudyCase
from engine import bounds
from engine.bound_device import Device
from engine.bound_facts import facts_of
from engine.bound_waf import _moment, chance, copies
from engine.bound_work import spared_by_register
from engine.bound_workloads import generator, trace, workload_of
from engine.estimates import effective

ZONED = ("host_interface.sector_size=4 KiB", "buffer.replacement=fifo")
KIND = 'ftl.kind={ name = "zoned", max_open = 3, max_active = 3%s }'
ONE_DIE = ("nand.channels=1", "nand.ways=1", "precondition.fill=1", "buffer.size=64 KiB")


def device(name, *sets):
    return effective(PROGRAM, name, list(sets))


class RunCase(StudyCase):
    def ran(self, workload, *sets):
        words = [word for each in sets for word in ("--set", each)]
        subprocess.run([PROGRAM, "run", "tiny", *words, "--generate", workload, "--out", self.scratch / "r"], check=True, capture_output=True)
        return json.loads((self.scratch / "r/result.json").read_text(encoding="utf-8"))

    def held(self, workload, *sets):
        """(bounds, measured) of a run, which must lie within the bounds."""
        result = self.ran(workload, *sets)
        found, measured = bounds.of(result["config"], generator(workload, result["config"])), bounds.measured(result)
        for name, value in measured.items():
            self.assertLessEqual(found[name].low * (1 - 1e-9), value, (name, found[name]))
            self.assertLessEqual(value, found[name].high * (1 + 1e-9), (name, found[name]))
        return found, measured


class Registers(RunCase):
    SETS = ("nand.page_size=16 KiB", "nand.blocks=64", "precondition.fill=1", "buffer.size=64 KiB")

    def test_runs_lie_within(self):
        """In order, all that the register can spare; at random, next to nothing. What waits needs no nand.page_register."""
        for random_share, depth, spared in ((0, 1, True), (1, 1, False), (0, 16, False), (1, 16, False)):
            workload = f"mix:read=1,size=4KiB,random={random_share},requests=20000"
            off, _ = self.held(workload, *self.SETS, f"host.iodepth={depth}")
            on, measured = self.held(workload, *self.SETS, f"host.iodepth={depth}", "nand.page_register=true")
            self.assertGreater(measured["read_throughput"], 0)
            self.assertEqual(on["read_throughput"].high > 1.1 * off["read_throughput"].high, spared)

    def test_independent_reads_seldom_find_their_page(self):
        """Four dies, 4 units and a neighbour of each of two units: twice 4 x 5 x 2 of 10,000."""
        config = device("tiny", *self.SETS, "nand.page_register=true")
        known = facts_of({"read": 1, "size": 4096, "pattern": "uniform", "span": 10_000 * 4096})
        self.assertAlmostEqual(spared_by_register(Device(config), known)[0], 2 * 4 * 5 * 2 / 10_000)
        self.assertEqual(spared_by_register(Device(config), facts_of({"read": 1, "size": 4096}))[0], 1)
        config["nand"]["page_register"] = False
        self.assertEqual(spared_by_register(Device(config), replace(known, depth=1)), (0, 0))


class Collection(RunCase):
    def test_large_blocks_are_those_of_the_mean_field(self):
        """Without chance, and with so many requests that the start does not matter: 1 - 1/a = exp(-(1 + OP) / a)."""
        config = device("calibration", "precondition.fill=1.0", "buffer.size=1 MiB")
        config["nand"]["pages"] = 10**12
        for spare in (0.1, 0.25, 0.6):
            config["ftl"]["over_provisioning"] = spare
            units = bounds.of(config, None)["capacity"].low / 4096
            found = bounds.of(config, {"read": 0, "size": 4096, "pattern": "uniform", "aligned": True, "requests": 10000 * units, "depth": 1})["waf"]
            amplified = 2.0
            for _ in range(1000):
                amplified = 1 / (1 - math.exp(-(1 + spare) / amplified))
            self.assertLessEqual(found.low, amplified)
            self.assertAlmostEqual(found.low, amplified, delta=0.01 * amplified)
            self.assertIn("by any policy", found.reason_low)

    def test_the_table_of_the_guide(self):
        guide = (ROOT / "docs/reference/bounds.md").read_text(encoding="utf-8")
        rows = {name: [cell.replace(",", "") for cell in re.search(rf"\n\| `?{re.escape(name)}.*", guide)[0].split("|")[2:6]]
                for name in ("nvme-tlc-1tb", "waf` at least", "iops` at most")}
        config = device("nvme-tlc-1tb", "precondition.fill=1")
        units = bounds.of(config, None)["capacity"].low / 4096
        for drives, waf, iops in zip(*rows.values()):
            found = bounds.of(config, {"read": 0, "size": 4096, "pattern": "uniform", "aligned": True, "requests": int(float(drives) * units), "depth": 64})
            self.assertEqual(f"{found['waf'].low:.2f}", waf.strip())
            self.assertEqual(f"{found['iops'].high / 1000:.0f}000", iops.strip())

    def test_by_hand(self):
        """Ten erases of units of 100 that live for 50 requests each; each request hits a unit with 1 %: 0.99^50 are
        still valid."""
        self.assertAlmostEqual(copies(10, 100, 5, 100, 0.01, 3, 7), 10 * (100 * 0.99**50 - 3) - 7)
        self.assertEqual(copies(10, 100, 5, 1000, 0.01, 3, 7), 0)
        self.assertEqual(copies(-1, 100, 5, 100, 0.01, 0, 0), 0)

    def test_chance_takes_less_than_is_allowed(self):
        """By simulation: how far 300 never-copied erase units of 512 units fall short of their mean at any time, and
        its moments."""
        units, hit, draw, short = 512, 1 / 4096, random.Random(1), []
        for _ in range(300):
            ends = sorted(math.ceil(math.log(1 - draw.random()) / math.log1p(-hit)) for _ in range(units))
            short.append(max(units * (1 - hit) ** end - (units - n) for n, end in enumerate(ends, 1)))
        each, once = chance(units, 32, 1, hit, 1000)
        self.assertLess(statistics.fmean(short), each)
        self.assertLess(each, 0.25 * units)
        self.assertLess(each, chance(units, 32, 2, hit, 1000)[0])
        self.assertGreater(once, 0)
        variance = units / (2 - hit) * math.exp(0.2)
        for a in (0.01, 0.05, 0.1):
            self.assertLess(math.log(statistics.fmean(math.exp(a * value) for value in short)), _moment(a, units, variance, math.exp(0.1)))

    def test_every_policy_programs_more(self):
        """A die of 64 blocks of 1024 units: every policy has at least the bound's WAF, and the dies are as busy as it
        says."""
        sets = (*ONE_DIE, "nand.blocks=64", "nand.pages=1024", "ftl.over_provisioning=0.2")
        for policy in ("greedy", "fifo", "cost_benefit"):
            found, measured = self.held("mix:read=0,size=4KiB,requests=600000", *sets, f"ftl.garbage_collection={policy}")
            self.assertGreater(found["waf"].low, 1.2)
            self.assertGreater(measured["waf"], found["waf"].low)
        program = 600e-6 + 8 * 25e-9 + 4096 / 400e6  # tPROG, command cycles and data
        self.assertLess(found["iops"].high, 1.01 / program / found["waf"].low)

    def test_what_is_not_known(self):
        """No bound for a drive with free space, for requests at unknown addresses, or for too few requests."""
        sets = (*ONE_DIE, "nand.blocks=64", "nand.pages=1024", "ftl.over_provisioning=0.2")
        for workload, *more in (("mix:read=0,size=4KiB,requests=600000", "precondition.fill=0.5"), ("mix:read=0,size=4KiB,requests=2000",),
                                ("mix:read=0,size=4KiB,requests=600000,align=512B",), ("mix:read=0,size=4KiB,requests=600000,distribution=zipf",),
                                ("mix:read=0,size=4KiB,requests=600000,trim=0.1",), ("mix:read=0,size=2KiB,requests=600000",)):
            config = device("tiny", *sets, *more)
            self.assertLessEqual(bounds.of(config, generator(workload, config))["waf"].low, 1, workload)


class Zones(RunCase):
    def test_capacity_is_the_programs(self):
        for kind, *more in (("",), (', zone_capacity = "1 MiB", zone_size = "1536 KiB"',), (", dies = 2",), (', zone_size = "1 MiB"', "ftl.logical_size=20 MiB")):
            result = self.ran("zones:requests=20,open=2,size=16KiB", KIND % kind, *ZONED, *more)
            found = bounds.of(result["config"], None)["capacity"]
            self.assertEqual((found.low, found.high), (result["device"]["capacity_bytes"],) * 2, kind)

    def test_appends_to_zones(self):
        """Appends write nothing twice. With large zones the buffer saves little: 4 dies x 4 KiB in 600 us."""
        found, measured = self.held("zones:requests=2000,open=2", KIND % "", *ZONED)
        self.assertEqual(found["waf"].high, 1)
        self.assertLess(found["waf"].high / measured["waf"], 1.02)
        self.assertNotIn("read_throughput", measured)
        large, ran = self.held("zones:requests=20000,open=2", KIND % ', zone_capacity = "8 MiB"', *ZONED, "nand.blocks=256")
        self.assertTrue(large["write_throughput"].reason_high.startswith("dies"))
        self.assertLess(large["write_throughput"].high / ran["write_throughput"], 2)
        self.assertGreater(large["waf"].low, 0.5)

    def test_zones_that_are_finished(self):
        found, measured = self.held("zones:requests=2000,open=2,finish=0.5,read=0.3", KIND % "", *ZONED)
        self.assertEqual(found["waf"].high, 2)
        self.assertGreater(measured["waf"], 1.05)
        left, _ = self.held("zones:requests=500,open=2,finish=0.5", KIND % ', finish = "leave"', *ZONED)
        self.assertEqual(left["waf"].high, 1 + 1 / 64, "a zone of 128 units, programs of one")

    def test_what_may_be_refused_or_spilled(self):
        config = device("tiny", KIND % "", *ZONED)
        for words in ("append=0.5", "open=4"):
            self.assertNotIn("pattern", generator(f"zones:requests=100,open=2,{words}", config))
        self.assertNotIn("pattern", generator("zones:requests=100,open=2", device("tiny", KIND % "", *ZONED, "precondition.fill=0.5")))
        self.assertNotIn("most_programmed", generator("zones:requests=100,open=2,fua=0.1", config))
        self.assertIsNone(generator("zones:requests=100", device("tiny")))
        through = device("tiny", KIND % "", *ZONED, "buffer.mode=write_through")
        self.assertEqual(bounds.of(through, generator("zones:requests=100,open=2", through))["waf"].high, math.inf)

    def test_reads_of_filled_zones(self):
        """Reads of filled zones go to flash as on any full drive, unless the zones have gaps."""
        reads = {"read": 1, "size": 4096, "pattern": "uniform", "requests": 10**9, "depth": 32}
        sets = ("nand.blocks=512", "precondition.fill=1", "buffer.size=64 KiB", *ZONED)
        self.assertTrue(bounds.of(device("tiny", KIND % "", *sets), reads)["iops"].reason_high.startswith("dies"))
        gaps = device("tiny", KIND % ', zone_capacity = "1 MiB", zone_size = "2 MiB"', *sets)
        self.assertFalse(bounds.of(gaps, reads)["iops"].reason_high.startswith("dies"))


class Traces(StudyCase):
    LINES = (("Write", 0, 4096), ("Read", 65536, 8192), ("Read", 4096, 4096), ("Write", 2**30, 4096))

    def file(self, gap=10**6):
        path = self.scratch / "t.csv"
        path.write_text("".join(f"{128166372003061629 + gap * n},hm,0,{kind},{offset},{size},1331\n"
                                for n, (kind, offset, size) in enumerate(self.LINES)), encoding="utf-8")
        return str(path)

    def test_options(self):
        path, config = self.file(), device("tiny")
        known = workload_of(["--trace", path, "--max-requests", "3", "--address-fit", "wrap"], {}, config, PROGRAM)
        self.assertEqual((known["requests"], known["read"], known["distinct_written"], known["distinct_read"]), (3, 2 / 3, 4096, 12288))
        self.assertAlmostEqual(known["lasts"], 0.2)
        self.assertNotIn("distinct_written", workload_of(["--trace", path, "--address-fit", "wrap"], {}, config, PROGRAM), "places may meet")
        self.assertNotIn("distinct_written", workload_of(["--trace", path, "--max-requests", "3", "--address-fit", "scale"], {}, config, PROGRAM))
        for words in (["--segments", "4"], ["--sample"], ["--trace", path]):
            self.assertIsNone(workload_of(["--trace", path, *words], {}, config, PROGRAM), words)
        self.assertIsNone(workload_of(["--trace", f"{path},offset=1 MiB"], {}, config, PROGRAM))
        self.assertEqual(workload_of(["--trace", path, "--format", "msr"], {}, config, PROGRAM)["requests"], 4)

    def test_times_are_the_traces_own(self):
        path = self.file()
        self.assertAlmostEqual(trace(path, device("tiny", "host.speedup=4"), PROGRAM)["lasts"], 0.075)
        self.assertNotIn("lasts", trace(path, device("tiny", "host.replay=closed"), PROGRAM))
        config = device("tiny")
        found = bounds.of(config, trace(path, config, PROGRAM))
        self.assertAlmostEqual(found["iops"].high, 4 / 0.3)
        self.assertIn("host: the last of 4 requests comes after 0.3 s", found["iops"].reason_high)
        self.assertGreaterEqual(found["energy_per_gb"].low, found["average_power"].low * 0.3 / 20480 * 1e9)
        self.assertLess(found["energy_per_gb"].low, found["average_power"].low * 0.3 / 20480 * 1e9 * 1.01)

    def test_a_run_at_its_own_times(self):
        path = self.file(gap=1000)
        subprocess.run([PROGRAM, "run", "tiny", "--trace", path, "--address-fit", "wrap", "--out", self.scratch / "r"], check=True, capture_output=True)
        result = json.loads((self.scratch / "r/result.json").read_text(encoding="utf-8"))
        found = bounds.of(result["config"], workload_of(["--trace", path, "--address-fit", "wrap"], {}, result["config"], PROGRAM))
        for name, value in bounds.measured(result).items():
            self.assertTrue(found[name].low * (1 - 1e-9) <= value <= found[name].high * (1 + 1e-9), (name, value, found[name]))

    def test_whole_sectors(self):
        path, config = self.file(), device("tiny", "host_interface.sector_size=4 KiB")
        self.assertEqual(trace(path, config, PROGRAM)["read_size"], (6144, 6144 + 7168, 4096, 8192 + 7168))
        self.assertEqual(trace(path, device("tiny"), PROGRAM)["read_size"], (6144, 6144, 4096, 8192))

    def test_trims_take_what_they_touch(self):
        log = self.scratch / "t.log"
        log.write_text("fio version 2 iolog\n/dev/x add\n/dev/x open\n" + "".join(f"/dev/x write {4096 * n} 4096\n" for n in range(100))
                       + "/dev/x trim 0 40960\n/dev/x close\n", encoding="utf-8")
        config = device("tiny", "host.replay=closed")
        known = trace(str(log), config, PROGRAM)
        self.assertEqual((known["discards"], known["trimmed"]), (True, 40960 + 8192))
        self.assertGreater(bounds.of(config, known | {"requests": 10**6, "distinct_written": 10**6 * 4096})["waf"].low, 0.99)
        self.assertEqual(bounds.of(config, known | {"requests": 10**6, "distinct_written": 10**6 * 4096, "trimmed": math.inf})["waf"].low, 0)
