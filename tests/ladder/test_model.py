"""The ladder check `model`: kernels of every kind pass, and each seeded bug is found; on any host."""

from __future__ import annotations

import pytest
from cryptostitch.ladder import model
from cryptostitch.ladder.interpreter import ModelMachine
from cryptostitch.ladder.result import FAIL, PASS, Effort
from cryptostitch.ladder.subject import Subject
from cryptostitch.pipeline import Generator
from native_instruction import text_bytes
from seeded import (
    another_lane,
    another_lane_loaded,
    beyond_the_input,
    constants_as_data,
    endless,
    input_loads,
    key_written,
    preceded,
    secret_branch,
    secret_index,
    wrong_count,
)

KERNELS = (
    "md5_x1@scalar",
    "sha1_x4@sse",
    "sha256_x8@avx2",
    "sha256_x16@avx512",
    "aes128_cbc_enc_x1+sha256_ni_x1@sse_aesni_shani",
    "aes128_cbc_enc_x8+sha1_x8@avx2_vaes",
    "aes128_cbc_enc_x16+sha1_x16@avx512_vaes",
    "aes256_cbc_enc_x4+md5_x4@sse_aesni",
)
HASH, CIPHER, SCALAR, SHANI = (
    "sha256_x16@avx512",
    "aes128_cbc_enc_x16@avx512_vaes",
    "md5_x1@scalar",
    "sha1_ni_x2@sse_shani",
)


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


@pytest.fixture(scope="module")
def subjects(generator: Generator) -> dict[str, Subject]:
    return {name: Subject(generator, generator.recipe(name)) for name in (HASH, CIPHER, SCALAR, SHANI)}


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_passes(kernel: str, generator: Generator) -> None:
    result = model.check(Subject(generator, generator.recipe(kernel)), Effort())
    assert result.status == PASS, result.problems
    assert result.cases == 6 and int(result.detail.split()[0]) > 300


def test_long_form_passes(subjects: dict[str, Subject]) -> None:
    result = model.check(subjects[CIPHER], Effort(long=True))
    assert result.status == PASS and result.cases == 12, result.problems


def wrong(subject: Subject, *words: str) -> None:
    result = model.check(subject, Effort())
    assert result.status == FAIL
    assert all(any(word in problem for problem in result.problems) for word in words), result.problems


def test_wrong_rotate_count(subjects: dict[str, Subject]) -> None:
    wrong(wrong_count(subjects[HASH]), "chaining value 0 of stream 0, lane 0 is wrong: found ", "127 others of 128")


def test_chaining_value_of_another_lane(subjects: dict[str, Subject]) -> None:
    """All lanes begin with the same: the second call shows it."""
    wrong(another_lane_loaded(subjects[SHANI]), "secrets random: chaining value 0 of stream 0, lane 1 is wrong")
    wrong(another_lane(subjects[HASH]), "secrets random: chaining value 0 of stream 0, lane 1 is wrong", "7 others")


def test_store_to_the_key(subjects: dict[str, Subject]) -> None:
    wrong(key_written(subjects[CIPHER]), "the state block of stream 0 was changed in 'key'")


def test_load_beyond_the_block(subjects: dict[str, Subject]) -> None:
    subject = subjects[SCALAR]
    wrong(beyond_the_input(subject, input_loads(subject, ModelMachine())), "'in of stream 0, lane 0' (192 bytes)")


def test_store_to_the_input(subjects: dict[str, Subject]) -> None:
    field = subjects[HASH].recipe.parts[0].program.contract.field("in")
    wrong(
        preceded(subjects[HASH], "mov rcx, [rdi + 8]", f"mov rcx, [rcx + {field.offset}]", "mov [rcx], eax"),
        "stores 4 bytes at byte 0 of 'in of stream 0, lane 0'",
    )


def test_secret_address(subjects: dict[str, Subject]) -> None:
    wrong(secret_index(subjects[CIPHER]), "accesses other addresses")


