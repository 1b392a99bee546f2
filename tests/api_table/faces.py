"""What Python and Rust offer of the library, and the C functions that each name calls: their rows in rows.py say what
is promised. "" stands for a name that calls none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

RUST_SOURCES = Path(__file__).resolve().parents[2] / "packaging/rust/cryptostitch/src"
OBJECT = dict.fromkeys(("call", "close", "closed", "handle", "live"), "")
"""What every class that owns a C object has; closing frees it."""

TUPLE = {"count": "", "index": ""}
"""What every named tuple has."""

PYTHON: dict[str, str] = {
    "Address": "",
    "Context": "cst_ctx_new cst_ctx_free",
    "ErasureCode": "cst_code_new cst_code_free",
    "Key": "cst_key_new cst_key_init cst_key_clear cst_key_free cst_crc_new",
    "Protection": "",
    "PublicKey": "cst_pk_new cst_pk_free",
    "QuicKey": "cst_quic_key_new cst_quic_key_free",
    "QuicOpened": "",
    "QuicPacket": "",
    "QuicReceived": "",
    "RsaKey": "cst_pk_key_new cst_pk_key_free",
    "RuntimeFailure": "cst_error_text",
    "SectorFault": "",
    "SomeForged": "",
    "Suite": "cst_suite_get cst_suite_info_get",
    "agree_many": "cst_pk_burst",
    "chunks": "cst_chunker_new cst_chunker_feed cst_chunker_free",
    "hash_column": "cst_digest_column cst_digest_many",
    "hash_many": "cst_digest_many",
    "hmac_column": "cst_digest_column cst_digest_many",
    "hmac_many": "cst_digest_many",
    "quic_next_secret": "cst_quic_next_secret",
    "quic_open": "cst_quic_open",
    "quic_retry_tag": "cst_quic_retry_tag",
    "quic_seal": "cst_quic_seal",
    "rolling_cuts": "cst_rolling_new cst_rolling_reset cst_rolling_run cst_rolling_free",
    "sign_many": "cst_pk_burst",
    "suite": "cst_suite_get",
    "verify_many": "cst_pk_burst",
}
"""The library's part of the package `cryptostitch`."""
GENERATOR = (
    *("WORDS_32", "WORDS_64", "Algorithm", "BlockCipher", "Form", "Generator", "Laboratory", "Recipe", "Tree"),
    *("known_answers", "read_answers", "stream_name", "trial"),
)
"""Names of the package that call the generator, not the library."""

METHODS: dict[str, dict[str, str]] = {
    "Address": {"address": "", "length": "", **TUPLE},
    "Context": {
        **OBJECT,
        "burst": "cst_burst cst_burst_pointers",
        "calibrate": "cst_calibrate",
        "calibrated": "",
        "check": "",
        "cpu": "cst_ctx_cpu",
        "force": "cst_suite_force",
        "kernel": "cst_kernel_get cst_kernel_info_get cst_kernel_stream cst_kernel_field",
        "kernels": "cst_list",
        "load_pack": "cst_pack_load cst_pack_check",
        "names": "cst_list",
        "nearest": "cst_nearest",
        "save_costs": "cst_costs_save",
        "selftest": "cst_selftest",
        "suite": "cst_suite_get",
        "suites": "cst_list",
        "try_force": "cst_suite_force",
        "why_refused": "cst_pack_check",
    },
    "ErasureCode": {
        **OBJECT,
        "check": "cst_code_check",
        "check_blocks": "cst_code_check_blocks",
        "decode": "cst_code_decode",
        "encode": "cst_code_encode",
        "encode_checked": "cst_code_encode_checked",
        "update": "cst_code_update",
        "update_checked": "cst_code_update_checked",
    },
    "Key": {
        **OBJECT,
        "check": "",
        "check_job": "",
        "check_tag": "",
        "checksum": "cst_checksum_update",
        "checksum_copy": "cst_checksum_copy",
        "combine": "cst_checksum_combine",
        "digest": "cst_digest",
        "digest_column": "cst_digest_column",
        "open": "cst_open",
        "open_column": "cst_open_column",
        "opening": "cst_text_parts",
        "seal": "cst_seal",
        "seal_column": "cst_seal_column",
        "sealing": "cst_text_parts",
        "tag_bytes": "",
        "tls_records": "cst_tls_seal",
        "tls_size": "cst_tls_seal_size",
        "tree_part": "cst_tree_part",
        "tree_root": "cst_tree_root",
    },
    "Protection": {"check": "cst_pi_check", "insert": "cst_pi_insert", "strip": "cst_pi_strip"},
    "PublicKey": {
        **OBJECT,
        "check": "",
        "agree_many": "cst_pk_burst",
        "decrypt_many": "cst_pk_burst",
        "powers": "cst_pk_burst",
        "public_keys": "cst_pk_burst",
        "sign_many": "cst_pk_burst",
        "verify_many": "cst_pk_burst",
    },
    "QuicKey": {
        **OBJECT,
        "from_secret": "cst_quic_key_from_secret",
        "initial": "cst_quic_initial_secrets cst_quic_key_from_secret",
        **dict.fromkeys(("sealed", "most_sealed", "failed", "most_failed"), "cst_quic_key_info_get"),
    },
    "QuicOpened": {**dict.fromkeys(("key", "header", "number", "payload"), ""), **TUPLE},
    "QuicPacket": {**dict.fromkeys(("key", "header", "number", "payload", "number_len"), ""), **TUPLE},
    "QuicReceived": {
        **dict.fromkeys(("key", "packet", "number_at", "largest", "previous", "next"), ""),
        **{"phase": "", "phase_first": "", **TUPLE},
    },
    "RsaKey": {**OBJECT, "prepared": "cst_pk_key_new"},
    "Suite": {
        **OBJECT,
        "choice": "cst_suite_choice",
        "key": "cst_key_new",
        "key_memory": "cst_key_bytes",
        "open_many": "cst_burst",
        "seal_many": "cst_burst",
    },
}
"""Public methods and properties of the classes."""

