"""QUIC packets (cst_quic_key, cst_quic_seal, cst_quic_open): bursts of them under any mix of keys. Payloads are not
copied, and the interpreter's lock is released while the library works."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from ctypes import addressof, byref, sizeof
from typing import Any, NamedTuple

from .capi import (
    ERR_ARGUMENT,
    ERR_AUTH,
    ERR_LENGTH,
    ERR_LIMIT,
    ERR_NAME,
    ERR_UNSUPPORTED,
    NOT_RUN,
    OK,
    QUIC_INITIAL_SECRET_BYTES,
    QUIC_KEY_BYTES,
    QUIC_NONE,
    QUIC_SECRET_BYTES,
    QUIC_TAG_BYTES,
    QUIC_VERSION_1,
    QUIC_VERSION_2,
    QuicKeyInfo,
    QuicPacketStruct,
    QuicReceivedStruct,
)
from .failures import RuntimeFailure
from .handles import Handle, make
from .library import Library, wanted
from .many import shared_context
from .values import Buffer, name, number, place, several

_VERSIONS = (QUIC_VERSION_1, QUIC_VERSION_2)
_LEAST, _MOST = 4, 65535  # bytes of number and payload together; of a packet


class QuicKey(Handle):
    """The keys of one direction and key phase (RFC 9001, 5.1): ``algorithm`` is "aes-128-gcm", "aes-256-gcm" or
    "chacha20-poly1305"; ``key`` and ``hp`` have 16 or 32 bytes, ``iv`` has 12. Usually `from_secret` makes them.
    RuntimeFailure for other algorithms and lengths. All keys of a call must have one context. Several threads may use a
    key; it is wiped when it is closed or dropped."""

    _what = "QUIC key"

    def __init__(self, algorithm: str, key: Buffer, iv: Buffer, hp: Buffer, context: Library | None = None):
        parts = [place(part) for part in (key, iv, hp)]
        arguments = [each for address, length, _ in parts for each in (address, length)]
        self._make(context, "cst_quic_key_new", algorithm, arguments, _key_cause(algorithm, [p[1] for p in parts]))

    @classmethod
    def from_secret(
        cls,
        algorithm: str,
        secret: Buffer,
        version: int = QUIC_VERSION_1,
        before: QuicKey | None = None,
        context: Library | None = None,
    ) -> QuicKey:
        """The keys that follow from a traffic secret (RFC 9001, 5.1), of 48 bytes with aes-256-gcm, else 32.
        ``before``: after a key update (`quic_next_secret`), the key of the phase before: the new key has its header
        protection and its context, and both count failures together. ``version``: 1, or 0x6b3343cf (version 2)."""
        address, length, kept = place(secret)
        made = cls.__new__(cls)
        of = None if before is None else wanted(QuicKey, before, "the key of the phase before")
        owned = None if of is None else of.live()
        arguments = [
            number(version, "a version of QUIC", 32),
            address,
            length,
            None if owned is None else owned.pointer,
        ]
        context = of.context if of is not None and context is None else context
        made._make(context, "cst_quic_key_from_secret", algorithm, arguments, _secret_cause(algorithm, length))
        del kept, owned
        return made

    @classmethod
    def initial(
        cls, connection_id: Buffer, version: int = QUIC_VERSION_1, context: Library | None = None
    ) -> tuple[QuicKey, QuicKey]:
        """The keys of Initial packets of the client, and of the server (RFC 9001, 5.2). ``connection_id``: the
        Destination Connection ID of the client's first packet, of 0 to 20 bytes."""
        of = shared_context() if context is None else wanted(Library, context, "the context")
        address, length, kept = place(connection_id)
        secrets = [ctypes.create_string_buffer(QUIC_INITIAL_SECRET_BYTES) for _ in range(2)]
        its_version = number(version, "a version of QUIC", 32)
        code = of.call(of.lib.cst_quic_initial_secrets, its_version, address, length, *secrets)
        del kept
        of.check(code, cause=_cause(code, version, f"a connection ID of {length} bytes, which has 20 at most"))
        client, server = (cls.from_secret("aes-128-gcm", secret, version, context=of) for secret in secrets)
        for secret in secrets:
            ctypes.memset(secret, 0, sizeof(secret))
        return client, server

    def _make(self, context: Library | None, function: str, algorithm: str, arguments: list[Any], cause: str) -> None:
        self.context = shared_context() if context is None else wanted(Library, context, "the context")
        self.lib, self.algorithm = self.context.lib, algorithm
        of = self.context.live()
        its_name = name(algorithm, "the name of an algorithm")
        code, self._owned = make(
            getattr(self.lib, function), self.lib.cst_quic_key_free, of, of.pointer, its_name, *arguments
        )
        if code == ERR_NAME:
            raise RuntimeFailure(code, f"no algorithm of that name: {', '.join(QUIC_KEY_BYTES)}", algorithm)
        version = arguments[0] if function == "cst_quic_key_from_secret" else QUIC_VERSION_1
        if code == ERR_ARGUMENT:
            cause = "the key of the phase before is of another context or algorithm"
        self.context.check(code, algorithm, cause=_cause(code, version, cause))

    def _info(self) -> Any:
        info = QuicKeyInfo()
        self.context.check(self.call(self.lib.cst_quic_key_info_get, byref(info)))
        return info

    @property
    def sealed(self) -> int:
        """How many packets it has sealed."""
        return int(self._info().sealed)

    @property
    def most_sealed(self) -> int | None:
        """How many packets it may seal (RFC 9001, 6.6); None: there is no limit."""
        most = int(self._info().most_sealed)
        return None if most == QUIC_NONE else most

    @property
    def failed(self) -> int:
        """How many packets did not authenticate, with those of the phases before and after."""
        return int(self._info().failed)

    @property
    def most_failed(self) -> int:
        """How many packets may fail to authenticate (RFC 9001, 6.6): then a connection must be closed."""
        return int(self._info().most_failed)


