"""The C library from Python: a thin binding of the whole of cryptostitch.h, of which this has the contexts.

The rules for buffers, numbers, handles and errors are in the package's docstring. Outputs must be writable (bytearray,
memoryview, numpy arrays), inputs may be ``bytes``. Where the library is looked for: see capi.py.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from ctypes import byref, c_void_p
from typing import Any

from .capi import (
    AEAD,
    ALLOW_LEGACY,
    ALLOW_PACKS,
    CALIBRATE,
    CIPHER,
    DIGEST,
    EACH_NAME,
    EACH_TEST,
    ERR_ARGUMENT,
    ERR_AUTH,
    ERR_COSTS,
    ERR_FILE,
    ERR_FULL,
    ERR_JIT,
    ERR_LENGTH,
    ERR_MEMORY,
    ERR_NAME,
    ERR_OVERLAP,
    ERR_PACK,
    ERR_SELFTEST,
    ERR_UNSUPPORTED,
    MAC,
    NAME_CPU,
    NAME_KERNEL,
    NAME_SUITE,
    NAME_TARGET,
    NO_JIT,
    NOT_RUN,
    OK,
    OPEN,
    PROGRESS,
    SEAL,
    ChoiceInfo,
    CpuInfo,
    FieldInfo,
    JobStruct,
    KernelArgs,
    KernelInfo,
    Options,
    StreamInfo,
    SuiteInfo,
    TlsWrite,
    library_path,
    load,
)
from .failures import RuntimeFailure, SomeForged
from .handles import Gate, Owned
from .jobs import Job, filled
from .keys import Key
from .library import Library
from .raw_kernel import RawKernel, RawStream
from .suites import Choice, Suite
from .values import Address, Buffer, number, place, several
from .values import name as name_of
from .values import path as path_of

# fmt: off
__all__ = [
    "AEAD", "ALLOW_LEGACY", "ALLOW_PACKS", "CALIBRATE", "CIPHER", "DIGEST", "ERR_ARGUMENT", "ERR_AUTH", "ERR_COSTS",
    "ERR_FILE", "ERR_FULL", "ERR_JIT", "ERR_LENGTH", "ERR_MEMORY", "ERR_NAME", "ERR_OVERLAP", "ERR_PACK",
    "ERR_SELFTEST", "ERR_UNSUPPORTED", "MAC", "NAME_CPU", "NAME_KERNEL", "NAME_SUITE", "NAME_TARGET", "NOT_RUN",
    "NO_JIT", "OK", "OPEN", "SEAL", "Address", "Choice", "ChoiceInfo", "Context", "CpuInfo", "FieldInfo", "Job",
    "JobStruct", "KernelArgs", "KernelInfo", "Key", "Options", "RawKernel", "RawStream", "RuntimeFailure", "SomeForged",
    "StreamInfo", "Suite", "SuiteInfo", "TlsWrite", "library_path", "load",
]
# fmt: on


class Context(Library):
    """cst_ctx. ``target`` can only lower the level ("host-no_avx512", "sse_aesni"). ``pack_key``: the Ed25519 public
    key (32 bytes) by which packs must be signed. ValueError for a key of another length. ``costs``: the path of a
    cost file, which `save_costs` or CALIBRATE wrote, or which holds a table (cost_file.py)."""

    def __init__(
        self,
        flags: int = 0,
        target: str | None = None,
        library: str | None = None,
        pack_key: Buffer | None = None,
        costs: str | os.PathLike[str] | None = None,
    ):
        public = None if pack_key is None else memoryview(pack_key).tobytes()
        if public is not None and len(public) != 32:
            raise ValueError(f"an Ed25519 public key has 32 bytes, not {len(public)}")
        self.lib = load(library)
        options = Options(
            flags=flags,
            target=None if target is None else name_of(target, "a target"),
            pack_key=public,
            costs=None if costs is None else path_of(costs),
        )
        made, gate = c_void_p(), Gate(self.lib)
        code = self.lib.cst_ctx_new(byref(made), byref(options))
        if made.value:
            self._owned = Owned(made.value, self.lib.cst_ctx_free, gate)
        if code in (ERR_NAME, ERR_UNSUPPORTED) and (
            why := self._why_not_that_cpu(code) or _why_not_that_target(target)
        ):
            raise RuntimeFailure(code, why)
        cause = f"unknown flags among {options.flags:#x}" if code == ERR_ARGUMENT else ""
        of_file = costs is not None and code in (ERR_FILE, ERR_COSTS)
        self.check(code, os.fsdecode(costs) if costs is not None and of_file else target or "", cause=cause)

    def close(self) -> None:
        """Frees the context, behind the calls that are under way. What was made of it (suites, keys, codes, managers)
        can be used no more, and is freed, keys wiped, when it is closed or dropped."""
        owned = self._owned
        if owned is not None:
            owned.gate.closed = True
        super().close()

    def _why_not_that_cpu(self, code: int) -> str:
        """Says what is wrong with CRYPTOSTITCH_CPU; empty when it is not the cause."""
        name = os.environ.get("CRYPTOSTITCH_CPU", "")
        known: list[str] = []

        def each(cpu: bytes, _: Any) -> int:
            known.append(cpu.decode())
            return 0

        self.lib.cst_list(None, NAME_CPU, EACH_NAME(each), None)
        if name and not set(name.split(",")) <= set(known):
            return f"CRYPTOSTITCH_CPU={name}: there is no such CPU, only {', '.join(known)}"
        return f"CRYPTOSTITCH_CPU={name}: this CPU lacks some of its features" if name and code != ERR_NAME else ""

    def names(self, kind: int) -> list[str]:
        found, raised = list[str](), list[BaseException]()
        each = _careful(lambda name, _: found.append(name.decode()), raised)
        code = self.call(self.lib.cst_list, number(kind, "a kind of names", 31), EACH_NAME(each), None)
        if raised:
            raise raised[0]
        self.check(code, cause=f"no kind {kind} of names" if code == ERR_ARGUMENT else "")
        return found

    def suites(self) -> list[str]:
        return self.names(NAME_SUITE)

    def kernels(self) -> list[str]:
        return self.names(NAME_KERNEL)

    def cpu(self) -> dict[str, Any]:
        """brand, family, model, stepping, name (by which cost tables are looked for), microarchitecture (whose costs
        decide), features (a list), jit (a bool)."""
        info = CpuInfo()
        self.check(self.call(self.lib.cst_ctx_cpu, byref(info)))
        return {
            "brand": info.brand.decode(),
            "family": info.family,
            "model": info.model,
            "stepping": info.stepping,
            "name": info.name.decode(),
            "microarchitecture": info.microarchitecture.decode(),
            "features": [f for f in info.features.decode().split(",") if f],
            "jit": bool(info.jit),
        }

    def calibrate(
        self, glob: str | None = None, seconds: float = 0, progress: Callable[[int, int, str], Any] | None = None
    ) -> int:
        """Measures the kernels that match, and chooses by these costs from then on. ``progress(done, total, kernel)``
        ends it with a number other than 0, which is returned, or with an exception, which is raised. Calls of other
        threads that need the context wait meanwhile."""
        stopped, raised = [0], list[BaseException]()

        def tell(done: int, total: int, kernel: bytes, _: Any) -> bool:
            stopped[0] = int(progress(done, total, kernel.decode()) or 0) if progress else 0
            return stopped[0] != 0

        name = None if glob is None else name_of(glob, "a pattern")
        told = PROGRESS(_careful(tell, raised)) if progress else PROGRESS()
        code = self._alone(self.lib.cst_calibrate, name, float(seconds), told, None)
        if raised:
            raise raised[0]
        if code < 0:
            cause = f"0 to 3600 seconds, not {seconds}" if code == ERR_ARGUMENT else ""
            self.check(code, glob or "", NAME_KERNEL, cause)
        return stopped[0]

    def _alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A call that no other call of the context may run beside."""
        owned = self.live()
        return owned.gate.alone(function, owned.pointer, *arguments)

    @property
    def calibrated(self) -> bool:
        """Whether costs that were measured on this machine take part in the choice."""
        return "calibrated" in self.cpu()["microarchitecture"]

    def save_costs(self, path: str | os.PathLike[str]) -> None:
        """Writes what was measured, or read, as a cost file for ``costs`` of another context."""
        self.check(self.call(self.lib.cst_costs_save, path_of(path)), os.fsdecode(path))

    def suite(self, name: str) -> Suite:
        return Suite(self, name)

    def kernel(self, name: str) -> RawKernel:
        return RawKernel(self, name)

    def force(self, suite: str, kernel: str | None) -> None:
        """Forces the bulk kernel of a suite; None ends it."""
        forced = None if kernel is None else name_of(kernel, "the name of a kernel")
        code = self._alone(self.lib.cst_suite_force, name_of(suite, "the name of a suite"), forced)
        self.check(code, kernel or suite, NAME_KERNEL)

    def try_force(self, suite: str, kernel: str) -> bool:
        """Forces as `force`. Returns False where the kernel does not fit the suite or this CPU, which is quicker than
        an exception, for which similar names are looked up."""
        forced = name_of(kernel, "the name of a kernel")
        code = self._alone(self.lib.cst_suite_force, name_of(suite, "the name of a suite"), forced)
        if code not in (ERR_NAME, ERR_UNSUPPORTED, ERR_JIT):
            self.check(code, kernel)
        return bool(code == OK)

    def load_pack(self, pack: Buffer) -> None:
        """Adds the kernels of a pack (cst_pack_load)."""
        address, length, keep = place(pack)
        code = self._alone(self.lib.cst_pack_load, address, length)
        del keep
        self.check(code, "pack")

    def why_refused(self, pack: Buffer) -> str:
        """Why `load_pack` would refuse the pack; empty when its checks pass."""
        text, (address, length, keep) = ctypes.create_string_buffer(1024), place(pack)
        code = self.lib.cst_pack_check(address, length, text, len(text))
        del keep
        if code != ERR_PACK:
            self.check(code, "pack")
        return text.value.decode()

    def selftest(self, glob: str | None = None) -> dict[str, int]:
        """Results by name; see each one, a failure does not raise. RuntimeFailure (ERR_NAME) where nothing matches."""
        results, raised = dict[str, int](), list[BaseException]()
        each = _careful(lambda name, result, _: results.update({name.decode(): result}), raised)
        pattern = None if glob is None else name_of(glob, "a pattern")
        code = self.call(self.lib.cst_selftest, pattern, EACH_TEST(each), None)
        if raised:
            raise raised[0]
        if not results:
            self.check(code, glob or "")
        return results

    def burst(self, jobs: Iterable[Job], apart: bool = False) -> int:
        """Runs the jobs; returns the code (nothing is raised that C says), and sets `status` and `out_len` of each.
        What a job writes must not be what another reads or writes. ``apart``: their structs lie apart, for
        cst_burst_pointers; the results are the same. RuntimeFailure where a key is closed."""
        jobs = list(several(jobs))
        array = (JobStruct * len(jobs))()
        structs: Any = [JobStruct() for _ in jobs] if apart else array
        kept = [filled(job, struct, self.lib) for struct, job in zip(structs, jobs)]
        if apart:
            places = (ctypes.c_void_p * len(jobs))(*map(ctypes.addressof, structs))
            code: int = self.call(self.lib.cst_burst_pointers, places, len(jobs))
        else:
            code = self.call(self.lib.cst_burst, array, len(jobs))
        del kept
        for struct, job in zip(structs, jobs):
            job.status, job.out_len = struct.status, struct.out_len
        return code


def _why_not_that_target(target: str | None) -> str:
    """Says what is wrong with CRYPTOSTITCH_TARGET; empty when it is not the cause."""
    lower = os.environ.get("CRYPTOSTITCH_TARGET", "")
    return f"CRYPTOSTITCH_TARGET={lower}: there is no such target, or this CPU lacks it" if lower and not target else ""


def _careful(function: Callable[..., Any], raised: list[BaseException]) -> Callable[..., int]:
    """Makes a function that C may call: an exception cannot pass through C, so it is put into the list, and ends the
    walk."""

    def told(*arguments: Any) -> int:
        try:
            return int(function(*arguments) or 0)
        except BaseException as error:  # KeyboardInterrupt too
            raised.append(error)
            return 1

    return told
