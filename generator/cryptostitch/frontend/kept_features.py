"""The CPU features of streams, kept from process to process: to find all of them, every text is rendered, for seconds.

They are kept in a file of the user's cache, $XDG_CACHE_HOME/cryptostitch (~/.cache/cryptostitch), whose name is a
digest of all texts and of the code that reads them. Where no such file can be written or read, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

Features = Mapping[tuple[str, str, int, bool, str], frozenset[str]]
PACKAGE = Path(__file__).parents[1]
READERS = ("core", "frontend")  # the folders whose code decides which features a text has


class KeptFeatures:
    """``roots``: the folders of the texts."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = roots
        self._read = -1

    def read(self) -> dict[tuple[str, str, int, bool, str], frozenset[str]]:
        """Returns what is kept; nothing where there is no sound file."""
        try:
            kept = {tuple(key): frozenset(found) for key, found in json.loads(self._file().read_text(encoding="utf-8"))}
        except (OSError, ValueError, TypeError, RuntimeError):  # RuntimeError: this user has no home
            return {}
        self._read = len(kept)
        return kept

    def write(self, features: Features) -> None:
        """Keeps them, unless they are those that were read."""
        if len(features) == self._read:
            return
        text = json.dumps([[key, sorted(found)] for key, found in features.items()])
        with contextlib.suppress(OSError, RuntimeError):
            file = self._file()
            made = file.with_suffix(f".{os.getpid()}")
            file.parent.mkdir(parents=True, exist_ok=True)
            try:
                made.write_text(text, encoding="utf-8")
                made.replace(file)
            except OSError:
                made.unlink(missing_ok=True)

    def _file(self) -> Path:
        digest = hashlib.sha256()
        texts = [path for root in self._roots for path in sorted(root.rglob("*.j2"))]
        for path in (*texts, *(path for name in READERS for path in sorted((PACKAGE / name).glob("*.py")))):
            data = path.read_bytes()
            digest.update(f"{path.name} {len(data)}\n".encode() + data)
        folder = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        return Path(folder) / "cryptostitch" / f"features-{digest.hexdigest()[:32]}.json"