class QuicPacket(NamedTuple):
    """A packet to be sealed. ``header``: without the packet number, which is put behind it, and whose length is written
    to the two lowest bits of the first byte; all else of it is the caller's, also the Length of a long header
    (number_len + payload + 16 bytes). ``number``: below 2^62, never used twice under a key. ``number_len``: its bytes
    in the packet, 1 to 4, together with the payload's at least 4."""

    key: QuicKey
    header: Buffer
    number: int
    payload: Buffer
    number_len: int = 4


class QuicReceived(NamedTuple):
    """A packet to be opened. ``number_at``: where its packet number begins. ``largest``: the largest number that was
    opened in its packet number space; None: none. ``previous``, ``next``, ``phase`` (the Key Phase bit of packets under
    ``key``) and ``phase_first`` (the lowest number that was opened in that phase; None: none) are for key updates, see
    cst_quic_received: without ``previous`` a packet of another phase is opened by ``next``."""

    key: QuicKey
    packet: Buffer
    number_at: int
    largest: int | None = None
    previous: QuicKey | None = None
    next: QuicKey | None = None
    phase: int = 0
    phase_first: int | None = None


class QuicOpened(NamedTuple):
    """A packet that was opened. ``key``: by which key; ``header``: without protection, with the packet number at its
    end."""

    key: QuicKey
    header: bytes
    number: int
    payload: bytearray


def quic_seal(packets: Iterable[QuicPacket]) -> list[bytearray]:
    """The packets as they are sent: headers, protected, and sealed payloads. RuntimeFailure for a closed key, and where
    the library refuses a packet; an error, or a note of it, names the packet. ERR_LIMIT: its key has sealed as many
    packets as it may, and must be replaced by a key update; the numbers of all packets count as used."""
    given = [QuicPacket(*each) for each in several(packets)]
    structs: Any = (QuicPacketStruct * len(given))()
    laid = _lay(_lay_packet, structs, given)
    _run("cst_quic_seal", given, structs, _seal_cause)
    return [out for out, _ in laid]


