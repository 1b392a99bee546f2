#include "constructions.hpp"

#include <algorithm>
#include <optional>

#include "../executors/message.hpp"
#include "../executors/calls.hpp"
#include "checked.hpp"
#include "../storage/checksum.hpp"
#include "../executors/lane_state.hpp"
#include "../plan/lineup.hpp"
#include "mac.hpp"
#include "text.hpp"
#include "xts.hpp"

namespace cst {
namespace {

// Runs texts of a cipher alone.
class TextCalls : public Calls {
public:
    TextCalls(const Engine &engine, const Variant &v, const cst_job &first)
        : Calls(engine, v, first.in_len), opens_(v.cipher.algorithm->record.decrypts_only()) {}

protected:
    [[gnu::always_inline]] void run_text(const cst_job &job, uint64_t bytes) {
        if (bytes != bytes_) set_length(bytes);
        if (place_.chain != NO_FIELD) memcpy(state_ + place_.chain, job.iv, BLOCK);
        if (is_new(job.key)) {
            const Key &key = key_of(job);
            point(place_.key, key.round_keys(opens_));
            if (place_.tweak_key != NO_FIELD) point(place_.tweak_key, key.tweak());
        }
        call(job.in, job.out);
    }

    const bool opens_;
};

class WholeTextCalls : public TextCalls {
public:
    using TextCalls::TextCalls;

    bool run(cst_job *job) {
        run_text(*job, job->in_len);
        text_done(job);
        return true;
    }
};

// Runs XTS (IEEE 1619): whole blocks by one call, and a text's end by ciphertext stealing.
class XtsCalls : public TextCalls {
public:
    using TextCalls::TextCalls;

    bool run(cst_job *job) {
        const uint64_t before = StolenEnd::before(job->in_len);
        if (before == job->in_len) run_text(*job, before);
        else run_with_end(*job, before);
        text_done(job);
        return true;
    }

private:
    struct Ends {
        Ends(const Suite &suite, bool opens) : blocks(suite), end(suite, opens) {}
        BlockCalls blocks;
        StolenEnd end;
    };

    // Not inlined: most texts have no such end.
    __attribute__((noinline)) void run_with_end(const cst_job &job, uint64_t before) {
        const Key &key = key_of(job);
        Ends &ends = ends_ ? *ends_ : ends_.emplace(*key.suite, opens_);
        alignas(16) uint8_t tweak[BLOCK];
        ends.blocks.encipher(key.tweak(), static_cast<const uint8_t *>(job.iv), tweak);  // 5.3.1
        advance_tweak(tweak, before / BLOCK, tweak);
        if (before) run_text(job, before);
        ends.end.run(key, tweak, static_cast<const uint8_t *>(job.in) + before, size_t(job.in_len - before),
                     static_cast<uint8_t *>(job.out) + before);
        wipe(tweak, sizeof(tweak));
    }

