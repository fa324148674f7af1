"""The object heap from the command line: every option has an effect, results fit their schema, bad input is refused."""
import unittest

import schemas
from program import CAPTURED, DIFFERS, FALLS, ProgramCase, RISES, at, job

OBJECTS = 'objects:objects=24,object="128 KiB",accesses=150,hot=25%'
READS = OBJECTS + ",read=50%"
PARTS = OBJECTS + ",part=2KiB,size=2KiB"
HEAP = ["heap.nvram.kind=stt_mram", "heap.nvram.size=2 MiB", "heap.objects=64", "heap.in_flight=64", "nand.blocks=64"]
UNREADABLE = ["nand.spare_size=2208 B", "nand.errors.model=power_law", "nand.errors.base=1.8e-3", "nand.errors.wear_factor=0",
              "nand.errors.retention_factor=0", "nand.errors.disturb_factor=0", "nand.errors.retry_rates=[]", "nand.ecc.soft_reads=0",
              "nand.ecc.strength=26"]
TIME = "heap.elapsed_s"
OUT = "heap.swapped_out"

# option: workload, values from and to, figure, expected effect
TABLE = [
    ("heap.nvram.size", OBJECTS, "2 MiB", "3 MiB", OUT, FALLS),
    ("heap.nvram.kind", OBJECTS, "stt_mram", "pcm", TIME, RISES),
    ("heap.page", OBJECTS, "4 KiB", "8 KiB", "heap.update_pages", FALLS),
    ("heap.swap", OBJECTS, "8 MiB", "5 MiB", "heap.address_space_bytes", FALLS),
    ("heap.objects", OBJECTS, "64", "256", "heap.metadata_bytes", RISES),
    ("heap.replacement", OBJECTS, "fifo", "cflru", OUT, DIFFERS),
    ("heap.atomic", OBJECTS, "page", "object", "heap.nvram.write_bytes", RISES),
    ("heap.cluster", OBJECTS, "1", "32", "heap.swap_outs", FALLS),
    ("heap.read_ahead", OBJECTS, "1", "8", "heap.swap_ins", FALLS),
    ("heap.in_flight", OBJECTS, "64", "128", "heap.capacity_pages", FALLS),
    ("heap.fetch_overwritten", OBJECTS, "true", "false", "heap.swapped_in", FALLS),
    ("heap.fault_latency", OBJECTS, "1 us", "2 ms", TIME, RISES),
    ("heap.call_latency", OBJECTS, "1 us", "2 ms", TIME, RISES),
    ("heap.mapping", OBJECTS, "accesses", "hot", "heap.operations.map.count", FALLS),
    ("heap.mapping", OBJECTS, "accesses", "lru", "heap.operations.map.count", FALLS),
    ("heap.mapping", OBJECTS, "accesses", "never", "heap.operations.unmap.count", FALLS),
    ("heap.mapped", OBJECTS, "1", "3", "heap.operations.unmap.count", FALLS),
]


