"""Kernels with one bug each, as bytes."""

from __future__ import annotations

from collections.abc import Callable

from cryptostitch.ladder.decoder import decoded, mnemonic
from cryptostitch.ladder.machine import Machine
from cryptostitch.ladder.scene import Scene, random_secrets
from cryptostitch.ladder.subject import Subject
from cryptostitch.passes.frame import POOL_ALIGN
from iced_x86 import Instruction, OpKind
from native_instruction import text_bytes


def with_code(subject: Subject, code: bytes) -> Subject:
    """Returns the kernel with other bytes of code."""
    other = Subject(subject.generator, subject.recipe, subject.library)
    other.__dict__["code"] = code
    return other


def last_byte_changed(
    subject: Subject, which: Callable[[Instruction], bool], change: Callable[[int], int], number: int = 0
) -> Subject:
    """Changes the last byte (an immediate or a short displacement) of the n-th instruction that ``which`` finds."""
    code = bytearray(subject.code)
    found = [i for i in decoded(subject.code) if which(i)]
    at = found[number].next_ip - 1
    code[at] = change(code[at])
    return with_code(subject, bytes(code))


def preceded(subject: Subject, *lines: str) -> Subject:
    """Instructions before the kernel's first. They are filled up to a multiple of the constants' alignment, so that
    constants keep their distance."""
    code = text_bytes(list(lines))
    gap = -len(code) % POOL_ALIGN
    fill = (
        ["mov rcx, rcx"] * (gap % 2) + ["mov ecx, ecx"] * ((gap - 3 * (gap % 2)) // 2)
        if gap != 1
        else ["mov rcx, rcx"] + ["mov ecx, ecx"] * 31
    )
    code += text_bytes(fill) if fill else b""
    assert len(code) % POOL_ALIGN == 0
    return with_code(subject, code + subject.code)


def secret_index(subject: Subject) -> Subject:
    """Loads from an address that depends on the first round key."""
    key = subject.recipe.parts[0].program.contract.field("key").offset
    return preceded(subject, "mov rcx, [rdi + 8]", f"mov eax, [rcx + {key}]", "and eax, 60", "mov eax, [rcx + rax]")


def secret_branch(subject: Subject) -> Subject:
    """Skips an instruction when the lowest byte of the first round key is zero."""
    key = subject.recipe.parts[0].program.contract.field("key").offset
    return preceded(
        subject,
        "mov rcx, [rdi + 8]",
        f"mov eax, [rcx + {key}]",
        "and eax, 255",
        "jnz 1f",
        "mov eax, 1",
        "1: mov ecx, 1",
    )


def constants_as_data(subject: Subject) -> Subject:
    """Reads the first bytes of its own code."""
    return preceded(subject, "mov eax, [rip - 6]")


def another_lane(subject: Subject) -> Subject:
    """Lane 1 of the first stream goes on from the first word of lane 0's chaining value."""
    chain = subject.recipe.parts[0].program.contract.field("chain")
    one, other = (chain.offset + chain.lane_offsets[lane] for lane in (0, 1))
    return preceded(subject, "mov rcx, [rdi + 8]", f"mov eax, [rcx + {one}]", f"mov [rcx + {other}], eax")


def another_lane_loaded(subject: Subject) -> Subject:
    """The first load of lane 1's chaining value loads lane 0's: for streams whose lanes lie one behind the other."""
    chain = subject.recipe.parts[0].program.contract.field("chain")
    one, other = (chain.offset + chain.lane_offsets[lane] for lane in (0, 1))
    return last_byte_changed(
        subject,
        lambda i: i.op1_kind == OpKind.MEMORY and i.memory_displacement == other and i.memory_displ_size == 1,
        lambda n: one,
    )


def key_written(subject: Subject) -> Subject:
    """Writes to the first stream's round keys."""
    key = subject.recipe.parts[0].program.contract.field("key").offset
    return preceded(subject, "mov rcx, [rdi + 8]", f"mov dword ptr [rcx + {key}], ecx")


ROTATES = ("rol", "ror", "rorx", "pslld", "vpslld", "vprold", "vprord")


def wrong_count(subject: Subject) -> Subject:
    return last_byte_changed(subject, lambda i: mnemonic(i) in ROTATES, lambda n: n ^ 1, 3)


def endless(subject: Subject) -> Subject:
    """The loop's counter is not counted down: sub counter, 0."""
    instructions = decoded(subject.code)
    jump = next(n for n, i in enumerate(instructions) if mnemonic(i) == "jnz")
    at = instructions[jump - 1].ip
    return last_byte_changed(subject, lambda i: i.ip == at, lambda n: 0)


def beyond_the_input(subject: Subject, offsets: set[int]) -> Subject:
    """The instructions at these offsets load from the input with a short displacement; one of them gets the largest
    there is."""
    return last_byte_changed(
        subject, lambda i: i.ip in offsets and i.memory_displ_size == 1 and i.op_count == 2, lambda n: 0x7F
    )


def input_loads(subject: Subject, machine: Machine) -> set[int]:
    """Offsets of the instructions that load from the first lane's input, but not its first bytes."""
    scene = Scene(subject.recipe, subject.rows, machine, 2)
    scene.fill(random_secrets(1))
    start = scene.buffers[0, "in", 0]
    trace = machine.run(subject.code, scene.arguments, trace=True).trace
    machine.reset()
    return {step.offset for step in trace for a in step.accesses if start < a.address < start + 64}
