// A caller's buffer, in one piece or several.
#pragma once

#include "copy.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// Positions count from the buffer's first byte. It remembers the piece that it was asked for last: cheap where
// positions are near each other.
class Buffer {
public:
    // `pieces`: what the buffer consists of instead of `data`, if there are any.
    void set(const void *data, uint64_t bytes, const cst_piece *pieces, size_t n_pieces) {
        data_ = static_cast<uint8_t *>(const_cast<void *>(data));
        bytes_ = bytes;
        first_ = 0;
        pieces_ = nullptr;
        if (!n_pieces) return;
        pieces_ = pieces;
        n_ = n_pieces;
        index_ = 0;
        data_ = static_cast<uint8_t *>(pieces[0].data);
        bytes_ = pieces[0].bytes;
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
        if (!pieces_) return copy_few(to, data_ + position, n);
        each(position, n, [&](uint8_t *data, size_t some) {
            copy_few(to, data, some);
            to += some;
        });
    }
    void write(uint64_t position, const uint8_t *from, size_t n) {
        if (!pieces_) return copy_few(data_ + position, from, n);
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
    size_t n_, index_;
    uint64_t first_, bytes_;  // of the piece that data_ points to
    uint8_t *data_;
};

}  // namespace cst
