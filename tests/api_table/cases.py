"""Right calls of every entry: one for each algorithm whose arguments differ."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api_table.frame import Room
from api_table.objects import EACH_NAME, EACH_TEST, PROGRESS, Objects, address_of
from api_table.roles import MOST_BYTES
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptostitch.binding import capi
from cryptostitch.binding.capi import OPEN, SEAL, STATE_BYTES

Values = dict[str, Any]
Accepts = dict[str, Callable[[int], bool]]
TEXT = bytes(range(7, 7 + 64))
PACK = Path(__file__).resolve().parents[2] / "build/generated/default.pack"


def nothing(_: Objects) -> Accepts:
    return {}


@dataclass(frozen=True)
class Case:
    """``values``: the arguments (frame.Frame). ``accepts``: by the name of a number, what the algorithm takes.
    ``opens``: it compares a tag. ``forgeable``: lengths that are the peer's doing: others are CST_ERR_AUTH. ``result``:
    what the right call returns. ``pages``: of the longest buffer. ``slots``: of buffers. ``slow``: a call takes more
    than a millisecond. ``skip``: kinds of hostile calls with the path, which the header allows."""

    entry: str
    name: str
    values: Callable[[Objects], Values]
    accepts: Callable[[Objects], Accepts] = nothing
    opens: bool = False
    forgeable: frozenset[str] = frozenset()
    result: int | None = capi.OK
    pages: int = 2
    slots: int = 40
    slow: bool = False
    skip: frozenset[str] = field(default_factory=frozenset)

    def __str__(self) -> str:
        return f"{self.entry}-{self.name}" if self.name else self.entry


def only(*values: int) -> Callable[[int], bool]:
    return lambda value: value in values


def between(low: int, high: int) -> Callable[[int], bool]:
    return lambda value: low <= value <= high


def anything(_: int) -> bool:
    return True


# ---- jobs of suites

CIPHERS = (
    *("aes-128-cbc", "aes-128-ctr", "aes-128-xts", "aes-128-gcm", "aes-128-ccm", "chacha20-poly1305", "a128cbc-hs256"),
    *("aes-128-cbc+hmac-sha1-etm", "aes-128-cbc+hmac-sha1-96", "aes-128-cbc+hmac-sha1-tls", "aes-256-gcm+crc32c"),
)
HASHES = ("sha256", "hmac-sha1", "sha3-256", "blake3", "aes-128-cmac", "crc32c", "mh-sha1", "md5+sha256", "shake128")


def suite_accepts(name: str, opens: bool) -> Callable[[Objects], Accepts]:
    def accepts(objects: Objects) -> Accepts:
        info = objects.info(name)
        key, mac = between(info.key_min, info.key_max), between(info.mac_key_min, info.mac_key_max)
        iv, ivs_left = between(info.iv_min, info.iv_max), info.iv_and_count_bytes
        digest = info.most_tag_bytes > 64
        tag = (
            between(1, info.most_tag_bytes)
            if digest
            else lambda n: 0 < n <= 64 and bool(info.tag_lengths >> (n - 1) & 1)
        )
        if not info.tag_max:
            tag = only(0)
        least, most = (info.open_min_bytes, info.open_max_bytes) if opens else (info.min_bytes, info.max_bytes)
        step = info.open_block_bytes if opens else info.block_bytes

        def text(n: int) -> bool:
            room = not ivs_left or n < 1 << 8 * (ivs_left - info.iv_bytes)
            return least <= n <= most and n % max(step, 1) == 0 and room

        def aad(n: int) -> bool:
            return info.aad_min <= n <= info.aad_max and (n - info.aad_min) % max(info.aad_step, 1) == 0

        lengths = {"key_len": key, "mac_key_len": mac, "iv_len": iv, "aad_len": aad, "in_len": text, "tag_len": tag}
        if info.kind in (capi.DIGEST, capi.MAC):
            lengths["out_cap"] = only(0)
        return {**lengths, "n_in_pieces": only(0), "n_out_pieces": only(0)}

    return accepts


def sealing(objects: Objects, name: str, seed: int = 0, bytes_: int = 48) -> Values:
    """The members of a job that seals."""
    info = objects.info(name)
    text = bytes((i * 7 + seed) & 255 for i in range(bytes_))
    values: Values = {"key": objects.key(name), "direction": SEAL, "in": text}
    if info.iv_bytes:
        values["iv"] = bytes((i + seed) & 255 for i in range(info.iv_bytes))
    if info.kind == capi.AEAD and info.aad_max:
        aad = max(info.aad_min, min(info.aad_max, 13 if info.aad_step <= 1 else info.aad_min))
        values["aad"] = bytes(range(aad))
    if info.kind in (capi.CIPHER, capi.AEAD):
        padded = bytes_ + info.expansion if "tls" not in name else 0
        if "cbc-hs" in name:
            padded = bytes_ + 16
        if "tls" in name:
            padded = (bytes_ + info.tag_max + 20) // 16 * 16 + 16
        values["out"] = Room(padded if info.expansion else bytes_)
    if info.tag_max:
        values["tag"] = Room(info.tag_max)
    return values


def ran(objects: Objects, values: Values) -> tuple[bytes, bytes]:
    """Runs a job, and returns its output and its tag."""
    held: list[Any] = []

    def place(value: bytes | Room | None) -> tuple[Any, int]:
        if value is None:
            return None, 0
        content = bytes(value.bytes) if isinstance(value, Room) else value
        held.append(ctypes.create_string_buffer(content, len(content)))
        return held[-1], len(content)

    names = ("iv", "aad", "in", "out")
    places = {name: place(values.get(name)) for name in (*names, "tag")}
    written = ctypes.c_size_t()
    arguments = [each for name in names for each in places[name]]
    error = objects.lib.cst_seal(values["key"], *arguments, ctypes.byref(written), *places["tag"])
    assert error == capi.OK, (values, error)
    out, tag = places["out"][0], places["tag"][0]
    return (out.raw[: written.value] if out else b""), (tag.raw if tag else b"")


def opening(objects: Objects, name: str, seed: int = 0, bytes_: int = 48) -> Values:
    values = sealing(objects, name, seed, bytes_)
    out, tag = ran(objects, values)
    values["direction"] = OPEN
    if "out" in values:
        values |= {"in": out, "out": Room(len(out))}
    if "tag" in values:
        values["tag"] = tag
    return values


FORGEABLE = frozenset({"in_len"})


def of_suites() -> Iterator[Case]:
    for name in (*CIPHERS, *HASHES):
        aead = name in CIPHERS and name not in ("aes-128-cbc", "aes-128-ctr", "aes-128-xts")
        for direction, make in (("seal", sealing), ("open", opening)):
            opens = direction == "open" and name not in ("aes-128-cbc", "aes-128-ctr", "aes-128-xts")
            common: dict[str, Any] = dict(
                accepts=suite_accepts(name, direction == "open" and name in CIPHERS),
                opens=opens,
                forgeable=FORGEABLE if opens and aead else frozenset(),
            )
            label = f"{name}-{direction}"
            yield Case("cst_burst", label, lambda o, m=make, s=name: {"ctx": o.context, "jobs": [m(o, s)]}, **common)
            yield Case(f"cst_{direction}", name, lambda o, m=make, s=name: {**m(o, s), "out_len": Room(8)}, **common)
            if name in ("aes-128-gcm", "sha256", "aes-128-cbc+hmac-sha1-etm"):
                yield Case(
                    "cst_burst_pointers",
                    label,
                    lambda o, m=make, s=name: {"ctx": o.context, "jobs": [m(o, s)]},
                    **common,
                )
                yield Case(
                    "cst_manager_submit",
                    label,
                    lambda o, m=make, s=name: {"manager": o.manager(), "job": m(o, s)},
                    **common | ({"accepts": taken_in(common["accepts"])} if opens and aead else {}),
                )
    for name in HASHES:
        accepts = suite_accepts(name, False)
        yield Case("cst_digest", name, lambda o, s=name: sealing(o, s), accepts)
        for entry in ("cst_digest_many", "cst_digest_column"):
            yield Case(entry, name, lambda o, e=entry, s=name: flat(o, e, s), accepts)
        if name not in ("aes-128-cmac",):
            for last in (0, 1):
                yield Case(
                    "cst_digest_parts",
                    f"{name}-{'last' if last else 'first'}",
                    lambda o, s=name, z=last: {"ctx": o.context, "parts": [part(o, s, z)]},
                    part_accepts(accepts, last),
                )
    for name in ("aes-128-gcm", "chacha20-poly1305"):
        for make, direction in ((sealing, "seal"), (opening, "open")):
            accepts = suite_accepts(name, direction == "open")
            for last in (0, 1):
                yield Case(
                    "cst_text_parts",
                    f"{name}-{direction}-{'last' if last else 'first'}",
                    lambda o, m=make, s=name, z=last: {"ctx": o.context, "parts": [text_part(m(o, s), z)]},
                    part_accepts(accepts, last),
                    opens=direction == "open" and last == 1,
                )
            yield Case(
                f"cst_{direction}_column",
                name,
                lambda o, m=make, s=name: {"column": text_column(o, m, s)},
                accepts,
                opens=direction == "open",
            )
    for name in ("aes-128-ctr", "aes-128-xts"):
        for entry in ("cst_seal_column", "cst_open_column"):
            yield Case(
                entry, name, lambda o, s=name: {"column": text_column(o, sealing, s)}, suite_accepts(name, False)
            )


def taken_in(accepts: Callable[[Objects], Accepts]) -> Callable[[Objects], Accepts]:
    """A manager takes in what is forged by its length alone."""
    return lambda objects: accepts(objects) | {"in_len": lambda n: n <= MOST_BYTES}


def part_accepts(accepts: Callable[[Objects], Accepts], last: int) -> Callable[[Objects], Accepts]:
    return lambda objects: accepts(objects) | ({} if last else {"tag_len": only(0)})


def part(objects: Objects, name: str, last: int) -> Values:
    values = {"key": objects.key(name), "state": bytes(STATE_BYTES), "in": TEXT, "last": last}
    return values | ({"tag": Room(objects.info(name).tag_max)} if last else {})


def text_part(values: Values, last: int) -> Values:
    values |= {"state": bytes(STATE_BYTES), "last": last}
    return values if last else {name: value for name, value in values.items() if name != "tag"}


def flat(objects: Objects, entry: str, name: str) -> Values:
    size = objects.info(name).tag_max
    texts = [TEXT, b"", TEXT[:33]]
    values: Values = {"key": objects.key(name), "tag_len": size, "stride": size + 8, "n": len(texts)}
    values["tags"] = Room(2 * (size + 8) + size)
    if entry == "cst_digest_many":
        lengths = b"".join(len(text).to_bytes(8, "little") for text in texts)
        return values | {"in": texts, "in_len": lengths}
    ends = [sum(map(len, texts[:i])) for i in range(len(texts) + 1)]
    offsets = b"".join(end.to_bytes(4, "little") for end in ends)
    return {"column": values | {"data": b"".join(texts), "offsets": offsets, "offset_bytes": 4}}


def text_column(objects: Objects, make: Callable[..., Values], name: str) -> Values:
    jobs = [make(objects, name, seed, size) for seed, size in enumerate((48, 17, 64))]
    texts = [job["in"] for job in jobs]
    ends = [sum(map(len, texts[:i])) for i in range(len(texts) + 1)]
    values: Values = {"key": objects.key(name), "in": b"".join(texts), "out": Room(ends[-1]), "n": 3, "offset_bytes": 8}
    values["offsets"] = b"".join(end.to_bytes(8, "little") for end in ends)
    values["statuses"] = Room(12)
    for member, plural in (("iv", "ivs"), ("aad", "aads"), ("tag", "tags")):
        if member not in jobs[0]:
            continue
        each = jobs[0][member]
        size = each.bytes if isinstance(each, Room) else len(each)
        gap = 8
        rows = [job[member] if isinstance(job[member], bytes) else bytes(size) for job in jobs]
        content = bytes(gap).join(rows)
        values[plural] = Room(len(content)) if isinstance(each, Room) else content
        values |= {f"{member}_len": size, f"{member}_stride": size + gap}
    return values


# ---- contexts, suites, keys, kernels


def pack(_: Objects) -> bytes:
    return PACK.read_bytes()


def of_keys() -> Iterator[Case]:
    for name in ("aes-128-gcm", "aes-128-cbc+hmac-sha1-etm", "hmac-sha1", "sha256", "blake3-keyed"):
        accepts = suite_accepts(name, False)

        def values(o: Objects, s: str = name) -> Values:
            key, mac = o.key_bytes(s)
            return {"suite": o.suite(s), "key": key, "mac_key": mac}

        yield Case("cst_key_new", name, values, accepts)
        yield Case(
            "cst_key_init",
            name,
            lambda o, v=values, s=name: {**v(o), "memory": Room(o.lib.cst_key_bytes(o.suite(s)))},
            accepts,
        )
    yield Case("cst_key_bytes", "", lambda o: {"suite": o.suite("sha256")}, result=None)
    yield Case("cst_key_free", "", lambda o: {"key": 0}, result=None)
    yield Case("cst_key_clear", "", lambda o: {"key": 0}, result=None)


def of_contexts() -> Iterator[Case]:
    yield Case("cst_error_text", "", lambda o: {"error": -1}, result=None)
    yield Case("cst_version", "", lambda o: {}, result=None)
    yield Case("cst_job_size", "", lambda o: {}, result=None)
    options = {"target": b"host", "pack_key": bytes(range(32)), "costs": None, "flags": capi.ALLOW_PACKS}
    yield Case(
        "cst_ctx_new",
        "",
        lambda o: {"options": options},
        lambda o: {"flags": lambda flags: not flags & capi.CALIBRATE},
        slow=True,
    )
    yield Case("cst_ctx_free", "", lambda o: {"ctx": 0}, result=None)
    yield Case(
        "cst_calibrate",
        "",
        lambda o: {"ctx": o.context, "glob": b"sha256*", "seconds": 0.01, "progress": address_of(PROGRESS)},
        result=7,
        slow=True,
    )
    yield Case("cst_costs_save", "", lambda o: {"ctx": o.context, "path": b"/dev/full/no"}, result=capi.ERR_FILE)
    for kind, name in ((1, b"aes"), (2, b"sha1_x4"), (3, b"host"), (4, b"zen9")):
        yield Case(
            "cst_nearest",
            str(kind),
            lambda o, k=kind, n=name: {"ctx": o.context, "kind": k, "name": n, "text": Room(200)},
            lambda o: {"text_size": anything},
            skip=frozenset({"absent ctx"} if kind == 4 else ()),
        )
    yield Case(
        "cst_list",
        "",
        lambda o: {"ctx": o.context, "kind": 1, "each": address_of(EACH_NAME)},
        result=1,
    )
    yield Case("cst_ctx_cpu", "", lambda o: {"ctx": o.context, "info": Room(1)})
    yield Case("cst_suite_get", "", lambda o: {"ctx": o.context, "name": b"sha256"})
    yield Case("cst_suite_info_get", "", lambda o: {"suite": o.suite("sha256"), "info": Room(1)})
    yield Case(
        "cst_suite_choice",
        "",
        lambda o: {"suite": o.suite("sha256"), "jobs": 5, "bytes": 1024, "choice": Room(1)},
    )
    yield Case("cst_suite_force", "", lambda o: {"ctx": o.open_context, "suite": b"sha256", "kernel": None})
    yield Case("cst_kernel_get", "", lambda o: {"ctx": o.context, "name": b"sha1_x4@sse"})
    yield Case("cst_kernel_info_get", "", lambda o: {"kernel": o.kernel("sha1_x4@sse"), "info": Room(1)})
    streams = {"stream": only(0)}
    yield Case(
        "cst_kernel_stream",
        "",
        lambda o: {"kernel": o.kernel("sha1_x4@sse"), "stream": 0, "info": Room(1)},
        lambda o: streams,
    )
    yield Case(
        "cst_kernel_field",
        "",
        lambda o: {"kernel": o.kernel("sha1_x4@sse"), "stream": 0, "name": b"in", "field": Room(1)},
        lambda o: streams,
    )
    yield Case(
        "cst_pack_check",
        "",
        lambda o: {"bytes": TEXT, "text": Room(100)},
        lambda o: {"size": anything, "text_size": anything},
        result=capi.ERR_PACK,
    )
    yield Case(
        "cst_pack_load",
        "",
        lambda o: {"ctx": o.open_context, "bytes": TEXT},
        lambda o: {"size": anything},
        result=capi.ERR_PACK,
    )
    yield Case(
        "cst_selftest",
        "",
        lambda o: {"ctx": o.context, "glob": b"crc16-t10-dif", "each": address_of(EACH_TEST)},
        slow=True,
        skip=frozenset({"absent glob"}),
    )


# ---- trees, chunks, rolling hashes


def of_texts() -> Iterator[Case]:
    yield Case(
        "cst_tree_part",
        "",
        lambda o: {"key": o.key("blake3"), "at": 4096, "in": bytes(4096), "chain": Room(32)},
        lambda o: {"in_len": lambda n: 0 < n <= 4096, "at": anything},
    )
    yield Case(
        "cst_tree_root",
        "",
        lambda o: {"key": o.key("blake3"), "chains": bytes(96), "tag": Room(32)},
        lambda o: suite_accepts("blake3", False)(o) | {"n": lambda n: 2 <= n <= MOST_BYTES // 32},
    )
    sizes = {
        "average_bytes": lambda n: n == 0 or 256 <= n <= 1 << 22,
        "least_bytes": lambda n: n == 0 or 64 <= n <= 1 << 20,
        "most_bytes": lambda n: n == 0 or 1024 <= n <= 1 << 24,
        "normalization": between(0, 3),
    }
    chosen = {"average_bytes": 8192, "least_bytes": 2048, "most_bytes": 65536, "normalization": 1}
    yield Case(
        "cst_chunker_new",
        "",
        lambda o: {"ctx": o.context, "options": {"key": o.key("sha256"), **chosen}},
        lambda o: sizes,
    )
    yield Case("cst_chunker_free", "", lambda o: {"chunker": 0}, result=None)
    text = bytes(i * i * 7 >> 3 & 255 for i in range(4000))
    for last in (0, 1):
        yield Case(
            "cst_chunker_feed",
            "last" if last else "first",
            lambda o, z=last: {
                **{"chunker": o.chunker(), "in": text, "last": z, "chunks": [None] * 40},
                **{"room": 40, "n": Room(8), "used": Room(8)},
            },
            lambda o: {"room": lambda n: n > 0},
        )
    yield Case("cst_rolling_new", "", lambda o: {"window": 16}, lambda o: {"window": between(1, 48)})
    yield Case("cst_rolling_free", "", lambda o: {"rolling": 0}, result=None)
    yield Case(
        "cst_rolling_reset",
        "",
        lambda o: {"rolling": o.rolling(), "before": bytes(16)},
        lambda o: {"bytes": only(0, 16)},
    )
    yield Case(
        "cst_rolling_run",
        "",
        lambda o: {
            **{"rolling": o.rolling(), "in": text, "mask": 1023, "trigger": 0},
            **{"used": Room(8), "hit": Room(4)},
        },
    )


# ---- checksums, sectors, erasure codes


def of_checksums() -> Iterator[Case]:
    for name in ("crc32c", "crc64-nvme", "adler32", "crc16-t10-dif"):
        start = (1 if name == "adler32" else 0).to_bytes(8, "little")
        yield Case("cst_checksum_update", name, lambda o, s=name, v=start: {"key": o.key(s), "in": TEXT, "value": v})
        yield Case(
            "cst_checksum_copy",
            name,
            lambda o, s=name, v=start: {"key": o.key(s), "in": TEXT, "out": Room(64), "value": v},
        )
        yield Case(
            "cst_checksum_combine",
            name,
            lambda o, s=name: {"key": o.key(s), "first": 1, "second": 1, "second_len": 64, "value": Room(8)},
            lambda o, s=name: {
                "second_len": lambda n: n < 1 << 61,
                "first": lambda n: n >> 8 * o.info(s).tag_max == 0,
                "second": lambda n: n >> 8 * o.info(s).tag_max == 0,
            },
        )
    crc = {"width": 32, "reflected": 1, "polynomial": 0x04C11DB7, "initial": 0xFFFFFFFF, "final": 0xFFFFFFFF}
    yield Case(
        "cst_crc_new",
        "",
        lambda o: {"ctx": o.context, "crc": crc},
        lambda o: {
            "width": between(27, 64),
            "polynomial": lambda n: n % 2 == 1 and n < 1 << 32,
            "initial": lambda n: n < 1 << 32,
            "final": lambda n: n < 1 << 32,
        },
    )
    rules: Accepts = {
        "sector_bytes": lambda n: 0 < n <= MOST_BYTES // 3,
        "storage_bits": between(0, 32),
        "storage_tag": only(0),
        "type": anything,
    }

    def pi(o: Objects) -> Values:
        return {"key": o.key("crc16-t10-dif"), "sector_bytes": 512, "type": 1, "reference": 7, "application_tag": 3}

    @functools.cache
    def sectors(o: Objects) -> bytes:
        info = capi.ProtectionStruct(**pi(o))
        out = ctypes.create_string_buffer(3 * 520)
        assert o.lib.cst_pi_insert(ctypes.byref(info), bytes(range(256)) * 6, 3, out) == capi.OK
        return out.raw

    yield Case(
        "cst_pi_insert", "", lambda o: {"pi": pi(o), "in": bytes(range(256)) * 6, "out": Room(1560)}, lambda o: rules
    )
    yield Case("cst_pi_check", "", lambda o: {"pi": pi(o), "in": sectors(o), "fault": Room(1)}, lambda o: rules)
    yield Case(
        "cst_pi_strip",
        "",
        lambda o: {"pi": pi(o), "in": sectors(o), "out": Room(1536), "fault": Room(1)},
        lambda o: rules,
    )


DATA, PARITY, BLOCK = 3, 2, 200


def of_codes() -> Iterator[Case]:
    def code(o: Objects) -> Values:
        return {"code": o.code(DATA, PARITY)}

    data = [bytes((i * 5 + j) & 255 for i in range(BLOCK)) for j in range(DATA)]
    rooms = [Room(BLOCK)] * PARITY
    index = {"index": between(0, DATA - 1)}

    @functools.cache
    def encoded(o: Objects) -> tuple[list[bytes], bytes]:
        blocks = [ctypes.create_string_buffer(block, BLOCK) for block in [*data, *[bytes(BLOCK)] * PARITY]]
        pointers = (ctypes.c_void_p * 5)(*map(ctypes.addressof, blocks))
        sums = (ctypes.c_uint64 * 5)()
        behind = ctypes.byref(pointers, 8 * DATA)
        its = o.code(DATA, PARITY)
        assert o.lib.cst_code_encode_checked(its, o.key("crc32c"), BLOCK, pointers, behind, sums) == capi.OK
        return [block.raw for block in blocks], bytes(sums)

    yield Case(
        "cst_code_new",
        "",
        lambda o: {"ctx": o.context, "shape": {"data": DATA, "parity": PARITY}},
        lambda o: {"data": between(1, 253), "parity": between(1, 252)},
    )
    yield Case("cst_code_free", "", lambda o: {"code": 0}, result=None)
    yield Case("cst_code_encode", "", lambda o: {**code(o), "data": data, "parity": rooms})
    yield Case(
        "cst_code_update",
        "",
        lambda o: {**code(o), "index": 1, "change": data[0], "parity": encoded(o)[0][DATA:]},
        lambda o: index,
    )
    yield Case(
        "cst_code_decode",
        "",
        lambda o: {
            **code(o),
            "blocks": [Room(BLOCK) if i in (1, 3) else block for i, block in enumerate(encoded(o)[0])],
            "lost": bytes([0, 1, 0, 1, 0]),
        },
    )
    yield Case("cst_code_check", "", lambda o: {**code(o), "blocks": encoded(o)[0], "right": Room(4)})
    for name in ("crc32c", "adler32"):

        def checked(o: Objects, s: str = name) -> Values:
            return {**code(o), "checksum": o.key(s)}

        yield Case(
            "cst_code_encode_checked",
            name,
            lambda o, c=checked: {**c(o), "data": data, "parity": rooms, "checksums": Room(40)},
        )
        yield Case(
            "cst_code_check_blocks",
            name,
            lambda o, c=checked: {
                **{**c(o), "blocks": encoded(o)[0], "checksums": encoded(o)[1]},
                **{"bad": Room(5), "right": Room(4)},
            },
        )
        if name == "adler32":
            continue  # cst_code_update_checked is for remainders
        yield Case(
            "cst_code_update_checked",
            name,
            lambda o, c=checked: {
                **{**c(o), "index": 1, "change": data[0], "parity": encoded(o)[0][DATA:]},
                "checksums": b"".join(b"\1" + bytes(7) for _ in range(5)),
            },
            lambda o: index,
        )


# ---- public keys


@functools.cache
def ec_key() -> tuple[bytes, bytes]:
    private = ec.derive_private_key(0x1234567, ec.SECP256R1())
    public = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return (0x1234567).to_bytes(32, "big"), public


@functools.cache
def rsa_der() -> bytes:
    private = rsa.generate_private_key(65537, 2048)
    return private.private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption())


def made_by(o: Objects, operation: str, key: bytes, text: bytes | None, size: int) -> bytes:
    """The output of one public-key job."""
    out, given = ctypes.create_string_buffer(size), (key, text)
    held = [ctypes.create_string_buffer(each, len(each)) if each is not None else None for each in given]
    places = {f: ctypes.addressof(h) for f, h in zip(("key", "in"), held) if h is not None}
    lengths = {"key_len": len(key), "in_len": len(text or b"")}
    job = capi.PkJob(**places, **lengths, out=ctypes.addressof(out), out_cap=size)
    assert o.lib.cst_pk_burst(o.pk(operation), ctypes.byref(job), 1) == capi.OK, operation
    return out.raw


SECRET = bytes(range(1, 33))


@functools.cache
def ed25519_public(o: Objects) -> bytes:
    return made_by(o, "ed25519-public-key", SECRET, None, 32)


@functools.cache
def ed25519_signature(o: Objects) -> bytes:
    return made_by(o, "ed25519-sign", SECRET, TEXT, 64)


@functools.cache
def ecdsa_signature(o: Objects) -> bytes:
    return made_by(o, "ecdsa-p256-sign", ec_key()[0], TEXT, 64)


@functools.cache
def digest_signature(o: Objects) -> bytes:
    return made_by(o, "ecdsa-p256-sign-digest", ec_key()[0], TEXT[:32], 64)


def prepared(o: Objects) -> int:
    def make() -> int:
        der = rsa_der()
        return o.made("cst_pk_key_new", o.pk("rsa-private"), der, len(der))

    return o.once("rsa", make)


PK: dict[str, tuple[Callable[[Objects], Values], Accepts]] = {
    "x25519": (
        lambda o: {"key": SECRET, "in": SECRET[::-1], "out": Room(32)},
        {"key_len": only(32), "in_len": only(32)},
    ),
    "ed25519-verify": (
        lambda o: {"key": ed25519_public(o), "in": TEXT, "signature": ed25519_signature(o)},
        {"key_len": only(32), "signature_len": only(64)},
    ),
    "ed25519-verify-zip215": (
        lambda o: {"key": ed25519_public(o), "in": TEXT, "signature": ed25519_signature(o)},
        {"key_len": only(32), "signature_len": only(64)},
    ),
    "ed25519-sign": (
        lambda o: {"key": SECRET, "in": TEXT, "out": Room(64)},
        {"key_len": only(32, 64), "signature_len": only(0)},
    ),
    "ed25519-public-key": (lambda o: {"key": SECRET, "out": Room(32)}, {"key_len": only(32)}),
    "ecdsa-p256-verify": (
        lambda o: {"key": ec_key()[1], "in": TEXT, "signature": ecdsa_signature(o)},
        {"key_len": only(33, 65), "signature_len": only(64)},
    ),
    "ecdsa-p256-sign": (lambda o: {"key": ec_key()[0], "in": TEXT, "out": Room(64)}, {"key_len": only(32)}),
    "ecdsa-p256-verify-digest": (
        lambda o: {"key": ec_key()[1], "in": TEXT[:32], "signature": digest_signature(o)},
        {"key_len": only(33, 65), "signature_len": only(64), "in_len": between(1, 64)},
    ),
    "ecdsa-p256-sign-digest": (
        lambda o: {"key": ec_key()[0], "in": TEXT[:32], "out": Room(64)},
        {"key_len": only(32), "in_len": between(1, 64)},
    ),
    "ecdh-p256": (
        lambda o: {"key": ec_key()[0], "in": ec_key()[1], "out": Room(32)},
        {"key_len": only(32), "in_len": only(33, 65)},
    ),
    "p256-public-key": (lambda o: {"key": ec_key()[0], "out": Room(65)}, {"key_len": only(32)}),
    "rsa-sign-pkcs1-sha256": (lambda o: {"prepared": prepared(o), "in": TEXT, "out": Room(256)}, {}),
    "rsa-sign-pss-sha256": (
        lambda o: {"prepared": prepared(o), "in": TEXT, "out": Room(256), "signature": bytes(range(32))},
        {"signature_len": between(0, 256 - 34)},
    ),
    "rsa-sign-pkcs1-sha256-digest": (
        lambda o: {"prepared": prepared(o), "in": TEXT[:32], "out": Room(256)},
        {"in_len": only(32)},
    ),
    "rsa-private": (
        lambda o: {"prepared": prepared(o), "in": bytes(255) + b"\5", "out": Room(256)},
        {"in_len": only(256)},
    ),
}
"""By operation: a right job, and the lengths that it takes."""


def of_public_keys() -> Iterator[Case]:
    for operation, (job, accepts) in PK.items():
        slow = operation.startswith("rsa")
        opens = "verify" in operation
        yield Case(
            "cst_pk_burst",
            operation,
            lambda o, s=operation, j=job: {"pk": o.pk(s), "jobs": [j(o)]},
            lambda o, a=accepts: a,
            opens=opens,
            slow=slow,
        )
        if operation in ("x25519", "ed25519-sign", "ecdsa-p256-verify", "rsa-private"):
            yield Case(
                "cst_pk_manager_submit",
                operation,
                lambda o, s=operation, j=job: {"manager": o.pk_manager(), "pk": o.pk(s), "job": j(o)},
                lambda o, a=accepts: a,
                slow=slow,
            )
        if not slow:
            yield Case("cst_pk_new", operation, lambda o, s=operation: {"ctx": o.context, "operation": s.encode()})
    yield Case("cst_pk_free", "", lambda o: {"pk": 0}, result=None)
    yield Case("cst_pk_key_free", "", lambda o: {"key": 0}, result=None)
    yield Case(
        "cst_pk_key_new",
        "",
        lambda o: {"pk": o.pk("rsa-private"), "der": rsa_der()},
        lambda o: {"len": only(len(rsa_der()))},
        slow=True,
    )


# ---- managers, TLS


def of_managers() -> Iterator[Case]:
    bounds: Accepts = {"min_fill": between(0, 1024), "max_age": anything, "capacity": lambda n: n == 0 or n >= 32}
    chosen = {"min_fill": 32, "max_age": 256, "capacity": 1024}
    for prefix in ("cst_manager", "cst_pk_manager"):

        def manager(o: Objects, p: str = prefix) -> int:
            return o.manager() if p == "cst_manager" else o.pk_manager()

        yield Case(f"{prefix}_new", "", lambda o: {"ctx": o.context, "options": chosen}, lambda o: bounds)
        yield Case(f"{prefix}_free", "", lambda o: {"manager": 0}, result=None)
        yield Case(f"{prefix}_take", "", lambda o, m=manager: {"manager": m(o)}, result=None)
        yield Case(f"{prefix}_flush", "", lambda o, m=manager: {"manager": m(o)})
    yield Case("cst_manager_info_get", "", lambda o: {"manager": o.manager(), "info": Room(1)})
    yield Case(
        "cst_manager_cancel",
        "",
        lambda o: {"manager": o.manager(), "job": sealing(o, "sha256")},
        lambda o: dict.fromkeys(STRUCT_LENGTHS, anything),
        result=capi.ERR_ARGUMENT,
    )
    yield Case(
        "cst_pk_manager_cancel",
        "",
        lambda o: {"manager": o.pk_manager(), "job": PK["x25519"][0](o)},
        lambda o: dict.fromkeys(STRUCT_LENGTHS, anything),
        result=capi.ERR_ARGUMENT,
    )
    tls = "aes-128-cbc+hmac-sha1-tls"
    yield Case(
        "cst_tls_seal_size",
        "",
        lambda o: {"key": o.key(tls), "in_len": 100, "fragment": 64, "records": Room(8), "bytes": Room(8)},
        lambda o: {"fragment": between(0, 16384)},
    )

    def write(o: Objects) -> Values:
        return {
            **{"key": o.key(tls), "sequence": 5, "type": 23, "version": 0x0303, "fragment": 64},
            **{"iv": bytes(range(32)), "in": bytes(100), "out": Room(2 * (5 + 16 + 96) - 32)},
        }

    yield Case(
        "cst_tls_seal",
        "",
        lambda o: {"write": write(o)},
        lambda o: {"fragment": between(0, 16384), "iv_len": lambda n: 32 <= n <= MOST_BYTES},
    )


# ---- QUIC

MOST_PACKET, QUIC_HEADER, QUIC_TEXT = 65535, bytes([0x40, 1, 2, 3, 4, 0, 0]), 48
CONNECTION_ID: Accepts = {"connection_id_len": between(0, 20)}


def quic_sealing(o: Objects, algorithm: str) -> Values:
    return {
        **{"key": o.quic_key(algorithm), "number_len": 2, "number": 300, "header": QUIC_HEADER},
        **{"in": TEXT[:QUIC_TEXT], "out": Room(QUIC_TEXT + 16)},
    }


@functools.cache
def quic_sealed(o: Objects, algorithm: str) -> bytes:
    header, text = bytearray(QUIC_HEADER), ctypes.create_string_buffer(TEXT[:QUIC_TEXT], QUIC_TEXT + 16)
    at = ctypes.addressof((ctypes.c_char * len(header)).from_buffer(header))
    packet: Any = capi.QuicPacketStruct(
        key=o.quic_key(algorithm), number_len=2, number=300, header=at, header_len=len(header), in_len=QUIC_TEXT,
        out=ctypes.addressof(text), out_cap=len(text), **{"in": ctypes.addressof(text)},
    )  # fmt: skip
    assert o.lib.cst_quic_seal(o.context, ctypes.byref(packet), 1) == capi.OK
    return bytes(header) + text.raw


def quic_opening(o: Objects, algorithm: str) -> Values:
    packet = quic_sealed(o, algorithm)
    return {
        **{"key": o.quic_key(algorithm), "phase": 0, "phase_opened": 0, "expected": 300},
        **{"in": packet, "number_at": len(QUIC_HEADER) - 2, "out": Room(len(packet) - 16)},
    }


def of_quic() -> Iterator[Case]:
    none: Accepts = {"n_in_pieces": only(0), "number": lambda n: n < 1 << 62, "number_len": between(1, 4)}
    for name, size in capi.QUIC_KEY_BYTES.items():
        call = {"algorithm": name.encode(), "key": bytes(size), "iv": bytes(12), "hp": bytes(size)}
        yield Case(
            "cst_quic_key_new",
            name,
            lambda o, c=call: {"ctx": o.context, **c},
            lambda o, n=size: {"key_len": only(n), "iv_len": only(12), "hp_len": only(n)},
        )
        secret = {"algorithm": name.encode(), "version": 1, "secret": bytes(range(capi.QUIC_SECRET_BYTES[name]))}
        lengths: Accepts = {"secret_len": only(len(secret["secret"]))}
        for before in (False, True):
            yield Case(
                "cst_quic_key_from_secret",
                f"{name}{'-update' * before}",
                lambda o, c=secret, s=name, b=before: {
                    **{"ctx": o.context, **c},
                    "before": o.quic_key(s) if b else 0,
                },
                lambda o, a=lengths: a,
            )
        yield Case(
            "cst_quic_next_secret",
            name,
            lambda o, c=secret: {"ctx": o.context, **c, "next": Room(len(c["secret"]))},
            lambda o, a=lengths: a,
        )
        yield Case("cst_quic_key_info_get", name, lambda o, s=name: {"key": o.quic_key(s), "info": Room(1)})
        yield Case(
            "cst_quic_seal",
            name,
            lambda o, s=name: {"ctx": o.context, "packets": [quic_sealing(o, s)]},
            lambda o: {
                **{**none, "header_len": between(3, MOST_PACKET - 16 - QUIC_TEXT)},
                "in_len": between(2, MOST_PACKET - 16 - len(QUIC_HEADER)),
            },
        )
        yield Case(
            "cst_quic_open",
            name,
            lambda o, s=name: {"ctx": o.context, "packets": [quic_opening(o, s)]},
            lambda o: {
                **{"in_len": between(0, MOST_PACKET), "number_at": lambda n: n > 0},
                "expected": lambda n: n <= 1 << 62,
            },
            opens=True,
            forgeable=frozenset({"in_len", "number_at"}),
        )
    yield Case("cst_quic_key_free", "", lambda o: {"key": 0}, result=None)
    yield Case(
        "cst_quic_initial_secrets",
        "",
        lambda o: {
            **{"ctx": o.context, "version": 1, "connection_id": bytes(range(8))},
            **{"client": Room(32), "server": Room(32)},
        },
        lambda o: CONNECTION_ID,
    )
    yield Case(
        "cst_quic_retry_tag",
        "",
        lambda o: {
            **{"ctx": o.context, "version": 1, "connection_id": bytes(range(8))},
            **{"packet": TEXT, "tag": Room(16)},
        },
        lambda o: {**CONNECTION_ID, "packet_len": between(0, MOST_PACKET - 16)},
    )


STRUCT_LENGTHS = ("iv_len", "aad_len", "in_len", "out_cap", "tag_len", "key_len", "signature_len")


def all_cases() -> list[Case]:
    groups = (
        of_public_keys, of_codes, of_checksums, of_texts, of_suites, of_keys, of_contexts, of_managers, of_quic
    )  # fmt: skip
    return [case for group in groups for case in group()]


CASES: Mapping[str, Case] = {str(case): case for case in all_cases()}
