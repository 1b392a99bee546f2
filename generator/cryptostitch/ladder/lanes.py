"""What one lane of each kind of stream computes, by other implementations: the package `cryptography`, or plain Python.

A writer's key, chaining value and text are bytes; `rows` are the rows of the state block's key. Hashes have no entry:
`scene.py` gives them whole messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.poly1305 import Poly1305

from ..core.catalog import Algorithm, BlockCipher
from . import des, poly1305, rc4
from .ghash import ghash, power_rows
from .keys import expanded, inverse_expanded
from .result import Skip


@dataclass(frozen=True)
class Writer:
    """``run(key, chain, text)`` is the output, ``back(key, chain, output)`` the text; ``after(chain, text, output)``
    what the chain is then.

    One whose stream has a ``table`` makes it of the key: table(key). What it and the chain are after n bytes say
    table_after(key, chain, n), chain_after(key, chain, n).
    """

    run: Callable[[bytes, bytes, bytes], bytes]
    back: Callable[[bytes, bytes, bytes], bytes]
    after: Callable[[bytes, bytes, bytes], bytes]
    rows: Callable[[bytes], list[bytes]]
    chain: Callable[[bytes], bytes] = lambda secret: secret
    """A chaining value from as many secret bytes: where something rare must happen in every scene."""
    table: Callable[[bytes], bytes] | None = None
    table_after: Callable[[bytes, bytes, int], bytes] = lambda key, chain, n: b""
    chain_after: Callable[[bytes, bytes, int], bytes] | None = None
    other_rows: Mapping[str, Callable[[bytes], list[bytes]]] = field(default_factory=dict)
    """The rows in other forms of the key than the usual one (KEY_FORMS of core/contract.py)."""

    def rows_of(self, key: bytes, form: str) -> list[bytes]:
        return self.other_rows.get(form, self.rows)(key)


@dataclass(frozen=True)
class Reader:
    """``after(key, chain, text)`` is the chain afterwards; ``rows(key, form, n)`` the n rows of a program's key."""

    after: Callable[[bytes, bytes, bytes], bytes]
    rows: Callable[[bytes, str, int], list[bytes]]
    chain: Callable[[bytes], bytes] = lambda secret: secret
    modulus: int = 0
    """The chain is a little-endian number, and any that is congruent will do."""


def _cbc_encrypted(key: bytes, chain: bytes, text: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CBC(chain)).encryptor().update(text)


def _cbc_decrypted(key: bytes, chain: bytes, text: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CBC(chain)).decryptor().update(text)


def next_counter(block: bytes, n: int) -> bytes:
    """SP 800-38D, 6.2: the last 32 bits count."""
    return block[:12] + ((int.from_bytes(block[12:], "big") + n) % (1 << 32)).to_bytes(4, "big")


