"""Known answers of suites: data that packs carry and that the library's self-test checks."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from .errors import CryptostitchError

LIBRARY = Path(__file__).with_name("known_answers.txt")


@dataclass(frozen=True)
class Answer:
    """A known answer: a message, and the result that a suite must give for it. A part is empty where the suite has
    none. ``out``: the ciphertext."""

    suite: str
    key: bytes = b""
    mac_key: bytes = b""
    iv: bytes = b""
    aad: bytes = b""
    text: bytes = b""
    out: bytes = b""
    tag: bytes = b""

    @property
    def parts(self) -> tuple[bytes, ...]:
        """Returns all fields but the suite, in the order of a pack's record."""
        return self.key, self.mac_key, self.iv, self.aad, self.text, self.out, self.tag


NAMES = {each.name.replace("_", ""): each.name for each in fields(Answer)}


def known_answers(file: Path = LIBRARY) -> tuple[Answer, ...]:
    """The answers of a file: groups of lines `Suite = <name>`, `Key`, `MacKey`, `IV`, `AAD`, `Text`, `Out`, `Tag` =
    <hex>, empty lines between them; `#` begins a comment. Raises CryptostitchError."""
    found: list[dict[str, str]] = [{}]
    for number, line in enumerate(file.read_text().splitlines(), 1):
        name, equals, value = (part.strip() for part in line.partition("="))
        if not line.strip():
            found.append({})
        elif not line.startswith("#"):
            if not equals or name.lower() not in NAMES or NAMES[name.lower()] in found[-1]:
                raise CryptostitchError(f"{file}:{number}: not a part of an answer, or given twice: {line[:40]}")
            found[-1][NAMES[name.lower()]] = value
    return tuple(_answer(file, group) for group in found if group)


def _answer(file: Path, group: dict[str, str]) -> Answer:
    suite = group.pop("suite", "")
    try:
        answer = Answer(suite, **{name: bytes.fromhex(value) for name, value in group.items()})
    except ValueError as error:
        raise CryptostitchError(f"{file}: {suite}: {error}") from error
    if not suite or not (answer.out or answer.tag):
        raise CryptostitchError(f"{file}: an answer of '{suite}' lacks its suite, or what the suite makes")
    return answer
