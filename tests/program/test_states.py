"""Saved states give the same results as runs without, and a state that does not fit is refused."""
import json
import re
import unittest

from program import ProgramCase, job

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
        self.refuse(state, "nand.channels is 2 in the state and 4 here", sets=["nand.channels=4"])
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


if __name__ == "__main__":
    unittest.main()
