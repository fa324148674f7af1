"""Defects that users reported of other simulators must not occur here."""
import unittest

from program import CAPTURED, ROOT, ProgramCase, job

RATES = (40, 100, 200, 333, 533, 800, 1000, 1600)


class Peers(ProgramCase):
    def test_throughput_rises_with_transfer_rate(self):
        path = self.file("read.fio", job(rw="read", bs="64k", iodepth=16, size="16m"))
        bandwidths = [self.result("tiny", "--job", path, sets=["precondition.fill=1", "cpu.model=ideal", "nand.ways=4",
                                                             f"nand.transfer_rate={rate} MT/s"]
                                  )["host"]["read"]["bandwidth_bytes_per_s"] for rate in RATES]
        for slower, faster in zip(bandwidths, bandwidths[1:]):
            self.assertLess(slower, faster)
        # At 40 MT/s the two channels limit: 4 KiB and 7 command cycles of 25 ns per page.
        self.assertAlmostEqual(bandwidths[0] / (2 * 4096 / (4096 / 40e6 + 7 * 25e-9)), 1, delta=0.02)

    def test_reads_of_never_written_pages_touch_no_flash(self):
        path = self.file("read.fio", job(rw="randread", bs="4k", iodepth=4, size="100%", io_size="4m"))
        result = self.result("tiny", "--job", path)
        self.assertEqual(result["host"]["read"]["ios"], 1024)
        self.assertEqual(result["flash"]["reads"]["total"]["pages"], 0)
        self.assertNotIn("nand.read", {name for name, one in result["energy"]["operations"].items() if one["j"] > 0})
        filled = self.result("tiny", "--job", path, sets=["precondition.fill=1"])
        # The data buffer of 256 pages may serve some of the 1024 reads.
        self.assertGreater(filled["flash"]["reads"]["host"]["pages"], 1024 - 256)

    def test_collection_is_counted_when_it_is_done(self):
        """In a short window with a high gc_low, decisions run far ahead of the flash: WAF still nearly equals that of
        an untimed run."""
        sets = ["nand.blocks=128", "nand.pages=64", "ftl.over_provisioning=30%", "precondition.fill=1", "precondition.steady=true",
                "ftl.gc_low=20", "ftl.gc_high=21"]
        writes = ("--generate", "mix:read=0%,requests=20000")
        timed, untimed = (self.result(ROOT / "bench/peer.toml", *writes, *more, sets=sets) for more in ([], ["--untimed"]))
        self.assertAlmostEqual(timed["ftl"]["waf"] / untimed["ftl"]["waf"], 1, delta=0.015)
        copies = timed["ftl"]["valid_units_moved"]
        # An eighth of a block per die, and one victim.
        self.assertLess(copies - timed["flash"]["programs"]["gc"]["pages"], 16 * (8 + 64))

    def test_preconditioning_works_with_a_trace(self):
        trace = ("--trace", CAPTURED / "sqlite.iolog.xz", "--max-requests", 1500, "--address-fit", "wrap")
        fresh, full = (self.result("tiny", *trace, sets=["host.replay=closed", "verify=true", *more])
                       for more in ([], ["precondition.fill=1", "precondition.steady=true"]))
        self.assertEqual(fresh["precondition"]["filled_bytes"], 0)
        self.assertEqual(full["precondition"]["filled_bytes"], full["device"]["capacity_bytes"])
        self.assertGreater(full["precondition"]["passes"], 0)
        self.assertGreater(full["ftl"]["gc_runs"], fresh["ftl"]["gc_runs"])
        for result in (fresh, full):
            self.assertEqual(result["host"]["requests"], 1500)
            self.assertEqual(result["host"]["completions"], 1500)
            self.assertEqual(result["verify"]["mismatches"], 0)

    def test_no_request_is_lost_at_any_depth(self):
        for depth in (1, 7, 64, 1024):
            with self.subTest(depth=depth):
                path = self.file("mixed.fio", job(rw="randrw", bs="8k", iodepth=depth, size="100%", io_size="8m"))
                result = self.result("tiny", "--job", path, sets=["precondition.fill=1"])
                self.assertEqual((result["host"]["requests"], result["host"]["completions"]), (1024, 1024))


if __name__ == "__main__":
    unittest.main()
