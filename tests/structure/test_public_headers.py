"""The check of public headers finds violations, in trees made for the test."""
import pathlib
import tempfile
import unittest

import public_headers


class PublicHeaders(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.write("cmake/PublicHeaders.cmake", "# not this: c.hpp\nset(x a.hpp\n    b.hpp)\n")
        self.write("sc_main/assembly/plugins/plugin_interface.hpp", "#define FLASHLOOM_PLUGIN_INTERFACE 3\n")
        self.write("a.hpp", '#include "b.hpp"\nint a;  // text\n')
        self.write("b.hpp", "int b;\n")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def test_a_closed_set_is_right(self):
        self.assertEqual(public_headers.wrong_headers(self.root), [])
        self.assertEqual(public_headers.interface_of(self.root)["interface"], 3)

    def test_private_missing_and_doubled_headers_are_told(self):
        self.write("cmake/PublicHeaders.cmake", "set(x a.hpp a.hpp d.hpp)\n")
        self.assertEqual([line.split(": ", 1)[1].split(" (")[0] for line in public_headers.wrong_headers(self.root)],
                         ["a.hpp is named twice", "is public, and includes b.hpp, which is not",
                          "is public, and includes b.hpp, which is not", "there is no d.hpp"])

    def test_code_counts_and_comments_do_not(self):
        before = public_headers.interface_of(self.root)
        self.write("a.hpp", '#include "b.hpp"\nint   a; // other text\n/* more */')
        self.assertEqual(public_headers.interface_of(self.root), before)
        self.write("a.hpp", '#include "b.hpp"\nlong a;\n')
        self.assertNotEqual(public_headers.interface_of(self.root), before)
        self.write("a.hpp", '#include "b.hpp"\nint a; "// no comment"\n')
        self.assertNotEqual(public_headers.interface_of(self.root), before)


if __name__ == "__main__":
    unittest.main()
