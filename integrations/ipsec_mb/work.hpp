// What a batch of jobs becomes: two bursts of the library's jobs, their keys, and what of each job is under way.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "plan.hpp"
#include "suite/expanded_key.hpp"

namespace cst::imb {

constexpr size_t MOST_JOBS = 64;    // in a batch
constexpr size_t KEY_ROOM = 1280;   // for each: keys of a cipher and a MAC
constexpr size_t MOST_TAG = 64;

// A job under way. From `tag` on what was used is wiped.
struct Item {
    IMB_JOB *job;
    const Plan *plan;
    bool failed;
    cst_piece pieces[3];
    alignas(16) uint8_t tag[MOST_TAG];
    alignas(16) uint8_t iv[16];
    alignas(16) uint8_t block[64];  // CCM: what the MAC begins with; ChaCha20: the beginning of the keystream
    alignas(16) uint8_t mask[16];   // CCM opened: what hides the tag; ChaCha20-Poly1305: a second IV
};

class Work {
public:
    // At most MOST_JOBS items, all of their jobs' arguments checked.
    void begin();
    Item *add(IMB_JOB *job, const Plan *plan);
    size_t size() const { return n_; }
    Item *item(size_t i) { return &items_[i]; }
    // Wipes what was used.
    void end();

    // A job of the library's in one of the two bursts, sealing, with nothing but its key; NULL (and the item has
    // failed): there is none. The parts must stay until the end.
    cst_job *add_job(unsigned step, Item *item, const Suite &suite, const ExpandedKey &parts);

    // Runs one of them. Jobs that the library refuses fail, the others run; text that lies across itself goes by way of
    // a copy.
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
    const Key *key(const Suite &suite, const ExpandedKey &parts);
    template <typename Condition>
    static void drop(Step *step, Condition condition);

    size_t n_ = 0, keys_used_ = 0;
    Made last_[2] = {};  // the last key made of a MAC alone, and of a cipher
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

inline void set_tag(cst_job *job, Item *item, size_t bytes) {
    job->tag = item->tag;
    job->tag_len = bytes;
}

}  // namespace cst::imb
