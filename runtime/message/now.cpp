// The executor Now: runs messages one after the other, each at once and directly from its job, where kernels of one
// lane take least time: a cipher, a digest or a MAC, encrypt-then-MAC, CCM, sealing of a TLS record. What is enciphered
// and hashed of a message is stated in message_text.hpp and message_mac.hpp; here is what a stitched kernel does of
// both. stitch.hpp explains where cipher and hash begin there, and which of them is ahead.

#include <algorithm>
#include <optional>

#include "../executors/message_calls.hpp"
#include "../executors/now.hpp"
#include "../plan/lineup.hpp"
#include "constructions.hpp"
#include "job_list.hpp"
#include "mac.hpp"
#include "message_mac.hpp"
#include "message_text.hpp"
#include "stitch.hpp"
#include "text.hpp"

namespace cst {
namespace {

constexpr size_t MOST_AAD = 64;  // bytes in a head that is assembled as a whole

bool any_in_place(const cst_job *jobs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (jobs[i].in == jobs[i].out) return true;
    return false;
}

// The kernels, each of one lane; NULL: a message has nothing to do for it.
struct Kernels {
    const Variant *cipher, *hash;
    const Variant *coarse;  // for the MAC of a block cipher: several blocks per iteration
    const Variant *pair;
    const Variant *block;  // masks tags of CCM
};

// Returns false if kernels of several lanes take less time, or if other kernels must run. plan: NULL, or receives the
// kernels with their figures.
bool choose(const Suite &suite, const Shape &shape, size_t n, Kernels *kernels, Plan *plan = nullptr) {
    const Stitch stitch = choose_stitch(suite, shape, shape, n, false, false);
    *kernels = {nullptr, nullptr, nullptr, stitch.pair, nullptr};
    if (plan) plan->pair = {{stitch.pair, n}, stitch.cycles, nullptr, 0};
    const size_t beside = kernels->pair ? 1 : n;  // what precedes and follows a stitched middle is short
    const auto ask = [&](const Need &need, const Variant **v, Ranking Plan::*ranking) {
        const Lineup lineup = line_up(suite, need);
        *v = lineup.variant;
        if (plan) plan->*ranking = rank(suite, need);
        return lineup.variant && lineup.messages == need.messages && LaneCall::holds(*lineup.variant);
    };
    if (kernels->pair && !LaneCall::holds(*kernels->pair)) return false;
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
        const uint64_t bytes = kernels->pair ? AES_BLOCK : shape.text,
                       lengths = bytes | (shape.seals_record ? AES_BLOCK : 0);
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
                   (plain || (cipher == ALGORITHM_COUNTER && CounterRoom(suite).hold(jobs, n)));
        case Construction::ccm: return job.aad_len <= MOST_AAD;
        case Construction::tls: return plain && job.direction == CST_SEAL && job.in_len >= AES_BLOCK;
        default: return false;
    }
}

// Runs the cipher of messages.
class NowText {
public:
    // pair: the kernel of the stitched middle, or NULL.
    NowText(const Suite &suite, const KernelCall &alone, LaneCall *pair, bool opens)
        : text_(suite, opens, alone.step, opens || !suite.expansion, 0, nullptr), alone_(alone), pair_(pair) {}
    ~NowText() { wipe(aside_, aside_used_); }
    NowText(const NowText &) = delete;
    NowText &operator=(const NowText &) = delete;

