"""Bad input ends with exit code 2, a message that names the culprit, nothing on stdout and no result."""
import subprocess
import unittest

from program import CAPTURED, PROGRAM, TIMEOUT_S, ProgramCase, job, msr

GOOD_JOB = job(rw="randread", bs="4k", size="1m")
LINES = msr([(10 * n, "Read", 4096 * n, 4096) for n in range(3000)])
TRACE = CAPTURED / "postgres.iolog.xz"


class BadInput(ProgramCase):
    def setUp(self):
        super().setUp()
        self.job = self.file("good.fio", GOOD_JOB)

    def refuse(self, *arguments, names, out=True):
        """Runs, and expects a refusal whose message contains all of the names."""
        folder = self.scratch / "refused"
        done = self.start(*arguments, *(["--out", folder] if out else []))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        for name in names:
            self.assertIn(name, done.stderr)
        self.assertFalse((folder / "result.json").exists())

    def refuse_set(self, override, *names):
        self.refuse("run", "tiny", "--job", self.job, "--set", override, names=names)

    def refuse_job(self, text, *names):
        self.refuse("run", "tiny", "--job", self.file("bad.fio", text), names=names)

    def refuse_device(self, text, *names):
        self.refuse("run", self.file("bad.toml", text), "--job", self.job, names=names)

    def refuse_trace(self, name, content, *names):
        self.refuse("run", "tiny", "--trace", self.file(name, content), "--address-fit", "wrap", names=names)

    def test_the_good_input_is_good(self):
        self.assertEqual(self.result("tiny", "--job", self.job)["host"]["requests"], 256)
        lines = "".join(LINES.splitlines(keepends=True)[:100])
        self.assertEqual(self.result("tiny", "--trace", self.file("good.csv", lines))["host"]["requests"], 100)

    # The command line
    def test_unknown_option(self):
        self.refuse("run", "tiny", "--job", self.job, "--bogus", names=["--bogus"])

    def test_unknown_command(self):
        self.refuse("frobnicate", names=["frobnicate"], out=False)

    def test_job_and_trace(self):
        self.refuse("run", "tiny", "--job", self.job, "--trace", TRACE, names=["--job", "--trace"])

    def test_neither_job_nor_trace(self):
        self.refuse("run", "tiny", names=["--job", "--trace"])

    def test_seed_is_no_number(self):
        self.refuse("run", "tiny", "--job", self.job, "--seed", "many", names=["--seed", "many"])

    def test_unknown_address_fit(self):
        self.refuse("run", "tiny", "--trace", TRACE, "--address-fit", "squeeze", names=["--address-fit", "squeeze"])

    def test_unknown_trace_format(self):
        self.refuse("run", "tiny", "--trace", TRACE, "--format", "morse", names=["morse"])

    def test_out_not_writable(self):
        # A file in place of a folder: refused for every user, even root.
        blocked = self.file("blocked", "")
        self.refuse("run", "tiny", "--job", self.job, "--out", blocked / "results", names=["--out", str(blocked)],
                    out=False)

    def test_missing_files(self):
        self.refuse("run", "tiny", "--job", "absent.fio", names=["absent.fio"])
        self.refuse("run", "tiny", "--trace", "absent.csv", names=["absent.csv"])
        self.refuse("run", "absent.toml", "--job", self.job, names=["absent.toml"])

    def test_files_that_never_end(self):
        self.refuse("run", "/dev/zero", "--job", self.job, names=["/dev/zero", "64 MiB"])
        for option in ("--job", "--trace", "--workload"):
            self.refuse("run", "tiny", option, "/dev/zero", names=["/dev/zero"])

    def test_pipes_are_files(self):
        text = '[nand]\nchannels = 2\n'
        done = subprocess.run([PROGRAM, "config", "/dev/stdin"], input=text, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("channels = 2", done.stdout)

    # Overrides
    def test_unknown_key(self):
        self.refuse_set("nand.chanels=4", "--set", "nand.chanels")

    def test_wrong_unit(self):
        self.refuse_set("nand.read_time=5 GB", "nand.read_time", "5 GB")

    def test_missing_unit(self):
        self.refuse_set("nand.erase_time=3", "nand.erase_time")

    def test_out_of_range(self):
        self.refuse_set("nand.channels=0", "nand.channels")

    def test_not_a_choice(self):
        self.refuse_set("buffer.mode=write_around", "buffer.mode", "write_around")

    def test_an_array_as_the_cache_of_a_tier(self):
        """What an array and a tier are each refused with, they are refused with together."""
        both = ("tiny", "--set", "array.level=raid1", "--set", "hdd.capacity=1 GiB")
        for options, names in ((("--sample",), ("--sample: array.level", "the instant clock")),
                               (("--segments", "4"), ("--segments: array.level", "the instant clock")),
                               (("--untimed",), ("--untimed: a tier needs time",)),
                               (("--uncertainty", "20"), ("array.level",)),
                               (("--set", "heap.nvram.kind=pcm", "--set", "heap.nvram.size=4 MiB"), ("heap",)),
                               (("--set", "faults.lost_writes=0.1", "--set", "verify=true"), ("faults.lost_writes",)),
                               (("--set", "verify=false", "--set", "power.cut_at=1 s"), ("verify", "power cuts"))):
            self.refuse("run", *both, "--job", self.job, *options, names=names)
        self.refuse("nbd", *both, "--run", "true", names=("array.level", "not of an array"), out=False)

    def test_protocols_that_do_not_fit_the_link(self):
        self.refuse_set("host_interface.kind=sata", "host_interface.kind", "pcie")
        self.refuse_set("link.kind=sata", "link.kind")

    def test_set_without_value(self):
        self.refuse_set("nand.channels", "--set", "nand.channels")

    # Device files
    def test_impossible_geometry(self):
        self.refuse_device('[nand]\nchannels = 2\npage_size = "5000 B"\n', "bad.toml:3", "page_size")

    def test_unknown_key_in_a_file(self):
        self.refuse_device("[nand]\nchannels = 2\n\nwings = 2\n", "bad.toml:4", "wings")

    def test_unknown_table(self):
        self.refuse_device("[nandd]\nchannels = 2\n", "bad.toml:1", "nandd")

    def test_broken_toml(self):
        self.refuse_device("[nand]\nchannels = = 2\n", "bad.toml:2")

    # Traces
    def test_truncated_xz(self):
        self.refuse_trace("cut.iolog.xz", TRACE.read_bytes()[:20000], "cut.iolog.xz")

    def test_corrupt_zst(self):
        self.refuse_trace("noise.csv.zst", b"\x28\xb5\x2f\xfd" + bytes(range(256)) * 8, "noise.csv.zst")

    def test_corrupt_gz(self):
        self.refuse_trace("noise.csv.gz", b"\x1f\x8b\x08\x00" + bytes(range(256)) * 8, "noise.csv.gz")

    def test_empty_trace(self):
        self.refuse_trace("empty.csv", "", "empty.csv")

    def test_malformed_first_line(self):
        self.refuse_trace("bad.csv", "128166372000000000,hm,0,Raed,0,4096,0\n" + LINES, "bad.csv:1")

    def test_malformed_line_in_the_middle_of_the_run(self):
        lines = LINES.splitlines(keepends=True)
        lines[2500] = "128166372000250000,hm,0,Read,twelve,4096,0\n"
        self.refuse("run", "tiny", "--trace", self.file("late.csv", "".join(lines)), "--address-fit", "wrap", "--set",
                    "host.replay=closed", names=["late.csv:2501", "twelve"])

    def test_beyond_the_device(self):
        self.refuse("run", "tiny", "--trace", TRACE, names=["postgres.iolog.xz:6", "beyond the device", "wrap"])

    # Job files
    def test_empty_job(self):
        self.refuse_job("", "bad.fio")

    def test_job_without_jobs(self):
        self.refuse_job("[global]\nrw=read\nbs=4k\n", "bad.fio")

    def test_unknown_job_option(self):
        self.refuse_job("[work]\nrw=read\nbs=4k\nwarp=9\n", "bad.fio:4", "warp")

    def test_bad_job_values(self):
        self.refuse_job("[work]\nrw=sideways\nbs=4k\n", "bad.fio:2", "sideways")
        self.refuse_job("[work]\nrw=read\nbs=big\n", "bad.fio:3", "big")
        self.refuse_job("[work]\nrw=read\nbs=4k\niodepth=0\n", "bad.fio:4", "iodepth")

    def test_job_beyond_the_device(self):
        self.refuse_job("[work]\nrw=read\nbs=4k\nsize=1t\n", "bad.fio", "size")

    # Control characters that a terminal would obey
    def test_control_bytes_are_shown(self):
        nasty, shown = "a\x1b[31m\rb\x7f\u009bc\u00e9\u201c", "a\\x1b[31m\\x0db\\x7f\\xc2\\x9bc\u00e9\u201c"
        line = f"128166372000000000,hm,0,{nasty},0,4096,0\n"
        for arguments in (("run", nasty, "--job", self.job), ("run", "tiny", "--job", nasty),
                          ("run", "tiny", "--job", self.job, "--set", f"nand.{nasty}=1"),
                          ("run", "tiny", "--job", self.job, "--set", f"buffer.mode={nasty}"),
                          ("run", "tiny", "--job", self.job, f"--{nasty}"),
                          ("run", "tiny", "--job", self.file("key.fio", f"[work]\n{nasty}=1\n")),
                          ("config", nasty), ("config", "tiny", "--set", f"{nasty}=1"), ("trace", "info", nasty), (nasty,),
                          ("trace", "info", self.file(f"{nasty}.csv", line))):
            with self.subTest(arguments=arguments):
                done = self.start(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(shown, done.stderr)
                self.assertNotRegex(done.stderr, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
        trace = self.file("line.csv", LINES.splitlines(keepends=True)[0] + line)
        self.refuse("run", "tiny", "--trace", trace, "--address-fit", "wrap", names=["line.csv:2", "a?[31m?b?"])


if __name__ == "__main__":
    unittest.main()
