"""Raw kernels of a context: code that is called with state blocks which the caller fills."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from ctypes import POINTER, byref, c_void_p
from typing import Any

from .capi import ERR_NAME, NAME_KERNEL, FieldInfo, KernelArgs, KernelInfo, StreamInfo
from .library import Library


class RawStream:
    """One stream of a raw kernel: its lanes, and the state block that it wants."""

    def __init__(self, kernel: RawKernel, index: int):
        info = StreamInfo()
        self.kernel, self.index = kernel, index
        kernel.context.check(kernel.context.lib.cst_kernel_stream(kernel.handle, index, byref(info)))
        self.name: str = info.name.decode()
        self.lanes: int = info.lanes
        self.bytes: int = info.bytes
        self.state_bytes: int = info.state_bytes
        self.state_align: int = info.state_align

    def field(self, name: str) -> Any | None:
        """The field's layout (a FieldInfo), or None when the stream has no such field."""
        info = FieldInfo()
        code = self.kernel.context.lib.cst_kernel_field(self.kernel.handle, self.index, name.encode(), byref(info))
        if code == ERR_NAME:
            return None
        self.kernel.context.check(code, name)
        return info

    def entry(self, name: str, row: int = 0, lane: int = 0) -> int:
        """Offset of an entry in the state block. KeyError when the stream has no such field."""
        info = self.field(name)
        if info is None:
            raise KeyError(name)
        return info.offset + row * info.row_bytes + (info.lane_offsets[lane] if info.lanes else 0)


class RawKernel:
    """cst_kernel: code that can be called with state blocks that the caller fills."""

    def __init__(self, context: Library, name: str):
        self.context = context
        self.handle = c_void_p()
        context.check(context.lib.cst_kernel_get(context.handle, name.encode(), byref(self.handle)), name, NAME_KERNEL)
        info = KernelInfo()
        context.check(context.lib.cst_kernel_info_get(self.handle, byref(info)))
        self.name: str = info.name.decode()
        self.target: str = info.target.decode()
        self.origin: str = info.origin.decode()
        self.address: int = info.function
        self.code: bytes = ctypes.string_at(info.code, info.code_bytes) if info.code_bytes else b""
        self.assembled_ns: int = info.assembled_ns
        self.lag: int = info.lag
        self.streams = [RawStream(self, i) for i in range(info.streams)]
        self._function: Callable[..., None] = ctypes.CFUNCTYPE(None, POINTER(KernelArgs))(info.function)

    def calls(self) -> int:
        """How often bursts of the context have called the kernel."""
        info = KernelInfo()
        self.context.check(self.context.lib.cst_kernel_info_get(self.handle, byref(info)))
        return info.calls

    def run(self, iterations: int, states: Iterable[int]) -> None:
        """Calls the kernel. `states`: the address of each stream's state block. Nothing is checked."""
        args = KernelArgs(iterations)
        for i, state in enumerate(states):
            args.state[i] = state
        self._function(byref(args))
