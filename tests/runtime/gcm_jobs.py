"""GCM jobs of cases whose answers are known, and the kernels that run them."""

from __future__ import annotations

from typing import Callable

from cryptostitch import runtime
from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context, Job


def gcm_job(key: runtime.Key, case: oracle.Case, direction: int, tag_len: int = 16) -> Job:
    text = case.data if direction == SEAL else case.out
    tag = bytearray(case.tag[:tag_len] if direction == OPEN else tag_len)
    return Job(key, direction, iv=case.iv, aad=case.aad or None, data=text, out=bytearray(b"\xaa" * len(text)), tag=tag)


def in_place_job(key: runtime.Key, case: oracle.Case, direction: int) -> Job:
    place = bytearray(case.data if direction == SEAL else case.out)
    tag = bytearray(case.tag) if direction == OPEN else bytearray(16)
    return Job(key, direction, iv=case.iv, aad=case.aad, data=memoryview(place), out=place, tag=tag)


def runnable_kernels(context: Context, wanted: Callable[[str], bool]) -> list[str]:
    """Those of one stream."""
    names = []
    for name in context.kernels():
        if "+" in name or not wanted(name):
            continue
        try:
            context.kernel(name)
        except runtime.RuntimeFailure:
            continue
        names.append(name)
    return names
