// The cipher side of a batch.

#include <algorithm>
#include <cstring>

#include "work.hpp"

namespace cst {
namespace {

constexpr uint64_t MOST_DETOUR = 512;

uint64_t together(Work *work, uint64_t position) { return std::min(work->in.together(position), work->out.together(position)); }

// Of the next `bytes` bytes, those that one call can do: what lies together; or a detour over blocks that do not.
uint64_t run_of(Work *work, uint64_t bytes) {
    if (!work->scattered()) return bytes;
    const uint64_t unit = work->key->suite->encrypt->record.block_bytes;
    const uint64_t here = together(work, work->ciphered) & ~(unit - 1);
    if (here) return std::min(bytes, here);
    uint64_t detour = unit;
    while (detour < std::min(bytes, MOST_DETOUR) && together(work, work->ciphered + detour) < LONG_STRETCH) detour += unit;
    work->detour = detour;
    return detour;
}

}  // namespace

void run_cipher(const Batch &batch, bool decrypt) {
    const Phase phase = phase_of(batch, batch.suite->ciphers(decrypt));
    Item **items = batch.arena->items;
    for (bool more = true; more;) {
        more = false;
        size_t n = 0;
        for (size_t i = 0; i < batch.n; i++) {
            Work &work = batch.works[i];
            if (work.failed || work.cipher_end <= work.ciphered) continue;
            const uint64_t left = work.cipher_end - work.ciphered, bytes = std::min(run_of(&work, left), before_carry(work));
            Item &item = work.item;
            items[n++] = &item;
            if (work.detour) {
                work.in.read(work.ciphered, work.blocks, work.detour);
                work.use_blocks(work.detour);
                item.in = item.out = work.blocks;
            } else {
                item.in = work.in.at(work.ciphered);
                item.out = work.out.at(work.ciphered);
            }
            item.bytes = bytes;
            item.done = 0;
            more |= bytes < left;
        }
        if (!n) return;
        run_phase(phase, &batch.arena->lanes, items, batch.arena->order, n);
        for (size_t i = 0; i < n; i++) {
            Work &work = *static_cast<Work *>(items[i]->owner);
            if (work.detour) work.out.write(work.ciphered, work.blocks, work.detour);
            work.detour = 0;
            work.ciphered += work.item.done;
            carry(&work);
        }
    }
}

void run_half(const Batch &batch, bool decrypt) {
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (work.failed || work.job->in_len == work.bulk) continue;
        memset(work.last, 0, 2 * DES_BLOCK);
        work.in.read(work.bulk, work.last, DES_BLOCK);
        work.item.in = work.item.out = work.last;
        work.item.bytes = 2 * DES_BLOCK;
        batch.arena->items[n++] = &work.item;
    }
    run_items(batch, batch.suite->ciphers(decrypt), n);
    for (size_t i = 0; i < n; i++) {
        Work &work = *static_cast<Work *>(batch.arena->items[i]->owner);
        work.out.write(work.bulk, work.last, DES_BLOCK);
    }
}

void run_last(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.item.in = work.item.out = work.last;
        work.item.bytes = work.last_bytes;
        batch.arena->items[i] = &work.item;
    }
    run_items(batch, batch.suite->encrypts, batch.n);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.out.write(work.bulk, work.last, work.last_bytes);
    }
}

}  // namespace cst
