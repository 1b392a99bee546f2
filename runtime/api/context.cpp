// The C API: contexts and suites. The functions check their arguments and do nothing else.

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

#include "arguments.hpp"
#include "../run/explain.hpp"
#include "../selftest/selftest.hpp"
#include "../select/saved_costs.hpp"

using namespace cst;

namespace {

constexpr size_t OPTIONS_WITHOUT_KEY =
    offsetof(cst_options, pack_key);  // sizeof(cst_options) before it had that member
constexpr size_t OPTIONS_WITHOUT_COSTS = offsetof(cst_options, costs);
constexpr size_t INFO_WITHOUT_RULES = offsetof(cst_suite_info, tag_lengths);
constexpr size_t INFO_WITHOUT_MOST_TAG = offsetof(cst_suite_info, most_tag_bytes);
constexpr size_t INFO_WITHOUT_ANSWERS = offsetof(cst_suite_info, known_answers);
constexpr size_t INFO_WITHOUT_OPEN_TAGS = offsetof(cst_suite_info, open_tag_lengths);

// Has libstdc++ throw an exception while no register has a secret. When it makes a call for the first time the dynamic
// linker resolves it, and meanwhile keeps all vector registers on the stack.
void throw_once() {
    try {
        std::string().reserve(std::string::npos);
    } catch (const std::length_error &) {
        return;
    }
}

}  // namespace

const char *cst_error_text(int error) {
    switch (error) {
        case CST_OK: return "success";
        case CST_ERR_ARGUMENT: return "a null pointer, an unknown flag or direction, or a struct of the wrong size";
        case CST_ERR_NAME: return "no suite, kernel, target or CPU of that name";
        case CST_ERR_LENGTH: return "a length that the suite does not take";
        case CST_ERR_OVERLAP: return "buffers overlap";
        case CST_ERR_AUTH: return "authentication failed";
        case CST_ERR_UNSUPPORTED: return "this CPU, this operating system, the chosen target or the suite cannot do it";
        case CST_ERR_MEMORY: return "out of memory";
        case CST_ERR_PACK: return "a damaged or unacceptable pack";
        case CST_ERR_JIT: return "executable memory was refused, and there is no static kernel of that name";
        case CST_ERR_SELFTEST: return "a kernel gave a wrong answer";
        case CST_ERR_FULL: return "the manager holds as many jobs as it may";
        case CST_ERR_FILE: return "a file cannot be read or written";
        case CST_ERR_COSTS: return "a damaged cost file, or something else that is not one";
        case CST_ERR_LOST: return "more blocks are lost than an erasure code restores";
        case CST_ERR_POINT: return "a key that must not be used: a point of small order, or none; or no secret key";
        case CST_ERR_LIMIT: return "the key of a QUIC packet is used up";
        default: return "unknown error";
    }
}

const char *cst_version(void) { return CST_VERSION; }

int cst_ctx_new(cst_ctx **out, const cst_options *options) {
    if (!is_object(out) || address(options) % alignof(cst_options)) return CST_ERR_ARGUMENT;
    if (options && ((options->size != sizeof(cst_options) && options->size != OPTIONS_WITHOUT_COSTS &&
                     options->size != OPTIONS_WITHOUT_KEY) ||
                    (options->flags & ~uint32_t(CST_NO_JIT | CST_ALLOW_PACKS | CST_CALIBRATE | CST_ALLOW_LEGACY))))
        return CST_ERR_ARGUMENT;
    const void *pack_key = options && options->size >= OPTIONS_WITHOUT_COSTS ? options->pack_key : nullptr;
    const char *costs = options && options->size == sizeof(cst_options) ? options->costs : nullptr;
    if (costs && !*costs) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        throw_once();
        auto ctx = std::make_unique<cst_ctx>();
        if (options) ctx->flags = options->flags;
        ctx->wants_signature = pack_key != nullptr;
        if (pack_key) memcpy(ctx->pack_key, pack_key, sizeof ctx->pack_key);
        if (int error = ctx->engine.init(options ? options->target : nullptr, ctx->flags & CST_NO_JIT,
                                         ctx->flags & CST_ALLOW_LEGACY))
            return error;
        if (int error = begin_costs(&ctx->engine, costs, ctx->flags & CST_CALIBRATE)) return error;
        ctx->suites.derive(ctx->engine);
        *out = ctx.release();
        return CST_OK;
    });
}

void cst_ctx_free(cst_ctx *ctx) { delete ctx; }

