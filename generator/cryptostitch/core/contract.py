"""What a stream promises: its state block, the memory that it touches, the features that it needs."""

from __future__ import annotations

from dataclasses import dataclass

from .ir import Constant

# What a field of the state block is for. The names are the ones that the runtime looks for.
IN = "in"  # one pointer per lane: `bytes` are read from it per iteration
OUT = "out"  # one pointer per lane: `bytes` are written to it per iteration
CHAIN = "chain"  # the chaining value: hash state, or last ciphertext block
KEY = "key"  # round keys; `shared` when every entry holds the same key
HAND = "hand"  # two buffers in which the producer leaves its blocks for the next stream
FROM_HAND = "from"  # one pointer: the producer's HAND field
TWEAK_KEY = "tweak_key"  # one pointer: to the round keys of XTS's first tweak
SPILL = "spill"  # slots of the register allocator
HEAD_IN = (
    "head_in"  # one pointer: what of the text is in front of the loop's, read before it; of checksums it may be less
)
HEAD_OUT = "head_out"  # one pointer: where that goes
END_IN = "end_in"  # one pointer: the text's end, read behind the loop
END_OUT = "end_out"  # one pointer: where that goes
POWERS, POWERS_END = "powers", "powers_end"  # pointers to powers of a polynomial MAC's key
PHASE = "phase"  # one pointer: to the word by which a checksum's value so far is multiplied in front of HEAD_IN
AAD = "aad"  # one pointer: to the blocks at whose end the AAD stands
# Fields of a kernel that takes a list of messages, whose state blocks are the caller's jobs (cst_job): where they lie.
KEY_OBJECT, IV, TAG, TAG_MADE = "key", "iv", "tag", "tag_made"
TEXT_IN, TEXT_OUT, TEXT_BYTES, AAD_BYTES = "text_in", "text_out", "text_bytes", "aad_bytes"
PADDED_IN = "padded_in"  # a message with its padding, whole blocks, which the caller puts in the place of the text
LISTED_TEXTS = (TEXT_IN, PADDED_IN)
JOB_BYTES, MOST_LISTED_AAD, ONE_BLOCK_AAD = 144, 48, 16
KEY_ROUND_KEYS = 64  # where round keys lie in a key object
JOB = {
    KEY_OBJECT: 8,
    IV: 24,
    "aad": 40,
    AAD_BYTES: 48,
    TEXT_IN: 56,
    PADDED_IN: 56,
    TEXT_BYTES: 64,
    TEXT_OUT: 72,
    TAG: 96,
    TAG_MADE: 112,  # opening; where there are no pieces, which is cleared again
}
COUNTED = {"aad": AAD_BYTES, TEXT_IN: TEXT_BYTES, TEXT_OUT: TEXT_BYTES}
"""Pointers of a job to so many bytes as another field says, at most the reach: of text more than
``Contract.text_head``. Where a kernel lacks that field, all jobs have the whole reach."""
KEY_HEADER, LINE = 16, 64  # bytes of a key object's header, and of the cache line that it begins


