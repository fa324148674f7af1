"""tools/tidy finds what .clang-tidy forbids, in a tree made for the test."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from check_structure import ROOT

FILES = {
    # Several sources as one, as in the layers that are compiled so in every build.
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(seeded CXX)\nadd_library(policies OBJECT policies/a.cpp policies/b.cpp)\n"
                      "target_include_directories(policies PRIVATE ${PROJECT_SOURCE_DIR})\n"
                      "set_target_properties(policies PROPERTIES UNITY_BUILD ON)\n",
    "policies/a.hpp": "#pragma once\nint sound();\n",
    "policies/a.cpp": '#include "policies/a.hpp"\nint sound() { return 1; }\n',
    "policies/b.hpp": "#pragma once\nint sound();\n",
    "policies/b.cpp": '#include "policies/b.hpp"\n',
    "docs/c.md": "no code\n",
}
TOOLS = ("clang-tidy", "clang++", "git")


@unittest.skipUnless(all(shutil.which(tool) for tool in TOOLS), f"needs {', '.join(TOOLS)}")
class Tidy(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for name in (".clang-tidy", "tools/tidy"):
            (self.root / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        for path, text in FILES.items():
            self.write(path, text)

    def write(self, path, text):
        (self.root / path).parent.mkdir(exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def tidy(self, *arguments):
        return subprocess.run([self.root / "tools/tidy", *arguments], cwd=self.root, capture_output=True, text=True, check=False)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments], cwd=self.root,
                       capture_output=True, check=True)

    def test_findings_in_what_is_named_alone(self):
        done = self.tidy("policies/a.cpp", "policies/a.hpp")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.write("policies/b.hpp", "#pragma once\nint WrongCase();\n")
        done = self.tidy("policies/b.hpp")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"policies/b\.hpp:2:5: error: invalid case style for function 'WrongCase'")
        self.assertEqual(self.tidy("policies/b.cpp").returncode, 0)

    def test_findings_in_what_has_changed(self):
        self.git("init", "--initial-branch=main")
        self.git("add", "CMakeLists.txt", ".clang-tidy", "policies", "tools", "docs")
        self.git("commit", "--message=x")
        self.write("docs/c.md", "still none\n")
        self.assertEqual(self.tidy("--changed", "main").stdout, "nothing to check\n")
        self.write("policies/a.cpp", '#include "policies/a.hpp"\nint sound() {\n  int Wrong = 1;\n  return Wrong;\n}\n')
        done = self.tidy("--changed", "main")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("invalid case style for variable 'Wrong'", done.stdout)

    def test_wrong_use(self):
        self.assertEqual(self.tidy().returncode, 2)
        self.assertIn("there is no policies/gone.cpp", self.tidy("policies/gone.cpp").stderr)
        done = self.tidy("--changed", "gone")
        self.assertEqual((done.returncode, "merge-base gone" in done.stderr), (2, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
