#include "constructions.hpp"

#include "run.hpp"
#include "calls.hpp"
#include "checksum.hpp"
#include "lane_state.hpp"
#include "lineup.hpp"
#include "mac.hpp"
#include "text.hpp"

namespace cst {
namespace {

// Texts of a cipher alone.
class TextCalls : public Calls {
public:
    TextCalls(const Engine &engine, const Variant &v, const cst_job &first)
        : Calls(engine, v, first.in_len), opens_(v.cipher.algorithm->record.decrypts_only()) {}

    bool run(cst_job *job) {
        if (place_.chain != NO_FIELD) memcpy(state_ + place_.chain, job->iv, BLOCK);
        if (is_new(job->key)) {
            const Key &key = key_of(*job);
            point(place_.key, key.round_keys(opens_));
            if (place_.tweak_key != NO_FIELD) point(place_.tweak_key, key.tweak());
        }
        call(job->in, job->out);
        text_done(job);
        return true;
    }

private:
    const bool opens_;
};

// Messages of an AEAD with IVs of 12 bytes, and AADs as long as the first one's. What differs is the counter block and
// the key: Derived::begin.
template <typename Derived>
class AeadCalls : public Calls {
public:
    // False: its tag is wrong.
    bool run(cst_job *job) {
        static_cast<Derived *>(this)->begin(*job);
        if (aad_bytes_) {
            const uint8_t *const aad = static_cast<const uint8_t *>(job->aad);
            if (place_.bits) point(place_.aad, aad - before_aad_);
            else copy_few(aad_ + before_aad_, aad, aad_bytes_);
        }
        call(job->in, job->out);
        const uint8_t *const tag = state_ + place_.chain;
        if (opens_ && !same_bytes(tag, static_cast<const uint8_t *>(job->tag), job->tag_len)) {
            refuse_unopened(job);
            return false;
        }
        if (!opens_) copy_few(static_cast<uint8_t *>(job->tag), tag, job->tag_len);
        text_done(job);
        return true;
    }

protected:
    const bool opens_;
    const size_t aad_bytes_;
    const size_t before_aad_;  // from where its blocks begin

private:
    friend Derived;
    AeadCalls(const Engine &engine, const Variant &v, const cst_job &first)
        : Calls(engine, v, first.in_len),
          opens_(v.cipher.algorithm->record.decrypts_only()),
          aad_bytes_(first.aad_len),
          before_aad_(BLOCK * (place_.aad_blocks - blocks_of(first.aad_len))) {
        if (place_.bits) put_word(place_.aad_mask, first_bits(aad_bytes_) << (before_aad_ & 63));
        if (!aad_bytes_) point(place_.aad, state_);
        if (!place_.bits) {
            memset(aad_, 0, MESSAGE_AAD);
            point(place_.aad, aad_);
        }
    }

    alignas(ALIGNED) uint8_t aad_[MESSAGE_AAD];  // where there are no masks
};

// GCM (SP 800-38D).
class GcmCalls : public AeadCalls<GcmCalls> {
public:
    GcmCalls(const Engine &engine, const Variant &v, const cst_job &first) : AeadCalls(engine, v, first) {
        put_words(state_ + place_.lengths, __builtin_bswap64(8 * uint64_t(aad_bytes_)), __builtin_bswap64(8 * bytes_));
    }
    void begin(const cst_job &job) {
        const uint8_t *const iv = static_cast<const uint8_t *>(job.iv);
        put_words(state_ + place_.counter, load64(iv), load64(iv + 4) >> 32 | uint64_t(1) << 56);  // 7.1, step 2
        if (!is_new(job.key)) return;
        const Key &key = key_of(job);
        const KeyRow *const powers = key.powers() + GHASH_POWERS;
        point(place_.key, key.encrypt());
        point(place_.powers, powers - v_.step / BLOCK);
        const size_t front = place_.is_short ? place_.aad_blocks : v_.step / BLOCK;
        point(place_.end_powers, powers - front - blocks_of(end_) - 1);
    }
};

// ChaCha20-Poly1305 (RFC 8439, 2.8).
class ChachaPolyCalls : public AeadCalls<ChachaPolyCalls> {
public:
    ChachaPolyCalls(const Engine &engine, const Variant &v, const cst_job &first) : AeadCalls(engine, v, first) {
        put_words(state_ + place_.lengths, aad_bytes_, bytes_);
        uint8_t *present = state_ + place_.present;
        for (size_t i = 0; i < place_.aad_blocks; i++, present += BLOCK) put_present(present, i * BLOCK >= before_aad_);
        for (size_t at = 0; at < v.step; at += BLOCK, present += BLOCK) put_present(present, at < end_);
    }
    void begin(const cst_job &job) {
        const uint8_t *const iv = static_cast<const uint8_t *>(job.iv);
        put_words(state_ + place_.counter, load64(iv) << 32, load64(iv + 4));
        if (is_new(job.key)) point(place_.key, key_of(job).encrypt());
    }

private:
    static void put_present(uint8_t *to, bool there) { put_words(to, 0 - uint64_t(there), there); }
};

bool serves(const Suite &suite, const cst_job *jobs, size_t n) {
    const cst_job &first = *jobs;
    if (first.n_in_pieces | first.n_out_pieces) return false;
    if (suite.kind == CST_AEAD) return first.iv_len == GCM_IV && first.aad_len <= MESSAGE_AAD;
    if (suite.tweaked() && first.in_len % suite.encrypt->record.block_bytes) return false;  // ciphertext stealing
    return suite.kind == CST_CIPHER && CounterRoom(suite, first.in_len).hold(jobs, n);
}

template <typename Those>
int run_calls(const Engine &engine, const Variant &v, cst_job *jobs, size_t n) {
    Those calls(engine, v, *jobs);
    bool all = true;
    for (cst_job *job = jobs; job < jobs + n; job++) all &= calls.run(job);
    v.calls.add(n);
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace

int run_one_call(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    if (is_checksum(suite)) return run_checksums(jobs, n);
    const bool opens = jobs->direction == CST_OPEN;
    if (suite.messages[opens].variants.empty()) return JOB_WAITING;
    if (!serves(suite, jobs, n)) return JOB_WAITING;
    const Variant *const v = said_last(
        suite, suite.messages[opens], &suite.last_message[opens], n, jobs->in_len, jobs->aad_len <= SHORT_MESSAGE_AAD,
        [&] { return choose_message(suite, opens, n, jobs->in_len, jobs->in_len, jobs->aad_len).variant; });
    if (!v || !Calls::has_room(*v)) return JOB_WAITING;
    return (suite.kind == CST_CIPHER                          ? run_calls<TextCalls>
            : suite.construction == Construction::chacha_poly ? run_calls<ChachaPolyCalls>
                                                              : run_calls<GcmCalls>)(*suite.engine, *v, jobs, n);
}

}  // namespace cst
