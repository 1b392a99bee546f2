#include "abreast.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "abreast_choice.hpp"
#include "call.hpp"
#include "chacha_alone.hpp"
#include "cipher_few.hpp"
#include "copy.hpp"
#include "key_rows.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16;
constexpr size_t MOST_JOBS = 64;  // at once
constexpr size_t STATE_BYTES = 10240, STATE_ALIGNED = 64;

// Where the IV has the 32 bits that kernels count in.
enum class Counts { nowhere, at_end, at_begin };
Counts counts(const Suite &suite) {
    return suite.construction == Construction::chacha ? Counts::at_begin : suite.counts() ? Counts::at_end : Counts::nowhere;
}
bool carries(const cst_job &job, Counts where) {
    if (where == Counts::nowhere) return false;
    uint32_t begin, end;
    const uint8_t *iv = static_cast<const uint8_t *>(job.iv);
    memcpy(&begin, iv, sizeof(begin));
    memcpy(&end, iv + BLOCK - sizeof(end), sizeof(end));
    return (where == Counts::at_begin ? begin : __builtin_bswap32(end)) > UINT32_MAX - ABREAST_TEXT / BLOCK;
}

bool any_carries(const Suite &suite, const cst_job *jobs, size_t n) {
    const Counts where = counts(suite);
    return std::any_of(jobs, jobs + n, [where](const cst_job &job) { return carries(job, where); });
}

// What the memo is asked.
uint64_t question(size_t n, uint64_t bytes, bool one_key, bool open) { return n | bytes << 8 | uint64_t(one_key) << 32 | uint64_t(open) << 33; }

// Where a Key has the round keys.
size_t keys_at(const Suite &suite, bool open) { return open && suite.encrypt != suite.decrypt ? offsetof(Key, decrypt) : offsetof(Key, encrypt); }

Lie lie_of(const Variant &v) { return v.cipher.key_row_bytes != BLOCK ? Lie::apart : v.legacy_sse ? Lie::together : Lie::by_two; }

// Jobs that are alike.
class Abreast {
public:
    explicit Abreast(const cst_job &model)
        : suite_(*key_of(model).suite), bytes_(model.in_len), open_(model.direction == CST_OPEN), family_(suite_.ciphers(open_)),
          keys_(keys_at(suite_, open_)),
          tweaked_(suite_.construction == Construction::xts) {}
    ~Abreast() {
        wipe(state_, state_used_);
        if (idle_used_ | chains_used_) {
            wipe(idle_out_, idle_used_);
            wipe(chains_, chains_used_);
        }
    }
    Abreast(const Abreast &) = delete;
    Abreast &operator=(const Abreast &) = delete;

    // Whether so many jobs can be run. Kernels are made when they are first chosen; where one kernel is not all, there must be one that suffices if that fails.
    bool prepare(const cst_job *jobs, size_t n) {
        one_key_ = n > 1;
        for (size_t i = 1; i < n && one_key_; i++) one_key_ = jobs[i].key == jobs[0].key;
        if (!texts_serve(suite_, bytes_)) return false;
        first_n_ = std::min(n, MOST_JOBS);
        first_ = choose(first_n_, bytes_);
        const bool nothing_over = first_ && bytes_ % first_->step == 0;
        if (bytes_ > ABREAST_IDLE && (!first_ || n % first_n_ || (first_->lanes > 1 && (!nothing_over || first_n_ % first_->lanes)))) return false;
        if (nothing_over && n <= MOST_JOBS && (n <= first_->lanes || n % first_->lanes == 0)) return true;
        for (const Variant *v : family_.variants)
            if (usable(*v, suite_.encrypt->record.block_bytes)) any_ = v;
        return any_ != nullptr;
    }
    // A chain waits for itself: a few are better off beside those of other lengths.
    bool waits() const { return !open_ && suite_.encrypt->record.kind == ALGORITHM_CIPHER_ENC; }
    Counts where() const { return counts(suite_); }

