"""Kernels as assembly text: Intel syntax for LLVM MC, ELF, COFF and Mach-O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..core.ir import GENERAL, MASK, VECTOR, Imm, Ins, Operand, Reg
from ..core.kernel import Item, Kernel
from ..core.registers import ABIS
from ..passes.frame import POOL_ALIGN

_LEGACY = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di")
_VECTOR_PREFIX = {128: "xmm", 256: "ymm", 512: "zmm"}
_SIZES = {8: "byte", 16: "word", 32: "dword", 64: "qword", 128: "xmmword", 256: "ymmword", 512: "zmmword"}


@dataclass(frozen=True)
class Format:
    """An object format: the symbol prefix of the platform's C, the prefix of labels that leave no symbol, the
    triple, the directive that keeps a function out of the exports of a shared library that links it (COFF exports
    nothing that is not asked for)."""

    name: str
    triple: str
    symbol_prefix: str
    local_prefix: str
    hide: str


ELF = Format("elf", "x86_64-unknown-linux-gnu", "", ".L", ".hidden")
COFF = Format("coff", "x86_64-pc-windows-msvc", "", ".L", "")
MACHO = Format("macho", "x86_64-apple-macosx", "_", "L", ".private_extern")
FORMATS = {f.name: f for f in (ELF, COFF, MACHO)}


def symbol_name(kernel_name: str) -> str:
    """The C name of a static kernel."""
    return "cst_k_" + re.sub(r"[^A-Za-z0-9]", "_", kernel_name)


def register_name(reg: Reg) -> str:
    """The assembler's name; a register that is not physical yet reads v3:512, g0:64, k1 (for messages)."""
    if not reg.physical:
        return f"{reg.cls}{reg.id}:{reg.bits}"
    if reg.cls == VECTOR:
        return f"{_VECTOR_PREFIX[reg.bits]}{reg.id}"
    if reg.cls == MASK:
        return f"k{reg.id}"
    if reg.number >= 8:
        return f"r{reg.id}" + {64: "", 32: "d", 16: "w", 8: "b"}[reg.bits]
    legacy = _LEGACY[reg.number]
    if reg.bits == 8:
        return legacy[0] + "l" if reg.number < 4 else legacy + "l"
    return {64: "r", 32: "e", 16: ""}[reg.bits] + legacy


def operand_text(operand: Operand, local: str = "") -> str:
    """``local`` goes before the name of a constant."""
    if isinstance(operand, Reg):
        return register_name(operand)
    if isinstance(operand, Imm):
        return str(operand.value)
    terms = []
    if operand.base is not None:
        terms.append(register_name(operand.base))
    elif operand.symbol is not None:
        terms.append(f"rip + {local}{operand.symbol}")
    if operand.index is not None:
        terms.append(f"{operand.scale}*{register_name(operand.index)}")
    address = " + ".join(terms)
    if operand.disp or not terms:
        address += f" {'-' if operand.disp < 0 else '+'} {abs(operand.disp)}" if terms else str(operand.disp)
    size = f"{_SIZES[operand.bits]} ptr " if operand.bits else ""
    return f"{size}[{address}]" + (f"{{1to{operand.broadcast}}}" if operand.broadcast else "")


def instruction_text(ins: Ins, target: str | None = None, local: str = "") -> str:
    """Returns the text of an instruction; ``target`` is the label that a jump goes to."""
    operands = [operand_text(o, local) for o in ins.operands]
    if ins.mask is not None:
        operands[0] += f" {{{register_name(ins.mask)}}}" + (" {z}" if ins.zeroing else "")
    if target is not None:
        operands.append(local + target)
    return f"{ins.op} {', '.join(operands)}".rstrip()


def places_text(ins: Ins) -> str:
    return " < ".join(str(place) for place in ins.places)


def kernel_text(kernel: Kernel, fmt: Format = ELF, comments: bool = True, hidden: bool = False) -> str:
    """The function and its constants, without the head and the tail of the file. ``hidden``: a shared library does not
    export it."""
    symbol = fmt.symbol_prefix + symbol_name(kernel.name)
    local = f"{fmt.local_prefix}{symbol}_"
    lines = [f"# {kernel.name}", f".globl {symbol}", f".p2align {POOL_ALIGN.bit_length() - 1}"]
    if hidden and fmt.hide:
        lines.append(f"{fmt.hide} {symbol}")
    if fmt is ELF:
        lines.append(f".type {symbol}, @function")
    elif fmt is COFF:
        lines += [f".def {symbol}", ".scl 2", ".type 32", ".endef", f".seh_proc {symbol}"]
    lines.append(f"{symbol}:")
    if fmt is not COFF:
        lines.append(".cfi_startproc")
    lines += _body(kernel, fmt, comments, local)
    lines.append(".seh_endproc" if fmt is COFF else ".cfi_endproc")
    if kernel.pool:
        lines.append(f".p2align {POOL_ALIGN.bit_length() - 1}, 0x00")
        for entry in kernel.pool:
            lines.append(f"{local}{entry.label}:")
            lines += [f".byte {', '.join(map(str, entry.data[i : i + 16]))}" for i in range(0, len(entry.data), 16)]
    if fmt is ELF:
        lines.append(f".size {symbol}, .-{symbol}")
    else:
        lines.append(f"{local}end:")
    return "\n".join(lines) + "\n"


