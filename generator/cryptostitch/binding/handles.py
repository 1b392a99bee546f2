"""Objects of the C library as Python holds them: freed once, not before the last call that uses them, and nothing of
theirs used after `close`.

`Owned` frees a C object when nothing refers to it any more. A call holds a reference for as long as it lasts, so that a
`close` by another thread takes effect behind it; a child holds its parent's.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
import weakref
from collections.abc import Callable
from ctypes import c_void_p
from threading import get_ident
from typing import Any

from .capi import ERR_ARGUMENT
from .failures import RuntimeFailure
from .fixed import Fixed, Uncopied

_WAIT = 0.0005  # seconds, of a call that must be alone, between two looks


class Gate:
    """Guards a context: some calls may run side by side, others must be alone (cryptostitch.h says which).

    Without a lock for the former: a call enters the list, then looks whether another is to be alone; that one says so,
    then looks at the list. Operations on a list are atomic."""

    def __init__(self, lib: ctypes.CDLL) -> None:
        self.lib, self.closed = lib, False
        self._inside: list[int] = []  # identities of threads
        self._alone: int | None = None
        self._one = threading.Lock()
        _GATES.add(self)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls the function, when no other is to be alone."""
        me, inside = get_ident(), self._inside
        try:
            inside.append(me)
            while self._alone is not None and self._alone != me:
                inside.remove(me)
                with self._one:
                    inside.append(me)
            return function(*arguments)
        finally:
            if me in inside:
                inside.remove(me)

    def alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls the function while no other call is under way. RuntimeError from inside a call of the same context."""
        me = get_ident()
        if self._alone == me or me in self._inside:
            raise RuntimeError("another call of this context is under way in this thread")
        with self._one:
            try:
                self._alone = me
                while self._inside:
                    time.sleep(_WAIT)
                return function(*arguments)
            finally:
                self._alone = None

    def forked(self) -> None:
        """Resets the gate in a child process, where no other thread runs."""
        self._inside.clear()
        self._alone, self._one = None, threading.Lock()


_GATES: weakref.WeakSet[Gate] = weakref.WeakSet()


def _forked() -> None:
    for gate in list(_GATES):
        gate.forked()


os.register_at_fork(after_in_child=_forked)


class Owned(Uncopied):
    """A C object, which `free` frees when this one and all of its children are gone. The garbage collector may come to
    a parent first: then the last child frees it."""

    __slots__ = ("_box", "_children", "_free", "_gone", "_parent", "gate")

    def __init__(self, pointer: int, free: Callable[[int], None], gate: Gate, parent: Owned | None = None):
        self.gate, self._free, self._parent = gate, free, parent
        self._box, self._children, self._gone = [pointer], list[None](), False
        if parent:
            parent._children.append(None)

    @property
    def pointer(self) -> int:
        """The C object's address. RuntimeFailure when it has been freed: the garbage collector runs the destructors of
        a cycle in any order, so that one of them may find this object already finalized."""
        try:
            return self._box[0]
        except IndexError:
            raise RuntimeFailure(ERR_ARGUMENT, "the object is closed: the garbage collector has freed it") from None

    def __del__(self) -> None:
        if not hasattr(self, "_gone"):  # never made
            return
        self._gone = True
        self._release()

    def _release(self) -> None:
        if self._children:
            return
        try:
            pointer = self._box.pop()  # by one only
        except IndexError:
            return
        self._free(pointer)
        if self._parent:
            self._parent._children.pop()
            if self._parent._gone:
                self._parent._release()


class Handle(Fixed, Uncopied):
    """Base of the classes that own a C object. Objects cannot be copied or pickled, because each owns its C object
    alone."""

    lib: ctypes.CDLL
    _owned: Owned | None = None
    _what = "object"

    def live(self) -> Owned:
        """Keeps the C object until the caller drops what is returned. RuntimeFailure after `close`, and after that of
        the context."""
        owned = self._owned
        if owned is None:
            raise RuntimeFailure(ERR_ARGUMENT, f"the {self._what} is closed")
        if owned.gate.closed:
            raise RuntimeFailure(ERR_ARGUMENT, f"the context of the {self._what} is closed")
        return owned

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The C function, whose first argument is the object."""
        owned = self.live()
        return owned.gate.call(function, owned.pointer, *arguments)

    @property
    def handle(self) -> c_void_p:
        """The C object, for calls of `lib`. It is not kept alive by this."""
        return c_void_p(self.live().pointer)

    @property
    def closed(self) -> bool:
        """Whether it can be used no more."""
        return self._owned is None or self._owned.gate.closed

    def close(self) -> None:
        """Frees the C object, behind the calls that are under way. Again, and by several threads: nothing more."""
        self._owned = None


def make(
    function: Callable[..., int], free: Callable[[int], None], parent: Owned, *arguments: Any
) -> tuple[int, Owned | None]:
    """Calls what makes a child: its code, and the child, which a pointer behind the arguments is set to."""
    made = c_void_p()
    code = parent.gate.call(function, *arguments, ctypes.byref(made))
    return code, Owned(made.value, free, parent.gate, parent) if not code and made.value else None
