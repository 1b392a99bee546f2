#include "gcm_narrow.hpp"

#include <immintrin.h>

#include <algorithm>

#include "aes.hpp"
#include "part_block.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16, TEAM = 8;  // vectors side by side: enough to hide the latency of a round

constexpr size_t blocks_of(size_t bytes) { return (bytes + BLOCK - 1) / BLOCK; }

#define NARROW __attribute__((target("aes,pclmul,ssse3")))
#define NARROW_INLINE __attribute__((target("aes,pclmul,ssse3"), always_inline)) inline
#define DOUBLE __attribute__((target("aes,pclmul,avx2,vaes,vpclmulqdq")))
#define DOUBLE_INLINE __attribute__((target("aes,pclmul,avx2,vaes,vpclmulqdq"), always_inline)) inline

NARROW_INLINE __m128i reversal() { return _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
NARROW_INLINE __m128i counter_swap() { return _mm_set_epi8(12, 13, 14, 15, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0); }
NARROW_INLINE __m128i reversed_block(__m128i block) { return _mm_shuffle_epi8(block, reversal()); }
NARROW_INLINE __m128i load_block(const uint8_t *from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
}
// All of a block's first n bytes are looked at.
NARROW_INLINE bool same_first(__m128i block, const uint8_t *data, size_t n) {
    const __m128i other = n < BLOCK ? load_part(data, n) : load_block(data);
    return ((~_mm_movemask_epi8(_mm_cmpeq_epi8(block, other))) & ((1 << n) - 1)) == 0;
}

alignas(64) constexpr uint8_t THERE[64] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

namespace one {

#define GCM NARROW
#define GCM_INLINE NARROW_INLINE
typedef __m128i Vector;
constexpr size_t VECTOR = BLOCK;
GCM_INLINE Vector zero() { return _mm_setzero_si128(); }
GCM_INLINE Vector load(const uint8_t *from) { return load_block(from); }
GCM_INLINE Vector load_row(const uint8_t *from) { return _mm_load_si128(reinterpret_cast<const __m128i *>(from)); }
GCM_INLINE Vector load_some(const uint8_t *from, size_t bytes) { return load_part(from, bytes); }
GCM_INLINE void store(uint8_t *to, Vector x) { _mm_storeu_si128(reinterpret_cast<__m128i *>(to), x); }
GCM_INLINE void store_some(uint8_t *to, Vector x, size_t bytes) { store_part(to, x, bytes); }
GCM_INLINE Vector first_bytes(Vector x, size_t bytes) { return _mm_and_si128(x, load(THERE + 32 - bytes)); }
GCM_INLINE Vector every(const uint8_t *block) { return load_block(block); }
GCM_INLINE Vector alone(__m128i block) { return block; }
GCM_INLINE __m128i lowest(Vector x) { return x; }
GCM_INLINE __m128i sum_of_blocks(Vector x) { return x; }
GCM_INLINE Vector add_up(Vector a, Vector b) { return _mm_xor_si128(a, b); }
GCM_INLINE Vector other_half(Vector x) { return _mm_shuffle_epi32(x, 0x4e); }
GCM_INLINE Vector reversed(Vector x) { return reversed_block(x); }
template <int halves>
GCM_INLINE Vector product(Vector a, Vector b) {
    return _mm_clmulepi64_si128(a, b, halves);
}
GCM_INLINE Vector round(Vector x, Vector key) { return _mm_aesenc_si128(x, key); }
GCM_INLINE Vector last_round(Vector x, Vector key) { return _mm_aesenclast_si128(x, key); }
GCM_INLINE Vector counts_from(__m128i first) { return first; }
GCM_INLINE Vector count_on(Vector count) { return _mm_add_epi32(count, _mm_set_epi32(1, 0, 0, 0)); }
GCM_INLINE Vector counter_block(Vector count) { return _mm_shuffle_epi8(count, counter_swap()); }
constexpr size_t FRAME = 384;  // of `run`, at most
#include "gcm_narrow.inc"
#undef GCM
#undef GCM_INLINE

}  // namespace one

namespace two {

#define GCM DOUBLE
#define GCM_INLINE DOUBLE_INLINE
typedef __m256i Vector;
constexpr size_t VECTOR = 2 * BLOCK;
GCM_INLINE Vector both(__m128i low, __m128i high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
GCM_INLINE __m128i second(Vector x) { return _mm256_extracti128_si256(x, 1); }
GCM_INLINE Vector zero() { return _mm256_setzero_si256(); }
GCM_INLINE Vector load(const uint8_t *from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from)); }
GCM_INLINE Vector load_row(const uint8_t *from) { return load(from); }
GCM_INLINE Vector load_some(const uint8_t *from, size_t bytes) {
    return bytes < BLOCK ? both(load_part(from, bytes), _mm_setzero_si128())
                         : both(load_block(from), load_part(from + BLOCK, bytes - BLOCK));
}
GCM_INLINE void store(uint8_t *to, Vector x) { _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), x); }
GCM_INLINE void store_some(uint8_t *to, Vector x, size_t bytes) {
    __m128i block = _mm256_castsi256_si128(x);
    if (bytes >= BLOCK) {
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to), block);
        block = second(x);
        to += BLOCK;
        bytes -= BLOCK;
    }
    store_part(to, block, bytes);
}
GCM_INLINE Vector first_bytes(Vector x, size_t bytes) { return _mm256_and_si256(x, load(THERE + 32 - bytes)); }
GCM_INLINE Vector every(const uint8_t *block) { return _mm256_broadcastsi128_si256(load_block(block)); }
GCM_INLINE Vector alone(__m128i block) { return _mm256_zextsi128_si256(block); }
GCM_INLINE __m128i lowest(Vector x) { return _mm256_castsi256_si128(x); }
GCM_INLINE __m128i sum_of_blocks(Vector x) { return _mm_xor_si128(lowest(x), second(x)); }
GCM_INLINE Vector add_up(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
GCM_INLINE Vector other_half(Vector x) { return _mm256_shuffle_epi32(x, 0x4e); }
GCM_INLINE Vector reversed(Vector x) { return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(reversal())); }
template <int halves>
GCM_INLINE Vector product(Vector a, Vector b) {
    return _mm256_clmulepi64_epi128(a, b, halves);
}
GCM_INLINE Vector round(Vector x, Vector key) { return _mm256_aesenc_epi128(x, key); }
GCM_INLINE Vector last_round(Vector x, Vector key) { return _mm256_aesenclast_epi128(x, key); }
GCM_INLINE Vector counts_from(__m128i first) {
    return _mm256_add_epi32(_mm256_broadcastsi128_si256(first), _mm256_set_epi32(1, 0, 0, 0, 0, 0, 0, 0));
}
GCM_INLINE Vector count_on(Vector count) { return _mm256_add_epi32(count, _mm256_set_epi32(2, 0, 0, 0, 2, 0, 0, 0)); }
GCM_INLINE Vector counter_block(Vector count) {
    return _mm256_shuffle_epi8(count, _mm256_broadcastsi128_si256(counter_swap()));
}
constexpr size_t FRAME = 896;
#include "gcm_narrow.inc"
#undef GCM
#undef GCM_INLINE

}  // namespace two

}  // namespace

bool gcm_narrow(cst_job *jobs, size_t n, bool double_blocks) {
    return (double_blocks ? two::run_wiping : one::run_wiping)(jobs, n);
}

}  // namespace cst
