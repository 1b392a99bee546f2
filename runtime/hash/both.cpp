// Runs two digests of the same messages (md5+sha256, ...). The tag of a message is the first digest, then the second.
// Where it takes less time, a kernel that is stitched of both runs in lanes; the other messages run on the paths of the
// first digest's suite, then on those of the second's.

#include "both.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "../message/constructions.hpp"
#include "../executors/lane_state.hpp"
#include "../message/mac.hpp"
#include "../executors/walk.hpp"
#include "../message/run_class.hpp"
#include "../suite/hash_state.hpp"

namespace cst {
namespace {

// Lists a message: whole blocks in place, the rest with its padding in the bounce buffer, once for each digest, because
// they write the length in different ways; or, of parts, whole blocks only.
class BothWriter {
public:
    typedef HashSegment Segment;
    static constexpr size_t MOST_SEGMENTS = 2;  // in place, and the assembled end

    BothWriter(const Suite &suite, const Variant &v, LaneMemory *memory, bool opens, bool parts)
        : memory_(*memory),
          most_together_(most_together(suite)),
          unit_(suite.hash->record.block_bytes),
          opens_(opens),
          parts_(parts),
          halves_{{*suite.halves[0], v.cipher, memory->state}, {*suite.halves[1], v.hash, memory->state}} {}

    bool all_right() const { return all_right_; }

    size_t write(uint32_t lane, const cst_job &job, Segment *to) {
        const uint8_t *const body = static_cast<const uint8_t *>(job.in);
        if (parts_) {
            states_[lane] = static_cast<HashState *>(job.tag);
            to[0] = {body, body, states_[lane]->chain, 0, job.in_len / unit_};
            return 1;
        }
        Segment *const first = to;
        const uint8_t *load = halves_[0].suite.initial;
        size_t whole = 0;
        if (job.in_len > most_together_) {
            whole = job.in_len & ~(unit_ - 1);
            *to++ = {body, load, nullptr, 0, whole / unit_};
            load = nullptr;
        }
        uint8_t *const end = scratch(lane) + END;
        size_t bytes = 0;
        for (size_t i = 0; i < 2; i++) {
            copy_few(end + i * APART, body + whole, job.in_len - whole);
            bytes = hash_pad(halves_[i].hash, end + i * APART, job.in_len - whole, job.in_len);
        }
        memory_.scratch_of(lane, END + APART + bytes);
        *to++ = {end, load, opens_ ? scratch(lane) + OTHER : static_cast<uint8_t *>(job.tag), 0, bytes / unit_};
        return size_t(to - first);
    }
    void point(uint32_t lane, const uint8_t *in) const {
        const bool assembled = uintptr_t(in) - uintptr_t(memory_.scratch) < MAX_LANES * SCRATCH_PITCH;
        put_pointer(memory_.state + halves_[0].part.lanes[lane].in, in);
        put_pointer(memory_.state + halves_[1].part.lanes[lane].in, assembled ? in + APART : in);
    }
    template <typename Of>
    void load(const uint32_t *lanes, size_t n, Of) const {
        for (size_t half = 0; half < 2; half++)
            halves_[half].chains.put(lanes, n, [&](size_t i) {
                return parts_ ? states_[lanes[i]][half].chain : halves_[half].suite.initial;
            });
    }
    template <typename Of>
    void store(const uint32_t *lanes, size_t n, Of segment) const {
        size_t at = 0;  // of the digest in the tag
        for (size_t half = 0; half < 2; half++) {
            const Half &its = halves_[half];
            its.chains.take(lanes, n,
                            [&](size_t i) { return parts_ ? states_[lanes[i]][half].chain : scratch(lanes[i]); });
            for (size_t i = 0; !parts_ && i < n; i++)
                hash_digest(its.hash, scratch(lanes[i]), segment(i).store + at, its.suite.tag_max);
            at += its.suite.tag_max;
        }
    }
    void done(uint32_t lane, cst_job *job) {
        if (parts_) return;
        const bool right =
            !opens_ || same_bytes(scratch(lane) + OTHER, static_cast<const uint8_t *>(job->tag), job->tag_len);
        job->out_len = 0;
        job->status = right ? CST_OK : CST_ERR_AUTH;
        all_right_ &= right;
    }

private:
    struct Half {
        Half(const Suite &its_suite, const Part &its_part, uint8_t *state)
            : suite(its_suite), hash(its_suite.hash->record), part(its_part), chains(its_part, state) {}
        const Suite &suite;
        const AlgorithmRecord &hash;
        const Part &part;
        const Chains chains;
    };
    // Layout of a lane's bounce buffer: the chaining value; OTHER: the tag to compare with; END: the assembled bytes of
    // the first digest, and APART from them those of the second.
    static constexpr size_t OTHER = MOST_CHAIN, END = OTHER + MOST_BLOCK, APART = WHOLE_MESSAGE + MOST_BLOCK;
    static_assert(END + 2 * APART <= SCRATCH_BYTES && 3 * PAD_SLACK <= MOST_BLOCK, "it fits");

