"""TLS 1.1 and 1.2 records under CBC (RFC 5246, 6.2.3.2) from AES of `cryptography` and the module `hmac`: an honest
sealer, one that makes any fault, and an opener that follows the RFC's text step by step. Nothing of it knows how the
library does it."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

BLOCK = 16
MOST_TEXT = 1 << 14
MOST_PADDING = 256
"""Bytes of padding with the byte that counts them."""
MAC_BYTES = {"sha1": 20, "sha256": 32, "sha384": 48}


@dataclass(frozen=True)
class Tls:
    """One direction of a connection: the keys of its suite."""

    hash: str
    key: bytes
    mac_key: bytes

    @classmethod
    def of(cls, suite: str, key: bytes, mac_key: bytes) -> Tls:
        parts = re.fullmatch(r"aes-(128|256)-cbc\+hmac-(sha1|sha256|sha384)-tls", suite)
        if not parts or len(key) * 8 != int(parts[1]):
            raise ValueError(f"{suite} with a key of {len(key)} bytes is not a TLS suite")
        return cls(parts[2], key, mac_key)

    @property
    def mac_bytes(self) -> int:
        return MAC_BYTES[self.hash]

    def mac(self, aad: bytes, text: bytes) -> bytes:
        """MAC(seq_num || type || version || length || text); ``aad`` is all before the length."""
        return hmac.new(self.mac_key, aad + len(text).to_bytes(2, "big") + text, self.hash).digest()

    def encrypt(self, iv: bytes, plain: bytes) -> bytes:
        context = Cipher(algorithms.AES(self.key), modes.CBC(iv)).encryptor()
        return context.update(plain) + context.finalize()

    def decrypt(self, iv: bytes, record: bytes) -> bytes:
        context = Cipher(algorithms.AES(self.key), modes.CBC(iv)).decryptor()
        return context.update(record) + context.finalize()

    def paddings(self, text_bytes: int) -> range:
        """The counts of padding bytes, the counting one included, that fill the last block of a record."""
        return range(BLOCK - (text_bytes + self.mac_bytes) % BLOCK, MOST_PADDING + 1, BLOCK)

    def seal(self, iv: bytes, aad: bytes, text: bytes, padding: int | bytes = 0, mac: bytes | None = None) -> bytes:
        """The ciphertext. ``padding``: how many bytes (0: the fewest), or the bytes themselves, wrong ones perhaps;
        ``mac``: in place of the right one. ValueError when the whole is not a multiple of the block."""
        if isinstance(padding, int):
            count = padding or self.paddings(len(text))[0]
            padding = bytes([count - 1]) * count
        plain = text + (self.mac(aad, text) if mac is None else mac) + padding
        if len(plain) % BLOCK:
            raise ValueError(f"{len(plain)} bytes are no whole number of blocks")
        return self.encrypt(iv, plain)

    def open(self, iv: bytes, aad: bytes, record: bytes) -> bytes | None:
        """The text, or None: bad_record_mac."""
        if len(record) % BLOCK or len(record) < self.mac_bytes + 1:
            return None
        plain = self.decrypt(iv, record)
        padding_length = plain[-1]
        if padding_length + 1 + self.mac_bytes > len(plain):
            return None
        if any(byte != padding_length for byte in plain[-padding_length - 1 :]):
            return None
        content = plain[: len(plain) - padding_length - 1]
        text, mac = content[: -self.mac_bytes], content[-self.mac_bytes :]
        return text if hmac.compare_digest(mac, self.mac(aad, text)) else None