def _body(kernel: Kernel, fmt: Format, comments: bool, local: str) -> Iterator[str]:
    section = None
    seh = fmt is COFF
    for item in kernel.items:
        if seh and section == "entry" and not _is_prologue(item):
            yield ".seh_endprologue"
            seh = False
        if comments and item.section != section:
            yield f"# ---- {item.section}"
        section = item.section
        if item.ins is None:
            yield f"{local}{item.label}:"
            continue
        text = "    " + instruction_text(item.ins, item.label, local)
        if item.ins.op == "jz":  # over the loop; one form, however far that is
            text = "    {disp32} " + text.lstrip()
        if comments and item.ins.places:
            text = f"{text:<64} # {item.stream}: {places_text(item.ins)}"
        yield text
        yield from _unwind(item, fmt)


def _is_prologue(item: Item) -> bool:
    return (
        item.section == "entry"
        and item.ins is not None
        and item.ins.op in ("endbr64", "push", "sub", "movups", "vmovups")
    )


def _unwind(item: Item, fmt: Format) -> Iterator[str]:
    """Returns the directives by which a debugger walks the stack through the kernel."""
    ins = item.ins
    if item.stream is not None or ins is None:
        return
    if ins.op == "push":
        name = register_name(ins.register(0))
        if fmt is COFF:
            yield f".seh_pushreg {name}"
        else:
            yield from (".cfi_adjust_cfa_offset 8", f".cfi_rel_offset {name}, 0")
    elif ins.op == "pop" and fmt is not COFF:
        yield from (".cfi_adjust_cfa_offset -8", f".cfi_restore {register_name(ins.register(0))}")
    elif fmt is COFF and item.section == "entry" and ins.op == "sub":
        yield f".seh_stackalloc {ins.immediate(1)}"
    elif fmt is COFF and item.section == "entry" and ins.op in ("movups", "vmovups"):
        yield f".seh_savexmm {register_name(ins.register(1))}, {ins.memory(0).disp}"
    elif fmt is not COFF and ins.op in ("sub", "add") and ins.register(0).key == (GENERAL, 4):
        yield f".cfi_adjust_cfa_offset {ins.immediate(1) * (1 if ins.op == 'sub' else -1)}"


_GNU_PROPERTY = """\
.section .note.gnu.property,"a",@note
.p2align 3
.long 4, 16, 5
.asciz "GNU"
.long 0xc0000002, 4, 3, 0
"""  # NT_GNU_PROPERTY_TYPE_0: GNU_PROPERTY_X86_FEATURE_1_AND = IBT | SHSTK


# LC_BUILD_VERSION, without which Apple's linker warns; 10.14 is the oldest macOS that the command can name.
_MACHO_HEAD = """\
.build_version macos, 10, 14
.section __TEXT,__text,regular,pure_instructions
"""


def file_text(kernels: Iterable[Kernel], fmt: Format = ELF, comments: bool = True, hidden: bool = False) -> str:
    """A whole assembly file."""
    text = [".intel_syntax noprefix\n"]
    if fmt is ELF:
        text.append(_GNU_PROPERTY + '.section .note.GNU-stack,"",@progbits\n')
    text.append(_MACHO_HEAD if fmt is MACHO else ".text\n")
    text += [kernel_text(kernel, fmt, comments, hidden) for kernel in kernels]
    if fmt is MACHO:
        text.append(".subsections_via_symbols\n")
    return "".join(text)


def check_abi(kernel: Kernel, fmt: Format) -> None:
    """Raises ValueError when the kernel's calling convention is not the one of the format's platform."""
    wanted = "win64" if fmt is COFF else "sysv"
    if kernel.abi != wanted or kernel.abi not in ABIS:
        raise ValueError(f"{kernel.name}: {fmt.name} objects take the {wanted} calling convention, not {kernel.abi}")
