// RSA's private operation (RFC 8017, 5.1.2 and 5.2.1) for many jobs: a job's powers modulo its two primes are two lanes
// of the kernels, and the Chinese remainder theorem joins them.
#pragma once

#include "modular_power.hpp"
#include "rsa_key.hpp"

namespace cst {

class RsaPrivate {
public:
    struct Job {
        const RsaKey *key;
        // Have as many words as the key's modulus; `in` is below it.
        uint64_t in[MOST_NUMBER_WORDS], out[MOST_NUMBER_WORDS];
        // out^e is `in` modulo both primes. If not, a computer erred, and `out` would tell the key (D. Boneh and
        // others, On the importance of checking cryptographic protocols for faults, 1997).
        bool right;
    };

    // kernel: NULL, or the name of one that must exist. Returns the errors of kernels.
    int init(const Engine &engine, const char *kernel);
    // Throws std::bad_alloc; then no result counts. Several threads may share an object. Numbers stay secret, but for
    // `right`; the caller clears the registers.
    void run(Job *jobs, size_t n) const;

private:
    static constexpr size_t SIZES = 3;
    PowerKernels kernels_[SIZES];
};

}  // namespace cst
