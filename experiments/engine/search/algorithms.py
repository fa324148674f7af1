"""The algorithms that choose which points run next. The search asks an algorithm for candidates that are not yet decided, and tells it
each result."""
import math
import warnings
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .model import Floats, Model
from .pareto import Point, gains

if TYPE_CHECKING:
    from .engine import Search

DRAWS = 32
ASKED = 64  # attempts for each point to get one from a sampler that is not yet decided
LARGE = 1e30
QUANTILES = np.asarray([NormalDist().inv_cdf((place + 0.5) / DRAWS) for place in range(DRAWS)])


class Algorithm(Protocol):
    def propose(self, search: "Search", count: int) -> list[int]:
        """Distinct numbers of candidates that are not yet decided; at least one."""

    def told(self, search: "Search", number: int) -> None:
        """Tells the algorithm that a candidate has been measured."""


class InOrder:
    """Proposes all candidates in a given order: their own (exhaustive), or a random one."""

    def __init__(self, order: list[int]) -> None:
        self.order = order

    def propose(self, search: "Search", count: int) -> list[int]:
        return [number for number in self.order if number in search.alive][:count]

    def told(self, search: "Search", number: int) -> None:
        pass


class Guided:
    """Proposes the candidates with the largest expected gain of hypervolume within the limits. It expects values by a model of each
    metric that starts from the bounds."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def told(self, search: "Search", number: int) -> None:
        pass

    def propose(self, search: "Search", count: int) -> list[int]:
        left = sorted(search.alive)
        keys = list(search.keys)
        noise = {key: self.random.permutation(QUANTILES)[:, None] for key in keys}  # the same for all candidates: chance prefers none
        expected = {key: _expected(search, key, left) for key in keys}
        if not search.history and not any(search.has_bounds(key) for key in keys):
            return [left[int(place)] for place in self.random.permutation(len(left))[:count]]
        drawn = {key: _clipped(search, key, left, expected[key], noise[key]) for key in keys}
        objectives = np.stack([objective.sign * drawn[objective.key] for objective in search.problem.objectives], axis=2)
        allowed = np.ones((DRAWS, len(left)), dtype=bool)
        for limit in search.problem.limits:
            ends = np.asarray([search.limit_end(limit, number) for number in left])
            value = drawn[limit.key]
            allowed &= value >= ends if limit.least else value <= ends
        front = [search.objectives_of(number) for number in search.front()]
        return self._picked(left, objectives, allowed, front, count)

    def _picked(self, left: list[int], objectives: Floats, allowed: Any, front: list[Point], count: int) -> list[int]:
        """Picks candidates one after the other, and assumes that each picked one has its expected values."""
        scale, shift = _scale_of(objectives, front)
        scaled = (objectives - shift) / scale
        known = [tuple(float(value) for value in (np.asarray(point) - shift) / scale) for point in front]
        reference = (1.1,) * objectives.shape[2]
        picked: list[int] = []
        chance = allowed.mean(axis=0)
        for _ in range(min(count, len(left))):
            worth = (gains(known, scaled, reference) * allowed).mean(axis=0)
            if worth.max() <= 0:  # the model expects no gain: prefer candidates that probably keep to the limits
                worth = 1e-9 * (chance + 1e-3) * (1.1 - scaled.mean(axis=2).mean(axis=0).clip(-1, 1))
            worth[[left.index(number) for number in picked]] = -math.inf
            best = int(np.argmax(worth))
            picked.append(left[best])
            if chance[best] > 0.5:
                known.append(tuple(float(value) for value in scaled[:, best].mean(axis=0)))
        return picked


def _scale_of(objectives: Floats, front: list[Point]) -> tuple[Floats, Floats]:
    """(scale, shift) that map all expected and measured objectives to 0 to 1."""
    all_of_them = np.concatenate([objectives.mean(axis=0), np.asarray(front).reshape(-1, objectives.shape[2])])
    low, high = all_of_them.min(axis=0), all_of_them.max(axis=0)
    return np.where(high > low, high - low, np.maximum(np.abs(high), 1e-12)), low


def _expected(search: "Search", key: str, left: list[int]) -> tuple[Floats, Floats, bool]:
    """(mean, standard deviation, whether these are of logarithms) of each candidate's distance from its prior."""
    done = [number for number in search.history if search.value_of(key, number) is not None]
    priors = {number: search.prior(key, number) for number in [*done, *left]}
    values = {number: float(search.value_of(key, number) or 0.0) for number in done}
    is_log = all(value > 0 for value in [*priors.values(), *values.values()])
    size = max((abs(value) for value in values.values()), default=1.0) or 1.0
    places = np.asarray([search.space.candidates[number].place for number in done], dtype=np.float64).reshape(len(done), len(search.space.sizes))
    away = np.asarray([math.log(values[number] / priors[number]) if is_log else (values[number] - priors[number]) / size for number in done])
    mean, spread = Model(places, away).expects(np.asarray([search.space.candidates[number].place for number in left]))
    return mean, spread, is_log


