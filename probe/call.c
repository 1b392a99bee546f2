#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "frame.h"
#include "state.h"
#include "trace.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define AT(offset, member) _Static_assert(offsetof(struct probe_frame, member) == (offset), #member)
AT(AFTER, after);
AT(FLAGS, flags);
AT(FLAGS_AFTER, flags_after);
AT(USE_AFTER, use_after);
AT(KNOWS_USE, knows_use);
AT(COMPONENTS, components);
AT(CODE, code);
AT(IMAGE_BEFORE, image_before);
AT(IMAGE_AFTER, image_after);
AT(IMAGE_CLEAN, image_clean);
AT(OWN_STACK, own_stack);
AT(OWN_MXCSR, own_mxcsr);
AT(OWN_X87_CONTROL, own_x87_control);

enum { STACK_BYTES = 1 << 20, SIGNAL_STACK_BYTES = 1 << 16, TRAP = 0x100, INT1 = 0xf1 };
static const int caught[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGALRM};
enum { N_CAUGHT = sizeof caught / sizeof *caught };
static const int numbers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

struct probe_frame cst_probe_frame;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous[N_CAUGHT];
static cst_probe_call *current;
static pid_t caller;
static uint64_t about_to_run; /* the instruction of the last step; 0 before the first */
static uint8_t *stack, *signal_stack;
static uint8_t images[3][IMAGE_BYTES] __attribute__((aligned(IMAGE_ALIGN)));

static int in_trampoline(uint64_t instruction) {
    const uint64_t begin = (uint64_t)(uintptr_t)&cst_probe_enter;
    return instruction >= begin && instruction < (uint64_t)(uintptr_t)cst_probe_end;
}

static void give_up(ucontext_t *context, int signal, const siginfo_t *info) {
    greg_t *registers = context->uc_mcontext.gregs;
    current->signal = signal;
    current->signal_code = info->si_code;
    current->fault_address = (uint64_t)(uintptr_t)info->si_addr;
    current->fault_instruction = (uint64_t)registers[REG_RIP];
    current->fault_write = signal == SIGSEGV && (registers[REG_ERR] & 2);
    registers[REG_EFL] &= ~TRAP;
    registers[REG_RIP] = (greg_t)(uintptr_t)cst_probe_landing;
}

/* A trap of the trap flag is marked in DR6, and Linux says TRAP_TRACE. Virtual machines lose the mark now and then (one
 * in some million steps), and then Linux takes the trap for INT1's and says TRAP_BRKPT. INT1 is known by its only byte;
 * INT3 comes with SI_KERNEL. */
static int is_step(const siginfo_t *info) {
    if (!current->trace) return 0;
    if (info->si_code == TRAP_TRACE) return 1;
    return info->si_code == TRAP_BRKPT && !(about_to_run && *(const uint8_t *)(uintptr_t)about_to_run == INT1);
}

static void stepped(ucontext_t *context, const siginfo_t *info) {
    greg_t *registers = context->uc_mcontext.gregs;
    const uint64_t instruction = about_to_run = (uint64_t)registers[REG_RIP];
    if (instruction == (uint64_t)(uintptr_t)cst_probe_landing) {
        registers[REG_EFL] &= ~TRAP;
        return;
    }
    if (in_trampoline(instruction)) return;
    uint64_t general[16];
    for (int i = 0; i < 16; i++) general[i] = (uint64_t)registers[numbers[i]];
    if (trace_step(current, instruction, general)) give_up(context, SIGXCPU, info);
}

static void on_signal(int signal, siginfo_t *info, void *context) {
    const int mine = current && syscall(SYS_gettid) == caller;
    const uint64_t instruction = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (mine && signal == SIGTRAP && is_step(info)) return stepped(context, info);
    if (signal == SIGALRM && (!mine || in_trampoline(instruction))) return;
    if (mine && !in_trampoline(instruction)) return give_up(context, signal, info);
    for (int i = 0; i < N_CAUGHT; i++)
        if (caught[i] == signal) sigaction(signal, &previous[i], NULL); /* it happens again, and is theirs */
}

