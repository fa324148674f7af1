"""What a run leaves behind: every field, and the sums that must hold between them."""
import gzip
import json
import lzma
import unittest

from program import CAPTURED, ProgramCase, job, without

KINDS = ("read", "write", "trim", "flush")
LATENCIES = ("mean", "min", "p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
COSTS = ("cpu_s", "ios_per_cpu_s", "flash_operations_per_cpu_s", "kernel_deltas", "peak_rss_bytes")
MIXED = job(rw="randrw", rwmixread=50, bs="4k", iodepth=8, size="100%", io_size="16m")


def keys_of(value):
    """Every key of a JSON value, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


class Results(ProgramCase):
    def check_laws(self, result):
        host = result["host"]
        self.assertEqual(host["requests"], host["completions"])
        self.assertEqual(host["requests"], sum(host[kind]["ios"] for kind in KINDS))
        for count in ("requests", "completions", "late_requests"):
            self.assertEqual(host[count], sum(one[count] for one in host["jobs"]))
        for kind in KINDS:
            for count in ("ios", "bytes"):
                self.assertEqual(host[kind][count], sum(one[kind][count] for one in host["jobs"]))
            self.assertEqual(host[kind]["latency_ns"]["max"], max(one[kind]["latency_ns"]["max"] for one in host["jobs"]))
        seconds = result["simulated_s"]
        self.assertGreater(seconds, 0)
        for kind in KINDS:
            figures = host[kind]
            self.assertAlmostEqual(figures["iops"] * seconds, figures["ios"], delta=1e-9 * (1 + figures["ios"]))
            self.assertAlmostEqual(figures["bandwidth_bytes_per_s"] * seconds, figures["bytes"],
                                   delta=1e-9 * (1 + figures["bytes"]))
            latency = [figures["latency_ns"][name] for name in LATENCIES]
            self.assertEqual(latency[1:], sorted(latency[1:]), kind)
            self.assertTrue(latency[1] <= latency[0] <= latency[-1], kind)
            self.assertEqual(latency[-1] > 0, figures["ios"] > 0, kind)
        for operation in ("reads", "programs"):
            origins = result["flash"][operation]
            for what in ("pages", "units"):
                self.assertEqual(origins["total"][what],
                                 sum(n[what] for origin, n in origins.items() if origin != "total"))
        erases = result["flash"]["erases"]
        self.assertEqual(erases["total"], sum(n for origin, n in erases.items() if origin != "total"))
        for name in ("waf", "waf_data", "gc_runs", "valid_pages_moved", "free_blocks_min"):
            self.assertIn(name, result["ftl"])
        energy = result["energy"]
        tolerance = 1e-9 * energy["total_j"]
        operations = sum(one["j"] for one in energy["operations"].values())
        self.assertAlmostEqual(sum(one["j"] for one in energy["components"]), energy["total_j"], delta=tolerance)
        self.assertAlmostEqual(operations + energy["background_j"], energy["total_j"], delta=tolerance)
        self.assertAlmostEqual(energy["average_w"] * seconds, energy["total_j"], delta=tolerance)
        self.assertGreaterEqual(energy["peak_w"], energy["average_w"] * (1 - 1e-9))
        nand = result["config"]["nand"]
        utilization = result["utilization"]
        self.assertEqual(len(utilization["channels"]), nand["channels"])
        self.assertEqual(len(utilization["dies"]), nand["channels"] * nand["ways"] * nand["dies"])
        for shares in utilization["channels"] + utilization["dies"]:
            self.assertAlmostEqual(sum(shares.values()), 1, delta=1e-9)
            self.assertTrue(all(-1e-12 <= share <= 1 + 1e-12 for share in shares.values()), shares)
        for component in energy["components"]:
            self.assertAlmostEqual(sum(component["residency_s"].values()), seconds, delta=1e-9 * seconds,
                                   msg=component["name"])
        self.assertEqual(result["schema"], "flashloom.result/1")
        self.assertTrue(result["version"])
        self.assertEqual(result["seed"], result["config"]["seed"])

    def test_job(self):
        path = self.file("mixed.fio", MIXED)
        out = self.simulate("tiny", "--job", path, sets=["precondition.fill=1", "verify=true"])
        result = json.loads((out / "result.json").read_text())
        self.check_laws(result)
        self.assertEqual(result["host"]["requests"], 4096)
        self.assertEqual(result["verify"]["mismatches"], 0)
        # Sectors of 512 B: those that the host read, and the whole device once more after the run.
        checked = result["host"]["read"]["bytes"] + result["device"]["capacity_bytes"]
        self.assertEqual(result["verify"]["reads_checked"], checked // 512)
        self.assertGreater(result["ftl"]["gc_runs"], 0)
        self.assertGreater(result["ftl"]["valid_pages_moved"], 0)
        run = json.loads((out / "run.json").read_text())
        for name in COSTS:
            self.assertGreater(run[name], 0, name)
        answers = {name: value for name, value in result.items() if name not in ("schema", "config")}
        self.assertFalse(set(run) & set(keys_of(answers)))

    def test_trim_job(self):
        path = self.file("trim.fio", job(rw="trim", bs="64k", iodepth=2, size="4m"))
        result = self.result("tiny", "--job", path, sets=["precondition.fill=1"])
        self.check_laws(result)
        self.assertEqual(result["host"]["trim"]["ios"], 64)
        self.assertEqual(result["ftl"]["units_trimmed"], 1024)

    def test_captured_trace_is_the_same_in_every_compression(self):
        packed = CAPTURED / "postgres.iolog.xz"
        plain = lzma.decompress(packed.read_bytes())
        gz = self.file("postgres.iolog.gz", gzip.compress(plain, 1))
        results = []
        for trace in (packed, gz, self.file("postgres.iolog", plain)):
            result = self.result("nvme-tlc-1tb", "--trace", trace, "--max-requests", 2000)
            self.check_laws(result)
            self.assertEqual(result["host"]["requests"], 2000)
            self.assertTrue(all(result["host"][kind]["ios"] > 0 for kind in KINDS))
            results.append(without(result, "workload", "host.jobs.0.name"))
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    def test_every_captured_trace_runs_verified(self):
        for trace in sorted(CAPTURED.glob("*.iolog.xz")):
            with self.subTest(trace=trace.name):
                result = self.result("nvme-tlc-1tb", "--trace", trace, "--max-requests", 1000,
                                     sets=["host.replay=closed", "verify=true"])
                self.check_laws(result)
                self.assertEqual(result["host"]["requests"], 1000)
                self.assertEqual(result["verify"]["mismatches"], 0)

    def test_address_fit(self):
        trace = CAPTURED / "postgres.iolog.xz"
        programs = []
        for fit in ("wrap", "scale"):
            result = self.result("tiny", "--trace", trace, "--max-requests", 2000, "--address-fit", fit)
            self.check_laws(result)
            self.assertEqual(result["host"]["requests"], 2000)
            programs.append(result["flash"]["programs"]["total"]["pages"])
        self.assertNotEqual(*programs)


if __name__ == "__main__":
    unittest.main()
