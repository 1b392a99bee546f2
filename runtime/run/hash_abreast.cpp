#include "hash_abreast.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "call.hpp"
#include "direct.hpp"
#include "etm_stitched.hpp"

namespace cst {
namespace {

// Core cycles, measured on Zen 4, where code and state block are warm: of a call; of a message in a lane whose chaining value lies together or apart. Of the
// table's call a third is left, but for kernels of legacy SSE with rows of lanes, which take as long as it says.
constexpr double kCall = 20, kOfCall = 0.35, kLane = 80, kLaneApart = 100;

// What a short message goes through: as functions of their own these took a tenth of its time.
#define IN_LINE __attribute__((always_inline)) inline

// The first n bytes, by no loads that meet two of the stores that put it there.
void copy_digest(uint8_t *to, const uint8_t *digest, size_t n) {
    copy_chain(to, digest, n, 16);
    for (size_t i = n & ~size_t(3); i < n; i++) to[i] = digest[i];
}

}  // namespace

HashAbreast::~HashAbreast() {
    wipe(state_, state_used_);
    wipe(ends_, ends_used_);
}

// Lanes without a message repeat one that there is.
IN_LINE void HashAbreast::call(const Variant &v, size_t live, uint64_t bytes) {
    const LanePlace *const places = v.hash.lanes.data();
    for (size_t i = live; i < v.lanes; i++) memcpy(state_ + places[i].in, state_ + places[0].in, sizeof(void *));
    call_kernel(v, state_, bytes);
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

template <bool headed, bool stitched>
bool HashAbreast::run_lanes(const Variant &v, cst_job *jobs, size_t live, EtmStitched *middle) {
    const LanePlace *const places = v.hash.lanes.data();
    const HashChains chains(v, hash_, state_);
    const bool seals = jobs[0].direction == CST_SEAL, ciphertext = headed && seals && !record_;
    const auto body = [&](const cst_job &job) { return static_cast<const uint8_t *>(ciphertext ? job.out : job.in); };
    const size_t head = headed ? head_ : 0, trailer = headed ? trailer_ : 0, joint = headed ? joint_ : 0, start = headed ? start_ : 0;
    state_used_ = std::max(state_used_, size_t(v.state_bytes));
    if (v.legacy_sse && suite_.engine->avx()) clear_upper_halves();

    uint64_t shortest = jobs[0].in_len;
    for (size_t i = 1; i < live; i++) shortest = std::min<uint64_t>(shortest, jobs[i].in_len);
    const uint64_t apart = head && !joint ? 0 : (shortest - start) & ~uint64_t(unit_ - 1);
    const size_t end = size_t(bytes_ - joint - apart), pitch = std::max(joint, end) + LINE;
    ends_used_ = std::max(ends_used_, v.lanes * pitch);

    chains.put(live, [&](size_t i) { return key_of(jobs[i]).inner; });
    if (joint) {
        for (size_t i = 0; i < live; i++) {
            uint8_t *const to = ends_ + i * pitch;
            put_head(jobs[i], to);
            copy_few(to + head, body(jobs[i]), start);
            put_pointer(state_ + places[i].in, to);
        }
        call(v, live, joint);
    }
    uint64_t done = 0;
    if constexpr (stitched) {
        if ((done = middle->ahead())) {
            put_pointer(state_ + places[0].in, body(jobs[0]) + start);
            call(v, live, done);
        }
        done += middle->run(chains);
    }
    if (apart > done) {
        for (size_t i = 0; i < live; i++) put_pointer(state_ + places[i].in, body(jobs[i]) + start + done);
        call(v, live, apart - done);
    }
    for (size_t i = 0; i < live; i++) {
        uint8_t *const to = ends_ + i * pitch;
        size_t used = 0;
        if (head && !joint) {
            put_head(jobs[i], to);
            used = head;
        }
        const size_t rest = size_t(jobs[i].in_len - start - apart);
        copy_few(to + used, body(jobs[i]) + start + apart, rest);
        used += rest;
        if (trailer) memcpy(to + used, static_cast<const uint8_t *>(jobs[i].aad) + ESP_HEADER, ESP_EXTENSION);
        hash_pad(hash_, to, used + trailer, (mac_ ? unit_ : 0) + head + jobs[i].in_len + trailer);
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
        uint8_t *const tag = headed && record_ ? static_cast<uint8_t *>(jobs[i].out) + jobs[i].in_len : static_cast<uint8_t *>(jobs[i].tag), *const digest = ends_ + i * pitch;
        const size_t tag_len = headed && record_ ? hash_.digest_bytes : jobs[i].tag_len;
        const bool writes = jobs[i].direction == CST_SEAL;
        if (chains.together()) chains.digest(i, writes ? tag : digest, tag_len);
        else if (writes) copy_digest(tag, digest, tag_len);
        const bool right = writes || same_bytes(digest, tag, tag_len);
        all &= right;
        if (!right) refuse(&jobs[i]);
        else if (!headed) jobs[i].out_len = 0, jobs[i].status = CST_OK;
    }
    return all;
}

IN_LINE const Variant *HashAbreast::choose(size_t n) const {
    const uint64_t asked = uint64_t(1) << 47 | std::min(bytes_, MOST_BYTES) << 8 | n;
    const Variant *choice = suite_.memo->recall_exact(suite_.hashes, asked);
    if (choice && choice->kernel.load(std::memory_order_acquire)) return choice;
    const Kernel *kernel;
    int error;
    while ((choice = pick(n).variant) && (error = suite_.engine->fetch(*choice, &kernel)))
        if (error == CST_ERR_MEMORY) return nullptr;  // else it competes no longer
    if (choice) suite_.memo->remember_exact(suite_.hashes, asked, choice);
    return choice;
}

bool HashAbreast::prepare(size_t n) {
    first_n_ = std::min(n, MOST_JOBS);
    first_ = choose(first_n_);
    return first_ && (n <= first_->lanes || (one_ = choose(1)));
}

IN_LINE bool HashAbreast::some(cst_job *jobs, size_t n) {
    bool all = true;
    const Variant *v = n == first_n_ ? first_ : nullptr;
    for (size_t left = n; left; v = nullptr) {
        if (!v && !(v = choose(left))) v = one_;
        size_t in_rounds = left > v->lanes ? v->full_rounds(left) * v->lanes : left;
        for (left -= in_rounds; in_rounds;) {
            const size_t live = std::min<size_t>(in_rounds, v->lanes);
            all &= head_ ? run_lanes<true>(*v, jobs, live) : run_lanes<false>(*v, jobs, live);
            jobs += live;
            in_rounds -= live;
        }
    }
    return all;
}

void HashAbreast::run(cst_job *job, EtmStitched *middle) {
    run_lanes<true, true>(*first_, job, 1, middle);
}

bool HashAbreast::run(cst_job *jobs, size_t n) {
    bool all = true;
    for (size_t at = 0; at < n; at += MOST_JOBS) all &= some(jobs + at, std::min(n - at, MOST_JOBS));
    return all;
}

// Core cycles for so many messages in the lanes.
double HashAbreast::cost(const Variant &v, size_t live) const {
    const bool together = HashChains::lie_together(v.hash);
    const double call = kCall + v.cost.per_call * (v.legacy_sse && !together ? 1 : kOfCall), lane = together ? kLane : kLaneApart;
    const uint64_t calls = 1 + (joint_ != 0) + (joint_ || (!head_ && bytes_ > 2 * unit_)) + mac_, blocks = (bytes_ >> v.step_log2) + mac_;
    return double(calls) * call + v.cost.per_iteration * double(blocks) + double(live) * lane;
}

Pick HashAbreast::pick(size_t n) const {
    Query query;
    query.bytes = query.least = unit_;
    double one = 0;  // the least on a kernel of one lane
    auto serves = [&](const Variant &v) {
        return v.step == unit_ && v.state_bytes <= STATE_BYTES && v.state_align <= STATE_ALIGNED && !v.lag && v.lanes <= MOST_JOBS && HashChains::serves(v) && competes(v, query);
    };
    for (const Variant *v : suite_.hashes.variants)
        if (v->lanes == 1 && serves(*v) && (one == 0 || cost(*v, 1) < one)) one = cost(*v, 1);
    Pick best;
    for (const Variant *v : suite_.hashes.variants) {
        if (!serves(*v)) continue;
        const size_t full = v->full_rounds(n), rest = n - full * v->lanes;
        const double partly = cost(*v, rest), left = full && one != 0 ? std::min(partly, double(rest) * one) : partly;
        const double all = double(full) * cost(*v, v->lanes) + (rest ? left : 0), each = all / (double(n) * double(bytes_));
        if (!best.variant || each < best.cycles_per_byte) best = {v, each, best.variant, best.cycles_per_byte};
        else if (!best.next || each < best.next_cycles_per_byte) best.next = v, best.next_cycles_per_byte = each;
    }
    return best;
}

bool hash_abreast_serves(const Suite &suite, uint64_t bytes, size_t n) {
    if (suite.construction != Construction::single || suite.enciphers() || suite.forced || !suite.memo || suite.hash->record.kind != ALGORITHM_HASH) return false;
    return n == 1 || HashAbreast::padded(suite.hash->record, bytes) <= HashAbreast::MOST_BYTES;
}

int run_hash_abreast(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(jobs[0]).suite;
    if (!hash_abreast_serves(suite, jobs[0].in_len, n) || jobs[0].n_in_pieces) return CST_OK;
    const AlgorithmRecord &hash = suite.hash->record;
    const uint64_t bytes = HashAbreast::padded(hash, jobs[0].in_len);
    for (size_t i = 1; i < n; i++)
        if (key_of(jobs[i]).suite != &suite || jobs[i].n_in_pieces || HashAbreast::padded(hash, jobs[i].in_len) != bytes) return CST_OK;
    HashAbreast abreast(suite, jobs[0]);
    if (!abreast.prepare(n)) return CST_OK;
    return abreast.run(jobs, n) ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
