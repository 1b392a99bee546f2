/* What single-stepped code did: offsets and addresses, folded into a hash and, where there is room for it, logged. */
#include "probe.h"

/* Adds the instruction that is about to run. 0, or -1 when a limit is reached. */
int trace_step(const cst_probe_call *call, uint64_t instruction, const uint64_t general[16]);
