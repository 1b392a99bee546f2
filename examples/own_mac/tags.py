"""tags.py PACK KEY FILE...: the tag of each file under a key of 16 bytes, in hexadecimal digits; all in one burst."""

import sys
from pathlib import Path

from cryptostitch import Context
from cryptostitch.binding.runtime import ALLOW_PACKS, Job


def main(pack: str, key: str, *names: str) -> None:
    context = Context(ALLOW_PACKS)
    context.load_pack(Path(pack).read_bytes())
    suite = context.suite("siphash-2-4")
    made = suite.key(mac_key=bytes.fromhex(key))
    jobs = [Job(made, data=Path(name).read_bytes(), tag=bytearray(suite.tag_max)) for name in names]
    context.burst(jobs)
    for name, job in zip(names, jobs):
        print(f"{job.tag.hex()}  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
