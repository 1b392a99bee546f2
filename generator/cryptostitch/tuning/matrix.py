"""Every stream of some with every one of others that shares its loop, proved and timed: what stitching is worth on
this CPU.

The table of Gopal et al., "Fast Cryptographic Computation on Intel Architecture Processors Via Function Stitching"
(2010), for the core at hand.
"""

from __future__ import annotations

import fnmatch
import itertools
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..binding.runtime import ERR_UNSUPPORTED, RuntimeFailure
from ..core.catalog import Algorithm, Form
from ..core.errors import CryptostitchError, UnknownName
from ..core.kinds import KINDS
from ..core.names import StreamName, kernel_name
from ..core.registers import BindError
from ..model.bound import bound
from ..model.table import Table, table_of, tables
from ..pipeline import Generator
from .apart import Apart
from .measure import Laboratory, pinned
from .trial import Trial, trial

Progress = Callable[[int, int, str], None]
Parts = list[tuple[StreamName, str]]


@dataclass(frozen=True)
class Cell:
    """A pair of texts, by their names. ``trials``: one for each way to stitch them that fits, the fewest woven cycles
    per byte first, and behind them those that were disturbed.

    ``reasons``: why other ways, or all, are missing. ``bound``: what this CPU's units allow the best one, in cycles per
    byte; None without an instruction table for this CPU (`cryptostitch probe` makes one)."""

    row: str
    column: str
    trials: tuple[Trial, ...] = ()
    reasons: tuple[str, ...] = ()
    bound: float | None = None

    @property
    def best(self) -> Trial | None:
        return self.trials[0] if self.trials else None

    def data(self) -> dict:
        """Everything as JSON."""
        return {
            "row": self.row,
            "column": self.column,
            "trials": [t.data() for t in self.trials],
            "reasons": list(self.reasons),
            "bound": self.bound and round(self.bound, 4),
        }


ROWS, COLUMNS = "aes128_cbc_enc", "sha1,sha256"
"""The cells' texts where nothing is said."""

FAMILIES: dict[str, Callable[[Algorithm], bool]] = {
    "ciphers": lambda row: KINDS[row.kind].writes and row.kind != "codec",
    "digests": lambda row: row.kind == "hash",
    "checksums": lambda row: row.kind == "checksum",
    "macs": lambda row: row.kind in ("ghash", "poly1305", "cbc_mac"),
    "readers": lambda row: not KINDS[row.kind].writes and row.kind != "schedule",
}


def texts(generator: Generator, wanted: str) -> list[Form]:
    """The texts of the catalogue that are meant by names with commas between them: globs of texts, names of algorithms
    and suites, families (FAMILIES). UnknownName where one means nothing."""
    found: dict[str, Form] = {}
    rows = list(generator.algorithms.values())
    for name in filter(None, (part.strip() for part in wanted.split(","))):
        if name in FAMILIES:
            meant = [form for row in rows if FAMILIES[name](row) for form in row.forms]
        else:
            meant = [
                form for form in (f for row in rows for f in row.forms) if fnmatch.fnmatchcase(form.name, name)
            ] or generator.forms_named(name)
        if not meant:
            raise UnknownName("stream", name, [*generator.forms, *FAMILIES, *(row.suite for row in rows)])
        found |= {form.name: form for form in meant}
    return list(found.values())


def cell(
    generator: Generator,
    first: Form,
    second: Form,
    isas: Sequence[str],
    seconds: float,
    table: Table | None = None,
    apart: Apart | None = None,
) -> Cell:
    """Tries every candidate, each timed for about ``seconds``. One that cannot be made, proved or run is a reason."""
    apart = apart or Apart(generator)
    trials, reasons = [], []
    ways = generator.ways(first, second, isas)
    for parts in ways:
        names = "+".join(str(name) for name, _ in parts)
        where = f"{names} on {':'.join(dict.fromkeys(isa for _, isa in parts))}"
        try:
            recipe = generator.stitch(parts, ratios=generator.equal_bytes(parts))
            trials.append(trial(generator, recipe, seconds=seconds, apart=apart))
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
            for form in (first, second)
        ]
        reasons.append(f"no lanes in common: {first.name} has {lanes[0]}; {second.name} has {lanes[1]}")
    trials.sort(key=lambda t: (t.doubt != "", t.per_byte(t.woven.per_iteration)))
    return Cell(
        first.name,
        second.name,
        tuple(trials),
        tuple(reasons),
        _bound(generator, trials[0], table) if trials and table else None,
    )


def _bound(generator: Generator, best: Trial, table: Table) -> float | None:
    try:
        return bound(best.kernel, table, share=generator.message_share(best.recipe)).cycles_per_byte
    except CryptostitchError:  # an instruction that the table lacks
        return None


def pairs_of(generator: Generator, rows: str, columns: str, pairs: Sequence[str] = ()) -> list[tuple[Form, Form]]:
    """The cells' texts: every row with every column, or those that ``pairs`` name as A+B,... See ``texts``. Where
    nothing is named, those that rows of one's own say they are stitched with, if any does."""
    if not (rows or columns or pairs) and (own := generator.named_pairs()):
        return own
    rows, columns = rows or ROWS, columns or COLUMNS
    if not pairs:
        return list(itertools.product(texts(generator, rows), texts(generator, columns)))
    found: list[tuple[Form, Form]] = []
    for named in ",".join(pairs).split(","):
        sides = named.split("+")
        if len(sides) != 2 or not all(sides):
            raise CryptostitchError(f"'{named}' is no pair: write two names like md5+sha1")
        first, second = (texts(generator, side) for side in sides)
        found += [pair for pair in itertools.product(first, second) if pair not in found]
    return found


def matrix(
    generator: Generator,
    isas: Sequence[str],
    wanted: Sequence[tuple[Form, Form]],
    *,
    seconds: float = 0.2,
    minutes: float | None = None,
    progress: Progress = lambda *_: None,
    each: Callable[[Cell], None] = lambda _: None,
) -> list[Cell]:
    """A cell for each two texts. ``isas``: what may be used. ``minutes``: after so many no other cell is begun, and the
    cells that are left say so. ``each`` gets every cell when it is done. Raises MeasureError where nothing at all can
    be measured."""
    with pinned():
        detected = Laboratory().context.cpu()["microarchitecture"]
    table = table_of(detected) if detected in tables() else None
    cells: list[Cell] = []
    apart = Apart(generator)
    end = math.inf if minutes is None else time.monotonic() + 60 * minutes
    for first, second in wanted:
        progress(len(cells), len(wanted), f"{first.name} + {second.name}")
        late = time.monotonic() >= end
        cells.append(
            Cell(first.name, second.name, reasons=(f"not tried: {minutes:g} minutes were over (--minutes)",))
            if late
            else cell(generator, first, second, isas, seconds, table, apart)
        )
        each(cells[-1])
    return cells


def lanes_of(found: Trial) -> str:
    """How the cell's kernel is laid out: "x16 hand avx512_vaes"."""
    parts, target = kernel_name(found.recipe.name)
    return f"x{parts[0].lanes}{' hand' if parts[0].hand else ''} {target}"


def grid(cells: Iterable[Cell]) -> tuple[list[str], list[str], dict[tuple[str, str], Cell]]:
    """(rows, columns, cell by both) in order of appearance."""
    by_names = {(c.row, c.column): c for c in cells}
    if not by_names:
        raise CryptostitchError("an empty matrix")
    return list(dict.fromkeys(r for r, _ in by_names)), list(dict.fromkeys(c for _, c in by_names)), by_names
