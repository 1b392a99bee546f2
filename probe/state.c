#include "state.h"

#include <cpuid.h>
#include <string.h>

enum { X87 = 1 << 0, SSE = 1 << 1, AVX = 1 << 2, MASKS = 1 << 5, ZMM_HIGH = 1 << 6, HIGH_16 = 1 << 7 };
enum { AT_CONTROL = 0, AT_TAGS = 4, AT_MXCSR = 24, AT_XMM = 160, AT_HEADER = 512, MXCSR_AT_RESET = 0x1f80 };

static uint64_t enabled_components(void) {
    uint32_t a, d;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (uint64_t)d << 32 | a;
}

static unsigned offset_of(int component) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __cpuid_count(0xd, component, a, b, c, d);
    return b;
}

uint64_t cst_probe_components(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
    return enabled_components() & (X87 | SSE | AVX | MASKS | ZMM_HIGH | HIGH_16);
}

int cst_probe_knows_use(void) {
    unsigned a, b, c, d;
    return cst_probe_components() && __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && (a >> 2 & 1);
}

void state_clean_image(uint8_t *image) {
    const uint32_t mxcsr = MXCSR_AT_RESET;
    memset(image, 0, IMAGE_BYTES);
    memcpy(image + AT_MXCSR, &mxcsr, sizeof mxcsr);
}

/* Every piece of a vector register: bytes begin .. end of registers first .. last lie `stride` apart. */
static const struct piece {
    int component, begin, end, first, last;
} pieces[] = {{2, 16, 32, 0, 16}, {6, 32, 64, 0, 16}, {7, 0, 64, 16, 32}};

void state_to_image(const cst_probe_registers *r, uint8_t *image) {
    const uint64_t have = cst_probe_components(), loaded = (r->components & have) | X87 | SSE;
    memset(image, 0, IMAGE_BYTES);
    memcpy(image + AT_CONTROL, &r->x87_control, 2);
    memcpy(image + AT_TAGS, &r->x87_tags, 1);
    memcpy(image + AT_MXCSR, &r->mxcsr, 4);
    for (int v = 0; v < 16; v++) memcpy(image + AT_XMM + 16 * v, r->vector[v], 16);
    for (unsigned p = 0; p < sizeof pieces / sizeof *pieces; p++)
        if (loaded >> pieces[p].component & 1)
            for (int v = pieces[p].first, bytes = pieces[p].end - pieces[p].begin; v < pieces[p].last; v++)
                memcpy(image + offset_of(pieces[p].component) + bytes * (v - pieces[p].first),
                       r->vector[v] + pieces[p].begin, bytes);
    if (loaded & MASKS) memcpy(image + offset_of(5), r->mask, sizeof r->mask);
    memcpy(image + AT_HEADER, &loaded, sizeof loaded);
}

void state_from_image(const uint8_t *image, cst_probe_registers *r) {
    const uint64_t have = cst_probe_components();
    uint64_t saved;
    memcpy(&saved, image + AT_HEADER, sizeof saved);
    memset(r->vector, 0, sizeof r->vector);
    memset(r->mask, 0, sizeof r->mask);
    memcpy(&r->mxcsr, image + AT_MXCSR, 4);
    r->x87_control = 0x37f;
    r->x87_tags = 0;
    if (saved & X87) {
        memcpy(&r->x87_control, image + AT_CONTROL, 2);
        r->x87_tags = image[AT_TAGS];
    }
    if (saved & SSE)
        for (int v = 0; v < 16; v++) memcpy(r->vector[v], image + AT_XMM + 16 * v, 16);
    for (unsigned p = 0; p < sizeof pieces / sizeof *pieces; p++)
        if (saved & have & 1u << pieces[p].component)
            for (int v = pieces[p].first, bytes = pieces[p].end - pieces[p].begin; v < pieces[p].last; v++)
                memcpy(r->vector[v] + pieces[p].begin,
                       image + offset_of(pieces[p].component) + bytes * (v - pieces[p].first), bytes);
    if (saved & have & MASKS) memcpy(r->mask, image + offset_of(5), sizeof r->mask);
}
