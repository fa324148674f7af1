"""Where a number or block comes from: output of commands, each run once, and tables of the tree."""
import csv
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

CUT = re.compile(r"(lines|keep|drop|replace) (.+)")


class SourceError(Exception):
    """A source that does not give what a marker asks for; the line of the page, where it is known."""

    def __init__(self, what, line=0):
        super().__init__(what)
        self.line = line


class Sources:
    def __init__(self, root, program):
        self.root, self.program = root, program
        self.outputs, self.tables = {}, {}

    def output(self, command):
        """What a shell command prints. It runs in a new folder with links to all that the tree has, so that paths of the
        tree can be read and what is written is thrown away."""
        if command not in self.outputs:
            self.outputs[command] = self.run(command)
        return self.outputs[command]

    def checked_program(self):
        if not self.program or not os.access(self.program, os.X_OK):
            raise SourceError(f"no program {self.program}; build it, or name it by --program")
        return pathlib.Path(self.program).resolve()

    def run(self, command):
        program = self.checked_program()
        environment = {"FLASHLOOM_VENV": str(self.root / ".venv")} | os.environ | {
            "ROOT": str(self.root), "FLASHLOOM": str(program), "COLUMNS": "120", "LC_ALL": "C.UTF-8"}
        # Programs of the studies look for the build of their tree; a reader has one.
        command = re.sub(r"^experiments/(?:bounds|cost) .*", r'\g<0> --program "$FLASHLOOM"', command, flags=re.MULTILINE)
        with tempfile.TemporaryDirectory() as folder:
            for entry in self.root.iterdir():
                if not entry.name.startswith((".", "out", "build")):
                    os.symlink(entry, os.path.join(folder, entry.name))
            script = f"PATH={shlex.quote(str(program.parent))}:$PATH\n{command}"
            done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=environment, text=True, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise SourceError(f"`{command}` ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def json_value(self, command, path):
        try:
            value = json.loads(self.output(command))
        except ValueError as error:
            raise SourceError(f"`{command}` prints no JSON: {error}") from error
        at = path
        while at:  # a key may have dots: the longest that is there
            keys = list(value) if isinstance(value, dict) else [str(i) for i in range(len(value))] if isinstance(value, list) else []
            key = max((k for k in keys if at == k or at.startswith(k + ".")), key=len, default=None)
            if key is None:
                raise SourceError(f"the result has no {path}: nothing at {at}")
            value, at = value[key] if isinstance(value, dict) else value[int(key)], at[len(key) + 1:]
        return value

    def table(self, path):
        """Rows of a CSV: (set of labels "COLUMN VALUE", {metric: value}). A summary.csv of a study has a line a metric; any
        other CSV a line a row, all values of which are labels, too; a column "row" holds labels. A summary of a study's part,
        PART.SUMMARY, has the labels SUMMARY and "part PART", too."""
        if path not in self.tables:
            try:
                with open(path, newline="", encoding="utf-8") as file:
                    lines = list(csv.DictReader(file))
            except OSError as error:
                raise SourceError(f"{path}: {error.strerror}") from error
            rows = {}
            for number, line in enumerate(lines):
                if list(line) == ["summary", "row", "metric", "value"]:
                    key = line["summary"], line["row"]
                    part, _, name = line["summary"].rpartition(".")
                    labels = {line["summary"], name, f"part {part}", *line["row"].split(", ")}
                    rows.setdefault(key, (labels, {}))[1][line["metric"]] = line["value"]
                else:
                    labels = {f"{name} {value}" for name, value in line.items()}
                    rows[number] = labels | set((line.get("row") or "").split(", ")), line
            self.tables[path] = list(rows.values())
        return self.tables[path]

    def cell(self, path, row, metric, how):
        """The value of a metric in the one row that has all labels; with how (min, max, mean) of all rows that have."""
        labels = {label.strip() for label in row.split(",")} - {""}
        where = f"{os.path.relpath(path, self.root)}: {row}: {metric}"
        try:
            values = [float(values[metric]) for has, values in self.table(path) if labels <= has and metric in values]
        except ValueError as error:
            raise SourceError(f"{where}: {error}") from error
        if not values:
            raise SourceError(f"{where}: no such value")
        if how:
            return {"min": min, "max": max, "mean": lambda v: sum(v) / len(v)}[how](values)
        if len(values) > 1:
            raise SourceError(f"{where}: {len(values)} rows have these labels")
        return values[0]


def chosen(lines, ranges):
    """The lines of ranges such as "1-7, 9-"; "..." where some are left out between them."""
    out, last = [], 0
    for word in ranges.split(","):
        first, dash, end = word.strip().partition("-")
        first, end = int(first), int(end) if end else len(lines) if dash else int(first)
        if out and first != last + 1:
            out.append(re.match(r" *", out[-1])[0] + "...")
        out += lines[first - 1:end]
        last = end
    return out


def cut(text, rules):
    lines = [line.rstrip() for line in text.rstrip("\n").split("\n")]
    for rule in rules:
        kind, what = CUT.fullmatch(rule).groups()
        if kind == "lines":
            lines = chosen(lines, what)
        elif kind == "replace":
            pattern, _, by = what.partition(" => ")
            lines = "\n".join(re.sub(pattern, by, line) for line in lines).split("\n")
        else:
            lines = [line for line in lines if bool(re.search(what, line)) == (kind == "keep")]
    return lines


def check_cut(rule):
    """What is wrong with a line of a marker; None if nothing is."""
    match = CUT.fullmatch(rule)
    if not match:
        return f"{rule!r} is none of: lines A-B, keep REGEX, drop REGEX, replace REGEX => TEXT"
    kind, what = match.groups()
    if kind == "lines":
        return None if re.fullmatch(r"\d+(-\d*)?(, *\d+(-\d*)?)*", what) else f"lines {what!r}: write 1-7, 9-"
    if kind == "replace" and " => " not in what:
        return f"replace {what!r}: write REGEX => TEXT"
    try:
        re.compile(what.partition(" => ")[0])
    except re.error as error:
        return f"{kind} {what!r}: {error}"
    return None
