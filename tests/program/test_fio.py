"""fio job files: every example of fio, requests compared with a real fio, times against closed forms."""
import collections
import json
import math
import os
import pathlib
import shutil
import subprocess
import unittest

from program import TIMEOUT_S, PROGRAM, ProgramCase

EXAMPLES = pathlib.Path("/usr/share/doc/fio/examples")  # Debian's package fio-examples

# The message for each refused example; all others run.
NETWORK = "measures a network, not a block device"
SERVICE = "talks to a file or object service over a network"
FILE_SYSTEM = "measures a file system's own operations"
MEMORY = "accesses persistent memory by loads and stores"
ZONED = "zbd needs a zonesize: the device has no zones"
SCSI = "SCSI commands but WRITE are not modelled"
REFUSED = {
    "cpuio": "runs other work than I/O", "exec": "runs other work than I/O",
    "dev-dax": MEMORY, "libpmem": MEMORY, "pmemblk": MEMORY,
    "e4defrag": FILE_SYSTEM, "e4defrag2": FILE_SYSTEM, "falloc": FILE_SYSTEM, "filecreate-ioengine": FILE_SYSTEM,
    "filedelete-ioengine": FILE_SYSTEM, "filestat-ioengine": FILE_SYSTEM, "ftruncate": FILE_SYSTEM,
    "dfs": SERVICE, "gfapi": SERVICE, "http-s3": SERVICE, "http-s3-crypto": SERVICE, "http-s3-storage-class": SERVICE,
    "http-swift": SERVICE, "http-webdav": SERVICE, "ime": SERVICE, "libhdfs": SERVICE, "nfs": SERVICE, "rados": SERVICE,
    "gpudirect-rdmaio-client": NETWORK, "gpudirect-rdmaio-server": NETWORK, "librpma_apm-client": NETWORK,
    "librpma_apm-server": NETWORK, "librpma_gpspm-client": NETWORK, "librpma_gpspm-server": NETWORK, "netio": NETWORK,
    "netio_multicast": NETWORK, "rdmaio-client": NETWORK, "rdmaio-server": NETWORK,
    "libcufile-cufile": "into GPU memory", "libcufile-posix": "into GPU memory",
    "uring-cmd-zoned": ZONED, "xnvme-zoned": ZONED,
    "mtd": "raw flash behind a driver",
    "sg_verify": SCSI, "sg_verify-fail": SCSI, "sg_write_same_ndob": SCSI,
    "steadystate": "/dev/null is no block device", "cpp_null": "time_based: needs a runtime",
}  # yapf: disable
# Variables that users of the examples set.
VARIABLES = {"FIO_RW": "randread", "FIO_IODEPTH": "4", "FIO_BS": "4k", "unixsocket": "/run/nbd.sock"}
DEVICE = ("calibration", [])
TERABYTE = ("nvme-tlc-1tb", [])
LARGER = {
    "cross-stripe-verify": ("nvme-tlc-1tb", ["nand.blocks=8000", "ftl.logical_size=3900 GiB", "dram.size=8 GiB"]),
    "libzbc-rand-write": TERABYTE, "libzbc-seq-read": TERABYTE, "zbd-rand-write": TERABYTE, "zbd-seq-read": TERABYTE,
    "null": TERABYTE, "zipf": TERABYTE, "enospc-pressure": TERABYTE, "flow": TERABYTE, "xnvme-compare": TERABYTE,
}  # yapf: disable
# Examples that read zones, to which nothing has been written.
EMPTY = {"libzbc-seq-read", "zbd-seq-read"}


