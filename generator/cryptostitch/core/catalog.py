"""What exists: algorithms, the templates that say them, lanes per instruction set, and which streams make pairs. A
table; no logic.

To add a hash in the style of MD5, SHA-1 and SHA-2, write its template and add one row to ALGORITHMS: digest, HMAC, the
multi-buffer kernels and the pairs with every cipher follow.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from . import blake3, murmur3
from .adler import ADLER32
from .answers import Answer
from .arithmetic import ED25519, X25519_LADDER, Arithmetic
from .contract import hmac_chains
from .crc import CATALOGUE as CRCS
from .errors import RowError, UnknownName
from .kinds import FRAMED_KINDS, KINDS
from .montgomery import MONTGOMERY, Montgomery
from .p256 import P256_POINTS
from .program import Algorithm as Record
from .row_rules import PADDINGS, SEGMENTS, broken_rule
from .sha import padding_block, sha1_schedule, sha256_schedule
from .tree import Tree

Digest = Callable[[bytes], bytes]  # of a text
KeyedDigest = Callable[[bytes, bytes], bytes]  # of a key and a text
Sealed = Callable[[bytes, bytes, bytes, bytes], tuple[bytes, bytes]]  # of key, IV, AAD and text: ciphertext and tag
Answers = tuple[tuple[bytes, bytes], ...]  # messages and their digests
Schedule = Callable[[Sequence[int]], tuple[int, ...]]  # of the words of a block
Iteration = Callable[[bytes, bytes], bytes | tuple[bytes, bytes]]
"""A function that computes in plain Python what one iteration of a kernel does. It takes the chaining value, as
little-endian words, and the bytes that the kernel reads; it returns the chaining value after the iteration, or, for a
kernel that writes, that value and the bytes that are written."""

# Lanes of a word-sliced stream: one 32-bit word of every lane in a register.
WORDS_32 = {"scalar": (1,), "sse": (4,), "avx2": (8,), "avx512": (16,)}
# The same with 64-bit words.
WORDS_64 = {"scalar": (1,), "sse": (2,), "avx2": (4,), "avx512": (8,)}
# Lanes of a stream on the SHA extensions: chains side by side in one loop.
SHA_NI = {"sse": (1, 2, 4)}
# Lists of messages, by the SHA extensions: of 64 bytes; with their padding, of one block or two.
SHA_NI_LIST_BLOCKS, SHA_NI_PADDED_BLOCKS = {("sse", 1): (4,)}, {("sse", 1): (4, 8)}
# One message, its schedule in 128-bit vectors beside rounds in general registers.
SIMD = {"sse": (1,), "avx2": (1,), "avx512": (1,)}
# Lanes of a block cipher on AES-NI, VAES-256 and VAES-512: up to eight chains, in vectors of 1, 2 and 4 blocks.
AES_CHAINS = {"sse": (1, 2, 4, 8), "avx2": (4, 8, 16), "avx512": (8, 16, 32)}
# Too few chains to fill the machine: only as parts of pairs with hashes of as many lanes.
AES_IN_PAIRS = {("avx2", 4), ("avx512", 8)}
# Ciphers come with one block per iteration too, for what is left.
AES_TAILS = {
    (isa, lanes): () if (isa, lanes) in AES_IN_PAIRS else (4, 1) for isa, many in AES_CHAINS.items() for lanes in many
}
# Decryption: many blocks of one buffer at once, or 64 bytes of each of several.
AES_BUFFERS = {"sse": (1, 2), "avx2": (1, 8), "avx512": (1, 16)}
AES_BLOCKS = {("sse", 1): (8, 4, 1), ("avx2", 1): (8,), ("avx512", 1): (16,)}

# ChaCha20: one buffer, as many blocks side by side as a vector has words, or one or two for each 16 bytes of a vector
# (numbers of 16 bytes); a block of as many buffers as a vector has words.
CHACHA_BUFFERS = {"sse": (1, 4), "avx2": (1, 8), "avx512": (1, 16)}
CHACHA_BLOCKS = {("sse", 1): (16, 8, 4), ("avx2", 1): (32, 16, 8), ("avx512", 1): (64, 32, 16)}

# Messages of ChaCha20-Poly1305, whose hash is in general registers: as many blocks as vectors encipher meanwhile. For
# short ones wider vectors are no faster.
CHACHA_POLY_MESSAGES = {"avx2": (1,), "avx512": (1,)}
CHACHA_POLY_BLOCKS = {("avx2", 1): (16, 32), ("avx512", 1): (32,)}
CHACHA_POLY_SHORT_MESSAGES = {"avx2": (1,)}
CHACHA_POLY_SHORT_BLOCKS = {("avx2", 1): (16, 4)}
# ChaCha20-Poly1305 messages whose hash IFMA computes in vectors. A kernel for short messages computes all of its
# blocks, whether the message has them or not, so there is one for each of a few usual lengths.
CHACHA_POLY_LIMBS = {"avx512": (1,)}
CHACHA_POLY_LIMBS_BLOCKS = {("avx512", 1): (64,)}
CHACHA_POLY_LIMBS_SHORT_BLOCKS = {("avx512", 1): (96, 64, 32)}

# Poly1305: as many blocks of a buffer as a vector has numbers of 64 bits; in pairs as many as ChaCha20 has.
POLY_BUFFERS = {"avx2": (1,), "avx512": (1,)}
POLY_BLOCKS = {("avx2", 1): (4,), ("avx512", 1): (8, 64)}
# In general registers: as many as share a reduction.
POLY_WORD_BUFFERS = {"scalar": (1,)}
POLY_WORD_BLOCKS = {("scalar", 1): (8,)}
# A message in each 64-bit word: a block of as many as ChaCha20 has, or half as many. On SSE only where nothing else is.
POLY_ABREAST = {"sse": (2,), "avx2": (8,), "avx512": (8, 16)}

# Counter mode and GHASH: many blocks of one buffer at once, and few for what is left; for bursts of short ones 64 bytes
# of each of several. On Zen 4 vectors of 256 bits are better for as many keys of AES.
COUNTERS = {"sse": (1,), "avx2": (1, 8), "avx512": (1,)}
COUNTER_BLOCKS = {("sse", 1): (8, 4, 1), ("avx2", 1): (16, 8), ("avx512", 1): (32, 16, 8)}
GHASH_BUFFERS = {"sse": (1,), "avx2": (1, 8), "avx512": (1,)}
GHASH_BLOCKS = {("sse", 1): (8, 4, 1), ("avx2", 1): (16, 8), ("avx512", 1): (32, 16, 8)}
# GCM messages: few blocks for short ones, many for long ones.
GCM_MESSAGES = {"sse": (1,), "avx2": (1,), "avx512": (1,)}
GCM_BLOCKS = {("sse", 1): (4, 8), ("avx2", 1): (8,), ("avx512", 1): (16,)}
GCM_SHORT_BLOCKS = {("sse", 1): (8, 4), ("avx2", 1): (16, 8, 4), ("avx512", 1): (32, 16, 8, 4)}
# Lists of messages, where a level masks bytes: of strides and an end, or of few blocks. Strides of texts alone do not
# wait for one another, so that the CPU interleaves those of one vector itself.
Lists = dict[str, dict[tuple[str, int], tuple[int, ...]]]
TEXT_LIST_BLOCKS: Lists = {"": {("avx512", 1): (4,)}, "_short": {("avx512", 1): (4,)}}
# Where a level does not mask bytes: a block in an iteration, which the CPU interleaves, or strides of a few.
BLOCK_LIST_BLOCKS = {("sse", 1): (1,)}
STRIDE_LIST_BLOCKS = {("sse", 1): (4,)}
GCM_LIST_BLOCKS: Lists = {"": {("avx512", 1): (16,)}, "_short": {("avx512", 1): (16, 8, 4)}}
# Whole texts, their ends included: as many blocks as hide the latency of a round, and few for bursts of short ones.
WHOLE_TEXTS = {"sse": (1,), "avx2": (1,), "avx512": (1,)}
WHOLE_TEXT_BLOCKS = {("sse", 1): (8, 4), ("avx2", 1): (16, 4), ("avx512", 1): (16,)}
STOLEN_TEXT_BLOCKS = WHOLE_TEXT_BLOCKS | {("avx512", 1): (16, 4)}  # lists do not take texts whose ciphertext is stolen
# (instruction set, blocks) of whole texts whose counters or tweaks general registers make beside AES's rounds. Four
# blocks are for short texts, whose calls would take longer.
BESIDE_AES = {("sse", 8)}
# What is hashed so is short.
WHOLE_GHASH_BLOCKS = {("sse", 1): (8,), ("avx2", 1): (8,), ("avx512", 1): (8,)}
# Checksums: as many blocks as hide the latency of a product; where that is many, few for short texts too.
CHECKSUMS = {"sse": (1,), "avx2": (1,), "avx512": (1,)}
CHECKSUM_BLOCKS = {("sse", 1): (4,), ("avx2", 1): (8,), ("avx512", 1): (16, 4)}
ADLER_BLOCKS = {("sse", 1): (4,), ("avx2", 1): (8,), ("avx512", 1): (16,)}
# By the crc32 instruction, beside a cipher: as many blocks as the cipher has; ends of texts want masks of bytes.
CHECKSUM_WORDS = {"avx512": (1,)}
CHECKSUM_WORD_BLOCKS = {("avx512", 1): (16,)}
# Erasure codes: inputs of a kernel, by its outputs (RAID-6 and updates; the common k + 3 and k + 4), and blocks.
CODEC_INPUTS = {2: (4, 16), 4: (10, 16)}
CODEC_BLOCKS = {"sse": 2, "avx2": 4, "avx512": 16}
# Modes whose blocks are independent of one another: many blocks of one buffer; for bursts of short ones 64 bytes of
# each of several, or a block.
INDEPENDENT = {"sse": (1, 8), "avx2": (1,), "avx512": (1, 4)}
INDEPENDENT_BLOCKS = {("sse", 1): (8, 4, 1), ("sse", 8): (1,), ("avx2", 1): (16, 8), ("avx512", 1): (16, 4)}
# RC4: one chain, in general registers.
RC4 = {"scalar": (1,)}
RC4_BLOCKS = {("scalar", 1): (4, 1)}
# DES: a message in each 64-bit word, or blocks of one buffer (numbers of 16 bytes).
DES_CHAINS = {"avx512": (8, 16, 32)}
DES_TAILS = {("avx512", 8): (1,), ("avx512", 16): (4, 1), ("avx512", 32): (1,)}
DES_BUFFERS = {"avx512": (1,)}
DES_BLOCKS = {("avx512", 1): (16, 8, 4, 1)}
# Byte-sliced DES, for CPUs that have neither VBMI nor GFNI: a vector holds a byte of each of so many messages, or of
# each of so many blocks of one message. A kernel for single blocks, on SSE, takes what is left of a message.
DES_SLICED_CHAINS = {"sse": (16,), "avx2": (32,)}
DES_SLICED_TAILS = {("sse", 16): (1,), ("avx2", 32): (1,)}
DES_SLICED_BUFFERS = {"sse": (1,), "avx2": (1,)}
DES_SLICED_BLOCKS = {("sse", 1): (8, 1), ("avx2", 1): (16,)}
# The texts of numbers modulo a prime, by radix: by products of IFMA, of 32-bit halves, and in general registers.
Fields = Mapping[str, tuple[str, Mapping[str, tuple[int, ...]]]]
FIELDS_25519: Fields = {
    "52": ("field_52", {"avx512": (8,)}),
    "25": ("field_25", {"sse": (2,), "avx2": (4,)}),
    "64": ("field_64", {"scalar": (1,)}),
}
FIELDS_P256: Fields = {"52": ("field_p256", {"avx512": (8,)}), "64": ("field_p256_64", {"scalar": (1,)})}
# An operation of a single lane alone: it reads an entry of a table by its own digit, outside of the kernel. Such a lane
# does not need those where each lane of several chooses from a table.
SINGLE_LANE = {"add_mixed"}
SEVERAL_LANES = {"add_own", "add_common"}
# Numbers in general registers beside those in vectors, whose units they leave alone: a lane more in the same time.
NUMBERS_BESIDE = (("52", "avx512", 8), ("25", "avx2", 4))
# Numbers of P-256 are not: on Emerald Rapids a ninth lane makes a doubling take 602 cycles for 492 and an addition from
# a table 1256 for 958, and both together are larger than the instruction cache. Nine jobs won 2 % over eight and one;
# eighteen took 15 % longer than in passes of eight.
NUMBERS_ALONE = {"p256"}


@dataclass(frozen=True)
class Form:
    """One text of an algorithm. ``groups``: how many copies of the stream may be woven into one kernel; ``grouped``:
    where such kernels are shipped. ``beside``: (instruction set, blocks) with which general registers make what blocks
    of the next iteration begin with."""

    name: str
    template: str
    lanes: Mapping[str, tuple[int, ...]]
    groups: tuple[int, ...] = (1, 2)
    # blocks per lane and iteration, where they are not the algorithm's
    by: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    grouped: tuple[str, ...] = ("sse", "avx2", "avx512")
    parameters: Mapping[str, Any] = field(default_factory=dict)  # for its template, beside the algorithm's
    paired: bool = True  # may be a part of pairs
    objects: int | None = None  # so many of `by`, the first, are shipped as objects too; None: all
    object_isas: tuple[str, ...] | None = None  # on these instruction sets alone; None: on all
    shared: bool = True  # serves rows that have its row as `base` too
    beside: Set[tuple[str, int]] = frozenset()
    alone: bool = True  # is a kernel by itself


@dataclass(frozen=True)
class BlockCipher:
    """A block cipher of one's own, of 16-byte blocks, in plain Python: what `cryptostitch verify` compares with.
    ``round_keys(key)``: the rows of 16 bytes that its kernels take. ``enciphered(rows, block)``."""

    round_keys: Callable[[bytes], list[bytes]]
    enciphered: Callable[[list[bytes], bytes], bytes]


@dataclass(frozen=True)
class Algorithm:
    """One row. ``parameters`` are handed to the templates."""

    name: str
    suite: str
    kind: str  # of kinds.py
    forms: tuple[Form, ...]
    parameters: dict = field(default_factory=dict)
    bytes: int = 64  # per lane and iteration
    block_bytes: int = 64
    # hashes
    padding: str = "length"  # of PADDINGS
    domain: int = 0  # of a sponge: the byte behind the message
    last: int = 0x80  # of a sponge: what is added to the last byte of the last block
    squeeze_bytes: int = 0  # of a sponge: output between two permutations; 0: as many as a block has
    tree: Tree | None = None  # of a sponge: how long messages are hashed in leaves; a row with `base`
    extendable: bool = False  # the digest may have any length; digest_bytes is the usual one
    hmac: bool = True
    word_bytes: int = 0
    words: int = 0
    digest_bytes: int = 0
    big_endian: bool = True
    length_bytes: int = 8
    initial: tuple[int, ...] = ()
    base: str = ""  # whose kernels a hash or checksum runs: other values and digest length (no forms of its own)
    # of a hash or checksum; None: hashlib has it by that name
    reference: Digest | None = None
    # of a hash with a key (key_bytes), what it computes of key and text
    keyed_reference: KeyedDigest | None = None
    # of an AEAD of one state, what it computes of key, IV, AAD and text
    aead_reference: Sealed | None = None
    # of a hash with a key or an AEAD of one state, and of the steps with which their messages begin and end
    iteration: Iteration | None = None
    # of a hash: messages and their digests, which the library's self-test checks; of an extendable one of any length
    answers: Answers = ()
    # of any row: known answers of its suites, with their keys
    suite_answers: tuple[Answer, ...] = ()
    # ciphers
    key_bytes: int = 0
    iv_bytes: int = 0
    rounds: int = 0
    # whose round keys its kernels take, e.g. aes-128: joins the modes of one cipher, and begins names of suites
    block_cipher: str = ""
    # None: it is the project's own
    cipher: BlockCipher | None = None
    # what the row's texts are stitched with: names of texts, algorithms or suites; None: what the catalogue's rules say
    pairs: tuple[str, ...] | None = None
    # of kind arithmetic
    arithmetic: Arithmetic | Montgomery | None = None

    def __post_init__(self) -> None:
        """Raises RowError for a row that the library would refuse, and UnknownName for a kind or padding."""
        for what, name, known in (("kind", self.kind, KINDS), ("padding", self.padding, PADDINGS)):
            if name not in known:
                raise UnknownName(what, name, known)
        if self.tree and (self.padding != "sponge" or self.hmac or not self.base or self.forms):
            raise RowError(
                f"{self.name}: a tree is a row over a sponge (base=..., no forms), without HMAC (hmac=False)"
            )
        if len(self.initial) > self.words or any(word >> 8 * self.word_bytes for word in self.initial):
            raise RowError(f"{self.name}: initial has at most as many words as words says, of word_bytes each")
        if why := broken_rule(self.record):
            raise RowError(f"{self.name}: {why}")

    @property
    def record(self) -> Record:
        """Returns the row as a pack's record."""
        sponge = self.padding == "sponge"
        return Record(
            self.name,
            self.suite,
            KINDS[self.kind].number,
            self.block_bytes,
            self.word_bytes,
            self.words,
            self.digest_bytes,
            self.big_endian,
            self.length_bytes if self.kind == "hash" else 0,
            self.key_bytes,
            self.iv_bytes,
            self.rounds,
            self.initial,
            self.base,
            PADDINGS[self.padding],
            self.bytes if self.padding != "length" or self.kind in FRAMED_KINDS else 0,
            self.domain,
            self.extendable,
            self.hmac,
            self.last if sponge else 0,
            self.squeezed if sponge else 0,
            self.block_cipher,
            self.tree,
        )

    @property
    def squeezed(self) -> int:
        """Bytes of a digest that one chaining value has, at most."""
        if self.padding != "sponge":
            return self.words * self.word_bytes
        return self.squeeze_bytes or self.block_bytes

    def parameters_of(self, form: Form, isa: str, by: int) -> dict[str, Any]:
        """Returns the parameters of the form's template on an instruction set, for so many blocks of each lane."""
        return {**self.parameters, **form.parameters, "by": by, "beside": (isa, by) in form.beside}


