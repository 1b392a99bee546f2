// Runs messages one after the other, each directly from its job, where kernels of one lane take least time: a cipher,
// a digest or a MAC, encrypt-then-MAC, CCM, sealing of a TLS record. State between two calls of a kernel stays in its
// state block. middle.cpp explains where cipher and hash begin, and which of them is ahead in the stitched middle.

#include <algorithm>
#include <optional>

#include "../select/upper_halves.hpp"
#include "../suite/block_mac.hpp"
#include "../suite/secret.hpp"
#include "ccm_blocks.hpp"
#include "constructions.hpp"
#include "../executors/lane_state.hpp"
#include "../plan/lineup.hpp"
#include "mac.hpp"
#include "../executors/message.hpp"
#include "text.hpp"

namespace cst {
namespace {

constexpr size_t AES = 16;
constexpr uint32_t LANE = 0;
constexpr size_t MOST_AAD = 64;  // bytes in a head that is assembled as a whole

bool any_in_place(const cst_job *jobs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (jobs[i].in == jobs[i].out) return true;
    return false;
}

// Positions and lengths that messages of the same shape share.
struct Shape {
    Shape(const Suite &suite, const cst_job &job, bool in_place)
        : opens(job.direction == CST_OPEN),
          ccm(suite.construction == Construction::ccm),
          seals_record(suite.construction == Construction::tls),
          reads_output(suite.enciphers() && !seals_record && opens == ccm),
          ahead(ccm || opens ? !reads_output : seals_record && in_place),
          masks(suite.hash && suite.hash->record.kind == ALGORITHM_CBC_MAC && !ccm),
          unit(suite.hash ? suite.hash->record.block_bytes : AES),
          head(suite.hash && suite.enciphers() ? head_bytes(suite, job.aad_len) : 0),
          boundary(ccm ? 0 : -head & (unit - 1)),
          body(job.in_len),
          text(!suite.enciphers() ? 0
               : seals_record     ? job.in_len & ~(AES - 1)
                                  : job.in_len),
          whole(head && fits_whole(suite, head, body)) {}

    // Of `left` bytes of the body that stand behind what is hashed, those that a kernel reads where they are: whole
    // blocks, but the last block of CMAC and XCBC, which may be masked, belongs to the end.
    uint64_t blocks_of_body(uint64_t left) const { return (left - (masks && left)) & ~uint64_t(unit - 1); }

    const bool opens, ccm, seals_record;
    const bool reads_output;  // the hash reads what the cipher writes
    const bool ahead;  // the hash must be ahead of the cipher, which overwrites what the hash reads
    const bool masks;  // the last block
    const size_t unit;        // block bytes of the hash
    const uint64_t head;      // bytes in front of the body
    const uint64_t boundary;  // body bytes up to the first block boundary after the head
    const uint64_t body;      // bytes of input or output that are hashed
    const uint64_t text;      // bytes that the cipher processes
    const bool whole;         // the message is assembled as a whole
};

// Where a pair kernel begins, and how many bytes cipher and hash both have left from there. handed: the kernel
// decrypts, and hands over what is hashed. need, step: those of the kernel, or values that serve all kernels of its
// family.
struct Start {
    Start(const Shape &shape, bool handed, uint64_t need, uint64_t step) {
        const bool ahead = shape.ahead && !handed;
        aligned = !ahead && !shape.seals_record && shape.boundary % AES == 0;
        if (!ahead && !shape.seals_record) cipher = (shape.boundary + AES - 1) & ~uint64_t(AES - 1);
        if (!aligned && !shape.opens && cipher && cipher <= shape.text)  // leaves whole iterations of the text
            cipher += (shape.text - cipher) & (step - 1) & ~uint64_t(AES - 1);
        hash = shape.boundary + (ahead ? (need + shape.unit - 1) & ~uint64_t(shape.unit - 1) : 0);
        if (cipher <= shape.text && hash <= shape.body) bytes = std::min(shape.text - cipher, shape.body - hash);
        bytes &= ~(step - 1);
    }

