"""Costs worked by hand from the project's prices; invalid prices; fronts of the low and high estimates."""
import json
import math
import os
import pathlib
import subprocess

from case import PROGRAM, ROOT, StudyCase
from engine import cost
from engine.errors import StudyError
from engine.estimates import effective
from engine.prices import FILE, load_prices


def device(name, *sets):
    return effective(PROGRAM, name, list(sets))


class ByHand(StudyCase):
    def test_a_small_device(self):
        """tiny: 4 dies and 4 chip enables, MLC, 32 MiB; 2 channels of 400 MB/s, 2 cores, 4 lanes, 16 MiB of DRAM, 28
        nm."""
        area = 6 + 2 * (0.6 + 0.4 * 0.615) + 2 * 0.6 + 4 * 0.5 + 2.5
        pins = 200 + 2 * (24 + 2 * 1) + 4 * 6 + 90
        by_hand = {"nand": 0.033554432 * 0.37 + 4 * 0.15 + 4 * 0.2, "dram": 0.016777216 * 2.6 + 0.4, "nvram": 0, "capacitors": 0,
                   "controller": (area * 0.055 + pins * 0.005) * 1.6 + 0.5, "board": 2, "hdd": 0}
        found = cost.of(device("tiny"))
        for name, dollars in by_hand.items():
            self.assertAlmostEqual(found.parts[name], dollars, places=9, msg=name)
        self.assertAlmostEqual(found.mid, math.fsum(by_hand.values()), places=9)
        self.assertLess(found.low, found.mid)
        self.assertLess(found.mid, found.high)

    def test_what_is_not_free(self):
        """More channels, cores, lanes, planes, chip enables, DRAM, SRAM, NVRAM or capacitors cost more, all else being
        equal."""
        base = cost.of(device("tiny", "nand.blocks=64", "nand.channels=2", "nand.ways=4")).mid
        for sets in (("nand.channels=4", "nand.ways=2"), ("cpu.cores=4",), ("link.lanes=8",), ("link.generation=5",), ("nand.transfer_rate=1600 MT/s",),
                     ("dram.size=64 MiB",), ("nvram.kind=stt_mram", "nvram.size=4 MiB"), ("power.plp=true",),
                     ("nand.ways=8", "nand.blocks=32"), ("nand.planes=4", "nand.blocks=16"), ("hdd.capacity=1 GiB",)):
            found = cost.of(device("tiny", *("nand.blocks=64", "nand.channels=2", "nand.ways=4"), *sets)).mid
            self.assertGreater(found, base, sets)

    def test_cells(self):
        """The cell type follows from the number of page types; with a single program time, from that time."""
        for name, cell in (("slc-small-block", "slc"), ("samsung-970-pro-512gb", "mlc"), ("nvme-tlc-1tb", "tlc"), ("qlc-2tb", "qlc"),
                           ("intel-750-400gb", "mlc"), ("cosmos-openssd", "mlc"), ("mqsim-default", "mlc"), ("tiny", "mlc")):
            self.assertEqual(cost.cell_type(device(name)), cell, name)
        self.assertEqual(cost.cell_type(device("tiny", "nand.program_time=500 us")), "slc")
        self.assertEqual(cost.cell_type(device("tiny", "nand.program_time=501 us")), "mlc")
        self.assertEqual(cost.raw_bytes(device("tiny")), 2**25)

    def test_a_drive_of_the_shops(self):
        """1 TB of TLC: between the price of its flash alone and retail prices of such drives."""
        found = cost.of(device("nvme-tlc-1tb"))
        self.assertTrue(40 < found.low < found.mid < found.high < 250, found)
        self.assertGreater(found.parts["nand"] / found.mid, 0.7)

    def test_derived(self):
        found = cost.of(device("nvme-tlc-1tb"))
        self.assertAlmostEqual(found.per_gb(1e12), found.mid / 1000)
        self.assertAlmostEqual(found.per_iops(500_000), found.mid / 500_000)
        self.assertEqual(found.per_iops(0), math.inf)
        # 3,000 cycles of 1.1 times the capacity at a WAF of 3, in five years: 0.6 drive writes per day.
        config = device("nvme-tlc-1tb")
        raw = 32 * 2 * 912 * 1152 * 16384
        self.assertAlmostEqual(cost.drive_writes_per_day(config, 3.0), 3000 * raw / (3 * 1000204886016 * 1825), places=9)
        worn = device("nvme-tlc-1tb", "nand.endurance=1000")
        self.assertAlmostEqual(cost.drive_writes_per_day(worn, 3.0) * 3, cost.drive_writes_per_day(config, 3.0), places=9)
        self.assertAlmostEqual(found.per_gb_dwpd(1e12, 0.5), found.mid / 1000 / 0.5)
        drives = device("tiny", "array.level=raid5", "array.drives=4")
        self.assertAlmostEqual(cost.of(drives).mid, 4 * cost.of(device("tiny")).mid)

    def test_for_expressions(self):
        config = device("tiny")
        self.assertEqual([cost.price(config, end) for end in ("low", "mid", "high")],
                         [cost.of(config).low, cost.of(config).mid, cost.of(config).high])
        with self.assertRaises(ValueError):
            cost.price(config, "median")

    def test_a_study_asks_for_it(self):
        text = """
question = "?"
device = "tiny"
axis.channels = { values = [1, 4], set = "nand.channels" }
workload.reads.generate = "mix:read=1,requests=10"
[metric]
dollars = { expression = "price('mid')", unit = "$" }
writes = { expression = "dwpd(2)", unit = "1" }
"""
        rows = self.table(self.run_study(self.study(text, "priced")))
        for row in rows:
            config = device("tiny", f"nand.channels={row['channels']}")
            self.assertAlmostEqual(float(row["dollars"]), cost.of(config).mid, places=4)
            self.assertAlmostEqual(float(row["writes"]), cost.drive_writes_per_day(config, 2), places=4)
        self.assertEqual(len(rows), 2)