    // At most MOST_JOBS of those that it is prepared for.
    void run(cst_job *jobs, size_t n) {
        if (tweaked_) make_tweaks(jobs, n);
        const Variant *v = n == first_n_ ? first_ : nullptr;
        for (size_t at = 0, left = n; left;) {
            if (!v) v = choose_or_any(left, bytes_);
            const size_t some = left > v->lanes ? v->full_rounds(left) * v->lanes : left;
            for (uint64_t done = 0; v;) {
                done = run_on(*v, jobs + at, chains_ + at, some, done);
                v = done < bytes_ ? choose_or_any(some, bytes_ - done) : nullptr;
            }
            at += some;
            left -= some;
        }
    }

private:
    // IEEE 1619, 5.3.1: T = E(K2, i).
    void make_tweaks(const cst_job *jobs, size_t n) {
        const uint32_t rounds = suite_.tweak->record.rounds;
        for (size_t i = 0; i < n; i++) aes_encrypt(key_of(jobs[i]).tweak, rounds, static_cast<const uint8_t *>(jobs[i].iv), chains_[i]);
        chains_used_ = std::max(chains_used_, n * BLOCK);
    }

    bool usable(const Variant &v, uint64_t bytes) const {
        return v.need() <= bytes && (one_key_ || !v.one_key) && v.state_bytes <= STATE_BYTES && v.state_align <= STATE_ALIGNED &&
               v.kernel.load(std::memory_order_acquire);
    }
    // NULL: none, or it cannot be had.
    const Variant *choose(size_t n, uint64_t bytes) const {
        const uint64_t asked = question(n, bytes, one_key_, open_);
        const Variant *choice = suite_.memo->recall_exact(family_, asked);
        if (choice && usable(*choice, bytes)) return choice;
        choice = pick_abreast(suite_, family_, n, bytes, one_key_).variant;
        const Kernel *kernel;
        if (!choice || suite_.engine->fetch(*choice, &kernel) || !usable(*choice, bytes)) return nullptr;
        suite_.memo->remember_exact(family_, asked, choice);
        return choice;
    }
    const Variant *choose_or_any(size_t n, uint64_t bytes) const {
        const Variant *choice = choose(n, bytes);
        return choice ? choice : any_;
    }

    // Runs jobs from the byte `done` on. Returns up to where; chains: of these jobs.
    uint64_t run_on(const Variant &v, cst_job *jobs, uint8_t (*chains)[BLOCK], size_t n, uint64_t done) {
        const cst_kernel_args args = kernel_args(v, state_, bytes_ - done);
        const uint64_t end = done + (args.iterations << v.step_log2);
        if (v.legacy_sse && suite_.engine->avx()) clear_upper_halves();
        state_used_ = std::max(state_used_, size_t(v.state_bytes));
        if (end < bytes_) chains_used_ = sizeof(chains_);
        const Lie lie = lie_of(v);
        const uint32_t rows = v.cipher.key_rows;
        const auto run = rows == 11 ? run_with<11>(lie) : rows == 13 ? run_with<13>(lie) : rows == 15 ? run_with<15>(lie) : run_with<2>(lie);
        (this->*run)(v, &args, jobs, chains, n, done, end);
        v.calls.add(v.full_rounds(n + v.lanes - 1));
        return end;
    }

    using RunLanes = void (Abreast::*)(const Variant &, const cst_kernel_args *, cst_job *, uint8_t (*)[BLOCK], size_t, uint64_t, uint64_t);
    template <uint32_t rows>
    static RunLanes run_with(Lie lie) {
        if (lie == Lie::apart) return &Abreast::run_lanes<rows, Lie::apart>;
        return lie == Lie::together ? &Abreast::run_lanes<rows, Lie::together> : &Abreast::run_lanes<rows, Lie::by_two>;
    }

