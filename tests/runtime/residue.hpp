// What is left of secrets after one call of the library: registers, the stack below the call, blocks of the heap that
// the call freed, and those that live. Replaces malloc and free, so it is included by one file of each program, which
// links libcst-probe and is built with -fno-builtin.
//
// The program defines needle_in(); it calls the library inside observed() alone, or with `tracking` set.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cryptostitch/cryptostitch.h"
extern "C" {
#include "../../probe/probe.h"

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
}

namespace residue {

// Returns the offset of the first needle, a piece of a secret, in the bytes; -1: none.
long needle_in(const void *data, size_t size);
// Counts sets of needles: the program raises it when it has changed them.
unsigned generation = 1;

// ---- the library's blocks

struct Block {
    uint8_t *at;
    size_t size;
    bool key;  // made while `making_key` was set: holds secrets as long as it lives
    uint8_t *seen;  // its bytes when it was searched last
    unsigned generation;  // of the needles that it was searched for
};
constexpr size_t MOST_BLOCKS = 1 << 16;
Block blocks[MOST_BLOCKS];
size_t n_blocks = 0;
bool tracking = false;  // blocks that are allocated are the library's
bool making_key = false;
long countdown = -1;  // the allocation with this number is refused; -1: none is
void (*on_free)(const Block &) = nullptr;  // sees blocks that the library frees
std::string freed_finding;

inline void *note(void *at, size_t size) {
    if (tracking && at && n_blocks < MOST_BLOCKS)
        blocks[n_blocks++] = {static_cast<uint8_t *>(at), size, making_key, nullptr, 0};
    return at;
}

// What the heap held before belongs to somebody else: to the needles, for one.
inline void *fresh(void *at, size_t size) { return at ? note(memset(at, 0xa5, size), size) : at; }

inline void forget(void *at) {
    for (size_t i = n_blocks; i-- > 0;) {
        if (blocks[i].at != at) continue;
        const Block block = blocks[i];
        blocks[i] = blocks[--n_blocks];
        __libc_free(block.seen);
        if (!tracking) return;
        tracking = false;  // the words below allocate, too
        if (on_free) on_free(block);
        const long where = needle_in(block.at, block.size);
        if (where >= 0)
            freed_finding = "a freed block of " + std::to_string(block.size) + " bytes, at " + std::to_string(where);
        tracking = true;
        return;
    }
}

// Whether a block has a needle. Most of the library's memory is a pack's records, which no call changes: a block that
// has been searched for these needles is searched where it has changed since.
inline bool search(Block *block) {
    constexpr size_t CHUNK = 1024, AROUND = 15;  // a needle, of at most 16 bytes, may begin in front of a chunk
    const bool all = block->generation != generation;
    if (!block->seen) block->seen = static_cast<uint8_t *>(__libc_malloc(block->size));
    block->generation = generation;
    bool found = false;
    for (size_t i = 0; i < block->size; i += CHUNK) {
        const size_t some = std::min(CHUNK, block->size - i);
        if (!all && !memcmp(block->at + i, block->seen + i, some)) continue;
        const size_t from = i < AROUND ? 0 : i - AROUND, to = std::min(block->size, i + some + AROUND);
        if (needle_in(block->at + from, to - from) < 0) memcpy(block->seen + i, block->at + i, some);
        else found = true, block->generation = 0;
    }
    return found;
}

inline bool fails() { return tracking && countdown > 0 && --countdown == 0; }

// ---- findings, and leaks on purpose

int failures = 0;
size_t calls = 0;
std::string what;  // the call that is observed
const char *leak = "";  // where every call leaves `leaked_word`: "freed", "live", "stack", "register", "mask"
uint64_t leaked_word = 0;

inline void found(const std::string &where) {
    printf("%s: %s\n", what.c_str(), where.c_str());
    failures++;
}
inline void left(const std::string &where) { found("a secret is left in " + where); }

inline void expect(int error, int wanted) {
    if (error == wanted) return;
    printf("%s: returned %s where %s was due\n", what.c_str(), cst_error_text(error), cst_error_text(wanted));
    exit(1);
}

__attribute__((noinline)) inline void leave_behind() {
    if (!strcmp(leak, "freed")) {
        void *block = malloc(64);
        memcpy(block, &leaked_word, 8);
        free(block);
    } else if (!strcmp(leak, "live")) {
        memcpy(malloc(64), &leaked_word, 8);
    } else if (!strcmp(leak, "stack")) {
        volatile uint64_t local[1536] = {};  // deeper than what the check after it uses
        local[3] = leaked_word;
        (void)local[3];
    } else if (!strcmp(leak, "register")) {
        __asm__ volatile("movq %0, %%xmm9" : : "m"(leaked_word) : "xmm9");
    } else if (!strcmp(leak, "mask")) {
        __asm__ volatile("kmovq %0, %%k3" : : "m"(leaked_word));
    }
}

// ---- one observed call

cst_probe_call probe;  // as the last call left it
uint8_t stack[CST_PROBE_BELOW + CST_PROBE_ABOVE];

struct Body {
    int (*call)(void *);
    void *self;
    int result;
};
inline void thunk(Body *body) {
    body->result = body->call(body->self);
    if (*leak) leave_behind();
}

// Makes a call, which is named in findings, and looks for needles in all that it leaves. Returns the call's result.
template <typename F>
int observed(const std::string &name, F call) {
    calls++;
    what = name;
    freed_finding.clear();
    Body body = {[](void *self) { return (*static_cast<F *>(self))(); }, &call, 0};
    memset(&probe, 0, sizeof probe);
    memset(stack, CST_PROBE_FILL, sizeof stack);
    probe.code = reinterpret_cast<const uint8_t *>(&thunk);
    probe.code_bytes = 64;
    probe.cpu_ns = 20000000000u;
    probe.before.flags = 0x202;
    probe.before.mxcsr = 0x1f80;
    probe.before.x87_control = 0x37f;
    probe.before.components = ~uint64_t(0);
    probe.before.general[7] = reinterpret_cast<uintptr_t>(&body);
    probe.stack = stack;
    tracking = true;
    const int error = cst_probe_run(&probe);
    tracking = false;
    if (error || probe.signal) {
        printf("%s: the call did not return (signal %d)\n", what.c_str(), probe.signal);
        exit(1);
    }
    if (!freed_finding.empty()) left(freed_finding);
    const long at = needle_in(&probe.after, sizeof probe.after);
    if (at >= 0) left("the registers, at " + std::to_string(at) + " of cst_probe_registers");
    const long below = needle_in(stack, CST_PROBE_BELOW);
    if (below >= 0) left("the stack, " + std::to_string(CST_PROBE_BELOW - below) + " bytes below the stack pointer");
    for (size_t i = 0; i < n_blocks; i++)
        if (!blocks[i].key && search(&blocks[i])) left("a live block of " + std::to_string(blocks[i].size) + " bytes");
    return body.result;
}

// Pseudorandom bytes that a seed determines.
inline void fill(uint8_t *data, size_t size, uint64_t seed) {
    uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
    for (size_t i = 0; i < size; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        data[i] = uint8_t(x >> 32);
    }
}

}  // namespace residue

// Not hidden, or else the library has the system's.
#pragma GCC visibility push(default)
extern "C" {
void *malloc(size_t size) { return residue::fails() ? nullptr : residue::fresh(__libc_malloc(size), size); }
void *calloc(size_t n, size_t size) {
    return residue::fails() ? nullptr : residue::note(__libc_calloc(n, size), n * size);
}
void *aligned_alloc(size_t align, size_t size) {
    return residue::fails() ? nullptr : residue::fresh(__libc_memalign(align, size), size);
}
void *memalign(size_t align, size_t size) { return aligned_alloc(align, size); }
int posix_memalign(void **out, size_t align, size_t size) {
    *out = aligned_alloc(align, size);
    return *out ? 0 : 12;
}
void free(void *at) {
    if (at) residue::forget(at);
    __libc_free(at);
}
void *realloc(void *at, size_t size) {
    void *const moved = malloc(size);
    if (!moved || !at) return moved;
    memcpy(moved, at, std::min(size, malloc_usable_size(at)));
    free(at);
    return moved;
}
}
#pragma GCC visibility pop
