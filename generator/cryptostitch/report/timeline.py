"""The simple core's run of a loop as what can be drawn: strips of states over cycles, for every stream and every busy
resource."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

from ..model.execution import DATA, RUN, UNIT, Run

LEAST_CYCLES = 160  # that are shown, as far as there are so many: several iterations of a short loop
SHOWN_RESOURCES = 6


def shown(run: Run) -> tuple[int, int, int]:
    """(first cycle, last cycle, iterations) that are drawn: steady ones."""
    count = max(1, min(run.iterations - run.first, round(LEAST_CYCLES / max(run.cycles, 1))))
    return run.end(run.first - 1), run.end(run.first - 1 + count), count


def states(run: Run, stream: int) -> list[tuple[str, int, int]]:
    """(state, from, to) of a stream: UNIT in cycles in which an instruction has all that it needs but a unit; else RUN
    where one starts; else DATA where those in the window wait for data; else ""."""
    start, end, _ = shown(run)
    length = end - start
    waiting, starting, entered = [0] * (length + 1), [0] * (length + 1), [0] * (length + 1)

    def count(changes: list[int], since: int, until: int) -> None:
        since, until = max(since - start, 0), min(until - start, length)
        if since < until:
            changes[since] += 1
            changes[until] -= 1

    for i, event in enumerate(run.events):
        if run.steps[i % len(run.steps)].stream == stream:
            count(waiting, event.ready, event.started)
            count(waiting, event.addressed, event.loading)
            count(starting, event.started, event.started + 1)
            count(entered, event.dispatched, event.started)
    found: list[tuple[str, int, int]] = []
    for cycle, (units, starts, there) in enumerate(zip(accumulate(waiting), accumulate(starting), accumulate(entered))):
        state = UNIT if units else RUN if starts else DATA if there else ""
        if cycle == length:
            break
        if found and found[-1][0] == state:
            found[-1] = (state, found[-1][1], cycle + 1)
        else:
            found.append((state, cycle, cycle + 1))
    return found


def started(run: Run, stream: int) -> list[int]:
    """How many instructions of the stream start in each cycle."""
    start, end, _ = shown(run)
    counts = Counter(
        event.started - start for i, event in enumerate(run.events) if run.steps[i % len(run.steps)].stream == stream
    )
    return [counts[cycle] for cycle in range(end - start)]


def timeline(run: Run, streams: int) -> dict:
    """``states``: per stream, over cycles counted from the first that is shown. ``shares``: how much of the time is
    spent in each. ``started``: per stream and cycle. ``taken``: of the resources that are busiest, how much of each
    cycle."""
    start, end, count = shown(run)
    length = end - start
    strips = [states(run, s) for s in range(streams)]
    shares = [
        {
            state or "nothing": round(sum(b - a for s, a, b in strip if s == state) / length, 4)
            for state in (RUN, DATA, UNIT, "")
        }
        for strip in strips
    ]
    taken = {name: [round(t, 3) for t in (cycles + [0.0] * end)[start:end]] for name, cycles in run.taken.items()}
    busiest = sorted((name for name in taken if any(taken[name])), key=lambda name: -sum(taken[name]))[:SHOWN_RESOURCES]
    return {
        "cycles": length,
        "iterations": count,
        "ends": [run.end(run.first - 1 + n) - start for n in range(count + 1)],
        "states": strips,
        "shares": shares,
        "started": [started(run, s) for s in range(streams)],
        "taken": {name: taken[name] for name in busiest},
    }
