"""What a security reviewer asks of the shared library and of emitted objects: exports, relocations, segments,
control-flow marks."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import IO

import pytest
from cryptostitch.binding import runtime
from elftools.elf.constants import P_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

IBT_AND_SHSTK = 3
SYSTEM = {"libc.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"}


def open_elf(stream: IO[bytes]) -> ELFFile:
    return ELFFile(stream)


def dynamic(elf: ELFFile, tag: str) -> list:
    return [t for t in elf.get_section_by_name(".dynamic").iter_tags() if t.entry.d_tag == tag]


def library_problems(path: Path, exports: set[str]) -> list[str]:
    """Says what is wrong with a shared library."""
    problems = []
    with path.open("rb") as stream:
        elf = open_elf(stream)
        symbols = [s for s in elf.get_section_by_name(".dynsym").iter_symbols() if s.name]
        defined = {s.name for s in symbols if s.entry.st_shndx != "SHN_UNDEF" and s.entry.st_info.bind != "STB_LOCAL"}
        defined -= {s.name for s in symbols if s.entry.st_shndx == "SHN_ABS"}  # the node of the symbol versions
        if defined != exports:
            problems.append(f"exports: {', '.join(sorted(defined ^ exports)[:5])}")
        if dynamic(elf, "DT_TEXTREL") or any(t.entry.d_val & 4 for t in dynamic(elf, "DT_FLAGS")):
            problems.append("relocations in the text")
        if not any(t.entry.d_val & 8 for t in dynamic(elf, "DT_FLAGS")) and not any(
            t.entry.d_val & 1 for t in dynamic(elf, "DT_FLAGS_1")
        ):
            problems.append("no immediate binding")
        segments = list(elf.iter_segments())
        if not any(s.header.p_type == "PT_GNU_RELRO" for s in segments):
            problems.append("no RELRO")
        stacks = [s for s in segments if s.header.p_type == "PT_GNU_STACK"]
        if not stacks or stacks[0].header.p_flags & P_FLAGS.PF_X:
            problems.append("an executable stack")
        if any(s.header.p_flags & P_FLAGS.PF_X and s.header.p_flags & P_FLAGS.PF_W for s in segments):
            problems.append("a segment that is writable and executable")
        needed = {t.needed for t in dynamic(elf, "DT_NEEDED")}
        if needed - SYSTEM:
            problems.append(f"needs {', '.join(sorted(needed - SYSTEM))}")
        problems += mark_problems(elf)
    return problems


def mark_problems(elf: ELFFile) -> list[str]:
    """IBT and SHSTK, as the linker demands them of every input: .note.gnu.property (x86-64 psABI, program property)."""
    section = elf.get_section_by_name(".note.gnu.property")
    data = section.data() if section else b""
    at = data.find((0xC0000002).to_bytes(4, "little"))
    features = int.from_bytes(data[at + 8 : at + 12], "little") if at >= 0 else 0
    return [] if features & IBT_AND_SHSTK == IBT_AND_SHSTK else ["no IBT and SHSTK marks"]


def object_problems(path: Path) -> list[str]:
    """Says what is wrong with an emitted object."""
    with path.open("rb") as stream:
        elf = open_elf(stream)
        problems = mark_problems(elf)
        note = elf.get_section_by_name(".note.GNU-stack")
        if note is None or note.header.sh_flags & 4:
            problems.append("an executable stack")
        if any(s.name.startswith(".rela") and s.header.sh_size and "text" in s.name for s in elf.iter_sections()):
            problems.append("relocations in the text")
        undefined = [
            s.name
            for t in elf.iter_sections()
            if isinstance(t, SymbolTableSection)
            for s in t.iter_symbols()
            if s.name and s.entry.st_shndx == "SHN_UNDEF"
        ]
        return problems + [f"undefined: {name}" for name in undefined]


def header_functions(root: Path) -> set[str]:
    text = (root / "include/cryptostitch/cryptostitch.h").read_text()
    return set(re.findall(r"^CST_API [^(]*?(cst_\w+)\(", text, re.M))


def test_library(root: Path, build: Path) -> None:
    exports = header_functions(root) | {"__jit_debug_descriptor", "__jit_debug_register_code"}  # gdb looks for these
    assert len(exports) > 25
    assert library_problems(Path(runtime.library_path()).resolve(), exports) == []


def test_emitted_objects(root: Path, tmp_path: Path) -> None:
    target = tmp_path / "kernel.o"
    subprocess.run(
        [root / ".venv/bin/cryptostitch", "emit", "--object", target, "sha256_x8@avx2", "sha1_x1@scalar"], check=True
    )
    assert object_problems(target) == []
    assert object_problems(root / "build/generated/static_kernels.o") == []


SOURCE = "int cst_a(void) { return 1; }\nint data = 1;\n"
GOOD = ["-fPIC", "-fcf-protection=full", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,-z,noexecstack"]
BAD = {
    "exports": ([], "int cst_b(void) { return 2; }", "exports"),
    "lazy": (["-Wl,-z,lazy"], "", "no immediate binding"),
    "norelro": (["-Wl,-z,norelro"], "", "no RELRO"),
    "stack": (["-Wl,-z,execstack"], "", "an executable stack"),
    "marks": (["-fcf-protection=none"], "", "no IBT and SHSTK marks"),
    "rwx": (["-Wl,-N"], "", "writable and executable"),
    "needs": (["-Wl,--no-as-needed", "-lcrypt"], "", "needs"),
}


@pytest.mark.parametrize("defect", ["none", *BAD])
def test_defects_are_seen(tmp_path: Path, defect: str) -> None:
    flags, more, said = BAD.get(defect, ([], "", ""))
    source, library = tmp_path / "a.c", tmp_path / "a.so"
    source.write_text(
        SOURCE.replace("int data", "static int data") + more + "\nint *cst_where(void) { return &data; }\n"
    )
    made = subprocess.run(
        ["cc", "-shared", "-nostartfiles", "-o", library, source, *GOOD, *flags], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"this linker does not make it: {made.stderr.splitlines()[-1]}")
    problems = library_problems(library, {"cst_a", "cst_where"})
    assert problems == [] if defect == "none" else any(said in p for p in problems), problems


def test_an_object_without_marks_is_seen(tmp_path: Path) -> None:
    source, target = tmp_path / "a.s", tmp_path / "a.o"
    source.write_text(".globl f\nf: call g\nret\n")
    subprocess.run(["cc", "-c", "-o", target, source], check=True)
    problems = object_problems(target)
    assert {"no IBT and SHSTK marks", "an executable stack", "undefined: g"} <= set(problems)
