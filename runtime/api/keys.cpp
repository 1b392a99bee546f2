// The C API: keys.

#include "arguments.hpp"
#include "../keys/keys.hpp"
#include "../suite/registers.hpp"

using namespace cst;

static_assert(alignof(Key) == CST_KEY_ALIGN, "as the header says");

namespace {

// A key of a suite as the caller gives it. One that is not given (NULL) is no empty one: whoever forgets the MAC key
// must not get a key under which everybody makes tags.
struct Given {
    const Suite &suite;
    const void *key;
    size_t key_len;
    const void *mac_key;
    size_t mac_key_len;

    bool right_lengths() const {
        return key_len >= suite.key_min && key_len <= suite.key_max && mac_key_len >= suite.mac_key_min &&
               mac_key_len <= suite.mac_key_max;
    }
    // Checks all arguments of a call that writes `written` bytes to `memory`, too.
    int check(cst_key **out, void *memory = nullptr, size_t written = 0, size_t capacity = 0) const {
        if ((suite.key_max && !key) || (suite.mac_key_max && !mac_key)) return CST_ERR_ARGUMENT;
        if (address(memory) % alignof(Key)) return CST_ERR_ARGUMENT;  // also where there is too little of it
        const bool has_room = capacity >= written;
        return check_arguments(length_error(right_lengths() && has_room),
                               {Argument::input(key, key_len), Argument::input(mac_key, mac_key_len),
                                Argument::outputs(out), Argument::output(memory, has_room ? written : 0)});
    }
    int make_in(void *memory) const {
        return make_key(suite, octets(key), key_len, octets(mac_key), mac_key_len, memory);
    }
    int make(KeyPointer *made) const {
        return new_key(suite, octets(key), key_len, octets(mac_key), mac_key_len, made);
    }

    static const uint8_t *octets(const void *p) { return static_cast<const uint8_t *>(p); }
};

}  // namespace

int cst_key_new(const cst_suite *handle, const void *key, size_t key_len, const void *mac_key, size_t mac_key_len,
                cst_key **out) {
    if (!handle) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(handle);
    const Given given{suite, key, key_len, mac_key, mac_key_len};
    if (int error = given.check(out)) return error;
    const ClearRegisters clear(suite.engine->cpu());
    return guarded([&]() -> int {
        KeyPointer made;
        if (int error = given.make(&made)) return error;
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
    const Given given{suite, key, key_len, mac_key, mac_key_len};
    if (int error = given.check(out, memory, suite.key_layout.bytes, bytes)) return error;
    const ClearRegisters clear(suite.engine->cpu());
    return guarded([&]() -> int {
        if (int error = given.make_in(memory)) return error;
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
