"""The check of own names finds clashes, in trees made for the test."""
import pathlib
import tempfile
import unittest
from unittest import mock

import own_names

CLASHES = {
    "function": ("int f(int a) { return a; }", "double f() { return 1.0; }", "f"),
    "constant": ("constexpr int kA = 1;", "const std::array<int, 2> kA{1, 2};", "kA"),
    "shifted constant": ("constexpr auto kA = std::size_t{1} << 10;", "const char* kA[] = {\"}\"};", "kA"),
    "lambda": ("const auto add = [](int a) { return a; };", "int add = 0;", "add"),
    "type and function": ("struct Case {\n  int a;\n};", "class Case final : public Other {\n};", "Case"),
    "template": ("template <class A, std::size_t kN>\nstd::array<A, kN> all(const A& a) {}", "void all() {}", "all"),
    "alias of another thing": ("using Json = nlohmann::json;", "using Json = nlohmann::ordered_json;", "Json"),
    "enumerator": ("enum List : std::uint8_t { kHot, kCold = 4 };", "constexpr int kCold = 1;", "kCold"),
    "operator": ("bool operator==(A a, A b) { return true; }", "bool operator==(B a, B b) { return true; }", "operator=="),
    "test": ("TEST(Die, Reads) { EXPECT_EQ(1, 1); }", "TEST_F(Die, Reads) {}", "Die.Reads"),
}
NONE = {
    "alias of the same": ("namespace fs = std::filesystem;", "namespace fs = std::filesystem;"),
    "members": ("struct A {\n  int f();\n};\nint A::f() { return 1; }", "struct B {\n  int f();\n};\nint B::f() { return 1; }"),
    "locals": ("void f() { int a = 1; }", "void g() { int a = 1; }"),
    "other namespaces inside": ("namespace a {\nint f();\n}  // namespace a", "namespace b {\nint f();\n}  // namespace b"),
    "macros": ("BENCHMARK(all);", "BENCHMARK(some);"),
    "comments": ("int f();  // int g();", "/* int f(); { */ int g();\n#define F int f() {"),
}


class OwnNames(unittest.TestCase):
    def clashes(self, files):
        with tempfile.TemporaryDirectory() as scratch:
            for path, text in files.items():
                (pathlib.Path(scratch) / path).parent.mkdir(parents=True, exist_ok=True)
                (pathlib.Path(scratch) / path).write_text(text, encoding="utf-8")
            return own_names.clashes(pathlib.Path(scratch))

    def anonymous(self, text, around="flashloom"):
        return f"namespace {around} {{\nnamespace {{\n\n{text}\n\n}}  // namespace\n}}  // namespace {around}\n"

    def test_clashes_are_told(self):
        for what, (a, b, name) in CLASHES.items():
            with self.subTest(what):
                found = self.clashes({"models/nand/a.cpp": self.anonymous(a), "models/nand/b.cpp": self.anonymous("int x;\n" + b)})
                self.assertEqual(found, [f"models/nand/b.cpp:5: {name} is also a name of models/nand/a.cpp, and release compiles "
                                         "both as one"])

    def test_what_does_not_clash(self):
        for what, (a, b) in NONE.items():
            with self.subTest(what):
                self.assertEqual(self.clashes({"models/a.cpp": self.anonymous(a), "models/b.cpp": self.anonymous(b)}), [])

    def test_a_static_is_a_files_own(self):
        files = {"models/a.cpp": self.anonymous("int f();"), "models/b.cpp": "namespace flashloom {\nstatic int f() { return 1; }\n}\n"}
        self.assertEqual(len(self.clashes(files)), 1)
        files["models/b.cpp"] = files["models/b.cpp"].replace("static ", "")  # declared in a header, so seen there
        self.assertEqual(self.clashes(files), [])
        for own in ("[[maybe_unused]] static int f();", "template <class A>\nstatic int f() {}", "const int f = 1;", "const int f{g(1)};"):
            files["models/b.cpp"] = f"namespace flashloom {{\n{own}\n}}\n"
            self.assertEqual(len(self.clashes(files)), 1, own)
        files["models/b.cpp"] = "namespace flashloom {\nconst int& f(int a = 1) { return a; }\n}\n"
        self.assertEqual(self.clashes(files), [])

    def test_other_folders_and_namespaces_have_their_own(self):
        self.assertEqual(self.clashes({"models/a.cpp": self.anonymous("int f();"),
                                       "models/nand/a.cpp": self.anonymous("int f();"),
                                       "models/b.cpp": self.anonymous("int f();", "flashloom::b")}), [])

    def test_folders_of_a_group_are_compiled_as_one(self):
        layers = 'set(more tier "host nvme")\nflashloom_layer(models COLD GROUPS "nand onfi" hdd\n                USES x)\nflashloom_layer(b FOLDER c GROUPS ${more})\n'
        for paths, clash in ((("models/nand/a.cpp", "models/onfi/b.cpp"), True), (("models/nand/a.cpp", "models/nand/deep/b.cpp"), True),
                             (("models/a.cpp", "models/link/b.cpp"), True), (("models/a.cpp", "models/nand/b.cpp"), False),
                             (("models/hdd/a.cpp", "models/nand/b.cpp"), False), (("c/host/a.cpp", "c/nvme/b.cpp"), True),
                             (("tests/models/a.cpp", "tests/models/nand/b.cpp"), True), (("tests/models/a.cpp", "tests/c/b.cpp"), False)):
            with self.subTest(paths), mock.patch.object(own_names, "FOLDERS", {"models", "c", "tests"}):
                found = self.clashes({"CMakeLists.txt": layers} | {path: self.anonymous("int f();") for path in paths})
                self.assertEqual(len(found), clash)


if __name__ == "__main__":
    unittest.main()
