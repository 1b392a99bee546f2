"""Multi-hash SHA-1 and SHA-256: what isa-l_crypto gives, whatever the message is cut into."""

from __future__ import annotations

import ctypes
import random

import pytest
from cryptostitch import hash_many
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import SEAL, Context, Job, RuntimeFailure
from cryptostitch.core import murmur3
from cryptostitch.ladder import multi_hash
from jobs.memory import Guarded
from jobs.samples import LEVELS
from targets import context_for

# of bytes (7 * i + (i >> 8)) & 0xff: the bytes of the words that isa-l_crypto 2.26 leaves in memory
PEERS = {
    3: (
        "6b8bfae0a6018ef7ce93cb2f5afb3af32d804d09",
        "482a468386e645ec7f33a213e9ac69dbd2034caa589d2fea5b595a4feee01b94",
    ),
    5000: (
        "1f104ed581878bac0c9474c9bffc14e1296bbb15",
        "d102d33b84645e2aa874e48ffc16c7ea73b41d2f7d7b60d756d22295a7fa0f32",
    ),
    1048576: (
        "b5e2ac6e70f41d8d132df1651e4728fafbec2b76",
        "05eab7d66f80985f97c06d85ea702340c4eb6706aa43dc2cbd47b0fd76b5c5ab",
    ),
}
MURMUR = "mh-sha1+murmur3-x64-128"
# the last 16 bytes of its tags, of the same texts
MURMUR_PEERS = {
    0: "00000000000000000000000000000000",
    3: "f355f18cb94570e5a772e71d1734ed9a",
    5000: "609ab638fec2755148306830787354b4",
    1048576: "4976b0551810dce34e5641c5c8af573a",
}
LENGTHS = (0, 1, 55, 1014, 1015, 1016, 1017, 1023, 1024, 1025, 2039, 2040, 2048, 5000, 17 * 1024 + 5)


def text_of(length: int) -> bytes:
    return bytes((7 * i + (i >> 8)) & 0xFF for i in range(length))


@pytest.fixture(params=LEVELS)
def context(request: pytest.FixtureRequest, library: str) -> Context:
    return context_for(request.param, library)


@pytest.mark.parametrize("place,suite", list(enumerate(multi_hash.HASHES)))
def test_the_peers_answers(context: Context, place: int, suite: str) -> None:
    key = context.suite(suite).key()
    for length, digests in PEERS.items():
        assert key.digest(text_of(length)).hex() == digests[place], length
        assert multi_hash.digest(suite, text_of(length)).hex() == digests[place], length


@pytest.mark.parametrize("suite", multi_hash.HASHES)
def test_lengths_and_pieces(context: Context, suite: str) -> None:
    rng, key = random.Random(suite), context.suite(suite).key()
    jobs, wanted = [], []
    for length in LENGTHS:
        text = rng.randbytes(length)
        cuts = sorted(rng.randrange(length + 1) for _ in range(4))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, length])]
        digest = multi_hash.digest(suite, text)
        for data in (text, pieces):
            jobs.append(Job(key, SEAL, data=data, tag=bytearray(len(digest))))
            wanted.append(digest)
    assert context.burst(jobs) == runtime.OK
    assert [bytes(job.tag) for job in jobs] == wanted


@pytest.mark.parametrize("suite", multi_hash.HASHES)
def test_opened(context: Context, suite: str) -> None:
    key, text = context.suite(suite).key(), text_of(5000)
    tag = key.digest(text)
    key.open(text, tag)
    with pytest.raises(RuntimeFailure) as failure:
        key.open(text, tag[:-1] + bytes([tag[-1] ^ 1]))
    assert failure.value.code == runtime.ERR_AUTH


def segment_kernels(context: Context, suite: str) -> list[str]:
    """The kernels of a suite's segments that can run here: 16, 8, 4 or one of them in a call."""
    found = []
    for kernel in context.kernels():
        if not kernel.startswith(f"{multi_hash.HASHES[suite]}_segments_x1@"):
            continue
        try:
            context.force(suite, kernel)
        except RuntimeFailure as failure:
            assert failure.code == runtime.ERR_UNSUPPORTED
        else:
            found.append(kernel)
    context.force(suite, None)
    assert found
    return found


@pytest.mark.parametrize("suite", multi_hash.HASHES)
def test_with_each_kernel(context: Context, suite: str) -> None:
    """Few blocks, and more than are read again and again by calls for the next segments."""
    key = context.suite(suite).key()
    texts = {text: multi_hash.digest(suite, text) for text in (text_of(5000), text_of(17 * 1024 + 5))}
    for kernel in segment_kernels(context, suite):
        context.force(suite, kernel)
        before = context.kernel(kernel).calls()
        try:
            for text, wanted in texts.items():
                assert key.digest(text) == wanted, kernel
        finally:
            context.force(suite, None)
        assert context.kernel(kernel).calls() > before


