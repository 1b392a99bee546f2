// Points of edwards25519 in lanes: a kernel for each operation of templates/streams/edwards25519.j2, and a state block
// that all of them share.
#pragma once

#include <memory>
#include <vector>

#include "../select/engine.hpp"
#include "../suite/edwards25519.hpp"

namespace cst {

enum class PointOperation { twice, add, cached, square, multiply };
constexpr size_t POINT_OPERATIONS = 5;
constexpr size_t MOST_POINTS = 16;  // lanes of a kernel

// Numbers of a lane's chain, and of its key: of another point Y + X, Y - X, 2 Z and 2 d T, then 2 d and -2 d.
struct PointChain {
    enum { E, F, G, H, N, NUMBERS };
};
struct PointKey {
    enum { SUM, DIFFERENCE, TWICE_Z, PRODUCT, TWICE_D, MINUS_TWICE_D, NUMBERS };
};
// What the operation `cached` leaves in the chain.
struct CachedPoint {
    enum { SUM, DIFFERENCE, TWICE_Z, PRODUCT, MINUS_PRODUCT };
};

// One kernel for each operation, with the same lanes, at the same places of the state.
struct PointKernels {
    const Variant *of[POINT_OPERATIONS] = {};

    const Variant &kernel(PointOperation operation) const { return *of[size_t(operation)]; }
    size_t lanes() const { return of[0]->lanes; }
    bool legacy_sse() const { return of[0]->legacy_sse; }
    // Returns the cycles of so many calls, which have so many iterations together.
    double cycles(PointOperation operation, double calls, double iterations) const {
        const Cost &cost = kernel(operation).cost;
        return calls * cost.per_call + iterations * cost.per_iteration;
    }
};

// Loads kernels of all operations. kernel: NULL, or the name of one; those that go with it then do everything. Returns
// CST_ERR_NAME: no such kernel; CST_ERR_UNSUPPORTED, CST_ERR_JIT, CST_ERR_MEMORY.
int fetch_point_kernels(const Engine &engine, const char *kernel, std::vector<PointKernels> *out);

class PointLanes {
public:
    explicit PointLanes(const PointKernels &kernels);
    ~PointLanes();
    PointLanes(const PointLanes &) = delete;
    PointLanes &operator=(const PointLanes &) = delete;

    size_t lanes() const { return kernels_.lanes(); }
    size_t limbs(size_t lane) const { return place_[lane].limbs; }
    void run(PointOperation operation, uint64_t iterations = 1);

    // Sets every lane to the neutral point.
    void make_neutral();
    void put_point(size_t lane, const AffinePoint &point);
    ChainPoint point(size_t lane) const;
    void put_number(size_t lane, const Number25519 &n);
    Number25519 number(size_t lane) const;
    // Sets a number of a lane's key to one below p, of 32 bytes; or to these limbs.
    void put_key(size_t lane, size_t number, const uint8_t *bytes);
    void put_key_limbs(size_t lane, size_t number, const uint64_t *limbs);

    // The chains of all lanes, as they are.
    size_t saved_bytes() const { return saved_bytes_; }
    void save(uint8_t *to) const;
    void restore(const uint8_t *from);
    // Sets a number of a lane's key to one of a saved chain.
    void take_key(size_t lane, size_t number, const uint8_t *saved, size_t which);

    // Raises N to 2^252 - 3 in every lane. Overwrites the first number of the key.
    void raise();

private:
    struct Place {
        size_t limbs, chain_pitch, key_pitch, saved;
        uint8_t *chain, *key;
    };
    struct Chains {  // of one stream
        uint8_t *from;
        size_t bytes;
    };
    void put_chain(size_t lane, size_t number, const Number25519 &n);
    Number25519 chain(size_t lane, size_t number) const;

    const PointKernels &kernels_;
    size_t n_chains_ = 0, saved_bytes_ = 0;
    Chains chains_[2];
    Place place_[MOST_POINTS];
    cst_kernel_args args_;
    size_t bytes_;
    std::unique_ptr<uint8_t[]> memory_;
};

}  // namespace cst
