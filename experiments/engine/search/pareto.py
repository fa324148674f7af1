"""Pareto fronts and hypervolumes; in every objective smaller is better."""
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Point = tuple[float, ...]
SAMPLES = 2048  # random points of the box, used for more than two objectives


def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether `one` is no worse in all objectives, and better in at least one."""
    return all(a <= b for a, b in zip(one, other)) and any(a < b for a, b in zip(one, other))


def covers(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether `one` is no worse in all objectives."""
    return all(a <= b for a, b in zip(one, other))


def front_of(points: Sequence[Point]) -> list[int]:
    """Numbers of the points that no other dominates; only the first of equal points."""
    found = []
    for number, point in enumerate(points):
        if not any(dominates(other, point) or (other == point and before < number) for before, other in enumerate(points)):
            found.append(number)
    return found


def hypervolume(points: Sequence[Point], reference: Point) -> float:
    """The volume up to `reference` that the points dominate; exact, by slices along the last objective."""
    inside = sorted({point for point in points if all(a < b for a, b in zip(point, reference))}, key=lambda point: point[-1])
    if not inside:
        return 0.0
    if len(reference) == 1:
        return reference[0] - inside[0][0]
    total = 0.0
    for number, point in enumerate(inside):
        end = inside[number + 1][-1] if number + 1 < len(inside) else reference[-1]
        if end > point[-1]:
            total += (end - point[-1]) * hypervolume([each[:-1] for each in inside[:number + 1]], reference[:-1])
    return total


def gains(front: Sequence[Point], drawn: Floats, reference: Point) -> Floats:
    """The volume that each point of `drawn` (..., objectives) would add to the hypervolume of `front`. Exact for one and two objectives;
    for more, estimated by random points of the box with a fixed seed."""
    objectives = len(reference)
    inside = [point for point in front if all(a < b for a, b in zip(point, reference))]
    drawn = np.minimum(drawn, np.asarray(reference))
    if objectives == 1:
        best = min((point[0] for point in inside), default=reference[0])
        return np.maximum(best - drawn[..., 0], 0.0)
    if objectives == 2:
        return _gains_in_the_plane(sorted(inside[number] for number in front_of(inside)), drawn, reference)
    low = np.minimum(drawn.reshape(-1, objectives).min(axis=0), np.asarray(inside).min(axis=0) if inside else np.inf)
    box = low + np.random.default_rng(0).random((SAMPLES, objectives)) * (np.asarray(reference) - low)
    for point in inside:
        box = box[~np.all(box >= np.asarray(point), axis=1)]
    flat = drawn.reshape(-1, objectives)
    added = np.asarray([np.count_nonzero(np.all(box >= point, axis=1)) for point in flat], dtype=np.float64)
    return (added * float(np.prod(np.asarray(reference) - low)) / SAMPLES).reshape(drawn.shape[:-1])


def _gains_in_the_plane(front: list[Point], drawn: Floats, reference: Point) -> Floats:
    """gains() for two objectives. The front is a staircase: in each interval between two steps a point adds the part of its box that
    lies below the stair."""
    xs = [-np.inf, *(point[0] for point in front), reference[0]]
    tops = [reference[1], *(point[1] for point in front)]  # height of the stair to the right of each of xs
    total = np.zeros(drawn.shape[:-1])
    for left, right, top in zip(xs, xs[1:], tops):
        width = np.maximum(min(right, reference[0]) - np.maximum(drawn[..., 0], left), 0.0)
        total += width * np.maximum(top - drawn[..., 1], 0.0)
    return total
