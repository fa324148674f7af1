#!/usr/bin/env python3
"""Counts the cycles of the firmware's steps, [cpu.cycles], from the code in bench/firmware_steps.

    bench/firmware_cycles.py            counts, and writes bench/firmware_steps/results.json
    bench/firmware_cycles.py --check [--core CORE]   counts, and compares with it: exit code 1 if a figure differs
    bench/firmware_cycles.py --preset CORE   the tables of presets, from the committed file; needs no tools

The script compiles the routines for the core (arm-none-eabi-gcc -O2, Thumb-2) and lets them serve a stream of random
requests in qemu-arm, which logs each executed instruction. Each path taken through a routine is straight-line code, whose
cycles llvm-mca computes by its model of the pipeline, with all loads as cache hits. A branch that a two-bit predictor
mispredicts costs the penalty that LLVM's models state. The cycles leave out memory: Flashloom charges DRAM accesses apart.

Needs, in Debian 12, gcc-arm-none-eabi, qemu-user, llvm. Exit code 2, nothing changed: a tool is missing, or with --check
has another version than the one that counted.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "firmware_steps")
RESULTS = os.path.join(SOURCES, "results.json")
TOOLS = ("arm-none-eabi-gcc", "arm-none-eabi-objcopy", "arm-none-eabi-objdump", "arm-none-eabi-nm", "qemu-arm", "llvm-mca")
FLAGS = ("-O2 -mthumb -ffreestanding -fno-tree-loop-distribute-patterns -std=c11 -Wall -Wextra -Werror").split()

# qemu runs the core itself, or one of the same instruction set. LLVM has no pipeline models of the R5 and R8 for llvm-mca.
# For the R5 its successor R52 stands in: in order, two instructions a cycle, eight stages; for the R8 the A9: both are out of
# order. Presets use the first model; the Cortex-M7, in order too but with shorter loads, shows how much the choice matters.
CORES = {
    "cortex-r5": {"qemu": "cortex-r5", "models": ["cortex-r52", "cortex-m7"], "geometry": {}},
    "cortex-r8": {"qemu": "max", "models": ["cortex-a9"], "geometry": {}},
    # The Cosmos OpenSSD: a mapping unit is a page of 8 KiB, the buffer holds 256 units, a program writes one page.
    "cortex-a9": {"qemu": "cortex-a9", "models": ["cortex-a9"],
                  "geometry": {"DIES": 16, "UNITS_PER_PROGRAM": 1, "UNITS_PER_BLOCK": 256, "BLOCKS_PER_DIE": 32, "UNITS_PER_PAGE_BITS": 0,
                               "UNIT_SHIFT": 13, "BUFFER_SLOTS": 256, "HASH_BITS": 9, "LOGICAL_UNITS": 100000}},
}
MISPREDICTED = 8  # cycles: MispredictPenalty of both models (ARMScheduleR52.td, ARMScheduleA9.td)

# Step of [cpu.cycles]: (routines for each call of which the firmware charges it, routines whose cycles it includes).
STEPS = {
    "command_parse": (["command_parse"], []),
    "command_complete": (["command_complete"], []),
    "buffer_lookup": (["buffer_read", "buffer_write"], []),
    "map_lookup": (["map_lookup"], []),
    "map_update": (["map_update", "map_update_copy"], ["collect_next"]),
    "flash_issue": (["flash_issue_read", "flash_issue_program"], []),
    "flash_complete": (["flash_complete"], []),
    "victim_select": (["victim_select"], ["block_erased"]),
    "set_detect": (["set_detect"], []),  # charged for each unit found, not for each call
}
ROUTINES = [routine for charged, others in STEPS.values() for routine in charged + others]

CONDITION = "(eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)"
CONDITIONAL = re.compile(rf"^(cbn?z|b{CONDITION}|bx{CONDITION}|(pop|ldmia|ldr){CONDITION})(\.[nw])?$")
NO_EFFECT = ("mov", "sp, sp")


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def versions():
    """The version of each tool whose version changes counts."""
    found = {}
    for tool in ("arm-none-eabi-gcc", "qemu-arm", "llvm-mca"):
        text = run(tool, "--version")
        found[tool] = re.search(r"\d+\.\d+\.\d+", text)[0]
    return found


def build(core, folder):
    """Builds the program for a core; returns its path."""
    defines = [f"-D{name}={value}u" for name, value in CORES[core]["geometry"].items()]
    objects = []
    for name in ("steps", "initialize", "stream", "program"):
        objects.append(os.path.join(folder, name + ".o"))
        run("arm-none-eabi-gcc", "-mcpu=" + core, *FLAGS, *defines, "-I", os.path.dirname(HERE), "-c", os.path.join(SOURCES, name + ".c"), "-o", objects[-1])
    objects.append(os.path.join(folder, "warm.o"))
    run("arm-none-eabi-objcopy", "--prefix-symbols=warm_", objects[0], objects[-1])
    program = os.path.join(folder, "program")
    run("arm-none-eabi-gcc", "-mcpu=" + core, "-mthumb", "-nostdlib", "-static", *objects, "-lgcc", "-o", program)
    return program


def disassemble(program, first, last):
    """Instructions by address: (mnemonic, operands, address of the following instruction)."""
    text = run("arm-none-eabi-objdump", "-d", f"--start-address={first}", f"--stop-address={last}", program)
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s*([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)\t?(.*)", line)
        if match and not match[3].startswith("."):
            operands = re.sub(r"\s*(;|@|//).*", "", match[4])
            found[int(match[1], 16)] = (match[3], operands, int(match[1], 16) + len(match[2].replace(" ", "")) // 2)
    return found


def trace(core, program):
    """Runs the program. Returns the counts that it prints, its calls in order (routine, addresses of the executed instructions), and
    the disassembly."""
    entries = {}
    extent = [1 << 32, 0]
    object_symbols = set()
    for line in run("arm-none-eabi-nm", os.path.join(os.path.dirname(program), "steps.o")).splitlines():
        object_symbols.add(line.split()[-1])
    for line in run("arm-none-eabi-nm", "-S", program).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[3] in object_symbols and fields[2] in "tT":
            start, size = int(fields[0], 16) & ~1, int(fields[1], 16)
            extent = [min(extent[0], start), max(extent[1], start + size)]
            if fields[3] in ROUTINES:
                entries[start] = fields[3]
    calls = []
    command = ["qemu-arm", "-cpu", CORES[core]["qemu"], "-singlestep", "-d", "exec,nochain",
               "-dfilter", f"0x{extent[0]:x}..0x{extent[1] - 1:x}", program]
    with tempfile.TemporaryFile("w+") as printed:
        with subprocess.Popen(command, stdout=printed, stderr=subprocess.PIPE) as process:
            path = None
            for line in process.stderr:  # Trace 0: 0x7f6a040000c0 [00800480/00008014/00000000/00000201] _start
                if not line.startswith(b"Trace"):
                    continue
                address = int(line.split(b"/", 2)[1], 16)
                if address in entries:
                    path = []
                    calls.append((entries[address], path))
                path.append(address)
        calls = [(routine, tuple(path)) for routine, path in calls]
        printed.seek(0)
        counts = {name: int(value) for name, value in (line.split() for line in printed)}
    if process.returncode != 0 or counts["wrong"] != 0:
        sys.exit(f"bench/firmware_cycles.py: {core}: a wrong answer at stream.c:{counts.get('wrong')}")
    return counts, calls, disassemble(program, *extent)


def mispredictions(calls, code):
    """The number of branches that each call mispredicts, by two-bit counters that start as weakly not taken."""
    counters = collections.defaultdict(lambda: 1)
    targets = {}
    for _, path in calls:
        wrong = 0
        for at, following in zip(path, path[1:] + (None,)):
            mnemonic, operands, behind = code[at]
            if CONDITIONAL.match(mnemonic) and (mnemonic[0] in "bc" or "pc" in operands):
                taken = following != behind
                wrong += taken != (counters[at] > 1)
                counters[at] = min(3, counters[at] + 1) if taken else max(0, counters[at] - 1)
            elif mnemonic.startswith("tb"):
                wrong += targets.get(at) != following
                targets[at] = following
        yield wrong


def in_pairs(mnemonic, operands):
    """Writes a push or pop as doubleword accesses: LLVM's model of the A9 has these, at two registers a cycle, but no register lists."""
    names = re.split(r",\s*", operands.strip("{}"))
    lines = []
    for i in range(0, len(names) - 1, 2):
        lines.append(f"strd {names[i]}, {names[i + 1]}, [sp, #-8]!" if mnemonic == "push" else
                     f"ldrd {names[i]}, {names[i + 1]}, [sp], #8")
    if len(names) % 2 == 1:
        lines.append(f"str {names[-1]}, [sp, #-4]!" if mnemonic == "push" else f"ldr {names[-1]}, [sp], #4")
    return [line.replace("pc", "lr") for line in lines] + (["bx lr"] if "pc" in names else [])


