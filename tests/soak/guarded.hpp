// Buffers at the edges of pages that must not be touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace soak {

// Where a buffer lies in a region of pages that has a guard page on both sides.
enum class Edge {
    end,     // its end is the region's: one byte more is a fault
    begin,   // its begin is
    inside,  // near the begin, at any alignment
};

// For one thread. Around what was placed lie bytes of a known value, up to the region's edges or MARGIN of them.
class Guarded {
public:
    Guarded();
    ~Guarded();
    Guarded(const Guarded &) = delete;
    Guarded &operator=(const Guarded &) = delete;

    static constexpr size_t LONGEST = 70 * 4096;
    // Filled with FILL. Of 0 bytes: an address that must not be touched, if at an edge. offset: inside, the bytes in
    // front of it, less than MARGIN.
    uint8_t *place(size_t bytes, Edge edge, size_t offset = 0);
    // How many of at most a page can still be placed.
    size_t room() const { return sizes_[0].free.size(); }
    // A byte beside what was placed that has changed; NULL: none.
    const uint8_t *changed() const;
    // All that was placed is gone.
    void clear();

    static constexpr uint8_t FILL = 0xa7;

private:
    static constexpr size_t MARGIN = 64, PAGE = 4096;
    struct Size {
        size_t pages, regions;
        uint8_t *memory;
        size_t bytes;  // of the memory
        std::vector<uint8_t *> free;
        uint8_t *region(size_t i) const { return memory + PAGE + i * (pages + 1) * PAGE; }
    };
    struct Placed {
        uint8_t *begin, *end, *region, *region_end;
        Size *size;
    };
    template <typename Each>
    static void beside(const Placed &placed, Each each);

    Size sizes_[3];
    std::vector<Placed> placed_;
};

}  // namespace soak
