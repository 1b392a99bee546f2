"""Hashes that are a tree of one level over a sponge: KT128 and KT256 (RFC 9861, 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Tree:
    """How a sponge hashes long messages in leaves. The text is the message, then ``behind``. A text of at most
    ``leaf_bytes`` is hashed as the sponge hashes it. A longer one is cut into leaves, of which each but the first is
    hashed to ``digest_bytes``, with ``leaf_domain`` in the place of the row's `domain`. The digest is that of the node,
    which has ``node_domain``: the first leaf, ``marker``, the digests in order, their number (`length_encode`),
    ``end``."""

    leaf_bytes: int
    digest_bytes: int
    leaf_domain: int
    node_domain: int
    behind: bytes = b""
    marker: bytes = b""
    end: bytes = b""

    def __post_init__(self) -> None:
        """The limits of a pack's record (runtime/code/pack.hpp)."""
        if not 1 <= self.leaf_bytes <= 1 << 20 or not 1 <= self.digest_bytes <= 64:
            raise ValueError("a tree has leaves of at most 1 MiB, with digests of at most 64 bytes")
        if len(self.behind) > 1 << 16 or max(len(self.marker), len(self.end)) > 8:
            raise ValueError("a tree has at most 64 KiB behind the message, and 8 bytes as marker and as end")

    def digest(self, text: bytes, domain: int, sponge: Callable[[bytes, int, int], bytes], output: int) -> bytes:
        """``output`` bytes of the digest, in plain Python. ``sponge(text, domain, output)`` is the sponge; ``domain``
        is the row's."""
        text += self.behind
        if len(text) <= self.leaf_bytes:
            return sponge(text, domain, output)
        first, *leaves = [text[at : at + self.leaf_bytes] for at in range(0, len(text), self.leaf_bytes)]
        digests = b"".join(sponge(leaf, self.leaf_domain, self.digest_bytes) for leaf in leaves)
        node = first + self.marker + digests + length_encode(len(leaves)) + self.end
        return sponge(node, self.node_domain, output)


def length_encode(number: int) -> bytes:
    """RFC 9861, 3.3: the number, big-endian without leading zeros, and how many bytes that are."""
    encoded = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return encoded + bytes([len(encoded)])
