// Calls kernels of one lane at once, each on a state block of its own, in which state stays between two calls.
#pragma once

#include "../select/kernel_call.hpp"
#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "lane_state.hpp"

namespace cst {

// A kernel of a cipher, a hash, or both stitched.
class LaneCall {
public:
    static constexpr size_t STATE = 1536, ALIGNED = 64, MOST_STEP = 512;

    // Whether the kernel's state block and iteration fit.
    static bool holds(const Variant &v) {
        return v.lanes == 1 && v.n_streams <= 2 && v.state_bytes <= STATE && v.state_align <= ALIGNED &&
               v.step <= MOST_STEP && (v.stitched() || !v.lag);
    }

    explicit LaneCall(const KernelCall &call) : call_(call), v_(*call.variant) {
        args_.state[0] = state_ + call.state_offset[0];
        args_.state[1] = state_ + call.state_offset[1];
        for (const Variant::Link &link : v_.links) put_pointer(state_ + link.from, state_ + link.hand);
    }
    ~LaneCall() {
        wipe_rows(state_, v_.state_bytes);
        v_.calls.add(calls_);
    }
    LaneCall(const LaneCall &) = delete;
    LaneCall &operator=(const LaneCall &) = delete;

    uint64_t step() const { return call_.step; }
    void cipher_key(const uint8_t *rows) { put_key(call_.cipher_lane, v_.cipher, rows); }
    void mac_key(const uint8_t *end) {
        if (v_.hash.key_rows) put_key(call_.hash_lane, v_.hash, end - 16 * v_.hash.key_rows);
    }
    // The chaining value of the cipher, in the state block.
    uint8_t *cipher_chain() { return state_ + call_.cipher_lane.chain; }
    void put_chain(const uint8_t *chain) { chains().put_one_lane(chain); }
    // Returns where the hash's chaining value is contiguous: in the state block, or copied to `aside`.
    const uint8_t *chain(uint8_t *aside) const { return chains().one_lane(aside); }
    void text(const void *in, void *out) {
        put_pointer(state_ + call_.cipher_lane.in, in);
        put_pointer(state_ + call_.cipher_lane.out, out);
    }
    void hashed(const void *in) {
        if (call_.hash_lane.in != NO_FIELD) put_pointer(state_ + call_.hash_lane.in, in);
    }
    void run(uint64_t bytes) {
        if (call_.clears_upper) clear_upper_halves();
        args_.iterations = bytes >> call_.step_log2;
        call_.fn(&args_);
        calls_++;
    }

private:
    Chains chains() const { return Chains(v_.hash, const_cast<uint8_t *>(state_)); }
    void put_key(const LanePlace &lane, const Part &part, const uint8_t *rows) {
        if (lane.key == NO_FIELD) return;
        copy_key_rows(state_ + lane.key, part.key_row_bytes, part.key_rows_in(rows), part.key_rows);
    }

    const KernelCall &call_;
    const Variant &v_;
    cst_kernel_args args_;
    uint64_t calls_ = 0;
    alignas(ALIGNED) uint8_t state_[STATE];
};

}  // namespace cst
