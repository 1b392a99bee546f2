#include "dispatch.hpp"

#include <algorithm>

namespace cst {

bool competes(const Variant &v, const Query &query) {
    return fits(v, query) && !(v.instead && fits(*v.instead, query));
}

void Family::add(const Variant *variant) {
    variants.push_back(variant);
    uint64_t need = variant->need();
    if (std::find(needs.begin(), needs.end(), need) == needs.end()) needs.push_back(need);
    std::sort(needs.begin(), needs.end(), [](uint64_t a, uint64_t b) { return a > b; });
}

void Pick::offer(const Variant *v, double its_cycles) {
    const uint32_t other = variant ? variant->lanes : v->lanes;
    const double margin = v->lanes < other ? 1 + COST_PRECISION : v->lanes > other ? 1 - COST_PRECISION : 1;
    if (!variant || its_cycles < cycles * margin) {
        *this = {v, its_cycles, variant, cycles};
    } else if (!next || its_cycles < next_cycles) {
        next = v;
        next_cycles = its_cycles;
    }
}

}  // namespace cst
