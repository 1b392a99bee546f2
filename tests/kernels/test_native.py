"""Kernels on their own: LLVM MC's bytes called directly, without the runtime, against hashlib and `cryptography`."""

from __future__ import annotations

import ctypes
import hashlib
import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from kernels.native import NativeKernel

from cryptostitch import runtime
from cryptostitch.catalog import Algorithm
from cryptostitch.pipeline import Generator
from cryptostitch.program import Recipe

KERNELS = ["sha1_x1@scalar", "sha256_x4@sse", "md5_x8@avx2", "sha1_x32@avx512", "md5_x64@avx512", "sha1_ni_x2@sse_shani", "sha256_ni_x4@sse_shani",
           "aes128_cbc_enc_x1@sse_aesni", "aes192_cbc_enc_x8_by1_1key@sse_aesni", "aes256_cbc_enc_x16@avx2_vaes", "aes128_cbc_enc_x32_1key@avx512_vaes",
           "aes128_cbc_enc_x2+sha256_ni_x2@sse_aesni_shani", "aes256_cbc_enc_x1+sha1_x1@sse_aesni_bmi2", "aes128_cbc_enc_x8_hand+md5_x8_hand@avx2_vaes",
           "aes128_cbc_enc_x16+sha256_x16@avx512_vaes", "aes192_cbc_enc_x32_1key_hand+sha1_x32_hand@avx512_vaes"]
ITERATIONS = 5


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator()


@pytest.fixture(scope="module")
def features() -> set[str]:
    return set(runtime.Context().cpu()["features"])


def expanded_key(key: bytes) -> list[bytes]:
    """The round keys (FIPS 197, 5.2)."""
    sbox, p, q = [0x63] * 256, 1, 1
    while True:  # p runs through all units, q through their inverses
        p ^= (p << 1) & 0xFF ^ (0x1B if p & 0x80 else 0)
        for shift in (1, 2, 4):
            q ^= q << shift & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        rotated = [(q << n | q >> (8 - n)) & 0xFF for n in range(5)]
        sbox[p] = rotated[0] ^ rotated[1] ^ rotated[2] ^ rotated[3] ^ rotated[4] ^ 0x63
        if p == 1:
            break
    words = [key[i:i + 4] for i in range(0, len(key), 4)]
    n, constant = len(words), 1
    for i in range(n, 4 * (n + 7)):
        word = words[-1]
        if i % n == 0:
            word = bytes(sbox[b] for b in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = constant << 1 ^ (0x11B if constant & 0x80 else 0)
        elif n > 6 and i % n == 4:
            word = bytes(sbox[b] for b in word)
        words.append(bytes(a ^ b for a, b in zip(words[i - n], word)))
    return [b"".join(words[i:i + 4]) for i in range(0, len(words), 4)]


class Run:
    """A kernel with random messages in all lanes."""

    def __init__(self, recipe: Recipe, rows: list[Algorithm]):
        self.rnd = random.Random(recipe.name)
        self.recipe, self.rows, self.kernel = recipe, rows, NativeKernel(recipe)
        self.shared_key = self.rnd.randbytes(32)
        self.buffers: list[ctypes.Array] = []
        self.ciphertexts: dict[tuple[int, int], tuple[ctypes.Array, bytes]] = {}
        self.messages: dict[tuple[int, int], bytes] = {}

    def point(self, stream: int, field: str, lane: int, data: bytes) -> ctypes.Array:
        buffer = (ctypes.c_char * len(data)).from_buffer_copy(data)
        self.buffers.append(buffer)
        self.kernel.put(stream, field, 0, lane, ctypes.addressof(buffer).to_bytes(8, "little"))
        return buffer

    def cipher(self, stream: int, lane: int) -> None:
        field = self.kernel.field(stream, "key")
        key = self.shared_key[:self.rows[stream].key_bytes] if field.shared else self.rnd.randbytes(self.rows[stream].key_bytes)
        iv, text = self.rnd.randbytes(16), self.rnd.randbytes(ITERATIONS * self.recipe.parts[stream].program.contract.bytes)
        self.point(stream, "in", lane, text)
        target = self.point(stream, "out", lane, bytes(len(text)))
        self.ciphertexts[stream, lane] = target, Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(text)
        self.kernel.put(stream, "chain", 0, lane, iv)
        for row, round_key in enumerate(expanded_key(key)):
            for copy in range(len(field.lane_offsets)) if field.shared else (lane,):
                self.kernel.put(stream, "key", row, copy, round_key)

    def hash(self, stream: int, lane: int) -> None:
        for i, word in enumerate(self.rows[stream].initial):
            self.kernel.put(stream, "chain", i, lane, word.to_bytes(4, "little"))
        producer = stream - len(self.rows) // 2, lane
        if producer in self.ciphertexts:
            target, self.messages[stream, lane] = self.ciphertexts[producer]
            if self.recipe.parts[stream].program.contract.has("in"):
                self.kernel.put(stream, "in", 0, lane, ctypes.addressof(target).to_bytes(8, "little"))
        else:
            self.messages[stream, lane] = self.rnd.randbytes(64 * ITERATIONS)
            self.point(stream, "in", lane, self.messages[stream, lane])

    def digest(self, stream: int, lane: int, last: NativeKernel) -> bytes:
        """The padding block goes through a kernel of one lane."""
        row = self.rows[stream]
        for i in range(row.words):
            last.put(0, "chain", i, 0, self.kernel.get(stream, "chain", i, lane))
        length = (8 * 64 * ITERATIONS).to_bytes(8, "big" if row.big_endian else "little")
        padding = (ctypes.c_char * 64).from_buffer_copy(b"\x80" + bytes(55) + length)
        last.put(0, "in", 0, 0, ctypes.addressof(padding).to_bytes(8, "little"))
        last.run(1)
        words = [last.get(0, "chain", i, 0) for i in range(row.words)]
        return b"".join(w[::-1] if row.big_endian else w for w in words)

    def wrong(self, last: dict[str, NativeKernel]) -> list[tuple[int, int]]:
        """Runs the kernel; the (stream, lane) pairs that are wrong."""
        for stream, (part, row) in enumerate(zip(self.recipe.parts, self.rows)):
            for lane in range(part.program.contract.lanes):
                (self.hash if row.kind == "hash" else self.cipher)(stream, lane)
        self.kernel.run(ITERATIONS)
        ciphers = [where for where, (target, wanted) in self.ciphertexts.items() if target.raw != wanted]
        return ciphers + [(stream, lane) for (stream, lane), message in self.messages.items()
                          if self.digest(stream, lane, last[self.rows[stream].name]) != hashlib.new(self.rows[stream].name, message).digest()]


@pytest.fixture(scope="module")
def last_block(generator: Generator) -> dict[str, NativeKernel]:
    return {h: NativeKernel(generator.recipe(f"{h}_x1@scalar")) for h in ("sha1", "sha256", "md5")}


@pytest.mark.parametrize("name", KERNELS)
def test_kernel(generator: Generator, features: set[str], last_block: dict[str, NativeKernel], name: str) -> None:
    recipe = generator.recipe(name)
    missing = recipe.features - features
    if missing:
        pytest.skip(f"this CPU has no {', '.join(sorted(missing))}")
    run = Run(recipe, [generator.algorithms[p.program.algorithm] for p in recipe.parts])
    assert run.wrong(last_block) == []
