"""The checks `decoder` and `bytes`: kernels of every kind pass, and each seeded bug is found."""

from __future__ import annotations

import pytest
from cryptostitch.binding import runtime
from cryptostitch.ladder import bytes as bytes_check
from cryptostitch.ladder import decoder
from cryptostitch.ladder.result import FAIL, PASS, Effort
from cryptostitch.ladder.subject import Subject
from cryptostitch.pipeline import Generator
from native_instruction import text_bytes
from seeded import with_code, wrong_count

KERNELS = (
    "md5_x1@scalar",
    "sha256_ni_x2@sse_shani",
    "sha1_x8@avx2",
    "aes128_cbc_enc_x16_hand+sha1_x16_hand@avx512_vaes",
)
SAMPLE = "sha1_x8@avx2"


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


@pytest.fixture(scope="module")
def sample(generator: Generator) -> Subject:
    """Without the library, so that LLVM MC's bytes are looked at."""
    return Subject(generator, generator.recipe(SAMPLE))


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_passes(kernel: str, generator: Generator, build) -> None:
    subject = Subject(generator, generator.recipe(kernel), runtime.Context(runtime.ALLOW_PACKS))
    assert decoder.check(subject, Effort()).status == PASS
    if not subject.missing:
        assert bytes_check.check(subject, Effort()).status == PASS


# ---- what the bytes say, whatever the kernel


@pytest.mark.parametrize(
    "lines, said",
    [
        (["nop", "1: sub eax, 1", "jnz 1b", "ret"], "is not endbr64"),
        (["endbr64", "1: sub eax, 1", "jnz 1b"], "does not end with a return"),
        (["endbr64", "1: sub eax, 1", "jnz 1b", "ret 8"], "takes arguments"),
        (["endbr64", "1: syscall", "sub eax, 1", "jnz 1b", "ret"], "forbidden instruction"),
        (["endbr64", "1: rdtsc", "sub eax, 1", "jnz 1b", "ret"], "forbidden instruction"),
        (
            ["endbr64", "1: vpgatherdd zmm1 {{k1}}, [rax + zmm2*4]", "sub eax, 1", "jnz 1b", "ret"],
            "forbidden instruction",
        ),
        (["endbr64", "1: div ecx", "sub eax, 1", "jnz 1b", "ret"], "forbidden instruction"),
        (["endbr64", "call rax", "1: sub eax, 1", "jnz 1b", "ret"], "forbidden instruction"),
        (["endbr64", "1: lock add [rax], ecx", "sub eax, 1", "jnz 1b", "ret"], "forbidden prefix"),
        (["endbr64", "1: mov rcx, fs:[rax]", "sub eax, 1", "jnz 1b", "ret"], "forbidden prefix"),
        (["endbr64", "jnz 1f", "1: sub eax, 1", "ret"], "does not go back"),
        (
            ["endbr64", "1: sub eax, 1", "jnz 1b", "2: sub ecx, 1", "jnz 2b", "ret"],
            "goes back into the loop, or behind",
        ),
        (["endbr64", "1: sub eax, 1", "jnz 1b", "jnz 1b", "jnz 1b", "ret"], "3 conditional jumps"),
        (["endbr64", "1: jmp 2f", "sub ecx, 1", "2: sub eax, 1", "jnz 1b", "ret"], "changes the flow of control"),
        (["endbr64", "1: sub eax, 1", "jmp 1b", "jnz 1b", "ret"], "changes the flow of control"),
        (
            ["endbr64", "1: vpaddd zmm1, zmm1, zmm2", "sub eax, 1", "jnz 1b", "vzeroall", "ret"],
            "needs avx512f, which the kernel does not declare",
        ),
        (
            ["endbr64", "1: vpaddd ymm1, ymm1, ymm2", "paddd xmm3, xmm4", "sub eax, 1", "jnz 1b", "vzeroall", "ret"],
            "legacy SSE after",
        ),
        (
            ["endbr64", "1: paddd xmm3, xmm4", "vpaddd ymm1, ymm1, ymm2", "sub eax, 1", "jnz 1b", "vzeroall", "ret"],
            "legacy SSE after",
        ),
        (["endbr64", "1: vpaddd ymm1, ymm1, ymm2", "sub eax, 1", "jnz 1b", "ret"], "returns with the upper halves"),
    ],
)
def test_rules(lines: list[str], said: str) -> None:
    code = text_bytes([line.replace("{{", "{").replace("}}", "}") for line in lines])
    problems = decoder.rules(code, {"avx2"})
    assert any(said in p for p in problems), problems


def test_rules_keep_quiet_about_good_code() -> None:
    assert (
        decoder.rules(
            text_bytes(
                ["endbr64", "1: vpaddd ymm1, ymm1, ymm2", "sub eax, 1", "jnz 1b", "vzeroall", "paddd xmm3, xmm4", "ret"]
            ),
            {"avx2"},
        )
        == []
    )


# ---- the bytes against the kernel


def test_other_instruction(sample: Subject) -> None:
    result = decoder.check(wrong_count(sample), Effort())
    assert result.status == FAIL and "where the kernel has" in result.problems[0]


def test_wrong_constant(sample: Subject) -> None:
    code = bytearray(sample.code)
    code[-1] ^= 1
    (problem,) = decoder.compare(sample.kernel, bytes(code))
    assert "constant pool_" in problem


def test_every_flipped_bit_of_an_instruction(sample: Subject) -> None:
    """In the first 40 bytes: another instruction, other operands, or none; always noticed, unless the bit means nothing
    to the CPU."""

    def texts(code: bytes) -> list[str]:
        return [f"{i.ip} {i}" for i in decoder.decoded(code)]

    for bit in range(8 * 40):
        code = bytearray(sample.code)
        code[bit // 8] ^= 1 << bit % 8
        if texts(bytes(code)) == texts(sample.code):
            continue  # REX.X without an index register
        assert decoder.compare(sample.kernel, bytes(code)) or decoder.rules(bytes(code), sample.recipe.features), bit


def test_other_bytes(sample: Subject, build) -> None:
    subject = Subject(sample.generator, sample.recipe, runtime.Context(runtime.ALLOW_PACKS))
    if subject.missing:
        pytest.skip(f"this CPU has no {', '.join(subject.missing)}")
    code = bytearray(subject.code)
    code[100] ^= 1
    result = bytes_check.check(with_code(subject, bytes(code)), Effort())
    assert result.status == FAIL and result.problems
