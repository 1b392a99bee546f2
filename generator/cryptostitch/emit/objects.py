"""Assembly text to object bytes through LLVM MC, in a child process, because a syntax error ends the process there."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence

from ..core.kernel import Kernel
from .assembly import ELF, Format, check_abi, file_text, symbol_name

FEATURES = (
    "adx aes avx avx2 avx512bitalg avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vbmi2 avx512vl "
    "avx512vnni avx512vpopcntdq bmi bmi2 crc32 fma gfni lzcnt movbe pclmul popcnt sha sha512 sm3 sm4 sse4.1 sse4.2 "
    "ssse3 vaes vpclmulqdq"
)

_CHILD = """
import sys
import llvmlite.binding as llvm
triple, features = sys.argv[1:]
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
llvm.initialize_native_asmparser()
escape = lambda line: "".join(c if c not in '\\\\"' and " " <= c <= "~" else "\\\\%02X" % ord(c) for c in line)
text = sys.stdin.buffer.read().decode("ascii", "replace").replace("\\ufffd", "?")
module = "target triple = \\"%s\\"\\n" % triple + "".join('module asm "%s"\\n' % escape(l) for l in text.split("\\n"))
machine = llvm.Target.from_triple(triple).create_target_machine(features=features, reloc="pic", codemodel="small")
sys.stdout.buffer.write(machine.emit_object(llvm.parse_assembly(module)))
"""


class AssemblyError(ValueError):
    """LLVM MC refused a line. The message quotes it, with the template place that the line's comment names."""


def assemble_text(text: str, fmt: Format = ELF) -> bytes:
    """Object bytes. Raises AssemblyError."""
    features = ",".join("+" + f for f in FEATURES.split())
    child = subprocess.run(
        [sys.executable, "-c", _CHILD, fmt.triple, features], input=text.encode(), capture_output=True
    )
    errors = child.stderr.decode("utf-8", "replace")
    if child.returncode or not child.stdout:
        raise AssemblyError(_explain(text, errors))
    return child.stdout


def _explain(text: str, errors: str) -> str:
    lines = text.split("\n")
    found = []
    for match in re.finditer(r"<inline asm>:(\d+):\d+: (?:error: )?(.*)", errors):
        number = int(match[1])
        line = lines[number - 1] if number <= len(lines) else ""
        instruction, _, place = line.partition("#")
        found.append(f"{match[2]}: {instruction.strip()!r}" + (f" ({place.strip()})" if place else f" (line {number})"))
    return "; ".join(found[:5]) if found else f"LLVM MC failed: {errors.strip()[-400:]}"


def object_bytes(kernels: Sequence[Kernel], fmt: Format = ELF) -> bytes:
    """One object that holds all these kernels. Raises AssemblyError, or ValueError for a foreign calling convention."""
    for kernel in kernels:
        check_abi(kernel, fmt)
    return assemble_text(file_text(kernels, fmt), fmt)


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
