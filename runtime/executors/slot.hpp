// Objects in the memory of a burst that would take too much of the caller's stack, of which no call of the API needs
// more than 16 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace cst {

// Memory for one object at a time.
template <size_t BYTES>
struct Slot {
    static constexpr size_t bytes = BYTES;
    uint8_t *at = nullptr;  // aligned to a cache line
    bool taken = false;
};

// An object in a slot, for a scope. As on the stack, it wipes its secrets itself. A second object in the slot meanwhile
// would overwrite the first: it ends the process.
template <typename T>
class InSlot {
public:
    template <size_t BYTES, typename... Arguments>
    explicit InSlot(Slot<BYTES> &slot, Arguments &&...arguments)
        : taken_(take(&slot.taken)), object_(*new (slot.at) T(std::forward<Arguments>(arguments)...)) {
        static_assert(sizeof(T) <= BYTES && alignof(T) <= 64);
    }
    // Leaves plain data uninitialized.
    template <size_t BYTES>
    explicit InSlot(Slot<BYTES> &slot) : taken_(take(&slot.taken)), object_(*new (slot.at) T) {
        static_assert(sizeof(T) <= BYTES && alignof(T) <= 64);
    }
    ~InSlot() {
        object_.~T();
        taken_ = false;
    }
    InSlot(const InSlot &) = delete;
    InSlot &operator=(const InSlot &) = delete;

    T &operator*() const { return object_; }
    T *operator->() const { return &object_; }

private:
    static bool &take(bool *taken) {
        if (*taken) __builtin_trap();
        *taken = true;
        return *taken;
    }

    bool &taken_;
    T &object_;
};

}  // namespace cst
