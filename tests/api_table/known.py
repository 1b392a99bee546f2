"""Cells that fail, as strict expected failures: what repairs the cause removes the names."""

from __future__ import annotations

LENGTHS = """
cst_burst cst_digest_column cst_digest_many cst_seal_column cst_open_column cst_digest_parts cst_text_parts
cst_chunker_feed cst_rolling_run cst_checksum_update cst_checksum_copy cst_pi_insert cst_pi_check cst_pi_strip
cst_code_encode cst_code_update cst_code_decode cst_code_check cst_code_encode_checked cst_code_update_checked
cst_code_check_blocks cst_pk_burst cst_tls_seal cst_pk_manager_submit
""".split()
"""They read or count before all lengths are checked, or take one that no buffer has."""
PLACES = """
cst_ctx_new cst_ctx_cpu cst_suite_get cst_suite_info_get cst_suite_choice cst_key_new cst_key_init cst_burst
cst_seal cst_open cst_digest_column cst_digest_many cst_seal_column cst_open_column cst_digest_parts
cst_text_parts cst_chunker_new cst_chunker_feed cst_rolling_new cst_rolling_run cst_checksum_update
cst_checksum_copy cst_checksum_combine cst_pi_insert cst_pi_check cst_pi_strip cst_crc_new cst_code_new
cst_code_encode cst_code_update cst_code_decode cst_code_check cst_code_encode_checked cst_code_update_checked
cst_code_check_blocks cst_pk_new cst_pk_key_new cst_pk_burst cst_tls_seal_size cst_tls_seal cst_manager_new
cst_manager_submit cst_manager_info_get cst_pk_manager_new cst_pk_manager_submit cst_kernel_get
cst_kernel_info_get cst_kernel_stream cst_kernel_field cst_pack_check
""".split()
"""They take misaligned pointers, or outputs over another buffer."""
ABSENT = """
cst_digest_parts cst_text_parts cst_pk_burst cst_pk_manager_submit
""".split()
"""The absence of a buffer means something: the base point, or that more follows."""

KNOWN: dict[tuple[str, str], str] = {
    **{(entry, "lengths"): "a length is not checked before the first byte is read" for entry in LENGTHS},
    **{(entry, "places"): "overlaps or alignment are not checked" for entry in PLACES},
    **{(entry, "absent"): "absence means something" for entry in ABSENT},
}
"""By entry and kind of hostile calls: the reason."""
KNOWN_NEIGHBOURS: dict[str, str] = {
    **dict.fromkeys(
        (
            *(f"cst_pk_burst-ed25519-{name}" for name in ("verify", "verify-zip215", "sign")),
            *(f"cst_pk_burst-ecdsa-p256-{name}" for name in ("verify", "sign")),
            *(f"cst_pk_burst-rsa-sign-{name}-sha256" for name in ("pkcs1", "pss")),
        ),
        "a length that wraps is read",
    ),
}
"""By case."""
KNOWN_REFUSALS: dict[str, str] = {}
"""By group of entries."""