class Heap(ProgramCase):
    def heap(self, workload, sets):
        # An LRU mapping keeps several objects.
        extra = ["heap.mapped=4"] if "heap.mapping=lru" in sets else []
        return self.result("tiny", "--generate", workload, sets=[*HEAP, *sets, *extra])

    def test_every_option_does_something(self):
        for option, workload, old, new, path, effect in TABLE:
            with self.subTest(option=option, value=new):
                before, after = (at(self.heap(workload, [f"{option}={value}"]), path) for value in (old, new))
                self.assert_moves(before, after, effect)

    def test_object_is_the_size_of_pieces(self):
        trace = ("--trace", CAPTURED / "untar.iolog.xz", "--address-fit", "wrap", "--max-requests", "300")
        counts = []
        for size in ("64 KiB", "256 KiB"):
            result = self.result("tiny", *trace, sets=[*HEAP, "heap.objects=8192", "heap.nvram.size=4 MiB", "nand.blocks=512",
                                                       f"heap.object={size}",
                                                       "host.replay=closed"])
            schemas.check(result, "result")
            counts.append(result["heap"]["operations"]["create"]["count"])
            self.assertGreater(result["heap"]["operations"]["update"]["count"], 100)
        self.assertGreater(counts[0], counts[1])

    def test_results_fit_their_schema_and_repeat(self):
        for sets in ([], ["verify=true", "heap.atomic=object"], ["power.cuts=3", "power.cut_spacing=10 ms", "verify=true"]):
            with self.subTest(sets=sets):
                result = self.heap(READS, sets)
                schemas.check(result, "result")
                self.assertEqual(result, self.heap(READS, sets))
                self.assertEqual(result["heap"]["operations"]["read"]["count"] +
                                 result["heap"]["operations"]["update"]["count"], 150)
                if result["verify"] is not None:
                    self.assertEqual(result["verify"]["mismatches"], 0)

    def test_pages_that_cannot_be_read_are_lost_and_counted(self):
        for atomic in ("page", "object"):
            with self.subTest(atomic=atomic):
                sets = [*UNREADABLE, "verify=true", f"heap.atomic={atomic}"]
                result = self.heap(READS, sets)
                schemas.check(result, "result")
                self.assertEqual(result, self.heap(READS, sets))
                heap = result["heap"]
                lost = heap["unreadable"]
                self.assertGreater(lost["lost_pages"], 0)
                self.assertGreater(lost["failed_reads"], 0)
                self.assertLessEqual(lost["lost_pages_at_end"], lost["lost_pages"])
                done = heap["operations"]["read"]["count"] + heap["operations"]["update"]["count"]
                self.assertEqual(done + lost["failed_reads"] + lost["failed_updates"], 150)
                self.assertEqual(result["verify"]["mismatches"], 0)
                self.assertGreaterEqual(result["verify"]["unreadable_sectors"], 8 * lost["lost_pages_at_end"])
                self.assertNotIn("unreadable", self.heap(READS, [])["heap"])

    def test_conservation(self):
        result = self.heap(READS, ["heap.page=4 KiB"])
        heap = result["heap"]
        self.assertEqual(result["window"]["write"]["bytes"], heap["swapped_out"] * 4096)
        self.assertEqual(result["window"]["read"]["bytes"], heap["swapped_in"] * 4096)
        self.assertEqual(heap["read_pages"] + heap["update_pages"], 150 * 32)
        self.assertEqual(heap["hits"] + heap["swapped_in"] - heap["read_ahead"]["issued"] + heap["zero_filled"], 150 * 32)
        ledger = result["energy"]["operations"]
        self.assertAlmostEqual(ledger["heap.write"]["count"], heap["nvram"]["write_bytes"], delta=heap["nvram"]["write_bytes"] / 100)

    def test_parts_copy_the_rest(self):
        heap = self.heap(PARTS, [])["heap"]
        self.assertEqual(heap["copied"], heap["operations"]["update"]["count"])

    def test_summary(self):
        done = self.start("run", "tiny", "--generate", OBJECTS, *[word for each in HEAP for word in ("--set", each)])
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("update", "heap ", "swap ", "out", "clean"):
            self.assertIn(word, done.stdout)

    def test_torture(self):
        sets = [word for each in HEAP for word in ("--set", each)]
        done = self.start("torture", "tiny", *sets, "--cuts", 20, "--seed", 5)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("20 power cuts of an object heap", done.stdout)
        self.assertEqual(done.stdout, self.start("torture", "tiny", *sets, "--cuts", 20, "--seed", 5).stdout)

    def refuse(self, *words, sets=(), names=()):
        overrides = [word for each in (*HEAP, *sets) for word in ("--set", each)]
        done = self.start("run", "tiny", *words, *overrides)
        self.assertEqual(done.returncode, 2, done.stderr)
        for name in names:
            self.assertIn(name, done.stderr)

    def test_bad_input(self):
        generate = ("--generate", OBJECTS)
        self.refuse(*generate, "--untimed", names=["--untimed"])
        self.refuse(*generate, "--alone", names=["--alone"])
        self.refuse(*generate, "--io-log", "csv", "--out", self.scratch / "o", names=["--io-log"])
        self.refuse(*generate, sets=["host.cache.size=1 MiB"], names=["host.cache.size"])
        self.refuse(*generate, sets=["heap.objects=8"], names=["heap.objects", "at least 24"])
        self.refuse(*generate, sets=["heap.swap=1 TiB"], names=["heap.swap", "more than the device has"])
        self.refuse(*generate, sets=["heap.swap=128 KiB"], names=["heap.swap", "heap.in_flight"])
        self.refuse(*generate, sets=["heap.nvram.size=256 KiB"], names=["heap.nvram.size", "at least"])
        self.refuse(*generate, sets=["heap.page=6 KiB", "host_interface.sector_size=4 KiB"], names=["heap.page"])
        self.refuse(*generate, sets=["heap.nvram.kind=none"], names=["heap.nvram.kind"])
        self.refuse(*generate, sets=["heap.mapping=always"], names=["heap.mapping", "never"])
        self.refuse("--generate", "objects:part=3KiB", names=["part"])
        self.refuse("--job", self.file("job.fio", job(rw="randread", bs="4k", size="1m", runtime="1", time_based="1")),
                    names=["processes of the object heap"])


if __name__ == "__main__":
    unittest.main()
