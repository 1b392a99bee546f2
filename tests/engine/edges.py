"""Bursts whose every buffer is alone on its pages, at their edge, between pages without access; inputs can only be
read. A lane that reads or writes a byte beyond a live job's ends this process, so it runs as a program of its own
(test_edges.py): `python edges.py start|end EVERY TARGET [KERNEL...]` runs about one burst of EVERY, with each kernel
forced in turn. Each burst is written to stdout before it runs; the last one written is the one that failed."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

from cryptostitch.binding.runtime import OPEN, SEAL, Context
from cryptostitch.ladder import oracle
from jobs.builder import OWN_KEY, BuiltJob, JobSpec, Keys, forced, run
from jobs.memory import Guarded
from jobs.samples import EDGES, LANES, suites_of

COUNTS = (*range(1, LANES + 2), 2 * LANES + 1)
LONGER = (256, 1024, 2048, 3000)


def burst_of(rng: random.Random, suite: str, direction: int, lengths: list[int], pieces: int) -> list[JobSpec]:
    return [
        JobSpec(
            suite,
            direction,
            length,
            rng.choice((0, 0, OWN_KEY)),
            rng.choice((8, 13, 16, 64)),
            in_place=rng.random() < 0.3,
            pieces=pieces,
            damage=rng.choice(("", "", "", "tag", "data")),
        )
        for length in lengths
    ]


def all_bursts(suites: list[str], rng: random.Random) -> Iterator[list[JobSpec]]:
    """Every suite, direction, number of jobs and length; and unequal lengths, where lanes become empty one by one."""
    for suite in suites:
        unit = oracle.meaning(suite).block_bytes
        for direction in (SEAL, OPEN):
            for n in COUNTS:
                for length in (*EDGES, *LONGER):
                    if length % unit == 0:
                        yield burst_of(rng, suite, direction, [length] * n, 0)
                for pieces in (0, 0, 3):
                    yield burst_of(rng, suite, direction, [rng.choice((*EDGES, *LONGER)) for _ in range(n)], pieces)


def run_some(context: Context, memory: Guarded, seed: str, every: int, kernel: str) -> tuple[int, int]:
    """Returns how many bursts and jobs ran, with a kernel forced where one is named."""
    rng = random.Random(f"{seed} {kernel}")
    keys = Keys(context, rng)
    runs = jobs = 0
    with forced(context, kernel, context.suites() if kernel else []) as fitting:
        for at, specs in enumerate(all_bursts(fitting if kernel else suites_of(context), rng)):
            if (at + rng.randrange(every)) % every:
                continue
            print(
                f"{kernel or 'any kernel'}, burst {at}: {len(specs)} jobs of {specs[0].suite}, "
                f"{'open' if specs[0].direction else 'seal'}, {[p.length for p in specs]} bytes",
                flush=True,
            )
            memory.clear()
            problem = run(context, memory, [BuiltJob(memory, spec, rng, keys) for spec in specs])
            if problem:
                sys.exit(problem)
            runs += 1
            jobs += len(specs)
    return runs, jobs


def main(placement: str, every: int, target: str, *kernels: str) -> None:
    context = Context(target=target)
    memory = Guarded(slots=400, pages=1, at_end=placement == "end")
    ran = [run_some(context, memory, f"{placement} {target}", every, kernel) for kernel in kernels or ("",)]
    runs, jobs = (sum(column) for column in zip(*ran))
    print(f"done: {runs} bursts, {jobs} jobs")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
