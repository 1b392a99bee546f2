"""cst_rolling: it hits where isa-l_crypto's rolling_hash2 does, whatever a text is cut into."""

from __future__ import annotations

import ctypes
import io
import random
from ctypes import byref, c_int, c_size_t, c_void_p
from itertools import pairwise

import pytest
from cryptostitch import rolling_cuts
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import Context, RuntimeFailure
from jobs.memory import Guarded

MASK = (1 << 64) - 1
# how often isa-l_crypto 2.26 hits in text_of(1 MiB) behind zeros, and the last hits: by window, mask and trigger
PEERS = {
    (32, 0x1FFF, 0): (84, [1039070, 1040599, 1044164]),
    (48, 0xFFF, 0x123): (184, [1039196, 1040409, 1040539]),
    (1, 0x7, 0x2): (90368, [1048558, 1048560, 1048570]),
    (16, 0x3FFC0000, 0): (244, [1045526, 1045935, 1048435]),
}


def pi_words(number: int) -> list[int]:
    """The fraction of pi, in words of 64 bits, by the spigot of S. Rabinowitz and S. Wagon's series for pi / 2."""
    bits = 64 * number + 64
    term = total = 1 << bits + 1
    k = 1
    while term:
        term = term * k // (2 * k + 1)
        total += term
        k += 1
    fraction = total & (1 << bits) - 1
    return [fraction >> bits - 64 * (n + 1) & MASK for n in range(number)]


NUMBERS = pi_words(256)


def left(x: int, n: int) -> int:
    return (x << n % 64 | x >> 64 - n % 64) & MASK if n % 64 else x


def modelled(text: bytes, mask: int, trigger: int, window: int, before: bytes = b"") -> list[int]:
    """The hash of each place by its definition."""
    data, found = (before or bytes(window)) + text, []
    for at in range(len(text)):
        value = 0
        for n, byte in enumerate(reversed(data[at + 1 : at + 1 + window])):
            value ^= left(NUMBERS[byte], n)
        if value & mask == trigger:
            found.append(at + 1)
    return found


def text_of(length: int) -> bytes:
    return bytes(((7 * i + (i >> 8)) & 0xFF) ^ ((i * i >> 11) & 0xFF) for i in range(length))


def test_the_model_has_pi() -> None:
    assert NUMBERS[0] == 0x243F6A8885A308D3 and NUMBERS[3] == 0x082EFA98EC4E6C89


def test_the_peers_cuts() -> None:
    text = text_of(1 << 20)
    for (window, mask, trigger), (number, last) in PEERS.items():
        found = list(rolling_cuts(text, mask, trigger, window))
        assert (len(found), found[-3:]) == (number, last)


@pytest.mark.parametrize("window", (1, 2, 3, 31, 32, 47, 48))
def test_pieces(window: int) -> None:
    rng = random.Random(window)
    text, before = rng.randbytes(3000), rng.randbytes(window)
    for mask, trigger in ((0x3F, 0), (0x3F, 0x15), (0x8000000000000001, 1), (0, 0)):
        wanted = modelled(text, mask, trigger, window, before)
        assert list(rolling_cuts(text, mask, trigger, window, before)) == wanted
        for most in (1, 7, window, 600):
            cuts = [0]
            while cuts[-1] < len(text):
                cuts.append(min(len(text), cuts[-1] + rng.randrange(most + 1)))
            pieces = [text[a:b] for a, b in pairwise(cuts)]
            assert list(rolling_cuts(pieces, mask, trigger, window, before)) == wanted, most
        assert list(rolling_cuts(io.BytesIO(text), mask, trigger, window, before)) == wanted
    assert list(rolling_cuts(text, 0x3F, 0, window)) == modelled(text, 0x3F, 0, window)
    assert not list(rolling_cuts(text, 1, 2, window)), "a trigger outside of the mask"


@pytest.mark.parametrize("at_end", (False, True))
def test_guard_pages(at_end: bool) -> None:
    rng, memory = random.Random(9), Guarded(1, 1, at_end)
    for length in (1, 2, 31, 32, 33, 34, 1000):
        text = rng.randbytes(length)
        address = memory.put(text, writable=False)
        guarded = (ctypes.c_char * length).from_address(address)
        assert list(rolling_cuts(guarded, 7, 0)) == modelled(text, 7, 0, 32)
        memory.clear()


def test_errors(shared_context: Context) -> None:
    lib, rolling, used, hit = shared_context.lib, c_void_p(), c_size_t(77), c_int(77)
    for window in (0, 49):
        assert lib.cst_rolling_new(window, byref(rolling)) == runtime.ERR_LENGTH
        assert not rolling
    assert lib.cst_rolling_new(8, None) == runtime.ERR_ARGUMENT
    assert lib.cst_rolling_new(8, byref(rolling)) == runtime.OK
    assert lib.cst_rolling_reset(rolling, None, 8) == runtime.ERR_ARGUMENT
    assert lib.cst_rolling_reset(rolling, bytes(7), 7) == runtime.ERR_LENGTH
    assert lib.cst_rolling_reset(None, None, 0) == runtime.ERR_ARGUMENT
    right = (rolling, b"text", 4, 0, 1, byref(used), byref(hit))
    for place, value in ((0, None), (1, None), (5, None), (6, None)):
        assert lib.cst_rolling_run(*right[:place], value, *right[place + 1 :]) == runtime.ERR_ARGUMENT
    assert lib.cst_rolling_run(rolling, b"x", MASK, 0, 1, byref(used), byref(hit)) == runtime.ERR_LENGTH
    assert (used.value, hit.value) == (77, 77)
    assert lib.cst_rolling_run(*right) == runtime.OK and (used.value, hit.value) == (4, 0)
    assert lib.cst_rolling_run(rolling, None, 0, 0, 0, byref(used), byref(hit)) == runtime.OK
    assert (used.value, hit.value) == (0, 0)
    lib.cst_rolling_free(rolling)
    lib.cst_rolling_free(None)


def test_errors_from_python() -> None:
    with pytest.raises(RuntimeFailure, match="1 to 48"):
        rolling_cuts(b"", 1, window=49)
    with pytest.raises(RuntimeFailure, match="as many, or none"):
        rolling_cuts(b"", 1, window=8, before=b"seven b")