    bool aligned;
    uint64_t cipher = 0, hash = 0, bytes = 0;
};

// The kernels, each of one lane; NULL: a message has nothing to do for it.
struct Kernels {
    const Variant *cipher, *hash;
    const Variant *coarse;  // for the MAC of a block cipher: several blocks per iteration
    const Variant *pair;
};

constexpr size_t STATE_ROOM = 1536, STATE_ALIGNED = 64, MOST_STEP = 512;

bool has_room(const Variant *v) {
    return !v || (v->lanes == 1 && v->state_bytes <= STATE_ROOM && v->state_align <= STATE_ALIGNED &&
                  v->step <= MOST_STEP && (v->stitched() || !v->lag));
}

const Variant *pair_of(const Suite &suite, const Shape &shape, size_t n, double *cycles) {
    if (!suite.hash || !suite.enciphers()) return nullptr;
    for (const bool handed : {true, false}) {
        const bool deciphers = shape.opens && !shape.ccm;
        const Family &family = !deciphers ? suite.pairs : handed ? suite.handed_open_pairs : suite.open_pairs;
        if (family.variants.empty() || (handed && (!deciphers || shape.boundary % AES))) continue;
        const Start start(shape, handed, family.needs.front(), AES);
        Need need = {&family, n, start.bytes, start.bytes};
        need.aligned = start.aligned;
        if (start.bytes < family.needs.back()) continue;
        if (const Variant *const pair = choose_pair(suite, need, suite.ciphers(shape.opens), cycles)) return pair;
    }
    return nullptr;
}

// Returns false if kernels of several lanes take less time, or if other kernels must run. plan: NULL, or receives the
// kernels with their figures.
bool choose(const Suite &suite, const Shape &shape, size_t n, Kernels *kernels, Plan *plan = nullptr) {
    *kernels = {nullptr, nullptr, nullptr, pair_of(suite, shape, n, plan ? &plan->pair.cycles : nullptr)};
    if (plan) plan->pair.chosen = {kernels->pair, n};
    const size_t beside = kernels->pair ? 1 : n;  // what precedes and follows a stitched middle is short
    const auto ask = [&](const Need &need, const Variant **v, Ranking Plan::*ranking) {
        const Lineup lineup = line_up(suite, need);
        *v = lineup.variant;
        if (plan) plan->*ranking = rank(suite, need);
        return lineup.variant && lineup.messages == need.messages && has_room(lineup.variant);
    };
    if (!has_room(kernels->pair)) return false;
    if (suite.hash) {
        const uint64_t bytes = hashed_bytes(suite, shape.head + shape.body);
        Need need = {&suite.hashes, beside, bytes, bytes};
        need.whole_only = true;
        if (!ask(need, &kernels->hash, &Plan::hash)) return false;
        if (suite.hash->record.kind == ALGORITHM_CBC_MAC && !kernels->pair && !shape.whole) {
            const Ranking alone = plan ? plan->hash : Ranking();
            need.whole_only = false;
            if (!ask(need, &kernels->coarse, &Plan::hash)) return false;
            const bool runs = kernels->coarse->step <= shape.blocks_of_body(shape.body - shape.boundary);
            if (!runs && plan) plan->hash = alone;
            if (!runs || kernels->coarse == kernels->hash) kernels->coarse = nullptr;
        }
    }
    if (suite.enciphers()) {
        const uint64_t bytes = kernels->pair ? AES : shape.text, lengths = bytes | (shape.seals_record ? AES : 0);
        Need need = {&suite.ciphers(shape.opens), beside, bytes, bytes};
        need.rounds_up = !kernels->pair && rounds_up(suite, shape.opens);
        if (!need.rounds_up) need.grain = lengths & -lengths;
        if (!ask(need, &kernels->cipher, &Plan::cipher)) return false;
    }
    const Variant *const forced = suite.forced;
    return !forced || forced == kernels->cipher || forced == kernels->hash || forced == kernels->coarse ||
           forced == kernels->pair;
}

bool serves(const Suite &suite, const cst_job *jobs, size_t n) {
    const cst_job &job = *jobs;
    if (in_pieces(job) || (suite.enciphers() && !job.in_len)) return false;
    const uint32_t cipher = suite.enciphers() ? suite.encrypt->record.kind : 0;
    const bool plain = !cipher || cipher == ALGORITHM_CIPHER_ENC;  // AES-CBC
    switch (suite.construction) {
        case Construction::single: return plain;
        case Construction::cmac:
        case Construction::xcbc: return true;
        case Construction::etm:
        case Construction::esp:
            return job.aad_len <= MOST_AAD &&
                   (plain || (cipher == ALGORITHM_COUNTER && CounterRoom(suite, job.in_len).hold(jobs, n)));
        case Construction::ccm: return job.aad_len <= MOST_AAD;
        case Construction::tls: return plain && job.direction == CST_SEAL && job.in_len >= AES;
        default: return false;
    }
}

// Calls a kernel on a state block of its own.
class Call {
public:
    Call(const Engine &engine, const Variant &v)
        : v_(v),
          fn_(v.kernel.load(std::memory_order_acquire)->fn),
          after_avx_(v.legacy_sse && engine.avx()),
          chains_(v, state_) {
        for (uint32_t i = 0; i < v.n_streams; i++) args_.state[i] = state_ + v.state_offset[i];
        for (const Variant::Link &link : v.links) put_pointer(state_ + link.from, state_ + link.hand);
    }
    ~Call() {
        wipe(state_, v_.state_bytes);
        v_.calls.add(calls_);
    }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    uint64_t step() const { return v_.step; }
    void cipher_key(const uint8_t *rows) { put_key(v_.cipher, rows); }
    void mac_key(const uint8_t *end) {
        if (v_.hash.key_rows) put_key(v_.hash, end - 16 * v_.hash.key_rows);
    }
    void put_iv(const uint8_t *iv) { memcpy(state_ + v_.cipher.lanes[LANE].chain, iv, AES); }
    void take_iv(uint8_t *iv) const { memcpy(iv, state_ + v_.cipher.lanes[LANE].chain, AES); }
    void put_chain(const uint8_t *chain) {
        chains_.put(&LANE, 1, [=](size_t) { return chain; });
    }
    void take_chain(uint8_t *chain) const {
        chains_.take(&LANE, 1, [=](size_t) { return chain; });
    }
    void text(const void *in, void *out) {
        put_pointer(state_ + v_.cipher.lanes[LANE].in, in);
        put_pointer(state_ + v_.cipher.lanes[LANE].out, out);
    }
    void hashed(const void *in) {
        if (v_.hash.lanes[LANE].in != NO_FIELD) put_pointer(state_ + v_.hash.lanes[LANE].in, in);
    }
    void run(uint64_t bytes) {
        if (after_avx_) clear_upper_halves();
        args_.iterations = bytes >> v_.step_log2;
        fn_(&args_);
        calls_++;
    }

private:
    void put_key(const Part &part, const uint8_t *rows) {
        const uint32_t place = part.lanes[LANE].key;
        if (place != NO_FIELD) copy_key_rows(state_ + place, part.key_row_bytes, part.key_rows_in(rows), part.key_rows);
    }