static int timer_begin(timer_t *timer, uint64_t nanoseconds) {
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event.sigev_notify_thread_id = caller;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, timer)) return -1;
    const struct timespec first = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
    const struct itimerspec times = {.it_interval = {0, 10000000}, .it_value = first};
    if (timer_settime(*timer, 0, &times, NULL) == 0) return 0;
    timer_delete(*timer);
    return -1;
}

static uint8_t *map_stack(size_t bytes) {
    uint8_t *base = mmap(NULL, bytes + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + 4096, bytes, PROT_READ | PROT_WRITE)) return NULL;
    return base + 4096;
}

static void prepare(cst_probe_call *call) {
    struct probe_frame *f = &cst_probe_frame;
    uint8_t *pointer = stack + STACK_BYTES - CST_PROBE_ABOVE;
    memcpy(pointer - CST_PROBE_BELOW, call->stack, CST_PROBE_BELOW + CST_PROBE_ABOVE);
    call->before.general[4] = (uint64_t)(uintptr_t)pointer;
    call->signal = 0;
    call->fault_address = call->fault_instruction = call->fault_write = 0;
    memcpy(f->before, call->before.general, sizeof f->before);
    f->flags = call->before.flags | (call->trace ? TRAP : 0);
    f->code = call->code;
    f->components = cst_probe_components();
    f->knows_use = (uint64_t)cst_probe_knows_use();
    f->use_after = 0;
    f->image_before = images[0];
    f->image_after = images[1];
    f->image_clean = images[2];
    state_to_image(&call->before, images[0]);
    memset(images[1], 0, IMAGE_BYTES);
    state_clean_image(images[2]);
    if (call->trace) call->trace->steps = call->trace->logged = call->trace->hash = 0;
}

static void collect(cst_probe_call *call) {
    struct probe_frame *f = &cst_probe_frame;
    memcpy(call->after.general, f->after, sizeof f->after);
    call->after.flags = f->flags_after;
    call->after.components = f->use_after;
    state_from_image(images[1], &call->after);
    memcpy(call->stack, stack + STACK_BYTES - CST_PROBE_ABOVE - CST_PROBE_BELOW, CST_PROBE_BELOW + CST_PROBE_ABOVE);
}

static int with_signals(cst_probe_call *call) {
    const stack_t own = {.ss_sp = signal_stack, .ss_size = SIGNAL_STACK_BYTES};
    stack_t previous_stack;
    sigset_t mask, previous_mask;
    struct sigaction action;
    timer_t timer;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    sigfillset(&mask);
    for (int i = 0; i < N_CAUGHT; i++) sigdelset(&mask, caught[i]);
    if (sigaltstack(&own, &previous_stack)) return -1;
    pthread_sigmask(SIG_SETMASK, &mask, &previous_mask);
    for (int i = 0; i < N_CAUGHT; i++) sigaction(caught[i], &action, &previous[i]);
    caller = (pid_t)syscall(SYS_gettid);
    const int error = timer_begin(&timer, call->cpu_ns);
    if (!error) {
        about_to_run = 0;
        current = call;
        cst_probe_enter();
        current = NULL;
        timer_delete(timer);
    }
    for (int i = 0; i < N_CAUGHT; i++) sigaction(caught[i], &previous[i], NULL);
    pthread_sigmask(SIG_SETMASK, &previous_mask, NULL);
    sigaltstack(&previous_stack, NULL);
    return error;
}

int cst_probe_run(cst_probe_call *call) {
    int error = -1;
    if (!cst_probe_components()) return -1;
    pthread_mutex_lock(&one_at_a_time);
    if (!stack) stack = map_stack(STACK_BYTES);
    if (!signal_stack) signal_stack = map_stack(SIGNAL_STACK_BYTES);
    if (stack && signal_stack) {
        prepare(call);
        error = with_signals(call);
        if (!error) collect(call);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return error;
}
