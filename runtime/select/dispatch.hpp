// Which kernel for the work in hand.
#pragma once

#include <string>
#include <vector>

#include "choices.hpp"
#include "variant.hpp"

namespace cst {

// The kernels that can do one thing (hash with SHA-1, ...), all of one role.
struct Family {
    std::vector<const Variant *> variants;
    std::vector<uint64_t> needs;  // the distinct Variant::need(), largest first
    mutable Choices choices;      // what was decided about them (run/lineup.cpp)

    void add(const Variant *variant);
};

struct Query {
    uint64_t least = 0;       // every item has this many bytes at least
    bool one_key = false;
    bool aligned = true;      // hash and cipher stand at the same byte (hand-over kernels)
    bool only_ready = false;  // only kernels whose code exists already
};

// How exact cost tables are, relatively.
constexpr double COST_PRECISION = 0.02;

struct Pick {
    const Variant *variant = nullptr;  // NULL: none fits
    double cycles = 0;
    const Variant *next = nullptr;     // the runner-up
    double next_cycles = 0;

    // Takes the kernel if it is cheaper than what there is. Within the precision of the tables fewer lanes win: such a
    // kernel is shorter, and no lane runs idle.
    void offer(const Variant *v, double its_cycles);
};

// Whether the kernel can serve such items.
inline bool fits(const Variant &v, const Query &query) {
    if (v.one_key && !query.one_key) return false;
    if (v.hand && !query.aligned) return false;
    if (v.need() > query.least) return false;
    if (v.kernel.load(std::memory_order_acquire)) return true;
    return !query.only_ready && !v.refused.load(std::memory_order_relaxed);
}

// The same, and no other weave of it takes its place.
bool competes(const Variant &v, const Query &query);

}  // namespace cst
