"""The interface of intel-ipsec-mb: what is refused, with which error, and that nothing was written then; what there is
without the original library."""

from __future__ import annotations

import ctypes
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from integrations.ipsec_mb import AEADS, COMPLETED, FILLER, INVALID, Interface, original, random_job, run

FIELDS = "cipher hash dir order key mac_key iv aad tag_len cipher_at cipher_len hash_at hash_len place text".split()
HEADER = Path("/usr/include/intel-ipsec-mb.h")

REFUSED = [
    ("cbc+hmac-sha1", "cipher_len", "0", "JOB_CIPH_LEN"),
    ("cbc+hmac-sha1", "cipher_len", "17", "JOB_CIPH_LEN"),
    ("cbc+hmac-sha1", "cipher_len", "65536", "JOB_CIPH_LEN"),
    ("cbc+hmac-sha1", "hash_len", "0", "JOB_AUTH_LEN"),
    ("cbc+hmac-sha1", "hash_len", "65536", "JOB_AUTH_LEN"),
    ("cbc+hmac-sha1", "hash_len", str(1 << 63), "JOB_AUTH_LEN"),
    ("cbc+hmac-sha1", "tag_len", "0", "JOB_AUTH_TAG_LEN"),
    ("cbc+hmac-sha1", "tag_len", "13", "JOB_AUTH_TAG_LEN"),
    ("cbc+hmac-sha1", "tag_len", "65", "JOB_AUTH_TAG_LEN"),
    ("cbc+hmac-sha1", "iv", "-", "JOB_NULL_IV"),
    ("cbc+hmac-sha1", "iv", "00" * 12, "JOB_IV_LEN"),
    ("cbc+hmac-sha1", "text", "-", "JOB_NULL_SRC"),
    ("cbc+hmac-sha1", "dir", "0", "JOB_CIPH_DIR"),
    ("cbc+hmac-sha1", "dir", "3", "JOB_CIPH_DIR"),
    ("cbc+hmac-sha1", "cipher", "0", "CIPH_MODE"),
    ("cbc+hmac-sha1", "cipher", "1000", "CIPH_MODE"),
    ("cbc+hmac-sha1", "hash", "0", "HASH_ALGO"),
    ("cbc+hmac-sha1", "hash", "1000", "HASH_ALGO"),
    ("ctr+null", "iv", "00" * 11, "JOB_IV_LEN"),
    ("ecb+null", "iv", "00" * 16, "JOB_IV_LEN"),
    ("chacha20+null", "key", "00" * 16, "JOB_KEY_LEN"),
    ("gcm+gcm", "iv", "-", "JOB_NULL_IV"),
    ("gcm+gcm", "tag_len", "17", "JOB_AUTH_TAG_LEN"),
    ("gcm+gcm", "hash", "1", "HASH_ALGO"),
    ("ccm+ccm", "iv", "00" * 14, "JOB_IV_LEN"),
    ("ccm+ccm", "aad", "00" * 47, "JOB_AAD_LEN"),
    ("ccm+ccm", "tag_len", "5", "JOB_AUTH_TAG_LEN"),
    ("chacha-poly+chacha-poly", "key", "00" * 16, "JOB_KEY_LEN"),
    ("chacha-poly+chacha-poly", "iv", "00" * 8, "JOB_IV_LEN"),
    ("null+xcbc", "tag_len", "16", "JOB_AUTH_TAG_LEN"),
    ("null+gmac-128", "iv", "-", "JOB_NULL_IV"),
]

BEYOND_THE_BUFFER = ("65536", str(1 << 63))


@pytest.fixture
def interface(build: Path) -> Interface:
    its = Interface(build)
    its.require()
    return its


def errors() -> dict[str, int]:
    """Returns the numbers of errors by name, from the interface's own header."""
    listed = re.search(r"IMB_ERR_MIN = 2000,(.*?)\} IMB_ERR;", HEADER.read_text(), re.DOTALL)
    assert listed
    return {name: 2001 + i for i, name in enumerate(re.findall(r"IMB_ERR_(\w+)", listed[1]))}


def fields(pair: str) -> dict[str, str]:
    """Returns the fields of a right job in place."""
    rng = random.Random(pair)
    while True:
        job = random_job(rng, *pair.split("+"))
        if job.place == 0 and job.seals and (job.cipher_len >= 32 or job.cipher == "null"):
            return dict(zip(FIELDS, job.line().split(), strict=True))


def spoilt(pair: str, field: str, value: str) -> str:
    return " ".join((fields(pair) | {field: value}).values())


@pytest.mark.parametrize(("pair", "field", "value", "error"), REFUSED)
def test_refused(interface: Interface, pair: str, field: str, value: str, error: str) -> None:
    line = spoilt(pair, field, value)
    (result,) = run(interface, [line])
    assert (result.status, result.error) == (INVALID, errors()[error])
    assert result.buffer.hex() == line.split()[-1].strip("-")
    assert set(result.tag) == {FILLER}
    if original():
        (there,) = run(interface, [line], library=original())
        assert (there.status, there.error) == (result.status, result.error)


@pytest.mark.parametrize("how", ["flush", "nocheck"])
def test_one_that_is_refused_leaves_the_others(interface: Interface, how: str) -> None:
    """Unchecked too: nothing runs that would not be right."""
    right = " ".join(fields("cbc+hmac-sha1").values())
    wrong = spoilt("cbc+hmac-sha1", "cipher_len", "17")
    results = run(interface, [right, wrong, right], how)
    assert [result.status for result in results] == [COMPLETED, INVALID, COMPLETED]
    assert results[0].tag == results[2].tag


