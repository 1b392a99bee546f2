// The cost of a kernel: measured on this machine, taken from the pack's table for this microarchitecture, or estimated
// from its instruction counts.
#pragma once

#include <string>

#include "variant.hpp"

namespace cst {

// The name of a table. A mark begins the name of a table that was derived for a CPU, rather than measured on it.
struct TableName {
    explicit TableName(const std::string &text) : derived(text[0] == '~'), microarchitecture(text, derived) {}
    bool derived;
    std::string microarchitecture;
};

// Finds the pack's cost table for the microarchitecture, or else the table "generic". Returns false if there is
// neither.
bool find_costs(const Pack &pack, const std::string &microarchitecture, CostRecord *out);

// Estimates a cost: a rough figure, good enough to prefer full wide kernels to narrow ones and narrow ones to empty
// wide ones.
Cost estimate_cost(const PackRecords &records, const KernelRecord &kernel);

// Returns the cost that a table's figures give. Figures of a derived table err as estimates do, but independently of
// them: the mean of both is used.
Cost table_cost(const CostEntry &entry, bool derived, const Cost &estimate);

// Returns the core cycles of what is kept of a message from one step to the next (executors/message.hpp), besides
// calls: the table's figure (0: it has none), or an estimate.
double message_cost(uint32_t centicycles, bool derived);

// An iteration of any kernel takes a few cycles at least, and no more than some 100,000; a call has no lower bound but
// the clock's resolution.
constexpr uint32_t LEAST_ITERATION = 10, MOST_CENTICYCLES = 1000000000;

// A cost that was measured on this machine.
struct KernelCost {
    std::string name;
    uint64_t code = 0;  // code_digest of what was measured
    uint32_t centicycles_per_iteration = 0, centicycles_per_call = 0;

    Cost cost() const;
};

// Digests the records that a kernel's code is made from: a cost belongs to code, not to a name. It detects accidents,
// not forgeries.
int code_digest(const Pack &pack, uint32_t kernel, uint64_t *out);

}  // namespace cst