    const Variant &v_;
    const cst_kernel_fn fn_;
    const bool after_avx_;
    const Chains chains_;
    cst_kernel_args args_;
    uint64_t calls_ = 0;
    alignas(STATE_ALIGNED) uint8_t state_[STATE_ROOM];
};

// Runs the cipher of a message.
class Text {
public:
    // pair: the kernel of the stitched middle, or NULL.
    Text(const Suite &suite, const Variant &v, Call *pair, bool opens)
        : alone_(*suite.engine, v),
          pair_(pair),
          round_keys_(suite.key_layout.round_keys(opens)),
          ccm_(suite.construction == Construction::ccm) {}
    ~Text() {
        wipe(chain_, sizeof(chain_));
        wipe(aside_, aside_used_);
    }

    void begin(const cst_job &job) {
        in_ = static_cast<const uint8_t *>(job.in);
        out_ = static_cast<uint8_t *>(job.out);
        at_ = 0;
        if (ccm_) put_ccm_block(job, 0, 1, chain_);
        else memcpy(chain_, job.iv, AES);
        if (key_ == job.key) return;
        key_ = job.key;
        const uint8_t *const rows = reinterpret_cast<const uint8_t *>(key_) + round_keys_;
        alone_.cipher_key(rows);
        if (pair_) pair_->cipher_key(rows);
    }
    // Runs the cipher up to `stop`. A partial iteration at the end is padded where blocks do not depend on one
    // another, because nothing follows it.
    void run_to(uint64_t stop) {
        if (at_ >= stop) return;
        const uint64_t rest = (stop - at_) & (alone_.step() - 1), end = stop - rest;
        if (at_ < end) run(in_ + at_, out_ + at_, end - at_);
        at_ = stop;
        if (!rest) return;
        aside_used_ = alone_.step();
        copy_few(aside_, in_ + end, rest);
        memset(aside_ + rest, 0, aside_used_ - rest);
        run(aside_, aside_, aside_used_);
        copy_few(out_ + end, aside_, rest);
    }
    // Runs the cipher over whole blocks that follow the text.
    void run(const uint8_t *in, uint8_t *out, uint64_t bytes) {
        alone_.put_iv(chain_);
        alone_.text(in, out);
        alone_.run(bytes);
        alone_.take_iv(chain_);
    }
    void enter_pair() {
        pair_->put_iv(chain_);
        pair_->text(in_ + at_, out_ + at_);
    }
    void leave_pair(uint64_t bytes) {
        pair_->take_iv(chain_);
        at_ += bytes;
    }

private:
    Call alone_;
    Call *const pair_;
    const size_t round_keys_;
    const bool ccm_;
    const cst_key *key_ = nullptr;
    const uint8_t *in_ = nullptr;
    uint8_t *out_ = nullptr;
    uint64_t at_ = 0, aside_used_ = 0;
    alignas(16) uint8_t chain_[AES];
    alignas(64) uint8_t aside_[MOST_STEP];
};

// Hashes a message: head, body, trailer, padding, and HMAC's outer hash (RFC 2104).
class Digest {
public:
    // shape: that of all messages; it must outlive this object. pair: as for Text.
    Digest(const Suite &suite, const Shape &shape, const Kernels &kernels, Call *pair)
        : suite_(suite),
          shape_(shape),
          hash_(suite.hash->record),
          block_mac_(hash_.kind == ALGORITHM_CBC_MAC),
          keys_end_(suite.key_layout.mac + 16 * (hash_.rounds + 1)),
          alone_(*suite.engine, *kernels.hash),
          pair_(pair) {
        if (kernels.coarse) coarse_.emplace(*suite.engine, *kernels.coarse);
        if (shape.ccm) mask_.emplace(suite);
    }
    ~Digest() {
        wipe(end_, end_used_);
        wipe(tag_, tag_used_);
        wipe(chain_, sizeof(chain_));
    }

