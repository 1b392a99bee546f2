// AVX-512 version of the fast accept: tests all buffer pairs of a job together.

#include <cstddef>

#include "jobs.hpp"
#include "../suite/intrinsics.hpp"

namespace cst {
namespace {

// Clang 18 to 21 have vectors of 512 bits as a feature of its own, which `zig c++` switches off.
#if defined(__clang__) && __clang_major__ >= 18 && __clang_major__ <= 21
#define WIDE_TARGET "avx512f,evex512"
#else
#define WIDE_TARGET "avx512f"
#endif
#define WIDE __attribute__((target(WIDE_TARGET)))
#define WIDE_INLINE __attribute__((target(WIDE_TARGET), always_inline)) inline

enum { IV, AAD, IN, OUT, TAG };  // element of each buffer in a vector
// Pairs of buffers that must not overlap if they are written. `in` and `out` may be the same.
constexpr int FIRST[] = {OUT, IN, OUT, OUT, OUT, TAG, TAG}, SECOND[] = {IN, TAG, TAG, IV, AAD, IV, AAD};
constexpr unsigned OUT_IN = 1 << 0, WITHOUT_OUT = 1 << 1 | 1 << 5 | 1 << 6, ALL = 0x7f;

struct Buffers {
    __m512i places, lengths;
};

WIDE_INLINE __m512i lanes(const int (&of)[7]) {
    return _mm512_set_epi64(of[6], of[6], of[5], of[4], of[3], of[2], of[1], of[0]);
}

WIDE_INLINE Buffers buffers_of(const cst_job &job) {
    static_assert(offsetof(cst_job, out_cap) == offsetof(cst_job, iv) + 56 &&
                      offsetof(cst_job, n_in_pieces) == offsetof(cst_job, tag) + 24,
                  "read as two vectors");
    const __m512i low = _mm512_loadu_si512(&job.iv);
    const __m512i high = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(&job.tag)));
    // Both `in` and `out` have the text's length.
    return {_mm512_maskz_permutex2var_epi64(0x1f, low, _mm512_set_epi64(0, 0, 0, 8, 6, 4, 2, 0), high),
            _mm512_maskz_permutex2var_epi64(0x3f, low, _mm512_set_epi64(0, 0, 11, 9, 5, 5, 3, 1), high)};
}

}  // namespace

WIDE size_t surely_right_alike_wide(const cst_job &model, const cst_job *jobs, size_t n) {
    const Suite *const suite = from(model.key)->suite;
    const bool enciphers = suite->enciphers(), opens = model.direction == CST_OPEN;
    const size_t most_out = enciphers ? SIZE_MAX : 0;
    const unsigned pairs = enciphers ? ALL : WITHOUT_OUT;
    const __m512i first = lanes(FIRST), second = lanes(SECOND), one = _mm512_set1_epi64(1);
    // These vectors follow from the text's length, `bytes`, and are set when it changes. The loop ends at an empty
    // text, which look_closer checks.
    __m512i lengths = buffers_of(model).lengths, to_last = _mm512_setzero_si512(), apart = to_last;
    __mmask8 some = 0;
    uint64_t bytes = 0;
    size_t i = 0;
    for (; i < n; i++) {
        const cst_job &job = jobs[i];
        if (!job.in_len) break;
        const Buffers b = buffers_of(job);
        if (job.in_len != bytes) {
            bytes = job.in_len;
            if (bytes >> 59 || !suite->lengths.hold_input(opens, model.iv_len, bytes)) break;
            lengths = _mm512_mask_set1_epi64(lengths, 1 << IN | 1 << OUT, int64_t(bytes));
            some = _mm512_mask_test_epi64_mask(enciphers ? 0x1f : 0x1f & ~(1 << OUT), lengths, lengths);
            to_last = _mm512_sub_epi64(lengths, one);
            const __m512i both =
                _mm512_add_epi64(_mm512_permutexvar_epi64(first, lengths), _mm512_permutexvar_epi64(second, lengths));
            apart = _mm512_mask_sub_epi64(both, _mm512_test_epi64_mask(both, both), both, one);
        }
        if (!job.key || from(job.key)->suite != suite || job.direction != model.direction) break;
        if (job.n_out_pieces || job.out_cap < (enciphers ? bytes : 0) || job.out_cap > most_out) break;
        // An address is above 2^63, or is NULL for a buffer that is not empty.
        const unsigned nowhere = _mm512_cmplt_epi64_mask(b.places, _mm512_setzero_si512()) |
                                 _mm512_mask_testn_epi64_mask(some, b.places, b.places);
        // Tests distances as SurelyRight::places does.
        const __m512i distances = _mm512_sub_epi64(_mm512_permutexvar_epi64(first, _mm512_add_epi64(b.places, to_last)),
                                                   _mm512_permutexvar_epi64(second, b.places));
        const unsigned meet = _mm512_cmplt_epu64_mask(distances, apart) & pairs & ~(job.in == job.out ? OUT_IN : 0);
        if (_mm512_cmpneq_epi64_mask(b.lengths, lengths) | nowhere | meet) break;
        if (!enciphers && job.out) break;
    }
    return i;
}

}  // namespace cst
