"""digests.py PACK FILE...: Ascon-Hash256 of each file, and 16 bytes of Ascon-XOF128, by a pack."""

import sys
from pathlib import Path

from cryptostitch import Context, hash_many
from cryptostitch.binding.runtime import ALLOW_PACKS


def main(pack: str, *names: str) -> None:
    context = Context(ALLOW_PACKS)
    context.load_pack(Path(pack).read_bytes())
    files = [Path(name).read_bytes() for name in names]
    digests = hash_many("ascon-hash256", files, context=context)
    outputs = hash_many("ascon-xof128", files, 16, context=context)
    for name, digest, output in zip(names, digests, outputs):
        print(f"{digest.hex()}  {output.hex()}  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
