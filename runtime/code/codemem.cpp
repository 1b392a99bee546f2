#include "codemem.hpp"

#include <cstring>

#include "cryptostitch/cryptostitch.h"
#include "file_size_signal.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace cst {

#ifdef _WIN32

int publish_code(const uint8_t *code, size_t size, CodePages *out) {
    void *base = VirtualAlloc(nullptr, size, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    if (base == nullptr) return CST_ERR_MEMORY;
    std::memcpy(base, code, size);
    DWORD old;
    if (!VirtualProtect(base, size, PAGE_EXECUTE_READ, &old)) {
        VirtualFree(base, 0, MEM_RELEASE);
        return CST_ERR_JIT;
    }
    FlushInstructionCache(GetCurrentProcess(), base, size);
    out->base = base;
    out->size = size;
    return CST_OK;
}

void release_code(CodePages *pages) {
    if (pages->base != nullptr) VirtualFree(pages->base, 0, MEM_RELEASE);
    *pages = CodePages();
}

#else

namespace {

constexpr uint8_t INT3 = 0xcc;

size_t whole_pages(size_t size) {
    size_t page = size_t(sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

// Writes the code, then makes it executable. PR_SET_MDWE and some security modules refuse that.
int publish_anonymous(const uint8_t *code, size_t size, CodePages *out) {
    size_t whole = whole_pages(size);
    void *base = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return CST_ERR_MEMORY;
    std::memcpy(base, code, size);
    std::memset(static_cast<uint8_t *>(base) + size, INT3, whole - size);
    if (mprotect(base, whole, PROT_READ | PROT_EXEC) != 0) {
        munmap(base, whole);
        return CST_ERR_JIT;
    }
    out->base = base;
    out->size = whole;
    return CST_OK;
}

#ifdef __linux__

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1u
#endif
#ifndef MFD_ALLOW_SEALING
#define MFD_ALLOW_SEALING 2u
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_SEAL_SEAL 1
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#define F_SEAL_WRITE 8
#endif

int open_memfd() {
    int fd = int(syscall(SYS_memfd_create, "cryptostitch", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC));
    if (fd < 0 && errno == EINVAL)  // before Linux 6.3 there is no MFD_EXEC, and every memfd may be executable
        fd = int(syscall(SYS_memfd_create, "cryptostitch", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    return fd;
}

bool write_all(int fd, const uint8_t *data, size_t size) {
    while (size > 0) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n;
        size -= size_t(n);
    }
    return true;
}

// Uses a file without a name that nobody can write to any more, mapped executable from the start; private, so that a
// forked child and its parent cannot reach each other's code.
int publish_sealed(const uint8_t *code, size_t size, CodePages *out) {
    int fd = open_memfd();
    if (fd < 0) return CST_ERR_JIT;
    int error = CST_ERR_JIT;
    constexpr int SEALS = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    size_t whole = whole_pages(size);
    const FileSizeSignal signal;
    if (write_all(fd, code, size) && ftruncate(fd, off_t(whole)) == 0 && fcntl(fd, F_ADD_SEALS, SEALS) == 0) {
        void *base = mmap(nullptr, whole, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
        if (base != MAP_FAILED) {
            out->base = base;
            out->size = whole;
            error = CST_OK;
        }
    }
    close(fd);
    return error;
}

#else

int publish_sealed(const uint8_t *, size_t, CodePages *) { return CST_ERR_JIT; }

#endif

}  // namespace

int publish_code(const uint8_t *code, size_t size, CodePages *out) {
    int error = publish_anonymous(code, size, out);
    return error == CST_ERR_JIT ? publish_sealed(code, size, out) : error;
}

void release_code(CodePages *pages) {
    if (pages->base != nullptr) munmap(pages->base, pages->size);
    *pages = CodePages();
}

#endif

bool code_pages_work() {
    static const uint8_t return_42[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xb8, 42, 0, 0, 0, 0xc3};  // endbr64; mov eax, 42; ret
    CodePages pages;
    if (publish_code(return_42, sizeof return_42, &pages) != CST_OK) return false;
    int (*function)();
    std::memcpy(&function, &pages.base, sizeof function);
    bool works = function() == 42;
    release_code(&pages);
    return works;
}

}  // namespace cst
