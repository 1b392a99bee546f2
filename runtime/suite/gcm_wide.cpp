#include "gcm_wide.hpp"

#include "wide.hpp"

namespace cst {
namespace {

using namespace wide;

static_assert(TEAM == GCM_WIDE_TEAM && BLOCKS == GCM_WIDE_LANES, "as the key is prepared");
static_assert(2 * TEAM * BLOCKS + 1 <= GHASH_POWERS, "the last two strides and the lengths share a reduction");
// So many blocks of the AAD, at least, can share one with what follows.
constexpr size_t JOINED = GHASH_POWERS - TEAM * BLOCKS - 1;

WIDE_INLINE size_t blocks_of(size_t bytes) { return (bytes + BLOCK - 1) / BLOCK; }

// Y, and products that are not reduced yet, in each of the four blocks' places. The derivation stands in
// streams/ghash.j2.
struct Hash {
    __m512i low, middle, high, y;

    WIDE_INLINE static __m512i reverse() {
        return _mm512_broadcast_i32x4(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    }
    WIDE_INLINE void none() { low = middle = high = _mm512_setzero_si512(); }
    // before: Y so far; NULL: 0.
    WIDE_INLINE void begin() {
        none();
        y = _mm512_setzero_si512();
    }
    // Times powers of H, each block by its own.
    WIDE_INLINE void add(__m512i blocks, __m512i b) {
        const __m512i a = _mm512_xor_si512(_mm512_shuffle_epi8(blocks, reverse()), y);
        y = _mm512_setzero_si512();
        low = _mm512_xor_si512(low, _mm512_clmulepi64_epi128(a, b, 0x00));
        high = _mm512_xor_si512(high, _mm512_clmulepi64_epi128(a, b, 0x11));
        middle = _mm512_ternarylogic_epi64(middle, _mm512_clmulepi64_epi128(a, b, 0x01),
                                           _mm512_clmulepi64_epi128(a, b, 0x10), 0x96);
    }
    // A stride of them; with the sums of both halves of each power too: of four products, one less.
    WIDE_INLINE void add_stride(const __m512i (&blocks)[TEAM], const uint8_t *powers, const uint8_t *folded) {
        __m512i l[TEAM], m[TEAM], h[TEAM];
#pragma GCC unroll 8
        for (size_t v = 0; v < TEAM; v++) {
            __m512i a = _mm512_shuffle_epi8(blocks[v], reverse());
            if (v == 0) a = _mm512_xor_si512(a, y);
            const __m512i b = _mm512_loadu_si512(powers + VECTOR * v);
            l[v] = _mm512_clmulepi64_epi128(a, b, 0x00);
            h[v] = _mm512_clmulepi64_epi128(a, b, 0x11);
            m[v] = _mm512_clmulepi64_epi128(fold(a), _mm512_loadu_si512(folded + VECTOR * v), 0x00);
        }
        const __m512i lows = sum(sum(l[1], l[2], l[3]), l[0], low), highs = sum(sum(h[1], h[2], h[3]), h[0], high);
        middle =
            sum(sum(sum(m[1], m[2], m[3]), m[0], middle), _mm512_xor_si512(lows, low), _mm512_xor_si512(highs, high));
        low = lows;
        high = highs;
        y = _mm512_setzero_si512();
    }
    // A stride with another one behind it. All blocks of a vector are multiplied by the same power of H, that of the
    // first lane: each lane is hashed by itself, and Y is the sum of four. In lane j there is H^j too much, which the
    // falling powers of the last stride take away.
    WIDE_INLINE void hash_lanes(const __m512i (&blocks)[TEAM], const Key &key) {
        add_stride(blocks, key.lane_powers()[0], key.lane_folded()[0]);
        reduce_lanes();
    }
    // The last one, with so many blocks behind it, among them the lengths, which share the reduction.
    WIDE_INLINE void add_last(const __m512i (&blocks)[TEAM], const Key &key, size_t behind) {
        const size_t first = GHASH_POWERS - TEAM * BLOCKS - behind;
        add_stride(blocks, key.powers()[first], key.folded()[first]);
    }
    WIDE_INLINE static __m512i sum(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
    WIDE_INLINE static __m512i fold(__m512i a) { return _mm512_xor_si512(a, _mm512_shuffle_epi32(a, _MM_PERM_BADC)); }
    // A vector, or fewer bytes.
    WIDE_INLINE static __m512i load(const uint8_t *data, size_t bytes) {
        return bytes < VECTOR ? _mm512_maskz_loadu_epi8(first_bytes(bytes), data) : _mm512_loadu_si512(data);
    }
    WIDE_INLINE static __m512i everywhere(const uint8_t *power) {
        return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i *>(power)));
    }
    // To one block, in the first lane.
    WIDE_INLINE void reduce() {
        reduce_lanes();
        const __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(y), _mm512_extracti64x4_epi64(y, 1));
        y = _mm512_zextsi128_si512(_mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)));
    }
    WIDE_INLINE void reduce_lanes() {
        const __m512i modulus = _mm512_set1_epi64(int64_t(0xc200000000000000u));
        const __m512i m = _mm512_ternarylogic_epi64(middle, _mm512_clmulepi64_epi128(low, modulus, 0x00),
                                                    _mm512_shuffle_epi32(low, _MM_PERM_BADC), 0x96);
        y = _mm512_ternarylogic_epi64(high, _mm512_clmulepi64_epi128(m, modulus, 0x00),
                                      _mm512_shuffle_epi32(m, _MM_PERM_BADC), 0x96);
        none();
    }
};

