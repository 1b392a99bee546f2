"""Every public callable, each of its arguments replaced by what it is not made for: an answer, or a clear error."""

from __future__ import annotations

import ctypes
import inspect
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cryptostitch
import numpy
import pytest
from cryptostitch import (
    Context,
    ErasureCode,
    Key,
    Protection,
    PublicKey,
    QuicKey,
    QuicPacket,
    QuicReceived,
    RsaKey,
    RuntimeFailure,
    Suite,
)
from cryptostitch.binding.keys import CrcKey
from cryptostitch.binding.manager import Manager
from cryptostitch.binding.runtime import Address, Job, RawKernel, RawStream
from cryptostitch.binding.text_parts import Opening, Sealing

CLEAR = (TypeError, ValueError, OverflowError, BufferError, IndexError, KeyError, RuntimeFailure, OSError)
IV, TLS = bytes(12), "aes-128-cbc+hmac-sha1-tls"


class Failed(Exception):
    """Raised by the iterators and numbers of this file."""


class Long(bytes):
    def __len__(self) -> int:
        return 1 << 40


class Fails:
    def __index__(self) -> int:
        raise Failed

    def __iter__(self) -> Iterator[Any]:
        raise Failed


def fails() -> Iterator[bytes]:
    yield b"text"
    raise Failed


def released() -> memoryview:
    view = memoryview(b"text")
    view.release()
    return view


def closed() -> Key:
    key = Context().suite("sha1").key()
    key.close()
    return key


def frozen() -> Any:
    made = numpy.arange(9)
    made.flags.writeable = False
    return made


ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "-1": lambda: -1,
    "0": lambda: 0,
    "2^31 - 1": lambda: (1 << 31) - 1,
    "2^64": lambda: 1 << 64,
    "2^200": lambda: 1 << 200,
    "-2^64": lambda: -1 << 64,
    "float": lambda: 1.5,
    "infinity": lambda: float("inf"),
    "True": lambda: True,
    "no text": lambda: "",
    "text": lambda: "text",
    "surrogate": lambda: "\udcff",
    "no bytes": lambda: b"",
    "bytes": lambda: b"xyz",
    "bytes that lie": lambda: Long(b"xyz"),
    "bytearray": lambda: bytearray(5),
    "every second": lambda: memoryview(b"abcdef")[::2],
    "released": released,
    "floats": lambda: array("d", [0, 1, 2]),
    "float16": lambda: numpy.ones(9, dtype=numpy.float16),
    "complex": lambda: numpy.ones(3, dtype=complex),
    "objects": lambda: numpy.array([b"a", None], dtype=object),
    "dates": lambda: numpy.array(["2020-01-01"], dtype="datetime64[D]"),
    "columns": lambda: numpy.arange(12, dtype=numpy.uint8).reshape(3, 4).T,
    "read-only": frozen,
    "scalar": lambda: numpy.int64(3),
    "offsets": lambda: array("q", [0, 1 << 60]),
    "negative offsets": lambda: array("q", [-1, -2, 5]),
    "list": lambda: [],
    "list of None": lambda: [None],
    "list of lists": lambda: [[[]], [b"x"]],
    "list of pairs": lambda: [(b"x", b"y"), (b"x", None)],
    "list of many": lambda: [b"x"] * 3000,
    "tuple of a pair": lambda: ((1 << 40, 1 << 40),),
    "iterator that fails": fails,
    "dict": lambda: {b"x": 1},
    "object": object,
    "fails": Fails,
    "class": lambda: Key,
    "closed key": closed,
    "closed file": lambda: open(__file__, "rb").close(),
    "struct": lambda: (ctypes.c_char * 0)(),
    "no address": lambda: Address(None, 0),
    "no address, a length": lambda: Address(None, 7),
    "no length": lambda: Address(1 << 40, -1),
}
TOO_MUCH = {
    ("Context.calibrate", "glob", "None"),
    ("Context.selftest", "glob", "None"),
    ("Manager.__init__", "capacity", "2^31 - 1"),
    ("Key.tree_root", "tag_len", "2^31 - 1"),
}
"""What is right, and takes long, or gigabytes."""
Recipe = tuple[Callable[..., Any], dict[str, Any]]


