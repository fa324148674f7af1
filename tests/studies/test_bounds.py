"""Hand-worked bounds on a device without firmware or DRAM, whose times the model's tests have in closed form
(tests/system/closed_forms_test.cpp); and the workloads of studies as bounds see them."""
import math

from case import PROGRAM, StudyCase
from engine import bounds
from engine.bound_workloads import fio, generator, trace, workload_of
from engine.errors import RunError, StudyError
from engine.estimates import effective

WIRES = 3938461538.4615  # PCIe 3 x4: 8 GT/s x 4 x 128 / 130 / 8
READS = {"read": 1, "size": 4096}


def device(name, *sets):
    return effective(PROGRAM, name, list(sets))


class Throughput(StudyCase):
    def high(self, config, workload, name="iops"):
        return bounds.of(config, workload)[name].high

    def test_the_link(self):
        """Reads of unwritten data take only the link: 4096 B in 16 packets with 24 B of overhead each, and an entry of
        16 + 24 B."""
        each = (4096 + 16 * 24 + 16 + 24) / WIRES
        found = bounds.of(device("calibration"), READS)
        self.assertAlmostEqual(found["iops"].high * each, 1, places=9)
        self.assertAlmostEqual(found["read_throughput"].high * each / 4096, 1, places=9)
        self.assertIn("PCIe 3 x4", found["iops"].reason_high)
        self.assertEqual(self.high(device("calibration", "link.kind=ideal", "link.max_payload=256 B"), READS), math.inf)

    def test_both_directions_at_once(self):
        """Half reads, half writes: per request, half an entry of 88 B and half of 4480 B on the way down."""
        half = {"read": 0.5, "size": 4096, "exact": True, "requests": 1000}
        down = 88 + 4480 / 2
        up = 40 + 4480 / 2
        self.assertAlmostEqual(self.high(device("calibration"), half) * max(down, up) / WIRES, 1, places=9)

    def test_a_share_that_a_run_draws(self):
        """Among 400 drawn requests, a quarter to three quarters may be reads (0.25 > 3.22 / 20): somewhere in between
        both directions are equally loaded, and no bound lies below that."""
        drawn = self.high(device("calibration"), {"read": 0.4, "size": 4096, "requests": 400})
        equal = self.high(device("calibration"), {"read": 0.505, "size": 4096, "requests": 400, "exact": True})
        self.assertGreaterEqual(drawn, equal)
        self.assertLess(drawn, equal * 1.05)

    def test_dies_that_read(self):
        """16 dies, 50 us + 8 x 40 ns + 4096 B at 1 GB/s each; the buffer serves at most its share of all units."""
        config = device("calibration", "precondition.fill=1.0", "buffer.size=1 MiB")
        units = bounds.of(config, None)["capacity"].low / 4096
        slots = 256 + 1
        many = 10**12  # so many that chance does not matter
        found = bounds.of(config, {**READS, "pattern": "uniform", "requests": many, "depth": 32})["iops"]
        self.assertAlmostEqual(found.high / (16 / 54.416e-6 / (1 - slots / (units - 2))), 1, delta=1e-4)
        self.assertTrue(found.reason_high.startswith("dies: 16 dies, tR 50 us"))
        self.assertIn(f", if the buffer spares {slots / (units - 2):.3%} of the reads", found.reason_high)  # else the figures do not add up
        # The buffer may hold all of them, or they read no data.
        for words in ({"pattern": "unknown"}, {"discards": True}):
            found = bounds.of(config, {**READS, "pattern": "uniform", "requests": many} | words)["iops"]
            self.assertTrue(found.reason_high.startswith("link"), words)
        few = bounds.of(config, {**READS, "pattern": "uniform", "requests": 10})["iops"]
        self.assertTrue(few.reason_high.startswith("link"))

    def test_program_units_on_the_dies(self):
        """TLC, two planes: 6 pages of 4 KiB in 6 ms, after 6 commands of 8 cycles and their data."""
        config = device("calibration", "nand.pages_per_program=3", "nand.pages=192", "nand.planes=2", "nand.multi_plane_program=true", "buffer.mode=write_back",
                        'nand.read_time=["60 us", "80 us", "100 us"]', 'nand.program_time=["1 ms", "2 ms", "6 ms"]')
        writes = {"read": 0, "size": 131072, "pattern": "sequential", "requests": 10**12, "depth": 1}
        each = (6e-3 + 6 * (8 * 40e-9 + 4.096e-6)) / 16 / 6
        units = bounds.of(config, None)["capacity"].low / 4096
        found = bounds.of(config, writes)["write_throughput"]
        self.assertGreaterEqual(found.high, 4096 / each)
        self.assertLess(found.high, 4096 / each / (1 - 40000 / units))

    def test_writes_that_fit_into_the_buffer(self):
        config = device("calibration", "buffer.size=64 MiB", "dram.size=128 MiB", "buffer.mode=write_back")
        writes = {"read": 0, "size": 4096, "pattern": "sequential", "requests": 16384}
        self.assertTrue(bounds.of(config, writes)["iops"].reason_high.startswith("link"))
        self.assertEqual(bounds.of(config, writes)["waf"].low, 0)

    def test_places_that_come_once(self):
        """For any skew: 512 MiB of distinct addresses are programmed at least once each, minus what the buffer holds.
        """
        config = device("calibration", "buffer.mode=write_back", "buffer.size=1 MiB")
        skewed = {"read": 0, "size": 4096, "requests": 10**6, "exact": True, "depth": 64}
        self.assertTrue(bounds.of(config, skewed)["iops"].reason_high.startswith("link"))
        found = bounds.of(config, skewed | {"distinct_written": 2**29})
        units = 2**29 / 4096 - (256 + 1 + 64 * 2)
        self.assertAlmostEqual(found["iops"].high, 10**6 / (units * 604.416e-6 / 16), places=3)
        self.assertAlmostEqual(found["waf"].low, units / 10**6, places=9)

    def test_the_queue(self):
        """With one request at a time, the rate is at most one per minimum latency."""
        config = device("calibration", "precondition.fill=1.0", "buffer.size=1 MiB")
        found = bounds.of(config, {**READS, "pattern": "uniform", "requests": 10**9, "depth": 1})
        self.assertAlmostEqual(found["iops"].high * found["read_latency_mean"].low, 1, places=9)
        self.assertTrue(found["iops"].reason_high.startswith("queue depth 1"))

    def test_cores(self):
        """300 + 200 cycles per command and 60 per unit; under a governor the fastest operating point counts."""
        self.assertAlmostEqual(self.high(device("tiny", "cpu.clock=250 MHz"), READS), 250e6 / 560, places=3)
        points = 'cpu.points=[{ clock = "250 MHz", active_power = "40 mW" }, { clock = "1 GHz", active_power = "160 mW" }]'
        self.assertAlmostEqual(self.high(device("tiny", points), READS), 250e6 / 560, places=3)
        # The link limits.
        self.assertAlmostEqual(self.high(device("tiny", points, "cpu.governor=ondemand"), READS), WIRES / 4520, places=3)

    def test_a_run_of_some_seconds(self):
        """With one size nothing is random; with two, the number of requests limits how well the mean is known."""
        config = device("calibration")
        self.assertAlmostEqual(self.high(config, {**READS, "seconds": 10}), self.high(config, READS))
        mixed = {"read": 1, "size": {4096: 1, 65536: 1}}
        asymptotic = self.high(config, mixed)
        drawn = self.high(config, mixed | {"seconds": 10})
        self.assertGreater(drawn, asymptotic)
        self.assertLess(drawn, asymptotic * 1.02)


