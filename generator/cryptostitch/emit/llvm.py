"""LLVM MC in a child process: a syntax error ends the process there. The child stays for the next text, because
starting one takes many times as long as assembling a kernel."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
import tempfile
import threading

FEATURES = (
    "adx aes avx avx2 avx512bitalg avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vbmi2 avx512vl "
    "avx512vnni avx512vpopcntdq bmi bmi2 crc32 fma gfni lzcnt movbe pclmul popcnt sha sha512 sm3 sm4 sse4.1 sse4.2 "
    "ssse3 vaes vpclmulqdq"
)
LENGTHS = struct.Struct("<II")  # of the triple and the text, or of the object and nothing

_CHILD = """
import struct, sys
import llvmlite.binding as llvm
lengths, features = struct.Struct("<II"), sys.argv[1]
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
llvm.initialize_native_asmparser()
escape = lambda line: "".join(c if c not in '\\\\"' and " " <= c <= "~" else "\\\\%02X" % ord(c) for c in line)
while head := sys.stdin.buffer.read(lengths.size):
    name, size = lengths.unpack(head)
    triple = sys.stdin.buffer.read(name).decode()
    text = sys.stdin.buffer.read(size).decode("ascii", "replace").replace("\\ufffd", "?")
    lines = "".join('module asm "%s"\\n' % escape(line) for line in text.split("\\n"))
    module = "target triple = \\"%s\\"\\n" % triple + lines
    machine = llvm.Target.from_triple(triple).create_target_machine(features=features, reloc="pic", codemodel="small")
    made = machine.emit_object(llvm.parse_assembly(module))
    sys.stdout.buffer.write(lengths.pack(len(made), 0) + made)
    sys.stdout.buffer.flush()
"""


class Failed(Exception):
    """LLVM MC refused the text; what it said."""


class _Assembler:
    """A child process. Its errors go to a file, which nobody needs to drain."""

    def __init__(self) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the child
        features = ",".join("+" + f for f in FEATURES.split())
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, features], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors
        )

    def assemble(self, triple: str, text: bytes) -> bytes:
        """Raises Failed, after which the child is gone."""
        given, taken = self.process.stdin, self.process.stdout
        assert given and taken
        with contextlib.suppress(BrokenPipeError):
            given.write(LENGTHS.pack(len(triple), len(text)) + triple.encode() + text)
            given.flush()
        head = taken.read(LENGTHS.size)
        made = taken.read(LENGTHS.unpack(head)[0]) if len(head) == LENGTHS.size else b""
        if not made:
            raise Failed(self.end())
        return made

    def end(self) -> str:
        """Waits for the child's end, and returns its error output."""
        with contextlib.suppress(BrokenPipeError):
            self.process.communicate()
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")


_kept: _Assembler | None = None
_lock = threading.Lock()


def _forget() -> None:
    """A forked process shares the pipes of the child that its parent uses: it takes one of its own."""
    global _kept, _lock
    _kept, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)


def emit_object(triple: str, text: str) -> bytes:
    """The object. Raises Failed. May be called by several threads, one after the other."""
    global _kept
    with _lock:
        assembler, _kept = _kept or _Assembler(), None
        made = assembler.assemble(triple, text.encode())
        _kept = assembler
        return made