def recipes(c: Context) -> dict[str, Recipe]:
    """Each callable, and arguments with which it works."""
    suite, sha1, tls = c.suite("aes-128-gcm"), c.suite("sha1"), c.suite(TLS)
    key, digest, crc = suite.key(bytes(16)), sha1.key(), CrcKey(c, 32, 0x04C11DB7)
    code, checksum, tree = ErasureCode(2, 1, context=c), c.suite("crc32c").key(), c.suite("blake3").key()
    sealed, tag = key.seal(b"text", iv=IV)
    protection, manager = Protection(c.suite("crc16-t10-dif").key()), Manager(c)
    kernel = c.kernel("sha1_x4@sse")
    stream = kernel.streams[0]
    secret, text = bytes([1]) * 32, b"text"
    public = PublicKey("ed25519-public-key").public_keys([secret])[0]
    signature = cryptostitch.sign_many([secret], [text])[0]
    offsets, chains = array("i", [0, 1, 4]), [tree.tree_part(1024 * at, bytes(1024)) for at in (0, 1)]
    x25519, p256 = PublicKey("x25519"), PublicKey("p256-public-key")
    ed25519, verify = PublicKey("ed25519-sign"), PublicKey("ed25519-verify")
    sealing, opening = key.sealing(iv=IV), key.opening(iv=IV)
    secret_key = QuicKey.from_secret("aes-128-gcm", secret, context=c)
    (packet,) = cryptostitch.quic_seal([QuicPacket(secret_key, b"@", 7, text)])
    job, sums = Job(digest, data=text, tag=bytearray(20)), [0, 0, 0]
    parity = [bytearray(4)]

    def drained(made: Any) -> Any:
        return list(made)

    def of(job_: Any) -> Any:
        return c.burst([job_])

    # fmt: off
    return {
        "agree_many": (cryptostitch.agree_many, {"secrets": [secret], "peers": [secret]}),
        "sign_many": (cryptostitch.sign_many, {"secrets": [secret], "messages": [text]}),
        "verify_many": (
            cryptostitch.verify_many,
            {"keys": [public], "messages": [text], "signatures": [signature], "zip215": False},
        ),
        "chunks": (
            lambda **a: drained(cryptostitch.chunks(**a)),
            {"source": text, "hash": "md5", "average": 256, "least": 64, "most": 512, "normalization": 1, "context": c},
        ),
        "rolling_cuts": (
            lambda **a: drained(cryptostitch.rolling_cuts(**a)),
            {"source": text, "mask": 3, "trigger": 0, "window": 2, "before": b"xy"},
        ),
        "hash_many": (cryptostitch.hash_many, {"name": "sha1", "buffers": [text], "length": 20, "context": c}),
        "hmac_many": (cryptostitch.hmac_many, {"name": "sha1", "key": text, "buffers": [text]}),
        "hash_column": (cryptostitch.hash_column, {"name": "sha1", "data": text, "offsets": offsets}),
        "hmac_column": (
            cryptostitch.hmac_column,
            {"name": "sha1", "key": text, "data": text, "offsets": offsets},
        ),
        "suite": (cryptostitch.suite, {"name": "sha1"}),
        "Context.__init__": (
            Context,
            {"flags": 0, "target": None, "library": None, "pack_key": None, "costs": None},
        ),
        "Context.names": (c.names, {"kind": 1}),
        "Context.nearest": (c.nearest, {"kind": 1, "name": "sha"}),
        "Context.suites": (c.suites, {}),
        "Context.kernels": (c.kernels, {}),
        "Context.cpu": (c.cpu, {}),
        "Context.calibrate": (
            c.calibrate,
            {"glob": "md5_x4@sse", "seconds": 0.001, "progress": lambda *_: 0},
        ),
        "Context.save_costs": (c.save_costs, {"path": "costs"}),
        "Context.suite": (c.suite, {"name": "sha1"}),
        "Context.kernel": (c.kernel, {"name": "sha1_x4@sse"}),
        "Context.force": (c.force, {"suite": "sha1", "kernel": None}),
        "Context.try_force": (c.try_force, {"suite": "sha1", "kernel": "sha1_x4@sse"}),
        "Context.load_pack": (c.load_pack, {"pack": text}),
        "Context.why_refused": (c.why_refused, {"pack": text}),
        "Context.selftest": (c.selftest, {"glob": "adler32"}),
        "Context.burst": (c.burst, {"jobs": [job], "apart": True}),
        "Suite.__init__": (Suite, {"context": c, "name_": "sha1"}),
        "Suite.key": (suite.key, {"key": bytes(16), "mac_key": None, "memory": None}),
        "Suite.seal_many": (
            suite.seal_many,
            {"key": key, "ivs": [IV], "texts": [text], "aads": [text], "tag_len": 16},
        ),
        "Suite.open_many": (
            suite.open_many,
            {"key": key, "ivs": [IV], "sealed": [(sealed, tag)], "aads": None},
        ),
        "Suite.choice": (suite.choice, {"jobs": 1, "size": 64, "one_key": False, "direction": 0}),
        "Key.__init__": (Key, {"suite": suite, "key": bytes(16), "mac_key": None, "memory": None}),
        "CrcKey.__init__": (
            CrcKey,
            {"context": c, "width": 32, "polynomial": 7, "initial": 0, "final": 0, "reflected": False},
        ),
        "Key.seal": (key.seal, {"data": text, "iv": IV, "aad": text, "tag_len": 16}),
        "Key.open": (key.open, {"data": sealed, "tag": tag, "iv": IV, "aad": None}),
        "Key.sealing": (key.sealing, {"iv": IV, "aad": text}),
        "Key.opening": (key.opening, {"iv": IV, "aad": text}),
        "Key.tls_records": (
            tls.key(bytes(16), bytes(20)).tls_records,
            {"data": text, "ivs": bytes(16), "sequence": 0, "kind": 23, "version": 0x303, "fragment": 100},
        ),
        "Key.tls_size": (tls.key(bytes(16), bytes(20)).tls_size, {"size": 5, "fragment": 100}),
        "Key.digest": (digest.digest, {"data": text, "tag_len": 20}),
        "Key.tree_part": (tree.tree_part, {"at": 0, "data": bytes(1024)}),
        "Key.tree_root": (tree.tree_root, {"chains": chains, "tag_len": 32}),
        "Key.checksum": (crc.checksum, {"data": text, "value": 0}),
        "Key.checksum_copy": (
            crc.checksum_copy,
            {"data": text, "out": bytearray(9), "value": 0, "streaming": False},
        ),
        "Key.combine": (crc.combine, {"first": 1, "second": 2, "second_len": 3}),
        "Key.digest_column": (
            digest.digest_column,
            {"data": text, "offsets": offsets, "tags": bytearray(40), "tag_len": 20, "stride": 20},
        ),
        "Key.seal_column": (
            key.seal_column,
            {"data": text, "offsets": offsets, "ivs": IV + IV, "aads": None, "out": bytearray(4), "tag_len": 16},
        ),
        "Key.open_column": (
            key.open_column,
            {"data": b"", "offsets": array("i", [0]), "tags": b"", "ivs": None, "aads": None, "out": bytearray(),
             "tag_len": 16},
        ),
        "Key.tag_bytes": (key.tag_bytes, {"tag_len": 16}),
        "Sealing.update": (sealing.update, {"data": text}),
        "Sealing.finish": (sealing.finish, {"tag_len": 16}),
        "Opening.update": (opening.update, {"data": text}),
        "Opening.finish": (opening.finish, {"tag": tag}),
        "ErasureCode.__init__": (
            ErasureCode,
            {"data": 2, "parity": 1, "matrix": "cauchy", "context": c, "kernel": None},
        ),
        "ErasureCode.encode": (code.encode, {"data": [text, text]}),
        "ErasureCode.update": (code.update, {"index": 0, "change": text, "parity": parity}),
        "ErasureCode.decode": (code.decode, {"blocks": [text, None, text]}),
        "ErasureCode.check": (code.check, {"blocks": [text] * 3}),
        "ErasureCode.encode_checked": (code.encode_checked, {"data": [text, text], "key": checksum}),
        "ErasureCode.update_checked": (
            code.update_checked,
            {"index": 0, "change": text, "parity": parity, "checksums": sums, "key": checksum},
        ),
        "ErasureCode.check_blocks": (
            code.check_blocks,
            {"blocks": [text] * 3, "checksums": sums, "key": checksum},
        ),
        "Protection.__init__": (
            Protection,
            {
                "key": c.suite("crc64-nvme").key(),
                "sector": 512,
                "type": 1,
                "ignored": (),
                "application": 0,
                "application_ignored": 0,
                "storage": 0,
                "storage_bits": 0,
                "streaming": False,
            },
        ),
        "Protection.insert": (protection.insert, {"data": bytes(512), "reference": 0, "out": bytearray(520)}),
        "Protection.check": (protection.check, {"sectors": bytes(protection.insert(bytes(512))), "reference": 0}),
        "Protection.strip": (
            protection.strip,
            {"sectors": bytes(protection.insert(bytes(512))), "reference": 0, "out": bytearray(512)},
        ),
        "PublicKey.__init__": (PublicKey, {"operation": "x25519", "context": c, "kernel": None}),
        "PublicKey.agree_many": (x25519.agree_many, {"secrets": [secret], "peers": [secret]}),
        "PublicKey.public_keys": (p256.public_keys, {"secrets": [secret]}),
        "PublicKey.sign_many": (ed25519.sign_many, {"secrets": [secret], "messages": [text], "salts": None}),
        "PublicKey.verify_many": (
            verify.verify_many,
            {"keys": [public], "messages": [text], "signatures": [signature]},
        ),
        "QuicKey.__init__": (
            QuicKey,
            {"algorithm": "aes-128-gcm", "key": bytes(16), "iv": IV, "hp": bytes(16), "context": c},
        ),
        "QuicKey.from_secret": (
            QuicKey.from_secret,
            {"algorithm": "aes-128-gcm", "secret": secret, "version": 1, "before": secret_key, "context": c},
        ),
        "QuicKey.initial": (QuicKey.initial, {"connection_id": text, "version": 1, "context": c}),
        "quic_next_secret": (
            cryptostitch.quic_next_secret,
            {"algorithm": "aes-128-gcm", "secret": secret, "version": 1, "context": c},
        ),
        "quic_retry_tag": (
            cryptostitch.quic_retry_tag,
            {"connection_id": text, "packet": text, "version": 1, "context": c},
        ),
        "quic_seal": (cryptostitch.quic_seal, {"packets": [QuicPacket(secret_key, b"@", 7, text)]}),
        "quic_open": (cryptostitch.quic_open, {"packets": [QuicReceived(secret_key, packet, 1)]}),
        "a packet to seal": (
            lambda **a: cryptostitch.quic_seal([QuicPacket(**a)]),
            {"key": secret_key, "header": b"@", "number": 7, "payload": text, "number_len": 2},
        ),
        "a packet to open": (
            lambda **a: cryptostitch.quic_open([QuicReceived(**a)]),
            {
                **{"key": secret_key, "packet": packet, "number_at": 1, "largest": 6, "previous": None, "next": None},
                **{"phase": 0, "phase_first": None},
            },
        ),
        "RsaKey.__init__": (RsaKey, {"der": b"no key", "context": c}),
        "Manager.__init__": (Manager, {"context": c, "min_fill": 4, "max_age": 8, "capacity": 64}),
        "Manager.submit": (manager.submit, {"job": job}),
        "Manager.cancel": (manager.cancel, {"job": job}),
        "Manager.take": (manager.take, {}),
        "Manager.flush": (manager.flush, {}),
        "Manager.info": (manager.info, {}),
        "Job.__init__": (
            lambda **a: of(Job(**a)),
            {
                "key": key,
                "direction": 0,
                "iv": IV,
                "aad": text,
                "data": text,
                "out": bytearray(4),
                "tag": bytearray(16),
            },
        ),
        "Job.run_alone": (job.run_alone, {}),
        "RawKernel.__init__": (RawKernel, {"context": c, "name": "sha1_x4@sse"}),
        "RawKernel.calls": (kernel.calls, {}),
        "RawStream.__init__": (RawStream, {"kernel": kernel, "index": 0}),
        "RawStream.field": (stream.field, {"name": "chain"}),
        "RawStream.entry": (stream.entry, {"name": "chain", "row": 0, "lane": 0}),
    }
    # fmt: on