class LatencyAndLaw(StudyCase):
    def test_a_read_of_flash(self):
        """All of AnUnloadedReadTakesLinkCommandArrayAndData, minus the link time of the last page's data."""
        entries = (88 + 40) / WIRES
        whole = entries + 2 * 200e-9 + 8 * 40e-9 + 50e-6 + 4.096e-6
        config = device("calibration", "precondition.fill=1.0", "buffer.size=1 MiB")
        found = bounds.of(config, {**READS, "pattern": "uniform", "requests": 10**9, "depth": 1})
        self.assertAlmostEqual(found["read_latency_p99"].low, whole, delta=1e-12)
        self.assertLess(found["read_latency_mean"].low, found["read_latency_p99"].low)

    def test_a_write_that_waits_for_flash(self):
        write = (88 + 4480 + 40) / WIRES + 3 * 200e-9
        for mode, more in (("write_back", 0), ("write_through", 8 * 40e-9 + 600e-6)):
            found = bounds.of(device("calibration", f"buffer.mode={mode}"), {"read": 0, "size": 4096})
            self.assertAlmostEqual(found["write_latency_p99"].low, write + more, delta=1e-12)

    def test_littles_law(self):
        """256 requests in flight while all but 256 of a million cross the link."""
        each = (4096 + 16 * 24 + 40) / WIRES
        found = bounds.of(device("calibration"), {**READS, "requests": 10**6, "depth": 256, "closed": True})["latency_mean"]
        self.assertAlmostEqual(found.low, 256 * each * (1 - 256e-6), delta=1e-12)
        self.assertIn("Little's law: 256 in flight, link", found.reason_low)

    def test_write_amplification(self):
        """Of units written once each, at least those that the buffer does not hold are programmed."""
        config = device("calibration", "buffer.size=1 MiB")
        found = bounds.of(config, {"read": 0, "size": 4096, "pattern": "uniform", "requests": 10**9, "depth": 1})["waf"]
        self.assertGreater(found.low, 0.98)
        self.assertLess(found.low, 1)
        self.assertEqual(found.high, math.inf)


