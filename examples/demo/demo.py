"""make demo [FILE=...]: seals a real file, has every record checked by another implementation, opens it, and says how
fast that is.

The sealing and opening is done by examples/embed, the timing by cst-bench; this script checks and reports.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

ROOT = Path(__file__).resolve().parents[2]
SUITE = "aes-128-cbc+hmac-sha256-etm"
RECORD, IV, TAG = 16384, 16, 32


def default_file() -> Path:
    """A file of a few megabytes that this machine certainly has."""
    candidates = [
        Path(sys.executable).resolve(),
        ROOT / "build/libcryptostitch.so",
        *sorted(Path(sys.prefix).glob("lib/python*/site-packages/llvmlite/binding/*.so")),
    ]
    sizes = [(path.stat().st_size, path) for path in candidates if path.is_file()]
    return next((path for size, path in sizes if size >= 1 << 21), max(sizes)[1])


def run(*command: str | Path) -> str:
    """Standard output of a command; its failure ends the demo with its own message."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"demo: {Path(command[0]).name} failed ({done.returncode})")
    return done.stdout


def check_records(plain: bytes, sealed: bytes, keys: bytes) -> int:
    """Compares every record with Python's cryptography and hmac: the tag over iv || ciphertext, then the plaintext.
    Returns their number."""
    padding = 16 - len(plain) % 16
    padded = plain + bytes([padding]) * padding
    key, mac_key = keys[:16], keys[16:]
    offset = count = 0
    while offset < len(sealed):
        start = count * RECORD
        length = min(RECORD, len(padded) - start)
        record = sealed[offset : offset + IV + length + TAG]
        body, tag = record[:-TAG], record[-TAG:]
        decryptor = Cipher(algorithms.AES(key), modes.CBC(body[:IV])).decryptor()
        if not hmac.compare_digest(hmac.digest(mac_key, body, hashlib.sha256), tag):
            sys.exit(f"demo: record {count}: the tag is not what Python computes")
        if decryptor.update(body[IV:]) + decryptor.finalize() != padded[start : start + length]:
            sys.exit(f"demo: record {count}: does not decrypt to the file's bytes")
        offset += len(record)
        count += 1
    if count != -(-len(padded) // RECORD):
        sys.exit(f"demo: {count} records, {-(-len(padded) // RECORD)} expected")
    return count


def speed(records: int) -> str:
    """Cycles per byte of this record size and key, against OpenSSL's two calls, from one run of cst-bench."""
    jobs = str(min(records, 64))
    measured = json.loads(
        run(
            ROOT / "build/cst-bench",
            "--rows",
            SUITE,
            "--sizes",
            str(RECORD),
            "--jobs",
            jobs,
            "--peers",
            "openssl",
            "--one-key",
            "--json",
            "-",
        )
    )
    best = {row["impl"]: row["cycles_per_byte"] for row in measured["rows"]}
    ours, peer, ghz = best["cryptostitch"], best["openssl"], measured["machine"]["core_ghz"]
    return (
        f"{ours:.3f} core cycles per byte ({ghz / ours:.2f} GB/s), two OpenSSL calls {peer:.3f}: {peer / ours:.1f} "
        f"times as fast ({jobs} records per burst, warm, one core at {ghz:.2f} GHz)"
    )


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else default_file()
    if not path.is_file():
        sys.exit(f"demo: {path} is not a file")
    run(ROOT / "examples/build.sh", "embed")
    with tempfile.TemporaryDirectory() as folder:
        sealed, keys = Path(folder, "sealed"), Path(folder, "keys")
        report = run(ROOT / "build/examples/embed/embed", path, sealed, keys)
        print(f"file:     {path}")
        print(report, end="")
        records = check_records(path.read_bytes(), sealed.read_bytes(), keys.read_bytes())
    print(f"checked:  {records} of {records} records agree with Python's cryptography")
    if (ROOT / "build/cst-bench").exists():
        print(f"speed:    {speed(records)}")
    else:
        print("speed:    not measured (cst-bench needs libcrypto's headers)")


if __name__ == "__main__":
    main()
