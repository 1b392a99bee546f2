#include "key_stream.hpp"

#include <new>

#include "../suite/expanded_key.hpp"
#include "../suite/secret.hpp"
#include "../executors/message.hpp"
#include "../run/run.hpp"

namespace cst {

int add_key_stream(const Suite *cipher, const void *round_keys, const uint8_t *iv, Bytes in, uint8_t *out) {
    alignas(64) uint8_t memory[64 + AES_BLOCK * (AES_MOST_ROUNDS + 1) + 64];
    if (!cipher || cipher->key_layout.bytes > sizeof(memory)) return CST_ERR_UNSUPPORTED;
    ExpandedKey parts;
    parts.cipher = round_keys;
    const Key *key;
    if (int error = take_expanded_key(*cipher, parts, memory, &key)) return error;
    cst_job job;
    new_job(&job, *key, CST_SEAL);
    job.iv = iv;
    job.iv_len = cipher->iv_bytes;
    job.in = in.data;
    job.out = out;
    job.in_len = job.out_cap = in.n;
    int error;
    try {
        error = run_jobs(*cipher->engine, &job, 1, Likeness::shape);
    } catch (const std::bad_alloc &) {
        error = CST_ERR_MEMORY;
    }
    wipe(memory, cipher->key_layout.bytes);
    return error;
}

}  // namespace cst
