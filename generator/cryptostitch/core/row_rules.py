"""The rules that the record of every row of the catalogue must meet. The library checks packs that an application loads
by this table (runtime/code/pack.cpp), and the generator checks each row by it when the row is made.

A condition is text that Python and C++ read alike: names are members of AlgorithmRecord (runtime/code/pack.hpp),
comparisons are not chained, bits stand in parentheses.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from types import CodeType, SimpleNamespace
from typing import Any

from .kinds import KINDS, STEPS
from .program import FLAGS, Algorithm

MODES = frozenset(
    KINDS[f"{mode}_{way}"].number for mode in ("cipher", "xts", "ecb", "gcm") for way in ("enc", "dec")
) | {KINDS["counter"].number, KINDS["cbc_mac"].number}
"""The kinds that are modes of a block cipher of 16-byte blocks."""
_CHACHA_POLY = frozenset(KINDS[f"chacha_poly_{way}"].number for way in ("enc", "dec"))
_WITH_WORDS = frozenset(KINDS[name].number for name in ("hash", "duplex", *STEPS))
STEP_KINDS = frozenset(KINDS[name].number for name in STEPS)
PADDINGS = {"length": 0, "counted": 1, "sponge": 2, "tree": 3, "segments": 4, "rest": 5, "low_length": 6}
"""How a hash ends a message (catalog.py), by the number in the pack's record."""
FRAMED = frozenset(("counted", "sponge", "low_length"))
"""The paddings of hashes whose kernels read padded blocks."""
_FRAMED = frozenset(PADDINGS[name] for name in FRAMED)
SEGMENTS, MOST_WORDS, MOST_STATE, MOST_FRAME = 16, 25, 128, 256
"""Segments of a multi-hash; words of a chaining value; bytes of one that has a step at a message's beginning or end;
bytes of a padded block."""
NUMBERS = {
    **{f"ALGORITHM_{name.upper()}": kind.number for name, kind in KINDS.items()},
    **{f"PADDING_{name.upper()}": number for name, number in PADDINGS.items()},
    **{f"ALGORITHM_{name.upper()}": bit for name, bit in FLAGS.items()},
    **{"SEGMENTS": SEGMENTS, "MOST_WORDS": MOST_WORDS, "MOST_STATE": MOST_STATE, "MOST_FRAME": MOST_FRAME},
    **{"MOST_LEAF_BYTES": 1 << 20, "MOST_LEAF_DIGEST": 64, "MOST_BEHIND": 1 << 16, "MOST_LEAF_MARK": 8},
    **{"MOST_DIGEST": 64, "MOST_ROUND_KEYS": 24},
}


@dataclass(frozen=True)
class Rule:
    """A rule for records: wherever the condition ``of`` is true, the condition ``holds`` must be true. ``says`` states
    the rule in words, for error messages."""

    of: str
    holds: str
    says: str


ALL, HASH = "true", "kind == ALGORITHM_HASH"
CHECKSUM = "kind == ALGORITHM_CHECKSUM"
KEYED = "kind != ALGORITHM_HASH and kind != ALGORITHM_CHECKSUM"
TREE = "kind == ALGORITHM_HASH and has_leaves()"
STEP, KEYED_HASH, DUPLEX = "is_step()", "keyed_hash()", "kind == ALGORITHM_DUPLEX"
OWN_CIPHER = "(is_mode() or kind == ALGORITHM_SCHEDULE) and not is_aes()"
"""A mode of a cipher whose key schedule is a kernel too."""
DES, RC4, CHACHA = "is_des()", "kind == ALGORITHM_RC4", "kind == ALGORITHM_CHACHA"
IVS = {
    16: (
        *("cipher_enc", "cipher_dec", "counter", "xts_enc", "xts_dec", "gcm_enc", "gcm_dec"),
        *("chacha", "chacha_poly_enc", "chacha_poly_dec"),
    ),
    8: ("des_enc", "des_dec"),
    0: ("ecb_enc", "ecb_dec", "cbc_mac", "ghash", "poly1305", "rc4", "checksum", "codec", "schedule", "arithmetic"),
}
"""Bytes that suites read where the IV of a kind lies, of those that have no length of IVs of their own."""


def _kinds(*names: str) -> str:
    return " or ".join(f"kind == ALGORITHM_{name.upper()}" for name in names)


