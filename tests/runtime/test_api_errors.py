"""Bad input: the right error code, and not one byte read or written."""

from __future__ import annotations

import ctypes
import hmac
import random
import struct
import zlib
from pathlib import Path

import pytest
from built import suite_names
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import OPEN, SEAL, Address, Context, Job, JobStruct, Key, RuntimeFailure
from cryptostitch.ladder import oracle


def at(key: Key, *direction: int, **buffers: object) -> Job:
    """A job of addresses: pairs of address and length, and lists of such."""
    return Job(key, *direction, **{name: placed(buffer) for name, buffer in buffers.items()})


def placed(buffer: object) -> object:
    if isinstance(buffer, list):
        return [placed(piece) for piece in buffer]
    return Address(*buffer) if isinstance(buffer, tuple) else buffer


ETM = "aes-128-cbc+hmac-sha1-etm"
BAD = 16  # an address that is not mapped: a job that is refused must not touch it


@pytest.fixture(scope="module")
def key(shared_context: Context) -> Key:
    return shared_context.suite(ETM).key(bytes(16), b"k" * 20)


def address(buffer: bytearray) -> int:
    return ctypes.addressof((ctypes.c_char * len(buffer)).from_buffer(buffer))


def refuse(context: Context, job: Job, code: int) -> None:
    assert context.burst([job]) == code
    assert job.status == code and job.out_len == 0


def test_names(context: Context) -> None:
    for call, near in (
        (lambda: context.suite("aes-128-cbc+hmac-sha-etm"), ETM),
        (lambda: context.suite("sha"), "sha1"),
    ):
        with pytest.raises(RuntimeFailure) as failure:
            call()
        assert failure.value.code == runtime.ERR_NAME and near in failure.value.nearest.split(", ")
    some = context.kernels()[0]
    with pytest.raises(RuntimeFailure) as failure:
        context.kernel(some + "x")
    assert failure.value.code == runtime.ERR_NAME and some in failure.value.nearest
    with pytest.raises(RuntimeFailure) as failure:
        Context(target="host-no_avx1024")
    assert failure.value.code == runtime.ERR_NAME
    assert "host" in context.nearest(runtime.NAME_TARGET, "hosd")
    with pytest.raises(RuntimeFailure) as failure:
        context.force(ETM, "no such kernel")
    assert failure.value.code == runtime.ERR_NAME
    with pytest.raises(RuntimeFailure) as failure:
        context.force("sha256", next(k for k in context.kernels() if k.startswith("sha1_")))
    assert failure.value.code == runtime.ERR_NAME


def test_names_are_listed_sorted(shared_context: Context) -> None:
    for kind in (runtime.NAME_SUITE, runtime.NAME_KERNEL, runtime.NAME_TARGET):
        names = shared_context.names(kind)
        assert names and names == sorted(set(names))
    with pytest.raises(RuntimeFailure):
        shared_context.names(99)


@pytest.mark.parametrize(
    "suite,cipher_key,mac_key,code",
    [
        ("aes-128-cbc", bytes(15), None, runtime.ERR_LENGTH),
        ("aes-128-cbc", None, None, runtime.ERR_ARGUMENT),
        ("aes-128-cbc", b"", None, runtime.ERR_LENGTH),
        ("aes-256-cbc", bytes(16), None, runtime.ERR_LENGTH),
        ("aes-128-cbc", bytes(16), b"x", runtime.ERR_LENGTH),
        (ETM, bytes(17), b"x", runtime.ERR_LENGTH),
        ("sha1", b"x", None, runtime.ERR_LENGTH),
        ("sha1", None, b"x", runtime.ERR_LENGTH),
        ("hmac-sha1", b"x", b"x", runtime.ERR_LENGTH),
        ("a128cbc-hs256", bytes(16), None, runtime.ERR_LENGTH),
        ("a128cbc-hs256", bytes(32), b"x", runtime.ERR_LENGTH),
        ("aes-128-cbc", (None, 16), None, runtime.ERR_LENGTH),
    ],
)
def test_keys(shared_context: Context, suite: str, cipher_key: object, mac_key: object, code: int) -> None:
    asked = shared_context.suite(suite)
    with pytest.raises(RuntimeFailure) as failure:
        asked.key(placed(cipher_key), mac_key)
    assert failure.value.code == (runtime.ERR_ARGUMENT if isinstance(cipher_key, tuple) else code)


