"""Which kernel runs: forced by name (and proved), by target, without the JIT; the reasons; the self-test."""

from __future__ import annotations

import hashlib
import itertools
import random
import re

import pytest
from built import kernel_names
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import OPEN, SEAL, Context, Job, RuntimeFailure
from cryptostitch.ladder import oracle
from jobs.builder import OWN_KEY, Bench, JobSpec, forced
from jobs.samples import LEVELS, TAKES_SOME, TURNS, one_of_each, suites_of, usual_aad

ETM = "aes-128-cbc+hmac-sha1-etm"
MOST_BYTES = {"gcm_enc_short_x1_by32": 400, "gcm_dec_short_x1_by32": 400, "_short_": 16} | {
    "_gcm_enc_block_list_": 400,
    "_gcm_dec_block_list_": 400,
    "_padded_x1_by8": 100,
    "_padded_": 16,
    "_ni_list_": 64,
    "_ni_hmac_list_": 64,
}
"""How long a message the test asks for, by a part of the name of kernels that take only some lengths."""
LENGTHS = (4096, 1040, 400, 100, 64, 16)


OF_NO_SUITE = re.compile(r"codec|x25519|ed25519|p256|montgomery|crc32c_words_x1_by16@")
OF_SUITES = [name for name in kernel_names() if not OF_NO_SUITE.match(name)]


@pytest.mark.parametrize("name", OF_SUITES)
def test_every_kernel_forced(shared_context: Context, name: str) -> None:
    """Two suites that fit: the choice names it, its answers are right, and its call counter moves. More of its answers
    is asked by the ladder's checks `answers`, `lengths` and `fuzz`, of a share of the kernels in each commit
    (ladder/test_default_pack.py). Codecs are of no suite (test_api_code.py), nor are ladders (test_api_pk.py) and
    products (test_api_pk_rsa.py), nor is a checksum of words but beside a cipher."""
    context, bench = shared_context, Bench(shared_context, name)
    with forced(context, name, context.suites()) as suites:
        if not suites:
            try:
                context.kernel(name)
            except RuntimeFailure as failure:
                assert failure.code in (runtime.ERR_UNSUPPORTED, runtime.ERR_JIT)
                pytest.skip("this CPU cannot run it")
            pytest.fail("runs here, but no suite takes it: see role_of in runtime/select/variant.cpp")
        kernel = context.kernel(name)
        for suite in {suites[0], suites[-1]}:
            direction = OPEN if "_dec_" in name else SEAL
            bytes_ = next((most for kind, most in MOST_BYTES.items() if kind in name), 4096)
            assert context.suite(suite).choice(64, bytes_, True, direction).kernel == name
            before = kernel.calls()
            bench.burst(3 * [JobSpec(suite, direction, length, 0, aad) for length in LENGTHS for aad in (0, 16, 13)])
            for length in LENGTHS:
                bench.burst([JobSpec(suite, direction, length, 0, 16)])
            assert kernel.calls() > before


def records_opened(suite: str, direction: int) -> bool:
    """Their lengths, and so their kernels, are known when the padding has been read (RFC 5246, 6.2.3.2)."""
    return oracle.meaning(suite).kind == "tls" and direction == OPEN


@pytest.mark.parametrize("target", LEVELS)
def test_the_choice_names_a_kernel_that_runs(library: str, target: str) -> None:
    """What explain.cpp plans for jobs of one length under keys of their own, and what a burst of them calls."""
    context = Context(library=library, target=target)
    bench, wrong = Bench(context, target), []
    for suite in one_of_each(suites_of(context)):
        for direction, jobs, length in itertools.product((SEAL, OPEN), (1, 8, 17, 64), (64, 743, 1424)):
            if records_opened(suite, direction) or suite.startswith("mh-"):  # whose segments are parts
                continue
            meaning = oracle.meaning(suite)
            bytes_ = meaning.fit_input(length)
            if direction == OPEN and meaning.kind == "profile":  # what is opened has its padding
                bytes_ += 16 - bytes_ % 16
            named = context.suite(suite).choice(jobs, bytes_, False, direction).kernel
            held = []
            for _ in range(TURNS if TAKES_SOME in named else 1):
                bench.elsewhere()
                held.append(bench.burst([JobSpec(suite, direction, length, OWN_KEY, usual_aad(suite))] * jobs))
                before = context.kernel(named).calls()
                context.burst([one.job for one in held[-1]])  # once more, now that the context knows them
                if context.kernel(named).calls() > before:
                    break
            else:
                wrong.append((suite, direction, jobs, bytes_, named))
    assert not wrong


WHOLE = ("aes-128-gcm", "chacha20-poly1305", "aes-128-ctr", "aes-128-ecb", "aes-128-xts")


