"""The catalogue's rows of a user's folder: `--templates DIR`.

Rows hold functions (``reference``), which pickle knows by the name of their module. So the file is registered as a
module like any that was imported, under a name of its own; and the rows know their folder, so that a process that
did not start as a copy of this one loads the file again when it receives them.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

from .catalog import Algorithm
from .errors import CryptostitchError

CATALOGUE = "algorithms.py"


class OwnRows(tuple[Algorithm, ...]):
    """The rows of a file. Pickled as the path of the file; the other process reads it."""

    file: Path

    def __reduce__(self) -> tuple:
        return own_rows, (self.file,)


def own_rows(file: Path) -> OwnRows:
    """ALGORITHMS of a Python file, none where there is no such file. Raises CryptostitchError when the file fails. A
    file is run once in a process, and again when its text has changed."""
    rows = OwnRows(_module(file).ALGORITHMS if file.exists() else ())
    rows.file = file.absolute()
    return rows


def read_answers(file: Path) -> tuple[tuple[bytes, bytes], ...]:
    """Messages and their digests from a file of the form that NIST's programs and those of submissions write: lines
    `Msg = <hex>` and `MD = <hex>` (`Output = <hex>` too), other lines left out; where `Len = <bits>` says 0, the
    message is empty whatever `Msg` says. Raises CryptostitchError where a message has no digest or there is none."""
    found: list[tuple[bytes, bytes]] = []
    text: bytes | None = None
    empty = False
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        name, equals, value = (part.strip() for part in line.partition("="))
        try:
            if equals and name == "Len":
                empty = int(value) == 0
            elif equals and name == "Msg":
                if text is not None:
                    raise ValueError("the message before has no digest")
                text, empty = b"" if empty else bytes.fromhex(value), False
            elif equals and name in ("MD", "Output"):
                if text is None:
                    raise ValueError("a digest without a message")
                found.append((text, bytes.fromhex(value)))
                text = None
        except ValueError as error:
            raise CryptostitchError(f"{file}:{number}: {error}") from error
    if not found or text is not None:
        why = "the last message has no digest" if found or text is not None else "no `Msg = ` and `MD = `"
        raise CryptostitchError(f"{file}: {why}")
    return tuple(found)


def _module(file: Path) -> ModuleType:
    text = file.read_bytes()
    name = "cryptostitch_user_" + hashlib.sha256(str(file.absolute()).encode() + b"\0" + text).hexdigest()[:16]
    if name in sys.modules:
        return sys.modules[name]
    # its name may end in anything
    spec = importlib.util.spec_from_file_location(name, file, loader=SourceFileLoader(name, str(file)))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # from the text that the name is made of: a cached compilation may be of another
        exec(compile(text, str(file), "exec"), module.__dict__)
        rows = list(module.ALGORITHMS)
        if wrong := next((row for row in rows if not isinstance(row, Algorithm)), None):
            raise TypeError(f"{wrong!r} is no Algorithm")
    except CryptostitchError as error:
        del sys.modules[name]
        raise CryptostitchError(f"{_place(file, error)}: {error}") from error
    except Exception as error:  # the user's own code: whatever it raises is about that file
        del sys.modules[name]
        raise CryptostitchError(
            f"{_place(file, error)}: {type(error).__name__}: {error}; it must set ALGORITHMS to a list of "
            "cryptostitch.core.catalog.Algorithm"
        ) from error
    return module


def _place(file: Path, error: Exception) -> str:
    """The line of the file where the error was raised, as far as Python knows it."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return f"{file}:{lines[-1]}" if lines else str(file)
