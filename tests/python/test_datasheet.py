"""flashloom datasheet: the standard's steady state by hand, a brief against closed forms, and a sheet that is made once."""
import json
import math
import shutil
import signal
import subprocess
import sys
from unittest import mock

from case import PROGRAM, ROOT, PackageCase

import jsonschema
import pandas

from flashloom import Device
from flashloom.datasheet.bench import Bench, job, kind_of
from flashloom.datasheet.brief import RATES, brief, told
from flashloom.datasheet.main import by_key, datasheet, family, side_by_side
from flashloom.datasheet.measured import measured, percentile
from flashloom.datasheet.page import page_of
from flashloom.datasheet.pts import loop, settings
from flashloom.datasheet.steady import MOST_ROUNDS, steady, window_of
from flashloom.errors import BadInput
from flashloom.units import in_bytes

SCHEMA = json.loads((ROOT / "docs/schemas/datasheet.schema.json").read_text(encoding="utf-8"))


def value(result, key):
    """A figure of the brief, of a result."""
    return told(result, next(rate for rate in RATES if rate.key == key), "").value


class SteadyState(PackageCase):
    def test_windows_by_hand(self):
        for values, reached, spread, drift in (
                ([100, 102, 98, 101, 99], True, 4 / 100, 4 * 0.3 / 100),
                ([100, 104, 107, 110, 113], False, 13 / 106.8, 4 * 3.2 / 106.8),  # by its slope alone
                ([100, 125, 100, 125, 100], False, 25 / 110, 0.0),  # by its range alone
                ([100, 110, 90, 100, 100], True, 20 / 100, 4 * 1 / 100)):  # a range of 20 % is still allowed
            window = window_of(values)
            self.assertAlmostEqual(window.range, spread)
            self.assertAlmostEqual(window.drift, drift)
            self.assertEqual(window.reached, reached)
        self.assertIsNone(steady([1, 2, 3, 4]))
        self.assertEqual(steady([9, 9, 1, 1, 1, 1, 1]).first, 3)

    def test_rounds_end_with_the_first_steady_window(self):
        class Told:
            """In place of a bench: rounds with given figures."""
            slice_of = 1.0
            slice_capacity = 100

            def __init__(self, values):
                self.values, self.round = values, 0

            def tell(self, _):
                pass

            def measure(self, *_):
                value = float(self.values[min(self.round, len(self.values) - 1)])
                side = {"ios": 1, "iops": value, "bandwidth_bytes_per_s": value}
                none = {"ios": 0, "iops": 0.0, "bandwidth_bytes_per_s": 0.0}
                return [type("R", (), {"data": {"host": {"read": none, "write": side}, "sample": {"intervals": {}}}})()]

            def advance(self, *_):
                self.round += 1
                return None, None

        def rounds_of(values):
            bench = Told(values)
            return loop(bench, "x", [("w", {})], ("w", "iops"), ("iops",), lambda total: {}, (None, None)), bench

        found, bench = rounds_of([500, 200, 100, 100, 100, 100, 100, 100])
        self.assertEqual((found["window"]["first"], found["window"]["reached"], bench.round), (3, True, 6))
        self.assertEqual(found["values"], {"w; iops": 100.0})
        found, bench = rounds_of([100 * 2 ** number for number in range(40)])
        self.assertEqual((found["window"]["first"], found["window"]["reached"], bench.round), (MOST_ROUNDS - 4, False, MOST_ROUNDS))


class Percentiles(PackageCase):
    def test_order_statistics(self):
        latencies = [float(number) for number in range(1, 1001)]  # each once
        above = [1 - number / 1000 for number in range(1, 1001)]
        value, low, high = percentile(latencies, above, 1000, 0.9)
        half = 1.96 * math.sqrt(0.9 * 0.1 / 1000) * 1000
        self.assertEqual(value, 900)
        self.assertAlmostEqual(low, 900 - half, delta=1)
        self.assertAlmostEqual(high, 900 + half, delta=1)
        self.assertEqual(percentile(latencies, above, 1000, 0.999), (None, None, None))  # one value lies beyond it
        self.assertEqual(percentile(latencies, above, 1000, 0.99)[0], 990)  # ten do


