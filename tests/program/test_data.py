"""`flashloom run --data`: real bytes, checked by fio's verify=."""
import schemas
from program import ProgramCase, job


class Data(ProgramCase):
    def verified(self, *arguments, device="tiny", sets=(), **options):
        options = {"rw": "randwrite", "bs": "4k", "size": "4m", "iodepth": 8} | options
        result = self.result(device, "--job", self.file("job.fio", job(**options)), "--data", *arguments, sets=sets)
        schemas.check(result, "result")
        self.assertEqual(result["data"]["mismatches"], 0)
        self.assertEqual(result["verify"]["mismatches"], 0)
        return result

    def test_what_was_written_is_read_back_and_checked(self):
        for kind in ("crc32c", "crc32", "crc16", "xxhash", "md5", "sha1", "meta"):
            result = self.verified(verify=kind)
            self.assertEqual(result["data"]["blocks_checked"], 1024, kind)
            self.assertEqual(result["host"]["read"]["ios"], 1024)
            self.assertNotIn("verify", [option["option"] for option in result["workload"]["inert_options"]])

    def test_intervals_patterns_and_mixed_jobs(self):
        self.assertEqual(self.verified(verify="md5", verify_interval=512)["data"]["blocks_checked"], 8192)
        self.verified(verify="pattern", verify_pattern="0xdeadbeef")
        mixed = self.verified(verify="crc32c", rw="randrw", rwmixread=50, size="8m")
        self.assertEqual(mixed["data"]["blocks_checked"], mixed["host"]["write"]["ios"])
        self.assertEqual(self.verified(verify="crc32c", do_verify=0)["data"]["blocks_checked"], 0)
        again = self.verified(verify="crc32c", norandommap=1, iodepth=1, io_size="16m")
        self.assertLess(again["data"]["blocks_checked"], 4096)

    def test_under_collection_and_a_page_cache(self):
        self.verified(verify="crc32c", size="20m", loops=3, sets=["precondition.fill=1"])
        self.verified(verify="crc32c", sets=["host.cache.size=1 MiB"])
        self.verified("--data-memory", "1 MiB", verify="md5", size="16m")

    def test_a_job_reads_what_another_one_wrote(self):
        text = (job("a", rw="write", bs="8k", size="4m", verify="crc32c", do_verify=0, filename="f") +
                job("b", rw="randread", bs="8k", size="4m", verify="crc32c", filename="f", stonewall=1))
        result = self.result("tiny", "--job", self.file("two.fio", text), "--data")
        self.assertEqual([each["blocks_checked"] for each in result["data"]["jobs"]], [0, 512])

    def test_what_nobody_wrote_fails_and_is_counted(self):
        out = self.scratch / "failed"
        done = self.start("run", "tiny", "--job", self.file("r.fio", job(rw="read", bs="4k", size="1m", verify="crc32c")),
                          "--data", "--quiet", "--out", out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("job work failed for 256 blocks", done.stderr)
        self.assertIn("it has no header", done.stderr)
        self.assertTrue((out / "result.json").exists())

    def test_bytes_do_not_change_times(self):
        text = self.file("job.fio", job(rw="randrw", bs="4k", size="8m", iodepth=8))
        plain = self.result("tiny", "--job", text, sets=["verify=true"])
        data = self.result("tiny", "--job", text, "--data")
        del data["data"]
        self.assertEqual(plain, data)

    def test_without_data_verify_stays_without_effect_and_says_so(self):
        text = self.file("job.fio", job(rw="randwrite", bs="4k", size="1m", verify="crc32c"))
        result = self.result("tiny", "--job", text)
        notes = {each["option"]: each["meaning"] for each in result["workload"]["inert_options"]}
        self.assertIn("--data", notes["verify"])
        self.assertEqual(result["host"].get("read", {"ios": 0})["ios"], 0)

    def test_bad_input(self):
        write = {"rw": "randwrite", "bs": "4k", "size": "1m"}
        for options, arguments, words in (
                ({"verify": "sha256"}, (), ("verify", "sha256")),
                ({"verify": "md5", "verify_backlog": "4"}, (), ("verify_backlog",)),
                ({"verify": "md5", "norandommap": 1, "iodepth": 4}, (), ("iodepth=1",)),
                ({"verify": "md5", "zonemode": "zbd", "zonesize": "256k"}, (), ("bad.fio", "verify", "zonemode=zbd")),
                ({"verify": "md5"}, ("--untimed",), ("--untimed",)),
                ({"verify": "md5"}, ("--alone",), ("--alone",)),
                ({"verify": "md5"}, ("--set", "power.cut_at=1 ms"), ("power.cut_at",)),
                ({"verify": "md5"}, ("--data-memory", "x"), ("--data-memory",))):
            done = self.start("run", "tiny", "--job", self.file("bad.fio", job(**write, **options)), "--data", *arguments)
            self.assertEqual(done.returncode, 2, options)
            for word in words:
                self.assertIn(word, done.stderr)
        done = self.start("run", "tiny", "--generate", "mix", "--data")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--data", done.stderr)
