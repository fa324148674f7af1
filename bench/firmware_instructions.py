#!/usr/bin/env python3
"""Counts the instructions that the simulated firmware's routines take on this computer, by callgrind.

    bench/firmware_instructions.py PROGRAM [DEVICE]

Runs random reads and writes of 4 KiB untimed (firmware alone, no kernel) under valgrind, twice with different numbers of
requests, and prints what each further request, mapping unit or flash command adds: the difference, so that start-up and
preconditioning drop out. Needs valgrind, and a PROGRAM with symbols (build preset "profile", or RelWithDebInfo).
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

REQUESTS = (20000, 40000)
JOB = "[global]\nbs=4k\nioengine=libaio\niodepth=1\nsize=100%\nnorandommap=1\nrandseed=7\n[job]\nrw={rw}\nio_size={size}k\n"

# The functions whose self cost adds up to each step: regular expressions of their names.
STEPS = {
    "buffer_lookup": r"DataBuffer|EntryStore|UnitPieces|Evictor|Destager|ReadCache|Firmware::read\(|replacement|Lru",
    "map": r"MappedFtl|UnitMap|PageMap|BlockTable|BlockRecords|BlockPolicies|BlockPrograms|BlockWaits|FreeLists|WriteFrontier|PendingPages|WordLines|placement|streams|Placement|Streams",
    "program": r"Programmer|ProgramJob|Copier|OobLayout",
    "flash": r"InstantFlash|FlashReader|ReadGroup|FlashBatch",
    "victim": r"Collector|Eraser|garbage|Greedy|Victim",
    "media (no firmware)": r"NandMedia|NandGeometry|ZeroedMemory|BlockEndurance",
    "coroutines": r"FramePool|Runtime|Task<|WaitList|operator new|operator delete|malloc|free",
}


def costs(program, device, rw, requests, folder):
    """Self cost of each function in instructions, over all object files."""
    job = os.path.join(folder, "job.fio")
    with open(job, "w") as file:
        file.write(JOB.format(rw=rw, size=requests * 4))
    out = os.path.join(folder, "callgrind.out")
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, "run", device, "--job", job,
                    "--untimed", "--set", "precondition.fill=1.0", "--set", "verify=false"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = subprocess.run(["callgrind_annotate", "--threshold=100", "--show=Ir", out], check=True, capture_output=True,
                          text=True).stdout
    found = collections.Counter()
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+)\s+(?:\([\s\d.]+%\)\s+)?(\S+?):(.+?)(?:\s\[[^\]]*\])?$", line)
        if match:
            found[match[3]] += int(match[1].replace(",", ""))
    return found


def main():
    program = sys.argv[1]
    device = sys.argv[2] if len(sys.argv) > 2 else "tiny"
    for rw in ("randread", "randwrite"):
        with tempfile.TemporaryDirectory() as folder:
            few, many = (costs(program, device, rw, requests, folder) for requests in REQUESTS)
        more = REQUESTS[1] - REQUESTS[0]
        each = {name: (many[name] - few[name]) / more for name in many if many[name] > few[name]}
        print(f"{rw}: {sum(each.values()):.0f} instructions a request in all")
        left = dict(each)
        for step, pattern in STEPS.items():
            mine = {name: cost for name, cost in left.items() if re.search(pattern, name)}
            for name in mine:
                del left[name]
            print(f"  {sum(mine.values()):8.0f}  {step}")
            for name, cost in sorted(mine.items(), key=lambda item: -item[1])[:6]:
                print(f"  {cost:18.1f}  {name[:110]}")
        print(f"  {sum(left.values()):8.0f}  the rest (workload, host, statistics)")
        for name, cost in sorted(left.items(), key=lambda item: -item[1])[:8]:
            print(f"  {cost:18.1f}  {name[:110]}")


if __name__ == "__main__":
    main()
