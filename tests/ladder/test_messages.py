"""Kernels of whole messages on the instruction model: ends, AADs and iterations of all kinds against the package
`cryptography`; what their proofs, the check of foreign packs and the frame's must refuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from built import kernel_names
from cryptostitch.binding import runtime
from cryptostitch.core.contract import END_IN, END_OUT, POWERS_END
from cryptostitch.core.ir import Ins, Mem
from cryptostitch.core.program import Program, Recipe
from cryptostitch.emit.artefacts import algorithm_records
from cryptostitch.emit.pack import write_pack
from cryptostitch.ladder.interpreter import ModelMachine
from cryptostitch.ladder.scene import WHOLE_BLOCKS, Scene, random_secrets
from cryptostitch.ladder.subject import Subject
from cryptostitch.passes.frame import frame
from cryptostitch.passes.verify import check_bounds, check_kernel
from cryptostitch.pipeline import Generator
from jobs.samples import LONG

GENERATOR = Generator(proves=False)
KERNELS = kernel_names()
NAMES = [name for name in KERNELS if name.startswith("aes128_gcm_")]
TEXTS = [
    name for name in KERNELS if "_whole_" in name and "+" not in name and not name.startswith(("aes192", "aes256"))
]
MASKED = "aes128_gcm_enc_x1_by16@avx512_vaes"


def subject(name: str) -> Subject:
    return Subject(GENERATOR, GENERATOR.recipe(name))


def play(tested: Subject, iterations: int, end: int, aad: int) -> list[str]:
    """Makes one call, and says what is wrong after it."""
    scene = Scene(tested.recipe, tested.rows, ModelMachine(), iterations, end, aad)
    expected = scene.fill(random_secrets((tested.name, iterations, end, aad)))
    ((outcome, changes),) = scene.calls(tested.code, (iterations,))
    return [outcome.fault] if outcome.fault else changes + scene.problems(expected)


def test_there_are_some_on_every_level() -> None:
    for names in (NAMES, TEXTS):
        assert {name.partition("@")[2] for name in names} >= {"sse_aesni", "avx2_vaes", "avx512_vaes"}


@pytest.mark.parametrize("name", NAMES)
def test_every_end(name: str) -> None:
    tested = subject(name)
    contract = tested.recipe.parts[0].program.contract
    step = contract.bytes
    for end in sorted({0, 1, 2, 15, 16, 17, step - 17, step - 16, step - 15, step - 1, step, *range(7, step, 11)}):
        assert play(tested, 0 if contract.is_short else end % 3, end, 13) == [], end


@pytest.mark.parametrize("name", TEXTS)
def test_every_end_of_a_text(name: str) -> None:
    tested = subject(name)
    step = tested.recipe.parts[0].program.contract.bytes
    least = 1 if tested.rows[0].kind == "ghash" else 0
    some = range(0, step + 1, 16) if tested.rows[0].kind in WHOLE_BLOCKS else [*range(least, step, 7), step - 1, step]
    for end in some:
        assert play(tested, end % 3, end, 0) == [], end


@pytest.mark.parametrize("name", NAMES)
def test_every_aad(name: str) -> None:
    tested = subject(name)
    short = tested.recipe.parts[0].program.contract.is_short
    most = 48 if short else 64
    for aad in range(most + 1) if LONG else sorted({*range(18), 31, 32, 33, 47, 48, most - 1, most}):
        assert play(tested, 0 if short else aad % 3, 21, aad) == [], aad


def test_a_message_is_one_call() -> None:
    tested = subject(MASKED)
    with pytest.raises(ValueError):
        next(Scene(tested.recipe, tested.rows, ModelMachine(), 4).calls(tested.code, (2, 2)))


# ---- what must be refused


def spoilt(program: Program, section: str, chosen: Callable[[Ins], bool], change: Callable[[Ins], Ins]) -> Program:
    """The first instruction that is chosen, changed."""
    code = list(getattr(program.code, section))
    at = next(n for n, ins in enumerate(code) if chosen(ins))
    code[at] = change(code[at])
    return replace(program, code=replace(program.code, **{section: tuple(code)}))


def moved(by: int) -> Callable[[Ins], Ins]:
    """Its memory operand lies so many bytes farther on."""
    return lambda ins: replace(
        ins, operands=tuple(replace(o, disp=o.disp + by) if isinstance(o, Mem) else o for o in ins.operands)
    )


def unmasked(ins: Ins) -> Ins:
    return replace(ins, mask=None, zeroing=False)


def stores_part(ins: Ins) -> bool:
    return ins.op == "vmovdqu8" and isinstance(ins.operands[0], Mem)


def loads_part(ins: Ins) -> bool:
    return ins.op == "vmovdqu8" and isinstance(ins.operands[1], Mem)


def loads_mask(ins: Ins) -> bool:
    return ins.op == "kmovq"


def loads_key(ins: Ins) -> bool:
    return ins.op == "vbroadcasti32x4" and ins.memory(1).base is not None and ins.memory(1).base.number != 0


FAULTS = {
    "a store of the end without a mask": ("leave", stores_part, unmasked, f"what {END_OUT}"),
    "a load of the end without a mask": ("leave", loads_part, unmasked, f"what {END_IN}"),
    "a store that is not under its own mask": ("leave", stores_part, moved(64), f"what {END_OUT}"),
    "a mask of other bytes": ("leave", loads_mask, moved(8), "without the mask of these bytes"),
    "a load beyond the end": ("leave", loads_part, moved(256), f"that {END_IN} points to"),
    "a round key beyond the last": ("enter", loads_key, moved(16 * 11), "that key points to"),
    "a round key before the first": ("enter", loads_key, moved(-16), "that key points to"),
    "powers beyond two strides": (
        "leave",
        lambda i: i.op == "vmovdqu64" and isinstance(i.operands[1], Mem) and i.memory(1).disp == 448,
        moved(64),
        f"that {POWERS_END} points to",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_refused(fault: str) -> None:
    """By the proof of bounds, and by what the library asks of packs that it does not know."""
    section, chosen, change, said = FAULTS[fault]
    right = GENERATOR.recipe(MASKED)
    program = spoilt(right.parts[0].program, section, chosen, change)
    problems = check_bounds(program)
    assert any(said in problem for problem in problems), problems
    program = replace(program, name=f"{program.name}.spoilt")
    wrong = Recipe("spoilt@avx512_vaes", right.target, (replace(right.parts[0], program=program),))
    rows = [GENERATOR.algorithms[program.algorithm]]
    refused = runtime.Context(runtime.ALLOW_PACKS).why_refused(write_pack(algorithm_records(rows), [wrong]))
    assert said in refused, refused


def test_the_right_one_is_not_refused() -> None:
    right = GENERATOR.recipe(MASKED)
    assert check_bounds(right.parts[0].program) == []
    rows = [GENERATOR.algorithms[right.parts[0].program.algorithm]]
    pack = write_pack(algorithm_records(rows), [replace(right, name="again@avx512_vaes")])
    assert runtime.Context(runtime.ALLOW_PACKS).why_refused(pack) == ""


def test_the_jump_over_the_loop_is_proved() -> None:
    kernel = frame(GENERATOR.recipe(MASKED))
    assert check_kernel(kernel) == []
    jump = next(n for n, item in enumerate(kernel.items) if item.ins is not None and item.ins.op == "jz")
    label = next(n for n, item in enumerate(kernel.items) if item.ins is None and item.label == "behind")
    items = list(kernel.items)
    for wrong in (
        items[:jump] + items[jump + 1 :],
        items[: jump - 1] + items[jump:],
        items[:label] + items[label + 1 :],
        [*items[:label], items[label + 1], items[label], *items[label + 2 :]],
        [*items[:jump], items[jump]._replace(label="loop"), *items[jump + 1 :]],
    ):
        assert check_kernel(replace(kernel, items=tuple(wrong)))
