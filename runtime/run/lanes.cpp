#include "lanes.hpp"

#include <algorithm>

#include "../select/upper_halves.hpp"
#include "filling.hpp"

namespace cst {
namespace {

// Iterations by which items must differ before sorting them, and changing the kernel on the way, is worth the time.
constexpr uint64_t kUneven = 4;

// Core cycles per item of the phases that a stitched middle needs around it: cipher and hash go alone to where it begins. Measured on Zen 4.
constexpr double kAroundPair = 220, kAroundOpenPair = 340;

// Lists the items of at least `need` bytes in classes of about the same length, the longest first.
void sort_longest_first(Item *const *items, size_t n, uint64_t need, uint64_t longest, Item **order) {
    constexpr uint32_t kClasses = 64;
    uint32_t shift = 0;
    while (longest >> shift >= kClasses) shift++;
    uint32_t place[kClasses + 1] = {};
    auto class_of = [&](const Item *item) { return kClasses - 1 - uint32_t(item->bytes_and_then() >> shift); };
    for (size_t i = 0; i < n; i++)
        if (items[i]->bytes >= need) place[class_of(items[i]) + 1]++;
    for (uint32_t i = 1; i < kClasses; i++) place[i] += place[i - 1];
    for (size_t i = 0; i < n; i++)
        if (items[i]->bytes >= need) order[place[class_of(items[i])]++] = items[i];
}

// Lists the items of at least `need` bytes.
Item *const *keep_long(Item *const *items, size_t n, uint64_t need, Item **order) {
    Item **next = order;
    for (size_t i = 0; i < n; i++)
        if (items[i]->bytes >= need) *next++ = items[i];
    return order;
}

// The number of live lanes from which on another kernel would serve the rest better.
size_t stop_below(const Phase &phase, const Variant *chosen, Query query) {
    size_t most = std::min<size_t>(query.items, chosen->lanes);
    for (query.items = most / 2; query.items; query.items /= 2)
        if (decide(phase, query) != chosen) return query.items;
    return 0;
}

// What a round has to do.
struct Survey {
    size_t pending = 0;  // items of at least `need` bytes
    uint64_t sum = 0, shortest = UINT64_MAX, longest = 0;
    uint64_t bits = 0;   // of the sizes of all pieces, or-ed: a power of two divides every size if it divides this
    bool alike = true;   // the same pieces
};

Survey survey(Item *const *items, size_t n, uint64_t need) {
    Survey s;
    const uint64_t usual = n ? items[0]->bytes : 0;
    size_t i = 0;
    while (i < n && items[i]->bytes == usual && !items[i]->then[0].bytes) i++;
    if (i == n && usual >= need) {
        s.pending = n;
        s.sum = usual * n;
        s.shortest = s.longest = s.bits = usual;
        return s;
    }
    const Item *first = nullptr;
    for (i = 0; i < n; i++) {
        Item &item = *items[i];
        uint64_t bytes = item.bytes;
        if (item.then[0].bytes) {
            item.go_on();
            bytes = item.bytes_and_then();
            s.bits |= item.bits();
        }
        if (item.bytes < need) continue;
        if (!first) first = &item;
        s.pending++;
        s.sum += bytes;
        s.bits |= item.bytes;
        s.shortest = std::min(s.shortest, bytes);
        s.longest = std::max(s.longest, bytes);
        s.alike &= item.then[0].bytes == first->then[0].bytes && (!item.then[0].bytes || item.same_pieces(*first));
    }
    s.alike &= s.shortest == s.longest;
    return s;
}

// Whether the forced kernel does another part of the work, so that pairs of the family must not.
bool keeps_out(const Suite &suite, const Family &family) {
    if (suite.forced->role == Role::open_pair) return &family == &suite.handed_open_pairs && !suite.forced->hand;
    return suite.forced->role != Role::pair;
}

}  // namespace

Query query_of(const Phase &phase, size_t n, uint64_t mean, uint64_t least) {
    Query query;
    query.items = n;
    query.bytes = mean;
    query.least = least;
    query.one_key = phase.one_key;
    query.aligned = phase.aligned;
    return query;
}

Pick choose_pair(const Phase &phase, const Query &query) {
    const Suite &suite = *phase.suite;
    const Family &family = *phase.family;
    if (suite.forced && keeps_out(suite, family)) return Pick();
    Pick pair = pick(family, query, suite.forced);
    if (!pair.variant || pair.variant == suite.forced) return pair;
    const double around = (&family == &suite.pairs ? kAroundPair : kAroundOpenPair) / double(query.bytes), stitched = pair.cycles_per_byte + around;
    Query rivals = query;  // most of the bytes are in items that any kernel could do
    rivals.least = std::max(query.least, query.bytes);
    if (&family == &suite.handed_open_pairs) {
        const Pick other = pick(suite.open_pairs, rivals, nullptr);
        if (other.variant && other.cycles_per_byte + around < stitched) return Pick();
    }
    const Pick cipher = pick(&family == &suite.pairs ? suite.encrypts : suite.decrypts, rivals, nullptr), hash = pick(suite.hashes, rivals, nullptr);
    const bool apart = cipher.variant && hash.variant && cipher.cycles_per_byte + hash.cycles_per_byte < stitched * (1 - 2 * COST_PRECISION);  // two costs are added
    return apart ? Pick() : pair;
}

const Variant *decide(const Phase &phase, const Query &query) {
    const Suite &suite = *phase.suite;
    const bool usual = suite.memo && !suite.forced && !query.only_ready;
    const Variant *choice;
    if (usual && suite.memo->recall(*phase.family, query, phase.pair, &choice)) return choice;
    choice = (phase.pair ? choose_pair(phase, query) : pick(*phase.family, query, suite.forced)).variant;
    if (usual) suite.memo->remember(*phase.family, query, phase.pair, choice);
    return choice;
}

void run_phase(const Phase &phase, LaneMemory *memory, Item *const *items, Item **order, size_t n) {
    const Engine &engine = *phase.suite->engine;
    const Variant *first = phase.first;
    bool only_ready = false;
    for (uint64_t need : phase.family->needs) {
        for (;;) {
            const Survey all = survey(items, n, need);
            size_t pending = all.pending;
            if (!pending) break;
            Query query = query_of(phase, pending, all.alike ? all.longest : all.sum / pending, need);
            query.only_ready = only_ready;
            const Variant *choice = first ? first : decide(phase, query);
            first = nullptr;
            if (!choice) break;
            const Kernel *kernel;
            if (engine.fetch(*choice, &kernel)) {
                only_ready = true;
                continue;
            }
            const Variant &v = *choice;
            bool last = pending == n && v.lag == 0 && (all.bits & (v.step - 1)) == 0;  // nothing will be left
            Item *const *list = items;
            size_t stop_at = 0;
            if (all.longest - all.shortest >= kUneven * v.step) {  // longest first, so that the lanes become empty together
                sort_longest_first(items, n, need, all.longest, order);
                list = order;
                stop_at = stop_below(phase, &v, query);
                last &= stop_at == 0;
            } else {
                if (pending < n) list = keep_long(items, n, need, order);
                const size_t whole = v.full_rounds(pending) * v.lanes;
                if (whole && whole < pending) {  // the rest gets a kernel of its own
                    pending = whole;
                    last = false;
                }
            }
            if (v.legacy_sse && engine.avx()) clear_upper_halves();
            memory->state_used = std::max(memory->state_used, size_t(v.state_bytes));
            const bool alike = all.alike && all.longest <= IDLE_OUT_BYTES;
            const uint64_t calls = alike ? run_alike(v, kernel->fn, memory, list, pending) : run_uneven(v, kernel->fn, memory, list, pending, stop_at);
            v.calls.add(calls);
            if (last) return;
        }
    }
}

}  // namespace cst
