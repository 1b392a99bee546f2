"""What everything that hangs on a cst_ctx needs of it: the library, the handle, errors as exceptions."""

from __future__ import annotations

import ctypes
from ctypes import c_void_p

from .capi import ERR_NAME, OK


class RuntimeFailure(Exception):
    """An error code of the C API. ``nearest`` holds names that may have been meant, for ERR_NAME."""

    def __init__(self, code: int, text: str, subject: str = "", nearest: str = ""):
        self.code, self.nearest = code, nearest
        message = f"{subject}: {text}" if subject else text
        super().__init__(f"{message} (did you mean {nearest}?)" if nearest else message)


class Library:
    """The C library and a context of it, whoever owns that."""

    lib: ctypes.CDLL
    handle: c_void_p

    def check(self, code: int, subject: str = "", kind: int = 0) -> None:
        """Raises RuntimeFailure unless the code is OK."""
        if code == OK:
            return
        near = self.nearest(kind, subject) if code == ERR_NAME and kind and self.handle else ""
        raise RuntimeFailure(code, self.lib.cst_error_text(code).decode(), subject, near)

    def nearest(self, kind: int, name: str) -> str:
        text = ctypes.create_string_buffer(512)
        self.check(self.lib.cst_nearest(self.handle, kind, name.encode(), text, len(text)))
        return text.value.decode()
