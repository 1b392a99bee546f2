"""Every cipher with every hash that shares its loop, proved and timed: what stitching is worth on this CPU.

The table of Gopal et al., "Fast Cryptographic Computation on Intel Architecture Processors Via Function Stitching"
(2010), for the core at hand.
"""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..binding.runtime import ERR_UNSUPPORTED, RuntimeFailure
from ..core import catalog
from ..core.catalog import Algorithm, Form
from ..core.errors import CryptostitchError, UnknownName
from ..core.kinds import KINDS
from ..core.names import StreamName, kernel_name
from ..core.registers import BindError
from ..model.bound import bound
from ..model.table import Table, table_of, tables
from ..pipeline import Generator
from .measure import Laboratory, pinned
from .trial import Trial, trial

Progress = Callable[[int, int, str], None]
Parts = list[tuple[StreamName, str]]


@dataclass(frozen=True)
class Cell:
    """A cipher with a hash. ``trials``: one for each way to stitch them that fits, the fewest woven cycles per byte
    first.

    ``reasons``: why other ways, or all, are missing. ``bound``: what this CPU's units allow the best one, in cycles per
    byte; None without an instruction table for this CPU (`cryptostitch probe` makes one)."""

    cipher: str
    hash: str
    trials: tuple[Trial, ...] = ()
    reasons: tuple[str, ...] = ()
    bound: float | None = None

    @property
    def best(self) -> Trial | None:
        return self.trials[0] if self.trials else None

    def data(self) -> dict:
        """Everything as JSON."""
        return {
            "cipher": self.cipher,
            "hash": self.hash,
            "trials": [t.data() for t in self.trials],
            "reasons": list(self.reasons),
            "bound": self.bound and round(self.bound, 4),
        }


def ciphers(generator: Generator, glob: str = "*") -> list[tuple[Algorithm, Form]]:
    """The texts of the catalogue that write an output and match ``glob``. UnknownName when there are none."""
    return _texts(generator, glob, "cipher", lambda row: KINDS[row.kind].writes)


def hashes(generator: Generator, glob: str = "*") -> list[tuple[Algorithm, Form]]:
    """The texts that only read: hashes, and MACs of blocks. UnknownName when none matches."""
    return _texts(generator, glob, "hash", lambda row: not KINDS[row.kind].writes)


def _texts(
    generator: Generator, glob: str, what: str, wanted: Callable[[Algorithm], bool]
) -> list[tuple[Algorithm, Form]]:
    there = [(row, form) for row, form in generator.forms.values() if wanted(row)]
    found = [(row, form) for row, form in there if fnmatch.fnmatchcase(form.name, glob)]
    if not found:
        raise UnknownName(what, glob, [form.name for _, form in there])
    return found


def candidates(cipher: Form, hash_: Form, isas: Sequence[str], by: int = 0) -> list[Parts]:
    """The ways to stitch the two on these instruction sets: equal lanes, through memory and, where there is one,
    through the hand-over buffer.

    ``by``: the cipher's blocks per iteration, for hashes of larger blocks than its usual amount."""
    found = []
    for ci, hi in sorted(catalog.PAIRED_ISAS):
        if ci not in isas or hi not in isas:
            continue
        for lanes in sorted(set(cipher.lanes.get(ci, ())) & set(hash_.lanes.get(hi, ()))):
            for hand in (False, True) if (ci, lanes) in catalog.HAND_OVER else (False,):
                found.append(
                    [
                        (StreamName(cipher.name, lanes, by, hand=hand), ci),
                        (StreamName(hash_.name, lanes, hand=hand), hi),
                    ]
                )
    return found


def cell(
    generator: Generator, cipher: Form, hash_: Form, isas: Sequence[str], seconds: float, table: Table | None = None
) -> Cell:
    """Tries every candidate, each timed for about ``seconds``. One that cannot be made, proved or run is a reason."""
    trials, reasons = [], []
    ways = candidates(cipher, hash_, isas, generator.blocks_beside(cipher, hash_))
    for parts in ways:
        names = "+".join(str(name) for name, _ in parts)
        where = f"{names} on {':'.join(dict.fromkeys(isa for _, isa in parts))}"
        try:
            trials.append(trial(generator, generator.stitch(parts), seconds=seconds))
        except (CryptostitchError, BindError) as refusal:
            why = str(refusal)
            reasons.append(why if why.startswith(f"{names}@") else f"{where}: {why.removeprefix(f'{names}: ')}")
        except RuntimeFailure as failure:
            if failure.code != ERR_UNSUPPORTED:
                raise
            reasons.append(f"{where}: not on this CPU")
    if not ways:
        lanes = [
            ", ".join(f"x{n}@{isa}" for isa, many in form.lanes.items() if isa in isas for n in many) or "nothing"
            for form in (cipher, hash_)
        ]
        reasons.append(f"no lanes in common: {cipher.name} has {lanes[0]}; {hash_.name} has {lanes[1]}")
    trials.sort(key=lambda t: (t.doubt != "", t.per_byte(t.woven.per_iteration)))
    return Cell(
        cipher.name,
        hash_.name,
        tuple(trials),
        tuple(reasons),
        _bound(generator, trials[0], table) if trials and table else None,
    )


def _bound(generator: Generator, best: Trial, table: Table) -> float | None:
    try:
        return bound(best.kernel, table, share=generator.message_share(best.recipe)).cycles_per_byte
    except CryptostitchError:  # an instruction that the table lacks
        return None


def matrix(
    generator: Generator,
    isas: Sequence[str],
    *,
    cipher_glob: str = "*",
    hash_glob: str = "*",
    seconds: float = 0.2,
    progress: Progress = lambda *_: None,
) -> list[Cell]:
    """All cells, ciphers in the catalogue's order, then hashes. ``isas``: what may be used. Raises UnknownName for a
    glob without a match, and MeasureError where nothing at all can be measured."""
    rows, columns = ciphers(generator, cipher_glob), hashes(generator, hash_glob)
    with pinned():
        detected = Laboratory().context.cpu()["microarchitecture"]
    table = table_of(detected) if detected in tables() else None
    cells: list[Cell] = []
    for (_, cipher), (_, hash_) in itertools.product(rows, columns):
        progress(len(cells), len(rows) * len(columns), f"{cipher.name} + {hash_.name}")
        cells.append(cell(generator, cipher, hash_, isas, seconds, table))
    return cells


def lanes_of(found: Trial) -> str:
    """How the cell's kernel is laid out: "x16 hand avx512_vaes"."""
    parts, target = kernel_name(found.recipe.name)
    return f"x{parts[0].lanes}{' hand' if parts[0].hand else ''} {target}"


def grid(cells: Iterable[Cell]) -> tuple[list[str], list[str], dict[tuple[str, str], Cell]]:
    """(ciphers, hashes, cell by both) in order of appearance."""
    by_names = {(c.cipher, c.hash): c for c in cells}
    if not by_names:
        raise CryptostitchError("an empty matrix")
    return list(dict.fromkeys(c for c, _ in by_names)), list(dict.fromkeys(h for _, h in by_names)), by_names