@pytest.fixture(scope="module")
def made() -> dict[str, Recipe]:
    return recipes(Context())


NAMES = tuple(recipes(Context()))
EXCEPT = {
    "close", "live", "call", "check_job", "fill", "prepared", "powers", "decrypt_many", "RawKernel.run",
    "Library.check", "BaseKey.check", "BaseKey.check_tag", "PublicKey.check",
}  # fmt: skip
"""What takes nothing, functions of C, structs of C, keys of RSA (which not every CPU has), or addresses alone."""


def test_the_table_has_all_callables() -> None:
    """Of what the package exports, and of what its objects give."""
    classes = [Context, Suite, Key, CrcKey, ErasureCode, Protection, PublicKey, RsaKey, Manager, Job, RawKernel]
    classes += [RawStream, Sealing, Opening]
    exported = {name for name in cryptostitch.__all__ if inspect.isfunction(getattr(cryptostitch, name))}
    missing = exported - set(NAMES)
    for of in classes:
        for name, value in inspect.getmembers(of, inspect.isfunction):
            own = {f"{base.__name__}.{name}" for base in of.__mro__} | {name, f"{of.__name__}.{name}"}
            same = {f"{other.__name__}.{name}" for other in classes if getattr(other, name, None) is value}
            if not name.startswith("_") and not (own | same) & {*NAMES, *EXCEPT}:
                missing.add(f"{of.__name__}.{name}")
    assert not missing


@pytest.mark.parametrize("name", NAMES)
def test_odd_arguments(made: dict[str, Recipe], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (call, arguments), unclear = made[name], []
    for argument in arguments:
        for kind, odd in ODD.items():
            if (name, argument, kind) in TOO_MUCH:
                continue
            try:
                call(**{**arguments, argument: odd()})
            except Failed:
                assert "fail" in kind
            except CLEAR as error:
                if not str(error):
                    unclear.append(f"{argument}: {kind}: {error!r}")
            except Exception as error:
                unclear.append(f"{argument}: {kind}: {error!r}")
    assert not unclear, "\n".join(unclear)


@pytest.mark.parametrize("name", NAMES)
def test_missing_and_unknown_arguments(made: dict[str, Recipe], name: str) -> None:
    call, arguments = made[name]
    with pytest.raises(TypeError):
        call(**arguments, unknown=1)
    with pytest.raises(TypeError):
        call(*[None] * 20)
