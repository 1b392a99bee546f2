"""A skip that nobody allowed makes a session of CI fail (allowed_skips.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from allowed_skips import ALLOWED, PREVENTED, refused

CASES = """
import pytest

def test_passes(): pass

def test_skipped():
    pytest.skip({reason!r})

def test_of_a_kernel(record_property):
    record_property("checks", ["answers", "skip", {check!r}])
"""
LOSS, FINE = "this library has no CCM", "takes an hour: CRYPTOSTITCH_LONG=1"
NOT_BUILT = "not built: no intel-ipsec-mb.h of version 1.3"


def session(folder: Path, root: Path, reason: str, check: str, *options: str, **env: str) -> tuple[int, str]:
    (folder / "conftest.py").write_text('pytest_plugins = ["allowed_skips"]\n')
    (folder / "test_cases.py").write_text(CASES.format(reason=reason, check=check))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", folder, *options]
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("CI", "CRYPTOSTITCH_LIBRARY", "PYTEST_ADDOPTS")
    }
    env = kept | {"PYTHONPATH": str(root / "tests")} | env
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "reason,check,options,env,fails",
    [
        (LOSS, FINE, (), {"CI": "true"}, True),
        (LOSS, FINE, ("-n", "2"), {"CI": "true"}, True),
        (LOSS, FINE, ("--check-skips",), {}, True),
        (FINE, LOSS, (), {"CI": "true"}, True),
        (FINE, FINE, (), {"CI": "true"}, False),
        (FINE, FINE, ("-n", "2"), {"CI": "true"}, False),
        (LOSS, LOSS, (), {}, False),
        (NOT_BUILT, FINE, (), {}, not os.geteuid()),
        (NOT_BUILT, FINE, (), {"CRYPTOSTITCH_LIBRARY": "another.so"}, False),
    ],
)
def test_a_session(
    reason: str, check: str, options: tuple[str, ...], env: dict[str, str], fails: bool, root: Path, tmp_path: Path
) -> None:
    code, text = session(tmp_path, root, reason, check, *options, **env)
    assert code == (1 if fails else 0), text
    loss = NOT_BUILT if reason == NOT_BUILT else LOSS
    assert (f"1 skipped, which tests/allowed_skips.py does not allow: {loss}" in text) == fails


def test_what_only_lesser_cpus_lack() -> None:
    """A CPU that has everything cannot lack AES-NI: then detection is broken."""
    reasons = Counter({"this CPU has no AES-NI": 2})
    assert not refused(reasons, everything=False)
    assert refused(reasons, everything=True) == [
        "2 skipped, which tests/allowed_skips.py does not allow: this CPU has no AES-NI"
    ]


def test_what_make_test_prevents() -> None:
    for reason in (NOT_BUILT, "cst-bench was built without isa-l", "qemu-x86_64 (package qemu-user) is not installed"):
        assert PREVENTED.match(reason) and refused(Counter([reason]), everything=False)
    assert not PREVENTED.match(NOT_BUILT.replace("1.3", "2.0")) and not PREVENTED.match("no Go with pkg-config here")


def test_each_says_why() -> None:
    assert len({entry.pattern for entry in ALLOWED}) == len(ALLOWED) and all(len(entry.why) > 7 for entry in ALLOWED)