    void begin(const cst_job &job) {
        static const uint8_t zero[AES] = {};
        job_ = &job;
        body_ = static_cast<const uint8_t *>(shape_.reads_output ? job.out : job.in);
        hashed_ = 0;
        alone_.put_chain(block_mac_ ? zero : key_of(job).inner());
        if (!block_mac_ || key_ == job.key) return;
        key_ = job.key;
        const uint8_t *const end = reinterpret_cast<const uint8_t *>(key_) + keys_end_;
        alone_.mac_key(end);
        if (coarse_) coarse_->mac_key(end);
        if (pair_) pair_->mac_key(end);
    }
    // Hashes the head with as many bytes of the body as fill it up to whole blocks.
    void run_head() {
        const size_t head = begin_end();
        copy_few(end_ + head, body_, shape_.boundary);
        hashed_ = shape_.boundary;
        head_hashed_ = true;
        run(end_, head + shape_.boundary);
    }
    void run_to(uint64_t stop) {
        if (stop > hashed_) run(body_ + hashed_, stop - hashed_);
        hashed_ = std::max(hashed_, stop);
    }
    void enter_pair() {
        alone_.take_chain(chain_);
        pair_->put_chain(chain_);
        pair_->hashed(body_ + hashed_);
    }
    void leave_pair(uint64_t bytes) {
        pair_->take_chain(chain_);
        alone_.put_chain(chain_);
        hashed_ += bytes;
    }
    // Hashes what is left, then writes or compares the tag. Returns false on a tag mismatch.
    bool settle() {
        uint8_t *const tag = static_cast<uint8_t *>(job_->tag);
        if (!shape_.opens && !mask_) return finish(tag, job_->tag_len), true;
        tag_used_ = sizeof(tag_);
        finish(tag_, mask_ ? AES : job_->tag_len);
        if (mask_) mask_ccm_tag(&*mask_, *job_, tag_, tag_ + AES);
        if (shape_.opens) return same_bytes(tag_, tag, job_->tag_len);
        return copy_few(tag, tag_, job_->tag_len), true;
    }
    // Hashes what is left, then writes the digest, or its first n bytes.
    void finish(uint8_t *to, size_t n) {
        const size_t unit = hash_.block_bytes;
        size_t used = 0;
        if (shape_.head && !head_hashed_) used = begin_end();
        head_hashed_ = false;
        // A short message is assembled as a whole: that takes less time than a call of the kernel.
        const uint64_t left = shape_.body - hashed_;
        if (!used && left + unit + 2 * PAD_SLACK > WHOLE_MESSAGE) run_body(shape_.blocks_of_body(left));
        const size_t rest = size_t(shape_.body - hashed_);
        copy_few(end_ + used, body_ + hashed_, rest);
        used += rest;
        const size_t trailer = shape_.head ? put_trailer(suite_, *job_, end_ + used) : 0;
        used += trailer;
        if (block_mac_) {
            used = shape_.ccm ? fill_with_zeros(end_, used) : mask_end(key_of(*job_), end_, used);
            if (used) run(end_, used);
            alone_.take_chain(chain_);
            return copy_few(to, chain_, n);
        }
        const uint64_t before = suite_.hmac() ? unit : 0;
        run(end_, hash_pad(hash_, end_, used, before + shape_.head + shape_.body + trailer));
        if (suite_.hmac()) {
            digest(end_, hash_.digest_bytes);
            alone_.put_chain(key_of(*job_).outer());
            run(end_, hash_pad(hash_, end_, hash_.digest_bytes, before + hash_.digest_bytes));
        }
        digest(to, n);
    }

private:
    // Assembles the head; that of CCM is whole blocks (SP 800-38C, A.2).
    size_t begin_end() {
        if (!shape_.ccm) return put_head(suite_, *job_, end_);
        const size_t used = put_ccm_head(*job_, end_);
        copy_few(end_ + used, static_cast<const uint8_t *>(job_->aad), job_->aad_len);
        return fill_with_zeros(end_, used + job_->aad_len);
    }
    void run(const uint8_t *in, uint64_t bytes) {
        if (in == end_) end_used_ = std::max(end_used_, size_t(bytes));
        alone_.hashed(in);
        alone_.run(bytes);
    }
    void run_body(uint64_t bytes) {
        const uint64_t end = hashed_ + bytes;
        if (coarse_ && bytes >= coarse_->step()) {
            const uint64_t some = bytes & ~(coarse_->step() - 1);
            alone_.take_chain(chain_);
            coarse_->put_chain(chain_);
            coarse_->hashed(body_ + hashed_);
            coarse_->run(some);
            coarse_->take_chain(chain_);
            alone_.put_chain(chain_);
            hashed_ += some;
        }
        run_to(end);
    }
    void digest(uint8_t *to, size_t n) {
        alone_.take_chain(chain_);
        hash_digest(hash_, chain_, to, n);
    }