    template <uint32_t rows, Lie lie>
    void run_lanes(const Variant &v, const cst_kernel_args *args, cst_job *jobs, uint8_t (*chains)[BLOCK], size_t n, uint64_t done, uint64_t end) {
        const cst_kernel_fn fn = v.kernel.load(std::memory_order_acquire)->fn;
        uint8_t *const state = state_;
        const uint64_t bytes = bytes_;
        const size_t width = v.lanes, stride = v.cipher.key_row_bytes, keys = keys_;
        const bool chained = v.cipher.chain_rows, from_chains = done || tweaked_, to_chains = chained && end < bytes;
        auto key = [keys](const cst_job &job) { return reinterpret_cast<const uint8_t *>(job.key) + keys; };
        auto load = [&](const LanePlace &place, cst_job *job, const uint8_t *chain, bool fresh) {
            put_pointer(state + place.in, static_cast<const uint8_t *>(job->in) + done);
            put_pointer(state + place.out, static_cast<uint8_t *>(job->out) + done);
            if (chained) memcpy(state + place.chain, from_chains ? chain : static_cast<const uint8_t *>(job->iv), BLOCK);
            if (fresh) copy_rows<rows, lie>(state + place.key, stride, key(*job));
            text_done(job);
        };
        if (width == 1) {
            const LanePlace place = v.cipher.lanes[0];
            for (size_t i = 0; i < n; i++) {
                load(place, &jobs[i], chains[i], i == 0 || !one_key_);
                fn(args);
                if (to_chains) memcpy(chains[i], state + place.chain, BLOCK);
            }
            return;
        }
        for (uint32_t copy : v.cipher.key_copies) copy_rows<rows, lie>(state + copy, stride, key(jobs[0]));
        const LanePlace *const places = v.cipher.lanes.data();
        bool fresh = !v.one_key;
        for (size_t at = 0; at < n; at += width, fresh &= !one_key_) {
            const size_t live = std::min(n - at, width);
            for (size_t i = 0; i < live; i++) load(places[i], &jobs[at + i], chains[at + i], fresh);
            if (live < width) idle(v, live, static_cast<const uint8_t *>(jobs[at].in) + done);
            fn(args);
            for (size_t i = 0; to_chains && i < live; i++) memcpy(chains[at + i], state + places[i].chain, BLOCK);
        }
    }

    // Lanes without a job repeat the input of one that has one.
    void idle(const Variant &v, size_t live, const uint8_t *in) {
        for (size_t i = live; i < v.lanes; i++) {
            put_pointer(state_ + v.cipher.lanes[i].in, in);
            put_pointer(state_ + v.cipher.lanes[i].out, idle_out_);
        }
        idle_used_ = std::min(bytes_, uint64_t(ABREAST_IDLE));
    }

    const Suite &suite_;
    const uint64_t bytes_;
    const bool open_;
    const Family &family_;
    const size_t keys_;
    const bool tweaked_;
    bool one_key_ = false;
    const Variant *first_ = nullptr, *any_ = nullptr;  // first_: for first_n_ jobs
    size_t first_n_ = 0, state_used_ = 0, idle_used_ = 0, chains_used_ = 0;
    alignas(STATE_ALIGNED) uint8_t state_[STATE_BYTES];
    alignas(STATE_ALIGNED) uint8_t idle_out_[ABREAST_IDLE];
    alignas(BLOCK) uint8_t chains_[MOST_JOBS][BLOCK];
};

// ChaCha20: whether the blocks of a text fill vectors better than the jobs do, and are not just what one call runs.
bool texts_apart(const Suite &suite, size_t n, uint64_t bytes) {
    const uint64_t blocks = bytes / CHACHA_BLOCK;
    const bool whole = bytes % CHACHA_BLOCK == 0, one_call = whole && blocks <= CHACHA_MOST_BLOCKS && suite.chacha_blocks[blocks] == blocks;
    if (suite.forced || one_call) return false;
    return n < suite.chacha_several || (blocks > n + n / 2 && (n < suite.chacha_lanes || !whole));
}

// How many jobs at the beginning of the array can go side by side with the first.
size_t alike(const Abreast &abreast, const cst_job *jobs, size_t n) {
    const cst_job &model = jobs[0];
    const Counts where = abreast.where();
    size_t i = 0;
    while (i < n && i < MOST_JOBS) {
        const cst_job &job = jobs[i];
        if (key_of(job).suite != key_of(model).suite || job.in_len != model.in_len || job.direction != model.direction) break;
        if (job.n_in_pieces | job.n_out_pieces || carries(job, where)) break;
        i++;
    }
    return abreast.waits() && i < n && i < MOST_JOBS / 2 ? 0 : i;
}

