"""The check of the format finds a file that differs, in a tree made for the test."""
import pathlib
import shutil
import tempfile
import unittest

import cxx_format
from check_structure import ROOT


@unittest.skipIf(cxx_format.why_not(), cxx_format.why_not())
class CxxFormat(unittest.TestCase):
    def test_what_differs_is_told(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            shutil.copy(ROOT / ".clang-format", root)
            (root / "models").mkdir()
            (root / "models/sound.cpp").write_text("int sound() { return 1; }\n", encoding="utf-8")
            self.assertEqual(cxx_format.unformatted(root), [])
            (root / "models/seeded.hpp").write_text("int a;\nint  seeded (int *x);\nint  b;\n", encoding="utf-8")
            self.assertEqual(cxx_format.unformatted(root), ["models/seeded.hpp:2: clang-format -i models/seeded.hpp"])


if __name__ == "__main__":
    unittest.main()