    void begin(const cst_job &job) {
        job_ = &job;
        in_ = static_cast<const uint8_t *>(job.in);
        out_ = static_cast<uint8_t *>(job.out);
        at_ = 0;
        text_.put_chain(alone_.cipher_chain(), job);
        if (key_ == job.key) return;
        key_ = job.key;
        alone_.cipher_key(text_.round_keys(job));
        if (pair_) pair_->cipher_key(text_.round_keys(job));
    }
    // Runs whole iterations of the text, up to `stop`.
    void run_to(uint64_t stop) {
        if (at_ >= stop) return;
        run(in_ + at_, out_ + at_, stop - at_);
        at_ = stop;
    }
    // Runs what is left.
    void run_to_end() {
        run_to(text_.body_bytes(*job_));
        const size_t bytes = text_.end_bytes(*job_);
        if (!bytes) return;
        aside_used_ = std::max(aside_used_, bytes);
        text_.put_end(*job_, aside_);
        run(aside_, aside_, bytes);
        text_.take_end(*job_, aside_);
    }
    void settle(cst_job *job) const { text_.settle(job); }
    // Around a call of the stitched kernel, which runs `bytes` bytes.
    void enter_pair() {
        memcpy(pair_->cipher_chain(), alone_.cipher_chain(), AES_BLOCK);
        pair_->text(in_ + at_, out_ + at_);
    }
    void leave_pair(uint64_t bytes) {
        memcpy(alone_.cipher_chain(), pair_->cipher_chain(), AES_BLOCK);
        at_ += bytes;
    }

private:
    void run(const uint8_t *in, uint8_t *out, uint64_t bytes) {
        alone_.text(in, out);
        alone_.run(bytes);
    }

    const MessageText text_;
    LaneCall alone_;
    LaneCall *const pair_;
    const cst_key *key_ = nullptr;
    const cst_job *job_ = nullptr;
    const uint8_t *in_ = nullptr;
    uint8_t *out_ = nullptr;
    uint64_t at_ = 0;
    size_t aside_used_ = 0;
    alignas(64) uint8_t aside_[LaneCall::MOST_STEP];
};

// The stitched middle of messages of one shape.
struct NowMiddle {
    NowMiddle(const KernelCall &call, const Shape &shape)
        : pair(call), start(shape, call.variant->hand, call.variant->need(), call.step) {}
    LaneCall pair;
    const Start start;
};

// The kernel that hashes messages, and the memory of a message.
struct HashRoom {
    typedef MessageMac<false> Layout;

    explicit HashRoom(const KernelCall &call) : kernel(call) {}
    ~HashRoom() { wipe(scratch, used); }
    HashRoom(const HashRoom &) = delete;
    HashRoom &operator=(const HashRoom &) = delete;

    void hashed(const uint8_t *in, uint64_t bytes) {
        kernel.hashed(in);
        kernel.run(bytes);
    }
    void ended(size_t bytes) { used = std::max(used, bytes); }

    LaneCall kernel;
    size_t used = Layout::END;  // of the scratch memory
    alignas(64) uint8_t scratch[Layout::ROOM];
};

// Runs digests and HMACs. It is apart from its memory: its members can stay in registers, because nothing has a pointer
// to them.
class NowHash {
public:
    [[gnu::always_inline]] NowHash(HashRoom *room, const Suite &suite, bool opens)
        : room_(*room), mac_(suite, opens, nullptr, nullptr) {
        mac_.prepare(room_.scratch);
    }

    // Returns false if the job did not authenticate.
    [[gnu::always_inline]] bool run(cst_job *job) const {
        mac_.write(*job, true, *this);
        return mac_.settle(job, room_.scratch);
    }

    // MessageMac::write() calls these.
    [[gnu::always_inline]] uint8_t *scratch() const { return room_.scratch; }
    [[gnu::always_inline]] void from(const uint8_t *chain) const { room_.kernel.put_chain(chain); }
    [[gnu::always_inline]] void hashed(const uint8_t *in, uint64_t bytes) const { room_.hashed(in, bytes); }
    [[gnu::always_inline]] void body(const uint8_t *in, uint64_t bytes) const { room_.hashed(in, bytes); }
    static constexpr bool stopped() { return false; }
    [[gnu::always_inline]] void ended(size_t bytes) const { room_.ended(bytes); }
    [[gnu::always_inline]] void digest(uint8_t *to, size_t n) const {
        mac_.put_digest(room_.kernel.chain(room_.scratch), to, n);
    }

private:
    HashRoom &room_;
    const MessageMac<true> mac_;
};

// Runs the hash of messages, and with it the middle, in which `text` goes on.
class NowMac {
public:
    // shape: that of all messages; it must outlive this object. middle, text: NULL if there are none.
    NowMac(const Suite &suite, const Shape &shape, const KernelCall::Parts &parts, NowMiddle *middle = nullptr,
           NowText *text = nullptr)
        : shape_(shape),
          mac_(suite, shape.opens, nullptr, parts.block ? &blocks_.emplace(*parts.block) : nullptr),
          room_(*parts.hash),
          middle_(middle),
          text_(text) {
        mac_.prepare(room_.scratch);
        if (parts.coarse) coarse_.emplace(*parts.coarse);
    }
    NowMac(const NowMac &) = delete;
    NowMac &operator=(const NowMac &) = delete;

