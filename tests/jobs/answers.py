"""What every suite of the library must answer, for right and for damaged arguments, by implementations that are not the
library."""

from __future__ import annotations

from cryptostitch.ladder import oracle

from .esp_oracle import Esp, Header
from .tls_oracle import Tls


def sealed(
    suite: str, secrets: tuple[bytes, bytes], iv: bytes, aad: bytes, data: bytes, tag_len: int, padding: int = 0
) -> tuple[bytes, bytes]:
    """(output, tag). ``padding``: bytes of it in a TLS record; 0: the fewest."""
    kind = oracle.meaning(suite).kind
    if kind == "esp" and suite.startswith("des"):
        out, tag = oracle.seal(suite, *secrets, iv, aad, data)
        return out, tag[:tag_len]
    if kind == "tls":
        return Tls.of(suite, *secrets).seal(iv, aad, data, padding), b""
    if kind == "esp":
        return Esp.of(suite, *secrets).seal(Header.of(aad), iv, data)
    if kind == "ccm":
        return oracle.ccm(secrets[0], iv, aad, data, tag_len)
    out, tag = oracle.seal(suite, *secrets, iv, aad, data)
    return out, tag[:tag_len]


def opened(suite: str, secrets: tuple[bytes, bytes], iv: bytes, aad: bytes, data: bytes, tag: bytes) -> bytes | None:
    """The plaintext (nothing, for a digest or MAC that is right), or None for what must be refused."""
    meaning = oracle.meaning(suite)
    key, mac_key = secrets
    if meaning.kind == "checked":
        return checked_opened(suite, secrets, iv, aad, data, tag)
    if meaning.kind == "tls":
        return Tls.of(suite, *secrets).open(iv, aad, data)
    if meaning.kind == "esp":
        return esp_opened(suite, secrets, iv, aad, data, tag)
    if meaning.kind == "cipher":
        return oracle.unsealed(key, iv, data, meaning.block)
    if meaning.kind in ("ecb", "xts"):
        return oracle.deciphered(suite, key, iv, data)
    if meaning.kind == "ccm":
        plain = oracle.ccm(key, iv, aad, data, len(tag))[0]  # counter mode is its own inverse
        return plain if oracle.ccm(key, iv, aad, plain, len(tag))[1] == tag else None
    if meaning.kind in ("counter", "gcm", "chacha", "chacha_poly", "rc4"):  # counter mode is its own inverse
        plain = oracle.seal(suite, key, mac_key, iv, aad, data)[0]
        return plain if oracle.seal(suite, key, mac_key, iv, aad, plain)[1][: len(tag)] == tag else None
    if meaning.only_reads:
        return b"" if oracle.seal(suite, key, mac_key, b"", b"", data)[1][: len(tag)] == tag else None
    if meaning.kind == "profile":
        mac_key, key = key[: meaning.key_bytes], key[meaning.key_bytes :]
    behind = (8 * len(aad)).to_bytes(8, "big") if meaning.kind == "profile" else b""
    head = aad if meaning.kind == "ciphertext" else aad + iv
    if oracle.seal(f"hmac-{meaning.hash}", b"", mac_key, b"", b"", head + data + behind)[1][: len(tag)] != tag:
        return None
    if meaning.kind == "rc4_hmac":
        return oracle.rc4(key, data)
    plain = (
        oracle.counter_mode(key, iv, data, meaning.own)
        if meaning.counts
        else oracle.unsealed(key, iv, data, meaning.block)
    )
    if meaning.kind in ("etm", "ciphertext"):
        return plain
    count = plain[-1]
    return plain[:-count] if 1 <= count <= 16 and plain.endswith(bytes([count]) * count) else None


def esp_opened(
    suite: str, secrets: tuple[bytes, bytes], iv: bytes, aad: bytes, data: bytes, tag: bytes
) -> bytes | None:
    """Triple DES, which the packets' oracle does not know, by the general one."""
    if not suite.startswith("des"):
        return Esp.of(suite, *secrets).open(Header.of(aad), iv, data, tag)
    plain = oracle.unsealed(secrets[0], iv, data, oracle.meaning(suite).block)
    return plain if oracle.seal(suite, *secrets, iv, aad, plain)[1][: len(tag)] == tag else None


def checked_opened(
    suite: str, secrets: tuple[bytes, bytes], iv: bytes, aad: bytes, data: bytes, tag: bytes
) -> bytes | None:
    """The cipher's tag, if it has one, stands in front of the checksum."""
    m = oracle.meaning(suite)
    cut = oracle.meaning(m.cipher).tag_bytes
    plain = opened(m.cipher, secrets, iv, aad, data, tag[:cut])
    if plain is None:
        return None
    return plain if oracle.digest(m.hash, plain if m.sums_plaintext else data) == tag[cut:] else None
