"""How far the measurements bound what was fitted: intervals by the profile of the sum of squares, and what trades against what."""
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
from scipy import optimize, stats

from .keys import Key
from .solve import POOR, Optimum, Residuals, probability, search, within

FILLS = 0.8  # of its range: an interval so wide tells next to nothing
TRADES = 0.95  # correlation from which a pair is named
WEAK = 0.2  # standard deviation of a direction, in ranges, from which it is named
REACH = 0.3  # of a range, that what is linear is believed
TURNS = 4  # around a better optimum
STEPS = 5  # of the way to an end of an interval
NEAR = 2.0  # times the threshold, or its inverse: within it the rest of the way is worked out
RANGE_WEIGHT = 12.0  # a range of one has a variance of 1/12: what the range alone tells


@dataclass
class Interval:
    """Of a key, in coordinates. An end at 0 or 1 is the range's, not the measurements'."""
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


@dataclass
class Trade:
    """Keys that trade against each other, and the combination of their values that the measurements tell: sum of
    weight x value (or of its logarithm) lies at `value`, give or take `error`."""
    keys: list[int]
    correlation: float
    weights: list[float]
    value: float
    error: float
    logs: list[bool]


@dataclass
class Knowledge:
    intervals: list[Interval] = field(default_factory=list)
    threshold: float = 0.0  # of the sum of squares above its least
    chi2: float = 0.0
    freedom: int = 0
    scale: float = 1.0  # of the errors, by which the residuals are larger than stated
    probability: float = 1.0  # of residuals as large as these, if model and errors were right
    trades: list[Trade] = field(default_factory=list)
    weak: list[list[tuple[int, float]]] = field(default_factory=list)  # directions that are not told, by keys' shares
    correlations: Any = None


def learn(best: Optimum, residuals: Residuals) -> tuple[Optimum, Knowledge]:
    """Intervals around the best place; where a better one turns up on the way, around that. Throws FlashloomError."""
    for turn in range(TURNS):
        known = judged(best, residuals)
        better = None
        ends = []
        for number, side in itertools.product(range(len(residuals.keys)), (-1, 1)):
            end, better = end_of(best, residuals, number, side, known.threshold)
            ends.append(end)
            if better is not None and turn < TURNS - 1:
                break
        known.intervals = [Interval(*pair) for pair in zip(ends[::2], ends[1::2])]
        if better is None or turn == TURNS - 1:
            break
        best = search(residuals, better.at)
    known.trades, known.weak, known.correlations = trades_of(best, residuals.keys, known)
    return best, known


def judged(best: Optimum, residuals: Residuals) -> Knowledge:
    """Whether the residuals are as large as the errors say, and the threshold of the profile that follows."""
    problem = residuals.model.problem
    known = Knowledge(chi2=best.chi2, freedom=residuals.freedom)
    level = problem.confidence
    if not problem.stated:
        known.scale = float(numpy.sqrt(best.chi2 / known.freedom))
        known.threshold = known.scale ** 2 * float(stats.f.ppf(level, 1, known.freedom))
        return known
    known.probability = probability(best.chi2, known.freedom)
    if known.probability < POOR:  # as the Particle Data Group does
        known.scale = float(numpy.sqrt(best.chi2 / max(1, known.freedom)))
    known.threshold = known.scale ** 2 * float(stats.chi2.ppf(level, 1))
    return known


def end_of(best: Optimum, residuals: Residuals, number: int, side: int, threshold: float) -> tuple[float, Optimum | None]:
    """Where the profile of a key passes the threshold: the farthest coordinate for which others can be found with which the sum of
    squares is within it. Each step goes there by what is linear around the last place, the first one as far as that says, the others
    no farther than REACH, and looks. Also a better optimum, if the way led over one."""
    limit = best.chi2 + threshold
    place, there, slope = best.at, best.residuals, best.jacobian
    inside, outside = (float(best.at[number]), best.chi2), None
    for step in range(STEPS):
        bound = 1.0 if side > 0 else 0.0
        if outside is not None:
            bound = outside[0]
        target = farthest(there, slope, place, number, side, limit, bound, REACH if step else 1.0)
        sum_there, residuals_there = looked(residuals, target)
        if sum_there < best.chi2 - 0.1 * threshold:
            return float(target[number]), Optimum(best.chosen, target, residuals_there, slope)
        at, rise = float(target[number]), sum_there - best.chi2
        if rise <= threshold and at in (0.0, 1.0):
            return at, None
        if threshold / NEAR < rise < threshold * NEAR:  # the root of the sum goes about linearly with the distance
            return float(numpy.clip(best.at[number] + (at - best.at[number]) * numpy.sqrt(threshold / rise), 0, 1)), None
        if rise <= threshold:
            inside = (at, sum_there) if side * (at - inside[0]) >= 0 else inside
        elif outside is None or side * (at - outside[0]) < 0:
            outside = (at, sum_there)
        place, there, slope = target, residuals_there, residuals.slope(target, residuals_there)
    if outside is None:
        return inside[0], None
    root = [numpy.sqrt(max(one[1] - best.chi2, 0)) for one in (inside, outside)]
    part = (numpy.sqrt(threshold) - root[0]) / (root[1] - root[0]) if root[1] > root[0] else 1.0
    return float(inside[0] + numpy.clip(part, 0, 1) * (outside[0] - inside[0])), None


