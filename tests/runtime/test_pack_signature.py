"""Signed packs: RFC 8032's vectors through the C verification, and what cst_pack_load takes when the application gives
a key."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import cryptography_vectors
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from handmade import tool

sys.path.insert(0, str(Path(__file__).resolve().parent))
from click.testing import CliRunner
from cryptostitch.binding import runtime
from cryptostitch.binding.capi import ALLOW_PACKS, ERR_ARGUMENT, ERR_PACK, Options
from cryptostitch.commands.emitting import emit
from cryptostitch.emit.signature import MAGIC, SigningError, read_key, signed
from test_pack_checks import pack_of, sample_program

L = 2**252 + 27742317777372353535851937790883648493  # the order of the base point, RFC 8032, 5.1

# RFC 8032, 7.1: public key, message, signature
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
]


def long_vector() -> tuple[str, str, str]:
    """RFC 8032, 7.1, TEST 1024: a message of 1023 bytes, which the package of vectors has among those of the authors of
    Ed25519."""
    with cryptography_vectors.open_vector_file("asymmetric/Ed25519/sign.input", "r") as lines:
        rows = [
            line.split(":")
            for line in lines
            if line.startswith("f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5")
        ]
    ((_, key, message, signature, _),) = rows
    return key, message, signature[:128]


KEY = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
PACK = pack_of(sample_program())
SIGNED = signed(PACK, KEY)


def public(key: ed25519.Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def verified(key: str, signature: str, message: str) -> bool:
    code = subprocess.run([tool("cst-jitdump"), "--verify", key, signature, message], timeout=60).returncode
    assert code in (0, 3)
    return code == 0


@pytest.mark.parametrize("key, message, signature", [*VECTORS, long_vector()])
def test_rfc_8032(key: str, message: str, signature: str) -> None:
    assert verified(key, signature, message)
    assert not verified(key, signature, message + "00")
    r, s = bytes.fromhex(signature)[:32], int.from_bytes(bytes.fromhex(signature)[32:], "little")
    assert not verified(key, (r + (s + L).to_bytes(32, "little")).hex(), message)
    assert not verified(key, (bytes([r[0] ^ 1]) + r[1:] + s.to_bytes(32, "little")).hex(), message)
    assert not verified(key, (r + (s ^ 1).to_bytes(32, "little")).hex(), message)


def test_a_key_of_small_order_signs_nothing() -> None:
    one = (1).to_bytes(32, "little").hex()
    # R = A = the neutral element, S = 0 satisfies the equation for every message
    assert not verified(one, one + "00" * 32, "61")


@pytest.fixture
def context() -> runtime.Context:
    return runtime.Context(ALLOW_PACKS, pack_key=public(KEY))


def flipped(at: int) -> bytes:
    return SIGNED[:at] + bytes([SIGNED[at] ^ 1]) + SIGNED[at + 1 :]


R_AT, S_AT = len(PACK) + len(MAGIC), len(PACK) + len(MAGIC) + 32
UNACCEPTABLE = {
    "no signature": PACK,
    "another key": signed(PACK, OTHER),
    "a bit of the header": flipped(0),
    "a bit in the middle": flipped(len(PACK) // 2),
    "a bit of the last byte": flipped(len(PACK) - 1),
    "a bit of the magic": flipped(len(PACK)),
    "a bit of R": flipped(R_AT),
    "a bit of S": flipped(S_AT),
    "S + L": SIGNED[:S_AT] + (int.from_bytes(SIGNED[S_AT:], "little") + L).to_bytes(32, "little"),
    "a cut signature": SIGNED[:-1],
    "one byte more": SIGNED + b"\0",
    "a signature of another pack": PACK + signed(PACK[:-1] + b"\1", KEY)[len(PACK) :],
    "the trailer alone": SIGNED[len(PACK) :],
    "signed twice": signed(SIGNED, KEY),
    "nothing": b"",
}


@pytest.mark.parametrize("case", UNACCEPTABLE)
def test_what_is_not_signed_by_the_key_is_refused(case: str, context: runtime.Context) -> None:
    before = context.kernels()
    with pytest.raises(runtime.RuntimeFailure) as failure:
        context.load_pack(UNACCEPTABLE[case])
    assert failure.value.code == ERR_PACK and context.kernels() == before
    context.load_pack(SIGNED)
    assert set(context.kernels()) - set(before) == {"kernel@avx512"}


def test_without_a_key_a_signature_is_ignored() -> None:
    for pack in (PACK, SIGNED, signed(PACK, OTHER), flipped(S_AT)):
        context = runtime.Context(ALLOW_PACKS)
        assert context.why_refused(pack) == ""
        context.load_pack(pack)
        assert "kernel@avx512" in context.kernels()


def test_a_signature_does_not_replace_the_checks(context: runtime.Context) -> None:
    with pytest.raises(runtime.RuntimeFailure) as failure:
        context.load_pack(signed(PACK[:-4], KEY))
    assert failure.value.code == ERR_PACK


def test_a_key_does_not_allow_packs() -> None:
    with pytest.raises(runtime.RuntimeFailure) as failure:
        runtime.Context(pack_key=public(KEY)).load_pack(SIGNED)
    assert failure.value.code == runtime.ERR_UNSUPPORTED


def test_options_of_the_older_size() -> None:
    lib = runtime.load()
    whole, without_costs, old = ctypes.sizeof(Options), Options.costs.offset, Options.pack_key.offset
    assert (whole, without_costs, old) == (40, 32, 24)
    for size in (
        0,
        8,
        old - 1,
        old,
        old + 1,
        old + 4,
        without_costs - 1,
        without_costs,
        without_costs + 1,
        whole - 1,
        whole,
        whole + 1,
        whole + 8,
        2**64 - 1,
    ):
        options, handle = Options(flags=ALLOW_PACKS, pack_key=public(KEY)), ctypes.c_void_p()
        options.size = size
        code = lib.cst_ctx_new(ctypes.byref(handle), ctypes.byref(options))
        assert code == (0 if size in (old, without_costs, whole) else ERR_ARGUMENT), size
        if code == 0:  # what lies behind the older struct is not read as a key
            assert lib.cst_pack_load(handle, PACK, len(PACK)) == (0 if size == old else ERR_PACK)
            lib.cst_ctx_free(handle)


def test_keys_have_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        runtime.Context(pack_key=bytes(31))


def pem(key, encryption=NoEncryption(), form=PrivateFormat.PKCS8) -> bytes:
    return key.private_bytes(Encoding.PEM, form, encryption)


def test_emit_signs(tmp_path: Path, context: runtime.Context) -> None:
    (tmp_path / "key.pem").write_bytes(pem(KEY))
    out = tmp_path / "signed.pack"
    done = CliRunner().invoke(
        emit, ["--pack", str(out), "--sign", str(tmp_path / "key.pem"), "aes128_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani"]
    )
    assert done.exit_code == 0, done.output
    context.load_pack(out.read_bytes())
    with pytest.raises(runtime.RuntimeFailure):
        runtime.Context(ALLOW_PACKS, pack_key=public(OTHER)).load_pack(out.read_bytes())


@pytest.mark.parametrize(
    "content, reason",
    [
        (None, "No such file"),
        (b"hello", "not a PKCS#8 private key"),
        (b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "damaged"),
        (pem(KEY, BestAvailableEncryption(b"secret")), "encrypted"),
        (pem(ec.generate_private_key(ec.SECP256R1())), "not an Ed25519 key"),
        (
            pem(ec.generate_private_key(ec.SECP256R1()), form=PrivateFormat.TraditionalOpenSSL),
            "not a PKCS#8 private key",
        ),
    ],
)
def test_files_that_hold_no_signing_key(content: bytes | None, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SigningError, match=reason):
        read_key(path)


def test_sign_wants_a_pack(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        emit, ["--assembly", "-", "--sign", str(tmp_path / "key.pem"), "aes128_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani"]
    )
    assert done.exit_code != 0 and "--sign needs a pack" in done.output
