// Heap memory for secrets, and for working objects that are too large for a caller's stack: it is wiped before it is
// freed, on every path.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "secret.hpp"

namespace cst {

template <typename T>
struct WipingAllocator {
    typedef T value_type;
    WipingAllocator() = default;
    template <typename Other>
    WipingAllocator(const WipingAllocator<Other> &) {}  // NOLINT(misc-explicit-constructor): allocators convert
    T *allocate(size_t n) { return std::allocator<T>().allocate(n); }
    void deallocate(T *at, size_t n) {
        wipe(static_cast<void *>(at), n * sizeof(T));
        std::allocator<T>().deallocate(at, n);
    }
    bool operator==(const WipingAllocator &) const { return true; }
    bool operator!=(const WipingAllocator &) const { return false; }
};
template <typename T>
using WipedVector = std::vector<T, WipingAllocator<T>>;

template <typename T>
struct WipingDelete {
    void operator()(T *object) const {
        object->~T();
        WipingAllocator<T>().deallocate(object, 1);
    }
};
template <typename T>
using WipedPointer = std::unique_ptr<T, WipingDelete<T>>;

// Throws std::bad_alloc; T's constructor must not throw. Members without an initialiser are left as they are.
template <typename T, typename... Arguments>
WipedPointer<T> make_wiped(Arguments &&...arguments) {
    T *const at = WipingAllocator<T>().allocate(1);
    if constexpr (sizeof...(arguments) == 0) return WipedPointer<T>(new (at) T);
    else return WipedPointer<T>(new (at) T(std::forward<Arguments>(arguments)...));
}

}  // namespace cst
