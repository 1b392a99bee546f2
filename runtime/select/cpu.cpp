#include "cpu.hpp"

#include <cpuid.h>

#include <cstdio>
#include <cstring>

namespace cst {
namespace {

enum Source { kLeaf1Ecx, kLeaf1Edx, kLeaf7Ebx, kLeaf7Ecx, kLeaf7_1Eax };
enum Needs { kNothing, kAvx, kAvx512 };  // register state that the OS must save

struct Bit {
    const char *name;
    Source source;
    int bit;
    Needs needs;
};

const Bit kBits[] = {
    {"sse2", kLeaf1Edx, 26, kNothing},
    {"pclmul", kLeaf1Ecx, 1, kNothing},
    {"ssse3", kLeaf1Ecx, 9, kNothing},
    {"fma", kLeaf1Ecx, 12, kAvx},
    {"sse4.1", kLeaf1Ecx, 19, kNothing},
    {"sse4.2", kLeaf1Ecx, 20, kNothing},
    {"popcnt", kLeaf1Ecx, 23, kNothing},
    {"aes", kLeaf1Ecx, 25, kNothing},
    {"avx", kLeaf1Ecx, 28, kAvx},
    {"bmi1", kLeaf7Ebx, 3, kNothing},
    {"avx2", kLeaf7Ebx, 5, kAvx},
    {"bmi2", kLeaf7Ebx, 8, kNothing},
    {"avx512f", kLeaf7Ebx, 16, kAvx512},
    {"avx512dq", kLeaf7Ebx, 17, kAvx512},
    {"adx", kLeaf7Ebx, 19, kNothing},
    {"avx512ifma", kLeaf7Ebx, 21, kAvx512},
    {"avx512cd", kLeaf7Ebx, 28, kAvx512},
    {"sha", kLeaf7Ebx, 29, kNothing},
    {"avx512bw", kLeaf7Ebx, 30, kAvx512},
    {"avx512vl", kLeaf7Ebx, 31, kAvx512},
    {"avx512vbmi", kLeaf7Ecx, 1, kAvx512},
    {"avx512vbmi2", kLeaf7Ecx, 6, kAvx512},
    {"gfni", kLeaf7Ecx, 8, kNothing},
    {"vaes", kLeaf7Ecx, 9, kAvx},
    {"vpclmulqdq", kLeaf7Ecx, 10, kAvx},
    {"avx512vnni", kLeaf7Ecx, 11, kAvx512},
    {"avx512bitalg", kLeaf7Ecx, 12, kAvx512},
    {"avx512vpopcntdq", kLeaf7Ecx, 14, kAvx512},
    {"sha512", kLeaf7_1Eax, 0, kAvx},
    {"sm3", kLeaf7_1Eax, 1, kAvx},
    {"sm4", kLeaf7_1Eax, 2, kAvx},
};

struct Micro {
    const char *vendor;
    uint32_t family, first_model, last_model;
    const char *name;
};

const Micro kMicros[] = {
    {"AuthenticAMD", 0x17, 0x00, 0x2f, "zen1"},         {"AuthenticAMD", 0x17, 0x50, 0x5f, "zen1"},
    {"AuthenticAMD", 0x17, 0x30, 0xff, "zen2"},         {"HygonGenuine", 0x18, 0x00, 0x03, "zen1"},
    {"AuthenticAMD", 0x19, 0x10, 0x1f, "zen4"},         {"AuthenticAMD", 0x19, 0x60, 0xaf, "zen4"},
    {"AuthenticAMD", 0x19, 0x00, 0x5f, "zen3"},         {"AuthenticAMD", 0x1a, 0x00, 0x2f, "zen5"},
    {"AuthenticAMD", 0x1a, 0x40, 0x4f, "zen5"},         {"AuthenticAMD", 0x1a, 0x60, 0x7f, "zen5"},
    {"GenuineIntel", 6, 0x3c, 0x3c, "haswell"},         {"GenuineIntel", 6, 0x3f, 0x3f, "haswell"},
    {"GenuineIntel", 6, 0x45, 0x46, "haswell"},         {"GenuineIntel", 6, 0x3d, 0x3d, "broadwell"},
    {"GenuineIntel", 6, 0x47, 0x47, "broadwell"},       {"GenuineIntel", 6, 0x4f, 0x4f, "broadwell"},
    {"GenuineIntel", 6, 0x56, 0x56, "broadwell"},       {"GenuineIntel", 6, 0x55, 0x55, "skylake_server"},
    {"GenuineIntel", 6, 0x4e, 0x4e, "skylake"},         {"GenuineIntel", 6, 0x5e, 0x5e, "skylake"},
    {"GenuineIntel", 6, 0x8e, 0x8e, "skylake"},         {"GenuineIntel", 6, 0x9e, 0x9e, "skylake"},
    {"GenuineIntel", 6, 0xa5, 0xa6, "skylake"},         {"GenuineIntel", 6, 0x6a, 0x6a, "icelake"},
    {"GenuineIntel", 6, 0x6c, 0x6c, "icelake"},         {"GenuineIntel", 6, 0x7d, 0x7e, "icelake"},
    {"GenuineIntel", 6, 0x8c, 0x8d, "tigerlake"},       {"GenuineIntel", 6, 0xa7, 0xa7, "rocketlake"},
    {"GenuineIntel", 6, 0x8f, 0x8f, "sapphire_rapids"}, {"GenuineIntel", 6, 0xcf, 0xcf, "sapphire_rapids"},
    {"GenuineIntel", 6, 0xad, 0xae, "granite_rapids"},  {"GenuineIntel", 6, 0x97, 0x97, "alderlake"},
    {"GenuineIntel", 6, 0x9a, 0x9a, "alderlake"},       {"GenuineIntel", 6, 0xb7, 0xb7, "alderlake"},
    {"GenuineIntel", 6, 0xba, 0xba, "alderlake"},       {"GenuineIntel", 6, 0xbf, 0xbf, "alderlake"},
    {"GenuineIntel", 6, 0xaa, 0xaa, "meteorlake"},      {"GenuineIntel", 6, 0xac, 0xac, "meteorlake"},
    {"GenuineIntel", 6, 0xb5, 0xb5, "meteorlake"},      {"GenuineIntel", 6, 0xc5, 0xc6, "arrowlake"},
    {"GenuineIntel", 6, 0xbd, 0xbd, "lunarlake"},
};

uint64_t read_xcr0() {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t(high) << 32 | low;
}

void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *registers) {
    __cpuid_count(leaf, subleaf, registers[0], registers[1], registers[2], registers[3]);
}

// Returns maker, family and model as a name.
std::string unnamed(const Cpu &cpu) {
    constexpr size_t MOST_MAKER = 10;  // so that the name fits cst_cpu_info
    std::string maker;
    for (const char c : cpu.brand) {
        if (c == ' ' || c == '(' || maker.size() == MOST_MAKER) break;
        if (c >= 'A' && c <= 'Z') maker += char(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) maker += c;
    }
    char numbers[32];
    snprintf(numbers, sizeof(numbers), "_family_%x_model_%x", cpu.family, cpu.model);
    return (maker.empty() ? "cpu" : maker) + numbers;
}

}  // namespace

