"""Every command of README.md and of the recipes runs, in a short form. (Those of the tutorials: tools/renew-docs --check.)"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from program import PROGRAM, ROOT, ProgramCase

sys.path.insert(0, str(ROOT / "tools/docs"))
import sandbox  # noqa: E402
from page import parse  # noqa: E402
from walk import is_command, text_of  # noqa: E402

VENV = pathlib.Path(os.environ.get("FLASHLOOM_VENV", ROOT / ".venv"))
RUNS_WITH = "Release"  # the same in every build
OURS = re.compile(r"(flashloom|experiments/\w+) ")
# What runs elsewhere: by other tests, or as the whole of them.
ELSEWHERE = re.compile(r"git clone|tools/site|\./quickstart|\./check|flashloom linux|.*--linux|.*--plugin")
# A command takes as long as what it simulates: the same options on less of it.
SHORTER = [
    (r"^(experiments/run|experiments/search) (?!--)(\w+)$", r"\1 \2 --quick --dry-run"),
    (r"^(experiments/\w+ (?!--).*)$", rf"\1 --program '{PROGRAM}'"),
    (r"(torture \w+)\b(?! --cuts)", r"\1 --cuts 5"),
    (r"--cuts 10000", "--cuts 5"),
    (r"requests=\d{6,}", "requests=60000"),
    (r"requests=\d{4}\b", "requests=500"),
    (r"--uncertainty 1000", "--uncertainty 20 --uncertainty-runs 1"),
    (r"--segments \d+", "--segments 2"),
    (r"(--sample)\b(?!-)", r"\1 --sample-windows 5"),
    (r"^(flashloom run (?!.*(requests=|--job|--sample|--segments|objects:)).*)$", r"\1 --max-requests 300"),
    (r"^(flashloom run cosmos-openssd .*precondition.fill=1.0 .*)$", r"\1 --set nand.blocks=64 --set ftl.over_provisioning='28 %'"),
]
REQUESTS = "".join(f"{n * 100},{'RW'[n % 2]},{n * 7 % 600 * 4096},4096\n" for n in range(400))


def options_after(base, said):
    return f"{base} {said}" if said.startswith("--") else said


def commands_of(text):
    """(line, command) of the blocks that are no output, and of the tables "to | say", whose options go behind the block above."""
    page = parse(text)
    base = None
    for block in page.blocks:
        if is_command(block):
            for number, line in enumerate(text_of(page, block).replace("\\\n", "  ").split("\n")):
                base = re.sub(r" +#.*", "", line).strip()
                if base:
                    yield block.start + number + 1, base
        elif block.kind == "table" and page.lines[block.start].replace(" ", "") == "|to|say|":
            for number in range(block.start + 2, block.end):
                for said in re.findall(r"`([^`]+)`", page.lines[number].split("|")[2]):
                    command = options_after(base, said)
                    if OURS.match(command):
                        yield number + 1, command


def shorter(command):
    for pattern, by in SHORTER:
        command = re.sub(pattern, by, command)
    return command


class Recipes(ProgramCase):
    def setUp(self):
        super().setUp()
        sandbox.begin(self.scratch, ROOT, PROGRAM)
        for name in ("t", "a", "b", "mon", "tue"):
            self.file(f"{name}.csv", "time_us,operation,offset_bytes,length_bytes\n" + REQUESTS)

    def run_page(self, name, least):
        ran = 0
        for line, command in commands_of((ROOT / name).read_text(encoding="utf-8")):
            if ELSEWHERE.match(command) or command.startswith("experiments/") and not (VENV / "bin/python").exists():
                continue
            if command.startswith("flashloom nbd") and not shutil.which("nbdinfo") or "--plots" in command and not shutil.which("gnuplot"):
                continue
            ran += 1
            with self.subTest(f"{name}:{line}: {command}"):
                done = sandbox.run(shorter(command), self.scratch, ROOT, timeout=120)
                self.assertEqual(done.returncode, 0, f"{name}:{line}: {shorter(command)}\n{done.stderr[-600:]}")
        self.assertGreaterEqual(ran, least)

    def test_the_readme(self):
        self.run_page("README.md", 4)

    @unittest.skipUnless((VENV / "bin/python").exists(), "needs the Python environment that ./check makes")
    def test_the_python_of_the_readme(self):
        page = parse((ROOT / "README.md").read_text(encoding="utf-8"))
        code, = (text_of(page, block) for block in page.blocks if block.language == "python")
        done = subprocess.run([VENV / "bin/python", "-c", code], cwd=self.scratch, capture_output=True, text=True, check=False, timeout=120,
                              env=os.environ | {"PYTHONPATH": str(ROOT / "python"), "FLASHLOOM_PROGRAM": PROGRAM, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nand.ways", done.stdout)

    def test_the_recipes(self):
        self.run_page("docs/how-to/recipes.md", 90)

    def test_the_smaller_devices_that_presets_name(self):
        named = 0
        for preset in sorted((ROOT / "configs").glob("*.toml")):
            head = " ".join(line[1:].strip() for line in preset.read_text(encoding="utf-8").splitlines() if line.startswith("#"))
            for sets in re.findall(r'smaller device of the same kind: ((?:--set [\w.]+=(?:"[^"]+"|\w+)\s*)+)', head):
                done = self.start("config", preset, *shlex.split(sets))
                self.assertEqual(done.returncode, 0, f"{preset.name}: {done.stderr}")
                named += 1
        self.assertGreaterEqual(named, 5)
