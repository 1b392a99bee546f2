"""Verifies all Ed25519 signatures of a git repository's commits and tags, or of a file of signed messages, at once.

    verify_batch.py REPOSITORY [--signers FILE]    commits and tags with SSH signatures (git config gpg.format ssh)
    verify_batch.py FILE                           lines `public key:message:signature` in hexadecimal

Every signature has a verdict of its own; those that are wrong are named, and the exit status is then 1. The file of
--signers is OpenSSH's "allowed signers" (ssh-keygen(1)): keys that it does not name are listed.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import collections
import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cryptostitch

BEGIN, END = b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----"
ED25519 = b"ssh-ed25519"


class Signed(NamedTuple):
    name: str
    key: bytes
    message: bytes
    signature: bytes


class Unreadable(ValueError):
    """A signature of another form than this program reads."""


def lines(path: Path) -> Iterator[Signed]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            key, message, signature = map(bytes.fromhex, line.strip().split(":"))
        except ValueError:
            raise SystemExit(f"{path}:{number}: not `public key:message:signature` in hexadecimal") from None
        if (len(key), len(signature)) != (32, 64):
            raise SystemExit(f"{path}:{number}: a public key has 32 bytes, and a signature 64")
        yield Signed(f"line {number}", key, message, signature)


# ---- SSH signatures (OpenSSH's PROTOCOL.sshsig)


def strings(data: bytes) -> Iterator[bytes]:
    while data:
        size = int.from_bytes(data[:4], "big")
        if len(data) < 4 + size:
            raise Unreadable("it ends in the middle of a string")
        yield data[4 : 4 + size]
        data = data[4 + size :]


def packed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def of_ssh(name: str, message: bytes, armored: bytes) -> Signed:
    try:
        blob = base64.b64decode(b"".join(armored.split()), validate=True)
    except binascii.Error:
        raise Unreadable("it is no base64") from None
    if blob[:10] != b"SSHSIG\0\0\0\1":
        raise Unreadable("it is no SSH signature of version 1")
    fields, sizes = list(strings(blob[10:])), (32, 64)
    if len(fields) != 5:
        raise Unreadable("it does not have five fields")
    public, namespace, reserved, algorithm, signature = fields
    (key_type, *key), (signature_type, *made) = list(strings(public)), list(strings(signature))
    if (key_type, signature_type) != (ED25519, ED25519) or (len(key), len(made)) != (1, 1):
        raise Unreadable(f"its key is {key_type.decode(errors='replace')}")
    if (len(key[0]), len(made[0])) != sizes or algorithm not in (b"sha256", b"sha512") or namespace != b"git":
        raise Unreadable("its fields are not those of a signature for git")
    digest = hashlib.new(algorithm.decode(), message).digest()
    return Signed(name, key[0], b"SSHSIG" + packed(namespace, reserved, algorithm, digest), made[0])


def objects(repository: Path) -> Iterator[tuple[str, bytes, bytes]]:
    """Name, type and content of all commits and tags."""
    git = ["git", "-C", str(repository)]
    every = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)"]
    listed = subprocess.run([*git, *every], check=True, capture_output=True, text=True).stdout
    names = [line.split()[1] for line in listed.splitlines() if line.startswith(("commit ", "tag "))]
    asked = "".join(f"{name}\n" for name in names).encode()
    data = subprocess.run([*git, "cat-file", "--batch"], check=True, capture_output=True, input=asked).stdout
    at = 0
    for name in names:
        end = data.index(b"\n", at)
        kind, size = data[at:end].split()[1:3]
        yield name, kind, data[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)


def signed_objects(repository: Path, unreadable: collections.Counter[str]) -> Iterator[Signed]:
    for name, kind, content in objects(repository):
        before, begin, rest = content.partition(BEGIN)
        armored, end, behind = rest.partition(END)
        if not (begin and end):
            continue
        # A commit's signature is a header, whose later lines begin with a space; a tag's is behind the message.
        message = before.removesuffix(b"gpgsig ") + behind.removeprefix(b"\n") if kind == b"commit" else before
        try:
            yield of_ssh(f"{kind.decode()} {name}", message, armored)
        except Unreadable as reason:
            unreadable[str(reason)] += 1


def signers(path: Path) -> dict[bytes, str]:
    """Principals by key."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if ED25519.decode() in words[:-1] and not line.startswith("#"):
            key = words[words.index(ED25519.decode()) + 1]
            found[list(strings(base64.b64decode(key)))[1]] = words[0]
    return found


def fingerprint(key: bytes) -> str:
    digest = hashlib.sha256(packed(ED25519, key)).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="a git repository, or a file of signed messages")
    parser.add_argument("--signers", type=Path, help="who may have signed")
    parser.add_argument("--zip215", action="store_true", help="verify by the rules of ZIP 215 instead of RFC 8032's")
    given = parser.parse_args()
    unreadable: collections.Counter[str] = collections.Counter()
    some = list(signed_objects(given.source, unreadable) if given.source.is_dir() else lines(given.source))
    known = signers(given.signers) if given.signers else None

    begun = time.perf_counter()
    right = cryptostitch.verify_many(
        [s.key for s in some], [s.message for s in some], [s.signature for s in some], zip215=given.zip215
    )
    took = time.perf_counter() - begun

    for signed, is_right in zip(some, right):
        if not is_right:
            print(f"WRONG {signed.name} by {fingerprint(signed.key)}")
    print(f"{sum(right)} of {len(some)} signatures are right; {took * 1e3:.1f} ms", end="")
    print(f", {len(some) / took:,.0f} a second" if len(some) > 1 else "")
    for reason, count in unreadable.items():
        print(f"{count} signatures were not looked at: {reason}")
    for key, count in collections.Counter(s.key for s, good in zip(some, right) if good).most_common():
        if known is not None:
            print(f"{count:7} by {known.get(key, 'UNKNOWN ' + fingerprint(key))}")
    strangers = known is not None and any(good and s.key not in known for s, good in zip(some, right))
    return int(not all(right) or strangers)


if __name__ == "__main__":
    sys.exit(main())
