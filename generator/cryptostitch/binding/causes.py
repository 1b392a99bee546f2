"""Why the library refused: ERR_LENGTH and ERR_ARGUMENT stand for many causes, and Python knows what it was given.

Each function returns a sentence, or "" where it sees nothing wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from .capi import CIPHER, OPEN, SEAL

MOST_PIECES = 1024


class Lengths(Protocol):
    """The lengths that a suite accepts, from cst_suite_info."""

    name: str
    kind: int
    key_min: int
    key_max: int
    mac_key_min: int
    mac_key_max: int
    iv_min: int
    iv_max: int
    aad_min: int
    aad_max: int
    aad_step: int
    tag_max: int
    tag_lengths: list[int]
    most_tag_bytes: int
    block_bytes: int
    min_bytes: int
    max_bytes: int
    iv_and_count_bytes: int
    expansion: int
    checksum_bits: int


def _outside(what: str, n: int, least: int, most: int) -> Iterator[str]:
    if not least <= n <= most:
        taken = "none" if not most else f"{least}" if least == most else f"{least} to {most}"
        yield f"{what} of {n} bytes, where the suite takes {taken}"


def _key(suite: Lengths, key: int, mac_key: int) -> Iterator[str]:
    yield from _outside("a key", key, suite.key_min, suite.key_max)
    yield from _outside("a MAC key", mac_key, suite.mac_key_min, suite.mac_key_max)


def of_key(suite: Lengths, key: int | None, mac_key: int | None) -> str:
    """Says what is wrong with keys of these lengths (None: not given). What C refuses besides is XTS's rule."""
    if key is None and suite.key_max:
        return "the suite takes a key, and none is given"
    if mac_key is None and suite.mac_key_max:
        return "the suite takes a MAC key (mac_key), and none is given"
    equal = "the halves of the key are equal" if "-xts" in suite.name else ""
    return next(_key(suite, key or 0, mac_key or 0), equal)


def _tag(suite: Lengths, tag: int) -> Iterator[str]:
    extends = suite.most_tag_bytes > suite.tag_max
    taken = [1, suite.most_tag_bytes] if extends else suite.tag_lengths
    if not tag if not taken else taken[0] <= tag <= taken[-1] if extends else tag in taken:
        return
    told = f"{taken[0]} to {taken[-1]}" if extends else ", ".join(map(str, taken)) or "none"
    yield f"a tag of {tag} bytes, where the suite takes {told}"


def of_tag(suite: Lengths, tag: int) -> str:
    """Says what is wrong with a tag or digest of ``tag`` bytes."""
    return next(_tag(suite, tag), "")


def _job(suite: Lengths, iv: int, aad: int, text: int, tag: int) -> Iterator[str]:
    yield from _outside("an IV", iv, suite.iv_min, suite.iv_max)
    yield from _outside("AAD", aad, suite.aad_min, suite.aad_max)
    if suite.aad_step > 1 and (aad - suite.aad_min) % suite.aad_step:
        yield f"AAD of {aad} bytes, where the suite takes {suite.aad_min} and multiples of {suite.aad_step} more"
    yield from _tag(suite, tag)
    yield from _outside("a text", text, suite.min_bytes, suite.max_bytes)
    if text % max(suite.block_bytes, 1):
        yield f"a text of {text} bytes, which is no multiple of {suite.block_bytes}"
    if suite.iv_and_count_bytes and text >> 8 * (suite.iv_and_count_bytes - iv):
        yield f"a text of {text} bytes, too long for an IV of {iv}"


def of_job(suite: Lengths, iv: int, aad: int, text: int, tag: int) -> str:
    """Says what is wrong with the lengths of a message to be sealed or opened."""
    return next(_job(suite, iv, aad, text, tag), "")


def of_output(suite: Lengths, job: Any) -> str:
    """Says what is wrong with the output of a JobStruct."""
    least = job.in_len + (suite.expansion if job.direction == SEAL else 0)
    if suite.kind < CIPHER or job.out_cap >= least:
        return ""
    return f"{job.out_cap} bytes for the output, which takes up to {least}"


def of_struct(suite: Lengths, job: Any) -> str:
    """Says what is wrong with a JobStruct besides its lengths."""
    if job.direction not in (SEAL, OPEN):
        return f"no direction {job.direction}"
    if suite.kind < CIPHER and (job.out or job.out_cap or job.n_out_pieces):
        return "the suite has no output"
    pieces = max(job.n_in_pieces, job.n_out_pieces)
    return f"{pieces} pieces, where a buffer has at most {MOST_PIECES}" if pieces > MOST_PIECES else ""


def of_digest(suite: Lengths, text: int, tag: int) -> str:
    """Says what is wrong with a call for a single digest or MAC."""
    if suite.kind >= CIPHER:
        return "the suite enciphers: a digest, a MAC or a checksum is wanted"
    return of_job(suite, 0, 0, text, tag)


def of_crc(crc: Any) -> str:
    """Says what is wrong with a checksum's parameters (cst_crc)."""
    if not 8 <= crc.width <= 64:
        return f"a width of {crc.width} bits, where checks have 8 to 64"
    if crc.reflected > 1:
        return f"reflected is 0 or 1, not {crc.reflected}"
    if not crc.polynomial & 1:
        return f"the polynomial {crc.polynomial:#x} is even"
    long = [n for n in (crc.polynomial, crc.initial, crc.final) if n >> crc.width]
    return f"{long[0]:#x} has more than {crc.width} bits" if long else ""


def of_checksum(suite: Lengths, *values: int) -> str:
    """Says what is wrong with checksums that are given as numbers."""
    if "crc" not in suite.name and suite.name != "adler32":
        return "the suite is not a checksum"
    bits = suite.checksum_bits
    long = [value for value in values if value >> bits]
    return f"{long[0]:#x} is a number of more bits than the checksum" if long or not values else ""