@pytest.mark.parametrize("suite", WHOLE)
def test_a_message_alone_runs_what_is_chosen_now(library: str, suite: str) -> None:
    """The kernel for a length is kept, but not when another is forced, or costs change. A message that no kernel takes
    whole, as on a CPU without AVX, may call one several times."""
    context = Context(library=library)
    bench = Bench(context, suite)
    if suite not in context.suites():
        pytest.skip("this CPU has no kernels for it")
    lengths = (16, 64, 80, 1024, 4096)

    def runs(name: str, length: int) -> bool:
        kernel = context.kernel(name)
        before = kernel.calls()
        held = []
        for _ in range(6 * TURNS if TAKES_SOME in name else 3):
            bench.elsewhere()
            held.append(bench.burst([JobSpec(suite, SEAL, length, 0, 13)]))
        return kernel.calls() >= before + 3

    def runs_what_is_named() -> None:
        for length in lengths:
            named = context.suite(suite).choice(1, length, False, SEAL).kernel
            assert "+" in named or runs(named, length), (named, length)

    runs_what_is_named()
    for name in OF_SUITES:
        if "ghash" in name or not ("_whole_" in name or "_gcm_enc" in name or name.startswith("chacha20_poly1305")):
            continue
        with forced(context, name, [suite]) as suites:
            if suites and context.suite(suite).choice(1, 64, False, SEAL).kernel == name:
                assert runs(name, 64), name
    runs_what_is_named()
    context.calibrate("*_x1*", 0.01)
    runs_what_is_named()


@pytest.mark.parametrize("suite", [*WHOLE, "aes-128-cbc", "aes-256-xts+crc32c"])
@pytest.mark.parametrize("more", (1, -1, 17))
def test_what_was_chosen_for_a_length_is_right_for_those_beside_it(library: str, suite: str, more: int) -> None:
    """Lengths of a range have one choice, by the first of them, though not every kernel takes them all."""
    context = Context(library=library)
    bench = Bench(context, suite)
    if suite not in context.suites():
        pytest.skip("this CPU has no kernels for it")
    for around, direction in itertools.product((16, 48, 144, 496, 1040, 1296, 2064, 4176, 16400), (SEAL, OPEN)):
        for length, jobs in itertools.product((around, around + more), (1, 3)):
            bench.burst([JobSpec(suite, direction, length, 0, usual_aad(suite))] * jobs)


def test_selftest(shared_context: Context) -> None:
    results = shared_context.selftest()
    assert set(results) == set(shared_context.suites()) | set(shared_context.kernels())
    bad = {name: code for name, code in results.items() if code not in (0, runtime.ERR_UNSUPPORTED)}
    assert not bad
    assert sum(code == 0 for code in results.values()) > 20
    assert set(shared_context.selftest("hmac-*")) == {s for s in shared_context.suites() if s.startswith("hmac-")}


def answers(context: Context) -> dict[str, tuple[bytes, bytes]]:
    """Runs every suite of the context on the same input; returns the answers, checked against the oracle."""
    made = {}
    for name in context.suites():
        rng = random.Random(name)
        case = oracle.case(rng, name, 1056, 20)
        try:
            suite = context.suite(name)
        except RuntimeFailure as failure:
            assert failure.code in (runtime.ERR_UNSUPPORTED, runtime.ERR_JIT)
            continue
        made[name] = suite.key(case.key, case.mac_key).seal(case.data, iv=case.iv or None, aad=case.aad or None)
        assert made[name] == (case.out, case.tag), name
    return made


def without_jit(library: str, target: str = "host") -> Context:
    context = Context(runtime.NO_JIT, target=target, library=library)
    assert not context.cpu()["jit"]
    if context.selftest("sha256_x4@sse") == {"sha256_x4@sse": runtime.ERR_UNSUPPORTED}:
        pytest.skip("this library was built with -DCST_STATIC_KERNELS=none")
    return context


def test_without_jit_the_same_answers(library: str) -> None:
    context = without_jit(library)
    made = answers(context)
    assert made == answers(Context(library=library))
    for name in context.kernels():
        try:
            assert context.kernel(name).origin == "static"
        except RuntimeFailure as failure:
            assert failure.code in (runtime.ERR_JIT, runtime.ERR_UNSUPPORTED)
    assert all(code in (0, runtime.ERR_UNSUPPORTED, runtime.ERR_JIT) for code in context.selftest().values())


