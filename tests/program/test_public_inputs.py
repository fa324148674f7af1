"""Inputs as people publish them, each with its right value; others of their kind are beside what reads them."""
import os
import subprocess
import unittest

from program import PROGRAM, TIMEOUT_S, ProgramCase, rows

ZONES = ["host_interface.sector_size=4 KiB", "buffer.replacement=fifo"]


class PublicInputs(ProgramCase):

    def test_a_write_cache_ends_at_the_speed_of_the_data_sheet(self):
        """970 EVO 250 GB: 1500 MB/s, then 300 (data sheet), fitted (experiments/real_drives)."""
        out = self.simulate("samsung-970-evo-250gb", "--generate", 'mix:read=0%,random=0%,size="1 MiB",bytes=15GB', sets=["host.iodepth=8"])
        speeds = [float(row["write_bytes_per_s"]) / 1e6 for row in rows(out / "series.csv")]
        self.assertAlmostEqual(speeds[10] / 1500, 1, delta=0.1)
        self.assertAlmostEqual(speeds[-10] / 300, 1, delta=0.1)

    def test_reads_ahead_of_nothing_are_counted(self):
        job = self.file("read.fio", "[t]\nrw=read\nbs=128k\nsize=64m\nioengine=libaio\niodepth=8\n")
        result = self.result("samsung-980-pro-1tb", "--job", job)
        self.assertEqual((result["ftl"]["units_zeroed"], result["buffer"]["read_units"]), (16384, 16384))

    def test_two_drives_are_not_one(self):
        job = self.file("two.fio", "[global]\nrw=randread\n[a]\nfilename=/dev/nvme0n1\n[b]\nfilename=/dev/nvme1n1\n")
        done = self.start("run", "tiny", "--job", job)
        self.assertEqual(done.returncode, 2)
        self.assertIn("two.fio:6: filename: /dev/nvme1n1 is another drive than /dev/nvme0", done.stderr)

    def test_a_key_value_store_takes_files_of_a_zone(self):
        zoned = "ftl.kind={ name = 'zoned', zone_capacity = '3 MiB', zone_size = '4 MiB' }"
        result = self.result("tiny", "--generate", "lsm:requests=2000", sets=[*ZONES, "nand.blocks=1024", zoned])
        self.assertNotIn("zone_errors", result["host"])

    def test_a_section_needs_only_its_own_variables(self):
        job = self.file("sections.fio", "[default]\nrw=write\nsize=1m\n[other]\nrw=${FLASHLOOM_UNSET}\n")
        command = [PROGRAM, "run", "tiny", "--quiet", "--job", job, "--out", self.scratch / "out"]
        for more, code in (([], 2), (["--section", "default"], 0)):
            done = subprocess.run([*command, *more], env=os.environ, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            self.assertEqual(done.returncode, code, done.stderr)

    def test_appends_of_fio(self):
        job = self.file("append.fio", "[t]\nfilename=/dev/ng0n1\nioengine=io_uring_cmd\ncmd_type=nvme\nzonemode=zbd\nrw=write\nbs=64k\n"
                        "iodepth=4\nio_size=4m\nwrite_mode=zone_append\n")
        result = self.result("tiny", "--job", job, sets=[*ZONES, "ftl.kind=zoned"])
        self.assertEqual((result["host"]["zone_append"]["ios"], result["host"]["write"]["ios"]), (64, 0))

    def test_jobs_share_zones(self):
        """Each sends all that it has, whoever fills, resets and leaves the zones."""
        head = "[global]\nfilename=/dev/nvme0n1\nzonemode=zbd\nbs=4k\nsize=100%\nioengine=libaio\niodepth=8\n"
        cases = {"few": "[j]\nrw=randwrite\nio_size=4m\nnumjobs=4\nmax_open_zones=1\n",
                 "ends": "[a]\nrw=write\nio_size=1m\nrate_iops=100\nruntime=1\nmax_open_zones=1\n"
                         "[b]\nstonewall\nrw=write\nio_size=4m\nmax_open_zones=1\n",
                 "appends": "[j]\nrw=randwrite\nio_size=8m\nnumjobs=4\nrate_iops=30000\nwrite_mode=zone_append\n"}  # yapf: disable
        for name, text in cases.items():
            with self.subTest(case=name):
                result = self.result("tiny", "--job", self.file("zones.fio", head + text), sets=[*ZONES, "ftl.kind=zoned"])
                self.assertNotIn("zone_errors", result["host"])
                written = result["host"]["write"]["ios"] + result["host"].get("zone_append", {"ios": 0})["ios"]
                self.assertAlmostEqual(written, {"few": 4096, "ends": 1024 + 100, "appends": 8192}[name], delta=2)


if __name__ == "__main__":
    unittest.main()
