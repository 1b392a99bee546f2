"""What a key has beside its operations: its suite, and errors that say what was wrong with what it was given."""

from __future__ import annotations

from typing import Any

from . import causes
from .capi import ERR_ARGUMENT, ERR_LENGTH, OK
from .handles import Handle
from .library import Library
from .values import number


class OfKeys(Handle):
    """The properties of a suite that its keys ask for; lengths are in bytes, as cst_suite_info gives them."""

    _what = "suite"
    context: Library
    name: str
    kind: int
    key_bytes: int
    mac_key_min: int
    mac_key_max: int
    iv_bytes: int
    tag_min: int
    tag_max: int
    block_bytes: int
    expansion: int
    max_bytes: int
    aad_min: int
    aad_max: int
    iv_min: int
    iv_max: int
    min_bytes: int
    key_min: int
    key_max: int
    tag_lengths: list[int]
    open_tag_lengths: list[int]  # of tags that are compared
    aad_step: int
    iv_and_count_bytes: int
    open_block_bytes: int
    open_min_bytes: int
    open_max_bytes: int
    most_tag_bytes: int
    checksum_bits: int  # of a checksum: those of the number


class BaseKey(Handle):
    """cst_key."""

    _what = "key"
    suite: OfKeys

    def check(self, code: int, cause: str = "") -> None:
        """Raises RuntimeFailure unless the code is OK."""
        self.suite.context.check(code, self.suite.name, cause=cause)

    def check_job(self, code: int, job: Any, where: str = "", elsewhere: bool = False) -> None:
        """Raises as `check` does, for the arguments in a JobStruct. ``where``: which job it was; ``elsewhere``: it is
        in another context than the key."""
        if code == OK:
            return
        cause = ""
        if code == ERR_LENGTH:
            cause = causes.of_job(self.suite, job.iv_len, job.aad_len, job.in_len, job.tag_len)
            cause = cause or causes.of_output(self.suite, job)
        elif code == ERR_ARGUMENT:
            cause = "the key is of another context" if elsewhere else causes.of_struct(self.suite, job)
        text = cause or self.lib.cst_error_text(code).decode()
        self.check(code, f"{where}: {text}" if where else text)

    def tag_bytes(self, tag_len: int | None) -> int:
        """Bytes of the tag that is asked for: not more than the suite has. RuntimeFailure where it cannot be."""
        if tag_len is None:
            return self.suite.tag_max
        length = number(tag_len, "the length of a tag")
        if length > self.suite.most_tag_bytes:
            self.check(ERR_LENGTH, causes.of_tag(self.suite, length))
        return length

    def check_tag(self, length: int, tag_len: int | None, where: str = "") -> None:
        """ValueError for a tag to be compared that has not `tag_len` bytes (None: as many as the suite's have): who may
        choose its length chooses the chance that a forged one is right. ``where``: which job it was."""
        wanted = self.suite.tag_max if tag_len is None else number(tag_len, "the length of a tag")
        if length == wanted:
            return
        told = f"a tag of {length} bytes, where {wanted} are wanted"
        other = f"; tag_len={length} is for tags of that length" if length in self.suite.open_tag_lengths else ""
        raise ValueError(f"{where}: {told}{other}" if where else f"{told}{other}")
