"""Measures how much of the caller's stack the library's functions need (tests/runtime/painted_stack.cpp).

    with PaintedStack(context.lib) as stack:
        key.seal(...)
        assert max(stack.depths().values()) <= PROMISED

Inside, every function of the library (capi.py's prototypes) runs on a painted stack above a guard page. `size`: its
bytes; a call that needs more than these ends the process by SIGSEGV.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from cryptostitch.binding import capi
from handmade import tool

PROMISED = 16384
"""Bytes: what cryptostitch.h says that a call needs at most."""


class PaintedStack:
    def __init__(self, lib: ctypes.CDLL, names: Iterable[str] = capi._PROTOTYPES, size: int = 128 << 10):
        self.lib, self.size = lib, size
        self.helper = ctypes.CDLL(str(tool("libcst-painted-stack.so")))
        self.helper.painted_function.restype = ctypes.c_void_p
        self.helper.painted_function.argtypes = [ctypes.c_void_p, ctypes.c_int]
        self.helper.painted_depth.restype = ctypes.c_size_t
        self.helper.painted_depth.argtypes = [ctypes.c_void_p]
        self.helper.painted_stack_bytes.argtypes = [ctypes.c_size_t]
        self.deepest: dict[str, int] = {}
        """Of each function called so far."""
        self.own = {name: getattr(lib, name) for name in names}
        self.addresses = {name: self._painted(name, function) for name, function in self.own.items()}

    def _painted(self, name: str, function: Any) -> int:
        """One for each function of a library, however often it is wanted: there is room for 256."""
        known = _addresses.setdefault(id(self.lib), {})
        if name not in known:
            words = [kind for kind in function.argtypes or () if kind is not ctypes.c_double]
            callbacks = [at for at, kind in enumerate(words) if issubclass(kind, ctypes._CFuncPtr)]
            code = ctypes.cast(function, ctypes.c_void_p)
            known[name] = self.helper.painted_function(code, callbacks[0] if callbacks else -1)
        return known[name]

    def function(self, name: str) -> Any:
        """The library's function of that name, on the painted stack."""
        own = self.own[name]
        return ctypes.CFUNCTYPE(own.restype, *(own.argtypes or ()))(self.addresses[name])

    def __enter__(self) -> PaintedStack:
        self.helper.painted_stack_bytes(self.size)
        self.depths()
        for name in self.own:
            setattr(self.lib, name, self.function(name))
        return self

    def __exit__(self, *_: object) -> None:
        for name, own in self.own.items():
            setattr(self.lib, name, own)

    def depths(self) -> dict[str, int]:
        """Returns the most bytes that each function has needed since the last call of this one."""
        found = {name: self.helper.painted_depth(address) for name, address in self.addresses.items()}
        for name, depth in found.items():
            self.deepest[name] = max(depth, self.deepest.get(name, 0))
        return {name: depth for name, depth in found.items() if depth}


_addresses: dict[int, dict[str, int]] = {}
