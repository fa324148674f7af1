"""Predicts the wall-clock time of the pass and the segments of `flashloom run --segments` on a number of cores. Times are in seconds; a
request takes `instant` on the instant clock and `timed` on the timed clock."""


def bound(lengths, warm_up, instant, timed, cores):
    """A lower bound of any schedule: all work spread over all cores, and each segment after the part of the pass before it."""
    requests = sum(lengths)
    work = requests * (instant + timed) + (len(lengths) - 1) * warm_up * timed
    begin, last = 0, instant * requests
    for number, length in enumerate(lengths):
        warm = warm_up if number else 0
        last = max(last, instant * (begin - warm) + timed * (length + warm))
        begin += length
    return max(work / cores, last)


def simulate(lengths, warm_up, instant, timed, cores):
    """Simulates the schedule; returns its wall-clock time. At most as many segments as cores run at a time, plus the pass, which waits
    at the start of a segment while all places are taken. All running processes share the cores evenly."""
    begins, before = [], 0
    for number, length in enumerate(lengths):
        begins.append(before - (warm_up if number else 0))
        before += length
    ends = [*begins, before]
    running, number, now, left = [], 0, 0.0, instant * ends[0]
    while True:
        while number < len(lengths) and left <= 0 and len(running) < cores:
            running.append(timed * (lengths[number] + (warm_up if number else 0)))
            left = instant * (ends[number + 1] - ends[number])
            number += 1
        processes = len(running) + (left > 0)
        if processes == 0:
            return now
        speed = min(1, cores / processes)
        step = min([*running, *([left] if left > 0 else [])])
        now += step / speed
        running = [rest - step for rest in running if rest - step > 1e-12]
        left = left - step if left - step > 1e-12 else 0
