"""libcst-probe for ctypes: its structs and prototypes (probe/probe.h), and where it is.

It is found through the environment variable CRYPTOSTITCH_PROBE, else beside the C library (capi.library_path).
"""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from pathlib import Path

from ..binding.capi import library_path
from .result import Skip

BELOW, ABOVE, FILL = 98304, 256, 0xA5
BASE_CODE, BASE_NONE = 16, 17
READ, WRITE, EXECUTE = 1, 3, 5
X87, SSE, AVX, MASKS, ZMM_HIGH, HIGH_16 = (1 << n for n in (0, 1, 2, 5, 6, 7))
"""XSAVE state components: ``AVX`` is the upper half of ymm0-15, ``ZMM_HIGH`` that of zmm0-15, ``HIGH_16`` all of
zmm16-31."""
RSP = 4


class Registers(ctypes.Structure):
    _fields_ = [
        ("general", c_uint64 * 16),
        ("flags", c_uint64),
        ("components", c_uint64),
        ("mxcsr", c_uint32),
        ("x87_control", c_uint16),
        ("x87_tags", c_uint16),
        ("mask", c_uint64 * 8),
        ("vector", c_uint8 * 64 * 32),
    ]


class Operand(ctypes.Structure):
    _fields_ = [
        ("displacement", c_int64),
        ("base", c_uint8),
        ("index", c_uint8),
        ("scale", c_uint8),
        ("reserved", c_uint8 * 5),
    ]


class Trace(ctypes.Structure):
    _fields_ = [
        ("first", POINTER(c_uint32)),
        ("operands", POINTER(Operand)),
        ("log", POINTER(c_uint64)),
        ("log_size", c_uint64),
        ("max_steps", c_uint64),
        ("steps", c_uint64),
        ("logged", c_uint64),
        ("hash", c_uint64),
    ]


class Call(ctypes.Structure):
    _fields_ = [
        ("code", c_void_p),
        ("code_bytes", c_uint64),
        ("cpu_ns", c_uint64),
        ("before", Registers),
        ("after", Registers),
        ("stack", c_void_p),
        ("trace", POINTER(Trace)),
        ("signal", c_int32),
        ("signal_code", c_int32),
        ("fault_address", c_uint64),
        ("fault_instruction", c_uint64),
        ("fault_write", c_uint64),
    ]


_PROTOTYPES = {
    "cst_probe_run": (c_int, [POINTER(Call)]),
    "cst_probe_components": (c_uint64, []),
    "cst_probe_knows_use": (c_int, []),
    "cst_probe_block_new": (c_void_p, [c_size_t, c_size_t, c_int]),
    "cst_probe_block_protect": (c_int, [c_void_p, c_size_t, c_int]),
    "cst_probe_block_free": (None, [c_void_p, c_size_t]),
}


def probe_path() -> Path:
    """Raises Skip when it is not built."""
    named = os.environ.get("CRYPTOSTITCH_PROBE")
    if named:
        found = Path(named)
    else:
        try:
            found = Path(library_path()).parent / "libcst-probe.so"
        except FileNotFoundError:
            raise Skip("libcst-probe is not built") from None
    if not found.exists():
        raise Skip("libcst-probe is not built")
    return found


_loaded: dict[Path, ctypes.CDLL] = {}


def load() -> ctypes.CDLL:
    """The library with its prototypes. Raises Skip when it is not built, or cannot work here."""
    path = probe_path()
    if path not in _loaded:
        library = ctypes.CDLL(str(path))
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        if not library.cst_probe_components():
            raise Skip("this CPU or its system has no XSAVE")
        _loaded[path] = library
    return _loaded[path]
