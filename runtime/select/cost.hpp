// What a kernel costs: measured on this machine, by the pack's table for this microarchitecture, or an estimate from
// its instruction counts.
#pragma once

#include <string>

#include "variant.hpp"

namespace cst {

// Whose a table is. The name of one that was derived for a CPU, rather than measured on it, begins with a mark.
struct TableName {
    explicit TableName(const std::string &text) : derived(text[0] == '~'), microarchitecture(text, derived) {}
    bool derived;
    std::string microarchitecture;
};

// The cost table of the pack for the microarchitecture; without one, the table "generic". False when there is neither.
bool find_costs(const Pack &pack, const std::string &microarchitecture, CostRecord *out);

// A rough figure, good enough to prefer full wide kernels to narrow ones and narrow ones to empty wide ones.
Cost estimate_cost(const PackRecords &records, const KernelRecord &kernel);

// What a table's figures come to. Those of a derived table err as estimates do, but not together with them: the mean of
// both decides.
Cost table_cost(const CostEntry &entry, bool derived, const Cost &estimate);

// Core cycles of what is kept of a message from one step to the next (run/message.hpp), beside calls: as a table has it
// (0: it does not), or an estimate.
double message_cost(uint32_t centicycles, bool derived);

// Any kernel's iteration takes a few cycles at least, and no more than some 100,000; a call has no lower bound but the
// clock's grain.
constexpr uint32_t LEAST_ITERATION = 10, MOST_CENTICYCLES = 1000000000;

// A cost that was measured on this machine.
struct KernelCost {
    std::string name;
    uint64_t code = 0;  // code_digest of what was measured
    uint32_t centicycles_per_iteration = 0, centicycles_per_call = 0;

    Cost cost() const;
};

// Of the records that a kernel's code is made from: a cost belongs to code, not to a name. Against accidents, not
// against forgers.
int code_digest(const Pack &pack, uint32_t kernel, uint64_t *out);

}  // namespace cst
