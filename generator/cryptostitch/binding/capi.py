"""cryptostitch.h for ctypes: constants, structs, prototypes, and where the library is. Objects are in runtime.py.

The library is found through the environment variable CRYPTOSTITCH_LIBRARY, else inside this package (a wheel's), else
as build/libcryptostitch.so of this checkout, else wherever the loader finds an installed one.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from .values import number

OK, ERR_ARGUMENT, ERR_NAME, ERR_LENGTH, ERR_OVERLAP, ERR_AUTH = 0, -1, -2, -3, -4, -5
ERR_UNSUPPORTED, ERR_MEMORY, ERR_PACK, ERR_JIT, ERR_SELFTEST, ERR_FULL = -6, -7, -8, -9, -10, -11
ERR_FILE, ERR_COSTS, ERR_LOST, ERR_POINT, ERR_LIMIT = -12, -13, -14, -15, -16
NOT_RUN = 1
"""Status of a job that was not begun because another job of its burst had bad arguments."""
NO_JIT, ALLOW_PACKS, CALIBRATE, ALLOW_LEGACY = 1, 2, 4, 8
NAME_SUITE, NAME_KERNEL, NAME_TARGET, NAME_CPU = 1, 2, 3, 4
DIGEST, MAC, CIPHER, AEAD = 1, 2, 3, 4
SEAL, OPEN = 0, 1
CODE_CAUCHY, CODE_VANDERMONDE = 0, 1
STREAMING = 1
PI_GUARD, PI_APPLICATION, PI_REFERENCE, PI_STORAGE = 1, 2, 4, 8
QUIC_VERSION_1, QUIC_VERSION_2 = 1, 0x6B3343CF
QUIC_TAG_BYTES, QUIC_INITIAL_SECRET_BYTES = 16, 32
QUIC_KEY_BYTES = {"aes-128-gcm": 16, "aes-256-gcm": 32, "chacha20-poly1305": 32}
"""The algorithms of QUIC packets, with the bytes of the AEAD's key, and of the header protection's."""
QUIC_SECRET_BYTES = {"aes-128-gcm": 32, "aes-256-gcm": 48, "chacha20-poly1305": 32}
QUIC_NONE = (1 << 64) - 1
"""`most_sealed` of an algorithm without a limit."""
KEY_ALIGN = 64
"""CST_KEY_ALIGN: of the memory for cst_key_init."""
STATE_BYTES = 2048
"""CST_STATE_BYTES: of a message that comes in parts."""
TREE_CHAIN_BYTES = 32
"""CST_TREE_CHAIN_BYTES: of a part of a message that BLAKE3 hashes."""


_BITS = {c_uint8: 8, c_uint16: 16, c_uint32: 32, c_uint64: 64, c_size_t: 64}


def _sized(name: str, *fields: tuple[str, Any]) -> type[ctypes.Structure]:
    """A C struct whose first member `size` is set when it is made. OverflowError for numbers that its members do not
    hold, which ctypes would cut."""
    bits = {field: _BITS[kind] for field, kind in fields if kind in _BITS}

    def init(self: ctypes.Structure, **given: Any) -> None:
        for field in given.keys() & bits:
            given[field] = number(given[field], field, bits[field])
        ctypes.Structure.__init__(self, **given)
        self.size = ctypes.sizeof(self)

    return type(name, (ctypes.Structure,), {"_fields_": [("size", c_size_t), *fields], "__init__": init})


Options = _sized("Options", ("flags", c_uint32), ("target", c_char_p), ("pack_key", c_char_p), ("costs", c_char_p))
CpuInfo = _sized(
    "CpuInfo",
    ("brand", c_char * 64),
    ("family", c_uint32),
    ("model", c_uint32),
    ("stepping", c_uint32),
    ("microarchitecture", c_char * 32),
    ("features", c_char * 512),
    ("jit", c_uint32),
    ("name", c_char * 32),
)
SuiteInfo = _sized(
    "SuiteInfo",
    ("name", c_char_p),
    ("kind", c_int),
    ("key_bytes", c_size_t),
    ("mac_key_min", c_size_t),
    ("mac_key_max", c_size_t),
    ("iv_bytes", c_size_t),
    ("tag_min", c_size_t),
    ("tag_max", c_size_t),
    ("block_bytes", c_size_t),
    ("expansion", c_size_t),
    ("max_bytes", c_uint64),
    ("aad_min", c_uint64),
    ("aad_max", c_uint64),
    ("iv_min", c_size_t),
    ("iv_max", c_size_t),
    ("min_bytes", c_uint64),
    ("key_min", c_size_t),
    ("key_max", c_size_t),
    ("tag_lengths", c_uint64),
    ("aad_step", c_uint64),
    ("iv_and_count_bytes", c_size_t),
    ("open_block_bytes", c_size_t),
    ("open_min_bytes", c_uint64),
    ("open_max_bytes", c_uint64),
    ("most_tag_bytes", c_uint64),
    ("known_answers", c_uint64),
    ("open_tag_lengths", c_uint64),
)
CrcStruct = _sized(
    "CrcStruct",
    ("width", c_uint32),
    ("reflected", c_uint32),
    ("polynomial", c_uint64),
    ("initial", c_uint64),
    ("final", c_uint64),
)
ChoiceInfo = _sized(
    "ChoiceInfo",
    ("kernel", c_char * 128),
    ("origin", c_char * 16),
    ("lanes", c_uint32),
    ("cycles_per_byte", c_double),
    ("why", c_char * 512),
)
JobStruct = _sized(
    "JobStruct",
    ("key", c_void_p),
    ("direction", c_int),
    ("status", c_int),
    ("iv", c_void_p),
    ("iv_len", c_size_t),
    ("aad", c_void_p),
    ("aad_len", c_size_t),
    ("in", c_void_p),
    ("in_len", c_size_t),
    ("out", c_void_p),
    ("out_cap", c_size_t),
    ("out_len", c_size_t),
    ("tag", c_void_p),
    ("tag_len", c_size_t),
    ("in_pieces", c_void_p),
    ("n_in_pieces", c_size_t),
    ("out_pieces", c_void_p),
    ("n_out_pieces", c_size_t),
)


class PieceStruct(ctypes.Structure):
    """A piece of a buffer."""

    _fields_ = [("data", c_void_p), ("bytes", c_size_t)]


ColumnStruct = _sized(
    "ColumnStruct",
    ("key", c_void_p),
    ("data", c_void_p),
    ("data_bytes", c_size_t),
    ("offsets", c_void_p),
    ("offset_bytes", c_size_t),
    ("n", c_size_t),
    ("tags", c_void_p),
    ("tag_len", c_size_t),
    ("stride", c_size_t),
)
TextColumnStruct = _sized(
    "TextColumnStruct",
    ("key", c_void_p),
    ("in_", c_void_p),
    ("out", c_void_p),
    ("bytes", c_size_t),
    ("offsets", c_void_p),
    ("offset_bytes", c_size_t),
    ("n", c_size_t),
    ("ivs", c_void_p),
    ("iv_len", c_size_t),
    ("iv_stride", c_size_t),
    ("aads", c_void_p),
    ("aad_len", c_size_t),
    ("aad_stride", c_size_t),
    ("tags", c_void_p),
    ("tag_len", c_size_t),
    ("tag_stride", c_size_t),
    ("statuses", c_void_p),
)
PartStruct = _sized(
    "PartStruct",
    ("key", c_void_p),
    ("state", c_void_p),
    ("in", c_void_p),
    ("in_len", c_size_t),
    ("last", c_int),
    ("tag", c_void_p),
    ("tag_len", c_size_t),
)
TextPartStruct = _sized(
    "TextPartStruct",
    ("key", c_void_p),
    ("direction", c_int),
    ("status", c_int),
    ("state", c_void_p),
    ("iv", c_void_p),
    ("iv_len", c_size_t),
    ("aad", c_void_p),
    ("aad_len", c_size_t),
    ("in", c_void_p),
    ("in_len", c_size_t),
    ("out", c_void_p),
    ("out_cap", c_size_t),
    ("last", c_int),
    ("tag", c_void_p),
    ("tag_len", c_size_t),
)
ChunkerOptions = _sized(
    "ChunkerOptions",
    ("key", c_void_p),
    ("average_bytes", c_size_t),
    ("least_bytes", c_size_t),
    ("most_bytes", c_size_t),
    ("normalization", c_uint32),
    ("flags", c_uint32),
)


class ChunkStruct(ctypes.Structure):
    """cst_chunk."""

    _fields_ = [("offset", c_uint64), ("bytes", c_uint64), ("digest", c_uint8 * 64)]


PkJob = _sized(
    "PkJob",
    ("status", c_int),
    ("key", c_void_p),
    ("key_len", c_size_t),
    ("in", c_void_p),
    ("in_len", c_size_t),
    ("out", c_void_p),
    ("out_cap", c_size_t),
    ("out_len", c_size_t),
    ("signature", c_void_p),
    ("signature_len", c_size_t),
    ("prepared", c_void_p),
)
QuicKeyInfo = _sized(
    "QuicKeyInfo",
    ("algorithm", c_char_p),
    ("sealed", c_uint64),
    ("most_sealed", c_uint64),
    ("failed", c_uint64),
    ("most_failed", c_uint64),
)
QuicPacketStruct = _sized(
    "QuicPacketStruct",
    ("key", c_void_p),
    ("status", c_int),
    ("number_len", c_uint32),
    ("number", c_uint64),
    ("header", c_void_p),
    ("header_len", c_size_t),
    ("in", c_void_p),
    ("in_len", c_size_t),
    ("in_pieces", c_void_p),
    ("n_in_pieces", c_size_t),
    ("out", c_void_p),
    ("out_cap", c_size_t),
    ("out_len", c_size_t),
)
QuicReceivedStruct = _sized(
    "QuicReceivedStruct",
    ("key", c_void_p),
    ("previous", c_void_p),
    ("next", c_void_p),
    ("phase", c_uint32),
    ("status", c_int),
    ("phase_opened", c_uint64),
    ("expected", c_uint64),
    ("in", c_void_p),
    ("in_len", c_size_t),
    ("number_at", c_size_t),
    ("out", c_void_p),
    ("out_cap", c_size_t),
    ("opened_by", c_void_p),
    ("header_len", c_size_t),
    ("payload_len", c_size_t),
    ("number_len", c_uint32),
    ("number", c_uint64),
)
TlsWrite = _sized(
    "TlsWrite",
    ("key", c_void_p),
    ("sequence", c_uint64),
    ("type", c_uint8),
    ("version", c_uint16),
    ("fragment", c_size_t),
    ("iv", c_void_p),
    ("iv_len", c_size_t),
    ("in", c_void_p),
    ("in_len", c_size_t),
    ("out", c_void_p),
    ("out_cap", c_size_t),
    ("out_len", c_size_t),
    ("records", c_size_t),
)
KernelInfo = _sized(
    "KernelInfo",
    ("name", c_char_p),
    ("target", c_char_p),
    ("origin", c_char_p),
    ("function", c_void_p),
    ("code", c_void_p),
    ("code_bytes", c_size_t),
    ("assembled_ns", c_uint64),
    ("streams", c_uint32),
    ("lag", c_uint32),
    ("calls", c_uint64),
)
ManagerOptions = _sized("ManagerOptions", ("min_fill", c_size_t), ("max_age", c_size_t), ("capacity", c_size_t))
ManagerInfo = _sized(
    "ManagerInfo",
    ("min_fill", c_size_t),
    ("max_age", c_size_t),
    ("capacity", c_size_t),
    ("waiting", c_size_t),
    ("done", c_size_t),
    ("jobs", c_uint64),
    ("bursts", c_uint64),
    ("full", c_uint64),
    ("aged", c_uint64),
    ("flushed", c_uint64),
)
CodeShape = _sized("CodeShape", ("data", c_uint32), ("parity", c_uint32), ("matrix", c_int), ("kernel", c_char_p))
ProtectionStruct = _sized(
    "ProtectionStruct",
    ("key", c_void_p),
    ("sector_bytes", c_size_t),
    ("type", c_uint32),
    ("ignored", c_uint32),
    ("reference", c_uint64),
    ("storage_tag", c_uint64),
    ("storage_bits", c_uint32),
    ("flags", c_uint32),
    ("application_tag", c_uint16),
    ("application_ignored", c_uint16),
)
ProtectionFault = _sized("ProtectionFault", ("sector", c_size_t), ("fields", c_uint32))
StreamInfo = _sized(
    "StreamInfo",
    ("name", c_char_p),
    ("lanes", c_uint32),
    ("bytes", c_uint32),
    ("state_bytes", c_size_t),
    ("state_align", c_size_t),
)
FieldInfo = _sized(
    "FieldInfo",
    ("offset", c_uint32),
    ("rows", c_uint32),
    ("row_bytes", c_uint32),
    ("entry_bytes", c_uint32),
    ("lanes", c_uint32),
    ("shared", c_uint32),
    ("lane_offsets", POINTER(c_uint16)),
)


class KernelArgs(ctypes.Structure):
    """The argument struct of a raw kernel."""

    _fields_ = [("iterations", c_uint64), ("state", c_void_p * 4)]


EACH_NAME = ctypes.CFUNCTYPE(c_int, c_char_p, c_void_p)
EACH_TEST = ctypes.CFUNCTYPE(None, c_char_p, c_int, c_void_p)
PROGRESS = ctypes.CFUNCTYPE(c_int, c_size_t, c_size_t, c_char_p, c_void_p)

_PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "cst_error_text": (c_char_p, [c_int]),
    "cst_version": (c_char_p, []),
    "cst_ctx_new": (c_int, [POINTER(c_void_p), c_void_p]),
    "cst_ctx_free": (None, [c_void_p]),
    "cst_nearest": (c_int, [c_void_p, c_int, c_char_p, c_char_p, c_size_t]),
    "cst_list": (c_int, [c_void_p, c_int, EACH_NAME, c_void_p]),
    "cst_calibrate": (c_int, [c_void_p, c_char_p, c_double, PROGRESS, c_void_p]),
    "cst_costs_save": (c_int, [c_void_p, c_char_p]),
    "cst_ctx_cpu": (c_int, [c_void_p, c_void_p]),
    "cst_suite_get": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "cst_suite_info_get": (c_int, [c_void_p, c_void_p]),
    "cst_suite_choice": (c_int, [c_void_p, c_int, c_size_t, c_size_t, c_int, c_void_p]),
    "cst_suite_force": (c_int, [c_void_p, c_char_p, c_char_p]),
    "cst_key_new": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, POINTER(c_void_p)]),
    "cst_key_free": (None, [c_void_p]),
    "cst_key_bytes": (c_size_t, [c_void_p]),
    "cst_key_init": (
        c_int,
        [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_size_t, POINTER(c_void_p)],
    ),
    "cst_key_clear": (None, [c_void_p]),
    "cst_burst": (c_int, [c_void_p, c_void_p, c_size_t]),
    "cst_burst_pointers": (c_int, [c_void_p, c_void_p, c_size_t]),
    "cst_seal": (c_int, [c_void_p, *[c_void_p, c_size_t] * 4, POINTER(c_size_t), c_void_p, c_size_t]),
    "cst_open": (c_int, [c_void_p, *[c_void_p, c_size_t] * 4, POINTER(c_size_t), c_void_p, c_size_t]),
    "cst_digest": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t]),
    "cst_digest_column": (c_int, [c_void_p]),
    "cst_digest_many": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_size_t, c_size_t]),
    "cst_seal_column": (c_int, [c_void_p]),
    "cst_open_column": (c_int, [c_void_p]),
    "cst_job_size": (c_size_t, []),
    "cst_digest_parts": (c_int, [c_void_p, c_void_p, c_size_t]),
    "cst_tree_part": (c_int, [c_void_p, c_uint64, c_void_p, c_size_t, c_void_p]),
    "cst_tree_root": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t]),
    "cst_text_parts": (c_int, [c_void_p, c_void_p, c_size_t]),
    "cst_chunker_new": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "cst_chunker_free": (None, [c_void_p]),
    "cst_chunker_feed": (
        c_int,
        [c_void_p, c_void_p, c_size_t, c_int, c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_size_t)],
    ),
    "cst_rolling_new": (c_int, [c_size_t, POINTER(c_void_p)]),
    "cst_rolling_free": (None, [c_void_p]),
    "cst_rolling_reset": (c_int, [c_void_p, c_void_p, c_size_t]),
    "cst_rolling_run": (
        c_int,
        [c_void_p, c_void_p, c_size_t, c_uint64, c_uint64, POINTER(c_size_t), POINTER(c_int)],
    ),
    "cst_checksum_update": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_uint64)]),
    "cst_checksum_copy": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_uint32, POINTER(c_uint64)]),
    "cst_checksum_combine": (c_int, [c_void_p, c_uint64, c_uint64, c_uint64, POINTER(c_uint64)]),
    "cst_pi_insert": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "cst_pi_check": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "cst_pi_strip": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "cst_crc_new": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "cst_code_new": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "cst_code_free": (None, [c_void_p]),
    "cst_code_encode": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "cst_code_update": (c_int, [c_void_p, c_size_t, c_uint32, c_void_p, c_void_p]),
    "cst_code_decode": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "cst_pk_new": (c_int, [c_void_p, c_char_p, c_char_p, c_void_p]),
    "cst_pk_free": (None, [c_void_p]),
    "cst_pk_key_new": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "cst_pk_key_free": (None, [c_void_p]),
    "cst_pk_burst": (c_int, [c_void_p, c_void_p, c_size_t]),
    "cst_pk_manager_new": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "cst_pk_manager_free": (None, [c_void_p]),
    "cst_pk_manager_submit": (c_int, [c_void_p, c_void_p, c_void_p]),
    "cst_pk_manager_take": (c_void_p, [c_void_p]),
    "cst_pk_manager_flush": (c_int, [c_void_p]),
    "cst_pk_manager_cancel": (c_int, [c_void_p, c_void_p]),
    "cst_code_check": (c_int, [c_void_p, c_size_t, c_void_p, POINTER(c_int)]),
    "cst_code_encode_checked": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "cst_code_update_checked": (c_int, [c_void_p, c_void_p, c_size_t, c_uint32, c_void_p, c_void_p, c_void_p]),
    "cst_code_check_blocks": (
        c_int,
        [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, POINTER(c_int)],
    ),
    "cst_tls_seal_size": (c_int, [c_void_p, c_size_t, c_size_t, POINTER(c_size_t), POINTER(c_size_t)]),
    "cst_tls_seal": (c_int, [c_void_p]),
    "cst_quic_key_new": (c_int, [c_void_p, c_char_p, *[c_void_p, c_size_t] * 3, POINTER(c_void_p)]),
    "cst_quic_key_from_secret": (
        c_int,
        [c_void_p, c_char_p, c_uint32, c_void_p, c_size_t, c_void_p, POINTER(c_void_p)],
    ),
    "cst_quic_key_free": (None, [c_void_p]),
    "cst_quic_key_info_get": (c_int, [c_void_p, c_void_p]),
    "cst_quic_next_secret": (c_int, [c_void_p, c_char_p, c_uint32, c_void_p, c_size_t, c_void_p]),
    "cst_quic_initial_secrets": (c_int, [c_void_p, c_uint32, c_void_p, c_size_t, c_void_p, c_void_p]),
    "cst_quic_retry_tag": (c_int, [c_void_p, c_uint32, *[c_void_p, c_size_t] * 2, c_void_p]),
    "cst_quic_seal": (c_int, [c_void_p, c_void_p, c_size_t]),
    "cst_quic_open": (c_int, [c_void_p, c_void_p, c_size_t]),
    "cst_manager_new": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "cst_manager_free": (None, [c_void_p]),
    "cst_manager_submit": (c_int, [c_void_p, c_void_p]),
    "cst_manager_take": (c_void_p, [c_void_p]),
    "cst_manager_flush": (c_int, [c_void_p]),
    "cst_manager_cancel": (c_int, [c_void_p, c_void_p]),
    "cst_manager_info_get": (c_int, [c_void_p, c_void_p]),
    "cst_kernel_get": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "cst_kernel_info_get": (c_int, [c_void_p, c_void_p]),
    "cst_kernel_stream": (c_int, [c_void_p, c_uint32, c_void_p]),
    "cst_kernel_field": (c_int, [c_void_p, c_uint32, c_char_p, c_void_p]),
    "cst_pack_load": (c_int, [c_void_p, c_void_p, c_size_t]),
    "cst_pack_check": (c_int, [c_void_p, c_size_t, c_char_p, c_size_t]),
    "cst_selftest": (c_int, [c_void_p, c_char_p, EACH_TEST, c_void_p]),
}


def library_path() -> str:
    """Returns the path of the shared library. FileNotFoundError when there is none."""
    named = os.environ.get("CRYPTOSTITCH_LIBRARY")
    if named:
        return named
    here = Path(__file__).resolve()
    for path in (here.parents[1] / "lib/libcryptostitch.so.0", here.parents[3] / "build/libcryptostitch.so"):
        if path.exists():
            return str(path)
    found = ctypes.util.find_library("cryptostitch")
    if found:
        return found
    raise FileNotFoundError("no libcryptostitch: build it (cmake --build build) or set CRYPTOSTITCH_LIBRARY")


class _Symbol(ctypes.Structure):
    """Dl_info."""

    _fields_ = [("file", c_char_p), ("base", c_void_p), ("name", c_char_p), ("address", c_void_p)]


def file_of(library: ctypes.CDLL) -> Path | None:
    """Returns the absolute path from which the loader loaded the library; None when it is not known."""
    symbol, dladdr = _Symbol(), ctypes.CDLL(None).dladdr
    if not dladdr(ctypes.cast(library.cst_version, c_void_p), ctypes.byref(symbol)) or not symbol.file:
        return None
    path = Path(os.fsdecode(symbol.file))
    return path if path.is_absolute() else None


_loaded: dict[str, ctypes.CDLL] = {}


def load(path: str | None = None) -> ctypes.CDLL:
    """The library with the argument types of every function set."""
    path = path or library_path()
    if "/" in path:  # else the loader searches
        path = os.path.abspath(path)
    if path not in _loaded:
        library = ctypes.CDLL(path)
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        return _loaded.setdefault(path, library)  # threads may load it at the same time
    return _loaded[path]
