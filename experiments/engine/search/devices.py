"""The effective configuration of any point of a space, without a process for each."""
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
    """Asks the program for each device file once, and once for each key with each of its values; a point's configuration is these laid
    over each other. The program refuses some values only together or only alone: then it is asked for the point itself."""

    def __init__(self, study: Study, program: Program) -> None:
        self.study = study
        self.program = program
        self._asked: dict[tuple[str, ...], dict[str, Any] | str] = {}
        self._changes: dict[tuple[str, str, str], dict[Path, Any] | None] = {}
        self._made: dict[str, dict[str, Any]] = {}

    def of(self, point: Point) -> dict[str, Any]:
        """Throws StudyError for a device that the program refuses."""
        key = json.dumps([point.device, point.sets])
        if key not in self._made:
            self._made[key] = self._laid_over(point) or self.exactly(point)
        return self._made[key]

    def exactly(self, point: Point) -> dict[str, Any]:
        """As the program prints it."""
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
        """Which values of the configuration an override changes, by their path; None: alone it is refused."""
        if (device, key, value) not in self._changes:
            with_it = self._ask(device, f"{key}={value}")
            self._changes[device, key, value] = None if isinstance(with_it, str) else dict(_differences(base, with_it, (), (*key.split("."),)))
        return self._changes[device, key, value]

    def _ask(self, device: str, *sets: str) -> dict[str, Any] | str:
        """The configuration, or what the program says against it."""
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
    """(path, new value) of what differs, and of what is named itself: an override may say again what the file says, after another
    one has changed it."""
    if path and path == named[:len(path)] and (len(path) == len(named) or not isinstance(after, dict)):
        return [(path, after)]
    if isinstance(before, dict) and isinstance(after, dict):
        return [found for name, value in after.items() for found in _differences(before.get(name), value, (*path, name), named)]
    return [] if before == after else [(path, after)]
