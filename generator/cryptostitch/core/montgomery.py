"""Defines in plain integers what streams/montgomery.j2 computes: products modulo odd numbers that are data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LIMB_BITS = 52
TABLE_NUMBERS = 16  # of a lane, one of which a digit chooses
# Numbers of the key, the last of which is 2^-52 modulo m; behind them stands -1 / m modulo 2^52.
FACTOR, FIRST_OF_TABLE, MODULUS, RADIX_INVERSE = 0, 1, 1 + TABLE_NUMBERS, 2 + TABLE_NUMBERS
KEY_NUMBERS = RADIX_INVERSE + 1

# How many bits a modulus has, at most, by the number of limbs: halves of RSA-2048, -3072 and -4096.
MODULUS_BITS: Mapping[int, int] = {20: 1024, 30: 1536, 40: 2048}


@dataclass(frozen=True)
class Montgomery:
    """An iteration makes the chain's number x the product x b / R modulo m, where R = 2^(52 ``limbs``) and b is x
    itself ("square"), the key's first number ("multiply"), or the one of the key's table that the chain's word behind x
    chooses ("choose")."""

    limbs: int
    operation: str

    @property
    def bits(self) -> int:
        return MODULUS_BITS[self.limbs]

    @property
    def radix(self) -> int:
        """R"""
        return 1 << LIMB_BITS * self.limbs

    @property
    def cases(self) -> Sequence[int]:
        """All digits that the step distinguishes."""
        return range(TABLE_NUMBERS) if self.operation == "choose" else (0,)

    def factor(self, digit: int) -> int | None:
        """Returns the index of b among the key's numbers; None when b is x."""
        return {"square": None, "multiply": FACTOR, "choose": FIRST_OF_TABLE + digit}[self.operation]

    def step(self, x: int, digit: int, key: Sequence[int]) -> int:
        """x after an iteration, below m; ``key``: its numbers."""
        factor, m = self.factor(digit), key[MODULUS]
        return x * (x if factor is None else key[factor]) * pow(self.radix, -1, m) % m

    def largest_limbs(self) -> list[int]:
        """Returns the largest limbs that x and the key's factors may have; the last one leaves room for numbers up to
        four times the largest m."""
        last = self.bits + 2 - LIMB_BITS * (self.limbs - 1)
        return [(1 << LIMB_BITS) - 1] * (self.limbs - 1) + [(1 << last) - 1]

    def largest_limbs_of_modulus(self) -> list[int]:
        """Returns the largest limbs of m, and of numbers below it."""
        last = self.bits - LIMB_BITS * (self.limbs - 1)
        return [(1 << LIMB_BITS) - 1] * (self.limbs - 1) + [(1 << last) - 1]

    @staticmethod
    def radix_inverse_of(modulus: int) -> int:
        """Returns 2^-52 modulo m, the last of the key's numbers."""
        return pow(1 << LIMB_BITS, -1, modulus)

    @staticmethod
    def inverse_of(modulus: int) -> int:
        """The word behind the key's numbers: -1 / m modulo 2^52."""
        return -pow(modulus, -1, 1 << LIMB_BITS) % (1 << LIMB_BITS)


OPERATIONS = ("square", "multiply", "choose")
MONTGOMERY: Mapping[str, Montgomery] = {
    f"montgomery{limbs}_{operation}": Montgomery(limbs, operation) for limbs in MODULUS_BITS for operation in OPERATIONS
}
