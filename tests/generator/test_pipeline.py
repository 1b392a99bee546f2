"""The simple core that the timeline is drawn from: loops whose schedule is known by arithmetic, and real kernels
against their bounds."""

from __future__ import annotations

import pytest
from cryptostitch.model.bound import bound
from cryptostitch.model.execution import DATA, FRONT_END, RUN, UNIT
from cryptostitch.model.pipeline import pipeline
from cryptostitch.model.table import table_of
from cryptostitch.pipeline import Generator
from test_bound import CPU, steps

GENERATOR = Generator()
CHAIN = "vpaddd a, a, b\n" * 3  # 3 cycles; the adder is taken half a cycle by each
CROWD = "vprold t, a, 5\nvprold u, b, 5\nvprold v, c, 5"  # 3 cycles of the rotator, nothing waits for another


@pytest.mark.parametrize(
    "body, cycles, spent",
    [
        (CHAIN, 3, {(RUN, 0): 3}),
        (CROWD, 3, {(UNIT, "rotator"): 3}),
        ("vaesenc a, a, k", 4, {(RUN, 0): 4}),
        ("vmovdqa64 a, b\n" * 12, 6.5, {(FRONT_END, None): 6.5}),  # 13 instructions with the jump, at two a cycle
        # stored, loaded back after 12, added in 1
        ("vpaddd a, a, [state.scratch]\nvmovdqa64 [state.scratch], a", 13, {(RUN, 0): 13}),
    ],
)
def test_what_an_iteration_waits_for(body: str, cycles: float, spent: dict) -> None:
    run = pipeline(steps(body), CPU, 0)
    assert run.cycles == pytest.approx(cycles, rel=0.05)
    found = run.critical()
    assert sum(found.values()) == pytest.approx(run.cycles, abs=1e-9)
    for what, least in spent.items():
        assert found[what] == pytest.approx(least, rel=0.15), found


def test_spans_tell_data_from_units() -> None:
    waits = pipeline(steps(CHAIN), CPU, 0).waiting()
    assert all(w[DATA] > 10 and w[UNIT] == 0 and w[RUN] == 1 for w in waits)  # far ahead of the chain, up to the window
    waits = pipeline(steps(CROWD), CPU, 0).waiting()
    assert all(w[DATA] == 0 and w[UNIT] > 10 and w[RUN] == 2 for w in waits)


def test_an_instruction_starts_after_its_operands_and_leaves_in_order() -> None:
    run = pipeline(
        steps("vprold t, a, 5\nvpaddd a, t, b\nvmovdqa64 u, [state.scratch]\nvpaddd c, u, [state.scratch+64]"), CPU, 0
    )
    for event in run.events:
        at = event.dispatched
        for _, start, end in event.spans():
            assert at <= start < end
            at = end
        for cause in (event.cause, event.address_cause):
            assert cause is None or run.events[cause].done <= event.started
    assert [t for t, _ in run.left] == sorted(t for t, _ in run.left)
    assert all(taken <= 1 + 1e-9 for cycles in run.taken.values() for taken in cycles)


def test_a_narrow_window_costs_cycles() -> None:
    """A long chain of one iteration after the other's independent one: only a window that holds both overlaps them."""
    body = "vpxord a, b, b\n" + "vaesenc a, a, k\n" * 8
    wide, narrow = (pipeline(steps(body), CPU, 0, window=w) for w in (200, 4))
    assert wide.cycles == pytest.approx(8, rel=0.1) and narrow.cycles > 24
    assert pipeline(steps(body), CPU, 0, window=1000).cycles == wide.cycles


@pytest.mark.parametrize("cpu", ["zen4", "zen5"])
@pytest.mark.parametrize(
    "name",
    [
        "aes128_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani",
        "sha1_x8@avx2",
        "aes128_cbc_enc_x16_hand+sha1_x16_hand@avx512_vaes",
    ],
)
def test_no_kernel_is_below_its_bound(cpu: str, name: str) -> None:
    found = bound(GENERATOR.kernel(GENERATOR.recipe(name)), table_of(cpu))
    run = pipeline(found.steps, found.table, found.code_bytes)
    assert 0.99 * found.cycles <= run.cycles < 1.5 * found.cycles
    assert sum(run.critical().values()) == pytest.approx(run.cycles, rel=0.01)
