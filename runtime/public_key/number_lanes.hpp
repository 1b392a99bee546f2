// Numbers modulo a prime in the lanes of kernels: a kernel for each operation of a template, and a state block that all
// of them share.
#pragma once

#include <memory>
#include <vector>

#include "../select/engine.hpp"

namespace cst {

constexpr size_t MOST_OPERATIONS = 8;
constexpr size_t MOST_LANES = 16;  // of a kernel
constexpr size_t NUMBER_BYTES = 32;  // of a number below a prime, little-endian
constexpr size_t DIGIT_WORDS = 2;  // behind the chain's numbers: a digit's size or index, and its sign

// Describes the kernels of a suite: their names, by operation, and how many numbers their fields hold. several, single:
// a bit for each operation that kernels of several lanes need, or of one.
struct NumberLayout {
    const char *suite;
    const char *names[MOST_OPERATIONS];
    size_t operations, chain, key, table;
    unsigned several, single;
};

// One kernel for each operation that is needed, with the same lanes, at the same places of the state; else NULL.
struct NumberKernels {
    const NumberLayout *layout = nullptr;
    const Variant *of[MOST_OPERATIONS] = {};

    size_t lanes() const { return of[0]->lanes; }
    bool need(size_t operation) const { return (lanes() == 1 ? layout->single : layout->several) >> operation & 1; }
    bool legacy_sse() const { return of[0]->legacy_sse; }
};

// How often a kernel is called, and how many iterations that makes, while every lane does one job.
struct OperationCount {
    double calls, iterations;
};
// Returns the cycles of these calls; counts: one for each operation.
double cycles_of(const NumberKernels &kernels, const OperationCount *counts);

// Loads kernels of all operations. kernel: NULL, or the name of one; those that go with it then do everything. Returns
// CST_ERR_NAME: no such kernel; CST_ERR_UNSUPPORTED, CST_ERR_JIT, CST_ERR_MEMORY.
int fetch_number_kernels(const Engine &engine, const NumberLayout &layout, const char *kernel,
                         std::vector<NumberKernels> *out);

class NumberLanes {
public:
    explicit NumberLanes(const NumberKernels &kernels);
    ~NumberLanes();
    NumberLanes(const NumberLanes &) = delete;
    NumberLanes &operator=(const NumberLanes &) = delete;

    size_t lanes() const { return kernels_.lanes(); }
    // Whether there is one lane, whose digits may decide what is done next, and whose limbs follow one another.
    bool single() const { return lanes() == 1; }
    size_t limbs(size_t lane) const { return place_[lane].limbs; }
    void run_operation(size_t operation, uint64_t iterations);

    // Sets a number of a lane's key to one of NUMBER_BYTES; or to these limbs.
    void put_key(size_t lane, size_t number, const uint8_t *bytes);
    void put_key_limbs(size_t lane, size_t number, const uint64_t *limbs);
    // Returns the limbs of the key's numbers, from this one on, of a single lane.
    uint64_t *key_limbs(size_t number) {
        return reinterpret_cast<uint64_t *>(place_[0].key + number * place_[0].limbs * place_[0].pitch);
    }
    // Sets a number of a lane's chain.
    void put_chain(size_t lane, size_t number, const uint8_t *bytes);
    void put_chain_limbs(size_t lane, size_t number, const uint64_t *limbs);
    // Returns the rows of a number's limbs, which are `pitch` bytes apart.
    const uint8_t *chain(size_t lane, size_t number) const;
    size_t pitch(size_t lane) const { return place_[lane].pitch; }
    // Sets the words behind the chain's numbers.
    void put_words(size_t lane, const uint64_t (&words)[DIGIT_WORDS]);
    // Copies the limbs of the first of the chains' numbers to the keys of all lanes, from number `to` on.
    void copy_to_keys(size_t to, size_t numbers);

    // The chains of all lanes, as they are.
    size_t saved_bytes() const { return saved_bytes_; }
    void save(uint8_t *to) const;
    void restore(const uint8_t *from);
    // Sets the first number of each lane's key to a number of saved chains.
    void take_factor(const uint8_t *saved, size_t number);

protected:
    // Sets the table for all lanes; limbs_of(limbs) returns the limbs of its numbers.
    template <typename LimbsOf>
    void put_table(LimbsOf limbs_of) {
        for (size_t stream = 0; stream < n_streams_; stream++) {
            const Lanes &its = stream_[stream];
            memcpy(its.table, limbs_of(its.limbs), kernels_.layout->table * its.limbs * sizeof(uint64_t));
        }
    }

private:
    struct Place {
        size_t limbs, pitch, saved;
        uint8_t *chain, *key;
    };
    struct Lanes {  // of one stream
        size_t limbs, pitch, bytes;
        uint8_t *chains, *keys, *table;
    };

    const NumberKernels &kernels_;
    size_t n_streams_ = 0, saved_bytes_ = 0;
    Lanes stream_[2];
    Place place_[MOST_LANES];
    cst_kernel_args args_;
    size_t bytes_;
    std::unique_ptr<uint8_t[]> memory_;
};

}  // namespace cst
