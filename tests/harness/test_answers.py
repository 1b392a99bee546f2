"""What tests/jobs/builder.py takes for granted of the answers that it compares with: what the oracles seal they open to
what it was, and they refuse what is not so."""

from __future__ import annotations

import random

import pytest
from cryptostitch.binding.runtime import OPEN, Context, Suite
from cryptostitch.ladder import oracle
from jobs import answers
from jobs.builder import Bench, JobSpec, damaged
from jobs.samples import EDGES, HEADS, suites_of
from jobs.tls_oracle import Tls

LENGTHS = (*EDGES, 320, 1000, 5000)


@pytest.fixture(scope="module")
def context(build: object) -> Context:
    return Context()


def tag_bytes(rng: random.Random, suite: Suite, meaning: oracle.Meaning) -> int:
    """Of a tag that opening takes."""
    least = suite.open_tag_lengths[0] if suite.open_tag_lengths else suite.tag_min
    return meaning.fit_tag(rng.randint(least, suite.tag_max))


def test_what_is_sealed_is_opened_to_what_it_was(context: Context) -> None:
    for name in suites_of(context):
        suite, meaning, rng = context.suite(name), oracle.meaning(name), random.Random(name)
        enciphers = suite.kind >= 3
        for length in LENGTHS:
            secrets = oracle.secrets(rng, name)
            iv, aad = rng.randbytes(suite.iv_bytes), rng.randbytes(meaning.fit_aad(rng.choice(HEADS)))
            data = rng.randbytes(meaning.fit_input(length))
            padding = rng.choice(Tls.of(name, *secrets).paddings(len(data))) if meaning.kind == "tls" else 0
            out, tag = answers.sealed(name, secrets, iv, aad, data, tag_bytes(rng, suite, meaning), padding)
            text = out if enciphers else data
            opened = answers.opened(name, secrets, iv, aad, text, tag)
            assert opened == (data if enciphers else b""), (name, length)
            if meaning.authenticates or not enciphers:
                wrong = (text, damaged(rng, tag)) if tag else (damaged(rng, text), tag)
                assert answers.opened(name, secrets, iv, aad, *wrong) is None, (name, length)


@pytest.mark.parametrize("damage", ["", "tag", "data"])
def test_a_job_that_is_damaged_wants_to_be_refused(context: Context, damage: str) -> None:
    for name in suites_of(context):
        meaning = oracle.meaning(name)
        (one,) = Bench(context, damage).build([JobSpec(name, OPEN, 64, damage=damage)])
        seen = meaning.authenticates or meaning.only_reads or meaning.kind == "checked"
        # a record of TLS has no tag; a text without one is never refused
        assert one.refused == bool(damage and seen and (damage == "data" or meaning.tag_bytes)), name
