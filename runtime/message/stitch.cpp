#include "stitch.hpp"

namespace cst {

Stitch choose_stitch(const Suite &suite, const Shape &mean, const Shape &longest, size_t n, bool one_key, bool lists) {
    if (!suite.hash || !suite.enciphers()) return {};
    const bool deciphers = mean.opens && !mean.ccm;
    for (const bool handed : {true, false}) {
        const Family &family = !deciphers ? suite.pairs : handed ? suite.handed_open_pairs : suite.open_pairs;
        if (family.variants.empty() || (handed && (!deciphers || mean.boundary % AES_BLOCK))) continue;
        const Start start(mean, handed, family.needs.front(), AES_BLOCK);
        Need need = {&family, n, start.bytes, Start(longest, handed, family.needs.front(), AES_BLOCK).bytes};
        need.aligned = start.aligned;
        need.one_key = one_key;
        const uint64_t least = family.holds(suite.forced) ? suite.forced->need() : family.needs.back();
        if (need.bytes < least) continue;
        const auto choose = lists ? choose_pair_of_lists : choose_pair;
        double cycles = 0;
        if (const Variant *const pair = choose(suite, need, suite.ciphers(mean.opens), &cycles)) return {pair, cycles};
    }
    return {};
}

}  // namespace cst
