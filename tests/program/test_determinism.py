"""Same inputs give the same bytes; observers change nothing."""
import json
import unittest

from program import ProgramCase, job, msr, without

MIXED = job(rw="randrw", rwmixread=50, bs="4k", iodepth=8, size="100%", io_size="16m")


class Determinism(ProgramCase):
    def setUp(self):
        super().setUp()
        self.job = self.file("mixed.fio", MIXED)

    def bytes_of(self, *arguments, sets=(), quiet=True):
        out = self.simulate("tiny", "--job", self.job, *arguments, sets=["precondition.fill=1", *sets], quiet=quiet)
        return (out / "result.json").read_bytes()

    def test_same_seed_same_bytes(self):
        first = self.bytes_of("--seed", 7)
        self.assertGreater(json.loads(first)["ftl"]["gc_runs"], 0)
        self.assertEqual(first, self.bytes_of("--seed", 7))

    def test_another_seed_another_run(self):
        one, other = (json.loads(self.bytes_of("--seed", seed)) for seed in (7, 8))
        self.assertEqual((one["seed"], other["seed"]), (7, 8))
        self.assertNotEqual(one["simulated_s"], other["simulated_s"])
        self.assertNotEqual(one["host"], other["host"])

    def test_steady_preconditioning_is_determined(self):
        sets = ["precondition.steady=true"]
        self.assertEqual(self.bytes_of("--seed", 7, sets=sets), self.bytes_of("--seed", 7, sets=sets))

    def test_verify_only_observes(self):
        off, on = (json.loads(self.bytes_of(sets=[f"verify={value}"])) for value in ("false", "true"))
        self.assertIsNone(off["verify"])
        self.assertGreater(on["verify"]["reads_checked"], 0)
        self.assertTrue(on["config"]["verify"])
        leave_out = ("verify", "config.verify")
        self.assertEqual(without(off, *leave_out), without(on, *leave_out))

    def test_read_ahead_of_a_trace_only_bounds_memory(self):
        lines = msr([(0, "Read", 4096 * (n * 37 % 4096), 4096) for n in range(200)])
        trace = self.file("burst.csv", lines)
        sets = ["precondition.fill=1", "host_interface.queue_depth=4"]
        far, near = (self.result("tiny", "--trace", trace, sets=[*sets, f"host.backlog={n}"]) for n in (65536, 2))
        self.assertGreater(far["host"]["late_requests"], 0)
        self.assertEqual(without(far, "config.host.backlog"), without(near, "config.host.backlog"))

    def test_quiet_and_out_do_not_matter(self):
        self.assertEqual(self.bytes_of(quiet=True), self.bytes_of(quiet=False))
        loud, quiet = (self.start("run", "tiny", "--job", self.job, *more) for more in ([], ["--quiet"]))
        self.assertIn("simulated", loud.stdout)
        self.assertEqual(quiet.stdout, "")
        self.assertEqual((loud.returncode, quiet.returncode), (0, 0))


if __name__ == "__main__":
    unittest.main()