def counter_mode(key: bytes, chain: bytes, text: bytes) -> bytes:
    blocks = b"".join(next_counter(chain, i) for i in range(-(-len(text) // 16)))
    stream = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(blocks)
    return bytes(a ^ b for a, b in zip(text, stream))


def _filled(data: bytes) -> bytes:
    return data + bytes(-len(data) % 16)


def gcm_tag(key: bytes, counter: bytes, aad: bytes, ciphertext: bytes) -> bytes:
    """SP 800-38D, 7.1; ``counter`` is J0."""
    lengths = (8 * len(aad)).to_bytes(8, "big") + (8 * len(ciphertext)).to_bytes(8, "big")
    hashed = ghash(_ecb_encrypted(key, b"", bytes(16)), bytes(16), _filled(aad) + _filled(ciphertext) + lengths)
    return bytes(a ^ b for a, b in zip(hashed, _ecb_encrypted(key, b"", counter)))


def _ecb_encrypted(key: bytes, chain: bytes, text: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(text)


def _ecb_decrypted(key: bytes, chain: bytes, text: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).decryptor().update(text)


def next_tweak(tweak: bytes, n: int) -> bytes:
    """IEEE 1619, 5.2: the n-th after it."""
    t = int.from_bytes(tweak, "little")
    for _ in range(n):
        t = t << 1 ^ (t >> 127) * (1 << 128 | 0x87)
    return t.to_bytes(16, "little")


def _tweaked(blocks: Callable[[bytes, bytes, bytes], bytes]) -> Callable[[bytes, bytes, bytes], bytes]:
    """A block cipher's ECB between two exclusive-ors with the tweaks from ``chain`` on."""

    def run(key: bytes, chain: bytes, text: bytes) -> bytes:
        tweaks, tweak = [], chain
        for _ in range(len(text) // 16):
            tweaks.append(tweak)
            tweak = next_tweak(tweak, 1)
        mask = b"".join(tweaks)
        middle = blocks(key, b"", bytes(a ^ b for a, b in zip(text, mask)))
        return bytes(a ^ b for a, b in zip(middle, mask))

    return run


def _after_tweak(chain: bytes, text: bytes, out: bytes) -> bytes:
    return next_tweak(chain, len(text) // 16)


def _counter(secret: bytes) -> bytes:
    """Makes a counter block; every second one wraps soon."""
    return secret if secret[0] & 1 else secret[:12] + b"\xff\xff\xff" + secret[15:]


def next_chacha(chain: bytes, n: int) -> bytes:
    """RFC 8439, 2.3: the first 32 bits count, little-endian."""
    return ((int.from_bytes(chain[:4], "little") + n) % (1 << 32)).to_bytes(4, "little") + chain[4:]


def chacha20(key: bytes, chain: bytes, text: bytes) -> bytes:
    """Encrypts in two pieces where the counter wraps: the package would carry into the nonce."""
    rest = 64 * ((1 << 32) - int.from_bytes(chain[:4], "little"))
    pieces = (chain, text[:rest]), (bytes(4) + chain[4:], text[rest:])
    return b"".join(Cipher(algorithms.ChaCha20(key, block), None).encryptor().update(piece) for block, piece in pieces)


def chacha_tag(key: bytes, counter: bytes, aad: bytes, ciphertext: bytes) -> bytes:
    """RFC 8439, 2.8; ``counter``: of the block that holds the key of Poly1305."""
    lengths = len(aad).to_bytes(8, "little") + len(ciphertext).to_bytes(8, "little")
    return Poly1305.generate_tag(chacha20(key, counter, bytes(32)), _filled(aad) + _filled(ciphertext) + lengths)


def _chacha_counter(secret: bytes) -> bytes:
    """Makes a counter and nonce; every second counter wraps soon."""
    return secret if secret[4] & 1 else secret[:1] + b"\xff\xff\xff" + secret[4:]


WRITERS = {
    "cipher_enc": Writer(_cbc_encrypted, _cbc_decrypted, lambda chain, text, out: out[-16:], expanded),
    "cipher_dec": Writer(_cbc_decrypted, _cbc_encrypted, lambda chain, text, out: text[-16:], inverse_expanded),
    "counter": Writer(
        counter_mode, counter_mode, lambda chain, text, out: next_counter(chain, len(text) // 16), expanded, _counter
    ),
    "chacha": Writer(
        chacha20,
        chacha20,
        lambda chain, text, out: next_chacha(chain, len(text) // 64),
        lambda key: [key[:16], key[16:]],
        _chacha_counter,
    ),
    "xts_enc": Writer(_tweaked(_ecb_encrypted), _tweaked(_ecb_decrypted), _after_tweak, expanded),
    "xts_dec": Writer(_tweaked(_ecb_decrypted), _tweaked(_ecb_encrypted), _after_tweak, inverse_expanded),
    "ecb_enc": Writer(_ecb_encrypted, _ecb_decrypted, lambda chain, text, out: b"", expanded),
    "ecb_dec": Writer(_ecb_decrypted, _ecb_encrypted, lambda chain, text, out: b"", inverse_expanded),
    "des_enc": Writer(
        des.encrypted,
        des.decrypted,
        lambda chain, text, out: out[-16:],
        des.rows,
        other_rows={"sliced": des.sliced_rows},
    ),
    "des_dec": Writer(
        des.decrypted,
        des.encrypted,
        lambda chain, text, out: text[-16:],
        des.inverse_rows,
        other_rows={"sliced": des.inverse_sliced_rows},
    ),
    "rc4": Writer(
        rc4.run,
        rc4.run,
        lambda chain, text, out: b"",
        lambda key: [],
        rc4.chain,
        rc4.schedule,
        rc4.table_after,
        rc4.chain_after,
    ),
}


def writer_of(row: Algorithm) -> Writer:
    """Returns the meaning of a stream of the row. Raises Skip where the row's own cipher has no such mode here."""
    if row.cipher is None:
        return WRITERS[row.kind]
    if row.kind == "schedule":
        raise Skip(f"{row.name} makes keys, and no text")
    if row.kind not in OWN_MODES:
        raise Skip(f"a cipher of one's own is checked as {', '.join(OWN_MODES)}, not as {row.kind}")
    run, back = OWN_MODES[row.kind](row.cipher)
    return replace(WRITERS[row.kind], run=run, back=back, rows=row.cipher.round_keys)


Run = Callable[[bytes, bytes, bytes], bytes]


def _own_counter(cipher: BlockCipher) -> tuple[Run, Run]:
    def run(key: bytes, chain: bytes, text: bytes) -> bytes:
        rows = cipher.round_keys(key)
        stream = b"".join(cipher.enciphered(rows, next_counter(chain, i)) for i in range(-(-len(text) // 16)))
        return bytes(a ^ b for a, b in zip(text, stream))

    return run, run


OWN_MODES: dict[str, Callable[[BlockCipher], tuple[Run, Run]]] = {"counter": _own_counter}

READERS = {
    "ghash": Reader(ghash, lambda key, _, n: power_rows(key, n)),
    "poly1305": Reader(poly1305.after, poly1305.rows, poly1305.chain, poly1305.P),
    "cbc_mac": Reader(lambda key, chain, text: _cbc_encrypted(key, chain, text)[-16:], lambda key, *_: expanded(key)),
}


def chain_bytes(row: Algorithm) -> int:
    """Returns the size of the chaining value of an algorithm that is not a hash."""
    return {"ecb_enc": 0, "ecb_dec": 0, "poly1305": poly1305.CHAIN_BYTES}.get(row.kind, 16)