def looked(residuals: Residuals, place: Any) -> tuple[float, Any]:
    found = residuals.one(place)
    return float(found @ found), found


def farthest(there: Any, slope: Any, place: Any, number: int, side: int, limit: float, bound: float, reach: float) -> Any:
    """By what is linear around `place`: as far to a side as the sum of squares stays within the limit, the other keys as they do best."""
    low, high = numpy.maximum(0.0, place - reach), numpy.minimum(1.0, place + reach)
    low[number], high[number] = (min(low[number], bound), min(high[number], bound)) if side > 0 else \
        (max(low[number], bound), max(high[number], bound))

    def profile(at: float) -> tuple[float, Any]:
        fixed_low, fixed_high = low.copy(), high.copy()
        fixed_low[number] = fixed_high[number] = at
        moved = place.copy()
        moved[number] = at
        base = there + slope @ (moved - place)
        others = [other for other in range(len(place)) if other != number]
        found = moved.copy()
        if others:
            found[others] = within(base, slope[:, others], moved[others], fixed_low[others], fixed_high[others])
        values = there + slope @ (found - place)
        return float(values @ values) - limit, found

    end = high[number] if side > 0 else low[number]
    over, found = profile(end)
    if over <= 0:
        return found
    least = optimize.minimize_scalar(lambda at: profile(at)[0], bounds=(low[number], high[number]), method="bounded",
                                     options={"xatol": 1e-4}) if high[number] - low[number] > 1e-9 else None
    if least is None or least.fun >= 0:  # nothing within the limit nearby: the best there is
        return profile(float(least.x))[1] if least is not None else found
    at = optimize.brentq(lambda where: profile(where)[0], float(least.x), end, xtol=1e-5)
    return profile(float(at))[1]


def covariance_of(jacobian: Any, scale: float = 1.0) -> Any:
    """Of the keys' coordinates, by the matrix of Gauss and Newton. What the ranges tell is added, so that it can be inverted: keys of
    which the measurements tell nothing are then as uncertain as their ranges, and correlate with none."""
    return numpy.linalg.inv(jacobian.T @ jacobian / scale ** 2 + RANGE_WEIGHT * numpy.eye(jacobian.shape[1]))


def quantile_of(level: float) -> float:
    """Half the width of an interval of this confidence, in standard deviations."""
    return float(stats.norm.ppf(0.5 + level / 2))


def trades_of(best: Optimum, keys: Sequence[Key], known: Knowledge) -> tuple[list[Trade], list[list[tuple[int, float]]], Any]:
    """What trades against what, which directions are not told, and all correlations."""
    if not len(keys):
        return [], [], numpy.zeros((0, 0))
    covariance = covariance_of(best.jacobian, known.scale)
    deviations = numpy.sqrt(numpy.diag(covariance))
    correlations = covariance / numpy.outer(deviations, deviations)
    quantile = quantile_of(known_level(known))
    trades = []
    for one in range(len(keys)):
        for other in range(one + 1, len(keys)):
            if abs(correlations[one, other]) > TRADES:
                trades.append(trade_of([one, other], float(correlations[one, other]), covariance, best, keys, quantile))
    sizes, directions = numpy.linalg.eigh(covariance)
    weak = []
    for size, direction in zip(sizes, directions.T):
        shares = [(number, float(share)) for number, share in enumerate(direction) if abs(share) > 0.3]
        if numpy.sqrt(size) > WEAK and len(shares) > 2:
            weak.append(shares)
    return trades, weak, correlations


def known_level(known: Knowledge) -> float:
    """The level that the threshold belongs to, for the normal distribution."""
    return float(stats.chi2.cdf(known.threshold / known.scale ** 2, 1)) if known.scale > 0 else 0.9


def trade_of(pair: list[int], correlation: float, covariance: Any, best: Optimum, keys: Sequence[Key], quantile: float) -> Trade:
    """The combination of two keys that is told best, in their units: the first one's weight is 1."""
    block = covariance[numpy.ix_(pair, pair)]
    sizes, directions = numpy.linalg.eigh(block)
    told = directions[:, 0]
    logs = [keys[number].log for number in pair]
    # Coordinate = (value - low) / (high - low), or the same of logarithms.
    spans = [numpy.log(keys[number].high / keys[number].low) if log else keys[number].high - keys[number].low for number, log in zip(pair, logs)]
    weights = told / spans
    error = quantile * float(numpy.sqrt(sizes[0])) / abs(weights[0])
    weights = weights / weights[0]
    values = [keys[number].value(best.at[number]) for number in pair]
    value = float(sum(weight * (numpy.log(at) if log else at) for weight, at, log in zip(weights, values, logs)))
    return Trade(pair, correlation, [float(weight) for weight in weights], value, error, logs)
