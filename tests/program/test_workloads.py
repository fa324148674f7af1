"""Workload files and generators: regions, queues, times, tenants against running alone, and the documentation's
examples."""
import json
import os
import re
import unittest
from unittest import mock

import schemas
from program import CAPTURED, PUBLIC, ROOT, ProgramCase

EXAMPLE = ROOT / "experiments/tenants/tenants.toml"
DOCUMENTATION = ROOT / "docs/reference/workloads.md"
# Parameters with which each generator is quick on a device of a few MiB.
QUICK = {
    "bursts": "requests=500",
    "cachelib": 'requests=2000,region="256 KiB",large_size="16 KiB",write_size="64 KiB"',
    "correlated": "requests=500",
    "desktop": 'days=1,day="1 s",session="100 ms",think="1 ms",working_set="2 MiB"',
    "f2fs": 'requests=2000,section="64 KiB",file="64 KiB",fill=0.4,overprovision=0.2',
    "iozone": 'max_file="64 KiB"',
    "jesd219": "requests=500",
    "lsm": "requests=3000",
    "mix": "requests=500,trim=0.1,flush_every=20",
    "objects": 'objects=8,object="128 KiB",size="16 KiB",accesses=10,hot=0.25',
    "small_writes": "requests=500",
    "zones": 'requests=500,size="16 KiB",read=0.3,finish=0.2',
}
ZONED = ['ftl.kind="zoned"', 'host_interface.sector_size="4 KiB"', 'buffer.replacement="fifo"']
MIX = '[[job]]\nname = "{0}"\ngenerator = "mix"\nparameters = {{ requests = 400, {1} }}\n'