def hmac_chains(size: int) -> tuple[int, int]:
    """Where HMAC's inner and outer chaining value, of so many bytes, lie in the key object of a suite of HMAC alone: in
    the header's cache line, or else in the next (runtime/suite/key.cpp)."""
    apart = -(-size // 8) * 8
    first = KEY_HEADER if KEY_HEADER + 2 * apart <= LINE else LINE
    return first, first + apart


GHASH_ZEROS = 15  # rows behind the powers of a GCM key: as many as a kernel may read
MESSAGE_AAD, SHORT_MESSAGE_AAD = 64, 48  # bytes of these blocks; of a short message's, behind which its lengths stand
LENGTHS = "lengths"  # of a message of an AEAD: those of its AAD and text
SCRATCH = "scratch"  # working memory of the stream
SCRATCH_TEXT = "scratch_text"  # of it, a ciphertext until it is hashed, which is no secret
TABLE = "table"  # the only field whose entries may be addressed by a computed index


POINTED_ALIGN = {KEY: 16, TWEAK_KEY: 16, POWERS: 16, POWERS_END: 16, PHASE: 8}
"""To how many bytes what pointers point to is aligned; what is not named here lies anywhere."""
WRITTEN = frozenset((TEXT_OUT, TAG, HEAD_OUT, END_OUT))
"""Pointers to what may be written."""


def mask_field(name: str) -> str:
    """The field that says which bytes there are where a pointer of that name points: a bit for each, in rows of 64, or
    a byte of ones."""
    return name.partition("_")[0] + "_mask"


KEY_FORMS = ("", "r", "limbs_26", "limbs_44", "words", "bits", "nibbles", "sliced")
"""How rows of a key hold what is derived of it, by the number in a pack: "" (the usual form of the kind); of Poly1305
r itself (streams/poly1305_abreast.j2, poly1305_serial.j2), powers of it in limbs (poly1305.j2), or in words
(poly1305_word.j2); of a codec the factors as matrices of bits, or as products of nibbles (ladder/field.py); of DES a
byte for each S-box (streams/des_sliced.j2)."""


@dataclass(frozen=True)
class Field:
    """One field of the state block: `rows` rows of `row_bytes`; entry (row, lane) of `entry_bytes` bytes lies at
    ``offset + row * row_bytes + lane_offsets[lane]``. Fields without lanes (spill, hand) have no lane_offsets.

    ``secret`` says whether the contents may depend on keys or data; pointers are public. Of a pointer ``reach`` says
    how many bytes any section may access from where it points, at a multiple of ``reach_align``: read them, or write
    them if ``reach_written``. Where there is a field of bit masks for them (``mask_field``), only those whose bits are
    set are touched. A reach of 0: no such pointer. ``form``: one of KEY_FORMS.
    """

    name: str
    offset: int
    rows: int
    row_bytes: int
    entry_bytes: int
    lane_offsets: tuple[int, ...] = ()
    secret: bool = True
    shared: bool = False
    align: int = 8
    reach: int = 0
    reach_align: int = 1
    reach_written: bool = False
    form: str = ""

    @property
    def size(self) -> int:
        """Bytes from the first entry to the end of the last; lanes may lie side by side in a row, or one behind the
        other."""
        return max(
            self.rows * self.row_bytes,
            (self.rows - 1) * self.row_bytes + max(self.lane_offsets, default=0) + self.entry_bytes,
        )


@dataclass(frozen=True)
class Contract:
    """Everything that a caller of the stream, and the verifier, must know about it."""

    lanes: int
    bytes: int  # bytes per lane and iteration
    fields: tuple[Field, ...]
    state_bytes: int  # a multiple of state_align
    state_align: int
    reads_input: bool = True  # reads `bytes` at IN[lane] + position each iteration (or from FROM_HAND)
    constants: tuple[Constant, ...] = ()
    features: frozenset[str] = frozenset()
    public: bool = False  # there are no secrets: addresses and time may depend on all data

    @property
    def is_message(self) -> bool:
        """Whether a call is a whole message, which begins anew: it has an end behind the loop, or, of a checksum, a
        beginning in front of it."""
        return self.has(END_IN) or self.has(HEAD_IN)

    @property
    def is_listed(self) -> bool:
        """Whether a call takes a list of messages, jobs that are the state blocks: each section runs for every one, the
        body once for each ``bytes`` that are between ``text_head`` and an end of 1 to ``bytes`` bytes."""
        return any(self.has(name) for name in LISTED_TEXTS)

    @property
    def text_head(self) -> int:
        """Bytes of such a text in front of the loop; 0: there is no loop, and no text is longer than ``bytes``."""
        counts = self.has(TEXT_BYTES) and self.has(TEXT_IN)
        return self.bytes if counts and self.field(TEXT_IN).reach > self.bytes else 0

    def fewest(self, count: str) -> int:
        """The least number that such a field of a job holds: a text has a byte at least behind what every text has. An
        AAD of at most a block (``ONE_BLOCK_AAD``) has half of it at least."""
        if count == TEXT_BYTES:
            return self.text_head + 1
        return ONE_BLOCK_AAD // 2 if self.has(AAD) and self.field(AAD).reach == ONE_BLOCK_AAD else 0

    @property
    def most_aad(self) -> int:
        """The most bytes of AAD of a job."""
        return min(self.field(AAD).reach, MOST_LISTED_AAD)

    @property
    def listed_text(self) -> Field:
        """The pointer to such a text."""
        return next(self.field(name) for name in LISTED_TEXTS if self.has(name))

    def count_of(self, name: str) -> Field | None:
        """The field that says how many bytes there are where a pointer of that name points; None: all of them."""
        return self.field(COUNTED[name]) if name in COUNTED and self.has(COUNTED[name]) else None

    @property
    def rest(self) -> str:
        """The pointer to what is left of a message's text where iterations have their whole strides: its end, or a
        checksum's beginning."""
        return END_IN if self.has(END_IN) else HEAD_IN

    @property
    def head_bytes(self) -> int:
        """Bytes in front of the loop that every text has."""
        return self.field(HEAD_IN).reach if self.has(HEAD_IN) and self.has(END_IN) else 0

    @property
    def is_short(self) -> bool:
        """Whether that end is all that the message has (streams/aes_gcm.j2, streams/chacha_poly.j2)."""
        if self.has(POWERS_END):
            return self.field(POWERS_END).reach == self.bytes + SHORT_MESSAGE_AAD
        return self.has(LENGTHS) and not self.has(HEAD_IN)

    def bit_masks(self, name: str) -> Field | None:
        """The field with a bit for each byte where that pointer points; None: all of them may be touched."""
        return next((f for f in self.fields if f.name == mask_field(name) and f.entry_bytes == 8), None)

    def field(self, name: str) -> Field:
        for f in self.fields:
            if f.name == name:
                return f
        raise KeyError(name)

    def has(self, name: str) -> bool:
        return any(f.name == name for f in self.fields)
