// Calls kernels that take messages whole: state between two steps of a message stays in registers, and only pointers
// and lengths are stored in a state block.
#pragma once

#include "../select/kernel_call.hpp"
#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "../suite/suite.hpp"
#include "copy.hpp"

namespace cst {

// Memory of calls, but for the kernel's state block. It is apart from MessageCalls, whose members can stay in registers
// because nothing has a pointer to them.
struct CallMemory {
    static constexpr size_t ALIGNED = 64, MOST_STEP = 16 * MOST_MESSAGE_BLOCKS, MOST_BITS = 2048;

    CallMemory(const CallMemory &) = delete;
    CallMemory &operator=(const CallMemory &) = delete;

    const KernelCall &call;
    uint8_t *const state;
    cst_kernel_args args;
    bool used_aside = false, used_aad = false;  // for secrets
    alignas(ALIGNED) uint8_t aside[MOST_STEP];
    alignas(ALIGNED) uint8_t aad[MESSAGE_AAD];

protected:
    [[gnu::always_inline]] CallMemory(const KernelCall &its_call, uint8_t *its_state)
        : call(its_call), state(its_state) {
        args.state[0] = state + call.state_offset[0];
        args.state[1] = state + call.state_offset[1];  // of the second stream, if there is one
    }
    ~CallMemory() = default;
};

// Memory of calls of kernels whose state blocks have at most so many bytes; it wipes what was used.
template <size_t STATE>
struct RoomOf : CallMemory {
    // Whether the kernel's state block fits, and its iteration, which has a mask of bits, or is copied to `aside`.
    static bool holds(const Variant &v) {
        return v.state_bytes <= STATE && v.state_align <= ALIGNED && v.step <= (v.message.bits ? MOST_BITS : MOST_STEP);
    }

    [[gnu::always_inline]] explicit RoomOf(const KernelCall &its_call) : CallMemory(its_call, its_state_) {}
    [[gnu::always_inline]] ~RoomOf() {
        for (const Span &span : call.secrets) wipe_rows(its_state_ + span.from, span.bytes);
        if (used_aside) wipe_rows(aside, call.step < MOST_STEP ? call.step : MOST_STEP);
        if (used_aad) wipe_rows(aad, MESSAGE_AAD);
    }

private:
    alignas(ALIGNED) uint8_t its_state_[STATE];
};
typedef RoomOf<1536> CallRoom;

// Lays down the kernel, whose code is loaded; not what depends on a suite.
KernelCall lay_down(const Engine &engine, const Variant &v);
// Returns the call of a kernel for parts of the work of a suite, without functions that run jobs, laid down once.
// spare: used if there is no memory.
const KernelCall &laid_down(const Suite &suite, const Variant &v, KernelCall *spare);

// Words of ones, and as many of zeros.
struct OnesAndZeros {
    static constexpr size_t EACH = CallMemory::MOST_BITS / 64;
    constexpr OnesAndZeros() {
        for (size_t i = 0; i < EACH; i++) words[i] = ~uint64_t(0);
    }
    uint64_t words[2 * EACH] = {};
};
inline constexpr OnesAndZeros ONES_AND_ZEROS;

// Runs message after message on one kernel. Values that depend on a text's length are stored when the length changes.
// All is inlined: most is constant, or done once, where one message runs.
class MessageCalls {
public:
    [[gnu::always_inline]] explicit MessageCalls(CallMemory *room)
        : room_(*room), call_(room->call), place_(call_.place), step_(call_.step), state_(room->state) {
        if (call_.clears_upper) clear_upper_halves();
    }
    MessageCalls(const MessageCalls &) = delete;
    MessageCalls &operator=(const MessageCalls &) = delete;

protected:
    static constexpr size_t BLOCK = 16;

