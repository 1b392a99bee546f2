// The C API: names, raw kernels, packs, self-test, costs measured on this machine.

#include <algorithm>
#include <cstring>

#include "arguments.hpp"
#include "../code/signature.hpp"
#include "../selftest/selftest.hpp"
#include "../select/calibrate.hpp"
#include "../select/lesser_cpu.hpp"
#include "../select/nearest.hpp"
#include "../select/saved_costs.hpp"

using namespace cst;

namespace {

constexpr double MOST_SECONDS = 3600;  // limit of the time for measuring costs

// Lists the names in order, without duplicates.
int names_of(const cst_ctx *ctx, int kind, std::vector<std::string> *names) {
    if (kind == CST_NAME_SUITE) {
        for (const auto &suite : ctx->suites.all())
            if (suite->named) names->push_back(suite->name);
    } else if (kind == CST_NAME_KERNEL) {
        for (const auto &variant : ctx->engine.variants()) names->push_back(variant->name);
    } else if (kind == CST_NAME_TARGET) {
        names->push_back("host");
        for (const auto &variant : ctx->engine.variants()) names->push_back(variant->target);
    } else if (kind == CST_NAME_CPU) {
        *names = lesser_cpus();
    } else {
        return CST_ERR_ARGUMENT;
    }
    sort_names(names);
    return CST_OK;
}

}  // namespace

int cst_nearest(const cst_ctx *ctx, int kind, const char *name, char *text, size_t text_size) {
    if ((!ctx && kind != CST_NAME_CPU) || !name || !text || !text_size) return CST_ERR_ARGUMENT;
    if (int error = check_arguments(CST_OK, {Argument::output(text, text_size)})) return error;
    return guarded([&]() -> int {
        std::vector<std::string> names;
        if (int error = names_of(ctx, kind, &names)) return error;
        const std::string found = nearest(names, name);
        const size_t n = found.size() < text_size - 1 ? found.size() : text_size - 1;
        memcpy(text, found.data(), n);
        text[n] = 0;
        return CST_OK;
    });
}

int cst_list(const cst_ctx *ctx, int kind, int (*each)(const char *name, void *arg), void *arg) {
    if ((!ctx && kind != CST_NAME_CPU) || !each) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        std::vector<std::string> names;
        if (int error = names_of(ctx, kind, &names)) return error;
        for (const std::string &name : names)
            if (int stop = each(name.c_str(), arg)) return stop;
        return CST_OK;
    });
}

int cst_kernel_get(cst_ctx *ctx, const char *name, const cst_kernel **kernel) {
    if (!ctx || !name || !is_object(kernel)) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        const Variant *variant = ctx->engine.find(name);
        if (!variant) return CST_ERR_NAME;
        const Kernel *code;
        if (int error = ctx->engine.fetch(*variant, &code)) return error;
        *kernel = reinterpret_cast<const cst_kernel *>(variant);
        return CST_OK;
    });
}

int cst_kernel_info_get(const cst_kernel *handle, cst_kernel_info *info) {
    if (!handle || !is_object(info) || info->size != sizeof(*info)) return CST_ERR_ARGUMENT;
    const Kernel &kernel = *from(handle)->kernel.load(std::memory_order_acquire);
    info->name = kernel.name;
    info->target = kernel.target;
    info->origin = kernel.origin == KernelOrigin::jit ? "jit" : "static";
    info->function = kernel.fn;
    info->code = kernel.code;
    info->code_bytes = kernel.code_bytes;
    info->assembled_ns = kernel.assembled_ns;
    info->streams = uint32_t(kernel.streams.size());
    info->lag = kernel.lag;
    info->calls = from(handle)->calls.sum();
    return CST_OK;
}

int cst_kernel_stream(const cst_kernel *handle, uint32_t index, cst_stream_info *info) {
    if (!handle || !is_object(info) || info->size != sizeof(*info)) return CST_ERR_ARGUMENT;
    const Kernel &kernel = *from(handle)->kernel.load(std::memory_order_acquire);
    if (index >= kernel.streams.size()) return CST_ERR_ARGUMENT;
    const KernelStream &stream = kernel.streams[index];
    info->name = stream.program.stream;
    info->lanes = stream.program.lanes;
    info->bytes = stream.program.bytes * stream.ratio;
    info->state_bytes = stream.program.state_bytes;
    info->state_align = stream.program.state_align;
    return CST_OK;
}

int cst_kernel_field(const cst_kernel *handle, uint32_t index, const char *name, cst_field *field) {
    if (!handle || !name || !is_object(field) || field->size != sizeof(*field)) return CST_ERR_ARGUMENT;
    const Kernel &kernel = *from(handle)->kernel.load(std::memory_order_acquire);
    if (index >= kernel.streams.size()) return CST_ERR_ARGUMENT;
    const FieldRecord *record = kernel.streams[index].program.field(name);
    if (!record) return CST_ERR_NAME;
    field->offset = record->offset;
    field->rows = record->rows;
    field->row_bytes = record->row_bytes;
    field->entry_bytes = record->entry_bytes;
    field->lanes = record->n_lanes;
    field->shared = (record->flags & FIELD_SHARED) != 0;
    field->lane_offsets = record->lane_offsets;
    return CST_OK;
}

int cst_pack_load(cst_ctx *ctx, const void *bytes, size_t size) {
    if (!ctx) return CST_ERR_ARGUMENT;
    if (int error = check_arguments(ctx->flags & CST_ALLOW_PACKS ? CST_OK : CST_ERR_UNSUPPORTED,
                                    {Argument::input(bytes, size)}))
        return error;
    return guarded([&]() -> int {
        Engine::Mark before = ctx->engine.mark();
        if (int error = ctx->engine.add_pack(bytes, size, ctx->wants_signature ? ctx->pack_key : nullptr)) return error;
        try {
            ctx->suites.derive(ctx->engine);
        } catch (...) {
            ctx->engine.go_back(&before);
            throw;
        }
        return CST_OK;
    });
}

int cst_pack_check(const void *bytes, size_t given, char *text, size_t text_size) {
    if (int error = check_arguments(CST_OK, {Argument::input(bytes, given), Argument::output(text, text_size)}))
        return error;
    if (text_size) text[0] = 0;
    return guarded([&]() -> int {
        size_t size = given;
        int error = CST_ERR_PACK;
        std::string why;
        if (size && size <= UINT32_MAX) {
            std::unique_ptr<uint32_t[]> copy(new uint32_t[size / 4 + 1]());
            memcpy(copy.get(), bytes, size);
            take_signature(reinterpret_cast<const uint8_t *>(copy.get()), &size, nullptr, &why);
            Pack pack;
            error = pack.open(copy.get(), size, Origin::foreign);
            why = pack.why();
        }
        if (error == CST_OK || !text_size) return error;
        if (why.empty()) why = "not a pack of this version, or a damaged one";
        const size_t n = std::min(why.size(), text_size - 1);
        memcpy(text, why.data(), n);
        text[n] = 0;
        return error;
    });
}

int cst_selftest(cst_ctx *ctx, const char *glob, void (*each)(const char *name, int result, void *arg), void *arg) {
    if (!ctx) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int { return selftest(ctx->engine, ctx->suites, glob, each, arg); });
}

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
