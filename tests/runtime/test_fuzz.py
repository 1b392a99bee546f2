"""libFuzzer over the pack reader and the API (fuzz/), each from its corpus. Seconds for each target:
CRYPTOSTITCH_FUZZ_SECONDS, else 10, in the long form 60. The commit's hash draws whether libFuzzer runs in the quick
form (sanitized.py); the corpora run always, under AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from cryptostitch.binding import runtime
from fuzz import pack_corpus
from sanitized import LONG, ROOT, compiles, sanitized

SECONDS = int(os.environ.get("CRYPTOSTITCH_FUZZ_SECONDS", "60" if LONG else "10"))
TARGETS = {"pack": 4096, "api": 512}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Returns the corpora by target: what a fuzzer found for the API, and kept (api_corpus.tar.xz); packs made by
    rule."""
    packs, api = tmp_path_factory.mktemp("packs"), tmp_path_factory.mktemp("api")
    pack_corpus.write(packs)
    with tarfile.open(ROOT / "tests/runtime/fuzz/api_corpus.tar.xz") as tar:
        tar.extractall(api, filter="data")
    return {"pack": packs, "api": api}


def replay(target: str, corpus: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sanitized("address") / f"cst-fuzz-{target}", corpus]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, env={**os.environ, **env})


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_fuzz(target: str, corpora: dict[str, Path], tmp_path: Path) -> None:
    if not compiles("clang++", "fuzzer,address,undefined"):
        done = replay(target, corpora[target], {})
        assert done.returncode == 0, done.stdout + done.stderr
        pytest.skip(f"no clang++ with libFuzzer: {done.stdout.strip()} of the corpus, nothing new was tried")
    corpus = tmp_path / "corpus"
    shutil.copytree(corpora[target], corpus)
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
    assert executed > len(list(corpora[target].iterdir()))
    print(f"{target}: {executed} inputs")


@pytest.mark.parametrize("target", TARGETS)
def test_a_seeded_bug_is_found(target: str, corpora: dict[str, Path]) -> None:
    """By the corpus alone: with and without libFuzzer."""
    right, seeded = (replay(target, corpora[target], env) for env in ({}, {"CRYPTOSTITCH_FUZZ_SEEDED": "1"}))
    assert right.returncode == 0, right.stdout + right.stderr
    assert (
        seeded.returncode != 0 and ("heap-buffer-overflow" if target == "pack" else "calls[i].bytes()") in seeded.stderr
    )


def test_the_corpora_reach_what_is_checked(corpora: dict[str, Path]) -> None:
    context = runtime.Context()
    reasons = {pack_corpus.reason(context.why_refused(path.read_bytes())) for path in corpora["pack"].iterdir()}
    assert "" in reasons and len(reasons) > 40


def test_the_corpora_are_small(corpora: dict[str, Path]) -> None:
    files = [path for corpus in corpora.values() for path in corpus.iterdir()]
    assert files and sum(path.stat().st_size for path in files) < 600_000
