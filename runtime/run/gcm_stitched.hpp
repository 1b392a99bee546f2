// GCM messages on one stitched kernel, what it leaves over without any.
#pragma once

#include "../suite/key.hpp"
#include "gcm_few.hpp"
#include "one_lane.hpp"

namespace cst {

// Runs messages one after the other. All whole strides of a text go through one call; AAD, lengths and what is left of the text are so few blocks that no
// kernel is worth its call. The state block lies here and keeps the rows of the key that it was last called with. Wipes what it used.
class GcmStitched {
public:
    // direction: of all jobs. one_key: most have the key of the one before.
    GcmStitched(const Suite &suite, int direction, bool one_key) : suite_(suite), which_(suite, one_key), opens_(direction == CST_OPEN) {}
    ~GcmStitched();
    GcmStitched(const GcmStitched &) = delete;
    GcmStitched &operator=(const GcmStitched &) = delete;

    // Of a message in place what is hashed before it is overwritten would be too much for vectors of four blocks.
    static bool takes(const cst_job &job) {
        return job.iv_len == GCM_IV && !(job.n_in_pieces | job.n_out_pieces) && job.in_len >= LEAST_TEXT && job.aad_len <= MOST_AAD &&
               !(job.direction == CST_OPEN && job.in == job.out && key_of(job).suite->wide);
    }
    // Runs the job, which must be one that it takes. It waits still if no pair kernel is worth it.
    void run(cst_job *job);
    // Whether all of those authenticated.
    bool all() const { return all_; }

private:
    static constexpr uint64_t LEAST_TEXT = 512, MOST_AAD = 20 * GCM_BLOCK;
    static constexpr size_t ROOM = 4096, ALIGNED = 64;  // of the state block

    void choose(uint64_t bytes, bool ahead);
    void load_key(const Key &key);
    void call(const uint8_t *in, uint8_t *out, const uint8_t *hash_in, uint64_t iterations);
    void absorb_end(const Key &key, const cst_job &job, const uint8_t *text, uint64_t done);
    void add_stream(const Key &key, const uint8_t *in, uint8_t *out, uint64_t bytes);
    bool finish(const Key &key, const cst_job &job, const uint8_t *hashed_text, uint64_t enciphered, uint64_t hashed);

    const Suite &suite_;
    const OneLane which_;
    const bool opens_;
    bool all_ = true, ahead_ = false;
    // For texts of this length:
    uint64_t bytes_ = 0;
    const Variant *pair_ = nullptr;
    cst_kernel_fn fn_ = nullptr;
    uint8_t *in_ = nullptr, *out_ = nullptr, *counter_ = nullptr, *hash_in_ = nullptr, *y_ = nullptr;  // in the state block
    const Key *key_ = nullptr;                   // whose rows it has
    size_t used_ = 0;
    cst_kernel_args args_;
    alignas(ALIGNED) uint8_t state_[ROOM];
};

}  // namespace cst
