"""The files of a run: every field, and the sums that must hold between them."""
import gzip
import json
import lzma
import unittest

from laws import KINDS, NOT_MEASURED, check_laws
from program import CAPTURED, ProgramCase, job, rows, without

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


def check_whole(result):
    """Checks the laws for a run without failures that took time."""
    check_laws(result)
    host = result["host"]
    assert all(host[name] == 0 for name in NOT_MEASURED) and "write_zeroes" not in host, host
    assert host["begin_s"] == 0 and host["end_s"] == result["simulated_s"], host
    for kind in KINDS:
        assert (host[kind]["latency_ns"]["max"] > 0) == (host[kind]["ios"] > 0), kind


class SlcCaches(ProgramCase):
    def test_writes_behind_turbowrite(self):
        """The data sheet of the 970 EVO names both rates, in the cache and behind it, which the dies and the controller give, so that drives
        of few blocks show them."""
        few = ["nand.blocks=64", "ftl.logical_size=0 B", "ftl.over_provisioning=0.3", "nand.slc_blocks=2", "nand.slc_dynamic=8", "host.iodepth=8"]
        for drive, cached, rate, size in (("1tb", 2500, 1200, 12), ("500gb", 2300, 600, 8), ("250gb", 1500, 300, 6)):
            out = self.simulate(f"samsung-970-evo-{drive}", "--generate", f"mix:read=0,random=0,size=1 MiB,bytes={size}GB", sets=few)
            rates = [float(row["write_bytes_per_s"]) / 1e6 for row in rows(out / "series.csv")]
            behind = rates[len(rates) // 2:-1]
            self.assertAlmostEqual(sum(behind) / len(behind) / rate, 1, delta=0.03, msg=drive)
            self.assertAlmostEqual(rates[2] / cached, 1, delta=0.08, msg=drive)


class Books(ProgramCase):
    def test_tables_add_up_to_the_energy(self):
        """Of an array, too, and without what an audit draws that reads all back."""
        for sets in (["array.level=raid6"], ["verify=true", "nand.ecc.decode_energy=1 uJ"]):
            out = self.simulate("tiny", "--generate", "mix:requests=200,read=0.5", sets=sets)
            energy = json.loads((out / "result.json").read_text())["energy"]
            drawn = sum(float(row["power_w"]) * float(row["duration_s"]) for row in rows(out / "series.csv"))
            self.assertAlmostEqual(drawn / energy["total_j"], 1, delta=1e-4, msg=sets)
            self.assertLess(max(float(row["power_w"]) for row in rows(out / "power.csv")), 10 * energy["average_w"], sets)

    def test_a_cap_of_the_arrays_is_no_cap_of_the_device(self):
        reads = ("--generate", "mix:requests=500,read=1", "--set", "precondition.fill=1")
        said = self.start("run", "tiny", *reads, "--set", "power.cap=100 mW").stdout
        self.assertIn("limits the flash arrays alone, here to 0.1 W", said)
        self.assertNotIn("limits the flash arrays", self.start("run", "tiny", *reads).stdout)

    def test_a_maximum_power_is_of_the_device(self):
        """Its parts add up to it, and it costs throughput the more, the lower it is, of reads that the link limits and of writes."""
        one_tb = ["nand.blocks=40", "ftl.logical_size=32 GiB", "nand.slc_blocks=0", "host.iodepth=64"]
        for work, fill in (("mix:read=1,size=128 KiB,random=0,requests=1500", "0.1"), ("mix:read=0,size=128 KiB,random=0,requests=1500", "0")):
            taken = []
            for most in ("0 W", "6 W", "4 W", "3.5 W"):
                sets = one_tb + [f"precondition.fill={fill}", f'power.states=[{{max_power = "{most}"}}]']
                result = json.loads((self.simulate("nvme-tlc-1tb", "--generate", work, sets=sets) / "result.json").read_text())
                check_whole(result)
                taken.append(result["simulated_s"])
                if most != "0 W":
                    split = result["energy"]["max_power"]
                    self.assertAlmostEqual(split["rest_w"] + split["shared_w"], float(most[:-2]))
                    self.assertLess(result["energy"]["peak_w"], float(most[:-2]))
            self.assertEqual(taken, sorted(taken), work)
            self.assertGreater(taken[-1], 1.3 * taken[0], work)


class Results(ProgramCase):
    def test_job(self):
        path = self.file("mixed.fio", MIXED)
        out = self.simulate("tiny", "--job", path, sets=["precondition.fill=1", "verify=true"])
        result = json.loads((out / "result.json").read_text())
        check_whole(result)
        self.assertEqual(result["host"]["requests"], 4096)
        self.assertEqual(result["verify"]["mismatches"], 0)
        # In sectors of 512 B: those that the host read, and the whole device once more after the run.
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
        check_whole(result)
        self.assertEqual(result["host"]["trim"]["ios"], 64)
        self.assertEqual(result["ftl"]["units_trimmed"], 1024)

    def test_captured_trace_is_the_same_in_every_compression(self):
        packed = CAPTURED / "postgres.iolog.xz"
        plain = lzma.decompress(packed.read_bytes())
        gz = self.file("postgres.iolog.gz", gzip.compress(plain, 1))
        results = []
        for trace in (packed, gz, self.file("postgres.iolog", plain)):
            result = self.result("nvme-tlc-1tb", "--trace", trace, "--max-requests", 2000)
            check_whole(result)
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
                check_whole(result)
                self.assertEqual(result["host"]["requests"], 1000)
                self.assertEqual(result["verify"]["mismatches"], 0)

    def test_address_fit(self):
        trace = CAPTURED / "postgres.iolog.xz"
        programs = []
        for fit in ("wrap", "scale"):
            result = self.result("tiny", "--trace", trace, "--max-requests", 2000, "--address-fit", fit)
            check_whole(result)
            self.assertEqual(result["host"]["requests"], 2000)
            programs.append(result["flash"]["programs"]["total"]["pages"])
        self.assertNotEqual(*programs)


if __name__ == "__main__":
    unittest.main()
