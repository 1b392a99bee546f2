#include <cstddef>
#include <new>
#include <type_traits>

#include "../suite/secret.hpp"
#include "short_jobs.hpp"

namespace cst {
namespace {

constexpr size_t kLine = 64;
constexpr size_t round_up(size_t size) { return (size + kLine - 1) / kLine * kLine; }
static_assert(alignof(Work) <= kLine && alignof(ShortJob) <= kLine && IDLE_OUT_BYTES % kLine == 0, "the parts of the arena are aligned to cache lines");

// They are used as plain memory.
static_assert(std::is_trivially_destructible<Work>::value && std::is_trivially_destructible<Item>::value, "never destroyed");

}  // namespace

int Arena::allocate(const Engine &engine, size_t n) {
    n = n < MOST_WORKS ? n : MOST_WORKS;
    const size_t state_bytes = round_up(engine.most_state_bytes());
    const size_t list_bytes = round_up(n * sizeof(Item *)), work_bytes = round_up(n * sizeof(Work)), short_bytes = round_up(n * sizeof(ShortJob));
    const size_t block_bytes = round_up(n * SHORT_BLOCKS + PAD_SLACK), table_bytes = round_up(n * RC4_STATE);
    base_ = engine.spare().take(STATE_ALIGN + state_bytes + IDLE_OUT_BYTES + work_bytes + short_bytes + block_bytes + 2 * list_bytes + table_bytes);
    if (!base_) return CST_ERR_MEMORY;
    spare_ = &engine.spare();
    uint8_t *p = static_cast<uint8_t *>(base_);
    p += -reinterpret_cast<uintptr_t>(p) & (STATE_ALIGN - 1);
    lanes.state = p;
    lanes.idle_out = p += state_bytes;
    works = reinterpret_cast<Work *>(p += IDLE_OUT_BYTES);
    short_jobs = reinterpret_cast<ShortJob *>(p += work_bytes);
    short_blocks = p += short_bytes;
    items = reinterpret_cast<Item **>(p += block_bytes);
    order = reinterpret_cast<Item **>(p += list_bytes);
    tables_ = p + list_bytes;
    room_ = n;
    return CST_OK;
}

Work *Arena::begin(size_t i) {
    const size_t used = i < works_used ? works[i].blocks_used : 0;
    Work *work = new (&works[i]) Work;
    work->blocks_used = used;
    works_used = works_used > i ? works_used : i + 1;
    return work;
}

void Arena::clean() {
    wipe(lanes.state, lanes.state_used);
    if (lanes.idle_used) wipe(lanes.idle_out, IDLE_OUT_BYTES);
    for (size_t i = 0; i < works_used; i++) wipe(works[i].chain, offsetof(Work, blocks) - offsetof(Work, chain) + works[i].blocks_used);
    for (size_t i = 0; powers_used && i < works_used; i++) wipe(works[i].powers, sizeof(works[i].powers));
    if (tables_used) wipe(tables_, works_used * RC4_STATE);
    powers_used = tables_used = false;
    for (size_t i = 0; i < short_jobs_used; i++) wipe(short_jobs[i].chain, sizeof(short_jobs[i].chain));
    if (short_blocks_used) wipe(short_blocks, short_blocks_used + PAD_SLACK);
    lanes.state_used = works_used = short_jobs_used = short_blocks_used = 0;
    lanes.idle_used = false;
}

Arena::~Arena() {
    if (!base_) return;
    clean();
    spare_->give(base_);
}

}  // namespace cst
