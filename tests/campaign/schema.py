"""The keys of a device file as `flashloom list --json` reports them, from which random devices are drawn."""
import functools
import json
import re
import subprocess
from dataclasses import dataclass

# Keys that affect no simulation, or that the campaign sets itself.
LEFT_OUT = {"name", "description", "verify", "seed", "source"}
# Values tried for quantities whose default is zero, by their first unit.
FROM_ZERO = {"ps": ["10 us", "1 ms"], "s": ["30 d", "365 d"], "B": ["64 KiB", "256 KiB", "1 MiB"], "uW": ["10 mW"],
             "B/s": ["1 GB/s"], "fJ": ["1 nJ"], "mK/W": ["10 K/W"], "fJ/B": ["10 pJ/B"], "fF": ["5 pF"], "nA": ["10 mA"], "mV": ["1 V"],
             "Hz": ["500 MHz"]}
LARGEST = 64  # for integers whose default is smaller: devices stay small
HIGHEST_EDGE = 4096  # the end of an integer's range is tried up to here


@dataclass(frozen=True)
class Key:
    """A key with the values that the campaign tries: TOML texts, the default among them."""
    path: str
    values: tuple[str, ...]
    default: str
    pairs: bool  # the key has few values, each with a meaning of its own: every pair with another such key is tried
    sampled: bool = False  # the values are those that the key's declaration gives
    edges: tuple[str, ...] = ()  # ends of its range and their neighbours, and the neighbours of its default

    @property
    def section(self):
        return self.path.rpartition(".")[0]

    @property
    def is_switch(self):
        """Whether the default is nothing, so that any other value enables something."""
        return self.default in ("0", "0.0", "false", "[]", '"none"') or self.default.startswith('"0 ')


def scaled(default, factor):
    """A quantity times a factor: '"25 us"', 2 -> '"50 us"'; None if the value is no quantity, or zero."""
    match = re.fullmatch(r'"([0-9.]+) (.+)"', default)
    if not match or float(match[1]) == 0:
        return None
    return f'"{float(match[1]) * factor:g} {match[2]}"'


def integers(default, text):
    bounds = re.fullmatch(r"(-?\d+) \.\. (\d+)", text)
    low, high = (int(bounds[1]), int(bounds[2])) if bounds else (0, LARGEST)
    tried = {low, low + 1, 2, 3, 4, 8, default // 2, default, default * 2}
    return [str(n) for n in sorted(tried) if low <= n <= min(high, max(LARGEST, 2 * default))]


def values_of(parameter, parts):
    """TOML texts that a parameter may get; none if it cannot be drawn."""
    kind, default, text = parameter["type"], parameter["default"], parameter["range"]
    if kind == "boolean":
        return ["true", "false"]
    if kind == "choice":
        return [json.dumps(word) for word in text.split(" | ")]
    if kind.startswith("part ("):
        return [json.dumps(name) for name in parts[kind[len("part ("):-1]]]
    if kind == "integer":
        return integers(int(default), text)
    if kind in ("ratio", "number"):
        low, _, high = text.partition(" .. ")
        tried = {float(default), float(default) / 2, float(default) * 2, float(low or 0), 0.1, 0.5, 1.0}
        return [repr(x) for x in sorted(tried) if not high or float(low) <= x <= float(high)]
    if parameter["unit"]:
        found = [scaled(default, factor) for factor in (0.25, 0.5, 1, 2, 4)]
        if None in found:
            found = [default] + [json.dumps(x) for x in FROM_ZERO.get(parameter["unit"].split(",")[0], [])]
        return found
    return []


def edges_of(parameter, path):
    """TOML texts at the edges of a key's range. The highest values of [nand] and very high ones make devices too large to run."""
    kind, default = parameter["type"], parameter["default"]
    low, _, high = parameter["range"].partition(" .. ")
    if kind == "integer":
        near = {0, 1, int(default) - 1, int(default) + 1}
        if not high:
            return [str(n) for n in sorted(near) if n >= 0]
        near |= {int(low), int(low) + 1} | ({int(high) - 1, int(high)} if int(high) <= HIGHEST_EDGE and not path.startswith("nand.") else set())
        return [str(n) for n in sorted(near) if int(low) <= n <= int(high)]
    if kind in ("ratio", "number") and high:
        return [repr(float(low))] + ([repr(float(high))] if float(high) <= 1 else [])
    if parameter["unit"] and high and not kind.startswith("array"):
        found = [json.dumps(low)]
        bytes_only = re.fullmatch(r'"(\d+) (KiB|MiB)"', default)
        if kind == "size" and bytes_only:
            whole = int(bytes_only[1]) * {"KiB": 1 << 10, "MiB": 1 << 20}[bytes_only[2]]
            found += [f'"{whole - 1} B"', f'"{whole + 1} B"']
        return found
    return []


class Schema:
    def __init__(self, program):
        def listed(*family):
            return json.loads(subprocess.run([program, "list", "--json", *family], check=True, capture_output=True).stdout)

        parts = {}
        self.parameters = {}  # parameters of parts: (family, name) -> keys with paths inside the part
        everything = listed()
        for part in everything:
            parts.setdefault(part["family"], []).append(part["name"])
        for part in everything:
            self.parameters[part["family"], part["name"]] = [
                Key(p["name"], tuple(found), p["default"], False) for p in part["parameters"] if (found := values_of(p, parts))]
        self.presets = parts["preset"]
        self.device = functools.cache(  # of a preset, its effective configuration
            lambda preset: json.loads(subprocess.run([program, "config", preset, "--json"], check=True, capture_output=True).stdout))
        self.keys = []
        self.families = {}
        self.paths = set()
        self.types = {}
        self.not_drawn = []
        for table in listed("config"):
            section = "" if table["name"].startswith("(") else table["name"].strip("[]") + "."
            for parameter in table["parameters"]:
                path = section + parameter["name"]
                self.paths.add(path)
                self.types[path] = parameter["type"]
                if parameter["name"] in LEFT_OUT or parameter["name"].endswith("source"):
                    continue
                found = parameter.get("samples") or values_of(parameter, parts)
                if not found:
                    self.not_drawn.append(path)
                    continue
                if parameter["type"].startswith("part ("):
                    self.families[path] = parameter["type"][len("part ("):-1]
                finite = parameter["type"] in ("boolean", "choice") or path in self.families
                default = re.sub(r"^\{ name = (\"\w+\").*", r"\1", parameter["default"])
                self.keys.append(Key(path, tuple(dict.fromkeys(found)), default, finite and len(found) <= 24, "samples" in parameter,
                                     tuple(edges_of(parameter, path))))

    def key(self, path):
        """The key with that path; KeyError if no such key is drawn."""
        found = [key for key in self.keys if key.path == path]
        if not found:
            raise KeyError(path)
        return found[0]
