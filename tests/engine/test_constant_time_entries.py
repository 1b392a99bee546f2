"""What test_constant_time shows of some suites, of every construction; and of single calls, managers, and written TLS
texts. Single calls are bursts of one job, and managers run bursts (runtime/test_plan_entries.py shows that both run the
same kernels): constructions of a few kinds stand for the others there."""

from __future__ import annotations

import ctypes
import random
from ctypes import byref

import pytest
from built import suite_names
from cryptostitch.binding.capi import TlsWrite
from cryptostitch.binding.runtime import ERR_AUTH, OPEN, SEAL, Context
from cryptostitch.ladder import oracle
from engine.entries import Entry, address, burst, manager, single
from engine.records import SUITES as RECORDS
from engine.stepped import shared
from engine.test_constant_time import Judge, Scene, changed, traced
from jobs import answers
from jobs.samples import one_per_construction

CONSTRUCTIONS = one_per_construction(suite_names())
TAGGED = [name for name in CONSTRUCTIONS if oracle.meaning(name).tag_bytes and oracle.meaning(name).kind != "digest"]
ENCIPHERING = [name for name in CONSTRUCTIONS if not oracle.meaning(name).only_reads]
KINDS = ("etm", "gcm", "chacha_poly")
SIZE = 112


def by_entry(suites: list[str]) -> list[object]:
    """Every suite in bursts, those of KINDS through the other entries."""
    cases = [(burst, suite) for suite in suites]
    cases += [(entry, suite) for entry in (single, manager) for suite in suites if oracle.meaning(suite).kind in KINDS]
    return [pytest.param(suite, entry, id=f"{suite}-{entry.__name__}") for entry, suite in cases]


@pytest.mark.parametrize("suite, entry", by_entry(TAGGED))
def test_wrong_tags(host: Context, suite: str, entry: Entry) -> None:
    """Where a tag is wrong, and in how many bytes, is not to be seen; that it is wrong, is."""
    rng = random.Random(suite)
    secrets = oracle.secrets(rng, suite)
    key = host.suite(suite).key(secrets[0], secrets[1])
    iv, aad = rng.randbytes(key.suite.iv_bytes), rng.randbytes(oracle.meaning(suite).fit_aad(8))
    text = rng.randbytes(oracle.meaning(suite).fit_input(SIZE))
    out, tag = answers.sealed(suite, secrets, iv, aad, text, key.suite.tag_max)
    data = out or text
    scene = Scene(host, [key], OPEN, [len(data)], entry=entry, right=(iv, aad, data, tag))
    with scene.stepped:
        judge = Judge(scene.stepped)
        # That a checksum behind the tag is wrong tells only who has the key: without it the tag is wrong, too.
        m = oracle.meaning(suite)
        last = -1 - oracle.digest_bytes(m.hash) if m.kind == "checked" and "gcm" in m.cipher else -1
        for wrong in (changed(tag, 0), changed(tag, last, 0x80), bytes(byte ^ 0xFF for byte in tag)):
            scene.put(0, iv, aad, data, wrong)
            outcome, trace = scene.trace()
            assert outcome == ((ERR_AUTH, 0),)
            judge.add(f"tag {wrong.hex()}", outcome, trace)
        scene.put(0, iv, aad, data, tag)
        outcome, trace = scene.trace()
        assert outcome[0][0] == 0 and trace.steps != next(iter(judge.first.values()))[1].steps


@pytest.mark.parametrize("suite, entry", by_entry(ENCIPHERING))
def test_sealing(host: Context, suite: str, entry: Entry) -> None:
    """Texts of one length are sealed alike, whatever they are."""
    rng = random.Random(suite)
    secrets = oracle.secrets(rng, suite)
    key, aad_bytes = host.suite(suite).key(secrets[0], secrets[1]), oracle.meaning(suite).fit_aad(8)
    scene = Scene(host, [key], SEAL, [SIZE], out_bytes=key.suite.expansion, entry=entry)
    with scene.stepped:
        judge = Judge(scene.stepped)
        for name, text in (("zeros", bytes(SIZE)), ("ones", b"\xff" * SIZE), ("random", rng.randbytes(SIZE))):
            # ChaCha20's counter is in its IV, and may carry: its bytes are public, and stay.
            iv = bytes(key.suite.iv_bytes) if "chacha" in suite else rng.randbytes(key.suite.iv_bytes)
            scene.put(0, iv, rng.randbytes(aad_bytes), text)
            judge.add(name, *scene.trace())
        assert len(judge.first) == 1


@pytest.mark.parametrize("suite", RECORDS[:2])
def test_writing(host: Context, suite: str) -> None:
    """cst_tls_seal: three records of a text."""
    rng, size, fragment = random.Random(suite), 200, 80
    key = host.suite(suite).key(*oracle.secrets(rng, suite))
    records, room = key.tls_size(size, fragment)
    memory = shared(4096)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    write = TlsWrite(key=key.handle, sequence=7, type=23, version=0x0303, fragment=fragment)
    write.iv, write.iv_len, write.in_len, write.out, write.out_cap = base, 16 * records, size, base + 1024, room
    setattr(write, "in", base + 512)
    call = host.lib.cst_tls_seal
    assert call(byref(write)) == 0
    stepped = traced(address(call), lambda: call(byref(write)))
    with stepped:
        judge = Judge(stepped)
        for name, text in (("zeros", bytes(size)), ("ones", b"\xff" * size), ("random", rng.randbytes(size))):
            memory[512 : 512 + size] = text
            judge.add(name, ((0, room),), stepped.trace())
        assert judge.runs == {((0, room),): 3}