// Strides of text, while more than one is left. What they hash is known before them when they open, else it is what the
// stride before made; the last is left to `end`.
template <bool open>
WIDE_INLINE void strides(Counter *cipher, Hash *hash, const uint8_t *&in, uint8_t *&out, size_t &left, const Key &key,
                         __m512i (&text)[TEAM]) {
    __m512i x[TEAM];
    auto finish = [&]() WIDE {
        const __m512i last = cipher->last_key();
#pragma GCC unroll 8
        for (size_t v = 0; v < TEAM; v++) {
            x[v] = _mm512_aesenclast_epi128(
                x[v], _mm512_xor_si512(last, open ? text[v] : _mm512_loadu_si512(in + VECTOR * v)));
            _mm512_storeu_si512(out + VECTOR * v, x[v]);
            if (!open) text[v] = x[v];
        }
        in += STRIDE, out += STRIDE, left -= STRIDE;
    };
    auto load = [&]() WIDE {
        if (!open) return;
#pragma GCC unroll 8
        for (size_t v = 0; v < TEAM; v++) text[v] = _mm512_loadu_si512(in + VECTOR * v);
    };
    if (!open) {
        cipher->run<TEAM>(x);
        finish();
    }
    while (left > (open ? 2 : 1) * STRIDE) {
        load();
        cipher->run<TEAM>(x);
        hash->hash_lanes(text, key);
        finish();
    }
    if (!open) return;
    load();
    cipher->run<TEAM>(x);
    hash->add_last(text, key, blocks_of(left - STRIDE) + 1);
    finish();
}

// A block of AAD and its power of H. It is added in the last lane of the vector with the lengths, where that is free.
struct Early {
    __m128i block, power;

    // Whether the lane is free behind so many blocks of text.
    WIDE_INLINE static bool fits(size_t blocks) { return blocks % BLOCKS != BLOCKS - 1; }
    WIDE_INLINE static __m512i in_last(__m512i vector, __m128i lane) {
        return _mm512_inserti32x4(vector, lane, BLOCKS - 1);
    }
};

