"""Values as hash-consed terms: two computations are equal when they are the same number.

A term is a node ``(tag, size in bytes, ...)``, kept once. The constructors normalise, so that a value which was cut up
and put together again (spilled, reloaded, widened, forwarded through memory) is the number that it was before.

    state    address of a state block                        load   bytes of a private state block: version, offset
    imm      an integer                                       user   bytes of memory outside: version, address
    const    bytes of the constant pool                       head   an arbitrary value at the head of the loop
    op       an instruction's result: name, operands          slice, cat, zx, copies, plus   bytes cut, joined, ...
    undef    nothing is known, not even that two reads agree
"""

from __future__ import annotations

Term = int


class Terms:
    """The table of all terms of one check. ``nodes[t]`` is the node, ``nodes[t][1]`` its size in bytes."""

    def __init__(self) -> None:
        self.ids: dict[tuple, Term] = {}
        self.nodes: list[tuple] = []
        self._fresh = 0

    def make(self, *node) -> Term:
        term = self.ids.get(node)
        if term is None:
            term = self.ids[node] = len(self.nodes)
            self.nodes.append(node)
        return term

    def fresh(self, tag: str, size: int, *what) -> Term:
        """A term that equals no other."""
        self._fresh += 1
        return self.make(tag, size, self._fresh, *what)

    def size(self, term: Term) -> int:
        return self.nodes[term][1]

    # ---- normalising constructors

    def imm(self, value: int, size: int) -> Term:
        return self.make("imm", size, value & ((1 << 8 * size) - 1))

    def slice(self, term: Term, offset: int, size: int) -> Term:
        """Bytes offset .. offset + size of a term, little-endian."""
        node = self.nodes[term]
        whole = node[1]
        if offset == 0 and size == whole:
            return term
        tag = node[0]
        if tag == "load":
            return self.make("load", size, node[2], node[3] + offset)
        if tag == "imm":
            return self.imm(node[2] >> 8 * offset, size)
        if tag == "const":
            return self.make("const", size, node[2][offset : offset + size])
        if tag == "slice":
            return self.slice(node[2], node[3] + offset, size)
        if tag == "zx":
            inner = self.nodes[node[2]][1]
            if offset + size <= inner:
                return self.slice(node[2], offset, size)
            if offset >= inner:
                return self.imm(0, size)
            return self.zx(self.slice(node[2], offset, inner - offset), size)
        if tag == "copies":
            inner = self.nodes[node[2]][1]
            if offset % inner + size <= inner:
                return self.slice(node[2], offset % inner, size)
            if offset % inner == 0 and size % inner == 0:
                return self.copies(node[2], size)
        if tag == "cat":
            pieces, at = [], 0
            for piece in node[2]:
                length = self.nodes[piece][1]
                low, high = max(offset, at), min(offset + size, at + length)
                if low < high:
                    pieces.append(self.slice(piece, low - at, high - low))
                at += length
            return self.cat(pieces)
        return self.make("slice", size, term, offset)

    def cat(self, pieces: list[Term]) -> Term:
        """The pieces one after the other, lowest bytes first."""
        joined: list[Term] = []
        for piece in pieces:
            node = self.nodes[piece]
            parts = node[2] if node[0] == "cat" else (piece,)
            for part in parts:
                merged = self._merge(joined[-1], part) if joined else None
                if merged is None:
                    joined.append(part)
                else:
                    joined[-1] = merged
        if len(joined) == 1:
            return joined[0]
        return self.make("cat", sum(self.nodes[p][1] for p in joined), tuple(joined))

    def _merge(self, low: Term, high: Term) -> Term | None:
        a, b = self.nodes[low], self.nodes[high]
        if a[0] != b[0]:
            return None
        if a[0] == "slice" and a[2] == b[2] and a[3] + a[1] == b[3]:
            return self.slice(a[2], a[3], a[1] + b[1])
        if a[0] == "load" and a[2] == b[2] and a[3] + a[1] == b[3]:
            return self.make("load", a[1] + b[1], a[2], a[3])
        if a[0] == "const":
            return self.make("const", a[1] + b[1], a[2] + b[2])
        if a[0] == "imm":
            return self.imm(a[2] | b[2] << 8 * a[1], a[1] + b[1])
        return None

    def zx(self, term: Term, size: int) -> Term:
        node = self.nodes[term]
        if node[1] == size:
            return term
        if node[0] == "imm":
            return self.imm(node[2], size)
        if node[0] == "zx":
            return self.zx(node[2], size)
        return self.make("zx", size, term)

    def copies(self, term: Term, size: int) -> Term:
        """The term repeated until it has ``size`` bytes."""
        node = self.nodes[term]
        if node[1] == size:
            return term
        if node[0] == "copies":
            return self.copies(node[2], size)
        return self.make("copies", size, term)

    def plus(self, term: Term, addend: int) -> Term:
        """term + addend, modulo the term's size."""
        node = self.nodes[term]
        size = node[1]
        if node[0] == "plus":
            return self.plus(node[2], node[3] + addend)
        if node[0] == "imm":
            return self.imm(node[2] + addend, size)
        addend &= (1 << 8 * size) - 1
        return self.make("plus", size, term, addend) if addend else term

    def add(self, a: Term, b: Term) -> Term:
        """The sum of two terms of one size."""
        for x, y in ((a, b), (b, a)):
            if self.nodes[y][0] == "imm":
                return self.plus(x, self.nodes[y][2])
        return self.make("op", self.nodes[a][1], "add", *sorted((a, b)))

    def scaled(self, term: Term, factor: int) -> Term:
        if factor == 1:
            return term
        node = self.nodes[term]
        if node[0] == "imm":
            return self.imm(node[2] * factor, node[1])
        return self.make("op", node[1], "*", ("i", factor), term)

    def operands(self, term: Term) -> tuple[Term, ...]:
        """The terms that a node is made of."""
        node = self.nodes[term]
        tag = node[0]
        if tag == "op":
            return tuple(o for o in node[3:] if type(o) is int)
        if tag in ("slice", "zx", "copies", "plus"):
            return (node[2],)
        if tag == "cat":
            return node[2]
        if tag == "user":
            return (node[3],)
        return ()

    def signed(self, value: int, size: int = 8) -> int:
        return value - (1 << 8 * size) if value >> (8 * size - 1) else value
