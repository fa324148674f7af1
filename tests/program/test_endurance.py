"""flashloom endurance: a device's life from the first write to the last, from the command line."""
import json
import unittest

import schemas
from program import ProgramCase, job

SMALL = ["nand.channels=1", "nand.ways=1", "nand.blocks=64", "nand.pages=16", "ftl.over_provisioning=0.5",
         "buffer.size=64 KiB"]
WRITES = "mix:read=0 %,random=100 %,distribution=hot_cold,hot_space=30 %,hot_access=95 %"

COLD_HALF = "mix:read=0 %,random=100 %,distribution=hot_cold,hot_space=50 %,hot_access=100 %,scatter=false"


class Endurance(ProgramCase):
    def live(self, *sets, generate=WRITES, arguments=()):
        """endurance.json of a successful run, and its folder."""
        self.runs += 1
        out = self.scratch / f"life{self.runs}"
        words = [word for override in [*SMALL, *sets] for word in ("--set", override)]
        done = self.start("endurance", "tiny", "--generate", generate, *words, "--quiet", "--out", out, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((out / "endurance.json").read_text()), out

    def test_a_life(self):
        life, out = self.live("nand.endurance=30", "nand.endurance_deviation=10 %", "verify=true")
        schemas.check(life, "endurance")
        self.assertEqual(life["end"], "read_only")
        self.assertGreater(life["passes"], 1)
        self.assertEqual(life["verify"]["mismatches"], 0)
        self.assertGreater(life["verify"]["audited_sectors"], 0)
        self.assertLess(life["first_bad_block"]["written_bytes"], life["written_bytes"])
        self.assertAlmostEqual(life["drive_writes"], life["written_bytes"] / life["device"]["capacity_bytes"])
        # The wear counts agree with the flash operations.
        wear = life["wear"]
        self.assertEqual(wear["erases_total"], life["flash"]["erases"]["total"])
        self.assertGreater(wear["bad_blocks"], 2)
        self.assertGreater(wear["erases_max"], 24)
        rows = [line.split(",") for line in (out / "wear.csv").read_text().splitlines()[1:]]
        self.assertEqual(sum(int(blocks) for _, blocks in rows), wear["erase_units"])
        self.assertEqual(sum(int(erases) * int(blocks) for erases, blocks in rows), wear["erases_total"])
        self.assertEqual(sum(each["blocks"] for each in wear["histogram"]), wear["erase_units"])
        self.assertAlmostEqual(wear["life_used"], wear["erases_mean"] / 30)
        again, _ = self.live("nand.endurance=30", "nand.endurance_deviation=10 %", "verify=true")
        self.assertEqual(again, life)

    def test_levelled_devices_live_longer_at_a_cost_in_writes(self):
        lives = {}
        for leveling in ("none", "{ name = 'static', threshold = 4 }", "{ name = 'group', blocks = 4, threshold = 4 }"):
            life, _ = self.live("nand.endurance=60", f"ftl.wear_leveling={leveling}", "precondition.fill=1",
                                generate=COLD_HALF)
            lives[leveling.split("'")[1] if "'" in leveling else leveling] = life
        for leveling, longer in (("static", 1.25), ("group", 1.0)):
            self.assertGreater(lives[leveling]["drive_writes"], longer * lives["none"]["drive_writes"])
            self.assertLess(lives[leveling]["wear"]["erases_stddev"], lives["none"]["wear"]["erases_stddev"])
            self.assertGreater(lives[leveling]["wear_moves"], 0)
        self.assertEqual(lives["none"]["wear_moves"], 0)

    def test_reads_that_only_time_ends_are_refused(self):
        reads = self.file("reads.fio", job(rw="randread", bs="4k", size="1m", time_based=1, runtime="1h"))
        done = self.start("endurance", "tiny", "--job", reads, "--set", "nand.endurance=100", "--quiet")
        self.assertEqual(done.returncode, 2)
        self.assertIn("reads.fio writes nothing: the device would live for ever", done.stderr)

    def test_every_ftl_comes_to_its_end(self):
        for kind in ("dftl", "log_block", "fast", "block_map", "nvram_block"):
            with self.subTest(kind=kind):
                life, _ = self.live(f"ftl.kind={kind}", "nand.endurance=20", "nand.endurance_deviation=10 %",
                                    "nand.program_failures=50 %", "verify=true")
                self.assertEqual(life["end"], "read_only")
                self.assertEqual(life["verify"]["mismatches"], 0)
                self.assertGreater(life["wear"]["bad_blocks"], 1)
                self.assertEqual(life["wear"]["erases_total"], life["flash"]["erases"]["total"])

    def test_stops_after_so_many_drive_writes(self):
        life, _ = self.live(arguments=["--max-drive-writes", "3"])
        self.assertEqual(life["end"], "max_drive_writes")
        self.assertGreaterEqual(life["drive_writes"], 3)
        self.assertLess(life["drive_writes"], 3.01)
        self.assertIsNone(life["first_bad_block"])
        self.assertIsNone(life["wear"]["endurance"])

    def test_background_collection_uses_the_gaps(self):
        bursts = "bursts:read=0 %,rate=50000,on=20 ms,off=400 ms,requests=6000"
        steps = [self.live(f"ftl.gc_background={free}", generate=bursts,
                           arguments=["--max-drive-writes", "4"])[0]["background_steps"] for free in (0, 8)]
        self.assertEqual(steps[0], 0)
        self.assertGreater(steps[1], 0)

    def test_bad_input(self):
        job = self.file("read.fio", "[read]\nrw=randread\nbs=4k\nsize=1m\nioengine=libaio\n")
        for arguments, said in ((["--generate", WRITES], "nand.endurance is 0"),
                                (["--set", "nand.endurance=5"], "no workload given"),
                                (["--job", job, "--set", "nand.endurance=5"], "writes nothing"),
                                (["--generate", WRITES, "--set", "nand.endurance=5", "--set", "dram.size=64 MiB",
                                  "--set", "buffer.size=28 MiB"], "buffer.size: 28 MiB"),
                                (["--generate", WRITES, "--max-drive-writes", "0"], "--max-drive-writes"),
                                (["--generate", WRITES, "--set", "nand.endurance=-1"], "nand.endurance"),
                                (["--generate", WRITES, "--set", "nand.endurance_deviation=1"], "endurance_deviation"),
                                (["--generate", WRITES, "--set", "ftl.wear_leveling=statik"], "static"),
                                (["--generate", WRITES, "--max-drive-writes", "1", "--out", job], "--out")):
            with self.subTest(arguments=arguments):
                done = self.start("endurance", "tiny", *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
