// Digests and HMACs of messages that have the same number of blocks: as many side by side as a kernel has lanes, straight from the caller's jobs. Memory is the
// stack's: a state block, and what of the messages is put together.
#pragma once

#include "../suite/key.hpp"
#include "hash_chains.hpp"
#include "work.hpp"

namespace cst {

class EtmStitched;

// The messages of a suite's jobs: of digests and MACs their input; of encrypt-then-MAC AAD, IV and ciphertext, and behind it what ESP adds; of TLS records that are
// sealed their head and text. Wipes what it used.
class HashAbreast {
public:
    // model: a job like all others. Those with AAD have the same lengths; of others the blocks are as many.
    // parted: head and body meet in a place of their own, however short the message is.
    HashAbreast(const Suite &suite, const cst_job &model, bool parted = false)
        : suite_(suite), hash_(suite.hash->record), unit_(hash_.block_bytes), head_(suite.kind == CST_AEAD ? size_t(head_bytes(suite, model.aad_len)) : 0),
          trailer_(suite.construction == Construction::esp && model.aad_len > ESP_HEADER ? ESP_EXTENSION : 0), bytes_(padded(hash_, head_ + model.in_len + trailer_)), mac_(suite.mac()),
          record_(suite.construction == Construction::tls), joint_(head_ && (parted || bytes_ > WHOLE) ? (head_ + unit_ - 1) & ~(unit_ - 1) : 0), start_(joint_ ? joint_ - head_ : 0) {}
    ~HashAbreast();
    HashAbreast(const HashAbreast &) = delete;
    HashAbreast &operator=(const HashAbreast &) = delete;

    // Of a message with its padding. A block is a power of two.
    static uint64_t padded(const AlgorithmRecord &hash, uint64_t bytes) { return (bytes + hash.length_bytes + hash.block_bytes) & ~uint64_t(hash.block_bytes - 1); }
    // The cheapest kernel for n of them. Its variant is NULL where there is none.
    Pick pick(size_t n) const;
    // Whether there are kernels for n of them, ready to run.
    bool prepare(size_t n);
    // Sealing, writes the tags, a record's behind the text in `out`; opening, refuses jobs whose tags are others. False: there are some.
    bool run(cst_job *jobs, size_t n);
    // Prepared for one: whether its chaining value can go to another kernel and back.
    bool lends_chain() const { return first_->lanes == 1 && HashChains::lie_together(first_->hash); }
    // Of the body so many bytes are hashed together with the head.
    size_t joined() const { return start_; }
    // One message, parted, whose middle has begun.
    void run(cst_job *job, EtmStitched *middle);

    // Jobs at once, and the bytes of several: of longer ones little time is outside the kernels.
    static constexpr size_t MOST_JOBS = 64;
    static constexpr uint64_t MOST_BYTES = 1 << 16;
    static constexpr size_t MOST_HEAD = MOST_BLOCK;  // AAD and IV

private:
    // A message behind a head is put together where it has no more: copying that takes less than two calls. Of others where head and body meet, and the end: the last
    // block and its padding, at most two.
    static constexpr size_t WHOLE = 3 * MOST_BLOCK, LINE = 64, ENDS = WHOLE + LINE;
    static constexpr size_t STATE_BYTES = 10240, STATE_ALIGNED = 64;
    static_assert(PAD_SLACK <= LINE && MOST_CHAIN <= MOST_BLOCK, "both fit");

    double cost(const Variant &v, size_t live) const;
    const Variant *choose(size_t n) const;
    bool some(cst_job *jobs, size_t n);
    void put_head(const cst_job &job, uint8_t *to) const;
    // stitched: of one job, with that middle.
    template <bool headed, bool stitched = false>
    bool run_lanes(const Variant &v, cst_job *jobs, size_t live, EtmStitched *middle = nullptr);
    void call(const Variant &v, size_t live, uint64_t bytes);

    const Suite &suite_;
    const AlgorithmRecord &hash_;
    const size_t unit_, head_, trailer_;
    const uint64_t bytes_;
    const bool mac_, record_;
    const size_t joint_, start_;  // where head and body meet: bytes there, and of them the body's; 0: nowhere
    const Variant *first_ = nullptr, *one_ = nullptr;  // first_: for first_n_ jobs
    size_t first_n_ = 0, state_used_ = 0, ends_used_ = 0;
    alignas(STATE_ALIGNED) uint8_t state_[STATE_BYTES];
    alignas(LINE) uint8_t ends_[MOST_JOBS * ENDS];
};

// Whether it is for n digests or MACs of so many bytes.
bool hash_abreast_serves(const Suite &suite, uint64_t bytes, size_t n);
// Runs the burst, checked, if all its jobs are digests or MACs of as many blocks, of one suite, and no kernel is forced. As run_burst; otherwise, or without a
// kernel, all stay waiting.
int run_hash_abreast(cst_job *jobs, size_t n);

}  // namespace cst
