"""Assembled instruction forms, and random or extreme contents of registers and memory for them to run on."""

from __future__ import annotations

import random

from cryptostitch.ladder.blocks import Block
from cryptostitch.ladder.decoder import features_of
from cryptostitch.ladder.interpreter import RETURN, STACK, STACK_BYTES, ModelMachine
from cryptostitch.semantics.scalar import STATUS
from iced_x86 import Decoder, Instruction
from native_instruction import RSP, Registers, missing_features, text_bytes

BLOCK = 256
EXTREMES = (0, (1 << 64) - 1, 1 << 63, 1 << 31, 0x8000_0000_8000_0000, 0x7FFF_FFFF_7FFF_FFFF, 1, 0x0000_0001_FFFF_FFFF)


class Snippet:
    def __init__(self, form: str, code: bytes, offset: int, instructions: list[Instruction]) -> None:
        self.form, self.code, self.offset = form, code, offset
        self.missing = missing_features(frozenset().union(*(features_of(i) for i in instructions)))


def snippets(forms: list[str]) -> list[Snippet]:
    """All assembled in one run. A return ends each; what is after it is not an instruction."""
    code = text_bytes(
        [line for form in forms for line in (*form.replace("\n", " ; ").replace(" ; ", "\n").split("\n"), "ret")]
    )
    found, start, instructions = [], 0, []
    for instruction in Decoder(64, code):
        if str(instruction).startswith("ret"):
            found.append(Snippet(forms[len(found)], code[start : instruction.next_ip], start, instructions))
            start, instructions = instruction.next_ip, []
        else:
            instructions.append(instruction)
    assert len(found) == len(forms)
    return found


class Inputs:
    """``address``: of the memory block, which rdx points to; r11 is 8."""

    def __init__(self, seed: int, address: int, vectors: int = 32, vector_bits: int = 512, masks: int = 8) -> None:
        self.random, self.address = random.Random(seed), address
        self.vectors, self.vector_bits, self.masks = vectors, vector_bits, masks

    def word(self) -> int:
        return self.random.getrandbits(64) if self.random.random() < 0.6 else self.random.choice(EXTREMES)

    def long(self, bits: int) -> int:
        if self.random.random() < 0.2:
            return self.random.choice(
                (0, (1 << bits) - 1, int("80" * (bits // 8), 16), int("80000000" * (bits // 32), 16))
            )
        return sum(self.word() << at for at in range(0, bits, 64))

    def draw(self) -> tuple[Registers, bytes]:
        before = Registers(
            [self.word() for _ in range(16)],
            self.random.getrandbits(12) & STATUS,
            [self.word() if n < self.masks else 0 for n in range(8)],
            [self.long(self.vector_bits) if n < self.vectors else 0 for n in range(32)],
        )
        before.generals[2], before.generals[11] = self.address, 8
        return before, self.long(8 * BLOCK).to_bytes(BLOCK, "little")


def on_model(
    model: ModelMachine, snippet: Snippet, address: int, before: Registers, memory: bytes
) -> tuple[Registers, bytes, int]:
    """Registers and memory afterwards, and the flags that are undefined then."""
    model.vectors[:], model.generals[:], model.masks[:] = before.vectors, before.generals, before.masks
    model.flags, model.undefined, model.generals[RSP] = before.flags, 0, STACK + STACK_BYTES - 8
    data = bytearray(memory)
    model.place(Block("memory", address, data, True))
    model.place(Block("the stack", STACK, bytearray(STACK_BYTES - 8) + RETURN.to_bytes(8, "little"), True))
    outcome = model.go(snippet.code)
    assert not outcome.fault, f"{snippet.form}: {outcome.fault}"
    return Registers(model.generals, model.flags, model.masks, model.vectors), bytes(data), model.undefined
