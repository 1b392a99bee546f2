"""The kinds of algorithms: what a stream of each does with its fields. Plain data.

A kind that writes turns `in` into `out`; one that only reads leaves its result in `chain`. A form of one that takes
whole texts (streams/aes_whole.j2) has the text's end behind the loop, and a pointer to its key; the chain stays as it
was. Of XTS it is what the first tweak is made of, with a pointer to that key, and becomes the first tweak. A form of
one that takes a list of messages (streams/aes_gcm_list.j2, aes_list.j2) has the caller's jobs as state blocks, whose
fields contract.JOB names. Fields of one lane:

    hash                 chain: the words of the chaining value. Lists are of messages of one length, or of short ones
                         with their padding, and have a key for HMAC (streams/sha256_ni_list.j2)
    cipher_enc, _dec     CBC; chain: the block before (16 bytes); key: rounds + 1 round keys
    counter              AES-CTR, both directions; chain: the next counter block (16 bytes, SP 800-38A, 6.5). A stream
                         adds to the last 32 bits only, big-endian, as GCM does (SP 800-38D, 6.2); the runtime splits
                         what would carry farther
    chacha               ChaCha20 (RFC 8439), both directions; chain: block counter (32 bits, little-endian) and nonce,
                         16 bytes; key: 2 rows of 16 bytes
    ghash                SP 800-38D, 6.4; chain: Y (16 bytes); key: powers of H in a form of its own, row i of n is
                         power n - i
    poly1305             RFC 8439, 2.5; chain: the accumulator, three words; key: r, or powers of it, in the form that
                         its field names (KEY_FORMS)
    xts_enc, _dec        IEEE 1619; chain: the next tweak (16 bytes); key: rounds + 1 round keys
    ecb_enc, _dec        key: rounds + 1 round keys; no chain
    cbc_mac              chain: the block before (16 bytes); key: rounds + 1 round keys
    des_enc, _dec        CBC of DES (FIPS 46-3), two blocks in 16 bytes; chain: the two blocks before, of which the
                         second counts; key: two round keys in each row, in a form of its own, in the order in which
                         they are used
    gcm_enc, _dec        SP 800-38D, 7; a whole message, with its end behind the loop (streams/aes_gcm.j2): counter:
                         J0; chain: the tag; lengths: of AAD and text in bits; pointers to key (rounds + 1 round keys),
                         powers of H, the AAD, the text's end, and the powers that what is behind the loop begins with
    chacha_poly_enc,     RFC 8439, 2.8; a whole message (streams/chacha_poly.j2): counter: of block 0, and the nonce;
    chacha_poly_dec      chain: the tag; lengths: of AAD and text in bytes; pointers to key (2 rows of 16 bytes), the
                         AAD, the text's end, and, but in a short message, the head, as long as a stride, which is read
                         before the loop
    checksum             a cyclic redundancy check of a whole text (streams/crc.j2), of any polynomial: chain: the value
                         so far; pointers to the text's beginning, at the end of a stride, and to key and phase, which
                         say the polynomial (ladder/crc_rows.py). A form of one polynomial (streams/crc32c_words.j2) has
                         the text's end, so placed, behind the loop, and no key. Of sums (streams/adler32.j2), without
                         key and phase: chain: two sums, of this text alone
    codec                parities of an erasure code over GF(2^8): the lanes are its inputs, and the first key_bytes
                         pointers of `out` its outputs; key: of each input its factors, one for each output, in the
                         form that its field names (KEY_FORMS). No chain
    schedule             the round keys of a block cipher of one's own, made of its key; key: the key, rows of 16 bytes
                         filled up with zeros; chain: rounds + 1 rows of 16 bytes, which the only iteration of a call
                         writes. No in, no out
    arithmetic           steps over numbers modulo a prime; chain: the numbers that a step makes anew, then other words;
                         key: numbers that it reads. A number is as many rows of 64 bits as its radix wants, the lowest
                         limb first (core/arithmetic.py); table, where there is one: numbers for all
                         lanes. No in, no out
    start, finish        a step with which messages of another algorithm of the same suite begin or end; chain: the
                         words of the chaining value. It reads the key, filled up with zeros to rows of 16 bytes, and
                         behind it, filled up likewise: at the start the IV; at the finish the bytes of AAD and of text,
                         in 64 bits each, little-endian. After a finish the chaining value begins with the tag
    duplex               an AEAD of one state, in both directions; chain: the words of the state. An iteration reads a
                         frame: a block, a mask of as many bytes, and two words of 64 bits. The block, added to the
                         state's key stream, becomes the first bytes of what is written; the block with the key stream
                         added where the mask has ones, which makes plaintext of ciphertext, joins the state. A word is
                         all ones at the text's first block, and at the message's last
    rc4                  RC4, both directions; table: S, 256 numbers of 32 bits; chain: i, a multiple of 16, and j (32
                         bits each, modulo 256), 8 unused bytes
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """``number``: in the pack's record. ``fields``: of the state block, which the runtime fills for a call; any that a
    stream has beside them and its own (OWN_FIELDS) would hold nothing. ``writes``: makes output. ``direction``: seal or
    open where it serves only one of the two. ``public``: there are no secrets."""

    number: int
    fields: frozenset[str]
    writes: bool = False
    direction: str = ""
    public: bool = False

    def fills(self, field: str) -> bool:
        """Whether a stream may have the field."""
        return field in self.fields or field in OWN_FIELDS or field.startswith("scratch_")


OWN_FIELDS = frozenset(("hand", "scratch", "spill"))
"""Fields that streams write themselves before they read them."""


def _fields(names: str, *more: str) -> frozenset[str]:
    return frozenset((*names.split(), *more))


READ, TEXT = "in chain key", "in out chain key"
END, END_READ, HEAD = ("end_in", "end_out", "end_mask"), ("end_in", "end_mask"), ("head_in", "head_out")
MESSAGE = ("aad", "aad_mask", "counter", "lengths", *END)
POWERS = ("powers", "powers_end")
JOB = ("iv", "text_in", "text_out", "text_bytes")
JOB_OF_AEAD = (*JOB, "aad_bytes", "tag", "tag_made")


KINDS = {
    "hash": Kind(1, _fields("in from chain key text_in padded_in tag")),
    "cipher_enc": Kind(2, _fields(TEXT), True, "seal"),
    "cipher_dec": Kind(3, _fields(TEXT, *END, *JOB), True, "open"),
    "counter": Kind(4, _fields(TEXT, *END, *JOB), True),
    "chacha": Kind(5, _fields(TEXT), True),
    "ghash": Kind(6, _fields(READ, *END_READ, *POWERS)),
    "poly1305": Kind(7, _fields(READ)),
    "xts_enc": Kind(8, _fields(TEXT, "tweak_key", *END, *JOB), True, "seal"),
    "xts_dec": Kind(9, _fields(TEXT, "tweak_key", *END, *JOB), True, "open"),
    "ecb_enc": Kind(10, _fields("in out key", *END, *JOB), True, "seal"),
    "ecb_dec": Kind(11, _fields("in out key", *END, *JOB), True, "open"),
    "cbc_mac": Kind(12, _fields(READ)),
    "rc4": Kind(13, _fields("in out chain table"), True),
    "des_enc": Kind(14, _fields(TEXT), True, "seal"),
    "des_dec": Kind(15, _fields(TEXT), True, "open"),
    "gcm_enc": Kind(16, _fields(TEXT, *MESSAGE, *POWERS, *JOB_OF_AEAD), True, "seal"),
    "gcm_dec": Kind(17, _fields(TEXT, *MESSAGE, *POWERS, *JOB_OF_AEAD), True, "open"),
    "chacha_poly_enc": Kind(18, _fields(TEXT, "present", *MESSAGE, *HEAD), True, "seal"),
    "chacha_poly_dec": Kind(19, _fields(TEXT, "present", *MESSAGE, *HEAD), True, "open"),
    "checksum": Kind(20, _fields(READ, "head_in", "head_mask", "phase", *END_READ), public=True),
    "codec": Kind(21, _fields("in out key"), True),
    "schedule": Kind(22, _fields("chain key")),
    "arithmetic": Kind(23, _fields("chain key table")),
    "start": Kind(24, _fields("in chain")),
    "finish": Kind(25, _fields("in chain")),
    "duplex": Kind(26, _fields("in out chain"), True),
}
TWEAKED_KINDS = frozenset(("xts_enc", "xts_dec"))
STEPS = frozenset(("start", "finish"))
FRAMED_KINDS = STEPS | {"duplex"}
"""Kinds whose kernels read frames, as those of hashes with some paddings do."""
