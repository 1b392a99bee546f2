#include "groups.hpp"

#include <algorithm>

#include "abreast.hpp"
#include "etm_abreast.hpp"

namespace cst {
namespace {

// So many jobs are sorted at a time, into as many buckets; a word has a bit for each.
constexpr size_t WINDOW = 64;
constexpr int WINDOW_LOG2 = 6;
static_assert(WINDOW == size_t(1) << WINDOW_LOG2);
// Of a job that goes into none.
constexpr uint8_t NO_BUCKET = WINDOW;

bool alike(const cst_job &a, const cst_job &b) {
    return key_of(a).suite == key_of(b).suite && a.direction == b.direction &&
           !((a.in_len ^ b.in_len) | (a.aad_len ^ b.aad_len) | (a.iv_len ^ b.iv_len) | (a.tag_len ^ b.tag_len));
}

bool takes(const cst_job &job) {
    return !(job.n_in_pieces | job.n_out_pieces) && job.in_len - 1 < ABREAST_TEXT && groups_serve(job);
}

// That of alike ones is the same.
uint8_t bucket(const cst_job &job) {
    constexpr uint64_t ODD = 0x9e3779b97f4a7c15u;
    return uint8_t((((job.in_len << 1 | uint64_t(job.direction)) * ODD ^ reinterpret_cast<uintptr_t>(key_of(job).suite)) * ODD) >> (64 - WINDOW_LOG2));
}

int run_alike(cst_job *jobs, size_t n) {
    if (key_of(*jobs).suite->kind == CST_AEAD) return run_etm_abreast(jobs, n);
    run_texts(jobs, n);
    return CST_OK;
}

int run_window(cst_job *jobs, size_t n) {
    uint8_t buckets[WINDOW], counts[WINDOW + 1] = {};
    for (size_t i = 0; i < n; i++) counts[buckets[i] = takes(jobs[i]) ? bucket(jobs[i]) : NO_BUCKET]++;
    counts[NO_BUCKET] = 0;
    int result = CST_OK;
    uint64_t seen = 0;  // a bit for each job that was put in a group
    for (size_t i = 0; i < n; i++) {
        if (counts[buckets[i]] < 2 || seen >> i & 1) continue;
        cst_job group[WINDOW];
        uint8_t from[WINDOW];
        group[0] = jobs[i];
        from[0] = uint8_t(i);
        size_t members = 1;
        for (size_t j = i + 1; j < n; j++) {
            if (buckets[j] != buckets[i] || !alike(jobs[i], jobs[j])) continue;
            group[members] = jobs[j];
            from[members++] = uint8_t(j);
            seen |= uint64_t(1) << j;
        }
        if (members < key_of(jobs[i]).suite->group_least) continue;
        result = std::min(result, run_alike(group, members));
        for (size_t k = 0; k < members; k++) {
            jobs[from[k]].status = group[k].status;
            jobs[from[k]].out_len = group[k].out_len;
        }
    }
    return result;
}

}  // namespace

int run_groups(cst_job *jobs, size_t n) {
    int result = CST_OK;
    for (size_t at = 0; at < n; at += WINDOW) result = std::min(result, run_window(jobs + at, std::min(n - at, WINDOW)));
    return result;
}

}  // namespace cst
