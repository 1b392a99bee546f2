"""Raw kernels of a context: code that is called with state blocks which the caller fills."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from ctypes import POINTER, byref, c_void_p
from dataclasses import dataclass
from typing import Any

from .capi import ERR_NAME, NAME_KERNEL, FieldInfo, KernelArgs, KernelInfo, StreamInfo
from .fixed import Fixed
from .handles import Handle, Owned
from .library import Library, wanted
from .values import name as name_of
from .values import number


@dataclass(frozen=True)
class Field:
    """The place of a field in the state block (cst_field); sizes are in bytes."""

    offset: int
    rows: int
    row_bytes: int
    entry_bytes: int
    lanes: int
    shared: int
    lane_offsets: tuple[int, ...]


class RawStream(Fixed):
    """One stream of a raw kernel: its lanes, and the state block that it wants."""

    def __init__(self, kernel: RawKernel, index: int):
        info = StreamInfo()
        self.kernel, self.index = wanted(RawKernel, kernel, "the kernel"), number(index, "the number of a stream", 32)
        kernel.context.check(kernel.call(kernel.lib.cst_kernel_stream, self.index, byref(info)), kernel.name)
        self.name: str = info.name.decode()
        self.lanes: int = info.lanes
        self.bytes: int = info.bytes
        self.state_bytes: int = info.state_bytes
        self.state_align: int = info.state_align

    def field(self, name: str) -> Field | None:
        """The field's layout, or None when the stream has no such field."""
        info, kernel, owned = FieldInfo(), self.kernel, self.kernel.live()
        encoded = name_of(name, "the name of a field")
        code = owned.gate.call(kernel.lib.cst_kernel_field, owned.pointer, self.index, encoded, byref(info))
        if code == ERR_NAME:
            return None
        kernel.context.check(code, name)
        lanes = tuple(info.lane_offsets[: info.lanes]) if info.lanes else ()
        return Field(info.offset, info.rows, info.row_bytes, info.entry_bytes, info.lanes, info.shared, lanes)

    def entry(self, name: str, row: int = 0, lane: int = 0) -> int:
        """Offset of an entry in the state block. KeyError when the stream has no such field, IndexError when the field
        has no such row or lane."""
        found = self.field(name)
        if found is None:
            raise KeyError(name)
        if not 0 <= row < found.rows or (found.lanes and not 0 <= lane < found.lanes):
            raise IndexError(f"{name} has {found.rows} rows of {found.lanes} lanes")
        return found.offset + row * found.row_bytes + (found.lane_offsets[lane] if found.lanes else 0)


class RawKernel(Handle):
    """cst_kernel: code that can be called with state blocks that the caller fills."""

    _what = "kernel"

    def __init__(self, context: Library, name: str):
        self.context, self.lib = wanted(Library, context, "the context"), context.lib
        owned, found = context.live(), c_void_p()
        encoded = name_of(name, "the name of a kernel")
        code = owned.gate.call(self.lib.cst_kernel_get, owned.pointer, encoded, byref(found))
        context.check(code, name, NAME_KERNEL)
        assert found.value
        self._owned = Owned(found.value, lambda _: None, owned.gate, owned)  # it goes with its context
        info = self._info()
        self.name: str = info.name.decode()
        self.target: str = info.target.decode()
        self.origin: str = info.origin.decode()
        self.address: int = info.function
        self.code: bytes = ctypes.string_at(info.code, info.code_bytes) if info.code_bytes else b""
        self.assembled_ns: int = info.assembled_ns
        self.lag: int = info.lag
        self.streams = [RawStream(self, i) for i in range(info.streams)]
        self._function: Callable[..., None] = ctypes.CFUNCTYPE(None, POINTER(KernelArgs))(info.function)

    def _info(self) -> Any:
        info = KernelInfo()
        self.context.check(self.call(self.lib.cst_kernel_info_get, byref(info)))
        return info

    def calls(self) -> int:
        """How often bursts of the context have called the kernel."""
        return int(self._info().calls)

    def run(self, iterations: int, states: Iterable[int]) -> None:
        """Calls the kernel. `states`: the address of each stream's state block. Nothing is checked but their number:
        what is wrong in them crashes the process."""
        args, places = KernelArgs(number(iterations, "iterations")), list(states)
        if len(places) != len(self.streams):
            raise ValueError(f"{len(places)} states, where the kernel has {len(self.streams)} streams")
        for i, state in enumerate(places):
            args.state[i] = number(state, "an address")
        owned = self.live()
        owned.gate.call(self._function, byref(args))