@pytest.mark.parametrize("suite", multi_hash.HASHES)
def test_other_kernels_are_refused(context: Context, suite: str) -> None:
    """The hash by itself comes last, and has no choice that is worth being forced."""
    for kernel in (f"{multi_hash.HASHES[suite]}_x16@avx512", "md5_x16@avx512"):
        with pytest.raises(RuntimeFailure) as failure:
            context.force(suite, kernel)
        assert failure.value.code == runtime.ERR_NAME


@pytest.mark.parametrize("at_end", (False, True))
@pytest.mark.parametrize("suite", multi_hash.HASHES)
def test_guard_pages(context: Context, suite: str, at_end: bool) -> None:
    """No kernel reads in front of a text or behind it, though calls begin in the middle of a block."""
    key, rng, memory = context.suite(suite).key(), random.Random(suite), Guarded(1, 5, at_end)
    texts = [rng.randbytes(length) for length in (1, 64, 1023, 1024, 1025, 2048, 3000, 17 * 1024)]
    wanted = [multi_hash.digest(suite, text) for text in texts]
    for kernel in segment_kernels(context, suite):
        context.force(suite, kernel)
        try:
            for text, digest in zip(texts, wanted):
                address = memory.put(text, writable=False)
                assert key.digest((ctypes.c_char * len(text)).from_address(address)) == digest, (kernel, len(text))
                memory.clear()
        finally:
            context.force(suite, None)


def test_murmur_of_the_peer(context: Context) -> None:
    key, alone = context.suite(MURMUR).key(), context.suite("mh-sha1").key()
    for length, wanted in MURMUR_PEERS.items():
        text = text_of(length)
        assert key.digest(text) == alone.digest(text) + bytes.fromhex(wanted), length
        if length < 10_000:
            assert murmur3.digest(text).hex() == wanted


def test_murmur_of_each_length(context: Context) -> None:
    """Each rest of a block of either hash."""
    key, alone, text = context.suite(MURMUR).key(), context.suite("mh-sha1").key(), random.Random(3).randbytes(5000)
    for length in (*range(70), *range(1000, 1100), *range(2030, 2060), 4999):
        assert key.digest(text[:length]) == alone.digest(text[:length]) + murmur3.digest(text[:length]), length


def test_murmur_with_each_kernel(context: Context) -> None:
    """Stitched kernels; kernels of either hash alone, beside which the other has one of its own."""
    key, text = context.suite(MURMUR).key(), text_of(17 * 1024 + 37)
    wanted, ran = multi_hash.digest("mh-sha1", text) + murmur3.digest(text), []
    for kernel in context.kernels():
        if not kernel.startswith(("sha1_segments_", "murmur3_")):
            continue
        try:
            context.force(MURMUR, kernel)
        except RuntimeFailure as failure:
            assert failure.code == runtime.ERR_UNSUPPORTED
            continue
        before = context.kernel(kernel).calls()
        try:
            assert key.digest(text) == wanted, kernel
        finally:
            context.force(MURMUR, None)
        assert context.kernel(kernel).calls() > before
        ran.append(kernel)
    assert any(kernel.startswith("murmur3_x1_by64") for kernel in ran)


@pytest.mark.parametrize("at_end", (False, True))
def test_murmur_at_guard_pages(context: Context, at_end: bool) -> None:
    key, rng, memory = context.suite(MURMUR).key(), random.Random(5), Guarded(1, 5, at_end)
    for length in (1, 15, 16, 17, 1023, 1024, 3000, 17 * 1024 + 40):
        text = rng.randbytes(length)
        address = memory.put(text, writable=False)
        wanted = multi_hash.digest("mh-sha1", text) + murmur3.digest(text)
        assert key.digest((ctypes.c_char * length).from_address(address)) == wanted, length
        memory.clear()


@pytest.mark.parametrize("glob", ("*_segments_*", "murmur3_*"))
def test_self_test(library: str, glob: str) -> None:
    """In a context that has no suite yet: the code of no kernel has been made."""
    found = Context(library=library).selftest(glob)
    assert found and set(found.values()) <= {runtime.OK, runtime.ERR_UNSUPPORTED}


def test_from_python() -> None:
    texts = [text_of(length) for length in (3, 5000)]
    assert [digest.hex() for digest in hash_many("mh-sha256", texts)] == [PEERS[3][1], PEERS[5000][1]]
