"""The table: every function of cryptostitch.h and every struct, with what the header says of them in words.

Types, const and order come from the header itself (header.py), struct layouts from the binding (capi.py). Parameters
without a row here are objects of the library that must be there.
"""

from __future__ import annotations

from typing import Any

from api_table.roles import (
    ANSWER,
    BOTH,
    EITHER,
    EMPTY,
    GIVEN,
    NEVER,
    NOTHING_TO_FREE,
    WRITE,
    Buffer,
    Callback,
    Choice,
    Entry,
    Flags,
    Handle,
    Length,
    Made,
    Number,
    Pointers,
    Reported,
    Role,
    Stride,
    StructPointers,
    Structs,
    Text,
    Without,
)
from cryptostitch.binding import capi
from cryptostitch.binding.capi import (
    ERR_AUTH,
    ERR_COSTS,
    ERR_FILE,
    ERR_FULL,
    ERR_JIT,
    ERR_LENGTH,
    ERR_LIMIT,
    ERR_LOST,
    ERR_MEMORY,
    ERR_NAME,
    ERR_OVERLAP,
    ERR_PACK,
    ERR_POINT,
    ERR_SELFTEST,
    ERR_UNSUPPORTED,
    STATE_BYTES,
    TREE_CHAIN_BYTES,
)

DIRECTION = Choice(values=(capi.SEAL, capi.OPEN))
INPUT = Buffer("in_len")
TAG = Buffer("tag_len", EITHER)
MADE_CODE = (ERR_JIT, ERR_MEMORY, ERR_UNSUPPORTED)
BUFFERS = (ERR_LENGTH, ERR_OVERLAP, ERR_MEMORY)

LAYOUTS: dict[str, Any] = {
    "cst_options": capi.Options,
    "cst_cpu_info": capi.CpuInfo,
    "cst_suite_info": capi.SuiteInfo,
    "cst_choice": capi.ChoiceInfo,
    "cst_piece": capi.PieceStruct,
    "cst_job": capi.JobStruct,
    "cst_column": capi.ColumnStruct,
    "cst_text_column": capi.TextColumnStruct,
    "cst_part": capi.PartStruct,
    "cst_text_part": capi.TextPartStruct,
    "cst_chunker_options": capi.ChunkerOptions,
    "cst_chunk": capi.ChunkStruct,
    "cst_pi": capi.ProtectionStruct,
    "cst_pi_fault": capi.ProtectionFault,
    "cst_crc": capi.CrcStruct,
    "cst_code_shape": capi.CodeShape,
    "cst_pk_job": capi.PkJob,
    "cst_tls_write": capi.TlsWrite,
    "cst_quic_key_info": capi.QuicKeyInfo,
    "cst_quic_packet": capi.QuicPacketStruct,
    "cst_quic_received": capi.QuicReceivedStruct,
    "cst_manager_options": capi.ManagerOptions,
    "cst_manager_info": capi.ManagerInfo,
    "cst_kernel_args": capi.KernelArgs,
    "cst_kernel_info": capi.KernelInfo,
    "cst_stream_info": capi.StreamInfo,
    "cst_field": capi.FieldInfo,
}
"""How the binding lays out each struct."""

CAPACITY = Number(wrong=capi.ERR_ARGUMENT)
STATE = Buffer(STATE_BYTES, BOTH, align=8, absent=NEVER)

