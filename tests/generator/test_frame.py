"""Bind and frame: where registers go, what is saved, lag, constants, wiping; and that the three object formats
assemble."""

from __future__ import annotations

import struct
import sys
from io import BytesIO
from pathlib import Path

import iced_x86
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from cryptostitch.core.ir import Constant, Window
from cryptostitch.core.kernel import SECTIONS, Item, Kernel
from cryptostitch.core.registers import SYSV, WIN64, BindError
from cryptostitch.emit.assembly import COFF, ELF, FORMATS, MACHO, file_text, instruction_text, symbol_name
from cryptostitch.emit.objects import AssemblyError, machine_code, object_bytes
from cryptostitch.passes.bind import bind
from cryptostitch.passes.frame import frame
from elftools.elf.elffile import ELFFile
from handmade import Part, program, recipe

SSE = program(
    "sse@sse#3", "paddd v0x, v1x\npxor v1x, v2x", enter="movdqu v0x, [g0+64]:128", leave="movdqu [g0+64]:128, v0x"
)
WIDE = program("wide@avx512#20", "vpaddd v19z, v0z, v1z", features="avx512f", window=Window(20, 2, 1))
SHA = program("sha@sse#2", "movdqa xmm0, v1x~\nsha256rnds2 v0x, v1x", features="sha", window=Window(2, 1, 0))


def lines(kernel: Kernel, section: str) -> list[str]:
    return [instruction_text(i.ins, i.label) if i.ins else f"{i.label}:" for i in kernel.items if i.section == section]


def test_windows_lie_one_after_the_other() -> None:
    b = bind([Part(SSE), Part(SSE), Part(WIDE)])
    assert b.vectors == ((0, 1, 2), (3, 4, 5), tuple(range(6, 26)))
    assert b.generals == ((0,), (1,), (2, 6)) and b.counter == 8
    assert b.masks == ((), (), (1,)) and b.used_masks == (1,)
    assert bind([Part(SSE)] * 2, WIN64).generals == ((0,), (2,))


def test_narrow_encodings_come_first() -> None:
    b = bind([Part(WIDE), Part(SSE)])
    assert b.vectors == (tuple(range(3, 23)), (0, 1, 2))


def test_xmm0_itself_lies_outside_the_windows() -> None:
    b = bind([Part(SSE), Part(SHA), Part(SHA)])
    assert b.vectors == ((1, 2, 3), (4, 5), (6, 7)) and b.used_vectors == tuple(range(8))
    assert lines(frame(recipe("sha@sse", SHA)), "loop")[1:3] == ["movdqa xmm0, xmm2", "sha256rnds2 xmm1, xmm2"]


@pytest.mark.parametrize(
    "parts, message",
    [
        ([WIDE, WIDE], "vector register"),
        ([SSE] * 3 + [WIDE], None),
        ([program("big@avx2#15", "vpxor v14y, v0y, v1y", features="avx2")] * 2, "vector register 29"),
        ([program("g8@scalar#0", "add g7, g6")] * 2, "17 general registers"),
        ([program("k4@avx512#0", "kmovq k3, k0", features="avx512f")] * 2, "8 mask registers"),
    ],
)
def test_what_does_not_fit(parts: list, message: str | None) -> None:
    if message is None:
        bind([Part(p) for p in parts])
        return
    with pytest.raises(BindError, match=message):
        bind([Part(p) for p in parts])


def test_register_outside_the_window() -> None:
    narrow = program("n@sse#1", "paddd v0x, v1x", window=Window(1, 1, 0))
    with pytest.raises(BindError, match="v1 is outside"):
        frame(recipe("n@sse", narrow))


def test_plain_kernel() -> None:
    kernel = frame(recipe("sse@sse", SSE))
    assert lines(kernel, "entry") == ["endbr64", "mov rax, qword ptr [rdi + 8]", "mov rcx, qword ptr [rdi]"]
    assert lines(kernel, "enter") == ["movdqu xmm0, xmmword ptr [rax + 64]"]
    assert lines(kernel, "loop") == ["loop:", "paddd xmm0, xmm1", "pxor xmm1, xmm2", "sub rcx, 1", "jnz loop"]
    assert lines(kernel, "leave") == ["movdqu xmmword ptr [rax + 64], xmm0"]
    assert lines(kernel, "wipe") == [
        "pxor xmm0, xmm0",
        "pxor xmm1, xmm1",
        "pxor xmm2, xmm2",
        "xor eax, eax",
        "xor ecx, ecx",
    ]
    assert lines(kernel, "exit") == ["ret"]
    assert [s for s in SECTIONS if lines(kernel, s)] == ["entry", "enter", "loop", "leave", "wipe", "exit"]


