#include "buffer.hpp"

#include "../suite/secret.hpp"

namespace cst {

void Buffer::seek(uint64_t position) {
    while (position < first_) first_ -= pieces_[--index_].bytes;
    while (index_ + 1 < n_ && position - first_ >= pieces_[index_].bytes) first_ += pieces_[index_++].bytes;
    data_ = static_cast<uint8_t *>(pieces_[index_].data);
    bytes_ = pieces_[index_].bytes;
}

void Buffer::zero(uint64_t position, uint64_t n) {
    each(position, n, [](uint8_t *data, size_t some) { wipe(data, some); });
}

}  // namespace cst
