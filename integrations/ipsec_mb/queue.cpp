#include "queue.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "batch.hpp"
#include "check.hpp"
#include "errors.hpp"
#include "real.hpp"
#include "stats.hpp"

namespace cst::imb {
namespace {

constexpr int JOB_BYTES = int(sizeof(IMB_JOB)), RING_BYTES = JOB_BYTES * IMB_MAX_JOBS;
constexpr uint64_t WHOLE_FLUSHES = 64;  // until it is tried again whether flushes are followed by jobs
constexpr long USUAL_HOLD = 64, MOST_HOLD = IMB_MAX_BURST_SIZE;

long read_hold() {
    const char *const text = getenv("CRYPTOSTITCH_IPSEC_MB_HOLD");
    const long n = text ? strtol(text, nullptr, 10) : USUAL_HOLD;
    return n < 1 ? USUAL_HOLD : std::min(n, MOST_HOLD);
}

// Read when a manager is made ready.
std::atomic<uint64_t> most_waiting{USUAL_HOLD};
uint64_t hold() { return most_waiting.load(std::memory_order_relaxed); }

// The queue's own state, besides the interface's fields.
uint64_t &waiting(IMB_MGR *manager) { return manager->reserved[0]; }
uint64_t &submits_since_oldest(IMB_MGR *manager) { return manager->reserved[1]; }
uint64_t &flushes(IMB_MGR *manager) { return manager->reserved[2]; }  // since the last submit
// How many more flushes run all waiting jobs.
uint64_t &whole_flushes(IMB_MGR *manager) { return manager->reserved[3]; }

IMB_JOB *at(IMB_MGR *manager, int offset) {
    return reinterpret_cast<IMB_JOB *>(reinterpret_cast<uint8_t *>(manager->jobs) + offset);
}
int behind(int offset) { return offset + JOB_BYTES < RING_BYTES ? offset + JOB_BYTES : 0; }

uint32_t queued(const IMB_MGR &manager) {
    if (manager.earliest_job < 0) return 0;
    const int bytes = manager.next_job - manager.earliest_job;
    return uint32_t((bytes > 0 ? bytes : bytes + RING_BYTES) / JOB_BYTES);
}

void note(IMB_MGR *manager, int error) {
    if (error) set_error(manager, error);
}

void run_waiting(IMB_MGR *manager) {
    if (!waiting(manager)) return;
    IMB_JOB *jobs[IMB_MAX_JOBS];
    size_t n = 0;
    int offset = manager->earliest_job;
    for (uint32_t i = queued(*manager); i; i--, offset = behind(offset))
        if (at(manager, offset)->status == IMB_STATUS_BEING_PROCESSED) jobs[n++] = at(manager, offset);
    note(manager, run_jobs(jobs, n, false));
    waiting(manager) = submits_since_oldest(manager) = 0;
}

// Takes the next job of the ring into the queue. Returns whether there is room for another.
bool append(IMB_MGR *manager) {
    if (manager->earliest_job < 0) manager->earliest_job = manager->next_job;
    manager->next_job = behind(manager->next_job);
    return manager->next_job != manager->earliest_job;
}

// The oldest job, if it is done.
IMB_JOB *take(IMB_MGR *manager) {
    if (manager->earliest_job < 0) return nullptr;
    IMB_JOB *const job = at(manager, manager->earliest_job);
    if (job->status == IMB_STATUS_BEING_PROCESSED) return nullptr;
    manager->earliest_job = behind(manager->earliest_job);
    if (manager->earliest_job == manager->next_job) manager->earliest_job = -1;
    return job;
}

// The oldest job, run by itself if it waits.
IMB_JOB *take_alone(IMB_MGR *manager) {
    IMB_JOB *job = at(manager, manager->earliest_job);
    if (job->status == IMB_STATUS_BEING_PROCESSED) {
        note(manager, run_jobs(&job, 1, false));
        waiting(manager)--;
    }
    return take(manager);
}

bool shares_context(Kind kind) { return kind == Kind::gcm_segments || kind == Kind::chacha_segments; }

// Counts a job that joins the queue, or waits in it already; runs what waits, if it is time.
IMB_JOB *join(IMB_MGR *manager) {
    submits_since_oldest(manager) += waiting(manager) != 0;
    flushes(manager) = 0;
    const bool room = append(manager);
    if (!room || waiting(manager) >= hold() || submits_since_oldest(manager) > 2 * hold()) run_waiting(manager);
    return take(manager);
}

template <bool checked>
IMB_JOB *submit(IMB_MGR *manager) {
    if (!manager) return set_error(nullptr, IMB_ERR_NULL_MBMGR), nullptr;
    set_error(manager, 0);
    IMB_JOB *job = at(manager, manager->next_job);
    const Plan &plan = plan_of(*job);
    // A job that waits is checked when it runs: until then the caller may change it.
    const int wrong = checked || plan.at_once ? check(*job, plan, checked) : 0;
    if (wrong) {
        refuse(job);
        note(manager, wrong);
    } else if (!plan.at_once) {
        job->status = IMB_STATUS_BEING_PROCESSED;
        waiting(manager)++;
    } else {
        // Callers of steps that share a context look at the job that comes back: it is this one.
        if (shares_context(plan.kind)) run_waiting(manager);
        if (runs_alone(plan.kind)) run_checked(job, plan);
        else note(manager, run_jobs(&job, 1, checked));
    }
    return join(manager);
}

IMB_JOB *next_job(IMB_MGR *manager) {
    if (!manager) return set_error(nullptr, IMB_ERR_NULL_MBMGR), nullptr;
    set_error(manager, 0);
    return at(manager, manager->next_job);
}
IMB_JOB *completed_job(IMB_MGR *manager) {
    if (!manager) return set_error(nullptr, IMB_ERR_NULL_MBMGR), nullptr;
    set_error(manager, 0);
    return take(manager);
}
IMB_JOB *flush_job(IMB_MGR *manager) {
    if (!manager) return set_error(nullptr, IMB_ERR_NULL_MBMGR), nullptr;
    set_error(manager, 0);
    const uint64_t flush = ++flushes(manager);
    if (flush == 1 && whole_flushes(manager)) {
        whole_flushes(manager)--;
    } else if (flush == 1 && waiting(manager) > 1) {
        if (IMB_JOB *const job = take_alone(manager)) return job;
    } else if (flush == 2 && waiting(manager)) {
        whole_flushes(manager) = WHOLE_FLUSHES;
    }
    run_waiting(manager);
    return take(manager);
}
uint32_t queue_size(IMB_MGR *manager) {
    if (!manager) return set_error(nullptr, IMB_ERR_NULL_MBMGR), 0;
    set_error(manager, 0);
    return queued(*manager);
}

// ---- Bursts -----------------------------------------------------------------------------------------------------

int wrong_burst(const IMB_MGR *manager, const void *jobs, uint32_t n) {
    if (!manager) return IMB_ERR_NULL_MBMGR;
    if (!jobs) return IMB_ERR_NULL_BURST;
    return n > IMB_MAX_BURST_SIZE ? IMB_ERR_BURST_SIZE : 0;
}

bool refused(IMB_MGR *manager, int error) {
    set_error(manager, error);
    return error != 0;
}

uint32_t next_burst(IMB_MGR *manager, const uint32_t n, IMB_JOB **jobs) {
    if (refused(manager, wrong_burst(manager, jobs, n))) return 0;
    const uint32_t some = std::min(n, uint32_t(IMB_MAX_JOBS) - queued(*manager));
    int offset = manager->next_job;
    for (uint32_t i = 0; i < some; i++, offset = behind(offset)) jobs[i] = at(manager, offset);
    return some;
}

uint32_t take_all(IMB_MGR *manager, uint32_t most, IMB_JOB **jobs) {
    uint32_t n = 0;
    while (n < most) {
        IMB_JOB *const job = take(manager);
        if (!job) break;
        jobs[n++] = job;
    }
    return n;
}

// Nothing runs unless all are right; the first wrong one becomes jobs[0].
int wrong_jobs(IMB_MGR *manager, uint32_t n, IMB_JOB **jobs, bool checked) {
    if (n > uint32_t(IMB_MAX_JOBS) - queued(*manager)) return IMB_ERR_QUEUE_SPACE;
    int offset = manager->next_job;
    for (uint32_t i = 0; i < n; i++, offset = behind(offset)) {
        if (!jobs[i]) return IMB_ERR_NULL_JOB;
        if (jobs[i] != at(manager, offset)) return IMB_ERR_BURST_OOO;
    }
    for (uint32_t i = 0; checked && i < n; i++) {
        const Plan &plan = plan_of(*jobs[i]);
        int wrong = check(*jobs[i], plan, true);
        if (!wrong && plan.kind != Kind::real) wrong = wrong_suite(*jobs[i]);
        if (!wrong) continue;
        jobs[i]->status = IMB_STATUS_INVALID_ARGS;
        jobs[0] = jobs[i];
        return wrong;
    }
    return 0;
}

uint32_t submit_burst_of(IMB_MGR *manager, uint32_t n, IMB_JOB **jobs, bool checked) {
    if (refused(manager, wrong_burst(manager, jobs, n)) || refused(manager, wrong_jobs(manager, n, jobs, checked)))
        return 0;
    run_waiting(manager);
    IMB_JOB *reals[IMB_MAX_BURST_SIZE], *others[IMB_MAX_BURST_SIZE];
    uint32_t n_reals = 0, n_others = 0;
    for (uint32_t i = 0; i < n; i++) {
        (plan_of(*jobs[i]).kind == Kind::real ? reals[n_reals++] : others[n_others++]) = jobs[i];
        jobs[i]->status = IMB_STATUS_BEING_PROCESSED;
    }
    // First, since they are checked there, and where one is wrong nothing runs.
    const int wrong = run_on_real(reals, n_reals, checked);
    if (wrong && checked) {
        jobs[0] = *std::find_if(reals, reals + n_reals - 1,
                                [](const IMB_JOB *job) { return job->status == IMB_STATUS_INVALID_ARGS; });
        return refused(manager, wrong), 0;
    }
    note(manager, wrong);
    note(manager, run_jobs(others, n_others, checked));
    for (uint32_t i = 0; i < n; i++) append(manager);
    return take_all(manager, n, jobs);
}
uint32_t submit_burst_checked(IMB_MGR *manager, const uint32_t n, IMB_JOB **jobs) {
    return submit_burst_of(manager, n, jobs, true);
}
uint32_t submit_burst_unchecked(IMB_MGR *manager, const uint32_t n, IMB_JOB **jobs) {
    return submit_burst_of(manager, n, jobs, false);
}
uint32_t flush_burst(IMB_MGR *manager, const uint32_t n, IMB_JOB **jobs) {
    if (refused(manager, wrong_burst(manager, jobs, n))) return 0;
    run_waiting(manager);
    return take_all(manager, n, jobs);
}

// Jobs of an array of the caller's, all of one kind: what the arguments say counts, and they are done on return.
template <typename Set>
uint32_t run_array(IMB_MGR *manager, IMB_JOB *jobs, uint32_t n, bool checked, Set set) {
    if (refused(manager, !manager ? IMB_ERR_NULL_MBMGR : !jobs ? IMB_ERR_NULL_BURST : 0) || !n) return 0;
    IMB_JOB copies[IMB_MAX_BURST_SIZE], *list[IMB_MAX_BURST_SIZE];
    // Copies job i; false: it is wrong.
    const auto take = [&](uint32_t i, IMB_JOB *copy) {
        *copy = jobs[i];
        set(copy);
        const int wrong = checked ? check(*copy, plan_of(*copy), true) : 0;
        if (wrong) jobs[i].status = IMB_STATUS_INVALID_ARGS;
        return !refused(manager, wrong);
    };
    // Nothing runs unless all are right.
    for (uint32_t i = IMB_MAX_BURST_SIZE; checked && i < n; i++)
        if (!take(i, copies)) return 0;
    uint32_t completed = 0;
    for (uint32_t first = 0; first < n; first += IMB_MAX_BURST_SIZE) {
        const uint32_t some = std::min<uint32_t>(n - first, IMB_MAX_BURST_SIZE);
        for (uint32_t i = 0; i < some; i++) {
            list[i] = &copies[i];
            if (!take(first + i, list[i])) return completed;
        }
        note(manager, run_jobs(list, some, checked));
        for (uint32_t i = 0; i < some; i++) {
            jobs[first + i].status = copies[i].status;
            completed += copies[i].status == IMB_STATUS_COMPLETED;
        }
    }
    return completed;
}

template <bool checked>
uint32_t cipher_burst(IMB_MGR *manager, IMB_JOB *jobs, const uint32_t n, const IMB_CIPHER_MODE cipher,
                      const IMB_CIPHER_DIRECTION direction, const IMB_KEY_SIZE_BYTES key_bytes) {
    return run_array(manager, jobs, n, checked, [&](IMB_JOB *job) {
        job->cipher_mode = cipher;
        job->cipher_direction = direction;
        job->key_len_in_bytes = key_bytes;
        job->hash_alg = IMB_AUTH_NULL;
        job->chain_order = IMB_ORDER_CIPHER_HASH;
    });
}

template <bool checked>
uint32_t hash_burst(IMB_MGR *manager, IMB_JOB *jobs, const uint32_t n, const IMB_HASH_ALG hash) {
    return run_array(manager, jobs, n, checked, [&](IMB_JOB *job) {
        job->cipher_mode = IMB_CIPHER_NULL;
        job->cipher_direction = IMB_DIR_ENCRYPT;
        job->hash_alg = hash;
        job->chain_order = IMB_ORDER_HASH_CIPHER;
    });
}

}  // namespace

uint32_t run_ccm_array(IMB_MGR *manager, IMB_JOB *jobs, uint32_t n, IMB_CIPHER_DIRECTION direction,
                       IMB_KEY_SIZE_BYTES key_bytes, bool checked) {
    return run_array(manager, jobs, n, checked, [&](IMB_JOB *job) {
        job->cipher_mode = IMB_CIPHER_CCM;
        job->hash_alg = IMB_AUTH_AES_CCM;
        job->cipher_direction = direction;
        job->key_len_in_bytes = key_bytes;
    });
}

void empty_queue(IMB_MGR *manager) {
    most_waiting.store(uint64_t(read_hold()), std::memory_order_relaxed);
    manager->earliest_job = -1;
    manager->next_job = 0;
    waiting(manager) = submits_since_oldest(manager) = flushes(manager) = whole_flushes(manager) = 0;
}

void set_queue_functions(IMB_MGR *manager) {
    manager->get_next_job = next_job;
    manager->submit_job = submit<true>;
    manager->submit_job_nocheck = submit<false>;
    manager->get_completed_job = completed_job;
    manager->flush_job = flush_job;
    manager->queue_size = queue_size;
    manager->get_next_burst = next_burst;
    manager->submit_burst = submit_burst_checked;
    manager->submit_burst_nocheck = submit_burst_unchecked;
    manager->flush_burst = flush_burst;
    manager->submit_cipher_burst = cipher_burst<true>;
    manager->submit_cipher_burst_nocheck = cipher_burst<false>;
    manager->submit_hash_burst = hash_burst<true>;
    manager->submit_hash_burst_nocheck = hash_burst<false>;
}

}  // namespace cst::imb
