"""Digests of columns as C that needs no library: for each hash a file of data, the object of all kernels, and the
driver (column_driver.h), which is the same for all."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.catalog import Algorithm
from ..core.contract import CHAIN, IN, Field
from ..core.errors import CryptostitchError, UnknownName
from ..core.isa import ISAS
from ..core.names import StreamName
from ..core.program import Recipe
from ..cpus.costs import measured_rows
from ..passes.allocate import body_cost
from ..passes.frame import frame
from ..passes.verify import verify_kernel
from ..pipeline import Generator
from .assembly import Format, file_text, symbol_name
from .objects import object_bytes

TARGETS = tuple(sorted((i for i in ISAS if ISAS[i].vectors), key=lambda i: -ISAS[i].level))
"""Instruction sets that have lanes, the widest first."""
SMALLER = 1.15
"""Of the kernels of one instruction set the one of fewest lanes that costs at most so many times what the cheapest
does: less code, and fewer lanes to fill."""
DRIVER = ("column_driver.h", "column_cpu.h")
HEADER = "cryptostitch_columns.h"
PREFIX = "cst_column_"


@dataclass(frozen=True)
class Choice:
    """A kernel that a hash is given. ``cycles``: of an iteration."""

    recipe: Recipe
    cycles: float

    @property
    def lanes(self) -> int:
        return sum(part.program.contract.lanes for part in self.recipe.parts)


def hash_named(name: str, generator: Generator) -> Algorithm:
    """The catalogue's row. UnknownName, or CryptostitchError for a hash that pads in another way."""
    hashes = {a.name: a for a in generator.algorithms.values() if a.kind == "hash"}
    hashes |= {a.suite: a for a in hashes.values()}
    if name not in hashes:
        raise UnknownName("hash", name, [n for n, a in hashes.items() if a.padding == "length"])
    if hashes[name].padding != "length" or hashes[name].digest_bytes % hashes[name].word_bytes:
        with_columns = ", ".join(sorted(n for n, a in hashes.items() if a.padding == "length"))
        raise CryptostitchError(f"{name} has no static columns, by the way it pads: there are {with_columns}")
    return hashes[name]


def targets_named(names: Iterable[str]) -> list[str]:
    """The instruction sets, the widest first. UnknownName."""
    wanted = list(names)
    for name in wanted:
        if name not in TARGETS:
            raise UnknownName("target of columns", name, TARGETS)
    return [target for target in TARGETS if target in wanted]


def kernels_of(hash_: Algorithm, targets: Iterable[str], generator: Generator) -> list[Choice]:
    """The kernels of a hash: of each target one for many items; and for what does not fill its lanes one of a single
    lane, without wide vectors. Those that need the SHA extensions come beside those that do not."""
    base = generator.algorithms[hash_.base] if hash_.base else hash_
    found: dict[str, Recipe] = {}
    for form in base.forms:
        for isa, many in form.lanes.items():
            for lanes in {n * groups for n in many for groups in form.groups if groups == 1 or isa in form.grouped}:
                if isa in targets if lanes > 1 else ISAS[isa].level <= ISAS["sse"].level:
                    recipe = generator.stitch([(StreamName(form.name, lanes), isa)])
                    if not recipe.parts[0].program.contract.is_listed:
                        found[recipe.name] = recipe
    cycles = _cycles(list(found.values()))
    choices = [Choice(recipe, cycles[name]) for name, recipe in found.items()]

    def kind(choice: Choice) -> tuple[str, bool]:
        isa = choice.recipe.parts[0].program.isa if choice.lanes > 1 else ""
        return isa, "sha" in choice.recipe.features

    chosen = []
    for wanted in sorted({kind(c) for c in choices}):
        alike = [c for c in choices if kind(c) == wanted]
        least = min(c.cycles / c.lanes for c in alike)
        near = [c for c in alike if c.cycles / c.lanes <= SMALLER * least]
        chosen.append(min(near, key=lambda c: (c.lanes, c.cycles)))
    return sorted(chosen, key=lambda c: (-c.lanes, c.recipe.name))


def _cycles(recipes: Sequence[Recipe]) -> dict[str, float]:
    """Core cycles of an iteration: the geometric mean over the CPUs where all were measured; without such a CPU what
    the allocator counts: instructions and memory accesses."""
    tables = [rows for rows in measured_rows().values() if all(r.name in rows for r in recipes)]
    if not tables:
        return {r.name: float(sum(body_cost(part.program) for part in r.parts)) for r in recipes}
    return {r.name: statistics.geometric_mean(rows[r.name][0] for rows in tables) for r in recipes}


