"""Writes a table for each CPU whose 512-bit instructions are measured: core cycles per byte that its units allow for
the instructions that each row cannot do without.

    python bench/bounds/derive.py

A row takes at least as long as its instructions keep the busiest resource busy; with one job, also as long as the chain
of dependent instructions. Where a row can be done in several ways, the quickest counts. For how long an instruction
keeps a resource busy, and its latency, is what `cryptostitch probe` measured: generator/cryptostitch/cpus. What is left
out: loads, stores, keys, addresses, loop control, padding; and dispatch, because what the probe says of it is no bound:
on Zen 5 a loop of 10 vaesenc, 3 vpclmulqdq, 3 vpshufb, 8 vpxorq and 3 loads, all independent, takes 7.53 cycles, where
dispatch would take 9.1. The four vector pipes say 7.50 (with 4 vpclmulqdq and 1 vpshufb, which vpclmulqdq alone keeps
busy for 8: 8.03; with 14 vaesenc 8.55 and 8.79, where the pipes say 8.50 and 8.75).
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

CPUS = Path(__file__).resolve().parents[2] / "generator/cryptostitch/cpus"
# The form that stands for a kind of instruction: `any` for additions and all functions of two or three words, `narrow`
# for the other instructions of 128 bits beside those of SHA-NI, `multiply` for 64-bit scalar multiplications.
FORMS = {
    "any": "vpaddd zmm zmm zmm",
    "aes": "vaesenc zmm zmm zmm",
    "half_aes": "vaesenc ymm ymm ymm",
    "rotate": "vprold zmm zmm i",
    "shift": "vpslld zmm zmm i",
    "shuffle": "vpshufb zmm zmm zmm",
    "ifma": "vpmadd52luq zmm zmm zmm",
    "clmul": "vpclmulqdq zmm zmm zmm i",
    "rounds1": "sha1rnds4 xmm xmm i",
    "rounds2": "sha256rnds2 xmm xmm",
    "narrow": "paddd xmm xmm",
    "multiply": "mulx r64 r64 r64",
}
NO_BOUND = {"dispatch"}
# Instructions per byte.
Work = Counter


def per(count: int, **instructions: float) -> Work:
    return Counter({kind: number / count for kind, number in instructions.items()})


# 16 lanes of 64-byte blocks (SHA-512: 8 of 128): rounds and schedule as in FIPS 180-4 with vpternlog for every function
# of three words, and the transposition of the input: for 16 lanes 32 unpacks and 32 shuffles across lanes, for 8 lanes
# 8 unpacks and 16 shuffles a half; bytes swapped by 16 vpshufb (not in MD5). SHA-1. Round: 4 adds, 1 function, 2
# rotates; word: 2 xors, 1 rotate. SHA-2. Round: 7 adds, 4 functions, 6 rotates; word: 3 adds, 2 functions, 4 rotates, 2
# shifts.
SHA1 = per(1024, any=80 * 5 + 64 * 2 + 32, rotate=80 * 2 + 64, shuffle=48)
SHA256 = per(1024, any=64 * 11 + 48 * 5 + 32, rotate=64 * 6 + 48 * 4, shift=48 * 2, shuffle=48)
SHA512 = per(1024, any=80 * 11 + 64 * 5 + 16, rotate=80 * 6 + 64 * 4, shift=64 * 2, shuffle=48)
MD5 = per(1024, any=64 * 5 + 32, rotate=64, shuffle=32)  # round: 4 adds, 1 function, 1 rotate
# GM/T 0004-2012. Round: 8 adds, 5 functions and xors, 6 rotates; word (52 of them): 3 functions, 4 rotates.
SM3 = per(1024, any=64 * 13 + 52 * 3 + 32, rotate=64 * 6 + 52 * 4, shuffle=48)
SHA1_NI = per(64, rounds1=20, narrow=50)  # 12 sha1msg1, 12 sha1msg2, 20 sha1nexte, 6 others
# 12 sha256msg1, 12 sha256msg2, 28 adds, 9 of the 16 swaps and copies that no renaming takes away
SHA256_NI = per(64, rounds2=32, narrow=61)
# 80 quarter rounds; feed-forward, text, transposition
CHACHA20 = per(1024, any=80 * 8 + 16 + 16 + 32, rotate=80 * 4, shuffle=32)
# 8 lanes of 3 limbs: 9 products in halves; splitting, adding, carrying
POLY1305_IFMA = per(128, ifma=18, any=10, shift=7, shuffle=2)
POLY1305_SCALAR = per(16, multiply=6)  # (h2 h1 h0) * (r1 r0) with r1 * 5 / 4
# By Karatsuba's three products or by four. The bytes are reversed; two vectors' halves are added by two unpacks and an
# xor; a vpternlog adds two products to a sum.
GHASH = [per(64, clmul=3, shuffle=1, any=1.5 + 1.5), per(64, clmul=4, shuffle=1, any=2)]


def aes(bits: int) -> Work:
    """Any mode: its rounds, and the first round key, with what else a vpternlog adds."""
    return per(64, aes=rounds(bits), any=1)


def in_halves(work: Work) -> Work:
    """AES by 256-bit instructions, beside which Zen 4 has a pipe left for SHA-NI."""
    return Counter({kind: number for kind, number in work.items() if kind != "aes"} | {"half_aes": 2 * work["aes"]})


def counter_mode(bits: int) -> Work:
    return aes(bits) + per(64, any=1)  # the text, by the last round key


def xts(bits: int) -> Work:
    # tweaks of four blocks: two shifts, for which there are other instructions, what carries, xors of tweak and text
    return aes(bits) + per(64, any=6)


HASHES: dict[str, list[Work]] = {
    "sha1": [SHA1, SHA1_NI],
    "sha224": [SHA256, SHA256_NI],
    "sha256": [SHA256, SHA256_NI],
    "sha384": [SHA512],
    "sha512": [SHA512],
    "sha512_256": [SHA512],
    "sm3": [SM3],
    "md5": [MD5],
}
# One job: cycles per byte of the chain, where SHA-NI has no instructions for it. SHA-512: e -> rorx, xor, xor, add, add
# a round. MD5: b -> and, add, rotate, add, in the last 16 rounds one more. SM3: e -> add, rotate, add, rotate, xor,
# xor.
HASH_CHAINS = {
    "sha384": 80 * 5 / 128,
    "sha512": 80 * 5 / 128,
    "sha512_256": 80 * 5 / 128,
    "sm3": 64 * 6 / 64,
    "md5": (48 * 4 + 16 * 5) / 64,
}
# Bytes of a block. Keccak-f[1600], 24 rounds: 10 xors of three for the columns, 25 with them, 25 of chi, iota; 24 + 5
# rotates; chain: column (2), rotate, xor, rotate, chi.
RATES = {"sha3-224": 144, "sha3-256": 136, "sha3-384": 104, "sha3-512": 72, "shake128": 168, "shake256": 136}
# Of a round 8 G: 6 adds, 4 xors, 4 rotates; chain, of two G: 6 adds, xors and rotates a half.
BLAKE2 = {"blake2b-512": (128, 8, 12), "blake2s-256": (64, 16, 10)}  # block, lanes, rounds
ESP = {"md5": 96, "sha1": 96, "sha256": 128, "sha384": 192, "sha512": 256}
TLS = {128: ["sha1", "sha256"], 256: ["sha1", "sha256", "sha384"]}


def rounds(bits: int) -> int:
    return bits // 32 + 6


class Table:
    """The rows of one CPU. ``instructions``: how long each form keeps which resource busy."""

    def __init__(self, instructions: dict[str, dict]) -> None:
        self.costs = {kind: instructions[form] for kind, form in FORMS.items()}
        # four rounds of SHA-1, two of SHA-256
        two = 32 * self.latency("rounds2") / 64
        self.hash_chains = HASH_CHAINS | {"sha1": 20 * self.latency("rounds1") / 64, "sha224": two, "sha256": two}
        self.lines: list[str] = []

    def latency(self, kind: str) -> float:
        return max(cycles for cycles in self.costs[kind]["latency"] if cycles)

    def aes_chain(self, bits: int) -> float:
        """AES-CBC: its rounds; the xor of the next block goes into the last round key."""
        return rounds(bits) * self.latency("aes") / 16

    def busiest(self, work: Work) -> tuple[float, str]:
        busy: Counter[str] = Counter()
        for kind, number in work.items():
            for resource, cycles in self.costs[kind]["uses"].items():
                if resource not in NO_BOUND:
                    busy[resource] += number * cycles
        # Where copies of one instruction take longer than its units explain.
        for kind, number in work.items():
            busy[FORMS[kind].split()[0]] += number * self.costs[kind]["throughput"]
        resource = max(busy, key=lambda name: round(busy[name], 6))
        return busy[resource], resource

    def add(self, row: str, ways: list[Work], chain: float = 0) -> None:
        """A row with many jobs, and with one: then no quicker than its chain."""
        cycles, basis = min(self.busiest(form(way)) for form in (Counter, in_halves) for way in ways)
        self.lines.append(f"{row}\tmany\t{cycles:.4f}\t{basis}")
        self.lines.append(f"{row}\t1\t{max(cycles, chain):.4f}\t{'chain' if chain > cycles else basis}")

    def both(self, row: str, ways: list[Work], seal_chain: float = 0, open_chain: float = 0) -> None:
        self.add(row, ways, seal_chain)
        self.add(row + "/open", ways, open_chain)

    def fill(self) -> None:
        for hash_name, ways in HASHES.items():
            self.add(hash_name, ways, self.hash_chains[hash_name])
            self.add("hmac-" + hash_name, ways, self.hash_chains[hash_name])
        for hash_name, rate in RATES.items():
            names = [hash_name] if hash_name.startswith("shake") else [hash_name, "hmac-" + hash_name]
            for name in names:
                self.add(name, [per(8 * rate, any=24 * 61, rotate=24 * 29)], 24 * 6 / rate)
        for hash_name, (block, lanes, turns) in BLAKE2.items():
            work = per(lanes * block, any=turns * 8 * 10, rotate=turns * 8 * 4)
            self.add(hash_name, [work], turns * 2 * 12 / block)
        for bits in (128, 192, 256):
            name, chain = f"aes-{bits}", self.aes_chain(bits)
            self.both(name + "-cbc", [aes(bits)], chain)
            self.both(name + "-ctr", [counter_mode(bits)])
            self.both(name + "-ecb", [aes(bits)])
            self.both(name + "-gcm", [counter_mode(bits) + way for way in GHASH])
            if bits != 192:
                self.both(name + "-xts", [xts(bits)])
                self.both(name + "-ccm", [counter_mode(bits) + aes(bits)], chain, chain)
                self.add(name + "-cmac", [aes(bits)], chain)
            for hash_name, ways in HASHES.items():
                hash_chain = self.hash_chains[hash_name]
                pair, counted = [[mode(bits) + way for way in ways] for mode in (aes, counter_mode)]
                suites = [f"{hash_name}-etm"]
                suites += [f"{hash_name}-{ESP[hash_name]}"] if hash_name in ESP else []
                suites += [f"{hash_name}-tls"] if hash_name in TLS.get(bits, []) else []
                for suite in suites:
                    self.both(f"{name}-cbc+hmac-{suite}", pair, max(chain, hash_chain), hash_chain)
                self.both(f"{name}-ctr+hmac-{hash_name}-etm", counted, hash_chain, hash_chain)
                if hash_name == f"sha{2 * bits}":
                    self.both(f"a{bits}cbc-hs{2 * bits}", pair, max(chain, hash_chain), hash_chain)
        self.add("aes-128-xcbc", [aes(128)], self.aes_chain(128))
        self.both("aes-128-cbc+aes-xcbc-96", [aes(128) + aes(128)], self.aes_chain(128), self.aes_chain(128))
        self.both("chacha20", [CHACHA20])
        self.both("chacha20-poly1305", [CHACHA20 + POLY1305_IFMA, CHACHA20 + POLY1305_SCALAR])

    def text(self) -> str:
        head = (
            '# Core cycles per byte that the units of this core allow: row, jobs ("many" or 1), bound, what binds.\n'
            "# Made by `python bench/bounds/derive.py`, where the derivation stands: change that.\n"
        )
        return head + "\n".join(self.lines) + "\n"


def tables() -> dict[str, str]:
    """The text of each file, by CPU."""
    texts = {}
    for file in sorted(CPUS.glob("*/instruction_costs.json")):
        instructions = json.loads(file.read_text(encoding="utf-8"))["instructions"]
        if FORMS["any"] in instructions:
            table = Table(instructions)
            table.fill()
            texts[file.parent.name] = table.text()
    return texts


if __name__ == "__main__":
    for cpu, text in tables().items():
        Path(__file__).with_name(f"{cpu}.tsv").write_text(text, encoding="utf-8")