@unittest.skipUnless(EXAMPLES.is_dir(), "fio's examples are not installed (Debian: fio-examples)")
class Examples(ProgramCase):

    def run_example(self, path):
        device, sets = LARGER.get(path.stem, DEVICE)
        overrides = [word for override in sets for word in ("--set", override)]
        out = self.scratch / path.stem
        command = [PROGRAM, "run", device, "--job", path, "--max-requests", "20", "--quiet", "--out", out, *overrides]
        done = subprocess.run([str(word) for word in command], env=os.environ | VARIABLES, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)
        return done, out

    def test_each_runs_or_is_refused_with_the_reason(self):
        examples = sorted(EXAMPLES.glob("*.fio"))
        self.assertGreaterEqual(len(examples), 80)
        self.assertLessEqual(set(REFUSED), {path.stem for path in examples})
        for path in examples:
            with self.subTest(example=path.name):
                done, out = self.run_example(path)
                if path.stem in REFUSED:
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(path.name + ":", done.stderr)
                    self.assertIn(REFUSED[path.stem], done.stderr)
                    self.assertFalse((out / "result.json").exists())
                else:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    host = json.loads((out / "result.json").read_text())["host"]
                    self.assertEqual(host["requests"] == 0, path.stem in EMPTY)
                    self.assertEqual(host["requests"], host["completions"])


COMMON = "[global]\nfilename=data\nioengine=psync\nsize=16m\n[work]\n"
# name: options, and how offsets are compared: 1: directly; N: N requests per random choice; POPULARITY: by rank, since
# each run scatters the popular blocks anew; CURSORS: each direction continues from its last offset; when one is
# through, both start again.
POPULARITY = 0
CURSORS = -1
AGAINST = {
    "sequential_read": ("rw=read\nbs=16k\n", 1),
    "random_writes_with_a_map": ("rw=randwrite\nbs=4k\n", 1),
    "mixed_without_a_map": ("rw=randrw\nrwmixread=70\nbs=4k\nnorandommap\n", 1),
    "sequential_mix_over_more_than_its_size": ("rw=rw\nrwmixread=30\nbs=4k\nio_size=24m\n", CURSORS),
    "block_split": ("rw=randread\nbssplit=4k/50:8k/30:64k/20\nnorandommap\n", 1),
    "block_range_with_a_map": ("rw=randwrite\nbsrange=4k-32k\n", 1),
    "split_by_direction": ("rw=randrw\nbssplit=4k/80:16k/20,8k/50:32k/50\nnorandommap\n", 1),
    "zipf": ("rw=randread\nbs=4k\nrandom_distribution=zipf:1.2\nio_size=32m\n", POPULARITY),
    "pareto": ("rw=randread\nbs=4k\nrandom_distribution=pareto:0.2\n", POPULARITY),
    "normal": ("rw=randread\nbs=4k\nrandom_distribution=normal:10:0.5\n", POPULARITY),
    "zones": ("rw=randread\nbs=4k\nrandom_distribution=zoned:60/10:30/20:10/70\n", 1),
    "part_of_a_file": ("rw=randwrite\nbs=4k\nfilesize=8m\nsize=2m\n", 1),
    "runs_of_eight": ("rw=randread:8\nbs=4k\n", 8),
    "a_third_random": ("rw=randread\nbs=4k\npercentage_random=33\n", 6),
    "backwards": ("rw=read:-8k\nbs=4k\n", 1),
    "holes": ("rw=write:12k\nbs=4k\nsize=8m\n", 1),
    "strided_zones": ("rw=read\nbs=4k\nzonemode=strided\nzonesize=64k\nzoneskip=192k\n", 1),
    "flushes": ("rw=randwrite\nbs=16k\nsize=4m\nfsync=7\nfdatasync=4\n", 1),
    "loops": ("rw=randread\nbs=16k\nsize=4m\nloops=3\n", 1),
    "so_many_requests": ("rw=randrw\nbs=4k\nnumber_ios=500\n", 1),
}  # yapf: disable
# zonemode=zbd without random choices: both programs send the same requests in the same order.
ZONES = {
    "write": "[j]\nrw=write\nbs=1m\n",
    "capacity": "[j]\nrw=write\nbs=1m\nzonecapacity=3m\n",
    "capacity_is_no_multiple": "[j]\nrw=write\nbs=1m\nzonecapacity=3584k\n[r]\nrw=read\nbs=1m\n"
                               "[b]\nrw=read\nbs=2m\nread_beyond_wp=1\n",
    "one_block_a_zone": "[j]\nrw=write\nbs=2m\nzonecapacity=3m\n",
    "blocks_that_do_not_fill_a_zone": "[j]\nrw=write\nbs=3m\n",
    "twice": "[j]\nrw=write\nbs=1m\nloops=2\n",
    "one_and_a_half": "[j]\nrw=write\nbs=1m\nsize=16m\nio_size=24m\n",
    "limit": "[j]\nrw=write\nbs=1m\nsize=16m\nio_size=40m\nmax_open_zones=2\n",
    "part": "[j]\nrw=write\nbs=1m\noffset=1m\nsize=9m\n",
    "zones_as_unit": "[j]\nrw=write\nbs=1m\noffset=1z\nsize=2z\n",
    "read_what_was_written": "[j]\nrw=write\nbs=1m\nsize=16m\nio_size=10m\n[r]\nrw=read\nbs=1m\n",
    "read_beyond": "[j]\nrw=read\nbs=1m\nread_beyond_wp=1\n",
    "skip": "[j]\nrw=write\nbs=1m\nsize=16m\nio_size=16m\nzoneskip=1z\n[r]\nrw=read\nbs=1m\nzoneskip=8m\n"
            "[s]\nrw=read\nbs=768k\n[t]\nrw=read\nbs=1m\noffset=5m\n",
    "early_resets": "[j]\nrw=write\nbs=512k\nzone_reset_frequency=0.25\nzone_reset_threshold=0.25\n",
    "one_after_the_other": "[j]\nrw=write\nbs=1m\nnumber_ios=6\n[k]\nrw=write\nbs=1m\n"
                           "[l]\nrw=write\nbs=1m\nnumber_ios=7\n",
}  # yapf: disable
# With random choices, and the largest number of zones open at a time.
RANDOM_ZONES = {
    "one_open": ("rw=randwrite\nbs=64k\nio_size=128m\nnorandommap\nmax_open_zones=1\n", 1),
    "two_open_mixed": ("rw=randrw\nbs=64k\nio_size=128m\nnorandommap\nmax_open_zones=2\n", 2),
    "of_three_two_by_the_job": ("rw=randwrite\nbs=64k\nio_size=128m\nnorandommap\nmax_open_zones=3\n"
                                "job_max_open_zones=2\n", 2),
    "no_limit": ("rw=randwrite\nbs=64k\nio_size=128m\nnorandommap\n", 4),
    "early_resets": ("rw=randwrite\nbs=64k\nio_size=128m\nnorandommap\nmax_open_zones=2\n"
                     "zone_reset_frequency=0.02\nzone_reset_threshold=0.5\n", 2),
}  # yapf: disable
ACTIONS = {"read", "write", "trim", "sync", "datasync"}
EXACT = {"sequential_read", "backwards", "holes", "strided_zones"}  # no random choice: the same requests in order


