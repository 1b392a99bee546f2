// Hashes blocks for a key, without other memory.
#pragma once

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "../executors/lane_state.hpp"
#include "../plan/lineup.hpp"

namespace cst {

// Hashes blocks of one or two messages directly on a kernel.
class KeyHash {
public:
    explicit KeyHash(const Suite &suite) : KeyHash(suite, suite.hashes, suite.hash->record) {}
    // On a kernel of the family, which has the algorithm of that record.
    KeyHash(const Suite &suite, const Family &family, const AlgorithmRecord &record)
        : suite_(suite), family_(family), block_(record.read_bytes()) {}
    ~KeyHash() { wipe(state_, state_used_); }
    KeyHash(const KeyHash &) = delete;
    KeyHash &operator=(const KeyHash &) = delete;

    int prepare() {
        v_ = line_up(suite_, {&family_, 2, block_, block_}).variant;
        const Kernel *kernel;
        for (size_t i = 0; i < family_.variants.size() && (!v_ || !has_room(*v_)); i++) {
            const Variant *const other = family_.variants[i];
            v_ =
                other->need() <= block_ && has_room(*other) && !suite_.engine->fetch(*other, &kernel) ? other : nullptr;
        }
        return v_ && has_room(*v_) ? CST_OK : CST_ERR_UNSUPPORTED;
    }
    // Hashes `bytes` bytes, whole blocks, of each message, and updates its chaining value.
    void run(const uint8_t *const *in, uint8_t *const *chains, size_t n, uint64_t bytes) {
        const Chains lanes(v_->hash, state_);
        const cst_kernel_fn fn = v_->kernel.load(std::memory_order_acquire)->fn;
        cst_kernel_args args = {bytes >> v_->step_log2, {}};
        for (uint32_t i = 0; i < v_->n_streams; i++) args.state[i] = state_ + v_->state_offset[i];
        if (v_->legacy_sse && suite_.engine->avx()) clear_upper_halves();
        state_used_ = v_->state_bytes;
        for (size_t at = 0; at < n; at += v_->lanes) {
            const size_t live = n - at < v_->lanes ? n - at : v_->lanes;
            for (size_t i = 0; i < v_->lanes; i++)
                put_pointer(state_ + v_->hash.lanes[i].in, in[i < live ? at + i : at]);
            lanes.put(BOTH, live, [&](size_t i) { return chains[at + i]; });
            fn(&args);
            lanes.take(BOTH, live, [&](size_t i) { return chains[at + i]; });
            v_->calls.add(1);
        }
    }

private:
    static constexpr uint32_t BOTH[] = {0, 1};
    static constexpr size_t ROOM = 6144, ALIGNED = 64;

    static bool has_room(const Variant &v) { return v.state_bytes <= ROOM && v.state_align <= ALIGNED; }

    const Suite &suite_;
    const Family &family_;
    const uint64_t block_;
    const Variant *v_ = nullptr;
    size_t state_used_ = 0;
    alignas(ALIGNED) uint8_t state_[ROOM];
};

}  // namespace cst
