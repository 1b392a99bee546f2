// The C API: messages in parts.

#include "handles.hpp"
#include "run/run.hpp"
#include "suite/registers.hpp"

using namespace cst;

namespace {

int check_part(const Engine &engine, const cst_part &part) {
    if (part.size != sizeof(part) || !part.key || !part.state || (part.in_len && !part.in)) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(part.key)->suite;
    if (suite.engine != &engine || suite.enciphers() || suite.hash->record.keyed_mac()) return CST_ERR_ARGUMENT;
    if (suite.construction == Construction::tree) return CST_ERR_UNSUPPORTED;
    if (reinterpret_cast<uintptr_t>(part.state) % alignof(HashState)) return CST_ERR_ARGUMENT;
    const Range state(part.state, CST_STATE_BYTES), in(part.in, part.in_len), tag(part.tag, part.tag_len);
    if (state.wraps() || in.wraps() || tag.wraps()) return CST_ERR_LENGTH;
    if (part.tag ? !suite.lengths.hold_tag(part.tag_len) : part.tag_len != 0) return CST_ERR_LENGTH;
    const HashState &its = *state_of(part);
    if (its.key && its.key != key_in_state(part)) return CST_ERR_ARGUMENT;
    const uint64_t most = suite.lengths.seal.max;
    if (its.bytes > most || part.in_len > most - its.bytes) return CST_ERR_LENGTH;
    return state.meets(in) || state.meets(tag) || tag.meets(in) ? CST_ERR_OVERLAP : CST_OK;
}

}  // namespace

int cst_digest_parts(cst_ctx *ctx, const cst_part *parts, size_t n) {
    if (!ctx || (n && !parts)) return CST_ERR_ARGUMENT;
    for (size_t i = 0; i < n; i++)
        if (int error = check_part(ctx->engine, parts[i])) return error;
    if (!n) return CST_OK;
    const ClearRegisters clear(ctx->engine.cpu());
    return guarded([&]() -> int { return run_parts(ctx->engine, parts, n); });
}
