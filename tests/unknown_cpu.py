"""A copy of the library that takes this CPU for one that nobody has named: no cost table, no instruction table.

The makers by whose names its detection knows CPUs are overwritten in the copy; all else is the same code.

    CRYPTOSTITCH_LIBRARY=$(.venv/bin/python tests/unknown_cpu.py) .venv/bin/python -m pytest tests/test_report.py
"""

from __future__ import annotations

from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build"
MAKERS = (b"AuthenticAMD", b"GenuineIntel", b"HygonGenuine")
NOBODY = b"NobodyKnowIt"


def unknowing(library: Path, folder: Path) -> Path:
    """Writes the copy to the folder, beside it a link to what is looked for beside the library."""
    code = library.read_bytes()
    for maker in MAKERS:
        if code.count(maker + b"\0") != 1:
            raise ValueError(f"{library} does not name {maker.decode()} once: detection is not what it was")
        code = code.replace(maker + b"\0", NOBODY + b"\0")
    folder.mkdir(parents=True, exist_ok=True)
    copy, probe = folder / "libcryptostitch.so", folder / "libcst-probe.so"
    copy.unlink(missing_ok=True)  # a process may have the old one mapped
    copy.write_bytes(code)
    if not probe.exists() and (library.parent / probe.name).exists():
        probe.symlink_to(library.parent / probe.name)
    return copy


if __name__ == "__main__":
    print(unknowing(BUILD / "libcryptostitch.so", BUILD / "unknown_cpu"))