# How a hash ends a message, by the number in the pack's record. A kernel of the first kind reads blocks of the message
# as they lie. One of the others reads `bytes` for each block: the block, then what the padding puts behind it, then
# zeros; so that one kernel serves blocks of any length up to that.
#   length  0x80, zeros, and the message's length in bits in the last `length_bytes` (Merkle and Damgard)
#   counted zeros; behind the block stand the bytes hashed so far, its own included, in two words, and a word of ones if
#           it is the last one, which is never empty but of an empty message (BLAKE2: RFC 7693, 3.2 and 3.3). No HMAC:
#           of an empty message the key's block would be the last, and its chaining value another
#   tree    nothing: a chunk of the message is hashed as other hashes hash a message, but for its last block, of which
#           the chaining value says the length; then pairs of chunks' chaining values are, and so on (BLAKE3, 2.4)
#   sponge  `domain`, zeros, and `last` added to the block's last byte: 0x80 (FIPS 202, 5.1 and B.2), 0 (SP 800-232,
#           2.1). Output is the first `squeeze_bytes` of the chaining value, and so on after each further permutation
#   segments as length, to whole blocks of SEGMENTS times the block of the hash by itself. The words of a block belong
#           to the segments in turn; each segment is hashed as the hash does, without a padding of its own, and the
#           digest is that of the segments' chaining values (isa-l_crypto's multi-hashes)
#   low_length  zeros, and in the last byte of the last block the message's length in bytes, modulo 256 (SipHash)
#   rest    none: what is left behind whole blocks, and the length, join the chaining value in a way of its own
#           (MurmurHash3)


