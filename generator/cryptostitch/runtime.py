"""The C library from Python: a thin binding of the whole of cryptostitch.h (its C side is capi.py, the jobs of a burst jobs.py, raw kernels raw_kernel.py).

Handles are classes that free what they own; errors are ``RuntimeFailure`` with the C code in ``code``. Buffers are
anything with the buffer protocol: outputs must be writable (bytearray, memoryview, numpy arrays), inputs may be
``bytes``. Where the library is looked for: see capi.py.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Sequence

# fmt: off
from .capi import (
    AEAD, ALLOW_LEGACY, ALLOW_PACKS, CALIBRATE, CIPHER, DIGEST, EACH_NAME, EACH_TEST, ERR_ARGUMENT, ERR_AUTH, ERR_COSTS, ERR_FILE, ERR_JIT, ERR_LENGTH,
    ERR_FULL, ERR_MEMORY, ERR_NAME, ERR_OVERLAP, ERR_PACK, ERR_SELFTEST, ERR_UNSUPPORTED, MAC, NAME_KERNEL, NAME_SUITE,
    NAME_TARGET, NOT_RUN, NO_JIT, OK, OPEN, PROGRESS, SEAL, ChoiceInfo, CpuInfo, FieldInfo, JobStruct, KernelArgs,
    KernelInfo, Options, StreamInfo, SuiteInfo, TlsWrite, library_path, load,
)
from .jobs import Job, address_of
from .raw_kernel import Kernel, Stream

__all__ = [
    "AEAD", "ALLOW_LEGACY", "ALLOW_PACKS", "CALIBRATE", "CIPHER", "DIGEST", "ERR_ARGUMENT", "ERR_AUTH", "ERR_COSTS", "ERR_FILE", "ERR_JIT", "ERR_LENGTH",
    "ERR_FULL", "ERR_MEMORY", "ERR_NAME", "ERR_OVERLAP", "ERR_PACK", "ERR_SELFTEST", "ERR_UNSUPPORTED", "MAC",
    "NAME_KERNEL", "NAME_SUITE", "NAME_TARGET", "NOT_RUN", "NO_JIT", "OK", "OPEN", "SEAL", "ChoiceInfo",
    "CpuInfo", "FieldInfo", "JobStruct", "KernelArgs", "KernelInfo", "Options", "StreamInfo", "SuiteInfo",
    "library_path", "load", "RuntimeFailure", "Choice", "Context", "Suite", "Key", "Job", "Stream", "Kernel",
]
# fmt: on


class RuntimeFailure(Exception):
    """An error code of the C API. ``nearest`` holds names that may have been meant, for ERR_NAME."""

    def __init__(self, code: int, text: str, subject: str = "", nearest: str = ""):
        self.code, self.nearest = code, nearest
        message = f"{subject}: {text}" if subject else text
        super().__init__(f"{message} (did you mean {nearest}?)" if nearest else message)


@dataclass
class Choice:
    """Which kernel would run, and why. ``cycles_per_byte`` is 0 where it is only an estimate."""

    kernel: str
    origin: str
    lanes: int
    cycles_per_byte: float
    why: str


class Context:
    """cst_ctx. ``target`` can only lower the level ("host-no_avx512", "sse_aesni"). ``pack_key``: the Ed25519 public key (32 bytes) by
    which packs must be signed. ValueError for a key of another length. ``costs``: the path of a file that `save_costs` or CALIBRATE wrote."""

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
        options = Options(flags=flags, target=target.encode() if target is not None else None, pack_key=pack_key, costs=file)
        code = self.lib.cst_ctx_new(byref(self.handle), byref(options))
        self.check(code, os.fspath(costs) if costs is not None and code in (ERR_FILE, ERR_COSTS) else target or "")

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Frees the context. Its keys must be gone."""
        if getattr(self, "handle", None):
            self.lib.cst_ctx_free(self.handle)
            self.handle = c_void_p()

    def check(self, code: int, subject: str = "", kind: int = 0) -> None:
        """Raises RuntimeFailure unless the code is OK."""
        if code == OK:
            return
        near = self.nearest(kind, subject) if code == ERR_NAME and kind and self.handle else ""
        raise RuntimeFailure(code, self.lib.cst_error_text(code).decode(), subject, near)

    def nearest(self, kind: int, name: str) -> str:
        text = ctypes.create_string_buffer(512)
        self.check(self.lib.cst_nearest(self.handle, kind, name.encode(), text, len(text)))
        return text.value.decode()

    def names(self, kind: int) -> list[str]:
        found: list[str] = []
        self.check(
            self.lib.cst_list(self.handle, kind, EACH_NAME(lambda name, _: found.append(name.decode()) or 0), None)
        )
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

    def calibrate(self, glob: str | None = None, seconds: float = 0, progress: Callable[[int, int, str], Any] | None = None) -> int:
        """Measures the kernels that match, and chooses by these costs from then on. ``progress(done, total, kernel)`` ends it with a
        number other than 0, which is returned, or with an exception, which is raised."""
        raised: list[BaseException] = []

        def tell(done: int, total: int, kernel: bytes, _: Any) -> int:
            try:
                return int(progress(done, total, kernel.decode()) or 0)
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
        """Writes what was measured, or read, to a file for ``costs`` of another context."""
        self.check(self.lib.cst_costs_save(self.handle, os.fsencode(path)), os.fspath(path))

    def suite(self, name: str) -> Suite:
        return Suite(self, name)

    def kernel(self, name: str) -> Kernel:
        return Kernel(self, name)

    def force(self, suite: str, kernel: str | None) -> None:
        """Forces the bulk kernel of a suite; None ends it."""
        code = self.lib.cst_suite_force(self.handle, suite.encode(), kernel.encode() if kernel is not None else None)
        self.check(code, kernel or suite, NAME_KERNEL)

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