CpuLeaves read_cpu(const CpuidSource &source) {
    CpuLeaves leaves;
    uint32_t r[4];
    source.cpuid(0, 0, r);
    const uint32_t last = r[0];  // beyond it, Intel CPUs answer with the highest leaf that they have
    memcpy(leaves.vendor, &r[1], 4);
    memcpy(leaves.vendor + 4, &r[3], 4);
    memcpy(leaves.vendor + 8, &r[2], 4);
    if (last >= 1) {
        source.cpuid(1, 0, r);
        leaves.leaf1_eax = r[0];
        leaves.leaf1_ecx = r[2];
        leaves.leaf1_edx = r[3];
        if (r[2] >> 27 & 1) leaves.xcr0 = source.xcr0();
    }
    if (last >= 7) {
        source.cpuid(7, 0, r);
        leaves.leaf7_ebx = r[1];
        leaves.leaf7_ecx = r[2];
        leaves.leaf7_edx = r[3];
        if (r[0] >= 1) {
            source.cpuid(7, 1, r);
            leaves.leaf7_1_eax = r[0];
        }
    }
    source.cpuid(0x80000000u, 0, r);
    const uint32_t last_extended = r[0];
    if (last_extended < 0x80000004u || last_extended > 0x8000ffffu) return leaves;
    for (uint32_t i = 0; i < 3; i++) {
        source.cpuid(0x80000002u + i, 0, r);
        memcpy(leaves.brand + 16 * i, r, 16);
    }
    return leaves;
}

CpuLeaves read_cpu() { return read_cpu({cpuid, read_xcr0}); }

Cpu decode_cpu(const CpuLeaves &leaves) {
    Cpu cpu;
    const char *brand = leaves.brand;
    while (*brand == ' ') brand++;
    cpu.brand = brand;
    while (!cpu.brand.empty() && cpu.brand.back() == ' ') cpu.brand.pop_back();
    uint32_t base_family = leaves.leaf1_eax >> 8 & 15;
    cpu.family = base_family + (base_family == 15 ? leaves.leaf1_eax >> 20 & 255 : 0);
    cpu.model = leaves.leaf1_eax >> 4 & 15;
    if (base_family == 15 || base_family == 6) cpu.model |= (leaves.leaf1_eax >> 16 & 15) << 4;
    cpu.stepping = leaves.leaf1_eax & 15;

    const bool avx_state = (leaves.xcr0 & 0x06) == 0x06;     // XMM, YMM
    const bool avx512_state = (leaves.xcr0 & 0xe6) == 0xe6;  // and opmask, upper ZMM0-15, ZMM16-31
    const uint32_t words[] = {leaves.leaf1_ecx, leaves.leaf1_edx, leaves.leaf7_ebx, leaves.leaf7_ecx,
                              leaves.leaf7_1_eax};
    for (const Bit &bit : kBits) {
        if (!(words[bit.source] >> bit.bit & 1)) continue;
        if (bit.needs == kAvx && !avx_state) continue;
        if (bit.needs == kAvx512 && !avx512_state) continue;
        cpu.features |= feature_bit(bit.name, strlen(bit.name));
    }
    cpu.features = close_features(cpu.features);
    if (cpu.features & feature_bit("avx512f", 7)) cpu.registers = RegisterState::zmm;
    else if (cpu.features & feature_bit("avx", 3)) cpu.registers = RegisterState::ymm;

    cpu.microarchitecture = unnamed(cpu);
    for (const Micro &micro : kMicros) {
        if (strcmp(micro.vendor, leaves.vendor) != 0 || micro.family != cpu.family) continue;
        if (cpu.model < micro.first_model || cpu.model > micro.last_model) continue;
        cpu.microarchitecture = micro.name;
        break;
    }
    return cpu;
}

}  // namespace cst
