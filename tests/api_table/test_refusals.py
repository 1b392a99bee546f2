"""The n-th request to the system is refused in every entry, when its objects are there: the call gives the right answer
another way, or an error that says so, and has written nothing; and then it does what it did not do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from api_table.cases import CASES
from api_table.known import KNOWN_REFUSALS
from api_table.many import CASES_OF_MANY
from api_table.refused import KINDS
from sanitized import LONG, ROOT, run

LEFT_OUT = {"cst_calibrate"}
"""`seconds` is no integer; it makes the calls that other entries make."""


def group_of(entry: str) -> str:
    if entry.startswith("cst_pk"):
        return "public keys"
    if entry.startswith(("cst_ctx", "cst_suite", "cst_kernel", "cst_key", "cst_manager")):
        return "objects"
    return "work"


def chosen() -> list[str]:
    """Returns the cases: all in the long form; else one of each entry, with 17 jobs where it takes many."""
    names, entries = [], set()
    for name, case in CASES.items():
        if case.entry in LEFT_OUT or (not LONG and case.entry in entries):
            continue
        entries.add(case.entry)
        names += [name] + [f"{name}+17"] * (case in CASES_OF_MANY)
    return names


@pytest.fixture(scope="session")
def helper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("refused") / "libcst-refused-calls.so"
    source = ROOT / "tests/api_table/refused_calls.cpp"
    run(["c++", "-std=c++17", "-O1", "-Wall", "-fPIC", "-shared", source, "-ldl", "-o", made])
    return made


def refused(helper: Path, library: str, names: list[str]) -> tuple[list[str], dict[str, int]]:
    env = {**os.environ, "LD_PRELOAD": str(helper), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "api_table.refused", helper, library, "1000" if LONG else "4", *names]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    *found, counts = done.stdout.splitlines()
    return found, json.loads(counts)


@pytest.mark.parametrize(
    "group",
    [
        pytest.param(
            each, marks=pytest.mark.xfail(strict=True, reason=KNOWN_REFUSALS[each]) if each in KNOWN_REFUSALS else ()
        )
        for each in ("objects", "work", "public keys")
    ],
)
def test_every_request_is_refused_once(group: str, helper: Path, library: str) -> None:
    names = [name for name in chosen() if group_of(name) == group]
    found, counts = refused(helper, library, names)
    assert not found, "\n".join(found)
    assert counts["malloc"] > 10
    if group == "objects":
        assert set(counts) == set(KINDS), counts


def test_a_refusal_that_is_overlooked_is_seen(helper: Path, library: str, tmp_path: Path) -> None:
    """A helper that writes to the caller's buffer when it refuses: the last argument of cst_digest_column is its
    struct, whose tags come at 56."""
    source = tmp_path / "wrong.cpp"
    source.write_text(
        f'#include "{ROOT}/tests/runtime/refusals.hpp"\n#include <cstdint>\n'
        'extern "C" __attribute__((visibility("default"))) int64_t call_refused(const void *, const uint64_t *a, int, '
        "long n, int, long *requests) {\n"
        "    *requests = 1;\n"
        "    if (n) **reinterpret_cast<uint8_t **>(a[0] + 56) = 1;\n"
        "    return n ? -7 : 0;\n}\n"
    )
    wrong = tmp_path / "libwrong.so"
    run(["c++", "-std=c++17", "-fPIC", "-shared", source, "-ldl", "-o", wrong])
    found, _ = refused(wrong, library, ["cst_digest_column-sha256"])
    assert any("returned CST_ERR_MEMORY, and byte" in each for each in found), found
