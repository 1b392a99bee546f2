"""The C functions of QUIC packets, for tests: each packet has buffers of its own, with bytes beside them that must not
change."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from ctypes import addressof, byref, c_void_p
from dataclasses import dataclass, field
from typing import Any

from cryptostitch.binding import capi
from cryptostitch.binding.runtime import Context
from quic_model import Keys

BESIDE = b"\xa5" * 24


class Bytes:
    """A buffer between bytes that must not change."""

    def __init__(self, content: bytes):
        self.size, self.before = len(content), content
        self.memory = ctypes.create_string_buffer(BESIDE + content + BESIDE, len(content) + 2 * len(BESIDE))
        self.at = addressof(self.memory) + len(BESIDE)

    def get(self) -> bytes:
        raw = self.memory.raw
        assert raw.startswith(BESIDE) and raw.endswith(BESIDE), "written beside a buffer"
        return raw[len(BESIDE) : -len(BESIDE)]

    @property
    def changed(self) -> bool:
        return self.get() != self.before


@dataclass
class Sealing:
    key: int
    header: bytes
    number: int
    number_len: int
    payload: bytes
    in_place: bool = True
    cuts: Sequence[int] | None = None
    status: int = 77
    out_len: int = 77
    packet: bytes = b""
    """What came out: header and payload."""
    changed: bool = False
    members: dict[str, Any] = field(default_factory=dict)
    """Others than the right ones."""


@dataclass
class Opening:
    key: int
    packet: bytes
    at: int
    largest: int = -1
    previous: int = 0
    next: int = 0
    phase: int = 0
    phase_first: int = -1
    in_place: bool = True
    status: int = 77
    header: bytes = b""
    payload: bytes = b""
    number: int = -1
    opened_by: int = 0
    out: bytes = b""
    """The whole output."""
    changed: bool = False
    told: tuple[int, ...] = ()
    members: dict[str, Any] = field(default_factory=dict)


class Quic:
    def __init__(self, context: Context):
        self.context, self.lib = context, context.lib
        self.keys: list[int] = []
        weakref.finalize(self, _free, context, self.keys)

    def made(self, function: Any, algorithm: str, *arguments: Any) -> int:
        """RuntimeFailure where this CPU lacks what the algorithm needs."""
        key = c_void_p()
        code = function(self.context.handle, algorithm.encode(), *arguments, byref(key))
        if code == capi.ERR_UNSUPPORTED:
            self.context.check(code, algorithm)
        assert code == capi.OK, code
        self.keys.append(key.value or 0)
        return self.keys[-1]

    def key(self, keys: Keys) -> int:
        parts = [each for part in (keys.key, keys.iv, keys.hp) for each in (part, len(part))]
        return self.made(self.lib.cst_quic_key_new, keys.algorithm, *parts)

    def from_secret(self, algorithm: str, version: int, secret: bytes, before: int | None = None) -> int:
        return self.made(self.lib.cst_quic_key_from_secret, algorithm, version, secret, len(secret), before)

    def next_secret(self, algorithm: str, version: int, secret: bytes) -> bytes:
        following = ctypes.create_string_buffer(len(secret))
        call = self.lib.cst_quic_next_secret
        assert not call(self.context.handle, algorithm.encode(), version, secret, len(secret), following)
        return following.raw

    def initial_secrets(self, version: int, connection_id: bytes) -> tuple[bytes, bytes]:
        client, server = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
        call = self.lib.cst_quic_initial_secrets
        assert not call(self.context.handle, version, connection_id, len(connection_id), client, server)
        return client.raw, server.raw

    def retry_tag(self, version: int, connection_id: bytes, packet: bytes) -> bytes:
        tag, call = ctypes.create_string_buffer(16), self.lib.cst_quic_retry_tag
        code = call(self.context.handle, version, connection_id, len(connection_id), packet, len(packet), tag)
        self.context.check(code, "aes-128-gcm")
        return tag.raw

    def info(self, key: int) -> Any:
        info = capi.QuicKeyInfo()
        assert self.lib.cst_quic_key_info_get(key, byref(info)) == capi.OK
        return info

    def seal(self, packets: Sequence[Sealing]) -> int:
        structs: Any = (capi.QuicPacketStruct * max(len(packets), 1))()
        kept: list[Any] = []
        for packet, struct in zip(packets, structs):
            header = Bytes(packet.header)
            out = Bytes(packet.payload + bytes(16) if packet.in_place else b"?" * (len(packet.payload) + 16))
            text = out if packet.in_place else Bytes(packet.payload)
            struct.size = ctypes.sizeof(struct)
            struct.key, struct.number, struct.number_len = packet.key, packet.number, packet.number_len
            struct.header, struct.header_len = header.at, header.size
            setattr(struct, "in", text.at)
            struct.in_len, struct.out, struct.out_cap = len(packet.payload), out.at, out.size
            pieces = None
            if packet.cuts is not None:
                edges = [0, *packet.cuts, len(packet.payload)]
                pieces = (capi.PieceStruct * (len(edges) - 1))()
                for piece, first, last in zip(pieces, edges, edges[1:]):
                    piece.data, piece.bytes = text.at + first, last - first
                setattr(struct, "in", None)
                struct.in_pieces, struct.n_in_pieces = addressof(pieces), len(pieces)
            for name, value in packet.members.items():
                setattr(struct, name, value)
            struct.status, struct.out_len = 77, 77
            kept.append((header, out, text, pieces))
        code: int = self.lib.cst_quic_seal(self.context.handle, structs, len(packets))
        for packet, struct, (header, out, text, _) in zip(packets, structs, kept):
            packet.status, packet.out_len = struct.status, struct.out_len
            packet.packet = header.get() + out.get()
            packet.changed = header.changed or out.changed
            assert packet.in_place or not text.changed
        return code

    def open(self, packets: Sequence[Opening]) -> int:
        structs: Any = (capi.QuicReceivedStruct * max(len(packets), 1))()
        kept = []
        for packet, struct in zip(packets, structs):
            source = Bytes(packet.packet)
            out = source if packet.in_place else Bytes(b"?" * max(len(packet.packet) - 16, 0))
            struct.size = ctypes.sizeof(struct)
            struct.key, struct.previous, struct.next = packet.key, packet.previous or None, packet.next or None
            struct.phase, struct.phase_opened = packet.phase, packet.phase_first + 1
            struct.expected = packet.largest + 1
            setattr(struct, "in", source.at)
            struct.in_len, struct.number_at, struct.out, struct.out_cap = source.size, packet.at, out.at, out.size
            struct.status, struct.opened_by, struct.header_len, struct.payload_len = 77, 77, 77, 77
            struct.number_len, struct.number = 77, 77
            for name, value in packet.members.items():
                setattr(struct, name, value)
            kept.append((source, out))
        code: int = self.lib.cst_quic_open(self.context.handle, structs, len(packets))
        for packet, struct, (source, out) in zip(packets, structs, kept):
            packet.status, packet.out, packet.changed = struct.status, out.get(), out.changed
            packet.told = (
                struct.opened_by or 0, struct.header_len, struct.payload_len, struct.number_len, struct.number
            )  # fmt: skip
            if packet.status == capi.OK:
                packet.header = packet.out[: struct.header_len]
                packet.payload = packet.out[struct.header_len :][: struct.payload_len]
                packet.number, packet.opened_by = struct.number, struct.opened_by
                assert struct.header_len == packet.at + struct.number_len
            assert packet.in_place or not source.changed
        return code


def _free(context: Context, keys: list[int]) -> None:
    for key in keys:
        if not context.closed:
            context.lib.cst_quic_key_free(key)
