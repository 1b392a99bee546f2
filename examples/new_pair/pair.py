"""A checksum of our own, stitched with AES-128-CBC: built, proved, assembled, checked against plain Python, and
timed."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path

from algorithms import ALGORITHMS
from cryptostitch import Generator, Laboratory, Recipe, stream_name, trial

HERE = Path(__file__).resolve().parent
ISA, LANES = "sse", 4  # with AES-NI; "avx2", 8 and "avx512", 16 need VAES


def fletcher(a: int, b: int, data: bytes) -> tuple[int, int]:
    """Computes in Python what the kernels of streams/fletcher.j2 compute."""
    for (word,) in struct.iter_unpack("<I", data):
        a = (a + word) % 2**32
        b = (b + a) % 2**32
    return a, b


def check(generator: Generator, recipe: Recipe) -> None:
    """Calls the woven kernel once; the sums must be those of the ciphertext that it wrote."""
    laboratory = Laboratory()
    setup = laboratory.add(generator, recipe)

    def sums(lane: int) -> tuple[int, int]:
        return tuple(int.from_bytes(setup.read(0, 1, "chain", row, lane), "little") for row in (0, 1))

    before = [sums(lane) for lane in range(LANES)]
    setup.kernel.run(setup.iterations, setup.states[0])
    for lane in range(LANES):
        # lane i writes buffer i
        ciphertext = ctypes.string_at(laboratory.buffers.outputs(0)[lane], 64 * setup.iterations)
        assert sums(lane) == fletcher(*before[lane], ciphertext), f"lane {lane} is wrong"


def main() -> None:
    generator = Generator(ALGORITHMS, [HERE])
    recipe = generator.stitch(
        [(stream_name(f"aes128_cbc_enc_x{LANES}"), ISA), (stream_name(f"fletcher_x{LANES}"), ISA)]
    )
    check(generator, recipe)
    print(f"{recipe.name}: {LANES} lanes agree with plain Python")
    found = trial(generator, recipe)
    print(
        f"proved; {len(found.assembled.code)} bytes of code assembled in {found.assembled.assembled_ns / 1000:.0f} us"
    )
    for name, cycles in (*found.parts, ("sum of the parts", found.sum), ("woven", found.woven.per_iteration)):
        print(f"  {name:<36} {found.per_byte(cycles):.4f} cycles per byte")
    print(f"disturbed: {found.doubt}" if found.doubt else f"speed-up over one after the other: {found.speedup:.2f}")


if __name__ == "__main__":
    main()
