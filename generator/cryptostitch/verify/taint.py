"""Taint: no secret in an address, in a variable-time instruction, or in a public field.

Secret are the contents of the contract's secret fields, whatever is loaded through a pointer (input, hand-over
buffers), and all that is computed from them. Streams have no branches of their own: the only branch of a kernel is on
the loop counter, which no stream's window holds (`kernel.py` proves that), and no row writes it from flags. Streams and
rows that are variable-time on purpose carry ``vartime`` in the stream's name; their secrets may reach addresses. A
contract that says ``public`` has no secrets: nothing is to be shown about them.
"""

from __future__ import annotations

from bisect import bisect_right

from ..core.instructions import INSTRUCTIONS
from ..core.program import Program
from .induct import Induction
from .symbolic import Machine
from .terms import Term
from .text import describe


class Taint:
    """Judges the last side of an induction: the program."""

    def __init__(self, program: Program, found: Induction) -> None:
        self.program, self.found = program, found
        self.terms = found.terms
        self.state = self.terms.make("state", 8, 0)
        self.side = found.sides[-1]
        self.fields = sorted(program.contract.fields, key=lambda f: f.offset)
        self._starts = [f.offset for f in self.fields]
        self.public_heads = self._public_heads()
        self._known: dict[Term, bool] = {}

    def problems(self) -> list[str]:
        public = self.program.contract.public
        lenient = public or "vartime" in self.program.stream
        problems: list[str] = []
        seen: set[tuple] = set()

        def complain(section: str, ins, what: str) -> None:
            if (id(ins), what) not in seen:
                seen.add((id(ins), what))
                problems.append(f"{self.program.name}: {section}: {describe(ins)} {what}")

        for section in ("enter", "body", "leave"):
            machine: Machine = getattr(self.side, section)
            for access in machine.accesses:
                if access.symbol is not None:
                    continue
                if not lenient and self.secret(access.address):
                    complain(section, access.ins, "has an address that depends on a secret")
                if not public and access.write and self._field_is_public(machine, access) and self.secret(access.value):
                    complain(section, access.ins, "stores a secret to a public field")
            for ins in getattr(self.side.code, section):
                if INSTRUCTIONS[ins.op].vartime and not lenient:
                    complain(section, ins, "takes variable time, and the stream's name does not say vartime")
                if ins.op.startswith("j") or ins.op in ("call", "ret", "loop"):
                    complain(section, ins, "branches, which a stream must not")
        return problems

    # ---- what is secret

    def secret(self, term: Term) -> bool:
        known = self._known.get(term)
        if known is not None:
            return known
        stack = [term]
        while stack:  # not recursive: chains of a hash are thousands of terms long
            top = stack[-1]
            if top in self._known:
                stack.pop()
                continue
            answer = self._leaf(top)
            if answer is None:
                operands = self.terms.operands(top)
                unknown = [o for o in operands if o not in self._known]
                if unknown:
                    stack.extend(unknown)
                    continue
                answer = any(self._known[o] for o in operands)
            self._known[top] = answer
            stack.pop()
        return self._known[term]

    def _leaf(self, term: Term) -> bool | None:
        """Whether a term without operands is secret; None if its operands decide."""
        node = self.terms.nodes[term]
        tag = node[0]
        if tag in ("state", "imm", "const"):
            return False
        if tag == "load":
            return any(self._field_secret(o) for o in range(node[3], node[3] + node[1], 4))
        if tag in ("user", "undef"):
            return True
        if tag == "head":
            return term not in self.public_heads
        return None

    def _public_heads(self) -> set[Term]:
        """The largest set of loop-carried symbols that are public if all in the set are: enter and body give them
        public values."""
        public = set(self.found.symbols)
        while True:
            self.public_heads, self._known = public, {}
            still = {s for s in public if all(t is not None and not self.secret(t) for t in self.found.symbols[s])}
            if still == public:
                return public
            public = still

    def _field_secret(self, offset: int) -> bool:
        at = bisect_right(self._starts, offset) - 1
        if at < 0 or offset >= self.fields[at].offset + self.fields[at].size:
            return True
        return self.fields[at].secret

    def _field_is_public(self, machine: Machine, access) -> bool:
        block, offset = machine._where(access.address, access.size)
        return block is not None and not all(self._field_secret(o) for o in range(offset, offset + access.size, 4))
