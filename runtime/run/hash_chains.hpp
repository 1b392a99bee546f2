// Chaining values in the lanes of a hash kernel. One lies together, or the same words of all lanes lie together: a row of the state block. Rows are filled and
// read by 16 bytes, those of several lanes at once.
#pragma once

#include <emmintrin.h>

#include "../suite/padding.hpp"
#include "copy.hpp"

namespace cst {

class HashChains {
public:
    HashChains(const Variant &v, const AlgorithmRecord &hash, uint8_t *state)
        : hash_(hash), places_(v.hash.lanes.data()), state_(state), rows_(v.hash.chain_rows), stride_(v.hash.chain_row_bytes), together_(lie_together(v.hash)) {}

    static bool lie_together(const Part &part) { return part.chain_row_bytes == part.chain_entry || part.chain_rows == 1; }
    static bool serves(const Variant &v) {
        const Part &part = v.hash;
        if (lie_together(part)) return true;
        const size_t at_once = ROW / part.chain_entry;
        if (v.lanes % at_once || (at_once == 2 && part.chain_rows % 2)) return false;
        for (size_t i = 0; i < v.lanes; i++)
            if (part.lanes[i].chain != part.lanes[i - i % at_once].chain + i % at_once * part.chain_entry) return false;
        return true;
    }

    bool together() const { return together_; }
    // The first lane's, which lies together.
    const uint8_t *first() const { return state_ + places_[0].chain; }
    // Lane i's, below `live`, is chain(i). Others may be written.
    template <typename Chain>
    __attribute__((always_inline)) inline void put(size_t live, Chain chain) const {
        const auto of = [&](size_t i) { return chain(i < live ? i : live - 1); };
        if (together_)
            for (size_t i = 0; i < live; i++) put_one(state_ + places_[i].chain, chain(i));
        else if (hash_.word_bytes == 4)
            for (size_t i = 0; i < live; i += 4) put_four(state_ + places_[i].chain, of(i), of(i + 1), of(i + 2), of(i + 3));
        else
            for (size_t i = 0; i < live; i += 2) put_two(state_ + places_[i].chain, of(i), of(i + 1));
    }
    // Their digests: lane i's lies at the byte i * apart, where there is room for a whole chaining value. Those of other lanes may be written.
    void digests(size_t live, uint8_t *to, size_t apart) const {
        if (together_)
            for (size_t i = 0; i < live; i++) digest(i, to + i * apart, hash_.digest_bytes);
        else if (hash_.word_bytes == 4)
            for (size_t i = 0; i < live; i += 4) digest_four(state_ + places_[i].chain, to + i * apart, apart);
        else
            for (size_t i = 0; i < live; i += 2) digest_two(state_ + places_[i].chain, to + i * apart, apart);
    }
    // The first n bytes of lane i's, which lies together.
    __attribute__((always_inline)) inline void digest(size_t i, uint8_t *to, size_t n) const { hash_digest(hash_, state_ + places_[i].chain, to, n); }

private:
    static constexpr size_t ROW = 16;

    static __m128i load(const uint8_t *from) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)); }
    static void store(uint8_t *to, __m128i row) { _mm_storeu_si128(reinterpret_cast<__m128i *>(to), row); }
    static __m128i load_word(const uint8_t *from) {
        int word;
        memcpy(&word, from, sizeof(word));
        return _mm_cvtsi32_si128(word);
    }

    void put_one(uint8_t *to, const uint8_t *from) const {
        const size_t bytes = hash_.words * hash_.word_bytes;
        size_t at = 0;
        for (; at + ROW <= bytes; at += ROW) store(to + at, load(from + at));
        if (at < bytes) memcpy(to + at, from + at, 4);
    }
    // Rows become columns.
    static void transpose(__m128i *a) {
        const __m128i low = _mm_unpacklo_epi32(a[0], a[1]), low2 = _mm_unpacklo_epi32(a[2], a[3]);
        const __m128i high = _mm_unpackhi_epi32(a[0], a[1]), high2 = _mm_unpackhi_epi32(a[2], a[3]);
        a[0] = _mm_unpacklo_epi64(low, low2);
        a[1] = _mm_unpackhi_epi64(low, low2);
        a[2] = _mm_unpacklo_epi64(high, high2);
        a[3] = _mm_unpackhi_epi64(high, high2);
    }
    void put_four(uint8_t *to, const uint8_t *a, const uint8_t *b, const uint8_t *c, const uint8_t *d) const {
        size_t row = 0;
        for (; row + 4 <= rows_; row += 4) {
            __m128i words[4] = {load(a + 4 * row), load(b + 4 * row), load(c + 4 * row), load(d + 4 * row)};
            transpose(words);
            for (size_t i = 0; i < 4; i++) store(to + (row + i) * stride_, words[i]);
        }
        for (; row < rows_; row++) {
            const __m128i low = _mm_unpacklo_epi32(load_word(a + 4 * row), load_word(b + 4 * row)), high = _mm_unpacklo_epi32(load_word(c + 4 * row), load_word(d + 4 * row));
            store(to + row * stride_, _mm_unpacklo_epi64(low, high));
        }
    }
    void digest_four(const uint8_t *from, uint8_t *to, size_t apart) const {
        const bool swaps = hash_.flags & ALGORITHM_BIG_ENDIAN;
        size_t row = 0;
        for (; row + 4 <= rows_; row += 4) {
            __m128i words[4];
            for (size_t i = 0; i < 4; i++) words[i] = load(from + (row + i) * stride_);
            transpose(words);
            for (size_t i = 0; i < 4; i++) store(to + i * apart + 4 * row, swaps ? swap_words(words[i]) : words[i]);
        }
        for (; row < rows_; row++)
            for (size_t i = 0; i < 4; i++) {
                uint32_t word;
                memcpy(&word, from + row * stride_ + 4 * i, 4);
                word = swaps ? __builtin_bswap32(word) : word;
                memcpy(to + i * apart + 4 * row, &word, 4);
            }
    }
    void put_two(uint8_t *to, const uint8_t *a, const uint8_t *b) const {
        for (size_t row = 0; row < rows_; row += 2) {
            const __m128i first = load(a + 8 * row), second = load(b + 8 * row);
            store(to + row * stride_, _mm_unpacklo_epi64(first, second));
            store(to + (row + 1) * stride_, _mm_unpackhi_epi64(first, second));
        }
    }
    void digest_two(const uint8_t *from, uint8_t *to, size_t apart) const {
        const bool swaps = hash_.flags & ALGORITHM_BIG_ENDIAN;
        for (size_t row = 0; row < rows_; row += 2) {
            const __m128i first = load(from + row * stride_), second = load(from + (row + 1) * stride_);
            const __m128i words[2] = {_mm_unpacklo_epi64(first, second), _mm_unpackhi_epi64(first, second)};
            for (size_t i = 0; i < 2; i++) store(to + i * apart + 8 * row, swaps ? swap_words(_mm_shuffle_epi32(words[i], 0xb1)) : words[i]);
        }
    }

    const AlgorithmRecord &hash_;
    const LanePlace *const places_;
    uint8_t *const state_;
    const size_t rows_, stride_;
    const bool together_;
};

}  // namespace cst
