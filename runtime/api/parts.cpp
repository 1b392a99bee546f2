// The C API: messages in parts.

#include "arguments.hpp"
#include "part_end.hpp"
#include "../parts/parts.hpp"
#include "../suite/hash_state.hpp"
#include "../hash/tree.hpp"
#include "../suite/registers.hpp"

using namespace cst;

namespace {

// all: the array of parts that the call takes.
int check_part(const Engine &engine, const cst_part &part, const Argument &all) {
    if (part.size != sizeof(part) || !part.key) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(part.key)->suite;
    if (suite.engine != &engine || suite.enciphers() || suite.hash->record.keyed_mac()) return CST_ERR_ARGUMENT;
    const Argument buffers[] = {all, Argument{part.state, CST_STATE_BYTES, true, alignof(HashState)},
                                Argument::input(part.in, part.in_len), Argument::output(part.tag, part.tag_len)};
    if (any_wrong_pointer(buffers) || wrong_end(part)) return CST_ERR_ARGUMENT;
    if (!right_tag_length(suite.lengths.seal, part)) return CST_ERR_LENGTH;
    if (int error = check_places(buffers)) return error;
    if (!has_sound_state(part)) return CST_ERR_ARGUMENT;
    return length_error(part.in_len <= suite.lengths.seal.max - state_of(part)->bytes);
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
    if (!ctx) return CST_ERR_ARGUMENT;
    const Argument all = Argument::inputs(parts, n);
    if (int error = check_arguments(CST_OK, {all})) return error;
    for (size_t i = 0; i < n; i++)
        if (int error = check_part(ctx->engine, parts[i], all)) return error;
    if (!n) return CST_OK;
    const ClearRegisters clear(ctx->engine.cpu());
    return guarded([&]() -> int { return run_parts(ctx->engine, parts, n); });
}

int cst_tree_part(const cst_key *handle, uint64_t at, const void *in, size_t in_len, void *chain) {
    if (!handle) return CST_ERR_ARGUMENT;
    const Key &key = *from(handle);
    const uint64_t most = key.suite->lengths.seal.max;
    const bool is_part = in_len && at <= most && in_len <= most - at && at_subtree(at, in_len);
    const int other = key.suite->construction != Construction::tree ? CST_ERR_UNSUPPORTED : length_error(is_part);
    if (int error =
            check_arguments(other, {Argument::input(in, in_len), Argument::output(chain, CST_TREE_CHAIN_BYTES)}))
        return error;
    const ClearRegisters clear(key.suite->engine->cpu());
    return guarded([&]() -> int { return run_tree_part(key, at, in, in_len, static_cast<uint8_t *>(chain)); });
}

int cst_tree_root(const cst_key *handle, const void *chains, size_t n, void *tag, size_t tag_len) {
    if (!handle) return CST_ERR_ARGUMENT;
    const Key &key = *from(handle);
    const int other = key.suite->construction != Construction::tree
                          ? CST_ERR_UNSUPPORTED
                          : length_error(n >= 2 && key.suite->lengths.seal.hold_tag(tag_len));
    if (int error = check_arguments(
            other, {Argument::input(chains, product_of(n, CST_TREE_CHAIN_BYTES)), Argument::output(tag, tag_len)}))
        return error;
    const ClearRegisters clear(key.suite->engine->cpu());
    return guarded([&]() -> int {
        return run_tree_root(key, static_cast<const uint8_t *>(chains), n, static_cast<uint8_t *>(tag), tag_len);
    });
}
