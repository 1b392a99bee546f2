"""The C library from Python: a thin binding of the whole of cryptostitch.h (its C side is capi.py, suites and keys
suites.py, the jobs of a burst jobs.py, raw kernels raw_kernel.py).

Handles are classes that free what they own; errors are ``RuntimeFailure`` with the C code in ``code``. Buffers are
anything with the buffer protocol: outputs must be writable (bytearray, memoryview, numpy arrays), inputs may be
``bytes``. Where the library is looked for: see capi.py.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
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
from .jobs import Job
from .library import Library, RuntimeFailure
from .raw_kernel import RawKernel, RawStream
from .suites import Choice, Key, Suite

# fmt: off
__all__ = [
    "AEAD", "ALLOW_LEGACY", "ALLOW_PACKS", "CALIBRATE", "CIPHER", "DIGEST", "ERR_ARGUMENT", "ERR_AUTH", "ERR_COSTS",
    "ERR_FILE", "ERR_FULL", "ERR_JIT", "ERR_LENGTH", "ERR_MEMORY", "ERR_NAME", "ERR_OVERLAP", "ERR_PACK",
    "ERR_SELFTEST", "ERR_UNSUPPORTED", "MAC", "NAME_CPU", "NAME_KERNEL", "NAME_SUITE", "NAME_TARGET", "NOT_RUN",
    "NO_JIT", "OK", "OPEN", "SEAL", "Choice", "ChoiceInfo", "Context", "CpuInfo", "FieldInfo", "Job", "JobStruct",
    "KernelArgs", "KernelInfo", "Key", "Options", "RawKernel", "RawStream", "RuntimeFailure", "StreamInfo", "Suite",
    "SuiteInfo", "TlsWrite", "library_path", "load",
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
        pack_key: bytes | None = None,
        costs: str | os.PathLike[str] | None = None,
    ):
        if pack_key is not None and len(pack_key) != 32:
            raise ValueError(f"an Ed25519 public key has 32 bytes, not {len(pack_key)}")
        self.lib = load(library)
        self.handle = c_void_p()
        file = os.fsencode(costs) if costs is not None else None
        options = Options(
            flags=flags, target=target.encode() if target is not None else None, pack_key=pack_key, costs=file
        )
        code = self.lib.cst_ctx_new(byref(self.handle), byref(options))
        if code in (ERR_NAME, ERR_UNSUPPORTED) and (why := self._why_not_that_cpu(code)):
            raise RuntimeFailure(code, why)
        self.check(code, os.fspath(costs) if costs is not None and code in (ERR_FILE, ERR_COSTS) else target or "")

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Frees the context. Its keys must be gone."""
        if getattr(self, "handle", None):
            self.lib.cst_ctx_free(self.handle)
            self.handle = c_void_p()

    def _why_not_that_cpu(self, code: int) -> str:
        """What is wrong with CRYPTOSTITCH_CPU; empty when it is not that."""
        name = os.environ.get("CRYPTOSTITCH_CPU", "")
        if name and not set(name.split(",")) <= set(known := self.names(NAME_CPU)):
            return f"CRYPTOSTITCH_CPU={name}: there is no such CPU, only {', '.join(known)}"
        return f"CRYPTOSTITCH_CPU={name}: this CPU lacks some of its features" if name and code != ERR_NAME else ""

    def names(self, kind: int) -> list[str]:
        found: list[str] = []

        def each(name: bytes, _: Any) -> int:
            found.append(name.decode())
            return 0

        self.check(self.lib.cst_list(self.handle, kind, EACH_NAME(each), None))
        return found

    def suites(self) -> list[str]:
        return self.names(NAME_SUITE)

    def kernels(self) -> list[str]:
        return self.names(NAME_KERNEL)

    def cpu(self) -> dict[str, Any]:
        """brand, family, model, stepping, microarchitecture, features (a list), jit (a bool)."""
        info = CpuInfo()
        self.check(self.lib.cst_ctx_cpu(self.handle, byref(info)))
        return {
            "brand": info.brand.decode(),
            "family": info.family,
            "model": info.model,
            "stepping": info.stepping,
            "microarchitecture": info.microarchitecture.decode(),
            "features": [f for f in info.features.decode().split(",") if f],
            "jit": bool(info.jit),
        }

    def calibrate(
        self, glob: str | None = None, seconds: float = 0, progress: Callable[[int, int, str], Any] | None = None
    ) -> int:
        """Measures the kernels that match, and chooses by these costs from then on. ``progress(done, total, kernel)``
        ends it with a number other than 0, which is returned, or with an exception, which is raised."""
        raised: list[BaseException] = []

        def tell(done: int, total: int, kernel: bytes, _: Any) -> int:
            try:
                return int(progress(done, total, kernel.decode()) or 0) if progress else 0
            except BaseException as error:  # it cannot pass through C
                raised.append(error)
                return 1

        name = glob.encode() if glob is not None else None
        code = self.lib.cst_calibrate(self.handle, name, seconds, PROGRESS(tell) if progress else PROGRESS(), None)
        if raised:
            raise raised[0]
        if code < 0:
            self.check(code, glob or "", NAME_KERNEL)
        return code

    @property
    def calibrated(self) -> bool:
        """Whether costs that were measured on this machine take part in the choice."""
        return "calibrated" in self.cpu()["microarchitecture"]

    def save_costs(self, path: str | os.PathLike[str]) -> None:
        """Writes what was measured, or read, as a cost file for ``costs`` of another context."""
        self.check(self.lib.cst_costs_save(self.handle, os.fsencode(path)), os.fspath(path))

    def suite(self, name: str) -> Suite:
        return Suite(self, name)

    def kernel(self, name: str) -> RawKernel:
        return RawKernel(self, name)

    def force(self, suite: str, kernel: str | None) -> None:
        """Forces the bulk kernel of a suite; None ends it."""
        code = self.lib.cst_suite_force(self.handle, suite.encode(), kernel.encode() if kernel is not None else None)
        self.check(code, kernel or suite, NAME_KERNEL)

    def try_force(self, suite: str, kernel: str) -> bool:
        """The same; False where the kernel does not fit the suite, or this CPU. Quicker than an exception, for which
        names that may have been meant are looked for."""
        code = self.lib.cst_suite_force(self.handle, suite.encode(), kernel.encode())
        if code not in (ERR_NAME, ERR_UNSUPPORTED, ERR_JIT):
            self.check(code, kernel)
        return bool(code == OK)

    def load_pack(self, pack: bytes) -> None:
        self.check(self.lib.cst_pack_load(self.handle, pack, len(pack)), "pack")

    def why_refused(self, pack: bytes) -> str:
        """Why `load_pack` would refuse the pack; empty when its checks pass."""
        text = ctypes.create_string_buffer(1024)
        code = self.lib.cst_pack_check(pack, len(pack), text, len(text))
        if code != ERR_PACK:
            self.check(code, "pack")
        return text.value.decode()

    def selftest(self, glob: str | None = None) -> dict[str, int]:
        """Results by name; see each one, a failure does not raise."""
        results: dict[str, int] = {}

        def each(name: bytes, result: int, _: Any) -> None:
            results[name.decode()] = result

        self.lib.cst_selftest(self.handle, glob.encode() if glob is not None else None, EACH_TEST(each), None)
        return results

    def burst(self, jobs: Sequence[Job]) -> int:
        """Runs the jobs; returns the code (nothing is raised), and sets `status` and `out_len` of each job."""
        array = (JobStruct * len(jobs))()
        for struct, job in zip(array, jobs):
            job.fill(struct)
        code = self.lib.cst_burst(self.handle, array, len(jobs))
        for struct, job in zip(array, jobs):
            job.status, job.out_len = struct.status, struct.out_len
        return code
