"""libFuzzer over the pack reader and the API (fuzz/), from a kept corpus. Seconds for each target:
CRYPTOSTITCH_FUZZ_SECONDS, else 20, in the long form 60."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptostitch.binding import runtime
from fuzz.pack_corpus import reason
from sanitized import LONG, ROOT, compiles, sanitized

SECONDS = int(os.environ.get("CRYPTOSTITCH_FUZZ_SECONDS", "60" if LONG else "20"))
CORPUS = ROOT / "tests/runtime/fuzz/corpus"
TARGETS = {"pack": 4096, "api": 512}


def replay(target: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sanitized("address") / f"cst-fuzz-{target}", CORPUS / target]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, env={**os.environ, **(env or {})})


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_fuzz(target: str, tmp_path: Path) -> None:
    if not compiles("clang++", "fuzzer,address,undefined"):
        done = replay(target)
        assert done.returncode == 0, done.stdout + done.stderr
        pytest.skip(f"no clang++ with libFuzzer: {done.stdout.strip()} of the corpus, nothing new was tried")
    corpus = tmp_path / "corpus"
    shutil.copytree(CORPUS / target, corpus)
    command = [
        sanitized("fuzzer") / f"cst-fuzz-{target}",
        f"-max_total_time={SECONDS}",
        f"-max_len={TARGETS[target]}",
        "-print_final_stats=1",
        corpus,
    ]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=SECONDS * 4 + 300
    )
    assert done.returncode == 0, done.stderr[-6000:]
    executed = int(done.stderr.split("stat::number_of_executed_units:")[1].split()[0])
    assert executed > len(list((CORPUS / target).iterdir()))
    print(f"{target}: {executed} inputs")


@pytest.mark.parametrize("target", TARGETS)
def test_a_seeded_bug_is_found(target: str) -> None:
    """By the corpus alone: with and without libFuzzer."""
    right, seeded = replay(target), replay(target, {"CRYPTOSTITCH_FUZZ_SEEDED": "1"})
    assert right.returncode == 0, right.stdout + right.stderr
    assert (
        seeded.returncode != 0 and ("heap-buffer-overflow" if target == "pack" else "calls[i].bytes()") in seeded.stderr
    )


def test_the_corpus_reaches_what_is_checked() -> None:
    """A corpus of an old version would be refused for that alone; fuzz/pack_corpus.py makes it anew."""
    context = runtime.Context()
    reasons = {reason(context.why_refused(path.read_bytes())) for path in (CORPUS / "pack").iterdir()}
    assert "" in reasons and len(reasons) > 40


def test_the_corpus_is_small() -> None:
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert files and sum(path.stat().st_size for path in files) < 300_000
