"""Executes single instructions on this CPU, with all its registers before and after: code for the comparison with the
instruction model."""

from __future__ import annotations

import ctypes
import io
import mmap
import struct
from dataclasses import dataclass, field
from pathlib import Path

from cryptostitch.emit.objects import assemble_text
from elftools.elf.elffile import ELFFile

GENERALS = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()
RSP, RDI = 4, 7
FLAGS, MASKS, VECTORS, SIZE = 128, 136, 200, 200 + 32 * 64
CALLEE_SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")
INITIAL_FLAGS = 0x202
SPELLINGS = {
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "sha": "sha_ni",
    "pclmul": "pclmulqdq",
    "movbe": "movbe",
    "avx512vbmi2": "avx512_vbmi2",
}


def missing_features(features: frozenset[str]) -> frozenset[str]:
    """Returns the features that this CPU lacks, by /proc/cpuinfo."""
    flags = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")).split()
    return frozenset(f for f in features if SPELLINGS.get(f, f) not in flags)


@dataclass
class Registers:
    generals: list[int] = field(default_factory=lambda: [0] * 16)
    flags: int = 0
    masks: list[int] = field(default_factory=lambda: [0] * 8)
    vectors: list[int] = field(default_factory=lambda: [0] * 32)

    def pack(self) -> bytes:
        return struct.pack("<16QQ8Q", *self.generals, self.flags | INITIAL_FLAGS, *self.masks) + b"".join(
            v.to_bytes(64, "little") for v in self.vectors
        )

    @classmethod
    def unpack(cls, data: bytes) -> Registers:
        numbers = struct.unpack_from("<25Q", data)
        vectors = [int.from_bytes(data[at : at + 64], "little") for at in range(VECTORS, SIZE, 64)]
        return cls(list(numbers[:16]), numbers[16], list(numbers[17:]), vectors)


def text_bytes(lines: list[str]) -> bytes:
    text = ".intel_syntax noprefix\n.text\n" + "\n".join(lines) + "\n"
    return ELFFile(io.BytesIO(assemble_text(text))).get_section_by_name(".text").data()


class Cpu:
    """``vectors`` and ``vector_bits``: what there is here; the other registers stay zero."""

    def __init__(self) -> None:
        wide = not missing_features(frozenset(("avx512f", "avx512bw")))
        avx = not missing_features(frozenset(("avx",)))
        self.vectors, self.vector_bits, self.masks = (32, 512, 8) if wide else (16, 256, 0) if avx else (16, 128, 0)
        register, move = {512: ("zmm", "vmovdqu64"), 256: ("ymm", "vmovdqu"), 128: ("xmm", "movdqu")}[self.vector_bits]
        places = [(f"{register}{n}", f"[rdi + {VECTORS + 64 * n}]") for n in range(self.vectors)]
        masks = [(f"k{n}", f"[rdi + {MASKS + 8 * n}]") for n in range(self.masks)]
        generals = [(r, f"[rdi + {8 * n}]") for n, r in enumerate(GENERALS) if n not in (RSP, RDI)]
        self._code = text_bytes(
            [
                *(f"push {r}" for r in CALLEE_SAVED),
                "push rdi",
                "push rsi",
                *(f"{move} {r}, {at}" for r, at in places),
                *(f"kmovq {k}, {at}" for k, at in masks),
                f"push qword ptr [rdi + {FLAGS}]",
                "popfq",
                *(f"mov {r}, {at}" for r, at in generals),
                f"mov rdi, [rdi + {8 * RDI}]",
                "call [rsp]",
                "pushfq",
                "xchg rdi, [rsp + 16]",
                *(f"mov {at}, {r}" for r, at in generals),
                "mov rax, [rsp + 16]",
                f"mov [rdi + {8 * RDI}], rax",
                f"pop qword ptr [rdi + {FLAGS}]",
                "cld",
                *(f"{move} {at}, {r}" for r, at in places),
                *(f"kmovq {at}, {k}" for k, at in masks),
                "add rsp, 16",
                *(f"pop {r}" for r in reversed(CALLEE_SAVED)),
                "vzeroupper" if avx else "nop",
                "ret",
                ".p2align 6",
            ]
        )
        self._state = ctypes.create_string_buffer(SIZE)

    def load(self, code: bytes) -> None:
        """``code``: many snippets, each of which ends with a return."""
        self._pages = mmap.mmap(-1, len(self._code) + len(code), prot=mmap.PROT_READ | mmap.PROT_WRITE)
        self._pages.write(self._code + code)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._pages))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mprotect(
            ctypes.c_void_p(self._address), ctypes.c_size_t(len(self._pages)), mmap.PROT_READ | mmap.PROT_EXEC
        ):
            raise OSError(ctypes.get_errno(), "mprotect")
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(self._address)

    def execute(self, offset: int, before: Registers) -> Registers:
        """Runs the snippet at ``offset``; the stack pointer is neither set nor seen."""
        self._state.raw = before.pack()
        self._call(ctypes.addressof(self._state), self._address + len(self._code) + offset)
        return Registers.unpack(self._state.raw)
