// Memory that a caller names.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

// An empty one is at the end of the address space, where it meets nothing. Bits rather than branches: every job has
// seven pairs of them.
struct Range {
    uintptr_t first;
    size_t size;

    Range(const void *p, size_t n) : first(n ? reinterpret_cast<uintptr_t>(p) : UINTPTR_MAX), size(n) {}
    bool wraps() const { return first + size < first; }
    bool meets(const Range &other) const { return (first - other.first < other.size) | (other.first - first < size); }
};

}  // namespace cst
