"""The native checks (guards, stale, abi, upper, residue, trace): kernels of every kind pass, seeded bugs are found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cryptostitch.binding import runtime
from cryptostitch.emit.objects import machine_code
from cryptostitch.ladder import abi, guards, native, probe_library, residue, stale, trace, upper
from cryptostitch.ladder.interpreter import ModelMachine
from cryptostitch.ladder.result import PASS, Effort, Skip
from cryptostitch.ladder.subject import Subject
from cryptostitch.passes.frame import frame
from cryptostitch.pipeline import Generator
from native_instruction import text_bytes
from seeded import another_lane_loaded, beyond_the_input, endless, input_loads, preceded, secret_branch, secret_index

KERNELS = (
    "md5_x1@scalar",
    "sha1_x4@sse",
    "sha256_ni_x2@sse_shani",
    "sha256_x8@avx2",
    "aes128_cbc_enc_x1+sha1_x1@sse_aesni_bmi2",
    "aes256_cbc_dec_x1_by16@avx512_vaes",
    "aes128_cbc_enc_x16_hand+sha1_x16_hand@avx512_vaes",
)
SSE, AVX512 = "aes128_cbc_enc_x4@sse_aesni", "aes128_cbc_enc_x16@avx512_vaes"
CHECKS = {"guards": guards, "stale": stale, "abi": abi, "upper": upper, "residue": residue, "trace": trace}


@pytest.fixture(scope="module")
def library(build) -> runtime.Context:
    return runtime.Context(runtime.ALLOW_PACKS)


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(proves=False)


@pytest.fixture(scope="module")
def get(generator: Generator, library: runtime.Context) -> Callable[[str], Subject]:
    """The kernel's subject; skips the test where this machine cannot run it."""
    made: dict[str, Subject] = {}

    def subject(name: str) -> Subject:
        if name not in made:
            made[name] = Subject(generator, generator.recipe(name), library)
        try:
            probe_library.load()
            made[name].native()
        except Skip as skip:
            pytest.skip(str(skip))
        return made[name]

    return subject


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("check", CHECKS)
def test_kernel_passes(check: str, kernel: str, get) -> None:
    result = CHECKS[check].check(get(kernel), Effort())
    assert result.status == PASS, result.problems


def around(subject: Subject, *after: str, code: bytes | None = None) -> bytes:
    """Code that calls the kernel and then does something else. rdi points to the arguments again, rcx to the state
    block; both are cleared at the end."""
    lines = [
        "push rdi",
        "call 1f",
        "pop rdi",
        "mov rcx, [rdi + 8]",
        *after,
        "mov ecx, 0",
        "mov edi, 0",
        "ret",
        ".balign 64",
        "1:",
    ]
    return text_bytes(lines) + (code or subject.code)


def explored(check: str, subject: Subject, code: bytes) -> list[str]:
    convention = ("sysv",) if check == "abi" else ()
    found = CHECKS[check].explore(subject.recipe, subject.rows, *convention, code, Effort())
    return found[0] if isinstance(found, tuple) else found


def key_offset(subject: Subject) -> int:
    return subject.recipe.parts[0].program.contract.field("key").offset


# ---- guards


def test_guards_load_beyond_the_input(get) -> None:
    subject = get("md5_x1@scalar")
    problems = explored("guards", subject, beyond_the_input(subject, input_loads(subject, ModelMachine())).code)
    assert "a load" in problems[0] and "behind in of stream 0, lane 0" in problems[0]


def test_guards_store_to_the_input(get) -> None:
    subject = get(SSE)
    field = subject.recipe.parts[0].program.contract.field("in")
    code = preceded(subject, "mov rcx, [rdi + 8]", f"mov rcx, [rcx + {field.offset}]", "mov byte ptr [rcx], 1").code
    (problem,) = explored("guards", subject, code)
    assert "a store at byte 0 of in of stream 0, lane 0, which is read-only" in problem


@pytest.mark.parametrize("name", ["key", "in"])
def test_guards_store_to_a_field(get, name: str) -> None:
    subject = get(SSE)
    at = subject.recipe.parts[0].program.contract.field(name).offset
    problems = explored("guards", subject, around(subject, f"not byte ptr [rcx + {at}]"))
    assert any(f"changed in '{name}'" in p for p in problems) and len(problems) == 4


