"""Saved states give the same results as runs without, and a state that does not fit is refused."""
import json
import random
import re
import unittest

from program import PAGE, ProgramCase, job, msr

MIXED = job(rw="randrw", rwmixread=50, bs="4k", iodepth=8, size="100%", io_size="8m")
STEADY = ["precondition.fill=1", "precondition.steady=true"]


def fnv1a(text):
    """FNV-1a, 64 bits, as 16 hexadecimal digits."""
    state = 0xcbf29ce484222325
    for byte in text:
        state = (state ^ byte) * 0x100000001b3 % 2**64
    return b"%016x" % state


class States(ProgramCase):
    def setUp(self):
        super().setUp()
        self.job = self.file("mixed.fio", MIXED)

    def save(self, name, *arguments, sets=(), device="tiny"):
        """Saves the state of a device; returns the file's path."""
        overrides = [word for override in sets for word in ("--set", override)]
        path = self.scratch / name
        done = self.start("precondition", device, "--state", path, *overrides, *arguments, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse(path.with_name(name + ".part").exists())
        return path

    def bytes_of(self, *arguments, sets=()):
        return (self.simulate("tiny", "--job", self.job, *arguments, sets=sets) / "result.json").read_bytes()

    def refuse(self, state, *names, sets=(), arguments=()):
        """Runs from a state; expects a refusal whose message contains all of the names, and no result."""
        folder = self.scratch / "refused"
        overrides = [word for override in sets for word in ("--set", override)]
        done = self.start("run", "tiny", "--job", self.job, "--state", state, *overrides, *arguments, "--out", folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        for name in names:
            self.assertIn(name, done.stderr)
        self.assertFalse(folder.exists())

    def test_a_state_is_of_all_drives_with_as_many_dies(self):
        """Whatever their channels and ways: the same bytes but for nothing, and the same results as from a state of its own."""
        shapes = [["nand.channels=1", "nand.ways=8"], ["nand.channels=2", "nand.ways=2", "nand.dies=2"], ["nand.channels=8", "nand.ways=1"]]
        for more in ([], ["ftl.placement=least_worn", "verify=true"], ["ftl.gc_unit=superblock", "ftl.placement=superblock"],
                     ["nand.variation.program_die=0.1", "nand.pages_per_program=2", "ftl.placement.order=PCWD"],
                     ["ftl.kind=log_block", "buffer.size=1 MiB"]):
            files = [self.save(f"{n}.state", sets=[*STEADY, *more, *shape]) for n, shape in enumerate(shapes)]
            self.assertEqual(len({file.read_bytes() for file in files}), 1, more)
            results = [self.bytes_of("--state", file, sets=[*STEADY, *more, *shapes[1]]) for file in files]
            self.assertEqual(len(set(results)), 1)
        self.refuse(files[0], "nand.channels x ways x dies is 8 in the state and 4 here", sets=["nand.channels=2", "nand.ways=2"])

    def test_what_nvram_there_is_shapes_no_state(self):
        shape = ["precondition.fill=1", "buffer.location=nvram", "nvram.size=16 MiB", "nvram.kind="]
        sets = [shape[:-1] + [shape[-1] + kind] for kind in ("pcm", "stt_mram")]
        state = self.save("nvram.state", sets=sets[0])
        for each in sets:
            self.assertEqual(self.bytes_of("--state", state, sets=each), self.bytes_of(sets=each))
        nvram = [item for item in json.loads(self.start("list", "config", "--json").stdout) if item["name"] == "[nvram]"]
        self.assertEqual({parameter["name"] for parameter in nvram[0]["parameters"] if parameter["shapes_state"]},
                         {"kind", "size"})

    def test_same_bytes_as_without(self):
        for more in ([], ["verify=true"], ["verify=true", "power.cut_at=5 ms", "power.off_time=1 ms"]):
            state = self.save("tiny.state", "--seed", 5, sets=[*STEADY, *more])
            without = self.bytes_of("--seed", 5, sets=[*STEADY, *more])
            self.assertEqual(without, self.bytes_of("--seed", 5, "--state", state, sets=[*STEADY, *more]))
            # The state itself records how it was preconditioned.
            self.assertEqual(without, self.bytes_of("--seed", 5, "--state", state, sets=more))
            self.assertGreater(json.loads(without)["ftl"]["gc_runs"], 0)

    def test_a_fill_that_a_rule_tells(self):
        """The fill of a device with program units of 24 mapping units is stored as a rule: both formats hold it, and
        what was written later."""
        sets = ["nand.blocks=24", "ftl.logical_size=16 GiB", "precondition.fill=1"]
        anew = (self.simulate("nvme-tlc-1tb", "--job", self.job, sets=sets) / "result.json").read_bytes()
        for arguments, most in (([], 200), (["--compress"], 5)):
            state = self.save("told.state", *arguments, sets=sets, device="nvme-tlc-1tb")
            self.assertLess(state.stat().st_size, most << 20)
            out = self.simulate("nvme-tlc-1tb", "--job", self.job, "--state", state, sets=sets)
            self.assertEqual((out / "result.json").read_bytes(), anew)

    def test_compressed_tables_say_the_same(self):
        sets = [*STEADY, "nand.blocks=512"]  # both formats compress tables below 64 KiB
        mapped, compact = self.save("mapped.state", sets=sets), self.save("compact.state", "--compress", sets=sets)
        self.assertGreater(mapped.stat().st_size, compact.stat().st_size)
        for state, tables in ((mapped, b'"mapped"'), (compact, b'"compact"')):
            self.assertIn(b'"tables": ' + tables, state.read_bytes()[:8000])
            self.assertEqual(self.bytes_of(sets=sets), self.bytes_of("--state", state, sets=["nand.blocks=512"]))

    def test_a_device_whose_power_is_cut_goes_on_from_a_state_of_one_without(self):
        """A run keeps no data versions if no mount will need them (OobLayout), but a state that `precondition` saves
        has them."""
        cuts = ["power.cut_at=5 ms", "power.off_time=1 ms"]
        for sets in (STEADY, [*STEADY, "nand.blocks=128", "ftl.recovery=journal"]):
            state = self.save("no_cuts.state", sets=sets)
            self.assertEqual(self.bytes_of("--state", state, sets=[*sets, *cuts]), self.bytes_of(sets=[*sets, *cuts]))

    def test_one_state_serves_a_sweep_of_times(self):
        state = self.save("tiny.state", sets=STEADY)
        for timing in ("nand.program_time=300 us", "nand.transfer_rate=800 MT/s", "cpu.model=ideal", "link.lanes=1",
                       "host_interface.commands=4", "ftl.arbitration.bound=0"):
            self.assertEqual(self.bytes_of(sets=[*STEADY, timing]), self.bytes_of("--state", state, sets=[timing]))

    def test_another_seed_is_the_workloads(self):
        state = self.save("tiny.state", "--seed", 5, sets=STEADY)
        one, other = (json.loads(self.bytes_of("--seed", seed, "--state", state)) for seed in (5, 6))
        self.assertEqual((one["seed"], other["seed"]), (5, 6))
        self.assertEqual(one["precondition"], other["precondition"])
        self.assertEqual(one["precondition"]["seed"], 5)
        self.assertNotEqual(one["host"], other["host"])

    def test_same_input_same_file(self):
        first = self.save("a.state", sets=STEADY).read_bytes()
        self.assertEqual(first, self.save("b.state", sets=STEADY).read_bytes())
        self.assertNotEqual(first, self.save("c.state", "--seed", 2, sets=STEADY).read_bytes())

    def test_summary_and_run_cost_name_the_state(self):
        state = self.save("tiny.state", "--seed", 5, sets=STEADY)
        done = self.start("run", "tiny", "--job", self.job, "--state", state, "--out", "named")
        self.assertRegex(done.stdout, r"state  .*tiny\.state, seed 5; .*precondition\.fill is 1\.0 in the state and 0\.0")
        cost = json.loads((self.scratch / "named/run.json").read_text())
        self.assertEqual(cost["state"], "tiny.state")
        self.assertNotIn("tiny.state", (self.scratch / "named/result.json").read_text())
        plain = self.simulate("tiny", "--job", self.job)
        self.assertIsNone(json.loads((plain / "run.json").read_text())["state"])

    def test_precondition_says_what_it_did(self):
        done = self.start("precondition", "tiny", "--set", "precondition.fill=1", "--state", "full.state")
        self.assertEqual(done.returncode, 0, done.stderr)
        size = (self.scratch / "full.state").stat().st_size
        self.assertRegex(done.stdout, rf"full\.state: tiny .*26214400 bytes filled.*{size} bytes")

    # Refusals
    def test_missing(self):
        self.refuse("absent.state", "absent.state", "no such state", "flashloom precondition")

    def test_no_state_at_all(self):
        for content in ("", "seed = 1\n", b"\x28\xb5\x2f\xfd" + bytes(range(200)), b"\x50\x2a\x4d\x18\xff\xff\xff\xff"):
            self.refuse(self.file("no.state", content), "no.state", "is no saved state")

    def test_truncated(self):
        whole = self.save("tiny.state", sets=STEADY).read_bytes()
        for length in (6, 300, len(whole) // 2, len(whole) - 1):
            self.refuse(self.file("cut.state", whole[:length]), "cut.state", "truncated")

    def test_damaged(self):
        whole = bytearray(self.save("tiny.state", sets=STEADY).read_bytes())
        for place in (40, len(whole) // 2, len(whole) - 2):
            damaged = bytearray(whole)
            damaged[place] ^= 1
            self.refuse(self.file("bad.state", bytes(damaged)), "bad.state")

    def test_another_version(self):
        whole = self.save("tiny.state", sets=STEADY).read_bytes()
        length = int.from_bytes(whole[4:8], "little")
        text, rest = whole[8:8 + length], whole[8 + length:]
        schema = re.search(rb"flashloom\.state/\d\d", text)[0]
        body = text[17:].replace(schema, b"flashloom.state/08")
        self.assertEqual(len(body), len(text) - 17)
        self.refuse(self.file("new.state", whole[:8] + fnv1a(body) + b"\n" + body + rest), "new.state",
                    "flashloom.state/08", schema.decode())

    def test_another_device(self):
        state = self.save("tiny.state", sets=STEADY)
        self.refuse(state, "tiny.state", "nand.blocks is 64 in the state and 32 here", sets=["nand.blocks=32"])
        self.refuse(state, "nand.channels x ways x dies is 4 in the state and 8 here", sets=["nand.channels=4"])
        self.refuse(state, 'ftl.logical_size is "25 MiB" in the state and "20 MiB" here',
                    sets=["ftl.logical_size=20 MiB"])
        self.refuse(state, 'buffer.size is "1 MiB" in the state and "2 MiB" here', "ftl.gc_high is 3",
                    sets=["buffer.size=2 MiB", "ftl.gc_high=4"])

    def test_another_policy(self):
        state = self.save("tiny.state", sets=STEADY)
        listed = json.loads(self.start("list", "garbage_collection", "--json").stdout)
        names = re.findall(r'"name": "(\w+)"', json.dumps(listed))
        for name in [name for name in names if name != "greedy"][:1]:
            self.refuse(state, 'ftl.garbage_collection is "greedy" in the state', name,
                        sets=[f"ftl.garbage_collection={name}"])
        self.refuse(state, 'buffer.mode is "write_back" in the state and "write_through" here',
                    sets=["buffer.mode=write_through"])

    def test_verify_differs(self):
        plain, verified = self.save("plain.state"), self.save("verified.state", sets=["verify=true"])
        self.refuse(plain, "verify is false in the state and true here", sets=["verify=true"])
        self.refuse(verified, "verify is true in the state and false here")
        self.refuse(verified, "power.cut_at is none in the state and a cut here",
                    sets=["verify=true", "power.cut_at=1 ms"])

    def test_another_preconditioning_asked_for(self):
        state = self.save("tiny.state", sets=STEADY)
        self.refuse(state, "--set precondition.fill", "was made with 1.0", sets=["precondition.fill=0.5"])

    def test_precondition_needs_a_place_to_write(self):
        done = self.start("precondition", "tiny")
        self.assertEqual((done.returncode, "--state" in done.stderr), (2, True))
        blocked = self.file("blocked", "")
        done = self.start("precondition", "tiny", "--state", blocked / "s.state")
        self.assertEqual((done.returncode, "blocked/s.state" in done.stderr), (2, True))

    def test_failed_preconditioning_leaves_nothing(self):
        done = self.start("precondition", "tiny", "--set", "precondition.fill=2", "--state", "no.state")
        self.assertEqual(done.returncode, 2)
        self.assertEqual([path.name for path in self.scratch.iterdir()], ["mixed.fio"])


class AfterUntimedRuns(ProgramCase):
    """States that untimed runs leave. The law: a run, and a second one from the state that it leaves, are one run of
    both workloads."""
    FULL = ["precondition.fill=1", "verify=true", "host.replay=closed"]
    FTLS = (["ftl.kind=page_map"], ["ftl.kind=log_block"], ["ftl.kind=dftl", "ftl.kind.cmt_size=4 KiB"],
            ["nand.read_time=['50 us', '50 us', '50 us']", "nand.slc_blocks=6", "buffer.size=64 KiB"],
            ["ftl.recovery=journal", "buffer.mode=write_through"])
    ZONED = ["verify=true", "nand.page_size=16 KiB", "nand.pages=8", "host_interface.sector_size=4 KiB", "buffer.replacement=fifo",
             'ftl.kind={ name="zoned", zone_size="512 KiB", max_open=6, max_active=8, random_write_area="32 KiB" }']
    NO_SUMS = re.compile(r"free_blocks_min|_at_end|slc\.(blocks|block_bytes)")  # counts of the device, or at one time

    def trace(self, seed):
        """The words for a trace of its own."""
        draw = random.Random(seed)
        return "--trace", self.file(f"{seed}.csv", msr([
            (n, draw.choice(["Write", "Write", "Read"]), PAGE * draw.randrange(5000), PAGE * draw.choice([1, 2, 4])) for n in range(3000)]))

    def zones(self, *parts):
        """The words for jobs that write and reset the zones of parts of the device; their seeds do not matter."""
        name = "".join(map(str, parts))
        return "--workload", self.file(f"{name}.toml", "".join(
            f'[[job]]\nname = "part{part}"\ngenerator = "zones"\noffset = "{8 * part} MiB"\nsize = "8 MiB"\n'
            'parameters = { requests = 1500, size = "32 KiB", random_area = 1, overwrite = 0 }\n' for part in parts))

    def counts(self, value, path):
        """{dotted path: count} of what can be added."""
        if isinstance(value, dict):
            return {inner: count for key, each in value.items() for inner, count in self.counts(each, f"{path}.{key}").items()}
        return {path: value} if isinstance(value, int) and not isinstance(value, bool) and not self.NO_SUMS.search(path) else {}

    def leave(self, state, *words, begin=None, sets=()):
        """The result of an untimed run, which leaves a state, and its table of wear."""
        out = self.simulate("tiny", *words, *(["--state", begin] if begin else []), "--untimed", "--save-state", state, sets=sets)
        return json.loads((out / "result.json").read_text()), (out / "wear.csv").read_text()

    def check_law(self, sets, first, second, both, timed):
        overrides = [word for override in sets for word in ("--set", override)]
        self.assertEqual(self.start("precondition", "tiny", *overrides, "--state", "begin.state").returncode, 0)
        (one, _), (two, wear), (whole, worn) = (self.leave(state, *words, begin=begin, sets=sets) for state, words, begin in (
            ("first.state", first, "begin.state"), ("second.state", second, "first.state"), ("both.state", both, "begin.state")))
        for name in ("window", "flash", "ftl", "buffer"):
            counts = [self.counts(result[name], name) for result in (one, two, whole)]
            self.assertEqual({path: count + counts[1][path] for path, count in counts[0].items()}, counts[2], sets)
        self.assertGreater(one["flash"]["erases"]["total"], 0, sets)
        self.assertGreater(two["flash"]["erases"]["total"], 0, sets)
        self.assertEqual((two["wear"], wear), (whole["wear"], worn), sets)
        results = [self.result("tiny", *timed, "--state", state, sets=sets) for state in ("second.state", "both.state")]
        self.assertEqual(*results, sets)
        self.assertEqual(results[0]["verify"]["mismatches"], 0)
        self.assertGreater(results[0]["verify"]["audited_sectors"], 0)

    def test_two_runs_are_one(self):
        first, second, third = (self.trace(seed) for seed in (1, 2, 3))
        for sets in self.FTLS:
            self.check_law(self.FULL + sets, first, second, (*first, *second, "--concat"), third)

    def test_two_runs_of_zones_are_one(self):
        self.check_law(self.ZONED, self.zones(0), self.zones(1), self.zones(0, 1), self.zones(2))

    def test_rounds_in_one_file(self):
        """The state may replace the one from which the run began; the same input leaves the same bytes."""
        words = self.trace(1)
        with_state, _ = self.leave("0.state", *words, sets=self.FULL)
        self.assertEqual(with_state, self.result("tiny", *words, "--untimed", sets=self.FULL))
        self.leave("1.state", *words, begin="0.state", sets=self.FULL)
        for number in (0, 1):
            self.leave("round.state", *words, begin="round.state" if number else None, sets=self.FULL)
            self.assertEqual(*((self.scratch / name).read_bytes() for name in ("round.state", f"{number}.state")))

    def test_a_state_serves_runs_with_power_cuts_and_keeps_its_seed(self):
        done = self.start("run", "tiny", *self.trace(1), "--set", "precondition.fill=1", "--set", "host.replay=closed", "--untimed", "--seed", 5,
                          "--save-state", "o/5.state", "--out", "o")
        self.assertRegex(done.stdout, rf"state  o/5.state saved, {(self.scratch / 'o/5.state').stat().st_size} bytes")
        result = self.result("tiny", *self.trace(2), "--state", "o/5.state", "--seed", 6, "--untimed", "--save-state", "6.state",
                             sets=["host.replay=closed"])
        self.assertEqual((result["seed"], result["precondition"]["seed"], result["precondition"]["filled_bytes"]), (6, 5, 26214400))
        self.assertIn(b'"seed": 5', (self.scratch / "6.state").read_bytes()[:8000])
        cut = self.result("tiny", *self.trace(3), "--state", "6.state", sets=["power.cut_at=5 ms", "power.off_time=1 ms", "host.replay=closed"])
        self.assertGreater(cut["power"]["each"][0]["mount"]["flash_reads"], 0)

    def test_what_cannot_be_saved(self):
        run = ("run", "tiny", "--generate", "mix:requests=1000", "--save-state", "no.state", "--out", "o")
        for words, name in ((("--quiet",), "--save-state: is of --untimed, which is not given"), (("--sample",), "--sample"),
                            (("--segments", 4), "--segments"), (("--untimed", "--segments", 4), "--segments"),
                            (("--untimed", "--set", "verify=true", "--set", "faults.lost_writes=0.1"), "--save-state: faults"),
                            (("--untimed", "--set", "array.level=raid1"), "an array needs time"),
                            (("--untimed", "--json", "--save-state", "-"), "--save-state"),
                            (("--untimed", "--save-state", ""), "--save-state: is empty")):
            done = self.start(*(run[:4] if "--save-state" in words else run), *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(name, done.stderr)
            self.assertEqual(list(self.scratch.iterdir()), [])
        done = self.start(*run[:4], "--untimed", "--save-state", "gone/s.state")
        self.assertEqual((done.returncode, "gone/s.state" in done.stderr), (2, True))


if __name__ == "__main__":
    unittest.main()