class Samples(StudyCase):
    def test_draws(self):
        config = device("nvme-tlc-1tb")
        found, ends = cost.samples(config, 500, 7), cost.of(config)
        self.assertEqual(found, cost.samples(config, 500, 7))
        self.assertNotEqual(found, cost.samples(config, 500, 8))
        self.assertTrue(all(ends.low <= dollars <= ends.high for dollars in found))
        self.assertLess(max(found) - min(found), ends.high - ends.low)

    def test_half_of_the_draws_of_a_price_lie_below_its_mid(self):
        """A device with a single uncertain price: 32 MiB of MLC."""
        text = FILE.read_text(encoding="utf-8")
        path = self.scratch / "one.toml"
        lines = []
        for line in text.splitlines():
            if line.startswith(("die", "plane", "way =", "base", "pin", "parts", "channel", "decoder", "core", "pcie", "dram", "price", "scale", "way_pins", "lane_pins", "margin", "chip", "design")):
                key = line.split(" = ")[0]
                unit = line.split("unit = ")[1].split(",")[0]
                low, mid, high = (1, 2, 6) if unit == '"$/GB"' and lines[-1] == "[nand.mlc]" else (0, 0, 0)
                line = f'{key} = {{ low = {low}, mid = {mid}, high = {high}, unit = {unit}, year = 2024, source = "test" }}'
            lines.append(line)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        found = cost.samples(device("tiny"), 100, 1, path)
        raw = 0.033554432
        self.assertEqual(sum(dollars < 2 * raw for dollars in found), 50)
        for part in range(10):  # each tenth of a half has a tenth of that half's draws
            low, high = (2 + 0.4 * part) * raw, (2 + 0.4 * (part + 1)) * raw
            self.assertEqual(sum(low <= dollars < high for dollars in found), 5)


class Prices(StudyCase):
    def refused(self, old, new):
        text = FILE.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path = self.scratch / "prices.toml"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        with self.assertRaises(StudyError) as caught:
            load_prices(path)
        return str(caught.exception)

    def test_those_that_come_with_it(self):
        found = load_prices()
        self.assertEqual(found.node(0), "nm28")
        self.assertEqual([found.node(generation) for generation in (3, 4, 5, 6, 7)], ["nm28", "nm12", "nm7", "nm7", "nm7"])
        self.assertEqual(found.ranges["dram.price"].unit, "$/GB")
        for path, given in found.ranges.items():
            self.assertTrue(given.source and 2000 <= given.year <= 2030, path)

    def test_what_is_wrong_is_said_with_its_place(self):
        line = 1 + FILE.read_text(encoding="utf-8").splitlines().index("[dram]") + 1
        for old, new, said in (
                ('price = { low = 1.35, mid', 'price = { low = 13.5, mid', f"prices.toml:{line}: dram.price.mid: 13.5, 2.6, 3.9: valid is 0 <= low <= mid <= high"),
                ('3.9, unit = "$/GB"', '3.9, unit = "$/MB"', f'prices.toml:{line}: dram.price.unit: is "$/MB"'),
                ('[dram]\nprice', '[dram]\nprise', f"prices.toml:{line - 1}: dram: price is missing"),
                ('[dram]\n', '[dram]\nvendor = "x"\n', f"prices.toml:{line}: dram.vendor: unknown key"),
                ('low = 1.35', 'low = "much"', "dram.price.low: is 'much', and must be a number"),
                ('year = 2025, source = "DDR4', 'source = "DDR4', "dram.price: year is missing"),
                ('currency = "USD"', 'currency = "EUR"', 'prices.toml:4: currency: is "EUR"'),
                ('[board]', '[bored]', "board")):
            self.assertIn(said, self.refused(old, new))

    def test_a_file_that_is_none(self):
        path = self.scratch / "p.toml"
        path.write_text("currency = \n", encoding="utf-8")
        for bad in (path, self.scratch / "none.toml"):
            with self.assertRaises(StudyError):
                load_prices(bad)


class Fronts(StudyCase):
    def front(self, name, *words):
        return subprocess.run([ROOT / "experiments" / name, *words, "--program", str(pathlib.Path(PROGRAM).resolve())],
                              capture_output=True, text=True, check=False, env=os.environ)

    def test_cost(self):
        done = self.front("cost", "tiny", "--json", "--samples", "100")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertAlmostEqual(found["mid"], cost.of(device("tiny")).mid)
        self.assertTrue(found["low"] < found["samples"]["p5"] < found["samples"]["p95"] < found["high"])
        self.assertIn("tiny: 8.46 $", self.front("cost", "tiny").stdout)
        wrong = self.front("cost", "tiny", "--set", "nand.chanels=3")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn('did you mean "channels"', wrong.stderr)
        self.assertEqual(self.front("cost", "tiny", "--prices", "none.toml").returncode, 2)

    def test_bounds(self):
        words = ("tiny", "--set", "precondition.fill=1", "--generate", "mix:read=1,requests=100000")
        done = self.front("bounds", *words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)["bounds"]["iops"]
        self.assertTrue(found["reason_high"].startswith("dies: 4 dies"))
        self.assertIn("read_throughput", self.front("bounds", *words).stdout)
        self.assertIn("nothing is known", self.front("bounds", "tiny", "--generate", "iozone").stderr)
        self.assertEqual(self.front("bounds", "none").returncode, 2)
