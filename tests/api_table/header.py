"""cryptostitch.h as data: the parameters of every function, and the members of every struct."""

from __future__ import annotations

import ctypes
import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEADER = Path(__file__).resolve().parents[2] / "include/cryptostitch/cryptostitch.h"
SCALARS: dict[str, Any] = {
    "char": ctypes.c_char,
    "double": ctypes.c_double,
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int32,
    "size_t": ctypes.c_size_t,
    "uint8_t": ctypes.c_uint8,
    "uint16_t": ctypes.c_uint16,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
}
DECLARATION = re.compile(r"(?P<type>.*?[\s*])(?P<name>\w+)(?P<array>\[\d+\])?$")
CALLBACK = re.compile(r"\w+ \(\*(\w+)\)\(")


@dataclass(frozen=True)
class Declared:
    """A parameter or a member. ``type``: without `const` and stars, "callback" of a pointer to a function. ``const``:
    what the last pointer leads to is only read."""

    name: str
    type: str
    stars: int = 0
    const: bool = False

    @property
    def number(self) -> Any:
        """The type of ctypes in which a number is passed; an address is one of 64 bits."""
        return ctypes.c_uint64 if self.stars or self.type == "callback" else SCALARS[self.type]


@dataclass(frozen=True)
class Function:
    name: str
    result: Declared
    parameters: tuple[Declared, ...]


def _declared(text: str) -> Declared:
    text = " ".join(text.split())
    if callback := CALLBACK.match(text):
        return Declared(callback[1], "callback")
    found = DECLARATION.match(text)
    assert found, text
    kind = found["type"].replace("struct ", "")
    base = re.sub(r"\bconst\b|\*", "", kind).strip()
    return Declared(found["name"], base, kind.count("*"), "*" in kind and kind.startswith("const"))


def _split(text: str) -> list[str]:
    """Parts between the commas that are not inside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


@functools.cache
def _text() -> str:
    text = re.sub(r"/\*.*?\*/", " ", HEADER.read_text(), flags=re.DOTALL)
    return re.sub(r"^#.*$", " ", text, flags=re.MULTILINE)


@functools.cache
def functions() -> dict[str, Function]:
    found = {}
    for result, name, parameters in re.findall(r"CST_API ([^;(]*?)(\w+)\(((?:[^()]|\([^()]*\))*)\);", _text()):
        declared = _declared(f"{result} {name}")
        found[name] = Function(name, declared, tuple(_declared(each) for each in _split(parameters)))
    return found


@functools.cache
def structs() -> dict[str, tuple[Declared, ...]]:
    found = {}
    for name, body in re.findall(r"struct (\w+) \{(.*?)\}", _text(), re.DOTALL):
        members: list[Declared] = []
        for line in body.split(";"):
            first, *more = _split(line) or [""]
            if first:
                members.append(one := _declared(first))
                members += [Declared(each.lstrip("*"), one.type, each.count("*"), one.const) for each in more]
        found[name] = tuple(members)
    return found
