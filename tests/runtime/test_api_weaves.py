"""Weaves of one kernel: NAME~CPU is chosen where both were measured alike and it is cheaper, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cost_files import MOST, Costs
from cryptostitch.binding.runtime import ALLOW_PACKS, ERR_NAME, SEAL, Context, Job, RuntimeFailure
from cryptostitch.core.names import WEAVE, woven_for
from cryptostitch.emit.artefacts import pack_of
from cryptostitch.pipeline import Generator

SUITE = "aes-128-cbc+hmac-sha256-etm"
PLAIN = "aes128_cbc_enc_x1+sha256_ni_x1@sse_aesni_shani"
TWO_LANES = "aes128_cbc_enc_x2+sha256_ni_x2@sse_aesni_shani"
TUNED = woven_for(PLAIN, "zen4")
HASTE = 0.01
CHEAP = 100  # centicycles
SIZES = 65536, 18432, 24576, 16400


@pytest.fixture(scope="module")
def measured(library: str, tmp_path_factory: pytest.TempPathFactory) -> Costs:
    """The two, on this machine; what other CPUs have of the kernel is left out."""
    context = Context(library=library)
    if not {"aes", "sha"} <= set(context.cpu()["features"]) or not context.cpu()["jit"]:
        pytest.skip("this CPU has no AES-NI or SHA extensions, or nothing can be assembled")
    path = tmp_path_factory.mktemp("weaves") / "costs"
    context.calibrate(PLAIN + "*", HASTE)
    context.save_costs(path)
    found = Costs.read(path)
    return replace(found, kernels={name: found.kernels[name] for name in (PLAIN, TUNED)})


def chosen(library: str, costs: Costs, folder: Path, **cycles: int) -> str:
    """For one job, with these figures for ``plain`` and ``tuned``; what has none keeps what the pack says."""
    kernels = {
        name: (costs.kernels[name][0], cycles[key], 0)
        for key, name in (("plain", PLAIN), ("tuned", TUNED))
        if key in cycles
    }
    context = Context(costs=replace(costs, kernels=kernels).write(folder / "costs"), library=library)
    assert context.calibrated
    found = context.suite(SUITE).choice(1, 16384).kernel
    for name in (PLAIN, TUNED):
        context.force(SUITE, name)
        assert context.suite(SUITE).choice(1, 16384).kernel == name
    return found


@pytest.mark.parametrize(
    "plain, tuned, wanted", [(2 * CHEAP, CHEAP, TUNED), (CHEAP, 2 * CHEAP, PLAIN), (CHEAP, CHEAP, PLAIN)]
)
def test_the_cheaper_one_is_chosen(
    library: str, measured: Costs, tmp_path: Path, plain: int, tuned: int, wanted: str
) -> None:
    assert chosen(library, measured, tmp_path, plain=plain, tuned=tuned) == wanted


def test_figures_of_another_kind_do_not_compare(library: str, measured: Costs, tmp_path: Path) -> None:
    """One of the two measured here, the other by the table or an estimate."""
    assert chosen(library, measured, tmp_path, tuned=CHEAP) != TUNED
    assert chosen(library, measured, tmp_path, plain=CHEAP) == PLAIN
    assert chosen(library, measured, tmp_path, plain=MOST) not in (PLAIN, TUNED)


def test_a_weave_that_nobody_measured_is_not_chosen(library: str, measured: Costs) -> None:
    generator = Generator()
    name = woven_for(PLAIN, "tuned")
    context = Context(ALLOW_PACKS, library=library)
    before = context.suite(SUITE).choice(1, 16384).kernel
    context.load_pack(pack_of(generator, [replace(generator.recipe(TUNED), name=name)]))
    assert context.suite(SUITE).choice(1, 16384).kernel == before
    context.force(SUITE, name)
    assert context.suite(SUITE).choice(1, 16384).kernel == name


@pytest.mark.parametrize("lag, runs", [(7, True), (8, False)])
def test_a_lag_for_which_an_idle_lane_has_no_room(library: str, measured: Costs, lag: int, runs: bool) -> None:
    """A lane without a message writes what a call of the fewest iterations writes, 1,024 bytes each, into 8,192."""
    generator, late = Generator(), woven_for(TWO_LANES, "late")
    recipe = generator.recipe(TWO_LANES)
    parts = tuple(replace(part, ratio=16, lag=part.lag and lag) for part in recipe.parts)
    context = Context(ALLOW_PACKS, library=library)
    context.load_pack(pack_of(generator, [replace(recipe, name=late, parts=parts)]))
    if not runs:
        with pytest.raises(RuntimeFailure) as refusal:
            context.force(SUITE, late)
        assert refusal.value.code == ERR_NAME
        return
    key = context.suite(SUITE).key(bytes(16), bytes(32))
    text = bytes(range(256)) * 256
    jobs = [Job(key, SEAL, iv=bytes(16), data=text[:size], out=bytearray(size), tag=bytearray(16)) for size in SIZES]
    context.burst(jobs)
    usual = [(bytes(job.out), bytes(job.tag)) for job in jobs]
    kernel = context.kernel(late)
    context.force(SUITE, kernel.name)
    context.burst(jobs)
    assert kernel.calls() and [(bytes(job.out), bytes(job.tag)) for job in jobs] == usual


def test_every_recipe_is_in_the_pack_beside_its_kernel(library: str) -> None:
    kernels = set(Context(library=library).kernels())
    weaves = {name for name in kernels if WEAVE in name}
    assert weaves == set(Generator().tuned) and {name.partition(WEAVE)[0] for name in weaves} <= kernels