    // Returns false if the job did not authenticate.
    bool run(cst_job *job) {
        if (const uint8_t *const end = mac_.keys_end(*job); end && key_ != job->key) {
            key_ = job->key;
            room_.kernel.mac_key(end);
            if (coarse_) coarse_->mac_key(end);
            if (middle_) middle_->pair.mac_key(end);
        }
        mac_.write(*job, !middle_, *this);
        return mac_.settle(job, room_.scratch);
    }

    // MessageMac::write() calls these.
    uint8_t *scratch() { return room_.scratch; }
    void from(const uint8_t *chain) { room_.kernel.put_chain(chain); }
    void hashed(const uint8_t *in, uint64_t bytes) { room_.hashed(in, bytes); }
    void body(const uint8_t *in, uint64_t bytes) {
        const uint64_t before = middle_ ? run_middle(in) : 0;
        run_body(in + before, bytes - before);
    }
    static constexpr bool stopped() { return false; }
    void ended(size_t bytes) { room_.ended(bytes); }
    void digest(uint8_t *to, size_t n) { mac_.put_digest(room_.kernel.chain(room_.scratch), to, n); }

private:
    // Runs the body in the stitched kernel, and to its end a text that the hash reads. Returns how many bytes of the
    // body are hashed then.
    uint64_t run_middle(const uint8_t *body) {
        const Start &start = middle_->start;
        LaneCall &pair = middle_->pair;
        const uint64_t before = start.hash - shape_.boundary;
        text_->run_to(start.cipher);
        if (before) hashed(body, before);
        text_->enter_pair();
        move_chain(&room_.kernel, &pair);
        pair.hashed(body + before);
        pair.run(start.bytes);
        move_chain(&pair, &room_.kernel);
        text_->leave_pair(start.bytes);
        if (shape_.reads_output) text_->run_to_end();
        return before + start.bytes;
    }
    void run_body(const uint8_t *in, uint64_t bytes) {
        LaneCall *const coarse = coarse_ ? &*coarse_ : nullptr;
        if (coarse && bytes >= coarse->step()) {
            const uint64_t some = bytes & ~(coarse->step() - 1);
            move_chain(&room_.kernel, coarse);
            coarse->hashed(in);
            coarse->run(some);
            move_chain(coarse, &room_.kernel);
            in += some;
            bytes -= some;
        }
        if (bytes) hashed(in, bytes);
    }
    void move_chain(LaneCall *from, LaneCall *to) { to->put_chain(from->chain(room_.scratch)); }

    const Shape &shape_;
    std::optional<BlockCalls> blocks_;
    const MessageMac<false> mac_;
    HashRoom room_;
    std::optional<LaneCall> coarse_;
    NowMiddle *const middle_;
    NowText *const text_;
    const cst_key *key_ = nullptr;
};

// Runs a cipher alone.
class Texts {
public:
    Texts(const Suite &suite, const Shape &shape, const KernelCall::Parts &parts)
        : text_(suite, *parts.cipher, nullptr, shape.opens) {}

