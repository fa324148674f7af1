"""The controller's cores and DRAM: every option has an effect, results fit their schema and repeat, bad input is
refused."""
import unittest

import schemas
from program import DIFFERS, FALLS, ProgramCase, RISES, at, job


READS = job(rw="randread", bs="4k", iodepth=1, size="100%", io_size="1m")
DEEP_READS = job(rw="randread", bs="4k", iodepth=64, size="100%", io_size="4m")
WRITES = job(rw="randwrite", bs="4k", iodepth=4, size="100%", io_size="4m")
MIXED = job(rw="randrw", bs="4k", iodepth=16, size="100%", io_size="8m")
PAUSES = job(rw="randread", bs="4k", iodepth=8, size="100%", io_size="4m", thinktime="2ms", thinktime_blocks=64)

READ = "host.read.latency_ns.mean"
SECONDS = "simulated_s"
FILLED = ["precondition.fill=1"]
SLOW = [*FILLED, "cpu.clock=5 MHz", "cpu.cores=4"]
POINTS = ('cpu.points=[{ clock = "20 MHz", active_power = "4 mW", idle_power = "1 mW" }, '
          '{ clock = "100 MHz", active_power = "30 mW", idle_power = "2 mW" }]')
GOVERNED = [*FILLED, POINTS, "cpu.governor=ondemand", "cpu.sampling_interval=200 us", "cpu.transition_latency=10 us"]
CHANGES = "cpu.cores.0.transitions"
BANKED = [*FILLED, "dram.kind=ddr3_1600", "dram.model=banked", "dram.size=16 MiB"]
TIGHT = [*BANKED, "dram.bandwidth=100 GB/s"]  # the bus hides no DRAM latency

# option: workload, common overrides, values from and to, figure, expected effect
TABLE = [
    ("cpu.host_cores", DEEP_READS, SLOW, "[0]", "[0, 2]", SECONDS, FALLS),
    ("cpu.ftl_cores", DEEP_READS, SLOW, "[0]", "[1, 2]", SECONDS, FALLS),
    ("cpu.flash_cores", DEEP_READS, SLOW, "[0]", "[1, 3]", SECONDS, FALLS),
    ("cpu.spread", DEEP_READS, [*SLOW, "cpu.flash_cores=[2, 3]"], "round_robin", "affinity", "utilization.cores.2", DIFFERS),
    ("cpu.point", READS, [*FILLED, POINTS], "0", "1", READ, FALLS),
    ("cpu.governor", DEEP_READS, [*FILLED, POINTS], "fixed", "ondemand", SECONDS, FALLS),
    ("cpu.sampling_interval", PAUSES, GOVERNED, "200 us", "20 ms", CHANGES, FALLS),
    ("cpu.transition_latency", PAUSES, GOVERNED, "1 us", "500 us", READ, RISES),
    ("cpu.up_threshold", PAUSES, GOVERNED, "40 %", "100 %", CHANGES, DIFFERS),
    ("cpu.down_threshold", PAUSES, GOVERNED, "0 %", "30 %", "cpu.cores.0.points.0.idle_s", DIFFERS),
    ("cpu.voltage", READS, [*FILLED, 'cpu.points=[{ clock = "100 MHz", voltage = "1 V" }]'], "1 V", "2 V", "energy.total_j", FALLS),
    ("cpu.sleep_time", PAUSES, FILLED, "1 s", "50 us", "cpu.cores.0.sleeps", RISES),
    ("cpu.sleep_power", PAUSES, [*FILLED, "cpu.sleep_time=50 us"], "0 W", "1 W", "energy.background_j", RISES),
    ("cpu.wake_latency", PAUSES, [*FILLED, "cpu.sleep_time=50 us"], "0 s", "100 us", READ, RISES),
    ("dram.kind", READS, [*FILLED, "dram.model=banked"], "ddr3_1600", "lpddr4_3200", "dram.rows.bursts", FALLS),
    ("dram.model", READS, [*FILLED, "dram.kind=ddr3_1600", "dram.size=16 MiB"], "flat", "banked", READ, DIFFERS),
    ("dram.controller_latency", READS, BANKED, "0 s", "1 us", READ, RISES),
    ("dram.activate_energy", READS, BANKED, "1 nJ", "100 nJ", "energy.operations.dram/activate.j", RISES),
    ("dram.open_power", READS, BANKED, "1 mW", "1 W", "energy.operations.dram/open.j", RISES),
    ("dram.refresh_time", READS, BANKED, "160 ns", "3 us", READ, RISES),
    ("dram.refresh_interval", READS, BANKED, "7800 ns", "1 us", READ, RISES),
    ("dram.timing.banks", MIXED, BANKED, "16", "1", "dram.rows.conflicts", RISES),
    ("dram.timing.row_size", MIXED, BANKED, "4096 B", "512 B", "dram.rows.hits", FALLS),
    ("dram.timing.burst", READS, BANKED, "32 B", "64 B", "dram.rows.bursts", FALLS),
    ("dram.timing.row_column", READS, BANKED, "12500 ps", "1 us", READ, RISES),
    ("dram.timing.precharge", READS, [*TIGHT, "dram.timing.banks=1"], "12500 ps", "1 us", READ, RISES),
    ("dram.timing.row_active", READS, TIGHT, "35 ns", "5 us", READ, RISES),
    ("dram.timing.column_read", READS, BANKED, "12500 ps", "1 us", READ, RISES),
    ("dram.timing.column_write", READS, BANKED, "10 ns", "1 us", READ, RISES),
    ("dram.timing.read_precharge", READS, [*TIGHT, "dram.timing.banks=1"], "7500 ps", "5 us", READ, RISES),
    ("dram.timing.write_recovery", READS, [*TIGHT, "dram.timing.banks=1"], "15 ns", "5 us", READ, RISES),
    ("dram.timing.write_read", READS, BANKED, "7500 ps", "1 us", READ, RISES),
    ("dram.timing.row_row", READS, TIGHT, "7500 ps", "5 us", READ, RISES),
    ("dram.timing.four_activates", READS, [*TIGHT, "dram.timing.row_size=512 B"], "40 ns", "10 us", READ, RISES),
]