def quic_open(packets: Iterable[QuicReceived]) -> list[QuicOpened | None]:
    """The packets without protection; None for one that is forged, damaged, too short, or under a key that is not
    there, and of a key under which as many failed as may (`QuicKey.most_failed`). RuntimeFailure for a closed
    key, and for arguments that the library refuses; an error, or a note of it, names the packet."""
    given = [QuicReceived(*each) for each in several(packets)]
    structs: Any = (QuicReceivedStruct * len(given))()
    laid = _lay(_lay_received, structs, given)
    _run("cst_quic_open", given, structs, _open_cause)
    outs = [out for out, _ in laid]
    del laid  # with it goes what forbids that an output changes its length
    opened: list[QuicOpened | None] = []
    for struct, packet, out in zip(structs, given, outs):
        if struct.status != OK:
            opened.append(None)
            continue
        header = bytes(out[: struct.header_len])
        del out[: struct.header_len]
        keys = (packet.key, packet.previous, packet.next)
        by = next(key for key, its in zip(keys, (struct.key, struct.previous, struct.next)) if its == struct.opened_by)
        assert by is not None
        opened.append(QuicOpened(by, header, struct.number, out))
    return opened


def quic_next_secret(
    algorithm: str, secret: Buffer, version: int = QUIC_VERSION_1, context: Library | None = None
) -> bytes:
    """The traffic secret that follows at a key update (RFC 9001, 6.1)."""
    of = shared_context() if context is None else wanted(Library, context, "the context")
    address, length, kept = place(secret)
    following = bytearray(length)
    to, _, keep = place(following, write=True)
    its_name, its_version = name(algorithm, "the name of an algorithm"), number(version, "a version of QUIC", 32)
    code = of.call(of.lib.cst_quic_next_secret, its_name, its_version, address, length, to)
    del kept, keep
    of.check(code, algorithm, cause=_cause(code, version, _secret_cause(algorithm, length)))
    return bytes(following)


def quic_retry_tag(
    connection_id: Buffer, packet: Buffer, version: int = QUIC_VERSION_1, context: Library | None = None
) -> bytes:
    """The Retry Integrity Tag (RFC 9001, 5.8) of a Retry packet without it. ``connection_id``: the Destination
    Connection ID of the Initial packet that it answers."""
    of = shared_context() if context is None else wanted(Library, context, "the context")
    (id_, id_len, id_kept), (text, length, kept) = place(connection_id), place(packet)
    tag, its_version = ctypes.create_string_buffer(QUIC_TAG_BYTES), number(version, "a version of QUIC", 32)
    code = of.call(of.lib.cst_quic_retry_tag, its_version, id_, id_len, text, length, tag)
    del id_kept, kept
    cause = f"a connection ID of {id_len} bytes, which has 20 at most, or a packet of {length}"
    of.check(code, cause=_cause(code, version, cause))
    return tag.raw


def _lay(one: Callable[[Any, Any], tuple[bytearray, Any]], structs: Any, given: list[Any]) -> list[Any]:
    """Fills the structs; an error has a note of which packet it is about."""
    laid = []
    for at, (struct, packet) in enumerate(zip(structs, given)):
        try:
            laid.append(one(struct, packet))
        except Exception as error:
            error.add_note(f"packet {at}")
            raise
    return laid


def _lay_packet(struct: Any, packet: QuicPacket) -> tuple[bytearray, Any]:
    """Fills the struct. Returns the output, of header and payload, and what must be kept alive meanwhile."""
    owned = wanted(QuicKey, packet.key, "the key of a packet").live()
    (head, head_len, head_kept), (text, length, alive) = place(packet.header), place(packet.payload)
    size = number(packet.number_len, "the length of a packet number", 32)
    begin = head_len + min(size, 4)
    out = bytearray(begin + length + QUIC_TAG_BYTES)
    if head:
        out[:head_len] = ctypes.string_at(head, head_len)
    del head_kept
    at, _, keep = place(out, write=True)
    struct.size, struct.key, struct.number_len = sizeof(QuicPacketStruct), owned.pointer, size
    struct.number = number(packet.number, "a packet number")
    struct.header, struct.header_len = at, begin
    setattr(struct, "in", text)
    struct.in_len, struct.out, struct.out_cap = length, (at or 0) + begin, length + QUIC_TAG_BYTES
    return out, (owned, alive, keep)


