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
from raw_state import State


def encipher(kernel: RawKernel, key: bytes, counter: bytes, text: bytes) -> bytes:
    """Whole iterations only, so the text is filled up with zeros and the output cut."""
    state = State(kernel)
    iterations = -(-len(text) // state.stream.bytes)
    size = iterations * state.stream.bytes
    source, target = ctypes.create_string_buffer(text, size), ctypes.create_string_buffer(size)
    state.point("in", source)
    state.point("out", target)
    state.put("chain", counter)
    state.put_rows("key", round_keys(key))
    kernel.run(iterations, [state.address])
    state.wipe()
    return target.raw[: len(text)]


def main(pack: str, kernel: str, key: str, counter: str, file: str) -> None:
    context = Context(ALLOW_PACKS)
    context.load_pack(Path(pack).read_bytes())
    found = encipher(context.kernel(kernel), bytes.fromhex(key), bytes.fromhex(counter), Path(file).read_bytes())
    sys.stdout.buffer.write(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
