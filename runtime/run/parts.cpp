#include "run.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "both.hpp"
#include "checksum.hpp"
#include "framed.hpp"
#include "lane_state.hpp"
#include "leaves.hpp"
#include "lanes.hpp"
#include "lineup.hpp"
#include "mac.hpp"
#include "multi_hash.hpp"
#include "tree.hpp"

namespace cst {
namespace {

// The work that a part still needs.
struct Rest {
    const cst_part *part;
    uint64_t blocks;  // in all, those of the end and of HMAC included
};

class PartStep : public HashLanes {
public:
    PartStep(const Suite &suite, const Variant &v, LaneMemory *memory)
        : HashLanes(suite.hash->record, v, memory), unit_(hash_.block_bytes), hmac_(suite.hmac()) {}

    Rest *message[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        chains_.put(lanes, n, [&](size_t i) { return state_at(lanes[i])->chain; });
        for (size_t i = 0; i < n; i++) {
            in_left_[lanes[i]] = part_at(lanes[i]).in_len;
            stage_[lanes[i]] = Stage::joint;
            go_on(lanes[i]);
        }
    }
    void turn(const uint32_t *lanes, size_t n) {
        uint32_t outers[MAX_LANES], ends[MAX_LANES];
        size_t n_outers = 0, n_ends = 0;
        for (size_t i = 0; i < n; i++) {
            const uint32_t lane = lanes[i];
            if (go_on(lane)) continue;
            if (wants_outer(lane)) outers[n_outers++] = lane;
            else ends[n_ends++] = lane;
        }
        if (n_outers) begin_outer(outers, n_outers, [&](size_t i) { return key_at(outers[i]).outer(); });
        if (n_ends) finish(ends, n_ends);
    }

private:
    enum class Stage : uint8_t {
        joint,  // the boundary block: waiting bytes, filled up to a block
        body,  // whole blocks, in place
        end,  // the rest: with padding, or kept for the next part
        outer,  // HMAC's outer hash
        done
    };

    const cst_part &part_at(uint32_t lane) const { return *message[lane]->part; }
    HashState *state_at(uint32_t lane) const { return state_of(part_at(lane)); }
    const uint8_t *rest_of(uint32_t lane) const {
        const cst_part &part = part_at(lane);
        return static_cast<const uint8_t *>(part.in) + (part.in_len - in_left_[lane]);
    }
    void take_into_block(HashState *s, uint32_t lane, size_t used, size_t n) {
        if (n) memcpy(s->block + used, rest_of(lane), n);
        in_left_[lane] -= n;
        s->bytes += n;
    }

    // Begins the lane's next contiguous run. Returns false if there is none, or only HMAC's outer hash is left.
    bool go_on(uint32_t lane) {
        HashState *const s = state_at(lane);
        left[lane] = 0;
        if (stage_[lane] == Stage::joint) {
            stage_[lane] = Stage::body;
            const size_t used = s->bytes & (unit_ - 1);
            if (used) {
                take_into_block(s, lane, used, std::min<uint64_t>(unit_ - used, in_left_[lane]));
                if (!(s->bytes & (unit_ - 1))) return begin(lane, s->block, unit_);
            }
        }
        if (stage_[lane] == Stage::body) {
            stage_[lane] = Stage::end;
            const uint64_t whole = in_left_[lane] & ~uint64_t(unit_ - 1);
            if (whole) {
                const uint8_t *const from = rest_of(lane);
                in_left_[lane] -= whole;
                s->bytes += whole;
                return begin(lane, from, whole);
            }
        }
        if (stage_[lane] == Stage::end) {
            stage_[lane] = Stage::done;
            take_into_block(s, lane, s->bytes & (unit_ - 1), in_left_[lane]);
            if (!part_at(lane).last) return false;
            if (hmac_) stage_[lane] = Stage::outer;
            uint8_t *const to = memory_->scratch_of(lane, READ + 2 * MOST_BLOCK + PAD_SLACK) + READ;
            const size_t used = s->bytes & (unit_ - 1);
            memcpy(to, s->block, used);
            return begin(lane, to, hash_pad(hash_, to, used, s->bytes + (hmac_ ? unit_ : 0)));
        }
        return false;
    }
    bool wants_outer(uint32_t lane) {
        const bool wants = stage_[lane] == Stage::outer;
        stage_[lane] = Stage::done;
        return wants;
    }
    const Key &key_at(uint32_t lane) const { return *reinterpret_cast<const Key *>(part_at(lane).key); }
    void finish(const uint32_t *lanes, size_t n) {
        chains_.take(lanes, n, [&](size_t i) { return state_at(lanes[i])->chain; });
        for (size_t i = 0; i < n; i++) {
            const cst_part &part = part_at(lanes[i]);
            if (!part.last) continue;
            hash_digest(hash_, state_at(lanes[i])->chain, static_cast<uint8_t *>(part.tag), part.tag_len);
            wipe(part.state, sizeof(HashState));
        }
    }

