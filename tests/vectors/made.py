"""Vectors in Wycheproof's form for what no pip package has of it: HMAC, CBC with PKCS #7 padding, the profiles of RFC
7518. Answers are those of hashlib and of the package `cryptography`; what must be refused is made from them."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Callable, Iterator
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import hmac as openssl_hmac
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

Test = tuple[dict[str, Any], dict[str, Any]]
LENGTHS = (0, 1, 8, 15, 16, 17, 31, 32, 55, 56, 63, 64, 65, 111, 112, 119, 127, 128, 129, 255, 257, 511, 1023)
BLOCK = 16
PROFILES = {"a128cbc_hs256": ("sha256", 16), "a192cbc_hs384": ("sha384", 24), "a256cbc_hs512": ("sha512", 32)}
"""RFC 7518, 5.2: the hash, and the bytes of each key and of the tag."""


def _mac(name: str, key: bytes, text: bytes) -> bytes:
    if name != "sm3":
        return hmac.digest(key, text, name)
    made = openssl_hmac.HMAC(key, hashes.SM3())
    made.update(text)
    return made.finalize()


def wrong(tag: bytes) -> Iterator[bytes]:
    """Spoils a tag as Wycheproof does: single bits, halves, all bits, zeros and ones."""
    for bit in (0, 1, 7, 8, 31, 8 * len(tag) // 2, 8 * len(tag) - 1):
        spoilt = bytearray(tag)
        spoilt[bit // 8] ^= 1 << bit % 8
        yield bytes(spoilt)
    half = len(tag) // 2
    yield from (bytes(half) + tag[half:], tag[:half] + bytes(len(tag) - half), bytes(b ^ 255 for b in tag))
    yield from (bytes(len(tag)), b"\xff" * len(tag))


def _test(number: int, valid: bool, **texts: bytes) -> dict[str, Any]:
    result = "valid" if valid else "invalid"
    return {"tcId": number, "result": result} | {name: text.hex() for name, text in texts.items()}


def _hmac(name: str, rng: random.Random) -> Iterator[Test]:
    bytes_ = 32 if name == "sm3" else hashlib.new(name).digest_size
    number = 0
    for key_bytes in (bytes_, 10, 63, 64, 65, 128, 129, 200):
        for size in (bytes_, bytes_ // 2):
            group = {"keySize": 8 * key_bytes, "tagSize": 8 * size}
            for length in LENGTHS[:: 1 if key_bytes == bytes_ else 4]:
                key, text = rng.randbytes(key_bytes), rng.randbytes(length)
                tag = _mac(name, key, text)[:size]
                number += 1
                yield group, _test(number, True, key=key, msg=text, tag=tag)
                if length in (0, 16, 64, 129) and key_bytes in (bytes_, 65):
                    for bad in wrong(tag):
                        number += 1
                        yield group, _test(number, False, key=key, msg=text, tag=bad)


def _encrypted(key: bytes, iv: bytes, padded: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(padded)


def _padded(text: bytes) -> bytes:
    pad = BLOCK - len(text) % BLOCK
    return text + bytes([pad]) * pad


def _cbc(rng: random.Random) -> Iterator[Test]:
    number = 0
    for key_bytes in (16, 24, 32):
        for length in LENGTHS:
            key, iv, text = rng.randbytes(key_bytes), rng.randbytes(BLOCK), rng.randbytes(length)
            number += 1
            right = _padded(text)
            yield (
                {"keySize": 8 * key_bytes},
                _test(number, True, key=key, iv=iv, msg=text, ct=_encrypted(key, iv, right)),
            )
            if length % 4:
                continue
            pad = right[-1]
            for bad in (text + bytes(pad), right[:-1] + b"\x00", right[:-1] + bytes([pad % 16 + 17]), b""):
                number += 1
                yield (
                    {"keySize": 8 * key_bytes},
                    _test(number, False, key=key, iv=iv, msg=text, ct=_encrypted(key, iv, bad)),
                )
            number += 1
            cut = _encrypted(key, iv, right)[:-1]
            yield {"keySize": 8 * key_bytes}, _test(number, False, key=key, iv=iv, msg=text, ct=cut)


def _profile(name: str, rng: random.Random) -> Iterator[Test]:
    hash_, half = PROFILES[name]
    number = 0
    for length in (*LENGTHS, *range(2, 160, 4)):
        key, iv, text = rng.randbytes(2 * half), rng.randbytes(BLOCK), rng.randbytes(length)
        aad = rng.randbytes(rng.choice((0, 8, 20, 64, 65)))
        ct = _encrypted(key[half:], iv, _padded(text))
        bits = (8 * len(aad)).to_bytes(8, "big")
        tag = _mac(hash_, key[:half], aad + iv + ct + bits)[:half]
        texts = {"key": key, "iv": iv, "aad": aad, "msg": text}
        number += 1
        yield {}, _test(number, True, **texts, ct=ct, tag=tag)
        if length in (0, 1, 16, 64):
            bad = [(ct, one) for one in wrong(tag)]
            bad += [(ct[:-1] + bytes([ct[-1] ^ 1]), tag), (ct[:-1], tag), (b"", tag), (ct, tag[:-1]), (ct, b"")]
            # a right tag over what does not end with its padding
            unpadded = _encrypted(key[half:], iv, _padded(text)[:-1] + b"\x00")
            bad.append((unpadded, _mac(hash_, key[:half], aad + iv + unpadded + bits)[:half]))
            for spoilt, with_tag in bad:
                number += 1
                yield {}, _test(number, False, **texts, ct=spoilt, tag=with_tag)


def made(name: str) -> Iterator[Test]:
    """(group, test) of the file of that name. KeyError where nobody makes one."""
    rng = random.Random(name)
    if name.startswith("hmac_"):
        yield from _hmac(name.removeprefix("hmac_"), rng)
        return
    makers: dict[str, Callable[[], Iterator[Test]]] = {"aes_cbc_pkcs5": lambda: _cbc(rng)}
    makers |= {profile: lambda: _profile(name, rng) for profile in PROFILES}
    yield from makers[name]()
