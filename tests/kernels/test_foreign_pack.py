"""A pack that the application loads is checked more strictly than the built-in one; everything that we generate must
pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cryptostitch.binding import runtime
from cryptostitch.emit.pack import write_pack
from cryptostitch.emit.unpack import read_pack


def test_every_kernel_passes_the_checks_of_foreign_packs(build: Path) -> None:
    pack = read_pack((build / "generated" / "default.pack").read_bytes())
    context = runtime.Context(runtime.ALLOW_PACKS | runtime.ALLOW_LEGACY)
    renamed = [replace(r, name=f"{r.name}~again") for r in pack.recipes]
    context.load_pack(write_pack(pack.algorithms, renamed))
    assembled = 0
    for recipe in renamed:
        try:
            assert context.kernel(recipe.name).origin == "jit"
        except runtime.RuntimeFailure as failure:
            if failure.code != runtime.ERR_UNSUPPORTED:
                raise AssertionError(recipe.name) from failure
            continue
        assembled += 1
    if assembled < len(renamed):
        print(f"{len(renamed) - assembled} of {len(renamed)} kernels need features that this CPU lacks")
    assert assembled > 20


def test_a_refusal_says_why_and_changes_nothing(build: Path) -> None:
    pack = (build / "generated" / "default.pack").read_bytes()
    context = runtime.Context(runtime.ALLOW_PACKS)
    before = context.kernels()
    assert context.why_refused(pack) == ""
    damaged = bytearray(pack)
    damaged[len(pack) // 2] ^= 1
    assert "damaged" in context.why_refused(bytes(damaged))
    try:
        context.load_pack(bytes(damaged))
    except runtime.RuntimeFailure as failure:
        assert failure.code == runtime.ERR_PACK
    else:
        raise AssertionError("a damaged pack was loaded")
    assert context.kernels() == before
