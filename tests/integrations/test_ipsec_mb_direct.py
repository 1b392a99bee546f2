"""The interface of intel-ipsec-mb: its direct functions, a message in pieces of any length."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from cryptostitch.ladder import oracle

from integrations.ipsec_mb import COMPLETED, Interface, run

PIECES = [0, 1, 7, 15, 16, 17, 63, 64, 65, 130, 500, 2000]
"""Bytes in a piece; 0: all at once, by the function for that."""
LENGTHS = (0, 1, 15, 16, 33, 64, 257, 1024, 1499)


@dataclass(frozen=True)
class Message:
    """Of a text that is to be opened, the tag is of what is there, whoever made it."""

    function: str
    piece: int
    opens: bool
    key: bytes
    iv: bytes
    aad: bytes
    tag_len: int
    text: bytes

    def line(self) -> str:
        octets = " ".join(part.hex() or "-" for part in (self.key, b"", self.iv, self.aad))
        unused = "0 0 0 0 1"
        text = self.text.hex() or "-"
        return f"{self.function} {self.piece} {1 + self.opens} 1 {octets} {self.tag_len} {unused} {text}"

    def answer(self) -> tuple[bytes, bytes]:
        suite = "chacha20-poly1305" if self.function == "chacha" else f"aes-{8 * len(self.key)}-gcm"
        if self.function == "gmac":
            return b"", oracle.seal(suite, self.key, b"", self.iv, self.text, b"")[1][: self.tag_len]
        out, tag = oracle.seal(suite, self.key, b"", self.iv, self.aad, self.text)
        if self.opens:
            tag = oracle.seal(suite, self.key, b"", self.iv, self.aad, out)[1]
        return out, tag[: self.tag_len]


def check(interface: Interface, messages: Sequence[Message]) -> None:
    for first in range(0, len(messages), 100):
        some = messages[first : first + 100]
        for message, result in zip(some, run(interface, [message.line() for message in some], "each"), strict=True):
            text, tag = message.answer()
            assert (result.status, result.error) == (COMPLETED, 0), message
            assert result.tag[: len(tag)] == tag, message
            assert message.function == "gmac" or result.buffer == text, message


@pytest.mark.parametrize("function", ["gcm", "gcm-steps"])
@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_gcm(interface: Interface, key_bytes: int, function: str) -> None:
    rng = random.Random(key_bytes)
    messages = [
        Message(
            function,
            piece,
            rng.random() < 0.5,
            rng.randbytes(key_bytes),
            rng.randbytes(rng.choice((12, 8, 16, 61)) if piece else 12),
            rng.randbytes(rng.choice((0, 8, 20, 333))),
            rng.choice((4, 8, 12, 16)),
            rng.randbytes(length),
        )
        for piece in PIECES[function == "gcm-steps" :]
        for length in LENGTHS
    ]
    check(interface, messages)


@pytest.mark.parametrize("piece", [0, 300])
def test_gcm_of_as_many_blocks_as_there_are_powers(interface: Interface, piece: int) -> None:
    """Text, AAD and lengths take a power each in a kernel without a loop; at the most there are too few."""
    rng = random.Random(piece)
    messages = [
        Message("gcm", piece, bool(length & 1), rng.randbytes(16), rng.randbytes(12), rng.randbytes(aad), 16, text)
        for aad in (0, 13, 32, 33, 48, 49, 64)
        for length in (*range(256, 276), *range(478, 518), 560, 772)
        for text in [rng.randbytes(length)]
    ]
    check(interface, messages)


@pytest.mark.parametrize("function", ["des_key_schedule", "zuc_eea3_iv_gen", "kasumi_f9_iv_gen", "snow3g_f8_iv_gen"])
def test_exported_functions(interface: Interface, function: str) -> None:
    """Programs link with them, though the original does their work."""
    assert hasattr(ctypes.CDLL(str(interface.library)), function)


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_gmac(interface: Interface, key_bytes: int) -> None:
    rng = random.Random(key_bytes)
    messages = [
        Message("gmac", piece, False, rng.randbytes(key_bytes), rng.randbytes(12), b"", 16, rng.randbytes(length))
        for piece in PIECES[1:]
        for length in LENGTHS
    ]
    check(interface, messages)


def test_chacha_poly(interface: Interface) -> None:
    rng = random.Random(0)
    messages = [
        Message(
            "chacha",
            piece,
            opens,
            rng.randbytes(32),
            rng.randbytes(12),
            rng.randbytes(rng.choice((0, 8, 20, 333))),
            16,
            rng.randbytes(length),
        )
        for piece in PIECES[1:]
        for length in LENGTHS
        for opens in (False, True)
    ]
    check(interface, messages)


def test_arrays(interface: Interface) -> None:
    """Of more jobs than a burst has; GHASH in pieces."""
    program = interface.library.with_name(f"ipsec-mb-arrays-{interface.number}")
    done = subprocess.run([program, interface.library], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "all right\n"), done.stderr