def _lay_received(struct: Any, packet: QuicReceived) -> tuple[bytearray, Any]:
    owned = wanted(QuicKey, packet.key, "the key of a packet").live()
    others = [None if key is None else wanted(QuicKey, key, "a key").live() for key in (packet.previous, packet.next)]
    text, length, alive = place(packet.packet)
    out = bytearray(max(length - QUIC_TAG_BYTES, 0))
    at, room, keep = place(out, write=True)
    struct.size, struct.key = sizeof(QuicReceivedStruct), owned.pointer
    struct.previous, struct.next = (None if other is None else other.pointer for other in others)
    struct.phase = number(packet.phase, "a key phase", 32)
    struct.phase_opened = _behind(packet.phase_first)
    struct.expected = _behind(packet.largest)
    setattr(struct, "in", text)
    struct.in_len, struct.out, struct.out_cap = length, at, room
    struct.number_at = number(packet.number_at, "the place of a packet number")
    return out, (owned, others, alive, keep)


def _behind(opened: int | None) -> int:
    """One more than the packet number, 0 for None; where it would not fit, one that no packet has."""
    return 0 if opened is None else min(number(opened, "a packet number") + 1, QUIC_NONE)


def _run(function: str, given: list[Any], structs: Any, cause: Any) -> None:
    if not given:
        return
    context: Library = given[0].key.context
    code = context.call(getattr(context.lib, function), addressof(structs), len(given))
    if code in (OK, ERR_AUTH):
        return
    for at, struct in enumerate(structs):
        if struct.status not in (OK, NOT_RUN, ERR_AUTH):
            text = cause(code, struct, given[at].key.context is not context)
            context.check(code, given[at].key.algorithm, cause=f"packet {at}: {text}" if text else "")
    context.check(code)


def _cause(code: int, version: int, of_length: str) -> str:
    if code == ERR_UNSUPPORTED and version not in _VERSIONS:
        return f"no version {version:#x} of QUIC"
    return of_length if code in (ERR_LENGTH, ERR_ARGUMENT) else ""


def _key_cause(algorithm: str, lengths: list[int]) -> str:
    size = QUIC_KEY_BYTES.get(algorithm, 0)
    return f"key, iv and hp have {size}, 12 and {size} bytes, not {', '.join(map(str, lengths))}"


def _secret_cause(algorithm: str, length: int) -> str:
    return f"a secret of {length} bytes, where {QUIC_SECRET_BYTES.get(algorithm, 0)} are wanted"


def _seal_cause(code: int, packet: Any, elsewhere: bool) -> str:
    if code == ERR_LIMIT:
        return "its key has sealed as many packets as it may"
    if code == ERR_ARGUMENT:
        return "its key is of another context" if elsewhere else "number_len is 1 to 4, and the number below 2^62"
    if code == ERR_LENGTH:
        if packet.number_len + packet.in_len < _LEAST:
            return f"number and payload have {packet.number_len + packet.in_len} bytes, and need {_LEAST}"
        return f"a header before the number is wanted, and {_MOST} bytes altogether at most"
    return ""


def _open_cause(code: int, _: Any, elsewhere: bool) -> str:
    if code == ERR_ARGUMENT:
        others = "phase is 0 or 1, number_at at least 1, largest below 2^62, and keys have one algorithm and context"
        return "its key is of another context" if elsewhere else others
    return f"it has more than {_MOST} bytes" if code == ERR_LENGTH else ""