def write_columns(
    folder: Path,
    hashes: Sequence[Algorithm],
    targets: Sequence[str],
    generator: Generator,
    fmt: Format,
    command: str,
    progress: Callable[[int, int, str], None] | None = None,
    *,
    prefix: str = PREFIX,
    assembly: bool = False,
) -> list[tuple[Path, list[Recipe]]]:
    """``cryptostitch_columns.h``, the driver, ``column_<hash>.c`` of each hash, and ``column_kernels.o``, or with
    ``assembly`` ``column_kernels.S``; each with the kernels that it calls or holds. Hashes that differ in their start
    share theirs. ``prefix`` begins the names of all functions."""
    files: dict[Path, bytes] = {}  # written when all are made: an interrupted run leaves nothing
    written: list[tuple[Path, list[Recipe]]] = []

    def write(name: str, content: str | bytes, recipes: list[Recipe]) -> None:
        files[folder / name] = content.encode() if isinstance(content, str) else content
        written.append((folder / name, recipes))

    made: dict[str, list[Choice]] = {}
    for done, row in enumerate(hashes):
        if progress:
            progress(done, len(hashes), row.name)
        base = row.base or row.name
        if base not in made:
            made[base] = kernels_of(row, targets, generator)
        write(f"column_{row.name}.c", hash_text(row, made[base], command, prefix), [c.recipe for c in made[base]])
    recipes = [choice.recipe for choices in made.values() for choice in choices]
    framed = [verify_kernel(frame(r, "win64" if fmt.name == "coff" else "sysv")) for r in recipes]
    own = [replace(kernel, name=_own_name(kernel.name, prefix)) for kernel in framed]
    if assembly:
        write("column_kernels.S", file_text(own, fmt, comments=False), recipes)
    else:
        write("column_kernels.o", object_bytes(own, fmt), recipes)
    write(HEADER, header_text(hashes, command, prefix), [])
    for name in DRIVER:
        write(name, Path(__file__).with_name(name).read_text(encoding="utf-8"), [])
    folder.mkdir(parents=True, exist_ok=True)
    for path, data in files.items():
        path.write_bytes(data)
    return written


def _own_name(kernel: str, prefix: str) -> str:
    """Other symbols than those of `emit --static` and of the library, so that a program may link both."""
    return prefix.removeprefix("cst_") + kernel


def hash_text(hash_: Algorithm, choices: Sequence[Choice], command: str, prefix: str) -> str:
    """Returns the C text of a hash for the driver: its constants and functions."""
    bits, name = 8 * hash_.word_bytes, hash_.name
    states = [sum(p.program.contract.state_bytes for p in c.recipe.parts) for c in choices]
    initial = "".join(f"\n    0x{w:0{bits // 4}x}," for w in hash_.initial)
    declared = "".join(f"CST_HIDDEN void {_symbol(c, prefix)}(const struct kernel_args *);\n" for c in choices)
    return f"""\
/* Made by: {command} */
#include "{HEADER}"

typedef uint{bits}_t word;
enum {{
    WORDS = {hash_.words},
    BLOCK = {hash_.block_bytes},
    LENGTH = {hash_.length_bytes},
    BIG_ENDIAN_WORDS = {int(hash_.big_endian)},
    DIGEST = {hash_.digest_bytes},
    MOST_LANES = {max(c.lanes for c in choices)},
    MOST_STATE = {max(states)},
    KERNELS = {len(choices)}
}};
static const word initial[WORDS] = {{{initial}
}};

#include "column_driver.h"

{declared}
static const struct kernel kernels[KERNELS] = {{
{"".join(_kernel_text(c, prefix) for c in choices)}}};

int {prefix}{name}({_PARAMETERS}) {{
    return digest_column(kernels, KERNELS, ~0u, {_ARGUMENTS});
}}

int {prefix}{name}_by(size_t kernel, {_PARAMETERS}) {{
    return digest_column(kernels, KERNELS, kernel < KERNELS ? 1u << kernel : 0, {_ARGUMENTS});
}}

const char *{prefix}{name}_kernel(size_t i) {{ return i < KERNELS ? kernels[i].name : NULL; }}
"""