def assembly(model, path, code):
    """The instructions of a path in llvm-mca's syntax: branches and calls go to a label. LLVM's models know neither IT nor NOP, so a
    move without effect replaces IT, and the instructions that IT governs become unconditional."""
    lines = []
    governed = 0
    for at, following in zip(path, path[1:] + (None,)):
        mnemonic, operands, behind = code[at]
        mnemonic = re.sub(r"\.[nw]$", "", mnemonic)
        if governed != 0:
            governed -= 1
            mnemonic = mnemonic[:-2]  # without its condition
            if mnemonic in ("b", "bx", "pop") and following == behind:
                mnemonic, operands = NO_EFFECT  # not taken
        elif re.fullmatch("it[te]*", mnemonic):
            governed = len(mnemonic) - 1
            mnemonic, operands = NO_EFFECT
        if operands.startswith("sp!, {"):  # the disassembler's form of a push or pop of high registers
            mnemonic, operands = ("push" if mnemonic.startswith("st") else "pop"), operands[5:]
        if mnemonic in ("push", "pop") and model == "cortex-a9":
            lines += in_pairs(mnemonic, operands)
        else:
            lines.append(("b" if mnemonic == "bl" else mnemonic) + "\t" + re.sub(r"[0-9a-f]+ <[^>]*>", "elsewhere", operands))
    return lines


