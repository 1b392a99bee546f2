#include "gcm_few.hpp"

#include "../suite/aes.hpp"
#include "../suite/gcm_wide.hpp"
#include "../suite/ghash.hpp"
#include "../suite/secret.hpp"
#include "copy.hpp"
#include "direct.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = GCM_BLOCK;

bool run_few(const Key &key, const cst_job &job) {
    const size_t bytes = job.in_len, blocks = 1 + whole_blocks(bytes) / BLOCK;
    const bool seal = job.direction == CST_SEAL;
    const uint8_t *const in = static_cast<const uint8_t *>(job.in);
    uint8_t *const out = static_cast<uint8_t *>(job.out), *const tag = static_cast<uint8_t *>(job.tag);
    alignas(BLOCK) uint8_t stream[GCM_FEW_ALONE][BLOCK], y[1][BLOCK];  // stream: E(K, J0), then what is added to the text
    put_first_counter(y[0], job.iv);
    aes_counter_blocks(key.encrypt, key.suite->encrypt->record.rounds, y[0], blocks, stream);
    if (seal) add_blocks(out, in, stream[1], bytes);
    put_words(y[0], 0, 0);
    ghash_end(key.powers + MOST_POWERS, y[0], {static_cast<const uint8_t *>(job.aad), job.aad_len, seal ? out : in, bytes, job.aad_len, bytes});
    put_words(y[0], load64(stream[0]) ^ load64(y[0]), load64(stream[0] + 8) ^ load64(y[0] + 8));
    const bool right = seal || same_bytes(y[0], tag, job.tag_len);
    if (seal) copy_few(tag, y[0], job.tag_len);
    else if (right) add_blocks(out, in, stream[1], bytes);
    wipe_rows(stream, blocks);
    wipe_rows(y, 1);
    return right;
}

}  // namespace

bool run_gcm_few(cst_job *jobs, size_t n) {
    const bool wide = reinterpret_cast<const Key *>(jobs->key)->suite->wide;
    if (wide && gcm_wide(jobs, n)) return true;
    bool all = true;
    for (cst_job *job = jobs; job < jobs + n; job++) {
        if (!wide) {
            job->out_len = job->in_len;
            job->status = run_few(*reinterpret_cast<const Key *>(job->key), *job) ? CST_OK : CST_ERR_AUTH;
        }
        if (job->status == CST_OK) continue;
        refuse(job);
        all = false;
    }
    return all;
}

}  // namespace cst
