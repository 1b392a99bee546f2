"""After every call of the API no secret is left in registers, below the stack pointer, or in the library's memory:
`cst-residue`, which knows secrets by their bytes, and `cst-refused-residue`, which compares what two keys leave."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from cost_files import Costs
from cryptostitch.binding import runtime
from handmade import run_tool
from jobs.samples import LONG, one_of_each, one_per_construction, suites_of

LEAKS = {
    "freed": "a freed block",
    "live": "a live block",
    "stack": "the stack",
    "register": "the registers",
    "mask": "the registers",
}

HASTE = 0.01


def run(*arguments: str, target: str = "host", program: str = "cst-residue") -> tuple[int, str]:
    return run_tool(program, *arguments, target=target)


SUITES_OF = {
    "host": one_of_each,
    "host-no_avx512": one_per_construction,
    "host-no_avx512-vaes": one_per_construction,
    "sse_aesni": one_of_each,
}
"""By target: hashes have code with the widest vectors, and code with the narrowest."""


@pytest.mark.parametrize("target", SUITES_OF)
def test_nothing_is_left(target: str) -> None:
    """Suites of each construction, and of each hash on some targets (all in the long form): keys, seal, open,
    forgeries, bad padding, bad arguments, every failing allocation, every kernel that can be forced; erasure codes.
    Each target has code of its own that needs no kernel."""
    every = suites_of(runtime.Context(runtime.ALLOW_LEGACY, target=target))
    names = every if LONG else SUITES_OF[target](every)
    code, output = run(*(word for suite in names for word in ("--suite", suite)), target=target)
    assert code == 0, output[:4000]
    calls, suites = map(int, re.match(r"(\d+) calls of (\d+) suites, 0 findings", output.splitlines()[-1]).groups())
    assert calls > 80 * suites and suites == len(names)


@pytest.fixture(scope="module")
def measured(library: str, tmp_path_factory: pytest.TempPathFactory) -> Costs:
    context, path = runtime.Context(library=library), tmp_path_factory.mktemp("costs") / "costs"
    if not context.cpu()["jit"]:
        pytest.skip("nothing can be assembled, so nothing is measured")
    context.calibrate("*", HASTE)
    context.save_costs(path)
    return Costs.read(path)


@pytest.mark.parametrize("seed", range(12 if LONG else 3))
def test_nothing_is_left_whatever_the_costs(measured: Costs, seed: int, tmp_path: Path) -> None:
    """One call of a burst may have fewer lanes than the one before it, whose buffers are still to be wiped. Which calls
    follow each other depends on costs: here they are random."""
    random = Random(seed)
    kernels = {
        name: (digest, *(int(10 ** random.uniform(2, 6)) for _ in range(2)))
        for name, (digest, *_) in measured.kernels.items()
    }
    file = replace(measured, kernels=kernels).write(tmp_path / "costs")
    names = one_per_construction(suites_of(runtime.Context(costs=file)))
    code, output = run("--costs", str(file), "none", *(word for suite in names for word in ("--suite", suite)))
    assert code == 0 and f"of {len(names)} suites, 0 findings" in output, output[:4000]


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_seen(leak: str) -> None:
    if leak == "mask" and "avx512bw" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this CPU has no 64-bit mask registers")
    code, output = run("--leak", leak, "none")
    assert code == 1 and f"a secret is left in {LEAKS[leak]}" in output


@pytest.mark.parametrize("target", SUITES_OF)
def test_quic_leaves_nothing(target: str) -> None:
    code, output = run(target=target, program="cst-quic-residue")
    assert code == 0 and re.search(r"^\d{3,} calls, 0 findings$", output, re.M), output[:4000]


def test_a_leak_of_quic_is_seen() -> None:
    for leak in ("freed", "live", "stack", "register"):
        code, output = run("--leak", leak, program="cst-quic-residue")
        assert code == 1 and f"a secret is left in {LEAKS[leak]}" in output, leak


CHECKSUMS = re.compile(r"(crc\d|adler)[^+]*|sha\d+\+crc32c")
"""Alone, or of the same bytes as a digest: these may stay (SECURITY.md)."""


@pytest.mark.parametrize("target", ("host", "sse_aesni"))
def test_a_refused_message_leaves_nothing_that_follows_its_key(target: str) -> None:
    every = suites_of(runtime.Context(runtime.ALLOW_LEGACY, target=target))
    names = [name for name in (every if LONG else one_per_construction(every)) if not CHECKSUMS.fullmatch(name)]
    code, output = run(*names, target=target, program="cst-refused-residue")
    assert code == 0 and re.search(r"^\d{3,} calls, 0 findings$", output, re.M), output[:4000]


def test_what_follows_a_key_is_seen() -> None:
    code, output = run("--leak", "aes-128-gcm", program="cst-refused-residue")
    assert code == 1 and "the stack: 1 bytes follow the key" in output
