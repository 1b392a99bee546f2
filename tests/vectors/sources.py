"""Finds and reads the published test vectors."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from pathlib import Path
from typing import Any, Iterator

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


def wycheproof(name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(group, test) of wycheproof/<name>_test.json; skips the test when the folder is absent."""
    folder = Path(os.environ.get("CRYPTOSTITCH_VECTORS", CHECKOUT.parent / "shared" / "vectors"))
    path = folder / "wycheproof" / f"{name}_test.json"
    if not path.exists():
        pytest.skip(f"no {path}: set CRYPTOSTITCH_VECTORS")
    for group in json.loads(path.read_text())["testGroups"]:
        for test in group["tests"]:
            yield group, test


def records(path: str, first: str) -> Iterator[dict[str, str]]:
    """Records of a CAVP or RFC file of the package cryptography-vectors.

    A record starts with the key `first`; the key "section" holds the last line in brackets that is not a parameter,
    such as ENCRYPT. All keys are in capitals.
    """
    spec = importlib.util.find_spec("cryptography_vectors")
    if spec is None or not spec.origin:
        pytest.skip("pip install cryptography-vectors==50.0.2")
    record: dict[str, str] = {}
    section = ""
    for line in (Path(spec.origin).parent / path).read_text().splitlines():
        if match := re.fullmatch(r"\[\s*(\w+)\s*\]", line.strip()):
            if record:
                yield record
            record, section = {}, match[1]
        elif match := re.fullmatch(r"(\w+)\s*=\s*(.*)", line.strip()):
            key = match[1].upper()
            if key == first.upper() and record:
                yield record
                record = {}
            record.setdefault("section", section)
            record[key] = match[2].strip().strip('"')
    if record:
        yield record
