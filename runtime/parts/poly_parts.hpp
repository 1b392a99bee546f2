// Poly1305 (RFC 8439, 2.5) of data that comes in parts, for ChaCha20-Poly1305 filled up with zeros between them (2.8).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../suite/poly1305.hpp"
#include "../suite/suite.hpp"

namespace cst {

class PolyParts {
public:
    static constexpr size_t BLOCK = 16;

    // bytes: 32, of the keystream.
    void begin(const uint8_t *bytes);
    // suite: that of ChaCha20-Poly1305.
    void add(const Suite &suite, const uint8_t *data, size_t n);
    // Zeros up to a whole block.
    void fill(const Suite &suite);
    // Hashes the lengths, makes the tag, and wipes the state.
    void end(const Suite &suite, uint64_t aad_bytes, uint64_t text_bytes, uint8_t *tag);
    // Ends a message of any bytes (2.5), makes the tag, and wipes the state.
    void end(const Suite &suite, uint8_t *tag);
    // Returns how many bytes wait for the rest of their block.
    size_t waiting() const { return waiting_; }

private:
    void blocks(const Suite &suite, const uint8_t *data, size_t n);
    size_t many_blocks(const Suite &suite, const uint8_t *data, size_t n);
    void make_tag(uint8_t *tag);

    PolyKey key_ = {};
    uint64_t sum_[3] = {};
    uint8_t rest_[BLOCK] = {};
    size_t waiting_ = 0;
};

}  // namespace cst
