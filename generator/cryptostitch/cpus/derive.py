"""A cost table for a CPU that nobody has measured, from that of its nearest measured relative and what is published of
both: ``published.json`` in a CPU's folder.

{"format": "cryptostitch published figures 1", "relative": "sapphire_rapids", "lacks": ["avx512"], "figures":
{"aes_128": 0.5, ...}, "measured": {"sha": 3}, "sources": {"aes_128": "...", ...}}

A figure is the core cycles of the instruction that bounds a kind of work (``FIGURES``). A kernel's loop takes what it
takes on the relative, times the quotient of what bounds it on either CPU; several streams in one kernel count by what
each takes alone. ``relative``: whom a table is derived from where there is none of its own. ``lacks``: words of the
targets of kernels that the CPU does not run. ``measured``: figures from measurements on such a CPU, where what is
published of it is wrong; they count when the CPU is the relative, never for a table of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import CryptostitchError
from ..core.names import WEAVE, StreamName, kernel_name

FORMAT = "cryptostitch published figures 1"
FIGURES = {
    "aes_latency": "latency of AESENC",
    "aes_128": "reciprocal throughput of AESENC, 128 bits",
    "aes_256": "of VAESENC, 256 bits",
    "aes_512": "of VAESENC, 512 bits",
    "clmul_128": "reciprocal throughput of PCLMULQDQ, 128 bits",
    "clmul_256": "of VPCLMULQDQ, 256 bits",
    "clmul_512": "of VPCLMULQDQ, 512 bits",
    "sha_latency": "latency of SHA256RNDS2",
    "sha": "its reciprocal throughput",
    "integer_128": "reciprocal throughput of additions and logic, 128 bits",
    "integer_256": "the same, 256 bits",
    "integer_512": "the same, 512 bits",
    "multiply_256": "reciprocal throughput of VPMULUDQ, 256 bits",
    "multiply_512": "the same, 512 bits",
    "multiply": "reciprocal throughput of MUL, 64 bits",
    "call": "a call's cost, as a multiple of any other CPU's with 1",
}
WIDTHS = {"sse": 128, "avx2": 256, "avx512": 512}
CHAINED_AES = ("_cbc_enc", "_cbc_mac")

Rows = dict[str, list[float]]  # kernel -> cycles per iteration, per call


@dataclass(frozen=True)
class Published:
    """The published figures of a CPU. ``sources``: where each figure is from."""

    relative: str
    lacks: tuple[str, ...]
    figures: Mapping[str, float]
    measured: Mapping[str, float]
    sources: Mapping[str, str]

    @property
    def as_relative(self) -> Mapping[str, float]:
        """The figures, better ones where there are."""
        return {**self.figures, **self.measured}


def published_in(path: Path) -> Published:
    """Reads published figures. CryptostitchError when the file is damaged, or a figure lacks its source."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        figures, measured, sources = (dict(data[key]) for key in ("figures", "measured", "sources"))
        names = set(figures) | set(measured)
        if data["format"] != FORMAT or names - set(FIGURES) or names != set(sources):
            raise ValueError("another format, an unknown figure, or one without its source")
        if any(not float(figure) > 0 for figure in (*figures.values(), *measured.values())):
            raise ValueError("a figure that is not above 0")
        return Published(data["relative"], tuple(data["lacks"]), figures, measured, sources)
    except (ValueError, KeyError, TypeError) as error:
        raise CryptostitchError(f"{path} does not hold published figures ({type(error).__name__}: {error})") from error


def _in_flight(stream: StreamName, width: int, words: int) -> float:
    """Vectors of independent work: a chain of dependent instructions binds one alone. ``words``: 32-bit words of a
    state's row that lies across a vector (ChaCha20's block is four of 4)."""
    return stream.by * 16 / (words * width / 8) if stream.by else stream.lanes * 32 / width


def bounding(stream: StreamName, level: str) -> list[tuple[str, float]]:
    """The figures that bound a stream of a kernel at a level (sse, avx2, avx512), each with how often it counts: the
    largest product does. Empty: latencies of simple instructions, which are the same on all cores."""
    form, lanes, width = stream.form, stream.lanes, WIDTHS.get(level, 0)
    if form.startswith("aes"):
        blocks = width / 128
        if any(mark in form for mark in CHAINED_AES):
            return [("aes_latency", 1), (f"aes_{width}", lanes / blocks)]
        return [(f"aes_{width}", 1)]
    if form == "ghash":
        return [(f"clmul_{width}", 1)]
    if form.startswith("poly1305"):
        return [("multiply", 1)] if "word" in form else [(f"multiply_{max(width, 256)}", 1)]
    if "_ni" in form:
        return [("sha_latency", 1), ("sha", lanes)]
    if form.startswith(("rc4", "sha512_simd", "murmur3", "crc32c_words")) or (not stream.by and lanes == 1):
        return []
    chained = form.startswith(("md5", "chacha")) and _in_flight(stream, width, 4 if stream.by else 1) <= 1
    return [] if chained else [(f"integer_{width}", 1)]


def _bound(figures: Mapping[str, float], bounds: list[tuple[str, float]]) -> float:
    return max(figures[name] * count for name, count in bounds)


def _quotient(bounds: list[tuple[str, float]], of: Mapping[str, float], relative: Mapping[str, float]) -> float:
    """1 where a figure of either CPU is not known."""
    known = bounds and all(name in of and name in relative for name, _ in bounds)
    return _bound(of, bounds) / _bound(relative, bounds) if known else 1.0


def _alone(rows: Mapping[str, list[float]]) -> dict[tuple[str, int, int], float]:
    """Returns the least cycles of a stream's loop without another stream, by form, lanes and blocks."""
    found: dict[tuple[str, int, int], float] = {}
    for name, (iteration, _) in rows.items():
        (stream, *others), _ = kernel_name(name)
        if not others:
            key = stream.form, stream.lanes, stream.by
            found[key] = min(iteration, found.get(key, iteration))
    return found


def derived_call(of: Published, relative: Published, call: float) -> float:
    """Scales cycles outside the loop, those of a call or of a message in steps, from the CPU ``relative`` to ``of``."""
    return round(call * _quotient([("call", 1)], of.figures, relative.as_relative), 2)


def derived(of: Published, relative: Published, rows: Mapping[str, list[float]]) -> Rows:
    """The table ``rows`` of a relative as it would be on the CPU. Without recipes, which were found by measuring."""
    alone = _alone(rows)
    figures = relative.as_relative
    table: Rows = {}
    for name, (iteration, call) in rows.items():
        streams, target = kernel_name(name)
        words = target.split("_")
        if WEAVE in name or any(word in words for word in of.lacks):
            continue
        shares = [alone.get((s.form, s.lanes, s.by), 1.0) for s in streams]
        scaled = sum(share * _quotient(bounding(s, words[0]), of.figures, figures) for share, s in zip(shares, streams))
        table[name] = [round(iteration * scaled / sum(shares), 2), derived_call(of, relative, call)]
    return table
