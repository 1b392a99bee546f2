// A cursor over bytes that never leaves them: after the first read beyond the end everything reads as zero and ok() is
// false.
#pragma once

#include <cstdint>
#include <cstring>

namespace cst {

class Reader {
public:
    // Reads data[at..end); `size` is the size of the whole pack. end must not exceed it.
    Reader(const uint8_t *data, uint32_t size, uint32_t at, uint32_t end)
        : data_(data), at_(at), end_(end < size ? end : size) {}

    bool ok() const { return ok_; }
    uint32_t at() const { return at_; }
    uint32_t left() const { return ok_ ? end_ - at_ : 0; }

    // Returns NULL if fewer than n bytes are left.
    const uint8_t *bytes(uint32_t n) {
        if (!ok_ || at_ > end_ || n > end_ - at_) {
            ok_ = false;
            return nullptr;
        }
        const uint8_t *p = data_ + at_;
        at_ += n;
        return p;
    }

    uint8_t u8() { return number<uint8_t>(); }
    uint16_t u16() { return number<uint16_t>(); }
    uint32_t u32() { return number<uint32_t>(); }
    uint64_t u64() { return number<uint64_t>(); }

    void align4() {
        if (at_ % 4 != 0) bytes(4 - at_ % 4);
    }

    // Reads a reference to a string. The caller has seen that the strings end with a NUL, so every offset inside them
    // is terminated.
    const char *string(uint32_t strings_offset, uint32_t strings_bytes) {
        uint32_t offset = u32();
        if (!ok_ || offset < strings_offset || offset - strings_offset >= strings_bytes) {
            ok_ = false;
            return "";
        }
        return reinterpret_cast<const char *>(data_ + offset);
    }

private:
    template <class T>
    T number() {
        T value = 0;
        if (const uint8_t *p = bytes(sizeof(T))) std::memcpy(&value, p, sizeof(T));
        return value;
    }

    const uint8_t *data_;
    uint32_t at_, end_;
    bool ok_ = true;
};

}  // namespace cst
