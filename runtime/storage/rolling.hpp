// A rolling hash of a window (isa-l_crypto's rolling_hash2): a byte's number is rotated left by one bit for each byte
// behind it, and the hash is the exclusive-or of those of the last `window` bytes. The numbers of the bytes are the
// fraction of pi, 64 bits for each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

class Rolling {
public:
    static constexpr size_t MOST_WINDOW = 48;

    explicit Rolling(size_t window);
    ~Rolling();
    Rolling(const Rolling &) = delete;
    Rolling &operator=(const Rolling &) = delete;

    // Sets the bytes in front of the text; NULL: zeros.
    void reset(const uint8_t *before);
    // Goes on with n bytes until those bits of the hash that are in `mask` are `trigger`. Returns how many bytes were
    // taken, of which the last one, *hit, made the hash so; or all.
    size_t run(const uint8_t *in, size_t n, uint64_t mask, uint64_t trigger, bool *hit);

private:
    uint64_t in_[256], out_[256];  // numbers of bytes that come into the window, and that leave it
    const size_t window_;
    uint64_t hash_ = 0;
    uint8_t last_[MOST_WINDOW];  // the bytes in the window
};

}  // namespace cst