// The end of the text, and the lengths. Returns the tag. stride: the last one in front, if it was sealed; it is hashed
// here, behind the rounds of the end, which do not wait for it.
template <size_t vectors, bool open, bool strided>
WIDE_INLINE __m128i end(Counter *cipher, Hash *hash, const cst_job &job, const uint8_t *in, uint8_t *out, size_t bytes,
                        const uint8_t *powers, const __m512i (&stride)[TEAM], const Early &early) {
    __m512i x[TEAM];
    __m128i mask = _mm_or_si128(_mm_maskz_loadu_epi32(7, job.iv), _mm_set_epi32(1 << 24, 0, 0, 0));
    cipher->run<vectors>(x, &mask);
    if (strided && !open) hash->add_last(stride, key_of(job), blocks_of(bytes) + 1);
    const __m512i last = cipher->last_key();
    const __m512i lengths = _mm512_zextsi128_si512(
        _mm_set_epi64x(int64_t(__builtin_bswap64(8 * job.in_len)), int64_t(__builtin_bswap64(8 * job.aad_len))));
    size_t room = 0;  // where in the last vector the lengths go, if not into one of their own
    if constexpr (vectors > 0) {
#pragma GCC unroll 8
        for (size_t v = 0; v + 1 < vectors; v++) {
            const __m512i text = _mm512_loadu_si512(in + VECTOR * v),
                          done = _mm512_aesenclast_epi128(x[v], _mm512_xor_si512(last, text));
            _mm512_storeu_si512(out + VECTOR * v, done);
            hash->add(open ? text : done, _mm512_loadu_si512(powers + VECTOR * v));
        }
        constexpr size_t v = vectors - 1;
        const __mmask64 there = first_bytes(bytes - VECTOR * v);
        const __m512i text = _mm512_maskz_loadu_epi8(there, in + VECTOR * v),
                      done = _mm512_aesenclast_epi128(x[v], _mm512_xor_si512(last, text));
        _mm512_mask_storeu_epi8(out + VECTOR * v, there, done);
        room = blocks_of(bytes - VECTOR * v) % BLOCKS;
        const __m512i hashed = open ? text : _mm512_maskz_mov_epi8(there, done);
        const __m512i factors = _mm512_loadu_si512(powers + VECTOR * v);
        if (!room) {
            hash->add(hashed, factors);
        } else {
            const __m512i ended = _mm512_mask_shuffle_i32x4(hashed, __mmask16(0xf << 4 * room), lengths, lengths, 0);
            if (Early::fits(room)) hash->add(Early::in_last(ended, early.block), Early::in_last(factors, early.power));
            else hash->add(ended, factors);
        }
    }
    if (!room)
        hash->add(Early::in_last(lengths, early.block),
                  Early::in_last(_mm512_loadu_si512(powers + VECTOR * vectors), early.power));
    hash->reduce();
    return _mm_xor_si128(mask,
                         _mm_shuffle_epi8(_mm512_castsi512_si128(hash->y), _mm512_castsi512_si128(Hash::reverse())));
}

