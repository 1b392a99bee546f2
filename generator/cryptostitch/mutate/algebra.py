"""Terms that are equal when the algebra of their operations says so, which value numbering on its own does not see.

Sums modulo 2^n and exclusive or are commutative and associative, and x xor x = 0; a ternary function is what its truth
table says on the operands that are different; rotating left by n is rotating right by w - n; and some bits of
immediates and of shuffle controls are not looked at (Intel SDM volume 2: PSHUFB reads bits 7 and 3:0 of a control byte,
rotates count modulo the width, a selector of 4 positions has two bits). The checks of the ladder do not use this: what
they prove does not rest on it. It is for telling which mutants are no faults.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product

from ..verify.terms import Term, Terms

SUM, XOR, AND, OR = "sum", "xor", "and", "or"
FAMILY = {
    name: (kind, lane)
    for kind, lane, names in (
        (SUM, 4, "paddd vpaddd"),
        (SUM, 8, "paddq vpaddq"),
        (XOR, 0, "pxor vpxor vpxord vpxorq"),
        (AND, 0, "pand vpand vpandd vpandq"),
        (OR, 0, "por vpor vpord vporq"),
    )
    for name in names.split()
}
WORDS = {"add": SUM, "xor": XOR, "and": AND, "or": OR}
ROTATES = {
    "vprold": (32, 1),
    "vprord": (32, -1),
    "vprolq": (64, 1),
    "vprorq": (64, -1),
    "rol": (0, 1),
    "ror": (0, -1),
    "rorx": (0, -1),
}
READ_BITS: dict[str, Callable[[int], int]] = {  # bits of the immediate that are read, by the result's bytes
    "sha1rnds4": lambda size: 3,
    "pinsrd": lambda size: 3,
    "pextrd": lambda size: 3,
    "vinserti128": lambda size: 1,
    "vextracti128": lambda size: 1,
    "pclmulqdq": lambda size: 0x11,
    "vpclmulqdq": lambda size: 0x11,
    "vinserti64x4": lambda size: 1,
    "vinserti32x4": lambda size: 3 if size == 64 else 1,
    "vperm2i128": lambda size: 0xBB,
    "vpblendd": lambda size: (1 << size // 4) - 1,
    "valignq": lambda size: size // 8 - 1,
    "shl": lambda size: 63 if size == 8 else 31,
    "shr": lambda size: 63 if size == 8 else 31,
    "sar": lambda size: 63 if size == 8 else 31,
}


class Algebra(Terms):
    def make(self, *node) -> Term:
        if node[0] == "op" and "mask" not in node:
            return self._operation(node[1], node[2], node[3:])
        return super().make(*node)

    def add(self, a: Term, b: Term) -> Term:
        constant, rest = 0, []
        for term in (a, b):
            node = self.nodes[term]
            if node[0] in ("imm", "plus"):
                constant += node[-1]
            if node[0] != "imm":
                rest.append(node[2] if node[0] == "plus" else term)
        total = self._joined(self.size(a), SUM, self.size(a), rest) if rest else self.imm(0, self.size(a))
        return self.plus(total, constant)

    def _operation(self, size: int, name: str, values: tuple) -> Term:
        kind, lane = FAMILY.get(name) or (WORDS.get(name), size)
        if kind and len(values) == 2:
            return self._joined(size, kind, lane if kind == SUM else 0, values)
        if name in ("vpternlogd", "vpternlogq"):
            return self._ternary(size, values[:3], values[3][1])
        if name in ROTATES and values[-1][:1] == ("i",):
            width, direction = ROTATES[name]
            width = width or 8 * size
            turn = direction * values[1][1] % width
            return values[0] if turn == 0 else super().make("op", size, f"rotate in {width}", values[0], ("i", turn))
        if name in READ_BITS and type(values[-1]) is tuple:
            values = (*values[:-1], ("i", values[-1][1] & READ_BITS[name](size)))
        if name == "vextracti32x4":
            values = (values[0], ("i", values[1][1] & (self.size(values[0]) // 16 - 1)))
        if name in ("pshufb", "vpshufb"):
            values = (values[0], self._control(values[1]))
        return super().make("op", size, name.removeprefix("v") if name == "vpshufb" else name, *values)

    def _joined(self, size: int, kind: str, lane: int, values) -> Term:
        flat: Counter = Counter()
        for value in values:
            if type(value) is tuple:  # an immediate
                value = self.imm(value[1], size)
            node = self.nodes[value]
            if node[:4] == ("op", size, kind, lane):
                for term, times in node[4]:
                    flat[term] += times
            elif node[0] != "imm" or node[2] or kind == AND:
                flat[value] += 1
        modulus = 1 << 8 * lane if kind == SUM else 2  # multiplicities, which a message schedule makes large
        pairs = tuple(
            sorted(
                (term, n % modulus if kind in (SUM, XOR) else 1)
                for term, n in flat.items()
                if kind in (AND, OR) or n % modulus
            )
        )
        if not pairs:
            return self.imm(0, size)
        if len(pairs) == 1 and pairs[0][1] == 1:
            return pairs[0][0]
        return super().make("op", size, kind, lane, pairs)

    def operands(self, term: Term) -> tuple[Term, ...]:
        node = self.nodes[term]
        return (
            tuple(t for t, _ in node[4])
            if node[0] == "op" and type(node[-1]) is tuple and node[2] in (SUM, XOR, AND, OR)
            else super().operands(term)
        )

    def _ternary(self, size: int, operands: tuple, table: int) -> Term:
        """The function on the different operands in order; those that do not count are left out."""
        names = sorted(set(operands))

        def value(bits: dict) -> int:
            a, b, c = (bits[o] for o in operands)
            return table >> (4 * a + 2 * b + c) & 1

        for name in list(names):
            others = [n for n in names if n != name]
            if all(
                value({name: 0, **dict(zip(others, row))}) == value({name: 1, **dict(zip(others, row))})
                for row in product((0, 1), repeat=len(others))
            ):
                value = (lambda old, fixed: lambda bits: old({**bits, fixed: 0}))(value, name)
                names = others
        truth = tuple(value(dict(zip(names, row))) for row in product((0, 1), repeat=len(names)))
        parity = tuple(sum(row) % 2 for row in product((0, 1), repeat=len(names)))
        if truth == parity:
            return self._joined(size, XOR, 0, names)
        return super().make("op", size, "logic", *names, ("table", truth))

    def _control(self, term: Term) -> Term:
        node = self.nodes[term]
        if node[0] == "copies":
            return self.copies(self._control(node[2]), node[1])
        if node[0] == "const":
            return super().make("const", node[1], bytes(b & 0x8F if b < 0x80 else 0x80 for b in node[2]))
        return term
