// The C API: keys.

#include "handles.hpp"
#include "run/run.hpp"
#include "suite/registers.hpp"

using namespace cst;

static_assert(alignof(Key) == CST_KEY_ALIGN, "as the header says");

namespace {

struct KeyBytes {
    const void *key;
    size_t key_len;
    const void *mac_key;
    size_t mac_key_len;
};

int check_key(const Suite &suite, const KeyBytes &bytes) {
    if ((bytes.key_len && !bytes.key) || (bytes.mac_key_len && !bytes.mac_key)) return CST_ERR_ARGUMENT;
    if (bytes.key_len < suite.key_min || bytes.key_len > suite.key_max || bytes.mac_key_len < suite.mac_key_min ||
        bytes.mac_key_len > suite.mac_key_max)
        return CST_ERR_LENGTH;
    return CST_OK;
}

const uint8_t *octets(const void *p) { return static_cast<const uint8_t *>(p); }

}  // namespace

int cst_key_new(const cst_suite *handle, const void *key, size_t key_len, const void *mac_key, size_t mac_key_len,
                cst_key **out) {
    if (!handle || !out) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(handle);
    if (int error = check_key(suite, {key, key_len, mac_key, mac_key_len})) return error;
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
    if (!handle || !out || !memory || reinterpret_cast<uintptr_t>(memory) % alignof(Key)) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(handle);
    if (int error = check_key(suite, {key, key_len, mac_key, mac_key_len})) return error;
    if (bytes < suite.key_layout.bytes) return CST_ERR_LENGTH;
    const Range written(memory, suite.key_layout.bytes);
    if (written.wraps() || Range(key, key_len).wraps() || Range(mac_key, mac_key_len).wraps()) return CST_ERR_LENGTH;
    if (written.meets(Range(key, key_len)) || written.meets(Range(mac_key, mac_key_len))) return CST_ERR_OVERLAP;
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
