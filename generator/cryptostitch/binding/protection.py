"""Sectors with protection information (cst_pi): `Protection`. The interpreter's lock is released while the library
works; one object may be used by several threads."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import byref
from typing import Any

from .capi import ERR_ARGUMENT, ERR_AUTH, PI_APPLICATION, PI_GUARD, PI_REFERENCE, PI_STORAGE, STREAMING
from .capi import ProtectionFault as Fault
from .capi import ProtectionStruct as Struct
from .failures import RuntimeFailure, SectorFault
from .fixed import Fixed
from .keys import Key
from .library import wanted
from .values import Buffer, number, place

__all__ = ["Protection", "SectorFault"]

FIELDS = {"guard": PI_GUARD, "application": PI_APPLICATION, "reference": PI_REFERENCE, "storage": PI_STORAGE}
BEHIND = {"crc16-t10-dif": 8, "crc64-nvme": 16}
"""Bytes of the information behind a sector, by the suite of its guard."""


class Protection(Fixed):
    """Inserts, checks and strips the information behind sectors of ``sector`` bytes, of T10's types 1 to 3. ``key``: of
    crc16-t10-dif (8 bytes) or crc64-nvme (16). ``ignored`` (of "guard", "application", "reference", "storage") and the
    bits ``application_ignored`` are not compared. ``streaming``: outputs are written past the caches. The other
    arguments are as in cst_pi. ValueError for another key, or a field that there is not."""

    def __init__(
        self,
        key: Key,
        sector: int = 512,
        type: int = 1,
        ignored: Iterable[str] = (),
        application: int = 0,
        application_ignored: int = 0,
        storage: int = 0,
        storage_bits: int = 0,
        streaming: bool = False,
    ):
        if wanted(Key, key, "the key").suite.name not in BEHIND:
            raise ValueError(f"a key of {key.suite.name}: one of {' or '.join(BEHIND)} is wanted")
        fields = 0
        for name in ignored:
            if name not in FIELDS:
                raise ValueError(f"no field {name!r}: {', '.join(FIELDS)}")
            fields |= FIELDS[name]
        self.key, self.data_bytes = key, number(sector, "the bytes of a sector")
        self.sector_bytes = self.data_bytes + BEHIND[key.suite.name]
        self._given: dict[str, Any] = {
            "sector_bytes": self.data_bytes,
            "type": number(type, "a type", 32),
            "ignored": fields,
            "application_tag": number(application, "an application tag", 16),
            "application_ignored": number(application_ignored, "bits of an application tag", 16),
            "storage_tag": number(storage, "a storage tag"),
            "storage_bits": number(storage_bits, "the bits of a storage tag", 32),
            "flags": STREAMING if streaming else 0,
        }
        self.insert(b"")  # refuses what is wrong here, not later

    def insert(self, data: Buffer, reference: int = 0, out: Buffer | None = None) -> Any:
        """``data``: whole sectors. Returns them with the information behind each: ``out``, a writable buffer of that
        size, or a new bytearray. ``reference``: the tag of the first sector."""
        address, n, keep = self._sectors(data, self.data_bytes)
        out, to, kept = self._output(out, n * self.sector_bytes)
        code = self._call(self.key.lib.cst_pi_insert, reference, address, n, to)
        del keep, kept
        self._check(code)
        return out

    def check(self, sectors: Buffer, reference: int = 0) -> None:
        """Compares the information. SectorFault: a sector does not match."""
        address, n, keep = self._sectors(sectors, self.sector_bytes)
        fault: Any = Fault()
        code = self._call(self.key.lib.cst_pi_check, reference, address, n, byref(fault))
        del keep
        self._check(code, fault)

    def strip(self, sectors: Buffer, reference: int = 0, out: Buffer | None = None) -> Any:
        """Compares the information, and returns the data alone: ``out``, a writable buffer of that size, or a new
        bytearray. SectorFault: a sector does not match; ``out`` has those in front of it, and zeros in its place."""
        address, n, keep = self._sectors(sectors, self.sector_bytes)
        out, to, kept = self._output(out, n * self.data_bytes)
        fault: Any = Fault()
        code = self._call(self.key.lib.cst_pi_strip, reference, address, n, to, byref(fault))
        del keep, kept
        self._check(code, fault)
        return out

    def _call(self, function: Any, reference: int, *arguments: Any) -> int:
        owned = self.key.live()
        given = Struct(key=owned.pointer, reference=number(reference, "a reference tag"), **self._given)
        return int(owned.gate.call(function, byref(given), *arguments))

    def _check(self, code: int, fault: Any = None) -> None:
        given = self._given
        cause = f"a storage tag {given['storage_tag']:#x} of {given['storage_bits']} bits, or a type {given['type']}"
        try:
            self.key.check(code, cause if code == ERR_ARGUMENT else "")
        except RuntimeFailure as failure:
            if code != ERR_AUTH:
                raise
            raise SectorFault(failure, fault.sector, [n for n, bit in FIELDS.items() if fault.fields & bit]) from None

    @staticmethod
    def _sectors(buffer: Buffer, size: int) -> tuple[int | None, int, Any]:
        address, length, keep = place(buffer)
        if length % max(size, 1):
            raise ValueError(f"{length} bytes, where sectors have {size}")
        return address, length // max(size, 1), keep

    @staticmethod
    def _output(out: Buffer | None, size: int) -> tuple[Any, int | None, Any]:
        out = bytearray(size) if out is None else out
        address, length, keep = place(out, write=True)
        if length != size:
            raise ValueError(f"an output of {length} bytes, for sectors of {size} in all")
        return out, address, keep
