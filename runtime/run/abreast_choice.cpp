// Cost tables are measured between other code, where a call of many lanes takes several hundred cycles. Here code and state block are warm, and what counts
// beside the iterations is the loading of lanes: a kernel of one lane hides it behind the job before. Cycles per job of 64 bytes on Zen 4, in a burst of 64:
// AES-CTR 54 on one lane, 40 on eight; 1 KiB: 190 and 240.

#include "abreast_choice.hpp"

#include <algorithm>

#include "abreast.hpp"

namespace cst {
namespace {

// Core cycles, measured on Zen 4: of a call; of a job that is loaded into one of several lanes, with its round keys, which lie together or apart, or without.
constexpr double kCall = 30, kLane = 25, kLaneApart = 40, kLaneOneKey = 8;

double lane(const Variant &v, bool one_key) {
    return v.lanes == 1 ? 0 : one_key ? kLaneOneKey : v.cipher.key_row_bytes == v.cipher.key_entry ? kLane : kLaneApart;
}

double call(const Variant &v, uint64_t bytes) {
    const uint64_t rest = bytes & (v.step - 1);  // another kernel's
    return kCall + v.cost.per_iteration * double(bytes >> v.step_log2) + (rest ? kCall + v.cost.per_byte * double(rest) : 0);
}

}  // namespace

bool texts_serve(const Suite &suite, uint64_t bytes) {
    if (suite.forced || suite.half_blocks() || !suite.memo || bytes - 1 >= ABREAST_TEXT || bytes & (suite.encrypt->record.block_bytes - 1)) return false;
    switch (suite.construction) {
        case Construction::single:
        case Construction::etm:
        case Construction::esp:
        case Construction::tls:
        case Construction::counter:
        case Construction::chacha:
        case Construction::xts: return true;
        default: return false;
    }
}

bool abreast_serves(const Suite &suite, uint64_t bytes) { return suite.kind == CST_CIPHER && texts_serve(suite, bytes); }

Pick pick_abreast(const Suite &suite, const Family &family, size_t n, uint64_t bytes, bool one_key) {
    Query query;
    query.items = n;
    query.bytes = query.least = bytes;
    query.one_key = one_key;
    const double size = double(n) * double(bytes);
    auto usable = [&](const Variant &v) { return competes(v, query) && !v.lag && v.state_bytes <= suite.engine->most_state_bytes(); };
    double one = 0;  // the least for a job on a kernel of one lane
    for (const Variant *v : family.variants)
        if (v->lanes == 1 && usable(*v) && (one == 0 || call(*v, bytes) < one)) one = call(*v, bytes);
    Pick best;
    for (const Variant *v : family.variants) {
        if (!usable(*v)) continue;
        const size_t lanes = v->lanes, full = v->full_rounds(n), rest = n - full * lanes;
        const double each = call(*v, bytes), left = one == 0 ? each : std::min(each, double(rest) * one);
        const double cycles = (double(full) * each + (rest ? n < lanes ? each : left : 0) + double(n) * lane(*v, one_key)) / size;
        best.offer(v, cycles);
    }
    return best;
}

}  // namespace cst