def test_argument_pointer_dies_last() -> None:
    nine = program("nine@scalar#0", "add g1, g2", window=Window(0, 8, 0))
    assert lines(frame(recipe("n+n@scalar", nine, SSE)), "entry")[-3:] == [
        "mov rax, qword ptr [rdi + 8]",
        "mov rbx, qword ptr [rdi]",
        "mov rdi, qword ptr [rdi + 16]",
    ]


def test_callee_saved_registers_come_back() -> None:
    many = program("many@avx2#12", "vpxor v11y, v0y, v1y", features="avx2", window=Window(12, 12, 0))
    kernel = frame(recipe("many@avx2", many), "win64")
    entry, out = lines(kernel, "entry"), lines(kernel, "exit")
    assert entry[:6] == ["endbr64", "push rbx", "push rbp", "push rdi", "push rsi", "push r12"]
    assert entry[6] == "push r13" and entry[7] == "sub rsp, 168"
    # vzeroall clears those above 11 too
    assert entry[8:18] == [f"vmovups xmmword ptr [rsp{f' + {16 * i}' if i else ''}], xmm{6 + i}" for i in range(10)]
    assert out[-8:] == ["add rsp, 168", "pop r13", "pop r12", "pop rsi", "pop rdi", "pop rbp", "pop rbx", "ret"]
    sysv = frame(recipe("many@avx2", many))
    assert lines(sysv, "exit") == ["pop r13", "pop r12", "pop rbp", "pop rbx", "ret"]
    assert lines(sysv, "wipe")[0] == "vzeroall" and "xor ebx, ebx" not in lines(sysv, "wipe")


def test_wipe_of_avx512() -> None:
    wipe = lines(frame(recipe("w@avx512", WIDE)), "wipe")
    assert wipe[:5] == ["vzeroall", *(f"vpxord zmm{n}, zmm{n}, zmm{n}" for n in (16, 17, 18, 19))]
    assert wipe[5:] == ["kxorw k1, k1, k1", "xor eax, eax", "xor ecx, ecx", "xor edx, edx"]


def test_lag() -> None:
    a, b = program("a@scalar#0", "add g0d, 1"), program("b@scalar#0", "add g0d, 2")
    kernel = frame(recipe("a+b@scalar", Part(a), Part(b, lag=2)))
    assert lines(kernel, "ramp") == ["add eax, 1", "add eax, 1", "sub rdx, 2"]
    assert lines(kernel, "loop")[1:-2] == ["add eax, 1", "add ecx, 2"]
    assert lines(kernel, "drain") == ["add ecx, 2", "add ecx, 2"]


def test_long_loops_of_general_registers_hop() -> None:
    """Before every 257th instruction, but not between glued ones; not where vectors make it slower than the
    decoders."""

    def hops(*parts: Part) -> list[int]:
        kernel = frame(recipe("long@scalar", *parts))
        loop = [i for i in kernel.items if i.section == "loop"][1:]
        at = [n for n, item in enumerate(loop) if item.ins is not None and item.ins.op == "jmp"]
        assert all(loop[n + 1] == Item(None, None, loop[n].label, "loop") for n in at)
        return [n - 2 * i for i, n in enumerate(at)]

    def body(n: int) -> Part:
        return Part(program("long@scalar#0", "\n".join(["add g0d, 1"] * n)))

    assert hops(body(1023)) == []
    assert hops(body(1024)) == [256, 512, 768]
    assert hops(body(512), body(512)) == [256, 512, 768]
    assert hops(Part(program("long@scalar#0", "add g0d, 1\n" * 1023 + "add g0d, 2"), ratio=2)) == [
        256 * n for n in range(1, 8)
    ]
    glued = "\n".join(["add g0d, 1"] * 255 + ["add g0d, 2~"] * 3 + ["add g0d, 1"] * 1000)
    assert hops(Part(program("long@scalar#0", glued))) == [259, 515, 771, 1027]
    assert hops(Part(program("long@sse#3", "\n".join(["paddd v0x, v1x"] * 3000))), body(1000)) == []


def test_constants_are_shared_and_aligned() -> None:
    small, big = Constant("s", b"abcd"), Constant("b", bytes(64))
    one = program("one@sse#1", "paddd v0x, @x:128\nmov g1d, @s:32", constants=(small, Constant("x", b"0" * 16)))
    two = program(
        "two@sse#1",
        "paddd v0x, @x:128\nmovdqa v0x, @b:128",
        constants=(Constant("x", b"1" * 16), big, Constant("t", b"abcd")),
    )
    kernel = frame(recipe("one+two@sse", one, two))
    assert [(e.offset, e.data) for e in kernel.pool] == [
        (0, bytes(64)),
        (64, b"0" * 16),
        (80, b"1" * 16),
        (96, b"abcd"),
    ]
    code = machine_code([kernel])[kernel.name]
    assert len(code) % 64 == 100 % 64 and code.endswith(kernel.pool_bytes)
    start = len(code) - 100
    assert start % 64 == 0 and b"\xc3" in code[start - 64 : start]
    targets = [i.memory_displacement for i in iced_x86.Decoder(64, code[:start]) if i.is_ip_rel_memory_operand]
    assert [t - start for t in targets] == [64, 80, 96, 0]


