// Digests of many texts, for what needs it as a part.
#pragma once

#include <vector>

#include "../suite/key.hpp"

namespace cst {

constexpr size_t SHA256_BYTES = 32, SHA512_BYTES = 64;

class Digests {
public:
    static constexpr size_t MOST_BYTES = 64;
    struct Text {  // three parts, one behind the other
        cst_piece part[3];
    };

    // suite: of digests. Returns CST_ERR_UNSUPPORTED: there is none, or no kernel that this CPU can run; CST_ERR_JIT,
    // CST_ERR_MEMORY.
    int init(const Engine &engine, const Suites &suites, const char *suite);
    size_t bytes() const { return bytes_; }
    // Writes bytes() for each text, one behind the other. Throws std::bad_alloc, for a text that is longer than hashes
    // count, too. Several threads may share an object.
    // Time depends on lengths only.
    void run(const std::vector<Text> &texts, uint8_t *digests) const;

private:
    const Engine *engine_ = nullptr;
    KeyPointer key_;
    size_t bytes_ = 0;
    uint64_t most_ = 0;  // bytes of a text
};

// A part of a text.
inline cst_piece piece(const void *p, size_t n) { return {const_cast<void *>(p), n}; }

}  // namespace cst
