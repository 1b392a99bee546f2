#include "../executors/message.hpp"
#include "../message/run_class.hpp"
#include "column.hpp"

#include "../message/mac.hpp"
#include "order.hpp"

namespace cst {
namespace {

// Items that are sorted at once. Twice as many fill lanes no better, and touch more of the cache.
constexpr size_t WINDOW = MOST_ORDERED;

template <typename Offset>
void order_items(const Offset *offsets, size_t n, const AlgorithmRecord &hash, uint16_t *order) {
    const size_t log2 = size_t(__builtin_ctz(hash.block_bytes)), padding = hash.block_bytes + hash.length_bytes;
    const auto length = [offsets](size_t i) { return uint64_t(offsets[i + 1] - offsets[i]); };
    order_by_blocks(
        n, order, [&](size_t i) { return (length(i) + padding) >> log2; },
        [&](uint16_t a, uint16_t b) { return length(a) > length(b); });
}

template <typename Offset>
void run_items(const Column &c, Memory *memory) {
    const Offset *const offsets = static_cast<const Offset *>(c.offsets);
    const AlgorithmRecord &hash = c.key->suite->hash->record;
    struct Jobs {
        cst_job jobs[MOST_MESSAGES], *list[MOST_MESSAGES];
        uint16_t order[WINDOW];
    };
    const InSlot<Jobs> its(memory->window);
    cst_job *const jobs = its->jobs, **const list = its->list;
    uint16_t *const order = its->order;
    for (size_t i = 0; i < MOST_MESSAGES; i++) {
        list[i] = &jobs[i];
        jobs[i] = {};
        jobs[i].size = sizeof(cst_job);
        jobs[i].key = reinterpret_cast<const cst_key *>(c.key);
        jobs[i].direction = CST_SEAL;
        jobs[i].tag_len = c.tag_len;
    }
    for (size_t first = 0; first < c.size; first += WINDOW) {
        const size_t n = std::min(WINDOW, c.size - first);
        order_items(offsets + first, n, hash, order);
        for (size_t at = 0; at < n; at += memory->room()) {
            const size_t some = std::min(n - at, memory->room());
            for (size_t i = 0; i < some; i++) {
                const size_t item = first + order[at + i];
                cst_job &job = jobs[i];
                job.in = c.data + offsets[item];
                job.in_len = size_t(offsets[item + 1] - offsets[item]);
                job.tag = c.tags + item * c.stride;
                job.status = JOB_WAITING;
                __builtin_prefetch(job.in);
            }
            run_class(memory, list, some, c.end);
        }
    }
}

}  // namespace

int run_column(const Column &column) {
    Memory memory;
    if (int error = memory.allocate(*column.key->suite->engine, column.size)) return error;
    (column.wide ? run_items<uint64_t> : run_items<uint32_t>)(column, &memory);
    return CST_OK;
}

}  // namespace cst
