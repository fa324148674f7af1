"""indices.csv: how much of a metric's variance each uncertain key alone accounts for, computed from the samples of the runs.

The method is RBD-FAST (Tarantola, Gatelli, Mara, Reliability Engineering & System Safety 91(6), 2006; bias corrected as by Tissot
and Prieur, 2012), as SALib implements it: it works on samples of any space-filling plan. A bootstrap gives the interval.
"""
from dataclasses import dataclass

from .errors import StudyError, shown
from .expressions import ExpressionError
from .study import Study
from .tables import Row, Table, write_csv

FILE = "indices.csv"
HARMONICS = 10  # the method's default
FEWEST = 100  # samples: the method needs more than 2 * HARMONICS, and with fewer than 100 the interval means little
SEED = 1  # of the bootstrap, fixed so that equal samples give equal bytes


@dataclass
class Index:
    """First-order index of a key and half the width of its 95 % confidence interval, both as a share of 1."""
    row: Row
    metric: str
    key: str
    first: float
    interval: float


def indices_of(study: Study, table: Table) -> list[Index]:
    """For each row and metric that [indices] asks for, the index of each key, the largest first; the first key stands for keys that
    vary together. Throws StudyError for too few samples."""
    asked = study.indices
    if asked is None:
        return []
    found = []
    for row in table.rows:
        try:
            if asked.rows is not None and not asked.rows.value(row.values):
                continue
        except ExpressionError as error:
            raise StudyError(f"{shown(study.file)}: indices.rows: {error}") from None
        for metric in asked.metrics:
            if metric in row.samples:
                found += _of_row(study, table, row, metric)
    return found


def _of_row(study: Study, table: Table, row: Row, metric: str) -> list[Index]:
    import numpy  # pylint: disable=import-outside-toplevel
    samples = table.samples_of(row)
    names = list(samples.groups())
    values = row.samples[metric]
    if not names:
        return []
    inputs = numpy.column_stack([samples.inputs[name] for name in names])
    there = numpy.isfinite(values) & numpy.isfinite(inputs).all(axis=1)
    if there.sum() < FEWEST:
        raise StudyError(f"{shown(study.file)}: indices: {there.sum()} samples are too few for indices: let uncertainty be {FEWEST} or more")
    if numpy.ptp(values[there]) == 0:  # no key changes the metric
        return [Index(row, metric, name, 0.0, 0.0) for name in sorted(names)]
    from SALib.analyze import rbd_fast  # pylint: disable=import-outside-toplevel
    problem = {"num_vars": len(names), "names": names, "bounds": [[low, high] for low, high in zip(inputs[there].min(axis=0), inputs[there].max(axis=0))]}
    result = rbd_fast.analyze(problem, inputs[there], values[there], M=HARMONICS, seed=SEED)
    lines = [Index(row, metric, name, float(first), float(half)) for name, first, half in zip(names, result["S1"], result["S1_conf"])]
    return sorted(lines, key=lambda line: (-line.first, line.key))


def write_indices(study: Study, table: Table) -> list[Index]:
    """Writes indices.csv if the study asks for indices; returns its lines."""
    path = table.out / FILE
    path.unlink(missing_ok=True)
    found = indices_of(study, table)
    if study.indices is not None:
        axes = study.axis_names
        write_csv(path, ["point", *axes, "metric", "key", "first_order", "first_order_ci95"],
                  ([" ".join(point.key for point in line.row.points), *(line.row.values[name] for name in axes), line.metric, line.key, line.first,
                    line.interval] for line in found))
    return found
