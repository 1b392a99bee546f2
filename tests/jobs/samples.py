"""What tests take their jobs from: levels of instructions, lengths, numbers of jobs, and suites, one of each kind."""

from __future__ import annotations

import os
from collections.abc import Sequence

from cryptostitch.binding.runtime import ERR_JIT, ERR_UNSUPPORTED, Context, RuntimeFailure
from cryptostitch.ladder import oracle

LONG = bool(os.environ.get("CRYPTOSTITCH_LONG"))
LANES = 16
TARGETS = ("host", "host-sha", "host-vaes", "host-no_avx512", "host-no_avx512-vaes-sha", "sse_aesni_shani", "sse_aesni")
"""Levels of the machine's instructions, so that kernels of all widths come to run."""


def different(targets: Sequence[str]) -> tuple[str, ...]:
    """Returns the targets but those that leave this CPU the same features as one before; on a lesser CPU
    `host-no_avx512` may be `host` again. All of them where no library is built."""
    found: dict[tuple[str, ...], str] = {}
    try:
        for target in targets:
            found.setdefault(tuple(Context(target=target).cpu()["features"]), target)
    except (FileNotFoundError, RuntimeFailure):
        return tuple(targets)
    return tuple(found.values())


LEVELS = different(TARGETS if LONG else ("host", "host-no_avx512", "sse_aesni"))
"""The widest vectors, narrower ones, the narrowest."""

EDGES = (0, 1, 15, 16, 17, 32, 48, 55, 56, 57, 63, 64, 65, 112, 119, 120, 121, 128)
"""Bytes: around the blocks of ciphers and hashes, and where a hash's padding needs a block of its own."""
STRIDES = tuple(
    n + d for n in (256, 448, 512, 640, 768, 1024, 1536, 2048, 3072, 4096) for d in (-17, -16, -1, 0, 1, 16, 64)
)
"""Bytes: around what kernels do in one iteration, and a few of them."""
LONGER = (1408, 5000, 9008, 16384, 16400, 33000)
NUMBERS = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 130)
"""Of jobs: around the lanes of every kernel, and more than run at once."""
HEADS = (0, 1, 8, 12, 13, 16, 20, 47, 48, 49, 63, 64, 65, 112, 128, 240, 241, 255, 256, 257, 300, 700)
"""Bytes of AAD: around blocks, and more than a kernel's head takes."""


def runs(context: Context, suite: str) -> bool:
    """Whether this CPU has the instructions of the suite."""
    try:
        context.suite(suite)
    except RuntimeFailure as failure:
        if failure.code not in (ERR_UNSUPPORTED, ERR_JIT):
            raise
        return False
    return True


def suites_of(context: Context) -> list[str]:
    """Returns the suites that the context can run."""
    return [name for name in context.suites() if runs(context, name)]


SHORTENED = {"sha224": "sha256", "sha384": "sha512", "sha512_256": "sha512"}
"""Hashes that are another one with other initial values, cut: the same kernels and the same code run for both."""


def construction(suite: str) -> tuple[object, ...]:
    """Returns the construction of a suite: the same for suites that differ in the size of a key or digest only."""
    of = oracle.meaning(suite)
    return of.kind, SHORTENED.get(of.hash, of.hash), of.counts, of.block, *beside(of)


def beside(of: oracle.Meaning) -> tuple[object, ...]:
    """Returns what a suite computes beside a checksum, and of which bytes the checksum is."""
    return (oracle.meaning(of.cipher).kind, of.sums_plaintext) if of.cipher else ()


def one_of_each(suites: list[str]) -> list[str]:
    """One suite per construction and hash; the sizes of keys and digests take turns. All suites in the long form."""
    found: dict[tuple[object, ...], list[str]] = {}
    for name in suites:
        found.setdefault(construction(name), []).append(name)
    return suites if LONG else [names[at % len(names)] for at, names in enumerate(found.values())]


def one_per_construction(suites: list[str]) -> list[str]:
    """Whatever the hash is."""
    found = {
        (of.kind, of.counts, of.block, *beside(of)): name for name in reversed(suites) for of in [oracle.meaning(name)]
    }
    return sorted(found.values())


TAKES_SOME, TURNS = "_list", 20
"""Kernels of such names do not take jobs whose buffers end near a page's end: others are tried, so many times."""


def usual_aad(suite: str) -> int:
    """Bytes of AAD of the jobs that a choice is about."""
    return 13 if "-gcm" in suite else 0
