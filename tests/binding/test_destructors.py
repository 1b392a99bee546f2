"""The garbage collector finalizes the objects of a cycle in any order: whose destructor calls the library then finds
handles that have been freed already, and gets an error, never the memory of something else."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import cryptostitch
import pytest
from cryptostitch import RuntimeFailure

SIXTEEN = bytes(range(16))


def gcm() -> Any:
    return cryptostitch.suite("aes-128-gcm").key(SIXTEEN)


KINDS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "Key.seal": (gcm, lambda key: key.seal(b"last words", iv=bytes(12))),
    "Key.digest": (lambda: cryptostitch.suite("hmac-sha256").key(mac_key=b"k"), lambda key: key.digest(b"last words")),
    "Suite.seal_many": (gcm, lambda key: key.suite.seal_many(key, [bytes(12)] * 2, [b"a", b"b"])),
    "Key.sealing": (gcm, lambda key: key.sealing(iv=bytes(12))),
    "Sealing.update": (lambda: gcm().sealing(iv=bytes(12)), lambda text: text.update(b"last words")),
    "PublicKey": (
        lambda: cryptostitch.PublicKey("ed25519-sign"),
        lambda operation: operation.sign_many([bytes(32)], [b"last words"]),
    ),
    "QuicKey": (
        lambda: cryptostitch.QuicKey("aes-128-gcm", bytes(16), bytes(12), bytes(16)),
        lambda key: cryptostitch.quic_seal([(key, b"@", 1, b"text")]),
    ),
    "ErasureCode": (lambda: cryptostitch.ErasureCode(2, 1), lambda code: code.encode([b"abc", b"def"])),
    "Context": (cryptostitch.Context, lambda context: context.suites()),
}
"""An object that owns a C object, and a call that uses it."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("older", (True, False), ids=("handle first", "destructor first"))
def test_a_destructor_calls(kind: str, older: bool) -> None:
    """``older``: the collector comes to the handle first."""
    make, call = KINDS[kind]
    said: list[str] = []
    wanted = repr(call(make())) if kind not in ("Key.sealing", "Sealing.update") else ""

    class Session:
        handle: Any

        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            try:
                answer = repr(call(self.handle))
            except RuntimeFailure as failure:
                answer = "closed" if failure.code == -1 and "closed" in failure.cause else repr(failure)
            said.append(answer if wanted or answer == "closed" else "")

    def drop() -> None:
        if older:
            handle = make()
            Session().handle = handle
        else:
            session = Session()
            session.handle = make()

    gc.collect()
    for _ in range(20):
        drop()
    gc.collect()
    assert len(said) == 20 and set(said) <= {wanted, "closed"}
    assert not older or "closed" in said, "the collector did not come to the handle first: the test shows nothing"


def test_the_memory_of_a_freed_key_is_not_used() -> None:
    """Another key takes its place at once."""
    suite, other, found = cryptostitch.suite("aes-128-gcm"), bytes(range(100, 116)), []

    class Session:
        def __init__(self, key: Any) -> None:
            self.key, self.me = key, self

        def __del__(self) -> None:
            kept.append(suite.key(other))
            try:
                found.append(self.key.seal(b"text", iv=bytes(12)))
            except RuntimeFailure:
                found.append(None)

    kept: list[Any] = []

    def drop() -> None:
        Session(suite.key(SIXTEEN))

    drop()
    gc.collect()
    assert found in ([None], [suite.key(SIXTEEN).seal(b"text", iv=bytes(12))])


def test_at_exit() -> None:
    program = """
import cryptostitch
class Session:
    def __init__(self, key):
        self.key, self.me = key, self
    def __del__(self):
        try:
            self.key.seal(b"last words", iv=bytes(12))
        except Exception:
            pass
for _ in range(20):
    Session(cryptostitch.suite("aes-128-gcm").key(bytes(16)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
