#include "whole.hpp"

#include "mac.hpp"
#include "text.hpp"

namespace cst {
namespace {

bool serves(const Suite &suite) {
    switch (suite.construction) {
        case Construction::single:
        case Construction::counter:
        case Construction::chacha:
        case Construction::cmac:
        case Construction::xcbc:
        case Construction::xts:
        case Construction::ccm:
        case Construction::etm:
        case Construction::esp: return true;
        default: return false;
    }
}

// What is forced must be seen to run, where it fits.
bool forced_fits(const Suite &suite, uint64_t lengths) {
    const Variant *const forced = suite.forced;
    if (!forced) return true;
    if (forced->stitched()) return false;
    return forced->role == Role::hash ? forced->step == suite.hash->record.block_bytes
                                      : !(lengths & (forced->step - 1));
}

}  // namespace

int run_whole(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    const Suite &suite = *key_of(*jobs[0]).suite;
    const bool enciphers = suite.enciphers(), opens = jobs[0]->direction == CST_OPEN;
    if (!serves(suite) || (enciphers && jobs[0]->in_len > SCRATCH_BYTES)) return JOB_WAITING;
    const bool together = suite.hash && (enciphers || suite.hash->record.kind == ALGORITHM_CBC_MAC);
    const bool counted = enciphers && counts(suite);
    Whole w = {memory, jobs, n, 0, true, 0, readable};
    uint64_t lengths = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        if ((job.n_in_pieces | job.n_out_pieces) || (enciphers && !job.in_len)) return JOB_WAITING;
        if (together && !fits_whole(suite, head_bytes(suite, job.aad_len), job.in_len)) return JOB_WAITING;
        if (counted && counter_carries(suite, static_cast<const uint8_t *>(job.iv), job.in_len)) return JOB_WAITING;
        lengths |= job.in_len;
        sum += job.in_len;
        w.one_key &= job.key == jobs[0]->key;
    }
    if (!forced_fits(suite, lengths)) return JOB_WAITING;
    w.mean = lengths == jobs[0]->in_len && sum == lengths * n ? lengths : sum / n;
    if (!enciphers) return run_whole_macs(w) ? CST_OK : CST_ERR_AUTH;
    if (suite.tweaked() && lengths % suite.encrypt->record.block_bytes) return JOB_WAITING;  // ciphertext stealing
    if (jobs[0]->in_len > MOST_DETOUR || !rounds_up(suite, opens)) {
        w.grain = lengths & -lengths;
        if (w.grain < suite.encrypt->record.block_bytes) return JOB_WAITING;
    }
    if (!suite.hash) {
        run_whole_texts(w);
        return CST_OK;
    }
    // CCM's MAC is of the plaintext, the others' of the ciphertext.
    const bool mac_first = opens != (suite.construction == Construction::ccm);
    if (!mac_first) run_whole_texts(w);
    const bool all = run_whole_macs(w);
    if (!mac_first) return all ? CST_OK : CST_ERR_AUTH;
    cst_job *opened[MOST_MESSAGES];
    if (!all) {
        size_t some = 0;
        for (size_t i = 0; i < n; i++)
            if (jobs[i]->status == CST_OK) opened[some++] = jobs[i];
        w.jobs = opened;
        w.n = some;
    }
    run_whole_texts(w);
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