def _padded(padding: str) -> str:
    return f"{HASH} and padding == PADDING_{padding.upper()}"


def _flags(*names: str) -> str:
    return "(flags & (" + " | ".join(f"ALGORITHM_{name}" for name in names) + "))"


LENGTH, COUNTED, SPONGE = _padded("length"), _padded("counted"), _padded("sponge")
CHUNKS, MULTI, REST, LOW_LENGTH = _padded("tree"), _padded("segments"), _padded("rest"), _padded("low_length")
NOT_SPONGE = f"{HASH} and padding != PADDING_SPONGE"
HMAC_SPONGE = f"{SPONGE} and {_flags('HMAC')} != 0"

RULES = (
    Rule(ALL, "block_bytes >= 1", "block_bytes is at least 1"),
    Rule("padding != PADDING_SEGMENTS", "block_bytes <= 256", "block_bytes is at most 256"),
    Rule("padding == PADDING_SEGMENTS", "block_bytes <= 64 * SEGMENTS", "block_bytes is at most 1024"),
    Rule(ALL, "key_bytes <= 64 and iv_bytes <= 64 and rounds <= 64", "key_bytes, iv_bytes and rounds are at most 64"),
    Rule(ALL, "words <= MOST_WORDS", "a chaining value has at most 25 words"),
    Rule(KEYED, "base == 0", "only a hash or a checksum has a base"),
    Rule(CHECKSUM, "rounds >= 8", "rounds of a checksum, the bits of its polynomial, are at least 8"),
    Rule(CHECKSUM, "key_bytes == 0", "a checksum has no key_bytes"),
    Rule(f"{KEYED} and (is_mode() or kind == ALGORITHM_SCHEDULE)", "rounds != 0", "a block cipher has rounds"),
    Rule(KEYED, "key_bytes != 0", "it has key_bytes"),
    *(
        Rule(_kinds(*names), f"iv_bytes == {size}", f"iv_bytes of {', '.join(names)} is {size}")
        for size, names in IVS.items()
    ),
    Rule(f"{KEYED} and not has_words() and not ({CHACHA})", "block_bytes == 16", "block_bytes of this kind is 16"),
    Rule(CHACHA, "block_bytes == 64", "block_bytes of ChaCha20 is 64"),
    Rule(f"{CHACHA} or is_chacha_poly()", "key_bytes == 32", "key_bytes of ChaCha20 is 32"),
    Rule(
        "is_aes()",
        "(key_bytes == 16 or key_bytes == 24 or key_bytes == 32) and 4 * rounds == 24 + key_bytes",
        "AES has keys of 16, 24 or 32 bytes, and 10, 12 or 14 rounds",
    ),
    Rule(OWN_CIPHER, "rounds < MOST_ROUND_KEYS", "a cipher of one's own has less than 24 rounds"),
    Rule(
        DES,
        "(key_bytes == 8 or key_bytes == 24) and rounds == 2 * key_bytes",
        "DES has keys of 8 or 24 bytes, and 16 rounds for each 8",
    ),
    Rule(_kinds("ghash", "poly1305", "cbc_mac"), "digest_bytes == 16", "digest_bytes of this MAC is 16"),
    Rule(
        CHECKSUM, "block_bytes == 16 and (words == 3 or words == 4)", "a checksum has blocks of 16 bytes, 3 or 4 words"
    ),
    Rule(
        CHECKSUM,
        "8 * digest_bytes >= rounds and 8 * digest_bytes < rounds + 8",
        "digest_bytes of a checksum is its bits (rounds) in whole bytes",
    ),
    Rule(
        CHECKSUM,
        "has_bits(initial[0], rounds) and has_bits(initial[1], rounds) and has_bits(initial[2], rounds)",
        "polynomial, first value and last value of a checksum have no more bits than it",
    ),
    Rule(f"{CHECKSUM} and words == 3", "(initial[0] & 1) == 1", "the polynomial of a checksum is odd"),
    Rule(
        f"{CHECKSUM} and words == 4",
        f"rounds == 32 and initial[3] != 0 and has_bits(initial[3], 16) and {_flags('BIG_ENDIAN')} != 0",
        "sums have 32 bits, a modulus of at most 16, and are big-endian",
    ),
    Rule(HASH, "padding <= PADDING_LOW_LENGTH", "there is no such padding"),
    Rule(HASH, "words >= 1", "the chaining value of a hash has words"),
    Rule(HASH, "word_bytes == 4 or word_bytes == 8", "word_bytes of a hash is 4 or 8"),
    Rule(HASH, "digest_bytes >= 1", "a hash has digest_bytes"),
    Rule(NOT_SPONGE, "digest_bytes <= chain_bytes()", "the digest is longer than the chaining value"),
    Rule(NOT_SPONGE, "last == 0 and squeeze_bytes == 0", "only a sponge has last and squeeze_bytes"),
    Rule(NOT_SPONGE, "not has_leaves()", "only a sponge has a tree"),
    Rule(TREE, f"{_flags('HMAC')} == 0", "a hash with a tree has hmac=False"),
    Rule(TREE, "leaves.leaf_bytes >= block_bytes", "a leaf is shorter than a block"),
    Rule(TREE, "leaves.leaf_bytes <= MOST_LEAF_BYTES", "a leaf has at most 1 MiB"),
    Rule(
        TREE,
        "leaves.digest_bytes >= 1 and leaves.digest_bytes <= MOST_LEAF_DIGEST",
        "the digest of a leaf has 1 to 64 bytes",
    ),
    *(
        Rule(
            TREE,
            f"leaves.{name} >= 1 and leaves.{name} <= 255 and (leaves.{name} & last) == 0",
            f"{name} is 1 to 255, without the bits of last",
        )
        for name in ("leaf_domain", "node_domain")
    ),
    Rule(
        TREE,
        "leaves.behind.size <= MOST_BEHIND and leaves.marker.size <= MOST_LEAF_MARK and "
        "leaves.end.size <= MOST_LEAF_MARK",
        "a tree has at most 64 KiB behind the message, and 8 bytes as marker and as end",
    ),
    Rule(LENGTH, "words <= 8", "the chaining value of a hash that pads with a length has at most 8 words"),
    Rule(LENGTH, "length_bytes == 8 or length_bytes == 16", "length_bytes is 8 or 16"),
    Rule(LENGTH, "block_bytes == 64 or block_bytes == 128", "block_bytes is 64 or 128 where a hash pads with a length"),
    Rule(
        LENGTH,
        "digest_bytes + 1 + length_bytes <= block_bytes",
        "a block holds a digest, a byte of padding and the length",
    ),
    Rule(LENGTH, "input_bytes == block_bytes", "bytes and block_bytes are the same where a hash pads with a length"),
    Rule(LENGTH, f"{_flags('EXTENDABLE')} == 0", "a hash that pads with a length is not extendable"),
    Rule(
        f"({COUNTED}) or ({SPONGE}) or ({LOW_LENGTH})",
        "power_of_two(input_bytes)",
        "bytes of a hash that frames blocks is a power of two",
    ),
    Rule("framed()", "digest_bytes <= MOST_DIGEST", "a digest has at most 64 bytes"),
    Rule("framed()", "input_bytes <= MOST_FRAME", "bytes of a hash that frames blocks is at most 256"),
    Rule(
        "framed() and padding != PADDING_SPONGE",
        "block_bytes + chain_bytes() <= 8 * MOST_WORDS",
        "block and chaining value of a hash that frames blocks have at most 200 bytes together",
    ),
    Rule(
        COUNTED,
        "block_bytes + 3 * word_bytes <= input_bytes",
        "bytes holds a block and three words where blocks are counted",
    ),
    Rule(
        COUNTED,
        f"{_flags('EXTENDABLE', 'BIG_ENDIAN', 'HMAC')} == 0",
        "a hash whose blocks are counted is little-endian, not extendable, and has hmac=False",
    ),
    Rule(
        LOW_LENGTH,
        "block_bytes <= input_bytes and block_bytes <= 256",
        "bytes holds a block whose last byte is the length, and a block has at most 256 bytes",
    ),
    Rule(
        LOW_LENGTH,
        f"{_flags('EXTENDABLE', 'BIG_ENDIAN', 'HMAC')} == 0",
        "a hash whose last byte is the length is little-endian, not extendable, and has hmac=False",
    ),
    Rule(KEYED_HASH, "framed()", "a hash with a key has one of the paddings counted, sponge and low_length"),
    Rule(
        KEYED_HASH,
        f"{_flags('EXTENDABLE', 'HMAC', 'LEAVES')} == 0",
        "a hash with a key is not extendable, and has hmac=False and no tree",
    ),
    Rule(
        KEYED_HASH,
        "padding != PADDING_SPONGE or digest_bytes <= squeeze_bytes",
        "the digest of a sponge with a key is at most what it outputs at once (squeeze_bytes)",
    ),
    Rule(KEYED_HASH, "chain_bytes() <= MOST_STATE", "the chaining value of a hash with a key has at most 128 bytes"),
    Rule(STEP, "words >= 1", "the chaining value of a step has words"),
    Rule(STEP, "word_bytes == 4 or word_bytes == 8", "word_bytes of a step is 4 or 8"),
    Rule(STEP, "chain_bytes() <= MOST_STATE", "the chaining value of a step has at most 128 bytes"),
    Rule(
        STEP,
        "power_of_two(input_bytes) and input_bytes <= MOST_FRAME",
        "bytes of a step is a power of two, at most 256",
    ),
    Rule(
        "kind == ALGORITHM_START",
        "whole_rows(key_bytes) + whole_rows(iv_bytes) <= input_bytes",
        "bytes of a start holds key and IV, each in rows of 16 bytes",
    ),
    Rule(
        "kind == ALGORITHM_FINISH",
        "whole_rows(key_bytes) + 16 <= input_bytes",
        "bytes of a finish holds the key, in rows of 16 bytes, and two lengths",
    ),
    Rule(DUPLEX, "words >= 1", "the state of a duplex has words"),
    Rule(DUPLEX, "word_bytes == 4 or word_bytes == 8", "word_bytes of a duplex is 4 or 8"),
    Rule(DUPLEX, "chain_bytes() <= MOST_STATE", "the state of a duplex has at most 128 bytes"),
    Rule(
        DUPLEX,
        "block_bytes % 16 == 0 and power_of_two(input_bytes) and input_bytes <= MOST_FRAME",
        "a block of a duplex is rows of 16 bytes, and bytes is a power of two, at most 256",
    ),
    Rule(
        DUPLEX,
        "2 * block_bytes + 16 <= input_bytes",
        "bytes of a duplex holds a block, its mask, and 16 bytes",
    ),
    Rule(
        DUPLEX,
        "digest_bytes >= 1 and digest_bytes <= chain_bytes() and digest_bytes <= 64",
        "digest_bytes of a duplex, the tag, is at most what its words have, and 64",
    ),
    Rule(DUPLEX, "domain <= 255 and iv_bytes != 0", "a duplex has iv_bytes, and domain is 0 to 255"),
    Rule(SPONGE, "block_bytes <= input_bytes", "bytes holds a block of the sponge"),
    Rule(SPONGE, "block_bytes < chain_bytes()", "a sponge has a capacity: block_bytes is less than its words have"),
    Rule(SPONGE, "domain >= 1 and domain <= 255 and last <= 255", "domain of a sponge is 1 to 255, last is 0 to 255"),
    Rule(SPONGE, "(domain & last) == 0", "domain and last of a sponge have no bit in common"),
    Rule(
        SPONGE,
        "squeeze_bytes >= 1 and squeeze_bytes <= chain_bytes()",
        "squeeze_bytes of a sponge is at most what its words have",
    ),
    Rule(SPONGE, f"{_flags('BIG_ENDIAN')} == 0", "a sponge is little-endian"),
    Rule(
        HMAC_SPONGE,
        "digest_bytes <= squeeze_bytes and digest_bytes <= block_bytes",
        "HMAC of a sponge wants a digest that is not longer than a block (else hmac=False)",
    ),
    Rule(
        CHUNKS,
        "words == 21 and word_bytes == 4 and digest_bytes <= 32 and block_bytes == 64 and input_bytes == 64",
        "a hash of chunks has blocks of 64 bytes, 21 words of 4 bytes, and a digest of at most 32 bytes",
    ),
    Rule(CHUNKS, "flags == ALGORITHM_EXTENDABLE", "a hash of chunks is extendable, little-endian, with hmac=False"),
    Rule(
        MULTI,
        "words <= 8 and word_bytes == 4 and length_bytes == 8 and block_bytes == 64 * SEGMENTS",
        "a multi-hash has blocks of 1024 bytes, a length of 8, and at most 8 words of 4 bytes",
    ),
    Rule(MULTI, "input_bytes == block_bytes", "bytes and block_bytes of a multi-hash are the same"),
    Rule(MULTI, "flags == ALGORITHM_BIG_ENDIAN", "a multi-hash is big-endian, not extendable, with hmac=False"),
    Rule(
        REST,
        "words == 2 and word_bytes == 8 and digest_bytes == 16 and block_bytes == 16 and input_bytes == 16",
        "a hash with a rest has blocks and digests of 16 bytes, and 2 words of 8",
    ),
    Rule(REST, "flags == 0", "a hash with a rest is little-endian, not extendable, with hmac=False"),
)
BASE_RULES = (
    Rule(ALL, "base.base == 0", "its base has no base"),
    Rule(ALL, "base.kind == kind", "its base is of the same kind"),
    Rule(ALL, "base.word_bytes == word_bytes and base.words == words", "its base has the same words and word_bytes"),
    Rule(ALL, "((base.flags ^ flags) & ALGORITHM_BIG_ENDIAN) == 0", "its base has the same order of bytes"),
    Rule(ALL, "base.length_bytes == length_bytes", "its base has the same length_bytes"),
    Rule(ALL, "base.padding == padding", "its base has the same padding"),
    Rule(ALL, "base.input_bytes == input_bytes", "its base has the same bytes"),
    Rule("not framed()", "base.block_bytes == block_bytes", "its base has the same block_bytes"),
)
"""The rules that a record and the record of its base must meet together."""


