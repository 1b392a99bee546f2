"""Names of streams, kernels and targets: building them and taking them apart.

stream   <form>_x<lanes>[_by<blocks>][_1key][_hand]        sha1_x16, aes128_cbc_enc_x16_1key_hand
kernel   stream[+stream...]@<target>[~<weave>]; the lanes of a part may be a multiple of the stream's (groups woven with
         themselves). A weave other than the default one bears the name of the microarchitecture whose recipe it is;
         "tuned": of a recipe file
target   the widest ISA, then _aesni, _vaes, _pclmul, _vpclmul, _gfni, _shani, _bmi2 as far as the kernel needs them;
         AES instructions come with carry-less multiplication
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .errors import CryptostitchError
from .isa import ISAS

WEAVE = "~"
_STREAM = re.compile(
    r"(?P<form>[a-z][a-z0-9_]*?)_x(?P<lanes>\d+)(?:_by(?P<by>\d+))?(?P<one_key>_1key)?(?P<hand>_hand)?$"
)


@dataclass(frozen=True, order=True)
class StreamName:
    """``by``: blocks of 16 bytes per lane and iteration; 0 stands for the form's usual amount."""

    form: str
    lanes: int
    by: int = 0
    one_key: bool = False
    hand: bool = False

    def __str__(self) -> str:
        by = f"_by{self.by}" if self.by else ""
        return f"{self.form}_x{self.lanes}{by}{'_1key' if self.one_key else ''}{'_hand' if self.hand else ''}"

    def with_lanes(self, lanes: int) -> StreamName:
        return replace(self, lanes=lanes)


def stream_name(text: str) -> StreamName:
    match = _STREAM.match(text)
    if not match:
        raise CryptostitchError(f"'{text}' is not a stream's name: write <algorithm>_x<lanes>, e.g. sha1_x16")
    return StreamName(
        match["form"], int(match["lanes"]), int(match["by"] or 0), bool(match["one_key"]), bool(match["hand"])
    )


def kernel_name(text: str) -> tuple[list[StreamName], str]:
    """The parts and the target of a kernel's name, whatever its weave."""
    parts, at, target = text.partition("@")
    if not at:
        raise CryptostitchError(f"'{text}' has no target: write e.g. {text}@avx512")
    return [stream_name(p) for p in parts.split("+")], target.partition(WEAVE)[0]


def woven_for(kernel: str, weave: str) -> str:
    """The name of another weave of a kernel."""
    return f"{kernel.partition(WEAVE)[0]}{WEAVE}{weave}"


TARGET_MARKS = ("aesni", "vaes", "pclmul", "vpclmul", "gfni", "shani", "bmi2")


def target_name(isas: Iterable[str], features: Iterable[str]) -> str:
    isas, features = set(isas), set(features)
    widest = max(isas, key=lambda i: ISAS[i].level)
    needed = {
        "aesni": "aes" in features and "vaes" not in features,
        "vaes": "vaes" in features,
        "shani": "sha" in features,
        "pclmul": "pclmul" in features and not features & {"aes", "vaes", "vpclmulqdq"},
        "vpclmul": "vpclmulqdq" in features and "vaes" not in features,
        "gfni": "gfni" in features,
        "bmi2": ("scalar" in isas and widest != "scalar") or ("bmi2" in features and widest == "sse"),
    }
    return "_".join([widest, *(mark for mark in TARGET_MARKS if needed[mark])])
