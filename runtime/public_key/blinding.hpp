// Blinding factors of a private key of RSA (P. Kocher, Timing attacks on implementations of Diffie-Hellman, RSA, DSS,
// and other systems, 1996, 10): for each use a pair b^e and 1 / b modulo each prime, the square of the pair before.
#pragma once

#include <atomic>

#include "numbers/big_number.hpp"

namespace cst {

constexpr size_t MOST_PRIME_WORDS = MOST_NUMBER_WORDS / 2;

// The primes, and how many bits the kernels' R, 2^(52 limbs), has more than that of the moduli.
struct BlindingModuli {
    const Modulus &p, &q;
    unsigned larger;
};

// Factors modulo p and q, times the kernels' R.
struct BlindingFactors {
    uint64_t blind[2][MOST_PRIME_WORDS], unblind[2][MOST_PRIME_WORDS];
};

// Several threads may share an object. A forked process goes on with a sequence of its own, also if another thread was
// in next() when it was forked: a std::mutex would stay locked for ever. A child of vfork() is no such process.
class Blinding {
public:
    void begin(const BlindingFactors &first);
    // Takes the factors that are next.
    void next(const BlindingModuli &moduli, BlindingFactors *out);
    // The factors that next() took last, while no thread is in it: for tests.
    const BlindingFactors &last() const { return of_[current_.load(std::memory_order_relaxed)]; }

private:
    // Multiplies the current factors by these, or by themselves.
    void multiply(const BlindingModuli &moduli, const BlindingFactors *by);
    void depart(const BlindingModuli &moduli, int process);

    // The current factors are of_[current_]. The next ones are made in the other place, so that the current ones are
    // whole whenever a process is forked.
    BlindingFactors of_[2] = {};
    std::atomic<uint64_t> current_{0};
    int process_ = 0;  // whose sequence it is
    std::atomic<int> holder_{0};  // the process of the thread that is in next(); 0: none
};

}  // namespace cst
