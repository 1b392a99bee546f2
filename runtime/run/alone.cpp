#include "alone.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "copy.hpp"

namespace cst {
namespace {

// Rows that lie together are left to the C library: kernels read several at once, which waits for the caches unless they were stored at once as well.
void copy_rows(uint8_t *to, size_t stride, const uint8_t *from, uint32_t rows) {
    if (stride == 16) memcpy(to, from, 16 * size_t(rows));
    else for (uint32_t i = 0; i < rows; i++) memcpy(to + i * stride, from + 16 * i, 16);
}

// How much of a text runs where it is. A short one goes through `blocks` altogether unless it needs no filling up: one call is less than two.
uint64_t strides(uint64_t bytes) {
    if (bytes >= COUNTER_STRIDE) return bytes & ~(COUNTER_STRIDE - 1);
    return bytes % 64 ? 0 : bytes;
}

}  // namespace

bool Alone::has_smallest(const Family &family, uint64_t block) {
    for (const Variant *v : family.variants)
        if (v->need() <= block && OneLane::serves(*v) && v->kernel.load(std::memory_order_acquire)) return true;
    return false;
}

Alone::Alone(const Suite &suite, LaneMemory *memory, bool one_key, bool decrypts)
    : suite_(suite), ciphers_(suite.ciphers(decrypts)), memory_(*memory), room_(suite.engine->most_state_bytes()), which_(suite, one_key) {
    for (size_t i = 0; i < ANSWERS; i++) cipher_answers_[i].bytes = hash_answers_[i].bytes = 0;
    if (suite.forced) return;
    usable_ = !suite.encrypt || has_smallest(ciphers_, suite.encrypt->record.block_bytes);
    if (usable_ && suite.engine->avx()) clear_upper_halves();
}

Alone::~Alone() { note_used(); }

void Alone::note_used() { memory_.state_used = std::max(memory_.state_used, used_); }

Alone::Slot *Alone::slot_of(const Variant &variant) {
    for (size_t i = 0; i < n_; i++)
        if (slots_[i].variant == &variant) return &slots_[i];
    const Kernel *kernel;
    if (suite_.engine->fetch(variant, &kernel)) return nullptr;
    size_t at = (used_ + variant.state_align - 1) & ~size_t(variant.state_align - 1);
    if (n_ == SLOTS || at + variant.state_bytes > room_) {
        note_used();
        for (size_t i = 0; i < ANSWERS; i++) cipher_answers_[i].bytes = hash_answers_[i].bytes = 0;
        n_ = at = 0;
    }
    Slot *slot = &slots_[n_++];
    used_ = at + variant.state_bytes;
    slot->variant = &variant;
    slot->fn = kernel->fn;
    slot->state = memory_.state + at;
    if (!variant.cipher.lanes.empty()) slot->cipher = variant.cipher.lanes[0];
    if (!variant.hash.lanes.empty()) slot->hash = variant.hash.lanes[0];
    slot->step_log2 = variant.step_log2;
    slot->round_keys = slot->mac_keys_end = nullptr;
    for (uint32_t i = 0; i < variant.n_streams; i++) slot->args.state[i] = slot->state + variant.state_offset[i];
    return slot;
}

Alone::Slot *Alone::find_slot(Answer *answer, const Family &family, uint64_t bytes) {
    const Variant *variant = which_.choose(family, bytes);
    Slot *slot = variant ? slot_of(*variant) : nullptr;
    if (!slot && (variant = which_.compare(family, bytes, false, true))) slot = slot_of(*variant);
    if (slot) *answer = {bytes, slot};
    return slot;
}

template <bool ciphers, bool hashes>
void Alone::call(Slot *slot, const uint8_t *in, uint8_t *out, const uint8_t *hash_in, uint64_t iterations) {
    const Variant &v = *slot->variant;
    uint8_t *const state = slot->state;
    const Item &item = work_->item;
    const LanePlace *cipher = &slot->cipher, *hash = &slot->hash;
    if constexpr (ciphers) {
        if (slot->round_keys != item.round_keys) copy_rows(state + cipher->key, v.cipher.key_row_bytes, item.round_keys, v.cipher.key_rows);
        slot->round_keys = item.round_keys;
        put_pointer(state + cipher->in, in);
        put_pointer(state + cipher->out, out);
        memcpy(state + cipher->chain, work_->chain, 16);
    }
    // Of one lane the rows of the chaining value mostly lie together.
    auto each_chain_row = [&](auto copy) {
        uint32_t rows = v.hash.chain_rows, stride = v.hash.chain_row_bytes, entry = v.hash.chain_entry;
        if (stride == entry) entry *= rows, rows = 1;
        for (uint32_t i = 0; i < rows; i++) {
            copy(state + hash->chain + i * stride, work_->hash_chain + i * entry, entry);
        }
    };
    if constexpr (hashes) {
        if (slot->mac_keys_end != item.mac_keys_end)
            copy_rows(state + hash->key, v.hash.key_row_bytes, item.mac_keys_end - 16 * v.hash.key_rows, v.hash.key_rows);
        slot->mac_keys_end = item.mac_keys_end;
        put_pointer(state + hash->in, hash_in);
        each_chain_row([&](uint8_t *row, const uint8_t *chain, size_t bytes) { copy_chain(row, chain, bytes, v.chain_piece); });
    }
    slot->args.iterations = iterations;
    slot->fn(&slot->args);
    v.calls.add(1);
    if constexpr (ciphers) memcpy(work_->chain, state + cipher->chain, 16);
    if constexpr (hashes) each_chain_row([&](const uint8_t *row, uint8_t *chain, size_t bytes) { copy_chain(chain, row, bytes, v.chain_piece); });
}

void Alone::cipher(const uint8_t *in, uint8_t *out, uint64_t bytes) {
    while (bytes) {
        Slot *slot = slot_for(cipher_answers_, ciphers_, bytes);
        const uint32_t shift = slot->step_log2;
        const uint64_t some = bytes >> shift << shift;
        call<true, false>(slot, in, out, nullptr, some >> shift);
        in += some;
        out += some;
        bytes -= some;
    }
}

void Alone::text_in_blocks(size_t bytes) {
    const size_t room = counter_room(bytes);
    memset(work_->blocks + bytes, 0, room - bytes);
    work_->use_blocks(room);
    cipher(work_->blocks, work_->blocks, room);
}

void Alone::text(const uint8_t *in, uint8_t *out, uint64_t bytes) {
    const uint64_t whole = strides(bytes);
    const size_t rest = size_t(bytes - whole);
    cipher(in, out, whole);
    if (!rest) return;
    memcpy(work_->blocks, in + whole, rest);
    text_in_blocks(rest);
    memcpy(out + whole, work_->blocks, rest);
}

uint64_t Alone::hash(const uint8_t *in, uint64_t bytes, uint64_t least, double cycles) {
    uint64_t done = 0;
    while (bytes - done >= least) {
        Slot *slot = slot_for(hash_answers_, suite_.hashes, bytes - done);
        if (!slot) break;
        if (cycles * double(bytes - done) < which_.cost(*slot->variant, bytes - done)) break;
        const uint32_t shift = slot->step_log2;
        const uint64_t some = (bytes - done) >> shift << shift;
        call<false, true>(slot, nullptr, nullptr, in + done, some >> shift);
        done += some;
    }
    return done;
}

const Variant *Alone::choose_hash(uint64_t bytes) {
    const Slot *slot = slot_for(hash_answers_, suite_.hashes, bytes);
    return slot ? slot->variant : nullptr;
}

uint64_t Alone::hash_on(const Variant &variant, const uint8_t *in, uint64_t bytes) {
    const uint64_t iterations = bytes >> variant.step_log2;
    if (iterations) call<false, true>(slot_of(variant), nullptr, nullptr, in, iterations);
    return iterations << variant.step_log2;
}

void Alone::forget_mac_keys() {
    for (size_t i = 0; i < n_; i++) slots_[i].mac_keys_end = nullptr;
}

const Variant *Alone::choose_pair(uint64_t bytes, bool ahead) {
    if (last_.bytes == bytes && last_.ahead == ahead) return last_.pair;
    const Variant *pair = which_.pair(bytes, ahead);
    if (pair && !slot_of(*pair)) pair = nullptr;
    last_.bytes = bytes;
    last_.ahead = ahead;
    return last_.pair = pair;
}

uint64_t Alone::both(const Variant &pair, const uint8_t *in, uint8_t *out, const uint8_t *hash_in, uint64_t bytes) {
    const uint64_t iterations = bytes >> pair.step_log2;
    if (iterations <= pair.lag) return 0;
    call<true, true>(slot_of(pair), in, out, hash_in, iterations);
    return iterations << pair.step_log2;
}

}  // namespace cst