    const Suite &suite_;
    const Shape &shape_;
    const AlgorithmRecord &hash_;
    const bool block_mac_;
    const size_t keys_end_;
    Call alone_;
    std::optional<Call> coarse_;
    std::optional<BlockCalls> mask_;  // masks the tag of CCM
    Call *const pair_;
    const cst_key *key_ = nullptr;
    const cst_job *job_ = nullptr;
    const uint8_t *body_ = nullptr;
    uint64_t hashed_ = 0;
    bool head_hashed_ = false;
    size_t end_used_ = 0, tag_used_ = 0;
    alignas(64) uint8_t end_[WHOLE_MESSAGE + 3 * PAD_SLACK];  // assembled head or end of a message
    alignas(16) uint8_t chain_[MOST_CHAIN];
    alignas(16) uint8_t tag_[DIGEST_ROOM];  // computed tag that is compared or masked
};

// Runs a cipher alone.
class Texts {
public:
    Texts(const Suite &suite, const Shape &shape, const Kernels &kernels)
        : text_(suite, *kernels.cipher, nullptr, shape.opens) {}

    bool run(cst_job *job) {
        text_.begin(*job);
        text_.run_to(job->in_len);
        text_done(job);
        return true;
    }

private:
    Text text_;
};

// Runs a hash or MAC alone. Returns false on a tag mismatch.
class Digests {
public:
    Digests(const Suite &suite, const Shape &shape, const Kernels &kernels) : hash_(suite, shape, kernels, nullptr) {}