    bool run(cst_job *job) {
        text_.begin(*job);
        text_.run_to_end();
        text_.settle(job);
        return true;
    }

private:
    NowText text_;
};

// Runs cipher and MAC.
class TextsAndMacs {
public:
    TextsAndMacs(const Suite &suite, const Shape &shape, const KernelCall::Parts &parts)
        : shape_(shape),
          middle_(parts.pair ? std::optional<NowMiddle>(std::in_place, *parts.pair, shape) : std::nullopt),
          text_(suite, *parts.cipher, middle_ ? &middle_->pair : nullptr, shape.opens),
          mac_(suite, shape, parts, middle_ ? &*middle_ : nullptr, &text_) {}

    bool run(cst_job *job) {
        text_.begin(*job);
        if (shape_.reads_output && middle_) text_.run_to(middle_->start.cipher);
        else if (shape_.reads_output) text_.run_to_end();
        if (!mac_.run(job)) return false;
        if (!shape_.reads_output) text_.run_to_end();
        text_.settle(job);
        return true;
    }

private:
    const Shape &shape_;
    std::optional<NowMiddle> middle_;
    NowText text_;
    NowMac mac_;
};

// Not inlined: its frame is large, and kernels are selected, and their code is made, without it.
template <typename Those>
[[gnu::noinline]] bool run_all(const Suite &suite, const Shape &shape, const KernelCall::Parts &parts, cst_job *jobs,
                               size_t n) {
    Those those(suite, shape, parts);
    bool all = true;
    for (cst_job *job = jobs; job < jobs + n; job++) all &= those.run(job);
    return all;
}

[[gnu::noinline]] int run_hashes(const Suite &suite, const KernelCall &call, cst_job *jobs, size_t n) {
    HashRoom room(call);
    const NowHash hash(&room, suite, jobs->direction == CST_OPEN);
    bool all = true;
    for (cst_job *job = jobs; job < jobs + n; job++) all &= hash.run(job);
    return all ? CST_OK : CST_ERR_AUTH;
}

int run(const Suite &suite, const Shape &shape, const KernelCall::Parts &parts, cst_job *jobs, size_t n) {
    if (hashes_alone(suite)) return run_hashes(suite, *parts.hash, jobs, n);
    const auto run_those = !parts.hash ? run_all<Texts> : !parts.cipher ? run_all<NowMac> : run_all<TextsAndMacs>;
    return run_those(suite, shape, parts, jobs, n) ? CST_OK : CST_ERR_AUTH;
}

// Only TLS asks whether texts are in place.
Shape shape_of(const Suite &suite, const cst_job *jobs, size_t n) {
    return Shape(suite, *jobs, suite.row.is_record() && any_in_place(jobs, n));
}

// The calls of a message whose kernels are known (KernelCall::run_one).
int run_known_hash(const KernelCall &call, cst_job *job) {
    return run_hashes(*key_of(*job).suite, *call.parts.hash, job, 1);
}
// The pair needs a middle like that of the message for which it was chosen.
int run_known_parts(const KernelCall &call, cst_job *job) {
    const Suite &suite = *key_of(*job).suite;
    if (!serves(suite, job, 1)) return JOB_WAITING;
    const Shape shape = shape_of(suite, job, 1);
    if (call.parts.pair) {
        const Variant &pair = *call.parts.pair->variant;
        const Start start(shape, pair.hand, pair.need(), pair.step);
        if (start.bytes < pair.need() || (pair.hand && !start.aligned)) return JOB_WAITING;
    }
    return run(suite, shape, call.parts, job, 1);
}

bool same(const KernelCall::Parts &a, const KernelCall::Parts &b) {
    return a.cipher == b.cipher && a.hash == b.hash && a.coarse == b.coarse && a.pair == b.pair && a.block == b.block;
}

// Remembers these for one message like the job.
void remember(const Suite &suite, const cst_job &job, const KernelCall::Parts &parts) {
    LaidCalls &calls = suite.laid[job.direction == CST_OPEN];
    const KernelCall *const call = calls.of([&](const KernelCall &it) { return same(it.parts, parts); },
                                            [&] {
                                                KernelCall its = {};
                                                its.run_one = hashes_alone(suite) ? run_known_hash : run_known_parts;
                                                its.parts = parts;
                                                return its;
                                            });
    if (call) calls.remember(suite.engine->cost_generation(), job.aad_len, job.in_len, call);
}

// Selects the kernel that takes n digests or HMACs of messages in the range of this length as a list. NULL: there is
// none, or others take less time.
const Variant *choose_digest_list(const Suite &suite, const cst_job &job, size_t n) {
    if (!hashes_alone(suite)) return nullptr;
    const uint64_t outer = suite.hmac() ? suite.hash->record.block_bytes : 0;
    return choose_hash_list(suite, job.direction == CST_OPEN, n, job.in_len, hashed_bytes(suite, job.in_len) - outer);
}

// Returns the kernel for messages of fewer blocks, which a range of lengths may have beside those of this one; NULL:
// there is none.
const Variant *of_fewer_blocks(const Suite &suite, const Variant &list) {
    const Kernel *kernel;
    for (const Variant *v : suite.lists[false].variants)
        if (list.message.padded && v->message.padded && v->message.most + 1 == list.message.least && v->runnable &&
            suite.engine->fetch(*v, &kernel) == CST_OK)
            return v;
    return nullptr;
}

// Returns the call of such a kernel. NULL: there is no memory for it.
const KernelCall *digest_call(const Suite &suite, bool opens, const Variant &list) {
    const Variant *const fewer = of_fewer_blocks(suite, list);
    const KernelCall *const others = fewer ? digest_call(suite, opens, *fewer) : nullptr;
    return suite.laid[opens].of(list, true, [&] { return lay_down_list(*suite.engine, list, opens, others); });
}

int run_digest_list(const Variant &list, cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    const bool opens = jobs->direction == CST_OPEN;
    const KernelCall *const call = digest_call(suite, opens, list);
    if (!call) return JOB_WAITING;
    if (n == 1 && usual(suite) && takes_range(list, jobs->in_len))
        suite.laid[opens].remember(suite.engine->cost_generation(), jobs->aad_len, jobs->in_len, call);
    return call->run(*call, JobList(jobs), n);
}

}  // namespace

