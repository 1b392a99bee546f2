#include "run.hpp"

#include <algorithm>

#include "mac.hpp"

namespace cst {
namespace {

// So many items are sorted at once. Twice as many are no better filled, and touch more of the cache.
constexpr size_t WINDOW = 1024;
// Items of as many blocks or more are compared with one another.
constexpr size_t BUCKETS = 128;

// Some neighbours of a column in the order of their blocks, the most first: lanes become free together. Numbers of
// blocks are counted, because comparing takes longer than hashing does.
class Window {
public:
    template <typename Offset>
    void sort(const Offset *offsets, size_t n, const AlgorithmRecord &hash) {
        const size_t log2 = size_t(__builtin_ctz(hash.block_bytes)), padding = hash.block_bytes + hash.length_bytes;
        uint16_t from[BUCKETS + 1] = {};
        uint8_t bucket[WINDOW];
        for (size_t i = 0; i < n; i++) {
            const uint64_t blocks = (uint64_t(offsets[i + 1] - offsets[i]) + padding) >> log2;
            bucket[i] = uint8_t(BUCKETS - 1 - std::min<uint64_t>(blocks, BUCKETS - 1));
            from[bucket[i] + 1]++;
        }
        const size_t longest = from[1];
        for (size_t i = 1; i < BUCKETS; i++) from[i] = uint16_t(from[i] + from[i - 1]);
        for (size_t i = 0; i < n; i++) order_[from[bucket[i]]++] = uint16_t(i);
        std::sort(order_, order_ + longest, [offsets](uint16_t a, uint16_t b) {
            return offsets[a + 1] - offsets[a] > offsets[b + 1] - offsets[b];
        });
    }
    size_t operator[](size_t place) const { return order_[place]; }

private:
    uint16_t order_[WINDOW];
};

template <typename Offset>
void run_items(const Column &c, Memory *memory) {
    const Offset *const offsets = static_cast<const Offset *>(c.offsets);
    const AlgorithmRecord &hash = c.key->suite->hash->record;
    cst_job jobs[MOST_MESSAGES] = {}, *list[MOST_MESSAGES];
    for (size_t i = 0; i < MOST_MESSAGES; i++) {
        list[i] = &jobs[i];
        jobs[i].size = sizeof(cst_job);
        jobs[i].key = reinterpret_cast<const cst_key *>(c.key);
        jobs[i].direction = CST_SEAL;
        jobs[i].tag_len = c.tag_len;
    }
    Window window;
    for (size_t first = 0; first < c.size; first += WINDOW) {
        const size_t n = std::min(WINDOW, c.size - first);
        window.sort(offsets + first, n, hash);
        for (size_t at = 0; at < n; at += memory->room()) {
            const size_t some = std::min(n - at, memory->room());
            for (size_t i = 0; i < some; i++) {
                const size_t item = first + window[at + i];
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
