// Short GCM messages, several of the same lengths at a time.
#pragma once

#include "../suite/key.hpp"
#include "gcm_place.hpp"
#include "one_lane.hpp"

namespace cst {

// Jobs wait here until there are enough; then each step is done for all of them, one after the other. A processor works on several at once that way, since none
// waits for another, and has stored what one step leaves by the time at which the next loads it in larger pieces. Wipes what it used.
class GcmShort {
public:
    GcmShort(const Suite &suite, int direction, bool one_key) : suite_(suite), which_(suite, one_key), opens_(direction == CST_OPEN) {}
    ~GcmShort();
    GcmShort(const GcmShort &) = delete;
    GcmShort &operator=(const GcmShort &) = delete;

    // Longer texts win more by stitching where they lie (gcm_stitched.hpp) than the copies and calls save here, and so do those from 1 KiB on of which whole strides
    // leave nothing over; as measured on Zen 4.
    static bool takes(const cst_job &job) {
        return job.iv_len == GCM_IV && !(job.n_in_pieces | job.n_out_pieces) && (job.in_len | job.aad_len) < MOST_BYTES &&
               whole_blocks(job.in_len) + whole_blocks(job.aad_len) < MOST_BYTES && (job.in_len < 1024 || job.in_len % COUNTER_STRIDE);
    }
    // The job waits; it must be one that it takes. False: there is no kernel.
    bool add(cst_job *job) {
        if (!lies_.fits(*job)) {
            run();
            lay_out(*job);
        } else if (n_ == most_) {
            run();
        }
        if (!most_) return false;
        jobs_[n_++] = job;
        return true;
    }
    // Runs those that wait.
    void run();
    // Whether all of those authenticated.
    bool all() const { return all_; }

private:
    static constexpr uint64_t MOST_BYTES = 1552;  // AAD, text and lengths
    static constexpr size_t MOST = 4, ROOM = 10240;

    void lay_out(const cst_job &job);
    void begin_cipher(size_t i);
    void begin_hash(size_t i);
    void call(const Variant &v, size_t state, size_t bytes);
    uint8_t *place(size_t i) { return room_ + i * stride_; }
    static const Key &key(const cst_job &job) { return *reinterpret_cast<const Key *>(job.key); }

    const Suite &suite_;
    const OneLane which_;
    const bool opens_;
    bool all_ = true;
    // For jobs of these lengths: kernels, and where in its place each has what they work on.
    const Variant *cipher_ = nullptr, *hash_ = nullptr;
    LanePlace cipher_place_, hash_place_;
    GcmPlace lies_;
    size_t hash_at_ = 0, cipher_at_ = 0, stride_ = 0;
    size_t most_ = 0, n_ = 0, used_ = 0;
    cst_job *jobs_[MOST];
    alignas(64) uint8_t room_[ROOM];
};

}  // namespace cst