bool plan_now(const Suite &suite, const cst_job &job, size_t n, Plan *plan) {
    Kernels kernels;
    *plan = {};
    const Variant *list = choose_digest_list(suite, job, n);
    if (list && !list->takes_message(job.in_len)) list = of_fewer_blocks(suite, *list);
    if (list && list->takes_message(job.in_len)) {
        plan->hash = rank(suite, list_need(suite, job.direction == CST_OPEN, n, list->message.least, 0));
        return true;
    }
    return serves(suite, &job, 1) && choose(suite, Shape(suite, job, false), n, &kernels, plan);
}

int run_now(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    if (!serves(suite, jobs, n)) return JOB_WAITING;
    if (const Variant *const list = choose_digest_list(suite, *jobs, n)) {
        const int result = run_digest_list(*list, jobs, n);
        if (result != JOB_WAITING) return result;
    }
    const Shape shape = shape_of(suite, jobs, n);
    Kernels kernels;
    if (!choose(suite, shape, n, &kernels)) return JOB_WAITING;
    if (shape.ccm) kernels.block = line_up_whole(suite, suite.blocks, 1, AES_BLOCK);
    KernelCall spare[5];
    bool spared = false;
    const auto part = [&](const Variant *v, KernelCall *its_spare) -> const KernelCall * {
        if (!v) return nullptr;
        const KernelCall &call = laid_down(suite, *v, its_spare);
        spared |= &call == its_spare;
        return &call;
    };
    const KernelCall::Parts parts = {part(kernels.cipher, &spare[0]), part(kernels.hash, &spare[1]),
                                     part(kernels.coarse, &spare[2]), part(kernels.pair, &spare[3]),
                                     part(kernels.block, &spare[4])};
    if (n == 1 && usual(suite) && !spared) remember(suite, *jobs, parts);
    return run(suite, shape, parts, jobs, n);
}

}  // namespace cst