    std::optional<Ends> ends_;
};

// Runs messages of an AEAD with AADs as long as that of the first. Derived::put_length sets what depends on the text
// length, Derived::begin sets the counter block and the key.
template <typename Derived>
class AeadCalls : public Calls {
public:
    // Returns false on a tag mismatch.
    bool run(cst_job *job) {
        if (job->in_len != bytes_) {
            set_length(job->in_len);
            static_cast<Derived *>(this)->put_length();
        }
        static_cast<Derived *>(this)->begin(*job);
        const uint8_t *const aad = static_cast<const uint8_t *>(job->aad);
        if (aad_front_) {
            put_long_aad(key_of(*job), aad);
        } else if (aad_bytes_) {
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
    const size_t aad_front_;   // bytes of a long AAD that the kernel does not take
    const size_t aad_bytes_;   // those that it takes
    const size_t before_aad_;  // offset of these in their blocks
    alignas(ALIGNED) uint8_t aad_[MESSAGE_AAD];  // copy of the AAD, for kernels without masks; the end of a long one

private:
    friend Derived;
    AeadCalls(const Engine &engine, const Variant &v, const cst_job &first)
        : Calls(engine, v, first.in_len),
          opens_(v.cipher.algorithm->record.decrypts_only()),
          aad_front_(first.aad_len > MESSAGE_AAD ? BLOCK * (blocks_of(first.aad_len) - place_.aad_blocks) : 0),
          aad_bytes_(first.aad_len - aad_front_),
          before_aad_(BLOCK * (place_.aad_blocks - blocks_of(aad_bytes_))) {
        if (place_.bits) put_word(place_.aad_mask, first_bits(aad_bytes_) << (before_aad_ & 63));
        if (!aad_bytes_) point(place_.aad, state_);
        if (!place_.bits || aad_front_) {
            memset(aad_, 0, MESSAGE_AAD);
            point(place_.aad, aad_);
        }
    }
    ~AeadCalls() {
        if (aad_front_) wipe(aad_, MESSAGE_AAD);
    }

    // Hashes the front of a long AAD, which only GCM has (serves), and adds the result to the first block of the rest
    // (SP 800-38D, 6.4, step 3).
    void put_long_aad(const Key &key, const uint8_t *aad) {
        alignas(BLOCK) uint8_t y[BLOCK] = {};
        ghash(*key.suite, key.powers() + GHASH_POWERS, y, aad, aad_front_);
        copy_few(aad_, aad + aad_front_, aad_bytes_);
        put_words(aad_, load64(aad_) ^ load64(y), load64(aad_ + 8) ^ load64(y + 8));
        wipe(y, sizeof(y));
    }
};

// Runs GCM (SP 800-38D).
class GcmCalls : public AeadCalls<GcmCalls> {
public:
    GcmCalls(const Engine &engine, const Variant &v, const cst_job &first) : AeadCalls(engine, v, first) {
        put_length();
    }
    void put_length() {
        const uint64_t aad = aad_front_ + aad_bytes_;
        put_words(state_ + place_.lengths, __builtin_bswap64(8 * aad), __builtin_bswap64(8 * bytes_));
        if (powers_) point_end_powers();
    }
    void begin(const cst_job &job) {
        first_counter(job, state_ + place_.counter);
        if (!is_new(job.key)) return;
        const Key &key = key_of(job);
        powers_ = key.powers() + GHASH_POWERS;
        point(place_.key, key.encrypt());
        point(place_.powers, powers_ - v_.step / BLOCK);
        point_end_powers();
    }

private:
    void point_end_powers() {
        const size_t front = place_.is_short ? place_.aad_blocks : v_.step / BLOCK;
        point(place_.end_powers, powers_ - front - blocks_of(end_) - 1);
    }

    const KeyRow *powers_ = nullptr;  // end of the key's powers
};

// Runs ChaCha20-Poly1305 (RFC 8439, 2.8).
class ChachaPolyCalls : public AeadCalls<ChachaPolyCalls> {
public:
    ChachaPolyCalls(const Engine &engine, const Variant &v, const cst_job &first) : AeadCalls(engine, v, first) {
        put_length();
    }
    void put_length() {
        put_words(state_ + place_.lengths, aad_bytes_, bytes_);
        uint8_t *present = state_ + place_.present;
        for (size_t i = 0; i < place_.aad_blocks; i++, present += BLOCK) put_present(present, i * BLOCK >= before_aad_);
        for (size_t at = 0; at < v_.step; at += BLOCK, present += BLOCK) put_present(present, at < end_);
    }
    void begin(const cst_job &job) {
        const uint8_t *const iv = static_cast<const uint8_t *>(job.iv);
        put_words(state_ + place_.counter, load64(iv) << 32, load64(iv + 4));
        if (is_new(job.key)) point(place_.key, key_of(job).encrypt());
    }

private:
    static void put_present(uint8_t *to, bool there) { put_words(to, 0 - uint64_t(there), there); }
};

// Whether jobs of equal lengths can run in one call each.
bool serves(const Suite &suite, const cst_job *jobs, size_t n) {
    const cst_job &first = *jobs;
    if (in_pieces(first)) return false;
    if (suite.kind == CST_AEAD) return first.aad_len <= MESSAGE_AAD || suite.construction == Construction::gcm;
    return suite.kind == CST_CIPHER && CounterRoom(suite, first.in_len).hold(jobs, n);
}

// Runs n jobs; job(i) returns the i-th.
template <typename CallsOfSuite, typename Job>
bool run_calls(const Variant &v, size_t n, Job job) {
    CallsOfSuite calls(*key_of(*job(0)).suite->engine, v, *job(0));
    bool all = true;
    for (size_t i = 0; i < n; i++) all &= calls.run(job(i));
    v.calls.add(n);
    return all;
}
template <typename Job>
bool run_on(const Variant &v, size_t n, Job job) {
    const Suite &suite = *key_of(*job(0)).suite;
    if (suite.tweaked()) return run_calls<XtsCalls>(v, n, job);
    if (suite.kind == CST_CIPHER) return run_calls<WholeTextCalls>(v, n, job);
    if (suite.construction == Construction::chacha_poly) return run_calls<ChachaPolyCalls>(v, n, job);
    return run_calls<GcmCalls>(v, n, job);
}

}  // namespace

const Variant *one_call_kernel(const Suite &suite, const cst_job *jobs, size_t n) {
    const bool opens = jobs->direction == CST_OPEN;
    if (suite.messages[opens].variants.empty() || !serves(suite, jobs, n)) return nullptr;
    const Variant *const v = MessageKernels(suite, opens, n, jobs->aad_len).of(jobs->in_len);
    return v && Calls::has_room(*v) ? v : nullptr;
}

bool run_one_call_on(const Variant &v, cst_job *jobs, size_t n) {
    return run_on(v, n, [=](size_t i) { return jobs + i; });
}

int run_one_call(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    if (is_checksum(suite)) return run_checksums(jobs, n);
    if (is_checked(suite)) return run_checked_calls(jobs, n);
    const Variant *const v = one_call_kernel(suite, jobs, n);
    if (!v) return JOB_WAITING;
    return run_one_call_on(*v, jobs, n) ? CST_OK : CST_ERR_AUTH;
}

namespace {

bool of_one_kind(const cst_job &a, const cst_job &b) {
    return key_of(a).suite == key_of(b).suite && a.direction == b.direction && a.aad_len == b.aad_len;
}

// Runs jobs of one suite, direction and AAD length, in one call each if there is a kernel for it: all jobs of one
// kernel run before those of the next kernel.
// Changes the order of the jobs.
bool run_kind(cst_job **jobs, size_t n) {
    const Suite &suite = *key_of(*jobs[0]).suite;
    const bool opens = jobs[0]->direction == CST_OPEN;
    bool all = true;
    if (is_checksum(suite)) {
        for (size_t i = 0; i < n; i++) all &= run_checksums(jobs[i], 1) == CST_OK;
        return all;
    }
    if (suite.messages[opens].variants.empty()) return true;
    // A forced kernel may be one that serves some of the lengths only, of which each is asked about below.
    if (suite.hash && n > 1 && !suite.forced) {
        Need need = message_need(suite, opens, n, 0, jobs[0]->aad_len);
        for (size_t i = 0; i < n; i++) {
            need.bytes += jobs[i]->in_len;
            need.most = std::max<uint64_t>(need.most, jobs[i]->in_len);
        }
        need.bytes /= n;
        if (!choose_message(suite, opens, need)) return true;  // steps in parallel lanes take less time
    }
    const MessageKernels kernels(suite, opens, 1, jobs[0]->aad_len);
    const Variant *on[MOST_MESSAGES];
    for (size_t i = 0; i < n; i++) {
        on[i] = serves(suite, jobs[i], 1) ? kernels.of(jobs[i]->in_len) : nullptr;
        if (on[i] && !Calls::has_room(*on[i])) on[i] = nullptr;
    }
    for (size_t first = 0, next; first < n; first = next) {
        const Variant *const v = on[first];
        next = first + 1;
        if (!v) continue;
        for (size_t i = next; i < n; i++) {
            if (on[i] != v) continue;
            std::swap(on[i], on[next]);
            std::swap(jobs[i], jobs[next++]);
        }
        all &= run_on(*v, next - first, [&](size_t i) { return jobs[first + i]; });
    }
    return all;
}

}  // namespace

bool run_one_calls(cst_job *jobs, size_t n) {
    bool all = true;
    for (size_t first = 0, next; first < n; first = next) {
        cst_job *kind[MOST_MESSAGES];
        size_t some = 0;
        for (next = first; next < n; next++) {
            if (jobs[next].status != JOB_WAITING) continue;
            if (some && !of_one_kind(*kind[0], jobs[next])) break;
            kind[some++] = jobs + next;
        }
        if (some) all &= run_kind(kind, some);
    }
    return all;
}

}  // namespace cst
