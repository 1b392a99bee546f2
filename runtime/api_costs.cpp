// The C API: costs of kernels, measured on this machine.

#include "handles.hpp"
#include "select/calibrate.hpp"
#include "select/saved_costs.hpp"

using namespace cst;

namespace {

constexpr double MOST_SECONDS = 3600;

}  // namespace

int cst_calibrate(cst_ctx *ctx, const char *glob, double seconds,
                  int (*progress)(size_t done, size_t total, const char *kernel, void *arg), void *arg) {
    if (!ctx || !(seconds >= 0 && seconds <= MOST_SECONDS)) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        std::vector<KernelCost> costs;
        if (int error = measure_costs(ctx->engine, glob, seconds, {progress, arg}, &costs)) return error;
        if (int error = ctx->engine.take_costs(std::move(costs))) return error;
        return CST_OK;
    });
}

int cst_costs_save(const cst_ctx *ctx, const char *path) {
    if (!ctx || !path || !*path) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int { return save_costs(ctx->engine, path); });
}
