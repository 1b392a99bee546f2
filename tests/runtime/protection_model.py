"""Protection information behind sectors by the standards, field by field in Python: SBC-4, 4.21; NVM Command Set
specification, "Protection Information Formats"."""

from __future__ import annotations

from dataclasses import dataclass

from cryptostitch.core.crc import CATALOGUE

BITS = {"crc16-t10-dif": (16, 32), "crc64-nvme": (64, 48)}
"""Of the guard; of storage tag and reference tag together."""


@dataclass(frozen=True)
class Model:
    suite: str
    sector: int
    type: int = 1
    ignored: tuple[str, ...] = ()
    application: int = 0
    application_ignored: int = 0
    storage: int = 0
    storage_bits: int = 0
    streaming: bool = False

    @property
    def behind(self) -> int:
        return (sum(BITS[self.suite]) + 16) // 8

    def fields(self, data: bytes, reference: int, index: int) -> dict[str, int]:
        """Returns the protection information that must follow a sector."""
        bits = BITS[self.suite][1] - self.storage_bits
        number = reference if self.type == 3 else reference + index
        return {
            "guard": CATALOGUE[self.suite].value(data),
            "application": self.application,
            "storage": self.storage,
            "reference": number % (1 << bits),
        }

    def pack(self, fields: dict[str, int]) -> bytes:
        guard_bits, tag_bits = BITS[self.suite]
        word = fields["guard"] << 16 | fields["application"]
        word = word << self.storage_bits | fields["storage"]
        word = word << tag_bits - self.storage_bits | fields["reference"]
        return word.to_bytes((guard_bits + 16 + tag_bits) // 8, "big")

    def unpack(self, behind: bytes) -> dict[str, int]:
        guard_bits, tag_bits = BITS[self.suite]
        text = f"{int.from_bytes(behind, 'big'):0{8 * len(behind)}b}"
        found, at = {}, 0
        widths = {"guard": guard_bits, "application": 16, "storage": self.storage_bits}
        for name, width in {**widths, "reference": tag_bits - self.storage_bits}.items():
            found[name] = int(text[at : at + width] or "0", 2)
            at += width
        return found

    def insert(self, data: bytes, reference: int) -> bytes:
        sectors = [data[at : at + self.sector] for at in range(0, len(data), self.sector)]
        return b"".join(s + self.pack(self.fields(s, reference, i)) for i, s in enumerate(sectors))

    def escaped(self, found: dict[str, int]) -> bool:
        ones = (1 << BITS[self.suite][1] - self.storage_bits) - 1
        return found["application"] == 0xFFFF and (self.type != 3 or found["reference"] == ones)

    def faults(self, sectors: bytes, reference: int) -> tuple[int, list[str]]:
        """(the first sector that does not match, its fields), or (number of sectors, [])."""
        step = self.sector + self.behind
        for index in range(len(sectors) // step):
            data = sectors[index * step : index * step + self.sector]
            found = self.unpack(sectors[index * step + self.sector : (index + 1) * step])
            wanted = self.fields(data, reference, index)
            if self.escaped(found):
                continue
            for fields in (found, wanted):
                fields["application"] &= ~self.application_ignored
            if wrong := [n for n in found if found[n] != wanted[n] and n not in self.ignored]:
                return index, wrong
        return len(sectors) // step, []
