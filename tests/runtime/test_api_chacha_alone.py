"""ChaCha20, alone and with Poly1305, of one message (runtime/run/chacha_alone.hpp), and its Poly1305 by vectors (runtime/suite/poly1305_wide.hpp)."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from chacha_jobs import Prepared, cases, run
from gcm_jobs import runnable_kernels
from test_api_direct import run as run_ciphers
from test_dispatch import compiled

from cryptostitch.ladder import oracle
from cryptostitch.runtime import OPEN, SEAL, Context

# Around strides, and from where on the middle of a text is stitched; those before, all of them.
LONGER = (
    1087, 1088, 1089, 1151, 1152, 1420, 1500, 1983, 1984, 1985, 2047, 2048, 2049, 2111, 2112, 2113, 3000, 3008, 4095, 4096, 4097, 4160, 5000, 8192, 9000, 10176, 10239, 10240,
    10241, 10304,
)  # fmt: skip
AAD = (0, 1, 12, 13, 16, 17, 20, 48, 63, 64, 65, 80, 150, 159, 160, 161, 1000)


@pytest.fixture(params=["host", "host-no_avx512", "host-avx512ifma", "sse_aesni"])
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return Context(target=request.param, library=library)


@pytest.mark.parametrize("direction", [SEAL, OPEN])
@pytest.mark.parametrize("in_place", [False, True])
def test_every_length(context: Context, direction: int, in_place: bool) -> None:
    """One message; of those that are opened every fourth is forged."""
    rng = random.Random(f"{direction} {in_place}")
    for length in (*range(1087), *LONGER):
        case = cases(rng, length, rng.choice(AAD), 1)[0]
        spoil = rng.choice((*["tag", "aad" if case.aad else "tag", "text" if length else "tag"], *[""] * 9)) if direction == OPEN else ""
        run(context, [Prepared(context, case, direction, in_place, spoil)])


@pytest.mark.parametrize("jobs", [1, 4, 16])
def test_the_cipher_alone(context: Context, jobs: int) -> None:
    """Every length; of several jobs their blocks or those of each fill vectors, whichever are more."""
    name, rng = "chacha20", random.Random(jobs)
    suite = context.suite(name)
    for length in (*range(1, 1090 // jobs + 1), *LONGER, 20000, 65536, 65600):
        made = [oracle.case(rng, name, length, 0) for _ in range(jobs)]
        direction = rng.choice((SEAL, OPEN))
        want = [(0, case.out if direction == SEAL else case.data, b"") for case in made]
        assert run_ciphers(context, made, [suite.key(case.key) for case in made], direction, in_place=rng.random() < 0.5) == want, length


def test_a_few(context: Context) -> None:
    """Of several lengths, keys and directions: those that lanes do not pay for are run so, too."""
    rng = random.Random(3)
    for _ in range(40):
        n = rng.randrange(2, 6)
        made = [cases(rng, rng.choice((0, 100, 700, 960, 1100, 2048, 4100, 9000)), rng.choice(AAD), 1)[0] for _ in range(n)]
        some = [Prepared(context, case, direction := rng.choice((SEAL, OPEN)), rng.random() < 0.5, "tag" if direction == OPEN and rng.random() < 0.2 else "") for case in made]
        run(context, some)


@pytest.mark.parametrize("length", [0, 64, 960])
def test_one_call(library: str, length: int) -> None:
    """The key of the MAC, and all of a text up to 15 blocks, are one call of one kernel."""
    context, rng = Context(library=library), random.Random(length)
    case = cases(rng, length, 12, 1)[0]
    kernels = [context.kernel(name) for name in runnable_kernels(context, lambda name: name.startswith("chacha20_x1"))]
    for direction in (SEAL, OPEN):
        prepared = Prepared(context, case, direction)
        before = sum(kernel.calls() for kernel in kernels)
        run(context, [prepared])
        assert sum(kernel.calls() for kernel in kernels) == before + 1


def test_poly1305_by_vectors(root: Path, library: str, tmp_path: Path) -> None:
    """Every number of blocks up to 300, with keys, blocks and accumulators at their extremes: as block by block."""
    program = compiled(root, library, tmp_path, "poly1305_test")
    done = subprocess.run([program], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout
    assert int(done.stdout.split()[0]) >= 300 * 3 * 4 * 4
