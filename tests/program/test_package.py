"""The Debian package: its metadata, that installation and removal leave no trace, that the installed program works."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from program import ROOT

RUNS_WITH = "Release"  # the same in every build
BUILD = pathlib.Path(os.environ.get("FLASHLOOM_BUILD", ROOT / "build/release"))
TOOLS = ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file")


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **options)


@unittest.skipUnless(all(shutil.which(tool) for tool in TOOLS), f"needs {', '.join(TOOLS)}")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="flashloom-package-")
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        made = run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", cls.scratch,
                   "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-D", "CPACK_STRIP_FILES=OFF")
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        cls.package, = cls.scratch.glob("*.deb")

    def field(self, name):
        return run("dpkg-deb", "--field", self.package, name).stdout.strip()

    def test_it_says_its_version_and_what_it_needs(self):
        version = run(BUILD / "flashloom", "version").stdout.split()[1]
        self.assertEqual(self.field("Version"), version)
        self.assertIn(f"\n## {version}\n", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
        for library in ("libsystemc", "libc6", "libzstd1", "libfmt9"):
            self.assertIn(library, self.field("Depends"))

    def test_its_checksum_is_beside_it(self):
        self.assertEqual(run("sha256sum", "--check", f"{self.package.name}.sha256", cwd=self.scratch).returncode, 0)

    def test_its_files_are_where_debian_wants_them(self):
        root = self.scratch / "unpacked"
        self.assertEqual(run("dpkg-deb", "--extract", self.package, root).returncode, 0)
        for name in ("bin/flashloom", "share/man/man1/flashloom-run.1.gz", "share/bash-completion/completions/flashloom",
                     "share/zsh/vendor-completions/_flashloom", "share/fish/vendor_completions.d/flashloom.fish",
                     "share/flashloom/configs/tiny.toml", "share/flashloom/schemas/result.schema.json",
                     "share/doc/flashloom/copyright", "include/flashloom/ssd.hpp", "lib/libflashloom_device.a",
                     "lib/cmake/Flashloom/FlashloomConfig.cmake", "lib/flashloom/flashloom-guest-init"):
            self.assertTrue((root / "usr" / name).is_file(), name)
        ran = run(root / "usr/bin/flashloom", "run", "tiny", "--generate", "mix", "--max-requests", "20", cwd=self.scratch)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "dpkg installs as root only")
    def test_it_goes_in_and_out_without_a_trace(self):
        root = self.scratch / "root"
        (root / "var/lib/dpkg").mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        dpkg = ("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless")
        installed = run(*dpkg, "--install", self.package)
        self.assertEqual(installed.returncode, 0, installed.stderr)
        self.assertTrue((root / "usr/bin/flashloom").is_file())
        removed = run(*dpkg, "--purge", "flashloom")
        self.assertEqual(removed.returncode, 0, removed.stderr)
        left = [path for path in root.rglob("*") if path.is_file() and "var/lib/dpkg" not in str(path) and "var/log" not in str(path)]
        self.assertEqual(left, [])


class Release(unittest.TestCase):
    """tools/release checks its arguments before it builds anything."""

    def refused(self, *arguments):
        done = run(ROOT / "tools/release", *arguments)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stderr

    def test_it_refuses_what_it_does_not_know_and_what_is_there(self):
        self.assertIn("unknown option --nothing; valid: --allow-dirty, --help", self.refused("--nothing"))
        self.assertIn("is there already", self.refused("--allow-dirty", ROOT / "docs"))
        self.assertIn("takes one folder", self.refused("a", "b"))


if __name__ == "__main__":
    unittest.main()