def pipeline(model, paths, code, folder):
    """Cycles of each path for a single iteration, since other code runs before and after it."""
    source = os.path.join(folder, "paths.s")
    with open(source, "w") as file:
        file.write(".syntax unified\n.thumb\n")
        for number, path in enumerate(paths):
            file.write(f"@ LLVM-MCA-BEGIN path{number}\n" + "\n".join(assembly(model, path, code)) + f"\n@ LLVM-MCA-END path{number}\n")
        file.write("elsewhere:\n")
    text = run("llvm-mca", "-mtriple=thumbv7", "-mcpu=" + model, "-iterations=1", source, stderr=subprocess.DEVNULL)
    found = re.findall(r"Code Region - path(\d+)\n.*?Total Cycles:\s+(\d+)", text, re.DOTALL)
    cycles = {int(number): int(total) for number, total in found}
    if len(cycles) != len(paths):
        sys.exit(f"bench/firmware_cycles.py: llvm-mca understood {len(cycles)} of {len(paths)} paths")
    return [cycles[number] for number in range(len(paths))]


def summary(values):
    return {"mean": round(sum(values) / len(values), 1), "least": round(min(values), 1), "most": round(max(values), 1)}


def count(core):
    """The entry of results.json for a core."""
    with tempfile.TemporaryDirectory() as folder:
        counts, calls, code = trace(core, build(core, folder))
        paths = {}
        for _, path in calls:
            paths.setdefault(path, len(paths))
        cycles = {model: pipeline(model, list(paths), code, folder) for model in CORES[core]["models"]}
    seen = collections.defaultdict(lambda: collections.defaultdict(list))
    different = collections.defaultdict(set)
    memory = {at: (mnemonic.startswith(("ld", "pop")), mnemonic.startswith(("st", "push")))
              for at, (mnemonic, _, _) in code.items()}
    loads = {path: sum(memory[at][0] for at in path) for path in paths}
    stores = {path: sum(memory[at][1] for at in path) for path in paths}
    for (routine, path), wrong in zip(calls, mispredictions(calls, code)):
        of = seen[routine]
        of["instructions"].append(len(path))
        for model, found in cycles.items():
            of[model].append(found[paths[path]] + MISPREDICTED * wrong)
        of["mispredicted"].append(wrong)
        of["loads"].append(loads[path])
        of["stores"].append(stores[path])
        different[routine].add(path)
    routines = {name: {"calls": len(seen[name]["loads"]), "paths": len(different[name]),
                       **{key: summary(values) for key, values in seen[name].items()}} for name in ROUTINES}
    steps = {}
    for step, (charged, others) in STEPS.items():
        times = sum(len(seen[name]["loads"]) for name in charged) if step != "set_detect" else counts["set_members"]
        steps[step] = {"charged": times,
                       **{key: round(sum(sum(seen[name][key]) for name in charged + others) / times, 1)
                          for key in ("instructions", *cycles, "mispredicted", "loads", "stores")}}
        steps[step]["preset"] = round(steps[step][CORES[core]["models"][0]])
    return {"models": CORES[core]["models"], "geometry": CORES[core]["geometry"], "stream": counts, "steps": steps,
            "routines": routines}


