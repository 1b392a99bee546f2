#include "checksum.hpp"

#include "burst.hpp"
#include "calls.hpp"
#include "lineup.hpp"

namespace cst {
namespace {

class ChecksumCalls : public Calls {
public:
    ChecksumCalls(const Engine &engine, const Variant &v, uint64_t bytes) : Calls(engine, v, bytes) {}

    uint64_t run(const Key &key, uint64_t at, const void *in) {
        const Crc &crc = key.crc();
        const bool upper = crc.reflected;
        const uint32_t above = upper ? 0 : 64 - crc.width;
        put_words(state_ + place_.chain, upper ? 0 : at << above, upper ? at : 0);
        const KeyRow *const rows = key.powers();
        const uint64_t blocks = blocks_of(end_);
        point(place_.key, rows);
        point(place_.powers, rows + CRC_POWERS_END - v_.step / BLOCK - blocks);
        point(place_.phase, rows + CRC_PHASE + (BLOCK * blocks - end_));
        call(in, nullptr);
        return load64(state_ + place_.chain + 8 * upper) >> above;
    }
};

const Variant &kernel_for(const Suite &suite, size_t n, uint64_t bytes) {
    Need need = {&suite.whole_hashes, n, bytes, bytes};
    need.whole = true;
    return *line_up(suite, need).variant;
}

}  // namespace

uint64_t go_on_with(const Key &key, uint64_t at, const void *in, uint64_t bytes) {
    const Suite &suite = *key.suite;
    const Variant &v = kernel_for(suite, 1, bytes);
    v.calls.add(1);
    return ChecksumCalls(*suite.engine, v, bytes).run(key, at, in);
}

void put_checksum(const Key &key, uint64_t at, void *tag) {
    const size_t bytes = key.suite->tag_max;
    uint64_t value = at ^ key.crc().final;
    if (!key.crc().reflected) value = __builtin_bswap64(value << (64 - 8 * bytes));
    memcpy(tag, &value, bytes);
}

int run_checksums(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    const auto finish = [&](cst_job *job, uint64_t at) {
        uint8_t digest[8];
        put_checksum(key_of(*job), at, digest);
        job->out_len = 0;
        job->status = CST_OK;
        if (job->direction == CST_SEAL) memcpy(job->tag, digest, job->tag_len);
        else if (memcmp(job->tag, digest, job->tag_len) != 0) job->status = CST_ERR_AUTH;
        return job->status == CST_OK;
    };
    bool all = true;
    if (jobs->n_in_pieces) {
        for (cst_job *job = jobs; job < jobs + n; job++) {
            uint64_t at = key_of(*job).crc().start();
            for (size_t i = 0; i < job->n_in_pieces; i++)
                at = go_on_with(key_of(*job), at, job->in_pieces[i].data, job->in_pieces[i].bytes);
            all &= finish(job, at);
        }
        return all ? CST_OK : CST_ERR_AUTH;
    }
    const Variant &v = kernel_for(suite, n, jobs->in_len);
    ChecksumCalls calls(*suite.engine, v, jobs->in_len);
    for (cst_job *job = jobs; job < jobs + n; job++) {
        const Key &key = key_of(*job);
        all &= finish(job, calls.run(key, key.crc().start(), job->in));
    }
    v.calls.add(n);
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
