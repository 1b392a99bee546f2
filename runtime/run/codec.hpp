// Sums of products over GF(2^8): what encodes, updates and decodes an erasure code.
#pragma once

#include <atomic>
#include <vector>

#include "../select/engine.hpp"
#include "../suite/galois.hpp"

namespace cst {

// The kernels.
class Codec {
public:
    // `kernel`: NULL, or the one that is to do everything. CST_ERR_NAME: there is none of that name that could;
    // CST_ERR_UNSUPPORTED, CST_ERR_JIT, CST_ERR_MEMORY: no kernel can be had.
    int init(const Engine &engine, const char *kernel);

private:
    friend class Products;
    // A factor as kernels know it (suite/galois.hpp).
    struct Forms {
        uint8_t bit_matrix[BIT_MATRIX], nibble_products[NIBBLE_PRODUCTS];
    };

    const Engine *engine_ = nullptr;
    std::vector<const Variant *> kernels_;  // their code is there
    std::vector<Forms> forms_;  // of all factors
};

// Sums by the factors of one matrix. What kernels read of these is made when a kernel is first wanted, and kept.
// Several threads may share it.
class Products {
public:
    // adds: to what the outputs were. The codec must outlive it.
    Products(const Codec &codec, Matrix factors, bool adds);
    ~Products();
    Products(const Products &) = delete;
    Products &operator=(const Products &) = delete;

    const Matrix &factors() const { return factors_; }
    // out[i] = the sum of all in[j] times factors().row(i)[j]. Blocks of so many bytes, of which no output is an input.
    // std::bad_alloc before anything is written.
    void run(const void *const *in, void *const *out, size_t bytes) const;

private:
    struct Round;
    class Call;

    const Variant &best(size_t outputs, size_t bytes) const;
    const Round &round(size_t row, size_t bytes) const;

    const Codec &codec_;
    const Matrix factors_;
    const bool adds_;
    mutable std::atomic<const Round *> rounds_{nullptr};  // the newest of all that were made
};

}  // namespace cst
