/* What this CPU and its operating system can run, asked once. GCC or Clang. */
#ifndef CST_COLUMN_CPU_H
#define CST_COLUMN_CPU_H

#include <cpuid.h>
#include <stdint.h>

enum {
    CPU_SSE2 = 1 << 0, /* every x86-64 CPU */
    CPU_SSSE3 = 1 << 1,
    CPU_SSE4_1 = 1 << 2,
    CPU_SHA = 1 << 3,
    CPU_BMI1 = 1 << 4,
    CPU_BMI2 = 1 << 5,
    CPU_AVX = 1 << 6,
    CPU_AVX2 = 1 << 7,
    CPU_AVX512F = 1 << 8,
    CPU_AVX512BW = 1 << 9,
    CPU_AVX512DQ = 1 << 10,
    CPU_AVX512VL = 1 << 11,
    CPU_KNOWN = 1 << 30
};

static uint32_t cpu_features_now(void) {
    uint32_t a, b, c, d, xcr0 = 0, high, found = CPU_SSE2;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return found;
    if (c >> 27 & 1) __asm__ volatile("xgetbv" : "=a"(xcr0), "=d"(high) : "c"(0));
    const int saves_ymm = (xcr0 & 0x06) == 0x06;         /* XMM, YMM */
    const int saves_zmm = (xcr0 & 0xe6) == 0xe6;         /* and opmask, upper halves of ZMM0-15, ZMM16-31 */
    found |= (c >> 9 & 1) * CPU_SSSE3 | (c >> 19 & 1) * CPU_SSE4_1;
    if (saves_ymm) found |= (c >> 28 & 1) * CPU_AVX;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
    found |= (b >> 3 & 1) * CPU_BMI1 | (b >> 8 & 1) * CPU_BMI2 | (b >> 29 & 1) * CPU_SHA;
    if (saves_ymm) found |= (b >> 5 & 1) * CPU_AVX2;
    if (saves_zmm)
        found |= (b >> 16 & 1) * CPU_AVX512F | (b >> 17 & 1) * CPU_AVX512DQ | (b >> 30 & 1) * CPU_AVX512BW |
                 (b >> 31 & 1) * CPU_AVX512VL;
    return found;
}

/* Threads that ask at once write the same. */
static uint32_t cpu_features(void) {
    static uint32_t kept;
    uint32_t found = __atomic_load_n(&kept, __ATOMIC_RELAXED);
    if (!found) __atomic_store_n(&kept, found = cpu_features_now() | CPU_KNOWN, __ATOMIC_RELAXED);
    return found;
}

#endif
