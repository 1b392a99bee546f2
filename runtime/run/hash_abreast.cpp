#include "hash_abreast.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "hash_chains.hpp"

namespace cst {
namespace {

// Jobs at once, and the bytes of several: of longer ones little time is outside the kernels.
constexpr size_t MOST_JOBS = 64;
constexpr uint64_t MOST_BYTES = 1 << 16;
// The last block of a message, with its padding at most two, lies by itself. A row of 64 bytes in two cache lines takes twice as long.
constexpr size_t LINE = 64, END = 2 * MOST_BLOCK + LINE;
static_assert(PAD_SLACK <= LINE && MOST_CHAIN <= MOST_BLOCK, "both fit");
constexpr size_t STATE_BYTES = 10240, STATE_ALIGNED = 64;

// Core cycles, measured on Zen 4, where code and state block are warm: of a call; of a message in a lane whose chaining value lies together or apart. Of the
// table's call a third is left, but for kernels of legacy SSE with rows of lanes, which take as long as it says.
constexpr double kCall = 20, kOfCall = 0.35, kLane = 80, kLaneApart = 100;

const Key &key_of(const cst_job &job) { return *reinterpret_cast<const Key *>(job.key); }

// The first n bytes, by no loads that meet two of the stores that put it there.
void copy_digest(uint8_t *to, const uint8_t *digest, size_t n) {
    copy_chain(to, digest, n, 16);
    for (size_t i = n & ~size_t(3); i < n; i++) to[i] = digest[i];
}

// The bytes of a message with its padding. A block is a power of two.
uint64_t padded(const AlgorithmRecord &hash, uint64_t bytes) { return (bytes + hash.length_bytes + hash.block_bytes) & ~uint64_t(hash.block_bytes - 1); }

// Messages of so many bytes with their padding, all of one suite.
class HashAbreast {
public:
    HashAbreast(const Suite &suite, uint64_t bytes)
        : suite_(suite), hash_(suite.hash->record), unit_(hash_.block_bytes), bytes_(bytes), mac_(suite.mac()) {}
    ~HashAbreast() {
        wipe(state_, state_used_);
        wipe(ends_, ends_used_);
    }
    HashAbreast(const HashAbreast &) = delete;
    HashAbreast &operator=(const HashAbreast &) = delete;

