// A batch of jobs as two bursts of the library's jobs, their keys, and the state of each job.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "gcm.hpp"
#include "plan.hpp"
#include "suite/expanded_key.hpp"

namespace cst::imb {

constexpr size_t MOST_JOBS = 64;   // in a batch
constexpr size_t KEY_ROOM = 1280;  // for each: keys of a cipher and a MAC
constexpr size_t MOST_TAG = 64;

// The state of a job. The used part of the fields from `tag` on is wiped.
struct Item {
    IMB_JOB *job;
    const Plan *plan;
    bool failed;
    bool tag_here;  // not yet where the job wants it
    bool used;      // something is to be wiped
    cst_piece pieces[3];
    alignas(16) uint8_t tag[MOST_TAG];
    alignas(16) uint8_t iv[16];
    alignas(16) uint8_t block[64];  // CCM: what the MAC begins with; ChaCha20: the beginning of the keystream
    alignas(16) uint8_t mask[16];   // CCM opened: what hides the tag; ChaCha20-Poly1305: a second IV
};

// Identifies the keys of a cipher and a MAC: as long as nothing here changes, the keys are the same.
struct KeySource {
    const Plan *plan = nullptr;
    const void *encrypt = nullptr, *decrypt = nullptr, *mac[3] = {};

    explicit KeySource(const IMB_JOB &job, const Plan &its_plan)
        : plan(&its_plan), encrypt(job.enc_keys), decrypt(job.dec_keys) {
        memcpy(mac, &job.u, sizeof(mac));
    }
    KeySource() = default;
    bool operator==(const KeySource &other) const {
        const auto differs = [](const void *a, const void *b) {
            return reinterpret_cast<uintptr_t>(a) ^ reinterpret_cast<uintptr_t>(b);
        };
        return !(differs(plan, other.plan) | differs(encrypt, other.encrypt) | differs(decrypt, other.decrypt) |
                 differs(mac[0], other.mac[0]) | differs(mac[1], other.mac[1]) | differs(mac[2], other.mac[2]));
    }
};

class Work {
public:
    // Begins a batch of at most MOST_JOBS jobs, whose arguments have been checked.
    void begin(size_t jobs);
    Item *add(IMB_JOB *job, const Plan *plan) {
        Item *const item = &items_[n_++];
        item->job = job;
        item->plan = plan;
        item->failed = item->tag_here = item->used = false;
        return item;
    }
    size_t size() const { return n_; }
    // Whether tags may be in items.
    bool any_used() const { return any_used_; }
    void use(Item *item) { item->used = any_used_ = true; }
    // Whether there is only one job.
    bool lone() const { return jobs_ == 1; }
    Item *item(size_t i) { return &items_[i]; }
    // Wipes what was used.
    void end();

    // Returns NULL if there is no room for another key. The parts must stay until the end.
    const Key *key(const Suite &suite, const ExpandedKey &parts);
    // The keys of the last composed job, if they are of the same source: of the first burst, and of the second.
    struct Composed {
        KeySource source;
        const Key *stitched, *cipher, *mac;  // NULL: not made yet
    };
    Composed *composed(const KeySource &source) {
        if (!(composed_.source == source)) composed_ = {source, nullptr, nullptr, nullptr};
        return &composed_;
    }

    // Adds a sealing job of the library, with only its key set, to one of the two bursts. Returns NULL (and the item
    // has failed) if there is none.
    cst_job *add_job(unsigned step, Item *item, const Key *its) {
        if (!its) {
            item->failed = any_failed_ = true;
            return nullptr;
        }
        Step &to = steps_[step];
        to.items[to.n] = item;
        cst_job *const job = &to.jobs[to.n++];
        *job = {sizeof(*job),
                reinterpret_cast<const cst_key *>(its),
                CST_SEAL,
                0,
                nullptr,
                0,
                nullptr,
                0,
                nullptr,
                0,
                nullptr,
                0,
                0,
                nullptr,
                0,
                nullptr,
                0,
                nullptr,
                0};
        return job;
    }
    cst_job *add_job(unsigned step, Item *item, const Suite &suite, const ExpandedKey &parts) {
        return add_job(step, item, key(suite, parts));
    }

    GcmList gcm;  // of the batch, which run apart from the bursts

    // Runs one of them. Jobs that the library refuses fail, the others run; what lies across itself goes by way of
    // copies.
    void run(unsigned step);

private:
    struct Step {
        cst_job jobs[MOST_JOBS];
        Item *items[MOST_JOBS];
        size_t n;
    };
    struct Made {
        const Suite *suite;
        ExpandedKey parts;
        const Key *key;
    };
    template <typename Condition>
    static void drop(Step *step, Condition condition);

    size_t jobs_ = 0, n_ = 0, keys_used_ = 0;
    bool any_failed_ = false, any_used_ = false;
    Made last_[2] = {};  // the last key made of a MAC alone, and of a cipher
    Composed composed_ = {};
    Item items_[MOST_JOBS];
    Step steps_[2];
    alignas(64) uint8_t keys_[MOST_JOBS * KEY_ROOM];
};

inline Bytes text_of(const IMB_JOB &job) { return job.src + job.cipher_start_src_offset_in_bytes; }

inline void set_text(cst_job *job, const void *in, void *out, uint64_t bytes) {
    job->in = in;
    job->out = out;
    job->in_len = job->out_cap = size_t(bytes);
}

inline void set_tag(Work *work, cst_job *job, Item *item, size_t bytes) {
    item->tag_here = true;
    work->use(item);
    job->tag = item->tag;
    job->tag_len = bytes;
}

}  // namespace cst::imb
