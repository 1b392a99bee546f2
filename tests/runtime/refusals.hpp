// The calls that the library makes to the system, of which one, or all of a kind, is refused. For programs and
// libraries that come before libc (a main program, LD_PRELOAD); included by one file of each. Calls are refused while
// `watching` is set: one with `refused_kind` and `refused_call`, all of a kind with no_mprotect, no_code, no_pages, and
// allocations once `blocks_given` of them have been made.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>

namespace refusals {

enum Kind { MALLOC, MMAP, MPROTECT, MEMFD, WRITE, FTRUNCATE, FCNTL, KINDS };
const char *const NAMES[KINDS] = {"malloc", "mmap", "mprotect", "memfd_create", "write", "ftruncate", "fcntl"};

// The library is being called. Thread-local: other threads of the process are not looked at.
__attribute__((tls_model("initial-exec"))) thread_local bool watching = false;
bool no_mprotect = false;  // as under PR_SET_MDWE: the sealed file is the way
bool no_code = false;  // no page becomes executable
bool no_pages = false;  // nothing is mapped, nothing is protected anew
long blocks_given = LONG_MAX;
bool armed = true;  // calls are counted
Kind refused_kind = KINDS;
long refused_call = 0, calls = 0, blocks = 0, pages = 0;
long denials = 0;  // calls that no_mprotect, no_code, no_pages or blocks_given has refused

inline bool refuse(Kind kind) { return watching && armed && kind == refused_kind && ++calls == refused_call; }

inline bool deny(bool is_denied) {
    denials += is_denied;
    return is_denied;
}
inline bool refuse_block() { return refuse(MALLOC) || (watching && deny(--blocks_given < 0)); }
inline bool deny_pages(int protection) { return watching && deny(no_pages || (no_code && protection & PROT_EXEC)); }

template <typename Function>
Function real(const char *name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace refusals

extern "C" {

void *malloc(size_t size) {
    static auto next = refusals::real<void *(*)(size_t)>("malloc");
    if (refusals::refuse_block()) return nullptr;
    void *block = next(size);
    if (block) refusals::blocks++;
    return block;
}

void free(void *block) {
    static auto next = refusals::real<void (*)(void *)>("free");
    if (block) refusals::blocks--;
    next(block);
}

void *aligned_alloc(size_t align, size_t size) {
    static auto next = refusals::real<void *(*)(size_t, size_t)>("aligned_alloc");
    if (refusals::refuse_block()) return nullptr;
    void *block = next(align, size);
    if (block) refusals::blocks++;
    return block;
}

int posix_memalign(void **out, size_t align, size_t size) {
    static auto next = refusals::real<int (*)(void **, size_t, size_t)>("posix_memalign");
    if (refusals::refuse_block()) return ENOMEM;
    const int error = next(out, align, size);
    if (!error) refusals::blocks++;
    return error;
}

void *realloc(void *block, size_t size) {
    static auto next = refusals::real<void *(*)(void *, size_t)>("realloc");
    if (refusals::refuse_block()) return nullptr;
    void *moved = next(block, size);
    if (moved && !block) refusals::blocks++;
    return moved;
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    static auto next = refusals::real<void *(*)(void *, size_t, int, int, int, off_t)>("mmap");
    if (refusals::refuse(refusals::MMAP) || refusals::deny_pages(protection)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *base = next(address, size, protection, flags, fd, offset);
    if (base != MAP_FAILED) refusals::pages += long(size / 4096);
    return base;
}

int munmap(void *address, size_t size) {
    static auto next = refusals::real<int (*)(void *, size_t)>("munmap");
    refusals::pages -= long(size / 4096);
    return next(address, size);
}

int mprotect(void *address, size_t size, int protection) {
    static auto next = refusals::real<int (*)(void *, size_t, int)>("mprotect");
    if (refusals::refuse(refusals::MPROTECT) || refusals::deny_pages(protection) ||
        (refusals::watching && refusals::deny(refusals::no_mprotect))) {
        errno = EACCES;
        return -1;
    }
    return next(address, size, protection);
}

long syscall(long number, ...) {
    static auto next = refusals::real<long (*)(long, ...)>("syscall");
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    va_end(list);
    if (number == SYS_memfd_create && refusals::refuse(refusals::MEMFD)) {
        errno = ENFILE;
        return -1;
    }
    return next(number, a, b, c);
}

ssize_t write(int fd, const void *data, size_t size) {
    static auto next = refusals::real<ssize_t (*)(int, const void *, size_t)>("write");
    if (refusals::refuse(refusals::WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return next(fd, data, refusals::watching && size > 1000 ? 1000 : size);  // and never all at once
}

int ftruncate(int fd, off_t size) {
    static auto next = refusals::real<int (*)(int, off_t)>("ftruncate");
    if (refusals::refuse(refusals::FTRUNCATE)) {
        errno = ENOSPC;
        return -1;
    }
    return next(fd, size);
}

int fcntl(int fd, int command, ...) {
    static auto next = refusals::real<int (*)(int, int, ...)>("fcntl");
    va_list list;
    va_start(list, command);
    long argument = va_arg(list, long);
    va_end(list);
    if (refusals::refuse(refusals::FCNTL)) {
        errno = EPERM;
        return -1;
    }
    return next(fd, command, argument);
}

}  // extern "C"