_PARAMETERS = "const void *data, const void *offsets, size_t offset_bytes, size_t n, void *digests"
_ARGUMENTS = "data, offsets, offset_bytes, n, digests"


def _symbol(choice: Choice, prefix: str) -> str:
    return symbol_name(_own_name(choice.recipe.name, prefix))


def _kernel_text(choice: Choice, prefix: str) -> str:
    """A row of ``kernels``. CryptostitchError where fields lie otherwise than the driver can say."""
    recipe, contract = choice.recipe, choice.recipe.parts[0].program.contract
    chain, pointers = contract.field(CHAIN), contract.field(IN)
    layouts = {(p.program.contract.state_bytes, p.program.contract.fields) for p in recipe.parts}
    if len(layouts) > 1 or recipe.lag or contract.state_align > 64 or contract.state_bytes % contract.state_align:
        raise CryptostitchError(f"{recipe.name}: not a kernel for columns")
    needs = " | ".join("CPU_" + f.upper().replace(".", "_") for f in sorted(recipe.features)) or "0"
    values = {
        "name": f'"{recipe.name}"',
        "run": _symbol(choice, prefix),
        "needs": needs,
        "cycles": round(choice.cycles),
        "lanes": choice.lanes,
        "streams": len(recipe.parts),
        "state": contract.state_bytes,
        "chain": chain.offset + chain.lane_offsets[0],
        "chain_row": chain.row_bytes,
        "chain_lane": _pitch(recipe, chain),
        "chain_bytes": chain.size - chain.lane_offsets[0],
        "in": pointers.offset + pointers.lane_offsets[0],
        "in_lane": _pitch(recipe, pointers),
    }
    return "    {\n" + "".join(f"        .{field} = {value},\n" for field, value in values.items()) + "    },\n"


def _pitch(recipe: Recipe, field: Field) -> int:
    """Returns the distance from one lane's entry to the next one's."""
    offsets = field.lane_offsets
    pitches = {b - a for a, b in itertools.pairwise(offsets)} or {0}
    if len(pitches) > 1:
        raise CryptostitchError(f"{recipe.name}: lanes of '{field.name}' are not equally far apart")
    return pitches.pop()


def header_text(hashes: Sequence[Algorithm], command: str, prefix: str) -> str:
    """The one header for users."""
    functions = "".join(
        f"""
/* {a.suite}: {a.digest_bytes} bytes each. */
int {prefix}{a.name}({_PARAMETERS});
int {prefix}{a.name}_by(size_t kernel, {_PARAMETERS});
const char *{prefix}{a.name}_kernel(size_t i);
"""
        for a in hashes
    )
    return _HEADER.format(command=command, functions=functions, prefix=prefix)


_HEADER = """\
/* Made by: {command}
 *
 * The digest of every item of a column (Arrow's variable-size binary layout), in C that needs no library: item i is
 * data[offsets[i] .. offsets[i + 1]), and its digest goes to digests + i * (bytes of a digest).
 *
 *   data      only data[offsets[0] .. offsets[n]) is read; may be NULL if all items are empty
 *   offsets   n + 1, aligned as such numbers are, of offset_bytes bytes: 4 (int32_t, uint32_t) or 8. The first need not
 *             be 0 (a slice). Not looked at if n is 0. Of a column that has the ends of its items alone, these with a 0
 *             in front of them
 *   digests   must not overlap data or offsets
 *
 * Returned is CST_COLUMN_OK, or an error, on which nothing is written. Some 20 KiB of stack are used, and no other
 * memory; any number of threads may call at once. Time depends on lengths alone, not on contents. There are no keys;
 * copies of items stay behind on the stack.
 *
 * Kernels are chosen by what this CPU and its operating system can run, by how many items there are and how long.
 * {prefix}<hash>_kernel(i) is the name of one of them, NULL behind the last; {prefix}<hash>_by runs that one
 * alone, for tests and measurements.
 */
#ifndef CRYPTOSTITCH_COLUMNS_H
#define CRYPTOSTITCH_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

enum {{
    CST_COLUMN_OK = 0,
    CST_COLUMN_ARGUMENT = -1,   /* a null or misaligned pointer, offset_bytes */
    CST_COLUMN_OFFSETS = -2,    /* an offset that is below the one before it */
    CST_COLUMN_UNSUPPORTED = -3 /* none of the kernels runs on this CPU */
}};
{functions}
#ifdef __cplusplus
}}
#endif
#endif
"""
