// The fast accept of four jobs at once, with AVX2: the rules of surely_right.hpp, one job in each element.

#include "jobs.hpp"
#include "surely_right.hpp"
#include "../suite/intrinsics.hpp"

namespace cst {
namespace {

#define FOUR __attribute__((target("avx2")))
#define FOUR_INLINE __attribute__((target("avx2"), always_inline)) inline

constexpr size_t WIDTH = 4;

// The members of a job that are read as vectors, from each of these on as many as follow.
constexpr size_t IV = offsetof(cst_job, iv), IN = offsetof(cst_job, in), TAG = offsetof(cst_job, tag);
static_assert(offsetof(cst_job, iv_len) == IV + 8 && offsetof(cst_job, aad) == IV + 16 &&
              offsetof(cst_job, aad_len) == IV + 24 && offsetof(cst_job, in_len) == IN + 8 &&
              offsetof(cst_job, out) == IN + 16 && offsetof(cst_job, out_cap) == IN + 24 &&
              offsetof(cst_job, tag_len) == TAG + 8 && offsetof(cst_job, n_in_pieces) == TAG + 24);

FOUR_INLINE __m256i all(uint64_t number) { return _mm256_set1_epi64x(int64_t(number)); }
// All bits of an element where a > b.
FOUR_INLINE __m256i above(__m256i a, __m256i b) { return _mm256_cmpgt_epi64(a, b); }

// columns: the members from an offset on, those of one name in each.
FOUR_INLINE void read(const cst_job *jobs, size_t offset, __m256i (&columns)[4]) {
    __m256i rows[WIDTH];
#pragma GCC unroll 4
    for (size_t i = 0; i < WIDTH; i++)
        rows[i] =
            _mm256_loadu_si256(reinterpret_cast<const __m256i *>(reinterpret_cast<const uint8_t *>(jobs + i) + offset));
    const __m256i first = _mm256_unpacklo_epi64(rows[0], rows[1]), second = _mm256_unpackhi_epi64(rows[0], rows[1]),
                  third = _mm256_unpacklo_epi64(rows[2], rows[3]), fourth = _mm256_unpackhi_epi64(rows[2], rows[3]);
    columns[0] = _mm256_permute2x128_si256(first, third, 0x20);
    columns[1] = _mm256_permute2x128_si256(second, fourth, 0x20);
    columns[2] = _mm256_permute2x128_si256(first, third, 0x31);
    columns[3] = _mm256_permute2x128_si256(second, fourth, 0x31);
}

// Whether the members that are no columns are those of the kind.
[[gnu::always_inline]] inline bool are_of(const Kind &kind, const cst_job *jobs) {
#pragma GCC unroll 4
    for (size_t i = 0; i < WIDTH; i++)
        if (jobs[i].size != sizeof(cst_job) || jobs[i].direction != kind.direction || jobs[i].n_out_pieces ||
            !jobs[i].key || from(jobs[i].key)->suite != kind.suite)
            return false;
    return true;
}

}  // namespace

FOUR size_t surely_right_four(const Kind &kind, const cst_job *jobs, size_t i, size_t n, uint64_t *unlike) {
    // AVX2 compares signed numbers only. With the top bits of both turned over they are ordered as unsigned ones.
    const uint64_t half = uint64_t(1) << 63;
    const __m256i zero = _mm256_setzero_si256(), one = all(1), flip = all(half), least = all(kind.least),
                  span = all(kind.span), remainder = all(kind.remainder), is_written = all(kind.written),
                  is_absent = all(~kind.written), first_text = all(jobs->in_len);
    const __m256i iv_bytes = all(kind.iv), aad_bytes = all(kind.aad), tag_bytes = all(kind.tag);
    __m256i other_text = zero;
    for (; n - i >= WIDTH; i += WIDTH) {
        const cst_job *const its = jobs + i;
        if (!are_of(kind, its)) break;
        __m256i front[4], text_out[4], end[4];
        read(its, IV, front);
        read(its, IN, text_out);
        read(its, TAG, end);
        const __m256i text = text_out[1], room = text_out[3], written = text & is_written;
        const __m256i at[] = {front[0], front[2], text_out[0], text_out[2], end[0]},
                      bytes[] = {iv_bytes, aad_bytes, text, written, tag_bytes};
        // A job is not surely right if its element of `other` is not 0, or that of `negative` is negative.
        __m256i other = (front[1] ^ iv_bytes) | (front[3] ^ aad_bytes) | (end[1] ^ tag_bytes) | end[3] |
                        (text & remainder) | ((at[JOB_OUT] | room) & is_absent);
        __m256i negative = text - least;
        other |= above(negative, span) | above(written ^ flip, room ^ flip);
#pragma GCC unroll 8
        for (int b = 0; b < JOB_BUFFERS; b++)  // by NULL - 1, of a buffer that is not empty, or an address from 2^63 on
            negative |= at[b] | (at[b] - _mm256_andnot_si256(_mm256_cmpeq_epi64(bytes[b], zero), one));
#pragma GCC unroll 8
        for (const BufferPair &pair : APART) {
            const __m256i first = at[pair.first], second = at[pair.second],
                          both = bytes[pair.first] + bytes[pair.second];
            // One byte less than both have; nothing, if they have none.
            const __m256i to_last = both - _mm256_andnot_si256(_mm256_cmpeq_epi64(both, zero), one);
            const __m256i distance = first + bytes[pair.first] - one - second;
            __m256i meet = above(to_last ^ flip, distance ^ flip);
            if (may_be_same(pair)) meet = _mm256_andnot_si256(_mm256_cmpeq_epi64(first, second), meet);
            other |= meet;
        }
        other |= above(zero, negative);
        if (!_mm256_testz_si256(other, other)) break;
        other_text |= text ^ first_text;
    }
    *unlike |= uint64_t(!_mm256_testz_si256(other_text, other_text));
    return i;
}

}  // namespace cst
