"""encipher.py PACK KERNEL KEY COUNTER FILE: ARIA-128 in counter mode, by a raw kernel of a pack, to standard output.
KEY and COUNTER are 32 hexadecimal digits; of the counter the last 32 bits count.

The caller of a raw kernel fills its state block: round keys, counter block, where the text is and where it goes.
"""

import ctypes
import sys
from pathlib import Path

from algorithms import round_keys
from cryptostitch import Context
from cryptostitch.binding.runtime import ALLOW_PACKS, RawKernel


def encipher(kernel: RawKernel, key: bytes, counter: bytes, text: bytes) -> bytes:
    """Whole iterations only, so the text is filled up with zeros and the output cut."""
    (stream,) = kernel.streams
    iterations = -(-len(text) // stream.bytes)
    source = ctypes.create_string_buffer(text.ljust(iterations * stream.bytes, b"\0"), iterations * stream.bytes)
    target = ctypes.create_string_buffer(iterations * stream.bytes)
    align = max(64, stream.state_align)
    memory = ctypes.create_string_buffer(stream.state_bytes + align)
    state = -(-ctypes.addressof(memory) // align) * align
    for name, value in (("in", source), ("out", target)):
        ctypes.memmove(state + stream.entry(name), ctypes.addressof(value).to_bytes(8, "little"), 8)
    ctypes.memmove(state + stream.entry("chain"), counter, 16)
    for row, round_key in enumerate(round_keys(key)):
        ctypes.memmove(state + stream.entry("key", row), round_key, 16)
    kernel.run(iterations, [state])
    ctypes.memset(ctypes.addressof(memory), 0, len(memory))  # round keys
    return target.raw[: len(text)]


def main(pack: str, kernel: str, key: str, counter: str, file: str) -> None:
    context = Context(ALLOW_PACKS)
    context.load_pack(Path(pack).read_bytes())
    found = encipher(context.kernel(kernel), bytes.fromhex(key), bytes.fromhex(counter), Path(file).read_bytes())
    sys.stdout.buffer.write(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