# What is wrong, as changes to a job whose every pointer is bad: the check must come before the first access.
@pytest.mark.parametrize(
    "changes,code",
    [
        ({"iv": (BAD, 15)}, runtime.ERR_LENGTH),
        ({"iv": None}, runtime.ERR_LENGTH),
        ({"iv": (None, 16)}, runtime.ERR_ARGUMENT),
        ({"aad": (None, 1)}, runtime.ERR_ARGUMENT),
        ({"data": (None, 64)}, runtime.ERR_ARGUMENT),
        ({"data": (1 << 20, 63)}, runtime.ERR_LENGTH),
        ({"data": (1 << 20, 1 << 61)}, runtime.ERR_LENGTH),
        ({"data": (1 << 20, (1 << 64) - 16)}, runtime.ERR_LENGTH),
        ({"data": ((1 << 64) - 32, 64)}, runtime.ERR_LENGTH),
        ({"aad": (1 << 30, 1 << 61)}, runtime.ERR_LENGTH),
        ({"aad": (1 << 30, (1 << 64) - 1)}, runtime.ERR_LENGTH),
        ({"aad": (1 << 30, (1 << 61) - 100)}, runtime.ERR_LENGTH),
        ({"out": (1 << 21, 63)}, runtime.ERR_LENGTH),
        ({"out": None}, runtime.ERR_LENGTH),
        ({"out": (None, 64)}, runtime.ERR_ARGUMENT),
        ({"tag": (1 << 22, 11)}, runtime.ERR_LENGTH),
        ({"tag": (1 << 22, 21)}, runtime.ERR_LENGTH),
        ({"tag": None}, runtime.ERR_LENGTH),
        ({"tag": (None, 20)}, runtime.ERR_ARGUMENT),
        ({"out": ((1 << 20) + 16, 64)}, runtime.ERR_OVERLAP),
        ({"out": ((1 << 20) - 16, 64)}, runtime.ERR_OVERLAP),
        ({"out": ((1 << 20) + 63, 64)}, runtime.ERR_OVERLAP),
        ({"out": ((1 << 22) - 63, 64)}, runtime.ERR_OVERLAP),
        ({"tag": ((1 << 20) + 60, 20)}, runtime.ERR_OVERLAP),
        ({"aad": ((1 << 21) + 60, 20)}, runtime.ERR_OVERLAP),
        ({"iv": ((1 << 21) - 15, 16)}, runtime.ERR_OVERLAP),
        ({"iv": ((1 << 22) - 15, 16)}, runtime.ERR_OVERLAP),
        ({"direction": 2}, runtime.ERR_ARGUMENT),
    ],
)
def test_arguments(shared_context: Context, key: Key, changes: dict[str, object], code: int) -> None:
    good = {"direction": SEAL, "iv": (BAD, 16), "data": (1 << 20, 64), "out": (1 << 21, 64), "tag": (1 << 22, 20)}
    refuse(shared_context, at(key, **{**good, **changes}), code)
    # Behind jobs of the same lengths, of which only the places are checked.
    jobs = [at(key, **good), at(key, **good), at(key, **{**good, **changes}), at(key, **good)]
    assert shared_context.burst(jobs) == code
    assert [job.status == code for job in jobs] == [False, False, True, False]


def test_no_output_where_there_is_none(shared_context: Context) -> None:
    digest = shared_context.suite("sha1").key()
    refuse(shared_context, at(digest, data=(BAD, 64), out=(1 << 20, 64), tag=(1 << 21, 20)), runtime.ERR_ARGUMENT)
    refuse(shared_context, at(digest, data=(BAD, 64), tag=(1 << 21, 19)), runtime.ERR_LENGTH)
    refuse(shared_context, at(digest, iv=(BAD, 16), data=(BAD, 64), tag=(1 << 21, 20)), runtime.ERR_LENGTH)
    refuse(shared_context, at(digest, data=(BAD, 1 << 61), tag=(1 << 63, 20)), runtime.ERR_LENGTH)
    cipher = shared_context.suite("aes-128-cbc").key(bytes(16))
    good = {"iv": (BAD, 16), "data": (1 << 20, 64), "out": (1 << 21, 64)}
    refuse(shared_context, at(cipher, aad=(1 << 22, 1), **good), runtime.ERR_LENGTH)
    refuse(shared_context, at(cipher, tag=(1 << 22, 16), **good), runtime.ERR_LENGTH)
    profile = shared_context.suite("a128cbc-hs256").key(bytes(32))
    refuse(
        shared_context,
        at(profile, iv=(BAD, 16), data=(1 << 20, 64), out=(1 << 21, 79), tag=(1 << 22, 16)),
        runtime.ERR_LENGTH,
    )
    refuse(
        shared_context,
        at(profile, OPEN, iv=(BAD, 16), data=None, out=(1 << 21, 79), tag=(1 << 22, 16)),
        runtime.ERR_AUTH,  # what a peer sent
    )


