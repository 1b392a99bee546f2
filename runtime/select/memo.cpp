#include "memo.hpp"

namespace cst {
namespace {

constexpr uint64_t kPlace = 0xffff;  // the low bits of a slot: place + 1, or kNone
constexpr uint64_t kNone = 0xffff;

uint64_t hash(const Family &family, const Query &query, bool pair) {
    uint64_t bytes = query.bytes, shift = 0;
    for (; bytes >= 16; bytes >>= 1) shift++;
    bytes |= shift << 8;
    uint64_t h = reinterpret_cast<uintptr_t>(&family);
    for (uint64_t word : {uint64_t(query.items), bytes, query.least,
                          uint64_t(query.one_key) | uint64_t(query.aligned) << 1 | uint64_t(pair) << 2}) {
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

}  // namespace

bool ChoiceMemo::recall(const Family &family, const Query &query, bool pair, const Variant **choice) const {
    const uint64_t h = hash(family, query, pair);
    const uint64_t slot = slots_[h % kSlots].load(std::memory_order_relaxed), place = slot & kPlace;
    if (place == 0 || (slot ^ h) & ~kPlace) return false;
    *choice = nullptr;
    if (place == kNone) return pair;
    if (place > family.variants.size() || !fits(*family.variants[place - 1], query)) return false;
    *choice = family.variants[place - 1];
    return true;
}

void ChoiceMemo::forget() {
    for (auto &slot : slots_) slot.store(0, std::memory_order_relaxed);
}

void ChoiceMemo::remember(const Family &family, const Query &query, bool pair, const Variant *choice) {
    uint64_t place = kNone;
    for (size_t i = 0; choice && i < family.variants.size(); i++)
        if (family.variants[i] == choice) place = i + 1;
    const uint64_t h = hash(family, query, pair);
    slots_[h % kSlots].store((h & ~kPlace) | place, std::memory_order_relaxed);
}

}  // namespace cst
