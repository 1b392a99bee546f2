// Calls kernels that take messages whole: state between two steps of a message stays in registers, and only pointers
// are copied to a state block.
#pragma once

#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "../suite/suite.hpp"
#include "copy.hpp"

namespace cst {

// Runs message after message on one kernel. Values that depend on a text's length are prepared when the length changes.
class Calls {
public:
    Calls(const Calls &) = delete;
    Calls &operator=(const Calls &) = delete;

    // Whether the kernel's state block and iteration fit into the buffers here.
    static bool has_room(const Variant &v) {
        return v.state_bytes <= STATE_ROOM && v.state_align <= ALIGNED && v.step <= MOST_STEP;
    }

protected:
    static constexpr size_t BLOCK = 16, ALIGNED = 64, STATE_ROOM = 1536, MOST_STEP = BLOCK * MOST_MESSAGE_BLOCKS;

    Calls(const Engine &engine, const Variant &v, uint64_t bytes)
        : v_(v),
          place_(v.message),
          args_{},
          fn_(v.kernel.load(std::memory_order_acquire)->fn),
          lane_((v.cipher.algorithm ? v.cipher : v.hash).lanes[0]) {
        if (v.legacy_sse && engine.avx()) clear_upper_halves();
        for (uint32_t i = 0; i < v.n_streams; i++) args_.state[i] = state_ + v.state_offset[i];
        set_length(bytes);
    }
    ~Calls() {
        wipe(state_, v_.state_bytes);
        if (used_aside_) wipe(aside_, v_.step);
    }

    // Sets the length of the next texts.
    void set_length(uint64_t bytes) {
        const size_t step = v_.step;
        bytes_ = bytes;
        args_.iterations = bytes > place_.head && !place_.is_short ? (bytes - place_.head - 1) >> v_.step_log2 : 0;
        front_ = place_.head + (args_.iterations << v_.step_log2);
        end_ = size_t(bytes - front_);
        apart_ = !place_.bits && end_ != step;
        used_aside_ |= apart_;
        if (place_.bits) {
            for (size_t at = 0; at < step; at += 64)
                put_word(place_.end_mask + uint32_t(at / 8), at < end_ ? first_bits(end_ - at) : 0);
        } else if (place_.end_mask != NO_FIELD) {
            memset(state_ + place_.end_mask, 0xff, end_);
            memset(state_ + place_.end_mask + end_, 0, step - end_);
        }
        if (!end_) point_end(state_, state_);  // the kernel uses none of it
        if (apart_) point_end(aside_, aside_);
    }

    // out: NULL for a MAC.
    void call(const void *in, void *out) {
        const uint8_t *const from = static_cast<const uint8_t *>(in);
        uint8_t *const to = static_cast<uint8_t *>(out);
        if (front_) {
            point(lane_.in, from + place_.head);
            if (to) point(lane_.out, to + place_.head);
        }
        if (place_.head) {
            point(place_.head_in, from);
            point(place_.head_out, to);
        }
        if (apart_) {
            if (end_) copy_few(aside_, from + front_, end_);
            memset(aside_ + end_, 0, v_.step - end_);  // clears what the last message left there
        } else if (end_) {
            point_end(from + front_, to ? to + front_ : nullptr);
        }
        fn_(&args_);
        if (apart_ && end_ && to) copy_few(to + front_, aside_, end_);
    }
    void point(uint32_t field, const void *to) { put_pointer(state_ + field, to); }
    void put_word(uint32_t field, uint64_t word) { memcpy(state_ + field, &word, sizeof(word)); }
    // Whether the key differs from that of the message before.
    bool is_new(const cst_key *key) { return key_ != key && (key_ = key, true); }

    static uint64_t blocks_of(uint64_t bytes) { return (bytes + BLOCK - 1) / BLOCK; }
    // Returns a mask whose bit i is set if byte i exists.
    static uint64_t first_bits(uint64_t bytes) { return bytes >= 64 ? ~uint64_t(0) : (uint64_t(1) << bytes) - 1; }

    const Variant &v_;
    const MessagePlace place_;
    uint64_t bytes_ = 0;  // of a text
    cst_kernel_args args_;
    uint64_t front_ = 0;  // bytes of the head and of whole iterations
    size_t end_ = 0;      // bytes after them
    alignas(ALIGNED) uint8_t state_[STATE_ROOM];

private:
    void point_end(const void *in, const void *out) {
        point(place_.end_in, in);
        if (place_.end_out != NO_FIELD) point(place_.end_out, out);
    }

    const cst_kernel_fn fn_;
    const LanePlace lane_;
    bool apart_ = false;  // the end is assembled in aside_
    bool used_aside_ = false;
    const cst_key *key_ = nullptr;
    alignas(ALIGNED) uint8_t aside_[MOST_STEP];
};

}  // namespace cst
