#include <optional>

#include "../suite/block_mac.hpp"
#include "../suite/secret.hpp"
#include "burst.hpp"
#include "ccm_blocks.hpp"
#include "chains.hpp"
#include "hash_end.hpp"
#include "keys.hpp"
#include "lanes.hpp"
#include "mac.hpp"
#include "whole.hpp"

namespace cst {
namespace {

// Of a lane's scratch: a chaining value, then what the kernel reads.
constexpr size_t MESSAGE = MOST_CHAIN;
constexpr size_t ROOM = MESSAGE + WHOLE_MESSAGE + 3 * PAD_SLACK;  // CCM fills up two blocks
static_assert(ROOM <= SCRATCH_BYTES, "it fits");

class WholeMacStep {
public:
    WholeMacStep(const Suite &suite, const Variant &v, LaneMemory *memory, bool opens, const uint8_t *readable)
        : suite_(suite),
          hash_(suite.hash->record),
          places_(v.hash.lanes.data()),
          memory_(memory),
          state_(memory->state),
          log2_(v.step_log2),
          opens_(opens),
          hmac_(suite.hmac()),
          headed_(suite.kind == CST_AEAD),
          block_mac_(hash_.kind == ALGORITHM_CBC_MAC),
          ccm_(suite.construction == Construction::ccm),
          reads_output_(headed_ && opens == ccm_),
          keys_end_(suite.key_layout.mac + 16 * (hash_.rounds + 1)),
          key_bytes_(16 * v.hash.key_rows),
          chains_(v, state_),
          keys_(v.hash, state_),
          readable_(readable),
          most_whole_(WHOLE_MESSAGE - 1 - hash_.length_bytes) {
        if (ccm_) blocks_.emplace(suite);
    }

    cst_job *message[MAX_LANES];
    uint64_t left[MAX_LANES];
    bool all_right = true;

    void load(const uint32_t *lanes, size_t n) {
        static const uint8_t zero[16] = {};
        if (block_mac_) {
            chains_.put(lanes, n, [](size_t) { return zero; });
            for (size_t i = 0; i < n; i++)
                keys_.put(lanes[i], reinterpret_cast<const uint8_t *>(message[lanes[i]]->key) + keys_end_ - key_bytes_);
        } else {
            chains_.put(lanes, n, [&](size_t i) { return key_of(*message[lanes[i]]).inner(); });
        }
        for (size_t i = 0; i < n; i++) begin_message(lanes[i], *message[lanes[i]]);
    }
    void turn(const uint32_t *lanes, size_t n) {
        uint32_t outers[MAX_LANES], ends[MAX_LANES];
        size_t n_outers = 0, n_ends = 0;
        for (size_t i = 0; i < n; i++) {
            const uint32_t lane = lanes[i];
            if (next_[lane] == Next::end) end_of_body(lane, *message[lane]);
            else if (next_[lane] == Next::outer) outers[n_outers++] = lane;
            else ends[n_ends++] = lane;
        }
        if (n_outers) begin_outer(outers, n_outers);
        if (n_ends) finish(ends, n_ends);
    }
    void advance(uint32_t lane, uint64_t iterations) {
        if (left[lane]) point(lane, in_[lane] += iterations << log2_);
    }
    uint64_t most_idle(uint64_t iterations) const { return iterations; }
    void idle(uint32_t lane, uint32_t model) const { point(lane, in_[model]); }

private:
    void point(uint32_t lane, const uint8_t *in) const { put_pointer(state_ + places_[lane].in, in); }
    void begin(uint32_t lane, const uint8_t *in, uint64_t bytes) {
        left[lane] = bytes >> log2_;
        point(lane, in_[lane] = in);
    }
    uint8_t *scratch(uint32_t lane) const { return memory_->scratch + lane * SCRATCH_PITCH; }
    void take(const uint32_t *lanes, size_t n) const {
        chains_.take(lanes, n, [&](size_t i) { return scratch(lanes[i]); });
    }

