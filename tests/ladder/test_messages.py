"""Kernels of whole messages on the instruction model: ends, AADs and iterations of all kinds against the package
`cryptography`; what their proofs, the check of foreign packs and the frame's must refuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from built import kernel_names
from cryptostitch.binding import runtime
from cryptostitch.core.contract import (
    AAD_BYTES,
    END_IN,
    END_OUT,
    JOB,
    POWERS_END,
    TEXT_BYTES,
    TEXT_IN,
    TEXT_OUT,
    Contract,
)
from cryptostitch.core.ir import GENERAL, Imm, Ins, Mem, Reg
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
LISTED_TEXTS = [name for name in KERNELS if "_list" in name and name.startswith("aes128") and "_gcm_" not in name]
MASKED = "aes128_gcm_enc_x1_by16@avx512_vaes"
LISTED, LISTED_LOOP = "aes128_gcm_enc_list_short_x1_by16@avx512_vaes", "aes128_gcm_dec_list_x1_by16@avx512_vaes"
LISTED_TEXT, LISTED_TWEAKED = "aes128_ctr_list_x1@avx512_vaes", "aes128_xts_dec_list_x1@avx512_vaes"
BLOCKS, STRIDES = "aes128_ctr_block_list_x1_by1@sse_aesni", "aes128_gcm_enc_stride_list_x1@sse_aesni"
AEAD_BLOCKS = "aes128_gcm_dec_block_list_x1_by1@sse_aesni"
DIGESTS = [name for name in KERNELS if "_ni_" in name and ("_list_" in name or "_padded_" in name)]
HMACS = "sha256_ni_hmac_list_x1@sse_shani"


def subject(name: str) -> Subject:
    return Subject(GENERATOR, GENERATOR.recipe(name))


def play(tested: Subject, iterations: int, end: int, aad: int) -> list[str]:
    """Makes one call, and says what is wrong after it."""
    scene = Scene(tested.recipe, tested.rows, ModelMachine(), iterations, end, aad)
    expected = scene.fill(random_secrets((tested.name, iterations, end, aad)))
    ((outcome, changes),) = scene.calls(tested.code, (iterations,))
    return [outcome.fault] if outcome.fault else changes + scene.problems(expected)


def calls_of(contract: Contract, n: int) -> int:
    """Iterations of a message, some by n; of a list there are as many messages."""
    return 1 + n % 3 if contract.is_listed else 0 if contract.is_short else n % 3


def test_there_are_some_on_every_level() -> None:
    for names in (NAMES, TEXTS):
        assert {name.partition("@")[2] for name in names} >= {"sse_aesni", "avx2_vaes", "avx512_vaes"}


@pytest.mark.parametrize("name", NAMES + LISTED_TEXTS)
def test_every_end(name: str) -> None:
    tested = subject(name)
    contract = tested.recipe.parts[0].program.contract
    step = contract.bytes
    ends = {0, 1, 2, 15, 16, 17, step - 17, step - 16, step - 15, step - 1, step, *range(7, step, 11)}
    for end in sorted(end for end in ends if contract.is_listed <= end <= step):
        if end % 16 == 0 or tested.rows[0].kind not in WHOLE_BLOCKS:
            assert play(tested, calls_of(contract, end), end, 13) == [], end


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
    contract = tested.recipe.parts[0].program.contract
    least, most = (contract.fewest(AAD_BYTES), contract.most_aad) if contract.is_listed else (0, 64)
    most = 48 if contract.is_short and not contract.is_listed else most
    some = range(most + 1) if LONG else sorted({*range(18), 31, 32, 33, 47, 48, most - 1, most})
    for aad in (aad for aad in some if least <= aad <= most):
        assert play(tested, calls_of(contract, aad), 21, aad) == [], aad


@pytest.mark.parametrize(
    "name", [LISTED, LISTED_LOOP, LISTED_TEXT, LISTED_TWEAKED, BLOCKS, STRIDES, AEAD_BLOCKS, *DIGESTS]
)
def test_every_number_of_messages(name: str) -> None:
    for n in range(1, 20 if LONG else 6):
        assert play(subject(name), n, 3 * n, n) == [], n


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


def loads_key_at(place: int) -> Callable[[Ins], bool]:
    return lambda ins: ins.op == "vbroadcasti32x4" and isinstance(m := ins.operands[1], Mem) and m.disp == place


def loads_mask(ins: Ins) -> bool:
    return ins.op == "kmovq"


def loads_key(ins: Ins) -> bool:
    return ins.op == "vbroadcasti32x4" and ins.memory(1).base is not None and ins.memory(1).base.number != 0


def to(value: int) -> Callable[[Ins], Ins]:
    """Its last operand is another number."""
    return lambda ins: replace(ins, operands=(*ins.operands[:-1], Imm(value)))


def nth(n: int, chosen: Callable[[Ins], bool]) -> Callable[[Ins], bool]:
    """The n-th that is chosen."""
    seen = []
    return lambda ins: chosen(ins) and (seen.append(ins) or len(seen) == n)


def named(*ops: str) -> Callable[[Ins], bool]:
    return lambda ins: ins.op in ops


def adds(number: int) -> Callable[[Ins], bool]:
    return lambda ins: ins.op == "add" and ins.operands[-1] == Imm(number)


def walks(ins: Ins) -> bool:
    """Accesses the text at the position, which nothing else lies so near."""
    text = any(isinstance(o, Mem) and o.index is not None and o.disp < 256 for o in ins.operands)
    return text and ins.op.startswith(("vmovdqu", "movdqu"))


def reads(field: str) -> Callable[[Ins], bool]:
    """Loads a field of a job."""
    return lambda ins: (
        ins.op == "mov"
        and isinstance(ins.operands[1], Mem)
        and ins.memory(1).base == Reg(GENERAL, 0, 64)
        and ins.memory(1).disp == JOB[field]
    )


def of_field(field: str) -> Callable[[Ins], Ins]:
    """Its memory operand is another field of the job."""
    return lambda ins: replace(
        ins, operands=tuple(replace(o, disp=JOB[field]) if isinstance(o, Mem) else o for o in ins.operands)
    )


def copies_count(ins: Ins) -> bool:
    return ins.op == "mov" and isinstance(ins.operands[1], Reg)


def position() -> Reg:
    """Returns the register that holds the position in the text, as `leave` uses it."""
    code = GENERATOR.recipe(LISTED_LOOP).parts[0].program.code.leave
    return next(o.index for i in code if walks(i) for o in i.operands if isinstance(o, Mem) and o.index)


def with_position(ins: Ins) -> Ins:
    """The count that is copied has the position added."""
    return Ins("lea", (ins.operands[0], Mem(ins.register(1), 0, 0, index=position())))


def at_position(ins: Ins) -> Ins:
    """Its address has the position added."""
    moved_on = tuple(replace(o, index=position()) if isinstance(o, Mem) else o for o in ins.operands)
    return replace(ins, operands=moved_on)


def at_end(op: str, stores: bool = False) -> Callable[[Ins], bool]:
    """Accesses the last bytes of what has as many as a register says."""
    return lambda ins: (
        ins.op == op
        and isinstance(ins.operands[not stores], Mem)
        and ins.memory(not stores).index is not None
        and ins.memory(not stores).disp < 0
    )


def at_number(op: str, disp: int) -> Callable[[Ins], bool]:
    """Loads what lies so many bytes behind a pointer alone."""
    return lambda ins: (
        ins.op == op
        and isinstance(ins.operands[1], Mem)
        and ins.memory(1).index is None
        and ins.memory(1).base not in (None, Reg(GENERAL, 0, 64))
        and ins.memory(1).disp == disp
    )


COUNT = "without the mask of the bytes that there are"
LAST = "from the end of what "
LIST_FAULTS: dict[str, tuple[str, str, Callable[[], Callable[[Ins], bool]], Callable[[Ins], Ins], str]] = {
    "a store of the text without a mask": (LISTED, "enter", lambda: stores_part, unmasked, COUNT),
    "a store of a text alone without a mask": (LISTED_TEXT, "leave", lambda: stores_part, unmasked, COUNT),
    "a load of a text alone beyond its mask": (LISTED_TEXT, "leave", lambda: loads_part, moved(64), COUNT),
    "a key of tweaks beyond the key": (
        LISTED_TWEAKED,
        "enter",
        lambda: loads_key_at(64 + 192 + 192 + 160),
        moved(16),
        "that key points to",
    ),
    "a load of the AAD without a mask": (LISTED, "enter", lambda: loads_part, unmasked, COUNT),
    "the mask of another vector": (LISTED, "enter", lambda: nth(2, loads_part), moved(64), COUNT),
    "a text's mask of AAD's length": (LISTED, "enter", lambda: reads(TEXT_BYTES), of_field(AAD_BYTES), COUNT),
    "a mask that no sign clamps": (LISTED, "enter", lambda: named("sar"), to(62), COUNT),
    "a mask of a count that may be negative": (
        LISTED,
        "enter",
        lambda: named("andn"),
        lambda i: replace(i, operands=(i.operands[0], i.operands[2], i.operands[1])),
        COUNT,
    ),
    "a mask of a byte more": (LISTED_LOOP, "leave", lambda: named("lea"), moved(1), COUNT),
    "ones that are not all": (
        LISTED,
        "enter",
        lambda: lambda i: i.op == "mov" and i.operands[1] == Imm(-1),
        to(-2),
        COUNT,
    ),
    "a store of words under a mask of bytes": (
        LISTED_LOOP,
        "leave",
        lambda: stores_part,
        lambda i: replace(i, op="vmovdqu32"),
        COUNT,
    ),
    "a count and the position": (LISTED_LOOP, "leave", lambda: copies_count, with_position, COUNT),
    "a stride beyond what every text has": (LISTED_LOOP, "enter", lambda: walks, moved(256), COUNT),
    "a stride of the loop beyond its own": (LISTED_LOOP, "body", lambda: walks, moved(256), COUNT),
    "a stride behind the loop": (LISTED_LOOP, "leave", lambda: walks, unmasked, COUNT),
    "an end a byte farther on": (LISTED_LOOP, "leave", lambda: walks, moved(1), COUNT),
    "a count that falls too slowly": (LISTED_LOOP, "body", lambda: adds(-256), to(-255), COUNT),
    "a count that does not fall in front of the loop": (LISTED_LOOP, "enter", lambda: adds(-256), to(-255), COUNT),
    "a position that grows too fast": (LISTED_LOOP, "body", lambda: adds(256), to(257), ""),
    "a key at the position": (LISTED_LOOP, "leave", lambda: loads_key, at_position, "stays where it is"),
    "powers from a length without a mask": (
        LISTED,
        "enter",
        lambda: nth(2, named("and")),
        to(4095),
        "that key points to",
    ),
    "powers beyond the zeros": (LISTED, "enter", lambda: nth(2, named("and")), to(1008), "that key points to"),
    "a store to a length": (
        LISTED,
        "enter",
        lambda: reads(TEXT_BYTES),
        lambda i: replace(i, operands=i.operands[::-1]),
        "read-only",
    ),
    "a tag elsewhere in the job": (
        LISTED_LOOP,
        "leave",
        lambda: lambda i: i.op == "vmovdqu32" and isinstance(i.operands[0], Mem),
        moved(16),
        "no field",
    ),
}

BLOCK_FAULTS: dict[str, tuple[str, str, Callable[[], Callable[[Ins], bool]], Callable[[Ins], Ins], str]] = {
    "a load in front of the shortest text": (BLOCKS, "leave", lambda: at_end("movdqu"), moved(-2), f"{LAST}{TEXT_IN}"),
    "a load behind a text": (BLOCKS, "leave", lambda: at_end("movdqu"), moved(1), f"{LAST}{TEXT_IN}"),
    "a store behind a text": (BLOCKS, "leave", lambda: at_end("movdqu", True), moved(1), f"{LAST}{TEXT_OUT}"),
    "a last block of AAD's length": (
        AEAD_BLOCKS,
        "leave",
        lambda: reads(TEXT_BYTES),
        of_field(AAD_BYTES),
        "stays where it is",
    ),
    "half an AAD behind its first": (AEAD_BLOCKS, "enter", lambda: nth(2, at_number("movq", 0)), moved(1), COUNT),
    "half an AAD behind its last": (AEAD_BLOCKS, "enter", lambda: at_end("movhps"), moved(1), f"{LAST}aad"),
    "half an AAD in front of its first": (AEAD_BLOCKS, "enter", lambda: at_end("movhps"), moved(-1), f"{LAST}aad"),
    "powers beyond the zeros": (
        AEAD_BLOCKS,
        "enter",
        lambda: named("and"),
        to(1008),
        "that key points to",
    ),
    "a part of a stride and more": (STRIDES, "enter", lambda: named("and"), to(112), COUNT),
    "a part of the whole length": (STRIDES, "enter", lambda: named("sub"), to(0), COUNT),
    "a part of AAD's length": (STRIDES, "enter", lambda: reads(TEXT_BYTES), of_field(AAD_BYTES), COUNT),
    "a first stride behind its own": (STRIDES, "enter", lambda: at_number("movdqu", 48), moved(1), COUNT),
    "a stride of the loop behind its own": (STRIDES, "body", lambda: walks, moved(64), COUNT),
    "a position that grows too fast": (STRIDES, "body", lambda: adds(64), to(65), ""),
}


@pytest.mark.parametrize("fault", BLOCK_FAULTS)
def test_faults_of_lists_without_masks_are_refused(fault: str) -> None:
    name, section, chosen, change, said = BLOCK_FAULTS[fault]
    refused_by_both(name, section, chosen(), change, said)


def moves(op: str, at: int, stores: bool = False) -> Callable[[Ins], bool]:
    """Loads or stores 16 bytes that lie so many bytes behind a pointer."""
    return lambda ins: (
        ins.op == op
        and isinstance(ins.operands[not stores], Mem)
        and ins.memory(not stores).base != Reg(GENERAL, 0, 64)
        and ins.memory(not stores).disp == at
    )


DIGEST_FAULTS: dict[str, tuple[Callable[[Ins], bool], Callable[[Ins], Ins], str]] = {
    "a load behind the message": (moves("movdqu", 48), moved(1), "that text_in points to"),
    "a load in front of the message": (moves("movdqu", 0), moved(-1), "that text_in points to"),
    "a chaining value behind the outer one": (moves("movdqu", 112), moved(16), "that key points to"),
    "a store behind the digest": (moves("movdqu", 16, stores=True), moved(1), "that tag points to"),
    "a digest in the job": (
        moves("movdqu", 16, stores=True),
        lambda ins: replace(ins, operands=(replace(ins.memory(0), base=Reg(GENERAL, 0, 64)), ins.operands[1])),
        "in no field",
    ),
}


@pytest.mark.parametrize("fault", DIGEST_FAULTS)
def test_faults_of_lists_of_digests_are_refused(fault: str) -> None:
    refused_by_both(HMACS, "enter", *DIGEST_FAULTS[fault])


@pytest.mark.parametrize("name,blocks", [("sha256_ni_padded_x1@sse_shani", 1), ("sha1_ni_padded_x1_by8@sse_shani", 2)])
def test_a_load_behind_the_padding_is_refused(name: str, blocks: int) -> None:
    refused_by_both(name, "enter", moves("movdqu", 64 * blocks - 16), moved(1), "that padded_in points to")


@pytest.mark.parametrize("fault", LIST_FAULTS)
def test_faults_of_lists_are_refused(fault: str) -> None:
    name, section, chosen, change, said = LIST_FAULTS[fault]
    refused_by_both(name, section, chosen(), change, said)


def test_the_count_of_strides_is_proved() -> None:
    kernel = frame(GENERATOR.recipe(LISTED_LOOP))
    assert check_kernel(kernel) == []
    items = list(kernel.items)
    jump = next(n for n, item in enumerate(items) if item.ins is not None and item.ins.op == "jz")
    load, less, shift = (items[n].ins for n in range(jump - 3, jump))
    assert load is not None and less is not None and shift is not None
    back = next(n for n in range(jump, len(items)) if items[n].label == "loop" and items[n].ins is not None)
    for wrong in (
        [*items[: jump - 3], items[jump - 3]._replace(ins=moved(8)(load)), *items[jump - 2 :]],
        [*items[: jump - 2], items[jump - 2]._replace(ins=to(256)(less)), *items[jump - 1 :]],
        [*items[: jump - 1], items[jump - 1]._replace(ins=to(7)(shift)), *items[jump:]],
        items[:jump] + items[jump + 1 :],
        items[: back - 1] + items[back:],
        items[:back] + items[back + 1 :],
        [*items[:back], items[back]._replace(label="job"), *items[back + 1 :]],
        [*items[: jump + 1], items[jump], *items[jump + 2 :]],
    ):
        assert check_kernel(replace(kernel, items=tuple(wrong)))


def test_the_fetching_of_jobs_is_proved() -> None:
    kernel = frame(GENERATOR.recipe(LISTED))
    assert check_kernel(kernel) == []
    head = next(n for n, item in enumerate(kernel.items) if item.ins is None and item.label == "job")
    items = list(kernel.items)
    fetch, step = items[head + 1], items[head + 2]
    assert fetch.ins is not None and step.ins is not None
    for wrong in (
        items[: head + 1] + items[head + 2 :],
        items[: head + 2] + items[head + 3 :],
        [*items[: head + 1], step, fetch, *items[head + 3 :]],
        [*items[:head], fetch, items[head], *items[head + 2 :]],
        [*items[: head + 2], step._replace(ins=to(16)(step.ins)), *items[head + 3 :]],
        [*items[: head + 1], fetch._replace(ins=moved(8)(fetch.ins)), *items[head + 2 :]],
        [*items[: head + 3], step, *items[head + 3 :]],
    ):
        assert check_kernel(replace(kernel, items=tuple(wrong)))


FAULTS = {
    "a store of the end's words under a mask of bytes": (
        "leave",
        stores_part,
        lambda i: replace(i, op="vmovdqu32"),
        f"what {END_OUT}",
    ),
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
    refused_by_both(MASKED, section, chosen, change, said)


def refused_by_both(
    name: str, section: str, chosen: Callable[[Ins], bool], change: Callable[[Ins], Ins], said: str
) -> None:
    right = GENERATOR.recipe(name)
    assert refused(spoilt(right.parts[0].program, section, chosen, change), right, said)


def refused(program: Program, right: Recipe, said: str) -> bool:
    """Whether the proof of bounds and the library refuse the program for that reason."""
    problems = check_bounds(program)
    assert any(said in problem for problem in problems), problems
    program = replace(program, name=f"{program.name}.spoilt")
    wrong = Recipe(f"spoilt@{right.target}", right.target, (replace(right.parts[0], program=program),))
    rows = [GENERATOR.algorithms[program.algorithm]]
    why = runtime.Context(runtime.ALLOW_PACKS).why_refused(write_pack(algorithm_records(rows), [wrong]))
    assert why and said in why, why
    return True


@pytest.mark.parametrize("name", [MASKED, LISTED, LISTED_LOOP, BLOCKS, STRIDES, AEAD_BLOCKS, HMACS])
def test_the_right_one_is_not_refused(name: str) -> None:
    right = GENERATOR.recipe(name)
    assert check_bounds(right.parts[0].program) == []
    rows = [GENERATOR.algorithms[right.parts[0].program.algorithm]]
    pack = write_pack(algorithm_records(rows), [replace(right, name=f"again@{right.target}")])
    assert runtime.Context(runtime.ALLOW_PACKS).why_refused(pack) == ""


@pytest.mark.parametrize(
    "name, field, change",
    [
        (LISTED, "key", {"reach_written": True}),
        (LISTED, "aad", {"reach_written": True}),
        (LISTED, TEXT_IN, {"reach_written": True}),
        (LISTED, TEXT_IN, {"reach_align": 64}),
        (AEAD_BLOCKS, "aad", {"reach": 64}),
        (MASKED, "key", {"reach_written": True}),
        (MASKED, POWERS_END, {"reach_align": 64}),
        (MASKED, END_IN, {"reach_written": True}),
    ],
)
def test_no_program_believes_more_of_pointers(name: str, field: str, change: dict[str, int]) -> None:
    """Both refuse a program that declares a larger alignment than the runtime gives to what a pointer points to, or
    that it writes what the runtime only lets it read."""
    right = GENERATOR.recipe(name)
    program = right.parts[0].program
    fields = tuple(replace(f, **change) if f.name == field else f for f in program.contract.fields)
    assert refused(replace(program, contract=replace(program.contract, fields=fields)), right, f"{field} points to")


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
