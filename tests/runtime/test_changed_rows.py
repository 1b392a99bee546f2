"""What `cst_pack_load` takes, suites can use: rows with any of their numbers changed are refused, or their suites touch
nothing beside the caller's buffers, which end where a page does, and write the same there as anywhere."""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from api_table.cases import opening, sealing
from api_table.frame import Frame, Room
from api_table.hostile import memory_of, run
from api_table.objects import Objects
from commit_draw import is_drawn
from cryptostitch.binding import capi, runtime
from cryptostitch.binding.runtime import ALLOW_LEGACY, ALLOW_PACKS, Context
from cryptostitch.commands.common import catalogue_of
from cryptostitch.core.kinds import KINDS
from cryptostitch.core.program import Algorithm, Part, Recipe
from cryptostitch.core.row_rules import PADDINGS
from cryptostitch.emit.artefacts import own_pack, own_recipes
from cryptostitch.emit.pack import write_pack
from cryptostitch.emit.unpack import read_pack
from sanitized import LONG
from test_row_rules import changed

ROOT = Path(__file__).resolve().parents[2]
SIZES = (1, 48, 256)
PREFIX = "z"
"""Of names: a pack may not change algorithms that the library has."""


class PackObjects(Objects):
    """Those of a context that has a pack, and suites of legacy algorithms."""

    def __init__(self, path: str, pack: bytes):
        super().__init__(path, ALLOW_PACKS | ALLOW_LEGACY)
        self.context = self.open_context
        assert self.lib.cst_pack_load(self.context, pack, len(pack)) == capi.OK


def renamed(algorithm: Algorithm) -> Algorithm:
    cipher = algorithm.block_cipher
    cipher = f"aes-{PREFIX}{cipher.removeprefix('aes-')}" if cipher.startswith("aes-") else cipher
    base = PREFIX + algorithm.base if algorithm.base else ""
    made = replace(algorithm, name=PREFIX + algorithm.name, suite=PREFIX + algorithm.suite, base=base)
    return replace(made, block_cipher=cipher)


@functools.cache
def the_librarys() -> tuple[list[Algorithm], list[Recipe]]:
    """Each algorithm of the library under another name, with the kernels of the fewest lanes that the least of the
    CPUs can run which run any."""
    pack, context = read_pack((ROOT / "build/generated/default.pack").read_bytes()), Context()
    features = set(context.cpu()["features"])
    least: dict[str, tuple[int, int, str]] = {}
    recipes = []
    single = [recipe for recipe in pack.recipes if len(recipe.parts) == 1 and recipe.features <= features]
    ranks = [((r.parts[0].program.contract.lanes, len(r.features), r.target), r) for r in single]
    for rank, recipe in sorted(ranks, key=lambda each: each[0]):
        program = recipe.parts[0].program
        if least.setdefault(program.algorithm, rank) != rank:
            continue
        program = replace(program, name=PREFIX + program.name, algorithm=PREFIX + program.algorithm)
        recipes.append(replace(recipe, name=PREFIX + recipe.name, parts=(Part(program),)))
    return [renamed(each) for each in pack.algorithms], recipes


@functools.cache
def an_examples(name: str) -> tuple[list[Algorithm], list[Recipe]]:
    catalogue = catalogue_of(ROOT / "examples" / name / "algorithms.py")
    pack = read_pack(own_pack(catalogue, own_recipes(catalogue)))
    return list(pack.algorithms), [recipe for recipe in pack.recipes if len(recipe.parts) == 1]


def joined(a: Algorithm, b: Algorithm) -> bool:
    """Whether suites have both: modes of a cipher, and steps of a state."""
    return a.suite == b.suite or (a.block_cipher == b.block_cipher != "")


def judged(name: str, of: str) -> Iterator[tuple[str, bytes]]:
    """Packs that the library takes: a title and the pack, with each change of the algorithm's row."""
    context = Context(ALLOW_PACKS)
    rows, recipes = an_examples(of) if of else the_librarys()
    row = next(row for row in rows if row.name == name)
    near = [each for each in rows if each.name == row.base or joined(each, row)]
    recipes = [each for each in recipes if each.parts[0].program.algorithm in {row.name for row in near}]
    for each in dict.fromkeys(changed(row)):
        pack = write_pack([each if other.name == name else other for other in near], recipes)
        if not context.why_refused(pack):
            numbers = (field for field in vars(row) if getattr(row, field) != getattr(each, field))
            yield ", ".join(f"{field}={getattr(each, field)}" for field in numbers) or "nothing changed", pack


