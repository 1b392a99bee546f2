"""gcm.py PACK KERNEL KEY IV FILE: GCM (SP 800-38D, 7.1) with ARIA-128, by a raw kernel that enciphers and hashes in one
loop; ciphertext and tag to standard output. KEY: 32 hexadecimal digits, IV: 24.

The kernel takes whole strides of the text. What the library would do around it is here in plain Python: the hash key,
the text's end, the lengths, the tag's mask.
"""

import ctypes
import sys
from pathlib import Path

from algorithms import enciphered, exclusive_or, round_keys
from cryptostitch import Context
from cryptostitch.binding.runtime import ALLOW_PACKS, RawKernel
from cryptostitch.ladder.ghash import ghash, power_rows
from raw_state import State

FEWEST = 2  # iterations of a kernel whose second part runs one behind the first


def filled(data: bytes) -> bytes:
    return data + bytes(-len(data) % 16)


def next_counter(block: bytes, n: int) -> bytes:
    return block[:12] + ((int.from_bytes(block[12:], "big") + n) % 2**32).to_bytes(4, "big")


def sealed(kernel: RawKernel, key: bytes, iv: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes]:
    """(ciphertext, tag) under an IV of 12 bytes. ``kernel``: ARIA's counter mode and GHASH."""
    keys = round_keys(key)
    hash_key, first = enciphered(keys, bytes(16)), iv + b"\0\0\0\1"
    hashed, counter = ghash(hash_key, bytes(16), filled(aad)), next_counter(first, 1)
    cipher, mac = State(kernel, 0), State(kernel, 1)
    iterations = len(text) // cipher.stream.bytes
    out = b""
    if iterations >= FEWEST:
        size = iterations * cipher.stream.bytes
        source, target = ctypes.create_string_buffer(text[:size], size), ctypes.create_string_buffer(size)
        cipher.point("in", source)
        cipher.point("out", target)
        mac.point("in", target)
        cipher.put("chain", counter)
        mac.put("chain", hashed)
        cipher.put_rows("key", keys)
        mac.put_rows("key", power_rows(hash_key, mac.stream.field("key").rows))
        kernel.run(iterations, [cipher.address, mac.address])
        out, hashed, counter = target.raw, mac.get("chain"), cipher.get("chain")
        cipher.wipe()
        mac.wipe()
    end = b""
    for at in range(len(out), len(text), 16):
        end += exclusive_or(text[at : at + 16], enciphered(keys, next_counter(counter, len(end) // 16)))
    lengths = (8 * len(aad)).to_bytes(8, "big") + (8 * len(text)).to_bytes(8, "big")
    return out + end, exclusive_or(ghash(hash_key, hashed, filled(end) + lengths), enciphered(keys, first))


def main(pack: str, kernel: str, key: str, iv: str, file: str) -> None:
    context = Context(ALLOW_PACKS)
    context.load_pack(Path(pack).read_bytes())
    text = Path(file).read_bytes()
    sys.stdout.buffer.write(b"".join(sealed(context.kernel(kernel), bytes.fromhex(key), bytes.fromhex(iv), b"", text)))


if __name__ == "__main__":
    main(*sys.argv[1:])
