"""One 64-bit lane of a stream, run on numbers that are known by bounds and polynomial (integer.py).

In vectors, a sum or difference that may leave 64 bits, a shift that may lose bits and a factor that is too large for
its instruction are problems; in general registers carries are numbers too (carries.py). Instructions without a rule
here are problems, so that nothing is believed that was not computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..core.ir import STATE, Imm, Ins, Mem, Operand, Reg
from ..core.stream import Stream
from .carries import Carries
from .integer import BITS, MOST, Integer, bitwise, exclusive_or
from .text import describe

MOST_TERMS = 1000
"""Terms that a product of polynomials may have: right code multiplies limbs, which have few; wrong code could fill the
memory."""


class Unproved(Exception):
    """Something that cannot be shown; the message is a sentence."""


class Lane:
    """``memory``: by byte of the state block. ``checks``: how many things were shown."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.constants = {c.name: c.data for c in stream.constants}
        self.row_bits = BITS * stream.lanes
        self.registers: dict[str | int, Integer] = {}
        self.memory: dict[int, Integer] = {}
        self.checks = 0
        self.carries = Carries()
        self._products: dict[frozenset[Integer | int], Integer] = {}

    def run(self, section: str, ins: Ins) -> None:
        """Raises Unproved."""
        try:
            rule = RULES.get(ins.op if ins.op.startswith("vpmadd") else ins.op.removeprefix("v").removesuffix("64"))
            if rule is None or ins.mask is not None:
                raise Unproved("has no meaning here")
            rule(self, ins)
        except Unproved as problem:
            raise Unproved(f"{self.stream.name}: {section}: {describe(ins)} {problem}") from problem

    def need(self, holds: bool, otherwise: str) -> None:
        self.checks += 1
        if not holds:
            raise Unproved(otherwise)

    # ---- operands

    def value(self, operand: Operand) -> Integer:
        if isinstance(operand, Imm):
            return Integer.of(operand.value & MOST)
        if isinstance(operand, Mem):
            return self._constant(operand) if operand.symbol is not None else self._stored(operand)
        if isinstance(operand.id, str) and operand.id in self.stream.keep:
            return self.value(self.stream.keep[operand.id])
        if operand.bits != self.row_bits or operand.id not in self.registers:
            raise Unproved("reads a register that has no whole known value")
        return self.registers[operand.id]

    def values(self, ins: Ins, count: int) -> list[Integer]:
        """Of the last operands: where an instruction has no operand more, the first is read and written."""
        return [self.value(o) for o in ins.operands[-count:]]

    def shifted(self, ins: Ins) -> tuple[Integer, int]:
        return self.value(ins.operands[-2]), ins.immediate(len(ins.operands) - 1)

    def put(self, target: Operand, value: Integer) -> None:
        if isinstance(target, Mem):
            self.memory[self._place(target, self.row_bits)] = value
            return
        if not isinstance(target, Reg) or target.bits != self.row_bits:
            raise Unproved("writes a part of a register")
        self.registers[target.id] = value

    def _constant(self, mem: Mem) -> Integer:
        data = self.constants[mem.symbol or ""][mem.disp :]
        words = {data[at : at + 8] for at in range(0, max(8, mem.bits // 8), 8)}
        if len(words) != 1 or mem.base is not None or mem.index is not None or mem.bits * max(1, mem.broadcast) % 64:
            raise Unproved("reads a constant that differs in lanes")
        return Integer.of(int.from_bytes(words.pop(), "little"))

    def _place(self, mem: Mem, bits: int) -> int:
        if mem.base is None or mem.base.id != STATE or mem.index is not None or mem.bits != bits:
            raise Unproved("is not at a row of the state block")
        return mem.disp

    def _stored(self, mem: Mem) -> Integer:
        return self._at(self._place(mem, self.row_bits))

    def _at(self, place: int) -> Integer:
        if place not in self.memory:
            raise Unproved("reads what is no limb and no word of the chain or the key")
        return self.memory[place]

    # ---- vectors, and what both have

    def copy(self, ins: Ins) -> None:
        self.put(ins.operands[0], self.value(ins.operands[1]))

    def spread(self, ins: Ins) -> None:
        """A word that all lanes share."""
        self.put(ins.operands[0], self._at(self._place(ins.memory(1), BITS)))

    def spread_half(self, ins: Ins) -> None:
        """One of two such words."""
        halves = {0x44: 0, 0xEE: BITS // 8}
        if ins.immediate(2) not in halves:
            raise Unproved("moves words from lane to lane")
        self.put(ins.operands[0], self._at(self._place(ins.memory(1), 2 * BITS) + halves[ins.immediate(2)]))

    def sum(self, ins: Ins) -> None:
        a, b = self.values(ins, 2)
        self.put(ins.operands[0], self._wrapped(a + b, "may overflow"))

    def difference(self, ins: Ins) -> None:
        a, b = self.values(ins, 2)
        self.put(ins.operands[0], self._wrapped(a - b, "may borrow"))

    def _wrapped(self, exact: Integer, otherwise: str) -> Integer:
        """Modulo 2^64, where it is known how often that goes into the number."""
        times = exact.low >> BITS
        self.need(times == exact.high >> BITS, f"{otherwise}: from {exact.low:#x} to {exact.high:#x}")
        return exact - (times << BITS)

    def product(self, ins: Ins) -> None:
        a, b = self.values(ins, 2)
        for factor in (a, b):
            self.need(factor.high < 1 << 32, f"takes 32 bits of a factor that may have {factor.high.bit_length()}")
        self.put(ins.operands[0], self._multiplied(a, b))

    def add_low(self, ins: Ins) -> None:
        self._add_half(ins, lambda product: product.lowest(52))

    def add_high(self, ins: Ins) -> None:
        self._add_half(ins, lambda product: product >> 52)

    def _add_half(self, ins: Ins, half: Callable[[Integer], Integer]) -> None:
        c, *factors = self.values(ins, 3)
        part = half(self._multiplied(*(factor.lowest(52) for factor in factors)))
        self.put(ins.operands[0], self._wrapped(c + part, "may overflow"))

    def _multiplied(self, a: Integer, b: Integer) -> Integer:
        """One object for each pair of factors, so that its halves belong together."""
        factors = frozenset(x if x.constant is None else x.constant for x in (a, b))
        if factors not in self._products:
            if len(a.polynomial.terms) * len(b.polynomial.terms) > MOST_TERMS:
                raise Unproved("multiplies numbers that are no limbs, but long sums")
            self._products[factors] = a * b
        return self._products[factors]

    def shift_left(self, ins: Ins) -> None:
        a, bits = self.shifted(ins)
        self.need(a.high << bits <= MOST, f"may lose bits of a number up to {a.high:#x}")
        self.put(ins.operands[0], a << bits)

    def shift_right(self, ins: Ins) -> None:
        a, bits = self.shifted(ins)
        self.put(ins.operands[0], a >> bits)

    def xor(self, ins: Ins) -> None:
        a, b = self.values(ins, 2)
        self.carries.forget()
        self.put(ins.operands[0], exclusive_or(a, b))

    def and_(self, ins: Ins) -> None:
        a, b = self.values(ins, 2)
        self.carries.forget()
        found = bitwise(0b1000, (a, b))
        for number, mask in ((a, b.constant), (b, a.constant)):
            if found is None and mask is not None:
                found = self.carries.applied(mask.__and__, number)
            if found is None and mask is not None and mask & (mask + 1) == 0:
                found = number.lowest(mask.bit_length())
        if found is None:
            raise Unproved("masks by what is no 2^k - 1")
        self.put(ins.operands[0], found)

    def ternary(self, ins: Ins) -> None:
        inputs = [self.value(o) for o in ins.operands[-4:-1]]
        found = bitwise(ins.immediate(len(ins.operands) - 1), inputs)
        if found is None:
            raise Unproved("is no choice by a mask")
        self.put(ins.operands[0], found)

    # ---- general registers

    def with_carry(self, ins: Ins) -> None:
        a, b = self.values(ins, 2)
        self.checks += 1
        found = self.carries.step(ins.op, a, b)
        if found is None:
            raise Unproved("takes a carry that no instruction before it has made")
        self.put(ins.operands[0], found)

    def multiply(self, ins: Ins) -> None:
        high, low, source = ins.operands
        rdx = self.registers.get(2)
        if rdx is None:
            raise Unproved("has no known rdx")
        product = self._multiplied(rdx, self.value(source))
        self.put(low, product.lowest(BITS))
        self.put(high, product >> BITS)
        self.carries.known.numbers[product.lowest(BITS), product >> BITS] = product.low, product.high

    def drop_left(self, ins: Ins) -> None:
        """What is shifted out is dropped, and known."""
        a, bits = self.shifted(ins)
        self.carries.forget()
        self.put(ins.operands[0], a.lowest(BITS - bits) << bits)

    def drop_right(self, ins: Ins) -> None:
        a, bits = self.shifted(ins)
        self.carries.forget()
        found = self.carries.applied(lambda value: value >> bits, a)
        self.put(ins.operands[0], a >> bits if found is None else found)

    def or_(self, ins: Ins) -> None:
        a, b = self.values(ins, 2)
        self.carries.forget()
        found = bitwise(0b1110, (a, b))
        for upper, lower in ((a, b), (b, a)):
            if found is None and upper.polynomial.divisible(1 << lower.high.bit_length()):
                found = upper + lower
        if found is None:
            raise Unproved("joins numbers that may have bits in common")
        self.put(ins.operands[0], found)

    def address(self, ins: Ins) -> None:
        mem = ins.memory(1)
        found = Integer.of(mem.disp)
        for register, scale in ((mem.base, 1), (mem.index, mem.scale)):
            if register is not None:
                found = found + self.value(register) * scale
        self.put(ins.operands[0], self._wrapped(found, "may overflow"))


Rule = Callable[[Lane, Ins], None]
RULES: Mapping[str, Rule] = {
    "movdqa": Lane.copy,
    "pbroadcastq": Lane.spread,
    "pshufd": Lane.spread_half,
    "paddq": Lane.sum,
    "psubq": Lane.difference,
    "psllq": Lane.shift_left,
    "psrlq": Lane.shift_right,
    "pxor": Lane.xor,
    "pxorq": Lane.xor,
    "pand": Lane.and_,
    "pandq": Lane.and_,
    "pternlogq": Lane.ternary,
    "pmuludq": Lane.product,
    "vpmadd52luq": Lane.add_low,
    "vpmadd52huq": Lane.add_high,
    "mov": Lane.copy,
    "add": Lane.with_carry,
    "adc": Lane.with_carry,
    "sub": Lane.with_carry,
    "sbb": Lane.with_carry,
    "and": Lane.and_,
    "or": Lane.or_,
    "xor": Lane.xor,
    "shl": Lane.drop_left,
    "shr": Lane.drop_right,
    "mulx": Lane.multiply,
    "lea": Lane.address,
}