// strided: more than a stride is left.
template <bool open, bool strided>
WIDE_INLINE bool run_one(const cst_job &job) {
    const Key &key = key_of(job);
    const uint8_t *in = static_cast<const uint8_t *>(job.in),
                  *aad = static_cast<const uint8_t *>(job.aad), *const powers = key.powers()[GHASH_POWERS];
    uint8_t *out = static_cast<uint8_t *>(job.out);
    size_t left = job.in_len;
    size_t aad_left = job.aad_len;
    Counter cipher(key);
    Hash hash;
    __m512i stride[TEAM];
    cipher.begin(_mm_mask_set1_epi32(_mm_maskz_loadu_epi32(7, job.iv), 8, 2));
    hash.begin();
    while (aad_left > JOINED * BLOCK) {
        const size_t some = aad_left < STRIDE ? aad_left : STRIDE;
        for (size_t v = 0; v < TEAM; v++)
            hash.add(Hash::load(aad + VECTOR * v, some - VECTOR * v), _mm512_loadu_si512(powers - STRIDE + VECTOR * v));
        hash.reduce();
        aad += some;
        aad_left -= some;
    }
    const bool by_lanes = strided && left > 2 * STRIDE;
    const size_t behind = by_lanes ? TEAM * BLOCKS : blocks_of(left) + 1;
    Early early = {_mm_setzero_si128(), _mm_setzero_si128()};
    if (!by_lanes && aad_left - 1 < BLOCK && Early::fits(blocks_of(left))) {
        early.block = _mm512_castsi512_si128(_mm512_maskz_loadu_epi8(first_bytes(aad_left), aad));
        early.power = _mm_loadu_si128(reinterpret_cast<const __m128i *>(powers - BLOCK * (behind + 1)));
    } else if (aad_left) {
        const bool shares = behind + blocks_of(aad_left) <= GHASH_POWERS;
        const uint8_t *const factors = powers - BLOCK * (blocks_of(aad_left) + (shares ? behind : 0));
        for (size_t at = 0; at < aad_left; at += VECTOR)
            hash.add(Hash::load(aad + at, aad_left - at),
                     by_lanes ? Hash::everywhere(factors + at) : _mm512_loadu_si512(factors + at));
        if (!shares) hash.reduce();
    }
    if constexpr (strided) strides<open>(&cipher, &hash, in, out, left, key, stride);
    const uint8_t *const rest = powers - BLOCK * (blocks_of(left) + 1);
    __m128i tag;
    switch ((left + VECTOR - 1) / VECTOR) {
        case 0: tag = end<0, open, strided>(&cipher, &hash, job, in, out, left, rest, stride, early); break;
        case 1: tag = end<1, open, strided>(&cipher, &hash, job, in, out, left, rest, stride, early); break;
        case 2: tag = end<2, open, strided>(&cipher, &hash, job, in, out, left, rest, stride, early); break;
        case 3: tag = end<3, open, strided>(&cipher, &hash, job, in, out, left, rest, stride, early); break;
        default: tag = end<TEAM, open, strided>(&cipher, &hash, job, in, out, left, rest, stride, early);
    }
    const __mmask16 there = __mmask16(first_bytes(job.tag_len));
    if (open) return !_mm_mask_cmpneq_epi8_mask(there, tag, _mm_maskz_loadu_epi8(there, job.tag));
    if (job.tag_len == BLOCK) _mm_storeu_si128(static_cast<__m128i *>(job.tag), tag);
    else _mm_mask_storeu_epi8(job.tag, there, tag);
    return true;
}

// Aligned: in another place within the cache lines one short message takes up to a sixth longer.
template <bool open, bool strided>
__attribute__((noinline, aligned(64))) WIDE bool run(cst_job *jobs, size_t n) {
    bool all = true;
    for (cst_job *job = jobs; job < jobs + n; job++) {
        const bool right = run_one<open, strided>(*job);
        job->out_len = job->in_len;
        job->status = right ? CST_OK : CST_ERR_AUTH;
        all &= right;
    }
    return all;
}

// Where the frame of `run` was, in which a compiler may have put what it had no register for.
__attribute__((noinline)) WIDE void wipe_frame() {
    alignas(VECTOR) uint8_t frame[8 * VECTOR];
#pragma GCC unroll 8
    for (size_t i = 0; i < sizeof(frame); i += VECTOR) _mm512_store_si512(frame + i, _mm512_setzero_si512());
    __asm__ volatile("" : : "r"(frame) : "memory");
}

}  // namespace

bool gcm_wide(cst_job *jobs, size_t n) {
    const bool open = jobs->direction == CST_OPEN;
    if (jobs->in_len <= STRIDE) return open ? run<true, false>(jobs, n) : run<false, false>(jobs, n);
    const bool all = open ? run<true, true>(jobs, n) : run<false, true>(jobs, n);
    wipe_frame();
    return all;
}

}  // namespace cst
