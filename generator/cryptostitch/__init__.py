"""Cryptostitch: generates stitched and multi-buffer kernels for encryption and authentication.

What a script that tries out an algorithm or a pairing, or seals or hashes many things, needs is here under its own
name; each is imported when it is first used. The library's part (hash_many, hash_column, hmac_many, suite, Context,
ErasureCode, Suite, Key, RuntimeFailure, SomeForged) needs no other package; the rest wants
`pip install 'cryptostitch[generator]'`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .binding.codes import ErasureCode
    from .binding.many import hash_column, hash_many, hmac_many, suite
    from .binding.runtime import Context, Key, RuntimeFailure, Suite
    from .binding.sealing import SomeForged
    from .core.catalog import WORDS_32, WORDS_64, Algorithm, Form
    from .core.names import stream_name
    from .core.program import Recipe
    from .pipeline import Generator
    from .tuning.measure import Laboratory
    from .tuning.trial import trial

__version__ = "0.1.0"
__all__ = [
    "WORDS_32",
    "WORDS_64",
    "Algorithm",
    "Context",
    "ErasureCode",
    "Form",
    "Generator",
    "Key",
    "Laboratory",
    "Recipe",
    "RuntimeFailure",
    "SomeForged",
    "Suite",
    "__version__",
    "hash_column",
    "hash_many",
    "hmac_many",
    "stream_name",
    "suite",
    "trial",
]
_HOMES = {
    "WORDS_32": "core.catalog",
    "WORDS_64": "core.catalog",
    "Algorithm": "core.catalog",
    "Context": "binding.runtime",
    "ErasureCode": "binding.codes",
    "Form": "core.catalog",
    "Generator": "pipeline",
    "Key": "binding.runtime",
    "Laboratory": "tuning.measure",
    "Recipe": "core.program",
    "RuntimeFailure": "binding.runtime",
    "SomeForged": "binding.sealing",
    "Suite": "binding.runtime",
    "hash_column": "binding.many",
    "hash_many": "binding.many",
    "hmac_many": "binding.many",
    "stream_name": "core.names",
    "suite": "binding.many",
    "trial": "tuning.trial",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
