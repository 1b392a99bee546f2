"""The files that a build wants: the default pack, and objects with their header and table."""

from __future__ import annotations

import contextlib
import fnmatch
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..core import catalog, program
from ..core.answers import Answer
from ..core.errors import DoesNotFit, UnknownName
from ..core.program import CostTable, Recipe
from ..cpus.costs import cost_tables
from ..listing import Catalogue
from ..passes.frame import frame
from ..passes.verify import verify_kernel
from ..pipeline import Generator
from .assembly import ELF, Format, symbol_name
from .compress import compressed
from .header import header_text, static_table_text
from .objects import elf_functions, machine_code, object_bytes
from .pack import write_pack

KERNELS_PER_OBJECT = 40

Progress = Callable[[int, int, str], None]


def algorithm_records(algorithms: Iterable[catalog.Algorithm]) -> list[program.Algorithm]:
    """The catalogue's rows as the pack's records."""
    return [row.record for row in algorithms]


def row_answers(algorithms: Iterable[catalog.Algorithm]) -> list[Answer]:
    """The known answers that rows bring."""
    return [
        answer
        for a in algorithms
        for answer in (*(Answer(a.suite, text=text, tag=digest) for text, digest in a.answers), *a.suite_answers)
    ]


def pack_of(generator: Generator, recipes: Sequence[Recipe], answers: Sequence[Answer] = ()) -> bytes:
    """A pack of these kernels, with every cost table that mentions them."""
    return write_pack(
        algorithm_records(generator.algorithms.values()),
        recipes,
        cost_tables([r.name for r in recipes]),
        store=compressed,
        answers=answers,
    )


def own_recipes(catalogue: Catalogue, glob: str = "*", progress: Progress = lambda *_: None) -> list[Recipe]:
    """The kernels that algorithms of the user's folder take part in and whose names match, compiled and proved; pairs
    whose registers do not fit are left out. UnknownName where none matches."""
    own = catalogue.own_kernels()
    wanted = [(name, parts) for name, _, _, parts, _ in own if fnmatch.fnmatchcase(name, glob)]
    if not wanted:
        raise UnknownName("kernel of the folder's algorithms", glob, [kernel[0] for kernel in own])
    found = []
    for done, (name, parts) in enumerate(wanted):
        progress(done, len(wanted), name)
        with contextlib.suppress(DoesNotFit):
            recipe = catalogue.default_recipe(parts)
            catalogue.kernel(recipe)
            found.append(recipe)
    return found


def own_pack(catalogue: Catalogue, recipes: Sequence[Recipe], costs: Sequence[CostTable] = ()) -> bytes:
    """A pack of these kernels and of what the user's folder says of its algorithms, for a library that has the
    project's own."""
    used = {part.program.algorithm for recipe in recipes for part in recipe.parts}
    rows = [row for row in catalogue.algorithms.values() if row in catalogue.given[0] or row.name in used]
    bases = {row.base for row in rows} - {row.name for row in rows} - {""}
    rows = [catalogue.algorithms[name] for name in sorted(bases)] + rows
    return write_pack(algorithm_records(rows), recipes, costs, store=compressed, answers=row_answers(rows))


def write_static(
    folder: Path, recipes: Sequence[Recipe], fmt: Format, command: str, progress: Progress | None = None
) -> list[Path]:
    """Objects ``static_kernels_<n>.o``, the table ``static_kernels.c`` and the header ``cryptostitch_kernels.h`` in
    ``folder``. Two shared libraries that hold kernels of one name would run the first one's, so that none exports them.

    Raises BindError when a kernel does not fit the registers of the format's calling convention.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kernels = [verify_kernel(frame(r, "sysv" if fmt.name != "coff" else "win64")) for r in recipes]
    written: list[Path] = []
    sizes: dict[str, int] = {}
    for n, start in enumerate(range(0, max(1, len(kernels)), KERNELS_PER_OBJECT)):
        some = kernels[start : start + KERNELS_PER_OBJECT]
        data = object_bytes(some, fmt, hidden=True)
        codes = elf_functions(data) if fmt is ELF else {symbol_name(k): c for k, c in machine_code(some).items()}
        sizes |= {symbol: len(code) for symbol, code in codes.items()}
        path = folder / f"static_kernels_{n}.o"
        path.write_bytes(data)
        written.append(path)
        if progress:
            progress(min(start + KERNELS_PER_OBJECT, len(kernels)), len(kernels), path.name)
    by_name = {r.name: sizes[symbol_name(r.name)] for r in recipes}
    for name, text in (("static_kernels.c", static_table_text), ("cryptostitch_kernels.h", header_text)):
        (folder / name).write_text(text(recipes, by_name, command), encoding="utf-8")
        written.append(folder / name)
    return written
