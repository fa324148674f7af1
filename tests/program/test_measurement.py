"""Measurements of a run: io-logs that reproduce every host figure, and outputs that fit their schemas."""
import copy
import json
import subprocess
import sys
import unittest

import io_log
import jsonschema
import schemas
from program import CAPTURED, ROOT, ProgramCase, job, msr

TWO_JOBS = ("[global]\nbs=4k\nsize=100%\n[reader]\nrw=randread\niodepth=8\nio_size=2m\n"
            "[writer]\nrw=randwrite\niodepth=4\nio_size=4m\n")
ZONED_JOB = TWO_JOBS.replace("bs=4k", "bs=4k\nfilename=/dev/nvme0n1\nzonemode=zbd")
# Faster than a small drive can serve: requests wait, and are late.
TRACE = msr([(20 * n, "Read" if n % 3 else "Write", 4096 * (n * 37 % 2048), 4096 * (1 + n % 3)) for n in range(1500)])


class IoLog(ProgramCase):
    def check(self, device, workload, text, sets, groups=None):
        """`groups`: numbers of the jobs reported together; None: each job by itself."""
        path = self.file("trace.csv" if workload == "--trace" else "job.fio", text)
        out = self.simulate(device, workload, path, "--io-log", "both", sets=sets)
        result = json.loads((out / "result.json").read_text())
        description, records = io_log.read_binary(out / "io_log.bin")
        schemas.check(description, "io_log")
        self.assertEqual(records, io_log.read_csv(out / "io_log.csv"))
        for record in records:
            parts = sum(record[part] for part in io_log.PARTS)
            self.assertEqual(parts, record["complete"] - record["arrival"] if record["status"] == "ok" else 0)
        host = result["host"]
        jobs = host.pop("jobs")
        latency = {"0 s": 0, "3 us": 3_000_000}[result["config"]["host"]["submit_latency"]]
        self.assertEqual(io_log.host_figures(records, host["begin_s"], latency), host)
        if groups is None:
            groups = [[number] for number in range(len(jobs))]
            self.assertEqual(description["jobs"], [each["name"] for each in jobs])
        self.assertEqual([len(group) for group in groups], [each["jobs"] for each in jobs])
        for group, each in zip(groups, jobs):
            own = [record for record in records if record["job"] in group]
            known = {key: value for key, value in each.items() if key not in ("name", "jobs", "queues", "streams")}
            self.assertEqual(io_log.host_figures(own, each["begin_s"], latency), known)
            self.assertEqual(sorted(each["queues"]), sorted({record["queue"] for record in own}))
            self.assertEqual(sorted(each["streams"]), sorted({record["stream"] for record in own}))
        return host

    def test_jobs(self):
        host = self.check("tiny", "--job", TWO_JOBS, ["precondition.fill=1", "host.submit_latency=3 us",
                                                      "host.complete_latency=1 us"])
        self.assertEqual((host["read"]["ios"], host["write"]["ios"]), (512, 1024))

    def test_timed_trace(self):
        host = self.check("tiny", "--trace", TRACE, ["precondition.fill=1"])
        self.assertGreater(host["late_requests"], 0)

    def test_ramp_and_groups(self):
        text = TWO_JOBS.replace("[reader]", "ramp_time=2ms\ngroup_reporting\n[alone]\nrw=randread\nio_size=1m\n"
                                "[reader]\nnew_group\ngroup_reporting")
        host = self.check("tiny", "--job", text, ["precondition.fill=1"], [[0], [1, 2]])
        self.assertGreater(host["unmeasured"], 0)
        self.assertEqual(host["unmeasured"] + host["read"]["ios"] + host["write"]["ios"], 256 + 512 + 1024)

    def test_power_cut(self):
        host = self.check("tiny", "--job", TWO_JOBS, ["precondition.fill=1", "power.cut_at=20 ms"])
        self.assertGreater(host["power_lost"], 0)

    def test_every_operation(self):
        trace = CAPTURED / "postgres.iolog.xz"
        out = self.simulate("nvme-tlc-1tb", "--trace", trace, "--max-requests", 2000, "--io-log", "binary")
        result = json.loads((out / "result.json").read_text())
        _, records = io_log.read_binary(out / "io_log.bin")
        host = result["host"]
        del host["jobs"]
        self.assertEqual(io_log.host_figures(records, host["begin_s"]), host)
        self.assertTrue(all(host[operation]["ios"] for operation in io_log.OPERATIONS))
        self.assertFalse((out / "io_log.csv").exists())

    def test_observes_and_changes_nothing(self):
        path = self.file("job.fio", TWO_JOBS)
        plain = (self.simulate("tiny", "--job", path) / "result.json").read_bytes()
        logged = (self.simulate("tiny", "--job", path, "--io-log", "csv") / "result.json").read_bytes()
        self.assertEqual(plain, logged)

    def test_bad_options(self):
        path = self.file("job.fio", TWO_JOBS)
        for arguments, message in ((("--io-log", "xml", "--out", self.scratch / "o"), "none of binary, csv, both"),
                                   (("--io-log", "csv"), "--out")):
            done = self.start("run", "tiny", "--job", path, *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
        self.assertFalse((self.scratch / "o").exists())


class Summary(ProgramCase):
    """Lines of the summary about figures that would surprise a reader."""

    def summary(self, rw, *sets, device="tiny", size="100%"):
        path = self.file("job.fio", job(rw=rw, bs="16k", size=size))
        done = self.start("run", device, "--job", path, *[w for each in sets for w in ("--set", each)])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_reads_of_what_was_never_written(self):
        warning = r"(?m)^warning: 100 % of the units read \(([0-9]+) of \1\) hold nothing: never written, or trimmed\."
        self.assertRegex(self.summary("read"), warning)
        # Below a share that matters to the figures it is told, and no warning.
        kept = ("buffer.read_cache=0.5", "buffer.read_ahead=64 KiB")
        self.assertRegex(self.summary("read", "precondition.fill=0", *kept), warning)  # nothing is fetched, and nothing is kept
        self.assertRegex(self.summary("read", "precondition.fill=0.995"), r"(?m)^  zeroes [0-9]+ of [0-9]+ units read hold nothing")
        for said in (self.summary("write"), self.summary("read", "precondition.fill=1")):
            self.assertNotIn("hold nothing", said)

    def test_multi_plane_reads_that_never_come(self):
        note = "nand.multi_plane_read has had no effect"
        for multi_plane, check in (("true", self.assertIn), ("false", self.assertNotIn)):
            check(note, self.summary("read", f"nand.multi_plane_read={multi_plane}", device="mqsim-default", size="1m"))


class Untimed(ProgramCase):
    """Untimed runs do the same flash operations as timed ones where requests in flight make no difference."""

    SETS = ["precondition.fill=1", "buffer.mode=write_through", "ftl.kind=log_block", "host.iodepth=1"]

    def test_counts_as_a_timed_run_does(self):
        path = self.file("job.fio", job(rw="randwrite", bs="4k", iodepth=1, size="4m", io_size="8m"))
        timed = self.result("tiny", "--job", path, sets=self.SETS)
        untimed = self.result("tiny", "--job", path, "--untimed", sets=self.SETS)
        for part in ("flash", "ftl"):
            self.assertEqual(timed[part], untimed[part])
        self.assertGreater(sum(timed["ftl"]["merges"].values()), 0)
        self.assertEqual(timed["window"]["write"], untimed["window"]["write"])
        self.assertEqual(untimed["simulated_s"], 0)
        schemas.check(untimed, "result")

    def test_a_job_says_how_well_its_data_compress(self):
        path = self.file("saved.fio", job(rw="randwrite", bs="16k", iodepth=1, size="4m", io_size="8m", buffer_compress_percentage=75))
        sets = ["nand.page_size=16 KiB", "nand.spare_size=2208 B", "buffer.size=1 MiB", "compression.granule=512 B", "compression.saved=0",
                "host.iodepth=1"]
        timed = self.result("tiny", "--job", path, sets=sets)["compression"]
        self.assertGreater(timed["ratio"], 2)
        untimed = self.result("tiny", "--job", path, "--untimed", sets=sets)["compression"]
        self.assertAlmostEqual(untimed["ratio"], timed["ratio"], delta=0.05)

    def test_counts_requests_that_fail_as_a_timed_run_does(self):
        worn = self.file("worn.fio", job(rw="randwrite", bs="4k", iodepth=1, loops=8))
        old = self.file("old.fio", job(rw="randread", bs="4k", iodepth=1, size="1m"))
        for path, key, sets in ((worn, "write_protected", ["nand.endurance=3"]),
                                (old, "media_errors", ["precondition.fill=1", "nand.spare_size=512 B",
                                                       "nand.errors.model=power_law", "nand.errors.pe_cycles=30000",
                                                       "nand.errors.retention_age=3650 d"])):  # yapf: disable
            with self.subTest(key=key):
                timed = self.result("tiny", "--job", path, sets=sets)
                untimed = self.result("tiny", "--job", path, "--untimed", sets=sets)
                self.assertGreater(timed["host"][key], 0)
                self.assertEqual(untimed["host"][key], timed["host"][key])
                for kind in ("read", "write"):
                    self.assertEqual(untimed["window"][kind], timed["window"][kind])

    def test_a_job_that_only_time_ends(self):
        path = self.file("job.fio", job(rw="read", bs="4k", size="1m", time_based=1, runtime="5ms"))
        done = self.start("run", "tiny", "--job", path, "--untimed")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "--untimed: job .* runtime.*--max-requests")
        self.assertEqual(self.result("tiny", "--job", path, "--untimed", "--max-requests", "300")["window"]["read"]["ios"], 300)
        ends = self.file("ends.fio", job(rw="read", bs="4k", size="1m", runtime="5ms"))
        self.assertEqual(self.result("tiny", "--job", ends, "--untimed")["window"]["read"]["ios"], 256)
        few = ("--sample", "--sample-windows", 5, "--sample-requests", 6, "--sample-warm-up", 2)
        short = self.file("short.fio", "[j]\nruntime=5ms\n")
        sets = ("nand.channels=1", "nand.ways=1", "ftl.over_provisioning=3", "verify=true")
        done = self.start("run", "tiny", "--job", short, *few, *(word for each in sets for word in ("--set", each)))
        self.assertEqual((done.returncode, "the jobs end before anything is measured: run them whole" in done.stderr), (2, True), done.stderr)

    def test_prints_what_it_measured_alone(self):
        path = self.file("job.fio", TWO_JOBS)
        done = self.start("run", "tiny", "--job", path, "--untimed")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("counted without time", done.stdout)
        self.assertIn("1024 IOs", done.stdout)
        for word in ("simulated", "energy", "IO per CPU s", " W average"):
            self.assertNotIn(word, done.stdout)

    def test_what_needs_time_is_refused(self):
        path = self.file("job.fio", TWO_JOBS)
        for arguments, message in ((("--alone",), "--alone"), (("--plots", "--out", self.scratch / "o"), "--plots"),
                                   (("--set", "power.cut_at=1 ms"), "power.cut_at"),
                                   (("--set", "host.cache.size=1 MiB"), "host.cache")):
            done = self.start("run", "tiny", "--job", path, "--untimed", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--untimed", done.stderr)
            self.assertIn(message, done.stderr)
        self.assertFalse((self.scratch / "o").exists())


class Schemas(ProgramCase):
    def answer(self, *arguments):
        done = self.start(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def presets(self):
        return [entry["name"] for entry in self.answer("list", "preset", "--json")]

    def test_every_schema_is_one(self):
        self.assertGreaterEqual(len(schemas.names()), 7)
        for name in schemas.names():
            jsonschema.Draft202012Validator.check_schema(schemas.schema(name))
            self.assertEqual(schemas.schema(name)["$id"], f"{name}.schema.json")

    def test_every_reference_of_a_schema_stays_inside(self):
        for name in schemas.names():
            objects = list(schemas.objects(schemas.schema(name)))
            inside = [node for node, home in objects if node is home]
            by_id = {node["$id"]: node for node in inside}
            self.assertEqual(len(by_id), len(inside), name)
            for node, home in objects:
                if "$ref" in node:
                    with self.subTest(name, reference=node["$ref"]):
                        file, _, pointer = node["$ref"].partition("#")
                        target = by_id[file or home["$id"]]
                        for step in pointer.split("/")[1:]:
                            target = target[step]

    def test_schemas_tell_each_thing_once(self):
        """In one place of one file, but for what is short; the configuration's, which no other repeats, is its own affair."""
        places = {}
        for name in schemas.names():
            for node, _ in schemas.objects(json.loads(schemas.source(name))):
                if json.dumps(node, indent=2).count("\n") >= 10:
                    places.setdefault(json.dumps(node, sort_keys=True), []).append(name)
        for text, files in places.items():
            self.assertTrue(len(files) == 1 or set(files) == {"config"}, f"{files}: {text}")

    def test_results(self):
        path = self.file("job.fio", TWO_JOBS)
        cases = [("tiny", ["verify=true", "precondition.fill=1"]), ("tiny", ["power.cut_at=2 ms"]),
                 ("tiny", ["host.latency_breakdown=false", "cpu.model=ideal", "link.kind=ideal"]),
                 ("tiny", ["nvram.kind=pcm", "nvram.size=16 MiB", "ftl.map_location=nvram"])]
        cases += [("tiny", ["power.cap_dies=1", "ftl.queue_limit=2"])]
        cases += [("tiny", ["host.cache.size=1 MiB", "host.cache.replacement=dld_arc"])]
        cases += [(name, []) for name in self.presets()]
        for device, sets in cases:
            with self.subTest(device=device, sets=sets):
                job = self.file("zones.fio", ZONED_JOB) if device.endswith("-zns") else path
                out = self.simulate(device, "--job", job, "--max-requests", 200, sets=sets)
                for name in ("result", "run"):
                    schemas.check(json.loads((out / f"{name}.json").read_text()), name)

    def test_tenants_and_generators(self):
        path = self.file("job.fio", TWO_JOBS)
        out = self.simulate("tiny", "--job", path, "--alone", "--max-requests", 100)
        result = json.loads((out / "result.json").read_text())
        self.assertEqual(len(result["tenants"]["jobs"]), 2)
        schemas.check(result, "result")
        for number, workload in enumerate((("--generate", "mix:requests=50"),
                                           ("--workload", ROOT / "experiments/tenants/tenants.toml"))):
            with self.subTest(workload=workload):
                out = self.simulate("nvme-tlc-1tb", *workload, "--max-requests", 50, "--address-fit", "wrap")
                result = json.loads((out / "result.json").read_text())
                self.assertGreaterEqual(len(result["workload"]["jobs"]), 1 + number)
                schemas.check(result, "result")

    def test_zones(self):
        device = ("--set", 'host_interface.sector_size="4 KiB"', "--set", "buffer.replacement=fifo")
        for kind, workload in (('{name="zoned"}', "zones:requests=100"),
                               ('{name="zoned",random_write_area="32 KiB",max_random_write_areas=6}',
                                "zones:requests=300,size=8KiB,random_area=0.5,overwrite=0.3")):
            with self.subTest(kind=kind):
                out = self.simulate("tiny", *device, "--set", f"ftl.kind={kind}", "--generate", workload)
                result = json.loads((out / "result.json").read_text())
                self.assertEqual("random_area" in workload, "random_write_areas" in result["zones"])
                schemas.check(result, "result")

    def test_an_unknown_field_does_not_fit(self):
        out = self.simulate("tiny", "--job", self.file("job.fio", TWO_JOBS), "--max-requests", 50)
        result = json.loads((out / "result.json").read_text())
        for place in (lambda r: r, lambda r: r["host"]["read"], lambda r: r["host"]["jobs"][0], lambda r: r["config"],
                      lambda r: r["energy"]["components"][0], lambda r: r["flash"]["reads"]["gc"]):
            other = copy.deepcopy(result)
            place(other)["surprise"] = 1
            with self.assertRaises(jsonschema.ValidationError):
                schemas.check(other, "result")

    def test_lists_and_configurations(self):
        for family in ((), ("config",), ("fio_option",)):
            schemas.check(self.answer("list", *family, "--json"), "list")
        for name in self.presets():
            schemas.check(self.answer("config", name, "--json"), "config")

    def test_trace_info(self):
        for trace in (CAPTURED / "sqlite.iolog.xz", self.file("trace.csv", TRACE)):
            schemas.check(self.answer("trace", "info", trace, "--json"), "trace_info")

    def test_bench(self):
        done = self.bench("--scale", "0.01", "peer/read_4k")
        self.assertEqual(done.returncode, 0, done.stderr)
        schemas.check(json.loads(done.stdout), "bench")

    def test_the_bench_of_the_pair_reaches_its_ssd(self):
        done = self.bench("pair/pwc")
        self.assertEqual(done.returncode, 0, done.stderr)
        flash = json.loads(done.stdout)["cases"][0]["flash"]
        self.assertGreater(flash["reads"], 0)
        self.assertGreater(flash["programs"], 0)

    def test_a_bench_that_misses_its_ssd_fails(self):
        done = self.bench("--set", "tier.pass=command", "pair/pwc")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("pair/pwc did no flash operation", done.stderr)

    def bench(self, *arguments):
        if not (ROOT / "build/release/bench/case_runner").exists():
            self.skipTest("the benchmarks are not built (build/release)")
        return subprocess.run([sys.executable, ROOT / "bench/run", "--json", *arguments],
                              capture_output=True, text=True, check=False)


if __name__ == "__main__":
    unittest.main()