def requests_of(path):
    """(action, offset, length) of an iolog of version 2 or 3."""
    lines = path.read_text().splitlines()
    skip = 1 if "version 3" in lines[0] else 0
    found = []
    for line in lines[1:]:
        fields = line.split()[skip:]
        if len(fields) >= 2 and fields[1] in ACTIONS:
            action = "sync" if fields[1] == "datasync" else fields[1]
            found.append((action, int(fields[2]), int(fields[3])) if action != "sync" else (action, 0, 0))
    return found


def ks_distance(a, b):
    """Kolmogorov-Smirnov distance of two samples."""
    a, b = sorted(a), sorted(b)
    i = j = 0
    largest = 0.0
    while i < len(a) and j < len(b):
        value = min(a[i], b[j])
        while i < len(a) and a[i] == value:
            i += 1
        while j < len(b) and b[j] == value:
            j += 1
        largest = max(largest, abs(i / len(a) - j / len(b)))
    return largest


def ks_limit(a, b, together):
    """Two samples of one distribution, each choice `together` times, exceed this distance with probability 0.001."""
    return 1.95 * math.sqrt(together * (len(a) + len(b)) / (len(a) * len(b)))


def ranks(offsets):
    """Each offset replaced by the rank of its popularity."""
    rank = {offset: i for i, (offset, _) in enumerate(collections.Counter(offsets).most_common())}
    return [rank[offset] for offset in offsets]


