"""IPsec ESP with AES-CBC and HMAC or AES-XCBC (RFC 4303; RFC 3602 for the cipher; RFC 2403, 2404, 4868, 3566 for the
truncated MACs), from `cryptography`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hmac import HMAC
from cryptostitch.ladder import oracle

HASHES = {
    "md5": hashes.MD5,
    "sha1": hashes.SHA1,
    "sha256": hashes.SHA256,
    "sha384": hashes.SHA384,
    "sha512": hashes.SHA512,
}
ICV_BYTES = {"md5": 12, "sha1": 12, "sha256": 16, "sha384": 24, "sha512": 32}
XCBC_SUITE = "aes-128-cbc+aes-xcbc-96"


@dataclass(frozen=True)
class Header:
    """The authenticated fields that are not encrypted, besides the IV. ``extended``: the sequence number has 64 bits,
    of which the packet carries the low half."""

    spi: int
    sequence: int
    extended: bool = False

    @classmethod
    def of(cls, aad: bytes) -> Header:
        """Reads a header from the AAD as the library takes it."""
        spi, low, high = (int.from_bytes(aad[at : at + 4], "big") for at in (0, 4, 8))
        return cls(spi, high << 32 | low, len(aad) == 12)

    def in_packet(self) -> bytes:
        return self.spi.to_bytes(4, "big") + (self.sequence & 0xFFFFFFFF).to_bytes(4, "big")

    def behind_packet(self) -> bytes:
        """RFC 4303, 2.2.1: "the high-order 32 bits are ... appended to the packet for ICV computation"."""
        return (self.sequence >> 32).to_bytes(4, "big") if self.extended else b""

    def aad(self) -> bytes:
        return self.in_packet() + self.behind_packet()


@dataclass(frozen=True)
class Esp:
    """A security association. ``hash``: of HMAC; "": XCBC."""

    hash: str
    key: bytes
    mac_key: bytes

    @classmethod
    def of(cls, suite: str, key: bytes, mac_key: bytes) -> Esp:
        if suite == XCBC_SUITE and len(key) == len(mac_key) == 16:
            return cls("", key, mac_key)
        parts = re.fullmatch(r"aes-(128|192|256)-cbc\+hmac-(md5|sha1|sha256|sha384|sha512)-(96|128|192|256)", suite)
        if not parts or len(key) * 8 != int(parts[1]) or ICV_BYTES[parts[2]] * 8 != int(parts[3]):
            raise ValueError(f"{suite} with a key of {len(key)} bytes is not an ESP suite")
        return cls(parts[2], key, mac_key)

    @property
    def icv_bytes(self) -> int:
        return ICV_BYTES[self.hash] if self.hash else 12

    def icv(self, header: Header, iv: bytes, text: bytes) -> bytes:
        covered = header.in_packet() + iv + text + header.behind_packet()
        if not self.hash:
            return oracle.xcbc(self.mac_key, covered)[:12]
        mac = HMAC(self.mac_key, HASHES[self.hash]())
        mac.update(covered)
        return mac.finalize()[: self.icv_bytes]

    def seal(self, header: Header, iv: bytes, payload: bytes) -> tuple[bytes, bytes]:
        """(ciphertext, ICV)."""
        context = Cipher(algorithms.AES(self.key), modes.CBC(iv)).encryptor()
        text = context.update(payload) + context.finalize()
        return text, self.icv(header, iv, text)

    def open(self, header: Header, iv: bytes, text: bytes, icv: bytes) -> bytes | None:
        if icv != self.icv(header, iv, text):
            return None
        context = Cipher(algorithms.AES(self.key), modes.CBC(iv)).decryptor()
        return context.update(text) + context.finalize()
