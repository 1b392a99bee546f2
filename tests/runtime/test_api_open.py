"""Opening on every kernel that decrypts and hashes in one pass, forced by name: in place, in pieces, forged."""

from __future__ import annotations

import random

import pytest
from built import kernel_names

from cryptostitch import runtime
from cryptostitch.catalog import ALGORITHMS
from cryptostitch.ladder import oracle
from cryptostitch.ladder.placed import Placed
from cryptostitch.runtime import OPEN, Context, Kernel, RuntimeFailure

BASES = {row.suite: row.base or row.suite for row in ALGORITHMS if row.kind == "hash"}

OPENING = [name for name in kernel_names() if "_dec_" in name and "+" in name]
# Of the head, with the IV, a multiple of 64 bytes, of 16, of 8 and of nothing; ESP takes what it must have.
AADS = (48, 0, 8, 13)
LENGTHS = (16, 128, 208, 256, 1024, 1040, 4096)


def forced(context: Context, name: str) -> tuple[Kernel, list[str]]:
    """The kernel, and the suites that it is forced for."""
    try:
        kernel = context.kernel(name)
    except RuntimeFailure as failure:
        assert failure.code in (runtime.ERR_UNSUPPORTED, runtime.ERR_JIT)
        pytest.skip("this CPU cannot run it")
    suites = []
    for suite in context.suites():
        try:
            context.force(suite, name)
        except RuntimeFailure as failure:
            assert failure.code == runtime.ERR_NAME
            continue
        suites.append(suite)
    assert suites
    of = oracle.meaning(suites[0])
    wanted = ("etm", "profile") if "_hand" in name else ("etm", "profile", "esp")  # the head of ESP is not of whole cipher blocks
    same = [suite for suite in context.suites() if BASES.get((m := oracle.meaning(suite)).hash) == BASES[of.hash] and m.key_bytes == of.key_bytes and m.kind in wanted and not m.counts]
    assert suites == same
    return kernel, suites


def burst(context: Context, rng: random.Random, suite: str, n: int, one_key: bool = False, **how: object) -> list[Placed]:
    """Opens n messages of different lengths and heads; each must be right, and nothing else written to."""
    placed = []
    shared = oracle.secrets(rng, suite)
    for i in range(n):
        case = oracle.case(rng, suite, LENGTHS[i % len(LENGTHS)], AADS[i // len(LENGTHS) % len(AADS)], shared if one_key else None)
        key = context.suite(suite).key(case.key, case.mac_key or None)
        placed.append(Placed(rng, case, key, OPEN, **how))  # type: ignore[arg-type]
    assert context.burst([p.job for p in placed]) == (runtime.ERR_AUTH if any(p.forged for p in placed) else 0)
    for p in placed:
        assert not p.problem(), p.problem()
    return placed


@pytest.mark.parametrize("one_key", [False, True], ids=["own keys", "one key"])
@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in place"])
@pytest.mark.parametrize("name", OPENING)
def test_right(context: Context, name: str, in_place: bool, one_key: bool) -> None:
    kernel, suites = forced(context, name)
    rng = random.Random(f"{name} {in_place} {one_key}")
    for suite in suites:
        before = kernel.calls()
        burst(context, rng, suite, len(LENGTHS) * len(AADS), one_key, in_place=in_place, forged=False)
        assert kernel.calls() > before


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in place"])
@pytest.mark.parametrize("name", OPENING)
def test_in_pieces(context: Context, name: str, in_place: bool) -> None:
    kernel, suites = forced(context, name)
    rng = random.Random(f"{name} {in_place}")
    before = kernel.calls()
    for suite in suites:
        for _ in range(2):
            burst(context, rng, suite, len(LENGTHS) * len(AADS), scattered=1, in_place=in_place)
    assert kernel.calls() > before


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in place"])
@pytest.mark.parametrize("name", OPENING)
def test_forged(context: Context, name: str, in_place: bool) -> None:
    """Every byte of the output is zero, and no neighbour suffers."""
    kernel, suites = forced(context, name)
    rng = random.Random(f"{name} {in_place}")
    for suite in suites:
        before = kernel.calls()
        assert all(p.forged for p in burst(context, rng, suite, len(LENGTHS) * len(AADS), in_place=in_place, forged=True))
        assert kernel.calls() > before
        burst(context, rng, suite, len(LENGTHS) * len(AADS), in_place=in_place)


@pytest.mark.parametrize("name", OPENING)
def test_alone(context: Context, name: str) -> None:
    """Lanes without a job; every length from where the kernel begins to take part."""
    kernel, suites = forced(context, name)
    rng = random.Random(name)
    before = kernel.calls()
    for length in range(16, 513, 16):
        case = oracle.case(rng, suites[0], length, 16 * rng.randrange(4))
        p = Placed(rng, case, context.suite(suites[0]).key(case.key, case.mac_key or None), OPEN, in_place=bool(length & 16))
        context.burst([p.job])
        assert not p.problem(), p.problem()
    assert kernel.calls() > before


def test_there_are_some() -> None:
    assert not kernel_names() or OPENING
