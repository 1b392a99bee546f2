#include "memo.hpp"

namespace cst {
namespace {

constexpr uint64_t kPlace = 0xffff;  // the low bits of a slot: place + 1, or kNone
constexpr uint64_t kNone = 0xffff;

uint64_t hash(const Family &family, const Query &query, bool pair) {
    // Of the length the leading four bits, and how many follow.
    const uint64_t shift = query.bytes < 16 ? 0 : uint64_t(60 - __builtin_clzll(query.bytes));
    const uint64_t small = query.bytes >> shift | shift << 4 | uint64_t(query.one_key) << 10 | uint64_t(query.aligned) << 11 | uint64_t(pair) << 12;
    uint64_t h = 0;
    for (uint64_t word : {uint64_t(reinterpret_cast<uintptr_t>(&family)), small | uint64_t(query.items) << 16, query.least}) {
        h = (h ^ word) * 0x9e3779b97f4a7c15u;  // of words that differ in low bits only the high ones differ
        h ^= h >> 29;
    }
    return h;
}

uint64_t place_of(const Family &family, const Variant *choice) {
    for (size_t i = 0; choice && i < family.variants.size(); i++)
        if (family.variants[i] == choice) return i + 1;
    return kNone;
}

}  // namespace

bool ChoiceMemo::recall(const Family &family, const Query &query, bool pair, const Variant **choice) const {
    const uint64_t h = hash(family, query, pair);
    const uint64_t place = slots_.find(h % kSets, h) & kPlace;
    if (place == 0) return false;
    *choice = nullptr;
    if (place == kNone) return pair;
    if (place > family.variants.size() || !fits(*family.variants[place - 1], query)) return false;
    *choice = family.variants[place - 1];
    return true;
}

void ChoiceMemo::forget() {
    slots_.clear();
    exact_.clear();
}

void ChoiceMemo::remember(const Family &family, const Query &query, bool pair, const Variant *choice) {
    const uint64_t h = hash(family, query, pair);
    slots_.put(h % kSets, (h & ~kPlace) | place_of(family, choice));
}

void ChoiceMemo::remember_exact(const Family &family, uint64_t question, const Variant *choice) {
    exact_.put(exact_set(question), question << 16 | place_of(family, choice));
}

}  // namespace cst
