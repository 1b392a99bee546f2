"""What the suites compute, by independent implementations: hashlib, hmac, and the package `cryptography`."""

from __future__ import annotations

import functools
import hashlib
import hmac
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cryptography.hazmat.decrepit.ciphers.algorithms import ARC4, TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.cmac import CMAC

from ..core import blake3
from ..core.catalog import ALGORITHMS, SHA256, Algorithm
from ..core.kinds import STEPS
from . import multi_hash, own_cipher, own_state
from .result import Skip

ESP_TAGS = {
    "md5-96": ("md5", 12),
    "sha1-96": ("sha1", 12),
    "sha256-128": ("sha256", 16),
    "sha384-192": ("sha384", 24),
    "sha512-256": ("sha512", 32),
}
PROFILES = {"a128cbc-hs256": ("sha256", 16), "a192cbc-hs384": ("sha384", 24), "a256cbc-hs512": ("sha512", 32)}
"""RFC 7518, 5.2: the hash, and the bytes of the cipher's key, of the MAC's and of the tag."""
BOTH = ("md5+sha256", "sha1+sha256", "sha256+crc32c", "mh-sha1+murmur3-x64-128")
"""Two digests of the same bytes: the tag is the first, then the second."""
TREE_MACS = {"blake3-keyed": blake3.quick_keyed, "blake3-derive-key": blake3.quick_derived}
"""BLAKE3's other modes: what they compute of the words IV, the MAC key and a message."""
CHECKSUMS_BESIDE = ("crc32c", "crc16-t10-dif")
"""Checksums that ciphers have beside them: of the ciphertext, or of the plaintext with PLAINTEXT behind the name."""
PLAINTEXT = "-plaintext"
DES = {"des-ede3-cbc": 24}
"""Bytes of the key."""
TLS_MOST = 1 << 14
GCM_TAGS = (4, 8, 12, 13, 14, 15, 16)  # SP 800-38D, 5.2.1.2


REFERENCES: dict[str, tuple[Algorithm, Callable[[bytes], bytes]]] = {}
"""Hashes and checksums whose rows bring a reference, by suite."""
REMEMBERED = 64
"""Cached digests of what Python computes: it takes long for one, and a message is asked for sealed, then opened."""


