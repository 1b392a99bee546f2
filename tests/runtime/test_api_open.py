"""Opening on kernels that decrypt and hash in one pass, forced by name: in place, in pieces, forged."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from built import kernel_names
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import OPEN, Context, RawKernel, RuntimeFailure
from cryptostitch.core.catalog import ALGORITHMS
from cryptostitch.ladder import oracle
from jobs.builder import OWN_KEY, Bench, JobSpec, force

BASES = {row.suite: row.base or row.suite for row in ALGORITHMS if row.kind == "hash"}

OPENING = [name for name in kernel_names() if "_dec_" in name and "+" in name and "_whole_" not in name]


def one_of_each_class(names: Iterable[str]) -> list[str]:
    """One kernel for those that differ in the size of the key or in the weave; the sizes take turns. What each of the
    others answers is asked by the ladder's checks (ladder/test_default_pack.py), and by
    engine/test_burst_model.py::test_any_burst_on_any_kernel."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(re.sub(r"^aes\d+", "", name.partition("~")[0]), []).append(name)
    return [names[at % len(names)] for at, names in enumerate(found.values())]


CLASSES = one_of_each_class(OPENING)
# Of the head, with the IV, a multiple of 64 bytes, of 16, of 8 and of nothing; ESP takes what it must have.
AADS = (48, 0, 8, 13)
LENGTHS = (16, 128, 208, 256, 1024, 1040, 4096)


def forced_for(context: Context, name: str) -> tuple[RawKernel, list[str]]:
    """The kernel, and the suites that it is forced for."""
    try:
        kernel = context.kernel(name)
    except RuntimeFailure as failure:
        assert failure.code in (runtime.ERR_UNSUPPORTED, runtime.ERR_JIT)
        pytest.skip("this CPU cannot run it")
    codes = {suite: force(context, suite, name) for suite in context.suites()}
    assert set(codes.values()) == {runtime.OK, runtime.ERR_NAME}
    suites = [suite for suite, code in codes.items() if code == runtime.OK]
    assert suites
    of = oracle.meaning(suites[0])
    # the head of ESP is not of whole cipher blocks
    wanted = ("etm", "ciphertext", "profile") + ("esp",) * ("_hand" not in name)
    same = [
        suite
        for suite in context.suites()
        if BASES.get((m := oracle.meaning(suite)).hash) == BASES[of.hash]
        and m.key_bytes == of.key_bytes
        and m.kind in wanted
        and not m.counts
    ]
    assert suites == same
    return kernel, suites


def burst(
    bench: Bench,
    suite: str,
    one_key: bool = False,
    in_place: bool | None = None,
    forged: bool | None = None,
    pieces: int = 0,
) -> None:
    """Opens messages of different lengths and heads; None: some are."""
    rng = bench.rng
    bench.burst(
        JobSpec(
            suite,
            OPEN,
            length,
            0 if one_key else OWN_KEY,
            aad,
            in_place=rng.random() < 0.5 if in_place is None else in_place,
            pieces=pieces,
            damage="tag" if (rng.random() < 0.2 if forged is None else forged) else "",
        )
        for aad in AADS
        for length in LENGTHS
    )


@pytest.mark.parametrize("one_key", [False, True], ids=["own keys", "one key"])
@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in place"])
@pytest.mark.parametrize("name", CLASSES)
def test_right(context: Context, name: str, in_place: bool, one_key: bool) -> None:
    kernel, suites = forced_for(context, name)
    bench = Bench(context, (name, in_place, one_key))
    for suite in suites:
        before = kernel.calls()
        burst(bench, suite, one_key, in_place, forged=False)
        assert kernel.calls() > before


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in place"])
@pytest.mark.parametrize("name", CLASSES)
def test_in_pieces(context: Context, name: str, in_place: bool) -> None:
    kernel, suites = forced_for(context, name)
    bench = Bench(context, (name, in_place))
    before = kernel.calls()
    for suite in suites:
        for pieces in (2, 7):
            burst(bench, suite, in_place=in_place, pieces=pieces)
    assert kernel.calls() > before


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in place"])
@pytest.mark.parametrize("name", CLASSES)
def test_forged(context: Context, name: str, in_place: bool) -> None:
    """Every byte of the output is zero, and no neighbour suffers."""
    kernel, suites = forced_for(context, name)
    bench = Bench(context, (name, in_place))
    for suite in suites:
        before = kernel.calls()
        burst(bench, suite, in_place=in_place, forged=True)
        assert kernel.calls() > before
        burst(bench, suite, in_place=in_place)


@pytest.mark.parametrize("name", CLASSES)
def test_alone(context: Context, name: str) -> None:
    """Lanes without a job; every length from where the kernel begins to take part."""
    kernel, suites = forced_for(context, name)
    bench = Bench(context, name)
    before = kernel.calls()
    for length in range(16, 513, 16):
        aad = 16 * bench.rng.randrange(4)
        bench.burst([JobSpec(suites[0], OPEN, length, OWN_KEY, aad, in_place=bool(length & 16))])
    assert kernel.calls() > before


@pytest.mark.parametrize("name", OPENING)
def test_suites_that_it_is_forced_for(context: Context, name: str) -> None:
    """And it runs for them."""
    kernel, suites = forced_for(context, name)
    before = kernel.calls()
    Bench(context, name).burst(JobSpec(suite, OPEN, 1024, OWN_KEY, 48) for suite in suites)
    assert kernel.calls() > before


def test_there_are_some() -> None:
    assert not kernel_names() or 0 < len(CLASSES) < len(OPENING)
