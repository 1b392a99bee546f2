#include "trace.h"

static int put(cst_probe_trace *t, uint64_t value) {
    t->hash = (t->hash ^ value) * 0x9e3779b97f4a7c15u;
    t->hash ^= t->hash >> 32;
    if (!t->log) return 0;
    if (t->logged == t->log_size) return -1;
    t->log[t->logged++] = value;
    return 0;
}

int trace_step(const cst_probe_call *call, uint64_t instruction, const uint64_t general[16]) {
    cst_probe_trace *t = call->trace;
    const uint64_t code = (uint64_t)(uintptr_t)call->code, offset = instruction - code;
    if (t->steps == t->max_steps) return -1;
    t->steps++;
    if (put(t, offset)) return -1;
    if (offset >= call->code_bytes) return 0;
    for (uint32_t i = t->first[offset]; i < t->first[offset + 1]; i++) {
        const cst_probe_operand *o = &t->operands[i];
        uint64_t address = (uint64_t)o->displacement;
        if (o->base == CST_PROBE_CODE) address += code;
        if (o->base < 16) address += general[o->base];
        if (o->index < 16) address += general[o->index] * o->scale;
        if (put(t, address)) return -1;
    }
    return 0;
}
