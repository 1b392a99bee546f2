// What the opaque types of the C API are, and how exceptions end.
#pragma once

#include <new>

#include "cryptostitch/cryptostitch.h"
#include "suite/key.hpp"

struct cst_ctx {
    cst::Engine engine;
    cst::Suites suites;
    uint32_t flags = 0;
    bool wants_signature = false;
    uint8_t pack_key[32] = {};
};

namespace cst {

inline const Suite *from(const cst_suite *suite) { return reinterpret_cast<const Suite *>(suite); }
inline const Key *from(const cst_key *key) { return reinterpret_cast<const Key *>(key); }
// A kernel that was handed out has been fetched.
inline const Variant *from(const cst_kernel *kernel) { return reinterpret_cast<const Variant *>(kernel); }

// Runs a function of the API. Only memory can be exceptional; nothing else throws.
template <typename Function>
int guarded(Function function) noexcept {
    try {
        return function();
    } catch (const std::bad_alloc &) {
        return CST_ERR_MEMORY;
    } catch (...) {
        return CST_ERR_MEMORY;
    }
}

// Copies a text into a field of a C struct, cut where the field ends.
template <size_t size>
void put_text(char (&field)[size], const std::string &text) {
    size_t n = text.size() < size - 1 ? text.size() : size - 1;
    memcpy(field, text.data(), n);
    field[n] = 0;
}

}  // namespace cst