// One job on a kernel of one lane that an earlier one of this length chose, in one call; no counter carries. False: it is to be run as several are.
bool run_one(cst_job *job) {
    const Key &key = key_of(*job);
    const Suite &suite = *key.suite;
    const bool open = job->direction == CST_OPEN;
    const uint64_t bytes = job->in_len;
    if (suite.forced || !suite.memo) return false;
    const Variant *const v = suite.memo->recall_exact(suite.ciphers(open), question(1, bytes, false, open));
    constexpr size_t MOST_STATE = 4096;
    if (!v || v->lanes != 1 || bytes & (v->step - 1) || v->state_bytes > MOST_STATE || v->state_align > STATE_ALIGNED) return false;
    if (!v->kernel.load(std::memory_order_acquire)) return false;
    const LanePlace &place = v->cipher.lanes[0];
    const uint8_t *const keys = reinterpret_cast<const uint8_t *>(&key) + keys_at(suite, open);
    alignas(STATE_ALIGNED) uint8_t state[MOST_STATE];
    if (v->legacy_sse && suite.engine->avx()) clear_upper_halves();
    put_pointer(state + place.in, job->in);
    put_pointer(state + place.out, job->out);
    if (suite.construction == Construction::xts) aes_encrypt(key.tweak, suite.tweak->record.rounds, static_cast<const uint8_t *>(job->iv), state + place.chain);
    else if (v->cipher.chain_rows) memcpy(state + place.chain, job->iv, BLOCK);
    auto copy = [&](auto rows) {
        switch (lie_of(*v)) {
            case Lie::apart: return copy_rows<rows, Lie::apart>(state + place.key, v->cipher.key_row_bytes, keys);
            case Lie::together: return copy_rows<rows, Lie::together>(state + place.key, BLOCK, keys);
            case Lie::by_two: return copy_rows<rows, Lie::by_two>(state + place.key, BLOCK, keys);
        }
    };
    switch (v->cipher.key_rows) {
        case 11: copy(std::integral_constant<uint32_t, 11>()); break;
        case 13: copy(std::integral_constant<uint32_t, 13>()); break;
        case 15: copy(std::integral_constant<uint32_t, 15>()); break;
        default: copy(std::integral_constant<uint32_t, 2>());
    }
    call_kernel(*v, state, bytes);
    wipe(state, v->state_bytes);
    text_done(job);
    return true;
}

}  // namespace

bool texts_ready(const cst_job *jobs, size_t n, uint64_t bytes) {
    cst_job model = jobs[0];
    model.in_len = bytes;
    const Suite &suite = *key_of(model).suite;
    if (any_carries(suite, jobs, n)) return false;
    if (texts_few(suite, model.direction, bytes)) return true;
    Abreast abreast(model);
    return abreast.prepare(jobs, std::min(n, MOST_JOBS)) && (n <= MOST_JOBS || n % MOST_JOBS == 0 || abreast.prepare(jobs, n % MOST_JOBS));
}

bool run_texts(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(jobs[0]).suite;
    if (any_carries(suite, jobs, n)) return false;
    if (texts_few(suite, jobs[0].direction, jobs[0].in_len)) {
        run_cipher_few(suite, jobs, n);
        return true;
    }
    if (suite.construction == Construction::chacha && texts_apart(suite, n, jobs->in_len)) {
        size_t done = 0;
        while (done < n && run_chacha_text(jobs + done)) done++;
        return done == n;
    }
    if (n == 1 && run_one(jobs)) return true;
    Abreast abreast(jobs[0]);
    if (!abreast.prepare(jobs, n)) return false;
    for (size_t at = 0; at < n; at += MOST_JOBS) abreast.run(jobs + at, std::min(n - at, MOST_JOBS));
    return true;
}

bool run_abreast(cst_job *jobs, size_t n) {
    if (n == 1) return false;  // it would have been taken before
    bool all = true;
    for (size_t first = 0; first < n;) {
        const cst_job &model = jobs[first];
        if (model.status != JOB_WAITING) {
            first++;
            continue;
        }
        const Suite &suite = *key_of(model).suite;
        size_t some = 0;
        bool done = false;
        if (!(model.n_in_pieces | model.n_out_pieces) && cipher_few(suite, model.direction, model.in_len) && !carries(model, counts(suite))) {
            run_cipher_few(suite, jobs + first, 1);
            some = done = true;
        } else if (abreast_serves(suite, model.in_len)) {
            Abreast abreast(model);
            some = alike(abreast, jobs + first, n - first);
            done = some && abreast.prepare(jobs + first, some);
            if (done) abreast.run(jobs + first, some);
        }
        all &= done;
        first += some ? some : 1;
    }
    return all;
}

}  // namespace cst
