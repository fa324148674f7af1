"""The wheel: built around an existing program, and used without the source tree."""
import os
import pathlib
import re
import subprocess
import sys
import unittest
import zipfile

from case import PROGRAM, ROOT, PackageCase

try:
    import scikit_build_core  # noqa: F401
except ImportError:
    raise unittest.SkipTest("no scikit-build-core: ./check installs it in .venv") from None

RUNS_WITH = "Release"  # the same in every build
BUILD = os.environ.get("FLASHLOOM_BUILD", str(pathlib.Path(PROGRAM).parent))
USE = """
import flashloom, pathlib, sys
program = flashloom.find_program()
assert pathlib.Path(sys.argv[1]) in program.parents, program
result = flashloom.run("tiny", generate="mix:read=0 %", max_requests=20)
print(result.host.write.ios, flashloom.version())
"""


class Wheel(PackageCase):
    def test_a_wheel_has_all_it_needs(self):
        environment = {key: value for key, value in os.environ.items() if key not in ("FLASHLOOM_PROGRAM", "FLASHLOOM_CONFIGS", "PYTHONPATH")}
        done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
                               "--disable-pip-version-check", "--wheel-dir", str(self.scratch), str(ROOT)],
                              env=environment | {"FLASHLOOM_PREBUILT": BUILD}, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        wheel, = self.scratch.glob("*.whl")
        version = re.search(r"project\(flashloom VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertTrue(wheel.name.startswith(f"flashloom-{version}-py3-none-linux_"), wheel.name)
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        for name in ("py.typed", "fit/main.py", "_program/bin/flashloom", "_program/share/flashloom/configs/tiny.toml"):
            self.assertIn(f"flashloom/{name}", names)
        self.assertFalse([name for name in names if name.endswith((".hpp", ".a"))])

        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check",
                        "--target", str(self.scratch / "site"), str(wheel)], env=environment, check=True, timeout=300)
        used = environment | {"PYTHONPATH": str(self.scratch / "site")}
        done = subprocess.run([sys.executable, "-c", USE, str(self.scratch / "site")], cwd=self.scratch, env=used, capture_output=True,
                              text=True, check=False, timeout=300)
        self.assertEqual((done.returncode, done.stdout), (0, f"20 {version}\n"), done.stderr)
        done = subprocess.run([self.scratch / "site/bin/flashloom", "config", "tiny"], cwd=self.scratch, env=used, capture_output=True,
                              text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([self.scratch / "site/bin/flashloom", "fit", "no.toml"], cwd=self.scratch, env=used, capture_output=True,
                              text=True, check=False, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (2, "flashloom: error: no.toml: there is no such file\n"))

    def test_no_build_is_named(self):
        done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index",
                               "--disable-pip-version-check", "--wheel-dir", str(self.scratch), str(ROOT)],
                              env=os.environ | {"FLASHLOOM_PREBUILT": str(self.scratch)}, capture_output=True, text=True, check=False,
                              timeout=300)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("FLASHLOOM_PREBUILT: there is no program", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
