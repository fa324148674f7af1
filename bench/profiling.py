"""Samples a case's run by function and by module (perf record), for bench/profile and bench/run --profile."""
import collections
import os
import re
import shutil
import subprocess
import tempfile

from measure import BenchError

# The first pattern that matches "LIBRARY FUNCTION" gives the module.
MODULES = (
    (r"libsystemc", "SystemC kernel"),
    (r"CacheModel", "replacement policies"),
    (r"TimerQueue", "timer queues"),
    (r"HostDriver|LogHistogram|FioSource|Random|Trace|LineReader|Permutation", "host and workload"),
    (r"HostInterface", "host interface"),
    (r"HostLink", "link"),
    (r"MemoryPort|MemoryModel|MoveAwaiter", "memories and their ports"),
    (r"CpuAwaiter|ArmCores|FifoServer", "cores"),
    (r"Onfi|NandDie|PhaseFeed|SortedRing|add_activity", "channels and dies"),
    (r"NandMedia", "media"),
    (r"FlashController|TimedFlash|Arbitration|FlashCounters|FlashBatch|InstantFlash", "flash controllers"),
    (r"FlashReader|PageMapFtl|Programmer|Collector|BlockTable|BlockRecords|BlockPolicies|BlockPrograms|BlockWaits|FreeLists|UnitMap|Greedy|RoundRobin|Ftl", "FTL"),
    (r"DataBuffer|EntryStore|Evictor|Destager|ReadCache|Lru|Firmware", "buffer and firmware"),
    (r"Runtime|FramePool|WaitList", "coroutine runtime"),
    (r"Energy|PowerTimeline", "energy ledger"),
    (r"Hdd|Disk|Tier", "HDD and tier"),
    (r"libc\.|libstdc|libm\.|liblzma", "libraries"),
)
SAMPLE = re.compile(r"\s*(\d+)\s+(\S+)\s+\[[.k]\]\s+(.*\S)")


def module_of(library, function):
    for pattern, module in MODULES:
        if re.search(pattern, f"{library} {function}"):
            return module
    return "other"


def record(runner, case, scale, overrides, folder, data):
    # perf starts disabled until the runner enables it after preconditioning: a positive --delay would count wall time.
    control, ack = (os.path.join(folder, name) for name in ("control", "ack"))
    os.mkfifo(control)
    os.mkfifo(ack)
    line = ["perf", "record", "--quiet", "--delay", "-1", "--control", f"fifo:{control},{ack}", "--freq", "4000",
            "--output", data, "--"] + runner.arguments(case, scale, overrides) + ["--profiler", folder]
    environment = dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
    done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    if done.returncode != 0:
        raise BenchError(f"perf record ended with {done.returncode}: {done.stderr.strip()}")


def samples(data):
    done = subprocess.run(["perf", "report", "--input", data, "--no-children", "--stdio", "--fields", "sample,dso,symbol",
                           "--column-widths", "9,40,0"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BenchError(f"perf report ended with {done.returncode}: {done.stderr.strip()}")
    for text in done.stdout.splitlines():
        match = SAMPLE.match(text)
        if match:
            yield int(match[1]), match[2], match[3]


def profile(runner, case, scale=1.0, overrides=()):
    """(samples, library, function) of each function in a run, without preconditioning."""
    if shutil.which("perf") is None:
        raise BenchError("perf is not installed (Debian: linux-perf)")
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "perf.data")
        record(runner, case, scale, overrides, folder, data)
        rows = list(samples(data))
    if not rows:
        raise BenchError("perf took no sample")
    return rows


def module_shares(rows):
    """The share of the samples in each module, the largest first."""
    modules = collections.Counter()
    for count, library, function in rows:
        modules[module_of(library, function)] += count
    total = sum(modules.values())
    return {module: count / total for module, count in modules.most_common()}