class Energy(StudyCase):
    def test_what_is_always_drawn(self):
        """4 dies of 3.3 V x 10 uA, 2 cores of 5 mW, DRAM with 33 mW and 25 nJ per 3.9 us, link 20 mW."""
        waiting = 4 * 3.3 * 10e-6 + 2 * 5e-3 + 33e-3 + 25e-9 / 3.9e-6 + 20e-3
        found = bounds.of(device("tiny"), READS)
        self.assertAlmostEqual(found["average_power"].low, waiting, places=9)
        regulated = bounds.of(device("tiny", "power.regulator_efficiency=0.8"), READS)
        self.assertAlmostEqual(regulated["average_power"].low, waiting / 0.8, places=9)
        resting = bounds.of(device("tiny", 'power.states=[{}, { operational = false, idle_power = "5 mW", idle_time = "1 ms" }]'), READS)
        self.assertEqual(resting["average_power"].low, 0)
        off = bounds.of(device("tiny", "power.cut_at=10 us", "nand.errors.model=power_law", "nand.spare_size=2208 B"), READS)
        self.assertEqual(off["average_power"].low, 0)

    def test_all_at_work(self):
        """25 mA per die at 3.3 V, 5 mA per channel, 80 mW per core, DRAM at 3.2 GB/s with 73.5 pJ/B, 50 mW per link
        direction."""
        most = 4 * 3.3 * 25e-3 + 2 * 3.3 * 5e-3 + 2 * 80e-3 + 33e-3 + 25e-9 / 3.9e-6 + 3.2e9 * 73.5e-12 + 20e-3 + 2 * 50e-3
        self.assertAlmostEqual(bounds.of(device("tiny"), READS)["peak_power"].high, most, places=9)
        capped = bounds.of(device("tiny", "power.cap_dies=1"), READS)["peak_power"].high
        self.assertAlmostEqual(capped, most - 3 * 3.3 * (25e-3 - 10e-6), places=9)
        self.assertEqual(bounds.of(device("tiny", "dram.bandwidth=0 B/s"), READS)["peak_power"].high, math.inf)

    def test_a_gigabyte(self):
        """Energy of the core above idle: (80 - 5) mW for 560 cycles; reads of unwritten data do not cross the DRAM."""
        known = bounds.of(device("tiny", "cpu.clock=250 MHz"), READS)
        found, waiting, each = known["energy_per_gb"], known["average_power"].low, 560 / 250e6
        self.assertAlmostEqual(found.low, (waiting * each + 75e-3 * each) / 4096 * 1e9, places=9)


class What(StudyCase):
    def test_what_is_in_between_or_fails_bounds_nothing(self):
        for sets in (("host.cache.size=1 MiB",), ("hdd.capacity=1 GiB",), ("array.level=raid5", "array.drives=4")):
            found = bounds.of(device("tiny", *sets), READS)
            for name in ("iops", "peak_power", "capacity"):
                self.assertEqual(found[name].high, math.inf, sets)
            for name, bound in found.items():
                self.assertEqual(bound.low if name != "dram_need" else 0, 0, (sets, name))
        writes = {"read": 0, "size": 4096, "pattern": "sequential", "requests": 10**9}
        for key in ("nand.endurance=5", "power.cut_at=1 ms", "faults.lost_writes=0.1", "nand.program_failure_rate=0.1"):
            self.assertFalse(bounds.of(device("tiny", key), writes)["iops"].reason_high.startswith(("dies", "bus")), key)
        self.assertTrue(bounds.of(device("tiny"), writes)["iops"].reason_high.startswith("dies"))

    def test_zones_decide(self):
        """A zone reset drops buffered data, and commands may be refused."""
        config = device("tiny")
        config["ftl"]["kind"] = {"name": "zoned"}
        found = bounds.of(config, {"read": 0, "size": 4096, "pattern": "sequential", "requests": 10**9})
        self.assertFalse(found["iops"].reason_high.startswith(("dies", "bus")))
        self.assertEqual((found["waf"].low, found["waf"].high), (0, math.inf))

    def test_nothing_known_of_a_workload(self):
        found = bounds.of(device("tiny"), None)
        self.assertEqual(found["capacity"].low, 26214400)
        self.assertEqual(found["capacity"].high, 26214400)
        self.assertEqual(found["throughput"].low, 0)
        self.assertEqual(found["dram_need"].low, 4 * 6400 + 2**20)

    def test_wrong_tables(self):
        for words, said in (({"reed": 1}, "did you mean read"), ({}, "need read"), ({"read": 2, "size": 1}, "valid: 0 to 1"),
                            ({"read": 1, "size": 1, "pattern": "zipf"}, "valid: uniform")):
            with self.assertRaises(StudyError) as caught:
                bounds.of(device("tiny"), words)
            self.assertIn(said, str(caught.exception))

    def test_every_objective_has_a_place_in_a_result(self):
        found = bounds.of(device("tiny"), READS)
        self.assertEqual(set(found), set(bounds.PATHS) | {"dram_need"})