@pytest.mark.parametrize("fmt, magic", [(ELF, b"\x7fELF"), (COFF, b"\x64\x86"), (MACHO, b"\xcf\xfa\xed\xfe")])
def test_object_formats(fmt: object, magic: bytes) -> None:
    abi = "win64" if fmt is COFF else "sysv"
    shared = Constant("x", bytes(16))
    user = program("user@sse#8", "paddd v7x, @x:128\nadd g9, 1", constants=(shared,), window=Window(8, 10, 0))
    kernels = [frame(recipe(name, user), abi) for name in ("one@sse", "two+x@sse")]
    data = object_bytes(kernels, fmt)
    assert data.startswith(magic)
    for kernel in kernels:
        assert (fmt.symbol_prefix + symbol_name(kernel.name)).encode() in data
    assert data == object_bytes(kernels, fmt)  # same bytes each time
    if fmt is not ELF:
        wrong = [frame(recipe("one@sse", user), "sysv" if fmt is COFF else "win64")]
        with pytest.raises(ValueError, match="calling convention"):
            object_bytes(wrong, fmt)
    assert set(FORMATS) == {"elf", "coff", "macho"}


def test_elf_is_marked_for_ibt_and_has_no_executable_stack() -> None:
    elf = ELFFile(BytesIO(object_bytes([frame(recipe("sse@sse", SSE))])))
    assert elf.get_section_by_name(".note.gnu.property").data()[16:] == bytes.fromhex(
        "020000c0 04000000 03000000 00000000"
    )
    assert not elf.get_section_by_name(".note.GNU-stack")["sh_flags"]
    assert elf.get_section_by_name(".rela.text") is None
    assert elf.get_section_by_name(".text")["sh_addralign"] == 64


def macho_commands(data: bytes) -> dict[int, bytes]:
    """The load commands of a 64-bit Mach-O object by their numbers."""
    found, at = {}, 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        command, size = struct.unpack_from("<II", data, at)
        found[command] = data[at : at + size]
        at += size
    return found


def test_macho_names_its_platform() -> None:
    """Without LC_BUILD_VERSION Apple's linker warns."""
    commands = macho_commands(object_bytes([frame(recipe("sse@sse", SSE))], MACHO))
    assert struct.unpack_from("<II", commands[0x32], 8) == (1, 10 << 16 | 14 << 8)  # macOS, 10.14
    assert ".build_version macos, 10, 14\n" in file_text([frame(recipe("sse@sse", SSE))], MACHO)


@pytest.mark.parametrize("hidden", [False, True])
def test_hidden_kernels_are_not_exported(hidden: bool) -> None:
    kernels = [frame(recipe("sse@sse", SSE))]
    elf = ELFFile(BytesIO(object_bytes(kernels, ELF, hidden)))
    (symbol,) = elf.get_section_by_name(".symtab").get_symbol_by_name(symbol_name("sse@sse"))
    assert symbol.entry.st_info.bind == "STB_GLOBAL"
    assert symbol.entry.st_other.visibility == ("STV_HIDDEN" if hidden else "STV_DEFAULT")
    macho = object_bytes(kernels, MACHO, hidden)
    (at,) = struct.unpack_from("<I", macho_commands(macho)[2], 8)  # LC_SYMTAB: the first nlist_64
    assert macho[at + 4] & 0x11 == 0x01 | (0x10 if hidden else 0)  # N_EXT, N_PEXT
    with pytest.raises(ValueError, match="calling convention"):
        object_bytes(kernels, COFF, hidden)
    coff = [frame(recipe("sse@sse", SSE), "win64")]
    assert object_bytes(coff, COFF, hidden) == object_bytes(coff, COFF)  # it exports nothing by itself


def test_syntax_error_names_the_template_place() -> None:
    bad = program("bad@sse#1", "paddd v0x, v0x\npaddbogus v0x, v0x")
    with pytest.raises(AssemblyError, match=r"paddbogus xmm0, xmm0.*handmade:2"):
        object_bytes([frame(recipe("bad@sse", bad))])


def test_wrong_operand_names_the_template_place() -> None:
    bad = program("bad@sse#1", "paddd v0x, g0d", window=Window(1, 1, 0))
    with pytest.raises(AssemblyError, match=r"paddd xmm0, eax.*handmade:1"):
        object_bytes([frame(recipe("bad@sse", bad))])


def test_sysv_order_never_holds_the_stack_pointer() -> None:
    for abi in (SYSV, WIN64):
        assert sorted((*abi.order, 4)) == list(range(16))
        assert abi.saved_generals <= set(abi.order) and abi.args in abi.order
