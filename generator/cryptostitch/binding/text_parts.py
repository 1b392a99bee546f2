"""Texts under AES-GCM or ChaCha20-Poly1305 that are not all in memory (cst_text_parts)."""

from __future__ import annotations

from ctypes import addressof, byref, c_uint64

from . import causes
from .base_key import BaseKey
from .capi import ERR_AUTH, ERR_LENGTH, ERR_MEMORY, ERR_UNSUPPORTED, OK, OPEN, SEAL, STATE_BYTES, TextPartStruct
from .fixed import Uncopied
from .turns import Turns
from .values import Buffer, optional, place


class TextParts(Uncopied):
    """A text under way, of one key; made by `Key.sealing` and `Key.opening`. Threads take turns."""

    def __init__(self, key: BaseKey, direction: int, iv: Buffer | None, aad: Buffer | None):
        self._key, self._direction = key, direction
        self._state = (c_uint64 * (STATE_BYTES // 8))()
        self._lock = Turns("the text")
        self._begun = self._ended = False
        self._run(iv=iv, aad=aad)
        self._begun = True

    def update(self, data: Buffer) -> bytes:
        """The next part of the text: as many bytes as it has."""
        return self._run(data=data)

    def _run(
        self,
        iv: Buffer | None = None,
        aad: Buffer | None = None,
        data: Buffer = b"",
        tag: Buffer | None = None,
        last: bool = False,
    ) -> bytes:
        with self._lock:
            if self._ended:
                raise ValueError("the text has ended")
            part, places = TextPartStruct(direction=self._direction, state=addressof(self._state), last=last), []
            buffers = {"iv": optional(iv), "aad": optional(aad), "in": place(data)}
            if last:
                buffers["tag"] = place(tag)
            for name, (address, length, keep) in buffers.items():
                setattr(part, name, address)
                setattr(part, f"{name}_len", length)
                places.append(keep)
            out = bytearray(part.in_len)
            part.out, part.out_cap, keep_out = place(out, write=True)
            suite, owned = self._key.suite, self._key.live()
            part.key = owned.pointer
            of = suite.context.live()
            code = owned.gate.call(self._key.lib.cst_text_parts, of.pointer, byref(part), 1)
            del places, keep_out, owned, of
            self._ended = code in (ERR_AUTH, ERR_MEMORY) or (last and code == OK)
        if code == ERR_LENGTH:
            iv_len = suite.iv_min if self._begun else part.iv_len
            tag_len = part.tag_len if last else suite.tag_max
            self._key.check(code, causes.of_job(suite, iv_len, part.aad_len, part.in_len, tag_len))
        self._key.check(code, "texts in parts are of AES-GCM and ChaCha20-Poly1305" if code == ERR_UNSUPPORTED else "")
        return bytes(out)


class Sealing(TextParts):
    """Seals a text part by part."""

    def __init__(self, key: BaseKey, iv: Buffer, aad: Buffer | None):
        super().__init__(key, SEAL, iv, aad)

    def finish(self, tag_len: int | None = None) -> bytes:
        """Ends the text, and returns its tag. RuntimeFailure for a length that the suite does not take (0 is none); the
        text has not ended then."""
        tag = bytearray(self._key.tag_bytes(tag_len))
        self._run(tag=tag, last=True)
        return bytes(tag)


class Opening(TextParts):
    """Opens a text part by part. What `update` returns is not authentic before `finish` has returned."""

    def __init__(self, key: BaseKey, iv: Buffer, aad: Buffer | None):
        super().__init__(key, OPEN, iv, aad)

    def finish(self, tag: Buffer, tag_len: int | None = None) -> None:
        """Ends the text. RuntimeFailure with ERR_AUTH when any part of it, the AAD, the IV or the tag is forged.
        ``tag_len``: bytes of the tag; None: those of the suite's whole tag. ValueError for a tag of another length, an
        empty one too, and RuntimeFailure with ERR_LENGTH for a ``tag_len`` that the suite does not take: nothing has
        been authenticated then, and the text has not ended, so that ``finish`` may be called again."""
        self._key.check_tag(place(tag)[1], tag_len)
        self._run(tag=tag, last=True)
