// Check, then decrypt. No plaintext is written before the tag has been found right.

#include <cstring>

#include "../suite/secret.hpp"
#include "work.hpp"

namespace cst {
namespace {

void fail(const Batch &batch, Work *work) {
    work->failed = true;
    work->job->status = CST_ERR_AUTH;
    work->job->out_len = 0;
    if (batch.suite->enciphers() && work->job->in_len) wipe(work->job->out, work->job->in_len);
}

void check_tags(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        uint8_t digest[DIGEST_ROOM];
        read_tag(work, digest);
        if (!same_bytes(digest, static_cast<const uint8_t *>(work.job->tag), work.job->tag_len)) fail(batch, &work);
        wipe(digest, sizeof(digest));  // the right tag of a forged message is a secret
    }
}

}  // namespace

void open_batch(const Batch &batch) {
    const Suite &suite = *batch.suite;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.job->status = CST_OK;
        work.job->out_len = suite.enciphers() ? work.job->in_len : 0;
        work.body = static_cast<const uint8_t *>(work.job->in);
        work.body_bytes = work.ready = work.job->in_len;
        if (suite.hash) memcpy(work.hash_chain, work.key->inner, sizeof(work.hash_chain));
        if (suite.enciphers()) memcpy(work.chain, work.job->iv, sizeof(work.chain));
        work.bulk = work.job->in_len;
    }
    if (suite.hash) {
        find_wholes(batch);
        if (suite.kind == CST_AEAD) {
            find_boundaries(batch);
            hash_heads(batch);
        }
        hash_bodies(batch);
        hash_finish(batch);
        check_tags(batch);
    }
    if (!suite.enciphers()) return;
    run_cipher(batch, suite.decrypts, true, [](const Work &work) { return work.bulk; });
    if (!suite.profile) return;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (work.failed) continue;
        uint8_t *out = static_cast<uint8_t *>(work.job->out);
        const uint32_t padding = padding_bytes(out + work.bulk - 16);
        if (!padding) {
            fail(batch, &work);
            continue;
        }
        work.job->out_len = work.bulk - padding;
        wipe(out + work.job->out_len, padding);
    }
}

}  // namespace cst
