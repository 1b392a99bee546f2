// Runs messages of GCM (SP 800-38D) and ChaCha20-Poly1305 (RFC 8439, 2.8) by one call each.
#pragma once

#include "../executors/alone.hpp"
#include "../executors/message.hpp"
#include "../executors/message_calls.hpp"

namespace cst {

// Runs messages with AADs as long as that of the first. Derived::put_length sets what depends on the text length,
// Derived::begin sets the counter block and the key.
template <typename Derived>
class AeadCalls : public MessageCalls {
public:
    // Returns false on a tag mismatch.
    [[gnu::always_inline]] bool run(cst_job *job) {
        Derived &self = static_cast<Derived &>(*this);
        if (job->in_len != bytes_) {
            set_length(job->in_len);
            self.put_length();
        }
        self.begin(*job);
        put_aad(key_of(*job), static_cast<const uint8_t *>(job->aad));
        text_done(job);
        call(job->in, job->out);
        const uint8_t *const tag = state_ + place_.chain;
        if (call_.opens && !same_bytes(tag, static_cast<const uint8_t *>(job->tag), job->tag_len)) {
            refuse_unopened(job);
            return false;
        }
        if (!call_.opens) {
            if (job->tag_len == BLOCK) memcpy(job->tag, tag, BLOCK);
            else copy_few(static_cast<uint8_t *>(job->tag), tag, job->tag_len);
        }
        return true;
    }

protected:
    [[gnu::always_inline]] void put_aad(const Key &key, const uint8_t *aad) {
        if (aad_front_) {
            put_long_aad(key, aad, aad_front_, aad_bytes_, room_.aad);
        } else if (aad_bytes_) {
            put_short_aad(aad, before_aad_, aad_bytes_);
        }
    }

    // Kernels without masks read the AAD in room_.aad, where a long one ends, too.
    const size_t aad_front_;   // bytes of a long AAD that the kernel does not take
    const size_t aad_bytes_;   // those that it takes
    const size_t before_aad_;  // offset of these in their blocks

private:
    friend Derived;
    [[gnu::always_inline]] AeadCalls(CallMemory *room, uint64_t aad)
        : MessageCalls(room),
          aad_front_(aad > MESSAGE_AAD ? BLOCK * (blocks_of(aad) - place_.aad_blocks) : 0),
          aad_bytes_(size_t(aad - aad_front_)),
          before_aad_(BLOCK * (place_.aad_blocks - blocks_of(aad_bytes_))) {
        if (place_.bits) put_word(place_.aad_mask, first_bits(aad_bytes_) << (before_aad_ & 63));
        if (!aad_bytes_) point(place_.aad, state_);
        if (!place_.bits || aad_front_) {
            for (size_t at = 0; at < MESSAGE_AAD; at += BLOCK) put_zeros(room_.aad + at);
            point(place_.aad, room_.aad);
        }
        if (aad_front_) room_.used_aad = true;
    }

    // Hashes the front of a long AAD, which only GCM has, and adds the result to the first block of the rest (SP
    // 800-38D, 6.4, step 3). Not inlined: most are short.
    __attribute__((noinline)) static void put_long_aad(const Key &key, const uint8_t *aad, size_t front, size_t bytes,
                                                       uint8_t *to) {
        alignas(BLOCK) uint8_t y[BLOCK] = {};
        ghash(*key.suite, key.powers() + GHASH_POWERS, y, aad, front);
        copy_few(to, aad + front, bytes);
        put_words(to, load64(to) ^ load64(y), load64(to + 8) ^ load64(y + 8));
        wipe(y, sizeof(y));
    }
};

class GcmCalls : public AeadCalls<GcmCalls> {
public:
    typedef CallRoom Room;

    [[gnu::always_inline]] GcmCalls(Room *room, const cst_job &first) : AeadCalls(room, first.aad_len) {}

    static bool takes(const Suite &, const cst_job &) { return true; }

    [[gnu::always_inline]] void put_length() {
        const uint64_t aad = aad_front_ + aad_bytes_;
        put_words(state_ + place_.lengths, __builtin_bswap64(8 * aad), __builtin_bswap64(8 * bytes_));
        if (powers_) point_end_powers();
    }
    [[gnu::always_inline]] void begin(const cst_job &job) {
        first_counter(job, state_ + place_.counter);
        if (!is_new(job.key)) return;
        put_key(place_.key, job, call_.round_keys);
        powers_ = reinterpret_cast<const KeyRow *>(reinterpret_cast<const uint8_t *>(job.key) + call_.powers_end);
        point(place_.powers, powers_ - step_ / BLOCK);
        point_end_powers();
    }

private:
    [[gnu::always_inline]] void point_end_powers() {
        const size_t front = place_.is_short ? place_.aad_blocks : step_ / BLOCK;
        point(place_.end_powers, powers_ - front - blocks_of(end_) - 1);
    }

    const KeyRow *powers_ = nullptr;  // end of the key's powers
};

class ChachaPolyCalls : public AeadCalls<ChachaPolyCalls> {
public:
    // Kernels keep an iteration's ciphertext in their state blocks until it is hashed.
    typedef RoomOf<1280 + 16 * MOST_CHACHA_POLY_BLOCKS> Room;

    [[gnu::always_inline]] ChachaPolyCalls(Room *room, const cst_job &first) : AeadCalls(room, first.aad_len) {}

    static bool takes(const Suite &, const cst_job &job) { return job.aad_len <= MESSAGE_AAD; }

    [[gnu::always_inline]] void put_length() { put_words(state_ + place_.lengths, aad_bytes_, bytes_); }
    [[gnu::always_inline]] void begin(const cst_job &job) {
        const uint8_t *const iv = static_cast<const uint8_t *>(job.iv);
        put_words(state_ + place_.counter, load64(iv) << 32, load64(iv + 4));
        if (is_new(job.key)) put_key(place_.key, job, call_.round_keys);
    }
};

}  // namespace cst