int cst_ctx_cpu(const cst_ctx *ctx, cst_cpu_info *info) {
    if (!ctx || !is_object(info) || info->size != sizeof(*info)) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        const Cpu &cpu = ctx->engine.cpu();
        std::string features = feature_names(cpu.features);
        put_text(info->brand, cpu.brand);
        put_text(info->microarchitecture, ctx->engine.costs_from());
        put_text(info->features, features);
        put_text(info->name, cpu.microarchitecture);
        info->family = cpu.family;
        info->model = cpu.model;
        info->stepping = cpu.stepping;
        info->jit = ctx->engine.jit();
        return CST_OK;
    });
}

int cst_suite_get(cst_ctx *ctx, const char *name, const cst_suite **suite) {
    if (!ctx || !name || !is_object(suite)) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        const Suite *found = ctx->suites.find(name);
        if (!found || !found->named) return CST_ERR_NAME;
        if (int error = prepare_suite(*found)) return error;
        *suite = reinterpret_cast<const cst_suite *>(found);
        return CST_OK;
    });
}

int cst_suite_info_get(const cst_suite *handle, cst_suite_info *info) {
    if (!handle || !is_object(info) ||
        (info->size != sizeof(*info) && info->size != INFO_WITHOUT_RULES && info->size != INFO_WITHOUT_MOST_TAG &&
         info->size != INFO_WITHOUT_ANSWERS && info->size != INFO_WITHOUT_OPEN_TAGS))
        return CST_ERR_ARGUMENT;
    const Suite &suite = *from(handle);
    info->name = suite.name.c_str();
    info->kind = suite.kind;
    info->key_bytes = suite.key_bytes;
    info->mac_key_min = suite.mac_key_min;
    info->mac_key_max = suite.mac_key_max;
    info->iv_bytes = suite.iv_bytes;
    info->tag_min = suite.tag_min;
    info->tag_max = suite.tag_max;
    info->block_bytes = suite.block_bytes;
    info->expansion = suite.expansion;
    info->max_bytes = suite.max_bytes;
    info->aad_min = suite.aad_min;
    info->aad_max = suite.aad_max;
    info->iv_min = suite.iv_min;
    info->iv_max = suite.iv_max;
    info->min_bytes = suite.min_bytes;
    info->key_min = suite.key_min;
    info->key_max = suite.key_max;
    if (info->size == INFO_WITHOUT_RULES) return CST_OK;
    const Lengths &lengths = suite.lengths;
    info->tag_lengths = lengths.seal.tags;
    info->aad_step = lengths.aad_step;
    info->iv_and_count_bytes = lengths.iv_and_count;
    info->open_block_bytes = size_t(lengths.open.multiple);
    info->open_min_bytes = lengths.open.min;
    info->open_max_bytes = lengths.open.max;
    if (info->size == INFO_WITHOUT_MOST_TAG) return CST_OK;
    info->most_tag_bytes = extends(suite) ? lengths.seal.most_tag : suite.tag_max;
    if (info->size == INFO_WITHOUT_ANSWERS) return CST_OK;
    info->known_answers = known_answers(suite);
    if (info->size == INFO_WITHOUT_OPEN_TAGS) return CST_OK;
    info->open_tag_lengths = lengths.open.tags;
    return CST_OK;
}

int cst_suite_choice(const cst_suite *handle, int direction, size_t jobs, size_t bytes, int one_key,
                     cst_choice *choice) {
    if (!handle || !is_object(choice) || choice->size != sizeof(*choice) ||
        (direction != CST_SEAL && direction != CST_OPEN) || !jobs)
        return CST_ERR_ARGUMENT;
    return guarded([&]() -> int { return explain(*from(handle), direction, jobs, bytes, one_key != 0, choice); });
}

int cst_suite_force(cst_ctx *ctx, const char *suite_name, const char *kernel_name) {
    if (!ctx || !suite_name) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        Suite *suite = ctx->suites.find(suite_name);
        if (!suite || !suite->named) return CST_ERR_NAME;
        if (!kernel_name) {
            suite->forced = nullptr;
            return CST_OK;
        }
        const Variant *variant = ctx->engine.find(kernel_name);
        if (!variant || !suite->could_use(*variant)) return CST_ERR_NAME;
        const Kernel *kernel;
        if (int error = ctx->engine.fetch(*variant, &kernel)) return error;
        suite->forced = variant;
        return CST_OK;
    });
}
