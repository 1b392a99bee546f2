// A caller's buffer, in one piece or several.
#pragma once

#include "copy.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// Positions count from the buffer's first byte. It remembers the piece that it was asked for last: cheap where positions grow.
class Buffer {
public:
    Buffer() = default;
    // `pieces`: NULL, or what the buffer consists of instead of `data`.
    Buffer(const void *data, uint64_t bytes, const cst_piece *pieces, size_t n_pieces)
        : pieces_(n_pieces ? pieces : nullptr), n_(n_pieces), bytes_(bytes), data_(static_cast<uint8_t *>(const_cast<void *>(data))) {
        if (pieces_) {
            data_ = static_cast<uint8_t *>(pieces_[0].data);
            bytes_ = pieces_[0].bytes;
        }
    }

    bool scattered() const { return pieces_ != nullptr; }
    uint8_t *at(uint64_t position) {
        if (pieces_ && position - first_ >= bytes_) seek(position);
        return data_ + (position - first_);
    }
    // Bytes that lie together from `position` on.
    uint64_t together(uint64_t position) {
        if (pieces_ && position - first_ >= bytes_) seek(position);
        return bytes_ - (position - first_);
    }

    void read(uint64_t position, uint8_t *to, size_t n) {
        each(position, n, [&](uint8_t *data, size_t some) {
            copy_few(to, data, some);
            to += some;
        });
    }
    void write(uint64_t position, const uint8_t *from, size_t n) {
        each(position, n, [&](uint8_t *data, size_t some) {
            copy_few(data, from, some);
            from += some;
        });
    }
    void zero(uint64_t position, uint64_t n);

private:
    // Calls each(data, bytes) for the parts of n bytes from `position` on.
    template <typename Each>
    void each(uint64_t position, uint64_t n, Each each) {
        while (n) {
            uint8_t *data = at(position);
            const uint64_t here = together(position), some = here < n ? here : n;
            each(data, some);
            position += some;
            n -= some;
        }
    }
    void seek(uint64_t position);

    const cst_piece *pieces_ = nullptr;
    size_t n_ = 0, index_ = 0;
    uint64_t first_ = 0, bytes_ = 0;  // of the piece that data_ points to
    uint8_t *data_ = nullptr;
};

}  // namespace cst
