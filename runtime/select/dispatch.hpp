// Selects a kernel for given work.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "choices.hpp"
#include "variant.hpp"

namespace cst {

// The kernels that can do one thing (hash with SHA-1, ...), all of one role.
struct Family {
    std::vector<const Variant *> variants;
    std::vector<uint64_t> needs;  // the distinct Variant::need(), largest first
    mutable Choices choices;      // cached choices among them (plan/lineup.cpp)

    void add(const Variant *variant);
    bool holds(const Variant *variant) const {
        return std::find(variants.begin(), variants.end(), variant) != variants.end();
    }
};

struct Query {
    uint64_t least = 0;       // every item has at least this many bytes
    bool one_key = false;
    bool aligned = true;      // hash and cipher are at the same byte (hand-over kernels)
    bool only_ready = false;  // only kernels whose code exists already
};

// The relative precision of cost tables.
constexpr double COST_PRECISION = 0.02;

struct Pick {
    const Variant *variant = nullptr;  // NULL: none fits
    double cycles = 0;
    const Variant *next = nullptr;     // the runner-up
    double next_cycles = 0;

    // Takes the kernel if it is cheaper than the current one. Within the precision of the tables the kernel with fewer
    // lanes wins: it is shorter, and no lane of it is idle.
    void offer(const Variant *v, double its_cycles);
};

// Whether the kernel can process such items.
inline bool fits(const Variant &v, const Query &query) {
    if (v.one_key && !query.one_key) return false;
    if (v.hand && !query.aligned) return false;
    if (v.need() > query.least) return false;
    if (v.kernel.load(std::memory_order_acquire)) return true;
    return !query.only_ready && !v.refused.load(std::memory_order_relaxed);
}

// Whether the kernel fits, and no other weave of it that also fits replaces it.
bool competes(const Variant &v, const Query &query);

}  // namespace cst
