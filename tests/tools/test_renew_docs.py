"""tools/renew-docs on small trees, with a program that counts how often it runs."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "renew-docs"
sys.path[:0] = [str(ROOT / "experiments"), str(ROOT / "python")]
from engine.kept import Full, Renewed, files_fingerprint, model_fingerprint  # noqa: E402
SUMMARY = """summary,row,metric,value
gains,"drive a, depth 1",speed_up,2.0849
gains,"drive b, depth 1",speed_up,3.1
"""


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("experiments/x/summary.csv", SUMMARY)
        self.write("bin/flashloom", f'#!/bin/sh\necho run >> "{self.root}/runs"\n'
                                    'if [ "$1" = --json ]; then echo \'{"host": {"iops": 1234.5, "p.99": [1, -0.04]}}\'; else\n'
                                    'printf "a 1\\nb 2.50\\ncost 0.3 s\\nc 3\\n"; fi\n')
        (self.root / "bin/flashloom").chmod(0o755)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def renew(self, *options):
        done = subprocess.run([sys.executable, "-B", TOOL, "--root", self.root, "--program", self.root / "bin/flashloom", *options],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def expect(self, text, code, *words, name="README.md", options=("--check",)):
        self.write(name, text)
        got, said = self.renew(*options)
        for word in words:
            self.assertIn(word, said)
        self.assertEqual(got, code, said)

    def runs(self):
        path = self.root / "runs"
        return path.read_text(encoding="utf-8").count("run") if path.exists() else 0


class Tutorials(Tree):
    PAGE = "# T\n\n    echo 1 > kept\n\nThen\n\n    cat kept; flashloom | head -1\n\n<!-- output -->\n    1\n    a 1\n"

    def test_commands_run_in_their_order_in_one_folder(self):
        self.expect(self.PAGE, 0, "1 held, 0 wrong", name="docs/tutorials/t.md")
        self.expect(self.PAGE.replace("    a 1", "    a 2"), 1, "t.md:11: 'a 2' stands there, 'a 1' should", name="docs/tutorials/t.md")
        self.expect(self.PAGE, 1, "README.md:10: `cat kept; flashloom | head -1` ended with 1")  # elsewhere each runs by itself

    def test_a_command_without_output_must_work_too(self):
        self.expect(self.PAGE.replace("echo 1 > kept", "false"), 1, "t.md:3: `false` ended with 1", name="docs/tutorials/t.md")


class Numbers(Tree):
    MARKER = "<!-- numbers\ngains # times <- x; gains, drive a; speed_up\n-->\n"

    def test_a_number_changed_by_hand(self):
        self.expect(f"# T\n\n{self.MARKER}It gains\n2.08 times.\n", 0, "1 held, 0 wrong")
        self.expect(f"# T\n\n{self.MARKER}It gains\n2.06 times.\n", 1, "README.md:7: '2.06' stands there, '2.08' should")
        self.assertIn("2.06", (self.root / "README.md").read_text())  # --check changes nothing
        self.assertEqual(self.renew()[0], 0)
        self.assertIn("2.08 times", (self.root / "README.md").read_text())

    def test_digits_scale_and_rows(self):
        for marker, text in (("# % <- x; gains, drive a; speed_up*100", "208 %"), ("# % <- x; drive a; speed_up*100:1", "208.5 %"),
                             ("# to # <- x; gains; min(speed_up) max(speed_up)", "2.1 to 3.1"), ("~ to # <- x; drive b; speed_up", "9 to 3.1"),
                             ("| a | # |\n  <- x; drive a; speed_up\n| b | # | <- ; drive b;", "| a | 2.1 |\n| b | 3.10 |"),
                             ("# k <- experiments/x/summary.csv; drive a; speed_up*1e4", "20,849 k")):
            self.expect(f"# T\n\n<!-- numbers\n{marker}\n-->\n{text}\n", 0, "0 wrong")

    def test_json(self):
        command = "<!-- command c: flashloom --json\n  --more -->\n"
        self.expect(f"{command}<!-- numbers\n# IOPS, # <- c; host.iops host.p.99.1\n-->\n1,234 IOPS, -0.0\n", 1,
                    "'-0.0' stands there, '0.0' should", "2 held, 1 wrong")
        self.expect(f"{command}<!-- numbers\n# IOPS <- c; host.iop\n-->\n1,234 IOPS\n", 1, "README.md:4: the result has no host.iop")

    def test_markers_that_cannot_be_read(self):
        for marker, what in (("# times", "README.md:3: write TEXT WITH #"), ("# times <- x; drive a; speed_up more", "2 values for 1 numbers"),
                             ("# time <- c; host.iops", "no <!-- command c"), ("# miles <- x; drive a; speed_up", "stands 0 times")):
            self.expect(f"# T\n<!-- numbers\n{marker}\n-->\n2.08 times\n", 2, what)
        self.expect("<!-- number\n# times <- x; drive a; speed_up\n-->\n2.08 times\n", 2, "README.md:1: no marker; valid")
        self.expect("<!-- numbers\n2.08\n", 2, "README.md:1: the comment does not end")
        self.expect("<!-- numbers\n# times <- x; depth 1; speed_up\n-->\n2.08 times\n", 1, "2 rows have these labels")

    def test_a_marker_in_code_is_an_example(self):
        self.expect("    <!-- numbers\n    nonsense\n    -->\n\n```\n<!-- output -->\n```\n", 0, "0 held")


class Blocks(Tree):
    def test_a_block_renews(self):
        page = "# T\n\n    flashloom\n\n<!-- output\ndrop ^cost\nreplace (\\d)\\.50 => \\1.5\n-->\n    a 1\n    b 9\n\nText.\n"
        self.expect(page, 1, "README.md:10: 'b 9' stands there, 'b 2.5' should")
        self.assertEqual(self.renew()[0], 0)
        self.assertEqual((self.root / "README.md").read_text(), page.replace("    b 9\n", "    b 2.5\n    c 3\n"))
        self.expect("<!-- output\nlines 1, 4-\n-->\n```\n$ flashloom\na 1\n...\nc 3\n```\n", 0, "1 held, 0 wrong")

    def test_the_commands_before_are_run_and_not_shown(self):
        self.expect("    flashloom > f\n    echo hidden\n    cat f\n\n<!-- output\nlines 1\n-->\n    a 1\n", 0)
        self.assertFalse((self.root / "f").exists())

    def test_identical_commands_run_once(self):
        block = "<!-- output: flashloom -->\n    a 1\n    b 2.50\n    cost 0.3 s\n    c 3\n\n"
        self.write("docs/a.md", block)
        self.expect(block * 2, 0, "3 held, 0 wrong; 1 commands run")
        self.assertEqual(self.runs(), 1)

    def test_what_fails(self):
        self.expect("<!-- output: false -->\n    a\n", 1, "README.md:2: `false` ended with 1")
        self.expect("<!-- output\nlines x\n-->\n    $ flashloom\n", 2, "README.md:2: lines 'x'")
        self.expect("<!-- output\nkeep (\n-->\n    $ flashloom\n", 2, "README.md:2: keep '('")
        self.expect("<!-- output -->\nText.\n", 2, "README.md:1: no block")
        self.expect("<!-- output -->\n    a\n", 2, "no command")


class Dates(Tree):
    TABLE = "| a | b |\n|---|---|\n| 1.5 | 2.5 |\n| 3.5 | `--set x=4.5` |\n"

    def test_a_table_without_date(self):
        self.expect(f"# T\n\n## S\n\n{self.TABLE}", 1, "README.md:5: numbers without a marker")
        self.expect(f"# T\n\n## S\n\nMeasured 2026-11-22, version\n0.1.0.\n\n{self.TABLE}", 0)
        self.expect(f"# T\n\n## R\n\nMeasured 2026-11-22, version 0.1.0.\n\n## S\n\n{self.TABLE}", 1)
        self.expect(f"# T\n\nAll measured by 2026-11-22, version 0.1.0.\n\n## R\n\n## S\n\n{self.TABLE}", 0)
        self.expect(f"# T\n\n<!-- given -->\n{self.TABLE}", 0)
        self.expect(f"# T\n\n<!-- held by bin/flashloom -->\n{self.TABLE}", 0)
        self.expect(f"# T\n\n<!-- held by nothing -->\n{self.TABLE}", 2)
        self.expect("# T\n\n    flashloom --set a=1.5 --set b=2.5 --set c=3.5\n\n```toml\na = [1.5, 2.5, 3.5]\n```\n", 0)

    def test_a_study_says_of_when_it_is(self):
        name, status = "experiments/x/README.md", "<!-- status -->\n"
        self.expect("# X\n", 1, "experiments/x/README.md:1:", name=name)
        self.expect(f"# X\n\n{status}Full results of 2026-11-25, due to be renewed: `experiments/renew x`.\n", 0, name=name)
        self.expect(f"# X\n\n{status}Full results of 2026-11-25.\n", 1, "README.md:4:", "due to be renewed", name=name)
        folder = self.root / "experiments/x"
        Renewed(full=Full(1, 1.0, files_fingerprint(folder, self.root), model_fingerprint(folder))).write(folder)
        self.expect(f"# X\n\n{status}Full results: current.\n", 0, name=name)
        (self.root / "experiments/x/summary.csv").unlink()
        self.expect(f"# X\n\n{status}Full results of 2026-11-25.\n", 1, "which no summary holds", name=name)
        self.expect(f"# X\n\n{status}Full results.\n", 2, name=name)


if __name__ == "__main__":
    unittest.main()