@dataclass(frozen=True)
class Meaning:
    """A suite taken apart: hash name or "" (ESP without one: XCBC), cipher key length or 0, what is done with them."""

    # digest, mac, cipher (CBC), counter, etm, profile, esp, tls, gcm, chacha, chacha_poly, xts, ecb, cmac, xcbc, ccm,
    # rc4, rc4_hmac, ciphertext (etm without the IV under the MAC), tree_mac (BLAKE3's), checked (XTS or GCM, and a
    # checksum: `cipher`), keyed, duplex (a hash with a key, an AEAD of one state: own_state.py)
    kind: str
    hash: str = ""
    key_bytes: int = 0
    tag_bytes: int = 0
    """Of the longest tag."""
    mac_key_bytes: int = 0
    """Where the MAC takes keys of one length only."""
    counts: bool = False
    """Of etm: the cipher is AES-CTR, not AES-CBC."""
    block: type[algorithms.AES] | type[TripleDES] = algorithms.AES
    """Of the cipher."""
    own: str = ""
    """The cipher, where it is one of one's own (own_cipher.py)."""
    cipher: str = ""
    """Names the suite of the cipher alone, where the kind is checked."""
    sums_plaintext: bool = False
    """Says, where the kind is checked, whether the checksum covers the plaintext; else it covers the ciphertext."""

    @property
    def authenticates(self) -> bool:
        """Cipher and MAC."""
        if self.kind == "checked":
            return meaning(self.cipher).authenticates
        aeads = ("etm", "profile", "esp", "tls", "gcm", "ccm", "chacha_poly", "rc4_hmac", "ciphertext", "duplex")
        return self.kind in aeads

    @property
    def kinds(self) -> frozenset[str]:
        """Returns the kinds of the algorithms that the suite is made of (kinds.py)."""
        if self.kind == "checked":
            return meaning(self.cipher).kinds | {"checksum"}
        if self.kind in ("chacha", "chacha_poly"):
            parts = ("poly1305", "chacha_poly_enc", "chacha_poly_dec") * (self.kind == "chacha_poly")
            return frozenset(("chacha", *parts))
        if self.kind in ("counter", "gcm"):
            return frozenset(("counter", *("ghash", "gcm_enc", "gcm_dec") * (self.kind == "gcm")))
        if self.kind in ("rc4", "rc4_hmac"):
            return frozenset(("rc4", "hash") if self.hash else ("rc4",))
        if self.kind == "ccm":
            return frozenset(("counter", "cbc_mac"))
        if self.kind in ("xts", "ecb"):
            return frozenset((f"{self.kind}_enc", f"{self.kind}_dec"))
        if self.kind in ("cmac", "xcbc"):
            return frozenset(("cbc_mac",))
        if self.kind == "esp" and not self.hash:
            return frozenset(("cipher_enc", "cipher_dec", "cbc_mac"))
        if self.kind in ("keyed", "duplex"):
            return frozenset(("hash" if self.kind == "keyed" else "duplex", *STEPS))
        if self.counts:
            return frozenset(("counter", "hash"))
        if self.kind == "digest":
            return frozenset(REFERENCES[name][0].kind if name in REFERENCES else "hash" for name in halves(self.hash))
        if self.block is TripleDES:
            return frozenset(("des_enc", "des_dec") + ("hash",) * bool(self.hash))
        return frozenset(("cipher_enc", "cipher_dec") * bool(self.key_bytes) + ("hash",) * bool(self.hash))

    @property
    def iv_bytes(self) -> int:
        """The usual length."""
        if self.kind == "checked":
            return meaning(self.cipher).iv_bytes
        if self.kind == "duplex":
            return own_state.ROWS[self.hash].iv_bytes
        return (
            12
            if self.kind in ("gcm", "ccm", "chacha_poly")
            else self.block.block_size // 8
            if self.key_bytes and self.kind not in ("ecb", "rc4", "rc4_hmac")
            else 0
        )

    @property
    def covers_iv(self) -> bool:
        """A changed IV is found."""
        return self.authenticates and self.kind != "ciphertext"

    @property
    def least(self) -> int:
        """Bytes of the shortest input."""
        if self.kind == "checked":
            return meaning(self.cipher).least
        return 16 if self.kind == "xts" else 0

    @property
    def only_reads(self) -> bool:
        """A digest or a MAC."""
        return not self.key_bytes

    @property
    def block_bytes(self) -> int:
        """Inputs are multiples of this."""
        blocks = ("cipher", "ecb", "etm", "esp", "ciphertext")
        return self.block.block_size // 8 if self.kind in blocks and not self.counts else 1

    @property
    def whole_key_bytes(self) -> int:
        if self.kind == "checked":
            return meaning(self.cipher).whole_key_bytes
        return 2 * self.key_bytes if self.kind in ("profile", "xts") else self.key_bytes

    def fit_aad(self, wanted: int) -> int:
        """The length of AAD that the suite takes and that is nearest in spirit."""
        fixed = {"esp": 12 if wanted % 2 else 8, "tls": 11}
        return fixed.get(self.kind, wanted) if self.authenticates else 0

    def fit_tag(self, wanted: int) -> int:
        """The shortest tag that is not shorter."""
        return (
            next(n for n in GCM_TAGS if n >= wanted)
            if self.kind == "gcm"
            else wanted + wanted % 2
            if self.kind == "ccm"
            else wanted
        )

    def fit_input(self, wanted: int) -> int:
        """Returns the greatest input length up to ``wanted`` that the suite takes; if there is none, its least one."""
        return (
            min(wanted, TLS_MOST)
            if self.kind == "tls"
            else max(self.least, wanted // self.block_bytes * self.block_bytes)
        )


def halves(hash_: str) -> list[str]:
    """Returns the hashes that make the digest: of two digests of the same bytes both."""
    return hash_.split("+")


def digest_bytes(hash_: str) -> int:
    """Raises Skip where hashlib lacks the hash (SM3 comes with OpenSSL)."""
    if hash_ in multi_hash.HASHES:
        return digest_bytes(multi_hash.HASHES[hash_])
    if hash_ in BOTH:
        return sum(digest_bytes(half) for half in halves(hash_))
    if hash_ in REFERENCES:
        return REFERENCES[hash_][0].digest_bytes
    if hash_ not in hashlib.algorithms_available:
        raise Skip(f"no other implementation of {hash_} here")
    return hashlib.new(hash_).digest_size


def digest(hash_: str, data: bytes) -> bytes:
    """Returns the digest or the checksum, or both digests of a pair."""
    if hash_ in multi_hash.HASHES or hash_ in BOTH or hash_ in REFERENCES:
        return _referred(hash_, bytes(data))
    return hashlib.new(hash_, data).digest()


@functools.lru_cache(REMEMBERED)
def _referred(hash_: str, data: bytes) -> bytes:
    if hash_ in multi_hash.HASHES:
        return multi_hash.digest(hash_, data)
    if hash_ in BOTH:
        return b"".join(digest(half, data) for half in halves(hash_))
    return REFERENCES[hash_][1](data)


def hmac_of(hash_: str, key: bytes, data: bytes) -> bytes:
    """RFC 2104."""
    if hash_ not in REFERENCES:
        return hmac.digest(key, data, hash_)
    row, its = REFERENCES[hash_]
    key = (its(key) if len(key) > row.block_bytes else key).ljust(row.block_bytes, b"\0")
    inner, outer = (bytes(byte ^ pad for byte in key) for pad in (0x36, 0x5C))
    return its(outer + its(inner + data))


def checked(suite: str) -> tuple[str, str, bool] | None:
    """Returns the suite of the cipher, the checksum beside it, and whether that is of the plaintext."""
    cipher, _, rest = suite.partition("+")
    checksum = rest.removesuffix(PLAINTEXT)
    return (cipher, checksum, rest != checksum) if checksum in CHECKSUMS_BESIDE and suite not in BOTH else None


@functools.cache
def meaning(suite: str) -> Meaning:
    """Takes a suite's name apart. Raises Skip as digest_bytes does."""
    if beside := checked(suite):
        cipher, checksum, plaintext = beside
        its = meaning(cipher)
        tag_bytes = its.tag_bytes + digest_bytes(checksum)
        return Meaning("checked", checksum, its.key_bytes, tag_bytes, cipher=cipher, sums_plaintext=plaintext)
    if suite in BOTH or suite in multi_hash.HASHES:
        return Meaning("digest", suite, 0, digest_bytes(suite))
    if suite in own_state.ROWS:
        row = own_state.ROWS[suite]
        if row.kind == "duplex":
            return Meaning("duplex", suite, row.key_bytes, row.digest_bytes)
        return Meaning("keyed", suite, 0, row.digest_bytes, row.key_bytes)
    if suite in TREE_MACS:
        return Meaning("tree_mac", suite, 0, 32, 32 * (suite == "blake3-keyed"))
    if suite in PROFILES:
        hash_, size = PROFILES[suite]
        return Meaning("profile", hash_, size, size)
    if suite == "chacha20":
        return Meaning("chacha", "", 32)
    if suite == "chacha20-poly1305":
        return Meaning("chacha_poly", "", 32, 16)
    cipher, _, rest = suite.partition("+")
    if cipher == "rc4-vartime":
        hash_ = rest.removeprefix("hmac-").removesuffix("-etm")
        return Meaning("rc4_hmac", hash_, 16, digest_bytes(hash_)) if rest else Meaning("rc4", "", 16)
    block = TripleDES if cipher in DES else algorithms.AES
    own, mode = own_cipher.suite_of(cipher) or ("", "")
    if rest:
        key_bytes = (own and own_cipher.CIPHERS[own].key_bytes) or DES.get(cipher) or int(cipher.split("-")[1]) // 8
        construction = rest.removeprefix("hmac-")
        if construction == "aes-xcbc-96":
            return Meaning("esp", "", key_bytes, 12, 16)
        if construction in ESP_TAGS:
            hash_, tag_bytes = ESP_TAGS[construction]
            return Meaning("esp", hash_, key_bytes, tag_bytes, block=block)
        hash_, _, kind = construction.rpartition("-")
        return Meaning(
            kind,
            hash_,
            key_bytes,
            0 if kind == "tls" else digest_bytes(hash_),
            counts=cipher.endswith("-ctr"),
            block=block,
            own=own,
        )
    if own:
        kind = own_cipher.MODES[mode]
        return Meaning(kind, "", own_cipher.CIPHERS[own].key_bytes, 16 * (kind == "gcm"), own=own)
    if cipher in DES:
        return Meaning("cipher", "", DES[cipher], block=block)
    if suite.startswith("aes-") and not suite.endswith("-cbc"):
        kind = {"ctr": "counter"}.get(suite.split("-")[2], suite.split("-")[2])
        if kind in ("cmac", "xcbc"):
            return Meaning(kind, "", 0, 16, int(suite.split("-")[1]) // 8)
        return Meaning(kind, "", int(suite.split("-")[1]) // 8, 16 if kind in ("gcm", "ccm") else 0)
    if suite.startswith("aes-"):
        return Meaning("cipher", "", int(suite.split("-")[1]) // 8)
    hash_ = suite.removeprefix("hmac-")
    return Meaning("mac" if suite != hash_ else "digest", hash_, 0, digest_bytes(hash_))


def refer(rows: Iterable[Algorithm]) -> None:
    """Makes the references and the ciphers of a catalogue known."""
    rows = list(rows)
    REFERENCES.update((row.suite, (row, row.reference)) for row in rows if row.reference)
    own_cipher.refer(rows)
    own_state.refer(rows)
    meaning.cache_clear()
    _referred.cache_clear()


refer(ALGORITHMS)


def cbc(key: bytes, iv: bytes, data: bytes, block: type = algorithms.AES) -> bytes:
    encryptor = Cipher(block(key), modes.CBC(iv)).encryptor()
    return encryptor.update(data) + encryptor.finalize()


def unsealed(key: bytes, iv: bytes, data: bytes, block: type = algorithms.AES) -> bytes:
    """CBC decryption without padding."""
    decryptor = Cipher(block(key), modes.CBC(iv)).decryptor()
    return decryptor.update(data) + decryptor.finalize()


def rc4(key: bytes, data: bytes) -> bytes:
    return Cipher(ARC4(key), None).encryptor().update(data)


def counter_mode(key: bytes, iv: bytes, data: bytes, own: str = "") -> bytes:
    """Encrypts or decrypts in counter mode. ``own``: the user's own cipher, if it is one."""
    if own:
        return own_cipher.counter_mode(own_cipher.block_cipher(own), key, iv, data)
    encryptor = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
    return encryptor.update(data) + encryptor.finalize()


def ecb(key: bytes, data: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)


def ccm(key: bytes, iv: bytes, aad: bytes, data: bytes, tag_len: int) -> tuple[bytes, bytes]:
    """A short tag is not the beginning of a longer one."""
    both = AESCCM(key, tag_len).encrypt(iv, data, aad)
    return both[:-tag_len], both[-tag_len:]


def deciphered(suite: str, key: bytes, iv: bytes, data: bytes) -> bytes:
    """ECB and XTS backwards."""
    decryptor = Cipher(algorithms.AES(key), modes.XTS(iv) if meaning(suite).kind == "xts" else modes.ECB()).decryptor()
    return decryptor.update(data) + decryptor.finalize()


def cmac(key: bytes, data: bytes) -> bytes:
    mac = CMAC(algorithms.AES(key))
    mac.update(data)
    return mac.finalize()


def xcbc(key: bytes, data: bytes) -> bytes:
    """RFC 3566, 4."""
    k1, whole, filled = (ecb(key, bytes([i]) * 16) for i in (1, 2, 3))
    bulk = (len(data) - 1) // 16 * 16 if data else 0
    last = data[bulk:]
    mask = whole if len(last) == 16 else filled
    last = (last + b"\x80" + bytes(16))[:16] if len(last) < 16 else last
    return cbc(k1, bytes(16), data[:bulk] + bytes(a ^ b for a, b in zip(last, mask)))[-16:]


def seal(suite: str, key: bytes, mac_key: bytes, iv: bytes, aad: bytes, data: bytes) -> tuple[bytes, bytes]:
    """(output, whole tag)."""
    m = meaning(suite)
    if m.kind == "checked":
        text, tag = seal(m.cipher, key, mac_key, iv, aad, data)
        return text, tag + digest(m.hash, data if m.sums_plaintext else text)
    if m.kind == "digest":
        return b"", digest(m.hash, data)
    if m.kind == "mac":
        return b"", hmac_of(m.hash, mac_key, data)
    if m.kind == "keyed":
        return b"", own_state.keyed_digest(suite)(mac_key, data)
    if m.kind == "duplex":
        return own_state.sealed(suite)(key, iv, aad, data)
    if m.kind == "tree_mac":
        return b"", TREE_MACS[m.hash](SHA256, mac_key, data)
    if m.kind in ("cmac", "xcbc"):
        return b"", (cmac if m.kind == "cmac" else xcbc)(mac_key, data)
    if m.kind == "ecb":
        return ecb(key, data), b""
    if m.kind == "xts":
        encryptor = Cipher(algorithms.AES(key), modes.XTS(iv)).encryptor()
        return encryptor.update(data) + encryptor.finalize(), b""
    if m.kind == "cipher":
        return cbc(key, iv, data, m.block), b""
    if m.kind == "counter":
        return counter_mode(key, iv, data, m.own), b""
    if m.kind == "gcm" and m.own:
        return own_cipher.gcm(own_cipher.block_cipher(m.own), key, iv, aad, data)
    if m.kind == "gcm":
        encryptor = Cipher(algorithms.AES(key), modes.GCM(iv)).encryptor()
        encryptor.authenticate_additional_data(aad)
        text = encryptor.update(data) + encryptor.finalize()
        return text, encryptor.tag
    if m.kind == "chacha":
        return Cipher(algorithms.ChaCha20(key, iv), None).encryptor().update(data), b""
    if m.kind == "chacha_poly":
        sealed = ChaCha20Poly1305(key).encrypt(iv, data, aad)
        return sealed[:-16], sealed[-16:]
    if m.kind in ("rc4", "rc4_hmac"):
        text = rc4(key, data)
        return text, hmac_of(m.hash, mac_key, aad + text) if m.hash else b""
    if m.kind == "ccm":
        return ccm(key, iv, aad, data, 16)
    if m.kind == "ciphertext":
        text = cbc(key, iv, data)
        return text, hmac.digest(mac_key, aad + text, m.hash)
    if m.kind == "etm":
        text = counter_mode(key, iv, data, m.own) if m.counts else cbc(key, iv, data, m.block)
        return text, hmac_of(m.hash, mac_key, aad + iv + text)
    if m.kind == "esp":  # RFC 4303, 2.2.1: the high half of an extended sequence number is behind the ciphertext
        text = cbc(key, iv, data, m.block)
        covered = aad[:8] + iv + text + aad[8:]
        return text, (hmac_of(m.hash, mac_key, covered) if m.hash else xcbc(mac_key, covered))[: m.tag_bytes]
    if m.kind == "tls":  # RFC 5246, 6.2.3.2
        text = data + hmac_of(m.hash, mac_key, aad + len(data).to_bytes(2, "big") + data)
        pad = 16 - len(text) % 16
        return cbc(key, iv, text + bytes([pad - 1]) * pad), b""
    pad = 16 - len(data) % 16
    text = cbc(key[m.key_bytes :], iv, data + bytes([pad]) * pad)
    return text, hmac.digest(key[: m.key_bytes], aad + iv + text + (8 * len(aad)).to_bytes(8, "big"), m.hash)[
        : m.tag_bytes
    ]


@dataclass
class Case:
    """Random arguments of one job, and the right answer."""

    suite: str
    key: bytes
    mac_key: bytes
    iv: bytes
    aad: bytes
    data: bytes
    out: bytes
    tag: bytes


def secrets(rng: random.Random, suite: str) -> tuple[bytes, bytes]:
    """A key and a MAC key of lengths that the suite takes."""
    m = meaning(suite)
    key = rng.randbytes(m.whole_key_bytes)
    if m.mac_key_bytes:
        return key, rng.randbytes(m.mac_key_bytes)
    if m.kind == "tree_mac":  # a context string
        return key, rng.randbytes(rng.choice((0, 8, 16, 32, 33, 512, 600))).hex().encode()
    if m.kind != "mac" and m.kind not in ("etm", "esp", "tls", "rc4_hmac", "ciphertext"):
        return key, b""
    empty = (0,) if m.kind == "mac" else ()  # which HMAC alone takes
    return key, rng.randbytes(rng.choice((*empty, 1, 16, 20, 32, 63, 64, 65, 128, 129, 200)))


def random_iv(rng: random.Random, m: Meaning) -> bytes:
    """The package cannot do a block counter that wraps, so that ChaCha20's stays small."""
    return bytes(3) + rng.randbytes(m.iv_bytes - 3) if m.kind == "chacha" else rng.randbytes(m.iv_bytes)


def case(
    rng: random.Random, suite: str, length: int, aad_len: int = 0, keys: tuple[bytes, bytes] | None = None
) -> Case:
    m = meaning(suite)
    key, mac_key = keys or secrets(rng, suite)
    iv = rng.randbytes(m.iv_bytes)
    aad = rng.randbytes(m.fit_aad(aad_len))
    data = rng.randbytes(m.fit_input(length))
    out, tag = seal(suite, key, mac_key, iv, aad, data)
    return Case(suite, key, mac_key, iv, aad, data, out, tag)
