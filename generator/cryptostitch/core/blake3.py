"""BLAKE3 (J. O'Connor, J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, "BLAKE3: one function, fast everywhere", 2020)."""

from __future__ import annotations

import importlib
import struct

BLOCK, CHUNK = 64, 1024
CHUNK_START, CHUNK_END, PARENT, ROOT, KEYED_HASH, DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL = (1 << n for n in range(7))
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
ROUNDS = 7
MASK = (1 << 32) - 1


def _rotated(x: int, n: int) -> int:
    return (x >> n | x << 32 - n) & MASK


def compress(chain: tuple[int, ...], start: tuple[int, ...], block: bytes, tweak: tuple[int, ...]) -> tuple[int, ...]:
    """Section 2.2: 16 words, of which the first 8 are the next chaining value. ``start``: IV; ``tweak``: t (two words),
    the bytes of the block, flags."""
    v, m = [*chain, *start[:4], *tweak], list(struct.unpack("<16I", block.ljust(BLOCK, b"\0")))
    for _ in range(ROUNDS):
        for i in range(8):
            shift = i // 4
            a, b, c, d = (4 * n + (i + n * shift) % 4 for n in range(4))
            for word, right, left in ((m[2 * i], 16, 12), (m[2 * i + 1], 8, 7)):
                v[a] = v[a] + v[b] + word & MASK
                v[d] = _rotated(v[d] ^ v[a], right)
                v[c] = v[c] + v[d] & MASK
                v[b] = _rotated(v[b] ^ v[c], left)
        m = [m[i] for i in PERMUTATION]
    return (*(x ^ y for x, y in zip(v[:8], v[8:])), *(x ^ y for x, y in zip(v[8:], chain)))


def state_of(start: tuple[int, ...], blocks: bytes, first: int, others: int) -> bytes:
    """Returns the words that one call of a kernel leaves of whole blocks: the chaining value, what a compression takes
    besides, and its other output. Flags of the first block, and of the others."""
    words = start
    for at in range(0, len(blocks), BLOCK):
        words = compress(words[:8], start, blocks[at : at + BLOCK], (0, 0, BLOCK, others if at else first))
    return struct.pack("<21I", *words[:8], 0, 0, BLOCK, others, others, *words[8:])


def digest(
    start: tuple[int, ...], text: bytes, length: int = 32, key: tuple[int, ...] | None = None, mode: int = 0
) -> bytes:
    """Sections 2.3 to 2.6: the first ``length`` bytes of output. ``start``: IV; ``key``: the key words, if they are
    others; ``mode``: flags of all nodes."""
    words = key or start

    def chunk(number: int, data: bytes) -> tuple:
        """The last compression of a chunk, as `compress` takes it, without t."""
        chain = words
        for at in range(0, max(len(data), 1), BLOCK):
            block, last = data[at : at + BLOCK], at + BLOCK >= len(data)
            flags = mode | (CHUNK_START if not at else 0) | (CHUNK_END if last else 0)
            if last:
                return chain, block, flags
            chain = compress(chain, start, block, (number & MASK, number >> 32, len(block), flags))[:8]
        raise AssertionError("a chunk has a last block")

    def chained(node: tuple, number: int = 0) -> tuple[int, ...]:
        chain, block, flags = node
        return compress(chain, start, block, (number & MASK, number >> 32, len(block), flags))[:8]

    chunks = [text[at : at + CHUNK] for at in range(0, max(len(text), 1), CHUNK)]
    root = chunk(0, text)
    nodes = [chained(chunk(i, data), i) for i, data in enumerate(chunks)]
    while len(nodes) > 1:  # the largest power of two to the left: pairs from the left, and an odd one goes up
        pairs = [nodes[i : i + 2] for i in range(0, len(nodes), 2)]
        parents = [(words, struct.pack("<16I", *a, *b), mode | PARENT) for a, b in (p for p in pairs if len(p) == 2)]
        root = parents[0]
        nodes = [*map(chained, parents), *(pair[0] for pair in pairs if len(pair) == 1)]
    chain, block, flags = root
    outputs = [
        struct.pack("<16I", *compress(chain, start, block, (n & MASK, n >> 32, len(block), flags | ROOT)))
        for n in range(-(-length // BLOCK))
    ]
    return b"".join(outputs)[:length]


def keyed(start: tuple[int, ...], key: bytes, text: bytes, length: int = 32) -> bytes:
    """The keyed hash (2.3): ``key`` has 32 bytes."""
    return digest(start, text, length, struct.unpack("<8I", key), KEYED_HASH)


def derived(start: tuple[int, ...], context: bytes, material: bytes, length: int = 32) -> bytes:
    """A key that is derived from key material for a context (2.3)."""
    key = digest(start, context, mode=DERIVE_KEY_CONTEXT)
    return digest(start, material, length, struct.unpack("<8I", key), DERIVE_KEY_MATERIAL)


def quick_digest(start: tuple[int, ...], text: bytes) -> bytes:
    """Returns what `digest` returns for the words IV, a thousand times as fast where PyPI's `blake3` is installed."""
    try:
        return importlib.import_module("blake3").blake3(text).digest()
    except ImportError:
        return digest(start, text)


def quick_keyed(start: tuple[int, ...], key: bytes, text: bytes) -> bytes:
    """Computes `keyed` by the package blake3 where it is installed."""
    try:
        return importlib.import_module("blake3").blake3(text, key=key).digest()
    except ImportError:
        return keyed(start, key, text)


def quick_derived(start: tuple[int, ...], context: bytes, material: bytes) -> bytes:
    """Computes `derived` by the package blake3 where it is installed; it takes contexts in UTF-8."""
    try:
        return importlib.import_module("blake3").blake3(material, derive_key_context=context.decode()).digest()
    except (ImportError, UnicodeDecodeError):
        return derived(start, context, material)
