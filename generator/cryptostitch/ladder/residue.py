"""The check `residue`: after the kernel no 8-byte piece of a key, a round key, a text or a chaining value is in a
register or in the 96 KiB below the stack pointer.

The library's memory is searched by another program (tests/runtime/residue_test.cpp), because only it knows what the
library allocates.
"""

from __future__ import annotations

from ..core.catalog import Algorithm
from ..core.program import Recipe
from . import des, probe_library
from .keys import expanded, inverse_expanded
from .native import NativeMachine
from .result import Effort, Result
from .scene import Scene, Secrets, random_secrets
from .subject import Subject

PIECE = 8
AES_KEY_BYTES = (16, 24, 32)


def check(subject: Subject, effort: Effort) -> Result:
    problems, pieces = explore(subject.recipe, subject.rows, subject.assembled().code, effort)
    return Result.of(problems, f"{pieces} pieces of secrets looked for")


class Needles:
    """Pieces of secrets at every offset; and each 4-byte word with its neighbour lane's, once the lanes are equal, as
    words twice."""

    def __init__(self) -> None:
        self.pieces: set[bytes] = set()

    def add(self, data: bytes) -> None:
        for i in range(len(data) - PIECE + 1):
            self._put(data[i : i + PIECE])
        for i in range(0, len(data) - 3, 4):
            word = data[i : i + 4]
            self._put(word * 2)
            self._put(word[::-1] * 2)

    def _put(self, piece: bytes) -> None:
        if len(set(piece)) > 2:  # zeros and fill patterns are no secrets
            self.pieces.add(piece)

    def within(self, haystack: bytes) -> int:
        """Returns the position of the first piece; -1: there is none."""
        return next((i for i in range(len(haystack) - PIECE + 1) if haystack[i : i + PIECE] in self.pieces), -1)


def _recorded(secrets: Secrets, needles: Needles) -> Secrets:
    """Gives all lanes equal secrets, and records them: transposed, a word of equal lanes is itself."""
    seen: dict[tuple[str, int], bytes] = {}

    def same(what: str, size: int) -> bytes:
        kind = what.split(" ")[0], size
        if kind not in seen:
            seen[kind] = secrets(what, size)
            needles.add(seen[kind])
            if kind[0] == "key":
                aes = (expanded, inverse_expanded) if size in AES_KEY_BYTES else ()
                schedules = (*aes, des.rows, des.sliced_rows) if size == des.KEY_BYTES else aes
                for round_key in (row for schedule in schedules for row in schedule(seen[kind])):
                    needles.add(round_key)
        return seen[kind]

    return same


def explore(recipe: Recipe, rows: list[Algorithm], code: bytes, effort: Effort) -> tuple[list[str], int]:
    """(problems, pieces that were looked for)."""
    machine, needles = NativeMachine(), Needles()
    scene = Scene(recipe, rows, machine, sum(recipe.counts(2)))
    for expected in scene.fill(_recorded(random_secrets((effort.seed, recipe.name)), needles)):
        needles.add(expected.data)
    called = machine.call(code, scene.arguments)
    if called.fault:
        return [called.fault], 0
    after, problems = called.after, []
    found = [f"general register {n}" for n in range(16) if needles.within(after.general[n].to_bytes(8, "little")) >= 0]
    found += [f"mask register {n}" for n in range(8) if needles.within(after.mask[n].to_bytes(8, "little")) >= 0]
    found += [f"vector register {n}" for n in range(32) if needles.within(bytes(after.vector[n])) >= 0]
    problems += [f"a secret is left in {where}" for where in found]
    at = needles.within(called.stack[: probe_library.BELOW])
    if at >= 0:
        problems.append(f"a secret is left {probe_library.BELOW - at} bytes below the stack pointer")
    return problems, len(needles.pieces)
