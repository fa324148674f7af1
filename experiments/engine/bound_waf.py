"""What garbage collection programs at least, whatever its policy and whatever the FTL: of random writes all over a full device.

An erase unit of U places lives for w write requests: from its first program to its erase. A request that is drawn anew hits each
unit of the device with probability p at most, and nothing that the device has done before depends on the draw. So of the units
that were programmed into it U (1 - p)^w are still valid when it is erased, less what chance takes, and each of these must have been
programmed elsewhere before. All N erase units together live for no more than N x H requests in a run of H, and (1 - p)^w is convex
in w: E erases copy at least

    E U (1 - p)^(N H / E) - D - R                                                      (1)

units, where R are the places that hold nothing valid at the begin, and D is what chance takes. P programs need room, which at the
begin are R places at most, so E >= (P - R) / U; and P is what the host's units take and the copies. The least P that satisfies both
is what is known: going from the host's units alone up to the least fixed point never oversteps it. Without D and R this is what
FIFO collection amplifies in the mean field (Desnoyers, SYSTOR 2012): a policy gains on it only by choosing among what chance has
made, and that is in D.

Chance. Let V be the valid units of an erase unit. With each request its expected value falls by a factor of (1 - p) at most; so the
sum of (1 - p)^m (hits - p V), m requests before a given one, is a supermartingale with steps of k at most (a request hits k units)
and a variance of k U / (2 - p) at most. Freedman's inequality, which holds for the highest value of all times, bounds it over each
stretch in which (1 - p)^w falls by a tenth; of J such stretches nothing is left. That is a bound of the moments of Y, the most by
which an erase unit may ever be short of its mean, whenever it is erased: E exp(a Y) <= exp(b). Lives of one erase unit follow each
other, so that exp(a sum(Y) - b lives) is a supermartingale for each of the N, and by Hoelder's inequality their geometric mean has
no larger expectation: in all but one of a billion runs D <= (b (E + N) + N ln 1e9) / a.

Who is hit while a copy of it, or itself, is under way changes nothing: a unit that was drawn again before it was copied is copied
once more than was counted, and its copy lives shorter by that one; a unit of the buffer that is not merged with the next write to it
is programmed once more, and lives shorter likewise. Padding, parity and map pages are programs beyond, of places that hold fewer
units by as many."""
import math

from .bound_device import Device
from .bound_facts import Facts

ROUNDS = 400  # towards the fixed point: each is a lower bound by itself
STRETCH = 0.1
WIDE, STEPS = 20, 200  # standard deviations, and terms, of the sum that bounds a moment
MOST_EXPONENT = 700.0  # of a double
SURE = math.log(1e9)


def amplified(device: Device, facts: Facts, share: float, slack: float) -> float:
    """Units that are programmed at least for each unit written, of a whole run; 0: nothing is known. `share` of the units written less
    `slack` units leaves the buffer for flash (bound_work.flash_share)."""
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
    """Every place of the device holds a unit at the begin, each erase unit as many as any other, and nothing is dropped."""
    nand = device.nand
    return facts.pattern == "uniform" and facts.aligned and facts.write.least == facts.write.most and not facts.discards \
        and facts.write.most % device.unit == 0 and not device.namespaces and float(device.config["precondition"]["fill"]) >= 1 and device.single \
        and not device.fails() and not device.is_zoned() and not device.compresses and not device.any_slc \
        and int(nand["partial_programs"]) == 1 and not nand["copyback"]


def copies(erases: float, block: float, blocks: float, requests: float, hit: float, each: float, once: float) -> float:
    """(1) of the head comment: units, of so many erases; chance and what is empty take `each` an erase, and `once`."""
    if erases <= 0:
        return 0.0
    lived = blocks * requests / erases
    return max(0.0, erases * (block * math.exp(lived * math.log1p(-hit)) - each) - once)


def chance(block: float, blocks: float, size: float, hit: float, erases: float) -> tuple[float, float]:
    """Units that chance takes at most: of each erase, and of all of a run. `erases`: about so many there will be."""
    variance = size * block / (2 - hit) * math.exp(2 * STRETCH)
    step = size * math.exp(STRETCH)
    found = []
    for scale in (0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0):
        a = scale / math.sqrt(variance)
        b = _moment(a, block, variance, step)
        found.append((b / a, (b * blocks + blocks * SURE) / a))
    return min(found, key=lambda one: one[0] * erases + one[1])


def _moment(a: float, block: float, variance: float, step: float) -> float:
    """ln E exp(a Y) at most: an upper sum over values of Y, which is `block` at most."""
    stretches = math.ceil(math.log(block) / STRETCH)
    events = math.log(max(1, stretches))
    low = min(block, max(1.0, step * events / 3 + math.sqrt((step * events / 3) ** 2 + 2 * variance * events)))
    end = min(block, low + WIDE * math.sqrt(variance))
    ends = [low + (end - low) * n / STEPS for n in range(STEPS + 1)]
    if a * (end - low) > MOST_EXPONENT:
        return math.inf
    total = 1.0  # of what is beyond `low`, as a share of exp(a low)
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
