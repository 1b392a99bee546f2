"""Locks that a forked child can use: only the thread that forks lives on there, so that nobody else releases a lock."""

from __future__ import annotations

import os
import threading
import weakref
from types import TracebackType


class Turns:
    """A lock, which its owner may take again. In a forked child it is free, whoever held it in the parent.

    What it guards may be half changed then, because the thread that was changing it is not in the child. Where that
    matters, `state` says whose state it is: then the child has `lost` it, and taking the lock raises RuntimeError."""

    __slots__ = ("__weakref__", "_lock", "_state", "lost")

    def __init__(self, state: str = "") -> None:
        self._lock, self._state, self.lost = threading.RLock(), state, False
        _ALL.add(self)

    def __enter__(self) -> None:
        if self.lost:
            raise RuntimeError(f"another thread was using {self._state} when this process was forked")
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def forked(self) -> None:
        """Frees the lock in a child, unless the thread that forked holds it."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
            return
        self._lock = threading.RLock()
        self.lost = bool(self._state)


_ALL: weakref.WeakSet[Turns] = weakref.WeakSet()


def _forked() -> None:
    for lock in list(_ALL):
        lock.forked()


os.register_at_fork(after_in_child=_forked)