    uint8_t *scratch(uint32_t lane) const { return memory_.scratch + lane * SCRATCH_PITCH; }
    LaneMemory &memory_;
    const size_t most_together_, unit_;
    const bool opens_, parts_;
    bool all_right_ = true;
    const Half halves_[2];
    HashState *states_[MAX_LANES];  // of parts
};

Need need_of(const Suite &suite, size_t n, uint64_t bytes, uint64_t most) {
    Need need = {&suite.pairs, n, bytes, most};
    need.whole_only = true;
    return need;
}

// Describes what n jobs need. padded: the padding is counted, too.
Need need_of(const Suite &suite, cst_job *const *jobs, size_t n, bool padded) {
    uint64_t sum = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        sum += jobs[i]->in_len;
        most = std::max<uint64_t>(most, jobs[i]->in_len);
    }
    const auto bytes = [&](uint64_t text) { return padded ? hashed_bytes(suite, text) : text; };
    return need_of(suite, n, bytes(sum / n), bytes(most));
}

size_t walk_both(Memory *memory, cst_job *const *jobs, size_t n, bool parts, bool *all) {
    size_t done = 0;
    while (done < n) {
        const Suite &suite = *key_of(*jobs[done]).suite;
        const Need need = need_of(suite, jobs + done, n - done, !parts);
        if (!both_beat_halves(suite, need)) break;
        const Lineup lineup = line_up(suite, need);
        if (!lineup.variant) break;
        *all &= walk<BothWriter>(&memory->lanes, *lineup.variant, jobs + done, lineup.messages, suite, *lineup.variant,
                                 &memory->lanes, jobs[0]->direction == CST_OPEN, parts);
        done += lineup.messages;
    }
    return done;
}

// Whether the messages are in one piece and equally long: such jobs can be run without the memory of a burst.
bool equally_long(cst_job *const *jobs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (in_pieces(*jobs[i]) || jobs[i]->in_len != jobs[0]->in_len) return false;
    return true;
}

// Runs the digests one after the other.
bool run_halves(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    if (!n) return true;
    struct Copies {
        cst_job jobs[MOST_MESSAGES], *list[MOST_MESSAGES];
    };
    const InSlot<Copies> its(memory->halves);
    cst_job *const copies = its->jobs, **const list = its->list;
    const bool equal = equally_long(jobs, n);
    size_t at = 0;  // of the digest in the tag
    bool all = true;
    for (const uint32_t half : {0, 1}) {
        size_t bytes = 0;
        for (size_t i = 0; i < n; i++) {
            const Key &key = key_of(*jobs[i]).half(half);
            bytes = key.suite->tag_max;
            list[i] = &copies[i];
            copies[i] = *jobs[i];
            copies[i].key = reinterpret_cast<const cst_key *>(&key);
            copies[i].status = JOB_WAITING;
            copies[i].tag = static_cast<uint8_t *>(jobs[i]->tag) + at;
            copies[i].tag_len = bytes;
        }
        const int result = equal ? run_now(copies, n) : JOB_WAITING;
        all &= result == JOB_WAITING ? run_class(memory, list, n, readable) : result == CST_OK;
        for (size_t i = 0; i < n; i++) {
            if (half == 0 || copies[i].status != CST_OK) jobs[i]->status = copies[i].status;
            jobs[i]->out_len = 0;
        }
        at += bytes;
    }
    return all;
}

}  // namespace

size_t run_both_blocks(Memory *memory, cst_job *const *jobs, size_t n) {
    bool all = true;
    return walk_both(memory, jobs, n, true, &all);
}

bool run_both(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    cst_job *whole[MOST_MESSAGES] = {}, *scattered[MOST_MESSAGES] = {};
    size_t n_whole = 0, n_scattered = 0;
    for (size_t i = 0; i < n; i++)
        if (in_pieces(*jobs[i])) scattered[n_scattered++] = jobs[i];
        else whole[n_whole++] = jobs[i];
    bool all = true;
    const size_t done = walk_both(memory, whole, n_whole, false, &all);
    all &= run_halves(memory, whole + done, n_whole - done, readable);
    return run_halves(memory, scattered, n_scattered, readable) && all;
}

bool plan_both(const Suite &suite, size_t n, uint64_t bytes, Plan *plan) {
    const Need need = need_of(suite, n, hashed_bytes(suite, bytes), hashed_bytes(suite, bytes));
    if (!both_beat_halves(suite, need)) return false;
    plan->pair = rank(suite, need);
    return plan->pair.chosen.variant;
}

}  // namespace cst