def burst_answers(context: Context) -> dict[str, list[tuple[bytes, bytes]]]:
    """Returns the answers of every suite of the context: 17 messages sealed together, opened together again, and
    checked against the oracle."""
    made = {}
    for name in context.suites():
        try:
            suite = context.suite(name)
        except RuntimeFailure as failure:
            assert failure.code in (runtime.ERR_UNSUPPORTED, runtime.ERR_JIT)
            continue
        rng = random.Random(name)
        secrets = oracle.secrets(rng, name)
        cases = [oracle.case(rng, name, 16 * (1 + 5 * i % 37), 20, secrets) for i in range(17)]
        key = suite.key(secrets[0], secrets[1])
        outs, tags = [bytearray(len(c.out)) for c in cases], [bytearray(len(c.tag)) for c in cases]
        assert (
            context.burst(
                [
                    Job(key, SEAL, iv=c.iv or None, aad=c.aad or None, data=c.data, out=out if c.key else None, tag=tag)
                    for c, out, tag in zip(cases, outs, tags)
                ]
            )
            == 0
        )
        made[name] = [(bytes(out), bytes(tag)) for out, tag in zip(outs, tags)]
        assert made[name] == [(c.out, c.tag) for c in cases], name
        if cases[0].key:
            backs = [bytearray(len(c.out)) for c in cases]
            jobs = [
                Job(key, OPEN, iv=c.iv or None, aad=c.aad or None, data=c.out, out=back, tag=c.tag or None)
                for c, back in zip(cases, backs)
            ]
            assert context.burst(jobs) == 0 and [bytes(back[: job.out_len]) for back, job in zip(backs, jobs)] == [
                c.data for c in cases
            ], name
    return made


@pytest.mark.parametrize("target", ["host", "host-no_avx512", "host-vaes", "host-avx", "sse_aesni", "host-aes"])
def test_no_level_loses_a_suite_without_jit(library: str, target: str) -> None:
    assert burst_answers(without_jit(library, target)) == burst_answers(Context(target=target, library=library))


@pytest.mark.parametrize(
    "target,gone",
    [
        ("host-no_avx512", ("avx512f", "avx512bw", "avx512vl")),
        ("host-avx512f-vaes", ("avx512f", "avx512bw", "vaes")),
        ("host-avx", ("avx", "avx2", "vaes")),
        ("avx2_aesni_shani", ("avx512f", "vaes")),
        ("sse_aesni", ("avx", "sha")),
        ("sse_aesni_shani", ("avx",)),
        ("avx512_vaes", ("sha",)),
        ("host-no_shani", ("sha",)),
    ],
)
def test_targets_lower_the_level(library: str, target: str, gone: tuple[str, ...]) -> None:
    context = Context(target=target, library=library)
    features = context.cpu()["features"]
    assert not set(gone) & set(features)
    assert "aes-128-cbc" in answers(context) or "aes" not in features
    for name, code in context.selftest().items():
        assert code in (0, runtime.ERR_UNSUPPORTED), name


def test_without_aes_there_are_hashes_only(library: str) -> None:
    context = Context(target="host-aes", library=library)
    with pytest.raises(RuntimeFailure) as failure:
        context.suite("aes-128-cbc")
    assert failure.value.code == runtime.ERR_UNSUPPORTED
    assert "sha1" in answers(context)


def test_the_choice_says_why(shared_context: Context) -> None:
    suite = shared_context.suite(ETM)
    for jobs in (1, 3, 16, 64, 1000):
        for one_key in (False, True):
            for direction in (SEAL, OPEN):
                choice = suite.choice(jobs, 16384, one_key, direction)
                assert (
                    choice.kernel in shared_context.kernels()
                    and choice.lanes >= 1
                    and choice.origin in ("jit", "static")
                )
                assert "cycles per byte" in choice.why
    assert suite.choice(64, 16384).lanes >= suite.choice(1, 16384).lanes
    with pytest.raises(RuntimeFailure):
        suite.choice(0)


def test_suite_info(shared_context: Context) -> None:
    for name in suites_of(shared_context):
        suite, m = shared_context.suite(name), oracle.meaning(name)
        kind = (
            runtime.DIGEST
            if m.kind == "digest"
            else runtime.MAC
            if m.only_reads
            else runtime.AEAD
            if m.authenticates
            else runtime.CIPHER
        )
        cipher = oracle.meaning(m.cipher) if m.cipher else m
        assert suite.kind == kind
        assert suite.key_bytes == m.whole_key_bytes
        assert suite.iv_bytes == m.iv_bytes
        assert (suite.iv_min, suite.iv_max) == {"gcm": (1, 2**61 - 1), "ccm": (7, 13)}.get(
            cipher.kind, (m.iv_bytes, m.iv_bytes)
        )
        assert suite.block_bytes == m.block_bytes and suite.tag_max == m.tag_bytes
        assert suite.expansion == {
            "profile": 16,
            "tls": (hashlib.new(m.hash).digest_size if m.kind == "tls" else 0) + 16,
        }.get(m.kind, 0)
        assert (suite.aad_min, suite.aad_max) in {"esp": [(8, 12)], "tls": [(11, 11)]}.get(
            m.kind, [(0, 0), (0, 2**61 - 1)]
        )