    // Whether there are kernels for n of them.
    bool prepare(size_t n) {
        first_n_ = std::min(n, MOST_JOBS);
        first_ = choose(first_n_);
        return first_ && (n <= first_->lanes || (one_ = choose(1)));
    }
    // False: one did not authenticate.
    bool run(cst_job *jobs, size_t n) {
        bool all = true;
        const Variant *v = n == first_n_ ? first_ : nullptr;
        for (size_t left = n; left; v = nullptr) {
            if (!v && !(v = choose(left))) v = one_;
            size_t some = left > v->lanes ? v->full_rounds(left) * v->lanes : left;
            for (left -= some; some;) {
                const size_t live = std::min<size_t>(some, v->lanes);
                all &= run_lanes(*v, jobs, live);
                jobs += live;
                some -= live;
            }
        }
        return all;
    }

private:
    // Core cycles for so many messages in the lanes.
    double cost(const Variant &v, size_t live) const {
        const bool together = HashChains::lie_together(v.hash);
        const double call = kCall + v.cost.per_call * (v.legacy_sse && !together ? 1 : kOfCall), lane = together ? kLane : kLaneApart;
        const uint64_t calls = 1 + (bytes_ > 2 * unit_) + mac_, blocks = (bytes_ >> v.step_log2) + mac_;
        return double(calls) * call + v.cost.per_iteration * double(blocks) + double(live) * lane;
    }
    const Variant *choose(size_t n) const {
        const uint64_t asked = uint64_t(1) << 47 | std::min(bytes_, MOST_BYTES) << 8 | n;
        const Variant *choice = suite_.memo->recall_exact(suite_.hashes, asked);
        if (choice && choice->kernel.load(std::memory_order_acquire)) return choice;
        choice = compare(n);
        if (choice) suite_.memo->remember_exact(suite_.hashes, asked, choice);
        return choice;
    }
    const Variant *compare(size_t n) const {
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

    bool run_lanes(const Variant &v, cst_job *jobs, size_t live) {
        const LanePlace *const places = v.hash.lanes.data();
        const HashChains chains(v, hash_, state_);
        state_used_ = std::max(state_used_, size_t(v.state_bytes));
        if (v.legacy_sse && suite_.engine->avx()) clear_upper_halves();

        uint64_t shortest = jobs[0].in_len;
        for (size_t i = 1; i < live; i++) shortest = std::min<uint64_t>(shortest, jobs[i].in_len);
        const uint64_t apart = shortest & ~uint64_t(unit_ - 1);
        const size_t end = size_t(bytes_ - apart), pitch = end + LINE;
        ends_used_ = std::max(ends_used_, v.lanes * pitch);

        chains.put(live, [&](size_t i) { return key_of(jobs[i]).inner; });
        if (apart) {
            for (size_t i = 0; i < live; i++) put_pointer(state_ + places[i].in, jobs[i].in);
            call(v, live, apart);
        }
        for (size_t i = 0; i < live; i++) {
            uint8_t *const to = ends_ + i * pitch;
            const size_t rest = size_t(jobs[i].in_len - apart);
            copy_few(to, static_cast<const uint8_t *>(jobs[i].in) + apart, rest);
            hash_pad(hash_, to, rest, (mac_ ? unit_ : 0) + jobs[i].in_len);
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
            jobs[i].out_len = 0;
            jobs[i].status = CST_OK;
            uint8_t *const tag = static_cast<uint8_t *>(jobs[i].tag), *const digest = ends_ + i * pitch;
            const bool seals = jobs[i].direction == CST_SEAL;
            if (chains.together()) chains.digest(i, seals ? tag : digest, jobs[i].tag_len);
            else if (seals) copy_digest(tag, digest, jobs[i].tag_len);
            if (seals || same_bytes(digest, tag, jobs[i].tag_len)) continue;
            jobs[i].status = CST_ERR_AUTH;
            all = false;
        }
        return all;
    }

    // Lanes without a message repeat one that there is.
    void call(const Variant &v, size_t live, uint64_t bytes) {
        const LanePlace *const places = v.hash.lanes.data();
        for (size_t i = live; i < v.lanes; i++) memcpy(state_ + places[i].in, state_ + places[0].in, sizeof(void *));
        cst_kernel_args args;
        args.iterations = bytes >> v.step_log2;
        for (uint32_t i = 0; i < v.n_streams; i++) args.state[i] = state_ + v.state_offset[i];
        v.kernel.load(std::memory_order_acquire)->fn(&args);
        v.calls.fetch_add(1, std::memory_order_relaxed);
    }

    const Suite &suite_;
    const AlgorithmRecord &hash_;
    const size_t unit_;  // a power of two
    const uint64_t bytes_;
    const bool mac_;
    const Variant *first_ = nullptr, *one_ = nullptr;  // first_: for first_n_ jobs
    size_t first_n_ = 0, state_used_ = 0, ends_used_ = 0;
    alignas(STATE_ALIGNED) uint8_t state_[STATE_BYTES];
    alignas(LINE) uint8_t ends_[MOST_JOBS * END];
};

}  // namespace

int run_hash_abreast(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(jobs[0]).suite;
    if (suite.construction != Construction::single || suite.enciphers() || suite.forced || !suite.memo) return CST_OK;
    const AlgorithmRecord &hash = suite.hash->record;
    const uint64_t bytes = padded(hash, jobs[0].in_len);
    if (hash.kind != ALGORITHM_HASH || jobs[0].n_in_pieces || (n > 1 && bytes > MOST_BYTES)) return CST_OK;
    for (size_t i = 1; i < n; i++)
        if (key_of(jobs[i]).suite != &suite || jobs[i].n_in_pieces || padded(hash, jobs[i].in_len) != bytes) return CST_OK;
    HashAbreast abreast(suite, bytes);
    if (!abreast.prepare(n)) return CST_OK;
    bool all = true;
    for (size_t at = 0; at < n; at += MOST_JOBS) all &= abreast.run(jobs + at, std::min(n - at, MOST_JOBS));
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