class Workloads(ProgramCase):
    def workload(self, text, device="tiny", *arguments, sets=()):
        return self.result(device, "--workload", self.file("w.toml", text), *arguments, sets=sets)

    def jobs(self, result):
        return {job["name"]: job for job in result["host"]["jobs"]}

    def check_tenants(self, tenants):
        """Recomputes every ratio from the figures beside it."""
        means = []
        for job in tenants["jobs"]:
            together, alone, slowdown = job["together"], job["alone"], job["slowdown"]
            means.append(together["latency_mean_ns"] / alone["latency_mean_ns"])
            self.assertEqual(slowdown["latency_mean"], means[-1])
            self.assertEqual(slowdown["latency_p99"], together["latency_p99_ns"] / alone["latency_p99_ns"])
            self.assertEqual(slowdown["bandwidth"],
                             alone["bandwidth_bytes_per_s"] / together["bandwidth_bytes_per_s"])
        self.assertEqual((tenants["slowdown_min"], tenants["slowdown_max"]), (min(means), max(means)))
        self.assertEqual(tenants["fairness"], min(means) / max(means))
        speeds = [1 / mean for mean in means]
        self.assertAlmostEqual(tenants["jain"], sum(speeds) ** 2 / len(speeds) / sum(s * s for s in speeds), places=12)

    def test_the_example_together_and_alone(self):
        outs = [self.simulate("nvme-tlc-1tb", "--workload", EXAMPLE, "--alone") for _ in range(2)]
        self.assertEqual(*[(out / "result.json").read_bytes() for out in outs])
        result = json.loads((outs[0] / "result.json").read_text())
        self.check_tenants(result["tenants"])
        jobs = self.jobs(result)
        self.assertEqual(list(jobs), ["database", "batch", "web"])
        self.assertEqual([job["queues"] for job in jobs.values()], [[0], [1], [2]])
        self.assertEqual(result["config"]["host"]["queues"], 4)  # the preset's number, more than needed
        self.assertEqual([(job["kind"], job["file"]) for job in result["workload"]["jobs"]],
                         [("trace", "postgres.iolog.xz"), ("job", "batch.fio"), ("generator", "bursts")])
        self.assertEqual(jobs["database"]["requests"], 1000)
        self.assertEqual(jobs["web"]["begin_s"], 0.002)
        self.assertLess(jobs["web"]["end_s"], 0.024)
        self.assertGreater(result["tenants"]["slowdown_max"], 1.5)
        for job in result["tenants"]["jobs"]:
            self.assertEqual(job["together"]["ios"], sum(jobs[job["name"]][kind]["ios"]
                                                         for kind in ("read", "write", "trim", "flush")))

    def test_alone_is_the_run_of_that_job_only(self):
        sets = ["host.queues=2", "precondition.fill=1", "verify=true"]
        first, second = MIX.format("a", "read = 1.0"), MIX.format("b", "read = 0.0")
        both = self.workload(first + second, "tiny", "--alone", sets=sets)
        single = self.workload(first.replace("generator", "queue = 0\ngenerator"), sets=sets)
        alone = both["tenants"]["jobs"][0]["alone"]
        self.assertEqual(alone["ios"], 400)
        self.assertEqual(alone["latency_mean_ns"], single["host"]["read"]["latency_ns"]["mean"])
        self.assertEqual(alone["latency_p99_ns"], single["host"]["read"]["latency_ns"]["p99"])
        self.assertEqual(alone["bandwidth_bytes_per_s"], single["host"]["read"]["bandwidth_bytes_per_s"])
        self.assertGreater(both["tenants"]["jobs"][0]["slowdown"]["latency_mean"], 1)
        self.check_tenants(both["tenants"])
        # Runs of each job alone do not change the result of the common run.
        plain = self.workload(first + second, sets=sets)
        self.assertIsNone(plain["tenants"])
        self.assertEqual({**plain, "tenants": 0}, {**both, "tenants": 0})

    def test_one_job_alone_is_not_slowed(self):
        result = self.workload(MIX.format("a", "read = 0.5"), "tiny", "--alone", sets=["host.queues=3"])
        self.assertEqual(result["tenants"]["fairness"], 1)
        self.assertEqual(result["tenants"]["slowdown_max"], 1)
        self.assertEqual(self.jobs(result)["a"]["queues"], [0, 1, 2])

    def test_alone_from_a_saved_state(self):
        state = self.scratch / "tiny.state"
        sets = ["--set", "precondition.fill=1", "--set", "host.queues=2"]
        done = self.start("precondition", "tiny", *sets, "--state", state, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = MIX.format("a", "read = 1.0") + MIX.format("b", "read = 0.0")
        saved = self.workload(text, "tiny", "--alone", "--state", state, sets=["host.queues=2"])
        fresh = self.workload(text, "tiny", "--alone", sets=["host.queues=2", "precondition.fill=1"])
        self.assertEqual(saved["tenants"], fresh["tenants"])

    def test_times(self):
        result = self.workload('[[job]]\nname = "early"\ngenerator = "mix"\nstop = "5 ms"\n'
                               '[[job]]\nname = "late"\ngenerator = "mix"\nstart = "3 ms"\nruntime = "4 ms"\n')
        jobs = self.jobs(result)
        self.assertEqual(result["config"]["host"]["queues"], 2)  # the preset has one
        self.assertEqual(jobs["early"]["begin_s"], 0)
        self.assertEqual(jobs["late"]["begin_s"], 0.003)
        # No request is sent after the job's end, but requests in flight complete.
        self.assertTrue(0.005 <= jobs["early"]["end_s"] < 0.015)
        self.assertTrue(0.007 <= jobs["late"]["end_s"] < 0.017)

    def described(self, path, *arguments):
        """The description that `flashloom workload` prints of a workload file."""
        done = self.start("workload", path, "--device-size", "2 TB", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = json.loads(done.stdout)
        schemas.check(info, "workload_info")
        return info

    def test_days_begin_a_pause_after_the_one_before(self):
        text = """
[common]
generator = "desktop"
seed = 3
queue = 0
replay = "closed"
start = "2 s"
parameters = { days = 1, day = "1 s", session = "100 ms", think = "1 ms", working_set = "2 MiB" }
[[job]]
name = "monday"
start = "0 s"
[[job]]
name = "tuesday"
after = "monday"
parameters = { first_day = 1 }
[[job]]
name = "wednesday"
after = "tuesday"
parameters = { first_day = 2 }
"""
        result = self.workload(text, sets=["verify=true"])
        days = result["host"]["jobs"]
        self.assertEqual([day["name"] for day in days], ["monday", "tuesday", "wednesday"])
        self.assertEqual([day["queues"] for day in days], [[0]] * 3)
        self.assertEqual(days[0]["begin_s"], 0)
        for before, day in zip(days, days[1:]):
            self.assertAlmostEqual(day["begin_s"], before["end_s"] + 2, places=9)
        # The three days equal one run of three days of the same user.
        one = self.file("one.toml", re.sub(r"days = 1", "days = 3", text.split('[[job]]\nname = "tuesday"')[0]))
        whole, cut = (self.described(path)["jobs"] for path in (one, self.file("w.toml", text)))
        for key in ("requests", "read_bytes", "write_bytes"):
            self.assertEqual(whole[0][key], sum(day[key] for day in cut))
        self.assertEqual([day["requests"] for day in cut], [day["requests"] for day in days])

    def test_the_users_of_the_pwc_study(self):
        """Ten days each; writes are 25 to 35 % of every day's volume; later days access earlier days' data again."""
        for user, footprint in (("office", (4, 8)), ("developer", (8, 16)), ("media", (25, 50))):
            with self.subTest(user=user):
                for seed in (1, 2):
                    info = self.described(ROOT / f"experiments/pwc/{user}.toml", "--seed", seed)
                    days = info["jobs"]
                    self.assertEqual(len(days), 10)
                    for day in days:
                        self.assertTrue(0.25 <= day["write_share"] <= 0.35, f"{user} {seed} {day}")
                        self.assertGreater(day["read_bytes"] + day["write_bytes"], 1 << 30)
                    for day in days[2:]:
                        self.assertGreater(day["accesses_to_earlier_share"], 0.4)
                    low, high = footprint
                    self.assertTrue(low << 30 < info["footprint_bytes"] < high << 30, info["footprint_bytes"])

    @unittest.skipUnless(PUBLIC.is_dir(), "no public traces: set FLASHLOOM_TRACES")
    def test_traces_cut_into_days(self):
        with mock.patch.dict(os.environ, FLASHLOOM_TRACES=str(PUBLIC)):
            for name, requests in (("desktop", 32527), ("diskmon", 58818), ("pcmark", 56088)):
                days = self.described(ROOT / f"experiments/pwc/trace_{name}.toml")["jobs"]
                self.assertEqual(len(days), 10)
                self.assertEqual(sum(day["requests"] for day in days), requests)
                self.assertLess(max(day["requests"] for day in days) - min(day["requests"] for day in days), 5)
            three = self.described(ROOT / "experiments/pwc/trace_three.toml")["jobs"]
            self.assertEqual(sum(day["requests"] for day in three), 32527 + 58818 + 56088)
            for day in three[1:]:  # each PC has its own part of the disk
                self.assertEqual(day["footprint_of_previous_share"], 0)
        with mock.patch.dict(os.environ):
            os.environ.pop("FLASHLOOM_TRACES", None)
            done = self.start("workload", ROOT / "experiments/pwc/trace_desktop.toml")
            self.assertEqual(done.returncode, 2)
            self.assertIn("FLASHLOOM_TRACES", done.stderr)

    def test_a_trace_alone_goes_over_all_queues(self):
        for replay in ("closed", "timed"):
            result = self.result("nvme-tlc-1tb", "--trace", CAPTURED / "postgres.iolog.xz", "--max-requests", 100,
                                 sets=["host.queues=4", f"host.replay={replay}"])
            self.assertEqual(result["host"]["jobs"][0]["queues"], [0, 1, 2, 3])

    def test_sata_has_one_queue(self):
        text = MIX.format("a", "read = 1.0") + MIX.format("b", "read = 0.0")
        sata = ["host_interface.kind=sata", "link.kind=sata", "host_interface.queue_depth=32"]
        self.assertEqual([job["queues"] for job in self.workload(text, sets=sata)["host"]["jobs"]], [[0], [0]])
        path = self.file("w.toml", text.replace("name = \"b\"", "name = \"b\"\nqueue = 1"))
        overrides = [word for each in sata for word in ("--set", each)]
        done = self.start("run", "tiny", "--workload", path, *overrides)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("b.queue", done.stderr)

    def test_namespaces(self):
        """Jobs go to their namespaces, by the key of the workload file or by a fio job's device name."""
        sets = ["host_interface.namespaces=[\"1 MiB\", \"2 MiB\"]", "verify=true"]
        text = MIX.format("a", "read = 0.0") + MIX.format("b", "read = 0.5").replace('name = "b"', 'name = "b"\nnamespace = 2')
        result = self.workload(text, sets=sets)
        first, second = result["host_interface"]["namespaces"]
        jobs = result["host"]["jobs"]
        self.assertEqual([first["bytes"], second["bytes"]], [1 << 20, 2 << 20])
        for namespace, of in ((first, jobs[0]), (second, jobs[1])):
            for operation in ("read", "write"):
                self.assertEqual(namespace[operation]["ios"], of[operation]["ios"])
        self.assertEqual(result["verify"]["mismatches"], 0)
        fio = "[a]\nrw=write\nfilename=/dev/nvme0n2\nsize=50%\n[b]\nrw=randwrite\nfilename=/dev/nvme0n1\nsize=100%\n"
        result = self.result("tiny", "--job", self.file("n.fio", fio), sets=sets)
        self.assertEqual([each["write"]["bytes"] for each in result["host_interface"]["namespaces"]], [1 << 20, 1 << 20])
        schemas.check(result, "result")
        bad = self.start("run", "tiny", "--workload", self.file("w.toml", text), "--set", sets[0].replace(', "2 MiB"', ""))
        self.assertEqual(bad.returncode, 2, bad.stderr)
        self.assertIn("b.namespace", bad.stderr)
        bad = self.start("run", "tiny", "--workload", self.file("w.toml", text))
        self.assertEqual(bad.returncode, 2, bad.stderr)
        self.assertIn("one namespace", bad.stderr)

    def test_trims_of_ranges_and_write_zeroes(self):
        job = "[w]\nrw=write\nsize=1m\nend_fsync=1\n[t]\nstonewall\nrw=randtrim\nsize=1m\noffset=0\nnum_range=16\niodepth=4\nioengine=io_uring\n"
        result = self.result("tiny", "--job", self.file("t.fio", job), sets=["verify=true", "host_interface.kind.fetch_lists=true"])
        self.assertEqual(result["host"]["trim"]["ios"], 16)
        self.assertEqual(result["host"]["trim"]["bytes"], 1 << 20)
        self.assertEqual(result["ftl"]["units_trimmed"], 256)
        self.assertEqual(result["host_interface"]["lists"], {"fetches": 16, "bytes": 16 * 16 * 16})
        zeroes = ("tiny", "--generate", "mix:read=30 %,zeroes=30 %,requests=500")
        result = self.result(*zeroes, sets=["verify=true"])
        self.assertGreater(result["host"]["write_zeroes"]["ios"], 100)
        self.assertEqual(result["verify"]["mismatches"], 0)
        schemas.check(result, "result")
        # A page cache receives the zeroes as written data.
        cached = self.result(*zeroes, sets=["verify=true", "host.cache.size=1 MiB"])
        self.assertNotIn("write_zeroes", cached["host"])
        self.assertEqual(cached["host"]["write"]["ios"], result["host"]["write"]["ios"] + result["host"]["write_zeroes"]["ios"])
        self.assertEqual(cached["verify"]["mismatches"], 0)

    def test_every_generator_runs_verified(self):
        listed = json.loads(self.start("list", "generator", "--json").stdout)
        self.assertEqual({item["name"] for item in listed}, set(QUICK))
        for name, parameters in QUICK.items():
            with self.subTest(generator=name):
                result = self.result("tiny", "--generate", f"{name}:{parameters}",
                                     sets=["verify=true", *(ZONED if name == "zones" else [])])
                self.assertEqual(result["workload"]["kind"], "generator")
                self.assertEqual(result["host"]["requests"], result["host"]["completions"])
                self.assertGreater(result["host"]["requests"], 50)
                self.assertEqual(result["verify"]["mismatches"], 0)

    def test_appends_take_as_long_as_writes(self):
        def shortest(append, kind):
            result = self.result("tiny", "--generate", f'zones:requests=200,open=1,size="4 KiB",append={append}',
                                 sets=[*ZONED, "controller.write_latency=3 us", "host.iodepth=1"])
            return result["host"][kind]["latency_ns"]["min"]

        self.assertGreater(shortest(0, "write"), 3000)
        self.assertEqual(shortest(1, "zone_append"), shortest(0, "write"))

    def test_zones_have_random_write_areas(self):
        area = 'ftl.kind={ name = "zoned", random_write_area = "64 KiB", max_active = 9, max_open = 9 }'
        for arguments in ((), ("--untimed",)):
            result = self.result("tiny", "--generate",
                                 'zones:requests=2000,size="16 KiB",open=3,random_area=1,overwrite=0.5,flush_every=40',
                                 *arguments, sets=[area, *ZONED[1:], "verify=true"])
            zones = result["zones"]
            self.assertEqual((zones["errors"], result["verify"]["mismatches"]), ({}, 0))
            self.assertGreater(zones["implicit_commits"], 100)
            self.assertGreater(zones["commits"], 10)
            areas = zones["random_write_areas"]
            self.assertEqual(areas["written_units"], 4 * zones["writes"])
            self.assertLess(abs(areas["overwritten_units"] / areas["written_units"] - 0.5), 0.05)
        self.assertNotIn("random_write_areas", self.result("tiny", "--generate", "zones:requests=10", sets=ZONED)["zones"])

    def test_fio_knows_which_zones_were_filled_before(self):
        job = self.file("zbd.fio", "[j]\nrw=write\nbs=64k\nsize=100%\nio_size=8m\nzonemode=zbd\n")
        zones = self.result("tiny", "--job", job, sets=[*ZONED, "precondition.fill=0.3"])["zones"]
        self.assertEqual(zones["errors"], {})
        self.assertGreater(zones["resets"], 2, "full ones are reset before they are written")

    def test_generators_name_the_handles_of_the_device(self):
        fdp = ["ftl.gc_unit=superblock", "fdp.groups=1", "fdp.handles=2"]
        result = self.result("tiny", "--generate", 'cachelib:requests=3000,region="256 KiB"', sets=fdp)
        written = [handle["bytes_written"] for handle in result["ftl"]["fdp"]["handles"]]
        self.assertGreater(min(written), 0, "small and large objects have a handle each")

    def test_bad_input(self):
        good = self.file("good.toml", MIX.format("a", "read = 1.0"))
        bad = self.file("bad.toml", MIX.format("a", "raed = 1.0"))
        lost = self.file("lost.toml", '[[job]]\ntrace = "absent.csv"\n')
        job = self.file("bad.fio", "[work]\nrw=read\nwarp=9\n")
        fio = self.file("fio.toml", f'[[job]]\nfio = "{job.name}"\n')
        late = "arrivals lie beyond 106 days"
        for arguments, names in ((("--workload", bad), ["bad.toml:4", "raed", "read"]),
                                 (("--generate", "mix:requests=100,rate=1e-9"), [late]),
                                 (("--generate", "bursts:requests=100,on=1 ps,off=1000000 s"), [late]),
                                 (("--workload", lost), ["lost.toml:2", "absent.csv"]),
                                 (("--workload", fio), ["bad.fio:3", "warp"]),
                                 (("--workload", "absent.toml"), ["absent.toml"]),
                                 (("--workload", good, "--job", job), ["--workload", "--job"]),
                                 (("--workload", good, "--generate", "mix"), ["--generate", "--workload"]),
                                 (("--generate", "mixx"), ["--generate", "mixx", "mix"]),
                                 (("--workload", good, "--format", "msr"), ["--format", "--trace"])):
            with self.subTest(arguments=arguments):
                folder = self.scratch / "refused"
                done = self.start("run", "tiny", *arguments, "--out", folder)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, "")
                for name in names:
                    self.assertIn(name, done.stderr)
                self.assertFalse((folder / "result.json").exists())

    def test_the_documentations_examples(self):
        text = DOCUMENTATION.read_text()
        for name, content in re.findall(r"```ini\n; (\S+)\n(.*?)```", text, re.S):
            self.file(name, content)
        (self.scratch / "captured").symlink_to(CAPTURED)
        examples = [block for block in re.findall(r"```toml\n(.*?)```", text, re.S) if "[[job]]" in block]
        self.assertGreater(len(examples), 3)
        for number, example in enumerate(examples):
            with self.subTest(example=example.splitlines()[0]):
                path = self.file(f"example{number}.toml", example)
                result = self.result("nvme-tlc-1tb", "--workload", path, "--max-requests", 2000)
                self.assertGreater(result["host"]["requests"], 100)
        shorthands = re.findall(r"--generate '([^']*)'", text)
        self.assertGreater(len(shorthands), 0)
        for shorthand in shorthands:
            self.result("tiny", "--generate", shorthand, "--max-requests", 500)


if __name__ == "__main__":
    unittest.main()