def broken_rule(record: Algorithm) -> str:
    """Says which rule the record breaks, the first; empty where it breaks none."""
    return _broken(RULES, _members(record))


def broken_base_rule(record: Algorithm, base: Algorithm) -> str:
    """Says which of BASE_RULES the record and its base break, the first; empty where they break none."""
    return _broken(BASE_RULES, {**_members(record), "base": SimpleNamespace(**_members(base))})


def _broken(rules: tuple[Rule, ...], members: dict[str, Any]) -> str:
    functions = {"power_of_two": _power_of_two, "whole_rows": _whole_rows, "has_bits": _has_bits}
    known = {**NUMBERS, **members, **functions, "true": True}
    return next((r.says for r in rules if eval(_code(r.of), {}, known) and not eval(_code(r.holds), {}, known)), "")


def _power_of_two(n: int) -> bool:
    return n > 0 and n & (n - 1) == 0


def _has_bits(n: int, bits: int) -> bool:
    """Whether a number of 64 bits has only the lowest so many of them."""
    return bits >= 64 or n >> bits == 0


def _whole_rows(n: int) -> int:
    """Returns a number of bytes, rounded up to rows of 16."""
    return (n + 15) // 16 * 16


@functools.cache
def _code(condition: str) -> CodeType:
    return compile(condition, condition, "eval")


