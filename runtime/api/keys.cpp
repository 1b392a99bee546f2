// The C API: keys.

#include "arguments.hpp"
#include "../keys/keys.hpp"
#include "../suite/registers.hpp"

using namespace cst;

static_assert(alignof(Key) == CST_KEY_ALIGN, "as the header says");

namespace {

bool right_lengths(const Suite &suite, size_t key, size_t mac_key) {
    return key >= suite.key_min && key <= suite.key_max && mac_key >= suite.mac_key_min && mac_key <= suite.mac_key_max;
}

const uint8_t *octets(const void *p) { return static_cast<const uint8_t *>(p); }

}  // namespace

int cst_key_new(const cst_suite *handle, const void *key, size_t key_len, const void *mac_key, size_t mac_key_len,
                cst_key **out) {
    if (!handle) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(handle);
    if (int error = check_arguments(
            length_error(right_lengths(suite, key_len, mac_key_len)),
            {Argument::input(key, key_len), Argument::input(mac_key, mac_key_len), Argument::outputs(out)}))
        return error;
    const ClearRegisters clear(suite.engine->cpu());
    return guarded([&]() -> int {
        KeyPointer made;
        if (int error = new_key(suite, octets(key), key_len, octets(mac_key), mac_key_len, &made)) return error;
        *out = reinterpret_cast<cst_key *>(made.release());
        return CST_OK;
    });
}

void cst_key_free(cst_key *handle) {
    if (!handle) return;
    Key *const key = reinterpret_cast<Key *>(handle);
    const ClearRegisters clear(key->suite->engine->cpu());
    WipeAndFree()(key);
}

size_t cst_key_bytes(const cst_suite *handle) { return handle ? from(handle)->key_layout.bytes : 0; }

int cst_key_init(const cst_suite *handle, void *memory, size_t bytes, const void *key, size_t key_len,
                 const void *mac_key, size_t mac_key_len, cst_key **out) {
    if (!handle) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(handle);
    const size_t written = suite.key_layout.bytes;
    if (int error = check_arguments(length_error(right_lengths(suite, key_len, mac_key_len) && bytes >= written),
                                    {Argument::input(key, key_len), Argument::input(mac_key, mac_key_len),
                                     Argument::outputs(out), Argument{memory, written, true, alignof(Key)}}))
        return error;
    const ClearRegisters clear(suite.engine->cpu());
    return guarded([&]() -> int {
        if (int error = make_key(suite, octets(key), key_len, octets(mac_key), mac_key_len, memory)) return error;
        *out = static_cast<cst_key *>(memory);
        return CST_OK;
    });
}

void cst_key_clear(cst_key *handle) {
    if (!handle) return;
    Key *const key = reinterpret_cast<Key *>(handle);
    const ClearRegisters clear(key->suite->engine->cpu());
    wipe_key(key);
}
