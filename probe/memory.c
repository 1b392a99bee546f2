#define _GNU_SOURCE
#include <sys/mman.h>

#include "probe.h"

enum { PAGE = 4096 };

static size_t round_up(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

static uint8_t *first_page(uint8_t *block) { return block - (uintptr_t)block % PAGE; }

uint8_t *cst_probe_block_new(size_t size, size_t align, int at_end) {
    if (align == 0 || align > PAGE || (align & (align - 1)) || size > SIZE_MAX / 2) return NULL;
    const size_t pages = round_up(size);
    uint8_t *base = mmap(NULL, pages + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    base += PAGE;
    if (pages && mprotect(base, pages, PROT_READ | PROT_WRITE)) {
        munmap(base - PAGE, pages + 2 * PAGE);
        return NULL;
    }
    return at_end ? base + (pages - size) / align * align : base;
}

int cst_probe_block_protect(uint8_t *block, size_t size, int access) {
    const int protection = access == CST_PROBE_EXECUTE ? PROT_READ | PROT_EXEC
                           : access == CST_PROBE_WRITE ? PROT_READ | PROT_WRITE
                                                       : PROT_READ;
    return size ? mprotect(first_page(block), round_up(size), protection) : 0;
}

void cst_probe_block_free(uint8_t *block, size_t size) {
    if (block) munmap(first_page(block) - PAGE, round_up(size) + 2 * PAGE);
}
