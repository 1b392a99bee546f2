"""Poly1305 at its edges: accumulators, keys and blocks of all ones, sums on either side of 2^130 - 5, on the
instruction model and on this CPU."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from cryptostitch.binding.runtime import ALLOW_PACKS, Context
from cryptostitch.ladder.interpreter import ModelMachine
from cryptostitch.ladder.lanes import READERS
from cryptostitch.ladder.machine import Machine
from cryptostitch.ladder.native import NativeMachine
from cryptostitch.ladder.poly1305 import CLAMP, P
from cryptostitch.ladder.result import Skip
from cryptostitch.ladder.scene import Scene
from cryptostitch.ladder.subject import Subject
from cryptostitch.pipeline import Generator

KERNELS = (
    "poly1305_x1_by4@avx2", "poly1305_x1_by8@avx512", "poly1305_word_x1_by8@scalar", "poly1305_abreast_x8@avx2",
    "poly1305_abreast_x8@avx512", "poly1305_abreast_x16@avx512",
)  # fmt: skip
TOP = 1 << 128

ACCUMULATORS = (
    0,
    1,
    P - 1,
    P,
    P + 4,
    (1 << 130) - 1,
    1 << 130,
    (1 << 131) - 1,
    (1 << 128) - 1,
    ((1 << 44) - 1) << 44,
    ((1 << 26) - 1) << 52,
)
KEYS = (0, 4, CLAMP, CLAMP & (1 << 64) - 1, CLAMP >> 64 << 64, 0x0FFFFFFC << 96, 0x0FFFFFFF)
BLOCKS = (0, TOP - 1, 1, TOP >> 1, (1 << 64) - 1, TOP - (1 << 64))


def cases() -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """(accumulator, r, blocks, which repeat). The sums that the second part aims at are those of the first block."""
    for accumulator, r, block in itertools.product(ACCUMULATORS, KEYS, BLOCKS):
        yield accumulator, r, (block,)
    for r, block, distance in itertools.product(KEYS, BLOCKS, (-2, -1, 0, 1, 2, 5)):
        yield P - TOP - block + distance, r, (block, TOP - 1 - block)


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


def problems(subject: Subject, machine: Machine, some: list[tuple[int, int, tuple[int, ...]]]) -> list[str]:
    found = []
    scene = Scene(subject.recipe, subject.rows, machine, 2)
    for accumulator, r, blocks in some:

        def secrets(what: str, size: int, r=r, accumulator=accumulator, blocks=blocks) -> bytes:
            value = {"key": r, "iv": accumulator}.get(what.split()[0])
            if value is not None:
                return value.to_bytes(size, "little")
            return b"".join(blocks[i % len(blocks)].to_bytes(16, "little") for i in range(size // 16))

        expected = scene.fill(secrets)
        for outcome, changes in scene.calls(subject.code, (1, 1)):
            found += [outcome.fault] * bool(outcome.fault) + changes
        found += [f"{accumulator:#x} {r:#x} {blocks}: {problem}" for problem in scene.problems(expected)]
    return found


@pytest.mark.parametrize("kernel", KERNELS)
def test_edges_on_the_model(generator: Generator, kernel: str) -> None:
    some = random.Random(1305).sample(list(cases()), 60)
    assert problems(Subject(generator, generator.recipe(kernel)), ModelMachine(), some) == []


@pytest.mark.parametrize("kernel", KERNELS)
def test_edges_on_this_cpu(generator: Generator, kernel: str) -> None:
    try:
        subject = Subject(generator, generator.recipe(kernel), Context(ALLOW_PACKS))
        subject.native()
        machine = NativeMachine()
    except (Skip, FileNotFoundError) as skip:
        pytest.skip(str(skip))
    assert problems(subject, machine, list(cases())) == []


def test_a_wrong_power_is_seen(generator: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = READERS["poly1305"]
    monkeypatch.setitem(READERS, "poly1305", replace(reader, rows=lambda *of: [bytes(16), *reader.rows(*of)[1:]]))
    assert problems(Subject(generator, generator.recipe(KERNELS[0])), ModelMachine(), [(5, CLAMP, (7,))]) != []
