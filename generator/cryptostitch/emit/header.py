"""C text for kernels that are linked as objects: the header for users, and the table that the runtime links."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..core.contract import SCRATCH, SPILL
from ..core.program import Program, Recipe
from .assembly import symbol_name

_HEAD = """\
/* Made by: {command}
 *
 * Kernels as plain functions: no run-time assembler, no library. Fill one state block per stream,
 * aligned to its STATE_ALIGN, and call the kernel; every lane then advances BYTES * iterations
 * (iterations must exceed the kernel's LAG; of a message, whose END_IN is behind them, and its HEAD_IN
 * in front, there may be none; of a kernel with a field TEXT_IN or PADDED_IN the iterations are
 * messages, their state blocks cst_jobs, and the state pointer one to an array of pointers to these).
 * Entry (row, lane) of a field lies at OFFSET + row * ROW_BYTES + LANE_OFFSETS[lane] and has
 * ENTRY_BYTES bytes; a pointer with a REACH is to as many. Wipe the blocks after use.
 * With cryptostitch.h: include that first. */
#ifndef CRYPTOSTITCH_KERNELS_H
#define CRYPTOSTITCH_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

#ifndef CRYPTOSTITCH_H
struct cst_kernel_args {{
    uint64_t iterations;
    void *state[4]; /* in the order of the streams in the kernel's name */
}};
typedef void (*cst_kernel_fn)(const struct cst_kernel_args *args);
#endif
"""

_TABLE_ENTRY = """\
struct cst_static_kernel {
    const char *name;
    cst_kernel_fn fn;
    size_t code_bytes; /* constants included */
    uint32_t streams;
};
"""

_TAIL = """
#ifdef __cplusplus
}
#endif
#endif
"""


def header_text(recipes: Sequence[Recipe], code_bytes: Mapping[str, int], command: str = "cryptostitch emit") -> str:
    """The header for those who link the objects alone. ``code_bytes``: size of each kernel by name.

    The table of all kernels is there for files that define CST_KERNEL_TABLE before they include the header.
    """
    programs = {part.program.name: part.program for recipe in recipes for part in recipe.parts}
    prefixes = _prefixes(list(programs.values()))
    parts = [_HEAD.format(command=command)]
    parts += [_program_text(program, prefixes[name]) for name, program in programs.items()]
    parts += [_kernel_text(recipe, code_bytes[recipe.name], prefixes) for recipe in recipes]
    parts.append(
        "\n#ifdef CST_KERNEL_TABLE\n" + _TABLE_ENTRY + _table(recipes, code_bytes, "static ", "cst_kernel_table")
    )
    parts.append("#endif\n" + _TAIL)
    return "".join(parts)


def static_table_text(
    recipes: Sequence[Recipe], code_bytes: Mapping[str, int], command: str = "cryptostitch emit"
) -> str:
    """The C file that tells the runtime which kernels were linked in (runtime/code/cache.hpp declares both symbols)."""
    lines = [
        f"/* Made by: {command} */",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        '#include "cryptostitch/cryptostitch.h"',
        "",
    ]
    lines += [f"void {symbol_name(recipe.name)}(const struct cst_kernel_args *args);" for recipe in recipes]
    return (
        "\n".join(lines)
        + "\n\n"
        + _TABLE_ENTRY
        + _table(recipes, code_bytes, "", "cst_static_kernels")
        + (f"const size_t cst_static_kernel_count = {len(recipes)};\n")
    )


def _table(recipes: Sequence[Recipe], code_bytes: Mapping[str, int], storage: str, name: str) -> str:
    rows = "".join(
        f'    {{"{recipe.name}", {symbol_name(recipe.name)}, {code_bytes[recipe.name]}, {len(recipe.parts)}}},\n'
        for recipe in recipes
    )
    return f"{storage}const struct cst_static_kernel {name}[] = {{\n{rows}    {{NULL, NULL, 0, 0}},\n}};\n"


def macro_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "_", text).upper()


def _prefixes(programs: Sequence[Program]) -> dict[str, str]:
    """The stream's name, or the program's where programs of one stream lay out their state blocks differently."""
    layouts: dict[str, set] = {}
    for program in programs:
        layouts.setdefault(program.stream, set()).add(_layout(program))
    return {p.name: macro_name(p.stream if len(layouts[p.stream]) == 1 else p.name) for p in programs}


def _layout(program: Program) -> tuple:
    return program.contract.state_bytes, program.contract.state_align, program.contract.fields


def _program_text(program: Program, prefix: str) -> str:
    """Guarded, because programs with one layout share the prefix."""
    c = program.contract
    defines: list[tuple[str, object]] = [
        ("LANES", c.lanes),
        ("BYTES", c.bytes),
        ("STATE_BYTES", c.state_bytes),
        ("STATE_ALIGN", c.state_align),
    ]
    for f in c.fields:
        if f.name.startswith((SPILL, SCRATCH)):  # the kernel's own
            continue
        name = macro_name(f.name)
        defines += [
            (f"{name}_OFFSET", f.offset),
            (f"{name}_ROWS", f.rows),
            (f"{name}_ROW_BYTES", f.row_bytes),
            (f"{name}_ENTRY_BYTES", f.entry_bytes),
        ]
        if f.reach:
            defines.append((f"{name}_REACH", f.reach))
        if f.lane_offsets:
            defines.append((f"{name}_LANE_OFFSETS", "{" + ", ".join(map(str, f.lane_offsets)) + "}"))
    lines = [f"#define {prefix}_{name} {value}" for name, value in defines]
    return f"\n/* {program.stream} */\n#ifndef {prefix}_LANES\n" + "\n".join(lines) + "\n#endif\n"


def _kernel_text(recipe: Recipe, size: int, prefixes: Mapping[str, str]) -> str:
    symbol = symbol_name(recipe.name)
    streams = "; ".join(
        f"state[{i}]: {prefixes[part.program.name]}, {part.program.contract.bytes * part.ratio} bytes per lane and "
        "iteration" + (f", {part.lag} behind" if part.lag else "")
        for i, part in enumerate(recipe.parts)
    )
    return (
        f"\n/* {recipe.name}: {streams}.\n * Needs {', '.join(sorted(recipe.features))}; {size} bytes of code. */\n"
        f"#define {symbol.upper()}_LAG {recipe.lag}\n"
        f"void {symbol}(const struct cst_kernel_args *args);\n"
    )