class Workloads(StudyCase):
    def test_generators(self):
        config = device("tiny", "host.iodepth=16")
        self.assertEqual(generator("mix:read=70 %,size=4 KiB: 75 %, 64KiB: 25 %,requests=1000", config),
                         {"read": 0.7, "size": {4096: 75, 65536: 25}, "pattern": "uniform", "discards": False, "requests": 1000,
                          "depth": 16, "closed": True})
        self.assertEqual(generator("mix:random=0,size=8KiB", config)["requests"], 26214400 / 8192)
        self.assertEqual(generator("mix:distribution=zipf", config)["pattern"], "unknown")
        trims = generator("mix:trim=0.5,read=0.25,requests=10000,flush_every=3", config)
        self.assertEqual((trims["read"], trims["discards"], trims["closed"]), (0.5, True, False))
        self.assertLess(trims["requests"], 5000)
        self.assertNotIn("depth", generator("mix:rate=500,requests=10", config))
        self.assertIsNone(generator("iozone:", config))

    def test_fio_jobs(self):
        config = device("tiny")
        job = "[a]\nrw=randread\nbs=4k\nioengine=libaio\niodepth=32\nsize=100%\nio_size=1m\n"
        self.assertEqual(fio(job, config), {"read": 1.0, "size": 4096, "depth": 32, "requests": 256, "closed": True, "pattern": "shuffled"})
        self.assertEqual(fio(job + "norandommap=1\n", config)["pattern"], "uniform")
        self.assertEqual(fio(job.replace("libaio", "psync"), config)["depth"], 1)
        self.assertNotIn("pattern", fio(job + "random_distribution=zipf\n", config))
        self.assertNotIn("requests", fio(job + "time_based\nruntime=2\n", config))
        self.assertEqual(fio(job + "time_based=1\nruntime=2\n", config)["seconds"], 2)
        self.assertEqual(fio("[a]\nrw=rw\nrwmixread=30\nsize=1m\n", config)["read"], 0.3)
        self.assertIsNone(fio("[a]\nrw=read\n[b]\nrw=write\n", config))
        self.assertEqual(workload_of([], {"a.fio": job}, config)["requests"], 256)
        self.assertIsNone(workload_of(["--workload", "x.toml"], {}, config))

    def test_traces_are_counted(self):
        path = self.scratch / "t.csv"
        path.write_text("".join(f"{128166372003061629 + n},hm,0,{kind},{offset},{size},1331\n" for n, (kind, offset, size) in enumerate(
            (("Write", 0, 4096), ("Read", 0, 8192), ("Read", 4096, 4096)))), encoding="utf-8")
        found = trace(str(path), device("tiny"), PROGRAM)
        self.assertEqual((found["read"], found["requests"], found["exact"]), (2 / 3, 3, True))
        self.assertEqual(found["read_size"], (6144, 6144, 4096, 8192))
        self.assertEqual(found["write_size"], (4096, 4096, 4096, 8192))
        self.assertEqual((found["distinct_written"], found["distinct_read"]), (4096, 4096))
        small = trace(str(path), device("tiny", "ftl.mapping_unit=1 KiB"), PROGRAM)
        self.assertEqual((small["distinct_written"], small["distinct_read"]), (1024, 1024))
        bounds.of(device("tiny"), found)
        with self.assertRaises(RunError):
            trace(str(self.scratch / "none.csv"), device("tiny"), PROGRAM)
