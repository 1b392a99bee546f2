// The C API: texts in parts.

#include <algorithm>
#include <new>
#include <type_traits>

#include "arguments.hpp"
#include "part_end.hpp"
#include "../parts/chacha_parts.hpp"
#include "../parts/gcm_parts.hpp"
#include "../executors/message.hpp"
#include "../suite/registers.hpp"
#include "../suite/secret.hpp"

using namespace cst;

namespace {

bool is_gcm(const Suite &suite) { return suite.construction == Construction::gcm; }

// A text of which some parts have come, in the caller's memory. All zeros before the first part. The caller may have
// changed it: it has no pointer but the key's, which must be that of the part, and counts are checked before each part.
struct TextState {
    const cst_key *key;  // NULL: before the first part
    int direction;
    union {
        GcmParts gcm;
        ChaChaParts chacha;
    };

    // Whether the text that has begun is the part's, and can have these counts.
    bool is_of(const Suite &suite, const cst_text_part &part) const {
        return key == part.key && direction == part.direction && (is_gcm(suite) ? gcm.is_sound() : chacha.is_sound());
    }
    uint64_t aad_bytes(const Suite &suite) const { return is_gcm(suite) ? gcm.aad_bytes() : chacha.aad_bytes(); }
    uint64_t text_bytes(const Suite &suite) const { return is_gcm(suite) ? gcm.text_bytes() : chacha.text_bytes(); }
};
static_assert(sizeof(TextState) <= CST_STATE_BYTES && std::is_trivially_copyable<TextState>::value);

TextState *state_of(const cst_text_part &part) { return static_cast<TextState *>(part.state); }
Bytes bytes(const void *data, size_t n) { return {static_cast<const uint8_t *>(data), n}; }

bool takes_iv(const Suite &suite, size_t iv_len) { return iv_len - suite.iv_min <= suite.iv_max - suite.iv_min; }

// Checks the part against the text that has begun, if one has.
int check_state(const Suite &suite, const cst_text_part &part) {
    const TextState &its = *state_of(part);
    if (!its.key) return length_error(takes_iv(suite, part.iv_len));
    if (!its.is_of(suite, part)) return CST_ERR_ARGUMENT;
    const uint64_t aad = its.aad_bytes(suite), text = its.text_bytes(suite);
    if (text && part.aad_len) return CST_ERR_ARGUMENT;
    return length_error(!part.iv_len && part.aad_len <= suite.aad_max - aad &&
                        part.in_len <= suite.lengths.seal.max - text);
}

// all: the array of parts that the call takes.
int check_part(const Engine &engine, const cst_text_part &part, const Argument &all) {
    if (part.size != sizeof(part) || !part.key) return CST_ERR_ARGUMENT;
    if (part.direction != CST_SEAL && part.direction != CST_OPEN) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(part.key)->suite;
    const Argument buffers[] = {all,
                                Argument{part.state, CST_STATE_BYTES, true, alignof(TextState)},
                                Argument::input(part.iv, part.iv_len),
                                Argument::input(part.aad, part.aad_len),
                                Argument::input(part.in, part.in_len).or_in_place(),
                                Argument::output(part.out, std::min(part.in_len, part.out_cap)).or_in_place(),
                                Argument{part.tag, part.tag_len, part.direction == CST_SEAL}};
    if (suite.engine != &engine || any_wrong_pointer(buffers) || wrong_end(part)) return CST_ERR_ARGUMENT;
    if (!suite.comes_in_parts()) return CST_ERR_UNSUPPORTED;
    if (!right_tag_length(suite.lengths.of(part.direction == CST_OPEN), part) ||
        (part.iv_len && !takes_iv(suite, part.iv_len)) || part.aad_len > suite.aad_max ||
        part.in_len > suite.lengths.seal.max || part.out_cap < part.in_len)
        return CST_ERR_LENGTH;
    if (int error = check_places(buffers)) return error;
    return check_state(suite, part);
}

ChaChaKey chacha_key(const Key &key) { return {*key.suite, key.suite->cipher, key.encrypt()}; }

bool begin(const cst_text_part &part) {
    TextState *const its = state_of(part);
    const Key &key = *from(part.key);
    its->direction = part.direction;
    its->key = part.key;
    if (is_gcm(*key.suite)) {
        (new (&its->gcm) GcmParts)->begin(key, bytes(part.iv, part.iv_len));
        return true;
    }
    return (new (&its->chacha) ChaChaParts)->begin(chacha_key(key), static_cast<const uint8_t *>(part.iv));
}

bool take_in(const cst_text_part &part) {
    TextState *const its = state_of(part);
    const Key &key = *from(part.key);
    const Bytes aad = bytes(part.aad, part.aad_len), in = bytes(part.in, part.in_len);
    uint8_t *const out = static_cast<uint8_t *>(part.out);
    const bool opens = part.direction == CST_OPEN;
    if (is_gcm(*key.suite))
        return (!aad.n || its->gcm.aad(key, aad)) && its->gcm.text(key, key.suite->cipher, in, out, opens);
    const ChaChaKey its_key = chacha_key(key);
    return (!aad.n || its->chacha.aad(its_key, aad)) && its->chacha.text(its_key, in, out, opens);
}

int end(const cst_text_part &part) {
    TextState *const its = state_of(part);
    const Key &key = *from(part.key);
    uint8_t tag[16];
    is_gcm(*key.suite) ? its->gcm.tag(key, tag) : its->chacha.tag(chacha_key(key), tag);
    bool right = true;
    if (part.direction == CST_SEAL) memcpy(part.tag, tag, part.tag_len);
    else right = same_bytes(tag, static_cast<const uint8_t *>(part.tag), part.tag_len);
    wipe(tag, sizeof(tag));
    return right ? CST_OK : CST_ERR_AUTH;
}

int run(const cst_text_part &part) {
    int status = CST_OK;
    if ((!state_of(part)->key && !begin(part)) || !take_in(part)) status = CST_ERR_MEMORY;
    else if (part.last) status = end(part);
    if (status && part.in_len) memset(part.out, 0, part.in_len);
    if (status || part.last) wipe(part.state, sizeof(TextState));
    return status;
}

}  // namespace

int cst_text_parts(cst_ctx *ctx, cst_text_part *parts, size_t n) {
    if (!ctx) return CST_ERR_ARGUMENT;
    const Argument all = Argument::outputs(parts, n);
    if (int error = check_arguments(CST_OK, {all})) return error;
    for (size_t i = 0; i < n; i++)
        if (parts[i].size != sizeof(cst_text_part)) return CST_ERR_ARGUMENT;  // no status to write
    int result = CST_OK;
    for (size_t i = 0; i < n; i++) {
        parts[i].status = check_part(ctx->engine, parts[i], all);
        if (!result) result = parts[i].status;
    }
    if (result) {
        for (size_t i = 0; i < n; i++)
            if (!parts[i].status) parts[i].status = JOB_WAITING;
        return result;
    }
    const ClearRegisters clear(ctx->engine.cpu());
    for (size_t i = 0; i < n; i++) {
        parts[i].status = guarded([&] { return run(parts[i]); });
        if (parts[i].status && result != CST_ERR_MEMORY) result = parts[i].status;
    }
    return result;
}
