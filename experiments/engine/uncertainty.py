"""Reads the uncertainty settings of a study.toml: how many samples its runs draw, and for which metrics it computes indices."""
from collections.abc import Callable
from dataclasses import dataclass

from .errors import one_of
from .expressions import Expression
from .table_reader import TableReader

FEWEST, MOST = 20, 1_000_000  # fewer than 20 samples have no 5 % quantile


@dataclass
class Uncertainty:
    """The samples of each run; 0: none. `seed` draws them, and is the same for all runs. `runs`: how many samples of keys that affect
    time are simulated anew; None: the program's default."""
    samples: int = 0
    seed: int = 1
    runs: int | None = None

    def __bool__(self) -> bool:
        return self.samples > 0

    @property
    def options(self) -> list[str]:
        """The options for the command line of `flashloom run`."""
        words = ["--uncertainty", str(self.samples), "--uncertainty-seed", str(self.seed)] if self.samples else []
        return words + (["--uncertainty-runs", str(self.runs)] if self.samples and self.runs is not None else [])


@dataclass
class Indices:
    """The metrics and rows for which the study computes indices."""
    metrics: list[str]
    rows: Expression | None


def read_uncertainty(top: TableReader) -> Uncertainty:
    """Reads uncertainty = N, or { samples = N, seed = S, runs = R }. Throws StudyError."""
    if not top.has("uncertainty"):
        return Uncertainty()
    is_table = isinstance(top.values["uncertainty"], dict)
    table = top.table("uncertainty") if is_table else top
    count = table.get("samples", int, required=True) if is_table else top.get("uncertainty", int)
    found = Uncertainty(count, table.get("seed", int, 1) if is_table else 1, table.get("runs", int) if is_table else None)
    if is_table:
        table.finish()
    for key, value, least, most in (("samples", found.samples, FEWEST, MOST), ("seed", found.seed, 0, 2**63 - 1), ("runs", found.runs, 1, found.samples)):
        if value is not None and not least <= value <= most:
            raise table.error(key if is_table else "uncertainty", f"is {value}; valid: {least} to {most}")
    return found


def read_indices(top: TableReader, uncertainty: Uncertainty, metrics: list[str],
                 rows: Callable[[TableReader, str], Expression | None]) -> Indices | None:
    """Reads [indices]; None if there is none. Throws StudyError."""
    if not top.has("indices"):
        return None
    table = top.table("indices")
    found = Indices(table.texts("metrics"), rows(table, "rows"))
    table.finish()
    if not uncertainty:
        raise top.error("indices", "is of samples, and the study has no `uncertainty = N`")
    if not found.metrics:
        raise table.error("metrics", f"names no metric; {one_of(metrics)}")
    for name in found.metrics:
        if name not in metrics:
            raise table.error("metrics", f"unknown metric {name}; {one_of(metrics, name)}")
    return found
