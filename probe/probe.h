/* libcst-probe: calls machine code with a chosen state of every register, and sees what it does. Linux, x86-64, XSAVE.
 *
 * One call at a time in a process; calls from several threads wait for one another. While a call runs, the process's
 * handlers of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP and SIGALRM are the probe's; all other signals of the calling
 * thread are held back until it ends.
 */
#ifndef CST_PROBE_H
#define CST_PROBE_H

#include <stddef.h>
#include <stdint.h>

#define CST_PROBE_API __attribute__((visibility("default")))

enum {
    CST_PROBE_BELOW =
        98304, /* bytes of the stack below the stack pointer that the caller gives, and gets after the call */
    CST_PROBE_ABOVE = 256,   /* the same above it; a Win64 callee may write the first 32 */
    CST_PROBE_FILL = 0xa5,   /* what callers mostly give, to see how deep a call has written */
    CST_PROBE_CODE = 16,     /* as a base register: the address of the first byte of the code */
    CST_PROBE_NONE = 17,     /* no register */
};

/* Numbers of registers are those of the instruction encoding: rax rcx rdx rbx rsp rbp rsi rdi r8 .. r15. */
typedef struct cst_probe_registers {
    uint64_t general[16];
    uint64_t flags;
    uint64_t components;  /* XSAVE state components. before: those that are loaded, the others start in their initial
                             state (zeros); after: XGETBV(1) right after the return, 0 where the CPU lacks it */
    uint32_t mxcsr;
    uint16_t x87_control;
    uint16_t x87_tags;    /* bit i: register i is not empty */
    uint64_t mask[8];
    uint8_t vector[32][64];
} cst_probe_registers;

typedef struct cst_probe_operand {
    int64_t displacement;
    uint8_t base, index, scale, reserved[5];
} cst_probe_operand;

/* The operands of the instruction at offset i are operands[first[i]] up to operands[first[i + 1]]. */
typedef struct cst_probe_trace {
    const uint32_t *first; /* code_bytes + 1 numbers */
    const cst_probe_operand *operands;
    uint64_t *log;         /* for each step its offset, then its addresses; NULL: only the hash */
    uint64_t log_size, max_steps;
    uint64_t steps, logged, hash; /* set by the call */
} cst_probe_trace;

typedef struct cst_probe_call {
    const uint8_t *code;
    uint64_t code_bytes;
    uint64_t cpu_ns;               /* most CPU time of the thread that the call may take */
    cst_probe_registers
        before;    /* general[4], the stack pointer, is set by the call: a multiple of 16 before the return address */
    cst_probe_registers after;     /* of a call that did not return: at the fault */
    uint8_t *stack; /* CST_PROBE_BELOW + CST_PROBE_ABOVE bytes, before and after the call; the stack pointer's place is
                       CST_PROBE_BELOW */
    cst_probe_trace *trace; /* NULL: not single-stepped */
    int32_t signal,
        signal_code; /* set by the call; signal 0: it returned; SIGALRM: out of time; SIGXCPU: out of steps */
    uint64_t fault_address, fault_instruction;
    uint64_t fault_write; /* 1: a store faulted */
} cst_probe_call;

/* 0, or -1 where the CPU or the OS lacks what the probe needs, or resources are short. */
CST_PROBE_API int cst_probe_run(cst_probe_call *call);

/* The state components that the CPU has and the probe loads: 0 x87, 1 SSE, 2 AVX, 5 masks, 6 ZMM_Hi256, 7 Hi16_ZMM. 0:
 * no XSAVE. */
CST_PROBE_API uint64_t cst_probe_components(void);
/* Whether cst_probe_registers.components is known after a call: CPUID.(0xD,1).EAX bit 2. */
CST_PROBE_API int cst_probe_knows_use(void);

/* Memory between two pages that cannot be accessed. `at_end`: as near to the upper one as `align` (a power of two, at
 * most 4096) allows, else right above the lower one. NULL: no memory. With size 0 the address itself lies in such a
 * page. */
CST_PROBE_API uint8_t *cst_probe_block_new(size_t size, size_t align, int at_end);
enum { CST_PROBE_READ = 1, CST_PROBE_WRITE = 3, CST_PROBE_EXECUTE = 5 };
/* Never both writable and executable. 0 or -1. */
CST_PROBE_API int cst_probe_block_protect(uint8_t *block, size_t size, int access);
CST_PROBE_API void cst_probe_block_free(uint8_t *block, size_t size);

#endif
