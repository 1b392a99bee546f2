"""A pack that the application loads is checked more strictly than the built-in one; everything that we generate must pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cryptostitch import runtime
from cryptostitch.emit.pack import write_pack
from cryptostitch.emit.unpack import read_pack


def test_every_kernel_passes_the_checks_of_foreign_packs(build: Path) -> None:
    pack = read_pack((build / "generated" / "default.pack").read_bytes())
    context = runtime.Context(runtime.ALLOW_PACKS)
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
