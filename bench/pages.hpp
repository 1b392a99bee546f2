// Memory for large tables, in huge pages where the system gives them, as programs with many sessions have it: else it
// would be the translation of addresses that is timed.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace bench {

template <class T>
struct HugePages {
    typedef T value_type;
    HugePages() = default;
    template <class U>
    HugePages(const HugePages<U> &) {}

    T *allocate(size_t n) {
        constexpr size_t PAGE = size_t(2) << 20;
        const bool large = n * sizeof(T) >= 2 * PAGE;
        const size_t align = large             ? PAGE
                             : alignof(T) < 64 ? 64
                                               : alignof(T),
                     bytes = (n * sizeof(T) + align - 1) / align * align;
        void *memory = aligned_alloc(align, bytes);
        if (!memory) throw std::bad_alloc();
        if (large) madvise(memory, bytes, MADV_HUGEPAGE);
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, size_t) { free(memory); }
    template <class U>
    bool operator==(const HugePages<U> &) const {
        return true;
    }
    template <class U>
    bool operator!=(const HugePages<U> &) const {
        return false;
    }
};
// A page that must not be touched, as long as the object lives.
class ClosedPage {
public:
    static constexpr size_t BYTES = 4096;
    explicit ClosedPage(void *page) : page_(page) { set(PROT_NONE); }
    ~ClosedPage() { set(PROT_READ | PROT_WRITE); }
    ClosedPage(const ClosedPage &) = delete;
    ClosedPage &operator=(const ClosedPage &) = delete;

private:
    void set(int protection) {
        if (mprotect(page_, BYTES, protection)) abort();
    }
    void *page_;
};

template <class T>
using Table = std::vector<T, HugePages<T>>;

}  // namespace bench
