"""Objects whose public attributes are set once, and objects that cannot be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class Uncopied:
    """Base of classes whose objects stand for one thing in memory: copying or pickling one raises TypeError, because
    a copy would stand for the same thing."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> Any:
        raise TypeError(f"a {type(self).__name__} can be neither copied nor pickled")


class Fixed:
    """Public attributes cannot be changed: buffers are measured by them before C reads and writes. AttributeError."""

    if not TYPE_CHECKING:  # a class with a __setattr__ has all attributes for a type checker

        def __setattr__(self, name: str, value: object) -> None:
            if name in self.__dict__:
                self._refuse(name)
            object.__setattr__(self, name, value)

        def __delattr__(self, name: str) -> None:
            self._refuse(name)
            object.__delattr__(self, name)

        def _refuse(self, name: str) -> None:
            if not name.startswith("_"):
                raise AttributeError(f"the {name} of a {type(self).__name__} cannot be changed")
