"""RFC 9001 on `cryptography`: keys, packets and numbers, as plainly as the RFC says it, and nothing of the library."""

from __future__ import annotations

from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

ALGORITHMS = ("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")
KEY_BYTES = {"aes-128-gcm": 16, "aes-256-gcm": 32, "chacha20-poly1305": 32}
HASHES: dict[str, hashes.HashAlgorithm] = {
    "aes-128-gcm": hashes.SHA256(),
    "aes-256-gcm": hashes.SHA384(),
    "chacha20-poly1305": hashes.SHA256(),
}
PREFIXES = {1: "quic", 0x6B3343CF: "quicv2"}
SALTS = {1: "38762cf7f55934b34d179ae6a4c80cadccbb7f0a", 0x6B3343CF: "0dede3def700a6db819381be6e269dcbf9bd2ed9"}


def expand_label(hash_: hashes.HashAlgorithm, secret: bytes, label: str, size: int) -> bytes:
    """HKDF-Expand-Label of RFC 8446, 7.1, without a context."""
    name = b"tls13 " + label.encode()
    return HKDFExpand(hash_, size, size.to_bytes(2, "big") + bytes([len(name)]) + name + b"\0").derive(secret)


def initial_secrets(version: int, connection_id: bytes) -> tuple[bytes, bytes]:
    secret = HKDF.extract(hashes.SHA256(), bytes.fromhex(SALTS[version]), connection_id)
    client, server = (expand_label(hashes.SHA256(), secret, f"{who} in", 32) for who in ("client", "server"))
    return client, server


def next_secret(algorithm: str, version: int, secret: bytes) -> bytes:
    return expand_label(HASHES[algorithm], secret, f"{PREFIXES[version]} ku", len(secret))


@dataclass(frozen=True)
class Keys:
    algorithm: str
    key: bytes
    iv: bytes
    hp: bytes

    @classmethod
    def of(cls, algorithm: str, version: int, secret: bytes) -> Keys:
        sizes = {"key": KEY_BYTES[algorithm], "iv": 12, "hp": KEY_BYTES[algorithm]}
        hash_ = HASHES[algorithm]
        return cls(algorithm, *(expand_label(hash_, secret, f"{PREFIXES[version]} {n}", s) for n, s in sizes.items()))

    def aead(self) -> AESGCM | ChaCha20Poly1305:
        return (ChaCha20Poly1305 if self.algorithm.startswith("chacha") else AESGCM)(self.key)

    def nonce(self, number: int) -> bytes:
        return (int.from_bytes(self.iv, "big") ^ number).to_bytes(12, "big")

    def mask(self, sample: bytes) -> bytes:
        if self.algorithm.startswith("chacha"):
            return Cipher(algorithms.ChaCha20(self.hp, sample), None).encryptor().update(bytes(5))
        return Cipher(algorithms.AES(self.hp), modes.ECB()).encryptor().update(sample)[:5]

    def seal(self, header: bytes, number: int, number_len: int, payload: bytes) -> bytes:
        """The packet. ``header``: whatever its last bytes and its lowest two bits are."""
        at = len(header) - number_len
        plain = bytes([header[0] & ~3 | (number_len - 1)]) + header[1:at]
        plain += (number % (1 << 8 * number_len)).to_bytes(number_len, "big")
        packet = bytearray(plain + self.aead().encrypt(self.nonce(number), payload, plain))
        mask = self.mask(bytes(packet[at + 4 : at + 20]))
        packet[0] ^= mask[0] & (0x0F if packet[0] & 0x80 else 0x1F)
        for i in range(number_len):
            packet[at + i] ^= mask[1 + i]
        return bytes(packet)

    def open(self, packet: bytes, at: int, largest: int) -> tuple[bytes, int, bytes] | None:
        """Header, number, payload; ``largest``: -1 of none."""
        mask = self.mask(packet[at + 4 : at + 20])
        header = bytearray(packet[: at + 4])
        header[0] ^= mask[0] & (0x0F if packet[0] & 0x80 else 0x1F)
        size = (header[0] & 3) + 1
        header = header[: at + size]
        for i in range(size):
            header[at + i] ^= mask[1 + i]
        number = decode(largest, int.from_bytes(header[at:], "big"), 8 * size)
        try:
            return bytes(header), number, self.aead().decrypt(self.nonce(number), packet[at + size :], bytes(header))
        except InvalidTag:
            return None


def decode(largest: int, truncated: int, bits: int) -> int:
    """RFC 9000, A.3."""
    expected, window = largest + 1, 1 << bits
    candidate = expected & ~(window - 1) | truncated
    if candidate <= expected - window // 2 and candidate < (1 << 62) - window:
        return candidate + window
    if candidate > expected + window // 2 and candidate >= window:
        return candidate - window
    return candidate
