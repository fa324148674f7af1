"""The installed tree in a fresh prefix: program and presets, CMake package, examples built against it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import schemas
from program import CAPTURED, ROOT

RUNS_WITH = "Release"  # the same in every build
BUILD = os.environ.get("FLASHLOOM_BUILD", str(ROOT / "build/release"))
VALIDATION = """import json, jsonschema
result = json.load(open("result.json"))
{change}
jsonschema.validate(result, json.load(open("result.schema.json")))
"""


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=500, **options)


class Installed(unittest.TestCase):
    """All tests share one prefix and one build of the examples."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="flashloom-install-")
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        cls.prefix = cls.scratch / "prefix"
        cls.examples = cls.scratch / "examples"
        cls.must("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.must("cmake", "-S", ROOT / "examples", "-B", cls.examples, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None",  # quick to compile
                 f"-DCMAKE_PREFIX_PATH={cls.prefix}")
        cls.must("cmake", "--build", cls.examples)

    @classmethod
    def must(cls, *command):
        done = run(*command)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout[-4000:]}{done.stderr[-4000:]}")

    def program(self, *arguments, **environment):
        return run(self.prefix / "bin/flashloom", *arguments, cwd=self.scratch, env=os.environ | environment)

    def example(self, name, *arguments):
        done = run(self.examples / name, *arguments, cwd=self.scratch)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_the_program_finds_its_presets_and_the_tree_can_be_moved(self):
        moved = self.scratch / "moved"
        shutil.copytree(self.prefix, moved)
        here = self.program("config", "tiny").stdout
        self.assertIn('name = "tiny"', here)
        self.assertEqual(run(moved / "bin/flashloom", "config", "tiny", cwd=self.scratch).stdout, here)

    def test_presets_come_from_named_folders_first_and_the_error_says_where_it_looked(self):
        mine = self.scratch / "mine"
        mine.mkdir(exist_ok=True)
        (mine / "tiny.toml").write_text(self.program("config", "tiny", "--set", "nand.channels=4").stdout, encoding="utf-8")
        config = json.loads(self.program("config", "tiny", "--json", FLASHLOOM_CONFIGS=f"/nowhere:{mine}").stdout)
        self.assertEqual(config["nand"]["channels"], 4)
        refused = self.program("config", "tinny", FLASHLOOM_CONFIGS=str(mine))
        self.assertEqual(refused.returncode, 2)
        for text in ('did you mean "tiny"', f"looked in {mine}, configs, ", str(self.prefix / "share/flashloom/configs")):
            self.assertIn(text, refused.stderr)

    def test_a_program_without_presets_says_where_it_looked(self):
        alone = self.scratch / "alone"
        alone.mkdir(exist_ok=True)
        shutil.copy(self.prefix / "bin/flashloom", alone)
        for arguments, said in ((("list", "preset"), "none were found; looked in configs, "), (("run", "tiny", "--generate", "mix"), "no presets were found; looked in configs, ")):
            done = run(alone / "flashloom", *arguments, cwd=alone)
            self.assertIn(said + str(alone / "configs"), done.stdout + done.stderr)

    def test_one_schema_is_enough_for_a_validator_in_any_folder(self):
        shipped = {path.name: json.loads(path.read_text(encoding="utf-8"))
                   for path in (self.prefix / "share/flashloom/schemas").iterdir()}
        self.assertEqual(shipped, {f"{name}.schema.json": schemas.schema(name) for name in schemas.names()})
        with tempfile.TemporaryDirectory() as elsewhere:
            shutil.copy(self.prefix / "share/flashloom/schemas/result.schema.json", elsewhere)
            ran = self.program("run", "tiny", "--generate", "mix", "--max-requests", "50", "--out", elsewhere)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            for change, fits in (("", True), ("result['config']['nand']['surprise'] = 1", False)):
                done = run(sys.executable, "-c", VALIDATION.format(change=change), cwd=elsewhere)
                self.assertEqual(done.returncode == 0, fits, done.stderr)
                self.assertEqual("ValidationError" in done.stderr, not fits, done.stderr)

    def test_a_platform_with_two_ssds(self):
        said = self.example("virtual_platform")
        self.assertIn("500 blocks in ", said)
        source = json.loads(said[said.index("source: ") + 8:said.index("target: ")])
        target = json.loads(said[said.index("target: ") + 8:])
        self.assertEqual(source["schema"], "flashloom.ssd/1")
        self.assertEqual(source["host"]["read"], {"ios": 500, "bytes": 500 * 16384})
        self.assertEqual(source["host"]["write"], {"ios": 0, "bytes": 0})
        self.assertEqual(target["host"]["write"], source["host"]["read"])
        self.assertEqual(source["flash"]["reads"]["host"]["pages"], 2000)
        self.assertEqual(target["config"]["nand"]["channels"], 1)
        parts = sum(part["j"] for part in target["energy"]["components"])
        self.assertAlmostEqual(target["energy"]["total_j"], parts, delta=1e-9 * parts)
        self.assertEqual(self.example("virtual_platform"), said)  # a second run prints the same bytes

    def test_a_foreign_dram(self):
        self.assertRegex(self.example("foreign_dram"), r"has asked its DRAM \d+ times for \d+ B")

    def test_an_nvme_drive_behind_registers(self):
        self.assertIn("this was on flash that does not exist", self.example("nvme_platform"))

    def test_the_example_of_gem5_with_stubs_in_its_place(self):
        said = self.example("gem5_platform", "config.ini", 10**9)
        self.assertRegex(said, "identified: tiny +\n")
        self.assertIn("ended at 1 ms", said)

    def test_policies_and_workloads_without_a_simulation(self):
        said = self.example("policy_study", CAPTURED / "sqlite.iolog.xz")
        self.assertIn("69410 requests", said)
        self.assertIn(" dld_arc ", said)

    def test_a_plug_in_adds_a_policy_to_every_command(self):
        plugin = self.examples / "liblip.so"
        self.assertIn("  lip: LRU insertion", self.program("list", "replacement", "--plugin", plugin).stdout)
        self.assertIn("  lip: LRU insertion", self.program("list", "replacement", FLASHLOOM_PLUGINS=str(plugin)).stdout)
        self.assertNotIn("  lip", self.program("list", "replacement").stdout)
        ran = self.program(f"--plugin={plugin}", "run", "tiny", "--generate", "mix", "--max-requests", "50", "--set",
                           "buffer.replacement=lip", "--set", "buffer.size=1 MiB", "--out", "results")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        result = json.loads((self.scratch / "results/result.json").read_text(encoding="utf-8"))
        self.assertEqual([entry["file"] for entry in result["plugins"]], ["liblip.so"])
        self.assertRegex(result["plugins"][0]["hash"], "^[0-9a-f]{16}$")
        cached = self.program("cache", CAPTURED / "sqlite.iolog.xz", "--policy", "lru,lip", "--size", "1%", "--plugin", plugin)
        self.assertEqual(cached.returncode, 0, cached.stderr)
        self.assertIn("lip", cached.stdout)

    def test_what_is_no_plug_in_for_this_program_is_refused_before_it_runs(self):
        content = (self.examples / "liblip.so").read_bytes()
        mark = b"flashloom-plugin-interface="
        begin = content.index(mark) + len(mark)
        own = content[begin:content.index(b"\0", begin)].decode()
        cases = {"other.so": (content.replace(mark + own[:1].encode(), mark + b"0"), f"interface is 0{own[1:]}, this program's is {own}"),
                 "foreign.so": (content.replace(mark, b"x" * len(mark)), "is no plug-in of flashloom"),
                 "text.so": (b"int main() {}", "is no shared object")}
        for name, (data, message) in cases.items():
            with self.subTest(name):
                (self.scratch / name).write_bytes(data)
                refused = self.program("list", "replacement", "--plugin", name)
                self.assertEqual(refused.returncode, 2)
                self.assertIn(f"flashloom: error: {name}: ", refused.stderr)
                self.assertIn(message, refused.stderr)
        refused = self.program("list", "--plugin", "none.so")
        self.assertEqual((refused.returncode, refused.stderr),
                         (2, "flashloom: error: none.so: no such plug-in (a shared object is wanted)\n"))

    def test_a_part_of_a_name_that_is_taken_is_refused(self):
        source = (ROOT / "examples/plugin/lip.cpp").read_text(encoding="utf-8").replace('.name = "lip"', '.name = "lru"')
        (self.scratch / "again.cpp").write_text(source, encoding="utf-8")
        include = self.prefix / "include"
        self.must("c++", "-std=c++20", "-shared", "-fPIC", f"-I{include}", f"-I{include / 'flashloom'}",
                  self.scratch / "again.cpp", self.prefix / "share/flashloom/plugin_marker.cpp", "-o", self.scratch / "again.so")
        refused = self.program("list", "--plugin", "again.so")
        self.assertEqual((refused.returncode, refused.stderr),
                         (2, 'flashloom: error: again.so: part registered twice: replacement "lru"\n'))


if __name__ == "__main__":
    unittest.main()
