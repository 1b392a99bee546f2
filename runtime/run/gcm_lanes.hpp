// Short GCM messages of the same lengths side by side, one in each lane of a kernel.
#pragma once

#include "../suite/key.hpp"
#include "gcm_place.hpp"

namespace cst {

// Collects jobs until lanes are full. Wipes what it used.
class GcmLanes {
public:
    // direction: of all jobs.
    GcmLanes(const Suite &suite, int direction);
    ~GcmLanes();
    GcmLanes(const GcmLanes &) = delete;
    GcmLanes &operator=(const GcmLanes &) = delete;

    // There are kernels for it.
    bool usable() const { return cipher_ && hash_; }
    // Shorter messages are better off without kernels (gcm_few.hpp), longer ones as well one after the other, where they lie.
    static bool takes(const cst_job &job) {
        if (job.iv_len != GCM_IV || job.n_in_pieces | job.n_out_pieces || (job.in_len | job.aad_len) >= MOST_BYTES) return false;
        const uint64_t bytes = whole_blocks(job.in_len) + whole_blocks(job.aad_len);
        return LEAST_BYTES <= bytes && bytes < MOST_BYTES;
    }
    // The job, which must be one that it takes, is run with others like it now, or waits for them.
    void add(cst_job *job) {
        Group *group = groups_;
        while (group < groups_ + n_groups_ && (group->bytes != job->in_len || group->aad_bytes != job->aad_len)) group++;
        if (group == groups_ + n_groups_) group = begin_group(*job);
        group->jobs[group->n++] = job;
        if (group->n == lanes_) {
            run(*group);
            group->n = 0;
        }
    }
    // Of those that wait runs the ones that are enough for a call. The others stay JOB_WAITING.
    void finish();
    // Whether all that have been run authenticated.
    bool all() const { return all_; }

private:
    static constexpr size_t MOST_LANES = 8, GROUPS = 4;
    static constexpr uint64_t LEAST_BYTES = 128, MOST_BYTES = 784;  // AAD and text
    static constexpr size_t MOST_STATE = 4096, ROOM = MOST_LANES * (MOST_BYTES + 4 * GcmPlace::LINE);

    // Jobs of the same lengths.
    struct Group {
        uint64_t bytes, aad_bytes;
        size_t n;
        cst_job *jobs[MOST_LANES];
    };

    const Variant *choose(const Family &family, uint64_t lanes) const;
    Group *begin_group(const cst_job &job);
    // Lanes without a job cost as much as those with one; the longer the messages, the less is won. As measured on Zen 4.
    bool enough(const Group &group) const { return group.n * 8 >= lanes_ * (6 + group.bytes / 512); }
    void run(const Group &group);
    void load_key(const cst_job &job, size_t lane);
    uint8_t *place(size_t lane) { return room_ + lane * stride_; }

    const Suite &suite_;
    const bool opens_;
    bool all_ = true;
    const Variant *cipher_ = nullptr, *hash_ = nullptr;
    size_t lanes_ = 0, n_groups_ = 0, replaced_ = 0;
    Group groups_[GROUPS];
    GcmPlace lies_;  // of the group in hand
    size_t stride_ = 0, used_ = 0;
    const cst_key *keys_[MOST_LANES] = {};  // whose rows the state blocks have
    alignas(64) uint8_t cipher_state_[MOST_STATE], hash_state_[MOST_STATE], room_[ROOM];
};

// Runs of the jobs that wait, of this suite and direction, those that go side by side. False: one did not authenticate.
bool run_gcm_lanes(const Suite &suite, int direction, cst_job *jobs, size_t n);

}  // namespace cst
