// Points of edwards25519 in lanes: a kernel for each operation of templates/streams/edwards25519.j2, and a state block
// that all of them share.
#pragma once

#include <iterator>
#include <memory>
#include <vector>

#include "../select/engine.hpp"
#include "../suite/edwards25519.hpp"

namespace cst {

enum class PointOperation { twice, add, add_own, add_common, cached, square, multiply };
constexpr size_t POINT_OPERATIONS = 7;
constexpr size_t MOST_POINTS = 16;  // lanes of a kernel
// Tables have 0 to MULTIPLES times a point, for a digit from -MULTIPLES to MULTIPLES.
constexpr size_t MULTIPLES = 8;

// Numbers of a lane's chain, and of its key: of another point Y + X, Y - X, 2 Z and 2 d T, then 2 d, and the lane's own
// table of such points.
struct PointChain {
    enum { E, F, G, H, N, NUMBERS };
    enum { SIZE, SIGN, WORDS };  // of a digit
};
struct PointKey {
    enum { SUM, DIFFERENCE, TWICE_Z, PRODUCT, POINT, TWICE_D = POINT, OWN, NUMBERS = OWN + (MULTIPLES + 1) * POINT };
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

// Numbers in the limbs of all kernels.
class NumberTable {
public:
    NumberTable() = default;
    explicit NumberTable(const std::vector<Number25519> &numbers);
    // Returns the limbs of number i and of those behind it.
    const uint64_t *from(size_t limbs, size_t i) const;

private:
    std::vector<uint64_t> limbs_[std::size(NUMBER_WIDTHS)];
};
// What add_common reads: operands of 0 to MULTIPLES times a point.
constexpr size_t COMMON_NUMBERS = (MULTIPLES + 1) * PointOperand::NUMBERS;

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
    // The digit that add_own and add_common take.
    void put_digit(size_t lane, int digit);
    // Sets the table for all lanes to COMMON_NUMBERS of these numbers, from number i on.
    void put_common(const NumberTable &numbers, size_t i);

    // The chains of all lanes, as they are.
    size_t saved_bytes() const { return saved_bytes_; }
    void save(uint8_t *to) const;
    void restore(const uint8_t *from);
    // Copies what `cached` left to the keys: as the point of an addition, or as a multiple in the lanes' own tables.
    void take_point() { copy_to_keys(PointKey::SUM); }
    void take_multiple(size_t multiple) { copy_to_keys(PointKey::OWN + multiple * PointKey::POINT); }

    // Raises N to 2^252 - 3 in every lane. Overwrites the first number of the key.
    void raise();

private:
    struct Place {
        size_t limbs, pitch, saved;
        uint8_t *chain, *key;
    };
    struct Lanes {  // of one stream
        size_t limbs, pitch;
        uint8_t *chains, *keys, *table;
        size_t bytes() const { return (PointChain::NUMBERS * limbs + PointChain::WORDS) * pitch; }
    };
    void copy_to_keys(size_t number);
    // Sets the first number of each lane's key to N of saved chains.
    void take_factor(const uint8_t *saved);
    void put_chain(size_t lane, size_t number, const Number25519 &n);
    Number25519 chain(size_t lane, size_t number) const;

    const PointKernels &kernels_;
    size_t n_streams_ = 0, saved_bytes_ = 0;
    Lanes stream_[2];
    Place place_[MOST_POINTS];
    cst_kernel_args args_;
    size_t bytes_;
    std::unique_ptr<uint8_t[]> memory_, neutral_, kept_;
};

}  // namespace cst