    // Sets the length of the next texts.
    [[gnu::always_inline]] void set_length(uint64_t bytes) {
        bytes_ = bytes;
        const bool loops = bytes > place_.head && !place_.is_short;
        const uint64_t iterations = loops ? (bytes - place_.head - 1) >> call_.step_log2 : 0;
        room_.args.iterations = iterations;
        front_ = place_.head + (iterations << call_.step_log2);
        end_ = size_t(bytes - front_);
        apart_ = !place_.bits && end_ != step_;
        if (place_.bits) {
            put_bit_mask();
        } else if (place_.end_mask != NO_FIELD) {
            put_byte_mask();
        }
        if (!end_) point_end(state_, state_);  // the kernel uses none of it
        if (apart_) end_apart();
    }
    // The end is in room_.aside.
    [[gnu::always_inline]] void end_apart() {
        room_.used_aside = true;
        point_end(room_.aside, room_.aside);
    }

    // out: NULL for a MAC.
    [[gnu::always_inline]] void call(const void *in, void *out) {
        const uint8_t *const from = static_cast<const uint8_t *>(in);
        uint8_t *const to = static_cast<uint8_t *>(out);
        if (front_) {
            point(call_.in, from + place_.head);
            if (to) point(call_.out, to + place_.head);
        }
        if (place_.head) {
            point(place_.head_in, from);
            point(place_.head_out, to);
        }
        const bool aside = apart_ || (call_.copies_ends && (leaves_page(from) || (to && leaves_page(to))));
        if (apart_) {
            const size_t whole = end_ & ~(BLOCK - 1);
            fill(room_.aside + whole, step_ - whole, 0);  // also clears what the last message left there
        } else if (aside) {
            end_apart();
        } else if (end_) {
            point_end(from + front_, to ? to + front_ : nullptr);
        }
        if (aside && end_) copy_end(room_.aside, from + front_, end_);
        call_.fn(&room_.args);
        if (aside && end_ && to) copy_end(to + front_, room_.aside, end_);
    }
    [[gnu::always_inline]] void point(uint32_t field, const void *to) { put_pointer(state_ + field, to); }
    [[gnu::always_inline]] void put_word(uint32_t field, uint64_t word) { memcpy(state_ + field, &word, sizeof(word)); }
    // Stores a pointer to the part of the job's key at that offset.
    [[gnu::always_inline]] void put_key(uint32_t field, const cst_job &job, uint32_t offset) {
        point(field, reinterpret_cast<const uint8_t *>(job.key) + offset);
    }
    // Whether the key differs from that of the message before.
    [[gnu::always_inline]] bool is_new(const cst_key *key) { return key_ != key && (key_ = key, true); }

    // Stores where a short AAD is: its n bytes stand `before` bytes into the kernel's blocks for it. They are copied to
    // room_.aad where the kernel has no masks of bits, or its blocks reach into another page.
    [[gnu::always_inline]] void put_short_aad(const uint8_t *aad, size_t before, size_t n) {
        const uintptr_t first = reinterpret_cast<uintptr_t>(aad), blocks = first - before;
        if (place_.bits && page_of(blocks) == page_of(first) &&
            page_of(first + n - 1) == page_of(blocks + MESSAGE_AAD - 1))
            return point(place_.aad, aad - before);
        copy_few(room_.aad + before, aad, n);
        point(place_.aad, room_.aad);
    }
    // A masked access that reaches into a page which is not there, or was never touched, takes hundreds of cycles,
    // though none of that page's bytes is accessed.
    static uintptr_t page_of(uintptr_t address) { return address >> 12; }

    static uint64_t blocks_of(uint64_t bytes) { return (bytes + BLOCK - 1) / BLOCK; }
    // Returns a mask whose bit i is set if byte i exists.
    static uint64_t first_bits(uint64_t bytes) { return bytes >= 64 ? ~uint64_t(0) : (uint64_t(1) << bytes) - 1; }

    // Fills whole blocks with the word.
    [[gnu::always_inline]] static void fill(uint8_t *to, size_t bytes, uint64_t word) {
        constexpr size_t AT_ONCE = 4 * BLOCK;
        for (; bytes >= AT_ONCE; to += AT_ONCE, bytes -= AT_ONCE)
            for (size_t at = 0; at < AT_ONCE; at += BLOCK) put_words(to + at, word, word);
        for (; bytes; to += BLOCK, bytes -= BLOCK) put_words(to, word, word);
    }

