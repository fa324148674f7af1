"""The guest's script of `flashloom torture --linux`, without a guest: its verdict on the files that it finds."""
import pathlib
import shutil
import sys
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/linux-guest"))
import torture
from program import ProgramCase  # pylint: disable=wrong-import-position


class GuestScript(ProgramCase):
    def check(self, newest):
        """Checks four acknowledged files, and "newest" with these bytes; None: it does not exist."""
        place = self.scratch / "drive"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for number in range(4):
            (place / f"file{number}").write_bytes(torture.content(7, number, torture.size_of(7, number)))
        if newest is not None:
            (place / "newest").write_bytes(newest)
        with unittest.mock.patch.object(torture, "PLACE", str(place)):
            torture.check_files(7, [0, 1, 2, 3])

    def test_an_acknowledged_rename_that_is_lost_is_named(self):
        self.check(b"3\n")
        self.check(b"6\n")  # a later rename that was not acknowledged yet
        for newest in (None, b"", b"0\n", b"3", b"\xff\x00\n"):
            with self.assertRaises(torture.Lost, msg=newest):
                self.check(newest)


if __name__ == "__main__":
    unittest.main()
