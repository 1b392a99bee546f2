"""What everything that hangs on a cst_ctx needs of it: the library, the handle, errors as exceptions."""

from __future__ import annotations

import ctypes
from typing import Any, TypeVar

from . import values
from .capi import ERR_ARGUMENT, ERR_NAME, OK
from .failures import RuntimeFailure
from .handles import Handle

__all__ = ["Library", "RuntimeFailure", "wanted"]


class Library(Handle):
    """The C library and a context of it, whoever owns that."""

    _what = "context"

    def check(self, code: int, subject: str = "", kind: int = 0, cause: str = "") -> None:
        """Raises RuntimeFailure unless the code is OK, with the cause where that is known."""
        if code == OK:
            return
        near = self.nearest(kind, subject) if code == ERR_NAME and kind and not self.closed else ""
        raise RuntimeFailure(code, cause or self.lib.cst_error_text(code).decode(), subject, near)

    def nearest(self, kind: int, name: str) -> str:
        """The names of that kind that are most like it, with commas between them."""
        text = ctypes.create_string_buffer(512)
        kind_, encoded = values.number(kind, "a kind of names", 31), values.name(name, "a name")
        code = self.call(self.lib.cst_nearest, kind_, encoded, text, len(text))
        self.check(code, cause=f"no kind {kind} of names" if code == ERR_ARGUMENT else "")
        return text.value.decode()


Wanted = TypeVar("Wanted")


def wanted(kind: type[Wanted], value: Any, what: str) -> Wanted:
    """The value. TypeError where it is not of that class: a pointer to something else would reach C."""
    if not isinstance(value, kind):
        raise TypeError(f"{what} cannot be of {type(value).__name__}")
    return value
