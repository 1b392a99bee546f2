// The kinds of suites that have code of their own: what runs a class of their jobs, and what plans it.
#pragma once

#include "../executors/message.hpp"
#include "../plan/lineup.hpp"

namespace cst {

struct SuiteKind {
    // Runs a class of jobs, as run_class (message/run_class.hpp).
    bool (*run)(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable);
    // Plans what that does with n jobs like this one.
    void (*plan)(const Suite &suite, const cst_job &job, size_t n, bool one_key, Plan *plan);
};

// Returns the kind of the suite. NULL: it has a cipher, a MAC or both, and no code of its own.
const SuiteKind *kind_of(const Suite &suite);

}  // namespace cst
