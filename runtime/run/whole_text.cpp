#include <optional>

#include "../suite/suite.hpp"
#include "block_calls.hpp"
#include "ccm_blocks.hpp"
#include "keys.hpp"
#include "lanes.hpp"
#include "lineup.hpp"
#include "text.hpp"
#include "whole.hpp"

namespace cst {
namespace {

class WholeTextStep {
public:
    WholeTextStep(const Variant &v, LaneMemory *memory, const cst_job &first)
        : places_(v.cipher.lanes.data()),
          memory_(memory),
          state_(memory->state),
          round_keys_(key_of(first).suite->key_layout.round_keys(first.direction == CST_OPEN)),
          step_(v.step),
          log2_(v.step_log2),
          begins_(begin_of(*key_of(first).suite)),
          keys_(v.cipher, state_) {
        if (begins_ == Begin::tweak) blocks_.emplace(*key_of(first).suite);
        if (v.one_key) keys_.share(reinterpret_cast<const uint8_t *>(first.key) + round_keys_);
    }

    cst_job *message[MAX_LANES];
    uint64_t left[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        // What is stored to a state could, for all the compiler knows, be a field of this step.
        const LanePlace *const places = places_;
        uint8_t *const state = state_;
        const size_t step = step_, round_keys = round_keys_;
        const uint32_t log2 = log2_;
        const Begin begins = begins_;
        for (size_t i = 0; i < n; i++) {
            const uint32_t lane = lanes[i];
            const cst_job &job = *message[lane];
            const LanePlace &place = places[lane];
            if (place.chain != NO_FIELD) put_chain(begins, state + place.chain, job);
            keys_.put(lane, reinterpret_cast<const uint8_t *>(job.key) + round_keys);
            const uint8_t *in = static_cast<const uint8_t *>(job.in);
            uint8_t *out = static_cast<uint8_t *>(job.out);
            const uint64_t bytes = (job.in_len + step - 1) & ~uint64_t(step - 1);
            if (bytes != job.in_len) {
                out = memory_->scratch_of(lane, bytes);
                copy_few(out, in, job.in_len);
                memset(out + job.in_len, 0, bytes - job.in_len);
                in = out;
            }
            in_[lane] = in;
            out_[lane] = out;
            left[lane] = bytes >> log2;
            put_pointer(state + place.in, in);
            put_pointer(state + place.out, out);
        }
    }
    void turn(const uint32_t *lanes, size_t n) {
        for (size_t i = 0; i < n; i++) {
            cst_job *const job = message[lanes[i]];
            left[lanes[i]] = 0;
            if (job->in_len & (step_ - 1))
                copy_few(static_cast<uint8_t *>(job->out), memory_->scratch_of(lanes[i], 0), job->in_len);
            text_done(job);
        }
    }
    void advance(uint32_t lane, uint64_t iterations) {
        if (!left[lane]) return;
        point(lane, in_[lane] += iterations << log2_, out_[lane] += iterations << log2_);
    }
    uint64_t most_idle(uint64_t iterations) const {
        memory_->idle_used = IDLE_OUT_BYTES;
        return std::min<uint64_t>(iterations, IDLE_OUT_BYTES >> log2_);
    }
    void idle(uint32_t lane, uint32_t model) const { point(lane, in_[model], memory_->idle_out); }

private:
    // What the chaining value is made of.
    enum class Begin : uint8_t { iv, half, tweak, ccm };
    static Begin begin_of(const Suite &suite) {
        if (suite.construction == Construction::ccm) return Begin::ccm;
        return suite.tweaked() ? Begin::tweak : suite.half_blocks() ? Begin::half : Begin::iv;
    }
    void put_chain(Begin begins, uint8_t *to, const cst_job &job) {
        const uint8_t *const iv = static_cast<const uint8_t *>(job.iv);
        if (begins == Begin::iv) return void(memcpy(to, iv, 16));
        if (begins == Begin::half) return put_words(to, 0, load64(iv));  // of two blocks before only the second counts
        if (begins == Begin::ccm) return put_ccm_block(job, 0, 1, to);
        if (blocks_) blocks_->encipher(key_of(job).tweak(), iv, to);  // IEEE 1619, 5.3.1: the first tweak is E(K2, i)
    }
    void point(uint32_t lane, const uint8_t *in, uint8_t *out) const {
        put_pointer(state_ + places_[lane].in, in);
        put_pointer(state_ + places_[lane].out, out);
    }

    const LanePlace *const places_;
    LaneMemory *const memory_;
    uint8_t *const state_;
    const size_t round_keys_, step_;
    const uint32_t log2_;
    const Begin begins_;
    LaneKeys keys_;
    std::optional<BlockCalls> blocks_;
    const uint8_t *in_[MAX_LANES];
    uint8_t *out_[MAX_LANES];
};

}  // namespace

void run_whole_texts(const Whole &w) {
    if (!w.n) return;
    const Suite &suite = *key_of(*w.jobs[0]).suite;
    Need need = {&suite.ciphers(w.jobs[0]->direction == CST_OPEN), w.n, w.mean, w.jobs[0]->in_len};
    need.one_key = w.one_key;
    need.grain = w.grain;
    need.rounds_up = !w.grain;
    for (cst_job *const *at = w.jobs; need.messages;) {
        const Lineup lineup = line_up(suite, need);
        WholeTextStep step(*lineup.variant, &w.memory->lanes, *at[0]);
        execute(*suite.engine, *lineup.variant, &w.memory->lanes, &step, at, lineup.messages);
        at += lineup.messages;
        need.messages -= lineup.messages;
    }
}

}  // namespace cst
