// The C API: managers.

#include <algorithm>

#include "arguments.hpp"
#include "jobs.hpp"
#include "manager_limits.hpp"
#include "../suite/registers.hpp"

using namespace cst;

struct cst_manager {
    Manager manager;
    explicit cst_manager(const Engine &engine) : manager(engine) {}
};

namespace {

constexpr size_t DEFAULT_FILL = 32, DEFAULT_AGE = 256, DEFAULT_CAPACITY = 1024, MOST_FILL = 1024,
                 MOST_CAPACITY = size_t(1) << 24;

size_t or_default(size_t value, size_t usual) { return value ? value : usual; }

}  // namespace

bool cst::take_limits(const cst_manager_options *options, size_t usual_fill, Manager::Limits *limits) {
    if (options && (!is_object(options) || options->size != sizeof(*options))) return false;
    const cst_manager_options none = {sizeof(none), 0, 0, 0};
    const cst_manager_options &o = options ? *options : none;
    limits->min_fill = or_default(o.min_fill, usual_fill);
    limits->max_age = or_default(o.max_age, DEFAULT_AGE);
    limits->capacity = or_default(o.capacity, std::max(DEFAULT_CAPACITY, limits->min_fill));
    return limits->min_fill <= MOST_FILL && limits->capacity >= limits->min_fill && limits->capacity <= MOST_CAPACITY;
}

int cst_manager_new(cst_ctx *ctx, const cst_manager_options *options, cst_manager **out) {
    Manager::Limits limits;
    if (!ctx || !is_object(out) || !take_limits(options, DEFAULT_FILL, &limits)) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        auto made = std::make_unique<cst_manager>(ctx->engine);
        if (int error = made->manager.prepare(limits, ctx->suites.all().size())) return error;
        *out = made.release();
        return CST_OK;
    });
}

void cst_manager_free(cst_manager *manager) { delete manager; }

int cst_manager_submit(cst_manager *handle, cst_job *job) {
    if (!handle || !is_object(job)) return CST_ERR_ARGUMENT;
    Manager &manager = handle->manager;
    if (manager.full()) return CST_ERR_FULL;
    const int wrong = check_job(manager.engine(), *job);
    if (wrong && wrong != CST_ERR_AUTH) return wrong;  // a forgery waits with the others of its suite
    const ClearRegisters clear(manager.engine().cpu());
    return guarded([&]() -> int {
        manager.submit(job);
        return CST_OK;
    });
}

cst_job *cst_manager_take(cst_manager *handle) { return handle ? handle->manager.take() : nullptr; }

int cst_manager_flush(cst_manager *handle) {
    if (!handle) return CST_ERR_ARGUMENT;
    const ClearRegisters clear(handle->manager.engine().cpu());
    return guarded([&]() -> int {
        handle->manager.flush();
        return CST_OK;
    });
}

int cst_manager_cancel(cst_manager *handle, cst_job *job) {
    if (!handle || !job) return CST_ERR_ARGUMENT;
    return handle->manager.cancel(job) ? CST_OK : CST_ERR_ARGUMENT;
}

int cst_manager_info_get(const cst_manager *handle, cst_manager_info *info) {
    if (!handle || !is_object(info) || info->size != sizeof(*info)) return CST_ERR_ARGUMENT;
    const Manager &manager = handle->manager;
    const Manager::Limits &limits = manager.limits();
    const Manager::Counts &counts = manager.counts();
    *info = {sizeof(*info), limits.min_fill, limits.max_age, limits.capacity, manager.waiting(), manager.done(),
             counts.jobs,   counts.bursts,   counts.full,    counts.aged,     counts.flushed};
    return CST_OK;
}
