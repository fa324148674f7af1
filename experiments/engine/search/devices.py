"""Computes the effective configuration of any point of a space without a process for each point."""
import copy
import json
import subprocess
from typing import Any

from ..errors import StudyError, shown
from ..expressions import as_text
from ..points import Point, Program
from ..study import Study

Path = tuple[str, ...]


class Devices:
    """Asks the program once for each device file and once for each value of each key, and merges these answers into the configuration
    of a point. If the program refuses a value alone, this asks it for the point itself."""

    def __init__(self, study: Study, program: Program) -> None:
        self.study = study
        self.program = program
        self._asked: dict[tuple[str, ...], dict[str, Any] | str] = {}
        self._changes: dict[tuple[str, str, str], dict[Path, Any] | None] = {}
        self._made: dict[str, dict[str, Any]] = {}

    def of(self, point: Point) -> dict[str, Any]:
        """The configuration of a point. Throws StudyError if the program refuses its device."""
        key = json.dumps([point.device, point.sets])
        if key not in self._made:
            self._made[key] = self._laid_over(point) or self.exactly(point)
        return self._made[key]

    def exactly(self, point: Point) -> dict[str, Any]:
        """The configuration of a point as the program itself prints it."""
        found = self._ask(point.device, *(f"{key}={value}" for key, value in point.sets.items()))
        if isinstance(found, str):
            raise StudyError(f"{shown(self.study.file)}: the point with {point.title}: {found}")
        return found

    def _laid_over(self, point: Point) -> dict[str, Any] | None:
        base = self._ask(point.device)
        if isinstance(base, str):
            return None
        made: dict[str, Any] = copy.deepcopy(base)
        for key, value in point.sets.items():
            changes = self._change(point.device, key, as_text(value), base)
            if changes is None:
                return None
            for path, changed in changes.items():
                table = made
                for name in path[:-1]:
                    table = table.setdefault(name, {})
                table[path[-1]] = changed
        return made

    def _change(self, device: str, key: str, value: str, base: dict[str, Any]) -> dict[Path, Any] | None:
        """The values of the configuration that an override changes, by path; None if the program refuses the override alone."""
        if (device, key, value) not in self._changes:
            with_it = self._ask(device, f"{key}={value}")
            self._changes[device, key, value] = None if isinstance(with_it, str) else dict(_differences(base, with_it, (), (*key.split("."),)))
        return self._changes[device, key, value]

    def _ask(self, device: str, *sets: str) -> dict[str, Any] | str:
        """The configuration, or the program's message if it refuses the overrides."""
        if (device, *sets) not in self._asked:
            done = subprocess.run([str(self.program.path), "config", device, "--json", *(word for text in sets for word in ("--set", text))],
                                  capture_output=True, text=True, check=False)
            self._asked[device, *sets] = json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()
        return self._asked[device, *sets]

    def text_of(self, point: Point) -> str:
        """The device file of a point, as TOML."""
        sets = [word for key, value in point.sets.items() for word in ("--set", f"{key}={as_text(value)}")]
        done = subprocess.run([str(self.program.path), "config", point.device, *sets], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise StudyError(f"{shown(self.study.file)}: the point with {point.title}: {done.stderr.strip()}")
        return done.stdout


def _differences(before: Any, after: Any, path: Path, named: Path) -> list[tuple[Path, Any]]:
    """(path, new value) of each difference, and of the override's own path `named` even if it is equal: an override may restore the
    file's value after another one has changed it."""
    if path and path == named[:len(path)] and (len(path) == len(named) or not isinstance(after, dict)):
        return [(path, after)]
    if isinstance(before, dict) and isinstance(after, dict):
        return [found for name, value in after.items() for found in _differences(before.get(name), value, (*path, name), named)]
    return [] if before == after else [(path, after)]
