// Computes sums of products over GF(2^8), which encode, update and decode an erasure code.
#pragma once

#include <atomic>
#include <vector>

#include "../select/engine.hpp"
#include "../suite/galois.hpp"

namespace cst {

// Holds the kernels, and all factors in the forms that kernels read.
class Codec {
public:
    // kernel: NULL, or the name of the kernel that must do everything. Returns CST_ERR_NAME: no kernel of that name
    // can; CST_ERR_UNSUPPORTED, CST_ERR_JIT, CST_ERR_MEMORY: no kernel's code can be loaded.
    int init(const Engine &engine, const char *kernel);

private:
    friend class Products;
    // The forms of a factor that kernels read (suite/galois.hpp).
    struct Forms {
        uint8_t bit_matrix[BIT_MATRIX], nibble_products[NIBBLE_PRODUCTS];
    };

    const Engine *engine_ = nullptr;
    std::vector<const Variant *> kernels_;  // their code is loaded
    std::vector<Forms> forms_;  // of all factors
};

// Computes sums by the factors of one matrix. What kernels read of the factors is made when a kernel is first wanted,
// and kept. Several threads may share an object.
class Products {
public:
    // adds: sums are added to the contents of the outputs. The codec must outlive this object.
    Products(const Codec &codec, Matrix factors, bool adds);
    ~Products();
    Products(const Products &) = delete;
    Products &operator=(const Products &) = delete;

    const Matrix &factors() const { return factors_; }
    // Allocates what run() needs for blocks of `bytes` bytes, so that it does not throw. Throws std::bad_alloc.
    void prepare(size_t bytes) const;
    // Sets out[i] = the sum over j of in[j] times factors().row(i)[j]. Blocks have `bytes` bytes; no output may be an
    // input. Throws std::bad_alloc before anything is written.
    void run(const void *const *in, void *const *out, size_t bytes) const;

private:
    struct Round;
    class Call;

    const Variant &best(size_t outputs, size_t bytes) const;
    const Round &round(size_t row, size_t bytes) const;

    const Codec &codec_;
    const Matrix factors_;
    const bool adds_;
    mutable std::atomic<const Round *> rounds_{nullptr};  // list of all rounds, the newest first
};

}  // namespace cst