def use_suites(path: str, pack: bytes) -> list[str]:
    """Seals and opens under all suites that the pack brings; says what was written beside the buffers."""
    before = set(Context(ALLOW_LEGACY).names(runtime.NAME_SUITE))
    objects, found, ran = PackObjects(path, pack), list[str](), 0
    names: list[str] = []
    collect = capi.EACH_NAME(lambda name, arg: names.append(name.decode()) or 0)
    assert objects.lib.cst_list(objects.context, runtime.NAME_SUITE, collect, None) == capi.OK
    for name in sorted(set(names) - before):
        if not LONG and "+hmac-" in name and "-sha1-" not in name:
            continue
        if objects.lib.cst_suite_get(objects.context, name.encode(), ctypes.byref(ctypes.c_void_p())) != capi.OK:
            continue
        for at_end in (True, False):
            memory = memory_of(12, 2, at_end)
            keys = dict(zip(("key", "mac_key"), objects.key_bytes(name)))
            frame = Frame(memory, "cst_key_new", {"suite": objects.suite(name), **keys})
            if frame.call(path) != capi.OK:
                continue
            key = frame.new_object(frame.cells["out"])
            objects.once(("key", name), functools.partial(int, key))
            for entry, make, size in ((e, m, s) for e, m in ENTRIES for s in SIZES):
                with contextlib.suppress(AssertionError):  # of a size that the suite does not take
                    frame = Frame(memory, entry, {**make(objects, name, 1, size), "out_len": Room(8)})
                    result = frame.call(path)
                    ran += result == capi.OK
                    if problem := frame.problem(failed=result not in (capi.OK, capi.ERR_AUTH)):
                        found.append(f"{name}, {entry}, {size} bytes: {problem}")
    return found if ran else [*found, NO_SUITE]


NO_SUITE = "no suite sealed or opened anything"
WITHOUT_SUITES = {
    KINDS[kind].number for kind in ("arithmetic", "codec", "ghash", "chacha", "chacha_poly_enc", "chacha_poly_dec")
}
"""Of their own: messages of AES-GCM and ChaCha20-Poly1305 are those of the library's suites."""
WITH_IVS = {KINDS[kind].number for kind in ("counter", "cipher_enc", "xts_dec")}
ENTRIES = (("cst_seal", sealing), ("cst_open", opening))
OF_EXAMPLES = (("own_cipher", "aria128_ctr"), ("own_mac", "siphash"), ("own_aead", "ascon_duplex"))


def rows_to_change() -> list[tuple[str, str]]:
    """One of each kind and padding that suites have; in the quick form those with IVs, and a share of the others."""
    rows, _ = the_librarys()
    found = {(row.kind, row.padding): row for row in rows if not row.base and row.kind not in WITHOUT_SUITES}
    del found[KINDS["hash"].number, PADDINGS["segments"]]  # multi-hashes have names that the library knows
    wanted = [row.name for row in found.values() if LONG or row.kind in WITH_IVS or is_drawn(row.name, 4)]
    return [(name, "") for name in wanted] + [(name, of) for of, name in OF_EXAMPLES if LONG or is_drawn(of, 3)]


@pytest.mark.parametrize("name, of", rows_to_change())
def test_suites_of_changed_rows_stay_in_their_buffers(name: str, of: str) -> None:
    path = runtime.library_path()
    packs = list(judged(name, of))
    assert packs, "the row itself is refused"
    if not LONG:  # an IV is what the caller's buffer may be too short for
        share = len(packs) // 10 + 1
        packs = packs[:1] + [each for each in packs[1:] if "iv_bytes" in each[0] or is_drawn(name + each[0], share)]
    found = run(len(packs), lambda i: use_suites(path, packs[i][1]), lambda i: f"{name} {packs[i][0]}")
    assert f"{name} {packs[0][0]}: {NO_SUITE}" not in found, "the unchanged row's suites do not run"
    found = [each for each in found if NO_SUITE not in each]
    assert not found, "\n".join(found)