# Pieces of buffers: (address, bytes). The good ones are 64 bytes in two pieces each.
@pytest.mark.parametrize(
    "changes,code",
    [
        ({"data": [(None, 1), (1 << 20, 63)]}, runtime.ERR_ARGUMENT),
        ({"data": [(1 << 20, 32), (1 << 20, 33)]}, runtime.ERR_LENGTH),
        ({"data": [(1 << 20, 16)] * 1025}, runtime.ERR_ARGUMENT),
        ({"data": [((1 << 64) - 16, 32), (1 << 20, 32)]}, runtime.ERR_LENGTH),
        ({"out": [(1 << 21, 32), (1 << 23, 31)]}, runtime.ERR_LENGTH),
        ({"out": [(1 << 21, 32), (None, 32)]}, runtime.ERR_ARGUMENT),
        ({"out": [(1 << 21, 32), ((1 << 21) + 31, 32)]}, runtime.ERR_OVERLAP),
        ({"out": [((1 << 20) + 1, 32), (1 << 23, 32)]}, runtime.ERR_OVERLAP),
        ({"out": [(1 << 23, 16), (1 << 20, 48)]}, runtime.ERR_OVERLAP),
        ({"out": [(1 << 21, 32), ((1 << 22) - 16, 32)]}, runtime.ERR_OVERLAP),
        ({"aad": (1 << 21, 1)}, runtime.ERR_OVERLAP),
        ({"iv": ((1 << 23) + 31, 16)}, runtime.ERR_OVERLAP),
    ],
)
def test_pieces(shared_context: Context, key: Key, changes: dict[str, object], code: int) -> None:
    good: dict[str, object] = {
        "iv": (BAD, 16),
        "data": [(1 << 20, 32), (1 << 24, 32)],
        "out": [(1 << 21, 32), (1 << 23, 32)],
        "tag": (1 << 22, 20),
    }
    refuse(shared_context, at(key, SEAL, **{**good, **changes}), code)


def test_pieces_that_do_not_add_up(shared_context: Context, key: Key) -> None:
    for field in ("in_len", "out_cap"):
        struct = JobStruct()
        at(key, iv=(BAD, 16), data=[(1 << 20, 64)], out=[(1 << 21, 64)], tag=(1 << 22, 20)).fill(struct)
        setattr(struct, field, 80 if field == "out_cap" else 48)
        assert shared_context.lib.cst_burst(shared_context.handle, ctypes.byref(struct), 1) == runtime.ERR_LENGTH
    struct = JobStruct()
    at(key, iv=(BAD, 16), data=[(1 << 20, 64)], out=[(1 << 21, 64)], tag=(1 << 22, 20)).fill(struct)
    setattr(struct, "in", 1 << 20)
    assert shared_context.lib.cst_burst(shared_context.handle, ctypes.byref(struct), 1) == runtime.ERR_ARGUMENT


@pytest.mark.parametrize("field", ["n_in_pieces", "n_out_pieces"])
def test_pieces_beside_a_whole_behind_jobs_that_are_right(shared_context: Context, key: Key, field: str) -> None:
    structs = (JobStruct * 3)()
    for each in structs:
        at(key, iv=(BAD, 16), data=(1 << 20, 64), out=(1 << 21, 64), tag=(1 << 22, 20)).fill(each)
    setattr(structs[2], field, 1)
    assert shared_context.lib.cst_burst(shared_context.handle, structs, 3) == runtime.ERR_ARGUMENT
    assert [struct.status for struct in structs] == [runtime.NOT_RUN, runtime.NOT_RUN, runtime.ERR_ARGUMENT]


