"""seal.py PACK KEY NONCE FILE...: the tag of each file, sealed under its own nonce (NONCE counted up); and each opened
again."""

import sys
from pathlib import Path

from cryptostitch import Context
from cryptostitch.binding.runtime import ALLOW_PACKS, OPEN, Job


def main(pack: str, key: str, nonce: str, *names: str) -> None:
    context = Context(ALLOW_PACKS)
    context.load_pack(Path(pack).read_bytes())
    made = context.suite("ascon-aead128").key(bytes.fromhex(key))
    texts = [Path(name).read_bytes() for name in names]
    first = int.from_bytes(bytes.fromhex(nonce), "big")
    if first + len(texts) > 1 << 128:
        sys.exit("seal.py: there are not so many nonces from this one on")
    nonces = [(first + i).to_bytes(16, "big") for i in range(len(texts))]
    sealed = [
        Job(made, iv=iv, aad=name.encode(), data=text, out=bytearray(len(text)), tag=bytearray(16))
        for iv, name, text in zip(nonces, names, texts)
    ]
    context.burst(sealed)
    opened = [
        Job(made, OPEN, iv=iv, aad=name.encode(), data=job.out, out=bytearray(len(job.out)), tag=job.tag)
        for iv, name, job in zip(nonces, names, sealed)
    ]
    context.burst(opened)
    for name, text, job, back in zip(names, texts, sealed, opened):
        assert back.status == 0 and back.out == text
        print(f"{job.tag.hex()}  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
