"""Published answers: Wycheproof, NIST CAVP, RFC 2202, RFC 4231, RFC 1321."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import Context, RuntimeFailure
from cryptostitch.ladder.oracle import PROFILES
from cryptostitch.ladder.vectors import published
from vectors.sources import records, wycheproof

H = bytes.fromhex
CountCases = Callable[[str, int], None]


@pytest.mark.parametrize("name", ["a128cbc-hs256", "a192cbc-hs384", "a256cbc-hs512"])
def test_wycheproof_profile(shared_context: Context, count_cases: CountCases, name: str) -> None:
    suite = shared_context.suite(name)
    counts = {"valid": 0, "invalid": 0}
    source, tests = wycheproof(name.replace("-", "_"))
    for _, test in tests:
        key = suite.key(H(test["key"]))
        iv, aad, ct, tag = H(test["iv"]), H(test["aad"]), H(test["ct"]), H(test["tag"])
        counts[test["result"]] += 1
        if test["result"] == "valid":
            assert key.seal(H(test["msg"]), iv=iv, aad=aad) == (ct, tag), test["tcId"]
            assert key.open(ct, tag, iv=iv, aad=aad) == H(test["msg"]), test["tcId"]
            continue
        with pytest.raises(RuntimeFailure) as failure:
            key.open(ct, tag, iv=iv, aad=aad, tag_len=len(tag))
        assert failure.value.code in (runtime.ERR_AUTH, runtime.ERR_LENGTH), test["tcId"]
    count_cases(f"{name}, {source}", sum(counts.values()))
    assert counts["valid"] > 60 and counts["invalid"] > 20


@pytest.mark.parametrize("name", ["sha1", "sha224", "sha256", "sha384", "sha512", "sm3"])
def test_wycheproof_hmac(shared_context: Context, count_cases: CountCases, name: str) -> None:
    suite = shared_context.suite(f"hmac-{name}")
    counts = {"valid": 0, "invalid": 0}
    source, tests = wycheproof(f"hmac_{name}")
    for group, test in tests:
        key = suite.key(mac_key=H(test["key"]))
        tag = H(test["tag"])
        assert len(tag) * 8 == group["tagSize"] or test["result"] != "valid"
        counts[test["result"]] += 1
        if test["result"] == "valid":
            assert key.digest(H(test["msg"]), len(tag)) == tag, test["tcId"]
            key.open(H(test["msg"]), tag, tag_len=len(tag))
        else:
            with pytest.raises(RuntimeFailure):
                key.open(H(test["msg"]), tag, tag_len=len(tag))
    count_cases(f"hmac-{name}, {source}", sum(counts.values()))
    assert counts["valid"] > 50 and counts["invalid"] > 50


def test_wycheproof_cbc(shared_context: Context, count_cases: CountCases) -> None:
    """The files pad; the suites do not: padding is added and judged here."""
    counts = {"valid": 0, "invalid": 0}
    source, tests = wycheproof("aes_cbc_pkcs5")
    for group, test in tests:
        suite = shared_context.suite(f"aes-{group['keySize']}-cbc")
        key, iv, ct, message = suite.key(H(test["key"])), H(test["iv"]), H(test["ct"]), H(test["msg"])
        counts[test["result"]] += 1
        if test["result"] == "valid":
            pad = 16 - len(message) % 16
            assert key.seal(message + bytes([pad]) * pad, iv=iv)[0] == ct, test["tcId"]
            assert key.open(ct, None, iv=iv) == message + bytes([pad]) * pad, test["tcId"]
        elif len(ct) % 16:
            with pytest.raises(RuntimeFailure):
                key.open(ct, None, iv=iv)
        elif ct:
            text = key.open(ct, None, iv=iv)
            pad = text[-1]
            assert not (1 <= pad <= 16 and text.endswith(bytes([pad]) * pad)) or text[:-pad] != message, test["tcId"]
    count_cases(f"aes-cbc, {source}", sum(counts.values()))
    assert counts["valid"] > 50 and counts["invalid"] > 50


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("file", ["GFSbox", "KeySbox", "MMT", "VarKey", "VarTxt"])
def test_cavp_cbc(shared_context: Context, count_cases: CountCases, file: str, bits: int) -> None:
    suite = shared_context.suite(f"aes-{bits}-cbc")
    count = 0
    for record in records(f"ciphers/AES/CBC/CBC{file}{bits}.rsp", "COUNT"):
        key, iv = suite.key(H(record["KEY"])), H(record["IV"])
        plain, cipher = H(record["PLAINTEXT"]), H(record["CIPHERTEXT"])
        if record["section"] == "ENCRYPT":
            assert key.seal(plain, iv=iv)[0] == cipher, record
        else:
            assert key.open(cipher, None, iv=iv) == plain, record
        count += 1
    count_cases(f"aes-{bits}-cbc, CAVP", count)
    assert count


@pytest.mark.parametrize(
    "path,name",
    [
        ("hashes/SHA1/SHA1ShortMsg.rsp", "sha1"),
        ("hashes/SHA1/SHA1LongMsg.rsp", "sha1"),
        ("hashes/SHA2/SHA256ShortMsg.rsp", "sha256"),
        ("hashes/SHA2/SHA256LongMsg.rsp", "sha256"),
        ("hashes/SHA2/SHA224ShortMsg.rsp", "sha224"),
        ("hashes/SHA2/SHA224LongMsg.rsp", "sha224"),
        ("hashes/SHA2/SHA384ShortMsg.rsp", "sha384"),
        ("hashes/SHA2/SHA384LongMsg.rsp", "sha384"),
        ("hashes/SHA2/SHA512ShortMsg.rsp", "sha512"),
        ("hashes/SHA2/SHA512LongMsg.rsp", "sha512"),
        ("hashes/SHA2/SHA512_256ShortMsg.rsp", "sha512_256"),
        ("hashes/SHA2/SHA512_256LongMsg.rsp", "sha512_256"),
        ("hashes/MD5/rfc-1321.txt", "md5"),
        ("hashes/SM3/oscca.txt", "sm3"),
        *(
            (f"hashes/SHA3/SHA3_{bits}{kind}Msg.rsp", f"sha3-{bits}")
            for bits in (224, 256, 384, 512)
            for kind in ("Short", "Long")
        ),
        ("hashes/blake2/blake2b.txt", "blake2b-512"),
        ("hashes/blake2/blake2s.txt", "blake2s-256"),
    ],
)
def test_digests(shared_context: Context, count_cases: CountCases, path: str, name: str) -> None:
    key = shared_context.suite(name).key()
    count = 0
    for record in records(path, "LEN"):
        assert int(record["LEN"]) % 8 == 0
        message = H(record["MSG"])[: int(record["LEN"]) // 8]
        assert key.digest(message).hex() == record["MD"].lower(), record
        count += 1
    count_cases(f"{name}, CAVP and RFC", count)
    assert count


@pytest.mark.parametrize("name", ["shake128", "shake256"])
@pytest.mark.parametrize("kind", ["ShortMsg", "LongMsg", "VariableOut"])
def test_extendable_output(shared_context: Context, count_cases: CountCases, name: str, kind: str) -> None:
    key = shared_context.suite(name).key()
    count = 0
    for record in records(f"hashes/SHAKE/{name.upper()}{kind}.rsp", "LEN" if "Msg" in kind else "COUNT"):
        if "MSG" not in record:
            continue
        message, output = H(record["MSG"]), H(record["OUTPUT"])
        message = message[: int(record["LEN"]) // 8] if "LEN" in record else message
        assert key.digest(message, len(output)) == output, record
        count += 1
    count_cases(f"{name}, CAVP and RFC", count)
    assert count


@pytest.mark.parametrize(
    "path,name",
    [
        ("hashes/SHA1/SHA1Monte.rsp", "sha1"),
        *(
            (f"hashes/SHA2/{name.upper()}Monte.rsp", name)
            for name in ("sha224", "sha256", "sha384", "sha512", "sha512_256")
        ),
    ],
)
def test_monte_carlo(shared_context: Context, count_cases: CountCases, path: str, name: str) -> None:
    """SHAVS 6.4; the first 5 of 100 checkpoints, 1,000 digests each."""
    key = shared_context.suite(name).key()
    seed = b""
    count = 0
    for record in records(path, "COUNT"):
        seed = H(record["SEED"]) if "SEED" in record else seed
        if "COUNT" not in record:
            continue
        a = b = c = seed
        for _ in range(1000):
            a, b, c = b, c, key.digest(a + b + c)
        assert c.hex() == record["MD"].lower(), record
        seed = c
        count += 1
        if count == 5:
            break
    count_cases(f"{name}, CAVP Monte Carlo checkpoints", count)
    assert count == 5


@pytest.mark.parametrize(
    "path,name",
    [
        ("HMAC/rfc-2202-sha1.txt", "sha1"),
        ("HMAC/rfc-4231-sha224.txt", "sha224"),
        ("HMAC/rfc-4231-sha256.txt", "sha256"),
        ("HMAC/rfc-4231-sha384.txt", "sha384"),
        ("HMAC/rfc-4231-sha512.txt", "sha512"),
        ("HMAC/rfc-2202-md5.txt", "md5"),
    ],
)
def test_hmac(shared_context: Context, count_cases: CountCases, path: str, name: str) -> None:
    suite = shared_context.suite(f"hmac-{name}")
    count = 0
    for record in records(path, "LEN"):
        message = H(record["MSG"])[: int(record["LEN"]) // 8]
        wanted = record["MD"].lower()
        assert suite.key(mac_key=H(record["KEY"])).digest(message).hex()[: len(wanted)] == wanted, record
        count += 1
    count_cases(f"hmac-{name}, RFC", count)
    assert count


@pytest.mark.parametrize("name", ["hmac-sm3", "sm3", *PROFILES])
def test_published(shared_context: Context, count_cases: CountCases, name: str) -> None:
    """What `cryptostitch verify` takes, of suites that other files here do not ask."""
    suite, counts = shared_context.suite(name), Counter[str]()
    for v in published(name):
        key = suite.key(v.key, v.mac_key)
        counts["Wycheproof" if v.source.startswith("Wycheproof") else v.source] += 1
        if not v.valid:
            with pytest.raises(RuntimeFailure):
                iv, aad = (v.iv, v.aad) if v.key else (None, None)
                key.open(v.out or v.data, v.tag, iv=iv, aad=aad, tag_len=len(v.tag))
        elif v.key:
            assert key.seal(v.data, iv=v.iv, aad=v.aad) == (v.out, v.tag)
            assert key.open(v.out, v.tag, iv=v.iv, aad=v.aad) == v.data
        else:
            assert key.digest(v.data, len(v.tag)) == v.tag
    for source, number in counts.items():
        if source != "Wycheproof" and not source.endswith(".txt"):
            count_cases(f"{name}, {source}", number)
    assert counts