def test_lengths_of_esp_and_tls(shared_context: Context) -> None:
    esp = shared_context.suite("aes-128-cbc+hmac-sha1-96").key(bytes(16), bytes(20))
    good = {"iv": (BAD, 16), "data": (1 << 20, 64), "out": (1 << 21, 128)}
    for aad in (0, 7, 9, 11, 13):
        refuse(shared_context, at(esp, aad=(1 << 24, aad), tag=(1 << 22, 12), **good), runtime.ERR_LENGTH)
    for tag in (0, 11, 13, 20):
        refuse(shared_context, at(esp, aad=(1 << 24, 8), tag=(1 << 22, tag), **good), runtime.ERR_LENGTH)
    tls = shared_context.suite("aes-128-cbc+hmac-sha1-tls").key(bytes(16), bytes(20))
    head = {"iv": (BAD, 16), "aad": (1 << 24, 11)}
    for aad in (0, 10, 13):
        refuse(
            shared_context,
            at(tls, iv=(BAD, 16), aad=(1 << 24, aad), data=(1 << 20, 64), out=(1 << 21, 128)),
            runtime.ERR_LENGTH,
        )
    refuse(
        shared_context, at(tls, data=(1 << 20, 64), out=(1 << 21, 128), tag=(1 << 22, 12), **head), runtime.ERR_LENGTH
    )
    refuse(shared_context, at(tls, data=(1 << 20, 64), out=(1 << 21, 95), **head), runtime.ERR_LENGTH)
    refuse(shared_context, at(tls, data=(1 << 20, 16385), out=(1 << 21, 1 << 15), **head), runtime.ERR_LENGTH)


def test_an_empty_pack(library: str) -> None:
    context = Context(flags=runtime.ALLOW_PACKS, library=library)
    assert context.lib.cst_pack_load(context.handle, None, 0) == runtime.ERR_PACK


def test_one_bad_job_stops_the_burst(shared_context: Context, key: Key) -> None:
    outs, tags = [bytearray(b"o" * 64) for _ in range(5)], [bytearray(b"t" * 20) for _ in range(5)]
    jobs = [Job(key, SEAL, iv=bytes(16), data=bytes(64), out=out, tag=tag) for out, tag in zip(outs, tags)]
    jobs[3].data = bytes(63)
    assert shared_context.burst(jobs) == runtime.ERR_LENGTH
    assert [job.status for job in jobs] == [1, 1, 1, runtime.ERR_LENGTH, 1]
    assert all(out == b"o" * 64 for out in outs) and all(tag == b"t" * 20 for tag in tags)


def test_struct_sizes_and_null_handles(shared_context: Context, key: Key) -> None:
    lib, handle = shared_context.lib, shared_context.handle
    job = JobStruct()
    job.size -= 8
    assert lib.cst_burst(handle, ctypes.byref(job), 1) == runtime.ERR_ARGUMENT
    assert lib.cst_burst(handle, None, 1) == runtime.ERR_ARGUMENT
    assert lib.cst_burst(None, None, 0) == runtime.ERR_ARGUMENT
    job = JobStruct()
    assert lib.cst_burst(handle, ctypes.byref(job), 1) == runtime.ERR_ARGUMENT and job.status == runtime.ERR_ARGUMENT
    assert lib.cst_ctx_new(None, None) == runtime.ERR_ARGUMENT
    options = runtime.Options(flags=1 << 30)
    out = ctypes.c_void_p()
    assert lib.cst_ctx_new(ctypes.byref(out), ctypes.byref(options)) == runtime.ERR_ARGUMENT and not out
    options = runtime.Options()
    options.size += 1
    assert lib.cst_ctx_new(ctypes.byref(out), ctypes.byref(options)) == runtime.ERR_ARGUMENT
    assert lib.cst_suite_get(handle, None, ctypes.byref(out)) == runtime.ERR_ARGUMENT
    for name in ("cst_ctx_cpu", "cst_suite_info_get", "cst_kernel_info_get"):
        assert getattr(lib, name)(handle, None) == runtime.ERR_ARGUMENT
    assert lib.cst_digest(None, None, 0, None, 0) == runtime.ERR_ARGUMENT
    assert lib.cst_digest(key.handle, None, 0, None, 0) == runtime.ERR_ARGUMENT
    lib.cst_ctx_free(None)
    lib.cst_key_free(None)
    assert lib.cst_error_text(-99) and all(lib.cst_error_text(code) for code in range(-12, 2))


