"""Segments handed over through a folder give the same bytes as forked ones, however often the run was stopped."""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ROOT, ProgramCase, takes_long

PEER = ROOT / "bench/peer.toml"
SMALL = ["nand.blocks=160", "nand.pages=64", "precondition.fill=1"]
STEADY = [*SMALL, "precondition.steady=true"]
LONG = ("--generate", "mix:read=0%,requests=800000")
TWO_JOBS = "[global]\nioengine=libaio\nbs=4k\niodepth=8\n[reads]\nrw=randread\nio_size=60m\n[writes]\nrw=randwrite\nio_size=120m\n"


def words_of(sets):
    return [word for override in sets for word in ("--set", override)]


class Segments(ProgramCase):
    def words(self, *arguments, sets=STEADY, folder="f", segments=4):
        return ["run", PEER, *words_of(sets), *arguments, "--segments", segments, "--segments-folder", self.scratch / folder,
                "--out", self.scratch / "pieces", "--quiet"]

    def answers(self, out):
        return {path.name: path.read_bytes() for path in pathlib.Path(out).iterdir() if path.name != "run.json"}

    def forked(self, *arguments, sets=STEADY, segments=4):
        """The results of the run with forked segments."""
        answers = self.answers(self.simulate(PEER, *arguments, "--segments", segments, sets=sets))
        self.assertEqual(len(json.loads(answers["result.json"])["segments"]["seams"]), segments - 1)
        return answers

    def pieces(self):
        return self.answers(self.scratch / "pieces")

    def succeed(self, words):
        done = self.start(*words)
        self.assertEqual(done.returncode, 0, done.stderr)

    def refuse(self, words, said):
        done = self.start(*words)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(said, done.stderr)

    def wait_for(self, found, what):
        end = time.monotonic() + 60
        while not (value := found()):
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.002)
        return value

    def assert_same(self, *arguments, sets=STEADY, segments=4):
        forked = self.forked(*arguments, sets=sets, segments=segments)
        self.succeed(self.words(*arguments, sets=sets, segments=segments))
        self.assertEqual(self.pieces(), forked)
        steps = self.words(*arguments, sets=sets, segments=segments, folder="steps")
        for step in ("pass", *reversed(range(1, segments + 1)), "merge"):
            self.assertFalse(step == "merge" and not (self.scratch / "steps/end.state").exists())
            self.succeed([*steps, "--segments-only", step])
        self.assertEqual(self.pieces(), forked)

    def test_reads(self):
        self.assert_same("--generate", "mix:read=100%,requests=60000", sets=SMALL)

    def test_steady_writes(self):
        self.assert_same("--generate", "mix:read=0%,requests=60000", segments=5)

    def test_a_mixture_with_a_read_cache(self):
        self.assert_same("--generate", "mix:read=50%,requests=60000,distribution=zipf",
                         sets=[*STEADY, "buffer.size=2 MiB", "buffer.read_cache=50%"])

    def test_reads_that_a_cache_forgets(self):
        """A pass resumed from a state skips the same reads as an uninterrupted one."""
        self.assert_same("--generate", "mix:read=100%,requests=400000,distribution=zipf,theta=0.8",
                         sets=[*SMALL, "buffer.size=1 MiB", "buffer.read_cache=90%"])

    def test_a_map_that_is_paged_in_and_idle_collection(self):
        self.assert_same("--generate", "mix:read=50%,requests=60000,distribution=zipf",
                         sets=[*STEADY, 'ftl.kind={ name = "dftl", cmt_size = "64 KiB" }', 'hmb.size="1 MiB"', "ftl.gc_background=6",
                               "ftl.over_provisioning=40%"])

    def test_what_is_checked_and_compressed(self):
        self.assert_same("--generate", "mix:read=50%,requests=40000",
                         sets=[*STEADY, "verify=true", 'compression.granule="512 B"', "ftl.over_provisioning=30%"])

    def test_cells_with_errors(self):
        self.assert_same("--generate", "mix:read=50%,requests=40000",
                         sets=[*STEADY, "nand.errors.model=power_law", 'nand.errors.retention_age="30 d"', "ftl.scrub_reads=500",
                               'nand.spare_size="1 KiB"'], segments=3)

    def test_a_trace(self):
        lines = "".join(f"{n},{'W' if n % 3 else 'R'},{n * 7919 % 30000 * 4096},{4096 * (1 + n % 2)}\n" for n in range(40000))
        trace = self.file("t.csv", "".join(f"{int(t) * 10},h,0,{'Write' if op == 'W' else 'Read'},{offset},{size},0\n"
                                           for t, op, offset, size in (line.split(",") for line in lines.splitlines())))
        self.assert_same("--trace", f"{trace},format=msr", "--address-fit", "wrap", sets=[*STEADY, "host.replay=closed"])

    def test_each_request_is_counted_once(self):
        """Whatever is in flight where a segment ends, and whatever completes at that instant."""
        small = ["nand.blocks=32", "nand.pages=32", "ftl.over_provisioning=0.7", 'buffer.size="256 KiB"']
        sata = [*small, "link.kind=sata", "host_interface.kind=sata"]
        ideal = [*small, "cpu.model=ideal", "link.kind=ideal"]
        twice = self.file("twice.fio", "[j]\nioengine=libaio\nrw=write\nbs=16k\niodepth=4\nsize=100%\nnumber_ios=1000\nloops=2\n")
        two = self.file("two.fio", "[global]\nioengine=libaio\nbs=4k\niodepth=8\nnumber_ios=3000\n[a]\nrw=randread\n[b]\nrw=read\n")
        for sets, *arguments in ((small, "--job", twice), (sata, "--job", twice), (ideal, "--job", two),
                                 ([*sata, "host.iodepth=32"], "--generate", "mix:read=100%,requests=6000"),
                                 ([*small, "host.iodepth=32"], "--generate", "mix:read=50%,requests=12000")):
            counts = []
            for segments in ((), ("--segments", 2)):
                result = json.loads(self.answers(self.simulate("tiny", *arguments, *segments, sets=sets))["result.json"])
                self.assertEqual(bool(result.get("segments")), bool(segments), arguments)
                host = result["host"]
                for operation in ("read", "write"):
                    self.assertEqual(result["window"][operation]["ios"], host[operation]["ios"])
                counts.append([host["requests"], host["completions"], host["read"]["ios"] + host["write"]["ios"]])
            self.assertEqual(counts, [counts[0][:1] * 3] * 2, (sets, arguments))

    def test_several_jobs(self):
        self.assert_same("--job", self.file("two.fio", TWO_JOBS))

    @takes_long(17)
    def test_a_pass_that_was_killed_goes_on(self):
        jobs = self.file("two.fio", TWO_JOBS.replace("60m", "600m").replace("120m", "1200m"))
        for number, arguments in enumerate((LONG, ("--job", jobs))):
            folder = self.scratch / f"killed{number}"
            words = self.words(*arguments, folder=folder.name, segments=8)
            with subprocess.Popen(list(map(str, [PROGRAM, *words, "--segments-only", "pass"])), cwd=self.scratch,
                                  stderr=subprocess.PIPE) as run:
                self.wait_for((folder / "segment-3.state").exists, "no third state")
                run.send_signal(signal.SIGKILL)
            self.assertFalse((folder / "end.state").exists(), "the pass was too fast to be killed")
            kept = (folder / "segment-3.state").stat().st_mtime_ns
            self.succeed(words)
            self.assertEqual((folder / "segment-3.state").stat().st_mtime_ns, kept)
            self.assertEqual(self.pieces(), self.forked(*arguments, segments=8))

    def children_of(self, process):
        try:
            return [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
        except OSError:
            return []

    def test_a_segment_that_was_killed_is_told_and_made_again_alone(self):
        words = self.words(*LONG)
        self.succeed([*words, "--segments-only", "pass"])
        with subprocess.Popen(list(map(str, [PROGRAM, *words])), cwd=self.scratch, stderr=subprocess.PIPE, text=True) as run:
            os.kill(self.wait_for(lambda: self.children_of(run.pid), "no child")[0], signal.SIGKILL)
            _, said = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 1, said)
        self.assertRegex(said, "segment 1 of 4: ended by signal 9; what is done stays in .*f, and the same command does the rest")
        self.assertFalse((self.scratch / "pieces/result.json").exists())
        answers = {path.name: path.stat().st_mtime_ns for path in (self.scratch / "f").glob("*.answer")}
        self.assertEqual(sorted(answers), [f"segment-{n}.answer" for n in (2, 3, 4)])
        self.refuse([*words, "--segments-only", "merge"], "f has no answer of segment 1 of 4")
        self.succeed([*words, "--segments-only", 1])
        self.succeed(words)
        self.assertEqual(self.pieces(), self.forked(*LONG))
        self.assertEqual(answers, {path.name: path.stat().st_mtime_ns for path in (self.scratch / "f").glob("*.answer")
                                   if path.name != "segment-1.answer"})

    @takes_long(10)
    def test_a_run_that_was_stopped_goes_on(self):
        words = self.words(*LONG)
        with subprocess.Popen(list(map(str, [PROGRAM, *words])), cwd=self.scratch, stderr=subprocess.PIPE, text=True) as run:
            self.wait_for((self.scratch / "f/segment-2.state").exists, "no second state")
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertFalse((self.scratch / "pieces/result.json").exists())
        self.succeed(words)
        self.assertEqual(self.pieces(), self.forked(*LONG))

    def test_the_folder_of_another_run_is_refused(self):
        writes = ("--generate", "mix:read=0%,requests=60000")
        words = self.words(*writes)
        self.succeed(words)
        before = {path.name: path.stat().st_mtime_ns for path in (self.scratch / "f").iterdir()}
        self.refuse([*words, "--set", 'nand.read_time="60 us"'], "f: the segments are of another run: nand.read_time.0 is ")
        self.refuse([*words, "--seed", "9"], "seed is 1 in the folder and 9 here")
        self.refuse(self.words("--generate", "mix:read=10%,requests=60000"), "the workload is generator mix:read=0%,requests=60000")
        self.refuse(self.words(*writes, segments=5), "--segments is 4 in the folder and 5 here")
        manifest = self.scratch / "f/segments.json"
        text = manifest.read_text()
        manifest.write_text(text.replace('"the program": "', '"the program": "older '))
        self.refuse(words, "the program is older ")
        manifest.write_text(text[:200])
        self.refuse(words, "segments.json: is damaged")
        manifest.write_text(text)
        os.utime(manifest, ns=(before["segments.json"], before["segments.json"]))
        self.assertEqual(before, {path.name: path.stat().st_mtime_ns for path in (self.scratch / "f").iterdir()})
        answer = self.scratch / "f/segment-2.answer"
        whole = answer.read_bytes()
        answer.write_bytes(whole[:-50])
        self.refuse(words, "segment-2.answer: ")
        answer.write_bytes((self.scratch / "f/segment-3.answer").read_bytes())
        self.refuse(words, "segment-2.answer: is damaged, or of another run; remove it")
        answer.unlink()
        self.succeed(words)
        self.assertEqual(answer.read_bytes(), whole)

    def test_what_is_wrong_is_said(self):
        writes = ("--generate", "mix:read=0%,requests=60000")
        words = self.words(*writes)
        self.refuse([*words, "--segments-only", "2"], "--segments-only: segment 2 of 4 has no begin in")
        self.refuse([*words, "--segments-only", "merge"], "f has no answer of segment 1, 2, 3, 4 of 4")
        self.assertFalse((self.scratch / "f").exists())
        self.refuse([*words, "--segments-only", "5"], "--segments-only: there is no segment 5; valid: 1 .. 4")
        self.refuse([*words, "--segments-only", "all"], '--segments-only: "all" is none of pass, merge, and no number of a segment')
        self.refuse(["run", PEER, *writes, "--segments", "4", "--segments-only", "pass"], "is of --segments-folder, which is not given")
        self.refuse(["run", PEER, *writes, "--segments-folder", "f"], "--segments-folder: is of --segments, which is not given")
        self.refuse(self.words("--generate", "mix:read=0%,requests=3000"), "3000 requests are too few for 4 segments")
        self.refuse([*words, "--set", "verify=true", "--set", "faults.lost_writes=0.1"], "a saved state does not hold how many have struck")
        self.assertFalse((self.scratch / "f").exists())
        self.file("f", "no folder")
        self.refuse(words, "--segments-folder: cannot write into")


if __name__ == "__main__":
    unittest.main()