@unittest.skipUnless(shutil.which("fio"), "fio is not installed")
class AgainstFio(ProgramCase):

    def logs(self, options):
        text = COMMON + options
        ours = self.scratch / "ours.log"
        theirs = self.scratch / "theirs.log"
        for log in (ours, theirs, self.scratch / "data"):
            log.unlink(missing_ok=True)
        done = self.start("workload", self.file("ours.fio", text), "--device-size", "16 MiB", "--out", ours)
        self.assertEqual(done.returncode, 0, done.stderr)
        job = self.file("theirs.fio", text.replace("[global]\n", f"[global]\nwrite_iolog={theirs}\n"))
        done = subprocess.run(["fio", str(job)], cwd=self.scratch, capture_output=True, text=True, timeout=TIMEOUT_S,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return requests_of(ours), requests_of(theirs)

    def same_shares(self, ours, theirs):
        """Chi-square test of two samples over categories, within five standard deviations: exceeded once in millions.
        """
        a, b = collections.Counter(ours), collections.Counter(theirs)
        self.assertEqual(set(a), set(b))
        chi2 = sum((a[k] * math.sqrt(len(theirs) / len(ours)) - b[k] * math.sqrt(len(ours) / len(theirs)))**2 /
                   (a[k] + b[k]) for k in a)
        freedom = len(a) - 1
        self.assertLessEqual(chi2, freedom + 5 * math.sqrt(2 * freedom) + 1e-9, (a, b))

    def test_same_requests(self):
        for name, (options, together) in AGAINST.items():
            with self.subTest(job=name):
                ours, theirs = self.logs(options)
                self.assertGreater(len(theirs), 100)
                if name in EXACT:
                    self.assertEqual(ours, theirs)
                    continue
                self.same_shares([r[0] for r in ours], [r[0] for r in theirs])
                for action in {r[0] for r in theirs} - {"sync"}:
                    a = [r for r in ours if r[0] == action]
                    b = [r for r in theirs if r[0] == action]
                    self.same_shares([r[2] for r in a], [r[2] for r in b])
                    if together == CURSORS:
                        begins = []
                        for each in (a, b):
                            steps = [after[1] - before[1] for before, after in zip(each, each[1:]) if after[1] != 0]
                            self.assertEqual(set(steps), {4096})
                            begins.append([r[1] for r in each].count(0))
                        self.assertEqual(begins, [2, 2])
                        continue
                    places = [[r[1] for r in a], [r[1] for r in b]]
                    if together == POPULARITY:
                        places = [ranks(each) for each in places]
                    self.assertLess(ks_distance(*places), ks_limit(*places, together or 1))
                totals = [sum(r[2] for r in each) for each in (ours, theirs)]
                # The totals may differ by the last request.
                self.assertLessEqual(abs(totals[0] - totals[1]), 65536, totals)
                if "norandommap" not in options and "random_distribution" not in options and "bsrange" not in options:
                    self.assertEqual(len(ours), len(theirs))

    def zoned(self, jobs):
        """Requests of jobs that run one after the other in a file of four zones of 4 MiB: from flashloom, and from a
        real fio."""
        common = "[global]\nfilename=data\nfilesize=16m\nzonemode=zbd\nzonesize=4m\nstonewall\nioengine=psync\n"
        logs = []
        (self.scratch / "data").write_bytes(b"")
        os.truncate(self.scratch / "data", 16 << 20)  # fio asks for the size of the file
        ours = self.scratch / "ours.log"
        theirs = self.scratch / "theirs.log"
        for log in (ours, theirs):
            log.unlink(missing_ok=True)
        done = self.start("workload", self.file("zones.fio", common + jobs), "--device-size", "64 MiB", "--out", ours)
        self.assertEqual(done.returncode, 0, done.stderr)
        job = self.file("theirs.fio", common.replace("[global]\n", f"[global]\nwrite_iolog={theirs}\n") + jobs)
        done = subprocess.run(["fio", str(job)], cwd=self.scratch, capture_output=True, text=True, timeout=TIMEOUT_S,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        for log in (ours, theirs):
            logs.append(requests_of(log))
        return logs

    def test_zones_as_fio_emulates_them(self):
        for name, jobs in ZONES.items():
            with self.subTest(jobs=name):
                ours, theirs = self.zoned(jobs)
                self.assertEqual(ours, theirs)
                self.assertGreater(len(theirs), 5)

    def test_random_requests_in_zones(self):
        for name, (options, limit) in RANDOM_ZONES.items():
            with self.subTest(job=name):
                figures = [self.figures_of_zones(requests) for requests in self.zoned("[j]\n" + options)]
                for each in figures:
                    self.assertEqual(each["wrong"], 0)
                    self.assertLessEqual(each["open"], limit)
                ours, theirs = figures
                self.assertEqual(ours["bytes"] >> 20, theirs["bytes"] >> 20)
                # The number of resets follows from the bytes written; which zones are reset is random.
                self.assertLessEqual(abs(ours["resets"] - theirs["resets"]), 0.1 * theirs["resets"] + 3)
                self.same_shares(ours["directions"], theirs["directions"])
                self.assertLess(abs(ours["changes"] - theirs["changes"]), 0.25 * theirs["changes"] + 10)

    @staticmethod
    def figures_of_zones(requests, zone=4 << 20):
        """Checks write pointers: writes start at them, or at the start of a zone being reset; reads stay below."""
        figures = {"wrong": 0, "open": 0, "resets": 0, "changes": 0, "bytes": 0, "directions": []}
        pointers = {}
        opened = set()
        last = None
        for action, offset, length in requests:
            number = offset // zone
            pointer = pointers.get(number, number * zone)
            figures["directions"].append(action)
            figures["bytes"] += length
            if action == "read":
                figures["wrong"] += offset + length > pointer
                continue
            if offset != pointer:
                figures["wrong"] += offset != number * zone
                figures["resets"] += 1
            pointers[number] = offset + length
            opened.add(number)
            figures["open"] = max(figures["open"], len(opened))
            if pointers[number] == (number + 1) * zone:
                opened.remove(number)
            figures["changes"] += number != last
            last = number
        return figures

    def test_a_map_visits_each_block_once(self):
        for options in ("rw=randwrite\nbs=4k\n", "rw=randwrite\nbsrange=4k-32k\n"):
            for requests in self.logs(options):
                blocks = [at for _, offset, length in requests for at in range(offset, offset + length, 4096)]
                self.assertEqual(sorted(blocks), list(range(0, 16 << 20, 4096)))


SECOND = "ioengine=libaio\niodepth=4\nbs=4k\nsize=8m\ntime_based\nruntime=1\n"


class Times(ProgramCase):
    """On the simulated clock; reads of unwritten data take microseconds."""

    def jobs(self, text):
        return self.result("tiny", "--job", self.file("times.fio", text))["host"]["jobs"]

    def job(self, text):
        return self.jobs("[work]\n" + text)[0]

    def test_rates(self):
        self.assertAlmostEqual(self.job(SECOND + "rw=randread\nrate_iops=1000\n")["read"]["ios"], 1000, delta=1)
        self.assertAlmostEqual(self.job(SECOND + "rw=read\nrate=4m\n")["read"]["ios"], 1024, delta=1)
        # The rate counts smallest blocks: half of the requests have two, so two thirds of the request count remain.
        split = self.job(SECOND + "rw=randread\nnorandommap\nbssplit=4k/50:8k/50\nrate_iops=3000\n")["read"]
        self.assertAlmostEqual(split["bytes"], 3000 * 4096, delta=8192)
        both = self.job(SECOND + "rw=randrw\nrate_iops=500,250\n")
        self.assertAlmostEqual(both["read"]["ios"], 500, delta=2)
        self.assertAlmostEqual(both["write"]["ios"], 250, delta=2)

    def test_poisson_rate(self):
        job = self.job(SECOND + "rw=randread\nrate_iops=2000\nrate_process=poisson\nio_submit_mode=offload\n")
        self.assertAlmostEqual(job["read"]["ios"], 2000, delta=5 * math.sqrt(2000))
        self.assertNotEqual(job["read"]["ios"], 2000)

    def test_think_time(self):
        job = self.job("rw=read\nbs=4k\nsize=160k\nthinktime=1000\nthinktime_blocks=4\n")
        latency = job["read"]["latency_ns"]
        self.assertEqual(latency["min"], latency["max"])
        self.assertAlmostEqual(job["end_s"], 40 * latency["max"] * 1e-9 + 9 * 1e-3, delta=1e-9)
        # With a deeper queue a pause begins when nothing is in flight: there are still 9 between 40 requests.
        deep = self.job("rw=read\nbs=4k\nsize=160k\nthinktime=1000\nthinktime_blocks=4\nioengine=libaio\niodepth=8\n")
        self.assertGreater(deep["end_s"], 9e-3)
        self.assertLess(deep["end_s"], job["end_s"])
        # A millisecond of requests, then a millisecond of pause.
        half = self.job("rw=read\nbs=4k\nsize=1m\ntime_based\nruntime=100ms\nthinktime=1000\nthinktime_iotime=1000\n")
        whole = self.job("rw=read\nbs=4k\nsize=1m\ntime_based\nruntime=100ms\n")
        self.assertAlmostEqual(half["read"]["ios"] / whole["read"]["ios"], 0.5, delta=0.01)

    def test_begin_and_end(self):
        jobs = self.jobs("[global]\nrw=read\nsize=1m\n[a]\n[late]\nstartdelay=2\n[b]\nstonewall\n[c]\nwait_for=b\n")
        a, late, b, c = jobs
        self.assertEqual(a["begin_s"], 0)
        self.assertEqual(late["begin_s"], 2)
        # Like fio: a job that has not begun yet does not hold up a stonewall.
        self.assertEqual(b["begin_s"], a["end_s"])
        self.assertEqual(c["begin_s"], b["end_s"])

    def test_ramp(self):
        job = self.job(SECOND + "rw=randread\nrate_iops=100\nramp_time=2\n")
        self.assertAlmostEqual(job["read"]["ios"], 100, delta=1)
        self.assertAlmostEqual(job["unmeasured"], 200, delta=1)
        self.assertEqual(job["begin_s"], 2)
        bytes_of_it = self.job("rw=randread\nbs=4k\nsize=1m\nramp_size=256k\n")
        self.assertEqual((bytes_of_it["unmeasured"], bytes_of_it["read"]["ios"]), (64, 192))
        self.assertEqual(self.job("rw=read\nbs=4k\nsize=1m\nramp_size=2m\n")["read"]["ios"], 0)

    def test_a_pause_is_made_up_for(self):
        """Unless the rate ignores it: then 25 blocks and a pause of 0.1 s, less the block that fio sends at once after
        it (0.1 of one, as the pause is 0.1 s), take (25 - 0.1) / 256 + 0.1 s."""
        text = "rw=read\nbs=4k\nsize=1m\nrate=1m\nthinktime=100ms\nthinktime_blocks=25\ntime_based\nruntime=4\n"
        self.assertAlmostEqual(self.job(text)["read"]["ios"], 4 * 256, delta=25)
        ignored = self.job(text + "rate_ignore_thinktime=1\n")["read"]["ios"]
        self.assertAlmostEqual(ignored, 4 / ((25 - 0.1) / 256 + 0.1) * 25, delta=25)

    def test_groups(self):
        text = "[global]\nrw=read\nsize=64k\ngroup_reporting\n[a]\nnumjobs=3\n[b]\n[c]\nnew_group\n[d]\nstonewall\nnumjobs=2\n"
        self.assertEqual([(job["name"], job["jobs"], job["read"]["ios"]) for job in self.jobs(text)],
                         [("a", 4, 64), ("c", 1, 16), ("d", 2, 32)])

    def test_a_job_that_sends_nothing_is_named(self):
        reader = "[reader]\nzonemode=zbd\nzonesize=64k\nrw=read\nsize=1m\n"
        for jobs in (reader, reader + "[writer]\nrw=write\nsize=64k\n"):
            lines = self.start("run", "tiny", "--job", self.file("nothing.fio", jobs)).stdout.splitlines()
            self.assertEqual([line for line in lines if "sent nothing" in line], ["warning: job reader sent nothing"])

    def test_exitall(self):
        text = "[global]\nrw=read\nsize=1m\n[long]\ntime_based\nruntime=50\n[short]\nexitall\n[never]\nstonewall\n"
        long, short, never = self.jobs(text.replace("exitall", "exitall\nexit_what=all"))
        self.assertAlmostEqual(long["end_s"], short["end_s"], delta=1e-4)
        self.assertEqual(never["requests"], 0)
        _, _, third = self.jobs(text)  # a group of its own by default, which the stonewall ends
        self.assertEqual(third["requests"], 256)

    def test_flow(self):
        text = "[global]\nioengine=libaio\niodepth=8\nsize=1m\ntime_based\nruntime=20ms\n[a]\nrw=read\nflow=1\n[b]\nrw=randread\nflow=8\n"
        a, b = self.jobs(text)
        self.assertAlmostEqual(b["read"]["ios"] / a["read"]["ios"], 8, delta=0.1)

    def test_depth_of_engines(self):
        text = "rw=randread\nsize=4m\niodepth=16\nnorandommap\n"
        one = self.job(text.replace("16", "1") + "ioengine=libaio\n")["end_s"]
        for engine in ("", "ioengine=sync\n", "ioengine=mmap\n"):
            self.assertEqual(self.job(text + engine)["end_s"], one)
        for engine in ("libaio", "io_uring", "posixaio"):
            self.assertLess(self.job(text + f"ioengine={engine}\n")["end_s"], one / 2)

    def test_durable_writes(self):
        plain = self.job("rw=write\nsize=64k\n")["write"]["latency_ns"]["max"]
        durable = self.job("rw=write\nsize=64k\nsync=dsync\n")["write"]["latency_ns"]["min"]
        self.assertGreater(durable, 10 * plain)

    def test_data_that_compress(self):
        """Writes compress by the job's buffer_compress_percentage, or else by the device's ratio; without compression
        the option is reported as inert."""
        compresses = ["compression.granule=512 B", "compression.spread=0", "compression.saved=0.5",
                      "nand.page_size=16 KiB", "buffer.size=1 MiB"]
        says = self.file("says.fio", "[a]\nrw=write\nsize=1m\nend_fsync=1\nbuffer_compress_percentage=75\n")
        both = self.file("both.fio", "[global]\nrw=write\nsize=1m\nend_fsync=1\n[a]\nbuffer_compress_percentage=75\n"
                                     "[b]\noffset=4m\n")  # yapf: disable
        job = self.file("saved.toml", f'[[job]]\nfio = "{both}"\nsaved = 0.875\n')
        for arguments, ratio in ((("--job", says), 4), (("--job", both), 8 / 3), (("--workload", job), 8)):
            compression = self.result("tiny", *arguments, sets=compresses)["compression"]
            self.assertAlmostEqual(compression["ratio"], ratio, msg=str(arguments))
        plain = self.result("tiny", "--job", says)
        self.assertNotIn("compression", plain)
        self.assertEqual([(o["option"], o["value"]) for o in plain["workload"]["inert_options"]],
                         [("buffer_compress_percentage", "75")])

    def test_inert_options_are_listed(self):
        result = self.result("tiny", "--job",
                             self.file("inert.fio", "[a]\nrw=read\nsize=64k\ndirect=1\niodepth=8\nverify=crc32c\n[b]\ndirect=1\nsize=4k\n"))
        inert = {(o["option"], o["value"]): o["meaning"] for o in result["workload"]["inert_options"]}
        self.assertEqual(set(inert), {("direct", "1"), ("verify", "crc32c"), ("iodepth", "8")})
        self.assertIn("verify=true", inert["verify", "crc32c"])
        self.assertIn("psync is synchronous", inert["iodepth", "8"])


class Command(ProgramCase):
    """flashloom workload."""

    def test_prints_a_log_that_run_replays(self):
        job = self.file("j.fio", "[a]\nrw=write\nsize=16k\nfsync=2\n[b]\nstonewall\nrw=read\nsize=8k\n")
        done = self.start("workload", job)
        self.assertEqual(done.stdout.splitlines(), [
            "fio version 2 iolog", "device add", "device open", "device write 0 4096", "device write 4096 4096",
            "device sync 0 0", "device write 8192 4096", "device write 12288 4096",
            "device read 16384 4096", "device read 20480 4096", "device close"])  # yapf: disable
        host = self.result("tiny", "--trace", self.file("j.log", done.stdout), sets=["host.replay=closed"])["host"]
        self.assertEqual([host[kind]["ios"] for kind in ("read", "write", "flush")], [2, 4, 1])

    def test_a_normal_distribution_over_two_blocks(self):
        # Some means that it draws are the region's end, where no deviation stays inside.
        job = self.file("j.fio", "[a]\nrw=randread\nbs=16k\nsize=32k\nio_size=16m\nrandom_distribution=normal:20\n")
        lines = self.start("workload", job, "--max-requests", 1000).stdout.splitlines()[3:-1]
        self.assertEqual(len(lines), 1000)
        self.assertEqual({line.split()[2] for line in lines}, {"0", "16384"})

    def test_limits_and_errors(self):
        job = self.file("j.fio", "[a]\nrw=randread\nsize=1m\n[b]\nrw=randread\nsize=1m\n")
        lines = self.start("workload", job, "--max-requests", 3, "--name", "b").stdout.splitlines()
        self.assertEqual(len(lines), 7)
        self.assertTrue(all(int(line.split()[2]) >= 1 << 20 for line in lines[3:6]))  # the second file's region
        for arguments, name in ((["--name", "c"], "--name"), (["--device-size", "1"], "--device-size"),
                                (["--device-size", "1 MiB"], "size"), (["--out", "/nowhere/x"], "/nowhere/x: cannot write")):
            refused = self.start("workload", job, *arguments)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(name, refused.stderr)


class Sprandom(ProgramCase):
    """The pass leaves a drive as random writes for ever leave it: what follows amplifies as they do."""
    BEFORE = {"sprandom": "sprandom=1\nspr_op=0.2\n", "steady": "norandommap\nloops=6\nrandrepeat=0\n", "filled": ""}
    def work(self, text):
        job = self.file("work.fio", "[global]\nfilename=/dev/nvme0n1\nrw=randwrite\nbs=4k\n" + text)
        result = self.result("tiny", "--job", job, sets=["nand.blocks=256", "nand.pages=64", "ftl.over_provisioning=0.2", "buffer.size=256 KiB"])
        return result["flash"]["programs"]["total"]["pages"], result["host"]["write"]["ios"]

    def amplification_after(self, before):
        begin = "[before]\n" + self.BEFORE[before]
        (programs, writes), (later, all_writes) = map(self.work, (begin, begin + "[after]\nstonewall\nnorandommap\nio_size=25%\n"))
        return (later - programs) / (all_writes - writes)

    def test_the_pass_leaves_the_steady_state(self):
        sprandom, steady, filled = map(self.amplification_after, self.BEFORE)
        self.assertAlmostEqual(sprandom / steady, 1, delta=0.05)
        self.assertLess(filled, steady * 0.7)


if __name__ == "__main__":
    unittest.main()
