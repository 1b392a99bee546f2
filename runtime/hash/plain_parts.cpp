#include "plain_parts.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "../executors/lane_state.hpp"
#include "../executors/lanes.hpp"
#include "../plan/lineup.hpp"
#include "../message/mac.hpp"

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
    const auto need_of_rest = [&](Rest *const *rest, size_t some) {
        return need_of(suite, rest, alone(suite, rest, some));
    };
    run_selected<PartStep>(suite, &memory->lanes, list, n, need_of_rest, suite);
}

// Keeps bytes that do not fill a block and do not end the message.
void put_aside(const cst_part &part) {
    HashState *const s = state_of(part);
    const size_t used = s->bytes & (suite_of(part)->hash->record.block_bytes - 1);
    if (part.in_len) memcpy(s->block + used, part.in, part.in_len);
    s->bytes += part.in_len;
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

}  // namespace cst