def test_secret_branch(subjects: dict[str, Subject]) -> None:
    wrong(secret_branch(subjects[CIPHER]), "with other secrets the one at byte")


def test_code_is_no_data(subjects: dict[str, Subject]) -> None:
    wrong(constants_as_data(subjects[HASH]), "at byte -")


def test_endless_loop(subjects: dict[str, Subject]) -> None:
    wrong(endless(subjects[HASH]), "'in of stream 0")


@pytest.mark.parametrize(
    "lines, said",
    (
        (("cpuid",), "cpuid has no meaning"),
        (("vpaddb ymm1, ymm2, ymm3",), "vpaddb"),
        (("vpslld ymm1, ymm2, xmm3",), "no meaning"),  # a count in a register is another instruction than the row's
        (("mov cx, [rdi]",), "no meaning"),
        (("lock add [rdi], ecx",), "prefix"),
        (("mov rcx, fs:[rdi]",), "prefix"),
        (("mov ecx, [edi]",), "no meaning"),
        (("jnz 1f", "1: mov eax, ecx"), "reads ZF where it is undefined"),
        (("mov rcx, [rdi + 40]",), "'arguments' (40 bytes)"),
        (("mov rcx, [rdi - 1]",), "at byte -1 of 'arguments'"),
        (("mov ecx, [rdi + rdi]",), "where nothing is"),
        (("movdqa xmm0, [rdi + 1]",), "not aligned to 16 bytes"),
        (("vmovdqa64 zmm0, [rdi + 8]",), "not aligned to 64 bytes"),
        (("pxor xmm0, [rdi]",), "not aligned"),
        (("mov rbx, rdi",), "does not preserve general registers 3"),
        (("push rcx",), "goes to"),
        (("pop rcx", "push rdi"), "goes to"),
        (("mov [rdi], ecx",), "which may only be read"),
        (("1: sub ecx, 0", "or ecx, 1", "jnz 1b"), "has not returned after"),
    ),
)
def test_fault(lines: tuple[str, ...], said: str) -> None:
    machine = ModelMachine(limit=10_000)
    argument = machine.take("arguments", 40, 8, False)
    outcome = machine.run(text_bytes([*lines, "ret"]), argument)
    assert said in outcome.fault


def test_code_that_does_not_return() -> None:
    machine = ModelMachine()
    assert "outside the code" in machine.run(text_bytes(["mov eax, ecx"]), 0).fault


def test_blocks() -> None:
    """Aligned as asked and not more; addresses depend on nothing but sizes and order; a reset frees."""
    first, second = ModelMachine(), ModelMachine()
    asked = [("a", 1, 1), ("b", 100, 64), ("c", 7, 16)]
    addresses = [first.take(name, size, align, True) for name, size, align in asked]
    second.take("x", 5, 8, True)
    second.reset()
    assert addresses == [second.take(name, size, align, True) for name, size, align in asked]
    assert all(a % align == 0 and a % (2 * align) for a, (_, _, align) in zip(addresses, asked))
    first.write(addresses[1] + 99, b"x")
    assert first.read(addresses[1] + 98, 2) == b"\0x"
    with pytest.raises(Exception, match="'b'"):
        first.read(addresses[1] + 99, 2)


def test_trace_has_offsets_and_accesses() -> None:
    machine = ModelMachine()
    argument = machine.take("arguments", 40, 8, True)
    outcome = machine.run(
        text_bytes(["mov rcx, [rdi + 8]", "lea rdx, [rdi + 99]", "mov [rdi], ecx", "ret"]), argument, trace=True
    )
    assert not outcome.fault
    assert [(s.offset, [(a.address - argument, a.size, a.write) for a in s.accesses]) for s in outcome.trace[:3]] == [
        (0, [(8, 8, False)]),
        (4, []),
        (8, [(0, 4, True)]),
    ]
    assert not machine.run(text_bytes(["ret"]), argument).trace
