"""The least that garbage collection programs under random writes over a full device, for any policy and any FTL.

An erase unit of U places lives for w write requests: from its first program to its erase. The address of each request is drawn
independently of all that the device did before, and hits a given mapping unit with probability p at most. So of the units that
were programmed into the erase unit, U (1 - p)^w are still valid when it is erased, less a deviation by chance, and the device must
have programmed each of them elsewhere before. In a run of H requests all N erase units together live for no more than N x H
requests, and (1 - p)^w is convex in w. So E erases copy at least

    E U (1 - p)^(N H / E) - D - R                                                      (1)

units, where R is the number of places without valid data at the start, and D the deviation by chance. P programs need P free
places, of which at most R exist at the start, so E >= (P - R) / U; and P is the number of the host's units plus the copies. The
bound is the least P that satisfies both: an iteration from the host's units alone up to the least fixed point never exceeds it.
Without D and R, P is the mean-field result for FIFO collection (Desnoyers, SYSTOR 2012). Another policy gains on FIFO only by
choosing erase units that deviate by chance, and D covers that.

Chance. Let V be the valid units of an erase unit. Each request lowers its expected value by a factor of (1 - p) at most; so the
sum of (1 - p)^m (hits - p V), m requests before a given one, is a supermartingale with steps of k at most (a request hits k units)
and a variance of k U / (2 - p) at most. Freedman's inequality holds for the maximum over time, and bounds this sum over each
stretch in which (1 - p)^w falls by a tenth; after J such stretches no unit is valid. This bounds the moments of Y, the most by
which an erase unit falls short of its mean at any time of erase: E exp(a Y) <= exp(b). The lives of one erase unit follow each
other, so that exp(a sum(Y) - b lives) is a supermartingale for each of the N erase units, and by Hoelder's inequality their
geometric mean has no larger expectation: in all but one of a billion runs D <= (b (E + N) + N ln 1e9) / a.

A write that hits a unit during its program or copy does not weaken the bound: a unit that was overwritten before it was copied is
copied once more than (1) counts, and its copy is valid for one write less; a unit in the buffer that does not merge with the next
write to it is programmed once more, likewise. Padding, parity and map pages are further programs, and take as many places from
units."""
import math

from .bound_device import Device
from .bound_facts import Facts

ROUNDS = 400  # iterations towards the fixed point; the result of each is a lower bound
STRETCH = 0.1
WIDE, STEPS = 20, 200  # standard deviations covered by the sum that bounds a moment, and its number of terms
MOST_EXPONENT = 700.0  # exp() of more overflows a double
SURE = math.log(1e9)


def amplified(device: Device, facts: Facts, share: float, slack: float) -> float:
    """The least number of units that a whole run programs for each unit written; 0 if nothing is known. `share` of the units
    written, less `slack` units, go from the buffer to flash (bound_work.flash_share)."""
    written = facts.count(1 - facts.reads[1])
    if not written or share <= 0 or not _is_bounded(device, facts):
        return 0.0
    size = facts.write.most / device.unit
    span = (facts.span or device.capacity) / device.unit
    block = int(device.nand["pages"]) * device.program_planes * device.units_per_page
    blocks = device.dies * device.planes * int(device.nand["blocks"]) / device.program_planes
    hit = 1 / math.floor(span / size)
    empty = blocks * block - device.capacity / device.unit + device.held_units()
    own = max(0.0, share * written * size - slack)
    each, once = chance(block, blocks, size, hit, own / block)
    programs = own
    for _ in range(ROUNDS):
        programs = own + copies((programs - empty) / block, block, blocks, written, hit, each, once + empty)
    return programs / (written * size)


def _is_bounded(device: Device, facts: Facts) -> bool:
    """Whether the bound holds: the whole address space is filled at the start, all erase units hold equally many units, and the
    workload discards no data."""
    nand = device.nand
    return facts.pattern == "uniform" and facts.aligned and facts.write.least == facts.write.most and not facts.discards \
        and facts.write.most % device.unit == 0 and not device.namespaces and float(device.config["precondition"]["fill"]) >= 1 and device.single \
        and not device.fails() and not device.is_zoned() and not device.compresses and not device.any_slc \
        and int(nand["partial_programs"]) == 1 and not nand["copyback"]


def copies(erases: float, block: float, blocks: float, requests: float, hit: float, each: float, once: float) -> float:
    """(1) of the module's docstring: units that `erases` erases copy, less `each` an erase and `once` a run for chance and empty
    places."""
    if erases <= 0:
        return 0.0
    lived = blocks * requests / erases
    return max(0.0, erases * (block * math.exp(lived * math.log1p(-hit)) - each) - once)


def chance(block: float, blocks: float, size: float, hit: float, erases: float) -> tuple[float, float]:
    """The most units that chance takes: (a part for each erase, a part for the whole run). The choice suits about `erases` erases."""
    variance = size * block / (2 - hit) * math.exp(2 * STRETCH)
    step = size * math.exp(STRETCH)
    found = []
    for scale in (0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0):
        a = scale / math.sqrt(variance)
        b = _moment(a, block, variance, step)
        found.append((b / a, (b * blocks + blocks * SURE) / a))
    return min(found, key=lambda one: one[0] * erases + one[1])


def _moment(a: float, block: float, variance: float, step: float) -> float:
    """An upper bound of ln E exp(a Y): an upper sum over the values of Y, which is at most `block`."""
    stretches = math.ceil(math.log(block) / STRETCH)
    events = math.log(max(1, stretches))
    low = min(block, max(1.0, step * events / 3 + math.sqrt((step * events / 3) ** 2 + 2 * variance * events)))
    end = min(block, low + WIDE * math.sqrt(variance))
    ends = [low + (end - low) * n / STEPS for n in range(STEPS + 1)]
    if a * (end - low) > MOST_EXPONENT:
        return math.inf
    total = 1.0  # the expectation in units of exp(a low); values of Y up to `low` contribute 1
    for near, far in zip(ends, ends[1:]):
        tail = events - near * near / (2 * (variance + step * near / 3))
        total += (math.exp(a * (far - low)) - math.exp(a * (near - low))) * math.exp(min(0.0, tail))
    if end < block:  # the exponent of the tail is convex: from here on it falls at least as steeply
        below = 2 * (variance + step * end / 3)
        slope = 2 * end / below - end * end * 2 * step / 3 / below**2
        if slope <= a:
            return math.inf
        total += a / (slope - a) * math.exp(a * (end - low) + events - end * end / below)
    return a * low + math.log(total)
