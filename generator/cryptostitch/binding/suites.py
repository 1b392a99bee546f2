"""Suites of a context, and keys with their one-buffer operations."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import byref, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any

from .alike import Buffer
from .capi import CIPHER, DIGEST, NAME_SUITE, OPEN, SEAL, ChoiceInfo, ColumnStruct, CrcStruct, SuiteInfo, TlsWrite
from .jobs import Job, address_of
from .library import Library
from .sealing import open_many, seal_many


@dataclass
class Choice:
    """Which kernel would run, and why. ``cycles_per_byte`` is 0 where it is only an estimate."""

    kernel: str
    origin: str
    lanes: int
    cycles_per_byte: float
    why: str


class Suite:
    """cst_suite; lives as long as its context."""

    def __init__(self, context: Library, name: str):
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
        self.tag_lengths: list[int] = [n for n in range(1, 65) if info.tag_lengths >> (n - 1) & 1]
        self.aad_step: int = info.aad_step
        self.iv_and_count_bytes: int = info.iv_and_count_bytes
        self.open_block_bytes: int = info.open_block_bytes
        self.open_min_bytes: int = info.open_min_bytes
        self.open_max_bytes: int = info.open_max_bytes
        self.most_tag_bytes: int = info.most_tag_bytes

    def key(self, key: Any = None, mac_key: Any = None, memory: Any = None) -> Key:
        return Key(self, key, mac_key, memory)

    def seal_many(
        self,
        key: Key,
        ivs: Iterable[Buffer] | None,
        texts: Iterable[Buffer],
        aads: Iterable[Buffer] | None = None,
        tag_len: int | None = None,
    ) -> list[tuple[bytearray, bytes]]:
        """(output, tag) of each text under its IV, side by side in lanes. ``ivs``: None where the suite has none.
        Nothing is copied, and the interpreter's lock is released; may be called from several threads, with the same key
        too. RuntimeFailure when a length is wrong; ValueError when there are not as many of each."""
        return seal_many(self, key, ivs, texts, aads, tag_len)

    def open_many(
        self,
        key: Key,
        ivs: Iterable[Buffer] | None,
        sealed: Iterable[tuple[Buffer, Buffer]],
        aads: Iterable[Buffer] | None = None,
    ) -> list[bytearray]:
        """The texts of what `seal_many` made; of a digest or MAC, ``sealed`` are texts and tags. SomeForged (a
        RuntimeFailure, with those that are authentic) when at least one is not; otherwise as `seal_many`."""
        return open_many(self, key, ivs, sealed, aads)

    @property
    def key_memory(self) -> int:
        """Bytes of memory that a key takes (cst_key_bytes)."""
        size: int = self.context.lib.cst_key_bytes(self.handle)
        return size

    def choice(self, jobs: int = 1, size: int = 16384, one_key: bool = False, direction: int = SEAL) -> Choice:
        """What `jobs` jobs of `size` bytes would run on."""
        info = ChoiceInfo()
        self.context.check(
            self.context.lib.cst_suite_choice(self.handle, direction, jobs, size, int(one_key), byref(info)), self.name
        )
        return Choice(info.kernel.decode(), info.origin.decode(), info.lanes, info.cycles_per_byte, info.why.decode())


class Key:
    """cst_key: an expanded key, with the one-buffer operations.

    ``memory``: a writable buffer, or its (address, length), in which it shall lie, at a multiple of KEY_ALIGN and of
    `Suite.key_memory` bytes at least; it is wiped when the key is closed. Without one the key has memory of its own.
    """

    def __init__(self, suite: Suite, key: Any = None, mac_key: Any = None, memory: Any = None):
        self.suite, self.lib = suite, suite.context.lib
        self.handle = c_void_p()
        k, k_len, keep_k = address_of(key, False)
        m, m_len, keep_m = address_of(mac_key, False)
        room, room_len, self._memory = address_of(memory, True)
        self._clear = self.lib.cst_key_free if memory is None else self.lib.cst_key_clear
        if memory is None:
            code = self.lib.cst_key_new(suite.handle, k, k_len, m, m_len, byref(self.handle))
        else:
            code = self.lib.cst_key_init(suite.handle, room, room_len, k, k_len, m, m_len, byref(self.handle))
        self.check(code)
        del keep_k, keep_m

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Wipes it, and frees the memory that is its own."""
        if getattr(self, "handle", None) and self.suite.context.handle:
            self._clear(self.handle)
            self.handle = c_void_p()

    def check(self, code: int) -> None:
        """Raises RuntimeFailure unless the code is OK."""
        self.suite.context.check(code, self.suite.name)

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
        self.check(self.lib.cst_tls_seal(byref(write)))
        del keep_iv, keep_in, keep_out
        return bytes(out[: write.out_len])

    def tls_size(self, size: int, fragment: int = 0) -> tuple[int, int]:
        """(records, bytes) that cst_tls_seal makes of `size` bytes."""
        records, bytes_ = c_size_t(), c_size_t()
        code = self.lib.cst_tls_seal_size(self.handle, size, fragment, byref(records), byref(bytes_))
        self.check(code)
        return records.value, bytes_.value

    def digest(self, data: bytes, tag_len: int | None = None) -> bytes:
        tag = bytearray(self.suite.tag_max if tag_len is None else tag_len)
        t, t_len, keep_t = address_of(tag, True)
        d, d_len, keep_d = address_of(data, False)
        self.check(self.lib.cst_digest(self.handle, d, d_len, t, t_len))
        del keep_t, keep_d
        return bytes(tag)

    def checksum(self, data: Any, value: int = 0) -> int:
        """cst_checksum_update: the checksum of what ``value`` is that of, with ``data`` behind it."""
        at = c_uint64(value)
        d, d_len, keep_d = address_of(data, False)
        self.check(self.lib.cst_checksum_update(self.handle, d, d_len, byref(at)))
        del keep_d
        return at.value

    def combine(self, first: int, second: int, second_len: int) -> int:
        """cst_checksum_combine: the checksum of two texts one behind the other, the second of so many bytes."""
        value = c_uint64()
        self.check(self.lib.cst_checksum_combine(self.handle, first, second, second_len, byref(value)))
        return value.value

    def digest_column(self, data: Any, offsets: Any, tags: Any, tag_len: int | None = None, stride: int = 0) -> None:
        """cst_digest_column: the digest of each item data[offsets[i] : offsets[i + 1]] into ``tags``, a writable buffer
        or its (address, length). ``offsets``: a buffer of whole numbers of 4 or 8 bytes, one more than items.
        ValueError where ``tags`` is too small, or the offsets are not such."""
        numbers = memoryview(offsets)
        if numbers.format not in ("i", "I", "l", "L", "q", "Q") or numbers.ndim != 1 or not numbers.c_contiguous:
            raise ValueError("offsets are whole numbers of 4 or 8 bytes, one behind the other")
        n = max(len(numbers) - 1, 0)
        length = self.suite.tag_max if tag_len is None else tag_len
        t, t_len, keep_t = address_of(tags, True)
        if n and (n - 1) * (stride or length) + length > t_len:
            raise ValueError(f"{t_len} bytes have no room for {n} digests")
        d, d_len, keep_d = address_of(data, False)
        o, _, keep_o = address_of(numbers, False)
        column = ColumnStruct(key=self.handle, data=d, data_bytes=d_len, offsets=o, offset_bytes=numbers.itemsize, n=n)
        column.tags, column.tag_len, column.stride = t, length, stride
        self.check(self.lib.cst_digest_column(byref(column)))
        del keep_t, keep_d, keep_o


@dataclass
class AnyCrc:
    """What keys of `CrcKey` have in the place of a suite."""

    context: Library
    name: str = "a cst_crc"
    kind: int = DIGEST
    tag_max: int = 8


class CrcKey(Key):
    """cst_crc_new: a check of any polynomial, given without its highest term. Digests have 8 bytes. RuntimeFailure
    where there is no such check."""

    def __init__(
        self, context: Library, width: int, polynomial: int, initial: int = 0, final: int = 0, reflected: bool = False
    ):
        self.suite, self.lib = AnyCrc(context), context.lib  # type: ignore[assignment]
        self.handle = c_void_p()
        self._clear, self._memory = self.lib.cst_key_free, None
        crc = CrcStruct(width=width, reflected=reflected, polynomial=polynomial, initial=initial, final=final)
        self.check(self.lib.cst_crc_new(context.handle, byref(crc), byref(self.handle)))
