// Protection information behind sectors (T10 DIF; NVMe with a guard of 64 bits): makes it, checks it, takes it away.
#pragma once

#include "../suite/key.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// The parameters of a cst_pi that has been checked.
class Protection {
public:
    explicit Protection(const cst_pi &pi);

    // Bytes behind a sector, for a key that cst_pi takes; 0: for any other.
    static size_t bytes_of(const Key &key);
    // How many bits reference and storage tag have together.
    static uint32_t tag_bits(const Key &key);

    // Copies n sectors from `in`, and writes the information behind each.
    void insert(const uint8_t *in, size_t n, uint8_t *out) const;
    // Copies the data of n sectors to `out`, if that is not NULL, and compares the information. Returns the number of
    // the first sector that does not match, whose copy is zeroed, and sets *fields; n: all match, and *fields is 0.
    size_t check(const uint8_t *in, size_t n, uint8_t *out, uint32_t *fields) const;

private:
    uint64_t guard(const class ChecksumCalls &calls, const uint8_t *data) const;
    uint64_t copy(const class ChecksumCalls &calls, const uint8_t *in, uint8_t *out) const;
    void put(uint8_t *to, uint64_t word) const;
    uint64_t tags(size_t sector) const;
    bool is_unchecked(uint64_t tags) const;
    uint32_t wrong_tags(uint64_t tags, uint64_t expected) const;

    const Key &key_;
    const size_t data_bytes_, bytes_;  // of a sector, and of what is behind it
    const uint32_t tag_bits_;
    const uint64_t reference_bits_, storage_bits_;  // masks
    const uint64_t first_, constant_;  // the first reference tag; the other tags
    const bool counts_, streams_;
    const uint32_t ignored_;
    const uint64_t application_bits_;  // a mask: those that are compared
};

}  // namespace cst