# overrides, and parts of the expected message
REFUSED = [
    (["cpu.host_cores=[0, 2]"], ["cpu.host_cores", "no core 2", "0 .. 1"]),
    (["cpu.host_cores=[\"a\"]"], ["cpu.host_cores"]),
    (["cpu.governor=ondemand"], ["cpu.governor", "two cpu.points"]),
    (["cpu.point=1"], ["cpu.point", "no cpu.points"]),
    ([POINTS, "cpu.point=2"], ["cpu.point", "0 .. 1"]),
    (['cpu.points=[{ clock = "1 GHz", active_power = "1 W" }, { clock = "1 GHz", active_power = "1 W" }]'],
     ["cpu.points", "not faster"]),
    (['cpu.points=[{ clock = "1 GHz" }]'], ["cpu.points", "active_power"]),
    (['cpu.points=[{ clok = "1 GHz" }]'], ["cpu.points.clok", "valid: clock"]),
    ([POINTS, "cpu.model=ideal"], ["cpu.points", "ideal"]),
    (["cpu.sleep_time=1 ms", "cpu.model=ideal"], ["cpu.sleep_time", "ideal"]),
    (["cpu.down_threshold=90 %"], ["cpu.down_threshold", "up_threshold"]),
    (["dram.model=banked"], ["dram.model", "dram.kind"]),
    (["dram.kind=ddr5"], ["dram.kind", "lpddr4_3200"]),
    ([*BANKED, "dram.timing.row_size=1000 B"], ["dram.timing.row_size", "dram.timing.burst"]),
    ([*BANKED, "dram.timing.burst=0 B"], ["dram.timing.burst"]),
    ([*BANKED, "dram.bandwidth=0 B/s"], ["dram.bandwidth"]),
]


class Controller(ProgramCase):
    def run_job(self, text, sets):
        return self.result("tiny", "--job", self.file("job.fio", text), sets=sets)

    def test_every_option_does_something(self):
        for option, workload, common, old, new, path, effect in TABLE:
            with self.subTest(option=option, value=new):
                before, after = (at(self.run_job(workload, [*common, f"{option}={value}"]), path) for value in (old, new))
                self.assert_moves(before, after, effect)

    def test_results_fit_their_schema_and_repeat(self):
        for sets in (BANKED, GOVERNED, [*GOVERNED, "cpu.sleep_time=100 us", "verify=true", "power.cut_at=3 ms"],
                     [*BANKED, "verify=true", "power.cut_at=3 ms"]):
            with self.subTest(sets=sets):
                result = self.run_job(MIXED, sets)
                schemas.check(result, "result")
                self.assertEqual(result, self.run_job(MIXED, sets))
                if result["verify"] is not None:
                    self.assertEqual(result["verify"]["mismatches"], 0)

    def test_identities(self):
        rows = self.run_job(MIXED, BANKED)["dram"]["rows"]
        self.assertEqual(rows["hits"] + rows["misses"] + rows["conflicts"], rows["bursts"])
        result = self.run_job(PAUSES, [*GOVERNED, "cpu.sleep_time=100 us"])
        window = result["window"]["end_s"] - result["window"]["begin_s"]
        for core in result["cpu"]["cores"]:
            self.assertAlmostEqual(sum(point["idle_s"] + point["busy_s"] for point in core["points"]) + core["sleep_s"] +
                                   core["off_s"], window, places=12)

    def test_bad_input_is_refused(self):
        file = self.file("job.fio", READS)
        for sets, names in REFUSED:
            with self.subTest(sets=sets):
                done = self.start("run", "tiny", "--job", file, *(word for each in sets for word in ("--set", each)))
                self.assertEqual(done.returncode, 2, done.stderr)
                for name in names:
                    self.assertIn(name, done.stderr)


if __name__ == "__main__":
    unittest.main()
