"""The search: bounds discard candidates, an algorithm picks some of the rest, cheaper forms of a run discard more, full runs decide.

Every decision depends only on search.toml and on the results of runs, which are deterministic. So a search that was killed starts
again from its beginning, takes the results that exist, and arrives where it was."""
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..expressions import as_text
from ..units import digits
from .algorithms import Algorithm, algorithm_of
from .evaluate import FULL, Measured
from .intervals import UNKNOWN, Interval
from .pareto import Point, covers, front_of, hypervolume
from .problem import Limit, Objective, Problem, Rung, evaluated
from .space import Candidate, Space, factors_of

ROUNDING = 1e-9  # allowance for rounding errors of closed forms and sums


class Evaluates(Protocol):
    def evaluate(self, wanted: Sequence[Candidate], rung: str) -> list[Measured]:
        """Runs each candidate, and returns what its runs measured."""


@dataclass
class Fate:
    """Why a candidate was discarded; `stage` says by what: refused, bound, the name of a rung, or run."""
    stage: str
    metric: str
    reason: str


@dataclass
class Broken:
    """A measured value outside its bounds, which means a bug in the bounds."""
    number: int
    metric: str
    value: float
    interval: Interval


class Search:
    """One search: its candidates, and the knowledge about each."""

    def __init__(self, problem: Problem, space: Space, intervals: Mapping[int, dict[str, Interval]], refused: Mapping[int, str], seed: int) -> None:
        self.problem = problem
        self.space = space
        self.seed = seed
        self.intervals = dict(intervals)
        self.keys: dict[str, Objective | Limit] = {one.key: one for one in [*problem.objectives, *problem.limits]}
        self.fates: dict[int, Fate] = {number: Fate("refused", "", why) for number, why in refused.items()}
        self.alive = {candidate.number for candidate in space.candidates} - set(refused)
        self.measured: dict[int, Measured] = {}
        self.cheap: dict[str, dict[int, Measured]] = {rung.name: {} for rung in problem.rungs}
        self.history: list[int] = []  # candidates with full runs, in the order of these
        self.broken: list[Broken] = []
        self.ends = {(limit.key, number): self._end(limit, number) for limit in problem.limits for number in self.alive}
        if problem.use_bounds:
            self._discard_by_limits()
        self.factor_names = [[name for name, _ in factor[0]] for factor in factors_of(problem)]  # zipped axes are one
        self.algorithm: Algorithm = algorithm_of(self)

    def value_at(self, place: int, step: int) -> str:
        """The text of value `step` of axis `place` of the space."""
        return ", ".join(as_text(value.value) for _, value in factors_of(self.problem)[place][step])

    # Knowledge about candidates.

    def interval(self, key: str, number: int) -> Interval:
        return self.intervals.get(number, {}).get(key, UNKNOWN)

    def has_bounds(self, key: str) -> bool:
        return any(math.isfinite(self.interval(key, number).best(self.keys[key].best)) for number in self.alive)

    def prior(self, key: str, number: int) -> float:
        """The value expected before any run: the best end of the candidate's interval, else the other end, else 1."""
        known, sense = self.interval(key, number), self.keys[key].best
        for value in (known.best(sense), known.low if sense == "largest" else known.high):
            if math.isfinite(value) and value != 0:
                return value
        return 1.0

    def value_of(self, key: str, number: int) -> float | None:
        """The measured value, combined over the workloads; None if the candidate has none."""
        measured, wanted = self.measured.get(number), self.keys[key]
        return None if measured is None or measured.failed else measured.combined(self.problem, wanted.metric, wanted.over, wanted.best)

    def _end(self, limit: Limit, number: int) -> float:
        end = limit.least or limit.most
        assert end is not None
        found = evaluated(self.problem, f"limit {limit.metric}", end, self.seen_by(number))
        return float(found if found is not None else math.nan)

    def seen_by(self, number: int) -> dict[str, Any]:
        """The values that expressions over the axes may use; in a joint search `workload` is the first one."""
        return {"workload": self.problem.study.workloads[0].name} | self.space.all_values(self.space.candidates[number])

    def limit_end(self, limit: Limit, number: int) -> float:
        return self.ends[limit.key, number]

    def objectives_of(self, number: int) -> Point:
        """The measured objectives, with signs such that smaller is better; infinite for a failed candidate."""
        values = [self.value_of(objective.key, number) for objective in self.problem.objectives]
        return tuple(math.inf if value is None else objective.sign * value for objective, value in zip(self.problem.objectives, values))

    def best_of(self, number: int) -> Point:
        """The best objectives that the intervals of a candidate allow, with signs such that smaller is better."""
        return tuple(objective.sign * self.interval(objective.key, number).best(objective.best) for objective in self.problem.objectives)

    def missed(self, number: int) -> list[tuple[Limit, float]]:
        """The limits that a measured candidate misses, with its values."""
        values = [(limit, self.value_of(limit.key, number)) for limit in self.problem.limits]
        return [(limit, math.nan if value is None else value) for limit, value in values
                if value is None or limit.misses(value, self.limit_end(limit, number)) > 0]

    def fits(self, number: int) -> bool:
        """Whether a candidate has been measured and keeps to all limits."""
        return number in self.measured and not self.measured[number].failed and not self.missed(number) and \
            all(math.isfinite(value) for value in self.objectives_of(number))

    def front(self) -> list[int]:
        """Measured candidates within the limits that no other measured one dominates, in the order of their runs."""
        fitting = [number for number in self.history if self.fits(number)]
        return [fitting[place] for place in front_of([self.objectives_of(number) for number in fitting])]

    def chosen(self) -> int | None:
        """The candidate of the front that is best in the first objective; later objectives break ties."""
        return min(self.front(), key=lambda number: (self.objectives_of(number), number), default=None)

    @property
    def is_proved(self) -> bool:
        """Whether no undecided candidate could be on the front."""
        return not self.alive

    def told_of(self, number: int) -> tuple[Point, list[float]]:
        """(objectives, by how much each limit is missed) for a sampler: measured values, or the best that bounds allow."""
        if number in self.measured:
            ends = [(limit, self.value_of(limit.key, number)) for limit in self.problem.limits]
            return self.objectives_of(number), [1.0 if value is None else limit.misses(value, self.limit_end(limit, number)) for limit, value in ends]
        misses = [limit.misses(value, self.limit_end(limit, number)) if math.isfinite(value := self.interval(limit.key, number).best(limit.best)) else 0.0
                  for limit in self.problem.limits]
        return self.best_of(number), misses

    # Decisions about candidates.

    def _discard(self, number: int, fate: Fate) -> None:
        self.alive.discard(number)
        self.fates[number] = fate

    def _discard_by_limits(self) -> None:
        for number in sorted(self.alive):
            for limit in self.problem.limits:
                known = self.interval(limit.key, number)
                if limit.misses(known.best(limit.best), self.limit_end(limit, number)) > ROUNDING:
                    self._discard(number, Fate("bound", limit.metric, self._cannot(limit, number, known.best(limit.best), known.why(limit.best))))
                    break

    def _cannot(self, limit: Limit, number: int, value: float, why: str) -> str:
        unit, word = self.problem.unit(limit.metric), "at most" if limit.least else "at least"
        goal = f"{'reach' if limit.least else 'keep to'} {digits(self.limit_end(limit, number))}{unit}"
        return f"{limit.metric} cannot {goal}: {word} {digits(value)}{unit}" + (f" ({why})" if why else "")

    def discard_by_front(self) -> None:
        """Discards candidates whose best possible objectives are no better than those of a point of the front."""
        if not self.problem.use_bounds:
            return
        front = [(number, self.objectives_of(number)) for number in self.front()]
        for number in sorted(self.alive):
            best = self.best_of(number)
            winner = next((one for one, point in front if covers(point, best)), None)
            if winner is not None:
                self._discard(number, Fate("bound", self.problem.objectives[0].metric, self._beaten(winner, best, number)))

    def _beaten(self, winner: int, best: Point, number: int, told: Mapping[str, str] | None = None) -> str:
        """The reason why `winner` beats a candidate. `told`: for objectives whose value is not from a bound, where it is from."""
        said = []
        for objective, value, mine in zip(self.problem.objectives, best, self.objectives_of(winner)):
            unit = self.problem.unit(objective.metric)
            word = "at most" if objective.best == "largest" else "at least"
            exact = self.interval(objective.key, number).is_exact
            why = (told or {}).get(objective.key) or ("" if exact else self.interval(objective.key, number).why(objective.best))
            said.append(f"{objective.metric} {'' if exact else word + ' '}{digits(value * objective.sign)}{unit} against {digits(mine * objective.sign)}{unit}"
                        + (f" ({why})" if why else ""))
        return f"cannot beat {self.space.candidates[winner].title}: " + "; ".join(said)

    def climb(self, number: int, rung: Rung, measured: Measured) -> None:
        """Takes the result of a cheaper run, and discards the candidate if it misses a limit, or is beaten, by more than the rung's
        possible error."""
        self.cheap[rung.name][number] = measured
        if measured.failed:
            return
        best: dict[str, float] = {}
        said = f"the {rung.name} run, give or take {100 * rung.slack:g} %"
        for key, wanted in self.keys.items():
            value = measured.combined(self.problem, wanted.metric, wanted.over, wanted.best) if wanted.metric in rung.metrics else None
            if value is not None:
                best[key] = value + (1 if wanted.best == "largest" else -1) * rung.slack * abs(value)
        for limit in self.problem.limits:
            if limit.key in best and limit.misses(best[limit.key], self.limit_end(limit, number)) > ROUNDING:
                self._discard(number, Fate(rung.name, limit.metric, self._cannot(limit, number, best[limit.key], said)))
                return
        point = tuple(objective.sign * best.get(objective.key, self.interval(objective.key, number).best(objective.best))
                      for objective in self.problem.objectives)
        winner = next((one for one in self.front() if covers(self.objectives_of(one), point)), None)
        if winner is not None:
            self._discard(number, Fate(rung.name, self.problem.objectives[0].metric, self._beaten(winner, point, number, dict.fromkeys(best, said))))

    def tell(self, number: int, measured: Measured) -> None:
        """Takes the result of a full run."""
        self.alive.discard(number)
        self.measured[number] = measured
        self.history.append(number)
        if measured.failed:
            self.fates[number] = Fate("run", "", f"failed: {measured.failed}")
        else:
            missed = self.missed(number)
            if missed:
                limit, value = missed[0]
                word = "below" if limit.least else "above"
                self.fates[number] = Fate("run", limit.metric, f"{limit.metric} is {digits(value)}{self.problem.unit(limit.metric)}, {word} "
                                                               f"{digits(self.limit_end(limit, number))}{self.problem.unit(limit.metric)}")
            self._check_bounds(number)
        self.algorithm.told(self, number)

    def _check_bounds(self, number: int) -> None:
        for key in self.keys:
            value, known = self.value_of(key, number), self.interval(key, number)
            room = ROUNDING * abs(value or 0.0)
            if value is not None and not known.low - room <= value <= known.high + room:
                self.broken.append(Broken(number, self.keys[key].metric, value, known))

    def losers(self) -> None:
        """At the end of a search, records the fate of measured points within the limits that others dominate."""
        front = self.front()
        for number in self.history:
            if number not in front and number not in self.fates:
                point = self.objectives_of(number)
                winner = next(one for one in front if covers(self.objectives_of(one), point))
                self.fates[number] = Fate("run", self.problem.objectives[0].metric, "beaten by " + self.space.candidates[winner].title)


