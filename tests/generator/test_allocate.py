"""The allocator: every budget from the smallest that fits gives the same values, inside its window."""

from __future__ import annotations

import pytest
from cryptostitch.core.errors import DoesNotFit
from cryptostitch.core.ir import Mem
from cryptostitch.core.isa import ISAS
from cryptostitch.core.names import stream_name
from cryptostitch.passes.allocate import allocate, body_cost
from cryptostitch.passes.legalize import legalize
from cryptostitch.passes.verify import check_allocation, check_forms, check_program
from cryptostitch.pipeline import Generator
from stream_runs import done, meant
from written_streams import Writer, written

STREAMS = [
    ("sha1_x16", "avx512"),
    ("sha1_x16_hand", "avx512"),
    ("aes128_cbc_enc_x16", "avx512"),
    ("aes128_cbc_enc_x16_1key_hand", "avx512"),
    ("sha1_x8", "avx2"),
    ("aes128_cbc_enc_x4", "sse"),
    ("sha1_ni_x2", "sse"),
    ("sha256_ni_x4", "sse"),
    ("md5_x1", "scalar"),
]


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator()


@pytest.mark.parametrize("name, isa", STREAMS)
def test_every_budget_computes_the_same(generator, name, isa):
    stream = generator.virtual(stream_name(name), isa)
    legal = legalize(stream)
    top = ISAS[isa].vectors or 14
    fitted = []
    for budget in sorted({4, 5, 6, 8, 11, top}):
        try:
            program = allocate(legal, budget)
        except DoesNotFit:
            assert not fitted, f"fits {fitted} registers but not {budget}"
            continue
        fitted.append(budget)
        used = program.window.vectors if ISAS[isa].words == "v" else program.window.generals
        assert used <= budget + (ISAS[isa].words == "g")
        assert check_program(stream, program) == []
    assert top in fitted


def test_fewer_registers_cost_more(generator):
    costs = [body_cost(generator.program(stream_name("sha1_x16"), "avx512", b)) for b in (8, 12, 16, 24, 32)]
    assert costs == sorted(costs, reverse=True)


def test_kept_operands_take_the_registers_that_are_left(generator):
    def key_loads(budget):
        body = generator.program(stream_name("aes128_cbc_enc_x16_1key"), "avx512", budget).code.body
        return sum(1 for i in body if i.op.startswith("vaesenc") and isinstance(i.operands[2], Mem))

    assert key_loads(32) == 0 < key_loads(12) < key_loads(9)


def test_too_few_registers_are_an_error(generator):
    with pytest.raises(DoesNotFit):
        generator.program(stream_name("sha1_x16"), "avx512", 3)


PITFALLS = {
    "a copy would cut the run that xmm0 is alive in": (
        "sse",
        None,
        """
        movdqa a, [state.scratch]
        movdqa b, [state.scratch+16]
        movdqa xmm0, [state.scratch+32] &
        sha256rnds2 c, a, b
        paddd c, c, a
        movdqa [state.scratch+48], c""",
    ),
    "a copy back would cut the run that xmm0 is alive in": (
        "sse",
        None,
        """
        mov m, [state.in]
        mov n, [state.in+8]
        movdqa a, [state.scratch]
        movdqa xmm0, [state.scratch+32] &
        sub n:d, m:d, n:d &
        sha256rnds2 a, [state.scratch+16]
        movdqa [state.scratch+48], a
        mov [state.scratch], n""",
    ),
    "where a value was stored, another is stored": (
        "sse",
        2,
        """
        movdqa a, [state.scratch]
        movdqa b, [state.scratch+16]
        movdqa c, [state.scratch+48]
        movdqa [state.scratch+32], a
        movdqu [state.scratch+40], b
        paddd c, c, b
        paddd c, c, a
        movdqa [state.scratch+48], c""",
    ),
    "where a value was stored, another is stored through a pointer": (
        "sse",
        2,
        """
        lea p, [state.scratch]
        add p, 32
        movdqa a, [state.scratch]
        movdqa b, [state.scratch+16]
        movdqa c, [state.scratch+48]
        movdqa [state.scratch+32], a
        movdqa [p], b
        paddd c, c, b
        paddd c, c, a
        movdqa [state.scratch+48], c""",
    ),
    "a copy of 32 bits clears what lies above": (
        "scalar",
        None,
        """
        mov a, [state.scratch]
        mov b:d, a:d
        mov [state.scratch+8], b""",
    ),
    "a copy of 128 bits clears what lies above": (
        "avx2",
        None,
        """
        vmovdqa a, [state.scratch]
        vmovdqa b:x, a:x
        vmovdqa [state.scratch+32], b""",
    ),
}


@pytest.mark.parametrize("pitfall", PITFALLS)
def test_pitfalls(pitfall):
    isa, budget, body = PITFALLS[pitfall]
    stream = written(isa, body)
    program = allocate(legalize(stream), budget)
    assert check_forms(program) == [] == check_allocation(stream, program)
    assert done(program, 2) == meant(stream, 2)


def test_leave_reaches_kept_operands_after_its_last_state_access():
    stream = Writer("scalar").stream("""
        .enter
        mov a, [state.in]
        .body
        rol a, a, 5
        .leave
        mov p, [state.in]
        add a, a, keep[state.key]
        mov [p], a""")
    program = allocate(legalize(stream))
    assert check_forms(program) == [] == check_allocation(stream, program)
    assert done(program, 2) == meant(stream, 2)