def test_keys_of_another_context(shared_context: Context, context: Context, key: Key) -> None:
    refuse(context, Job(key, iv=bytes(16), data=bytes(64), out=bytearray(64), tag=bytearray(20)), runtime.ERR_ARGUMENT)


@pytest.mark.parametrize("suite", suite_names())
def test_forgeries_are_refused_and_wiped(shared_context: Context, suite: str) -> None:
    """One flipped bit anywhere: the same error, nothing of the plaintext, zeros where the output would be."""
    rng = random.Random(suite)
    case = oracle.case(rng, suite, 112, 21)
    if not case.tag and not oracle.meaning(suite).authenticates:
        return
    key = shared_context.suite(suite).key(case.key, case.mac_key)
    for what in ("out" if case.iv else "data", "tag", "iv", "aad"):
        good = {"data": case.data, "out": case.out, "tag": case.tag, "iv": case.iv, "aad": case.aad}
        if not good[what] or (what == "iv" and not oracle.meaning(suite).covers_iv):
            continue
        forged = bytearray(good[what])
        forged[rng.randrange(len(forged))] ^= 1 << rng.randrange(8)
        good[what] = bytes(forged)
        out = bytearray(b"?" * len(case.out))
        job = Job(
            key,
            OPEN,
            iv=good["iv"] or None,
            aad=good["aad"] or None,
            data=good["out"] if case.iv else good["data"],
            out=out if case.iv else None,
            tag=good["tag"] or None,
        )
        assert shared_context.burst([job]) == runtime.ERR_AUTH and job.status == runtime.ERR_AUTH
        assert out == bytes(len(out)) and job.out_len == 0


def test_bad_padding_is_one_more_forgery(shared_context: Context) -> None:
    """A right tag over a wrong padding, which only the owner of the key can make."""
    rng = random.Random(1)
    key_bytes, iv = rng.randbytes(32), rng.randbytes(16)
    key = shared_context.suite("a128cbc-hs256").key(key_bytes)

    for last in (
        b"\0" * 16,
        b"\x11" * 16,
        b"\x01" * 14 + b"\x03\x02",
        b"\x0f" + b"\x10" * 15,
        b"\xff" * 16,
        b"a" * 15 + b"\x02",
    ):
        text = oracle.cbc(key_bytes[16:], iv, b"p" * 32 + last)
        tag = hmac.digest(key_bytes[:16], iv + text + bytes(8), "sha256")[:16]
        out = bytearray(b"?" * 48)
        job = Job(key, OPEN, iv=iv, data=text, out=out, tag=tag)
        assert shared_context.burst([job]) == runtime.ERR_AUTH and out == bytes(48), last
    for pad in range(1, 17):
        plain = b"p" * 32 + b"q" * (16 - pad) + bytes([pad]) * pad
        text = oracle.cbc(key_bytes[16:], iv, plain)
        tag = hmac.digest(key_bytes[:16], iv + text + bytes(8), "sha256")[:16]
        assert key.open(text, tag, iv=iv) == plain[:-pad]


def test_damaged_packs(library: str) -> None:
    with pytest.raises(RuntimeFailure) as failure:
        Context(library=library).load_pack(b"CSTPACK\0")
    assert failure.value.code == runtime.ERR_UNSUPPORTED
    context = Context(runtime.ALLOW_PACKS, library=library)
    before = context.kernels()
    for junk in (b"", b"C", b"CSTPACK\0", b"CSTPACK\0" + bytes(500), random.Random(0).randbytes(2000)):
        with pytest.raises(RuntimeFailure) as failure:
            context.load_pack(junk)
        assert failure.value.code == runtime.ERR_PACK
    assert context.kernels() == before
    assert context.suite("sha1").key().digest(b"abc").hex() == "a9993e364706816aba3e25717850c26c9cd0d89d"


