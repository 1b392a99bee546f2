"""Signs packs with Ed25519 (RFC 8032): pack || "CSTSIGN\\0" || signature over the whole pack. The verifier is
runtime/code/signature.cpp."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import CryptostitchError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

MAGIC = b"CSTSIGN\0"
SIGNATURE_BYTES = 64


class SigningError(CryptostitchError):
    """A key file that cannot sign packs."""


def read_key(path: Path) -> Ed25519PrivateKey:
    """The private key of an unencrypted PKCS#8 PEM file (`openssl genpkey -algorithm ed25519`). SigningError says what
    is wrong with it."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError as error:
        raise SigningError("signing needs the package cryptography: pip install cryptography") from error
    try:
        pem = path.read_bytes()
    except OSError as error:
        raise SigningError(f"{path}: {error.strerror}") from error
    if b"-----BEGIN ENCRYPTED PRIVATE KEY-----" in pem:
        raise SigningError(f"{path}: the key is encrypted; give it without a password")
    if b"-----BEGIN PRIVATE KEY-----" not in pem:
        raise SigningError(
            f"{path}: not a PKCS#8 private key in PEM form; `openssl genpkey -algorithm ed25519 -out KEY.pem` makes one"
        )
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise SigningError(f"{path}: a damaged private key") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SigningError(f"{path}: not an Ed25519 key; make one with `openssl genpkey -algorithm ed25519`")
    return key


def signed(pack: bytes, key: Ed25519PrivateKey) -> bytes:
    """The pack with its trailer."""
    return pack + MAGIC + key.sign(pack)
