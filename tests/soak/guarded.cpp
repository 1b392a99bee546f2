#include "guarded.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

namespace soak {

Guarded::Guarded() : sizes_{{1, 2048, nullptr, 0, {}}, {8, 512, nullptr, 0, {}}, {LONGEST / PAGE, 40, nullptr, 0, {}}} {
    for (Size &size : sizes_) {
        size.bytes = (size.regions * (size.pages + 1) + 1) * PAGE;
        void *const memory = mmap(nullptr, size.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        size.memory = static_cast<uint8_t *>(memory);
        for (size_t i = size.regions; i--;) {
            if (mprotect(size.region(i), size.pages * PAGE, PROT_READ | PROT_WRITE)) throw std::bad_alloc();
            size.free.push_back(size.region(i));
        }
    }
}

Guarded::~Guarded() {
    for (Size &size : sizes_) munmap(size.memory, size.bytes);
}

template <typename Each>
void Guarded::beside(const Placed &p, Each each) {
    each(std::max(p.region, p.begin - std::min<ptrdiff_t>(MARGIN, p.begin - p.region)), p.begin);
    each(p.end, p.end + std::min<ptrdiff_t>(MARGIN, p.region_end - p.end));
}

uint8_t *Guarded::place(size_t bytes, Edge edge, size_t offset) {
    const size_t needed = edge == Edge::inside ? bytes + offset : bytes;
    for (Size &size : sizes_) {
        if (needed > size.pages * PAGE || size.free.empty()) continue;
        Placed placed;
        placed.region = size.free.back();
        placed.region_end = placed.region + size.pages * PAGE;
        placed.begin =
            edge == Edge::end ? placed.region_end - bytes : placed.region + (edge == Edge::inside ? offset : 0);
        placed.end = placed.begin + bytes;
        placed.size = &size;
        size.free.pop_back();
        placed_.push_back(placed);
        beside(placed, [](uint8_t *from, uint8_t *to) { memset(from, FILL, size_t(to - from)); });
        memset(placed.begin, FILL, bytes);
        return placed.begin;
    }
    throw std::runtime_error("the soak has no room for what it drew");
}

const uint8_t *Guarded::changed() const {
    uint8_t untouched[MARGIN];
    memset(untouched, FILL, MARGIN);
    const uint8_t *found = nullptr;
    for (const Placed &placed : placed_)
        beside(placed, [&](const uint8_t *from, const uint8_t *to) {
            if (memcmp(from, untouched, size_t(to - from)) == 0) return;
            while (*from == FILL) from++;
            found = from;
        });
    return found;
}

void Guarded::clear() {
    for (const Placed &placed : placed_) placed.size->free.push_back(placed.region);
    placed_.clear();
}

}  // namespace soak
