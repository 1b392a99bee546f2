"""The objects of the library that right calls need: contexts, keys, codes, ... made once, or for a single call."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

from cryptostitch.binding import capi
from cryptostitch.binding.failures import RuntimeFailure

EACH_NAME = capi.EACH_NAME(lambda name, arg: 1)
EACH_TEST = capi.EACH_TEST(lambda name, result, arg: None)
PROGRESS = capi.PROGRESS(lambda done, total, kernel, arg: 7)


def address_of(callback: Any) -> int:
    return ctypes.cast(callback, ctypes.c_void_p).value or 0


class Objects:
    """Handles are numbers. ``single``: those of the present call, which `end` frees. ``flags``: of ``open_context``."""

    def __init__(self, path: str, flags: int = capi.ALLOW_PACKS):
        self.path, self.lib = path, capi.load(path)
        self.single: list[tuple[str, int]] = []
        self.context = self.made("cst_ctx_new", None)
        options = capi.Options(flags=flags)
        self.open_context = self.made("cst_ctx_new", ctypes.byref(options), first=True)
        self._known: dict[Any, int] = {}

    def made(self, name: str, *arguments: Any, first: bool = False) -> int:
        """The object that a function makes, which writes its address to the last argument, of a context the first."""
        out = ctypes.c_void_p()
        place = ctypes.byref(out)
        order = (place, *arguments) if name == "cst_ctx_new" else (*arguments, place)
        if error := getattr(self.lib, name)(*order):
            raise RuntimeFailure(error, name)
        return out.value or 0

    def once(self, key: Any, make: Callable[[], int]) -> int:
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def for_this_call(self, free: str, made: int) -> int:
        self.single.append((free, made))
        return made

    def end(self) -> None:
        """Frees what the present call alone needed, last made first."""
        while self.single:
            free, made = self.single.pop()
            getattr(self.lib, free)(made)

    def suite(self, name: str) -> int:
        return self.once(("suite", name), lambda: self.made("cst_suite_get", self.context, name.encode()))

    @functools.cache  # noqa: B019 (as long as the tests run)
    def info(self, name: str) -> capi.SuiteInfo:
        info = capi.SuiteInfo()
        assert self.lib.cst_suite_info_get(self.suite(name), ctypes.byref(info)) == capi.OK
        return info

    def key_bytes(self, name: str) -> tuple[bytes | None, bytes | None]:
        """A key and a MAC key of usual lengths."""
        info = self.info(name)
        mac = min(info.mac_key_max, 20) if info.mac_key_max else 0
        if info.mac_key_min > mac:
            mac = info.mac_key_min
        return (bytes(range(info.key_bytes)) or None, bytes(range(1, mac + 1)) or None)

    def key(self, name: str) -> int:
        def make() -> int:
            key, mac = self.key_bytes(name)
            return self.made("cst_key_new", self.suite(name), key, len(key or b""), mac, len(mac or b""))

        return self.once(("key", name), make)

    def quic_key(self, algorithm: str) -> int:
        def make() -> int:
            size = capi.QUIC_KEY_BYTES[algorithm]
            parts = [each for n in (size, 12, size) for each in (bytes(range(n)), n)]
            return self.made("cst_quic_key_new", self.context, algorithm.encode(), *parts)

        return self.once(("quic key", algorithm), make)

    def pk(self, operation: str) -> int:
        return self.once(("pk", operation), lambda: self.made("cst_pk_new", self.context, operation.encode(), None))

    def code(self, data: int, parity: int) -> int:
        shape = capi.CodeShape(data=data, parity=parity)
        return self.once(("code", data, parity), lambda: self.made("cst_code_new", self.context, ctypes.byref(shape)))

    def kernel(self, name: str) -> int:
        return self.once(("kernel", name), lambda: self.made("cst_kernel_get", self.context, name.encode()))

    def rolling(self) -> int:
        return self.for_this_call("cst_rolling_free", self.made("cst_rolling_new", 16))

    def chunker(self) -> int:
        options = capi.ChunkerOptions(
            key=self.key("sha256"), average_bytes=256, least_bytes=64, most_bytes=1024, normalization=1
        )
        return self.for_this_call("cst_chunker_free", self.made("cst_chunker_new", self.context, ctypes.byref(options)))

    def manager(self) -> int:
        return self.for_this_call("cst_manager_free", self.made("cst_manager_new", self.context, None))

    def pk_manager(self) -> int:
        return self.for_this_call("cst_pk_manager_free", self.made("cst_pk_manager_new", self.context, None))