STRUCTS: dict[str, dict[str, Role]] = {
    "cst_options": {
        "flags": Flags(bits=capi.NO_JIT | capi.ALLOW_PACKS | capi.CALIBRATE | capi.ALLOW_LEGACY),
        "target": Text(Without("the CPU that the library finds")),
        "pack_key": Buffer(32, absent=Without("packs are not signed; the flag ALLOW_PACKS alone lets them in")),
        "costs": Text(Without("the file of the environment or the cache, if there is one")),
    },
    "cst_job": {
        "key": Handle(),
        "direction": DIRECTION,
        "status": Reported(),
        "iv": Buffer("iv_len"),
        "iv_len": Length(),
        "aad": Buffer("aad_len"),
        "aad_len": Length(),
        "in": INPUT,
        "in_len": Length(),
        "out": Buffer("out_cap", WRITE, in_place=("in",)),
        "out_cap": Length(capacity=True),
        "out_len": Reported(),
        "tag": TAG,
        "tag_len": Length(),
        "in_pieces": Structs("cst_piece", "n_in_pieces", absent=EMPTY, sized=False),
        "n_in_pieces": Length(wrong=capi.ERR_ARGUMENT),
        "out_pieces": Structs("cst_piece", "n_out_pieces", absent=EMPTY, sized=False),
        "n_out_pieces": Length(wrong=capi.ERR_ARGUMENT),
    },
    "cst_piece": {"data": Buffer("bytes", EITHER), "bytes": Length()},
    "cst_column": {
        "key": Handle(),
        "data": Buffer("data_bytes"),
        "data_bytes": Length(),
        "offsets": Buffer("n + 1", unit=4, align=4),
        "offset_bytes": Choice(values=(4, 8)),
        "n": Length(),
        "tags": Buffer("n * stride", WRITE),
        "tag_len": Number(lengthens=True),
        "stride": Stride(of="tags", each="tag_len"),
    },
    "cst_text_column": {
        "key": Handle(),
        "in": Buffer("bytes"),
        "out": Buffer("bytes", WRITE, in_place=("in",)),
        "bytes": Length(),
        "offsets": Buffer("n + 1", unit=4, align=4),
        "offset_bytes": Choice(values=(4, 8)),
        "n": Length(),
        "ivs": Buffer("n * iv_stride"),
        "iv_len": Number(lengthens=True),
        "iv_stride": Stride(of="ivs", each="iv_len"),
        "aads": Buffer("n * aad_stride"),
        "aad_len": Number(lengthens=True),
        "aad_stride": Stride(of="aads", each="aad_len"),
        "tags": Buffer("n * tag_stride", EITHER),
        "tag_len": Number(lengthens=True),
        "tag_stride": Stride(of="tags", each="tag_len"),
        "statuses": Buffer("n", ANSWER, unit=4, align=4, absent=Without("the result alone tells")),
    },
    "cst_part": {
        "key": Handle(),
        "state": STATE,
        "in": INPUT,
        "in_len": Length(),
        "last": Choice(values=(0, 1)),
        "tag": Buffer("tag_len", WRITE),
        "tag_len": Length(),
    },
    "cst_text_part": {
        "key": Handle(),
        "direction": DIRECTION,
        "status": Reported(),
        "state": STATE,
        "iv": Buffer("iv_len"),
        "iv_len": Length(),
        "aad": Buffer("aad_len"),
        "aad_len": Length(),
        "in": INPUT,
        "in_len": Length(),
        "out": Buffer("out_cap", WRITE, in_place=("in",)),
        "out_cap": Length(capacity=True),
        "last": Choice(values=(0, 1)),
        "tag": TAG,
        "tag_len": Length(),
    },
    "cst_chunker_options": {
        "key": Handle(Without("chunks have no digests")),
        "average_bytes": Number(),
        "least_bytes": Number(),
        "most_bytes": Number(),
        "normalization": Number(),
        "flags": Flags(),
    },
    "cst_pi": {
        "key": Handle(),
        "sector_bytes": Number(lengthens=True),
        "type": Choice(values=(1, 2, 3)),
        "ignored": Flags(bits=15),
        "reference": Number(),
        "storage_tag": Number(wrong=capi.ERR_ARGUMENT),
        "storage_bits": Number(wrong=capi.ERR_ARGUMENT),
        "flags": Flags(bits=capi.STREAMING),
        "application_tag": Number(),
        "application_ignored": Number(),
    },
    "cst_pi_fault": {"sector": Reported(), "fields": Reported()},
    "cst_crc": {
        "width": Number(wrong=capi.ERR_ARGUMENT),
        "reflected": Choice(values=(0, 1)),
        "polynomial": Number(wrong=capi.ERR_ARGUMENT),
        "initial": Number(wrong=capi.ERR_ARGUMENT),
        "final": Number(wrong=capi.ERR_ARGUMENT),
    },
    "cst_code_shape": {
        "data": Number(wrong=capi.ERR_ARGUMENT),
        "parity": Number(wrong=capi.ERR_ARGUMENT),
        "matrix": Choice(values=(capi.CODE_CAUCHY, capi.CODE_VANDERMONDE)),
        "kernel": Text(Without("the library chooses")),
    },
    "cst_pk_job": {
        "status": Reported(),
        "key": Buffer("key_len", absent=NEVER),
        "key_len": Length(),
        "in": INPUT,
        "in_len": Length(),
        "out": Buffer("out_cap", WRITE, absent=NEVER, in_place=("in", "key")),
        "out_cap": Length(capacity=True),
        "out_len": Reported(),
        "signature": Buffer("signature_len", absent=NEVER),
        "signature_len": Length(),
        "prepared": Handle(),
    },
    "cst_tls_write": {
        "key": Handle(),
        "sequence": Number(),
        "type": Number(),
        "version": Choice(values=(0x0302, 0x0303)),
        "fragment": Number(),
        "iv": Buffer("iv_len"),
        "iv_len": Length(),
        "in": INPUT,
        "in_len": Length(),
        "out": Buffer("out_cap", WRITE),
        "out_cap": Length(capacity=True),
        "out_len": Reported(),
        "records": Reported(),
    },
    "cst_quic_packet": {
        "key": Handle(),
        "status": Reported(),
        "number_len": Number(wrong=capi.ERR_ARGUMENT),
        "number": Number(wrong=capi.ERR_ARGUMENT),
        "header": Buffer("header_len", BOTH, absent=NEVER),
        "header_len": Length(),
        "in": INPUT,
        "in_len": Length(),
        "in_pieces": Structs("cst_piece", "n_in_pieces", absent=EMPTY, sized=False),
        "n_in_pieces": Length(wrong=capi.ERR_ARGUMENT),
        "out": Buffer("out_cap", WRITE, absent=NEVER, in_place=("in",)),
        "out_cap": Length(capacity=True),
        "out_len": Reported(),
    },
    "cst_quic_received": {
        "key": Handle(),
        "previous": Handle(Without("there was no phase before, or its keys are gone")),
        "next": Handle(Without("a packet of the next phase does not open")),
        "phase": Choice(values=(0, 1)),
        "status": Reported(),
        "phase_opened": Number(),
        "expected": Number(wrong=capi.ERR_ARGUMENT),
        "in": INPUT,
        "in_len": Length(),
        "number_at": Number(wrong=capi.ERR_ARGUMENT),
        "out": Buffer("out_cap", WRITE, in_place=("in",)),
        "out_cap": Length(capacity=True),
        "opened_by": Reported(),
        "header_len": Reported(),
        "payload_len": Reported(),
        "number_len": Reported(),
        "number": Reported(),
    },
    "cst_manager_options": {"min_fill": CAPACITY, "max_age": Number(), "capacity": CAPACITY},
}
"""Members of structs that callers fill; of the others the call writes everything but `size`. Those of a case that its
algorithm does not take are absent."""