RUST: dict[str, dict[str, str]] = {
    "aead": {"Cipher::try_new": "cst_key_new"},
    "burst": {
        **dict.fromkeys(("Burst::new", "Burst::len", "Burst::is_empty"), ""),
        **dict.fromkeys(("Burst::seal", "Burst::open", "Burst::seal_in_place", "Burst::open_in_place"), "cst_burst"),
        **dict.fromkeys(("Burst::digest", "Burst::run"), "cst_burst"),
    },
    "checksum": {
        "Checksum::new": "cst_suite_get cst_key_new",
        "Checksum::of_polynomial": "cst_crc_new",
        "Checksum::update": "cst_checksum_update",
        "Checksum::combine": "cst_checksum_combine",
    },
    "code": {
        "ErasureCode::new": "cst_code_new",
        "ErasureCode::encode": "cst_code_encode",
        "ErasureCode::decode": "cst_code_decode",
        "ErasureCode::check": "cst_code_check",
    },
    "column": {
        "Key::digest_column": "cst_digest_column",
        "Key::seal_column": "cst_seal_column",
        "Key::open_column": "cst_open_column",
    },
    "context": {
        "Context::new": "cst_ctx_new",
        "Context::with_options": "cst_ctx_new",
        "Context::suite": "cst_suite_get",
        "Context::suites": "cst_list",
        **dict.fromkeys(("Suite::kind", "Suite::key_len", "Suite::iv_len", "Suite::tag_len"), "cst_suite_info_get"),
        "Suite::expansion": "cst_suite_info_get",
        **dict.fromkeys(("Suite::key", "Suite::key_and_mac_key"), "cst_key_new"),
        "default_context": "cst_ctx_new",
        "hash_many": "cst_digest_many",
    },
    "digest": {"Hasher::try_new": "cst_key_new"},
    "ed25519": dict.fromkeys(("verify_many", "sign_many", "public_keys"), "cst_pk_burst"),
    "key": {
        "Key::seal": "cst_seal",
        "Key::open": "cst_open",
        "Key::seal_in_place": "cst_seal",
        "Key::open_in_place": "cst_open",
        "Key::with_open_tag_len": "",
        "Key::digest": "cst_digest",
        "Key::digest_many": "cst_digest_many",
        **dict.fromkeys(("Digests::len", "Digests::is_empty", "Digests::iter", "Digests::as_bytes"), ""),
    },
    "manager": {
        **dict.fromkeys(("Job::seal", "Job::open", "Job::digest"), "cst_manager_submit"),
        "Manager::new": "cst_manager_new",
        "Manager::submit": "cst_manager_submit",
        "Manager::take": "cst_manager_take",
        "Manager::flush": "cst_manager_flush",
        "Manager::cancel": "cst_manager_cancel",
        "Manager::counts": "cst_manager_info_get",
    },
    "p256": dict.fromkeys(("verify_many", "sign_many", "agree_many", "public_keys"), "cst_pk_burst"),
    "parts": {
        "Key::message": "",
        **dict.fromkeys(("Message::update", "Message::finish", "update_many"), "cst_digest_parts"),
        **dict.fromkeys(("Key::sealing", "Key::opening", "Sealing::update", "Sealing::finish"), "cst_text_parts"),
        **dict.fromkeys(("Opening::update", "Opening::finish"), "cst_text_parts"),
    },
    "quic": {
        "Key::new": "cst_quic_key_new",
        **dict.fromkeys(("Key::from_secret", "Key::updated"), "cst_quic_key_from_secret"),
        "Key::initial": "cst_quic_initial_secrets cst_quic_key_from_secret",
        "Key::counts": "cst_quic_key_info_get",
        "next_secret": "cst_quic_next_secret",
        "retry_tag": "cst_quic_retry_tag",
        **dict.fromkeys(("seal", "seal_each"), "cst_quic_seal"),
        "Received::new": "",
        "open": "cst_quic_open",
    },
    "rsa": {
        "PrivateKey::from_der": "cst_pk_key_new",
        **dict.fromkeys(("sign_many", "decrypt_many"), "cst_pk_burst"),
    },
    "x25519": dict.fromkeys(("agree_many", "public_keys"), "cst_pk_burst"),
}
"""By module of the crate: its public functions."""
EXTERNAL = re.compile(r"^impl(?:<[^>]*>)? (?:[\w:<>]+ for )?(\w+)")
PUBLIC = re.compile(r"( *)pub (?:const |unsafe )*fn (\w+)")


def rust_functions(source: str) -> Iterator[str]:
    """The public functions of a module, methods behind their type."""
    owner = ""
    for line in source.splitlines():
        if found := EXTERNAL.match(line):
            owner = found[1]
        elif found := PUBLIC.match(line):
            yield f"{owner}::{found[2]}" if found[1] else found[2]
