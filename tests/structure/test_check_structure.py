"""The structure check finds violations: each test breaks one rule in a small tree.

    python3 -m unittest discover -s tests/structure"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_structure  # noqa: E402

SOUND = {
    "policies/registry.hpp": "#include <vector>\n#include <boost/intrusive/list.hpp>\n",
    "policies/x/x.hpp": '#include "policies/registry.hpp"\nstatic constexpr const char* kFamily = "x";\n',
    "workloads/request.hpp": "#include <zlib.h>\n",
    "models/die.hpp": "#include <systemc>\n",
    "controllers/ftl/ftl.hpp": '#include "models/die.hpp"\n#include "policies/x/x.hpp"\n',
    "controllers/host/host.hpp": '#include "workloads/request.hpp"\n',
    "analysis/info.hpp": '#include "workloads/request.hpp"\n',
    "sc_main/main.cpp": '#include "controllers/ftl/ftl.hpp"\n#include <toml++/toml.h>\n',
    "tests/support/s.hpp": "",
    "tests/a_test.cpp": '#include "tests/support/s.hpp"\n#include "sc_main/main.cpp"\n',
    "README.md": "The family `x`.\n",
    "docs/architecture.md": """```folders
policies    . < x
workloads   .
analysis    .
models      .
controllers ftl
            < host
sc_main     .
```
""",
}


class StructureTest(unittest.TestCase):
    def violations(self, **changes):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**SOUND, **changes.get("files", {})}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
            return check_structure.check(root)

    def assert_one(self, path, line, words, text):
        found = self.violations(files={path: text})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{path}:{line}: "), found[0])
        self.assertIn(words, found[0])

    def test_a_sound_tree_has_none(self):
        self.assertEqual(self.violations(), [])

    def test_layers(self):
        for path, header in [("policies/y.cpp", '"models/die.hpp"'), ("policies/y.cpp", "<systemc>"),
                             ("policies/y.cpp", "<sys/mman.h>"), ("policies/y.cpp", "<fmt/format.h>"),
                             ("workloads/y.cpp", '"policies/registry.hpp"'), ("workloads/y.cpp", "<tlm>"),
                             ("analysis/y.cpp", '"models/die.hpp"'), ("analysis/y.cpp", "<systemc>"),
                             ("models/y.cpp", '"policies/registry.hpp"'),
                             ("models/y.cpp", '"controllers/ftl/ftl.hpp"'),
                             ("controllers/ftl/y.cpp", '"workloads/request.hpp"'),
                             ("controllers/host/y.cpp", '"sc_main/main.cpp"'),
                             ("controllers/ftl/y.cpp", "<nlohmann/json.hpp>"),
                             ("sc_main/y.cpp", '"tests/support/s.hpp"')]:
            with self.subTest(path=path, header=header):
                self.assert_one(path, 2, "must not include", f"\n#include {header}\n")

    def test_a_circle_of_folders_is_found(self):
        # Each of two folders includes the other: the lower one must not.
        back = '#include "controllers/host/host.hpp"\n'
        self.assert_one("controllers/ftl/y.cpp", 1, "must not include controllers/host/, which does not stand below", back)
        self.assertEqual(self.violations(files={"controllers/host/y.cpp": '#include "controllers/ftl/ftl.hpp"\n'}), [])

    def test_folders_of_one_level_do_not_include_each_other(self):
        order = SOUND["docs/architecture.md"].replace("\n            < host", " host")
        found = self.violations(files={"docs/architecture.md": order,
                                       "controllers/host/y.cpp": '#include "controllers/ftl/ftl.hpp"\n'})
        self.assertEqual(len(found), 1, found)

    def test_every_folder_has_a_place_in_the_order_and_code(self):
        self.assert_one("policies/new/y.cpp", 1, "policies/new/ has no place in the order", "int x;\n")
        order = SOUND["docs/architecture.md"].replace("< x", "< x gone")
        found = self.violations(files={"docs/architecture.md": order})
        self.assertEqual(found, ["docs/architecture.md:1: the folder policies/gone/ of the order has no code"])

    def test_nothing_but_tests_includes_tests(self):
        self.assert_one("bench/y.cpp", 1, "only tests", '#include "tests/support/s.hpp"\n')

    def test_includes_exist_from_the_root(self):
        self.assert_one("controllers/ftl/y.cpp", 1, "not a file of the tree", '#include "ftl.hpp"\n')

    def test_code_lives_in_a_layer(self):
        self.assert_one("extras/y.cpp", 1, "outside of the layers", "int x;\n")

    def test_length(self):
        self.assertEqual(self.violations(files={"models/y.cpp": "//\n" * 500}), [])
        self.assert_one("models/y.cpp", 501, "501 lines", "//\n" * 501)

    def test_documentation_is_wrapped(self):
        self.assert_one("docs/y.md", 2, "121 characters", "\n" + "word " * 24 + "w\n")
        for text in ("| " + "word " * 30 + "|\n", "```\n" + "word " * 30 + "\n```\n", "    " + "word " * 30 + "\n",
                     "see [this](" + "x" * 120 + ")\n"):
            self.assertEqual(self.violations(files={"docs/y.md": text}), [])

    def test_using_namespace(self):
        self.assert_one("models/y.cpp", 2, "using namespace", "//\nusing namespace std;\n")
        self.assertEqual(self.violations(files={"models/y.cpp": "// not: using namespace std;\n"}), [])

    def test_machine_paths(self):
        for folder in ("work", "root", "home"):
            with self.subTest(folder=folder):
                self.assert_one("docs/y.md", 1, "path of one machine", f"see /{folder}/x\n")
        self.assertEqual(self.violations(files={"docs/y.md": "models/work/x, ~/root, http://a.b/c\n"}), [])

    def test_families_are_documented(self):
        self.assert_one("controllers/ftl/z.hpp", 1, "family `z`", 'static constexpr const char* kFamily = "z";\n')


if __name__ == "__main__":
    unittest.main()
