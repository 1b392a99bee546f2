"""The private part of a state block: byte-exact store-to-load forwarding in cells of four bytes.

Private means: only this stream touches it, at constant offsets. Hand-over buffers, tables and the caller's memory are
not private.
"""

from __future__ import annotations

from .terms import Term, Terms

CELL = 4


class Memory:
    """Contents of a state block as far as they are known; what was never stored is a ``load`` term of the cell's
    version."""

    def __init__(self, terms: Terms, tag: str = "", cells=None, versions=None) -> None:
        self.terms = terms
        self.tag = tag
        self.cells: dict[int, tuple[Term, int]] = dict(cells or {})
        self.versions: dict[int, str] = dict(versions or {})
        self.stored: set[int] = set()

    def fork(self) -> Memory:
        return Memory(self.terms, self.tag, self.cells, self.versions)

    def store(self, offset: int, size: int, term: Term) -> None:
        cells, first = self.cells, offset // CELL
        if offset % CELL or size % CELL:
            for cell in range(first, (offset + size - 1) // CELL + 1):
                cells[cell] = (self.terms.fresh("undef", CELL, "partial store"), 0)
                self.stored.add(cell)
            return
        for i in range(size // CELL):
            cells[first + i] = (term, i)
        self.stored.update(range(first, first + size // CELL))

    def load(self, offset: int, size: int) -> Term:
        if offset % CELL or size % CELL:
            return self.terms.fresh("undef", size, "partial load")
        cells, terms = self.cells, self.terms
        first, count = offset // CELL, size // CELL
        top = cells.get(first)
        if top is not None and top[1] == 0 and terms.nodes[top[0]][1] == size:
            term = top[0]
            if all(cells.get(first + i) == (term, i) for i in range(1, count)):
                return term
        if not self.versions and top is None and not any((first + i) in cells for i in range(1, count)):
            return terms.make("load", size, self.tag + "0", offset)
        pieces = []
        for i in range(first, first + count):
            held = cells.get(i)
            if held is None:
                pieces.append(terms.make("load", CELL, self.tag + self.versions.get(i, "0"), i * CELL))
            else:
                pieces.append(terms.slice(held[0], held[1] * CELL, CELL))
        return terms.cat(pieces)

    def forget(self, cells, version: str) -> None:
        """These cells now hold arbitrary contents of that version."""
        for cell in cells:
            self.cells.pop(cell, None)
            self.versions[cell] = version

    def difference(self, other: Memory, skip) -> list[int]:
        """Byte offsets where the two differ; ``skip(cell)`` says which cells do not count."""
        found = []
        for cell in sorted(self.stored | other.stored | set(self.cells) | set(other.cells)):
            if not skip(cell) and self.load(cell * CELL, CELL) != other.load(cell * CELL, CELL):
                found.append(cell * CELL)
        return found