def test_guards_chaining_value_of_another_lane(get) -> None:
    subject = get("sha1_ni_x2@sse_shani")
    problems = explored("guards", subject, another_lane_loaded(subject).code)
    assert len(problems) == 4
    assert all("chaining value 0 of stream 0, lane 1 is wrong: found" in p and "4 others of 10" in p for p in problems)


def test_guards_endless_loop(get) -> None:
    subject = get(SSE)
    (problem,) = explored("guards", subject, endless(subject).code)
    assert "out of time" in problem or "load" in problem or "store" in problem


def test_guards_wrong_result(get) -> None:
    subject = get(SSE)
    chain = subject.recipe.parts[0].program.contract.field("chain").offset
    assert any("is wrong" in p for p in explored("guards", subject, around(subject, f"not byte ptr [rcx + {chain}]")))


# ---- stale


@pytest.mark.parametrize(
    "lines, over",
    [
        (["cmp qword ptr [rcx + {unwritten}], 0", "jne 2f"], "zeros"),
        (["cmp qword ptr [rcx + {unwritten}], -1", "jne 2f"], "ones"),
        # the end of an AAD, and the zeros behind it
        (
            ["mov rax, [rcx + {unwritten}]", "test rax, rax", "jz 2f", "shr rax, 40", "jnz 2f"],
            "what other lengths left",
        ),
        (["kmovq rax, k3", "test rax, rax", "jnz 2f"], "zeros"),
        (["cmp r9, -1", "jne 2f"], "ones"),
        (["cmp qword ptr [rsp - 56], 0", "jne 2f"], "zeros"),
    ],
)
def test_stale(get, lines: list[str], over: str) -> None:
    """The tag is wrong where something holds what it does not hold in the runs of the other checks: a field that nobody
    has written, a register, the stack."""
    subject = get("chacha_poly_enc_x1_by32@avx512")
    contract = subject.recipe.parts[0].program.contract
    scratch, chain = contract.field("scratch"), contract.field("chain").offset
    unwritten = scratch.offset + scratch.size - 8
    code = text_bytes(
        [
            *(
                "mov rcx, [rdi + 8]",
                "mov edx, 0",
                *(line.format(unwritten=unwritten) for line in lines),
                "mov edx, 1",
                "2:",
                "mov eax, 0",
            ),
            *("push rdi", "push rdx", "push rcx", "call 1f", "pop rcx", "pop rdx", "pop rdi"),
            *(f"xor [rcx + {chain}], dl", "mov ecx, 0", "mov edx, 0", "mov edi, 0", "ret", ".balign 64", "1:"),
        ]
    )
    code += subject.code
    assert explored("guards", subject, code) == []
    problems = explored("stale", subject, code)
    assert problems and all(f"over {over}: tag of the message is wrong" in problem for problem in problems)


# ---- abi


@pytest.mark.parametrize(
    "lines, said",
    [
        (["mov rbx, 1"], "rbx is not restored"),
        (["inc r15"], "r15 is not restored"),
        (["mov r10, 1234"], "r10 holds something"),
        (["std"], "the direction flag"),
        (["push 0x1f80", "ldmxcsr [rsp]", "pop rdx", "mov edx, 0"], "MXCSR"),
        (["fldz"], "x87"),
        (["push 0x37f", "fldcw [rsp]", "pop rdx", "mov edx, 0"], "x87"),
        (["pcmpeqd xmm9, xmm9"], "vector register 9"),
    ],
)
def test_abi_broken_rule(get, lines: list[str], said: str) -> None:
    subject = get(SSE)
    assert any(said in p for p in explored("abi", subject, around(subject, *lines))), explored(
        "abi", subject, around(subject, *lines)
    )


@pytest.mark.parametrize(
    "lines, said",
    [
        (["vpternlogd zmm17, zmm17, zmm17, 255"], "vector register 17"),
        (["kxnorq k1, k1, k1"], "k1"),
        (["vpternlogd zmm2, zmm2, zmm2, 255"], "vector register 2"),
    ],
)
def test_abi_broken_rule_of_wide_registers(get, lines: list[str], said: str) -> None:
    subject = get(AVX512)
    assert any(said in p for p in explored("abi", subject, around(subject, *lines)))


