"""What the header says of a parameter or a member in words alone: which length belongs to which pointer, what is read,
what is written, what may be absent."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from cryptostitch.binding import capi

MOST_BYTES = (1 << 61) - 1
"""No buffer of a call may be longer."""
TOP = 1 << 64


class Use(enum.Enum):
    """Says how a call uses a buffer. ANSWER: it may be written by a call that returns an error, too. EITHER: it writes
    or reads it, as the algorithm and the direction say."""

    READ = 1
    WRITE = 2
    BOTH = 3
    ANSWER = 4
    EITHER = 5

    @property
    def written(self) -> bool:
        return self is not Use.READ


READ, WRITE, BOTH, ANSWER, EITHER = Use


class Absent(enum.Enum):
    """Says what NULL means. NEVER: it is CST_ERR_ARGUMENT, with the length 0 too. GIVEN: the same, but where the
    algorithm takes no such buffer. EMPTY: with the length 0 it does what an address with the length 0 does, with a
    length it is CST_ERR_ARGUMENT."""

    NEVER = 1
    GIVEN = 2
    EMPTY = 3


NEVER, GIVEN, EMPTY = Absent


@dataclass(frozen=True)
class Without:
    """NULL is right, and says what this sentence says: never that something need not be checked."""

    meaning: str


NOTHING_TO_FREE = Without("nothing happens")


@dataclass(frozen=True)
class Role:
    pass


@dataclass(frozen=True)
class Handle(Role):
    """An object of the library."""

    absent: Absent | Without = NEVER


@dataclass(frozen=True)
class Made(Role):
    """A pointer to which the address of a new object is written. ``free``: what frees it; None: the context owns it."""

    free: str | None = None


@dataclass(frozen=True)
class Text(Role):
    """A string that ends with NUL."""

    absent: Absent | Without = NEVER


@dataclass(frozen=True)
class Callback(Role):
    absent: Absent | Without = Without("nobody is told")


@dataclass(frozen=True)
class Buffer(Role):
    """``length``: the parameter or member that counts its elements, or how many there always are. ``unit``: bytes of an
    element. ``in_place``: the buffers that may begin where this one does."""

    length: str | int
    use: Use = READ
    unit: int = 1
    align: int = 1
    absent: Absent | Without = EMPTY
    in_place: tuple[str, ...] = ()


@dataclass(frozen=True)
class Structs(Role):
    """``length``: as of Buffer. ``older``: sizes of earlier versions of the struct, which are taken too."""

    name: str
    length: str | int = 1
    use: Use = READ
    absent: Absent | Without = NEVER
    older: tuple[str, ...] = ()
    sized: bool = True


@dataclass(frozen=True)
class Pointers(Role):
    """An array of pointers to buffers. ``length``: their number, None: the object knows it. ``each``: of one."""

    each: Buffer
    length: str | None = None
    absent: Absent | Without = NEVER


@dataclass(frozen=True)
class StructPointers(Role):
    """An array of pointers to structs, each of which lies alone. ``length``: their number."""

    name: str
    length: str
    absent: Absent | Without = EMPTY


@dataclass(frozen=True)
class Number(Role):
    """Any value is right unless a case says otherwise. ``wrong``: the error of others. ``lengthens``: buffers are
    longer where it is larger."""

    wrong: int = capi.ERR_LENGTH
    lengthens: bool = False


@dataclass(frozen=True)
class Length(Number):
    """Bytes, or elements, of the buffers that name it. ``room``: the call may use less of them. ``capacity``: how many
    it uses follows from other arguments, and any number that is not less does the same."""

    room: bool = False
    capacity: bool = False


@dataclass(frozen=True)
class Stride(Number):
    """Bytes from one element of a buffer to the next. ``of``: the buffer, ``count``, ``each``: how many of how many
    bytes; 0 means `each`."""

    of: str = ""
    count: str = "n"
    each: str = ""


@dataclass(frozen=True)
class Choice(Number):
    """A number that must be one of a few values."""

    values: tuple[int, ...] = ()
    wrong: int = capi.ERR_ARGUMENT


@dataclass(frozen=True)
class Flags(Number):
    """Any of these bits."""

    bits: int = 0
    wrong: int = capi.ERR_ARGUMENT


@dataclass(frozen=True)
class Reported(Number):
    """A number that the call sets, after an error too."""


@dataclass(frozen=True)
class Entry:
    """``errors``: what the header promises, beside CST_OK and what each call may return (EVERYWHERE). ``apart``: pairs
    of buffers whose overlap nobody checks. ``ends_without_memory``: after CST_ERR_MEMORY outputs may have been written,
    and the text is over."""

    roles: dict[str, Role]
    errors: tuple[int, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    ends_without_memory: bool = False


EVERYWHERE = (capi.ERR_ARGUMENT, capi.ERR_LENGTH, capi.ERR_OVERLAP)
"""The header's rules for all pointers, lengths and overlaps."""
