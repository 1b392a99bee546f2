"""Where the memory of a read-only buffer lies: `from_buffer` of ctypes takes only writable ones."""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_char_p, c_int, c_ssize_t, c_void_p, py_object
from typing import Any

from .fixed import Uncopied

_SIMPLE = 0  # PyBUF_SIMPLE: bytes, one behind the other


class _Py_buffer(ctypes.Structure):  # as Python's C API has it, stable since 3.11
    _fields_ = (
        ("buf", c_void_p),
        ("obj", c_void_p),
        ("len", c_ssize_t),
        ("itemsize", c_ssize_t),
        ("readonly", c_int),
        ("ndim", c_int),
        ("format", c_char_p),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("suboffsets", c_void_p),
        ("internal", c_void_p),
    )


class Held(Uncopied):
    """A buffer that stays where it is for as long as this object lives. BufferError or TypeError where there is none
    of contiguous bytes."""

    def __init__(self, buffer: Any):
        self._view = _Py_buffer()
        ctypes.pythonapi.PyObject_GetBuffer(py_object(buffer), byref(self._view), c_int(_SIMPLE))
        self.address: int | None = self._view.buf if self._view.len else None
        self.length: int = self._view.len

    def __del__(self) -> None:
        if self._view.obj:
            ctypes.pythonapi.PyBuffer_Release(byref(self._view))


def place_of(buffer: memoryview) -> tuple[int | None, int, Any]:
    """Address, length, and what must be kept alive; where Python is not CPython, of a copy."""
    if sys.implementation.name == "cpython":
        held = Held(buffer)
        return held.address, held.length, held
    copy = (ctypes.c_char * buffer.nbytes).from_buffer_copy(buffer)
    return ctypes.addressof(copy), buffer.nbytes, copy
