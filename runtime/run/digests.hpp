// Digests of many texts, for what needs them as a part.
#pragma once

#include <vector>

#include "../suite/key.hpp"

namespace cst {

class Digests {
public:
    static constexpr size_t MOST_BYTES = 64;
    struct Text {  // parts, one behind the other
        cst_piece part[3];
    };

    // Returns CST_ERR_UNSUPPORTED: no kernel of that hash.
    int init(const Engine &engine, const Suites &suites, const char *hash, size_t digest_bytes);
    size_t bytes() const { return bytes_; }
    // Writes bytes() for each text. Throws std::bad_alloc. Several threads may share an object. Time depends on lengths
    // only.
    void run(const std::vector<Text> &texts, uint8_t *digests) const;

private:
    const Engine *engine_ = nullptr;
    size_t bytes_ = 0;
    KeyPointer key_;
};

}  // namespace cst
