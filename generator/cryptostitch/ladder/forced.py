"""A kernel forced by name through the C API: which suites it serves, in which direction, and the proof that it ran."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass

from ..binding.runtime import ERR_NAME, ERR_UNSUPPORTED, OPEN, SEAL, Context, Job, RawKernel, RuntimeFailure
from ..core.catalog import ALGORITHMS, Algorithm
from ..core.contract import AAD, AAD_BYTES, END_IN, GHASH_ZEROS, KEY, PADDED_IN, POWERS_END, TEXT_BYTES
from ..core.kinds import FRAMED_KINDS, KINDS, TWEAKED_KINDS
from .oracle import BOTH, halves, meaning
from .padding import most_text
from .result import Skip
from .subject import Subject

LISTED = 16  # items that are tried with a kernel of lists, so that some do not end where pages do
DIRECTIONS = {SEAL: "seal", OPEN: "open"}


CHACHA_STITCHED = 1024
"""Bytes of the shortest text of which chacha20-poly1305 leaves anything to a pair kernel
(runtime/message/chacha_poly.cpp, first_bytes)."""


@dataclass
class Forced:
    """While it is entered, the kernel is the bulk kernel of all its suites.

    ``direction``: the one in which the suites use the kernel (a hash: either). ``least``: bytes of an item that is long
    enough for the kernel, whatever stands before the text.
    """

    context: Context
    kernel: RawKernel
    suites: tuple[str, ...]
    direction: int
    lanes: int
    one_key: bool
    hand: bool
    least: int
    pair: bool
    most: int = 0
    """Bytes of the longest item that it can do, with 48 of AAD; 0: any."""
    grain: int = 1
    """Bytes of which its items are multiples: XTS takes its first tweak along only where no ciphertext is stolen."""
    listed_aad: range = range(0)
    """Where it takes jobs of an AEAD as a list, with IVs of 12 bytes and tags of 16: the lengths of AADs."""
    left_out: tuple[str, ...] = ()
    """Suites whose other algorithm nothing can run here."""
    digests: bool = False
    """Whether it takes jobs of a digest or HMAC as a list, of one length each time."""

    @classmethod
    def of(cls, subject: Subject) -> Forced:
        """Raises Skip when the kernel cannot run here, or no suite computes what it does."""
        context, kernel = subject.native(), subject.assembled()
        if schedules := [row.name for row in subject.rows if row.kind == "schedule"]:
            raise Skip(f"no kernel can be forced for a key schedule ({', '.join(schedules)})")
        if starts := [row.name for row in subject.rows if row.kind == "start" and meaning(row.suite).kind == "keyed"]:
            raise Skip(f"no burst calls what a key is made with ({', '.join(starts)})")
        hashes = {row.suite for row in subject.rows if row.kind == "hash" or row.kind in FRAMED_KINDS}
        # Of one kernel for many rates all are tried.
        framed = {row.name for row in subject.rows if row.kind == "hash" and row.padding != "length"}
        hashes |= {row.suite for row in ALGORITHMS if row.base in framed}
        checksums = {row.name for row in subject.rows if row.kind == "checksum"}
        if checksums and len(subject.rows) == 1:
            hashes |= {row.suite for row in ALGORITHMS if (row.base or row.name) in checksums}
        elif checksums:
            hashes |= {row.suite for row in subject.rows if row.kind == "checksum"}
        readers = [row for row in subject.rows if not KINDS[row.kind].writes]
        ciphers = [row for row in subject.rows if KINDS[row.kind].writes]
        kinds = {row.kind for row in subject.rows}
        contracts = [part.program.contract for part in subject.recipe.parts]
        key_bytes = {row.key_bytes for row in subject.rows if row in ciphers or row.kind == "cbc_mac"}
        hand = any(c.has("hand") for c in contracts)
        opens = any(KINDS[row.kind].direction == "open" for row in ciphers)
        block_ciphers = {row.block_cipher for row in subject.rows if row.cipher}
        names = {row.suite for row in subject.rows}
        hashes = {suite for suite in BOTH if set(halves(suite)) == names} or hashes
        if checksums and contracts[0].has(END_IN) and not ciphers:
            raise Skip("no suite runs this checksum's kernel but beside a cipher")
        if checksums and ciphers:
            of_input = subject.rows[0].kind == "checksum"
            suites = tuple(name for name in context.suites() if _sums(name, ciphers[0], hashes, opens != of_input))
        else:
            suites = tuple(
                name
                for name in context.suites()
                if _serves(name, kinds, hashes, key_bytes, hand, bool(opens and hashes))
                and {meaning(name).own} - {""} == block_ciphers
                and not ((contracts[0].is_message or contracts[0].is_listed) and _has_parts(name, kinds))
            )
        if contracts[0].is_listed and "hash" in kinds:  # a suite that only hashes
            wanted = "mac" if contracts[0].has(KEY) else "digest"
            suites = tuple(name for name in suites if meaning(name).kind == wanted)
        if not suites:
            raise Skip("no suite is made of these algorithms")
        left_out = tuple(name for name in suites if not _runs(context, name))
        suites = tuple(name for name in suites if name not in left_out)
        if not suites:
            raise Skip(f"nothing here can run {', '.join(left_out)}")
        first = subject.rows[0].name
        lanes = sum(c.lanes for c, row in zip(contracts, subject.rows) if row.name == first)
        step = contracts[0].bytes * subject.recipe.parts[0].ratio
        least = 0 if subject.recipe.skips else step * (subject.recipe.lag + 1)
        if ciphers and readers:
            least += max(row.block_bytes for row in readers)  # the text up to a boundary of the hash's blocks
        elif "cbc_mac" in kinds:
            least += 16  # CMAC's last block, to which a subkey is added
        if contracts[0].head_bytes:
            least = contracts[0].bytes
        if contracts[0].is_short and contracts[0].has(POWERS_END):
            least = max(least, contracts[0].bytes - 16 * GHASH_ZEROS - 15)
        most = contracts[0].bytes if contracts[0].is_short else 0
        if contracts[0].is_listed:
            least, most = contracts[0].text_head + 1, contracts[0].listed_text.reach
            if not contracts[0].has(TEXT_BYTES):
                least = most
            if contracts[0].has(PADDED_IN):
                most = most_text(subject.rows[0], most)
                least = max(0, most + 1 - subject.rows[0].block_bytes)
            lanes = LISTED
        if {"chacha", "poly1305"} <= kinds:
            least = max(least, CHACHA_STITCHED)
        return cls(
            context,
            kernel,
            suites,
            OPEN if opens else SEAL,
            lanes,
            any(c.has("key") and c.field("key").shared for c in contracts),
            hand,
            least,
            bool(readers and ciphers),
            most,
            16 if kinds & TWEAKED_KINDS else 1,
            range(max(1, contracts[0].fewest(AAD_BYTES)), contracts[0].most_aad + 1)
            if contracts[0].is_listed and contracts[0].has(AAD)
            else range(0),
            left_out,
            contracts[0].is_listed and "hash" in kinds,
        )

    def suits(self, text: int, iv: int, aad: int, tag: int) -> bool:
        """Whether the kernel takes an item with so many bytes of each."""
        if not self.least <= text <= (self.most or text):
            return False
        return not self.listed_aad or (iv == 12 and aad in self.listed_aad and tag == 16)

    @property
    def note(self) -> str:
        """The end of a detail: what was left out."""
        return f"; cannot run here: {', '.join(self.left_out)}" if self.left_out else ""

    def __enter__(self) -> Forced:
        for suite in self.suites:
            try:
                self.context.force(suite, self.kernel.name)
            except RuntimeFailure as failure:
                self.__exit__()
                if failure.code == ERR_NAME:
                    raise NotServed(f"{suite} does not take {self.kernel.name}") from failure
                raise
        return self

    def __exit__(self, *_: object) -> None:
        for suite in self.suites:
            self.context.force(suite, None)

    def burst(self, jobs: Sequence[Job]) -> int:
        """Runs the jobs; how often that called the kernel. Those that a list of digests takes are bursts of their own,
        by direction and the lengths of message and tag: among others they would fill lanes."""
        before = self.kernel.calls()
        bursts: dict[tuple[int, int, int], list[Job]] = {}
        for job in jobs:
            its = self.digests and isinstance(job.data, bytes | bytearray | memoryview)
            size = len(job.data) if its else -1
            burst = (job.direction, size, len(job.tag or b"")) if self.least <= size <= self.most else (0, -1, 0)
            bursts.setdefault(burst, []).append(job)
        for some in bursts.values():
            self.context.burst(some)
        return self.kernel.calls() - before


_CAN_RUN: weakref.WeakKeyDictionary[Context, dict[str, bool]] = weakref.WeakKeyDictionary()


def _runs(context: Context, suite: str) -> bool:
    """Whether this CPU has a kernel for each algorithm of the suite."""
    known = _CAN_RUN.setdefault(context, {})
    if suite not in known:
        try:
            context.suite(suite)
        except RuntimeFailure as failure:
            if failure.code != ERR_UNSUPPORTED:
                raise
            known[suite] = False
        else:
            known[suite] = True
    return known[suite]


class NotServed(Exception):
    """The library refuses the kernel for a suite that is made of the kernel's algorithms."""


