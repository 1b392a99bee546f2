"""The instruction model against this CPU: every row at every width in every operand form, with random and with extreme
operands and flags."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from cryptostitch import semantics
from cryptostitch.core.instructions import INSTRUCTIONS
from cryptostitch.ladder.interpreter import ModelMachine
from cryptostitch.passes.frame import frame
from cryptostitch.pipeline import Generator
from cryptostitch.semantics.scalar import AF, CF, STATUS, Flagged
from instruction_forms import every_form
from native_instruction import RSP, Cpu
from snippets import BLOCK, Inputs, Snippet, on_model, snippets

INPUTS = 16 if os.environ.get("CRYPTOSTITCH_LONG") else 4
SEED = 20261121


class Comparison:
    """Runs a snippet on both; memory lies at the same address for both."""

    def __init__(self, found: list[Snippet]) -> None:
        self.cpu, self.model = Cpu(), ModelMachine()
        self.cpu.load(b"".join(s.code for s in found))
        self.pages = mmap.mmap(-1, mmap.PAGESIZE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.pages))
        self.inputs = Inputs(SEED, self.address, self.cpu.vectors, self.cpu.vector_bits, self.cpu.masks)

    def difference(self, snippet: Snippet) -> str:
        before, memory = self.inputs.draw()
        self.pages[:BLOCK] = memory
        native, native_memory = self.cpu.execute(snippet.offset, before), self.pages[:BLOCK]
        model, model_memory, undefined = on_model(self.model, snippet, self.address, before, memory)
        for name, ours, theirs in (
            ("general", model.generals, native.generals),
            ("mask", model.masks, native.masks),
            ("vector", model.vectors, native.vectors),
        ):
            for n, (a, b) in enumerate(zip(ours, theirs)):
                if a != b and (name, n) != ("general", RSP):
                    return f"{snippet.form}: {name} register {n} is {a:#x}, on this CPU {b:#x}"
        if (model.flags ^ native.flags) & STATUS & ~undefined:
            return (
                f"{snippet.form}: flags are {model.flags:#x}, on this CPU {native.flags & STATUS:#x}, undefined "
                f"{undefined:#x}"
            )
        return (
            ""
            if model_memory == native_memory
            else f"{snippet.form}: memory is {model_memory.hex()}, on this CPU {native_memory.hex()}"
        )

    def differences(self, found: list[Snippet]) -> Iterator[str]:
        for snippet in found:
            if not snippet.missing:
                yield from (said for said in (self.difference(snippet) for _ in range(INPUTS)) if said)


@pytest.fixture(scope="module")
def found() -> list[Snippet]:
    return snippets(every_form())


def test_model_equals_cpu(
    found: list[Snippet], count_cases: Callable[[str, int], None], capsys: pytest.CaptureFixture
) -> None:
    here = [s for s in found if not s.missing]
    with capsys.disabled():
        print(
            f"\n{len(here)} instruction forms compared with this CPU, {INPUTS} inputs each, seed {SEED}; "
            f"{len(found) - len(here)} that it lacks"
        )
    different = list(Comparison(found).differences(found))
    assert not different, "\n".join(different[:20])
    assert len(here) >= 300  # SSE2 and general registers: what every x86-64 CPU has
    count_cases("instruction forms, model against this CPU", len(here))


def test_every_form_can_run_here(found: list[Snippet]) -> None:
    lacking = Counter(feature for s in found for feature in s.missing)
    if lacking:
        pytest.skip("this CPU lacks " + ", ".join(f"{feature} ({n} forms)" for feature, n in sorted(lacking.items())))


def test_every_row_is_among_the_forms(found: list[Snippet]) -> None:
    names = {word for s in found for line in s.form.split("\n") for word in line.replace("1:", "").split()[:1]}
    assert (set(INSTRUCTIONS) | set(semantics.FRAME) | set(semantics.CONTROL)) - names == {"ret"}


@pytest.mark.parametrize(
    "kernel", ("sha1_x1@scalar", "md5_x4@sse", "sha256_x16@avx512", "aes128_cbc_enc_x8+sha1_x8@avx2_vaes")
)
def test_every_instruction_has_a_meaning(kernel: str) -> None:
    assert set(semantics.MEANING) == set(INSTRUCTIONS) | set(semantics.FRAME)
    recipe = Generator(proves=False).recipe(kernel)
    for abi in ("sysv", "win64"):
        used = {ins.op for ins in frame(recipe, abi).instructions()}
        assert used <= set(semantics.MEANING) | set(semantics.CONTROL)


TRUE = dict(semantics.MEANING)
SEEDED = {
    "vprold": lambda form: lambda a: a,  # no rotation
    "paddd": TRUE["paddq"],  # carries across elements
    # only two bytes of the control
    "vpshufb": lambda form: lambda a, control: TRUE["vpshufb"](form)(a, control & 0x0F0F),
    "aesdec": TRUE["aesdeclast"],
    "sha256msg2": TRUE["sha256msg1"],
    "add": TRUE["sub"],
    "shr": TRUE["shl"],
}


@pytest.mark.parametrize("name", SEEDED)
def test_wrong_meaning_is_seen(name: str, found: list[Snippet], monkeypatch: pytest.MonkeyPatch) -> None:
    some = [s for s in found if s.form.split()[0] == name and not s.missing][:40]
    if not some:
        pytest.skip(f"this CPU has no {name}")
    monkeypatch.setitem(semantics.MEANING, name, SEEDED[name])
    assert any(Comparison(found).differences(some))


@pytest.mark.parametrize(
    "wrong",
    (
        lambda flagged: (flagged.defined & ~CF, flagged.undefined),  # says nothing of CF: it would stay as it was
        # AF is promised where the manual leaves it open
        lambda flagged: (flagged.defined | AF, flagged.undefined & ~AF),
    ),
)
def test_wrong_flags_are_seen(wrong: Callable, found: list[Snippet], monkeypatch: pytest.MonkeyPatch) -> None:
    true = semantics.MEANING["and"]

    def meaning(form: semantics.Form) -> Flagged:
        flagged = true(form)
        return Flagged(lambda a, b: (flagged.apply(a, b)[0], flagged.apply(a, b)[1] | AF), *wrong(flagged))

    monkeypatch.setitem(semantics.MEANING, "and", meaning)
    assert any(Comparison(found).differences([s for s in found if s.form.startswith("and ")]))


def test_kept_upper_half_is_seen(found: list[Snippet], monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose VEX instructions of 128 bits leave what lies above their result, as SSE's do."""
    some = [s for s in found if s.form.startswith("vpxor xmm") and not s.missing]
    if not some:
        pytest.skip("this CPU has no avx")
    comparison = Comparison(found)
    plain = comparison.model._setter

    def setter(decoded):
        put, (target, *_), vectors = plain(decoded), decoded.ins.operands, comparison.model.vectors
        return lambda value: put(value | vectors[target.id] >> 128 << 128)

    monkeypatch.setattr(comparison.model, "_setter", setter)
    assert any(comparison.differences(some))
