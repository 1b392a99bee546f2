"""Several calls on one scene: how they divide its iterations, and where the caller's pointers are after each."""

from __future__ import annotations

import pytest
from cryptostitch.core.contract import HAND, IN, KEY, OUT, Field
from cryptostitch.ladder.interpreter import ModelMachine
from cryptostitch.ladder.kept import changed, may_change
from cryptostitch.ladder.scene import Scene, random_secrets
from cryptostitch.ladder.subject import Subject
from cryptostitch.pipeline import Generator
from native_instruction import text_bytes
from seeded import key_written

PAIR = "aes128_cbc_enc_x16_hand+sha1_x16_hand@avx512_vaes"


@pytest.fixture(scope="module")
def subject() -> Subject:
    generator = Generator(proves=False)
    return Subject(generator, generator.recipe(PAIR))


def scene(subject: Subject, iterations: int) -> Scene:
    return Scene(subject.recipe, subject.rows, ModelMachine(), iterations)


@pytest.mark.parametrize("counts", [(5,), (3, 2), (2, 3)])
def test_division_does_not_change_the_results(subject: Subject, counts: tuple[int, ...]) -> None:
    played = scene(subject, sum(counts))
    expected = played.fill(random_secrets(3))
    assert [(o.fault, changes) for o, changes in played.calls(subject.code, counts)] == [("", [])] * len(counts)
    assert played.problems(expected) == []


@pytest.mark.parametrize("counts", [(3, 1), (1, 3), (2, 3), (4, 0)])
def test_counts_that_the_kernel_does_not_allow(subject: Subject, counts: tuple[int, ...]) -> None:
    """Not more than the lag of 1, or not the scene's."""
    assert subject.recipe.lag == 1
    with pytest.raises(ValueError):
        next(scene(subject, 4).calls(subject.code, counts))


def test_pointers_go_on(subject: Subject) -> None:
    played = scene(subject, 4)
    played.fill(random_secrets(3))
    played.advance(3)
    for (i, name, lane), address in played.buffers.items():
        assert (
            int.from_bytes(played.machine.read(played.entry(i, name, 0, lane), 8), "little")
            == address + played.length(i) * 3 // 4
        )
    assert {name for _, name, _ in played.buffers} == {IN, OUT}


def test_a_fault_is_the_end(subject: Subject) -> None:
    played = scene(subject, 4)
    played.fill(random_secrets(3))
    ((outcome, changes),) = played.calls(text_bytes(["ud2"]), (2, 2))
    assert outcome.fault and not changes


def test_what_changed_is_named_at_its_call(subject: Subject) -> None:
    played = scene(subject, 4)
    played.fill(random_secrets(3))
    _, changes = next(played.calls(key_written(subject).code, (2, 2)))
    assert changes == ["the state block of stream 0 was changed in 'key'"]


def test_every_byte_outside_a_streams_own_fields_is_kept(subject: Subject) -> None:
    contract = subject.recipe.parts[0].program.contract
    allowed = may_change(contract)
    was = bytes(contract.state_bytes)

    def after(at: int) -> list[str]:
        return changed(0, contract, was, was[:at] + b"\1" + was[at + 1 :])

    def own(field: Field) -> bool:
        return field.name not in (IN, OUT, KEY, "from")

    assert all(bool(after(at)) != bool(allowed[at]) for at in range(len(was)))
    assert all(own(f) == bool(allowed[f.offset]) for f in contract.fields) and contract.has(HAND)
