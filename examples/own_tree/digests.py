"""digests.py PACK FILE...: KT128 of each file, by a pack."""

import sys
from pathlib import Path

from cryptostitch import Context, hash_many
from cryptostitch.binding.runtime import ALLOW_PACKS


def main(pack: str, *names: str) -> None:
    context = Context(ALLOW_PACKS)
    context.load_pack(Path(pack).read_bytes())
    files = [Path(name).read_bytes() for name in names]
    for name, digest in zip(names, hash_many("kt128", files, context=context)):
        print(f"{digest.hex()}  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
