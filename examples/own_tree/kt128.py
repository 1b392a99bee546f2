"""kt128.py PACK FILE...: KT128 (KangarooTwelve, RFC 9861, 3) of files. The leaves of all of them are hashed by one
call, side by side in lanes."""

import sys
from collections.abc import Sequence
from pathlib import Path

from cryptostitch import Context, hash_many
from cryptostitch.binding.runtime import ALLOW_PACKS

LEAF = 8192


def length_encode(number: int) -> bytes:
    """RFC 9861, 3.3: big-endian without leading zeros, and how many bytes that are."""
    encoded = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return encoded + bytes([len(encoded)])


def kt128_many(
    messages: Sequence[bytes], customization: bytes = b"", length: int = 32, *, context: Context
) -> list[bytes]:
    """RFC 9861, 3.2. ``context``: one that has loaded the pack of this folder."""
    texts = [message + customization + length_encode(len(customization)) for message in messages]
    leaves = [memoryview(text)[at : at + LEAF] for text in texts for at in range(LEAF, len(text), LEAF)]
    values = iter(hash_many("kt128-leaf", leaves, context=context))
    short, long = {}, {}
    for i, text in enumerate(texts):
        if n := -(-len(text) // LEAF) - 1:
            inner = b"".join(next(values) for _ in range(n))
            long[i] = text[:LEAF] + b"\x03" + bytes(7) + inner + length_encode(n) + b"\xff\xff"
        else:
            short[i] = text
    found = {}
    for suite, some in (("kt128-one", short), ("kt128-node", long)):
        found |= dict(zip(some, hash_many(suite, list(some.values()), length, context=context)))
    return [found[i] for i in range(len(messages))]


def main(pack: str, *names: str) -> None:
    context = Context(ALLOW_PACKS)
    context.load_pack(Path(pack).read_bytes())
    for name, digest in zip(names, kt128_many([Path(name).read_bytes() for name in names], context=context)):
        print(f"{digest.hex()}  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
