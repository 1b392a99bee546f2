#include "hash_abreast.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "direct.hpp"
#include "hash_chains.hpp"

namespace cst {
namespace {

// Core cycles, measured on Zen 4, where code and state block are warm: of a call; of a message in a lane whose chaining value lies together or apart. Of the
// table's call a third is left, but for kernels of legacy SSE with rows of lanes, which take as long as it says.
constexpr double kCall = 20, kOfCall = 0.35, kLane = 80, kLaneApart = 100;

const Key &key_of(const cst_job &job) { return *reinterpret_cast<const Key *>(job.key); }

// The first n bytes, by no loads that meet two of the stores that put it there.
void copy_digest(uint8_t *to, const uint8_t *digest, size_t n) {
    copy_chain(to, digest, n, 16);
    for (size_t i = n & ~size_t(3); i < n; i++) to[i] = digest[i];
}

size_t trailer_bytes(const Suite &suite, const cst_job &job) { return suite.construction == Construction::esp && job.aad_len > ESP_HEADER ? ESP_EXTENSION : 0; }

}  // namespace

HashAbreast::HashAbreast(const Suite &suite, const cst_job &model)
    : suite_(suite), hash_(suite.hash->record), unit_(hash_.block_bytes), head_(size_t(head_bytes(suite, model.aad_len))), trailer_(trailer_bytes(suite, model)),
      bytes_(padded(hash_, head_ + model.in_len + trailer_)), mac_(suite.mac()), record_(suite.construction == Construction::tls),
      joint_(bytes_ > WHOLE ? (head_ + unit_ - 1) & ~(unit_ - 1) : 0), start_(joint_ ? joint_ - head_ : 0) {}

HashAbreast::~HashAbreast() {
    wipe(state_, state_used_);
    wipe(ends_, ends_used_);
}

bool HashAbreast::prepare(size_t n) {
    first_n_ = std::min(n, MOST_JOBS);
    first_ = choose(first_n_);
    return first_ && (n <= first_->lanes || (one_ = choose(1)));
}

bool HashAbreast::run(cst_job *jobs, size_t n) {
    bool all = true;
    for (size_t at = 0; at < n; at += MOST_JOBS) all &= some(jobs + at, std::min(n - at, MOST_JOBS));
    return all;
}

bool HashAbreast::some(cst_job *jobs, size_t n) {
    bool all = true;
    const Variant *v = n == first_n_ ? first_ : nullptr;
    for (size_t left = n; left; v = nullptr) {
        if (!v && !(v = choose(left))) v = one_;
        size_t in_rounds = left > v->lanes ? v->full_rounds(left) * v->lanes : left;
        for (left -= in_rounds; in_rounds;) {
            const size_t live = std::min<size_t>(in_rounds, v->lanes);
            all &= run_lanes(*v, jobs, live);
            jobs += live;
            in_rounds -= live;
        }
    }
    return all;
}

// Core cycles for so many messages in the lanes.
double HashAbreast::cost(const Variant &v, size_t live) const {
    const bool together = HashChains::lie_together(v.hash);
    const double call = kCall + v.cost.per_call * (v.legacy_sse && !together ? 1 : kOfCall), lane = together ? kLane : kLaneApart;
    const uint64_t calls = 1 + (joint_ != 0) + (joint_ || (!head_ && bytes_ > 2 * unit_)) + mac_, blocks = (bytes_ >> v.step_log2) + mac_;
    return double(calls) * call + v.cost.per_iteration * double(blocks) + double(live) * lane;
}

const Variant *HashAbreast::choose(size_t n) const {
    const uint64_t asked = uint64_t(1) << 47 | std::min(bytes_, MOST_BYTES) << 8 | n;
    const Variant *choice = suite_.memo->recall_exact(suite_.hashes, asked);
    if (choice && choice->kernel.load(std::memory_order_acquire)) return choice;
    choice = compare(n);
    if (choice) suite_.memo->remember_exact(suite_.hashes, asked, choice);
    return choice;
}

const Variant *HashAbreast::compare(size_t n) const {
    Query query;
    query.bytes = query.least = unit_;
    double one = 0;  // the least on a kernel of one lane
    auto serves = [&](const Variant &v) {
        return v.step == unit_ && v.state_bytes <= STATE_BYTES && v.state_align <= STATE_ALIGNED && !v.lag && v.lanes <= MOST_JOBS && HashChains::serves(v) && competes(v, query);
    };
    for (const Variant *v : suite_.hashes.variants)
        if (v->lanes == 1 && serves(*v) && (one == 0 || cost(*v, 1) < one)) one = cost(*v, 1);
    const Variant *best = nullptr;
    double least = 0;
    for (const Variant *v : suite_.hashes.variants) {
        const Kernel *kernel;
        if (!serves(*v) || suite_.engine->fetch(*v, &kernel)) continue;
        const size_t full = v->full_rounds(n), rest = n - full * v->lanes;
        const double partly = cost(*v, rest), left = full && one != 0 ? std::min(partly, double(rest) * one) : partly;
        const double all = double(full) * cost(*v, v->lanes) + (rest ? left : 0);
        if (best && all >= least) continue;
        best = v;
        least = all;
    }
    return best;
}

void HashAbreast::put_head(const cst_job &job, uint8_t *to) const {
    const uint8_t *const aad = static_cast<const uint8_t *>(job.aad);
    if (record_) {
        const uint8_t length[2] = {uint8_t(job.in_len >> 8), uint8_t(job.in_len)};
        copy_few(to, aad, TLS_AAD);
        memcpy(to + TLS_AAD, length, sizeof(length));
    } else {
        copy_few(to, aad, head_ - IV_BYTES);
        memcpy(to + head_ - IV_BYTES, job.iv, IV_BYTES);
    }
}

bool HashAbreast::run_lanes(const Variant &v, cst_job *jobs, size_t live) {
    const LanePlace *const places = v.hash.lanes.data();
    const HashChains chains(v, hash_, state_);
    const bool seals = jobs[0].direction == CST_SEAL, enciphers = suite_.enciphers();
    const auto body = [&](const cst_job &job) { return static_cast<const uint8_t *>(enciphers && seals && !record_ ? job.out : job.in); };
    state_used_ = std::max(state_used_, size_t(v.state_bytes));
    if (v.legacy_sse && suite_.engine->avx()) clear_upper_halves();

    uint64_t shortest = jobs[0].in_len;
    for (size_t i = 1; i < live; i++) shortest = std::min<uint64_t>(shortest, jobs[i].in_len);
    const uint64_t apart = head_ && !joint_ ? 0 : (shortest - start_) & ~uint64_t(unit_ - 1);
    const size_t end = size_t(bytes_ - joint_ - apart), pitch = std::max(joint_, end) + LINE;
    ends_used_ = std::max(ends_used_, v.lanes * pitch);

    chains.put(live, [&](size_t i) { return key_of(jobs[i]).inner; });
    if (joint_) {
        for (size_t i = 0; i < live; i++) {
            uint8_t *const to = ends_ + i * pitch;
            put_head(jobs[i], to);
            copy_few(to + head_, body(jobs[i]), start_);
            put_pointer(state_ + places[i].in, to);
        }
        call(v, live, joint_);
    }
    if (apart) {
        for (size_t i = 0; i < live; i++) put_pointer(state_ + places[i].in, body(jobs[i]) + start_);
        call(v, live, apart);
    }
    for (size_t i = 0; i < live; i++) {
        uint8_t *const to = ends_ + i * pitch;
        size_t used = 0;
        if (head_ && !joint_) {
            put_head(jobs[i], to);
            used = head_;
        }
        const size_t rest = size_t(jobs[i].in_len - start_ - apart);
        copy_few(to + used, body(jobs[i]) + start_ + apart, rest);
        used += rest;
        if (trailer_) memcpy(to + used, static_cast<const uint8_t *>(jobs[i].aad) + ESP_HEADER, ESP_EXTENSION);
        hash_pad(hash_, to, used + trailer_, (mac_ ? unit_ : 0) + head_ + jobs[i].in_len + trailer_);
        put_pointer(state_ + places[i].in, to);
    }
    call(v, live, end);
    if (mac_) {
        chains.digests(live, ends_, pitch);
        for (size_t i = 0; i < live; i++) hash_pad(hash_, ends_ + i * pitch, hash_.digest_bytes, uint64_t(unit_) + hash_.digest_bytes);
        chains.put(live, [&](size_t i) { return key_of(jobs[i]).outer; });
        call(v, live, unit_);
    }
    if (!chains.together()) chains.digests(live, ends_, pitch);
    bool all = true;
    for (size_t i = 0; i < live; i++) {
        uint8_t *const tag = record_ ? static_cast<uint8_t *>(jobs[i].out) + jobs[i].in_len : static_cast<uint8_t *>(jobs[i].tag), *const digest = ends_ + i * pitch;
        const size_t tag_len = record_ ? hash_.digest_bytes : jobs[i].tag_len;
        const bool writes = jobs[i].direction == CST_SEAL;
        if (chains.together()) chains.digest(i, writes ? tag : digest, tag_len);
        else if (writes) copy_digest(tag, digest, tag_len);
        const bool right = writes || same_bytes(digest, tag, tag_len);
        all &= right;
        if (!right) refuse(&jobs[i]);
        else if (!enciphers) jobs[i].out_len = 0, jobs[i].status = CST_OK;
    }
    return all;
}

// Lanes without a message repeat one that there is.
void HashAbreast::call(const Variant &v, size_t live, uint64_t bytes) {
    const LanePlace *const places = v.hash.lanes.data();
    for (size_t i = live; i < v.lanes; i++) memcpy(state_ + places[i].in, state_ + places[0].in, sizeof(void *));
    cst_kernel_args args;
    args.iterations = bytes >> v.step_log2;
    for (uint32_t i = 0; i < v.n_streams; i++) args.state[i] = state_ + v.state_offset[i];
    v.kernel.load(std::memory_order_acquire)->fn(&args);
    v.calls.fetch_add(1, std::memory_order_relaxed);
}

int run_hash_abreast(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(jobs[0]).suite;
    if (suite.construction != Construction::single || suite.enciphers() || suite.forced || !suite.memo) return CST_OK;
    const AlgorithmRecord &hash = suite.hash->record;
    const uint64_t bytes = HashAbreast::padded(hash, jobs[0].in_len);
    if (hash.kind != ALGORITHM_HASH || jobs[0].n_in_pieces || (n > 1 && bytes > HashAbreast::MOST_BYTES)) return CST_OK;
    for (size_t i = 1; i < n; i++)
        if (key_of(jobs[i]).suite != &suite || jobs[i].n_in_pieces || HashAbreast::padded(hash, jobs[i].in_len) != bytes) return CST_OK;
    HashAbreast abreast(suite, jobs[0]);
    if (!abreast.prepare(n)) return CST_OK;
    return abreast.run(jobs, n) ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
