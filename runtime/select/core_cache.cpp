#include "core_cache.hpp"

#include <cpuid.h>

#include <cstdint>

namespace cst {
namespace {

// Asks a leaf for "deterministic cache parameters" (Intel SDM, CPUID 4; AMD APM volume 3, CPUID 8000001Dh; both have
// the same form). Returns 0 where the CPU has no such leaf, or the leaf does not tell of such a cache.
size_t second_level(uint32_t leaf) {
    constexpr uint32_t NONE = 0, INSTRUCTIONS = 2, MOST_CACHES = 16;
    uint32_t a, b, c, d;
    for (uint32_t i = 0; i < MOST_CACHES && __get_cpuid_count(leaf, i, &a, &b, &c, &d); i++) {
        const uint32_t type = a & 31, level = a >> 5 & 7;
        if (type == NONE) break;
        const size_t ways = (b >> 22) + 1, partitions = (b >> 12 & 1023) + 1, line = (b & 4095) + 1;
        if (type != INSTRUCTIONS && level == 2) return ways * partitions * line * (size_t(c) + 1);
    }
    return 0;
}

}  // namespace

size_t core_cache_bytes() {
    constexpr size_t LEAST = 256 << 10;
    static const size_t bytes = [] {
        const size_t by_intel = second_level(4), told = by_intel ? by_intel : second_level(0x8000001d);
        return told ? told : LEAST;
    }();
    return bytes;
}

}  // namespace cst
