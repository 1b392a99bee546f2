// SHA-512 of many texts, for what needs it as a part.
#pragma once

#include <vector>

#include "../suite/key.hpp"

namespace cst {

class Sha512 {
public:
    static constexpr size_t BYTES = 64;
    struct Text {  // three parts, one behind the other
        cst_piece part[3];
    };

    int init(const Engine &engine, const Suites &suites);
    // Writes BYTES for each text. Throws std::bad_alloc. Several threads may share an object.
    void run(const std::vector<Text> &texts, uint8_t *digests) const;

private:
    const Engine *engine_ = nullptr;
    KeyPointer key_;
};

// A part of a text.
inline cst_piece piece(const void *p, size_t n) { return {const_cast<void *>(p), n}; }

}  // namespace cst
