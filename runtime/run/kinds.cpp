#include "kinds.hpp"

#include <iterator>

#include "../hash/both.hpp"
#include "../hash/framed.hpp"
#include "../hash/leaves.hpp"
#include "../hash/multi_hash.hpp"
#include "../hash/tree.hpp"
#include "../message/checked.hpp"
#include "../message/duplex.hpp"
#include "../storage/checksum.hpp"
#include "plan_class.hpp"

namespace cst {
namespace {

template <bool (*RUN)(Memory *, cst_job *const *, size_t)>
bool run(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *) {
    return RUN(memory, jobs, n);
}
bool run_each_checksum(Memory *, cst_job *const *jobs, size_t n) {
    bool all = true;
    for (size_t i = 0; i < n; i++) all &= run_checksums(jobs[i], 1) == CST_OK;
    return all;
}

template <Ranking (*RANK)(const Suite &, size_t, uint64_t)>
void plan_hash(const Suite &suite, const cst_job &job, size_t n, bool, Plan *plan) {
    plan->hash = RANK(suite, n, job.in_len);
}
Ranking rank_checksums(const Suite &suite, size_t n, uint64_t bytes) {
    Need need = {&suite.whole_hashes, n, bytes, bytes};
    need.whole = true;
    return rank(suite, need);
}
void plan_multi(const Suite &suite, const cst_job &job, size_t n, bool, Plan *plan) {
    plan_multi_hashes(suite, n, job.in_len, plan);
}
void plan_two_digests(const Suite &suite, const cst_job &job, size_t n, bool one_key, Plan *plan) {
    plan_both(suite, n, job.in_len, plan);
    plan->cipher = plan_class(*suite.halves[0], job, n, one_key).hash;  // the first takes the place of the cipher
    plan->hash = plan_class(*suite.halves[1], job, n, one_key).hash;
}
void plan_aead_of_one_state(const Suite &suite, const cst_job &job, size_t n, bool, Plan *plan) {
    plan->cipher = rank_duplex(suite, n, job.aad_len, job.in_len);
}
void plan_checked(const Suite &suite, const cst_job &job, size_t n, bool one_key, Plan *plan) {
    const bool opens = job.direction == CST_OPEN;
    *plan = plan_class(*suite.halves[0], job, n, one_key);
    plan->checksum = rank_checksums(*suite.halves[1], n, job.in_len);
    if (job.in_len % AES_BLOCK || !choose_checked(suite, opens, n, job.in_len)) return;
    Need need = {opens ? &suite.open_pairs : &suite.pairs, n, job.in_len, job.in_len};
    need.whole = true;
    if (plan->pair.chosen.variant) plan->cipher = plan->pair;
    plan->hash = plan->checksum;
    plan->checksum = {};
    plan->pair = rank(suite, need);
}

// In the order of Construction, from its first kind with code of its own on.
constexpr SuiteKind KINDS[] = {
    {run<run_each_checksum>, plan_hash<rank_checksums>},
    {run<run_framed>, plan_hash<rank_framed>},
    {run<run_trees>, plan_hash<rank_trees>},
    {run<run_leaves>, plan_hash<rank_leaves>},
    {run<run_multi_hashes>, plan_multi},
    {run_both, plan_two_digests},
    {run<run_duplex>, plan_aead_of_one_state},
    {run_checked, plan_checked},
};
constexpr size_t FIRST = size_t(Construction::checksum);
static_assert(FIRST + std::size(KINDS) == size_t(Construction::checked) + 1, "each has a row");

}  // namespace

const SuiteKind *kind_of(const Suite &suite) {
    const size_t construction = size_t(suite.construction);
    return construction < FIRST ? nullptr : &KINDS[construction - FIRST];
}

}  // namespace cst
