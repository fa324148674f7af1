"""[cpu.cycles] of the presets equals the counts of bench/firmware_cycles.py, and counting again gives the same."""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "bench", "firmware_cycles.py")
sys.path.insert(0, os.path.dirname(SCRIPT))
import firmware_cycles  # noqa: E402


def presets():
    for path in sorted(glob.glob(os.path.join(ROOT, "configs", "*.toml"))):
        with open(path, "rb") as file:
            yield os.path.basename(path)[:-5], tomllib.load(file)


class Committed(unittest.TestCase):
    """Checks that need no tools."""

    def setUp(self):
        self.results = firmware_cycles.committed()

    def test_presets_have_what_was_counted_for_their_core(self):
        for name, device in presets():
            cpu = device.get("cpu", {})
            source = cpu.get("source", {}).get("cycles", "")
            if not source.startswith("counted: "):
                fitted = dict(cpu.get("cycles", {}))
                sources = fitted.pop("source", {})
                self.assertEqual(sorted(fitted), sorted(step for step, text in sources.items() if "fitted to" in text), name)
                continue
            core = re.match(r"counted: bench/firmware_steps, ([-\w]+),", source)[1].lower()
            self.assertEqual(source, firmware_cycles.preset_source(self.results, core), name)
            self.assertEqual(cpu["cycles"], firmware_cycles.preset_cycles(self.results, core), name)

    def test_a_step_is_the_sum_of_its_routines_over_what_it_is_charged_for(self):
        for core, of in self.results["cores"].items():
            model = of["models"][0]
            for step, (charged, others) in firmware_cycles.STEPS.items():
                total = sum(of["routines"][name]["calls"] * of["routines"][name][model]["mean"] for name in charged + others)
                times = of["steps"][step]["charged"]
                self.assertAlmostEqual(total / times, of["steps"][step]["preset"], delta=1.5, msg=f"{core} {step}")

    def test_no_core_does_more_than_two_instructions_a_cycle(self):
        for core, of in self.results["cores"].items():
            for name, routine in of["routines"].items():
                for model in of["models"]:
                    self.assertGreaterEqual(2 * routine[model]["mean"], routine["instructions"]["mean"], f"{core} {name}")
                    self.assertLessEqual(routine[model]["least"], routine[model]["most"])

    def test_the_documentation_has_the_figures(self):
        with open(os.path.join(ROOT, "docs", "reference", "cpu.md")) as file:
            text = file.read()
        for step in firmware_cycles.STEPS:
            row = re.search(rf"^\| `{step}` \|(.*)\|$", text, re.MULTILINE)[1].split("|")
            stated = [row[i].strip() for i in range(1, 6)]
            steps = {core: of["steps"][step] for core, of in self.results["cores"].items()}
            r5 = steps["cortex-r5"]
            self.assertEqual(stated, [str(round(r5["instructions"])), str(r5["preset"]), str(round(r5["cortex-m7"])),
                                      str(steps["cortex-r8"]["preset"]), str(steps["cortex-a9"]["preset"])], step)

    def test_without_tools_it_says_so_and_changes_nothing(self):
        def digest():
            with open(firmware_cycles.RESULTS, "rb") as file:
                return hashlib.sha256(file.read()).hexdigest()
        before = digest()
        for options in ([], ["--check"]):
            run = subprocess.run([sys.executable, "-B", SCRIPT, *options], env={"PATH": "/nonexistent"}, capture_output=True,
                                 text=True)
            self.assertEqual(run.returncode, 2)
            self.assertIn("not installed: arm-none-eabi-gcc, ", run.stderr)
            self.assertEqual(run.stdout, "")
        self.assertEqual(digest(), before)

    def test_a_preset_is_printed_from_the_committed_file(self):
        printed = subprocess.run([sys.executable, "-B", SCRIPT, "--preset", "cortex-a9"], env={"PATH": "/nonexistent"},
                                 capture_output=True, text=True, check=True).stdout
        table = tomllib.loads(printed)["cpu"]
        self.assertEqual(table["cycles"]["map_lookup"], self.results["cores"]["cortex-a9"]["steps"]["map_lookup"]["preset"])
        self.assertEqual(table["source"]["cycles"], firmware_cycles.preset_source(self.results, "cortex-a9"))


class Assembly(unittest.TestCase):
    """The input of llvm-mca for an executed path, and the mispredicted branches."""

    CODE = {0: ("cmp", "r0, #0", 2), 2: ("itt", "ne", 4), 4: ("addne.w", "r1, r1, #4", 8), 8: ("bxne", "lr", 10),
            10: ("bl", "40 <take_place>", 14), 14: ("pop", "{r4, r5, pc}", 16)}

    def test_conditional_instructions_are_carried_out_and_branches_have_a_label(self):
        self.assertEqual(firmware_cycles.assembly("cortex-r52", (0, 2, 4, 8, 10), self.CODE),
                         ["cmp\tr0, #0", "mov\tsp, sp", "add\tr1, r1, #4", "mov\tsp, sp", "b\telsewhere"])
        self.assertEqual(firmware_cycles.assembly("cortex-r52", (2, 4, 8), self.CODE)[-1], "bx\tlr")
        self.assertEqual(firmware_cycles.assembly("cortex-a9", (14,), self.CODE),
                         ["ldrd r4, r5, [sp], #8", "ldr lr, [sp], #4", "bx lr"])

    def test_a_branch_that_turns_is_mispredicted_until_two_bits_have_learned(self):
        taken, passed = ("f", (0, 2, 4, 8)), ("f", (0, 2, 4, 8, 10))
        # The counter starts weakly not taken: one misprediction, then right; it takes two branches not taken to turn it
        # back.
        self.assertEqual(list(firmware_cycles.mispredictions([taken, taken, taken, passed, passed, passed], self.CODE)),
                         [1, 0, 0, 1, 1, 0])


@unittest.skipUnless(all(shutil.which(tool) for tool in firmware_cycles.TOOLS), "no ARM tools: " + ", ".join(firmware_cycles.TOOLS))
class Counted(unittest.TestCase):
    def test_counting_again_gives_the_committed_figures(self):
        run = subprocess.run([sys.executable, "-B", SCRIPT, "--check", "--core", "cortex-r5"], capture_output=True, text=True)
        if run.returncode == 2:
            self.skipTest(run.stderr)
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)


if __name__ == "__main__":
    unittest.main()