def test_packs_with_wrong_records(library: str, root: Path) -> None:
    """Bytes of the default pack changed, the checksum put right: refused or loaded, but nothing crashes."""
    path = root / "build/generated/default.pack"
    if not path.exists():
        pytest.skip("no build/generated/default.pack")
    pack, rng = path.read_bytes(), random.Random(5)
    sections = [struct.unpack_from("<II", pack, 24 + 8 * i) for i in range(6)]
    tables = [range(offset, offset + 4 * count, 4) for offset, count in sections[2:]]
    records = [struct.unpack_from("<I", pack, at)[0] for table in tables for at in table]
    loaded = 0
    for _ in range(150):
        damaged = bytearray(pack)
        for _ in range(rng.randrange(1, 4)):
            at = rng.choice(records) + rng.randrange(200)
            if at < len(damaged):
                damaged[at] = rng.choice((0, 1, 2, 16, 127, 128, 255, rng.randrange(256)))
        struct.pack_into("<I", damaged, 16, zlib.crc32(damaged[24:]))
        context = Context(runtime.ALLOW_PACKS, library=library)
        before = context.kernels()
        try:
            context.load_pack(bytes(damaged))
            loaded += 1
        except RuntimeFailure as failure:
            assert failure.code == runtime.ERR_PACK
            assert context.kernels() == before
        assert context.suite("sha1").key().digest(b"abc").hex() == "a9993e364706816aba3e25717850c26c9cd0d89d"
    print(f"{loaded} of 150 were loaded")
    context = Context(runtime.ALLOW_PACKS, library=library)
    context.load_pack(pack)
    assert context.kernels() == Context(library=library).kernels()


def test_wrong_among_right(shared_context: Context) -> None:
    """One wrong job of a burst of equal ones: its error, and nothing of the others is written."""
    name, rng = "aes-128-cbc", random.Random(1)
    suite, other = shared_context.suite(name), shared_context.suite("aes-256-cbc")
    wrongs = {
        "iv": (lambda job: setattr(job, "iv", b"short"), runtime.ERR_LENGTH),
        "length": (lambda job: setattr(job, "data", bytes(63)), runtime.ERR_LENGTH),
        "direction": (lambda job: setattr(job, "direction", 7), runtime.ERR_ARGUMENT),
        "tag": (lambda job: setattr(job, "tag", bytearray(16)), runtime.ERR_LENGTH),
    }
    for place in (0, 5, 16):
        for what, (spoil, code) in wrongs.items():
            jobs = [
                Job(suite.key(bytes(16)), SEAL, iv=rng.randbytes(16), data=bytes(64), out=bytearray(b"\xaa" * 64))
                for _ in range(17)
            ]
            spoil(jobs[place])
            assert shared_context.burst(jobs) == code == jobs[place].status, what
            assert all(job.out == b"\xaa" * 64 for job in jobs)
    mixed = [
        Job(
            (suite if i % 2 else other).key(bytes(16 if i % 2 else 32)),
            SEAL,
            iv=bytes(16),
            data=bytes(64),
            out=bytearray(64),
        )
        for i in range(8)
    ]
    assert shared_context.burst(mixed) == 0
    assert {bytes(job.out) for job in mixed} == {
        oracle.seal(s, bytes(n), b"", bytes(16), b"", bytes(64))[0] for s, n in ((name, 16), ("aes-256-cbc", 32))
    }


@pytest.mark.parametrize("name", ["aes-128-cbc", "aes-128-ctr", "aes-128-ecb"])
def test_overlaps_in_bursts(shared_context: Context, name: str) -> None:
    """Outputs beside, on and half over the input, and over the IV, of every job of a burst."""
    suite = shared_context.suite(name)
    for shift, right in (
        (0, True),
        (64, True),
        (-64, True),
        (1, False),
        (63, False),
        (-1, False),
        (-63, False),
        (16, False),
    ):
        for place in (0, 3):
            memory = [memoryview(bytearray(256)) for _ in range(4)]
            jobs = []
            for i, m in enumerate(memory):
                begin = 96 + (shift if i == place else 0)
                jobs.append(
                    Job(
                        suite.key(bytes(16)),
                        SEAL,
                        iv=bytes(16) if name != "aes-128-ecb" else b"",
                        data=m[96:160],
                        out=m[begin : begin + 64],
                    )
                )
            if right:
                shared_context.burst(jobs)
                continue
            assert shared_context.burst(jobs) == runtime.ERR_OVERLAP == jobs[place].status
    if name == "aes-128-ecb":
        return
    memory = memoryview(bytearray(128))
    for begin in (0, 1, 48, 63):
        job = Job(suite.key(bytes(16)), SEAL, iv=memory[begin : begin + 16], data=bytes(64), out=memory[:64])
        assert shared_context.burst([job]) == runtime.ERR_OVERLAP
