// The one rule for pointers and lengths of the C API, which the header states under "ARGUMENTS". Every entry lists the
// buffers of its call. Only cst_job has a form of its own, for speed (api/check.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "handles.hpp"

namespace cst {

// A hash counts 2^61 - 1 bytes. What the library adds to a buffer inside (an IV, a block made of the key, parts of a
// signature, a trailer, padding) is together less than MOST_ADDED. So no sum of lengths that passed the rule overflows.
constexpr uint64_t MOST_COUNTED = (uint64_t(1) << 61) - 1, MOST_ADDED = 512, MOST_BYTES = MOST_COUNTED - MOST_ADDED;

inline uintptr_t address(const void *p) { return reinterpret_cast<uintptr_t>(p); }

// Whether a pointer to one number or struct can be used.
template <typename T>
bool is_object(const T *p) {
    return p && address(p) % alignof(T) == 0;
}

// A product that overflows becomes SIZE_MAX, a length that no buffer may have.
inline size_t product_of(size_t n, size_t bytes) {
    size_t product;
    return __builtin_mul_overflow(n, bytes, &product) ? SIZE_MAX : product;
}
// Returns the bytes from the first to the last of n rows of `bytes` bytes whose first bytes are `stride` apart.
inline size_t rows_of(size_t n, size_t bytes, size_t stride) {
    if (!n || !bytes) return 0;
    const size_t before = product_of(n - 1, stride);
    return stride < bytes || before > SIZE_MAX - bytes ? SIZE_MAX : before + bytes;
}

// A buffer of a call. Without bytes it may be absent (NULL).
struct Argument {
    const void *at;
    size_t bytes;
    bool is_written;
    size_t alignment = 1;
    bool in_place = false;  // may begin where another buffer begins for which that holds, too

    static Argument input(const void *p, size_t n) { return {p, n, false}; }
    static Argument output(const void *p, size_t n) { return {p, n, true}; }
    template <typename T>
    static Argument inputs(const T *p, size_t n = 1) {
        return {p, product_of(n, sizeof(T)), false, alignof(T)};
    }
    template <typename T>
    static Argument outputs(const T *p, size_t n = 1) {
        return {p, product_of(n, sizeof(T)), true, alignof(T)};
    }
    Argument or_in_place() const { return {at, bytes, is_written, alignment, true}; }

    bool wrong_pointer() const { return bytes && (!at || address(at) & (alignment - 1)); }
    bool wrong_length() const { return bytes > MOST_BYTES || Range(at, bytes).wraps(); }
    bool clashes(const Argument &other) const {
        if (!is_written && !other.is_written) return false;
        return !(in_place && other.in_place && at == other.at) && Range(at, bytes).meets(Range(other.at, other.bytes));
    }
};

template <size_t N>
[[gnu::always_inline]] inline bool any_wrong_pointer(const Argument (&buffers)[N]) {
    bool wrong = false;
#pragma GCC unroll 8
    for (const Argument &buffer : buffers) wrong |= buffer.wrong_pointer();
    return wrong;
}

template <size_t N>
[[gnu::always_inline]] inline bool any_wrong_length(const Argument (&buffers)[N]) {
    bool wrong = false;
#pragma GCC unroll 8
    for (const Argument &buffer : buffers) wrong |= buffer.wrong_length();
    return wrong;
}

// Checks lengths and overlaps of buffers whose pointers are right.
template <size_t N>
[[gnu::always_inline]] inline int check_places(const Argument (&buffers)[N]) {
    if (any_wrong_length(buffers)) return CST_ERR_LENGTH;
    bool meet = false;
#pragma GCC unroll 8
    for (size_t i = 0; i < N; i++)
#pragma GCC unroll 8
        for (size_t j = 0; j < i; j++) meet |= buffers[i].clashes(buffers[j]);
    return meet ? CST_ERR_OVERLAP : CST_OK;
}

// The whole rule. other_error: what is wrong beside the buffers, CST_ERR_UNSUPPORTED or CST_ERR_LENGTH; CST_OK:
// nothing.
template <size_t N>
[[gnu::always_inline]] inline int check_arguments(int other_error, const Argument (&buffers)[N]) {
    if (any_wrong_pointer(buffers)) return CST_ERR_ARGUMENT;
    return other_error ? other_error : check_places(buffers);
}

inline int length_error(bool right) { return right ? CST_OK : CST_ERR_LENGTH; }

}  // namespace cst
