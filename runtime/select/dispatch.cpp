#include "dispatch.hpp"

#include <algorithm>

namespace cst {
namespace {

size_t rounds(size_t items, const Variant &v) { return v.full_rounds(items + v.lanes - 1); }

}  // namespace

bool fits(const Variant &v, const Query &query) {
    if (v.one_key && !query.one_key) return false;
    if (v.hand && !query.aligned) return false;
    if (v.need() > query.least) return false;
    if (v.kernel.load(std::memory_order_acquire)) return true;
    return !query.only_ready && !v.refused.load(std::memory_order_relaxed);
}

bool competes(const Variant &v, const Query &query) {
    return fits(v, query) && !(v.instead && fits(*v.instead, query));
}

void Family::add(const Variant *variant) {
    variants.push_back(variant);
    uint64_t need = variant->need();
    if (std::find(needs.begin(), needs.end(), need) == needs.end()) needs.push_back(need);
    std::sort(needs.begin(), needs.end(), [](uint64_t a, uint64_t b) { return a > b; });
}

void Pick::offer(const Variant *v, double cycles) {
    const uint32_t other = variant ? variant->lanes : v->lanes;
    const double margin = v->lanes < other ? 1 + COST_PRECISION : v->lanes > other ? 1 - COST_PRECISION : 1;
    if (!variant || cycles < cycles_per_byte * margin) {
        *this = {v, cycles, variant, cycles_per_byte};
    } else if (!next || cycles < next_cycles_per_byte) {
        next = v;
        next_cycles_per_byte = cycles;
    }
}

Pick pick(const Family &family, const Query &query, const Variant *forced) {
    Pick best;
    constexpr size_t kMost = 64;
    const Variant *candidates[kMost];
    double cost[kMost];
    size_t n = 0;
    const double per_byte = 1.0 / double(query.bytes ? query.bytes : 1), per_item = 1.0 / double(query.items);
    for (const Variant *v : family.variants) {
        if (v == forced ? !fits(*v, query) : !competes(*v, query)) continue;
        const double cycles = v->cost.per_byte + v->cost.per_call * per_byte;  // for one byte in every lane
        if (v == forced) {
            best.variant = v;
            best.cycles_per_byte = cycles * double(rounds(query.items, *v)) * per_item;
            return best;
        }
        if (n == kMost) continue;
        candidates[n] = v;
        cost[n++] = cycles;
    }
    size_t known_rest = 0;
    double rest_cost = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t lanes = candidates[i]->lanes;
        double total = cost[i];
        if (query.items > lanes) {
            const size_t full = candidates[i]->full_rounds(query.items), rest = query.items - full * lanes;
            total = cost[i] * double(full);
            if (rest && rest != known_rest) {
                rest_cost = cost[i] * double(rounds(rest, *candidates[i]));
                for (size_t j = 0; j < n; j++)
                    rest_cost = std::min(rest_cost, cost[j] * double(rounds(rest, *candidates[j])));
                known_rest = rest;
            }
            if (rest) total += rest_cost;
        }
        total *= per_item;
        best.offer(candidates[i], total);
    }
    return best;
}

}  // namespace cst
