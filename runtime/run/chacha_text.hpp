// ChaCha20 over one text in few calls of kernels of one lane: the state block, and what is put together, lie on the stack.
#pragma once

#include <algorithm>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "chacha.hpp"
#include "one_lane.hpp"

namespace cst {

// What was used is wiped.
class ChaChaText {
public:
    // counter: of the text's first block; it does not carry. first: so many bytes of the text, whole blocks or all, go before the others, which `finish` does.
    ChaChaText(const Suite &suite, const cst_job &job, const uint8_t *nonce, uint32_t counter, size_t first)
        : suite_(suite), which_(suite, true), key_(key_of(job).encrypt[0]), nonce_(nonce), in_(static_cast<const uint8_t *>(job.in)),
          out_(static_cast<uint8_t *>(job.out)), bytes_(job.in_len), first_(first), counter_(counter) {}
    ~ChaChaText() {
        wipe(text_, used_);
        wipe(state_, state_used_);
    }
    ChaChaText(const ChaChaText &) = delete;
    ChaChaText &operator=(const ChaChaText &) = delete;

    // Chooses the kernels. False: one is missing, and nothing was done.
    bool choose() {
        const size_t rest = (bytes_ - first_) % AT_ONCE, middle = bytes_ - first_ - rest;
        return (!middle || (goes_on_ = kernel_for(middle))) && (!rest || plan(rest, &ends_));
    }
    // The others: as many as fill any kernel where they lie.
    void finish() {
        if (first_ == bytes_) return;
        const size_t rest = (bytes_ - first_) % AT_ONCE, done = bytes_ - rest;
        if (first_ < done) encipher(*goes_on_, in_ + first_, out_ + first_, done - first_, counter_ + uint32_t(first_ / CHACHA_BLOCK));
        if (!rest) return;
        if (ends_.bytes(rest) == rest) {
            encipher(ends_, in_ + done, out_ + done, rest, counter_ + uint32_t(done / CHACHA_BLOCK));
            return;
        }
        memcpy(text_, in_ + done, rest);
        use(encipher(ends_, text_, text_, rest, counter_ + uint32_t(done / CHACHA_BLOCK)));
        memcpy(out_ + done, text_, rest);
    }

protected:
    static constexpr size_t BLOCK = 16, AT_ONCE = CHACHA_MOST_BLOCKS * CHACHA_BLOCK, STATE = 2048, ALIGNED = 64;

    const Variant *kernel_for(size_t bytes) const {
        const Variant *const v = which_.rounded_up(suite_.encrypts, (bytes + CHACHA_BLOCK - 1) & ~(CHACHA_BLOCK - 1));
        return v && v->step <= AT_ONCE && v->state_bytes <= STATE && v->state_align <= ALIGNED ? v : nullptr;
    }
    // Calls for at most AT_ONCE bytes: so many of them by one kernel, the others, or all, by another.
    struct Calls {
        size_t split = 0;
        const Variant *first = nullptr, *last = nullptr;

        // With what the last runs beyond them.
        size_t bytes(size_t some) const { return split + size_t(last->whole_iterations(some - split)); }
    };
    bool plan(size_t bytes, Calls *calls) const {
        calls->split = CHACHA_BLOCK * suite_.chacha_split[(bytes + CHACHA_BLOCK - 1) / CHACHA_BLOCK];
        if (calls->split && !(calls->first = kernel_for(calls->split))) return false;
        if (calls->split && calls->first->whole_iterations(calls->split) != calls->split) calls->split = 0;  // it would run over what the other begins with
        return (calls->last = kernel_for(bytes - calls->split)) != nullptr;
    }
    size_t encipher(const Calls &calls, const uint8_t *in, uint8_t *out, size_t bytes, uint32_t counter) {
        const size_t split = calls.split;
        if (split) encipher(*calls.first, in, out, split, counter);
        return split + encipher(*calls.last, in + split, out + split, bytes - split, counter + uint32_t(split / CHACHA_BLOCK));
    }
    // From this block of the keystream on, and behind the bytes what is left of the kernel's iteration. Returns how many bytes that is.
    size_t encipher(const Variant &v, const uint8_t *in, uint8_t *out, size_t bytes, uint32_t counter) {
        if (v.legacy_sse && suite_.engine->avx()) clear_upper_halves();
        put_chacha_lane(state_, v.cipher.lanes[0], v.cipher.key_row_bytes, in, out, counter, nonce_, key_);
        const uint64_t whole = v.whole_iterations(bytes);
        call_kernel(v, state_, whole);
        state_used_ = std::max(state_used_, size_t(v.state_bytes));
        return size_t(whole);
    }
    // So much of `text_` is to be wiped.
    void use(size_t bytes) { used_ = std::max(used_, bytes); }

    const Suite &suite_;
    const OneLane which_;
    const uint8_t *const key_, *const nonce_, *const in_;
    uint8_t *const out_;
    const size_t bytes_, first_;
    const uint32_t counter_;
    const Variant *goes_on_ = nullptr;  // what `finish` does where it lies
    Calls ends_;                        // and behind that
    size_t used_ = 0, state_used_ = 0;
    alignas(64) uint8_t text_[AT_ONCE + 2 * BLOCK];  // with room for the end of what Poly1305 hashes
    alignas(ALIGNED) uint8_t state_[STATE];
};

}  // namespace cst
