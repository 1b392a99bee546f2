// Steps with which messages of an algorithm begin or end (kinds `start` and `finish` of core/kinds.py): one iteration
// of a kernel for each message, in lanes.
#pragma once

#include "message.hpp"

namespace cst {

// Writes what a step reads: the key and what follows it, each filled up with zeros to rows of 16 bytes.
void put_step_input(const AlgorithmRecord &step, const uint8_t *key, const void *behind, size_t behind_bytes,
                    uint8_t *to);

// The step of one message.
struct StateStep {
    const uint8_t *from;  // chaining value before the step,
    uint8_t *to;          // and after it; the two may be the same
    const uint8_t *key;
    const void *behind;  // at the start the IV; at the finish two lengths
    size_t behind_bytes;
};

// Runs steps on kernels of the family, each of which has the step's algorithm. Of the memory it uses the lanes.
void run_state_steps(const Suite &suite, const Family &family, const AlgorithmRecord &step, Memory *memory,
                     StateStep *const *steps, size_t n);

// Runs the step of n messages, a few at a time. step_of(i): that of message i.
template <typename StepOf>
void run_state_steps(const Suite &suite, const Family &family, const AlgorithmRecord &step, Memory *memory, size_t n,
                     StepOf step_of) {
    constexpr size_t FEW = 64;
    StateStep steps[FEW], *list[FEW];
    for (size_t first = 0, some; first < n; first += some) {
        for (some = 0; some < FEW && first + some < n; some++) {
            steps[some] = step_of(first + some);
            list[some] = &steps[some];
        }
        run_state_steps(suite, family, step, memory, list, some);
    }
}

}  // namespace cst
