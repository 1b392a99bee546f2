"""examples/verify_batch: commits and tags of a repository with SSH signatures, and files of signed messages."""

from __future__ import annotations

import base64
import hashlib
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

EXAMPLE = Path(__file__).parents[2] / "examples/verify_batch/verify_batch.py"
ED25519 = b"ssh-ed25519"
RNG = random.Random(1)
KEYS = [Ed25519PrivateKey.from_private_bytes(RNG.randbytes(32)) for _ in range(3)]


def verify(*arguments: object) -> tuple[int, str]:
    done = subprocess.run([sys.executable, EXAMPLE, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def packed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def armored(key: Ed25519PrivateKey, message: bytes, algorithm: str = "sha512") -> bytes:
    """Returns a signature in the armor of `ssh-keygen -Y sign -n git`."""
    fields = (b"git", b"", algorithm.encode())
    signature = key.sign(b"SSHSIG" + packed(*fields, hashlib.new(algorithm, message).digest()))
    public = packed(ED25519, key.public_key().public_bytes_raw())
    blob = b"SSHSIG\0\0\0\1" + packed(public, *fields, packed(ED25519, signature))
    text = base64.b64encode(blob)
    lines = [text[at : at + 70] for at in range(0, len(text), 70)]
    return b"\n".join([b"-----BEGIN SSH SIGNATURE-----", *lines, b"-----END SSH SIGNATURE-----"])


class Repository:
    def __init__(self, folder: Path):
        self.folder = folder
        self.git("init", "-q")

    def git(self, *arguments: str, text: bytes = b"") -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, input=text).stdout.decode().strip()

    def write(self, kind: str, content: bytes) -> str:
        return self.git("hash-object", "-t", kind, "-w", "--stdin", text=content)

    def commit(self, n: int, key: Ed25519PrivateKey, other_message: bytes = b"") -> str:
        tree = self.git("mktree")
        header = f"tree {tree}\nauthor A <a@example.org> {n} +0000\ncommitter A <a@example.org> {n} +0000\n".encode()
        message = f"\nchange {n}\n".encode()
        signature = armored(key, header + (other_message or message)).replace(b"\n", b"\n ")
        return self.write("commit", header + b"gpgsig " + signature + b"\n" + message)

    def tag(self, commit: str, key: Ed25519PrivateKey) -> str:
        text = f"object {commit}\ntype commit\ntag v1\ntagger A <a@example.org> 1 +0000\n\nrelease\n".encode()
        return self.write("tag", text + armored(key, text, "sha256") + b"\n")


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_a_repository(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    commits = [repository.commit(n, KEYS[n % 2]) for n in range(40)]
    repository.tag(commits[0], KEYS[2])
    assert verify(tmp_path)[0] == 0
    assert "41 of 41 signatures are right" in verify(tmp_path)[1]

    forged = repository.commit(99, KEYS[0], b"\nanother change\n")
    code, said = verify(tmp_path)
    assert code == 1
    assert "41 of 42" in said
    assert f"WRONG commit {forged} by SHA256:" in said

    names = [base64.b64encode(packed(ED25519, k.public_key().public_bytes_raw())).decode() for k in KEYS]
    signers = tmp_path / "signers"
    signers.write_text("".join(f"{who}@example.org ssh-ed25519 {name}\n" for who, name in zip("ab", names)))
    code, said = verify(tmp_path, "--signers", signers)
    assert code == 1
    assert "20 by a@example.org" in said
    assert "20 by b@example.org" in said
    assert "1 by UNKNOWN SHA256:" in said


def test_a_file_of_messages(tmp_path: Path) -> None:
    lines = []
    for n in range(100):
        message, key = RNG.randbytes(n), KEYS[n % 3]
        signature = bytearray(key.sign(message))
        signature[5] ^= n == 50
        lines.append(":".join(part.hex() for part in (key.public_key().public_bytes_raw(), message, signature)))
    path = tmp_path / "transactions"
    path.write_text("\n".join(lines))
    for rules in ((), ("--zip215",)):
        code, said = verify(path, *rules)
        assert code == 1
        assert "WRONG line 51 by SHA256:" in said
        assert "99 of 100 signatures are right" in said
    path.write_text(lines[0] + "\nab:cd\n")
    code, said = verify(path)
    assert code == 1
    assert f"{path}:2: not `public key:message:signature`" in said
