"""Traces through the program: every format, conversion, several at a time on one device, several in sequence."""
import json
import unittest

from program import CAPTURED, PUBLIC, ProgramCase, msr, without


def writes(count, step_us=100, start=0):
    """Sequential writes of 4 KiB at a steady pace."""
    return msr([(step_us * n, "Write", start + 4096 * n, 4096) for n in range(count)])


class Traces(ProgramCase):
    def convert(self, trace, name):
        done = self.start("trace", "convert", trace, name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{name}: ", done.stdout)
        self.assertEqual([p.name for p in self.scratch.glob("*.part")], [])
        return self.scratch / name

    def refuse(self, *arguments, names):
        done = self.start(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        for name in names:
            self.assertIn(name, done.stderr)

    def test_a_converted_trace_gives_the_same_results(self):
        trace = CAPTURED / "sqlite.iolog.xz"
        options = ("--max-requests", 1500)
        original = without(self.result("nvme-tlc-1tb", "--trace", trace, *options), "workload", "host.jobs.0.name")
        for name in ("t.flt", "t.flt.gz", "t.flt.xz", "t.flt.zst"):
            converted = self.result("nvme-tlc-1tb", "--trace", self.convert(trace, name), *options)
            self.assertEqual(without(converted, "workload", "host.jobs.0.name"), original)
        again = self.convert(self.scratch / "t.flt.zst", "again.flt")
        self.assertEqual(again.read_bytes(), (self.scratch / "t.flt").read_bytes())
        for name, magic in (("t.flt.gz", b"\x1f\x8b"), ("t.flt.xz", b"\xfd7zXZ"), ("t.flt.zst", b"\x28\xb5\x2f\xfd")):
            self.assertTrue((self.scratch / name).read_bytes().startswith(magic))

    def test_a_failed_conversion_leaves_nothing(self):
        bad = self.file("bad.csv", writes(5000) + "rubbish\n")
        self.refuse("trace", "convert", bad, "out.flt", names=["bad.csv:5001"])
        self.refuse("trace", "convert", "absent", "out.flt", names=["absent: no such file"])
        self.refuse("trace", "convert", self.file("good.csv", writes(9)), "no/such/folder.flt", names=["cannot write"])
        self.assertEqual(sorted(p.name for p in self.scratch.iterdir()), ["bad.csv", "good.csv"])

    def test_a_damaged_conversion_is_refused(self):
        flt = self.convert(self.file("t.csv", writes(9000)), "t.flt")
        whole = flt.read_bytes()
        for damaged in (whole[:-1], whole[:len(whole) // 2], whole[:30000] + b"x" + whole[30001:], whole + b"x"):
            self.refuse("trace", "info", self.file("damaged.flt", damaged), names=["damaged.flt: record "])

    def test_what_the_begin_of_a_trace_is_made_of(self):
        trace = self.file("t.csv", writes(8))
        whole, begin = (json.loads(self.start("trace", "info", trace, "--json", *words).stdout) for words in ((), ("--max-requests", "3")))
        self.assertEqual([info["requests"] for info in (whole, begin)], [8, 3])
        self.assertEqual(begin["written_footprint_bytes"], 3 * 4096)
        self.refuse("trace", "info", trace, "--max-requests", "0", names=["--max-requests"])

    def test_untimed_traces_need_a_closed_loop(self):
        arc = self.file("t.lis", "".join(f"{n * 37 % 1000} 8 0 {n}\n" for n in range(200)))
        self.refuse("run", "tiny", "--trace", arc, names=["t.lis", "no times", "host.replay=closed"])
        self.refuse("run", "tiny", "--trace", self.convert(arc, "t.flt"), names=["no times"])
        for trace in (arc, "t.flt"):
            result = self.result("tiny", "--trace", trace, sets=["host.replay=closed"])
            self.assertEqual(result["host"]["read"]["ios"], 200)
        self.assertIn("times              none", self.start("trace", "info", arc).stdout)

    def test_several_traces_play_side_by_side(self):
        a = self.file("a.csv", writes(300))
        b = self.file("b.csv", writes(200))
        result = self.result("tiny", "--trace", a, "--trace", b, sets=["host.queues=2", "verify=true"])
        self.assertEqual([job["name"] for job in result["host"]["jobs"]], ["a.csv", "b.csv"])
        self.assertEqual([job["write"]["ios"] for job in result["host"]["jobs"]], [300, 200])
        self.assertEqual(result["workload"]["file"], "a.csv and 1 more")
        self.assertEqual([given["file"] for given in result["workload"]["inputs"]], ["a.csv", "b.csv"])
        self.assertEqual(len({given["hash"] for given in result["workload"]["inputs"]}), 2)
        self.assertEqual(result["verify"]["mismatches"], 0)
        # The same addresses in separate parts of the device, or in one part, where b's 200 pages coincide with a's.
        sectors = {}
        for name, keys in (("apart", ("", "")), ("shared", (",offset=0B,size=2MiB", ",offset=0B,size=2MiB"))):
            result = self.result("tiny", "--trace", f"{a}{keys[0]}", "--trace", f"{b}{keys[1]}", sets=["verify=true"])
            sectors[name] = result["verify"]["audited_sectors"]
        self.assertEqual(sectors["apart"] - sectors["shared"], 200 * 8)

    def test_one_trace_alone_is_the_first_of_its_inputs(self):
        workload = self.result("tiny", "--trace", self.file("a.csv", writes(10)))["workload"]
        self.assertEqual(workload["inputs"], [{"file": workload["file"], "hash": workload["hash"]}])

    def test_parts_of_the_device_that_cannot_be(self):
        a = self.file("a.csv", writes(3))
        self.refuse("run", "tiny", "--trace", f"{a},offset=1TiB", names=["beyond the device"])
        self.refuse("run", "tiny", "--trace", f"{a},size=1TiB", names=["beyond the device"])
        self.refuse("run", "tiny", "--trace", f"{a},size=2MiB", "--trace", f"{a},offset=1MiB,size=2MiB",
                    names=["overlaps"])
        self.refuse("run", "tiny", "--trace", f"{a},size=8KiB", names=["a.csv:3", "lies beyond the device"])
        self.refuse("run", "tiny", "--trace", f"{a},colour=red", names=["no option \"colour\""])

    def test_days_one_after_another(self):
        a = self.file("a.csv", writes(300))
        b = self.file("b.csv", writes(300, start=300 * 4096))
        both = self.file("both.csv", msr([(100 * n + (1000000 if n >= 300 else 0), "Write", 4096 * n, 4096)
                                          for n in range(600)]))
        # The last write of a is at 29.9 ms; in the combined file the next one comes 1.0001 s later.
        days = self.result("tiny", "--trace", a, "--trace", b, "--concat", "--concat-gap", "1000100 us")
        one = self.result("tiny", "--trace", both)
        self.assertEqual(without(days, "workload", "host.jobs.0.name"), without(one, "workload", "host.jobs.0.name"))
        self.assertGreater(days["simulated_s"], 1.05)
        without_gap = self.result("tiny", "--trace", a, "--trace", b, "--concat")
        self.assertLess(without_gap["simulated_s"], 0.1)

    @unittest.skipUnless(PUBLIC.is_dir(), "no public traces: set FLASHLOOM_TRACES")
    def test_a_public_trace_of_every_format_runs(self):
        for name in ("cloudPhysicsIO.vscsi", "cloudPhysicsIO.csv", "fiu_cheetah_10k.blkparse", "nexus5_Booting.log",
                     "diskmon_sys1.trace", "systor17_sample1000.csv", "arc_P3.lis", "msr_hm_0_part.csv",
                     "desktop.disksim", "ycsb_ext4.blkparse"):
            with self.subTest(trace=name):
                result = self.result("tiny", "--trace", PUBLIC / f"{name}.zst", "--address-fit", "wrap",
                                     "--max-requests", 500, sets=["host.replay=closed", "verify=true"])
                self.assertEqual(result["host"]["requests"], 500)
                self.assertEqual(result["host"]["completions"], 500)
                self.assertEqual(result["verify"]["mismatches"], 0)


if __name__ == "__main__":
    unittest.main()
