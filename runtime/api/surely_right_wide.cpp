// The fast accept of eight jobs at once, with AVX-512: the rules of surely_right.hpp, one job in each element.

#include "jobs.hpp"
#include "surely_right.hpp"
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

constexpr size_t WIDTH = 8;

// A job is read as two vectors and its last number. What jobs of a kind have in common is compared there.
constexpr size_t SECOND = offsetof(cst_job, in_len);
static_assert(SECOND == 64 && offsetof(cst_job, out_pieces) == 128 && sizeof(cst_job) == 144);
constexpr int element_of(size_t offset) { return int(offset % 64 / 8); }
constexpr __mmask8 bit_of(size_t offset) { return __mmask8(1 << element_of(offset)); }
#define ELEMENT(member) element_of(offsetof(cst_job, member))
#define BIT(member) bit_of(offsetof(cst_job, member))

WIDE_INLINE __m512i all(uint64_t number) { return _mm512_set1_epi64(int64_t(number)); }

// Transposes parts of 128 bits of four vectors. columns: elements i, i + 2, i + 4 and i + 6 of a matrix.
WIDE_INLINE void transpose_pairs(const __m512i (&rows)[4], __m512i *columns) {
    const __m512i even[] = {_mm512_shuffle_i64x2(rows[0], rows[1], 0x88), _mm512_shuffle_i64x2(rows[2], rows[3], 0x88)},
                  odd[] = {_mm512_shuffle_i64x2(rows[0], rows[1], 0xdd), _mm512_shuffle_i64x2(rows[2], rows[3], 0xdd)};
    columns[0] = _mm512_shuffle_i64x2(even[0], even[1], 0x88);
    columns[2] = _mm512_shuffle_i64x2(odd[0], odd[1], 0x88);
    columns[4] = _mm512_shuffle_i64x2(even[0], even[1], 0xdd);
    columns[6] = _mm512_shuffle_i64x2(odd[0], odd[1], 0xdd);
}

WIDE_INLINE void transpose(const __m512i (&rows)[WIDTH], __m512i *columns) {
    __m512i low[4], high[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        low[i] = _mm512_unpacklo_epi64(rows[2 * i], rows[2 * i + 1]);
        high[i] = _mm512_unpackhi_epi64(rows[2 * i], rows[2 * i + 1]);
    }
    transpose_pairs(low, columns);
    transpose_pairs(high, columns + 1);
}

[[gnu::always_inline]] inline bool are_of(const Suite *suite, const cst_job *jobs) {
#pragma GCC unroll 8
    for (size_t i = 0; i < WIDTH; i++)
        if (!jobs[i].key || from(jobs[i].key)->suite != suite) return false;
    return true;
}

}  // namespace

WIDE size_t surely_right_wide(const Kind &kind, const cst_job *jobs, size_t i, size_t n, uint64_t *unlike) {
    // Members that are taken from the second vector of a job; the first vector has members that no test needs there.
    constexpr __mmask8 FROM_SECOND = BIT(in_len) | BIT(out) | BIT(out_cap) | BIT(tag);
    static_assert(!(FROM_SECOND & (BIT(iv) | BIT(aad) | BIT(in))), "one vector has them all");
    cst_job model = {};
    model.size = sizeof(model);
    model.direction = kind.direction;
    model.iv_len = kind.iv;
    model.aad_len = kind.aad;
    model.tag_len = kind.tag;
    cst_job compared = {};  // the bits that are
    compared.size = compared.iv_len = compared.aad_len = compared.tag_len = compared.n_in_pieces = SIZE_MAX;
    compared.direction = -1;
    const __m512i first_model = _mm512_loadu_si512(&model), second_model = _mm512_loadu_si512(&model.in_len),
                  first_compared = _mm512_loadu_si512(&compared),
                  second_compared = _mm512_loadu_si512(&compared.in_len);
    const __m512i zero = _mm512_setzero_si512(), one = all(1), least = all(kind.least), span = all(kind.span),
                  remainder = all(kind.remainder), is_written = all(kind.written), is_absent = all(~kind.written),
                  first_text = all(jobs->in_len);
    const __m512i iv_bytes = all(kind.iv), aad_bytes = all(kind.aad), tag_bytes = all(kind.tag);
    __m512i other_text = zero;
    for (; n - i >= WIDTH; i += WIDTH) {
        const cst_job *const its = jobs + i;
        __m512i rows[WIDTH], other_first = zero, other_second = zero;
        size_t pieces = 0;
#pragma GCC unroll 8
        for (size_t k = 0; k < WIDTH; k++) {
            const __m512i first = _mm512_loadu_si512(&its[k]), second = _mm512_loadu_si512(&its[k].in_len);
            constexpr int OR_OF_XOR = 0xf6;
            other_first = _mm512_ternarylogic_epi64(other_first, first, first_model, OR_OF_XOR);
            other_second = _mm512_ternarylogic_epi64(other_second, second, second_model, OR_OF_XOR);
            pieces |= its[k].n_out_pieces;
            rows[k] = _mm512_mask_mov_epi64(first, FROM_SECOND, second);
        }
        // Keys of an array of another layout are not looked at.
        const __mmask8 other =
            _mm512_test_epi64_mask(other_first, first_compared) | _mm512_test_epi64_mask(other_second, second_compared);
        if (other || pieces) break;
        if (!are_of(kind.suite, its)) break;

        __m512i columns[WIDTH];
        transpose(rows, columns);
        const __m512i text = columns[ELEMENT(in_len)], room = columns[ELEMENT(out_cap)], written = text & is_written;
        const __m512i at[] = {columns[ELEMENT(iv)], columns[ELEMENT(aad)], columns[ELEMENT(in)], columns[ELEMENT(out)],
                              columns[ELEMENT(tag)]},
                      bytes[] = {iv_bytes, aad_bytes, text, written, tag_bytes};
        __m512i places = zero;  // negative: a buffer is above 2^63, or is NULL though it is not empty
#pragma GCC unroll 8
        for (int b = 0; b < JOB_BUFFERS; b++)
            places |= at[b] | (at[b] - _mm512_maskz_mov_epi64(_mm512_test_epi64_mask(bytes[b], bytes[b]), one));
        // Each compare keeps the jobs that were right before.
        __mmask8 right = _mm512_cmple_epu64_mask(text - least, span);
        right = _mm512_mask_testn_epi64_mask(right, text, remainder);
        right = _mm512_mask_cmpge_epu64_mask(right, room, written);
        right = _mm512_mask_testn_epi64_mask(right, at[JOB_OUT] | room, is_absent);
        right = _mm512_mask_cmpge_epi64_mask(right, places, zero);
#pragma GCC unroll 8
        for (const BufferPair &pair : APART) {
            const __m512i first = at[pair.first], second = at[pair.second],
                          both = bytes[pair.first] + bytes[pair.second],
                          distance = first + bytes[pair.first] - one - second;
            __mmask8 apart = _mm512_cmpge_epu64_mask(distance, _mm512_max_epu64(both, one) - one);
            if (may_be_same(pair)) apart |= _mm512_cmpeq_epi64_mask(first, second);
            right &= apart;
        }
        if (right != 0xff) break;
        other_text |= text ^ first_text;
    }
    *unlike |= _mm512_test_epi64_mask(other_text, other_text);
    return i;
}

}  // namespace cst