def test_a_burst_with_one_that_is_refused_does_not_begin(interface: Interface) -> None:
    right = " ".join(fields("cbc+hmac-sha1").values())
    (result,) = run(interface, [right, spoilt("cbc+hmac-sha1", "iv", "-")], "burst")
    assert (result.number, result.status, result.error) == (1, INVALID, errors()["JOB_NULL_IV"])


def mutations() -> Iterator[str]:
    values = {
        "tag_len": ("0", "1", "5", "13", "65"),
        "cipher_len": ("0", "1", "17"),
        "hash_len": ("0",),
        "iv": ("-", "00" * 11, "00" * 14, "00" * 17),
        "key": ("00" * 20,),
        "aad": ("-", "00" * 47),
        "dir": ("0", "3"),
        "order": ("0", "3"),
        "cipher": ("0", "24", "1000", "5", "9"),
        "hash": ("0", "47", "1000", "9", "11", "29"),
        "text": ("-",),
    }
    pairs = [
        f"{cipher}+{mac}" for cipher in ("cbc", "ctr", "ecb", "chacha20", "null") for mac in ("hmac-sha256", "cmac")
    ]
    pairs += [f"{aead}+{aead}" for aead in AEADS] + ["cbc+null", "ctr+xcbc", "null+sha512", "null+poly1305"]
    for pair in pairs:
        for field, some in values.items():
            for value in some:
                yield spoilt(pair, field, value)


def test_the_original_refuses_the_same_jobs(interface: Interface) -> None:
    """Which of two errors is told, where modes do not go together, may differ."""
    if not original():
        pytest.skip("no libIPSec_MB.so.1 of Intel's here")
    lines = list(mutations())
    assert len(lines) > 400
    for first in range(0, len(lines), 150):
        some = lines[first : first + 150]
        ours, theirs = run(interface, some, "each"), run(interface, some, "each", library=original())
        for line, a, b in zip(some, ours, theirs, strict=True):
            assert a.status == b.status, line
            assert (a.error == 0) == (b.error == 0), line


SNOW3G = "15 8 1 1 " + "00" * 16 + " - " + "00" * 16 + " - 0 0 256 0 0 0 " + "00" * 32


@pytest.mark.parametrize("path", ["/nowhere/libIPSec_MB.so.1", "/lib/x86_64-linux-gnu/libm.so.6"])
def test_without_the_original(interface: Interface, path: str) -> None:
    """What it would be needed for is refused; the rest runs."""
    right = " ".join(fields("cbc+hmac-sha1").values())
    first, second = run(interface, [SNOW3G, right], CRYPTOSTITCH_IPSEC_MB_REAL=path)
    assert (first.status, first.error) == (INVALID, errors()["CIPH_MODE"])
    assert second.status == COMPLETED


def test_the_library_is_not_its_own_original(interface: Interface) -> None:
    itself = interface.library
    (result,) = run(interface, [SNOW3G], CRYPTOSTITCH_IPSEC_MB_REAL=str(itself))
    assert result.status == INVALID


def test_calls_without_a_manager(interface: Interface) -> None:
    """None crashes; each sets the thread's error."""
    library = ctypes.CDLL(str(interface.library))
    library.imb_set_pointers_mb_mgr.restype = library.alloc_mb_mgr.restype = ctypes.c_void_p
    library.imb_get_strerror.restype = library.imb_get_version_str.restype = ctypes.c_char_p
    library.imb_get_mb_mgr_size.restype = ctypes.c_size_t
    nobody = errors()["NULL_MBMGR"]
    assert library.imb_set_pointers_mb_mgr(None, ctypes.c_uint64(0), 1) is None
    assert library.imb_get_errno(None) == nobody
    library.free_mb_mgr(None)
    for start in ("sse", "avx", "avx2", "avx512"):
        getattr(library, f"init_mb_mgr_{start}")(None)
        assert library.imb_get_errno(None) == nobody
    architecture = ctypes.c_int(-1)
    library.init_mb_mgr_auto(None, ctypes.byref(architecture))
    assert (library.imb_get_errno(None), architecture.value) == (nobody, 0)
    manager = ctypes.c_void_p(library.alloc_mb_mgr(ctypes.c_uint64(0)))
    library.init_mb_mgr_auto(manager, ctypes.byref(architecture))
    assert manager.value and manager.value % 64 == 0 and library.imb_get_errno(manager) == 0
    assert architecture.value >= 2  # IMB_ARCH_SSE
    library.free_mb_mgr(manager)
    assert library.imb_get_mb_mgr_size() % 64 == 0
    assert library.imb_get_version() >> 8 == 0x103 and library.imb_get_version_str().startswith(b"1.3.")
    texts = {library.imb_get_strerror(number) for number in errors().values()}
    assert len(texts) == len(errors()) and all(texts) and b"unknown error" not in texts


@pytest.mark.parametrize("refusal", ["code", *range(8)])
def test_what_fails_leaves_neither_plaintext_nor_a_tag(interface: Interface, refusal: str | int) -> None:
    """Executable memory, or all memory after some allocations, is refused from behind the manager on."""
    program = interface.library.with_name(f"ipsec-mb-denied-{interface.number}")
    done = subprocess.run([program, interface.library, str(refusal)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    failed = int(done.stdout.split()[0])
    assert failed > 40 if refusal == 0 else failed >= 0
