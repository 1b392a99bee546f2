// Memory that a caller names.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

struct Range {
    uintptr_t first;
    size_t size;

    Range(const void *p, size_t n) : first(reinterpret_cast<uintptr_t>(p)), size(n) {}
    bool wraps() const { return size && first + (size - 1) < first; }
    bool meets(const Range &other) const {
        return size && other.size && first <= other.first + (other.size - 1) && other.first <= first + (size - 1);
    }
};

}  // namespace cst
