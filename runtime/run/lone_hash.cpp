#include "lone_hash.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/padding.hpp"
#include "../suite/secret.hpp"
#include "copy.hpp"
#include "one_lane.hpp"

namespace cst {
namespace {

// Bytes that are put together with the padding: copying so few is less than another call.
constexpr size_t WHOLE = 1024;
constexpr size_t STATE_BYTES = 2048, STATE_ALIGNED = 64;
// Longer messages run on the kernel that is best for so many bytes.
constexpr uint64_t ASKED = 4096;

class LoneHash {
public:
    LoneHash(const Suite &suite, const Variant &variant)
        : hash_(suite.hash->record), variant_(variant), place_(variant.hash.lanes[0]), fn_(variant.kernel.load(std::memory_order_acquire)->fn), unit_(hash_.block_bytes) {
        if (variant.legacy_sse && suite.engine->avx()) clear_upper_halves();
    }
    ~LoneHash() {
        wipe(state_, variant_.state_bytes);
        wipe(blocks_, used_);
        variant_.calls.fetch_add(calls_, std::memory_order_relaxed);
    }
    LoneHash(const LoneHash &) = delete;
    LoneHash &operator=(const LoneHash &) = delete;

    // The chaining value is this one.
    void begin(const uint8_t *chain) { each_row([&](uint8_t *row, size_t at, size_t n) { copy_few(row, chain + at, n); }); }
    // The message that ends a hash of which `before` bytes are in the chaining value.
    void finish(const uint8_t *message, uint64_t bytes, uint64_t before) {
        const uint64_t apart = bytes > WHOLE ? bytes & ~uint64_t(unit_ - 1) : 0;
        if (apart) call(message, apart);
        copy_few(blocks_, message + apart, size_t(bytes - apart));
        pad(size_t(bytes - apart), before + bytes);
    }
    // HMAC (RFC 2104): the hash of the digest, from this chaining value on.
    void outer(const uint8_t *chain) {
        digest(blocks_, hash_.digest_bytes);
        begin(chain);
        pad(hash_.digest_bytes, uint64_t(unit_) + hash_.digest_bytes);
    }
    void digest(uint8_t *to, size_t n) const {
        if (variant_.hash.chain_row_bytes == variant_.hash.chain_entry || variant_.hash.chain_rows == 1) return hash_digest(hash_, state_ + place_.chain, to, n);
        alignas(16) uint8_t chain[MOST_CHAIN];
        const_cast<LoneHash *>(this)->each_row([&](const uint8_t *row, size_t at, size_t bytes) { copy_few(chain + at, row, bytes); });
        hash_digest(hash_, chain, to, n);
        wipe(chain, sizeof(chain));
    }

    static bool serves(const Variant &v) { return v.state_bytes <= STATE_BYTES && v.state_align <= STATE_ALIGNED; }

private:
    template <typename Each>
    void each_row(Each each) {
        const Part &part = variant_.hash;
        uint32_t rows = part.chain_rows, entry = part.chain_entry;
        if (part.chain_row_bytes == entry) entry *= rows, rows = 1;
        for (uint32_t i = 0; i < rows; i++) each(state_ + place_.chain + i * part.chain_row_bytes, size_t(i) * entry, entry);
    }
    void pad(size_t used, uint64_t message_bytes) {
        const size_t bytes = hash_pad(hash_, blocks_, used, message_bytes);
        used_ = std::max(used_, bytes);
        call(blocks_, bytes);
    }
    void call(const uint8_t *data, uint64_t bytes) {
        put_pointer(state_ + place_.in, data);
        const cst_kernel_args args = {bytes >> variant_.step_log2, {state_}};
        fn_(&args);
        calls_++;
    }

    const AlgorithmRecord &hash_;
    const Variant &variant_;
    const LanePlace place_;
    const cst_kernel_fn fn_;
    const size_t unit_;  // a power of two
    size_t used_ = 0;
    uint64_t calls_ = 0;
    alignas(STATE_ALIGNED) uint8_t state_[STATE_BYTES];
    alignas(16) uint8_t blocks_[WHOLE + 2 * MOST_BLOCK + PAD_SLACK];
};

}  // namespace

bool lone_hash_takes(const cst_job &job) {
    const Suite &suite = *reinterpret_cast<const Key *>(job.key)->suite;
    return suite.construction == Construction::single && !suite.enciphers() && !suite.forced && !job.n_in_pieces;
}

int run_lone_hash(cst_job *job) {
    const Key &key = *reinterpret_cast<const Key *>(job->key);
    const Suite &suite = *key.suite;
    const uint64_t unit = suite.hash->record.block_bytes;
    const Variant *v = OneLane(suite, false).rounded_up(suite.hashes, (std::min(job->in_len, ASKED) & ~(unit - 1)) | unit);
    if (!v || v->step != unit || !LoneHash::serves(*v)) return CST_OK;
    LoneHash hash(suite, *v);
    hash.begin(key.inner);
    hash.finish(static_cast<const uint8_t *>(job->in), job->in_len, suite.mac() ? unit : 0);
    if (suite.mac()) hash.outer(key.outer);
    job->out_len = 0;
    job->status = CST_OK;
    if (job->direction == CST_SEAL) {
        hash.digest(static_cast<uint8_t *>(job->tag), job->tag_len);
        return CST_OK;
    }
    uint8_t tag[DIGEST_ROOM];
    hash.digest(tag, job->tag_len);
    if (!same_bytes(tag, static_cast<const uint8_t *>(job->tag), job->tag_len)) job->status = CST_ERR_AUTH;
    wipe(tag, sizeof(tag));
    return job->status;
}

}  // namespace cst
