"""What a study.toml may contain, and the errors of an invalid one: file, line, key, and valid values."""
import re

from case import SMALL, StudyCase
from engine.errors import StudyError
from engine.study import load_study

REST = """
workload.w.generate = "mix:requests=10"
metric.m = { path = "simulated_s", unit = "s" }
"""
HEAD = 'question = "?"\ndevice = "tiny"\n'
AXES = 'axis.ways = { values = [1, 2], set = "nand.ways" }\naxis.blocks = { values = [64, 128], set = "nand.blocks" }\n'


class StudyFile(StudyCase):
    def load(self, text, quick=False):
        return load_study(self.study(text), quick)

    def values(self, axis):
        text = f"{HEAD}axis.a = {axis}\nset = {{ \"host.iodepth\" = \"{{a}}\" }}\n{REST}"
        return [value.value for value in self.load(text).axes[0].values]

    def test_a_study_is_read_as_written(self):
        study = self.load(SMALL)
        self.assertEqual(study.axis_names, ["ways", "depth"])
        self.assertEqual((study.title, study.seeds, study.states), ("small", [], False))
        self.assertEqual(study.axes[0].values[2].sets["nand.ways"].filled({}), "4")
        self.assertEqual(study.label("throughput"), "throughput (MB/s)")

    def test_ranges(self):
        self.assertEqual(self.values("{ range = { from = 1, to = 16, factor = 2 } }"), [1, 2, 4, 8, 16])
        self.assertEqual(self.values("{ range = { from = 1, to = 17, factor = 4 } }"), [1, 4, 16])
        self.assertEqual(self.values("{ range = { from = 0, to = 1, step = 0.25 } }"), [0, 0.25, 0.5, 0.75, 1])
        self.assertEqual(self.values("{ range = { from = 5, to = 5, step = 3 } }"), [5])
        self.assertEqual(self.values("{ range = { from = 0.1, to = 0.3, step = 0.1 } }"), [0.1, 0.2, 0.3])

    def test_units_and_variants_reach_the_device(self):
        study = self.load(HEAD + 'axis.size = { values = [4, 16], unit = "KiB", set = "nand.page_size" }\n'
                          '[axis.cell.variants]\nslc = { "nand.read_time" = "25 us" }\n'
                          'tlc = { "nand.read_time" = ["56.5 us", "77.5 us"], "nand.ways" = "{2 * size}" }\n' + REST.replace(
                              "workload.w.generate", "[workload.w]\ngenerate").replace("metric.m =", "[metric]\nm ="))
        self.assertEqual(study.axes[0].values[1].sets["nand.page_size"].filled({}), "16 KiB")
        self.assertEqual([value.value for value in study.axes[1].values], ["slc", "tlc"])
        sets = study.axes[1].values[1].sets
        self.assertEqual(sets["nand.read_time"].filled({}), '["56.5 us", "77.5 us"]')
        self.assertEqual(sets["nand.ways"].filled({"size": 4}), "8")

    def test_a_variant_may_name_its_device(self):
        study = self.load(HEAD + 'axis.drive.variants = { a = { device = "tiny", "nand.ways" = 2 }, b = {} }\n' + REST)
        self.assertEqual([(value.device, list(value.sets)) for value in study.axes[0].values], [("tiny", ["nand.ways"]), (None, [])])

    def test_quick_keeps_a_subset(self):
        text = SMALL.replace('axis.depth', 'quick = { ways = [1, 4] }\naxis.depth')
        self.assertEqual([value.value for value in self.load(text, quick=True).axes[0].values], [1, 4])
        self.assertEqual([value.value for value in self.load(text).axes[0].values], [1, 2, 4])

    def test_options_of_a_study_are_those_of_each_workload(self):
        text = (HEAD + 'options = ["--warm={ways}", "--all"]\n' + AXES + REST +
                'workload.v = { generate = "mix:requests=20", options = "--own={blocks}" }\n')
        study = self.load(text)
        filled = {workload.name: [option.filled({"ways": 2, "blocks": 64}) for option in workload.options] for workload in study.workloads}
        self.assertEqual(filled, {"w": ["--warm=2", "--all"], "v": ["--warm=2", "--all", "--own=64"]})
        # An axis that only these options name has an effect.
        self.load(text.replace(', set = "nand.ways"', ""))
        self.refused(text.replace("{ways}", "{way}"), "options: \"way\": unknown name way; did you mean ways?")
        self.refused(text.replace('"--all"', "3"), "options: is ['--warm={ways}', 3], and must be a text or a list of texts")

    def refused(self, text, expected):
        with self.assertRaises(StudyError) as raised:
            self.load(text)
        self.assertRegex(str(raised.exception), r"study\.toml(:\d+)*: ")
        self.assertIn(expected, str(raised.exception))
        return str(raised.exception)

    def test_errors_name_the_line(self):
        text = HEAD + AXES + REST.replace('"s" }', '"s", skale = 2 }')
        line = 1 + text.split("metric.m")[0].count("\n")
        said = self.refused(text, "metric.m.skale: unknown key; did you mean scale? valid: ")
        self.assertIn(f"study.toml:{line}:", said)
        self.assertRegex(self.refused(HEAD + "x = ]", "Invalid"), r"study\.toml:3:\d+: ")

    def test_what_is_wrong_is_said(self):
        good = HEAD + AXES + REST
        self.load(good)
        for change, to, expected in (
                ('question = "?"\n', "", "question is missing (text)"),
                ('device = "tiny"', "device = 3", "device: is 3, and must be text"),
                (HEAD, HEAD + "deep = 1\n", "deep: unknown key"),
                (HEAD, HEAD + "seeds = [1, 1]\n", "none twice"),
                (HEAD, HEAD + "seeds = [1]\nrepetitions = 2\n", "not both"),
                (HEAD, HEAD + "repetitions = 0\n", "valid: 1 to 1000"),
                (HEAD, HEAD + 'drop = ["channels > 2"]\n', "unknown name channels; valid: blocks, ways, workload"),
                (HEAD, HEAD + 'drop = "ways >"\n', "cannot be read"),
                (HEAD, HEAD + 'untimed = "depth > 2"\n', "unknown name depth; valid: blocks, ways, workload"),
                ('path = "simulated_s"', 'cache = "hits"', "untimed names none"),
                ('path = "simulated_s"', 'expression = "ways", optional = true', "optional go with a path"),
                (HEAD, HEAD + 'drop = "sin(ways) > 1"\n', "unknown function sin"),
                (HEAD, HEAD + 'set = { "host.iodepth" = "{way}" }\n', "unknown name way; did you mean ways?"),
                (HEAD, HEAD + 'set.host.iodepth = 4\n', "a key with a dot is written in quotes"),
                (HEAD, HEAD + 'zip = [["ways", "depth"]]\n', "unknown axis 'depth'"),
                (HEAD, HEAD + 'zip = [["ways"]]\n', "list of lists of axes"),
                ("values = [64, 128]", "values = [64]", None),
                ("values = [64, 128]", "values = [64, 64]", "a value twice"),
                ("values = [64, 128]", "values = []", "has no value"),
                ("values = [64, 128]", 'values = [64, "x"]', "mixes text and numbers"),
                ("values = [64, 128]", "values = [[1]]", "must be text, a number"),
                ("values = [64, 128]", "range = { from = 1, to = 4 }", "either a step or a factor"),
                ("values = [64, 128]", "range = { from = 1, to = 4, step = 0 }", "must be above 0"),
                ("values = [64, 128]", "range = { from = 0, to = 4, factor = 2 }", "from above 0"),
                ("values = [64, 128]", "range = { from = 4, to = 1, step = 1 }", "is below from"),
                ("values = [64, 128]", "range = { from = 1, to = 1e9, step = 1 }", "at most 10000"),
                ('values = [64, 128], set = "nand.blocks"', "values = [64, 128]", "axis.blocks: changes nothing"),
                ("axis.blocks", "axis.max", "is a name of the language"),
                ("axis.blocks", "axis.Blocks", "a name is made of a-z"),
                ("generate =", 'trace = "x"\nworkload.w.generate =', "has exactly one of job, fio, trace, workload, generate"),
                ('path = "simulated_s"', 'path = "a.*.b"', "reduce says what to take"),
                ('path = "simulated_s"', 'expression = "n + 1"', "unknown name n"),
                ('path = "simulated_s"', 'expression = "base.n"', "unknown name base; valid: none"),
                ('path = "simulated_s", ', "", "either a path of result.json, or a cost, a field of run.json, or an expression"),
                ('path = "simulated_s"', 'path = "simulated_s", cost = "cpu_s"', "a metric has one of them"),
                ('path = "simulated_s"', 'cost = "cpu_s"', None),
                ('path = "simulated_s"', 'expression = "ways", cost = "cpu_s"', "or an expression"),
                (', unit = "s"', "", "unit is missing (text)"),
                (HEAD, HEAD + "baseline.b = { ways = 3 }\n", "ways: is 3; valid: 1, 2"),
                (HEAD, HEAD + "baseline.b = { depth = 3 }\n", "unknown axis; valid: ways, blocks, workload"),
                (HEAD, HEAD + "quick = { ways = [3] }\n", "3 is none of its values; valid: 1, 2"),
                (REST, REST + '[[figure]]\nname = "f"\ncaption = "c"\nx = "way"\ny = "m"\n', "unknown axis or metric \"way\"; did you mean ways"),
                (REST, REST + '[[figure]]\nname = "f"\ncaption = "c"\nx = "ways"\ny = "m"\nlog = "z"\n', 'log: is "z"; valid: , x, y, xy'),
                (REST, REST + '[[summary]]\nname = "f"\ncaption = "c"\n', "one of largest, smallest"),
                (REST, REST + '[[summary]]\nname = "f"\ncaption = "c"\nlargest = "most.k"\n', "most has no k"),
        ):
            with self.subTest(to=to):
                self.assertIn(change, good)
                changed = good.replace(change, to, 1)
                if expected is None:
                    self.load(changed)
                else:
                    self.refused(changed, expected)

    def test_axes_that_go_together_are_as_long(self):
        self.load(HEAD + 'zip = [["ways", "blocks"]]\n' + AXES + REST)
        self.refused(HEAD + 'zip = [["ways", "blocks"]]\n' + AXES.replace("[64, 128]", "[64]") + REST, "ways 2, blocks 1")

    def test_the_program_says_it_with_exit_code_2(self):
        folder = self.study(HEAD + AXES + REST.replace("unit", "units"))
        done = self.start(folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertTrue(re.search(r"^studies: error: .*metric\.m", done.stderr), done.stderr)
        self.assertFalse((self.scratch / "out").exists())
        for folder, expected in (("no-such-study", "no study no-such-study; valid: "), (str(self.scratch), "has no study.toml")):
            done = self.start(folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(expected, done.stderr)
        for text, expected in ((HEAD.replace("tiny", "tyni"), "no preset tyni"),
                               (HEAD, None)):
            done = self.start(self.study(text + AXES + REST), "--dry-run")
            self.assertEqual(done.returncode, 2 if expected else 0, done.stderr)
            self.assertIn(expected or "", done.stderr)

    def test_a_dry_run_checks_every_device(self):
        self.assertEqual(self.start(self.study(HEAD + AXES + REST), "-n").returncode, 0)
        done = self.start(self.study(HEAD + AXES.replace("[64, 128]", "[64, 0]") + REST), "-n")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"study\.toml: the point with .*blocks 0.*: --set nand\.blocks: 0 is out of range")
