"""Keys with their one-buffer operations."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref, c_size_t, c_uint64
from dataclasses import dataclass, field
from typing import Any

from . import causes
from .base_key import BaseKey, OfKeys
from .capi import (
    CIPHER,
    DIGEST,
    ERR_ARGUMENT,
    ERR_LENGTH,
    ERR_UNSUPPORTED,
    STREAMING,
    TREE_CHAIN_BYTES,
    CrcStruct,
    TlsWrite,
)
from .column import Offsets, digest_column
from .handles import make
from .library import Library, wanted
from .text_column import open_column, seal_column
from .text_parts import Opening, Sealing
from .values import Address, ArrowArray, Buffer, Place, given, number, optional, place, several


class Key(BaseKey):
    """cst_key: an expanded key, with the one-buffer operations. May be used from several threads.

    A suite that takes a key, a MAC key or both wants each of them: one that is None is an error, as in `cst_key_new`.
    ``memory``: the Address of memory in which it shall lie, at a multiple of KEY_ALIGN and of `Suite.key_memory` bytes
    at least; it is wiped when the key is closed. Without one the key has memory of its own.
    """

    def __init__(self, suite: OfKeys, key: Any = None, mac_key: Any = None, memory: Address | None = None):
        self.suite, self.lib = wanted(OfKeys, suite, "the suite"), suite.lib
        of = suite.live()
        k, k_len, keep_k = given(key)
        m, m_len, keep_m = given(mac_key)
        if memory is None:
            code, self._owned = make(self.lib.cst_key_new, self.lib.cst_key_free, of, of.pointer, k, k_len, m, m_len)
        else:
            room, room_len, _ = place(wanted(Address, memory, "the memory"), write=True)
            code, self._owned = make(
                self.lib.cst_key_init, self.lib.cst_key_clear, of, of.pointer, room, room_len, k, k_len, m, m_len
            )
        del keep_k, keep_m
        lengths = None if k is None else k_len, None if m is None else m_len
        cause = causes.of_key(suite, *lengths) if code in (ERR_LENGTH, ERR_ARGUMENT) else ""
        if memory is not None and code == ERR_ARGUMENT:
            cause = ""
        self.check(code, cause)

    def close(self) -> None:
        """Wipes it, and frees the memory that is its own: behind the calls, and the jobs in managers, that use it."""
        super().close()

    def seal(
        self, data: Buffer, *, iv: Buffer | None = None, aad: Buffer | None = None, tag_len: int | None = None
    ) -> tuple[bytes, bytes]:
        """(output, tag). All but ``data`` are named, because libraries differ in the order of IV and text."""
        suite, tag = self.suite, bytearray(self.tag_bytes(tag_len))
        text = place(data)
        out = bytearray(text[1] + suite.expansion if suite.kind >= CIPHER else 0)
        length = self._alone(self.lib.cst_seal, text, optional(iv), optional(aad), out, place(tag))
        return bytes(memoryview(out)[:length]), bytes(tag)

    def open(
        self,
        data: Buffer,
        tag: Buffer | None = None,
        *,
        iv: Buffer | None = None,
        aad: Buffer | None = None,
        tag_len: int | None = None,
    ) -> bytes:
        """The plaintext (or b"" for a digest or MAC that is right); RuntimeFailure with ERR_AUTH when it is forged.
        ``tag_len``: bytes of the tag; None: those of the suite's whole tag. ValueError for a tag of another length,
        because a peer who chooses it chooses how easily tags are guessed."""
        text, its_tag = place(data), optional(tag)
        self.check_tag(its_tag[1], tag_len)
        out = bytearray(text[1] if self.suite.kind >= CIPHER else 0)
        length = self._alone(self.lib.cst_open, text, optional(iv), optional(aad), out, its_tag)
        return bytes(memoryview(out)[:length])

    def sealing(self, *, iv: Buffer, aad: Buffer | None = None) -> Sealing:
        """Begins a text that comes in parts, under AES-GCM or ChaCha20-Poly1305: ``update(data)`` returns ciphertext,
        ``finish()`` the tag."""
        return Sealing(self, iv, aad)

    def opening(self, *, iv: Buffer, aad: Buffer | None = None) -> Opening:
        """Begins to open a text that comes in parts: ``update(data)`` returns plaintext, ``finish(tag)`` checks all of
        it, by the suite's whole tag unless ``tag_len`` says how long tags are, and raises RuntimeFailure with ERR_AUTH
        when the text is forged. Callers must do nothing with the plaintext that they cannot undo before ``finish`` has
        returned."""
        return Opening(self, iv, aad)

    def _alone(self, function: Any, text: Place, iv: Place, aad: Place, out: bytearray, tag: Place) -> int:
        """cst_seal or cst_open: the bytes of its output."""
        length = c_size_t()
        to = place(out, write=True)
        code = self.call(function, *iv[:2], *aad[:2], *text[:2], *to[:2], byref(length), *tag[:2])
        if code == ERR_LENGTH:
            self.check(code, causes.of_job(self.suite, iv[1], aad[1], text[1], tag[1]))
        self.check(code)
        return length.value

    def tls_records(
        self, data: Buffer, *, ivs: Buffer, sequence: int = 0, kind: int = 23, version: int = 0x0303, fragment: int = 0
    ) -> bytes:
        """cst_tls_seal: `data` as TLS records, one behind the other. `ivs`: 16 bytes per record; see `tls_size`."""
        address, length, keep_in = place(data)
        write = TlsWrite(sequence=sequence, type=kind, version=version, fragment=fragment)
        records, size = self.tls_size(length, fragment)
        out = bytearray(size)
        write.in_len = length
        setattr(write, "in", address)
        write.iv, write.iv_len, keep_iv = place(ivs)
        write.out, write.out_cap, keep_out = place(out, True)
        owned = self.live()
        write.key = owned.pointer
        code = owned.gate.call(self.lib.cst_tls_seal, byref(write))
        del keep_iv, keep_in, keep_out, owned
        if code == ERR_ARGUMENT:
            self.check(code, f"no records of version {version:#06x}: 0x0302 or 0x0303")
        if code == ERR_LENGTH and write.iv_len < 16 * records:
            self.check(code, f"{write.iv_len} bytes of IVs, where {records} records take {16 * records}")
        wraps = write.sequence + records > 1 << 64
        self.check(code, "the sequence numbers would wrap" if code == ERR_LENGTH and wraps else "")
        return bytes(memoryview(out)[: write.out_len])

    def tls_size(self, size: int, fragment: int = 0) -> tuple[int, int]:
        """Returns (records, bytes) that cst_tls_seal makes of `size` bytes."""
        records, bytes_ = c_size_t(), c_size_t()
        code = self.call(
            self.lib.cst_tls_seal_size,
            number(size, "a size"),
            number(fragment, "a fragment"),
            byref(records),
            byref(bytes_),
        )
        long = f"a fragment of {fragment} bytes, where records take 16384" if fragment > 16384 else ""
        self.check(code, "the suite is not one of TLS" if code == ERR_ARGUMENT else long)
        return records.value, bytes_.value

    def digest(self, data: Buffer, tag_len: int | None = None) -> bytes:
        """The digest or MAC; ``tag_len``: its first bytes, or of an extendable-output function as many as wanted."""
        tag = bytearray(self.tag_bytes(tag_len))
        t, t_len, keep_t = place(tag, True)
        d, d_len, keep_d = place(data)
        code = self.call(self.lib.cst_digest, d, d_len, t, t_len)
        del keep_t, keep_d
        self.check(code, causes.of_digest(self.suite, d_len, t_len) if code else "")
        return bytes(tag)

    def tree_part(self, at: int, data: Buffer) -> bytes:
        """Returns the chaining value of a part of a long message, which begins at byte ``at``, under a key of BLAKE3
        (cst_tree_part). All parts have the same length, a power of two from 1,024 bytes on, but for the last one.
        Threads may do parts at the same time."""
        chain = bytearray(TREE_CHAIN_BYTES)
        c, _, keep_c = place(chain, True)
        d, d_len, keep_d = place(data)
        code = self.call(self.lib.cst_tree_part, number(at, "a position"), d, d_len, c)
        del keep_c, keep_d
        causes_of = {
            ERR_LENGTH: f"no part of {d_len} bytes begins at {at}",
            ERR_UNSUPPORTED: "the suite has no such tree",
        }
        self.check(code, causes_of.get(code, ""))
        return bytes(chain)

    def tree_root(self, chains: Sequence[bytes], tag_len: int | None = None) -> bytes:
        """Returns the digest or MAC of a message from the chaining values of its parts, at least two
        (cst_tree_root). ValueError for one that has not 32 bytes."""
        tag, parts = bytearray(self.tag_bytes(tag_len)), [memoryview(chain).tobytes() for chain in several(chains)]
        for at, part in enumerate(parts):
            if len(part) != TREE_CHAIN_BYTES:
                raise ValueError(f"chaining value {at} has {len(part)} bytes, not {TREE_CHAIN_BYTES}")
        t, t_len, keep_t = place(tag, True)
        c, _, keep_c = place(b"".join(parts))
        code = self.call(self.lib.cst_tree_root, c, len(parts), t, t_len)
        del keep_t, keep_c
        few = "a message of one part is for `digest`" if code == ERR_LENGTH and len(parts) < 2 else ""
        self.check(code, few or (causes.of_digest(self.suite, 0, t_len) if code == ERR_LENGTH else ""))
        return bytes(tag)

    @property
    def _of_nothing(self) -> int:
        """The checksum of no bytes, but of one of `CrcKey`."""
        return 1 if self.suite.name == "adler32" else 0

    def checksum(self, data: Buffer, value: int | None = None) -> int:
        """Returns the checksum of a text whose checksum is ``value``, followed by ``data`` (cst_checksum_update). None:
        of ``data`` alone."""
        value = self._of_nothing if value is None else value
        at = c_uint64(number(value, "a checksum"))
        d, d_len, keep_d = place(data)
        code = self.call(self.lib.cst_checksum_update, d, d_len, byref(at))
        del keep_d
        self.check(code, causes.of_checksum(self.suite, value) if code == ERR_ARGUMENT else "")
        return at.value

    def checksum_copy(self, data: Buffer, out: Buffer, value: int | None = None, streaming: bool = False) -> int:
        """Does the same, and copies ``data`` to the front of ``out``, a writable buffer that does not overlap it
        (cst_checksum_copy). ``streaming``: past the caches. ValueError where ``out`` is shorter."""
        value = self._of_nothing if value is None else value
        at = c_uint64(number(value, "a checksum"))
        d, d_len, keep_d = place(data)
        o, o_len, keep_o = place(out, write=True)
        if o_len < d_len:
            raise ValueError(f"an output of {o_len} bytes, for a text of {d_len}")
        code = self.call(self.lib.cst_checksum_copy, d, d_len, o, STREAMING if streaming else 0, byref(at))
        del keep_d, keep_o
        self.check(code, causes.of_checksum(self.suite, value) if code == ERR_ARGUMENT else "")
        return at.value

    def combine(self, first: int, second: int, second_len: int) -> int:
        """Returns the checksum of two texts one behind the other, the second of ``second_len`` bytes
        (cst_checksum_combine)."""
        value = c_uint64()
        numbers = number(first, "a checksum"), number(second, "a checksum"), number(second_len, "a length")
        code = self.call(self.lib.cst_checksum_combine, *numbers, byref(value))
        long = f"a second text of {second_len} bytes, which is too long" if code == ERR_LENGTH else ""
        self.check(code, causes.of_checksum(self.suite, *numbers[:2]) if code == ERR_ARGUMENT else long)
        return value.value

    def digest_column(
        self, data: Buffer, offsets: Buffer, tags: Buffer, tag_len: int | None = None, stride: int = 0
    ) -> None:
        """cst_digest_column: the digest of each item data[offsets[i] : offsets[i + 1]] into ``tags``, a writable
        buffer. ``offsets``: a buffer of whole numbers of 4 or 8 bytes, one more than items, which is copied.
        ValueError where ``tags`` is too small, or the offsets are not such."""
        digest_column(self, data, Offsets(offsets), tags, self.tag_bytes(tag_len), number(stride, "a stride"))

    def seal_column(
        self,
        data: Buffer | ArrowArray,
        offsets: Buffer | None = None,
        *,
        ivs: Buffer | None = None,
        aads: Buffer | None = None,
        out: Buffer | None = None,
        tag_len: int | None = None,
    ) -> tuple[Any, bytes]:
        """cst_seal_column: (output, tags) of the texts data[offsets[i] : offsets[i + 1]], which have their places in
        the output too: ``out``, a writable buffer as long as ``data`` (``data`` itself, too), or a new bytearray.
        ``ivs``, ``aads``: those of all texts one behind the other, all of one length; the tags lie likewise.
        ``data`` may be an array of Arrow of binary or text, without ``offsets``: its own are meant then. ValueError for
        buffers of wrong sizes, RuntimeFailure for lengths that the suite does not take, and for suites that pad."""
        return seal_column(self, data, offsets, ivs, aads, out, tag_len)

    def open_column(
        self,
        data: Buffer | ArrowArray,
        offsets: Buffer | None = None,
        *,
        tags: Buffer | None = None,
        ivs: Buffer | None = None,
        aads: Buffer | None = None,
        out: Buffer | None = None,
        tag_len: int | None = None,
    ) -> Any:
        """cst_open_column: the texts of what `seal_column` made, in ``out`` or a new bytearray. SomeForged when at
        least one is not authentic, whose place is zeros then; ValueError for tags that have not ``tag_len`` bytes each
        (None: the suite's whole tag), as in `open`; otherwise as `seal_column`."""
        return open_column(self, data, offsets, tags, ivs, aads, out, tag_len)


@dataclass(frozen=True)
class AnyCrc:
    """Stands for the suite of keys of `CrcKey`, whose polynomials have no suite."""

    context: Library
    checksum_bits: int
    name: str = "a cst_crc"
    kind: int = DIGEST
    key_min: int = 0
    key_max: int = 0
    mac_key_min: int = 0
    mac_key_max: int = 0
    iv_min: int = 0
    iv_max: int = 0
    aad_min: int = 0
    aad_max: int = 0
    aad_step: int = 1
    tag_max: int = 8
    most_tag_bytes: int = 8
    tag_lengths: list[int] = field(default_factory=lambda: [8])
    open_tag_lengths: list[int] = field(default_factory=lambda: [8])
    block_bytes: int = 1
    min_bytes: int = 0
    max_bytes: int = 2**61 - 1
    iv_and_count_bytes: int = 0
    expansion: int = 0


class CrcKey(Key):
    """cst_crc_new: a check of any polynomial, given without its highest term. Digests have 8 bytes. RuntimeFailure
    where there is no such check."""

    def __init__(
        self, context: Library, width: int, polynomial: int, initial: int = 0, final: int = 0, reflected: bool = False
    ):
        self.suite = AnyCrc(wanted(Library, context, "the context"), number(width, "a width", 32))  # type: ignore[assignment]
        self.lib = context.lib
        crc = CrcStruct(width=width, reflected=reflected, polynomial=polynomial, initial=initial, final=final)
        of = context.live()
        code, self._owned = make(self.lib.cst_crc_new, self.lib.cst_key_free, of, of.pointer, byref(crc))
        cause = causes.of_crc(crc) if code == ERR_ARGUMENT else ""
        self.check(code, cause)