def preset_cycles(results, core):
    """The [cpu.cycles] of a preset with this core: all steps but set_detect, which no known drive has."""
    return {step: of["preset"] for step, of in results["cores"][core]["steps"].items() if step != "set_detect"}


def preset_source(results, core):
    """The string of [cpu.source] for a preset of this core."""
    name = core.replace("cortex-", "Cortex-").replace("-r", "-R").replace("-a", "-A")
    model = results["cores"][core]["models"][0].replace("cortex-", "Cortex-").replace("-r", "-R").replace("-a", "-A")
    gcc = ".".join(results["tools"]["arm-none-eabi-gcc"].split(".")[:2])
    llvm = results["tools"]["llvm-mca"].split(".")[0]
    return (f"counted: bench/firmware_steps, {name}, GCC {gcc} -O2 Thumb-2, pipeline of the {model} in llvm-mca {llvm}; our "
            f"firmware, not the drive's, all its loads hits (weak)")


def preset(results, core):
    lines = ["[cpu.cycles]"] + [f"{step} = {cycles}" for step, cycles in preset_cycles(results, core).items()]
    return "\n".join(lines + ["", "[cpu.source]", f"cycles = \"{preset_source(results, core)}\""])


def committed():
    with open(RESULTS) as file:
        return json.load(file)


def print_table(results):
    for core, of in results["cores"].items():
        print(f"{core}, by the pipeline of {' and '.join(of['models'])}")
        for step, figures in of["steps"].items():
            print(f"  {step:17} {figures['instructions']:6} instructions, {figures['mispredicted']:4} mispredicted: "
                  + " and ".join(f"{figures[model]:6}" for model in of["models"]) + " cycles")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the committed file")
    parser.add_argument("--core", choices=list(CORES), help="with --check: this one alone")
    parser.add_argument("--preset", metavar="CORE", choices=list(CORES), help="print a preset's tables")
    arguments = parser.parse_args()
    if arguments.preset:
        print(preset(committed(), arguments.preset))
        return 0
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"bench/firmware_cycles.py: not installed: {', '.join(missing)} (Debian: gcc-arm-none-eabi, qemu-user, llvm); "
              "nothing counted, nothing changed", file=sys.stderr)
        return 2
    tools = versions()
    if arguments.check and tools != committed()["tools"]:
        print(f"bench/firmware_cycles.py: counted with {committed()['tools']}, here are {tools}: not compared", file=sys.stderr)
        return 2
    cores = [arguments.core] if arguments.check and arguments.core else list(CORES)
    results = {"tools": tools, "cores": {core: count(core) for core in cores}}
    print_table(results)
    if arguments.check:
        if results["cores"] == {core: committed()["cores"][core] for core in cores}:
            return 0
        print("bench/firmware_cycles.py: differs from bench/firmware_steps/results.json", file=sys.stderr)
        return 1
    with open(RESULTS, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
