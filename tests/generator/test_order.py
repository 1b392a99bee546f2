"""Another order of a stream's loop, and of what is behind it: the same instructions, proved to compute the same; and a
dependence that is forgotten is found."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.core.names import stream_name
from cryptostitch.core.stream import Stream
from cryptostitch.passes import order
from cryptostitch.passes.allocate import allocate
from cryptostitch.passes.legalize import legalize
from cryptostitch.passes.verify import check_program
from cryptostitch.pipeline import Generator
from hypothesis import given, settings
from hypothesis import strategies as st
from stream_runs import done, meant

STREAMS = [
    ("sha1_x16", "avx512"),
    ("sha256_x8", "avx2"),
    ("md5_x1", "scalar"),
    ("sha256_ni_x2", "sse"),
    ("aes128_cbc_enc_x4", "sse"),
    ("aes128_cbc_dec_x16", "avx512"),
    ("aes128_ctr_x1_by16", "avx512"),
    ("ghash_x1_by8", "sse"),
    ("chacha20_x1_by16", "avx512"),
    ("chacha_poly_enc_x1_by16", "avx2"),
    ("aes128_gcm_enc_x1_by16", "avx512"),
    ("poly1305_x1_by8", "avx512"),
    ("sha512_simd_x1", "avx2"),
    ("rc4_vartime_x1", "scalar"),
]


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator()


def problems(stream: Stream, window: int, budget: int | None = None) -> list[str]:
    return check_program(stream, allocate(legalize(order.ordered(stream, window)), budget))


@pytest.mark.parametrize("name, isa", STREAMS)
def test_every_stream_keeps_its_meaning(generator: Generator, name: str, isa: str) -> None:
    stream = generator.virtual(stream_name(name), isa)
    for window in (3, 24, 1 << 20):
        for (_, section), (_, other) in zip(stream.code.sections(), order.ordered(stream, window).code.sections()):
            assert Counter(ins.op for ins in section) == Counter(ins.op for ins in other)
        assert problems(stream, window) == []


@settings(max_examples=8, deadline=None)
@given(window=st.integers(2, 300), budget=st.integers(12, 32))
def test_any_window_and_budget(generator: Generator, window: int, budget: int) -> None:
    assert problems(generator.virtual(stream_name("md5_x16"), "avx512"), window, budget) == []


@pytest.mark.parametrize("window", [2, 64])
def test_table_and_output_pass_each_other(generator: Generator, window: int) -> None:
    """RC4 reads its table while the bytes of the stream before are stored: what is read does not depend on it, and the
    proof says so. The code is run, too."""
    name = stream_name("rc4_vartime_x1")
    program = generator.stitch([(name, "scalar")], budgets=[11], orders=[window]).parts[0].program
    assert program.name == f"rc4_vartime_x1@scalar#11~{window}"
    assert done(program, 3) == meant(generator.virtual(name, "scalar"), 3)


def test_the_text_is_left_alone(generator: Generator) -> None:
    stream = generator.virtual(stream_name("sha1_x4"), "sse")
    assert order.ordered(stream, 0) is stream
    recipe = generator.stitch([(stream_name("sha1_x4"), "sse")], orders=[0])
    assert "~" not in recipe.parts[0].program.name


def test_glued_runs_stay_together(generator: Generator) -> None:
    stream = generator.virtual(stream_name("sha256_ni_x2"), "sse")
    runs = Counter(tuple(ins.op for ins in group) for group in order._groups(stream.code.body))
    moved = order.ordered(stream, 64)
    assert Counter(tuple(ins.op for ins in group) for group in order._groups(moved.code.body)) == runs and any(
        len(run) > 1 for run in runs
    )


def test_registers_for_addresses_stay_few(generator: Generator) -> None:
    """Sixteen pointers are loaded; those of one loop must not crowd out the other streams' of a kernel."""
    stream = generator.virtual(stream_name("sha1_x16"), "avx512")
    plain, moved = (allocate(legalize(order.ordered(stream, window)), 32) for window in (0, 128))
    assert moved.window.generals <= plain.window.generals + 1


@pytest.mark.parametrize(
    "name, isa, forgotten",
    [
        ("sha256_x4", "sse", "registers"),
        ("aes128_cbc_dec_x16", "avx512", "memory"),
        ("aes128_cbc_enc_x4", "sse", "memory"),
        ("rc4_vartime_x1", "scalar", "memory"),
    ],
)
def test_a_forgotten_dependence_is_found(
    generator: Generator, monkeypatch: pytest.MonkeyPatch, name: str, isa: str, forgotten: str
) -> None:
    if forgotten == "memory":
        monkeypatch.setattr(order, "_may_meet", lambda a, b, pointers: False)
    else:
        whole = order._dependences

        def some(*arguments: Any) -> list[list[set[int]]]:
            return [[others if i % 7 else set() for i, others in enumerate(each)] for each in whole(*arguments)]

        monkeypatch.setattr(order, "_dependences", some)
    stream = generator.virtual(stream_name(name), isa)
    try:
        found = problems(stream, 40)
    except CryptostitchError:
        return
    assert found
