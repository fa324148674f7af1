"""How far a sweep is: tqdm, in notebooks and terminals, if it is installed; else a line on stderr."""
import importlib.util
import sys
import time
from typing import Any


def in_notebook() -> bool:
    return "ipykernel" in sys.modules


class Progress:
    """A bar, or lines; `wanted` None: on a terminal and in a notebook."""

    def __init__(self, total: int, title: str, wanted: bool | None) -> None:
        self.total, self.title, self.done = total, title, 0
        self.shown = wanted if wanted is not None else (sys.stderr.isatty() or in_notebook())
        self._begin = self._said = time.monotonic()
        self._bar: Any = None
        if self.shown and importlib.util.find_spec("tqdm"):
            # Its bar in notebooks needs ipywidgets; without them it is text.
            kind = "auto" if importlib.util.find_spec("ipywidgets") else "std"
            self._bar = importlib.import_module(f"tqdm.{kind}").tqdm(total=total, desc=title, unit="run")

    def step(self) -> None:
        self.done += 1
        if self._bar is not None:
            self._bar.update()
        elif self.shown and (sys.stderr.isatty() or time.monotonic() - self._said >= 5 or self.done == self.total):
            self._said = time.monotonic()
            end = "\r" if sys.stderr.isatty() and self.done < self.total else "\n"
            print(f"{self.title}: {self.done} of {self.total} runs, {self._said - self._begin:.0f} s", end=end, file=sys.stderr,
                  flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