    void begin_message(uint32_t lane, const cst_job &job) {
        if (!headed_ && !block_mac_ && job.in_len > most_whole_) {
            begin(lane, static_cast<const uint8_t *>(job.in), job.in_len & ~uint64_t(hash_.block_bytes - 1));
            next_[lane] = Next::end;
            return;
        }
        if (!headed_ && !block_mac_) return end(lane, static_cast<const uint8_t *>(job.in), job.in_len, job.in_len);
        uint8_t *const to = put_together(lane);
        const uint8_t *const body = static_cast<const uint8_t *>(reads_output_ ? job.out : job.in);
        next_[lane] = hmac_ ? Next::outer : Next::nothing;
        if (ccm_) {  // SP 800-38C, A.2: AAD and text filled up to whole blocks
            size_t used = put_ccm_head(job, to);
            copy_few(to + used, static_cast<const uint8_t *>(job.aad), job.aad_len);
            used = fill_with_zeros(to, used + job.aad_len);
            copy_few(to + used, body, job.in_len);
            return begin(lane, to, fill_with_zeros(to, used + job.in_len));
        }
        const size_t head = headed_ ? put_head(suite_, job, to) : 0;
        copy_few(to + head, body, job.in_len);
        size_t used = head + job.in_len;
        if (headed_) used += put_trailer(suite_, job, to + used);
        if (block_mac_) begin(lane, to, mask_end(key_of(job), to, used));
        else begin_end(lane, to, used, used);
    }
    void end_of_body(uint32_t lane, const cst_job &job) {
        const size_t rest = job.in_len & (hash_.block_bytes - 1);
        end(lane, static_cast<const uint8_t *>(job.in) + job.in_len - rest, rest, job.in_len);
    }
    // The rest of a message of so many bytes.
    void end(uint32_t lane, const uint8_t *from, size_t rest, uint64_t bytes) {
        uint8_t *const to = put_together(lane);
        next_[lane] = hmac_ ? Next::outer : Next::nothing;
        const size_t all = hash_end_bytes(hash_, rest);
        if (readable_ && size_t(readable_ - from) >= all) {
            hash_end(hash_, to, from, rest, bytes + (hmac_ ? hash_.block_bytes : 0));
            return begin(lane, to, all);
        }
        copy_few(to, from, rest);
        begin_end(lane, to, rest, bytes);
    }
    uint8_t *put_together(uint32_t lane) const { return memory_->scratch_of(lane, ROOM) + MESSAGE; }
    void begin_end(uint32_t lane, uint8_t *last, size_t used, uint64_t bytes) {
        begin(lane, last, hash_pad(hash_, last, used, bytes + (hmac_ ? hash_.block_bytes : 0)));
    }

    // RFC 2104: the hash of the key's other block and the digest.
    void begin_outer(const uint32_t *lanes, size_t n) {
        take(lanes, n);
        for (size_t i = 0; i < n; i++) {
            uint8_t *const to = scratch(lanes[i]) + MESSAGE;
            hash_digest(hash_, scratch(lanes[i]), to, hash_.digest_bytes);
            begin(lanes[i], to, hash_pad(hash_, to, hash_.digest_bytes, hash_.block_bytes + hash_.digest_bytes));
            next_[lanes[i]] = Next::nothing;
        }
        chains_.put(lanes, n, [&](size_t i) { return key_of(*message[lanes[i]]).outer(); });
    }
    void finish(const uint32_t *lanes, size_t n) {
        take(lanes, n);
        for (size_t i = 0; i < n; i++) {
            cst_job *const job = message[lanes[i]];
            const uint8_t *digest = scratch(lanes[i]);  // of a block cipher it is the chaining value
            left[lanes[i]] = 0;
            if (!block_mac_ && !opens_) {
                hash_digest(hash_, digest, static_cast<uint8_t *>(job->tag), job->tag_len);
            } else if (!block_mac_) {
                uint8_t *const to = scratch(lanes[i]) + MESSAGE;
                hash_digest(hash_, digest, to, hash_.digest_bytes);
                digest = to;
            }
            if (blocks_) mask_ccm_tag(&*blocks_, *job, scratch(lanes[i]), scratch(lanes[i]) + MESSAGE);
            if (opens_ && !same_bytes(digest, static_cast<const uint8_t *>(job->tag), job->tag_len)) {
                refuse_unopened(job);
                all_right = false;
                continue;
            }
            if (!opens_ && block_mac_) copy_few(static_cast<uint8_t *>(job->tag), digest, job->tag_len);
            job->out_len = headed_ ? job->in_len : 0;
            job->status = CST_OK;
        }
    }

    const Suite &suite_;
    const AlgorithmRecord &hash_;
    const LanePlace *const places_;
    LaneMemory *const memory_;
    uint8_t *const state_;
    const uint32_t log2_;
    const bool opens_, hmac_, headed_, block_mac_, ccm_, reads_output_;
    const size_t keys_end_, key_bytes_;
    const Chains chains_;
    LaneKeys keys_;
    std::optional<BlockCalls> blocks_;
    const uint8_t *const readable_;  // Whole::readable
    const size_t most_whole_;  // bytes of a message without a head
    const uint8_t *in_[MAX_LANES];
    enum class Next : uint8_t { end, outer, nothing } next_[MAX_LANES];  // what follows what the lane does
};

}  // namespace

bool run_whole_macs(const Whole &w) {
    const cst_job &first = *w.jobs[0];
    const Suite &suite = *key_of(first).suite;
    const uint64_t head = head_bytes(suite, first.aad_len);
    Need need = {&suite.hashes, w.n, hashed_bytes(suite, head + w.mean), hashed_bytes(suite, head + first.in_len)};
    need.whole_only = true;
    bool all = true;
    for (cst_job *const *at = w.jobs; need.messages;) {
        const Lineup lineup = line_up(suite, need);
        WholeMacStep step(suite, *lineup.variant, &w.memory->lanes, first.direction == CST_OPEN, w.readable);
        execute(*suite.engine, *lineup.variant, &w.memory->lanes, &step, at, lineup.messages);
        all &= step.all_right;
        at += lineup.messages;
        need.messages -= lineup.messages;
    }
    return all;
}

}  // namespace cst