    bool run(cst_job *job) {
        hash_.begin(*job);
        if (!hash_.settle()) return refuse_unopened(job), false;
        job->out_len = 0;
        job->status = CST_OK;
        return true;
    }

private:
    Digest hash_;
};

// Runs cipher and MAC. Returns false on a tag mismatch.
class Stitched {
public:
    Stitched(const Suite &suite, const Shape &shape, const Kernels &kernels)
        : suite_(suite),
          shape_(shape),
          middle_(middle_of(suite, shape_, kernels.pair)),
          text_(suite, *kernels.cipher, middle_ ? &middle_->pair : nullptr, shape_.opens),
          hash_(suite, shape, kernels, middle_ ? &middle_->pair : nullptr) {}
    ~Stitched() { wipe(last_, last_bytes_); }
    Stitched(const Stitched &) = delete;
    Stitched &operator=(const Stitched &) = delete;

    bool run(cst_job *job) {
        text_.begin(*job);
        hash_.begin(*job);
        if (shape_.reads_output) text_.run_to(middle_ ? middle_->start.cipher : shape_.text);
        if (shape_.head && (middle_ || !shape_.whole)) hash_.run_head();
        if (middle_) run_middle(&*middle_);
        if (shape_.reads_output) text_.run_to(shape_.text);
        if (shape_.seals_record) return finish_record(job), true;
        if (!hash_.settle()) return refuse_unopened(job), false;
        text_.run_to(shape_.text);
        text_done(job);
        return true;
    }

private:
    struct Middle {
        Middle(const Suite &suite, const Shape &shape, const Variant &v)
            : pair(*suite.engine, v), start(shape, v.hand, v.need(), v.step) {}
        Call pair;
        const Start start;
    };

    static std::optional<Middle> middle_of(const Suite &suite, const Shape &shape, const Variant *pair) {
        if (!pair) return std::nullopt;
        return std::optional<Middle>(std::in_place, suite, shape, *pair);
    }
    void run_middle(Middle *middle) {
        const uint64_t bytes = middle->start.bytes;
        text_.run_to(middle->start.cipher);
        hash_.run_to(middle->start.hash);
        text_.enter_pair();
        hash_.enter_pair();
        middle->pair.run(bytes);
        text_.leave_pair(bytes);
        hash_.leave_pair(bytes);
    }
    // RFC 5246, 6.2.3.2: appends the rest of the text, the MAC and the padding.
    void finish_record(cst_job *job) {
        const size_t mac = suite_.hash->record.digest_bytes, rest = size_t(shape_.body - shape_.text),
                     padding = AES - (rest + mac) % AES;
        copy_few(last_, static_cast<const uint8_t *>(job->in) + shape_.text, rest);
        hash_.finish(last_ + rest, mac);
        memset(last_ + rest + mac, int(padding - 1), padding);
        last_bytes_ = rest + mac + padding;
        text_.run_to(shape_.text);
        text_.run(last_, last_, last_bytes_);
        copy_few(static_cast<uint8_t *>(job->out) + shape_.text, last_, last_bytes_);
        job->out_len = size_t(shape_.text + last_bytes_);
        job->status = CST_OK;
    }

    const Suite &suite_;
    const Shape &shape_;
    std::optional<Middle> middle_;
    Text text_;
    Digest hash_;
    size_t last_bytes_ = 0;
    alignas(16) uint8_t last_[MOST_LAST];  // the end of a record
};

template <typename Those>
int run_all(const Suite &suite, const Shape &shape, const Kernels &kernels, cst_job *jobs, size_t n) {
    Those those(suite, shape, kernels);
    bool all = true;
    for (cst_job *job = jobs; job < jobs + n; job++) all &= those.run(job);
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace

bool plan_one_by_one(const Suite &suite, const cst_job &job, size_t n, Plan *plan) {
    Kernels kernels;
    *plan = {};
    return serves(suite, &job, 1) && choose(suite, Shape(suite, job, false), n, &kernels, plan);
}

int run_one_by_one(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    if (!serves(suite, jobs, n)) return JOB_WAITING;
    const Shape shape(suite, *jobs, suite.construction == Construction::tls && any_in_place(jobs, n));  // only TLS asks
    Kernels kernels;
    if (!choose(suite, shape, n, &kernels)) return JOB_WAITING;
    const auto run = !kernels.hash ? run_all<Texts> : !kernels.cipher ? run_all<Digests> : run_all<Stitched>;
    return run(suite, shape, kernels, jobs, n);
}

}  // namespace cst