def _clipped(search: "Search", key: str, left: list[int], expected: tuple[Floats, Floats, bool], noise: Floats) -> Floats:
    """Draws of each candidate's value, clipped to its known interval; an array (draws, candidates)."""
    mean, spread, is_log = expected
    priors = np.asarray([search.prior(key, number) for number in left])
    known = [search.interval(key, number) for number in left]
    sizes = [abs(value) for number in search.history if (value := search.value_of(key, number)) is not None]
    away = mean + spread * noise
    value = priors * np.exp(np.clip(away, -50, 50)) if is_log else priors + away * (max(sizes, default=1.0) or 1.0)
    return np.clip(value, [max(one.low, -LARGE) for one in known], [min(one.high, LARGE) for one in known])


class Sampler:
    """An Optuna sampler: TPE or NSGA-II. If it proposes a discarded point, the search tells it the point's best possible values and by
    how much its bounds miss the limits, so that the sampler learns from bounds, too."""

    def __init__(self, name: str, sizes: tuple[int, ...], objectives: int, limits: int, seed: int, population: int) -> None:
        import optuna  # pylint: disable=import-outside-toplevel
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        warnings.filterwarnings("ignore", module="optuna")
        sampler = optuna.samplers.TPESampler(seed=seed) if name == "tpe" else optuna.samplers.NSGAIISampler(seed=seed, population_size=population)
        self.study = optuna.create_study(directions=["minimize"] * objectives, sampler=sampler)
        self.sizes = sizes
        self.limits = limits
        self.random = np.random.default_rng(seed)
        self.open: dict[int, Any] = {}

    def propose(self, search: "Search", count: int) -> list[int]:
        picked: list[int] = []
        for _ in range(ASKED * count):
            if len(picked) == min(count, len(search.alive)):
                break
            trial = self.study.ask()
            number = search.space.numbers.get(tuple(trial.suggest_int(f"axis {axis}", 0, size - 1) for axis, size in enumerate(self.sizes)))
            if number in search.alive and number not in picked:
                self.open[number] = trial
                picked.append(number)
            elif number is None:
                self._tell(trial, None, None)
            else:
                self._tell(trial, *search.told_of(number))
        rest = sorted(search.alive - set(picked))
        more = min(count, len(search.alive)) - len(picked)
        return picked + [rest[int(place)] for place in self.random.permutation(len(rest))[:more]]

    def told(self, search: "Search", number: int) -> None:
        trial = self.open.pop(number, None)
        if trial is not None:
            self._tell(trial, *search.told_of(number))

    def _tell(self, trial: Any, point: Point | None, misses: list[float] | None) -> None:
        import optuna  # pylint: disable=import-outside-toplevel
        if point is None or not all(math.isfinite(value) for value in point):
            self.study.tell(trial, state=optuna.trial.TrialState.FAIL)
            return
        for number in range(self.limits):
            trial.set_constraint(f"limit {number}", misses[number] if misses else 0.0)
        self.study.tell(trial, list(point))


def algorithm_of(search: "Search") -> Algorithm:
    problem, count = search.problem, len(search.space.candidates)
    if problem.algorithm == "exhaustive":
        return InOrder(list(range(count)))
    if problem.algorithm == "random":
        return InOrder([int(number) for number in np.random.default_rng(search.seed).permutation(count)])
    if problem.algorithm == "guided":
        return Guided(search.seed)
    return Sampler(problem.algorithm, search.space.sizes, len(problem.objectives), len(problem.limits), search.seed, max(4, problem.batch))
