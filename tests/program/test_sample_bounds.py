"""What sampled runs and segments say of their errors."""
import json
import unittest

from program import ROOT, ProgramCase, takes_long

PEER = ROOT / "bench/peer.toml"
STEADY = ["nand.blocks=160", "nand.pages=64", "precondition.fill=1", "precondition.steady=true"]
WORDS = [word for override in STEADY for word in ("--set", override)]


class SampleBounds(ProgramCase):
    def run_of(self, *arguments):
        """(result.json, lines of the summary)"""
        out = self.scratch / "out"
        done = self.start("run", str(PEER), *WORDS, *arguments, "--out", str(out))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((out / "result.json").read_text()), done.stdout.splitlines()

    @takes_long(5)
    def test_segments_state_their_error(self):
        """It holds at a confidence of 95 %: ten seeds of steady writes, of which one may miss."""
        state = ("--state", str(self.scratch / "steady.state"))
        self.assertEqual(self.start("precondition", str(PEER), *state, *WORDS).returncode, 0)
        missed = {"simulated_s": 0, "latency_mean": 0}
        for seed in range(1, 11):
            writes = ("--generate", "mix:read=0%,requests=100000", "--seed", str(seed), *state)
            whole, parts = self.run_of(*writes)[0], self.run_of(*writes, "--segments", "8")[0]
            for name, of in (("simulated_s", lambda result: result["simulated_s"]),
                             ("latency_mean", lambda result: result["host"]["write"]["latency_ns"]["mean"])):
                missed[name] += abs(of(parts) / of(whole) - 1) > parts["segments"]["error"][name]
        self.assertLessEqual(max(missed.values()), 1)

    def test_windows_that_do_not_settle_bound_nothing(self):
        result, lines = self.run_of("--generate", "mix:read=0%,requests=300000", "--sample", "--sample-requests", "1200")
        sample = result["sample"]
        self.assertFalse(sample["warm_up"]["settled"])
        self.assertEqual({None}, {sample["error"]["reached"], *sample["intervals"].values()})
        for line in (lines[-1], next(line for line in lines if line.startswith("  sample "))):
            self.assertIn("not settled: windows still changed when they ended, so nothing bounds the estimates", line)


if __name__ == "__main__":
    unittest.main()