def filled(name: str) -> Structs:
    """A struct that the call fills."""
    return Structs(name, use=WRITE)


KEY_BYTES = {
    "key": Buffer("key_len", absent=GIVEN),
    "key_len": Length(),
    "mac_key": Buffer("mac_key_len", absent=GIVEN),
    "mac_key_len": Length(),
}
ONE_JOB: dict[str, Role] = {
    **{name: STRUCTS["cst_job"][name] for name in ("iv", "iv_len", "aad", "aad_len", "in", "in_len", "out", "out_cap")},
    **{name: STRUCTS["cst_job"][name] for name in ("tag", "tag_len")},
    "out_len": Buffer(1, WRITE, unit=8, align=8, absent=Without("the caller knows the length")),
}
LENGTH_APART = tuple(("out_len", other) for other in ("iv", "aad", "in", "out", "tag"))
"""The header: *out_len of a single call is not checked against its other buffers."""
NUMBER = Buffer(1, WRITE, unit=8, align=8, absent=NEVER)
VALUE = Buffer(1, BOTH, unit=8, align=8, absent=NEVER)
SUM = Number(wrong=capi.ERR_ARGUMENT)
FLAG = Buffer(1, WRITE, unit=4, align=4, absent=NEVER)
BLOCK = Buffer("bytes", absent=NEVER)
DATA, PARITY = Pointers(BLOCK), Pointers(Buffer("bytes", WRITE, absent=NEVER))
RESTORED = Pointers(Buffer("bytes", EITHER, absent=Without("a lost block that is not wanted")))
CHANGED = Pointers(Buffer("bytes", BOTH, absent=NEVER))
CHECKSUMS = Buffer("blocks", WRITE, unit=8, align=8, absent=NEVER)

