// Content-defined chunks: where FastCDC cuts (W. Xia et al., "The Design of Fast Content-Defined Chunking for Data
// Deduplication Based Storage Systems", IEEE TPDS 31 (9), 2020). The numbers are those of the crate `fastcdc`, v2020,
// whose cuts these are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

// A byte's number: the first 8 bytes of MD5 of 64 times that byte, as a big-endian number; and twice that.
struct Gear {
    uint64_t of[256], twice[256];
};

constexpr uint64_t LEAST_CHUNK = 64, LEAST_AVERAGE = 256, LEAST_MOST = 1024, GREATEST_LEAST = uint64_t(1) << 20,
                   GREATEST_AVERAGE = uint64_t(1) << 22, GREATEST_MOST = uint64_t(1) << 24;

// All are even. Below `average` bytes a cut wants `normalization` bits more of the hash to be 0 than log2(average),
// from there on so many less.
struct ChunkSizes {
    uint64_t least, average, most;
    uint32_t normalization;  // at most 3

    bool sound() const;
};

// Finds the ends of chunks. A pair of bytes decides together.
class Cutter {
public:
    explicit Cutter(const ChunkSizes &sizes);

    // Goes on with a chunk. Returns how many bytes more it has, an even number, of which all have been examined; or,
    // *cut, up to its end. The byte at whose place a chunk is cut begins the next one.
    size_t find(const Gear &gear, const uint8_t *in, size_t n, bool *cut);
    // The next chunk begins.
    void begin() { at_ = hash_ = 0; }
    // Bytes of the chunk that have been examined, an even number.
    uint64_t examined() const { return at_; }

private:
    const ChunkSizes sizes_;
    const uint64_t mask_before_, mask_behind_;  // the average
    uint64_t at_ = 0, hash_ = 0;
};

}  // namespace cst
