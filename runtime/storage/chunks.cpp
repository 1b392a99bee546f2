#include "chunks.hpp"

#include <algorithm>

namespace cst {
namespace {

constexpr uint32_t MOST_NORMALIZATION = 3;
// For each number of bits a mask that has about so many; its bits are spread, because cuts are then more even (4.2).
// From destor's reference implementation, and for the largest from restic's.
constexpr uint64_t MASKS[] = {0x0000000001804110, 0x0000000001803110, 0x0000000018035100, 0x0000001800035300,
                              0x0000019000353000, 0x0000590003530000, 0x0000d90003530000, 0x0000d90103530000,
                              0x0000d90303530000, 0x0000d90313530000, 0x0000d90f03530000, 0x0000d90303537000,
                              0x0000d90703537000, 0x0000d90707537000, 0x0000d91707537000, 0x0000d91747537000,
                              0x0000d91767537000, 0x0000d93767537000, 0x0000d93777537000, 0x0000d93777577000,
                              0x0000db3777577000};
constexpr uint32_t FIRST_MASK = 5;

// log2, rounded to the nearest whole number.
uint32_t bits_of(uint64_t average) {
    const uint32_t below = uint32_t(63 - __builtin_clzll(average));
    return below + (average * average >= uint64_t(2) << (2 * below));
}

uint64_t mask(uint32_t bits) { return MASKS[bits - FIRST_MASK]; }

// Examines pairs of bytes.
class Pairs {
public:
    Pairs(const Gear &gear, const uint8_t *in, uint64_t mask, uint64_t hash)
        : gear_(gear), in_(in), mask_(mask), hash_(hash) {}

    // Examines the pair at `at`. Returns 2; or which of both bytes cuts. The hash of a pair needs the one before it
    // alone, so that the chain of a pair is one sum.
    size_t examine(size_t at) {
        const uint64_t first = gear_.twice[in_[at]], both = first + gear_.of[in_[at + 1]];
        if (__builtin_expect(!((4 * hash_ + first) & mask_ << 1), 0)) return 0;
        hash_ = 4 * hash_ + both;
        return __builtin_expect(!(hash_ & mask_), 0) ? 1 : 2;
    }
    uint64_t hash() const { return hash_; }

private:
    const Gear &gear_;
    const uint8_t *const in_;
    const uint64_t mask_;
    uint64_t hash_;
};

// Examines pairs from `at` until one cuts, or `end`. Returns the place of the byte that does, or `end`.
size_t examine(const Gear &gear, const uint8_t *in, size_t at, size_t end, uint64_t mask, uint64_t *hash) {
    Pairs pairs(gear, in, mask, *hash);
#pragma GCC unroll 4
    for (; at < end; at += 2)
        if (const size_t which = pairs.examine(at); which < 2) return at + which;
    *hash = pairs.hash();
    return end;
}

}  // namespace

bool ChunkSizes::sound() const {
    return least >= LEAST_CHUNK && least <= GREATEST_LEAST && average >= LEAST_AVERAGE && average <= GREATEST_AVERAGE &&
           most >= LEAST_MOST && most <= GREATEST_MOST && least <= average && average <= most &&
           !((least | average | most) & 1) && normalization <= MOST_NORMALIZATION;
}

Cutter::Cutter(const ChunkSizes &sizes)
    : sizes_(sizes),
      mask_before_(mask(bits_of(sizes.average) + sizes.normalization)),
      mask_behind_(mask(bits_of(sizes.average) - sizes.normalization)) {}

size_t Cutter::find(const Gear &gear, const uint8_t *in, size_t n, bool *cut) {
    size_t at = 0;
    *cut = false;
    n &= ~size_t(1);
    const auto examine_to = [&](uint64_t border, uint64_t mask) {
        if (at_ >= border || *cut) return;
        const size_t end = at + size_t(std::min<uint64_t>(border - at_, n - at));
        const size_t place = examine(gear, in, at, end, mask, &hash_);
        *cut = place != end;
        at_ += place - at;
        at = place;
    };
    if (at_ < sizes_.least) {
        at = size_t(std::min<uint64_t>(sizes_.least - at_, n));
        at_ += at;
    }
    examine_to(sizes_.average, mask_before_);
    examine_to(sizes_.most, mask_behind_);
    *cut = *cut || at_ == sizes_.most;
    return at;
}

}  // namespace cst