QUIC_VERSION = Choice(values=(capi.QUIC_VERSION_1, capi.QUIC_VERSION_2), wrong=ERR_UNSUPPORTED)
SECRET: dict[str, Role] = {"secret": Buffer("secret_len"), "secret_len": Length()}
CONNECTION_ID: dict[str, Role] = {
    "connection_id": Buffer("connection_id_len"),
    "connection_id_len": Length(),
}

ENTRIES: dict[str, Entry] = {
    "cst_error_text": Entry({"error": Number()}),
    "cst_version": Entry({}),
    "cst_ctx_new": Entry(
        {
            "ctx": Made("cst_ctx_free"),
            "options": Structs("cst_options", absent=Without("the defaults"), older=("costs", "pack_key")),
        },
        (ERR_NAME, ERR_FILE, ERR_COSTS, *MADE_CODE),
    ),
    "cst_calibrate": Entry(
        {"glob": Text(Without("all kernels")), "seconds": Number(wrong=capi.ERR_ARGUMENT), "progress": Callback()},
        (ERR_NAME, *MADE_CODE),
    ),
    "cst_costs_save": Entry({"path": Text()}, (ERR_FILE, ERR_MEMORY)),
    "cst_ctx_free": Entry({"ctx": Handle(NOTHING_TO_FREE)}),
    "cst_nearest": Entry(
        {
            "kind": Choice(values=(1, 2, 3, 4)),
            "name": Text(),
            "text": Buffer("text_size", WRITE, absent=NEVER),
            "text_size": Length(room=True),
        },
        (ERR_LENGTH, ERR_MEMORY),
    ),
    "cst_list": Entry({"kind": Choice(values=(1, 2, 3, 4)), "each": Callback(NEVER)}, (ERR_MEMORY,)),
    "cst_ctx_cpu": Entry({"info": filled("cst_cpu_info")}),
    "cst_suite_get": Entry({"name": Text(), "suite": Made()}, (ERR_NAME, *MADE_CODE)),
    "cst_suite_info_get": Entry(
        {
            "info": Structs(
                "cst_suite_info",
                use=WRITE,
                older=("tag_lengths", "most_tag_bytes", "known_answers", "open_tag_lengths"),
            )
        }
    ),
    "cst_suite_choice": Entry(
        {
            "direction": DIRECTION,
            "jobs": Number(),
            "bytes": Number(),
            "one_key": Number(),
            "choice": filled("cst_choice"),
        },
        (ERR_LENGTH, *MADE_CODE),
    ),
    "cst_suite_force": Entry(
        {"suite": Text(), "kernel": Text(Without("nothing is forced any more"))}, (ERR_NAME, *MADE_CODE)
    ),
    "cst_key_new": Entry({**KEY_BYTES, "out": Made("cst_key_free")}, (ERR_LENGTH, *MADE_CODE)),
    "cst_key_free": Entry({"key": Handle(NOTHING_TO_FREE)}),
    "cst_key_bytes": Entry({"suite": Handle(Without("0 bytes"))}),
    "cst_key_init": Entry(
        {
            **KEY_BYTES,
            "memory": Buffer("bytes", BOTH, align=capi.KEY_ALIGN, absent=NEVER),
            "bytes": Length(capacity=True),
            "out": Made(),
        },
        (ERR_LENGTH, ERR_OVERLAP, *MADE_CODE),
    ),
    "cst_key_clear": Entry({"key": Handle(NOTHING_TO_FREE)}),
    "cst_burst": Entry({"jobs": Structs("cst_job", "n", BOTH, EMPTY), "n": Length()}, (ERR_AUTH, *BUFFERS, *MADE_CODE)),
    "cst_burst_pointers": Entry(
        {"jobs": StructPointers("cst_job", "n"), "n": Length()},
        (ERR_AUTH, *BUFFERS, *MADE_CODE),
        apart=(("out", "jobs"), ("tag", "jobs")),  # as cst_burst: what a job writes and the array of jobs
    ),
    "cst_seal": Entry(ONE_JOB, (*BUFFERS, *MADE_CODE), apart=LENGTH_APART),
    "cst_open": Entry({**ONE_JOB, "tag": Buffer("tag_len")}, (ERR_AUTH, *BUFFERS, *MADE_CODE), apart=LENGTH_APART),
    "cst_digest": Entry(
        {"in": INPUT, "in_len": Length(), "tag": Buffer("tag_len", WRITE), "tag_len": Length()},
        (*BUFFERS, *MADE_CODE),
    ),
    "cst_digest_column": Entry({"column": Structs("cst_column")}, (*BUFFERS, *MADE_CODE)),
    "cst_digest_many": Entry(
        {
            "n": Length(),
            "in": Pointers(Buffer("in_len"), "n", EMPTY),
            "in_len": Buffer("n", unit=8, align=8),
            "tags": Buffer("n * stride", WRITE),
            "tag_len": Number(lengthens=True),
            "stride": Stride(of="tags", each="tag_len"),
        },
        (*BUFFERS, *MADE_CODE),
        apart=(("tags", "in"),),  # the tag of one message and another message
    ),
    "cst_seal_column": Entry({"column": Structs("cst_text_column")}, (*BUFFERS, *MADE_CODE)),
    "cst_open_column": Entry({"column": Structs("cst_text_column")}, (ERR_AUTH, *BUFFERS, *MADE_CODE)),
    "cst_job_size": Entry({}),
    "cst_digest_parts": Entry({"parts": Structs("cst_part", "n", absent=EMPTY), "n": Length()}, (*BUFFERS, *MADE_CODE)),
    "cst_tree_part": Entry(
        {"at": Number(), **{"in": INPUT, "in_len": Length()}, "chain": Buffer(TREE_CHAIN_BYTES, WRITE, absent=NEVER)},
        (*BUFFERS, *MADE_CODE),
    ),
    "cst_tree_root": Entry(
        {
            "chains": Buffer("n", unit=TREE_CHAIN_BYTES),
            "n": Length(),
            "tag": Buffer("tag_len", WRITE),
            "tag_len": Length(),
        },
        (*BUFFERS, *MADE_CODE),
    ),
    "cst_text_parts": Entry(
        {"parts": Structs("cst_text_part", "n", BOTH, EMPTY), "n": Length()},
        (ERR_AUTH, *BUFFERS, *MADE_CODE),
        ends_without_memory=True,
    ),
    "cst_chunker_new": Entry(
        {"options": Structs("cst_chunker_options"), "chunker": Made("cst_chunker_free")}, (ERR_LENGTH, *MADE_CODE)
    ),
    "cst_chunker_free": Entry({"chunker": Handle(NOTHING_TO_FREE)}),
    "cst_chunker_feed": Entry(
        {
            "in": INPUT,
            "in_len": Length(),
            "last": Choice(values=(0, 1)),
            "chunks": Structs("cst_chunk", "room", WRITE, sized=False),
            "room": Length(room=True, wrong=capi.ERR_ARGUMENT),
            "n": NUMBER,
            "used": NUMBER,
        },
        (*BUFFERS, *MADE_CODE),
        ends_without_memory=True,
    ),
    "cst_rolling_new": Entry({"window": Number(), "rolling": Made("cst_rolling_free")}, (ERR_LENGTH, ERR_MEMORY)),
    "cst_rolling_free": Entry({"rolling": Handle(NOTHING_TO_FREE)}),
    "cst_rolling_reset": Entry({"before": Buffer("bytes"), "bytes": Length()}, (ERR_LENGTH,)),
    "cst_rolling_run": Entry(
        {
            "in": INPUT,
            "in_len": Length(),
            "mask": Number(),
            "trigger": Number(),
            "used": NUMBER,
            "hit": FLAG,
        },
        (ERR_LENGTH, ERR_OVERLAP),
    ),
    "cst_checksum_update": Entry({"in": INPUT, "in_len": Length(), "value": VALUE}, (*BUFFERS, *MADE_CODE)),
    "cst_checksum_copy": Entry(
        {
            "in": INPUT,
            "in_len": Length(),
            "out": Buffer("in_len", WRITE),
            "flags": Flags(bits=capi.STREAMING),
            "value": VALUE,
        },
        (*BUFFERS, *MADE_CODE),
    ),
    "cst_checksum_combine": Entry(
        {"first": SUM, "second": SUM, "second_len": Number(), "value": NUMBER}, (ERR_LENGTH,)
    ),
    "cst_pi_insert": Entry(
        {
            "pi": Structs("cst_pi"),
            "in": Buffer("n", unit=512),
            "n": Length(),
            "out": Buffer("n", WRITE, unit=520),
        },
        (*BUFFERS, *MADE_CODE),
    ),
    "cst_pi_check": Entry(
        {
            "pi": Structs("cst_pi"),
            "in": Buffer("n", unit=520),
            "n": Length(),
            "fault": Structs("cst_pi_fault", use=ANSWER, absent=Without("the result alone tells")),
        },
        (ERR_AUTH, *BUFFERS, *MADE_CODE),
    ),
    "cst_pi_strip": Entry(
        {
            "pi": Structs("cst_pi"),
            "in": Buffer("n", unit=520),
            "n": Length(),
            "out": Buffer("n", WRITE, unit=512),
            "fault": Structs("cst_pi_fault", use=ANSWER, absent=Without("the result alone tells")),
        },
        (ERR_AUTH, *BUFFERS, *MADE_CODE),
    ),
    "cst_crc_new": Entry({"crc": Structs("cst_crc"), "key": Made("cst_key_free")}, MADE_CODE),
    "cst_code_new": Entry({"shape": Structs("cst_code_shape"), "code": Made("cst_code_free")}, (ERR_NAME, *MADE_CODE)),
    "cst_code_free": Entry({"code": Handle(NOTHING_TO_FREE)}),
    "cst_code_encode": Entry({"bytes": Length(), "data": DATA, "parity": PARITY}, BUFFERS),
    "cst_code_update": Entry(
        {"bytes": Length(), "index": Number(wrong=capi.ERR_ARGUMENT), "change": BLOCK, "parity": CHANGED}, BUFFERS
    ),
    "cst_code_decode": Entry(
        {"bytes": Length(), "blocks": RESTORED, "lost": Buffer("blocks", absent=NEVER)}, (ERR_LOST, *BUFFERS)
    ),
    "cst_code_check": Entry({"bytes": Length(), "blocks": DATA, "right": FLAG}, BUFFERS),
    "cst_code_encode_checked": Entry(
        {"bytes": Length(), "data": DATA, "parity": PARITY, "checksums": CHECKSUMS}, BUFFERS
    ),
    "cst_code_update_checked": Entry(
        {
            "bytes": Length(),
            "index": Number(wrong=capi.ERR_ARGUMENT),
            "change": BLOCK,
            "parity": CHANGED,
            "checksums": Buffer("blocks", BOTH, unit=8, align=8, absent=NEVER),
        },
        BUFFERS,
    ),
    "cst_code_check_blocks": Entry(
        {
            "bytes": Length(),
            "blocks": DATA,
            "checksums": Buffer("blocks", unit=8, align=8, absent=NEVER),
            "bad": Buffer("blocks", WRITE, absent=NEVER),
            "right": FLAG,
        },
        BUFFERS,
    ),
    "cst_pk_new": Entry(
        {"operation": Text(), "kernel": Text(Without("the library chooses")), "pk": Made("cst_pk_free")},
        (ERR_NAME, *MADE_CODE),
    ),
    "cst_pk_free": Entry({"pk": Handle(NOTHING_TO_FREE)}),
    "cst_pk_key_new": Entry(
        {"der": Buffer("len", absent=NEVER), "len": Length(wrong=capi.ERR_ARGUMENT), "key": Made("cst_pk_key_free")},
        (ERR_LENGTH, *MADE_CODE),
    ),
    "cst_pk_key_free": Entry({"key": Handle(NOTHING_TO_FREE)}),
    "cst_pk_burst": Entry(
        {"jobs": Structs("cst_pk_job", "n", BOTH, EMPTY), "n": Length()},
        (ERR_LENGTH, ERR_MEMORY, ERR_POINT, ERR_AUTH, ERR_SELFTEST, ERR_OVERLAP),
    ),
    "cst_tls_seal_size": Entry(
        {
            "in_len": Number(),
            "fragment": Number(),
            "records": Buffer(1, WRITE, unit=8, align=8, absent=Without("not wanted")),
            "bytes": Buffer(1, WRITE, unit=8, align=8, absent=Without("not wanted")),
        },
        (ERR_LENGTH,),
    ),
    "cst_tls_seal": Entry({"write": Structs("cst_tls_write", use=BOTH)}, (*BUFFERS, *MADE_CODE)),
    "cst_quic_key_new": Entry(
        {
            "algorithm": Text(),
            **{"key": Buffer("key_len"), "key_len": Length(), "iv": Buffer("iv_len"), "iv_len": Length()},
            **{"hp": Buffer("hp_len"), "hp_len": Length(), "out": Made("cst_quic_key_free")},
        },
        (ERR_NAME, *BUFFERS, *MADE_CODE),
    ),
    "cst_quic_key_from_secret": Entry(
        {
            "algorithm": Text(),
            "version": QUIC_VERSION,
            **SECRET,
            "before": Handle(Without("the first phase: its key of header protection is made")),
            "out": Made("cst_quic_key_free"),
        },
        (ERR_NAME, *BUFFERS, *MADE_CODE),
    ),
    "cst_quic_key_free": Entry({"key": Handle(NOTHING_TO_FREE)}),
    "cst_quic_key_info_get": Entry({"info": filled("cst_quic_key_info")}),
    "cst_quic_next_secret": Entry(
        {
            "algorithm": Text(),
            "version": QUIC_VERSION,
            **SECRET,
            "next": Buffer("secret_len", WRITE, in_place=("secret",)),
        },
        (ERR_NAME, *BUFFERS, *MADE_CODE),
    ),
    "cst_quic_initial_secrets": Entry(
        {
            "version": QUIC_VERSION,
            **CONNECTION_ID,
            "client": Buffer(capi.QUIC_INITIAL_SECRET_BYTES, WRITE, absent=NEVER),
            "server": Buffer(capi.QUIC_INITIAL_SECRET_BYTES, WRITE, absent=NEVER),
        },
        (*BUFFERS, *MADE_CODE),
    ),
    "cst_quic_retry_tag": Entry(
        {
            "version": QUIC_VERSION,
            **CONNECTION_ID,
            **{"packet": Buffer("packet_len"), "packet_len": Length()},
            "tag": Buffer(capi.QUIC_TAG_BYTES, WRITE, absent=NEVER),
        },
        (*BUFFERS, *MADE_CODE),
    ),
    "cst_quic_seal": Entry(
        {"packets": Structs("cst_quic_packet", "n", BOTH, EMPTY), "n": Length()},
        (ERR_LIMIT, *BUFFERS, *MADE_CODE),
    ),
    "cst_quic_open": Entry(
        {"packets": Structs("cst_quic_received", "n", BOTH, EMPTY), "n": Length()},
        (ERR_AUTH, *BUFFERS, *MADE_CODE),
    ),
    "cst_manager_new": Entry(
        {
            "options": Structs("cst_manager_options", absent=Without("the defaults")),
            "manager": Made("cst_manager_free"),
        },
        (ERR_MEMORY,),
    ),
    "cst_manager_free": Entry({"manager": Handle(NOTHING_TO_FREE)}),
    "cst_manager_submit": Entry({"job": Structs("cst_job", use=BOTH)}, (ERR_FULL, *BUFFERS, *MADE_CODE)),
    "cst_manager_take": Entry({"manager": Handle(Without("there is no job"))}),
    "cst_manager_flush": Entry({}),
    "cst_manager_cancel": Entry({"job": Structs("cst_job", use=BOTH)}),
    "cst_manager_info_get": Entry({"info": filled("cst_manager_info")}),
    "cst_pk_manager_new": Entry(
        {
            "options": Structs("cst_manager_options", absent=Without("the defaults")),
            "manager": Made("cst_pk_manager_free"),
        },
        (ERR_MEMORY,),
    ),
    "cst_pk_manager_free": Entry({"manager": Handle(NOTHING_TO_FREE)}),
    "cst_pk_manager_submit": Entry(
        {"job": Structs("cst_pk_job", use=BOTH)}, (ERR_FULL, ERR_LENGTH, ERR_MEMORY, ERR_OVERLAP)
    ),
    "cst_pk_manager_take": Entry({"manager": Handle(Without("there is no job"))}),
    "cst_pk_manager_flush": Entry({}, (ERR_MEMORY,)),
    "cst_pk_manager_cancel": Entry({"job": Structs("cst_pk_job", use=BOTH)}),
    "cst_kernel_get": Entry({"name": Text(), "kernel": Made()}, (ERR_NAME, *MADE_CODE)),
    "cst_kernel_info_get": Entry({"info": filled("cst_kernel_info")}),
    "cst_kernel_stream": Entry({"stream": Number(wrong=capi.ERR_ARGUMENT), "info": filled("cst_stream_info")}),
    "cst_kernel_field": Entry(
        {"stream": Number(wrong=capi.ERR_ARGUMENT), "name": Text(), "field": filled("cst_field")}, (ERR_NAME,)
    ),
    "cst_pack_load": Entry(
        {"bytes": Buffer("size", absent=NEVER), "size": Length(wrong=ERR_PACK)}, (ERR_PACK, *MADE_CODE)
    ),
    "cst_pack_check": Entry(
        {
            "bytes": Buffer("size", absent=NEVER),
            "size": Length(wrong=ERR_PACK),
            "text": Buffer("text_size", ANSWER),
            "text_size": Length(room=True),
        },
        (ERR_PACK, ERR_LENGTH, ERR_MEMORY),
    ),
    "cst_selftest": Entry(
        {"glob": Text(Without("all suites")), "each": Callback()}, (ERR_NAME, ERR_SELFTEST, *MADE_CODE)
    ),
}