def _serves(suite: str, kinds: set[str], hashes: set[str], key_bytes: set[int], hand: bool, open_pair: bool) -> bool:
    """``hand``: the kernel hands ciphertext over, which wants heads of whole cipher blocks. ``open_pair``: it hashes
    what it decrypts, while TLS hashes the plaintext."""
    m = meaning(suite)
    if m.kind == "checked":  # its parts run as those of their own suites
        return False
    if (hand and m.kind in ("esp", "tls")) or (open_pair and m.kind == "tls"):
        return False
    return (
        kinds <= m.kinds
        and (not hashes or m.hash in hashes)
        and (not key_bytes or (m.key_bytes or m.mac_key_bytes) in key_bytes)
    )


def _sums(suite: str, cipher: Algorithm, checksums: set[str], plaintext: bool) -> bool:
    """Whether the suite is of this cipher and one of these checksums, of the plaintext or of the ciphertext."""
    m = meaning(suite)
    return m.kind == "checked" and (m.cipher, m.sums_plaintext) == (cipher.suite, plaintext) and m.hash in checksums


def _has_parts(suite: str, kinds: set[str]) -> bool:
    """Whether the suite does more than a kernel of whole messages of these kinds."""
    return meaning(suite).authenticates and not any(kind.startswith(("gcm", "chacha_poly")) for kind in kinds)


def never_ran(forced: Forced) -> str:
    return f"{forced.kernel.name} was forced for {', '.join(forced.suites)} but no burst called it"
