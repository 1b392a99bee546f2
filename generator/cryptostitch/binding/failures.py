"""Error codes of the C API as exceptions. They can be pickled, so that they come out of other processes."""

from __future__ import annotations


class RuntimeFailure(Exception):
    """An error code of the C API. ``cause``: why, in words; ``subject``: what was refused, where that has a name;
    ``nearest``: names that may have been meant, for ERR_NAME."""

    def __init__(self, code: int, text: str, subject: str = "", nearest: str = ""):
        super().__init__(code, text, subject, nearest)
        self.code, self.text, self.subject, self.nearest = code, text, subject, nearest

    @property
    def cause(self) -> str:
        """Why the library refused: what was wrong with which argument, where that is known."""
        return self.text

    def __str__(self) -> str:
        message = f"{self.subject}: {self.text}" if self.subject else self.text
        return f"{message} (did you mean {self.nearest}?)" if self.nearest else message


class SomeForged(RuntimeFailure):
    """At least one message is not authentic. ``opened``: all texts in their order, None where a message was forged;
    ``forged``: the numbers of those."""

    def __init__(self, failure: RuntimeFailure, opened: list[bytearray | None]):
        self.opened = opened
        self.forged = [at for at, text in enumerate(opened) if text is None]
        text = f"{failure.text}: {len(self.forged)} of {len(opened)} messages"
        super().__init__(failure.code, text, failure.subject)
        self.args = failure, opened  # what the class is called with when it is unpickled


class SectorFault(RuntimeFailure):
    """A sector does not match its protection information. ``sector``: its index among those of the call; ``fields``:
    what does not match, of "guard", "application", "reference", "storage"."""

    def __init__(self, failure: RuntimeFailure, sector: int, fields: list[str]):
        self.sector, self.fields = sector, fields
        super().__init__(failure.code, f"sector {sector} does not match: {', '.join(fields)}", failure.subject)
        self.args = failure, sector, fields  # what the class is called with when it is unpickled
