"""The diary of a run: it lists the steps that are done, beside the folder's whole files. The next run reads it and goes
on, if this one was interrupted or had no time for all searches."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..cpus.folder import CpuFolder

PLACE = ".learning"
PAGE = "diary.json"
FORMAT = "cryptostitch diary 1"


class Diary:
    """``of``: what the figures depend on; a diary of something else is thrown away, and ``begun_anew`` says so."""

    def __init__(self, folder: CpuFolder, of: Mapping[str, Any]):
        self._folder = CpuFolder(folder.path / PLACE)
        page = self.read(PAGE) or {}
        same = page.get("format") == FORMAT and page.get("of") == dict(of)
        self.begun_anew = bool(page) and not same
        self.resumed = same
        if not same and self._folder.path.exists():
            shutil.rmtree(self._folder.path)
        self._page: dict[str, Any] = page if same else {"format": FORMAT, "of": dict(of), "spent": 0.0, "done": {}}

    def path(self, name: str) -> Path:
        return self._folder.path / name

    def read(self, name: str) -> dict[str, Any] | None:
        """A JSON file; None where it is missing or not one."""
        with contextlib.suppress(OSError, ValueError):
            data = json.loads(self.path(name).read_text(encoding="utf-8"))
            return data if isinstance(data, dict) else None
        return None

    def write(self, name: str, data: Mapping[str, Any]) -> None:
        self._folder.write(name, json.dumps(data, indent=1) + "\n")

    def write_text(self, name: str, text: str) -> None:
        self._folder.write(name, text)

    @property
    def spent(self) -> float:
        """Returns the seconds that this run and those before it have taken."""
        return self._page["spent"]

    def done(self, what: str) -> Any:
        """Returns the result that was noted when the step was done; None while it is not done."""
        return self._page["done"].get(what)

    def note(self, what: str, result: Any, spent: float) -> None:
        self._page["done"][what] = result
        self.save(spent)

    def save(self, spent: float) -> None:
        self._page["spent"] = round(spent, 1)
        self.write(PAGE, self._page)

    def keep(self, again: Iterable[str]) -> None:
        """Keeps what was done for another run, which has its time to itself and does the steps ``again`` once more."""
        for what in again:
            self._page["done"].pop(what, None)
        self.save(0.0)

    def close(self) -> None:
        """Forgets everything: nothing is left to do."""
        if self._folder.path.exists():
            shutil.rmtree(self._folder.path)


def digest(path: Path) -> str:
    """Returns a short digest of a file, which tells whether it has changed."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
