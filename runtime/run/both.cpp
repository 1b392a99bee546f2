// Runs two digests of the same messages (md5+sha256, ...). The tag of a message is the first digest, then the second.

#include <algorithm>

#include "constructions.hpp"
#include "run.hpp"

namespace cst {
namespace {

// Whether the messages are in one piece and equally long: such jobs can be run without the memory of a burst.
bool equally_long(const cst_job *jobs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (in_pieces(jobs[i]) || jobs[i].in_len != jobs->in_len) return false;
    return true;
}

}  // namespace

bool run_both(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    cst_job copies[MOST_MESSAGES], *list[MOST_MESSAGES];
    size_t at = 0;  // of the digest in the tag
    bool all = true;
    for (const uint32_t half : {0, 1}) {
        size_t bytes = 0;
        for (size_t i = 0; i < n; i++) {
            const Key &key = key_of(*jobs[i]).half(half);
            bytes = key.suite->tag_max;
            list[i] = &copies[i];
            copies[i] = *jobs[i];
            copies[i].key = reinterpret_cast<const cst_key *>(&key);
            copies[i].status = JOB_WAITING;
            copies[i].tag = static_cast<uint8_t *>(jobs[i]->tag) + at;
            copies[i].tag_len = bytes;
        }
        const int result = equally_long(copies, n) ? run_one_by_one(copies, n) : JOB_WAITING;
        all &= result == JOB_WAITING ? run_class(memory, list, n, readable) : result == CST_OK;
        for (size_t i = 0; i < n; i++) {
            if (half == 0 || copies[i].status != CST_OK) jobs[i]->status = copies[i].status;
            jobs[i]->out_len = 0;
        }
        at += bytes;
    }
    return all;
}

}  // namespace cst
