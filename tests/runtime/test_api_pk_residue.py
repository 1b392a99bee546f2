"""After every public-key call no secret, in whatever form, is left in registers, on the stack or in the library's
memory, and no call goes deeper into the stack than the library clears: `cst-pk-residue`."""

from __future__ import annotations

import re

import pytest
from handmade import run_tool
from sanitized import LONG

LEAKS = {
    "freed": "a secret is left in a freed block",
    "live": "a secret is left in a live block",
    "stack": "a secret is left in the stack",
    "register": "a secret is left in the registers",
    "unknown-freed": "a freed block of 64 bytes depends on the secret",
    "unknown-stack": "the stack depends on the secret",
}
OPERATIONS = ("x25519", "ecdh-p256", "p256-public-key", "ed25519-*", "ecdsa-*", "rsa-*")
TARGETS = ("host", "host-no_avx512", "host-no_avx512-vaes", "sse_aesni")


def run(*arguments: str, target: str = "host") -> tuple[int, str]:
    return run_tool("cst-pk-residue", *arguments, target=target)


@pytest.mark.parametrize("target", TARGETS if LONG else TARGETS[:2])
@pytest.mark.parametrize("operations", OPERATIONS)
def test_nothing_is_left(operations: str, target: str, cpu: set[str]) -> None:
    """Every operation (with every kernel in the long form): success, bad keys and points, too little room, every
    allocation refused, managers, keys of RSA that are wrong."""
    code, output = run(operations, "*" if LONG else "", target=target)
    assert code == 0, output[:4000]
    if operations.startswith("rsa") and (target != "host" or "avx512ifma" not in cpu):
        return  # RSA needs AVX-512 IFMA
    assert int(re.match(r"(\d+) calls, ", output.splitlines()[-1])[1]) > 30  # type: ignore[index]


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_seen(leak: str) -> None:
    code, output = run("--leak", leak, "ecdsa-p256-sign")
    assert code == 1 and LEAKS[leak] in output


def test_a_deep_call_is_seen() -> None:
    code, output = run("--stack", "1000", "x25519")
    assert code == 1 and "bytes of the stack are used" in output
