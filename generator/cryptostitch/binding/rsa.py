"""Private keys of RSA, prepared for `PublicKey`'s operations."""

from __future__ import annotations

from .handles import Handle, Owned, make
from .library import Library
from .values import Buffer, place

OPERATIONS = (
    "rsa-private",
    "rsa-sign-pkcs1-sha256",
    "rsa-sign-pkcs1-sha384",
    "rsa-sign-pkcs1-sha512",
    "rsa-sign-pss-sha256",
    "rsa-decrypt-oaep-sha256",
)
SIGNATURES = OPERATIONS[1:5]
MOST_BYTES = 512  # of a modulus


class RsaKey(Handle):
    """A private key of RSA with 2048, 3072 or 4096 bits, prepared for all operations of its context (cst_pk_key).
    ``der``: RSAPrivateKey, or PrivateKeyInfo of PKCS#8 with it. RuntimeFailure for other encodings, and for numbers
    that do not belong together. Several threads may share one."""

    _what = "key"

    def __init__(self, der: Buffer, context: Library | None = None):
        from .public_key import PublicKey

        operation = PublicKey("rsa-private", context)
        self.lib = operation.lib
        of = operation.live()
        address, size, held = place(der)
        code, self._owned = make(
            self.lib.cst_pk_key_new, self.lib.cst_pk_key_free, of, of.pointer, address or None, size
        )
        del held
        operation.check(code, "a private key of RSA")

    def prepared(self) -> Owned:
        """Keeps the C object alive."""
        return self.live()
