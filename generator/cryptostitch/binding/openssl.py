"""What a configuration of OpenSSL makes of the provider: asked of libcrypto itself, in a process of its own, because a
process reads its configuration once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PROVIDER = "cryptostitch"
_HERE = Path(__file__).parent
ALL = (
    *(f"AES-{bits}-GCM" for bits in (128, 192, 256)),
    *(f"AES-{bits}-CTR" for bits in (128, 192, 256)),
    *(f"AES-{bits}-XTS" for bits in (128, 256)),
    *(f"AES-{bits}-CBC-HMAC-SHA1" for bits in (128, 256)),
    *(f"AES-{bits}-CBC-HMAC-{digest}-ETM" for bits in (128, 192, 256) for digest in ("SHA1", "SHA256", "SHA512")),
    *(f"AES-{bits}-CBC" for bits in (128, 192, 256)),
    *(f"AES-{bits}-CCM" for bits in (128, 256)),
    "ChaCha20-Poly1305",
    *(f"AES-{bits}-CBC-HMAC-SHA256" for bits in (128, 256)),
)
"""What is offered with `slower = yes`."""
_ROW = re.compile(r'^SLOWER\("([\w-]+)", (\d)(\d\d), "([\w,]*)"\)$', re.MULTILINE)


def left_to_default(openssl: str, cpuinfo: Path = Path("/proc/cpuinfo")) -> set[str]:
    """What is offered with `slower = yes` alone on a release of OpenSSL ("3.5.1") and a CPU."""
    flags = set(re.sub("_", "", cpuinfo.read_text(encoding="utf-8")).split()) if cpuinfo.exists() else set()
    at = tuple(map(int, openssl.split(".")[:2]))
    return {
        name
        for name, major, minor, features in _ROW.findall((_HERE / "openssl_slower.inc").read_text(encoding="utf-8"))
        if at >= (int(major), int(minor)) and flags >= set(features.split(",")) - {""}
    }


_ASK = """
import ctypes, ctypes.util, json, sys
crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
handle, text = ctypes.c_void_p, ctypes.c_char_p
for name, result, arguments in (
    ("OpenSSL_version", text, [ctypes.c_int]),
    ("OSSL_PROVIDER_available", ctypes.c_int, [handle, text]),
    ("OSSL_PROVIDER_get0_name", text, [handle]),
    ("EVP_CIPHER_fetch", handle, [handle, text, text]),
    ("EVP_CIPHER_get0_provider", handle, [handle]),
    ("EVP_MD_fetch", handle, [handle, text, text]),
    ("ERR_get_error", ctypes.c_ulong, []),
    ("ERR_error_string_n", None, [ctypes.c_ulong, text, ctypes.c_size_t]),
    ("OPENSSL_init_crypto", ctypes.c_int, [ctypes.c_uint64, handle]),
):
    function = getattr(crypto, name)
    function.restype, function.argtypes = result, arguments
crypto.OPENSSL_init_crypto(0x40, None)  # OPENSSL_INIT_LOAD_CONFIG
errors = []
while code := crypto.ERR_get_error():
    line = ctypes.create_string_buffer(256)
    crypto.ERR_error_string_n(code, line, 256)
    errors.append(line.value.decode())
ciphers = {}
for name in sys.argv[1:]:
    cipher = crypto.EVP_CIPHER_fetch(None, name.encode(), None)
    ciphers[name] = crypto.OSSL_PROVIDER_get0_name(crypto.EVP_CIPHER_get0_provider(cipher)).decode() if cipher else ""
digests = bool(crypto.EVP_MD_fetch(None, b"SHA256", None))
print(json.dumps({
    "digests": digests,
    "openssl": crypto.OpenSSL_version(0).decode(),
    "providers": [p for p in ("cryptostitch", "default") if crypto.OSSL_PROVIDER_available(None, p.encode())],
    "ciphers": ciphers,
    "errors": errors,
}))
"""


@dataclass(frozen=True)
class Found:
    """The state of OpenSSL in a process that has been started with a configuration. ``digests``: there is SHA-256,
    which stands for all that the provider does not have."""

    digests: bool
    openssl: str
    providers: list[str]
    ciphers: dict[str, str]
    errors: list[str]
    unknown_lines: list[str]

    @property
    def version(self) -> str:
        return self.openssl.split()[1]

    @property
    def complaints(self) -> list[str]:
        """Returns what is wrong with the configuration, in sentences."""
        found = []
        if PROVIDER not in self.providers:
            found.append(f"the provider `{PROVIDER}` is not active")
        if "default" not in self.providers:
            found.append("the provider `default` is not active: signatures, digests and all else are missing")
        elif not self.digests:
            found.append(
                "digests and all else that the provider lacks are missing: default_properties needs a "
                "question mark, ?provider=cryptostitch"
            )
        slower = left_to_default(self.version)
        elsewhere = [name for name in ALL if self.ciphers[name] != PROVIDER and name not in slower]
        if PROVIDER in self.providers and elsewhere:
            found.append(f"these would come from elsewhere: {', '.join(elsewhere)}")
        return found + self.unknown_lines + [f"OpenSSL says: {error}" for error in self.errors]


def module() -> Path:
    """The provider: of this checkout's build, else where OpenSSL looks. FileNotFoundError when there is none."""
    built = Path(__file__).resolve().parents[3] / "build/integrations/openssl/cryptostitch.so"
    if built.exists():
        return built
    try:
        said = subprocess.run(["openssl", "version", "-m"], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        said = ""
    installed = Path(said.partition('"')[2].rpartition('"')[0]) / "cryptostitch.so"
    if installed.is_absolute() and installed.exists():
        return installed
    raise FileNotFoundError("no cryptostitch.so: build it (make, with libssl-dev), or say --module")


def configuration(path: Path, **lines: str) -> str:
    """An openssl.cnf, or what belongs into one; ``lines`` are added to the provider's section."""
    own = "".join(f"{name} = {value}\n" for name, value in lines.items())
    module_line = f"module = {path}\n"
    text = (_HERE / "openssl.cnf").read_text(encoding="utf-8").replace("@CST_OPENSSL_MODULE@", str(path))
    return text.replace(module_line, module_line + own)


def unknown_lines(path: Path) -> list[str]:
    """Says which lines of the provider's section mean nothing to it. libcrypto tells a provider only what it asks for,
    so that the provider itself cannot see them."""
    command = ["sh", str(_HERE / "openssl_check.sh"), "--lines", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


def ask(path: Path) -> Found:
    """Returns what libcrypto loads by a configuration file."""
    done = subprocess.run(
        [sys.executable, "-c", _ASK, *ALL],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OPENSSL_CONF": str(path)},
    )
    if done.returncode:
        raise FileNotFoundError(f"libcrypto cannot be asked: {done.stderr.strip().splitlines()[-1:]}")
    return Found(**json.loads(done.stdout), unknown_lines=unknown_lines(path))
