// What the opaque types of the C API are, memory that a caller names, and how exceptions end.
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

// Memory that a caller names. An empty one is at the end of the address space, where it meets nothing. Bits rather than
// branches: every job has seven pairs of them.
struct Range {
    uintptr_t first;
    size_t size;

    Range(const void *p, size_t n) : first(n ? reinterpret_cast<uintptr_t>(p) : UINTPTR_MAX), size(n) {}
    bool wraps() const { return first + size < first; }
    bool meets(const Range &other) const { return (first - other.first < other.size) | (other.first - first < size); }
};

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

}  // namespace cst
