// Sums of products over GF(2^8): what encodes, updates and decodes an erasure code.
#pragma once

#include <atomic>
#include <vector>

#include "../select/engine.hpp"
#include "../suite/galois.hpp"

namespace cst {

class Codec {
public:
    // `kernel`: NULL, or the one that is to do everything. CST_ERR_NAME: there is none of that name that could;
    // CST_ERR_UNSUPPORTED, CST_ERR_JIT, CST_ERR_MEMORY: no kernel can be had.
    int init(const Engine &engine, const char *kernel);

    // out[i] = the sum of all in[j] times factors.row(i)[j]; adds: with what it was. Buffers of so many bytes, of which
    // no output is an input.
    void run(const Matrix &factors, const uint8_t *const *in, uint8_t *const *out, size_t bytes, bool adds) const;

private:
    // A factor as kernels know it (suite/galois.hpp).
    struct Forms {
        uint8_t bit_matrix[BIT_MATRIX], nibble_products[NIBBLE_PRODUCTS];
    };
    class Call;

    const Variant &best(size_t outputs, size_t inputs, size_t bytes) const;

    const Engine *engine_ = nullptr;
    static constexpr size_t MOST_KERNELS = 128;
    std::vector<const Variant *> kernels_;  // their code is there
    mutable std::atomic<uint64_t> last_{~uint64_t(0)};  // what was asked last, and which of them it was
    std::vector<Forms> forms_;  // of all factors
};

}  // namespace cst
