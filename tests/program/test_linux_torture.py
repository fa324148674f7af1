"""`flashloom torture --linux`: power cuts of a busy Linux, checked by a fresh one."""
import glob
import pathlib
import re
import sys
import unittest
from ctypes.util import find_library

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/linux-guest"))
import torture  # pylint: disable=wrong-import-position
from program import ProgramCase, effort, takes_long
from test_linux import KERNEL, WHY_NOT, needs

NEEDS_POSTGRESQL = unittest.skipIf(not glob.glob("/usr/lib/postgresql/*/bin/pg_amcheck"), "not installed: postgresql")
NEEDS_ROCKSDB = unittest.skipIf(find_library("rocksdb") is None, "not installed: librocksdb7.8")


@unittest.skipIf(WHY_NOT, WHY_NOT)
class LinuxTorture(ProgramCase):
    """Power cuts of a busy Linux: an honest drive loses nothing, and a lying one is caught."""
    CUTS = effort(4, 910)  # of eleven scenarios: 10,010

    def torture(self, scenario, *arguments, cuts=None, code=0):
        done = self.start("torture", "tiny", "--kernel", KERNEL, "--linux", scenario, "--cuts", cuts or self.CUTS, *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def honest(self, scenario, *arguments):
        said = self.torture(scenario, *arguments)
        self.assertRegex(said, rf"{scenario}: {self.CUTS} power cuts, [0-9]+ operations acknowledged, 0 cuts lost data")
        self.assertGreater(int(re.search("([0-9]+) operations", said).group(1)), 20 * self.CUTS)

    def caught(self, scenario, *faults):
        """Torture reports the loss, and the same cut reproduces it."""
        sets = [word for fault in faults for word in ("--set", fault)]
        said = self.torture(scenario, *sets, cuts=8, code=1)
        what = re.search(r"after ([0-9]+) operations: (.*)", said)
        at = re.search(r"--seed ([0-9]+) --at \"([0-9]+ ps)\"", said)
        again = self.torture(scenario, *sets, "--seed", at.group(1), "--at", at.group(2), cuts=1, code=1)
        self.assertIn(what.group(0), again)

    @needs("mkfs.ext4", "e2fsck")
    def test_ext4(self):
        self.honest("ext4")
        self.honest("ext4-journal")

    @needs("mkfs.ext4")
    def test_databases(self):
        self.honest("sqlite-wal")
        self.honest("sqlite-rollback")

    def test_the_drive_itself(self):
        for scenario in ("raw", "raw-fua", "raw-atomic"):
            self.honest(scenario)

    @needs("mkfs.xfs", "xfs_repair")
    def test_xfs(self):
        self.honest("xfs", "--set", "nand.blocks=1024")

    @needs("mkfs.f2fs", "fsck.f2fs")
    def test_f2fs(self):
        self.honest("f2fs", "--set", "nand.blocks=512")

    @needs("mkfs.ext4", "e2fsck", "setpriv")
    @NEEDS_POSTGRESQL
    def test_postgresql(self):
        self.honest("postgresql", "--set", "nand.blocks=1024")

    @needs("mkfs.ext4", "e2fsck")
    @NEEDS_ROCKSDB
    def test_rocksdb(self):
        self.honest("rocksdb")

    @needs("mkfs.ext4", "e2fsck")
    def test_ignored_flushes_are_caught(self):
        for scenario in ("raw", "ext4", "sqlite-wal"):
            self.caught(scenario, "faults.flush_ignored=1")

    @needs("mkfs.ext4", "e2fsck", "setpriv")
    @NEEDS_POSTGRESQL
    @takes_long(50)
    def test_ignored_flushes_are_caught_by_postgresql(self):
        self.caught("postgresql", "nand.blocks=1024", "faults.flush_ignored=1")

    @needs("mkfs.ext4", "e2fsck")
    @NEEDS_ROCKSDB
    @takes_long(20)
    def test_ignored_flushes_are_caught_by_rocksdb(self):
        self.caught("rocksdb", "faults.flush_ignored=1")

    @needs("mkfs.ext4", "e2fsck")
    def test_fua_without_persistence_is_caught(self):
        for scenario in ("raw-fua", "ext4"):
            self.caught(scenario, "faults.fua_ignored=1")

    def test_torn_writes_are_caught(self):
        self.caught("raw-atomic", "faults.torn_writes=1")

    def test_faults_that_are_expected(self):
        self.assertIn("cuts lost data", self.torture("raw", "--set", "faults.flush_ignored=1", "--expect-faults", cuts=4))
        self.torture("raw-atomic", "--set", "faults.fua_ignored=1", "--expect-faults", cuts=2, code=1)


class TortureRefusals(ProgramCase):
    def test_what_cannot_be(self):
        for arguments, words in ((["--linux", "ext5"], ["--linux", "ext5", *torture.SCENARIOS]),
                                 (["--at", "1 ms"], ["--at", "--linux"]), (["--kernel", "x"], ["--kernel", "--linux"]),
                                 (["--linux", "raw", "--at", "soon"], ["--at", "soon"]),
                                 (["--linux", "raw", "--timed"], ["--timed"]),
                                 (["--linux", "raw", "--kernel", "none"], ["--kernel", "none"])):
            done = self.start("torture", "tiny", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