def _hash(
    name: str,
    initial: tuple[int, ...],
    digest_bytes: int,
    *,
    big_endian: bool = True,
    ni: Schedule | None = None,
    simd: bool = False,
    groups: tuple[int, ...] = (1, 2),
    grouped: tuple[str, ...] = ("sse", "avx2", "avx512"),
    word_bytes: int = 4,
    base: str = "",
    object_isas: tuple[str, ...] | None = None,
) -> Algorithm:
    lanes = WORDS_32 if word_bytes == 4 else WORDS_64
    forms = [] if base else [Form(name, f"streams/{name}.j2", lanes, groups, grouped=grouped, object_isas=object_isas)]
    if simd:
        # the object for AVX2 serves AVX-512 as well
        forms.append(Form(f"{name}_simd", f"streams/{name}_simd.j2", SIMD, (1,), object_isas=("sse", "avx2")))
    if ni:
        forms.append(Form(f"{name}_ni", f"streams/{name}_ni.j2", SHA_NI, (1,)))
        forms += _hash_lists(name, initial, ni)
    return Algorithm(
        name,
        name,
        "hash",
        tuple(forms),
        {"word": 8 * word_bytes, "big_endian": big_endian},
        bytes=16 * word_bytes,
        block_bytes=16 * word_bytes,
        word_bytes=word_bytes,
        words=len(initial),
        digest_bytes=digest_bytes,
        big_endian=big_endian,
        length_bytes=2 * word_bytes,
        initial=initial,
        base=base,
    )


