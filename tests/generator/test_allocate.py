"""The allocator: every budget from the smallest that fits gives the same values, inside its window."""

from __future__ import annotations

import pytest

from cryptostitch.errors import DoesNotFit
from cryptostitch.ir import Mem
from cryptostitch.isa import ISAS
from cryptostitch.names import stream_name
from cryptostitch.passes.allocate import allocate, body_cost
from cryptostitch.passes.legalize import legalize
from cryptostitch.passes.verify import check_program
from cryptostitch.pipeline import Generator

STREAMS = [("sha1_x16", "avx512"), ("sha1_x16_hand", "avx512"), ("aes128_cbc_enc_x16", "avx512"), ("aes128_cbc_enc_x16_1key_hand", "avx512"),
           ("sha1_x8", "avx2"), ("aes128_cbc_enc_x4", "sse"), ("sha1_ni_x2", "sse"), ("sha256_ni_x4", "sse"), ("md5_x1", "scalar")]


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
