"""The mutants of many kernels, in several processes."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from ..core.errors import CryptostitchError, DoesNotFit
from ..ladder.climb import Task, tasks
from ..listing import Catalogue
from ..pipeline import Generator
from .trial import Fate, Plan, fates

Progress = Callable[[int, int, str], None]

SAMPLE = (
    "sha1_x16@avx512",
    "md5_x8@avx2",
    "sha256_x4@sse",
    "sha1_x1@scalar",
    "sha256_ni_x2@sse_shani",
    "aes128_cbc_enc_x8@sse_aesni",
    "aes256_cbc_dec_x1_by8@avx2_vaes",
    "aes192_cbc_dec_x1_by16@avx512_vaes",
    "aes128_ctr_x1_by8@sse_aesni",
    "aes256_ctr_x1_by8@avx2_vaes",
    "aes128_ctr_x1_by16@avx512_vaes",
    "ghash_x1@sse_pclmul",
    "ghash_x1_by8@avx2_vpclmul",
    "ghash_x1_by16@avx512_vpclmul",
    "aes128_ctr_x1_by16+ghash_x1_by16@avx512_vaes",
    "aes128_xts_enc_x1_by8@sse_aesni",
    "aes256_xts_dec_x1_by8@avx2_vaes",
    "aes128_xts_dec_x4_1key@avx512_vaes",
    "aes192_ecb_enc_x1_by16@avx512_vaes",
    "aes128_xts_enc_x1_by8@avx2_vaes",
    "aes128_xts_enc_x1_by16@avx512_vaes",
    "aes256_xts_dec_x1@sse_aesni",
    "aes192_ecb_enc_x1@sse_aesni",
    "aes256_ecb_enc_x1_by8@avx2_vaes",
    "aes128_ecb_dec_x1@sse_aesni",
    "aes128_ecb_dec_x1_by8@avx2_vaes",
    "aes256_ecb_dec_x1@avx512_vaes",
    "aes128_cbc_mac_x2@sse_aesni",
    "aes256_cbc_mac_x8@avx2_vaes",
    "aes128_cbc_mac_x16@avx512_vaes",
    "chacha20_x1_by16@sse",
    "chacha20_x1_by32@avx2",
    "chacha20_x1_by16@avx512",
    "poly1305_x1_by4@avx2",
    "poly1305_x1_by8@avx512",
    "poly1305_word_x1_by8@scalar",
    "poly1305_abreast_x16@avx512",
    "poly1305_abreast_x2@sse",
    "aes128_gcm_enc_x1@sse_aesni",
    "aes192_gcm_dec_short_x1@sse_aesni",
    "aes256_gcm_enc_short_x1@avx2_vaes",
    "aes128_gcm_dec_x1_by8@avx2_vaes",
    "aes192_gcm_enc_short_x1@avx512_vaes",
    "aes256_gcm_dec_short_x1@avx512_vaes",
    "chacha_poly_enc_short_x1@avx2",
    "chacha_poly_dec_short_x1@avx2",
    "chacha_poly_enc_x1_by32@avx512",
    "chacha_poly_dec_x1_by32@avx512",
    "chacha_poly_enc_limbs_short_x1_by32@avx512",
    "chacha_poly_dec_limbs_x1_by64@avx512",
    "sha1_segments_x1@sse",
    "sha256_segments_x1@avx512",
    "murmur3_x1@scalar",
    "crc_normal_x1@sse_pclmul",
    "crc_reflected_x1_by8@avx2_vpclmul",
    "crc_reflected_x1_by16@avx512_vpclmul",
    "adler32_x1@sse",
    "adler32_x1_by8@avx2",
    "adler32_x1_by16@avx512",
    "aes256_xts_enc_whole_x1_by16+crc32c_words_x1_by16@avx512_vaes",
    "crc32c_words_x1_by16+aes128_xts_dec_whole_x1_by16@avx512_vaes",
    "codec2_x4_by2@sse",
    "codec2_x4@avx2",
    "codec2_x4_by16@avx512_gfni",
    "x25519_ladder64_x1@scalar",
    "x25519_ladder25_x2@sse",
    "x25519_ladder25_x4@avx2",
    "x25519_ladder52_x8@avx512",
    "ed25519_double64_x1@scalar",
    "ed25519_add_mixed64_x1@scalar",
    "ed25519_add_common25_x2@sse",
    "ed25519_add_own25_x4@avx2",
    "ed25519_add_own52_x8@avx512",
    "p256_add_common52_x8@avx512",
    "p256_add_mixed64_x1@scalar",
    "montgomery20_square_x8@avx512",
    "montgomery30_choose_x8@avx512",
    "chacha20_x1_by32+poly1305_word_x1_by32@avx2_bmi2",
    "chacha20_x1_by64+poly1305_word_x1_by64@avx512_bmi2",
    "des_ede3_cbc_enc_x8_by1@avx512_gfni",
    "des_ede3_cbc_dec_x1_by1@avx512_gfni",
    "des_ede3_cbc_enc_sliced_x16_by1@sse",
    "des_ede3_cbc_dec_sliced_x1_by1@sse",
    "des_ede3_cbc_enc_sliced_x32_by1@avx2",
    "des_ede3_cbc_dec_sliced_x1_by16@avx2",
    "md5_x1+sha256_ni_x1@sse_shani_bmi2",
    "aes128_cbc_enc_x1+sha1_x1@sse_aesni_bmi2",
    "aes192_cbc_enc_x4+sha1_ni_x4@sse_aesni_shani",
    "aes256_cbc_enc_x8_hand+sha256_x8_hand@avx2_vaes",
    "aes128_cbc_enc_x16+md5_x16@avx512_vaes",
    "aes128_cbc_enc_x16_1key_hand+sha1_x16_hand@avx512_vaes",
    "aes128_cbc_enc_x32_hand+sha1_x32_hand@avx512_vaes",
)
"""Every instruction set, kind of algorithm, and kind of pair: with and without hand-over, one key or many, one group or
two."""


def chosen(catalogue: Catalogue, glob: str | None) -> list[Task]:
    """The kernels whose names match; the sample without a glob. Raises UnknownName."""
    found = tasks(catalogue, glob or "*")
    return found if glob else [task for task in found if any(fnmatch.fnmatchcase(task.name, name) for name in SAMPLE)]


_generator: Generator


def _begin(plan: Plan) -> None:
    global _generator
    _generator = Generator(*plan.given, proves=False)


def _try(plan: Plan, task: Task) -> list[Fate]:
    try:
        return fates(plan, _generator, task)
    except DoesNotFit:
        return []


def run(
    plan: Plan,
    work: Sequence[Task],
    processes: int = 1,
    progress: Progress = lambda *_: None,
    each: Callable[[str, list[Fate]], None] = lambda *_: None,
) -> list[Fate]:
    """Returns all fates by kernel, which are the same for any number of processes. ``each`` gets those of a kernel when
    it is done. Kernels that do not fit their registers are left out. Raises CryptostitchError when a process is killed:
    a rate without all mutants would mislead."""
    found: dict[str, list[Fate]] = {}
    with ProcessPoolExecutor(max(1, min(processes, len(work))), initializer=_begin, initargs=(plan,)) as pool:
        futures = {pool.submit(_try, plan, task): task for task in work}
        for future in as_completed(futures):
            name = futures[future].name
            try:
                found[name] = future.result()
            except BrokenProcessPool:
                raise CryptostitchError(
                    f"a process ended before it was done, with {len(found)} of {len(work)} kernels judged; "
                    "if the system killed it for lack of memory, try fewer --jobs"
                ) from None
            each(name, found[name])
            progress(len(found), len(work), name)
    return [fate for task in sorted(work, key=lambda t: t.name) for fate in found[task.name]]
