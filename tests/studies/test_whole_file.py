"""Files are written whole or not at all; links are followed, devices and FIFOs are written directly."""
import os
import pathlib
import stat
import tempfile
import threading
import unittest

import case  # noqa: F401 (finds the engine)
from flashloom.whole_file import whole_file, write_whole


class WholeFile(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_link_stays(self):
        (self.folder / "target").write_text("old")
        link = self.folder / "link"
        link.symlink_to("target")
        write_whole(link, "new")
        self.assertTrue(link.is_symlink())
        self.assertEqual((self.folder / "target").read_text(), "new")

    def test_full_device_is_named_and_stays(self):
        with self.assertRaises(OSError) as caught:
            write_whole(pathlib.Path("/dev/full"), "text")
        self.assertEqual(caught.exception.filename, "/dev/full")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_fifo_is_written_through(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        got = []
        reader = threading.Thread(target=lambda: got.append(fifo.read_text()))
        reader.start()
        write_whole(fifo, "text")
        reader.join()
        self.assertEqual(got, ["text"])
        self.assertTrue(fifo.is_fifo())

    def test_failure_leaves_what_was_there(self):
        path = self.folder / "kept"
        path.write_text("old")
        with self.assertRaises(ValueError), whole_file(path) as file:
            file.write("new")
            raise ValueError
        self.assertEqual([(each.name, each.read_text()) for each in self.folder.iterdir()], [("kept", "old")])


if __name__ == "__main__":
    unittest.main()