@pytest.mark.parametrize(
    "lines, said",
    [
        (["pxor xmm6, xmm6"], "xmm6 is not restored"),
        (["pxor xmm15, xmm15"], "xmm15 is not restored"),
        (["mov esi, 0"], "rsi is not restored"),
    ],
)
def test_abi_of_win64(get, lines: list[str], said: str) -> None:
    subject = get("sha1_x4@sse")
    code = machine_code([frame(subject.recipe, "win64")])[subject.name]
    assert abi.explore(subject.recipe, subject.rows, "win64", code, Effort()) == []
    after = text_bytes(["call 1f", *lines, "ret", ".balign 64", "1:"]) + code
    assert any(said in p for p in abi.explore(subject.recipe, subject.rows, "win64", after, Effort()))


# ---- upper


@pytest.mark.parametrize(
    "lines, said",
    [(["vpcmpeqd ymm1, ymm1, ymm1"], "ymm0 to ymm15"), (["vpternlogd zmm1, zmm1, zmm1, 255"], "zmm0 to zmm15")],
)
def test_upper_dirty(get, lines: list[str], said: str) -> None:
    subject = get(AVX512)
    try:
        upper.check(subject, Effort())
    except Skip as skip:
        pytest.skip(str(skip))
    assert any(said in p for p in explored("upper", subject, around(subject, *lines)))


# ---- residue


@pytest.mark.parametrize(
    "lines, said",
    [
        (["movdqu xmm5, [rcx + {key}]"], "vector register 5"),
        (["mov r11, [rcx + {key} + 16]"], "general register 11"),
        (["mov rax, [rcx + {key} + 32]", "mov [rsp - 200], rax", "mov eax, 0"], "below the stack pointer"),
        (["mov rax, [rcx + {key} + 32]", "mov [rsp - 16000], rax", "mov eax, 0"], "below the stack pointer"),
    ],
)
def test_residue(get, lines: list[str], said: str) -> None:
    subject = get(SSE)
    code = around(subject, *(line.format(key=key_offset(subject)) for line in lines))
    assert any(said in p for p in explored("residue", subject, code))


@pytest.mark.parametrize(
    "lines, said",
    [(["vmovdqu32 zmm17, [rcx + {key}]"], "vector register 17"), (["kmovq k1, [rcx + {key}]"], "mask register 1")],
)
def test_residue_of_wide_registers(get, lines: list[str], said: str) -> None:
    subject = get(AVX512)
    code = around(subject, *(line.format(key=key_offset(subject)) for line in lines))
    assert any(said in p for p in explored("residue", subject, code))


# ---- trace


def test_trace_of_a_secret_address(get) -> None:
    subject = get(SSE)
    assert any("accesses other addresses" in p for p in explored("trace", subject, secret_index(subject).code))


def test_trace_of_a_secret_branch(get) -> None:
    subject = get(SSE)
    assert any(
        "with other secrets the one at byte" in p for p in explored("trace", subject, secret_branch(subject).code)
    )


def test_trace_is_of_the_same_instructions_as_the_models(get) -> None:
    """Two tracers that share no code agree on every instruction and, from each block's beginning, every address."""
    from cryptostitch.ladder.scene import Scene, random_secrets

    subject = get(SSE)
    runs = []
    for machine in (native.NativeMachine(), ModelMachine()):
        scene = Scene(subject.recipe, subject.rows, machine, 3)
        scene.fill(random_secrets(1))
        steps = machine.run(subject.code, scene.arguments, trace=True).trace
        known = {
            a: (name, 1 << 16)
            for name, a in [
                *((f"state {i}", s) for i, s in enumerate(scene.states)),
                *((str(k), v) for k, v in scene.buffers.items()),
            ]
        }
        found = []
        for step in steps:
            for access in step.accesses:
                base = max((a for a in known if a <= access.address), default=0)
                if access.address - base < 1 << 16:
                    found.append(
                        (step.offset, known.get(base, ("", 0))[0], access.address - base, access.size, access.write)
                    )
        runs.append(([s.offset for s in steps], found))
    assert runs[0][0] == runs[1][0] and len(runs[0][0]) > 100
    assert runs[0][1] == runs[1][1] and len(runs[0][1]) > 50