def _hash_lists(name: str, initial: tuple[int, ...], schedule: Schedule) -> list[Form]:
    """Returns the forms of a hash of 32-bit words, and of its HMAC, that take lists of messages of one block, or of
    short messages with their padding."""
    block = 64
    inner, outer = hmac_chains(4 * len(initial))
    return [
        _list(
            f"{name}_ni{suffix}_{'padded' if is_padded else 'list'}",
            f"streams/{name}_ni_list.j2",
            SHA_NI_PADDED_BLOCKS if is_padded else SHA_NI_LIST_BLOCKS,
            {
                "padded": is_padded,
                "keyed": bool(suffix),
                "initial": initial,
                "inner": inner,
                "outer": outer,
                "padding": schedule(padding_block(2 * block if suffix else block)),
            },
            shared=False,
        )
        for suffix in ("", "_hmac")
        for is_padded in (False, True)
    ]


def _multi_hash(name: str, initial: tuple[int, ...]) -> Algorithm:
    """The kernels of a multi-hash: the text of the hash, whose words come without a transposition. A kernel does as
    many segments as a vector has words; it is called again for the next ones, with a pointer to their first word."""
    unit, words = 64 * SEGMENTS, len(initial)
    lanes = dict.fromkeys(WORDS_32, (1,))
    return Algorithm(
        f"{name}_segments",
        f"mh-{name}",
        "hash",
        (Form(f"{name}_segments", f"streams/{name}.j2", lanes, (1,), paired=False),),
        {"word": 32, "big_endian": True, "segments": SEGMENTS},
        bytes=unit,
        block_bytes=unit,
        padding="segments",
        hmac=False,
        word_bytes=4,
        words=words,
        digest_bytes=4 * words,
        initial=initial,
    )


