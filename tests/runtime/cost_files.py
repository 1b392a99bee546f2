"""Files of costs, taken apart and put together, also such as no library writes."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from cryptostitch.binding.runtime import Context, RuntimeFailure

MOST = 1_000_000_000  # centicycles


def fnv1a(data: bytes) -> int:
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


@dataclass
class Costs:
    """A file of costs, taken apart."""

    head: dict[str, str]
    kernels: dict[str, tuple[str, int, int]]  # digest, centicycles per iteration, per call

    @classmethod
    def read(cls, path: Path) -> Costs:
        lines = path.read_text().splitlines()
        rows = [line.split() for line in lines if line.startswith("kernel ")]
        head = dict(line.split(" ", 1) for line in lines[1:4])
        return cls(head, {name: (digest, int(a), int(b)) for _, name, digest, a, b in rows})

    def write(self, path: Path) -> Path:
        text = "cryptostitch costs 1\n" + "".join(f"{k} {v}\n" for k, v in self.head.items())
        text += "".join(f"kernel {name} {digest} {a} {b}\n" for name, (digest, a, b) in self.kernels.items())
        path.write_text(f"{text}end {fnv1a(text.encode()):016x}\n")
        return path

    def winner(self, kernel: str, pattern: str) -> Costs:
        """The same, with one of the kernels that match made cheap and the others dear."""
        costs = {
            n: (c[0], 100 if n == kernel else MOST, 0) if re.match(pattern, n) else c for n, c in self.kernels.items()
        }
        return replace(self, kernels=costs)


def signature(path: Path) -> tuple[int, int, bytes]:
    return path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()


def umask() -> int:
    os.umask(mask := os.umask(0))
    return mask


def refused(code: int, *arguments: object, **named: object) -> None:
    with pytest.raises(RuntimeFailure) as failure:
        Context(*arguments, **named)
    assert failure.value.code == code and str(named["costs"]) in str(failure.value)


def table(context: Context) -> str:
    return context.cpu()["microarchitecture"]


# FILE TARGET OTHER: a program that finds no room for either way of writing FILE.
FULL_DISK = """
import os, resource, signal, sys
from cryptostitch.binding.runtime import CALIBRATE, ERR_FILE, Context, RuntimeFailure
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
context = Context(costs=sys.argv[1], target=sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
for act in (lambda: context.save_costs(sys.argv[1]), lambda: Context(CALIBRATE, costs=sys.argv[1], target=sys.argv[3])):
    try:
        act()
    except RuntimeFailure as failure:
        if failure.code == ERR_FILE:
            continue
    sys.exit("written")
"""
