#include "warm.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace cst::ossl {
namespace {

constexpr size_t LENGTHS[] = {1, 16, 31, 64, 100, 256, 500, 1024, 1500, 4096, 8192, 16384};
constexpr size_t MOST = 16384, ROOM = MOST + 512, MOST_JOBS = 8;

struct Buffers {
    uint8_t key[64], iv[16], aad[16], tag[64], text[MOST_JOBS][ROOM];
};

// Seals, then opens n messages of one length.
int run(cst_ctx *context, const cst_key *key, const cst_suite_info &info, Buffers *buffers, size_t n, size_t bytes) {
    cst_job jobs[MOST_JOBS] = {};
    for (const int direction : {CST_SEAL, CST_OPEN}) {
        for (size_t i = 0; i < n; i++) {
            cst_job &job = jobs[i];
            if (direction == CST_SEAL) job.in_len = bytes;
            else job.in_len = job.out_len;
            job.size = sizeof(job);
            job.key = key;
            job.direction = direction;
            job.iv = buffers->iv;
            job.iv_len = info.iv_bytes;
            job.aad = buffers->aad;
            job.aad_len = size_t(info.kind == CST_AEAD ? std::min<uint64_t>(info.aad_max, 13) : 0);
            job.in = job.out = buffers->text[i];
            job.out_cap = ROOM;
            job.tag = info.tag_max ? buffers->tag : nullptr;
            job.tag_len = info.tag_max;
        }
        if (const int error = cst_burst(context, jobs, n)) return error;
    }
    return CST_OK;
}

}  // namespace

int warm_up(cst_ctx *context, const cst_suite *suite) {
    cst_suite_info info = {};
    info.size = sizeof(info);
    if (const int error = cst_suite_info_get(suite, &info)) return error;
    const std::unique_ptr<Buffers> buffers(new (std::nothrow) Buffers());
    if (!buffers) return CST_ERR_MEMORY;
    for (size_t i = 0; i < sizeof(buffers->key); i++) buffers->key[i] = uint8_t(i);
    cst_key *key;
    const size_t mac_key_bytes = std::min<size_t>(info.mac_key_max, 20);
    int error =
        cst_key_new(suite, buffers->key, info.key_bytes, mac_key_bytes ? buffers->key : nullptr, mac_key_bytes, &key);
    if (error) return error;
    const bool records = info.kind == CST_AEAD && !info.tag_max;  // TLS: multiblock too
    for (const size_t n : {size_t(1), size_t(4), size_t(8)}) {
        if (n > 1 && !records) break;
        for (size_t bytes : LENGTHS) {
            bytes = std::max<size_t>(bytes, size_t(info.min_bytes)) / info.block_bytes * info.block_bytes;
            if (bytes && !error) error = run(context, key, info, buffers.get(), n, bytes);
        }
    }
    cst_key_free(key);
    return error;
}

}  // namespace cst::ossl
