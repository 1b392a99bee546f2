"""seal.py PACK SUITE KEY IV FILE: ciphertext, and the tag behind it where the suite has one, to standard output, by a
suite of a pack. KEY and IV are hexadecimal digits."""

import sys
from pathlib import Path

from cryptostitch import Context
from cryptostitch.binding.runtime import ALLOW_PACKS


def main(pack: str, suite: str, key: str, iv: str, file: str) -> None:
    context = Context(ALLOW_PACKS)
    context.load_pack(Path(pack).read_bytes())
    made = context.suite(suite).key(bytes.fromhex(key))
    text = Path(file).read_bytes()
    out, tag = made.seal(text, iv=bytes.fromhex(iv))
    assert made.open(out, tag or None, iv=bytes.fromhex(iv)) == text
    sys.stdout.buffer.write(out + tag)


if __name__ == "__main__":
    main(*sys.argv[1:])
