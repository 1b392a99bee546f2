// Orders messages for lanes: those of most blocks go first, so that lanes become free together. It is a counting sort
// by blocks, because comparing takes longer than hashing does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cst {

constexpr size_t MOST_ORDERED = 1024;  // items

// Writes the indices of n items in that order. blocks(i) returns the blocks of item i; longer(a, b) compares two items
// that have more blocks than there are buckets.
template <typename Blocks, typename Longer>
void order_by_blocks(size_t n, uint16_t *order, Blocks blocks, Longer longer) {
    constexpr size_t BUCKETS = 128;
    uint16_t from[BUCKETS + 1] = {};
    uint8_t bucket[MOST_ORDERED];
    for (size_t i = 0; i < n; i++) {
        bucket[i] = uint8_t(BUCKETS - 1 - std::min<uint64_t>(blocks(i), BUCKETS - 1));
        from[bucket[i] + 1]++;
    }
    const size_t longest = from[1];
    for (size_t i = 1; i < BUCKETS; i++) from[i] = uint16_t(from[i] + from[i - 1]);
    for (size_t i = 0; i < n; i++) order[from[bucket[i]]++] = uint16_t(i);
    std::sort(order, order + longest, longer);
}

}  // namespace cst
