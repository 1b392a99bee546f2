"""Bounds: every access of a program lies where its contract says, and is aligned where the instruction needs that.

An address is brought into the form sum of coefficient * symbol + constant. Symbols of the loop are replaced by what the
induction found: a value that the body advances by ``contract.bytes`` is its value at enter plus the *position*; one
that the body leaves alone is its value at enter; one that the body toggles with a constant is one of two addresses. A
number whose bits were cleared by a constant mask is at most the mask. What remains must be one of

    state + c                   inside one field, which is writable if it is written
    state + numbers + c         inside the table, whatever the numbers are up to their masks
    in[lane] + position + c     read, in the body, 0 <= c and c + size <= bytes; likewise out[lane], written
    pointer + numbers + c       0 <= c and c + size <= the pointer's reach, whatever the numbers are up to their masks;
                                where there are bit masks, under the mask of just these bytes
    pointer + position + c      of a job that counts its bytes: those that every text has there, or under the mask of
                                just those that there are
    pointer + part + position + c   likewise without a mask, where part is what a mask below bytes leaves of the count
                                less 1: behind text_head and the strides of the loop a text has more than that
    pointer + count + c         of such a job, whose field is the count: c + size <= 0, and c + n >= 0 for the fewest
                                bytes n that there are
    toggle + c                  one half of a hand-over buffer
    pool entry + c              inside the entry
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from ..core.contract import (
    AAD_BYTES,
    COUNTED,
    FROM_HAND,
    HAND,
    IN,
    KEY,
    OUT,
    POINTED_ALIGN,
    TABLE,
    TEXT_BYTES,
    WRITTEN,
    Contract,
    Field,
)
from ..core.program import Program
from .induct import Induction
from .symbolic import Access, Machine
from .terms import Term
from .text import describe

READ_ONLY = frozenset((IN, OUT, KEY, FROM_HAND, TEXT_BYTES, AAD_BYTES))
BYTE_MOVE = "vmovdqu8"
"""The instruction whose mask has a bit for each byte, and that does not access bytes whose bits are not set."""
POSITION = -1
"""Stands for the position among the symbols of a linear form; terms are not negative."""


class Toggle(NamedTuple):
    """A symbol that is ``start`` in every other iteration and ``start xor half`` in those between."""

    start: Term
    half: int


class Bounds:
    """Judges the accesses of the last side of an induction: the program."""

    def __init__(self, program: Program, found: Induction) -> None:
        self.program, self.found = program, found
        self.contract: Contract = program.contract
        self.terms = found.terms
        self.state = self.terms.make("state", 8, 0)
        self.side = found.sides[-1]
        self.pointers: dict[Term, tuple[str, int]] = {}
        for f in self.contract.fields:
            if f.name in (IN, OUT, FROM_HAND) or f.reach:
                for lane, offset in enumerate(f.lane_offsets or (0,)):
                    self.pointers[self.terms.make("load", 8, "0", f.offset + offset)] = (f.name, lane)
        self._linear: dict[Term, tuple[dict[Term, int], int]] = {}
        self._symbols: dict[Term, tuple[dict[Term, int], int] | Toggle | None] = {}
        self._most: dict[Term, int | None] = {}

    def problems(self) -> list[str]:
        problems = layout_problems(self.program.name, self.contract)
        seen: set[tuple] = set()
        for section in ("enter", "body", "leave"):
            machine: Machine = getattr(self.side, section)
            for access in machine.accesses:
                wrong = self._judge(access, section)
                if wrong and (id(access.ins), wrong) not in seen:
                    seen.add((id(access.ins), wrong))
                    problems.append(f"{self.program.name}: {section}: {describe(access.ins)} {wrong}")
        return problems

    # ---- linear forms

    def linear(self, term: Term) -> tuple[dict[Term, int], int]:
        """({symbol: coefficient}, constant), modulo 2^64, the constant signed."""
        known = self._linear.get(term)
        if known is None:
            known = self._linear[term] = self._expand(term)
        return known

    def _expand(self, term: Term) -> tuple[dict[Term, int], int]:
        terms = self.terms
        node = terms.nodes[term]
        if node[0] == "imm":
            return {}, terms.signed(node[2], node[1])
        if node[1] == 8 and node[0] == "plus":
            form, constant = self.linear(node[2])
            return form, constant + terms.signed(node[3])
        if node[1] == 8 and node[0] == "op" and node[2] == "add":
            (a, ca), (b, cb) = self.linear(node[3]), self.linear(node[4])
            return _sum(a, b), ca + cb
        if node[1] == 8 and node[0] == "op" and node[2] == "*":
            form, constant = self.linear(node[4])
            return {t: c * node[3][1] for t, c in form.items()}, constant * node[3][1]
        if node[0] == "head":
            meaning = self.symbol(term)
            if meaning is not None and not isinstance(meaning, Toggle):
                return meaning
        return {term: 1}, 0

    def symbol(self, symbol: Term) -> tuple[dict[Term, int], int] | Toggle | None:
        """Returns what the induction says about a loop-head symbol: a linear form, a toggle, or nothing."""
        if symbol in self._symbols:
            return self._symbols[symbol]
        self._symbols[symbol] = None
        entered, left = self.found.symbols.get(symbol, (None, None))
        meaning: tuple[dict[Term, int], int] | Toggle | None = None
        if entered is not None and left is not None:
            node = self.terms.nodes[left]
            if left == symbol:
                meaning = self.linear(entered)
            elif node[0] == "plus" and node[2] == symbol and abs(self.terms.signed(node[3])) == self.contract.bytes:
                form, constant = self.linear(entered)
                meaning = _sum(form, {POSITION: self.terms.signed(node[3]) // self.contract.bytes}), constant
            elif node[0] == "op" and node[2] == "xor" and node[3] == symbol and type(node[4]) is tuple:
                meaning = Toggle(entered, node[4][1])
        self._symbols[symbol] = meaning
        return meaning

    def most(self, term: Term) -> int | None:
        """The largest number that a term can be, where masks say so."""
        if term == POSITION:
            return None
        if term not in self._most:
            self._most[term] = None  # for a symbol whose bound would rest on itself
            self._most[term] = self._bound(term)
        return self._most[term]

    def _bound(self, term: Term) -> int | None:
        node = self.terms.nodes[term]
        if node[0] == "zx":
            return self.most(node[2])
        # beyond, an immediate of 32 bits is negative
        if node[0] == "op" and node[2] == "and" and type(node[4]) is tuple and 0 <= node[4][1] < 1 << 31:
            return node[4][1]
        if node[0] == "head":
            found = [self.most(t) for t in self.found.symbols.get(term, ()) if t is not None]
            known = [most for most in found if most is not None]
            return max(known) if known and len(known) == len(self.found.symbols[term]) else None
        return None

    # ---- judgement

    def _judge(self, access: Access, section: str) -> str | None:
        """Says what is wrong with an access, or returns None."""
        if access.symbol is not None:
            return self._pool(access)
        wrong, table = self._place(access, section)
        if wrong is None and access.size and table != access.table:
            if table:
                return "reaches the table by an address that is not a sum with the state block's"
            return "has an address like the table's and is not in it"
        return wrong

    def _place(self, access: Access, section: str) -> tuple[str | None, bool]:
        """Says what is wrong with an access, or returns None; and whether the access is one of the table."""
        form, c = self.linear(access.address)
        if form == {self.state: 1}:
            return self._field(access, c), any(
                f.name == TABLE and f.offset <= c < f.offset + f.size for f in self.contract.fields
            )
        if form.get(self.state) == 1:
            spans = self._spans({t: k for t, k in form.items() if t != self.state})
            if spans is not None:
                return self._table(access, c, sum(spans)), True
        pointers = [t for t, k in form.items() if t in self.pointers and self.pointers[t][0] != FROM_HAND and k == 1]
        if len(pointers) == 1:
            rest = {t: k for t, k in form.items() if t != pointers[0]}
            reached = self.contract.field(self.pointers[pointers[0]][0])
            if reached.reach:
                count = self.contract.count_of(reached.name)
                if count is not None and rest == {self._value(count): 1}:
                    return self._last(access, reached, count, c), False
                parts = {t for t, k in rest.items() if count is not None and k == 1 and self._is_part(t, count)}
                parted = len(parts) == 1
                moving = count is not None and rest.get(POSITION) == 1
                left_out = (parts if parted else set()) | ({POSITION} if moving else set())
                spans = self._spans({t: k for t, k in rest.items() if t not in left_out})
                if spans is None:
                    return "moves a pointer that stays where it is", False
                if count is not None:
                    return self._counted(access, reached, int(moving), c, sum(spans), section, parted), False
                return self._reach(access, reached, c, sum(spans)), False
            return self._lane(access, self.pointers[pointers[0]], rest, c, section), False
        half = self._half(form)
        if half is not None:
            return self._hand(access, *half, c), False
        what = "stores to" if access.write else "reads"
        return f"{what} an address that is not proved to lie in the contract's memory", False

    def _pool(self, access: Access) -> str | None:
        data = next((k.data for k in self.contract.constants if k.name == access.symbol), None)
        if data is None:
            return f"reads the constant '{access.symbol}', which does not exist"
        if access.address < 0 or access.address + access.size > len(data):
            return (
                f"reads bytes {access.address} to {access.address + access.size} of the constant '{access.symbol}' of "
                f"{len(data)} bytes"
            )
        if access.aligned and (access.address % access.size or len(data) % access.size):
            return f"needs an aligned operand, '{access.symbol}'+{access.address} is not"
        return None

    def _field(self, access: Access, c: int) -> str | None:
        f = next((f for f in self.contract.fields if f.offset <= c < f.offset + f.size), None)
        if f is None:
            return f"accesses byte {c} of the state block, which is in no field"
        if c + access.size > f.offset + f.size:
            return f"accesses {access.size} bytes at {f.name}+{c - f.offset}, beyond the field's end"
        if access.write and (f.reach or f.name in READ_ONLY or f.name.endswith("_mask")):
            return f"stores to the field {f.name}, which is read-only"
        if access.aligned and (c % access.size or self.contract.state_align % access.size):
            return f"needs an operand aligned to {access.size}, {f.name}+{c - f.offset} is not"
        return None

    def _table(self, access: Access, c: int, span: int) -> str | None:
        f = next((f for f in self.contract.fields if f.name == TABLE), None)
        if f is None:
            return "computes an address in the state block, which has no table"
        if not f.offset <= c <= c + span + access.size <= f.offset + f.size:
            return f"accesses bytes {c - f.offset} to {c - f.offset + span + access.size} of the table of {f.size}"
        return "needs an aligned operand, its address is computed" if access.aligned else None

    def _lane(
        self, access: Access, pointer: tuple[str, int], rest: dict[Term, int], c: int, section: str
    ) -> str | None:
        name, lane = pointer
        if section != "body" or rest != {POSITION: 1}:
            return f"uses the {name} pointer of lane {lane} otherwise than in the body at the position"
        if access.size == 0:  # a hint reads nothing and cannot fault, so it may look ahead of what the contract allows
            return None
        if not 0 <= c <= c + access.size <= self.contract.bytes:
            return (
                f"accesses bytes {c} to {c + access.size} of the {self.contract.bytes} that lane {lane} of {name} has "
                "per iteration"
            )
        if access.write != (name == OUT):
            return f"{'stores to' if access.write else 'reads'} the memory of {name}"
        if name == IN and not self.contract.reads_input:
            return "reads input, which the contract denies"
        return "needs an aligned operand, the caller's memory may lie anywhere" if access.aligned else None

    def _spans(self, numbers: dict[Term, int]) -> list[int] | None:
        """How far each of the numbers, times its coefficient, can reach; None where that is not known."""
        most = [(k, self.most(t)) for t, k in numbers.items()]
        spans = [k * reach for k, reach in most if k >= 0 and reach is not None]
        return spans if len(spans) == len(most) else None

    def _reach(self, access: Access, f: Field, c: int, span: int) -> str | None:
        if access.size == 0:
            return None
        if not 0 <= c <= c + span + access.size <= f.reach:
            return f"accesses bytes {c} to {c + span + access.size} of the {f.reach} that {f.name} points to"
        if access.write != f.reach_written:
            return f"{'stores to' if access.write else 'reads'} what {f.name} points to"
        if access.aligned and (span or c % access.size or f.reach_align % access.size):
            return f"needs an operand aligned to {access.size}, {f.name}+{c} is not"
        masks = self.contract.bit_masks(f.name)
        if masks is not None:
            row, rest = divmod(c, access.size)
            loaded = self.terms.make("load", 8, "0", masks.offset + row * masks.row_bytes)
            wanted = self.terms.make("op", 8, "kmovq", loaded)
            if rest or access.ins.op != BYTE_MOVE or access.size * masks.rows != f.reach or access.mask != wanted:
                return f"accesses what {f.name} points to without the mask of these bytes"
        return None

    def _counted(
        self, access: Access, f: Field, positions: int, c: int, span: int, section: str, parted: bool
    ) -> str | None:
        """Memory of a job of which another field says how many bytes there are. A text has more than ``text_head`` and
        what the iterations so far have had, and in the body ``bytes`` more, behind a part of its end (``parted``,
        _is_part), too; what may be behind its end is accessed under a mask of as many ones."""
        if access.size == 0:
            return None
        wrong = self._of_caller(access, f)
        if wrong:
            return wrong
        count = self.contract.field(COUNTED[f.name])
        there = self.contract.fewest(count.name)
        if count.name == TEXT_BYTES:
            there = self.contract.text_head + self.contract.bytes * (section == "body" and positions)
        if c >= 0 and not span:
            if c + access.size <= there:
                return None
            masked = c + access.size <= f.reach and access.ins.op == BYTE_MOVE
            if masked and not parted and self._first_bytes(access.mask) == (count.name, -positions, -c):
                return None
        return f"accesses what {f.name} points to without the mask of the bytes that there are"

    def _last(self, access: Access, f: Field, count: Field, c: int) -> str | None:
        """Memory of a job from its end on, which is as many bytes behind the pointer as the count says."""
        if access.size == 0:
            return None
        if not -self.contract.fewest(count.name) <= c <= c + access.size <= 0:
            return (
                f"accesses bytes {c} to {c + access.size} from the end of what {f.name} points to, which has at least "
                f"{self.contract.fewest(count.name)}"
            )
        return self._of_caller(access, f)

    def _of_caller(self, access: Access, f: Field) -> str | None:
        if access.write != f.reach_written:
            return f"{'stores to' if access.write else 'reads'} what {f.name} points to"
        return "needs an aligned operand, the caller's memory may lie anywhere" if access.aligned else None

    def _is_part(self, term: Term, count: Field) -> bool:
        """Whether a term is at most what a text has behind ``text_head``, the loop's strides and a byte. Less that byte
        the length is a multiple of ``bytes``, a power of two, which head and strides have, and the length less 1 modulo
        ``bytes``. A mask below ``bytes`` leaves at most the latter of the length less 1."""
        node, step = self.terms.nodes[term], self.contract.bytes
        if count.name != TEXT_BYTES or self.contract.text_head != step or step & (step - 1):
            return False
        masked = node[:3] == ("op", 8, "and") and type(node[4]) is tuple and 0 <= node[4][1] < step
        return masked and self.linear(node[3]) == ({self._value(count): 1}, -1)

    def _value(self, f: Field) -> Term:
        """What a field of a job that is only read holds."""
        return self.terms.make("load", 8, "0", f.offset)

    def _first_bytes(self, mask: Term) -> tuple[str, int, int] | None:
        """(field, positions, d) of a mask that has as many ones as there are bytes by the field, and ``positions``
        times the position and d more; none if that is negative."""
        if mask < 0:
            return None
        node, clamped = self.terms.nodes[mask], None
        if node[:3] == ("op", 8, "kmovq"):
            node = self.terms.nodes[node[3]]
        if node[:3] == ("op", 8, "andn"):
            clamped, node = self.terms.nodes[node[3]], self.terms.nodes[node[4]]
        doubled, other = self.linear(node[2]) if node[0] == "plus" and node[3] == 1 else ({}, 0)
        more = int(list(doubled.values()) == [2] and not other)  # 2 x + 1 has a one more than x
        if more:
            node = self.terms.nodes[next(iter(doubled))]
        if node[:3] != ("op", 8, "bzhi") or self.linear(node[3]) != ({}, -1):
            return None
        form, d = self.linear(node[4])
        positions, form = form.get(POSITION, 0), {t: k for t, k in form.items() if t != POSITION}
        for f in self.contract.fields:
            if f.name in (TEXT_BYTES, AAD_BYTES) and form == {self._value(f): 1}:
                least = self.contract.fewest(f.name)
                negative = clamped is not None and clamped[:5] == ("op", 8, "sar", node[4], ("i", 63))
                # A text has more than text_head behind the position.
                sure = clamped is None and d >= -least and positions in ((0, -1) if f.name == TEXT_BYTES else (0,))
                return (f.name, positions, d + more) if negative or sure else None
        return None

    def _half(self, form: dict[Term, int]) -> tuple[Toggle, Term, bool] | None:
        """(toggle, the pointer or state that it belongs to, whether the toggle is an offset beside it) of a hand-over
        address."""
        for symbol, coefficient in form.items():
            meaning = self._toggled(symbol)
            if meaning is None or coefficient != 1:
                continue
            start, _ = self.linear(meaning.start)
            base = _sum(start, {t: k for t, k in form.items() if t != symbol})
            if len(base) == 1 and set(base.values()) == {1}:
                return meaning, next(iter(base)), not start
        return None

    def _toggled(self, term: Term) -> Toggle | None:
        """The toggle that a term is, before or after it is toggled in this iteration."""
        node = self.terms.nodes[term]
        flip = None
        if node[0] == "op" and node[1] == 8 and node[2] == "xor" and type(node[4]) is tuple:
            flip, node, term = node[4][1], self.terms.nodes[node[3]], node[3]
        meaning = self.symbol(term) if node[0] == "head" else None
        return meaning if isinstance(meaning, Toggle) and flip in (None, meaning.half) else None

    def _hand(self, access: Access, toggle: Toggle, base: Term, beside: bool, c: int) -> str | None:
        own = base == self.state
        if (own and not self.contract.has(HAND)) or (not own and self.pointers.get(base, ("",))[0] != FROM_HAND):
            return "toggles an address that is not the hand-over buffer's"
        f = self.contract.field(HAND) if own else None
        size, offset = (f.size, f.offset) if f else (2 * self.contract.lanes * self.contract.bytes, 0)
        half = toggle.half
        if half * 2 != size:
            return f"toggles by {half}; a half of the hand-over buffer has {size // 2} bytes"
        start = self.linear(toggle.start)[1] - (0 if beside else offset)
        if start not in (0, half):
            return f"starts at byte {start} of the hand-over buffer"
        if not beside and f is not None and (offset % size or self.contract.state_align % size):
            return f"toggles an address bit of a hand-over buffer that is not aligned to {size}"
        low = c - offset if beside else c
        if not 0 <= low <= low + access.size <= half:
            return f"accesses bytes {low} to {low + access.size} of a half of {half} bytes of the hand-over buffer"
        if f is None and access.write:
            return "stores to the producer's hand-over buffer"
        if access.aligned and (low % access.size or half % access.size or offset % access.size):
            return f"needs an operand aligned to {access.size}; byte {low} of the hand-over buffer is not"
        return None


def layout_problems(name: str, contract: Contract) -> list[str]:
    """Fields that overlap, leave the state block or are not aligned as they say."""
    problems, end, last = [], 0, "the start"
    for f in sorted(contract.fields, key=lambda f: f.offset):
        if f.offset < end:
            problems.append(f"{name}: field {f.name} overlaps {last}")
        if f.reach and (f.reach_align > POINTED_ALIGN.get(f.name, 1) or (f.reach_written and f.name not in WRITTEN)):
            problems.append(f"{name}: what {f.name} points to is not aligned so, or not to be written")
        if f.offset % f.align or contract.state_align % f.align:
            problems.append(f"{name}: field {f.name} at {f.offset} is not aligned to {f.align}")
        entries = sorted(row * f.row_bytes + lane for row in range(f.rows) for lane in f.lane_offsets)
        if any(b - a < f.entry_bytes for a, b in itertools.pairwise(entries)):
            problems.append(f"{name}: entries of field {f.name} overlap")
        end, last = f.offset + f.size, f.name
    if end > contract.state_bytes or contract.state_bytes % contract.state_align:
        problems.append(
            f"{name}: a state block of {contract.state_bytes} bytes does not hold its fields, which end at {end}"
        )
    return problems


def _sum(a: dict[Term, int], b: dict[Term, int]) -> dict[Term, int]:
    total = dict(a)
    for term, coefficient in b.items():
        total[term] = total.get(term, 0) + coefficient
    return {t: k for t, k in total.items() if k % (1 << 64)}
