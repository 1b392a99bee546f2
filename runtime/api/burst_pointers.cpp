// The C API: a burst of jobs that lie anywhere.

#include <algorithm>

#include "arguments.hpp"
#include "jobs.hpp"
#include "../executors/message.hpp"
#include "../suite/registers.hpp"

using namespace cst;

namespace {

// Whether all are jobs of this layout. Nothing may be written to others.
bool are_jobs(cst_job *const *jobs, size_t n) {
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_object(jobs[i])) return false;
        wrong |= jobs[i]->size ^ sizeof(cst_job);
    }
    return !wrong;
}

// Copies of some of the jobs, one behind the other.
struct Window {
    cst_job jobs[MOST_MESSAGES];

    void load(cst_job *const *from, size_t n) {
        for (size_t i = 0; i < n; i++) jobs[i] = *from[i];
    }
    void settle(cst_job *const *to, size_t n) const {
        for (size_t i = 0; i < n; i++) {
            to[i]->status = jobs[i].status;
            to[i]->out_len = jobs[i].out_len;
        }
    }
};

// Runs checked jobs, some at a time.
int run(Memory *memory, cst_job *const *jobs, size_t n) {
    const InSlot<Window> window(memory->window);
    bool all = true;
    for (size_t first = 0; first < n; first += MOST_MESSAGES) {
        const size_t some = std::min(n - first, MOST_MESSAGES);
        window->load(jobs + first, some);
        all &= run_checked(memory, window->jobs, some) == CST_OK;
        window->settle(jobs + first, some);
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

// Checks and runs jobs that fit into a window: the copies are checked, which is faster for jobs of one shape.
int check_and_run(const Engine &engine, Memory *memory, cst_job *const *jobs, size_t n) {
    const InSlot<Window> window(memory->window);
    window->load(jobs, n);
    const int wrong = check_jobs(engine, window->jobs, n, nullptr);
    if (wrong && wrong != CST_ERR_AUTH) {
        for (size_t i = 0; i < n; i++) jobs[i]->status = window->jobs[i].status;
        return wrong;
    }
    const ClearRegisters clear(engine.cpu());
    return guarded([&]() -> int {
        const int error = run_checked(memory, window->jobs, n);
        window->settle(jobs, n);
        return error;
    });
}

}  // namespace

int cst_burst_pointers(cst_ctx *ctx, cst_job *const *jobs, size_t n) {
    if (!ctx) return CST_ERR_ARGUMENT;
    if (int error = check_arguments(CST_OK, {Argument::inputs(jobs, n)})) return error;
    if (!n) return CST_OK;
    if (n == 1) return is_object(*jobs) ? burst(&ctx->engine, *jobs, 1) : CST_ERR_ARGUMENT;
    if (!are_jobs(jobs, n)) return CST_ERR_ARGUMENT;
    const Engine &engine = ctx->engine;
    Memory memory;
    const int short_of_memory = memory.allocate(engine, n);
    if (!short_of_memory && n <= MOST_MESSAGES) return check_and_run(engine, &memory, jobs, n);
    const int wrong = check_each(engine, n, [=](size_t i) { return jobs[i]; });
    if (wrong && wrong != CST_ERR_AUTH) return wrong;
    if (short_of_memory) {
        for (size_t i = 0; i < n; i++) jobs[i]->status = JOB_WAITING;
        return short_of_memory;
    }
    const ClearRegisters clear(engine.cpu());
    return guarded([&]() -> int { return run(&memory, jobs, n); });
}
