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

bool serves(const Suite &suite, const cst_job &job) {
    if (job.n_in_pieces | job.n_out_pieces) return false;
    if (suite.kind == CST_AEAD) return job.iv_len == GCM_IV && job.aad_len <= MESSAGE_AAD;
    if (suite.tweaked() && job.in_len % suite.encrypt->record.block_bytes) return false;  // ciphertext stealing
    return suite.kind == CST_CIPHER && !counter_carries(suite, static_cast<const uint8_t *>(job.iv), job.in_len);
}

// What `decide` says of so many messages as long as the first, or said of them last.
template <typename Decide>
const Variant *choose(const Suite &suite, const Family &family, size_t n, const cst_job &first, Decide decide) {
    const bool opens = first.direction == CST_OPEN, usual = !suite.forced && suite.remembered;
    const LastChoice::Question question = {first.in_len, n, first.aad_len <= SHORT_MESSAGE_AAD,
                                           suite.engine->lineups().generation()};
    LastChoice &last = suite.last_message[opens];
    const Variant *v = usual ? last.recall(family, question) : nullptr;
    if (v) return v;
    v = decide();
    if (usual) last.remember(family, question, v);
    return v;
}

// Digests and HMACs, on a kernel of one lane.
class DigestCalls {
public:
    DigestCalls(const Engine &engine, const Variant &v, const cst_job &first)
        : v_(v),
          suite_(*key_of(first).suite),
          hash_(suite_.hash->record),
          in_(v.hash.lanes[0].in),
          fn_(v.kernel.load(std::memory_order_acquire)->fn),
          chains_(v, state_) {
        if (v.legacy_sse && engine.avx()) clear_upper_halves();
        args_.state[0] = state_ + v.state_offset[0];
    }
    ~DigestCalls() {
        wipe(state_, v_.state_bytes);
        wipe(end_, sizeof(end_));
        wipe(chain_, sizeof(chain_));
    }
    static bool has_room(const Variant &v) {
        return v.lanes == 1 && v.state_bytes <= STATE_ROOM && v.state_align <= ALIGNED && v.lag == 0;
    }

    // False: it is to be opened, and its tag is wrong.
    bool run(cst_job *job) {
        const Key &key = key_of(*job);
        const uint8_t *const in = static_cast<const uint8_t *>(job->in);
        const size_t block = hash_.block_bytes, rest = job->in_len & (block - 1), front = job->in_len - rest;
        begin(key.inner());
        if (front) call(in, front);
        copy_few(end_, in + front, rest);
        call(end_, hash_pad(hash_, end_, rest, job->in_len + (suite_.hmac() ? block : 0)));
        if (suite_.hmac()) {  // RFC 2104
            digest(end_, hash_.digest_bytes);
            begin(key.outer());
            call(end_, hash_pad(hash_, end_, hash_.digest_bytes, block + hash_.digest_bytes));
        }
        uint8_t *const tag = static_cast<uint8_t *>(job->tag);
        if (job->direction == CST_OPEN) {
            digest(end_, hash_.digest_bytes);
            if (!same_bytes(end_, tag, job->tag_len)) return refuse_unopened(job), false;
        } else {
            digest(tag, job->tag_len);
        }
        job->out_len = 0;
        job->status = CST_OK;
        return true;
    }
    size_t calls() const { return calls_; }

private:
    static constexpr size_t ALIGNED = 64, STATE_ROOM = 2048;
    static constexpr uint32_t LANE = 0;

    void begin(const uint8_t *chain) {
        chains_.put(&LANE, 1, [=](size_t) { return chain; });
    }
    void call(const uint8_t *in, uint64_t bytes) {
        put_pointer(state_ + in_, in);
        args_.iterations = bytes >> v_.step_log2;
        fn_(&args_);
        calls_++;
    }
    void digest(uint8_t *to, size_t bytes) {
        chains_.take(&LANE, 1, [this](size_t) { return chain_; });
        hash_digest(hash_, chain_, to, bytes);
    }

    const Variant &v_;
    const Suite &suite_;
    const AlgorithmRecord &hash_;
    const uint32_t in_;
    const cst_kernel_fn fn_;
    const Chains chains_;
    cst_kernel_args args_;
    size_t calls_ = 0;
    alignas(ALIGNED) uint8_t state_[STATE_ROOM];
    alignas(ALIGNED) uint8_t end_[2 * MOST_BLOCK + PAD_SLACK];  // what a digest or a message ends in
    uint8_t chain_[MOST_CHAIN];
};

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
    const bool counts = suite.construction == Construction::counter;  // the IVs say how far it may go
    for (size_t i = 0; i < (counts ? n : 1); i++)
        if (!serves(suite, jobs[i])) return JOB_WAITING;
    const Variant *const v = choose(suite, suite.messages[opens], n, *jobs, [&] {
        return choose_message(suite, opens, n, jobs->in_len, jobs->in_len, jobs->aad_len).variant;
    });
    if (!v || !Calls::has_room(*v)) return JOB_WAITING;
    return (suite.kind == CST_CIPHER                          ? run_calls<TextCalls>
            : suite.construction == Construction::chacha_poly ? run_calls<ChachaPolyCalls>
                                                              : run_calls<GcmCalls>)(*suite.engine, *v, jobs, n);
}

int run_digests(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    if (suite.construction != Construction::single || !suite.hash || suite.enciphers() || jobs->n_in_pieces ||
        (suite.forced && (suite.forced->stitched() || suite.forced->role != Role::hash)))
        return JOB_WAITING;
    const Variant *const v = choose(suite, suite.hashes, n, *jobs, [&]() -> const Variant * {
        const uint64_t bytes = hashed_bytes(suite, jobs->in_len);
        Need need = {&suite.hashes, n, bytes, bytes};
        need.whole_only = true;
        const Lineup lineup = line_up(suite, need);
        return lineup.messages == n ? lineup.variant : nullptr;
    });
    if (!v || !DigestCalls::has_room(*v)) return JOB_WAITING;
    DigestCalls calls(*suite.engine, *v, *jobs);
    bool all = true;
    for (cst_job *job = jobs; job < jobs + n; job++) all &= calls.run(job);
    v->calls.add(calls.calls());
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
