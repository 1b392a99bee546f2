// The C API: messages in parts.

#include "handles.hpp"
#include "run/run.hpp"
#include "run/tree.hpp"
#include "suite/registers.hpp"

using namespace cst;

namespace {

int check_part(const Engine &engine, const cst_part &part) {
    if (part.size != sizeof(part) || !part.key || !part.state || (part.in_len && !part.in)) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(part.key)->suite;
    if (suite.engine != &engine || suite.enciphers() || suite.hash->record.keyed_mac()) return CST_ERR_ARGUMENT;
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

// Whether a part of a message that begins at `at` can be a subtree: `at` is a multiple of the least complete subtree
// that holds it.
bool at_subtree(uint64_t at, uint64_t bytes) {
    uint64_t size = TREE_CHUNK;
    while (size < bytes) size *= 2;
    return at % size == 0;
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

int cst_tree_part(const cst_key *handle, uint64_t at, const void *in, size_t in_len, void *chain) {
    if (!handle || !in || !chain) return CST_ERR_ARGUMENT;
    const Key &key = *from(handle);
    if (key.suite->construction != Construction::tree) return CST_ERR_UNSUPPORTED;
    const uint64_t most = key.suite->lengths.seal.max;
    if (!in_len || at > most || in_len > most - at || !at_subtree(at, in_len)) return CST_ERR_LENGTH;
    const Range text(in, in_len), out(chain, CST_TREE_CHAIN_BYTES);
    if (text.wraps() || out.wraps()) return CST_ERR_LENGTH;
    if (text.meets(out)) return CST_ERR_OVERLAP;
    const ClearRegisters clear(key.suite->engine->cpu());
    return guarded([&]() -> int { return run_tree_part(key, at, in, in_len, static_cast<uint8_t *>(chain)); });
}

int cst_tree_root(const cst_key *handle, const void *chains, size_t n, void *tag, size_t tag_len) {
    if (!handle || !chains || !tag) return CST_ERR_ARGUMENT;
    const Key &key = *from(handle);
    if (key.suite->construction != Construction::tree) return CST_ERR_UNSUPPORTED;
    if (n < 2 || n > SIZE_MAX / CST_TREE_CHAIN_BYTES || !key.suite->lengths.hold_tag(tag_len)) return CST_ERR_LENGTH;
    const Range in(chains, n * CST_TREE_CHAIN_BYTES), out(tag, tag_len);
    if (in.wraps() || out.wraps()) return CST_ERR_LENGTH;
    if (in.meets(out)) return CST_ERR_OVERLAP;
    const ClearRegisters clear(key.suite->engine->cpu());
    return guarded([&]() -> int {
        return run_tree_root(key, static_cast<const uint8_t *>(chains), n, static_cast<uint8_t *>(tag), tag_len);
    });
}
