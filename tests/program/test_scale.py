"""Memory that large devices and long runs take on the host computer."""
import json
import subprocess
import sys
import unittest

from program import PROGRAM, ROOT, ProgramCase, job, takes_long

RUNS_WITH = "Release"  # what it measures is the memory of the model, not of a sanitizer
MIB = 2**20
LARGE = ["ftl.mapping_unit=16 KiB", "ftl.logical_size=16 TiB", "dram.size=8 GiB"]  # 2^30 units; the map of 4 GiB fits
THOUSAND_DIES = ["nand.ways=16", "nand.dies=8", "nand.blocks=520"]  # of 8 channels; 18720 MiB each


class Scale(ProgramCase):
    def memory(self, device, *arguments, sets=()):
        """Peak memory of a run in bytes, and its result."""
        out = self.simulate(device, *arguments, sets=sets)
        return json.loads((out / "run.json").read_text())["peak_rss_bytes"], json.loads((out / "result.json").read_text())

    def test_16_tib_on_1024_dies_take_memory_where_they_are_touched(self):
        memory, result = self.memory("nvme-tlc-1tb", "--generate", "mix:requests=2000,size=16 KiB", sets=[*LARGE, *THOUSAND_DIES])
        self.assertEqual(result["device"]["capacity_bytes"], 2**44)
        self.assertEqual(len(result["utilization"]["dies"]), 1024)
        self.assertEqual(result["host"]["completions"], 2000)
        # Full tables would take 14 GB. Used: a page of 4 KiB of the map per write, three per die for open blocks, and
        # the table of 532,480 blocks.
        self.assertLess(memory, 450 * MIB)

    def test_smaller_units_than_can_be_numbered_are_refused(self):
        done = self.start("run", "nvme-tlc-1tb", "--generate", "mix:requests=1", *(
            word for override in [*LARGE[1:], *THOUSAND_DIES] for word in ("--set", override)))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"nvme-tlc-1tb\.toml:\d+: ftl\.mapping_unit: .*2\^32 - 2 mapping units of 4 KiB; valid: at least 8 KiB")

    def test_a_terabyte_filled_takes_little_memory_until_it_is_written(self):
        """The fill is stored as a rule (docs/adr/0058): some bytes an erase unit and a piece of the map."""
        reads = ("--job", self.file("read.fio", job(rw="randread", bs="4k", iodepth=32, size="100%", io_size="8m")))
        memory, result = self.memory("nvme-tlc-1tb", *reads, sets=["precondition.fill=1"])
        self.assertEqual(result["precondition"]["filled_bytes"], result["device"]["capacity_bytes"])
        self.assertLess(memory, 60 * MIB)
        # A random write takes 16 to 32 bytes beside the map, unless it stays in the buffer.
        writes = ("--job", self.file("write.fio", job(rw="randwrite", bs="4k", iodepth=32, size="100%", io_size="128m")))
        memory, _ = self.memory("nvme-tlc-1tb", *writes, sets=["precondition.fill=1"])
        self.assertLess(memory, 160 * MIB)

    def test_bytes_a_unit_and_a_page(self):
        """22 bits for each place and for each word, at most 6 bytes per mapping unit and 2 per page, with the whole
        model on: 18 GiB of TLC flash, empty and full. (A terabyte takes 28 bits: 7 bytes.)"""
        for unit, per_page in (("4 KiB", 4), ("16 KiB", 1)):
            sets = [f"ftl.mapping_unit={unit}", "ftl.logical_size=10 GiB", "nand.blocks=16", "nand.pages=1152", "buffer.size=16 MiB"]
            reads = ("--job", self.file("read.fio", job(rw="randread", bs="16k", iodepth=8, size="1m", io_size="1m")))
            empty, _ = self.memory("nvme-tlc-1tb", *reads, sets=sets)
            # A buffer policy with history makes the fill go unit by unit.
            full, _ = self.memory("nvme-tlc-1tb", *reads, sets=[*sets, "precondition.fill=1", "buffer.replacement=arc"])
            pages = 32 * 2 * 16 * 1152
            self.assertLess(full - empty, pages * (6 * per_page + 2) + 4 * MIB, unit)
            # Spare words alone: proves that it is really filled.
            self.assertGreater(full - empty, pages * 22 / 8 * per_page * 0.7, unit)

    @takes_long(20)
    def test_a_longer_run_takes_no_more_memory_however_garbage_is_collected(self):
        """Includes collection that is always behind, as with a high gc_low, so that its lists never run empty."""
        small = ["nand.blocks=128", "nand.pages=64", "ftl.over_provisioning=30%", "precondition.fill=1", "precondition.steady=true"]
        for more in (["ftl.gc_low=20", "ftl.gc_high=21"], ["ftl.gc_low=10", "ftl.gc_high=20"], ["ftl.gc_low=20", "ftl.gc_high=21", "ftl.gc_mode=blocking"],
                     ["ftl.gc_low=20", "ftl.gc_high=21", "ftl.gc_pause=4"], ["ftl.gc_low=5", "ftl.gc_high=6", "ftl.gc_unit=superblock"],
                     ["ftl.gc_low=20", "ftl.gc_high=21", "ftl.streams=single", "ftl.wear_leveling=static"]):
            short, long = (self.memory(ROOT / "bench/peer.toml", "--generate", f"mix:read=0%,requests={requests}", sets=[*small, *more])[0]
                           for requests in (40000, 240000))
            self.assertLess(long - short, 3 * MIB, more)

    def test_a_longer_trace_takes_no_more_memory(self):
        done = subprocess.run([sys.executable, ROOT / "experiments/scale/stream.py", "--requests", "200000", "--program", PROGRAM,
                               "--out", self.scratch], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (self.scratch / "stream.csv").read_text().splitlines()
        self.assertEqual(done.stdout.splitlines(), lines)
        rows = [[float(cell) for cell in line.split(",")] for line in lines[1:]]
        self.assertEqual([row[0] for row in rows], [2000, 20000, 200000])
        # 180,000 requests of 16 bytes would be 2.9 MB; the power and latency figures grow to a bound.
        self.assertLess(rows[2][2] - rows[1][2], 2.5)


if __name__ == "__main__":
    unittest.main()
