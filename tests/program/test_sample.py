"""Sampled runs (windows in simulated time) and runs in segments, against whole runs."""
import json
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ROOT, ProgramCase, job, takes_long

PEER = ROOT / "bench/peer.toml"
SMALL = ["nand.blocks=160", "nand.pages=64", "precondition.fill=1"]  # 8,000 units of data a die: even; 1,024 units in an erase unit of all
STEADY = [*SMALL, "precondition.steady=true"]
WRITES = ("--generate", "mix:read=0%,requests=800000")


class Sample(ProgramCase):
    def result(self, *arguments, sets=STEADY, device=PEER):
        out = self.simulate(device, *arguments, sets=sets)
        return json.loads((out / "result.json").read_text())

    def assert_near(self, value, expected, share, message=None):
        self.assertLess(abs(value / expected - 1), share, f"{message}: {value} and {expected}")

    def assert_holds(self, sampled, whole, names, widest, times=1.5):
        """A 95 % interval misses the value once in twenty: so the value may lie 1.5 half-widths from the middle."""
        for name in names:
            low, high = (sampled["sample"]["intervals"][name][end] for end in ("low", "high"))
            value, expected = sampled, whole
            for key in name.split("."):
                value, expected = value[key], expected[key]
            self.assertLess(abs(expected - (low + high) / 2), times * (high - low) / 2 + 0.002 * expected, name)
            self.assertLess(low, value * 1.0001, name)
            self.assertGreater(high, value * 0.9999, name)
            self.assertLess(high / low, widest, name)

    def test_writes_in_steady_state(self):
        whole = self.result(*WRITES)
        sampled = self.result(*WRITES, "--sample")
        self.assertGreaterEqual(sampled["sample"]["windows"], 16)
        self.assertTrue(sampled["sample"]["warm_up"]["settled"])
        # Sums over windows, each rounded to whole numbers.
        self.assert_near(sampled["host"]["write"]["ios"], 800000, 1e-4)
        self.assert_holds(sampled, whole, ("simulated_s", "host.write.iops", "host.write.latency_ns.mean", "host.write.latency_ns.p90",
                                           "energy.total_j", "energy.average_w", "energy.j_per_gb", "ftl.waf"), widest=1.15)
        self.assert_near(sampled["flash"]["programs"]["total"]["pages"], whole["flash"]["programs"]["total"]["pages"], 0.02)
        self.assert_near(sampled["flash"]["erases"]["total"], whole["flash"]["erases"]["total"], 0.03)
        # Queued commands of a window's warm-up are not measured (equal within what is in flight at begin and end).
        for queued, counted in (("programs", whole["flash"]["programs"]["total"]["pages"]), ("erases", whole["flash"]["erases"]["total"])):
            commands = sum(origin["commands"] for origin in sampled["flash_queues"][queued].values())
            self.assert_near(commands, counted, 0.05, queued)
        # The components' energies add up to the total.
        self.assert_near(sum(part["j"] for part in sampled["energy"]["components"]), sampled["energy"]["total_j"], 1e-9)
        self.assertEqual(sampled["wear"]["erase_units"], whole["wear"]["erase_units"])
        self.assert_near(sampled["wear"]["erases_total"], whole["wear"]["erases_total"], 0.01)  # counted on the instant clock

    def test_windows_whose_collection_lags_do_as_much_as_the_run(self):
        writes = ("--generate", "mix:read=0%,size=32KiB,random=0%,requests=70000", "--seed", "1")
        sets = [*STEADY, "host.iodepth=8"]
        whole, sampled = self.result(*writes, sets=sets), self.result(*writes, "--sample", sets=sets)
        self.assertTrue(sampled["sample"]["calibrated"])
        self.assertLess(sampled["sample"]["bias"]["work"], 1e-9)
        self.assert_near(sampled["ftl"]["waf"], whole["ftl"]["waf"], 0.002)
        self.assert_holds(sampled, whole, ("ftl.waf", "simulated_s", "energy.total_j"), widest=1.05, times=1)

    def test_the_same_seed_gives_the_same_bytes(self):
        first = (self.simulate(PEER, *WRITES, "--sample", sets=STEADY) / "result.json").read_bytes()
        second = (self.simulate(PEER, *WRITES, "--sample", sets=STEADY) / "result.json").read_bytes()
        other = (self.simulate(PEER, *WRITES, "--sample", "--sample-seed", "9", sets=STEADY) / "result.json").read_bytes()
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)

    def test_reads_that_leave_no_traces(self):
        reads = ("--generate", "mix:read=100%,requests=300000")
        whole = self.result(*reads, sets=[*SMALL, "host.iodepth=8"])
        sampled = self.result(*reads, "--sample", sets=[*SMALL, "host.iodepth=8"])
        self.assert_near(sampled["host"]["read"]["iops"], whole["host"]["read"]["iops"], 0.01)
        self.assert_near(sampled["host"]["read"]["latency_ns"]["p99"], whole["host"]["read"]["latency_ns"]["p99"], 0.03)
        self.assert_near(sampled["flash"]["reads"]["host"]["pages"], whole["flash"]["reads"]["host"]["pages"], 0.01)

    def test_reads_that_a_cache_and_a_paged_map_remember(self):
        reads = ("--generate", "mix:read=100%,distribution=zipf,requests=200000")
        # The second device has only a thousand buffer hits in 200,000 reads, which need more windows than usual.
        sampling = ("--sample", "--sample-windows", "20")
        for sets in (["buffer.size=8 MiB", "buffer.read_cache=90%"], ['ftl.kind={ name = "dftl", cmt_size = "64 KiB" }', "ftl.over_provisioning=60%"]):
            sets = [*SMALL, *sets, "host.iodepth=8"]
            whole = self.result(*reads, sets=sets)
            sampled = self.result(*reads, *sampling, sets=sets)
            self.assert_near(sampled["host"]["read"]["iops"], whole["host"]["read"]["iops"], 0.02, sets)
            for part, hits in (("buffer", "read_hits"), ("ftl", "map_cache")):
                value, expected = sampled[part][hits], whole[part][hits]
                if hits == "map_cache":
                    value, expected = value["hits"], expected["hits"]
                if expected:
                    self.assert_near(value, expected, 0.03, hits)

    @takes_long(12)
    def test_reads_that_caches_forget_are_left_out(self):
        """Sampling skips reads between windows that caches forget anyway, and executes those before each window until
        the caches have been refilled; otherwise cache contents would be outdated."""
        reads = ("--generate", "mix:read=100%,distribution=zipf,theta=0.8,requests=1500000")
        for sets in (["buffer.size=1 MiB", "buffer.read_cache=90%"],
                     ["buffer.size=1 MiB", "buffer.read_cache=90%", 'buffer.replacement="two_q"', "buffer.read_ahead=64 KiB"],
                     ['ftl.kind={ name = "dftl", cmt_size = "16 KiB" }', "ftl.over_provisioning=60%"]):
            with self.subTest(sets=sets):
                sets = [*SMALL, *sets, "host.iodepth=8"]
                whole = self.result(*reads, sets=sets)
                sampled = self.result(*reads, "--sample", sets=sets)
                self.assertGreater(sampled["sample"]["stretch"]["requests"], 100)
                self.assertLess(sampled["sample"]["stretch"]["requests"], 50000)
                self.assertEqual(sampled["sample"]["stretch"]["too_short"], 0)
                self.assert_holds(sampled, whole, ("simulated_s", "host.read.latency_ns.mean", "energy.total_j"), widest=1.05, times=2)
                misses = [result["buffer"]["read_units"] - result["buffer"]["read_hits"] for result in (sampled, whole)]
                self.assert_near(*misses, 0.02)

    @takes_long(20)
    def test_blocks_that_are_merged(self):
        """Each write copies a block: windows last as long as programming (not writing) three erase units per die."""
        for kind in ("log_block", "block_map"):
            with self.subTest(kind=kind):
                sets = [*SMALL, f"ftl.kind={kind}", "host.iodepth=16"]
                writes = ("--generate", "mix:read=0%,requests=80000")
                whole = self.result(*writes, sets=sets)
                sampled = self.result(*writes, "--sample", sets=sets)
                self.assertGreater(sampled["ftl"]["waf"], 40)
                self.assertLess(sampled["sample"]["requests"], 2000)  # writing an erase unit per die takes 1,024 writes
                self.assertEqual(sampled["sample"]["begin_requests"], 8000)  # until it is steady, but at most a tenth
                self.assert_near(sampled["ftl"]["waf"], whole["ftl"]["waf"], 0.002)
                self.assert_holds(sampled, whole, ("simulated_s", "host.write.latency_ns.mean", "energy.total_j"), widest=1.15)

    @takes_long(5)
    def test_nothing_is_left_out_beside_writes_or_what_counts_reads(self):
        for mix, sets in (("read=70%", []), ("read=100%", ["verify=true"]), ("read=100%", ["buffer.split=2"])):
            sample = self.result("--generate", f"mix:{mix},distribution=zipf,requests=1000000", "--sample",
                                 sets=[*SMALL, "buffer.size=1 MiB", "buffer.read_cache=90%", "host.iodepth=8", *sets])["sample"]
            self.assertIsNone(sample["stretch"], (mix, sets))

    def test_a_policy_that_keeps_what_was_dirty_before_is_simulated_whole(self):
        """Such a policy splits the cache by the number of requests in flight, which is one on the instant clock."""
        reads = ("--generate", "mix:read=100%,distribution=zipf,requests=200000")
        sets = [*SMALL, "buffer.size=1 MiB", "buffer.read_cache=90%", 'buffer.replacement="ccf_lru"', "host.iodepth=16"]
        sampled = self.result(*reads, "--sample", sets=sets)
        self.assertIsNone(sampled["sample"])
        self.assertIn("stays in the read cache", sampled["sample_refused"])
        self.assertEqual(sampled["simulated_s"], self.result(*reads, sets=sets)["simulated_s"])

    def test_what_was_left_dirty_before_reads_is_written_in_the_begin(self):
        """The instant clock writes dirty data at once; timed, the flash needs longer for it than the cache to fill."""
        reads = ("--generate", "mix:read=100%,distribution=zipf,requests=150000")
        sets = ["nand.channels=4", "nand.blocks=512", "nand.pages=64", "precondition.fill=1", "buffer.read_cache=90%"]
        whole = self.result(*reads, sets=sets)
        sampled = self.result(*reads, "--sample", sets=sets)
        self.assertGreater(sampled["sample"]["begin_requests"], 4 * 1024)  # four times the buffer
        programs = [result["flash"]["programs"]["total"]["units"] for result in (sampled, whole)]
        self.assert_near(*programs, 0.03)
        self.assert_near(sampled["simulated_s"], whole["simulated_s"], 0.03)

    def test_skewed_writes_take_longer_windows(self):
        sets = [*STEADY, "host.iodepth=32"]
        even, skewed = (self.result("--generate", f"mix:read=0%,requests=400000{distribution}", "--sample", sets=sets)["sample"]
                        for distribution in ("", ",distribution=zipf"))
        self.assertGreater(skewed["warm_up"]["requests"], 1.2 * even["warm_up"]["requests"])

    def test_writes_wait_for_room_on_the_instant_clock_too(self):
        """Overwrites of buffered data overtake waiting writes: both clocks erase equally often (else 0.6 % more)."""
        writes = ("--generate", "mix:read=0%,requests=400000,distribution=zipf")
        sets = [*STEADY, "host.iodepth=32"]
        whole, sampled = self.result(*writes, sets=sets), self.result(*writes, "--sample", sets=sets)
        absorbed = sampled["buffer"]["write_hits"] / sampled["buffer"]["write_units"]
        self.assert_near(sampled["sample"]["bias"]["buffer"], 0.0022 * absorbed, 0.05)
        self.assertEqual(sampled["sample"]["bias"]["slow"], 0.0025)
        more = sampled["wear"]["erases_total"] - whole["wear"]["erases_total"]
        self.assertLess(abs(more) / whole["flash"]["erases"]["total"], 0.003)

    def test_windows_that_are_all_alike_say_nothing_of_what_they_have_not_met(self):
        """Sequential reads in lockstep, which rarely fall out of step."""
        reads = ("--generate", "mix:read=100%,random=0%,size=32KiB,requests=70000")
        sets = ["nand.channels=4", "nand.blocks=512", "nand.pages=64", "precondition.fill=1", "host.iodepth=8"]
        whole = self.result(*reads, sets=sets)
        sampled = self.result(*reads, "--sample", sets=sets)
        interval = sampled["sample"]["intervals"]["simulated_s"]
        self.assertGreater(interval["high"] / interval["low"], 1.009)
        self.assert_holds(sampled, whole, ("simulated_s", "host.read.latency_ns.mean"), widest=1.02, times=1)

    def test_a_tiny_device(self):
        """Runs of the smallest preset are sampled, or simulated whole and reported as such."""
        refused = 0
        for work, sets in (("mix:read=0%,requests=200000", ["precondition.steady=true"]), ("mix:read=50%,requests=100000", ["ftl.kind=dftl"]),
                           ("mix:read=100%,requests=200000", [])):
            sets = ["precondition.fill=1", *sets]
            whole = self.result("--generate", work, sets=sets, device="tiny")
            sampled = self.result("--generate", work, "--sample", sets=sets, device="tiny")
            if sampled["sample"] is None:
                self.assertIn("so small a device", sampled.pop("sample_refused"))
                del sampled["sample"]
                self.assertEqual(sampled, whole)
                refused += 1
                continue
            self.assert_holds(sampled, whole, ("simulated_s", "energy.total_j"), widest=1.25)
        self.assertEqual(refused, 2)  # the runs that write
        stated = self.result("--generate", "mix:read=0%,requests=200000", "--sample", "--sample-warm-up", "600", "--sample-requests", "1200",
                             sets=["precondition.fill=1"], device="tiny")
        self.assertGreaterEqual(stated["sample"]["windows"], 16)

    def test_verified(self):
        sampled = self.result("--generate", "mix:read=50%,requests=200000", "--sample", "--sample-windows", "5", "--sample-requests", "4000",
                              sets=[*STEADY, "verify=true"])
        self.assertGreaterEqual(sampled["sample"]["windows"], 5)
        self.assertEqual(sampled["verify"]["mismatches"], 0)
        self.assertGreater(sampled["verify"]["reads_checked"], 90000)

    def test_jobs_that_run_for_a_time(self):
        path = self.file("timed.fio", "[global]\nioengine=libaio\nrw=randread\nbs=4k\nruntime=3\ntime_based\n"
                                      "[deep]\niodepth=12\n[shallow]\niodepth=4\n")
        whole = self.result("--job", path, sets=SMALL)
        sampled = self.result("--job", path, "--sample", sets=SMALL)
        self.assertGreaterEqual(sampled["sample"]["windows"], 16)
        self.assert_near(sampled["simulated_s"], 3, 0.001)
        for number in (0, 1):
            self.assert_near(sampled["host"]["jobs"][number]["read"]["iops"], whole["host"]["jobs"][number]["read"]["iops"], 0.02)  # 16 windows of 1000 requests
        ramp = self.file("ramp.fio", job(ioengine="libaio", rw="randread", bs="4k", iodepth=8, runtime=2, ramp_time=1, time_based=1))
        self.assert_near(self.result("--job", ramp, "--sample", sets=SMALL)["host"]["read"]["iops"],
                         self.result("--job", ramp, sets=SMALL)["host"]["read"]["iops"], 0.01)

    def test_jobs_that_are_alike_end_together(self):
        file = self.file("alike.fio", job(rw="randread", bs="4k", iodepth=4, size="64m", io_size="640m", numjobs=4))
        whole, sampled = (self.result("--job", file, *more, sets=SMALL) for more in ((), ("--sample",)))
        requests = [each["read"]["ios"] for each in sampled["host"]["jobs"]]
        self.assertEqual(len(requests), 4)
        for each in requests:
            self.assert_near(each, 640 * 256, 0.01)
        self.assert_holds(sampled, whole, ("simulated_s", "host.read.latency_ns.mean"), widest=1.04, times=1)

    def test_windows_go_by_what_jobs_write_in_all(self):
        """One request in 50 writes: an erase unit of all dies, 1,024 units, takes 50,000, too many for 17 windows."""
        file = self.file("beside.fio", "[global]\nioengine=libaio\nbs=4k\nnorandommap\nsize=128m\n"
                                       "[reads]\nrw=randread\niodepth=15\nio_size=3000m\n[writes]\nrw=randwrite\niodepth=1\nio_size=60m\n")
        self.assertIsNone(self.result("--job", file, "--sample")["sample"])

    def test_jobs_that_end_at_different_times_read_what_they_should(self):
        file = self.file("unlike.fio", "[global]\nioengine=libaio\nbs=4k\nnorandommap\nsize=120m\nio_size=300m\nnumjobs=2\n"
                                       "[reads]\nrw=randread\niodepth=12\n[writes]\nrw=randwrite\niodepth=4\n")
        sampled = self.result("--job", file, "--sample", "--sample-warm-up", "2000", "--seed", "3")
        self.assert_near(sampled["host"]["read"]["ios"], 2 * 300 * 256, 0.003)

    def test_until_the_interval_is_narrow(self):
        reads = ("--generate", "mix:read=100%,requests=1800000")
        windows = ("--sample-windows", "20", "--sample-requests", "1000", "--sample-warm-up", "500")
        few = self.result(*reads, "--sample", *windows, sets=[*SMALL, "host.iodepth=16"])
        many = self.result(*reads, *windows, "--sample-error", "1%", sets=[*SMALL, "host.iodepth=16"])
        self.assertIsNone(few["sample"]["error"]["aim"])
        self.assertGreater(few["sample"]["error"]["reached"], 0.012)
        self.assertGreater(many["sample"]["windows"], few["sample"]["windows"])
        self.assertLess(many["sample"]["error"]["reached"], 0.012)

    def phases(self, name, dear, cheap):
        """A trace whose every fifth stretch, shorter than a stratum, has requests (offset, size) = `dear(number)`."""
        lines = []
        for number in range(150000):
            offset, size = (dear if number // 700 % 5 == 0 else cheap)(number * 7919)
            lines.append(f"{number},h,0,Read,{offset},{size},0")
        return self.file(name, "\n".join(lines) + "\n")

    def of_phases(self, path, *more):
        return self.result("--trace", f"{path},format=msr", "--address-fit", "wrap", *more, sets=[*SMALL, "host.replay=closed", "host.iodepth=8"])

    def width(self, result):
        interval = result["sample"]["intervals"]["simulated_s"]
        return (interval["high"] - interval["low"]) / result["simulated_s"]

    PARTS = ("--sample", "--sample-windows", "20", "--sample-requests", "1000", "--sample-warm-up", "500")

    def test_phases_widen_the_interval(self):
        """Phases in which all reads go to one die, which the request sizes do not show."""
        def spread(number):
            return number % 25000 * 4096, 4096
        even = self.phases("even.csv", spread, spread)
        trace = self.phases("phases.csv", lambda number: (number % 1500 * 65536, 4096), spread)
        phases = self.of_phases(trace, *self.PARTS)
        self.assertGreater(self.width(phases), 10 * self.width(self.of_phases(even, *self.PARTS)))
        interval = phases["sample"]["intervals"]["simulated_s"]
        whole = self.of_phases(trace)["simulated_s"]
        self.assertLess(interval["low"], whole)
        self.assertGreater(interval["high"], whole)

    def test_phases_that_sizes_show_are_accounted_for(self):
        """Windows are drawn by request cost and weighted by the bytes read: these phases take 40 % of the time."""
        def small(number):
            return number % 25000 * 4096, 4096
        trace = self.phases("sizes.csv", lambda number: (number % 1500 * 65536, 65536), small)
        whole, sampled = self.of_phases(trace), self.of_phases(trace, *self.PARTS)
        self.assertLess(self.width(sampled), 0.1)
        self.assert_near(sampled["host"]["read"]["bytes"], whole["host"]["read"]["bytes"], 0.001)
        self.assert_near(sampled["simulated_s"], whole["simulated_s"], 0.04)
        self.assert_near(sampled["energy"]["total_j"], whole["energy"]["total_j"], 0.04)

    def test_requests_of_a_trace_that_reads_in_phases(self):
        """Number and bytes of reads are known for the whole run: weights follow both, and writes are the rest."""
        lines = []
        for number in range(150000):
            writes = number * 31 % 10 < (8 if number // 700 % 5 == 0 else 1)
            size = 4096 * (1 if writes else 1 + number // 700 % 3)
            lines.append(f"{number},h,0,{'Write' if writes else 'Read'},{number * 7919 % 25000 * 4096},{size},0")
        path = self.file("reads.csv", "\n".join(lines) + "\n")
        whole, sampled = self.of_phases(path), self.of_phases(path, *self.PARTS)
        for operation in ("read", "write"):
            for figure in ("ios", "bytes"):
                self.assert_near(sampled["host"][operation][figure], whole["host"][operation][figure], 0.005, f"{operation} {figure}")

    def timed(self, mean_us):
        """A timed trace: random writes and reads; one burst of 50 in ten comes ten times as fast as the rest."""
        lines, at = [], 0
        for number in range(200000):
            burst = number // 50 % 10 == 0
            at += (number * 7919 % 997 + 1) * mean_us * 10 // 500 // (10 if burst else 1)
            lines.append(f"{at},h,0,{'Write' if number * 31 % 10 < 3 else 'Read'},{number * 7919 % 25000 * 4096},4096,0")
        return self.file(f"timed{mean_us}.csv", "\n".join(lines) + "\n")

    OF_TRACE = ("--sample", "--sample-windows", "25", "--sample-requests", "2000", "--sample-warm-up", "1000")

    def test_a_trace_at_its_own_times(self):
        """Sampling keeps the trace's clock, and windows begin when the device is at rest."""
        trace = self.timed(400)
        sets = [*STEADY, "host.replay=timed"]
        whole = self.result("--trace", f"{trace},format=msr", sets=sets)
        sampled = self.result("--trace", f"{trace},format=msr", *self.OF_TRACE, sets=sets)
        self.assertGreaterEqual(sampled["sample"]["windows"], 20)
        self.assertEqual(sampled["sample"]["overloaded"], 0)
        self.assert_near(sampled["simulated_s"], whole["simulated_s"], 0.003)
        self.assert_near(sampled["energy"]["total_j"], whole["energy"]["total_j"], 0.01)
        self.assert_near(sampled["ftl"]["waf"], whole["ftl"]["waf"], 0.04)
        for name, figure, share in (("read", "mean", 0.04), ("write", "mean", 0.1), ("read", "p50", 0.02), ("read", "p99", 0.05)):
            self.assert_near(sampled["host"][name]["latency_ns"][figure], whole["host"][name]["latency_ns"][figure], share, f"{name} {figure}")

    def test_a_trace_faster_than_the_device(self):
        """The sampled clock is right; there are no latency intervals, since the backlog is only estimated."""
        sampled = self.result("--trace", f"{self.timed(10)},format=msr", *self.OF_TRACE, sets=[*STEADY, "host.replay=timed"])
        self.assertGreater(sampled["sample"]["overloaded"], 10)
        self.assertIsNone(sampled["sample"]["intervals"]["host.read.latency_ns.mean"])
        self.assertIsNotNone(sampled["sample"]["intervals"]["energy.total_j"])

    def test_background_work_between_requests_of_a_trace(self):
        """The device collects in its idle time on both clocks, so the host waits for less."""
        trace = self.timed(2000)
        sets = [*STEADY, "host.replay=timed", "ftl.gc_background=6", 'ftl.gc_idle_time="2 ms"']
        whole = self.result("--trace", f"{trace},format=msr", sets=sets)
        sampled = self.result("--trace", f"{trace},format=msr", *self.OF_TRACE, sets=sets)
        # Dies are collected in waves: a window contains a whole wave or none.
        self.assert_holds(sampled, whole, ("ftl.waf", "host.read.latency_ns.mean", "energy.total_j"), widest=2)

    def test_too_short_a_run_is_simulated_whole(self):
        short = ("--generate", "mix:read=0%,requests=5000")
        whole = self.result(*short)
        sampled = self.result(*short, "--sample")
        self.assertIsNone(sampled.pop("sample"))
        self.assertEqual(sampled.pop("sample_refused"), "the run is too short for windows that forget their begin")
        self.assertEqual(sampled, whole)
        segments = self.result(*short, "--segments", "4")
        self.assertIsNone(segments.pop("segments"))
        self.assertEqual(segments, whole)

    def test_segments_are_the_whole_run(self):
        writes = ("--generate", "mix:read=30%,requests=60000")
        whole = self.result(*writes)
        for segments in (2, 5):
            parts = self.result(*writes, "--segments", str(segments))
            self.assertEqual(parts["segments"]["segments"], segments)
            self.assertEqual(len(parts["segments"]["seams"]), segments - 1)
            self.assertEqual(parts["host"]["completions"], 60000)
            self.assertEqual(parts["host"]["read"]["ios"] + parts["host"]["write"]["ios"], 60000)
            for name in ("read", "write"):
                # At the seams one segment may measure the read and another one the write of the same request.
                self.assertLess(abs(parts["host"][name]["ios"] - whole["host"][name]["ios"]), 40 * segments)
            error = parts["segments"]["error"]["simulated_s"]
            self.assertLess(error, 0.1)
            self.assert_near(parts["simulated_s"], whole["simulated_s"], error)
            self.assert_near(parts["ftl"]["waf"], whole["ftl"]["waf"], 0.01)
            self.assert_near(parts["energy"]["total_j"], whole["energy"]["total_j"], 0.01)

    def test_from_a_saved_state(self):
        words = [word for override in STEADY for word in ("--set", override)]
        state = self.scratch / "peer.state"
        self.assertEqual(self.start("precondition", str(PEER), *words, "--state", str(state)).returncode, 0)
        words = [word for override in STEADY[:2] for word in ("--set", override)]
        done = self.start("run", str(PEER), *words, *WRITES, "--sample", "--state", str(state), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        loaded = json.loads(done.stdout)
        anew = self.result(*WRITES, "--sample")
        self.assertEqual(loaded["sample"], anew["sample"])
        self.assertEqual(loaded["host"], anew["host"])

    def test_an_interrupted_one_writes_nothing(self):
        out = self.scratch / "interrupted"
        words = [word for override in STEADY for word in ("--set", override)]
        with subprocess.Popen([PROGRAM, "run", PEER, *words, "--generate", "mix:read=0%,requests=100000000", "--sample", "--out", out],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            time.sleep(2)
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(timeout=30), 130)
        self.assertFalse((out / "result.json").exists())

    TIER = [*SMALL, 'hdd.capacity="4 GiB"', 'tier.segment="1 MiB"', "host.iodepth=16"]
    HOT = "distribution=hot_cold,hot_space=5%,hot_access=99.5%,scatter=false,size=16KiB"
    OF_TIER = ("--sample", "--sample-windows", "20", "--sample-requests", "3000", "--sample-warm-up", "1500")

    @takes_long(12)
    def test_a_tier(self):
        """Host, tier and HDD stay timed between the windows, too, so their counts do not depend on the windows."""
        work = ("--generate", f"mix:{self.HOT},requests=300000")
        for policy in ("write_back", '{ name = "write_invalidate", fill = "read" }'):
            sets = [*self.TIER, f"tier.policy={policy}"]
            whole = self.result(*work, sets=sets)
            sampled = self.result(*work, *self.OF_TIER, sets=sets)
            self.assertEqual(sampled["sample"]["windows"], 20)
            self.assert_near(sampled["tier"]["requests"]["reads"] + sampled["tier"]["requests"]["writes"], 300000, 1e-9)
            self.assert_near(sampled["tier"]["requests"]["hit_ratio"], whole["tier"]["requests"]["hit_ratio"], 0.01)
            # Which fills find room depends on time.
            self.assert_near(sampled["tier"]["filled_segments"], whole["tier"]["filled_segments"], 0.08)
            # 0 to 8 % of 9,000 apart over four seeds, depending on which 700 exchanges occur.
            self.assert_near(sampled["hdd"]["media"]["reads"], whole["hdd"]["media"]["reads"], 0.1)
            self.assertLess(sampled["sample"]["clock_error"], 0.5)
            self.assert_holds(sampled, whole, ("simulated_s", "host.read.latency_ns.mean", "energy.total_j"), widest=1.3)

    @takes_long(22)
    def test_passes_of_a_tier(self):
        """Passes come in gaps of the trace's clock, which is kept between the windows; some windows begin in passes."""
        work = ("--generate", f"bursts:{self.HOT},on=1s,off=2s,rate=200,requests=260000")
        sets = [*self.TIER, "tier.policy=pwc", 'tier.pass="idle"', 'tier.pass_idle="500 ms"', 'tier.pass_interval="30 s"', "host.replay=timed"]
        whole = self.result(*work, sets=sets)
        out = self.simulate(PEER, *work, *self.OF_TIER, sets=sets)
        sampled = json.loads((out / "result.json").read_text())
        self.assertGreater(whole["tier"]["passes"], 60)
        self.assertLess(abs(sampled["tier"]["passes"] - whole["tier"]["passes"]), 2)
        self.assertEqual(len((out / "tier_passes.csv").read_text().splitlines()), sampled["tier"]["passes"] + 1)
        self.assert_near(sampled["tier"]["passes_s"], whole["tier"]["passes_s"], 0.05)
        self.assert_near(sampled["tier"]["requests"]["hit_ratio"], whole["tier"]["requests"]["hit_ratio"], 0.003)
        self.assert_near(sampled["simulated_s"], whole["simulated_s"], 0.002)
        self.assert_near(sampled["ftl"]["waf"], whole["ftl"]["waf"], 0.05)
        self.assert_holds(sampled, whole, ("host.read.latency_ns.mean", "energy.total_j"), widest=4)
        # Only passes make writes wait, and few windows meet one: depending on their places the mean is 27 to 135 us.
        self.assertLess(whole["host"]["write"]["latency_ns"]["mean"], sampled["sample"]["intervals"]["host.write.latency_ns.mean"]["high"])
        # One read in a hundred waits for a program or an erase: both clocks put the data on the same dies.
        self.assert_near(sampled["host"]["read"]["latency_ns"]["p99"], whole["host"]["read"]["latency_ns"]["p99"], 0.1)
        again = self.simulate(PEER, *work, *self.OF_TIER, sets=sets)
        self.assertEqual((out / "result.json").read_bytes(), (again / "result.json").read_bytes())

    def test_passes_by_a_wrong_clock_widen_the_intervals(self):
        """Half of the run is a pass: the intervals include the clock error."""
        work = ("--generate", f"mix:{self.HOT},requests=300000")
        sets = [*self.TIER, 'tier.patience="10 ms"', 'tier.pass="daily"', 'tier.day="60 s"', 'tier.pass_at="20 s"']
        sampled = self.result(*work, *self.OF_TIER, sets=[*sets, "tier.policy=pwc"])
        interval = sampled["sample"]["intervals"]["simulated_s"]
        self.assertGreaterEqual(interval["high"] / sampled["simulated_s"] - 1, 0.99 * sampled["sample"]["clock_error"])
        self.assertGreater(sampled["sample"]["clock_error"], 0)

    @takes_long(5)
    def test_a_tier_in_segments(self):
        work = ("--generate", f"mix:{self.HOT},requests=60000")
        for policy in ("write_back", "hdd_only"):
            sets = [*self.TIER, f"tier.policy={policy}", "verify=true"]
            whole = self.result(*work, sets=sets)
            parts = self.result(*work, "--segments", "3", sets=sets)
            self.assertEqual(len(parts["segments"]["seams"]), 2)
            self.assertEqual(parts["host"]["completions"], 60000)
            self.assertEqual(parts["verify"]["mismatches"], 0)
            self.assert_near(parts["simulated_s"], whole["simulated_s"], parts["segments"]["error"]["simulated_s"] + 0.005)
            if policy == "hdd_only":  # without an SSD segments equal the whole run to the byte
                self.assert_near(parts["simulated_s"], whole["simulated_s"], 1e-9)
                self.assertEqual(parts["hdd"], whole["hdd"])

    def test_what_cannot_be_split_is_refused(self):
        rate = self.file("rate.fio", job(rw="randread", bs="4k", rate_iops=1000, io_size="1m"))
        stone = self.file("stone.fio", "[global]\nrw=randread\nbs=4k\nio_size=1m\n[one]\n[two]\nstonewall\n")
        for option in (("--sample",), ("--segments", "4")):
            for arguments, said in (
                    ((*WRITES, "--set", 'power.cut_at="1 ms"'), "power.cut_at and power.cuts strike at one instant of a whole run"),
                    ((*WRITES, "--set", 'host.cache.size="1 MiB"'), "host.cache.size makes a page cache, which writes back by time"),
                    ((*WRITES, *(word for one in (*self.TIER, 'tier.ssd_fails_at="1 s"') for word in ("--set", one))),
                     "tier.ssd_fails_at is one instant of a whole run"),
                    ((*WRITES, "--plots", "--out", str(self.scratch / "plots")), "--plots is of a run that is simulated from begin to end"),
                    ((*WRITES, "--untimed"), "does not go together with --untimed"),
                    (("--job", rate), "job work sends its requests at a pace of its own"),
                    (("--job", stone), "job two begins or ends with another one")):
                done = self.start("run", "tiny", *arguments, *option)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"{option[0]}: {said}" if "--plots" not in arguments else said, done.stderr)
        trace = self.file("timed.csv", "0,h,0,Read,0,4096,0\n10,h,0,Read,4096,4096,0\n")
        done = self.start("run", "tiny", "--trace", f"{trace},format=msr", "--segments", "4", "--set", "host.replay=timed")
        self.assertIn("--segments: job timed.csv is replayed at its own times; set host.replay=closed", done.stderr)
        done = self.start("run", "tiny", *WRITES, "--sample-windows", "9")
        self.assertIn("--sample-windows: is of --sample, which is not given", done.stderr)
        done = self.start("run", "tiny", *WRITES, "--sample-error", "3")
        self.assertIn("--sample-error: 3 is out of range; valid: more than 0 %, less than 100 %", done.stderr)
        done = self.start("run", "tiny", *WRITES, "--sample", "--sample-requests", "100", "--sample-warm-up", "100")
        self.assertIn("--sample-warm-up: 100 of windows of 100 requests (--sample-requests) leaves nothing to measure", done.stderr)
        done = self.start("run", "tiny", *WRITES, "--sample", "--segments", "4")
        self.assertIn("--segments: does not go together with --sample", done.stderr)


if __name__ == "__main__":
    unittest.main()
