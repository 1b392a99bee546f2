"""The platform of a wheel with these ELF files, as the environment variable _PYTHON_HOST_PLATFORM takes it: `python
packaging/manylinux.py FILE...` prints "manylinux_2_34-x86_64", the oldest glibc on which pip may install them (PEP
600). That follows from the versions of the symbols that they want of glibc and libstdc++."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from elftools.elf.elffile import ELFFile

Version = tuple[int, ...]
GLIBC_OF = {
    "GLIBCXX": {(3, 4, 19): (2, 17), (3, 4, 24): (2, 27), (3, 4, 25): (2, 28), (3, 4, 28): (2, 31),
                (3, 4, 29): (2, 34), (3, 4, 30): (2, 35), (3, 4, 32): (2, 39)},
    "CXXABI": {(1, 3, 7): (2, 17), (1, 3, 11): (2, 28), (1, 3, 12): (2, 31), (1, 3, 13): (2, 34), (1, 3, 14): (2, 39)},
}  # fmt: skip
"""The policies of manylinux: the newest symbols of libstdc++ that systems with that glibc have."""
LEAST: Version = (2, 17)


def wanted(file: Path) -> set[tuple[str, Version]]:
    """Versions of symbols that an ELF file wants of its libraries: ("GLIBC", (2, 34))."""
    found = set()
    with file.open("rb") as stream:
        section = ELFFile(stream).get_section_by_name(".gnu.version_r")
        for _, versions in section.iter_versions() if section else ():
            for each in versions:
                if told := re.fullmatch(r"(GLIBC|GLIBCXX|CXXABI)_([\d.]+)", each.name):
                    found.add((told[1], tuple(map(int, told[2].split(".")))))
    return found


def glibc(files: list[Path]) -> Version:
    """The oldest glibc on which all of them run. LookupError for a newer libstdc++ than the policies know."""
    least = LEAST
    for name, version in set().union(*map(wanted, files)):
        if name == "GLIBC":
            least = max(least, version[:2])
            continue
        have = [system for newest, system in GLIBC_OF[name].items() if newest >= version]
        if not have:
            raise LookupError(f"no policy of manylinux knows {name}_{'.'.join(map(str, version))}")
        least = max(least, have[0])
    return least


if __name__ == "__main__":
    print("manylinux_{}_{}-x86_64".format(*glibc([Path(name) for name in sys.argv[1:]])))