def _members(record: Algorithm) -> dict[str, Any]:
    """The members of the record as C++ has them."""
    found = {each.name: getattr(record, each.name) for each in fields(record)}
    tree = record.tree
    leaves = {name: getattr(tree, name, 0) for name in ("leaf_bytes", "digest_bytes", "leaf_domain", "node_domain")}
    parts = {name: SimpleNamespace(size=len(getattr(tree, name, b""))) for name in ("behind", "marker", "end")}
    return {
        **found,
        "base": int(bool(record.base)),
        "flags": record.flags,
        "input_bytes": record.input_bytes or record.block_bytes,
        "leaves": SimpleNamespace(**leaves, **parts),
        "initial": (*record.initial, *(0,) * (MOST_WORDS - len(record.initial))),
        "chain_bytes": lambda: record.words * record.word_bytes,
        "has_leaves": lambda: tree is not None,
        "is_mode": lambda: record.kind in MODES,
        "is_aes": lambda: record.kind in MODES and record.block_cipher.startswith("aes-"),
        "is_des": lambda: record.kind in (KINDS["des_enc"].number, KINDS["des_dec"].number),
        "is_chacha_poly": lambda: record.kind in _CHACHA_POLY,
        "has_words": lambda: record.kind in _WITH_WORDS,
        "is_step": lambda: record.kind in STEP_KINDS,
        "keyed_hash": lambda: record.kind == KINDS["hash"].number and record.key_bytes != 0,
        "framed": lambda: record.kind == KINDS["hash"].number and record.padding in _FRAMED,
    }