class Round:
    """Runs several searches in parallel until their common budget is spent, or no candidate is left."""

    def __init__(self, problem: Problem, searches: list[Search], evaluator: Evaluates, say: Callable[[str], None] = lambda text: None) -> None:
        self.problem = problem
        self.searches = searches
        self.evaluator = evaluator
        self.say = say
        self.runs = 0
        self.cpu_s = 0.0  # CPU time of full runs
        self.cheap_cpu_s = 0.0
        self.cheap_runs = 0
        self.turn = 0
        self.order: list[tuple[Search, int, int]] = []  # full runs: search, candidate, number of runs up to and with it

    @property
    def is_spent(self) -> bool:
        return self.runs >= self.problem.runs or self.cpu_s + self.cheap_cpu_s >= self.problem.cpu_hours * 3600

    def cost_of(self, search: Search) -> int:
        """The number of runs that one candidate takes."""
        return len(search.space.candidates[0].rows) * max(1, len(self.problem.study.seeds))

    def go(self) -> None:
        while not self.is_spent:
            picks = self._picks()
            if not picks:
                break
            for rung in self.problem.rungs:
                picks = self._climb(rung, picks)
            measured = self._evaluate(picks, FULL)
            for (search, number), one in zip(picks, measured):
                self.runs += self.cost_of(search)
                self.order.append((search, number, self.runs))
                self.cpu_s += one.cpu_s
                search.tell(number, one)
            for search in self.searches:
                search.discard_by_front()
            self.say(f"{self.runs} runs, {sum(len(search.alive) for search in self.searches)} points left that may win")
        for search in self.searches:
            search.losers()

    def _picks(self) -> list[tuple[Search, int]]:
        """Shares the next batch out among the searches in turn. A search's share does not grow when others end, since later picks profit
        from the results of earlier ones."""
        shares = dict.fromkeys(range(len(self.searches)), 0)
        room, taken, idle, share = self.problem.runs - self.runs, 0, 0, max(1, self.problem.batch // len(self.searches))
        while taken < self.problem.batch and idle < len(self.searches):
            number = self.turn % len(self.searches)
            self.turn += 1
            search = self.searches[number]
            if shares[number] < min(len(search.alive), share) and self.cost_of(search) <= room:
                shares[number] += 1
                taken += 1
                room -= self.cost_of(search)
                idle = 0
            else:
                idle += 1
        return [(self.searches[number], pick) for number, count in shares.items() if count
                for pick in self.searches[number].algorithm.propose(self.searches[number], count)]

    def _climb(self, rung: Rung, picks: list[tuple[Search, int]]) -> list[tuple[Search, int]]:
        chosen = [(search, number) for search, number in picks if rung.when is None or
                  evaluated(self.problem, f"rung.{rung.name}.when", rung.when, search.seen_by(number))]
        for (search, number), one in zip(chosen, self._evaluate(chosen, rung.name)):
            self.cheap_cpu_s += one.cpu_s
            self.cheap_runs += self.cost_of(search)
            search.climb(number, rung, one)
        return [(search, number) for search, number in picks if number in search.alive]

    def _evaluate(self, picks: list[tuple[Search, int]], rung: str) -> list[Measured]:
        return self.evaluator.evaluate([search.space.candidates[number] for search, number in picks], rung) if picks else []


def reference_of(search: Search, points: Sequence[Point]) -> tuple[Point, Point]:
    """(scale, worst) for comparable hypervolumes of these points. `worst` lies beyond each objective's worst by a tenth of its range."""
    finite = [point for point in points if all(math.isfinite(value) for value in point)]
    if not finite:
        return (1.0,) * len(search.problem.objectives), (0.0,) * len(search.problem.objectives)
    low, high = ([end(point[place] for point in finite) for place in range(len(finite[0]))] for end in (min, max))
    scale = tuple(top - bottom if top > bottom else max(abs(top), 1e-12) for bottom, top in zip(low, high))
    return scale, tuple(top + 0.1 * size for top, size in zip(high, scale))


def quality(points: Sequence[Point], scale: Point, worst: Point) -> float:
    """Hypervolume of some points, as a share of the box of size `scale`."""
    return hypervolume(points, worst) / math.prod(scale)