class Batches(PackageCase):
    def test_a_whole_run_by_hand(self):
        """Ten seconds of a filling buffer, then ten batches of nine: their means are 99 and 101 in turn."""
        iops = [1000] * 10 + [99 + 2 * (number // 9 % 2) for number in range(90)]
        series = pandas.DataFrame({"time_s": range(100), "duration_s": 1.0, "read_ios": 0, "read_bytes": 0, "read_latency_mean_ns": math.nan,
                                   "write_ios": iops, "write_bytes": [4096 * each for each in iops],
                                   "write_latency_mean_ns": [1e9 / each for each in iops]})
        run = type("R", (), {"data": {"host": {"read": {"ios": 0}, "write": {"ios": sum(iops)}}}, "tables": {"series": series}})()
        half = 2.262 * math.sqrt(10 / 9) / math.sqrt(10)
        for operations, name, scale in ((("write",), "iops", 1), (("read", "write"), "iops", 1), (("write",), "bytes_per_s", 4096)):
            value, low, high = measured(run, operations, name)
            self.assertAlmostEqual(value, 100 * scale)
            self.assertAlmostEqual(high - value, half * scale)
            self.assertAlmostEqual(value - low, half * scale)
        self.assertAlmostEqual(measured(run, ("write",), "latency_mean_ns")[0], 1e9 / 100)
        series = series[:5]
        run.tables["series"] = series
        self.assertEqual(measured(run, ("write",), "iops")[1:], (None, None))


class Brief(PackageCase):
    def bench(self, device, **keys):
        return Bench(Device(device).set(keys), self.scratch / "sheet", error=0.01, jobs=2, seed=1, progress=False,
                     tell=lambda text: None)

    def test_calibration_by_closed_forms(self):
        """16 dies of 4 KiB pages with 50 us reads, 600 us programs, 3 ms erases of 256 pages; 25 mA at 3.3 V in each; 4,224 bytes at
        1 GB/s and eight command cycles of 40 ns before; no firmware."""
        bench = self.bench("calibration", **{"nand.blocks": "80", "ftl.over_provisioning": "0.3"})
        self.assertEqual(bench.slice_of, 1.0)
        device = bench.device.set({"precondition.fill": 1})
        state = bench.state("filled", device)
        reads, writes, one = bench.measure(device, state, [job("read", "128k", 32, total="400m"), job("write", "128k", 32, total="600m"),
                                                            job("randread", "4k", 1, total="20m")])
        transfer = 4.224e-6 + 0.32e-6
        self.assertAlmostEqual(value(reads, "sequential_read"), 16 * 4096e-6 / (50e-6 + transfer), delta=12)
        cycle = 256 * (600e-6 + transfer) + 3e-3
        self.assertAlmostEqual(value(writes, "sequential_write"), 16 * 256 * 4096e-6 / cycle, delta=1.1)
        wire = 16 * 280 / (4 * 8e9 * 128 / 130 / 8) + 0.2e-6  # sixteen packets of 256 bytes and 24; the cable
        self.assertAlmostEqual(value(one, "read_latency"), 1e6 * (50e-6 + transfer + wire), delta=0.56)
        bus = 5e-3 * 3.3 * 4.224e-6
        self.assertAlmostEqual(reads.data["energy"]["j_per_gb"], (25e-3 * 3.3 * 50e-6 + bus) / 4096e-9, delta=0.011)
        self.assertAlmostEqual(writes.data["energy"]["j_per_gb"], (25e-3 * 3.3 * (600e-6 + 3e-3 / 256) + bus) / 4096e-9, delta=0.13)

    def test_a_slice_has_the_spare_of_the_drive(self):
        bench = self.bench("nvme-tlc-1tb")
        config = bench.slice.config()
        self.assertEqual(config["nand"]["blocks"], 80)
        self.assertAlmostEqual(in_bytes(config["ftl"]["logical_size"]) / bench.capacity, 76 / 908, delta=1e-4)

    def test_slices_of_all_presets_are_devices(self):
        for preset in sorted((ROOT / "configs").glob("*.toml")):
            device = Device(preset.stem)
            config = device.config()
            if kind_of(config["ftl"]["kind"]) == "zoned":
                continue
            bench = Bench(device, self.scratch / preset.stem, error=0.01, jobs=1, seed=1, progress=False, tell=lambda text: None)
            found = bench.slice.config()
            self.assertEqual(int(found["nand"]["slc_dynamic"]) > 0, int(config["nand"]["slc_dynamic"]) > 0, preset.stem)
            self.assertEqual(int(found["nand"]["blocks"]), min(80, int(config["nand"]["blocks"])))

    def test_what_is_not_modelled_is_said(self):
        with mock.patch("flashloom.datasheet.brief.TAIL_REQUESTS", 20_000):
            figures = {figure.name: figure for figure in brief(self.bench("tiny"), "client")}
        self.assertIsNone(figures["Unrecoverable bit errors"].value)
        self.assertIn("nand.errors.model", figures["Unrecoverable bit errors"].note)
        self.assertIsNotNone(figures["Random read, 4 KiB, QD 1, 99 %"].value)
        self.assertEqual(figures["Random read, 4 KiB, QD 1, 99.999 %"].note, "needs 1,000,000 requests, 20,000 were simulated")
        for figure in figures.values():
            self.assertFalse(figure.value is None and not figure.note, figure)
            if figure.low is not None and figure.high is not None and not isinstance(figure.value, str):
                self.assertLessEqual(figure.low, figure.value)
                self.assertGreaterEqual(figure.high, figure.value)
        page = page_of({"device": "<tiny>", "description": "a & b", "class": "client", "brief": by_key(figures.values()),
                        "tests": {}, "refused": {"hir": "<no>"}})
        self.assertIn("&lt;tiny&gt;", page)
        self.assertIn("not modelled", page)
        self.assertNotIn("<tiny>", page)


class Sheets(PackageCase):
    def test_throughput_is_measured_once_and_the_same(self):
        folder = self.scratch / "sheet"
        first = datasheet("tiny", tests=["tp"], error=0.05, out=folder, seed=3, progress=False)
        pages = {name: (folder / name).read_bytes() for name in ("datasheet.json", "datasheet.html", "rounds.csv")}
        points = {path: path.stat().st_mtime_ns for path in folder.rglob("result.json")}
        (folder / "datasheet.json").unlink()
        again = datasheet("tiny", tests=["tp"], error=0.05, out=folder, seed=3, progress=False)
        self.assertEqual(json.dumps(first), json.dumps(again))
        self.assertEqual(points, {path: path.stat().st_mtime_ns for path in folder.rglob("result.json")})
        self.assertEqual(pages, {name: (folder / name).read_bytes() for name in pages})
        jsonschema.validate(first, SCHEMA)
        window = first["tests"]["tp"]["window"]
        self.assertTrue(window["reached"])
        self.assertGreater(first["tests"]["tp"]["values"]["128k, read; mb_s"], first["tests"]["tp"]["values"]["128k, write; mb_s"])

    def test_write_saturation_falls_to_the_steady_state(self):
        """Rounds on the instant clock, each with addresses of its own, come near to where preconditioning comes."""
        folder = self.scratch / "sheet"
        found = datasheet("tiny", tests=["wsat"], error=0.2, out=folder, seed=3, progress=False)["tests"]["wsat"]
        values = [row["value"] for row in found["rounds"] if row["figure"] == "iops"]
        self.assertEqual(len(values), 41)
        self.assertTrue(found["window"]["reached"])
        bench = Bench(Device("tiny"), folder, error=0.1, jobs=2, seed=3, progress=False, tell=lambda text: None)
        steady_drive = bench.device.set({"precondition.fill": 1, "precondition.steady": True})
        # As long as a measurement of the test, which begins at rest, too: twice the buffer of 1 MiB, and 64 KiB.
        (run,) = bench.measure(steady_drive, bench.state("steady", steady_drive), [job("randwrite", "4k", 32, workers=4, total="2112k")])
        # After four fills from a purge 2 % of the pages were never written and are spare: write amplification is 2.3, and will be 2.6.
        self.assertAlmostEqual(found["window"]["mean"] / value(run, "random_write"), 1.1, delta=0.1)
        self.assertGreater(values[4], 3 * values[-1])

    def test_only_what_a_figure_needs_is_run(self):
        folder = self.scratch / "sheet"
        found = datasheet("tiny", figures=["dwpd", "read_power"], out=folder, seed=3, progress=False)
        self.assertEqual([*found["brief"]], ["read_power", "dwpd"])
        self.assertLess(found["brief"]["read_power"]["low"], found["brief"]["read_power"]["value"])
        self.assertFalse((folder / "sampled").exists())
        jsonschema.validate(found, SCHEMA)

    def test_a_killed_sheet_goes_on(self):
        """Killed within its second run: the state before it is not made again, and the sheet is that of one who was not killed."""
        folder, marks = self.scratch / "sheet", self.scratch / "marks"
        self.pretend(f'echo "$1" >> {marks}; if [ "$1" = run ] && [ $(grep -c run {marks}) = 2 ]; then kill -9 $PPID; fi; exec {PROGRAM} "$@"')
        command = [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1])\nfrom flashloom.datasheet.main import datasheet\n"
                   "datasheet('tiny', figures=['sequential_read', 'dwpd'], out=sys.argv[2], jobs=1, seed=3, progress=False)", str(ROOT / "python"), str(folder)]
        self.assertEqual(subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode, -signal.SIGKILL)
        before = marks.read_text().split()
        subprocess.run(command, check=True)
        again = marks.read_text().split()[len(before):]
        self.assertEqual(before[-3:], ["run", "precondition", "run"])  # capacity, filled; killed
        self.assertEqual(again[-5:], ["run", "run", "precondition", "run", "run"])  # capacity; reads; sliced, two advances
        plain = datasheet("tiny", figures=["sequential_read", "dwpd"], out=self.scratch / "plain", seed=3, progress=False)
        self.assertEqual(json.loads((folder / "datasheet.json").read_text())["brief"], plain["brief"])

    def test_idle_time_helps_who_collects_in_it(self):
        found = {}
        for blocks in ("0", "30"):
            device = Device("tiny").set({"ftl.gc_background": blocks})
            with mock.patch("flashloom.datasheet.pts.PERIODS", 3), mock.patch("flashloom.datasheet.pts.total_of", lambda *_: "8m"):
                test = datasheet(device, tests=["hir"], error=0.1, out=self.scratch / blocks, seed=3, progress=False)["tests"]["hir"]
            found[blocks] = test["values"]["5 s idle; iops"] / test["values"]["no idle time; iops"]
        self.assertAlmostEqual(found["0"], 1, delta=0.03)
        self.assertGreater(found["30"], 1.05)

    def test_least_middle_and_most_of_a_grid(self):
        grid = [(1, 1), (1, 2), (2, 1), (2, 2)]
        values = {f"TC {threads}, QD {depth}; iops": value for (threads, depth), value in zip(grid, (10, 90, 60, 100))}
        self.assertEqual(settings(values, grid), ((1, 1), (2, 1), (2, 2)))

    def test_latencies_have_histograms_and_pictures(self):
        with mock.patch("flashloom.datasheet.pts.HISTOGRAM", "8m"), mock.patch("flashloom.datasheet.pts.total_of", lambda *_: "4m"):
            found = datasheet("tiny", tests=["lat"], error=0.1, out=self.scratch / "sheet", seed=3, progress=False)
        jsonschema.validate(found, SCHEMA)
        tails = {(tail["element"], tail["operation"]): tail for tail in found["tests"]["lat"]["tails"]}
        self.assertEqual([*tails], [("4k, 100 % reads", "read"), ("4k, 65 % reads", "read"), ("4k, 65 % reads", "write"),
                                    ("4k, 0 % reads", "write")])
        for tail in tails.values():
            self.assertEqual(tail["us"], sorted(tail["us"]))
            self.assertEqual(tail["above"], sorted(tail["above"], reverse=True))
        page = (self.scratch / "sheet/datasheet.html").read_text(encoding="utf-8")
        self.assertEqual(page.count("<svg"), 2 if shutil.which("gnuplot") else 0)  # rounds, and tails

    def test_a_family_side_by_side(self):
        figure = {"name": "Capacity", "unit": "GB"}
        sheets = {"ways-1": {"brief": {"capacity": figure | {"value": 1.5}}, "tests": {"tp": {"values": {"128k, read; mb_s": 7.0}}}},
                  "ways-2": {"brief": {"capacity": figure | {"value": None}}, "tests": {}}}
        self.assertEqual(side_by_side(sheets), 'figure,unit,ways-1,ways-2\nCapacity,GB,1.5,\n"tp: 128k, read; mb_s",,7.0,\n')

    def test_bad_input(self):
        for problem, keys in (("class", {"kind": "consumer"}), ("test", {"tests": ["speed"]}), ("figure", {"figures": ["speed"]})):
            with self.assertRaisesRegex(BadInput, problem):
                datasheet("tiny", out=self.scratch / "none", **keys)
        with self.assertRaisesRegex(BadInput, "zoned"):
            datasheet(Device("tiny", ftl={"kind": "zoned"}, host_interface={"sector_size": "4 KiB"}, buffer={"replacement": "fifo"}),
                      out=self.scratch / "none")
        self.assertFalse((self.scratch / "none").exists())
        with self.assertRaisesRegex(BadInput, "--sweep"):
            family(Device("tiny"), ["nand.ways"])
        self.assertEqual([name for name, _ in family(Device("tiny"), ["nand.ways=1,2", "nand.channels=4"])],
                         ["ways-1-channels-4", "ways-2-channels-4"])
