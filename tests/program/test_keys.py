"""The keys of a device file: what is generated from their declarations, and which of them are rare."""
import json
import re
import tomllib

import schemas
from program import ROOT, ProgramCase

SET_BY = ("configs", "experiments", "bench")  # presets, studies, benches
TEXTS = {".toml", ".py", ".cpp", ".hpp", ".fio", ".sh", ""}


def paths_in(table, above=""):
    """Paths of the values and tables in a TOML document."""
    for name, value in table.items():
        if name not in ("source", "uncertainty"):
            path = f"{above}.{name}" if above else name
            yield path
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, dict):
                    yield from paths_in(inner, path)


def paths_set():
    """Every dotted name in presets, studies and benches, with all its ends: "set.nand.blocks" and "nand.blocks"."""
    found = set()
    for folder in SET_BY:
        for file in (ROOT / folder).rglob("*"):
            if not file.is_file() or file.suffix not in TEXTS or {"__pycache__", "out"} & set(file.parts):
                continue
            text = file.read_text(encoding="utf-8", errors="replace")
            found.update(re.findall(r"\b[a-z_]+(?:\.[a-z_0-9]+)+", text))
            if file.suffix == ".toml":
                found.update(paths_in(tomllib.loads(text)))
    ends = set()
    for path in found:
        names = path.split(".")
        ends.update(".".join(names[begin:]) for begin in range(len(names) - 1))
    return ends


class Keys(ProgramCase):
    def ok(self, *arguments):
        done = self.start(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def listed(self):
        for table in json.loads(self.ok("list", "config", "--json")):
            for key in table["parameters"]:
                yield (f"{table['name'].strip('[]')}.{key['name']}" if table["name"].startswith("[") else key["name"]), key

    def test_rare_keys_are_those_that_nothing_sets(self):
        known = paths_set()
        known |= {path.removeprefix("heap.") for path in known}  # [nvram], [heap.nvram] and [array.nvram] are told once
        told = {path: re.sub(r"^(heap|array)\.nvram", "nvram", path) for path, _ in self.listed()}
        wrong = [path for path, key in self.listed() if "." in path and key["rare"] == (told[path] in known)]
        self.assertEqual(wrong, [], "rare() and common() in the struct's describe() say otherwise")

    def test_rare_keys_are_listed_on_request(self):
        rare = {key["name"] for path, key in self.listed() if path.startswith("dram.timing")}
        self.assertEqual([line for line in self.ok("list", "config").splitlines() if "[dram.timing]" in line], [])
        shown = self.ok("list", "config", "--all")
        self.assertTrue(all(re.search(rf"^ +{name} = ", shown, re.M) for name in rare))
        refused = self.start("list", "replacement", "--all")
        self.assertEqual((refused.returncode, refused.stderr), (2, "flashloom: error: list: --all goes with config\n"))

    def test_the_schema_is_written_by_the_program(self):
        self.assertEqual((schemas.FOLDER / "config.schema.json").read_text(encoding="utf-8"), self.ok("list", "config", "--schema"),
                         "flashloom list config --schema > docs/schemas/config.schema.json")

    def test_the_table_of_choices_is_that_of_the_declarations(self):
        page = (ROOT / "docs/reference/configuration.md").read_text(encoding="utf-8")
        rows = dict(re.findall(r"^\| (`.*?`.*?) \| (.*?) \|$", page, re.M))
        for path, key in self.listed():
            if "brings" not in key or path.startswith(("heap.", "array.")):
                continue
            row = next((brought for choices, brought in rows.items() if f"`{path}`" in choices), None)
            self.assertIsNotNone(row, f"{path} is in no row of docs/reference/configuration.md")
            names = [brought.removeprefix(path.rpartition(".")[0] + ".") for brought in key["brings"]]
            if "all of the table" in row:
                self.assertFalse({"size", "model"} & set(names), path)
            elif row != "each other":
                self.assertEqual(sorted(re.findall(r"`(\w+)`", row)), sorted(names), path)

    def test_what_a_choice_drops_is_said(self):
        said = self.ok("run", "wd-zn540", "--set", "dram.kind=ddr3_1600", "--set", "precondition.fill=0", "--generate", "mix:requests=100")
        self.assertIn("note   dram.kind brings its own figures: dropped dram.bandwidth\n", said)
        self.assertIn("\n# dram.kind brings", self.ok("config", "wd-zn540", "--set", "dram.kind=ddr3_1600"))
        run = json.loads(self.ok("run", "wd-zn540", "--set", "dram.kind=ddr3_1600", "--generate", "mix:requests=100", "--json"))
        self.assertEqual(run["device"]["dropped"], {"dram.kind": ["dram.bandwidth"]})
        schemas.check(run, "result")
