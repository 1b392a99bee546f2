// Defines the opaque types of the C API and ranges of memory that a caller names, and converts exceptions to errors.
#pragma once

#include <new>

#include "cryptostitch/cryptostitch.h"
#include "../suite/key.hpp"

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
// A kernel that a caller has was fetched before.
inline const Variant *from(const cst_kernel *kernel) { return reinterpret_cast<const Variant *>(kernel); }

// A range of memory that a caller names. An empty range is at the end of the address space, where it meets nothing.
// Comparisons use bit operations instead of branches: every job has seven pairs of ranges.
struct Range {
    uintptr_t first;
    size_t size;

    Range(const void *p, size_t n) : first(n ? reinterpret_cast<uintptr_t>(p) : UINTPTR_MAX), size(n) {}
    bool wraps() const { return first + size < first; }
    bool meets(const Range &other) const { return (first - other.first < other.size) | (other.first - first < size); }
};

// Runs a function of the API. It may throw for lack of memory only.
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
