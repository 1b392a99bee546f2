"""Cryptostitch: generates stitched and multi-buffer kernels for encryption and authentication.

What a script that tries out an algorithm or a pairing, or seals or hashes many things, needs is here under its own
name; each is imported when it is first used. The library's part (agree_many, chunks, hash_column, hash_many,
hmac_column, hmac_many, quic_next_secret, quic_open, quic_retry_tag, quic_seal, rolling_cuts, sign_many, suite,
verify_many, Address, Context, ErasureCode, Key, Protection, PublicKey, QuicKey, QuicOpened, QuicPacket, QuicReceived,
RsaKey, RuntimeFailure, SectorFault, SomeForged, Suite) needs no other package, and is what `import *` takes; the rest
(Algorithm, BlockCipher, Form, Generator, Laboratory, Recipe, Tree, WORDS_32, WORDS_64, known_answers, read_answers,
stream_name, trial) wants what the wheel's extra `generator` installs.

Rules of the library's part:

- A buffer is what has the buffer protocol and lies in one contiguous run; its length is in bytes. Buffers are not
  copied. They must not change during a call: if another thread writes to one, the answer is of a mixture.
- What C cannot be given raises TypeError (another type, references to objects), OverflowError (numbers that its type
  does not hold), ValueError or BufferError. What the library refuses raises RuntimeFailure, with code and cause.
- Public attributes of objects are read-only.
- Everything may be used by several threads, and in a child that is forked while they are at work; but a text in parts
  or a manager that another thread was using then is refused there by RuntimeError. `close` takes effect behind the
  calls that are under way and may be called again; later calls raise RuntimeFailure. Closing a context ends the use of
  all that was made of it; keys are wiped when they are closed or dropped themselves.
- Contexts, suites, keys, texts in parts, codes and managers can be neither copied nor pickled; exceptions can be.
- An Address stands for memory that the caller manages; with a wrong one the process may crash. So it may by what ctypes
  makes of `lib` and `handle`, by `RawKernel.run`, and by a capsule of Arrow that is not what its name says. Nothing
  else can.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .binding.chunks import chunks
    from .binding.codes import ErasureCode
    from .binding.many import hash_column, hash_many, hmac_column, hmac_many, suite
    from .binding.protection import Protection, SectorFault
    from .binding.public_key import PublicKey, RsaKey, agree_many, sign_many, verify_many
    from .binding.quic import (
        QuicKey,
        QuicOpened,
        QuicPacket,
        QuicReceived,
        quic_next_secret,
        quic_open,
        quic_retry_tag,
        quic_seal,
    )
    from .binding.rolling import rolling_cuts
    from .binding.runtime import Context, Key, RuntimeFailure, Suite
    from .binding.sealing import SomeForged
    from .binding.values import Address

    # isort: split
    from .core.answers import known_answers as known_answers
    from .core.catalog import WORDS_32 as WORDS_32
    from .core.catalog import WORDS_64 as WORDS_64
    from .core.catalog import Algorithm as Algorithm
    from .core.catalog import BlockCipher as BlockCipher
    from .core.catalog import Form as Form
    from .core.names import stream_name as stream_name
    from .core.own import read_answers as read_answers
    from .core.program import Recipe as Recipe
    from .core.tree import Tree as Tree
    from .pipeline import Generator as Generator
    from .tuning.measure import Laboratory as Laboratory
    from .tuning.trial import trial as trial

__version__ = "0.1.0"
__all__ = [
    "Address",
    "Context",
    "ErasureCode",
    "Key",
    "Protection",
    "PublicKey",
    "QuicKey",
    "QuicOpened",
    "QuicPacket",
    "QuicReceived",
    "RsaKey",
    "RuntimeFailure",
    "SectorFault",
    "SomeForged",
    "Suite",
    "__version__",
    "agree_many",
    "chunks",
    "hash_column",
    "hash_many",
    "hmac_column",
    "hmac_many",
    "quic_next_secret",
    "quic_open",
    "quic_retry_tag",
    "quic_seal",
    "rolling_cuts",
    "sign_many",
    "suite",
    "verify_many",
]
_HOMES = {
    "WORDS_32": "core.catalog",
    "WORDS_64": "core.catalog",
    "Address": "binding.values",
    "Algorithm": "core.catalog",
    "BlockCipher": "core.catalog",
    "Context": "binding.runtime",
    "ErasureCode": "binding.codes",
    "Form": "core.catalog",
    "Generator": "pipeline",
    "Key": "binding.runtime",
    "Laboratory": "tuning.measure",
    "Protection": "binding.protection",
    "PublicKey": "binding.public_key",
    "QuicKey": "binding.quic",
    "QuicOpened": "binding.quic",
    "QuicPacket": "binding.quic",
    "QuicReceived": "binding.quic",
    "RsaKey": "binding.public_key",
    "Recipe": "core.program",
    "RuntimeFailure": "binding.runtime",
    "SectorFault": "binding.protection",
    "SomeForged": "binding.sealing",
    "Suite": "binding.runtime",
    "Tree": "core.tree",
    "agree_many": "binding.public_key",
    "chunks": "binding.chunks",
    "hash_column": "binding.many",
    "hash_many": "binding.many",
    "hmac_column": "binding.many",
    "hmac_many": "binding.many",
    "known_answers": "core.answers",
    "quic_next_secret": "binding.quic",
    "quic_open": "binding.quic",
    "quic_retry_tag": "binding.quic",
    "quic_seal": "binding.quic",
    "read_answers": "core.own",
    "rolling_cuts": "binding.rolling",
    "sign_many": "binding.public_key",
    "stream_name": "core.names",
    "suite": "binding.many",
    "trial": "tuning.trial",
    "verify_many": "binding.public_key",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name))


def __dir__() -> list[str]:
    """The rest only where it can be imported."""
    return sorted({*globals(), *(_HOMES if importlib.util.find_spec("jinja2") else __all__)})
