#include "parts.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "../hash/both.hpp"
#include "../storage/checksum.hpp"
#include "../hash/framed.hpp"
#include "../hash/leaves.hpp"
#include "../hash/multi_hash.hpp"
#include "../hash/plain_parts.hpp"
#include "../hash/tree.hpp"

namespace cst {
namespace {

void take_into_checksum(const cst_part &part) {
    HashState *const s = state_of(part);
    const uint64_t at = go_on_with(*reinterpret_cast<const Key *>(part.key), load64(s->chain), part.in, part.in_len);
    put_words(s->chain, at, 0);
    s->bytes += part.in_len;
    if (!part.last) return;
    put_checksum(*reinterpret_cast<const Key *>(part.key), at, part.tag);
    wipe(part.state, sizeof(HashState));
}

void run_window(Memory *memory, const cst_part *parts, size_t n);

void begin_state(HashState *s, const Key &key) {
    const AlgorithmRecord &hash = key.suite->hash->record;
    s->key = reinterpret_cast<const cst_key *>(&key);
    if (is_checksum(*key.suite)) put_words(s->chain, key.crc().start, 0);
    else memcpy(s->chain, key.inner(), size_t(hash.words) * hash.word_bytes);
}

// Hashes whole blocks of parts of two digests, where stitched kernels do it, and advances these parts.
void run_blocks_of_both(Memory *memory, cst_part *parts, size_t n) {
    const Suite &suite = *suite_of(*parts);
    const size_t unit = suite.hash->record.block_bytes;
    struct Blocks {
        cst_job jobs[MOST_MESSAGES], *list[MOST_MESSAGES];
    };
    const InSlot<Blocks> its(memory->window);
    cst_job *const jobs = its->jobs, **const list = its->list;
    size_t some = 0;
    for (size_t i = 0; i < n && !suite.pairs.variants.empty(); i++) {
        HashState *const s = state_of(parts[i]);
        if (parts[i].in_len < unit || s->bytes % unit) continue;
        const Key &key = *reinterpret_cast<const Key *>(parts[i].key);
        for (uint32_t half = 0; half < 2 && !s[half].key; half++) begin_state(s + half, key.half(half));
        cst_job &job = jobs[i] = {};
        job.key = parts[i].key;
        job.in = parts[i].in;
        job.in_len = parts[i].in_len & ~(unit - 1);
        job.tag = s;
        list[some++] = &job;
    }
    if (!some) return;
    const size_t done = run_both_blocks(memory, list, some);
    for (size_t i = 0; i < done; i++) {
        cst_part &part = parts[list[i] - jobs];
        part.in = static_cast<const uint8_t *>(part.in) + list[i]->in_len;
        part.in_len -= list[i]->in_len;
        for (uint32_t half = 0; half < 2; half++) state_of(part)[half].bytes += list[i]->in_len;
    }
}

// Runs parts of two digests of the same bytes: their states follow one another.
void run_both_parts(Memory *memory, const cst_part *const *list, size_t n) {
    struct Halves {
        cst_part left[MOST_MESSAGES], parts[MOST_MESSAGES];
    };
    const InSlot<Halves> its(memory->halves);
    cst_part *const left = its->left, *const parts = its->parts;
    for (size_t i = 0; i < n; i++) left[i] = *list[i];
    run_blocks_of_both(memory, left, n);
    size_t at = 0;  // of the digest in the tag
    for (uint32_t half = 0; half < 2; half++) {
        const size_t bytes = suite_of(*left)->halves[half]->tag_max;
        for (size_t i = 0; i < n; i++) {
            parts[i] = left[i];
            const Key &key = reinterpret_cast<const Key *>(left[i].key)->half(half);
            parts[i].key = reinterpret_cast<const cst_key *>(&key);
            parts[i].state = state_of(left[i]) + half;
            if (!parts[i].last) continue;
            parts[i].tag = static_cast<uint8_t *>(parts[i].tag) + at;
            parts[i].tag_len = bytes;
        }
        run_window(memory, parts, n);
        at += bytes;
    }
}

// Begins the state of a part whose kernels read blocks where they lie, or takes it into a checksum. Returns whether it
// is for run_plain_parts.
bool is_plain(const cst_part &part) {
    const Key &key = *reinterpret_cast<const Key *>(part.key);
    switch (key.suite->construction) {
        case Construction::framed:
        case Construction::leaves:
        case Construction::both:
        case Construction::tree:
        case Construction::multi: return false;
        default: break;
    }
    if (!state_of(part)->key) begin_state(state_of(part), key);
    if (!is_checksum(*key.suite)) return true;
    take_into_checksum(part);
    return false;
}

// Runs parts of at most memory->room() messages.
void run_window(Memory *memory, const cst_part *parts, size_t n) {
    const cst_part *list[MOST_MESSAGES];
    // Returns the number of parts for which that is so, and lists them.
    const auto those = [&](auto is_so) {
        size_t some = 0;
        for (const cst_part *part = parts; part < parts + n; part++)
            if (is_so(*part)) list[some++] = part;
        return some;
    };
    const auto of = [&](Construction construction) {
        return those([&](const cst_part &part) { return suite_of(part)->construction == construction; });
    };
    if (const size_t some = those(is_plain)) run_plain_parts(memory, list, some);
    if (const size_t some = of(Construction::framed)) run_framed_parts(memory, list, some);
    if (const size_t some = of(Construction::leaves)) run_leaf_parts(memory, list, some);
    if (const size_t some = of(Construction::tree)) run_tree_parts(memory, list, some);
    for (size_t i = 0, some = of(Construction::multi); i < some; i++) run_multi_hash_part(memory, *list[i]);
    const size_t both = of(Construction::both);
    for (size_t from = 0, to; from < both; from = to) {
        for (to = from + 1; to < both && suite_of(*list[to]) == suite_of(*list[from]);) to++;
        run_both_parts(memory, list + from, to - from);
    }
}

}  // namespace

bool has_sound_state(const cst_part &part) {
    const Key &key = *reinterpret_cast<const Key *>(part.key);
    const HashState *const s = state_of(part);
    if ((s->key ? s->key != key_in_state(part) : s->bytes != 0) || s->bytes > key.suite->lengths.seal.max) return false;
    switch (key.suite->construction) {
        case Construction::both:
            return s[1].bytes == s[0].bytes &&
                   s[1].key == (s->key ? reinterpret_cast<const cst_key *>(&key.half(1)) : nullptr);
        case Construction::tree: return static_cast<const TreeState *>(part.state)->is_sound();
        case Construction::leaves: return static_cast<const LeavesState *>(part.state)->is_sound();
        default: return true;
    }
}

int run_parts(const Engine &engine, const cst_part *parts, size_t n) {
    Memory memory;
    if (int error = memory.allocate(engine, n)) return error;
    for (size_t first = 0; first < n; first += memory.room())
        run_window(&memory, parts + first, std::min(n - first, memory.room()));
    return CST_OK;
}

}  // namespace cst
