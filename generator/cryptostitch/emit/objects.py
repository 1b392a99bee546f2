"""Assembly text to object bytes by LLVM MC, and the bytes of each kernel in an object."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence

from ..core.kernel import Kernel
from .assembly import ELF, Format, check_abi, file_text, symbol_name
from .llvm import Failed, emit_object


class AssemblyError(ValueError):
    """LLVM MC refused a line. The message quotes it, with the template place that the line's comment names."""


def assemble_text(text: str, fmt: Format = ELF) -> bytes:
    """Object bytes. Raises AssemblyError."""
    try:
        return emit_object(fmt.triple, text)
    except Failed as failure:
        raise AssemblyError(_explain(text, str(failure))) from None


def _explain(text: str, errors: str) -> str:
    lines = text.split("\n")
    found = []
    for match in re.finditer(r"<inline asm>:(\d+):\d+: (?:error: )?(.*)", errors):
        number = int(match[1])
        line = lines[number - 1] if number <= len(lines) else ""
        instruction, _, place = line.partition("#")
        found.append(f"{match[2]}: {instruction.strip()!r}" + (f" ({place.strip()})" if place else f" (line {number})"))
    return "; ".join(found[:5]) if found else f"LLVM MC failed: {errors.strip()[-400:]}"


def object_bytes(kernels: Sequence[Kernel], fmt: Format = ELF, hidden: bool = False) -> bytes:
    """Returns an object that holds all these kernels, which with ``hidden`` no shared library exports. Raises
    AssemblyError, or ValueError for a foreign calling convention."""
    for kernel in kernels:
        check_abi(kernel, fmt)
    return assemble_text(file_text(kernels, fmt, hidden=hidden), fmt)


def machine_code(kernels: Iterable[Kernel]) -> dict[str, bytes]:
    """The bytes of each kernel by its name, constants included, whatever its calling convention."""
    kernels = list(kernels)
    symbols = elf_functions(assemble_text(file_text(kernels, ELF), ELF))
    return {kernel.name: symbols[symbol_name(kernel.name)] for kernel in kernels}


def elf_functions(elf: bytes) -> dict[str, bytes]:
    """The bytes of every sized function of an ELF64 object. Raises ValueError if .text still needs relocations."""
    (section_offset,) = struct.unpack_from("<Q", elf, 0x28)
    entry_size, count, names_index = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, section_offset + i * entry_size) for i in range(count)]

    def contents(header: tuple) -> bytes:
        return elf[header[4] : header[4] + header[5]]

    def name_at(table: bytes, offset: int) -> str:
        return table[offset : table.index(b"\0", offset)].decode()

    section_names = contents(headers[names_index])
    functions: dict[str, bytes] = {}
    for header in headers:
        if name_at(section_names, header[0]) == ".rela.text" and header[5]:
            raise ValueError("relocations in .text")
        if header[1] != 2:  # SHT_SYMTAB
            continue
        strings = contents(headers[header[6]])
        for name, info, _, section, value, size in struct.iter_unpack("<IBBHQQ", contents(header)):
            if size and 0 < section < count and info & 15 == 2:  # STT_FUNC
                functions[name_at(strings, name)] = contents(headers[section])[value : value + size]
    return functions
