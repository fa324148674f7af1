"""Hand-written results with samples: energies that are linear in keys whose samples are known."""
import csv
import json

from case import StudyCase

COUNT = 1024  # 32 x 32: every pair of 32 values of each of two keys
SIDE = 32
TEXT = """
question = "?"
device = "tiny"
uncertainty = 1024
axis.ways = { values = [1, 2, 4], set = "nand.ways" }
workload.w.generate = "mix:requests=10"
baseline.one = { ways = 1 }
[metric]
energy = { path = "energy.j_per_gb", unit = "J/GB" }
power = { path = "energy.average_w", scale = 1e3, unit = "mW" }
speed = { path = "speed", unit = "MB/s" }
ratio = { expression = "energy / one.energy", unit = "1" }
saving = { expression = "100 * (1 - energy / one.energy)", unit = "%" }
"""
# Current 10 to 30 mA, nominally 20; power 1 to 2 W, nominally 1.2.
KEYS = {"nand.read_current": {"nominal": 0.02, "low": 0.01, "high": 0.03, "unit": "A", "with": None, "runs_again": False},
        "link.idle_power": {"nominal": 1.2, "low": 1.0, "high": 2.0, "unit": "W", "with": None, "runs_again": False}}


def share(name, number):
    """Position within the range in sample `number`: each pair of positions occurs once."""
    return ((number % SIDE if name == "nand.read_current" else number // SIDE) + 0.5) / SIDE


def value(name, number, keys=None):
    key = (keys or KEYS)[name]
    return key["low"] + (key["high"] - key["low"]) * share(name, number)


class Model:
    """J/GB = base + current * x + power * y."""

    def __init__(self, base=0.0, current=0.0, power=0.0, keys=None):
        self.base, self.current, self.power, self.keys = base, current, power, keys or KEYS

    def of(self, read_current, idle_power):
        return self.base + self.current * read_current + self.power * idle_power

    def nominal(self):
        return self.of(self.keys["nand.read_current"]["nominal"], self.keys["link.idle_power"]["nominal"])

    def sample(self, number):
        return self.of(value("nand.read_current", number, self.keys), value("link.idle_power", number, self.keys))

    def ends(self, name):
        """Values with one key at the ends of its range."""
        ends = []
        for end in ("low", "high"):
            at = {key: fields["nominal"] for key, fields in self.keys.items()} | {name: self.keys[name][end]}
            ends.append(self.of(at["nand.read_current"], at["link.idle_power"]))
        return ends


def write_result(folder, model, numbers=range(COUNT), change=lambda result, lines: None, speed=100.0, asked=COUNT):
    """Writes result.json and uncertainty.csv; `change` may corrupt them first."""
    folder.mkdir(parents=True, exist_ok=True)
    nominal = model.nominal()
    tornado = [{"key": name, "keys": [name], **{f"{what}_{end}": at for what in ("j_per_gb", "total_j")
                                               for end, at in zip(("low", "high"), model.ends(name))}} for name in model.keys]
    result = {"config": {}, "simulated_s": 1, "speed": speed, "energy": {
        "j_per_gb": nominal, "average_w": nominal / 2, "total_j": nominal, "background_j": 0, "j_per_io": nominal / 10,
        "operations": {"nand.read": {"j": nominal / 4}}, "components": [{"kind": "nand", "j": nominal / 8}, {"kind": "nand", "j": nominal / 8}, {"kind": "link", "j": 3.0}],
        "uncertainty": {"method": "latin_hypercube", "seed": 1, "samples": asked, "left_out": asked - len(numbers), "keys": dict(model.keys), "tornado": tornado,
                        "operations": {"nand.read": {"mean": 2, "p5": 1, "p50": 2, "p95": 3}}}}}
    lines = [["sample", *model.keys, "total_j", "background_j", "average_w", "j_per_gb", "nand_j"]]
    lines += [[number, *(value(name, number, model.keys) for name in model.keys), model.sample(number), 0.0, model.sample(number) / 2,
               model.sample(number), model.sample(number) / 4] for number in numbers]
    change(result, lines)
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")
    with open(folder / "uncertainty.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


class UncertainCase(StudyCase):
    def made(self, models, text=TEXT, change=lambda ways, result, lines: None, numbers=range(COUNT), **files):
        """(study, table) from a model for each number of ways; `change` may corrupt the files of a point."""
        def write(study, folder, values, seed):
            ways = values["ways"]
            model = models[ways] if not callable(models[ways]) else models[ways](seed)
            write_result(folder, model, numbers, lambda result, lines: change(ways, result, lines), 100.0 * ways,
                         study.uncertainty.samples or COUNT)
        return self.made_by_hand(text, lambda values, seed: f"{values['ways']}-{seed}", write, **files)