    CallMemory &room_;
    const KernelCall &call_;
    const MessagePlace &place_;
    const size_t step_;
    uint8_t *const state_;
    uint64_t bytes_ = ~uint64_t(0);  // of a text; none is as long as that
    uint64_t front_ = 0;  // bytes of the head and of whole iterations
    size_t end_ = 0;      // bytes after them

private:
    void point_end(const void *in, const void *out) {
        point(place_.end_in, in);
        if (place_.end_out != NO_FIELD) point(place_.end_out, out);
    }
    // Whether a masked access would reach, behind the text's end, into a page that the text does not.
    bool leaves_page(const uint8_t *text) const {
        const uintptr_t end = reinterpret_cast<uintptr_t>(text) + front_ + end_ - 1;
        return page_of(end) != page_of(end - end_ + step_) && end_ - 1 < CallMemory::MOST_STEP;
    }
    // Not inlined: where registers are few, the compiler leaves copies of what it copies on the stack.
    static void copy_end(uint8_t *to, const uint8_t *from, size_t n);
    // A bit of ones for each byte of the end. Without branches, which the ends of texts of random lengths mislead.
    [[gnu::always_inline]] void put_bit_mask() {
        const uint64_t *const words = ONES_AND_ZEROS.words + OnesAndZeros::EACH - end_ / 64;
        for (size_t i = 0; i < step_ / 64; i++) put_word(place_.end_mask + uint32_t(8 * i), words[i]);
        if (end_ != step_) put_word(place_.end_mask + uint32_t(end_ / 64 * 8), (uint64_t(1) << end_ % 64) - 1);
    }
    // A byte of ones for each byte of the end.
    [[gnu::always_inline]] void put_byte_mask() {
        static constexpr uint64_t ones[] = {~uint64_t(0), ~uint64_t(0), 0, 0};
        uint8_t *const mask = state_ + place_.end_mask;
        const size_t whole = end_ & ~(BLOCK - 1);
        fill(mask, whole, ones[0]);
        if (whole == step_) return;
        memcpy(mask + whole, reinterpret_cast<const uint8_t *>(ones) + BLOCK - end_ % BLOCK, BLOCK);
        fill(mask + whole + BLOCK, step_ - whole - BLOCK, 0);
    }
    bool apart_ = false;  // the end is assembled in room_.aside
    const cst_key *key_ = nullptr;
};

// Runs texts of a cipher under round keys that the caller has.
class CipherCalls : public MessageCalls {
public:
    using MessageCalls::MessageCalls;

    // chain: the counter or the IV; NULL: there is none.
    [[gnu::always_inline]] void run(const void *round_keys, const void *chain, const void *in, void *out,
                                    uint64_t bytes) {
        if (bytes != bytes_) set_length(bytes);
        if (chain) memcpy(state_ + place_.chain, chain, BLOCK);
        point(place_.key, round_keys);
        call(in, out);
    }
};

// Encrypts single blocks, which do not depend on one another.
class BlockCall : public MessageCalls {
public:
    explicit BlockCall(CallRoom *room) : MessageCalls(room) {
        set_length(BLOCK);
        fill(room_.aside, step_, 0);
        end_apart();
    }
    void run(const uint8_t (*round_keys)[16], const uint8_t *in, uint8_t *out) {
        point(place_.key, round_keys);
        memcpy(room_.aside, in, BLOCK);
        call_.fn(&room_.args);
        memcpy(out, room_.aside, BLOCK);
    }
};

// A kernel for parts of the work of a suite, and the memory of its calls.
struct PartRoom {
    PartRoom(const Suite &suite, const Variant &v) : kernel(laid_down(suite, v, &spare)), room(kernel) {}
    explicit PartRoom(const KernelCall &its) : kernel(its), room(kernel) {}
    KernelCall spare;
    const KernelCall &kernel;
    CallRoom room;
};

}  // namespace cst