    const size_t unit_;
    const bool hmac_;
    uint64_t in_left_[MAX_LANES];
    Stage stage_[MAX_LANES];
};

const Suite *suite_of(const cst_part &part) { return reinterpret_cast<const Key *>(part.key)->suite; }

uint64_t blocks_of(const cst_part &part) {
    const Suite &suite = *suite_of(part);
    const size_t unit = suite.hash->record.block_bytes;
    const uint64_t bytes = (state_of(part)->bytes & (unit - 1)) + part.in_len;
    return (part.last ? hashed_bytes(suite, bytes) : bytes) / unit;
}

Need need_of(const Suite &suite, Rest *const *list, size_t n) {
    const size_t unit = suite.hash->record.block_bytes;
    uint64_t blocks = 0;
    for (size_t i = 0; i < n; i++) blocks += list[i]->blocks;
    Need need = {&suite.hashes, n, blocks / n * unit, list[0]->blocks * unit};
    need.whole_only = true;
    return need;
}

// Returns how many of these parts, the longest first, need a kernel selection of their own: a few long ones among short
// ones would leave most lanes idle.
size_t alone(const Suite &suite, Rest *const *list, size_t n) {
    constexpr uint64_t MUCH_LONGER = 4;
    size_t some = 1;
    while (some < n && list[some]->blocks * MUCH_LONGER > list[0]->blocks) some++;
    if (some == n) return n;
    const auto cycles = [&](Rest *const *from, size_t m) { return step_cycles(suite, need_of(suite, from, m)); };
    return cycles(list, some) + cycles(list + some, n - some) < cycles(list, n) ? some : n;
}

// Runs parts of one suite, the longest first, each of which has something to do for a kernel.
void run_some(Memory *memory, Rest *const *list, size_t n) {
    const Suite &suite = *suite_of(*list[0]->part);
    while (n) {
        const Lineup lineup = line_up(suite, need_of(suite, list, alone(suite, list, n)));
        const InSlot<PartStep> step(memory->lanes.step, suite, *lineup.variant, &memory->lanes);
        execute(*suite.engine, *lineup.variant, &memory->lanes, &*step, list, lineup.messages);
        list += lineup.messages;
        n -= lineup.messages;
    }
}

void take_into_checksum(const cst_part &part) {
    HashState *const s = state_of(part);
    const uint64_t at = go_on_with(*reinterpret_cast<const Key *>(part.key), load64(s->chain), part.in, part.in_len);
    put_words(s->chain, at, 0);
    s->bytes += part.in_len;
    if (!part.last) return;
    put_checksum(*reinterpret_cast<const Key *>(part.key), at, part.tag);
    wipe(part.state, sizeof(HashState));
}

// Keeps bytes that do not fill a block and do not end the message.
void put_aside(const cst_part &part) {
    HashState *const s = state_of(part);
    const size_t used = s->bytes & (suite_of(part)->hash->record.block_bytes - 1);
    if (part.in_len) memcpy(s->block + used, part.in, part.in_len);
    s->bytes += part.in_len;
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

}  // namespace

void run_plain_parts(Memory *memory, const cst_part *const *parts, size_t n) {
    Rest rests[MOST_MESSAGES], *list[MOST_MESSAGES];
    size_t working = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t blocks = blocks_of(*parts[i]);
        if (!blocks) {
            put_aside(*parts[i]);
            continue;
        }
        rests[working] = {parts[i], blocks};
        list[working] = &rests[working];
        working++;
    }
    std::sort(list, list + working, [](const Rest *a, const Rest *b) {
        const Suite *const its = suite_of(*a->part), *const other = suite_of(*b->part);
        return its != other ? its < other : a->blocks > b->blocks;
    });
    for (size_t from = 0, to; from < working; from = to) {
        for (to = from + 1; to < working && suite_of(*list[to]->part) == suite_of(*list[from]->part);) to++;
        run_some(memory, list + from, to - from);
    }
}

namespace {

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

int run_parts(const Engine &engine, const cst_part *parts, size_t n) {
    Memory memory;
    if (int error = memory.allocate(engine, n)) return error;
    for (size_t first = 0; first < n; first += memory.room())
        run_window(&memory, parts + first, std::min(n - first, memory.room()));
    return CST_OK;
}

}  // namespace cst