class Suite:
    """cst_suite; lives as long as its context."""

    def __init__(self, context: Context, name: str):
        self.context, self.name = context, name
        self.handle = c_void_p()
        context.check(context.lib.cst_suite_get(context.handle, name.encode(), byref(self.handle)), name, NAME_SUITE)
        info = SuiteInfo()
        context.check(context.lib.cst_suite_info_get(self.handle, byref(info)))
        self.kind: int = info.kind
        self.key_bytes: int = info.key_bytes
        self.mac_key_min: int = info.mac_key_min
        self.mac_key_max: int = info.mac_key_max
        self.iv_bytes: int = info.iv_bytes
        self.tag_min: int = info.tag_min
        self.tag_max: int = info.tag_max
        self.block_bytes: int = info.block_bytes
        self.expansion: int = info.expansion
        self.min_bytes: int = info.min_bytes
        self.max_bytes: int = info.max_bytes
        self.aad_min: int = info.aad_min
        self.aad_max: int = info.aad_max
        self.iv_min: int = info.iv_min
        self.iv_max: int = info.iv_max
        self.key_min: int = info.key_min
        self.key_max: int = info.key_max

    def key(self, key: Any = None, mac_key: Any = None) -> Key:
        return Key(self, key, mac_key)

    def choice(self, jobs: int = 1, size: int = 16384, one_key: bool = False, direction: int = SEAL) -> Choice:
        """What `jobs` jobs of `size` bytes would run on."""
        info = ChoiceInfo()
        self.context.check(
            self.context.lib.cst_suite_choice(self.handle, direction, jobs, size, int(one_key), byref(info)), self.name
        )
        return Choice(info.kernel.decode(), info.origin.decode(), info.lanes, info.cycles_per_byte, info.why.decode())


class Key:
    """cst_key: an expanded key, with the one-buffer operations."""

    def __init__(self, suite: Suite, key: Any = None, mac_key: Any = None):
        self.suite, self.lib = suite, suite.context.lib
        self.handle = c_void_p()
        k, k_len, keep_k = address_of(key, False)
        m, m_len, keep_m = address_of(mac_key, False)
        suite.context.check(self.lib.cst_key_new(suite.handle, k, k_len, m, m_len, byref(self.handle)), suite.name)
        del keep_k, keep_m

    def __del__(self) -> None:
        if getattr(self, "handle", None) and self.suite.context.handle:
            self.lib.cst_key_free(self.handle)
            self.handle = c_void_p()

    def seal(
        self, data: bytes, iv: bytes | None = None, aad: bytes | None = None, tag_len: int | None = None
    ) -> tuple[bytes, bytes]:
        """(output, tag)."""
        suite = self.suite
        out = bytearray(len(data) + suite.expansion if suite.kind >= CIPHER else 0)
        tag = bytearray(suite.tag_max if tag_len is None else tag_len)
        job = Job(self, SEAL, iv=iv, aad=aad, data=data, out=out, tag=tag)
        job.run_alone()
        return bytes(out[: job.out_len]), bytes(tag)

    def open(self, data: bytes, tag: bytes | None = None, iv: bytes | None = None, aad: bytes | None = None) -> bytes:
        """The plaintext (or b"" for a digest or MAC that is right); RuntimeFailure with ERR_AUTH when it is forged."""
        out = bytearray(len(data) if self.suite.kind >= CIPHER else 0)
        job = Job(self, OPEN, iv=iv, aad=aad, data=data, out=out, tag=tag)
        job.run_alone()
        return bytes(out[: job.out_len])

    def tls_records(
        self, data: bytes, ivs: bytes, sequence: int = 0, kind: int = 23, version: int = 0x0303, fragment: int = 0
    ) -> bytes:
        """cst_tls_seal: `data` as TLS records, one behind the other. `ivs`: 16 bytes per record; see `tls_size`."""
        out = bytearray(self.tls_size(len(data), fragment)[1])
        write = TlsWrite(key=self.handle, sequence=sequence, type=kind, version=version, fragment=fragment)
        write.iv, write.iv_len, keep_iv = address_of(ivs, False)
        address, write.in_len, keep_in = address_of(data, False)
        setattr(write, "in", address)
        write.out, write.out_cap, keep_out = address_of(out, True)
        self.suite.context.check(self.lib.cst_tls_seal(byref(write)), self.suite.name)
        del keep_iv, keep_in, keep_out
        return bytes(out[: write.out_len])

    def tls_size(self, size: int, fragment: int = 0) -> tuple[int, int]:
        """(records, bytes) that cst_tls_seal makes of `size` bytes."""
        records, bytes_ = c_size_t(), c_size_t()
        code = self.lib.cst_tls_seal_size(self.handle, size, fragment, byref(records), byref(bytes_))
        self.suite.context.check(code, self.suite.name)
        return records.value, bytes_.value

    def digest(self, data: bytes, tag_len: int | None = None) -> bytes:
        tag = bytearray(self.suite.tag_max if tag_len is None else tag_len)
        t, t_len, keep_t = address_of(tag, True)
        d, d_len, keep_d = address_of(data, False)
        self.suite.context.check(self.lib.cst_digest(self.handle, d, d_len, t, t_len), self.suite.name)
        del keep_t, keep_d
        return bytes(tag)
