"""Memory around the calls of a kernel: state blocks, buffers, arguments, and what must be there afterwards.

Every lane of a hash gets a whole padded message, so that its chaining value afterwards is a digest that hashlib can
confirm. Where the hash reads what a cipher wrote, the cipher is given the plaintext whose ciphertext is that padded
message: CBC can be run backwards. With a decryption the hash reads what the cipher reads.

All lanes of a hash begin with the same chaining value (FIPS 180-4, 5.3; RFC 1321, 3.3), so one call cannot tell whose a
lane loads. A message that is hashed in two calls can: the second begins with lanes that differ.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ..core import catalog, murmur3
from ..core.adler import sums
from ..core.arithmetic import Arithmetic, limbs_of, number_of
from ..core.catalog import ALGORITHMS, Algorithm, Iteration
from ..core.contract import (
    AAD,
    AAD_BYTES,
    CHAIN,
    END_IN,
    END_OUT,
    HEAD_IN,
    HEAD_OUT,
    IN,
    IV,
    JOB,
    JOB_BYTES,
    KEY,
    KEY_ROUND_KEYS,
    LENGTHS,
    LISTED_TEXTS,
    MESSAGE_AAD,
    OUT,
    PADDED_IN,
    PHASE,
    POWERS,
    POWERS_END,
    SHORT_MESSAGE_AAD,
    TABLE,
    TAG,
    TAG_MADE,
    TEXT_BYTES,
    TEXT_IN,
    TEXT_OUT,
    TWEAK_KEY,
    Contract,
    hmac_chains,
    mask_field,
)
from ..core.kinds import FRAMED_KINDS, KINDS, TWEAKED_KINDS
from ..core.montgomery import KEY_NUMBERS, MODULUS, RADIX_INVERSE, Montgomery
from ..core.program import Recipe
from .crc_rows import CrcRows, crc_of
from .field import factor_rows, sum_of_products
from .ghash import power_rows
from .kept import changed
from .keys import expanded, inverse_expanded
from .lanes import (
    READERS,
    chacha20,
    chacha_tag,
    chain_bytes,
    counter_mode,
    gcm_tag,
    next_chacha,
    next_counter,
    writer_of,
)
from .machine import Machine, Outcome, Step
from .padding import chained, most_text, padded
from .result import Skip

WHOLE_BLOCKS = {"cipher_dec", "ecb_enc", "ecb_dec", *TWEAKED_KINDS}  # kinds of texts that end with a block
SHOWN = 16  # bytes of a wrong result
ITERATED = FRAMED_KINDS | {"hash"}  # kinds whose rows with a key say what an iteration computes
GHASH_POWERS = 36  # rows of a message's key

Background = Callable[[int, int], bytes]
"""(stream, number of bytes) -> what memory of the stream holds that nothing has written yet."""
Secrets = Callable[[str, int], bytes]
"""(what it is, number of bytes) -> secret bytes, where what is "key", "iv", "text" or "message" and a stream and
lane."""


def _filled(data: bytes) -> int:
    """Returns the length of the data, padded to whole blocks."""
    return -(-len(data) // 16) * 16


def digest_of(row: Algorithm) -> Callable[[bytes], bytes]:
    """The hash or checksum of a text, by another implementation. Raises Skip where there is none."""
    if row.reference:
        return row.reference
    if row.name not in hashlib.algorithms_available:
        raise Skip(f"no other implementation of {row.name} here: give its row a `reference`")
    return lambda text: hashlib.new(row.name, text).digest()


def of_segment(row: Algorithm) -> Algorithm:
    """Returns the hash that a multi-hash applies to each segment; for another algorithm, its own row."""
    if row.padding != "segments":
        return row
    return next(other for other in ALGORITHMS if f"mh-{other.suite}" == row.suite)


def random_secrets(seed: object) -> Secrets:
    rnd = random.Random(repr(seed))
    return lambda what, size: rnd.randbytes(size)


def noise(seed: object) -> Background:
    rnd = random.Random(repr(seed))
    return lambda stream, size: rnd.randbytes(size)


@dataclass(frozen=True)
class Expected:
    """The bytes at ``address`` must be ``data``, as little-endian numbers modulo ``modulus`` if there is one: ``what``
    says it in words.

    ``pieces`` of them, equal ones, may lie ``pitch`` bytes apart; of a number ``limbs`` says how many limbs in words of
    64 bits they are (core/arithmetic.py).
    """

    what: str
    address: int
    data: bytes
    modulus: int = 0
    pieces: int = 1
    pitch: int = 0
    limbs: int = 0

    def read(self, machine: Machine) -> bytes:
        size = 8 if self.limbs else len(self.data) // self.pieces
        return b"".join(machine.read(self.address + i * self.pitch, size) for i in range(self.pieces))

    def is_met(self, found: bytes) -> bool:
        if self.limbs:
            number = number_of([int.from_bytes(found[at : at + 8], "little") for at in range(0, len(found), 8)])
            return number % self.modulus == int.from_bytes(self.data, "little")
        if self.modulus:
            return int.from_bytes(found, "little") % self.modulus == int.from_bytes(self.data, "little")
        return found == self.data

    def difference(self, found: bytes) -> str:
        """Says what was found where it differs first, and what is expected there: a block, or a number."""
        if self.modulus:
            if self.limbs:
                number = number_of([int.from_bytes(found[at : at + 8], "little") for at in range(0, len(found), 8)])
            else:
                number = int.from_bytes(found, "little")
            return f": found {number % self.modulus:#x}, expected {int.from_bytes(self.data, 'little'):#x}"
        at = next(n for n, (a, b) in enumerate(zip(found, self.data)) if a != b) // SHOWN * SHOWN
        where = f" from byte {at} on" if len(self.data) > SHOWN else ""
        return f"{where}: found {found[at : at + SHOWN].hex()}, expected {self.data[at : at + SHOWN].hex()}"


@dataclass
class Scene:
    """A kernel's memory on a machine. ``fill`` may be called again with other secrets: the addresses stay.

    ``iterations``: what the buffers hold and ``fill`` asks for. ``calls`` divides them over several calls. Of a message
    ``end`` bytes are behind them (-1: some), and it has ``aad`` bytes of AAD. ``background``: what a state block holds
    where ``fill`` writes nothing, since a caller clears no field that the kernel does not read, and what lies where a
    kernel writes; else noise, which is other noise each time.
    """

    recipe: Recipe
    rows: list[Algorithm]
    machine: Machine
    iterations: int
    end: int = -1
    aad: int = 13
    arguments: int = 0
    states: list[int] = field(default_factory=list)
    buffers: dict[tuple[int, str, int], int] = field(default_factory=dict)  # (stream, in|out, lane) -> address
    background: Background | None = None
    outputs: list[tuple[int, int, int]] = field(default_factory=list)  # stream, address, bytes

    def __post_init__(self) -> None:
        self._noise = noise(self.recipe.name)
        if self.iterations <= self.recipe.lag and not self.recipe.skips:
            raise ValueError("a kernel with a lag needs more iterations than its lag")
        for row in self.rows:
            if row.key_bytes and row.kind in ITERATED and not row.iteration:
                raise Skip(f"no other implementation of {row.name} here: give its row an `iteration`")
            if row.kind == "hash" and not row.iteration:
                digest_of(of_segment(row))
        producers = [i for i, p in enumerate(self.recipe.parts) if p.program.contract.has("hand")]
        consumers = [i for i, p in enumerate(self.recipe.parts) if p.program.contract.has("from")]
        self.feeds = dict(zip(consumers, producers))
        writers = [i for i, p in enumerate(self.recipe.parts) if p.program.contract.has("out")]
        readers = [
            i for i, p in enumerate(self.recipe.parts) if not p.program.contract.has("out") and i not in self.feeds
        ]
        self.feeds |= dict(zip(readers, writers)) if not consumers and len(readers) == len(writers) else {}
        # Which of the two buffers of the cipher the hash reads; a checksum in front of the cipher reads its input.
        self.source = {
            i: "in"
            if (i < writer if self.rows[i].kind == "checksum" else KINDS[self.rows[writer].kind].direction == "open")
            else "out"
            for i, writer in self.feeds.items()
        }
        for i, part in enumerate(self.recipe.parts):
            contract = part.program.contract
            if contract.is_listed:
                self._take_jobs(contract)
                continue
            self.states.append(
                self.machine.take(f"state of stream {i}", contract.state_bytes, contract.state_align, True)
            )
            for lane in range(contract.lanes):
                for name in ("in", "out"):
                    if contract.has(name) and not (name == "in" and i in self.feeds):
                        self._take(i, name, lane, f"{name} of stream {i}, lane {lane}", self.length(i), name == OUT)
        for i, part in enumerate(self.recipe.parts):
            if part.program.contract.is_message:
                self._take_message(i, part.program.contract)
        self.arguments = self.machine.take("arguments", 40, 8, False)

    def _take(self, stream: int, name: str, lane: int, what: str, size: int, written: bool) -> None:
        self.buffers[stream, name, lane] = self.machine.take(what, size, 1, written)
        if written:
            self.outputs.append((stream, self.buffers[stream, name, lane], size))

    def contract(self, stream: int) -> Contract:
        return self.recipe.parts[stream].program.contract

    def length(self, stream: int) -> int:
        """Bytes that each lane of the stream goes through."""
        part = self.recipe.parts[stream]
        return part.program.contract.bytes * part.ratio * self.iterations

    def entry(self, stream: int, name: str, row: int, lane: int) -> int:
        f = self.contract(stream).field(name)
        return self.states[stream] + f.offset + row * f.row_bytes + f.lane_offsets[lane]

    # ---- contents

    def fill(self, secrets: Secrets) -> list[Expected]:
        """Writes everything anew; what must be true after the run."""
        expected: list[Expected] = []
        background = self.background or self._noise
        for stream, address, size in self.outputs:
            self.machine.write(address, background(stream, size))
        # of what the consumer of (stream, lane) will read: the digest for a hash, else all of it
        texts: dict[tuple[int, int], bytes] = {}
        self.machine.write(
            self.arguments, b"".join(v.to_bytes(8, "little") for v in (self.iterations, *(self.states + [0] * 4)[:4]))
        )
        for i, part in enumerate(self.recipe.parts):
            contract = part.program.contract
            if contract.is_listed:
                continue
            self.machine.write(self.states[i], background(i, contract.state_bytes))
            for name in ("in", "out"):
                for lane in range(contract.lanes) if contract.has(name) else ():
                    address = self.buffers.get((i, name, lane)) or self.buffers[self.feeds[i], self.source[i], lane]
                    self.machine.write(self.entry(i, name, 0, lane), address.to_bytes(8, "little"))
            if contract.has("from"):
                hand = self.states[self.feeds[i]] + self.contract(self.feeds[i]).field("hand").offset
                self.machine.write(self.entry(i, "from", 0, 0), hand.to_bytes(8, "little"))
        consumers = {producer: consumer for consumer, producer in self.feeds.items()}
        for i, row in sorted(enumerate(self.rows), key=lambda stream: stream[0] in self.feeds):
            if row.padding == "segments":
                expected += self._segments(i, row, secrets)
            elif row.padding == "rest":
                expected += self._blocks_of_rest(i, secrets)
            elif row.iteration:
                expected += self._iterated(i, row, row.iteration, secrets, texts)
            elif row.kind == "hash" and self.contract(i).is_listed:
                expected += self._hashed_jobs(row, secrets, background)
            elif row.kind == "hash":
                expected += self._hash(i, row, secrets, texts)
            elif row.kind == "checksum" and self.contract(i).has(END_IN):
                expected += self._checksum_of_whole(i, row, secrets, texts)
            elif row.kind == "checksum":
                expected += self._checksum(i, row, secrets)
            elif row.kind == "codec":
                expected += self._codec(i, row, secrets)
            elif row.kind == "schedule":
                expected += self._schedule(i, row, secrets)
            elif isinstance(row.arithmetic, Montgomery):
                expected += self._montgomery(i, row.arithmetic, secrets)
            elif row.arithmetic:
                expected += self._arithmetic(i, row.arithmetic, secrets)
            elif self.contract(i).is_listed:
                expected += self._jobs(row, secrets, background)
            elif self.contract(i).is_message:
                takes_aad, reads = self.contract(i).has(AAD), row.kind in READERS
                if takes_aad:
                    expected += self._message_of_aead(i, row, secrets)
                elif reads:
                    expected += self._whole_mac(i, row, secrets)
                else:
                    expected += self._whole_text(i, row, secrets, texts, consumers.get(i))
            elif row.kind in READERS:
                expected += self._mac(i, row, secrets, texts)
            else:
                reader = self.rows[consumers[i]] if i in consumers else None
                expected += self._cipher(i, row, secrets, texts, reader)
        return expected

    def _message(self, row: Algorithm, length: int, secrets: Secrets, what: str) -> tuple[bytes, bytes]:
        """A message of which ``length`` bytes are read, as they are read, and its digest."""
        body = secrets(what, most_text(row, length))
        return padded(row, body), chained(row, body, digest_of(row))

    def _hash(self, i: int, row: Algorithm, secrets: Secrets, texts: dict) -> list[Expected]:
        expected = []
        for lane in range(self.contract(i).lanes):
            for word, value in enumerate(row.initial):
                self.machine.write(self.entry(i, "chain", word, lane), value.to_bytes(row.word_bytes, "little"))
            if i in self.feeds:
                digest = texts[self.feeds[i], lane]
            else:
                message, digest = self._message(row, self.length(i), secrets, f"message of stream {i}, lane {lane}")
                self.machine.write(self.buffers[i, "in", lane], message)
            for word in range(0, len(digest), row.word_bytes):
                value = digest[word : word + row.word_bytes]
                expected.append(
                    Expected(
                        f"chaining value {word // row.word_bytes} of stream {i}, lane {lane}",
                        self.entry(i, "chain", word // row.word_bytes, lane),
                        value[::-1] if row.big_endian else value,
                    )
                )
        return expected

    def _iterated(self, i: int, row: Algorithm, iteration: Iteration, secrets: Secrets, texts: dict) -> list[Expected]:
        """Any chaining value, and any input, of a stream whose row says what an iteration computes."""
        expected, size = [], row.word_bytes
        for lane in range(self.contract(i).lanes):
            where = f"of stream {i}, lane {lane}"
            chain = secrets(f"iv {where}", row.words * size)
            for word in range(row.words):
                self.machine.write(self.entry(i, CHAIN, word, lane), chain[size * word :][:size])
            if i in self.feeds:
                text = texts[self.feeds[i], lane]
            else:
                text = secrets(f"text {where}", self.length(i))
                self.machine.write(self.buffers[i, IN, lane], text)
            for at in range(0, len(text), row.bytes):
                after = iteration(chain, text[at : at + row.bytes])
                if isinstance(after, tuple):
                    chain, out = after
                    expected.append(Expected(f"output {where}", self.buffers[i, OUT, lane] + at, out))
                else:
                    chain = after
            for word in range(row.words):
                expected.append(
                    Expected(
                        f"chaining value {word} {where}", self.entry(i, CHAIN, word, lane), chain[size * word :][:size]
                    )
                )
        return expected

    def _segments(self, i: int, row: Algorithm, secrets: Secrets) -> list[Expected]:
        """Deals a padded message to each segment that the kernel does; the words of the others are random."""
        size, one = row.word_bytes, of_segment(row)
        columns, length = self.contract(i).field(CHAIN).row_bytes // size, self.length(i) // catalog.SEGMENTS
        text = bytearray(secrets(f"text of stream {i}", self.length(i)))
        digests = []
        for segment in range(columns):
            message, digest = self._message(one, length, secrets, f"message of stream {i}, segment {segment}")
            digests.append(digest)
            for word in range(0, length, size):
                at = word * catalog.SEGMENTS + segment * size
                text[at : at + size] = message[word : word + size]
        self.machine.write(self.buffers[i, IN, 0], bytes(text))
        expected = []
        for word, value in enumerate(row.initial):
            at, rows = self.entry(i, CHAIN, word, 0), (digest[word * size :][:size] for digest in digests)
            self.machine.write(at, value.to_bytes(size, "little") * columns)
            data = b"".join(row[::-1] for row in rows)
            expected.append(Expected(f"chaining value {word} of the segments of stream {i}", at, data))
        return expected

    def _blocks_of_rest(self, i: int, secrets: Secrets) -> list[Expected]:
        text, chain = secrets(f"text of stream {i}", self.length(i)), secrets(f"iv of stream {i}", 16)
        self.machine.write(self.buffers[i, IN, 0], text)
        words = murmur3.after((int.from_bytes(chain[:8], "little"), int.from_bytes(chain[8:], "little")), text)
        expected = []
        for n, word in enumerate(words):
            at = self.entry(i, CHAIN, n, 0)
            self.machine.write(at, chain[8 * n : 8 * n + 8])
            expected.append(Expected(f"chaining value {n} of stream {i}", at, word.to_bytes(8, "little")))
        return expected

    def _cipher(
        self, i: int, row: Algorithm, secrets: Secrets, texts: dict, reader: Algorithm | None
    ) -> list[Expected]:
        expected = []
        contract = self.contract(i)
        keys = contract.field("key") if contract.has("key") else None
        opening, writer = KINDS[row.kind].direction == "open", writer_of(row)
        shared = secrets(f"key of stream {i}", row.key_bytes) if keys and keys.shared else b""
        copies = range(len(keys.lane_offsets)) if keys and shared else None
        for lane in range(self.contract(i).lanes):
            where = f"of stream {i}, lane {lane}"
            key = shared or secrets(f"key {where}", row.key_bytes)
            chain = writer.chain(secrets(f"iv {where}", chain_bytes(row)))
            if reader and reader.kind == "hash" and not reader.iteration:
                read, texts[i, lane] = self._message(reader, self.length(i), secrets, f"text {where}")
                text, out = (read, writer.run(key, chain, read)) if opening else (writer.back(key, chain, read), read)
            else:
                text = secrets(f"text {where}", self.length(i))
                out = writer.run(key, chain, text)
                texts[i, lane] = text if opening else out
            self.machine.write(self.buffers[i, "in", lane], text)
            for r, key_row in enumerate(writer.rows_of(key, keys.form) if keys else ()):
                for copy in copies or (lane,):
                    self.machine.write(self.entry(i, "key", r, copy), key_row)
            if writer.table:
                self.machine.write(self.entry(i, "table", 0, lane), writer.table(key))
                expected.append(
                    Expected(
                        f"table {where}", self.entry(i, "table", 0, lane), writer.table_after(key, chain, len(text))
                    )
                )
            expected.append(Expected(f"output {where}", self.buffers[i, "out", lane], out))
            if chain:
                self.machine.write(self.entry(i, "chain", 0, lane), chain)
                after = (
                    writer.chain_after(key, chain, len(text)) if writer.chain_after else writer.after(chain, text, out)
                )
                expected.append(Expected(f"chaining block {where}", self.entry(i, "chain", 0, lane), after))
        return expected

    def _mac(self, i: int, row: Algorithm, secrets: Secrets, texts: dict) -> list[Expected]:
        expected, reader, chains = [], READERS[row.kind], self.contract(i).field("chain")
        for lane in range(self.contract(i).lanes):
            where = f"of stream {i}, lane {lane}"
            key, chain = secrets(f"key {where}", row.key_bytes), reader.chain(secrets(f"iv {where}", chain_bytes(row)))
            if i in self.feeds:
                text = texts[self.feeds[i], lane]
            else:
                text = secrets(f"text {where}", self.length(i))
                self.machine.write(self.buffers[i, "in", lane], text)
            field = self.contract(i).field("key")
            for r, key_row in enumerate(reader.rows(key, field.form, field.rows)):
                self.machine.write(self.entry(i, "key", r, lane), key_row)
            for r in range(chains.rows):
                self.machine.write(
                    self.entry(i, "chain", r, lane), chain[r * chains.entry_bytes :][: chains.entry_bytes]
                )
            expected.append(
                Expected(
                    f"chaining value {where}",
                    self.entry(i, "chain", 0, lane),
                    reader.after(key, chain, text),
                    reader.modulus,
                    chains.rows,
                    chains.row_bytes,
                )
            )
        return expected

    def _schedule(self, i: int, row: Algorithm, secrets: Secrets) -> list[Expected]:
        if row.cipher is None:
            raise Skip(f"no other implementation of {row.name} here: give its row a `cipher`")
        key = secrets(f"key of stream {i}", row.key_bytes)
        padded_key = key.ljust(16 * self.contract(i).field(KEY).rows, b"\0")
        for n in range(0, len(padded_key), 16):
            self.machine.write(self.entry(i, KEY, n // 16, 0), padded_key[n : n + 16])
        return [
            Expected(f"round key {n}", self.entry(i, CHAIN, n, 0), round_key)
            for n, round_key in enumerate(row.cipher.round_keys(key))
        ]

    def _arithmetic(self, i: int, meaning: Arithmetic, secrets: Secrets) -> list[Expected]:
        """Numbers below the prime. The words of the chain are one of the step's cases; or the first one is a bit, and
        the others are any."""
        expected, chain = [], self.contract(i).field(CHAIN)
        limbs = (chain.rows - meaning.words) // meaning.chain
        table = [self._number(secrets(f"table of stream {i}, number {n}", 40), meaning) for n in range(meaning.table)]
        for r, word in enumerate(limb for number in table for limb in limbs_of(number, limbs)):
            self.machine.write(self.entry(i, TABLE, r, 0), word.to_bytes(8, "little"))
        for lane in range(self.contract(i).lanes):
            where = f"of stream {i}, lane {lane}"
            numbers = [self._number(secrets(f"iv {where}, number {n}", 40), meaning) for n in range(meaning.chain)]
            key = [self._number(secrets(f"key {where}, number {n}", 40), meaning) for n in range(meaning.key)]
            words = [int.from_bytes(secrets(f"key {where}, word {n}", 8), "little") for n in range(meaning.words)]
            words[:1] = [word & 1 for word in words[:1]]
            if meaning.cases:
                words = list(meaning.cases[secrets(f"key {where}, case", 1)[0] % len(meaning.cases)])
            for name, of, behind in ((CHAIN, numbers, words), (KEY, key, [])):
                for r, word in enumerate([limb for number in of for limb in limbs_of(number, limbs)] + behind):
                    self.machine.write(self.entry(i, name, r, lane), word.to_bytes(8, "little"))
            for _ in range(self.iterations * self.recipe.parts[i].ratio):
                numbers, words = meaning.step(numbers, words, key + table, meaning.scale(limbs))
            for n, number in enumerate(numbers):
                at, data = self.entry(i, CHAIN, n * limbs, lane), number.to_bytes(40, "little")
                expected.append(Expected(f"number {n} {where}", at, data, meaning.prime, limbs, chain.row_bytes, limbs))
            for n, word in enumerate(words):
                at = self.entry(i, CHAIN, len(numbers) * limbs + n, lane)
                expected.append(Expected(f"word {n} {where}", at, word.to_bytes(8, "little")))
        return expected

    def _montgomery(self, i: int, meaning: Montgomery, secrets: Secrets) -> list[Expected]:
        """Moduli of full size, and numbers below twice them."""
        expected, limbs, chain = [], meaning.limbs, self.contract(i).field(CHAIN)
        for lane in range(self.contract(i).lanes):
            where, size = f"of stream {i}, lane {lane}", meaning.bits // 8
            m = int.from_bytes(secrets(f"key {where}, modulus", size), "little") | 1 << meaning.bits - 1 | 1

            def number(what: str, size: int = size, m: int = m) -> int:
                secret = secrets(what, size + 1)
                return 2 * m - 1 - secret[0] if secret[1] < 32 else int.from_bytes(secret, "little") % (2 * m)

            x, key = number(f"iv {where}"), [number(f"key {where}, number {n}") for n in range(KEY_NUMBERS)]
            key[MODULUS], key[RADIX_INVERSE] = m, meaning.radix_inverse_of(m)
            digit = secrets(f"key {where}, digit", 1)[0] % 16
            rows = [row for n in key for row in limbs_of(n, limbs)] + [meaning.inverse_of(m)]
            for name, words in ((CHAIN, [*limbs_of(x, limbs), digit]), (KEY, rows)):
                for r, word in enumerate(words):
                    self.machine.write(self.entry(i, name, r, lane), word.to_bytes(8, "little"))
            for _ in range(self.iterations * self.recipe.parts[i].ratio):
                x = meaning.step(x, digit, key)
            at = self.entry(i, CHAIN, 0, lane)
            expected.append(Expected(f"x {where}", at, x.to_bytes(size, "little"), m, limbs, chain.row_bytes, limbs))
            expected.append(Expected(f"digit {where}", self.entry(i, CHAIN, limbs, lane), digit.to_bytes(8, "little")))
        return expected

    @staticmethod
    def _number(secret: bytes, meaning: Arithmetic) -> int:
        """A number below the prime; one in eight is at the prime's end of them."""
        number = int.from_bytes(secret, "little") % meaning.prime
        return meaning.prime - 1 - secret[0] // 32 if secret[1] < 32 else number

    def _codec(self, i: int, row: Algorithm, secrets: Secrets) -> list[Expected]:
        """Sets up a codec. Every factor is random: sums of products need not be parities of a code. Behind the outputs
        nothing may be written."""
        lanes, outputs = range(self.contract(i).lanes), row.key_bytes
        factors = [secrets(f"key of stream {i}, lane {lane}", outputs) for lane in lanes]
        texts = [secrets(f"text of stream {i}, lane {lane}", self.length(i)) for lane in lanes]
        by_matrix = self.contract(i).field("key").form == "bits"
        expected = []
        for lane in lanes:
            self.machine.write(self.buffers[i, "in", lane], texts[lane])
            self.machine.write(self.buffers[i, "out", lane], bytes(self.length(i)))
            self.machine.write(self.entry(i, "key", 0, lane), factor_rows(factors[lane], by_matrix))
            out = bytes(self.length(i))
            if lane < outputs:
                out = sum_of_products([own[lane] for own in factors], texts)
            expected.append(Expected(f"output {lane} of stream {i}", self.buffers[i, "out", lane], out))
        return expected

    def _take_message(self, i: int, contract: Contract) -> None:
        """Sets up the buffers of a whole message; where bytes are masked, they have only the bytes of the message."""
        if self.end < 0:
            whole = self.rows[i].kind in WHOLE_BLOCKS
            self.end = contract.bytes - (32 if whole else 27)
        if any(self.rows[writer].kind in WHOLE_BLOCKS for writer in self.feeds.values()):
            self.end -= self.end % 16
        for name in (HEAD_IN, HEAD_OUT):
            if contract.has(name) and contract.head_bytes:
                self._take(i, name, 0, f"{name} of stream {i}", self.head(i), name == HEAD_OUT)
        for name, size in ((AAD, self.aad), (contract.rest, self.end), (END_OUT, self.end)):
            if contract.has(name) and i not in self.feeds:
                field = contract.field(name)
                size = size if contract.bit_masks(name) else field.reach
                self._take(i, name, 0, f"{name} of stream {i}", size, field.reach_written)
        if contract.has(KEY):
            key = contract.field(KEY)
            self.buffers[i, KEY, 0] = self.machine.take(f"key of stream {i}", key.reach, key.reach_align, False)
        if contract.has(TWEAK_KEY):
            key = contract.field(TWEAK_KEY)
            self.buffers[i, TWEAK_KEY, 0] = self.machine.take(f"tweak's key of stream {i}", key.reach, 16, False)
        if contract.has(PHASE):
            self.buffers[i, PHASE, 0] = self.machine.take(f"phase of stream {i}", 16, 8, False)
        if contract.has(POWERS):
            self.buffers[i, POWERS, 0] = self.machine.take(
                f"powers of stream {i}", 16 * (GHASH_POWERS - 1) + contract.bytes, 16, False
            )

    def _text(self, i: int, text: bytes) -> None:
        """Writes a message's text, and the pointers to its end."""
        contract, (head, front, end) = self.contract(i), self._cut(i, text)
        for name in (HEAD_IN, HEAD_OUT, END_IN, END_OUT):
            if contract.has(name):
                self._point(i, name, self.buffers[i, name, 0])
        self._mask(i, END_IN, 0, self.end)
        self.machine.write(self.buffers[i, IN, 0], front)
        if head:
            self.machine.write(self.buffers[i, HEAD_IN, 0], head)
        if not contract.bit_masks(END_IN):
            end = end.ljust(contract.field(END_IN).reach, b"\0")
        self.machine.write(self.buffers[i, END_IN, 0], end)

    def _enciphered(self, i: int, text: bytes, out: bytes, rows: list[bytes]) -> list[Expected]:
        """Sets up a text and its ciphertext, and the round keys."""
        head, front, end = self._cut(i, out)
        self._text(i, text)
        self._point(i, KEY, self.buffers[i, KEY, 0])
        self.machine.write(self.buffers[i, KEY, 0], b"".join(rows))
        return [
            *([Expected("output of its head", self.buffers[i, HEAD_OUT, 0], head)] if head else []),
            Expected("output of the message", self.buffers[i, OUT, 0], front),
            Expected("output of its end", self.buffers[i, END_OUT, 0], end),
        ]

    def head(self, i: int) -> int:
        """Bytes of a message's text in front of the loop."""
        return self.contract(i).head_bytes

    def _cut(self, i: int, text: bytes) -> tuple[bytes, bytes, bytes]:
        """Head, what the loop does, and end of a message's text."""
        head = self.head(i)
        behind = head + self.length(i)
        return text[:head], text[head:behind], text[behind:]

    def _point(self, i: int, name: str, address: int) -> None:
        self.machine.write(self.entry(i, name, 0, 0), (address % (1 << 64)).to_bytes(8, "little"))

    def _whole_text(
        self, i: int, row: Algorithm, secrets: Secrets, texts: dict[tuple[int, int], bytes], consumer: int | None
    ) -> list[Expected]:
        writer, key = writer_of(row), secrets("key", row.key_bytes)
        chain, text = writer.chain(secrets("iv", chain_bytes(row))), secrets("text", self.length(i) + self.end)
        after: list[Expected] = []
        if chain:
            self.machine.write(self.entry(i, "chain", 0, 0), chain)
        if self.contract(i).has(TWEAK_KEY):
            tweak_key = secrets("tweak key", row.key_bytes)
            self.machine.write(self.buffers[i, TWEAK_KEY, 0], b"".join(expanded(tweak_key)))
            self._point(i, TWEAK_KEY, self.buffers[i, TWEAK_KEY, 0])
            chain = counter_mode(tweak_key, chain, bytes(16))
            after = [Expected("first tweak", self.entry(i, "chain", 0, 0), chain)]
        out = writer.run(key, chain, text)
        if consumer is not None:
            texts[i, 0] = text if self.source[consumer] == "in" else out[: len(text)]
        return self._enciphered(i, text, out, writer.rows(key)) + after

    def _whole_mac(self, i: int, row: Algorithm, secrets: Secrets) -> list[Expected]:
        reader, key = READERS[row.kind], secrets("key", row.key_bytes)
        chain, text = reader.chain(secrets("iv", chain_bytes(row))), secrets("text", self.length(i) + self.end)
        self._text(i, text)
        self.machine.write(self.entry(i, "chain", 0, 0), chain)
        powers = self._powers(i, key)
        self._point(i, POWERS, powers - self.contract(i).bytes)
        self._point(i, POWERS_END, powers - 16 * -(-self.end // 16))
        after = reader.after(key, chain, text + bytes(-len(text) % 16))
        return [Expected("chaining value of the message", self.entry(i, "chain", 0, 0), after)]

    def _checksum(self, i: int, row: Algorithm, secrets: Secrets) -> list[Expected]:
        """Sets up a checksum by one of the polynomials that run on these kernels, as if a text had been hashed
        before."""
        those = [row, *(a for a in ALGORITHMS if a.base == row.name)]
        row = those[secrets("which", 1)[0] % len(those)]
        text = secrets("text", self.length(i) + self.end)
        contract = self.contract(i)
        zeros, masked = contract.bytes - self.end, contract.bit_masks(HEAD_IN) is not None
        self.machine.write(self.buffers[i, IN, 0], text[self.end :])
        self.machine.write(self.buffers[i, HEAD_IN, 0], bytes(0 if masked else zeros) + text[: self.end])
        self._point(i, HEAD_IN, self.buffers[i, HEAD_IN, 0] - zeros * masked)
        self._mask(i, HEAD_IN, zeros, self.end)
        if not contract.has(PHASE):
            found = b"".join(n.to_bytes(8, "little") for n in sums(text))
            return [Expected("sums of the text", self.entry(i, "chain", 0, 0), found)]
        self.machine.write(self.buffers[i, KEY, 0], CrcRows(crc_of(row)).key)
        self._point(i, KEY, self.buffers[i, KEY, 0])
        return self._summed(i, row, secrets, text)

    def _checksum_of_whole(
        self, i: int, row: Algorithm, secrets: Secrets, texts: dict[tuple[int, int], bytes]
    ) -> list[Expected]:
        """Sets up a checksum by the row's own polynomial, whose end is read behind the loop, of a text of its own or of
        what a cipher reads or writes."""
        if i in self.feeds:
            text = texts[self.feeds[i], 0]
            end = self.buffers[self.feeds[i], END_IN if self.source[i] == "in" else END_OUT, 0]
        else:
            text, end = secrets("text", self.length(i) + self.end), self.buffers[i, END_IN, 0]
            self.machine.write(self.buffers[i, IN, 0], text[: self.length(i)])
            self.machine.write(end, text[self.length(i) :])
        zeros = self.contract(i).bytes - self.end
        self._point(i, END_IN, end - zeros)
        self._mask(i, END_IN, zeros, self.end)
        return self._summed(i, row, secrets, text)

    def _summed(self, i: int, row: Algorithm, secrets: Secrets, text: bytes) -> list[Expected]:
        """Sets up the value of a text before this one, and what multiplies it."""
        crc, digest, before = crc_of(row), digest_of(row), secrets("text before", 20)
        rows = CrcRows(crc)
        order: Literal["big", "little"] = "big" if row.big_endian else "little"
        chains = [rows.chain(int.from_bytes(digest(t), order) ^ crc.final) for t in (before, before + text)]
        self.machine.write(self.entry(i, "chain", 0, 0), chains[0])
        self.machine.write(self.buffers[i, PHASE, 0], rows.phase(self.end))
        self._point(i, PHASE, self.buffers[i, PHASE, 0])
        half = 8 * crc.reflected
        result = chains[1][half : half + 8]
        return [Expected("checksum of the text", self.entry(i, "chain", 0, 0) + half, result)]

    def _powers(self, i: int, key: bytes) -> int:
        """Writes those of H = ``key``; the address behind the last."""
        at = self.buffers[i, POWERS, 0]
        self.machine.write(at, b"".join(power_rows(key, GHASH_POWERS)) + bytes(self.contract(i).bytes - 16))
        return at + 16 * GHASH_POWERS

    def _mask(self, i: int, name: str, before: int, size: int) -> None:
        """Says that ``size`` bytes from ``before`` on are where the pointer points."""
        contract = self.contract(i)
        if contract.has(mask_field(name)):
            field, ones = contract.field(mask_field(name)), ((1 << size) - 1) << before
            data = ones.to_bytes(field.size, "little")
            if not contract.bit_masks(name):
                data = (bytes(before) + b"\xff" * size).ljust(field.size, b"\0")
            self.machine.write(self.states[i] + field.offset, data)

    def _message_of_aead(self, i: int, row: Algorithm, secrets: Secrets) -> list[Expected]:
        contract = self.contract(i)
        key, counter = secrets("key", row.key_bytes), secrets("iv", 16)
        aad, text = secrets("aad", self.aad), secrets("text", self.head(i) + self.length(i) + self.end)
        opens = KINDS[row.kind].direction == "open"
        front = SHORT_MESSAGE_AAD if contract.is_short else MESSAGE_AAD
        if row.kind.startswith("chacha_poly"):
            unit, rows = 1, [key[:16], key[16:]]
            out = chacha20(key, next_chacha(counter, 1), text)
            tag = chacha_tag(key, counter, aad, text if opens else out)
        else:
            unit, rows = 8, expanded(key)
            out = counter_mode(key, next_counter(counter, 1), text)
            tag = gcm_tag(key, counter, aad, text if opens else out)
            powers = self._powers(i, counter_mode(key, bytes(16), bytes(16)))
            behind = SHORT_MESSAGE_AAD if contract.is_short else contract.bytes
            self._point(i, POWERS, powers - contract.bytes)
            self._point(i, POWERS_END, powers - _filled(bytes(self.end)) - 16 - behind)
        before = front - _filled(aad)
        masked = contract.bit_masks(AAD) is not None
        self._point(i, AAD, self.buffers[i, AAD, 0] - before * masked)
        self._mask(i, AAD, before, len(aad))
        lengths = b"".join((unit * len(data)).to_bytes(8, "little" if unit == 1 else "big") for data in (aad, text))
        self.machine.write(self.entry(i, "counter", 0, 0), counter)
        self.machine.write(self.entry(i, LENGTHS, 0, 0), lengths)
        reach = contract.field(AAD).reach
        self.machine.write(self.buffers[i, AAD, 0], aad if masked else (bytes(before) + aad).ljust(reach, b"\0"))
        return [
            *self._enciphered(i, text, out, rows),
            Expected("tag of the message", self.entry(i, "chain", 0, 0), tag),
        ]

    # ---- lists of messages, whose state blocks are jobs

    def _take_jobs(self, contract: Contract) -> None:
        """Sets up a job for each iteration: the first has an end of ``end`` bytes and ``aad`` bytes of AAD, the others
        have other lengths, or all have the same where the kernel takes only one. Where there is a loop, it runs once
        for the first, and up to three times, or never, for others."""
        of_one_length = not contract.has(TEXT_BYTES)
        self.end = contract.bytes if of_one_length else contract.bytes - 27 if self.end < 0 else self.end
        least, most = (contract.fewest(AAD_BYTES), contract.most_aad) if contract.has(AAD) else (0, 0)
        self.aad = max(least, min(self.aad, most))
        strides = [(1, 0, 2, 3)[n % 4] * contract.text_head for n in range(self.iterations)]
        ends = [
            (self.end + 7 * n) % contract.bytes or contract.bytes if n else self.end for n in range(self.iterations)
        ]
        self.jobs = [
            (
                self.machine.take(f"job {n}", JOB_BYTES, 8, True),
                contract.text_head + strides[n] + (self.end if of_one_length else ends[n]),
                least + (self.aad - least + 5 * n) % (most - least + 1),
            )
            for n in range(self.iterations)
        ]
        if self.rows[0].kind in WHOLE_BLOCKS:
            self.jobs = [(job, -(-text // 16) * 16, aad) for job, text, aad in self.jobs]
        for n, (_, text, aad) in enumerate(self.jobs):
            sizes = {AAD: aad, TEXT_IN: text, TEXT_OUT: text}
            for name in (KEY, IV, AAD, *LISTED_TEXTS, TEXT_OUT, TAG):
                if contract.has(name):
                    size = sizes.get(name, contract.field(name).reach)
                    align, written = contract.field(name).reach_align, contract.field(name).reach_written
                    self.buffers[0, name, n] = self.machine.take(f"{name} of job {n}", size, align, written)
                    if written:
                        self.outputs.append((0, self.buffers[0, name, n], size))
        self.states.append(self.machine.take("list of jobs", 8 * self.iterations, 8, False))

    def _jobs(self, row: Algorithm, secrets: Secrets, background: Background) -> list[Expected]:
        contract, opens = self.contract(0), KINDS[row.kind].direction == "open"
        self.machine.write(self.states[0], b"".join(job.to_bytes(8, "little") for job, _, _ in self.jobs))
        expected = []
        for n, (job, text_bytes, aad_bytes) in enumerate(self.jobs):
            where = f" of message {n}" if n else ""
            key = secrets(f"key{where}", row.key_bytes)
            iv = secrets(f"iv{where}", contract.field(IV).reach) if contract.has(IV) else b""
            text = secrets(f"text{where}", text_bytes)
            fields = {name: self.buffers[0, name, n] for name in JOB if (0, name, n) in self.buffers}
            fields |= {TEXT_BYTES: len(text)}
            self.machine.write(job, background(0, JOB_BYTES))
            if contract.has(AAD):
                aad = secrets(f"aad{where}", aad_bytes)
                fields |= {AAD_BYTES: aad_bytes}
                counter = iv + bytes((0, 0, 0, 1))
                out = counter_mode(key, next_counter(counter, 1), text)
                tag = gcm_tag(key, counter, aad, text if opens else out)
                at = job + JOB[TAG_MADE] if opens else self.buffers[0, TAG, n]
                expected.append(Expected(f"tag{where}", at, tag))
                self.machine.write(self.buffers[0, AAD, n], aad)
                parts = [expanded(key), power_rows(counter_mode(key, bytes(16), bytes(16)), GHASH_POWERS)]
            else:
                writer = writer_of(row)
                first = iv = writer.chain(iv)
                parts = [expanded(key), inverse_expanded(key)]
                if row.kind in TWEAKED_KINDS:
                    tweak_key = secrets(f"tweak key{where}", row.key_bytes)
                    parts.append(expanded(tweak_key))
                    first = counter_mode(tweak_key, iv, bytes(16))
                out = writer.run(key, first, text)
            key_object = background(0, KEY_ROUND_KEYS)
            for part in parts:
                rows, reach = b"".join(part), contract.field(KEY).reach
                key_object = (key_object + rows.ljust(-(-len(rows) // 64) * 64, b"\0"))[:reach]
            self.machine.write(self.buffers[0, KEY, n], key_object.ljust(reach, b"\0"))
            if iv:
                self.machine.write(self.buffers[0, IV, n], iv)
            self.machine.write(self.buffers[0, TEXT_IN, n], text)
            for name, value in fields.items():
                self.machine.write(job + JOB[name], value.to_bytes(8, "little"))
            expected.append(Expected(f"output{where}", self.buffers[0, TEXT_OUT, n], out))
        return expected

    def _hashed_jobs(self, row: Algorithm, secrets: Secrets, background: Background) -> list[Expected]:
        contract = self.contract(0)
        self.machine.write(self.states[0], b"".join(job.to_bytes(8, "little") for job, _, _ in self.jobs))
        expected = []
        for n, (job, size, _) in enumerate(self.jobs):
            where = f" of message {n}" if n else ""
            text_in = contract.listed_text.name
            before, digest = bytes(row.block_bytes * contract.has(KEY)), digest_of(row)
            if text_in == PADDED_IN:
                most = most_text(row, size)
                size = most - n % min(row.block_bytes, most + 1)
            text = secrets(f"text{where}", size)
            read = padded(row, before + text)[len(before) :] if text_in == PADDED_IN else text
            self.machine.write(self.buffers[0, text_in, n], read)
            self.machine.write(job, background(0, JOB_BYTES))
            for name in (KEY, text_in, TAG):
                if (0, name, n) in self.buffers:
                    self.machine.write(job + JOB[name], self.buffers[0, name, n].to_bytes(8, "little"))
            found = digest(text)
            if before:
                # A chaining value is the digest of a message that fills a block with its padding; what is hashed from
                # there on is the digest of that block and what follows.
                befores = [
                    secrets(f"{what} key{where}", most_text(row, row.block_bytes)) for what in ("inner", "outer")
                ]
                key = bytearray(background(0, contract.field(KEY).reach))
                for message, at in zip(befores, hmac_chains(row.words * row.word_bytes)):
                    chain = digest(message)
                    words = [chain[i : i + row.word_bytes][::-1] for i in range(0, len(chain), row.word_bytes)]
                    key[at : at + len(chain)] = b"".join(words)
                self.machine.write(self.buffers[0, KEY, n], bytes(key))
                found = digest(padded(row, befores[1]) + digest(padded(row, befores[0]) + text))
            expected.append(Expected(f"digest{where}", self.buffers[0, TAG, n], found))
        return expected

    # ---- several calls

    def calls(self, code: bytes, counts: Sequence[int], trace: bool = False) -> Iterator[tuple[Outcome, list[str]]]:
        """Runs the kernel once for each count, which together are ``iterations``, each more than the recipe's lag.
        Yields how each call ended and what it changed in state blocks though it must not; a fault is the end.
        ValueError for other counts."""
        least = 0 if self.recipe.skips else self.recipe.lag + 1
        if sum(counts) != self.iterations or min(counts) < least or (self.recipe.ends and len(counts) > 1):
            raise ValueError("the calls' iterations are not the scene's, or not more than the kernel's lag")
        for count in counts:
            self.machine.write(self.arguments, count.to_bytes(8, "little"))
            before = self.blocks()
            outcome = self.machine.run(code, self.arguments, trace)
            yield (
                outcome,
                [
                    problem
                    for i, (was, is_) in enumerate(zip(before, self.blocks()))
                    for problem in changed(i, self.contract(i), was, is_)
                ],
            )
            if outcome.fault:
                return
            self.advance(count)

    def advance(self, iterations: int) -> None:
        """Does what a caller does after a call of ``iterations`` iterations: moves every lane's pointers, ``in`` and
        ``out``, on to what is left."""
        for i, part in enumerate(self.recipe.parts):
            contract = part.program.contract
            for name in (IN, OUT) if not contract.is_listed else ():
                for lane in range(contract.lanes) if contract.has(name) else ():
                    at = self.entry(i, name, 0, lane)
                    pointer = (
                        int.from_bytes(self.machine.read(at, 8), "little") + contract.bytes * part.ratio * iterations
                    )
                    self.machine.write(at, (pointer % (1 << 64)).to_bytes(8, "little"))

    def public_trace(self, trace: tuple[Step, ...]) -> tuple[Step, ...]:
        """A trace without the addresses of what a stream of variable time accesses in its table (VARTIME.md): the rest
        is the same for all secrets. Where all is public nothing of it need be."""
        if all(part.program.contract.public for part in self.recipe.parts):
            return ()
        tables = [
            (state + f.offset, state + f.offset + f.size)
            for state, part in zip(self.states, self.recipe.parts)
            if "vartime" in part.program.stream
            for f in part.program.contract.fields
            if f.name == TABLE
        ]
        if not tables:
            return trace
        return tuple(
            replace(
                step,
                accesses=tuple(
                    replace(
                        a, address=next((low for low, high in tables if low <= a.address <= high - a.size), a.address)
                    )
                    for a in step.accesses
                ),
            )
            for step in trace
        )

    def blocks(self) -> list[bytes]:
        """The state blocks; of a list its jobs, one behind the other."""
        if self.recipe.is_listed:
            return [b"".join(self.machine.read(job, JOB_BYTES) for job, _, _ in self.jobs)]
        return [self.machine.read(state, self.contract(i).state_bytes) for i, state in enumerate(self.states)]

    # ---- after the run

    def problems(self, expected: list[Expected]) -> list[str]:
        """Says where memory differs from what it must be: what is wrong first, and how much else is."""
        wrong = [(e, found) for e in expected if not e.is_met(found := e.read(self.machine))]
        if not wrong:
            return []
        first, found = wrong[0]
        others = f", and so are {len(wrong) - 1} others of {len(expected)}" if wrong[1:] else ""
        return [f"{first.what} is wrong{first.difference(found)}{others}"]
