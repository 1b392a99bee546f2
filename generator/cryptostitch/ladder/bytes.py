"""The library's bytes, assembled at run time and linked in, are the bytes that LLVM MC makes of the framed kernel."""

from __future__ import annotations

import functools

from iced_x86 import Decoder, Formatter, FormatterSyntax

from ..binding import runtime
from .result import Effort, Result
from .subject import Subject

ALLOWED = {"xchg": "the two registers of an exchange are written in the other order"}
"""Mnemonic -> why the two encodings may differ (same length, same effect). Elsewhere the runtime follows LLVM: see
assemble.cpp."""


def check(subject: Subject, effort: Effort) -> Result:
    kernels = [subject.assembled()]
    try:
        kernels.append(_without_jit(subject.native().lib._name).kernel(subject.name))
    except runtime.RuntimeFailure as failure:
        if failure.code not in (runtime.ERR_JIT, runtime.ERR_NAME):
            raise
    return judge(subject.code, {kernel.origin: kernel.code for kernel in kernels})


def judge(llvm: bytes, origins: dict[str, bytes]) -> Result:
    """``origins``: jit or static -> the library's bytes."""
    problems = [f"{origin}: {line}" for origin, code in origins.items() for line in unexplained(llvm, code)]
    return Result.of(problems, f"{len(llvm)} bytes, {' and '.join(origins)}")


@functools.cache
def _without_jit(library: str) -> runtime.Context:
    return runtime.Context(runtime.NO_JIT | runtime.ALLOW_LEGACY, library=library)


def unexplained(llvm: bytes, library: bytes) -> list[str]:
    """The first instructions that differ, as text; empty where they differ only as the allow-list says."""
    if llvm == library:
        return []
    lines = differences(llvm, library)
    return [] if all(line.split()[0] in ALLOWED for line in lines) else lines[:5]


def differences(llvm: bytes, library: bytes) -> list[str]:
    """The instructions that differ, as text; the first ones, because lengths shift what follows."""
    formatter = Formatter(FormatterSyntax.INTEL)
    out = []
    for a, b in zip(Decoder(64, llvm), Decoder(64, library)):
        left, right = llvm[a.ip : a.next_ip], library[b.ip : b.next_ip]
        if left != right:
            name = formatter.format_mnemonic(a)
            out.append(f"{formatter.format(a)}: LLVM {left.hex()} | library {right.hex()} {formatter.format(b)}")
            if a.len != b.len or name != formatter.format_mnemonic(b):
                break
    return out or [f"lengths {len(llvm)} and {len(library)}, or constants"]
