"""The operations of RSA's private keys."""

from __future__ import annotations

OPERATIONS = (
    "rsa-private",
    "rsa-sign-pkcs1-sha256",
    "rsa-sign-pkcs1-sha384",
    "rsa-sign-pkcs1-sha512",
    "rsa-sign-pss-sha256",
    "rsa-decrypt-oaep-sha256",
)
SIGNATURES = OPERATIONS[1:5]
SALTED = OPERATIONS[4:5]
MOST_BYTES = 512  # of a modulus
