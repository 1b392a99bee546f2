"""The ladder check `emulated`: which kernels Unicorn is trusted with, that it runs their instructions as the model
does, and seeded bugs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("unicorn", reason="unicorn is not installed")

from cryptostitch.ladder import emulated, emulator
from cryptostitch.ladder.blocks import Block
from cryptostitch.ladder.decoder import decoded
from cryptostitch.ladder.emulated import COVERED_FEATURES
from cryptostitch.ladder.emulator import UnicornMachine, gate
from cryptostitch.ladder.interpreter import ModelMachine
from cryptostitch.ladder.result import FAIL, PASS, Effort, Skip
from cryptostitch.ladder.subject import Subject
from cryptostitch.listing import Catalogue
from cryptostitch.pipeline import Generator
from cryptostitch.semantics.scalar import STATUS
from instruction_forms import every_form
from native_instruction import RSP, text_bytes
from seeded import (
    another_lane,
    beyond_the_input,
    endless,
    input_loads,
    key_written,
    preceded,
    secret_branch,
    secret_index,
    with_code,
    wrong_count,
)
from snippets import BLOCK, Inputs, on_model, snippets

AT_LEAST = 85
"""Kernels of the default pack that Unicorn covered when this was written."""

HASH, CIPHER = "md5_x1@scalar", "aes128_cbc_enc_x1@sse_aesni"


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


@pytest.fixture(scope="module")
def subjects(generator: Generator) -> dict[str, Subject]:
    return {name: Subject(generator, generator.recipe(name)) for name in (HASH, CIPHER)}


# ---- what is covered


def test_coverage(count_cases: Callable[[str, int], None], capsys: pytest.CaptureFixture) -> None:
    kernels = Catalogue().default_kernels()
    covered = [name for name, _, features, _, _ in kernels if features <= COVERED_FEATURES]
    with capsys.disabled():
        print(f"\nUnicorn covers {len(covered)} of the default pack's {len(kernels)} kernels")
    assert len(covered) >= AT_LEAST
    count_cases("kernels of the default pack that Unicorn covers", len(covered))


def test_gate_agrees_with_the_features(generator: Generator) -> None:
    """One kernel for each set of features: the gate, which sees bytes, refuses exactly those that the table of features
    excludes."""
    kernels = {features: name for name, _, features, _, _ in Catalogue().default_kernels() if "+" not in name}
    passed = 0
    for features, name in kernels.items():
        reason = gate(Subject(generator, generator.recipe(name)).code)
        assert (features <= COVERED_FEATURES) == (not reason), f"{name}: {reason}"
        passed += not reason
    assert 0 < passed < len(kernels)


@pytest.mark.parametrize(
    "line, reason",
    (
        ("vpxor xmm1, xmm2, xmm3", "VEX"),
        ("vmovdqu [rdi], xmm1", "VEX"),
        ("vzeroupper", "VEX"),
        ("vaesenc ymm1, ymm2, ymm3", "VEX"),
        ("kxorw k1, k1, k1", "VEX"),
        ("vmovd eax, xmm1", "VEX"),
        ("vpxord zmm1, zmm2, zmm3", "EVEX"),
        ("vprold xmm1, xmm2, 3", "EVEX"),
        ("sha1msg1 xmm1, xmm2", "SHA-NI"),
        ("sha256rnds2 xmm1, xmm2, xmm0", "SHA-NI"),
        ("gf2p8mulb xmm1, xmm2", "GFNI"),
        ("bzhi eax, ecx, edx", "BZHI"),
        ("pxor xmm1, xmm2", ""),
        ("aesenc xmm1, xmm2", ""),
        ("rorx eax, ecx, 3", ""),
        ("andn eax, ecx, edx", ""),
    ),
)
def test_gate(line: str, reason: str) -> None:
    code = text_bytes(["mov eax, ecx", line, "ret"])
    assert gate(code).startswith(reason) and bool(gate(code)) == bool(reason)
    if reason:
        with pytest.raises(Skip, match=reason):
            UnicornMachine().run(code, 0)


def test_the_gate_is_needed() -> None:
    """What Unicorn does with a VEX instruction when nothing keeps it from it: the two-operand form, and no error. When
    this fails, look at the gate again: a later Unicorn may be right."""
    machine = UnicornMachine()
    machine.admit(text_bytes(["pxor xmm1, xmm2", "ret"]))
    code = text_bytes(["vpxor xmm1, xmm2, xmm3", "ret"])
    machine.place(Block("code", emulator.CODE, bytearray(len(code)), False))
    machine._engine.mem_write(emulator.CODE, code)
    for n, value in ((1, 0x100), (2, 0x22), (3, 0x33)):
        machine.set_vector(n, value)
    machine._engine.emu_start(emulator.CODE, emulator.CODE + len(code) - 1)
    assert machine.vector(1) != 0x22 ^ 0x33


def test_unicorn_runs_instructions_as_the_model_does(
    count_cases: Callable[[str, int], None], capsys: pytest.CaptureFixture
) -> None:
    """Every instruction form that passes the gate (BMI1, BMI2 and movbe among them)."""
    found = [s for s in snippets(every_form()) if not gate(s.code)]
    machine, model = UnicornMachine(), ModelMachine()
    address = machine.take("memory", BLOCK, 64, True)
    machine.place(Block("the stack", emulator.STACK, bytearray(emulator.STACK_BYTES), True))
    inputs, different = Inputs(7, address, 16, 128, 0), []
    for snippet in found:
        before, memory = inputs.draw()
        machine.admit(snippet.code)
        for n, value in enumerate(before.generals):
            machine.set_general(n, value)
        for n in range(16):
            machine.set_vector(n, before.vectors[n])
        machine.flags = before.flags | 2
        top = emulator.STACK + emulator.STACK_BYTES - 8
        machine.set_general(RSP, top)
        machine.write(top, emulator.RETURN.to_bytes(8, "little"))
        machine.write(address, memory)
        outcome = machine.go()
        after, model_memory, undefined = on_model(model, snippet, address, before, memory)
        same = (
            not outcome.fault
            and machine.read(address, BLOCK) == model_memory
            and not (machine.flags ^ after.flags) & STATUS & ~undefined
            and [machine.general(n) for n in range(16) if n != RSP]
            == [g for n, g in enumerate(after.generals) if n != RSP]
            and [machine.vector(n) for n in range(16)] == after.vectors[:16]
        )
        if not same:
            different.append(f"{snippet.form}: {outcome.fault or 'another result'}")
    assert not different, different[:20]
    with capsys.disabled():
        print(f"\n{len(found)} instruction forms: Unicorn = instruction model")
    assert len(found) >= 600
    count_cases("instruction forms, Unicorn against the model", len(found))


# ---- the check


@pytest.mark.parametrize(
    "kernel",
    (
        "md5_x1@scalar",
        "sha1_x1@scalar",
        "sha1_x4@sse",
        "aes256_cbc_enc_x4+md5_x4@sse_aesni",
        "aes128_cbc_enc_x1+sha256_x1@sse_aesni_bmi2",
    ),
)
def test_kernel_passes(kernel: str, generator: Generator) -> None:
    result = emulated.check(Subject(generator, generator.recipe(kernel)), Effort())
    assert result.status == PASS, result.problems
    assert result.cases == 6 and int(result.detail.split()[0]) > 300


@pytest.mark.parametrize(
    "kernel, reason",
    (
        ("sha256_x8@avx2", "VEX: Unicorn runs it wrongly"),
        ("aes128_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani", "SHA-NI"),
        ("sha1_x16@avx512", "VEX"),
    ),
)
def test_kernel_is_refused(kernel: str, reason: str, generator: Generator) -> None:
    with pytest.raises(Skip, match=reason):
        emulated.check(Subject(generator, generator.recipe(kernel)), Effort())


def wrong(subject: Subject, word: str) -> None:
    result = emulated.check(subject, Effort())
    assert result.status == FAIL
    assert any(word in problem for problem in result.problems), result.problems


def test_wrong_rotate_count(subjects: dict[str, Subject]) -> None:
    wrong(wrong_count(subjects[HASH]), "chaining value 0 of stream 0, lane 0 is wrong")


def test_chaining_value_of_another_lane(generator: Generator) -> None:
    wrong(
        another_lane(Subject(generator, generator.recipe("sha1_x4@sse"))),
        "chaining value 0 of stream 0, lane 1 is wrong",
    )


def test_store_to_the_key(subjects: dict[str, Subject]) -> None:
    wrong(key_written(subjects[CIPHER]), "the state block of stream 0 was changed in 'key'")


def test_load_beyond_the_block(subjects: dict[str, Subject]) -> None:
    wrong(
        beyond_the_input(subjects[HASH], input_loads(subjects[HASH], UnicornMachine())),
        "'in of stream 0, lane 0' (192 bytes)",
    )


def test_store_to_the_input(subjects: dict[str, Subject]) -> None:
    field = subjects[HASH].recipe.parts[0].program.contract.field("in")
    wrong(
        preceded(subjects[HASH], "mov rcx, [rdi + 8]", f"mov rcx, [rcx + {field.offset}]", "mov [rcx], eax"),
        "which may only be read",
    )


def test_secret_address(subjects: dict[str, Subject]) -> None:
    wrong(secret_index(subjects[CIPHER]), "accesses other addresses")


def test_secret_branch(subjects: dict[str, Subject]) -> None:
    wrong(secret_branch(subjects[CIPHER]), "with other secrets the one at byte")


def test_endless_loop(subjects: dict[str, Subject]) -> None:
    wrong(endless(subjects[HASH]), "'in of stream 0")


def test_vex_in_the_code_is_refused(subjects: dict[str, Subject]) -> None:
    code = preceded(subjects[CIPHER], "vpxor xmm1, xmm2, xmm3").code
    assert decoded(code)
    with pytest.raises(Skip, match="VEX"):
        emulated.check(with_code(subjects[CIPHER], code), Effort())


@pytest.mark.parametrize(
    "lines, said",
    (
        (("mov rcx, [rdi + 40]",), "'arguments' (40 bytes)"),
        (("mov rcx, [rdi + 5000]",), "'arguments' (40 bytes)"),  # on a page that is not mapped
        (("mov [rdi], ecx",), "which may only be read"),
        (("mov eax, [rip - 6]",), "'the constants'"),
        (("mov rbx, rdi",), "does not preserve general registers 3"),
        (("push rcx",), ""),
        (("ud2",), "Invalid instruction"),
        (("1: or ecx, 1", "jnz 1b"), "has not returned after"),
    ),
)
def test_fault(lines: tuple[str, ...], said: str) -> None:
    machine = UnicornMachine(limit=10_000)
    argument = machine.take("arguments", 40, 8, False)
    outcome = machine.run(text_bytes([*lines, "ret"]), argument)
    assert outcome.fault and said in outcome.fault


def test_trace_has_offsets_and_accesses() -> None:
    machine = UnicornMachine()
    argument = machine.take("arguments", 40, 8, True)
    code = text_bytes(["mov rcx, [rdi + 8]", "lea rdx, [rdi + 99]", "mov [rdi], ecx", "ret"])
    outcome = machine.run(code, argument, trace=True)
    model = ModelMachine()
    assert model.take("arguments", 40, 8, True) == argument
    assert not outcome.fault
    assert [(s.offset, [(a.address - argument, a.size, a.write) for a in s.accesses]) for s in outcome.trace[:3]] == [
        (0, [(8, 8, False)]),
        (4, []),
        (8, [(0, 4, True)]),
    ]
    assert [s.offset for s in outcome.trace] == [s.offset for s in model.run(code, argument, trace=True).trace]


def test_without_unicorn(monkeypatch: pytest.MonkeyPatch, subjects: dict[str, Subject]) -> None:
    monkeypatch.setattr(emulator, "unicorn", None)
    with pytest.raises(Skip, match="unicorn is not installed"):
        emulated.check(subjects[HASH], Effort())