def _murmur3() -> Algorithm:
    """Returns MurmurHash3 as it is computed beside a multi-hash, whose blocks hold 64 of its own."""
    blocks = {("scalar", 1): (1, 64 * SEGMENTS // murmur3.BLOCK)}
    return Algorithm(
        "murmur3",
        "murmur3-x64-128",
        "hash",
        (Form("murmur3", "streams/murmur3.j2", {"scalar": (1,)}, (1,), blocks, paired=False, objects=1),),
        {"word": 64, "big_endian": False},
        bytes=murmur3.BLOCK,
        block_bytes=murmur3.BLOCK,
        padding="rest",
        hmac=False,
        word_bytes=8,
        words=2,
        digest_bytes=16,
        big_endian=False,
        length_bytes=0,
        initial=(0, 0),
        reference=murmur3.digest,
    )


KECCAK_INPUT = 256  # bytes: a power of two that holds the longest rate


def _keccak(name: str, capacity: int, domain: int, digest_bytes: int, form: bool = False) -> Algorithm:
    """FIPS 202, 6: bits of the capacity; all run the permutation of the row that has the form."""
    extendable = name.startswith("shake")
    made = getattr(hashlib, name.replace("shake", "shake_"))
    return Algorithm(
        name,
        name.replace("_", "-"),
        "hash",
        (Form("keccak", "streams/keccak.j2", WORDS_64, (1,), paired=False, object_isas=("sse",)),) if form else (),
        {"word": 64, "big_endian": False, "rounds": 24},
        bytes=KECCAK_INPUT,
        block_bytes=(1600 - capacity) // 8,
        padding="sponge",
        domain=domain,
        extendable=extendable,
        hmac=not extendable,
        word_bytes=8,
        words=25,
        digest_bytes=digest_bytes,
        big_endian=False,
        length_bytes=0,
        initial=(0,) * 25,
        base="" if form else "sha3_256",
        reference=(lambda text: made(text).digest(digest_bytes)) if extendable else lambda text: made(text).digest(),
    )


def _blake2(name: str, start: tuple[int, ...], word_bytes: int) -> Algorithm:
    """RFC 7693, without a key and with the longest digest; ``start``: the initial words of SHA-2 (2.6)."""
    made, digest_bytes = getattr(hashlib, name), 8 * word_bytes
    rotations, rounds = ((32, 24, 16, 63), 12) if word_bytes == 8 else ((16, 12, 8, 7), 10)
    return Algorithm(
        f"{name}_{8 * digest_bytes}",
        f"{name}-{8 * digest_bytes}",
        "hash",
        (
            Form(
                name,
                "streams/blake2.j2",
                WORDS_64 if word_bytes == 8 else WORDS_32,
                (1,),
                paired=False,
                object_isas=("sse",),
            ),
        ),
        {"word": 8 * word_bytes, "big_endian": False, "start": start, "rotations": rotations, "rounds": rounds},
        bytes=32 * word_bytes,
        block_bytes=16 * word_bytes,
        padding="counted",
        hmac=False,
        word_bytes=word_bytes,
        words=8,
        digest_bytes=digest_bytes,
        big_endian=False,
        length_bytes=0,
        initial=(start[0] ^ 0x01010000 ^ digest_bytes, *start[1:]),  # 2.8: the parameter block
        reference=lambda text: made(text).digest(),
    )


def _blake3(start: tuple[int, ...]) -> Algorithm:
    """Hash, keyed hash and key derivation; ``start``: the initial words of SHA-2 (2.2)."""
    return Algorithm(
        "blake3",
        "blake3",
        "hash",
        (Form("blake3", "streams/blake3.j2", WORDS_32, (1,), paired=False, object_isas=("sse",)),),
        {"word": 32, "big_endian": False, "start": start, "rotations": (16, 12, 8, 7), "rounds": blake3.ROUNDS},
        bytes=blake3.BLOCK,
        block_bytes=blake3.BLOCK,
        padding="tree",
        extendable=True,
        hmac=False,
        word_bytes=4,
        words=21,
        digest_bytes=32,
        big_endian=False,
        length_bytes=0,
        # the words IV; t, the bytes of a block and its flags, as of the two blocks of a message of 128 bytes; output
        initial=(*start, 0, 0, blake3.BLOCK, blake3.CHUNK_START, blake3.CHUNK_END | blake3.ROOT, *(0,) * 8),
        reference=lambda text: blake3.quick_digest(start, text),
    )


def _list(
    name: str,
    template: str,
    by: Mapping[tuple[str, int], tuple[int, ...]],
    parameters: Mapping[str, Any],
    shared: bool = True,
) -> Form:
    """A form that takes a list of messages."""
    lanes = {isa: (n,) for isa, n in by}
    return Form(name, template, lanes, (1,), by, parameters=parameters, paired=False, objects=0, shared=shared)


def _lists(name: str, template: str, by: Lists, **parameters: object) -> tuple[Form, ...]:
    """The forms that take a list of texts, with a loop, and of short ones."""
    return tuple(
        _list(f"{name}_list{suffix}", template, blocks, {"loops": not suffix, **parameters})
        for suffix, blocks in by.items()
    )


def _whole_texts(name: str, mode: str, opening: bool = False) -> tuple[Form, ...]:
    """The forms of a mode of AES that take whole texts, their ends included: one, or a list."""
    parameters = {"mode": mode, "opening": opening}
    template, beside = "streams/aes_whole.j2", BESIDE_AES
    by = STOLEN_TEXT_BLOCKS if mode == "tweaked" else WHOLE_TEXT_BLOCKS
    one = Form(f"{name}_whole", template, WHOLE_TEXTS, (1,), by, (), parameters, False, 1, beside=beside)
    return (one, *_lists(name, "streams/aes_list.j2", TEXT_LIST_BLOCKS, **parameters))


def _aes(key_bits: int) -> str:
    return f"aes-{key_bits}"


def _aes_cbc(key_bits: int) -> tuple[Algorithm, Algorithm]:
    rounds = key_bits // 32 + 6
    common: dict[str, Any] = dict(
        block_bytes=16, key_bytes=key_bits // 8, iv_bytes=16, rounds=rounds, block_cipher=_aes(key_bits)
    )
    enc, dec = f"aes{key_bits}_cbc_enc", f"aes{key_bits}_cbc_dec"
    parameters = {"word": 32, "rounds": rounds}
    return (
        Algorithm(
            enc,
            f"aes-{key_bits}-cbc",
            "cipher_enc",
            (Form(enc, "streams/aes_cbc_enc.j2", AES_CHAINS, by=AES_TAILS),),
            parameters | {"writes": True},
            **common,
        ),
        Algorithm(
            dec,
            f"aes-{key_bits}-cbc",
            "cipher_dec",
            (
                Form(dec, "streams/aes_cbc_dec.j2", AES_BUFFERS, (1,), AES_BLOCKS),
                *_whole_texts(dec, "chained", opening=True),
            ),
            parameters,
            **common,
        ),
    )


def _aes_ctr(key_bits: int) -> Algorithm:
    name, rounds = f"aes{key_bits}_ctr", key_bits // 32 + 6
    return Algorithm(
        name,
        f"aes-{key_bits}-ctr",
        "counter",
        (
            Form(name, "streams/aes_ctr.j2", COUNTERS, (1,), COUNTER_BLOCKS),
            *_whole_texts(name, "counter"),
            _list(f"{name}_block_list", "streams/aes_block_list.j2", BLOCK_LIST_BLOCKS, {}),
        ),
        {"word": 32, "rounds": rounds},
        block_bytes=16,
        key_bytes=key_bits // 8,
        iv_bytes=16,
        rounds=rounds,
        block_cipher=_aes(key_bits),
    )


def _ghash() -> Algorithm:
    return Algorithm(
        "ghash",
        "ghash",
        "ghash",
        (
            Form("ghash", "streams/ghash.j2", GHASH_BUFFERS, (1,), GHASH_BLOCKS),
            Form("ghash_whole", "streams/ghash_whole.j2", WHOLE_TEXTS, (1,), WHOLE_GHASH_BLOCKS, (), paired=False),
        ),
        {"word": 32, "karatsuba": True},
        block_bytes=16,
        key_bytes=16,
        digest_bytes=16,
    )


def _aes_gcm(key_bits: int) -> list[Algorithm]:
    rounds = key_bits // 32 + 6

    def forms(name: str) -> tuple[Form, ...]:
        single = (
            Form(
                name + suffix,
                "streams/aes_gcm.j2",
                GCM_MESSAGES,
                (1,),
                blocks,
                parameters={"short": bool(suffix)},
                objects=0 if suffix else 1,
            )
            for suffix, blocks in (("", GCM_BLOCKS), ("_short", GCM_SHORT_BLOCKS))
        )
        return (
            *single,
            *_lists(name, "streams/aes_gcm_list.j2", GCM_LIST_BLOCKS),
            _list(f"{name}_block_list", "streams/aes_gcm_block_list.j2", BLOCK_LIST_BLOCKS, {}),
            _list(f"{name}_stride_list", "streams/aes_gcm_stride_list.j2", STRIDE_LIST_BLOCKS, {}),
        )

    return [
        Algorithm(
            f"aes{key_bits}_gcm_{direction}",
            f"aes-{key_bits}-gcm",
            f"gcm_{direction}",
            forms(f"aes{key_bits}_gcm_{direction}"),
            {"word": 32, "rounds": rounds, "opening": direction == "dec"},
            block_bytes=16,
            key_bytes=key_bits // 8,
            iv_bytes=16,
            rounds=rounds,
            block_cipher=_aes(key_bits),
        )
        for direction in ("enc", "dec")
    ]


def _chacha_poly() -> list[Algorithm]:
    def forms(name: str) -> tuple[Form, ...]:
        return tuple(
            Form(
                name + suffix,
                "streams/chacha_poly.j2",
                buffers,
                (1,),
                blocks,
                parameters={"short": "short" in suffix, "limbs": "limbs" in suffix},
                objects=0,
            )
            for suffix, buffers, blocks in (
                ("", CHACHA_POLY_MESSAGES, CHACHA_POLY_BLOCKS),
                ("_short", CHACHA_POLY_SHORT_MESSAGES, CHACHA_POLY_SHORT_BLOCKS),
                ("_limbs", CHACHA_POLY_LIMBS, CHACHA_POLY_LIMBS_BLOCKS),
                ("_limbs_short", CHACHA_POLY_LIMBS, CHACHA_POLY_LIMBS_SHORT_BLOCKS),
            )
        )

    return [
        Algorithm(
            name := f"chacha_poly_{direction}",
            "chacha20-poly1305",
            name,
            forms(name),
            {"word": 32, "opening": direction == "dec"},
            block_bytes=16,
            key_bytes=32,
            iv_bytes=16,
        )
        for direction in ("enc", "dec")
    ]


def _cbc_mac(key_bits: int) -> Algorithm:
    name, rounds = f"aes{key_bits}_cbc_mac", key_bits // 32 + 6
    return Algorithm(
        name,
        f"aes-{key_bits}-cbc-mac",
        "cbc_mac",
        (Form(name, "streams/aes_cbc_enc.j2", AES_CHAINS, (1,), AES_TAILS),),
        {"word": 32, "rounds": rounds, "writes": False},
        block_bytes=16,
        key_bytes=key_bits // 8,
        digest_bytes=16,
        rounds=rounds,
        block_cipher=_aes(key_bits),
    )


def _aes_independent(mode: str, key_bits: int) -> list[Algorithm]:
    rounds, tweaked = key_bits // 32 + 6, mode == "xts"
    found = []
    for direction in ("enc", "dec"):
        name = f"aes{key_bits}_{mode}_{direction}"
        parameters = {"word": 64, "rounds": rounds, "tweaked": tweaked, "opening": direction == "dec"}
        forms = [Form(name, "streams/aes_blocks.j2", INDEPENDENT, (1,), INDEPENDENT_BLOCKS)]
        forms += _whole_texts(name, "tweaked" if tweaked else "independent", direction == "dec")
        found.append(
            Algorithm(
                name,
                f"aes-{key_bits}-{mode}",
                f"{mode}_{direction}",
                tuple(forms),
                parameters,
                block_bytes=16,
                key_bytes=key_bits // 8,
                iv_bytes=16 if tweaked else 0,
                rounds=rounds,
                block_cipher=_aes(key_bits),
            )
        )
    return found


def _rc4() -> Algorithm:
    """Keys of 16 bytes are the usual ones (TLS); the runtime takes others."""
    name = "rc4_vartime"
    return Algorithm(
        name,
        "rc4-vartime",
        "rc4",
        (Form(name, f"streams/{name}.j2", RC4, (1, 2), RC4_BLOCKS, ("scalar",)),),
        {"word": 32},
        block_bytes=16,
        key_bytes=16,
    )


def _des_cbc(name: str, suite: str, key_bytes: int, rounds: int) -> tuple[Algorithm, Algorithm]:
    """Streams take two blocks at a time: ``block_bytes`` is 16."""
    common: dict[str, Any] = dict(block_bytes=16, key_bytes=key_bytes, iv_bytes=8, rounds=rounds)
    enc, dec, parameters = f"{name}_cbc_enc", f"{name}_cbc_dec", {"word": 64, "rounds": rounds}

    def sliced(way: str, lanes: Mapping[str, tuple[int, ...]], by: Mapping[tuple[str, int], tuple[int, ...]]) -> Form:
        template = f"streams/des_cbc_{way}_sliced.j2"
        return Form(f"{name}_cbc_{way}_sliced", template, lanes, (1,), by, (), {"word": 32}, paired=False)

    return (
        Algorithm(
            enc,
            suite,
            "des_enc",
            (
                Form(enc, "streams/des_cbc_enc.j2", DES_CHAINS, (1,), DES_TAILS),
                sliced("enc", DES_SLICED_CHAINS, DES_SLICED_TAILS),
            ),
            parameters,
            **common,
        ),
        Algorithm(
            dec,
            suite,
            "des_dec",
            (
                Form(dec, "streams/des_cbc_dec.j2", DES_BUFFERS, (1,), DES_BLOCKS),
                sliced("dec", DES_SLICED_BUFFERS, DES_SLICED_BLOCKS),
            ),
            parameters,
            **common,
        ),
    )


def _crc32c_words() -> Form:
    blocks = CHECKSUM_WORD_BLOCKS
    factors = {"factors": CRCS["crc32c"].factors(64, 128, 192, 256)}
    name = "crc32c_words"
    return Form(name, f"streams/{name}.j2", CHECKSUM_WORDS, (1,), blocks, (), factors, False, 0, shared=False)


def _checksum(suite: str, form: str = "", base: str = "", words: tuple[Form, ...] = ()) -> Algorithm:
    """``form``: of its kernels, or ``base``: whose kernels it runs; ``words``: forms for this polynomial alone."""
    crc = CRCS[suite]
    forms = (
        Form(form, "streams/crc.j2", CHECKSUMS, (1,), CHECKSUM_BLOCKS, (), paired=False, object_isas=("sse",)),
        *words,
    )
    return Algorithm(
        suite.replace("-", "_"),
        suite,
        "checksum",
        forms if form else (),
        {"word": 64, "reflected": crc.reflected},
        block_bytes=16,
        word_bytes=8,
        words=3,
        digest_bytes=crc.digest_bytes,
        big_endian=not crc.reflected,
        initial=(crc.polynomial, crc.initial, crc.final),
        rounds=crc.width,
        base=base,
        reference=crc.digest,
    )


def _adler32() -> Algorithm:
    """The fourth word of ``initial``, the modulus, tells it from a cyclic redundancy check."""
    name = "adler32"
    return Algorithm(
        name,
        name,
        "checksum",
        (Form(name, f"streams/{name}.j2", CHECKSUMS, (1,), ADLER_BLOCKS, (), paired=False, object_isas=("sse",)),),
        {"word": 64},
        block_bytes=16,
        word_bytes=8,
        words=4,
        digest_bytes=ADLER32.digest_bytes,
        initial=(0, ADLER32.initial, ADLER32.final, ADLER32.modulus),
        rounds=ADLER32.width,
        reference=lambda text: zlib.adler32(text).to_bytes(4, "big"),
    )


def _codec(outputs: int) -> Algorithm:
    blocks = {(isa, k): (by,) for isa, by in CODEC_BLOCKS.items() for k in CODEC_INPUTS[outputs]}
    inputs = dict.fromkeys(CODEC_BLOCKS, CODEC_INPUTS[outputs])
    name = f"codec{outputs}"
    return Algorithm(
        name,
        name,
        "codec",
        (Form(name, "streams/codec.j2", inputs, (1,), blocks, (), paired=False, objects=0),),
        {"word": 64, "outputs": outputs},
        block_bytes=16,
        key_bytes=outputs,
    )


def _modular(
    name: str,
    suite: str,
    template: str,
    meaning: Arithmetic,
    fields: Fields,
    **parameters: str,
) -> Algorithm:
    forms = [
        Form(
            f"{name}{radix}",
            template,
            lanes,
            (1,),
            parameters={"field": f"streams/{text}.j2"},
            paired=False,
            alone=radix != "64" or parameters.get("operation") not in SEVERAL_LANES,
            object_isas=("sse", "scalar", "avx512"),
        )
        for radix, (text, lanes) in fields.items()
    ]
    return Algorithm(
        name,
        suite,
        "arithmetic",
        tuple(forms),
        {"word": 64, **parameters},
        bytes=16,
        block_bytes=16,
        word_bytes=8,
        key_bytes=32,
        arithmetic=meaning,
    )


def _points(suite: str, template: str, operations: Mapping[str, Arithmetic], fields: Fields) -> tuple[Algorithm, ...]:
    def fields_of(operation: str) -> Fields:
        in_vectors = operation in SEVERAL_LANES and suite in NUMBERS_ALONE
        fits = {"64"} if operation in SINGLE_LANE else fields.keys() - ({"64"} if in_vectors else set())
        return {radix: field for radix, field in fields.items() if radix in fits}

    text = f"streams/{template}.j2"
    return tuple(
        _modular(f"{suite}_{name}", suite, text, meaning, fields_of(name), operation=name)
        for name, meaning in operations.items()
    )


def _montgomery(name: str, meaning: Montgomery) -> Algorithm:
    form = Form(name, "streams/montgomery.j2", {"avx512": (8,)}, (1,), paired=False, objects=0)
    return Algorithm(
        name,
        "montgomery",
        "arithmetic",
        (form,),
        {"word": 64, "limbs": meaning.limbs, "operation": meaning.operation},
        bytes=16,
        block_bytes=16,
        word_bytes=8,
        key_bytes=32,
        arithmetic=meaning,
    )


SHA1 = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)
SHA256 = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
SHA512 = (
    0x6A09E667F3BCC908,
    0xBB67AE8584CAA73B,
    0x3C6EF372FE94F82B,
    0xA54FF53A5F1D36F1,
    0x510E527FADE682D1,
    0x9B05688C2B3E6C1F,
    0x1F83D9ABFB41BD6B,
    0x5BE0CD19137E2179,
)

ALGORITHMS: tuple[Algorithm, ...] = (
    _hash("sha1", SHA1, 20, ni=sha1_schedule),
    _hash("sha256", SHA256, 32, ni=sha256_schedule),
    _hash("md5", (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476), 16, big_endian=False, groups=(1, 2, 3, 4)),
    _hash(
        "sha224",
        (0xC1059ED8, 0x367CD507, 0x3070DD17, 0xF70E5939, 0xFFC00B31, 0x68581511, 0x64F98FA7, 0xBEFA4FA4),
        28,
        base="sha256",
    ),
    _hash("sha512", SHA512, 64, word_bytes=8, simd=True, grouped=("avx512",)),
    _hash(
        "sha384",
        (
            0xCBBB9D5DC1059ED8,
            0x629A292A367CD507,
            0x9159015A3070DD17,
            0x152FECD8F70E5939,
            0x67332667FFC00B31,
            0x8EB44A8768581511,
            0xDB0C2E0D64F98FA7,
            0x47B5481DBEFA4FA4,
        ),
        48,
        word_bytes=8,
        base="sha512",
    ),
    _hash(
        "sha512_256",
        (
            0x22312194FC2BF72C,
            0x9F555FA3C84C64C2,
            0x2393B86B6F53B151,
            0x963877195940EABD,
            0x96283EE2A88EFFE3,
            0xBE5E1E2553863992,
            0x2B0199FC2C85B8AA,
            0x0EB72DDC81C52CA2,
        ),
        32,
        word_bytes=8,
        base="sha512",
    ),
    _hash(
        "sm3",
        (0x7380166F, 0x4914B2B9, 0x172442D7, 0xDA8A0600, 0xA96F30BC, 0x163138AA, 0xE38DEE4D, 0xB0FB0E4E),
        32,
        grouped=("avx512",),
        object_isas=("sse",),  # the others are 43 KB
    ),
    _keccak("sha3_256", 512, 0x06, 32, form=True),
    _keccak("sha3_224", 448, 0x06, 28),
    _keccak("sha3_384", 768, 0x06, 48),
    _keccak("sha3_512", 1024, 0x06, 64),
    _keccak("shake128", 256, 0x1F, 32),
    _keccak("shake256", 512, 0x1F, 64),
    _blake2("blake2b", SHA512, 8),
    _blake2("blake2s", SHA256, 4),
    _blake3(SHA256),
    _multi_hash("sha1", SHA1),
    _multi_hash("sha256", SHA256),
    _murmur3(),
    *_points("p256", "p256", P256_POINTS, FIELDS_P256),
    _modular("x25519_ladder", "x25519", "streams/x25519_ladder.j2", X25519_LADDER, FIELDS_25519),
    *_points("ed25519", "edwards25519", ED25519, FIELDS_25519),
    Algorithm(
        "chacha20",
        "chacha20",
        "chacha",
        (Form("chacha20", "streams/chacha20.j2", CHACHA_BUFFERS, (1,), CHACHA_BLOCKS),),
        {"word": 32},
        bytes=64,
        key_bytes=32,
        iv_bytes=16,
    ),
    Algorithm(
        "poly1305",
        "poly1305",
        "poly1305",
        (
            Form("poly1305", "streams/poly1305.j2", POLY_BUFFERS, (1,), POLY_BLOCKS),
            Form("poly1305_word", "streams/poly1305_word.j2", POLY_WORD_BUFFERS, (1,), POLY_WORD_BLOCKS),
            Form("poly1305_serial", "streams/poly1305_serial.j2", POLY_WORD_BUFFERS, (1,), paired=False),
            Form("poly1305_abreast", "streams/poly1305_abreast.j2", POLY_ABREAST, (1,)),
        ),
        {"word": 64},
        bytes=16,
        block_bytes=16,
        key_bytes=16,
        digest_bytes=16,
    ),
    *_aes_cbc(128),
    *_aes_cbc(192),
    *_aes_cbc(256),
    _aes_ctr(128),
    _aes_ctr(192),
    _aes_ctr(256),
    _ghash(),
    *_aes_gcm(128),
    *_aes_gcm(192),
    *_aes_gcm(256),
    *_chacha_poly(),
    *_aes_independent("xts", 128),
    *_aes_independent("xts", 256),
    *_aes_independent("ecb", 128),
    *_aes_independent("ecb", 192),
    *_aes_independent("ecb", 256),
    _cbc_mac(128),
    _cbc_mac(256),
    _rc4(),
    *_des_cbc("des_ede3", "des-ede3-cbc", 24, 48),
    _checksum("crc32c", form="crc_reflected", words=(_crc32c_words(),)),
    _checksum("crc32", base="crc32c"),
    _checksum("crc64-nvme", base="crc32c"),
    _checksum("crc64-xz", base="crc32c"),
    _checksum("crc32-bzip2", form="crc_normal"),
    _checksum("crc16-t10-dif", base="crc32_bzip2"),
    _adler32(),
    _codec(2),
    _codec(4),
    *(_montgomery(name, meaning) for name, meaning in MONTGOMERY.items()),
)

# Kinds whose groups make kernels of their own; those of others are for pairs.
GROUPED_KINDS = {"hash", "rc4"}
# Kinds of which no kernel is shipped as an object: 200 KB for legacy suites.
NEVER_STATIC = {"des_enc", "des_dec"}
# Ciphers' keys of other lengths are rare: of them only kernels of one lane are shipped as objects.
STATIC_KEY_BYTES = {0, 8, 16, 32}
# Kinds whose lanes have a form for one key too.
SHARED_KEYS = {"cipher_enc", "xts_enc", "xts_dec", "ecb_enc", "ecb_dec"}
# Kinds that make pairs: the first writes, the second reads what the first wrote; and with which lanes. Eight lanes of a
# counter and GHASH gain 16 %, but serve short messages, of which a pair would leave a part to each.
PAIRED_KINDS = {("counter", "ghash"): (1,), ("chacha", "poly1305"): (1,)}
# Where the second can be in general registers: the blocks of both, by the first's instruction set.
BESIDE_VECTORS = {"sse": 16, "avx2": 32, "avx512": 64}
# Pairs of forms of other kinds, one by one: those of TLS_RSA_WITH_RC4_128_MD5 and _SHA (RFC 5246, A.5). SHA-1 in
# general registers beside RC4 does not beat the two one after the other. Those of ESP with 3DES (RFC 2451, 2403, 2404).
PAIRED_FORMS = {
    ("rc4_vartime", "md5"),
    ("rc4_vartime", "sha1_ni"),
    ("des_ede3_cbc_enc", "md5"),
    ("des_ede3_cbc_enc", "sha1"),
}
# Pairs of other kinds are chosen one by one: (the kind that writes, the form that reads, the instruction set of both,
# lanes). A counter waits for nothing, so that only what the other leaves idle can be won: 2 to 3 % for one buffer, with
# CBC-MAC 1 to 6 %. With the hand-over, 16 lanes of it beside SHA-1 and SHA-256 lost 6 and 2 % to the two one after the
# other on Zen 4. CBC with CBC-MAC wins 97 % for one buffer and 31 % for 8; its 16 lanes lose on Zen 4, where loads
# bind, and are for cores with SIMD latency to fill (Zen 5, by its bounds). A cipher and CBC-MAC are of one block
# cipher; none is shipped as an object.
CHOSEN_KINDS = (
    ("counter", "sha1_ni", "sse", 1),
    ("counter", "sha256_ni", "sse", 1),
    ("counter", "aes128_cbc_mac", "sse", 1),
    ("counter", "aes256_cbc_mac", "sse", 1),
    ("cipher_enc", "aes128_cbc_mac", "sse", 1),
    ("cipher_enc", "aes128_cbc_mac", "avx2", 8),
    ("cipher_enc", "aes128_cbc_mac", "avx512", 16),
)
# Pairs of two hashes of the same bytes, chosen one by one: (form and instruction set of the first, of the second,
# lanes). None is shipped as an object. On Zen 4 they take 31 % less time than the two one after the other for one
# buffer, 12 to 15 % for more. 16 lanes of SHA-1 beside SHA-256 win 4 %: vector units bind both.
BOTH = (
    ("md5", "scalar", "sha256_ni", "sse", 1),
    ("md5", "sse", "sha256_ni", "sse", 4),
    ("md5", "avx2", "sha256", "avx2", 8),
    ("md5", "avx512", "sha256", "avx512", 16),
    ("sha1_ni", "sse", "sha256_ni", "sse", 1),
    ("sha1_ni", "sse", "sha256_ni", "sse", 2),
    ("sha1_segments", "avx2", "murmur3", "scalar", 1),
    ("sha1_segments", "avx512", "murmur3", "scalar", 1),
)
# Whole texts of a cipher and a checksum of what the cipher reads or writes: (form of the cipher, of the checksum,
# instruction set of both, blocks). On Zen 4 the crc32 instruction takes units that AES leaves idle.
CHECKED = tuple(
    (f"aes{bits}_xts_{way}_whole", "crc32c_words", "avx512", 16) for bits in (128, 256) for way in ("enc", "dec")
)
# A pair is a cipher and a hash that can share a loop: same lanes, and instruction sets that mix without a penalty.
PAIRED_ISAS = {("sse", "sse"), ("sse", "scalar"), ("avx2", "avx2"), ("avx512", "avx512")}
# Instruction sets whose ciphers can leave their blocks in the form that the hash's transposition starts from (four
# vectors per block).
HAND_OVER = {("avx2", 4), ("avx2", 8), ("avx512", 8), ("avx512", 16)}
# Hashes whose pairs are chosen one by one, because their kernels are large: (the hash's instruction set, lanes, with
# the hand-over). Own keys serve lanes of one key as well (they lose less than 1 %); none is shipped as an object. What
# is missing does not beat the two one after the other, or its loop is larger than the instruction cache.
CHOSEN_PAIRS = {
    "sha512": {("avx512", 8, True), ("avx512", 8, False), ("avx2", 4, False), ("scalar", 1, False)},
    "sha512_simd": set(),
    "sm3": {("avx512", 16, True), ("avx2", 8, True), ("scalar", 1, False)},
}
# Pairs with a decryption, (hash form, instruction set, lanes, with the hand-over): those that beat the two one after
# the other by 5 % and more, and SHA-256 on 16 lanes (4 %). They are few because decryption waits for nothing: only what
# the hash leaves idle can be won. Own keys serve lanes of one key as well; none is shipped as an object.
OPENING = {
    ("sha1_ni", "sse", 1, False),
    ("sha1_ni", "sse", 2, False),
    ("sha256_ni", "sse", 1, False),
    ("sha256", "avx512", 16, True),
}
# Windows for passes/order.py, (alone, in pairs), of a form on an instruction set, or of some of its lanes; where there
# is none, the text's order is as good. As measured on Zen 4: a third for ChaCha20 beside Poly1305, 18 % for four chains
# of SHA-256 beside AES, 8 % for two of SHA-1, 2 to 5 % for SM3 and for 8 lanes of 3DES, 1 to 3 % for the rest (SHA-512
# on SSE: 2 %).
ORDERS: dict[tuple, tuple[int, int]] = {
    ("sha1", "avx512"): (32, 0),
    ("sha256", "avx512"): (32, 0),
    ("sha1_segments", "avx512"): (32, 0),
    ("sha256_segments", "avx512"): (32, 0),
    ("sm3", "avx512"): (48, 48),
    ("sha1_ni", "sse", 2): (24, 0),
    ("sha256_ni", "sse", 2): (12, 0),
    ("sha256_ni", "sse", 4): (0, 12),
    ("sha512", "sse"): (32, 0),
    ("des_ede3_cbc_enc", "avx512", 8): (96, 0),
    ("x25519_ladder52", "avx512"): (64, 0),
    ("ed25519_double52", "avx512"): (32, 32),
    **{(f"p256_{name}52", "avx512"): (64, 0) for name in ("double", "add_common")},
    **{(f"p256_{name}52", "avx512"): (128, 0) for name in ("add", "add_own")},
    ("ed25519_add52", "avx512"): (0, 32),
    **{(f"chacha_poly_{way}", isa): (64, 0) for way in ("enc", "dec") for isa in ("avx2", "avx512")},
    **{(f"aes{bits}_xts_{way}_whole", "avx512"): (8, 8) for bits in (128, 256) for way in ("enc", "dec")},
    ("crc32c_words", "avx512"): (24, 24),
}
# Forms whose bodies stand undivided among those of others: while AES's rounds wait in the queue of the vector units, a
# few instructions of general registers between them take places that the next rounds want. On Zen 4 an iteration of XTS
# with a checksum takes 70 cycles so, and 76 evenly spread.
SEQUENTIAL = {"crc32c_words"}
# Groups of a pair, at most. Without the hand-over a second group only adds loads, which bind already.
PAIR_GROUPS = 2
# With the hand-over, or reading what the cipher writes, the hash runs one iteration behind; reading what it reads, it
# has no lag.
PAIR_LAG = 1
# Shipped as objects too, for programs that may not assemble at run time: all single streams, of one group (no suite
# needs more), and of the pairs with an encryption the ones that pay most of what they take: what is chosen for 1 job,
# and for 16 and 64, on each instruction set by Zen 4's costs, but for SHA-1 on AVX2: what has VAES has SHA-NI. (The
# hash's form, its instruction set, lanes, with the hand-over.) They serve own keys, and lanes of one key as well.
STATIC_PAIRS = {
    ("sha1_ni", "sse", 1, False),
    ("sha1_ni", "sse", 4, False),
    ("sha256_ni", "sse", 1, False),
    ("sha256_ni", "sse", 4, False),
    ("sha1", "avx512", 16, True),
    ("sha256", "avx512", 16, True),
}
